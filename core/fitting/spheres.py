"""Packing the solid with medial spheres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import frozen
from .medial import MedialSamples


@dataclass(frozen=True, eq=False)
class Spheres:
    """S balls inside the solid, unit frame.

    centres : (S, 3);  radii : (S,), falling
    twins : (S,) each ball's mirror image, itself if it lies on the plane; None if the body has no mirror plane
    """

    centres: np.ndarray
    radii: np.ndarray
    twins: np.ndarray | None = None

    def __post_init__(self):
        object.__setattr__(self, "centres", frozen(self.centres, np.float64, (None, 3), "centres"))
        object.__setattr__(self, "radii", frozen(self.radii, np.float64, (len(self.centres),), "radii"))
        if self.twins is not None:
            object.__setattr__(self, "twins", frozen(self.twins, np.int64, (len(self.centres),), "twins"))


def pack_spheres(samples: MedialSamples, *, limit: int = 1000) -> Spheres:
    """Keep the largest medial balls whose centres no kept ball contains.

    samples : M balls, deepest first.  Returns S <= limit balls, radius falling.  O(M S). [BP07] section 3.1
    """
    remaining = np.arange(len(samples.points))
    kept: list[int] = []
    while len(remaining) and len(kept) < limit:
        best = int(remaining[0])
        kept.append(best)
        remaining = remaining[_squared(samples.points[remaining], samples.points[best]) > samples.depths[best] ** 2]
    return Spheres(samples.points[kept], samples.depths[kept])


def pack_mirrored_spheres(samples: MedialSamples, plane_x: float, snap: float, *, limit: int = 1000) -> Spheres:
    """As `pack_spheres`, keeping every ball together with its mirror image in the plane x = `plane_x`.

    samples : mirrored about the plane;  snap : samples this close to the plane are put on it
    """
    points = samples.points.copy()
    points[np.abs(points[:, 0] - plane_x) <= snap, 0] = plane_x
    image = points * [-1, 1, 1] + [2 * plane_x, 0, 0]
    twin = cKDTree(points).query(image)[1]
    remaining = np.arange(len(points))
    kept: list[int] = []
    twins: list[int] = []
    centres: list[np.ndarray] = []
    while len(remaining) and len(kept) < limit:
        best = int(remaining[0])
        alone = points[best, 0] == plane_x or twin[best] == best
        twins += [len(kept)] if alone else [len(kept) + 1, len(kept)]
        kept += [best] if alone else [best, best]
        centres += [points[best]] if alone else [points[best], image[best]]
        around = points[remaining]
        outside = _squared(around, points[best]) > samples.depths[best] ** 2
        if not alone:
            outside &= _squared(around, image[best]) > samples.depths[best] ** 2
        remaining = remaining[outside]
    return Spheres(np.array(centres), samples.depths[kept], np.array(twins))


def _squared(points: np.ndarray, centre: np.ndarray) -> np.ndarray:
    offset = points - centre
    return np.einsum("nd,nd->n", offset, offset)
