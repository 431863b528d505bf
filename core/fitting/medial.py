"""Samples of the medial surface: where the nearest surface point jumps from one side to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..errors import ShapeTooThin
from ..geometry.distance import DistanceField

# Twice the error the distance field is allowed; shallower samples may be noise. [BP07] section 3.1.
LEAST_DEPTH = 2 * 0.003


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

    Depths are measured to the corners' own nearest surface points, so they are exact where interpolation would round
    the ridge off. Sorted by depth, deepest first, ties by position. Raises ShapeTooThin if no sample is deep enough.
    O(inside voxels). [BP07] section 3.1.
    """
    corner = np.stack(np.meshgrid([0, 1], [0, 1], [0, 1], indexing="ij"), -1).reshape(8, 3)
    solid = field.solid
    touched = np.zeros(np.array(solid.shape) - 1, bool)
    for c in corner:
        touched |= solid[tuple(slice(o, o + n) for o, n in zip(c, touched.shape, strict=True))]
    cell = np.argwhere(touched)
    strides = np.array([solid.shape[1] * solid.shape[2], solid.shape[2], 1])
    flat = (cell @ strides)[:, None] + corner @ strides
    vector = field.to_surface.reshape(-1, 3)[flat]
    value = field.values.ravel()[flat]
    gradient = -vector / value[:, :, None]
    least_cosine = np.min(gradient @ gradient.transpose(0, 2, 1), axis=(1, 2))
    diverges = least_cosine <= np.cos(angle)
    cell, vector = cell[diverges], vector[diverges]
    middle = field.grid.origin + (cell + 1.0) * field.grid.spacing
    surface = vector + field.grid.origin + (cell[:, None] + corner + 0.5) * field.grid.spacing
    depth = np.linalg.norm(surface - middle[:, None], axis=2).min(1)
    depth = np.where(field.sample(middle) < 0, depth, 0.0)
    deep = depth >= least_depth
    if not deep.any():
        raise ShapeTooThin("The mesh is nowhere thick enough for a bone. Thicken it with a Solidify modifier, or check "
                           "that it is not only a sheet of cloth.")
    middle, depth = middle[deep], depth[deep]
    order = np.lexsort((*np.round(middle.T, 9), -np.round(depth, 9)))
    return MedialSamples(middle[order], depth[order])
