"""Packing the solid with medial spheres."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from .medial import MedialSamples


@dataclass(frozen=True, eq=False)
class Spheres:
    """S balls inside the solid, unit frame.

    centres : (S, 3);  radii : (S,), falling
    """

    centres: np.ndarray
    radii: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "centres", frozen(self.centres, np.float64, (None, 3), "centres"))
        object.__setattr__(self, "radii", frozen(self.radii, np.float64, (len(self.centres),), "radii"))


def pack_spheres(samples: MedialSamples, *, limit: int = 1000) -> Spheres:
    """Keep the largest medial balls whose centres no kept ball contains.

    samples : M balls, deepest first.  Returns S <= limit balls, radius falling.  O(M S). [BP07] section 3.1
    """
    remaining = np.arange(len(samples.points))
    kept = []
    while len(remaining) and len(kept) < limit:
        best = remaining[0]
        kept.append(best)
        offset = samples.points[remaining] - samples.points[best]
        remaining = remaining[np.einsum("nd,nd->n", offset, offset) > samples.depths[best] ** 2]
    return Spheres(samples.points[kept], samples.depths[kept])
