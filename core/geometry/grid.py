"""Regular grids of voxels."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen


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
        """(N, 3) indices of the voxels holding the points, clipped into the grid."""
        index = np.floor((np.asarray(points, float) - self.origin) / self.spacing).astype(np.int64)
        return np.clip(index, 0, np.array(self.shape) - 1)


def grid_around(points: np.ndarray, spacing: float, *, margin: int = 3) -> Grid:
    """A grid covering the points with `margin` empty voxels on every side, centred so that mirrored input mirrors."""
    low, high = points.min(0), points.max(0)
    count = np.ceil((high - low) / spacing - 1e-9).astype(int) + 2 * margin
    return Grid((low + high) / 2 - count * spacing / 2, spacing, tuple(count))
