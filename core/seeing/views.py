"""A body seen from three sides: its solid in a coarse grid, and the maps that the landmark network looks at.

The grid is a cube around the body. The three views look along x, y and z. A view's maps are the outline, the nearest
and the farthest surface, how much flesh lies behind a pixel, in how many pieces, and how far the outline is away.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from ..arrays import frozen
from ..geometry.grid import Grid
from ..geometry.mesh import Mesh, cross, dot
from ..geometry.voxels import vote_inside

# Cells along each side of the grid. The body's longest side fills this share of it, in the middle.
CELLS = 64
FILL = 0.92
# What is less deep than this share of its height, as a cut-out, a relief or a gingerbread man, is seen so deep: the
# network knows only bodies with flesh. 120 real characters are 0.143 deep and more. Of 18 people pressed to 0.06 and to
# 0.03 of their height 22 of 36 were known as people and 30 had all joints right, now 36 and 32.
DEEP = 0.14
# What is less deep still is a sheet, and there is nothing to stretch.
SHEET = 1e-3
_SOME = 16_384  # faces at a time: what they need stays in the processor's cache

# Maps of a view, in order: outline, nearest, farthest, flesh, pieces, distance to the outline.
MAPS = 6

# (image row axis, image column axis) of the view along each axis.
IMAGE_AXES = ((2, 1), (2, 0), (1, 0))


@dataclass(frozen=True, eq=False)
class Sight:
    """A body's solid in the cube [0, 1]^3.

    solid : (CELLS, CELLS, CELLS) bool, axes x y z
    scale, offset : cube position = scale * position + offset, where y counts `deeper` times before
    """

    solid: np.ndarray
    scale: float
    offset: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "solid", frozen(self.solid, bool, (CELLS, CELLS, CELLS), "solid"))
        object.__setattr__(self, "offset", frozen(self.offset, np.float64, (3,), "offset"))

    @property
    def deeper(self) -> float:
        """How many times as deep as it is the body is seen."""
        return 1.0

    def to_cube(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) positions in the mesh's frame -> the cube."""
        return np.asarray(points) * [1.0, self.deeper, 1.0] * self.scale + self.offset

    def from_cube(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) positions in the cube -> the mesh's frame."""
        return (np.asarray(points) - self.offset) / self.scale / [1.0, self.deeper, 1.0]


@dataclass(frozen=True, eq=False)
class FlatSight(Sight):
    """A flat body's.  times : as deep as it is it is seen"""

    times: float = 1.0

    @property
    def deeper(self) -> float:
        """How many times as deep as it is the body is seen."""
        return self.times


def see(vertices: np.ndarray, faces: np.ndarray, *, is_closed: bool = False) -> Sight:
    """The solid of a mesh in the cube: every cell its surface passes, those it closes in, and those that rays along two
    axes tell to be inside: a hole in the chest leaves a body whole. What is flat is seen deeper, see DEEP.

    vertices (V, 3), faces (F, 3), Z up, any unit;  is_closed : known to have no holes, so that no rays are needed
    """
    at = np.asarray(vertices, np.float64).T.copy()  # rows: from columns each look-up would copy them all
    used = np.zeros(at.shape[1], bool)
    used[faces] = True
    of_faces = at if used.all() else at[:, used]
    low, high = of_faces.min(1), of_faces.max(1)
    deeper = _deeper(high - low)
    if deeper > 1:
        vertices = at.T * [1.0, deeper, 1.0]
        at, low, high = vertices.T.copy(), low * [1.0, deeper, 1.0], high * [1.0, deeper, 1.0]
    scale = FILL / max(float((high - low).max()), 1e-300)
    offset = 0.5 - scale * (low + high) / 2
    surface = np.zeros(CELLS**3, bool)
    at = at * scale + offset[:, None]
    for start in range(0, len(faces), _SOME):
        corners = [at.take(corner, 1) for corner in faces[start:start + _SOME].T]
        for points in _surface_points(corners, 0.5 / CELLS):
            x, y, z = np.clip((points * CELLS).astype(np.intp), 0, CELLS - 1)
            surface[(x * CELLS + y) * CELLS + z] = True
    surface = surface.reshape(CELLS, CELLS, CELLS)
    solid = np.zeros_like(surface)
    box = _box(surface)
    outside = ndimage.label(~np.pad(surface[box], 1))[0]
    solid[box] = (outside != outside[0, 0, 0])[1:-1, 1:-1, 1:-1]
    if not is_closed:
        cells = Grid(-offset / scale, 1 / (CELLS * scale), (CELLS, CELLS, CELLS))
        solid |= vote_inside(Mesh(vertices, faces), cells) >= 2
    return FlatSight(solid, scale, offset, deeper) if deeper > 1 else Sight(solid, scale, offset)


def _deeper(size: np.ndarray) -> float:
    """How many times as deep as it is a body of this size (3,) is seen: 1 unless it is flat from front to back."""
    _, depth, height = size.tolist()
    return max(DEEP * height / depth, 1.0) if depth > SHEET * height else 1.0


def rounded(solid: np.ndarray) -> np.ndarray:
    """A solid (CELLS, CELLS, CELLS) blown up to balls between its outline, seen from the front: a pillow of its shape.

    The balls' centres lie half-way between front and back, and each reaches the outline. O(CELLS^3).
    """
    mask = solid.any(1)
    room = ndimage.distance_transform_edt(np.pad(mask, 1))[1:-1, 1:-1] ** 2
    steps = np.arange(CELLS)
    away = (steps[:, None] - steps) ** 2
    reach = (room[None] - away[:, :, None]).max(1)
    reach = (reach.T[None] - away[:, :, None]).max(1).T
    deep = np.flatnonzero(solid.any((0, 2)))
    off = np.abs(steps - (deep[0] + deep[-1]) / 2) if len(deep) else np.full(CELLS, np.inf)
    return solid | (mask[:, None] & (off[:, None] < np.sqrt(np.maximum(reach, 0.0))[:, None]))


def _surface_points(corners: list[np.ndarray], spacing: float) -> list[np.ndarray]:
    """Points (3, N), in two lots, on triangles of three corners (3, F), nowhere farther apart than about `spacing`; the
    middle of a tiny one."""
    middles = (corners[0] + corners[1] + corners[2]) / 3
    off = np.abs(corners[0] - middles) + np.abs(corners[1] - middles)
    is_large = np.maximum(np.maximum(off[0], off[1]), off[2]) >= spacing
    large = np.flatnonzero(is_large)
    tiny = middles[:, ~is_large]
    corners = [corner.take(large, 1) for corner in corners]
    if not len(large):
        return [tiny]
    ways = [corners[k - 2] - corners[k] for k in range(3)]
    sides = np.stack([np.sqrt(dot(way, way)) for way in ways])
    first = sides.argmax(0)
    rows = np.arange(len(large))
    whole = np.stack(corners)
    a, b, c = (whole[(first + k) % 3, :, rows].T for k in range(3))
    longest = sides[first, rows]
    across = cross(b - a, c - a)
    height = np.sqrt(dot(across, across)) / np.maximum(longest, 1e-300)
    along = np.maximum(np.ceil(longest / spacing), 1).astype(np.intp) + 1
    rows_of = np.maximum(np.ceil(height / spacing), 1).astype(np.intp)
    counts = along * rows_of
    face = np.repeat(rows, counts)
    k = np.arange(len(face)) - np.repeat(np.cumsum(counts) - counts, counts)
    # Rows from the longest side on, both its ends included: half-way up, a sliver would miss half of its length.
    row, place = np.divmod(k, along[face])
    u, t = place / (along[face] - 1), row / rows_of[face]
    return [tiny, (a.take(face, 1) + u * (b - a).take(face, 1)) * (1 - t) + t * c.take(face, 1)]


def draw_views(solid: np.ndarray) -> np.ndarray:
    """(3, MAPS, CELLS, CELLS) float32 maps of a solid, seen along x, y and z; rows and columns as in IMAGE_AXES."""
    out = np.zeros((3, MAPS, CELLS, CELLS), np.float32)
    box = _box(solid)
    inner, ramp = solid[box].view(np.uint8), np.arange(1, CELLS + 1, dtype=np.uint8)[:, None, None]
    for axis, (row, column) in enumerate(IMAGE_AXES):
        block, maps = np.ascontiguousarray(inner.transpose(axis, row, column)), out[axis][:, box[row], box[column]]
        mask = block.any(0)
        edges = (block[1:] > block[:-1]).sum(0, dtype=np.uint8) + block[:1].sum(0, dtype=np.uint8)
        maps[0] = mask
        maps[1] = np.where(mask, 0.5 - (block * ramp[::-1][box[axis]]).max(0, initial=0) / CELLS, 0.0)
        maps[2] = np.where(mask, (block * ramp[box[axis]]).max(0, initial=0) / CELLS - 0.5, 0.0)
        maps[3] = block.sum(0, dtype=np.uint8) / CELLS
        maps[4] = np.minimum(edges, 6) / 6
        out[axis, 5] = np.minimum(ndimage.distance_transform_edt(out[axis, 0]), 16) / 16
    return out


def mirror_views(views: np.ndarray) -> np.ndarray:
    """The maps of the mirror image, x turned round, of the solid that `views` are drawn of."""
    out = views.copy()
    out[0, 1:3] = 0.0 - views[0, 2:0:-1]  # what was nearest is farthest
    out[1:] = views[1:, :, :, ::-1]
    return out


def _box(solid: np.ndarray) -> tuple[slice, ...]:
    """The cells that hold a solid, along each axis; none of an empty one."""
    held = [np.flatnonzero(solid.any(other)) for other in ((1, 2), (0, 2), (0, 1))]
    return tuple(slice(at[0], at[-1] + 1) if len(at) else slice(0) for at in held)
