"""Which voxels a mesh fills: rays along the axes count crossings, and several directions vote.

The votes follow [DL14] section 5: two opposite views along each axis make a pair. Rays replace the paper's rendered
slices; they find the same crossings.
"""

from __future__ import annotations

import numpy as np

from .grid import Grid
from .mesh import Mesh

# Rays are moved off the voxel centres by this share of a voxel so that none runs along an edge or through a vertex of
# a mesh modelled on round numbers.
_RAY_SHIFT = (1.234567e-4, 2.718281e-4)
_CHUNK = 4_000_000


def vote_inside(mesh: Mesh, grid: Grid) -> np.ndarray:
    """How many of the three axes call each voxel's centre inside: (nx, ny, nz) uint8, 0 to 3.

    An axis counts only if the views from both of its ends agree: an even number of crossings in all and an odd number
    before the voxel. Orientation of faces plays no part. O(crossings + voxels). [DL14] section 5.1.
    """
    votes = np.zeros(grid.shape, np.uint8)
    for axis in range(3):
        entries = _crossing_histogram(mesh, grid, axis)
        before = np.cumsum(entries, axis=2, dtype=np.int32)
        inside = (before[:, :, :-1] & 1).astype(bool) & ((before[:, :, -1:] & 1) == 0)
        votes += np.moveaxis(inside, 2, axis)
    return votes


def _crossing_histogram(mesh: Mesh, grid: Grid, axis: int) -> np.ndarray:
    """(nu, nv, n + 1) number of surface crossings on each ray along `axis`, binned by the voxel centres they precede.

    Entry k counts crossings between centre k - 1 and centre k; u and v are the other two axes in ascending order.
    """
    u, v = (a for a in range(3) if a != axis)
    nu, nv, n = grid.shape[u], grid.shape[v], grid.shape[axis]
    shift = np.zeros(3)
    shift[[u, v]] = _RAY_SHIFT
    corners = ((mesh.triangles - grid.origin) / grid.spacing - 0.5 - shift)[:, :, [u, v, axis]]
    low = np.ceil(corners[:, :, :2].min(1)).astype(np.int64)
    high = np.floor(corners[:, :, :2].max(1)).astype(np.int64)
    low, high = np.maximum(low, 0), np.minimum(high, [nu - 1, nv - 1])
    span = np.maximum(high - low + 1, 0)
    count = span[:, 0] * span[:, 1]
    hit = np.flatnonzero(count)
    histogram = np.zeros(nu * nv * (n + 1), np.int64)
    # Very large faces over a fine grid are taken a few at a time to bound the memory.
    group = np.cumsum(count[hit]) // _CHUNK
    for g in np.unique(group):
        faces = hit[group == g]
        face = np.repeat(faces, count[faces])
        start = np.repeat(np.cumsum(count[faces]) - count[faces], count[faces])
        local = np.arange(len(face)) - start
        iu = low[face, 0] + local // span[face, 1]
        iv = low[face, 1] + local % span[face, 1]
        height, inside = _height_on_ray(corners[face], iu, iv)
        k = np.clip(np.ceil(height[inside]), 0, n).astype(np.int64)
        histogram += np.bincount((iu[inside] * nv + iv[inside]) * (n + 1) + k, minlength=len(histogram))
    return histogram.reshape(nu, nv, n + 1)


def _height_on_ray(corners: np.ndarray, iu: np.ndarray, iv: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Where rays at integer (iu, iv) cross triangles (N, 3, 3): heights (N,) and whether they cross at all (N,)."""
    a, b, c = (corners[:, i, :2] - np.stack([iu, iv], 1) for i in range(3))
    wa = b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0]
    wb = c[:, 0] * a[:, 1] - c[:, 1] * a[:, 0]
    wc = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    total = wa + wb + wc
    inside = (((wa > 0) & (wb > 0) & (wc > 0)) | ((wa < 0) & (wb < 0) & (wc < 0))) & (total != 0)
    safe = np.where(inside, total, 1.0)
    height = (wa * corners[:, 0, 2] + wb * corners[:, 1, 2] + wc * corners[:, 2, 2]) / safe
    return height, inside


def sample_surface(mesh: Mesh, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Points covering every face no further than about `spacing` apart.

    Returns points (N, 3) and the face of each (N,). Every face gets at least its centre; faces longer than `spacing`
    get a lattice that includes their edges.
    """
    t = mesh.triangles
    longest = np.linalg.norm(t - np.roll(t, 1, axis=1), axis=2).max(1)
    steps = np.maximum(np.ceil(longest / spacing), 1).astype(np.int64)
    points, faces = [], []
    for n in np.unique(steps):
        which = np.flatnonzero(steps == n)
        i, j = np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)
        weight = np.stack([i, j, n - i - j], 1) / n if n > 1 else np.full((1, 3), 1 / 3)
        points.append(np.einsum("pc,fcd->fpd", weight, t[which]).reshape(-1, 3))
        faces.append(np.repeat(which, len(weight)))
    return np.concatenate(points), np.concatenate(faces)


def surface_voxels(grid: Grid, points: np.ndarray) -> np.ndarray:
    """(nx, ny, nz) bool: voxels holding at least one of the surface points (N, 3)."""
    marked = np.zeros(grid.shape, bool)
    marked[tuple(grid.index_of(points).T)] = True
    return marked
