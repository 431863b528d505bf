"""A body seen from three sides: its solid in a coarse grid, and the maps that the landmark network looks at.

The grid is a cube around the body. The three views look along x, y and z. A view's maps are the outline, the nearest
and the farthest surface, how much flesh lies behind a pixel, in how many pieces, and how far the outline is away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from ..arrays import frozen

# Cells along each side of the grid. The body's longest side fills this share of it, in the middle.
CELLS = 64
FILL = 0.92

# Maps of a view, in order: outline, nearest, farthest, flesh, pieces, distance to the outline.
MAPS = 6

# (image row axis, image column axis) of the view along each axis.
IMAGE_AXES = ((2, 1), (2, 0), (1, 0))


@dataclass(frozen=True, eq=False)
class Sight:
    """A body's solid in the cube [0, 1]^3.

    solid : (CELLS, CELLS, CELLS) bool, axes x y z;  scale, offset : cube position = scale * position + offset
    """

    solid: np.ndarray
    scale: float
    offset: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "solid", frozen(self.solid, bool, (CELLS, CELLS, CELLS), "solid"))
        object.__setattr__(self, "offset", frozen(self.offset, np.float64, (3,), "offset"))

    def to_cube(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) positions in the mesh's frame -> the cube."""
        return np.asarray(points) * self.scale + self.offset

    def from_cube(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) positions in the cube -> the mesh's frame."""
        return (np.asarray(points) - self.offset) / self.scale


def see(vertices: np.ndarray, faces: np.ndarray) -> Sight:
    """The solid of a mesh in the cube: every cell its surface passes, and those it closes in.

    vertices (V, 3), faces (F, 3), Z up, any unit.  A surface with holes wider than a cell closes nothing in.
    """
    corners = np.asarray(vertices, np.float64)[faces]
    flat = corners.reshape(-1, 3)
    low, high = flat.min(0), flat.max(0)
    scale = FILL / max(float((high - low).max()), 1e-300)
    offset = 0.5 - scale * (low + high) / 2
    cells = (_surface_points(corners * scale + offset, 0.5 / CELLS) * CELLS).astype(np.intp)
    surface = np.zeros((CELLS, CELLS, CELLS), bool)
    surface[tuple(np.clip(cells, 0, CELLS - 1).T)] = True
    outside = ndimage.label(~np.pad(surface, 1))[0]
    return Sight((outside != outside[0, 0, 0])[1:-1, 1:-1, 1:-1], scale, offset)


def _surface_points(corners: np.ndarray, spacing: float) -> np.ndarray:
    """(N, 3) points on triangles (F, 3, 3), nowhere farther apart than about `spacing`; the middle of a tiny one."""
    middles = corners.sum(1) / 3
    is_tiny = (np.abs(corners[:, 0] - middles) + np.abs(corners[:, 1] - middles)).max(1) < spacing
    if is_tiny.any():
        return np.concatenate([middles[is_tiny], _surface_points(corners[~is_tiny], spacing)])
    sides = np.linalg.norm(corners[:, [1, 2, 0]] - corners, axis=2)
    first = sides.argmax(1)
    rows = np.arange(len(corners))
    a, b, c = (corners[rows, (first + k) % 3] for k in range(3))
    longest = sides[rows, first]
    height = np.linalg.norm(np.cross(b - a, c - a), axis=1) / np.maximum(longest, 1e-300)
    along = np.maximum(np.ceil(longest / spacing), 1).astype(np.intp) + 1
    across = np.maximum(np.ceil(height / spacing), 1).astype(np.intp)
    counts = along * across
    face = np.repeat(rows, counts)
    k = np.arange(len(face)) - np.repeat(np.cumsum(counts) - counts, counts)
    # Rows from the longest side on, both its ends included: half-way up, a sliver would miss half of its length.
    u = (k % along[face] / (along[face] - 1))[:, None]
    t = (k // along[face] / across[face])[:, None]
    return (a[face] + u * (b - a)[face]) * (1 - t) + t * c[face]


def draw_views(solid: np.ndarray) -> np.ndarray:
    """(3, MAPS, CELLS, CELLS) float32 maps of a solid, seen along x, y and z; rows and columns as in IMAGE_AXES."""
    out = np.zeros((3, MAPS, CELLS, CELLS), np.float32)
    for axis, (row, column) in enumerate(IMAGE_AXES):
        block = np.transpose(solid, (axis, row, column))
        mask = block.any(0)
        edges = np.count_nonzero(block[1:] & ~block[:-1], axis=0) + block[0]
        out[axis, 0] = mask
        out[axis, 1] = np.where(mask, block.argmax(0) / CELLS - 0.5, 0.0)
        out[axis, 2] = np.where(mask, 0.5 - block[::-1].argmax(0) / CELLS, 0.0)
        out[axis, 3] = block.sum(0) / CELLS
        out[axis, 4] = np.minimum(edges, 6) / 6
        out[axis, 5] = np.minimum(ndimage.distance_transform_edt(mask), 16) / 16
    return out
