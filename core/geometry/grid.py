"""Regular grids of voxels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from .mesh import box

WALL = 1e-6  # what lies closer to the wall between two voxels, in voxels, lies on it


@dataclass(frozen=True, eq=False)
class Grid:
    """Cubic voxels filling a box: voxel (i, j, k) is centred at origin + (i + 1/2, j + 1/2, k + 1/2) * spacing.

    origin : (3,) low corner;  spacing : edge length;  shape : voxels along x, y, z
    """

    origin: np.ndarray
    spacing: float
    shape: tuple[int, int, int]

    def __post_init__(self):
        object.__setattr__(self, "origin", frozen(self.origin, np.float64, (3,), "origin"))
        object.__setattr__(self, "shape", tuple(int(n) for n in self.shape))

    def centres(self, index: np.ndarray) -> np.ndarray:
        """(N, 3) centres of voxels given by (N, 3) integer indices."""
        return self.origin + (np.asarray(index) + 0.5) * self.spacing

    def index_of(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) indices of the voxels holding the points, clipped into the grid.

        A point on the wall between two voxels belongs to the one nearer the grid's middle: mirrored points are held by
        mirrored voxels.
        """
        points = np.asarray(points, float)
        index = np.empty(points.shape[::-1], np.int64)
        for axis, count in enumerate(self.shape):
            off = (points.T[axis] - (self.origin[axis] + 0.5 * self.spacing * count)) / self.spacing
            off -= WALL * np.sign(off)
            index[axis] = np.clip(np.floor(off + 0.5 * count), 0, count - 1)
        return index.T


def grid_around(points: np.ndarray, spacing: float, *, margin: int = 3) -> Grid:
    """A grid around the points, `margin` or more empty voxels on every side, centred so that mirrored input mirrors.

    The count along x is even: the middle plane is a wall, and no voxel lies on both sides of it.
    """
    low, high = box(points)
    count = np.ceil((high - low) / spacing - 1e-9).astype(int) + 2 * margin
    count[0] += count[0] % 2
    return Grid((low + high) / 2 - count * spacing / 2, spacing, tuple(count))
