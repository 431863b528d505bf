"""The signed distance field of a solid. [BP07] section 3.1.

The paper samples the field adaptively. Here voxels are regular and few (only the inside and a thin layer around it are
computed), and each value is exact: the distance to the nearest triangle of the solid's outer surface.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from ..arrays import frozen
from .grid import Grid
from .mesh import Mesh

_FULL = np.ones((3, 3, 3), bool)


@dataclass(frozen=True, eq=False)
class DistanceField:
    """Signed distance to the surface of a solid on a grid of voxel centres, unit frame, negative inside.

    values : (nx, ny, nz) float32; exact inside and in the two layers around, a constant further out
    to_surface : (nx, ny, nz, 3) float32 vector from each such centre to its nearest surface point, zero elsewhere
    """

    grid: Grid
    values: np.ndarray
    to_surface: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "values", frozen(self.values, np.float32, self.grid.shape, "values"))
        object.__setattr__(self, "to_surface", frozen(self.to_surface, np.float32, (*self.grid.shape, 3), "to_surface"))

    @property
    def solid(self) -> np.ndarray:
        """(nx, ny, nz) bool: centres inside."""
        return self.values < 0

    def sample(self, points: np.ndarray) -> np.ndarray:
        """(N,) signed distance at (N, 3) unit-frame points, trilinear between centres; outside the grid a constant."""
        return _trilinear(self.values, self._cell(points))

    def gradient(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) gradient of the trilinear field: points away from the middle of the solid."""
        step = 0.5 * self.grid.spacing
        points = np.asarray(points, float)
        return np.stack([(self.sample(points + d) - self.sample(points - d)) / (2 * step)
                         for d in step * np.eye(3)], axis=1)

    def _cell(self, points: np.ndarray) -> np.ndarray:
        return (np.asarray(points, float) - self.grid.origin) / self.grid.spacing - 0.5


def _trilinear(values: np.ndarray, at: np.ndarray) -> np.ndarray:
    """Trilinear interpolation of (nx, ny, nz) values at fractional indices (N, 3), clamped to the border."""
    at = np.clip(at, 0, np.array(values.shape) - 1.000001)
    low = at.astype(np.int64)
    f = at - low
    ny, nz = values.shape[1:]
    base = (low[:, 0] * ny + low[:, 1]) * nz + low[:, 2]
    flat = values.ravel()
    fx, fy, fz = f.T
    gx, gy, gz = 1 - fx, 1 - fy, 1 - fz
    row, plane = nz, ny * nz
    return (gx * (gy * (gz * flat[base] + fz * flat[base + 1])
                  + fy * (gz * flat[base + row] + fz * flat[base + row + 1]))
            + fx * (gy * (gz * flat[base + plane] + fz * flat[base + plane + 1])
                    + fy * (gz * flat[base + plane + row] + fz * flat[base + plane + row + 1])))


def distance_field(mesh: Mesh, grid: Grid, solid: np.ndarray, points: np.ndarray, faces: np.ndarray) -> DistanceField:
    """Signed distance to the outer surface of `solid`, within 0.003 at 128 voxels along the longest side.

    mesh : unit frame;  points (N, 3), faces (N,) : surface samples and the face of each, closer than a voxel
    Faces buried in the solid (overlapping parts) do not count. Where the solid's border has no face near (a bridged
    hole) the border of its voxels stands in.
    Near the surface the nearest sample leads to the nearest face; deep inside, where samples compete by the thousand,
    one sample a voxel does, found by a Euclidean feature transform of the grid. O(voxels + N log N).
    """
    voxel = grid.index_of(points)
    border_voxels = ndimage.binary_dilation(~solid, _FULL) & ndimage.binary_dilation(solid, _FULL)
    outer = border_voxels[tuple(voxel.T)]
    outer[outer] = _one_per_cell(points[outer], 0.5 * grid.spacing)
    points, faces, voxel = points[outer], faces[outer], voxel[outer]
    bare = _bare_border(grid, solid, voxel)
    anchors = np.concatenate([points, bare])
    layer = ndimage.binary_dilation(solid, _FULL, iterations=2)
    where = np.argwhere(layer)
    triangles = mesh.triangles
    centres = grid.centres(where)
    vector = np.full(centres.shape, np.inf)
    for nearest in _near_anchors(grid, anchors, where, centres):
        step = anchors[nearest] - centres
        on_face = nearest < len(points)
        face = faces[nearest[on_face]]
        step[on_face] = closest_on_triangles(centres[on_face], triangles[face]) - centres[on_face]
        closer = _dot(step, step) < _dot(vector, vector)
        vector[closer] = step[closer]
    at = tuple(where.T)
    values = np.full(grid.shape, 3.0 * grid.spacing, np.float32)
    values[at] = np.where(solid[at], -1, 1) * np.maximum(np.linalg.norm(vector, axis=1), 1e-9)
    to_surface = np.zeros((*grid.shape, 3), np.float32)
    to_surface[at] = vector
    return DistanceField(grid, values, to_surface)


def _one_per_cell(points: np.ndarray, cell: float) -> np.ndarray:
    """(N,) bool: the first point of each cube of edge `cell`."""
    key = np.floor((points - points.min(0, initial=0.0)) / cell).astype(np.int64)
    key = (key[:, 0] << 40) + (key[:, 1] << 20) + key[:, 2]
    first = np.zeros(len(points), bool)
    first[np.unique(key, return_index=True)[1]] = True
    return first


def _near_anchors(grid: Grid, anchors: np.ndarray, where: np.ndarray, centres: np.ndarray) -> np.ndarray:
    """(3, N) for the voxels `where` (N, 3) with these centres, three anchors among which the nearest face is found."""
    anchor_of_voxel = np.full(grid.shape, -1)
    anchor_of_voxel[tuple(grid.index_of(anchors)[::-1].T)] = np.arange(len(anchors))[::-1]
    steps, feature = ndimage.distance_transform_edt(anchor_of_voxel < 0, return_indices=True)
    anchor_of_voxel = anchor_of_voxel[tuple(feature)]
    found = []
    for offset in np.concatenate([np.zeros((1, 3), int), np.eye(3, dtype=int), -np.eye(3, dtype=int)]):
        found.append(anchor_of_voxel[tuple(np.clip(where + offset, 0, np.array(grid.shape) - 1).T)])
    found = np.stack(found)
    squared = np.stack([_squared(anchors[anchor], centres) for anchor in found])
    best = np.take_along_axis(found, np.argsort(squared, axis=0, kind="stable")[[0, 2, 4]], 0)
    shallow = steps[tuple(where.T)] <= 2.5
    tree = cKDTree(anchors, balanced_tree=False, compact_nodes=False, leafsize=32)
    best[0, shallow] = tree.query(centres[shallow])[1]
    return best


def _bare_border(grid: Grid, solid: np.ndarray, covered_voxels: np.ndarray) -> np.ndarray:
    """(K, 3) middles of faces between solid and empty voxels that have no surface sample in the voxels around."""
    covered = np.zeros(grid.shape, bool)
    covered[tuple(covered_voxels.T)] = True
    covered = ndimage.binary_dilation(covered, _FULL)
    middles = []
    for axis in range(3):
        for sign in (1, -1):
            here = np.argwhere(solid & ~np.roll(solid, -sign, axis) & ~covered)
            middles.append(grid.centres(here) + 0.5 * sign * grid.spacing * np.eye(3)[axis])
    return np.concatenate(middles)


def closest_on_triangles(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(N, 3) the closest point of each triangle (N, 3, 3) to its point (N, 3).

    The foot of the perpendicular if it falls inside, else the closest point of the three edges.
    """
    a, b, c = triangles[:, 0], triangles[:, 1], triangles[:, 2]
    ab, ac, ap = b - a, c - a, points - a
    d11, d12, d22 = _dot(ab, ab), _dot(ab, ac), _dot(ac, ac)
    d1, d2 = _dot(ap, ab), _dot(ap, ac)
    area = d11 * d22 - d12 * d12
    flat = area <= 1e-24
    safe = np.where(flat, 1.0, area)
    v, w = (d22 * d1 - d12 * d2) / safe, (d11 * d2 - d12 * d1) / safe
    best = a + v[:, None] * ab + w[:, None] * ac
    edge = flat | (v < 0) | (w < 0) | (v + w > 1)
    if edge.any():
        p = points[edge]
        candidates = np.stack([_closest_on_segments(p, s[edge], e[edge]) for s, e in ((a, b), (b, c), (c, a))], 1)
        squared = ((candidates - p[:, None]) ** 2).sum(2)
        best[edge] = candidates[np.arange(len(p)), squared.argmin(1)]
    return best


def _closest_on_segments(points: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    along = end - start
    length = _dot(along, along)
    t = np.clip(_dot(points - start, along) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    return start + t[:, None] * along


def _dot(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("nd,nd->n", a, b)


def _squared(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    difference = a - b
    return _dot(difference, difference)
