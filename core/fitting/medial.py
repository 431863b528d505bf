"""Samples of the medial surface: where the nearest surface point jumps from one side to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..errors import ShapeTooThin
from ..geometry.distance import DistanceField

# Twice the error the distance field is allowed; shallower samples may be noise. [BP07] section 3.1.
LEAST_DEPTH = 2 * 0.003
# Gradients this near the surface point anywhere. Without this two of three spheres of a person are noise under the
# skin; at the full 0.003 limbs of one voxel's radius get holes.
_VAGUE = 0.0025
_CORNERS = np.array([(i, j, k) for i in (0, 1) for j in (0, 1) for k in (0, 1)])


@dataclass(frozen=True, eq=False)
class MedialSamples:
    """M points on the medial surface, unit frame.

    points : (M, 3);  depths : (M,) distance to the surface, positive, falling
    """

    points: np.ndarray
    depths: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "points", frozen(self.points, np.float64, (None, 3), "points"))
        object.__setattr__(self, "depths", frozen(self.depths, np.float64, (len(self.points),), "depths"))


def sample_medial(field: DistanceField, *, least_depth: float = LEAST_DEPTH, angle: float = np.pi / 2) -> MedialSamples:
    """Sample the medial surface at the middles of grid cells whose corners' gradients diverge by at least `angle`.

    angle : [BP07] asks for 120 degrees, its published program for 90, which keeps 1.3 to 1.6 times as many samples
    Depths are measured to the corners' own nearest surface points, so they are exact where interpolation would round
    the ridge off. Sorted by depth, deepest first, ties by position. Raises ShapeTooThin if no sample is deep enough.
    O(inside voxels). [BP07] section 3.1.
    """
    cell, flat = _diverging_cells(field, angle)
    middle = field.grid.origin + (cell + 1.0) * field.grid.spacing
    surface = field.grid.origin + (cell[:, None] + _CORNERS + 0.5) * field.grid.spacing
    surface += field.to_surface.reshape(-1, 3)[flat]
    depth = np.linalg.norm(surface - middle[:, None], axis=2).min(1)
    depth = np.where(field.sample(middle) < 0, depth, 0.0)
    deep = depth >= least_depth
    if not deep.any():
        raise ShapeTooThin("The mesh is nowhere thick enough for a bone. Thicken it with a Solidify modifier, or check "
                           "that it is not only a sheet of cloth.")
    middle, depth = middle[deep], depth[deep]
    order = np.lexsort((*np.round(middle.T, 9), -np.round(depth, 9)))
    return MedialSamples(middle[order], depth[order])


def _diverging_cells(field: DistanceField, angle: float) -> tuple[np.ndarray, np.ndarray]:
    """(K, 3) low corners and (K, 8) flat corner voxels of the cells in which some pair of gradients diverges.

    If two of eight unit vectors are `angle` apart, their sum is at most 6 + 2 cos(angle / 2) long; that quick test
    leaves few cells to look at pair by pair.
    """
    solid = field.solid
    size = np.array(solid.shape) - 1
    touched = np.zeros(solid.shape, bool)
    low = touched[:-1, :-1, :-1]
    for corner in _CORNERS:
        low |= solid[tuple(slice(o, o + n) for o, n in zip(corner, size, strict=True))]
    first = np.flatnonzero(touched)
    offset = _CORNERS @ [solid.shape[1] * solid.shape[2], solid.shape[2], 1]
    gradient = (field.to_surface / -field.values[..., None]).reshape(-1, 3)
    total = sum(gradient.take(first + o, axis=0) for o in offset)
    first = first[np.einsum("nd,nd->n", total, total) <= (6.001 + 2 * np.cos(angle / 2)) ** 2]
    around = gradient[first[:, None] + offset]
    cosine = around @ around.transpose(0, 2, 1)
    vague = np.abs(field.values.ravel()[first[:, None] + offset]) < _VAGUE
    cosine[vague] = 1.0
    cosine.transpose(0, 2, 1)[vague] = 1.0
    first = first[cosine.min((1, 2)) <= np.cos(angle)]
    return np.stack(np.unravel_index(first, solid.shape), 1), first[:, None] + offset
