"""The body as cells of several sizes, and the ways between them. [DL14] sections 4 and 5."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from ..arrays import argwhere, frozen
from ..geometry.grid import Grid
from ..geometry.mesh import Mesh, dot
from ..geometry.solid import solidify
from ..geometry.voxels import sample_surface, surface_voxels

# Half of the 26 neighbours; the other half is their mirror image.
_HALF = np.array([o for o in np.ndindex(3, 3, 3) if o > (1, 1, 1)]) - 1


@dataclass(frozen=True, eq=False)
class VoxelTree:
    """C cells that tile the body: small ones along the skin and the bones, large ones between.

    grid : the finest voxels;  cell_of_voxel : int32 over the grid, -1 outside
    centres : (C, 3) unit frame;  sizes : (C,) edge length;  boundary : (C,) bool, the skin passes through
    steps : (C, C) csr, symmetric: distance between the centres of cells that touch, also at edges and corners
    """

    grid: Grid
    cell_of_voxel: np.ndarray
    centres: np.ndarray
    sizes: np.ndarray
    boundary: np.ndarray
    steps: sparse.csr_matrix

    def __post_init__(self):
        count = len(self.centres)
        put = object.__setattr__
        self.cell_of_voxel.setflags(write=False)  # not copied: two gigabytes at the finest resolution
        put(self, "centres", frozen(self.centres, float, (count, 3), "centres"))
        put(self, "sizes", frozen(self.sizes, float, (count,), "sizes"))
        put(self, "boundary", frozen(self.boundary, bool, (count,), "boundary"))

    def corners(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Of N points, fractional index among voxel centres (N, 3) and the lowest of the 8 voxels around (N, 3)."""
        at = (np.asarray(points, float) - self.grid.origin) / self.grid.spacing - 0.5
        return at, np.clip(np.floor(at).astype(np.int64), 0, np.array(self.grid.shape) - 2)

    def cells_around(self, points: np.ndarray) -> np.ndarray:
        """(N, 8) cells holding the 8 voxels around each point, -1 outside the body."""
        low = self.corners(points)[1]
        return np.stack([self.cell_of_voxel[tuple((low + corner).T)] for corner in np.ndindex(2, 2, 2)], 1)


def tree_grid(points: np.ndarray, resolution: int, levels: int) -> Grid:
    """Voxels of edge 1 / `resolution` around the points, so many that the coarsest cells tile them; centred."""
    spacing, block = 1.0 / resolution, 2 ** max(levels, 1)
    low, high = points.min(0), points.max(0)
    count = (np.ceil(((high - low) / spacing + 4) / block - 1e-9).astype(int) + 2) * block
    return Grid((low + high) / 2 - count * spacing / 2, spacing, tuple(count))


def voxel_tree(mesh: Mesh, seeds: np.ndarray, *, resolution: int, levels: int = 3,
               use_winding: bool = True) -> VoxelTree:
    """Tile the body of a unit-frame mesh with cells, finest where the skin or a seed lies.

    seeds : (N, 3) points on the bones;  resolution : finest voxels along the longest side
    levels : the largest cells are 2**levels voxels wide; 0 keeps all cells alike ("uniform" in the paper's figure 9)
    use_winding : False leaves doubtful voxels out ("without winding numbers" in the paper's figure 10)
    A voxel belongs to the body if the skin passes through it or the votes say inside; a larger cell if any of its
    voxels does. [DL14] algorithm 2.
    """
    used = mesh.vertices[np.unique(mesh.faces)]
    grid = tree_grid(used, resolution, levels)
    samples = sample_surface(mesh, 0.6 * grid.spacing)[0]
    boundary = surface_voxels(grid, samples)
    body = _solid(mesh, grid, samples, use_winding) | boundary
    detail = boundary.copy()
    held = ((seeds > grid.origin) & (seeds < grid.origin + np.array(grid.shape) * grid.spacing)).all(1)
    detail[tuple(grid.index_of(seeds[held]).T)] = True
    cell_of_voxel, corner, width = _leaves(body, detail, levels)
    centres = grid.origin + (corner + 0.5 * width[:, None]) * grid.spacing
    skin = np.zeros(len(width), bool)
    skin[cell_of_voxel[boundary]] = True
    steps = _connect(_touching(cell_of_voxel, centres), centres)
    return VoxelTree(grid, cell_of_voxel, centres, width * grid.spacing, skin, steps)


def _solid(mesh: Mesh, grid: Grid, samples: np.ndarray, use_winding: bool) -> np.ndarray:
    """(nx, ny, nz) bool: the voxels inside. Very fine grids take the votes at half their resolution, for memory's sake;
    where the skin is, they still know it exactly."""
    if grid.spacing > 1 / 600:
        return solidify(mesh, grid, samples, use_winding=use_winding)
    x, y, z = grid.shape
    half = Grid(grid.origin, 2 * grid.spacing, (x // 2, y // 2, z // 2))
    return _repeat(solidify(mesh, half, samples, use_winding=use_winding))


def _leaves(body: np.ndarray, detail: np.ndarray, levels: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Leaves of the octree that splits wherever there is detail, restricted to the body.

    Returns cell_of_voxel (nx, ny, nz), low corners (C, 3) and widths (C,) in voxels.
    """
    bodies, details = [body], [detail]
    for _ in range(levels):
        bodies.append(_any_of_eight(bodies[-1]))
        details.append(_any_of_eight(details[-1]))
    cell_of_voxel = np.full(body.shape, -1, np.int32)
    corners, widths = [], []
    count = 0
    for level in range(levels, -1, -1):
        leaf = bodies[level].copy()
        if level > 0:
            leaf &= ~details[level]
        if level < levels:
            leaf &= _repeat(details[level + 1])
        at = argwhere(leaf)
        width = 2**level
        voxels = cell_of_voxel.reshape([n for size in leaf.shape for n in (size, width)])
        numbers = count + np.arange(len(at), dtype=np.int32)
        voxels[at[:, 0], :, at[:, 1], :, at[:, 2], :] = numbers[:, None, None, None]
        corners.append(at * width)
        widths.append(np.full(len(at), width))
        count += len(at)
    return cell_of_voxel, np.concatenate(corners), np.concatenate(widths)


def _any_of_eight(fine: np.ndarray) -> np.ndarray:
    for axis in range(3):
        here = np.moveaxis(fine, axis, 0)
        fine = np.moveaxis(here[::2] | here[1::2], 0, axis)
    return np.ascontiguousarray(fine)


def _repeat(coarse: np.ndarray) -> np.ndarray:
    pairs = (coarse.astype(np.uint16) * np.uint16(0x0101)).view(bool)  # one by one takes fourteen times as long
    return pairs.repeat(2, 1).repeat(2, 0)


def _touching(cell_of_voxel: np.ndarray, centres: np.ndarray) -> sparse.csr_matrix:
    """(C, C) upper triangular distances between the centres of cells that touch."""
    count = len(centres)
    flat = cell_of_voxel.ravel()
    inside = np.flatnonzero(flat >= 0)
    own = flat[inside]
    _, ny, nz = cell_of_voxel.shape
    low, high = [], []
    for i, j, k in _HALF:
        other = flat[inside + (i * ny + j) * nz + k]  # the empty margin keeps this inside the array
        pair = np.flatnonzero((other >= 0) & (own != other))
        one, other = own[pair], other[pair]
        low.append(np.minimum(one, other))
        high.append(np.maximum(one, other))
    low, high = np.concatenate(low), np.concatenate(high)
    pairs = sparse.coo_matrix((np.ones(len(low), bool), (low, high)), shape=(count, count)).tocsr()  # each once
    at = centres.T.copy()
    apart = at.take(np.repeat(np.arange(count), np.diff(pairs.indptr)), 1) - at.take(pairs.indices, 1)
    return sparse.csr_matrix((np.sqrt(dot(apart, apart)), pairs.indices, pairs.indptr), shape=pairs.shape)


def _connect(upper: sparse.csr_matrix, centres: np.ndarray) -> sparse.csr_matrix:
    """The symmetric matrix of steps, with each piece that floats free linked to the nearest cell of the largest."""
    pieces, piece = connected_components(upper, directed=False)
    if pieces > 1:
        largest = np.bincount(piece).argmax()
        main, rest = np.flatnonzero(piece == largest), np.flatnonzero(piece != largest)
        gap, nearest = cKDTree(centres[main]).query(centres[rest])
        order = np.lexsort((gap, piece[rest]))
        first = order[np.unique(piece[rest][order], return_index=True)[1]]
        link = sparse.csr_matrix((gap[first], (rest[first], main[nearest[first]])), shape=upper.shape)
        upper = upper + link
    return (upper + upper.T).tocsr()
