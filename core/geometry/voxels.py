"""Which voxels a mesh fills: rays along the axes count crossings, and several directions vote.

The votes follow [DL14] section 5: two opposite views along each axis make a pair. Rays replace the paper's rendered
slices; they find the same crossings. Nothing here tells left from right: what falls between two voxels falls towards
the grid's middle, so a mirrored mesh has mirrored voxels.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np

from .grid import WALL, Grid
from .mesh import Mesh, dot

# Rays are moved off the voxel centres by this share of a voxel so that none runs along an edge or through a vertex of
# a mesh modelled on round numbers.
_RAY_SHIFT = (1.234567e-4, 2.718281e-4)
_CHUNK = 1_000_000
_SOME = 65_536  # faces at a time: what they need stays in the processor's cache
_SLIM = 4.0  # how many times as long as its shortest side a face is that is sampled in rows; beyond 2 only one is that
_CLOSER = 0.75  # of the spacing, in rows: no part of a face is further from its samples than in other faces
SAMPLE_SPACING = 0.6  # voxels; what surface samples need to leave no gap a face-to-face walk could pass


def vote_inside(mesh: Mesh, grid: Grid) -> np.ndarray:
    """How many of the three axes call each voxel's centre inside: (nx, ny, nz) uint8, 0 to 3.

    An axis counts only if the views from both of its ends agree: an even number of crossings in all and an odd number
    before the voxel. Orientation of faces plays no part. O(crossings + voxels). [DL14] section 5.1.
    """
    middle = grid.origin + 0.5 * grid.spacing * np.array(grid.shape)
    at = ((mesh.vertices - middle) / grid.spacing).T.copy() + (np.array(grid.shape)[:, None] - 1) / 2
    faces = mesh.faces.T.copy()
    met = [_rays_met(at, faces, start, grid.shape) for start in range(0, len(mesh.faces), _SOME)]
    votes: np.ndarray = np.zeros(grid.shape, np.uint8)
    for axis, parcels in enumerate(zip(*met, strict=True)):
        crossings = _crossings(at, faces, np.concatenate(parcels, 1), grid.shape, axis)
        layers = np.moveaxis(crossings, axis, 0)
        for before, layer in pairwise(layers):  # numpy's own accumulate goes voxel by voxel
            layer ^= before
        layers &= 1
        np.moveaxis(votes, axis, 0)[:] += layers[:-1] & ~layers[-1]
    return votes


def _rays_met(at: np.ndarray, faces: np.ndarray, start: int, shape: tuple[int, int, int]) -> list[np.ndarray]:
    """For the rays along each axis which of some faces (3, F) from `start` on may meet any: (5, N) their numbers, the
    first ray across each along the other two axes, and how many there are along these.

    at : (3, V) in voxels, centres at integers
    """
    some = faces[:, start:start + _SOME]
    corners = [[x.take(corner) for corner in some] for x in at]
    limits = [(np.minimum(np.minimum(a, b), c), np.maximum(np.maximum(a, b), c)) for a, b, c in corners]
    met = []
    for axis in range(3):
        across = [a for a in range(3) if a != axis]
        first = [np.maximum(np.ceil(limits[a][0] - shift), 0) for a, shift in zip(across, _RAY_SHIFT, strict=True)]
        last = [np.minimum(np.floor(limits[a][1] + shift), shape[a] - 1)
                for a, shift in zip(across, _RAY_SHIFT, strict=True)]
        hit = np.flatnonzero((last[0] >= first[0]) & (last[1] >= first[1]))
        low, high = (np.stack([x.take(hit) for x in ends]).astype(np.int64) for ends in (first, last))
        met.append(np.concatenate([hit[None] + start, low, high - low + 1]))
    return met


def _crossings(at: np.ndarray, faces: np.ndarray, met: np.ndarray, shape: tuple[int, int, int], axis: int
               ) -> np.ndarray:
    """Number of surface crossings on each ray along `axis`, binned by the voxel centres they precede: a voxel more than
    the grid along `axis`.

    at : (3, V);  faces : (3, F);  met : (5, N), of this axis, as `_rays_met` has them
    Entry k counts crossings between centre k - 1 and centre k, after 255 from 0 again: only odd or even matters.
    """
    u, v = (a for a in range(3) if a != axis)
    nu, nv, n = shape[u], shape[v], shape[axis]
    size = [count + (a == axis) for a, count in enumerate(shape)]
    step = size[1] * size[2], size[2], 1
    rays_u, rays_v = _ray_places(nu, _RAY_SHIFT[0]), _ray_places(nv, _RAY_SHIFT[1])
    count = met[3] * met[4]
    crossings = np.zeros(size, np.uint8)
    # Very large faces over a fine grid are taken a few at a time to bound the memory.
    for some in np.split(np.arange(len(count)), np.flatnonzero(np.diff(np.cumsum(count) // _CHUNK)) + 1):
        one = np.repeat(some, count[some])
        local = np.arange(len(one)) - np.repeat(np.cumsum(count[some]) - count[some], count[some])
        iu, iv = np.divmod(local, met[4].take(one))
        iu += met[1].take(one)
        iv += met[2].take(one)
        corner = faces.take(met[0].take(one), 1)
        ray = rays_u.take(iu), rays_v.take(iv)
        a, b, c = ([at[u].take(k) - ray[0], at[v].take(k) - ray[1]] for k in corner)
        wa, wb, wc = (p[0] * q[1] - p[1] * q[0] for p, q in ((b, c), (c, a), (a, b)))
        crossed = np.flatnonzero(((wa > 0) & (wb > 0) & (wc > 0)) | ((wa < 0) & (wb < 0) & (wc < 0)))
        wa, wb, wc = wa[crossed], wb[crossed], wc[crossed]
        h = [at[axis].take(k.take(crossed)) for k in corner]
        height = (wa * h[0] + wb * h[1] + wc * h[2]) / (wa + wb + wc)
        height += WALL * np.sign(height - (n - 1) / 2)
        k = np.clip(np.ceil(height), 0, n).astype(np.int64)
        np.add.at(crossings.ravel(), iu[crossed] * step[u] + iv[crossed] * step[v] + k * step[axis], np.uint8(1))
    return crossings


def _ray_places(count: int, shift: float) -> np.ndarray:
    """(count,) where rays run: at the centres, moved outward, so that the two sides mirror each other."""
    index = np.arange(count)
    return index + np.where(2 * index >= count - 1, shift, -shift)


def sample_surface(mesh: Mesh, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """Points covering every face no further than about `spacing` apart.

    Returns points (N, 3) and the face of each (N,). Every face gets at least its centre; faces longer than `spacing`
    are cut into equal triangles, and those standing upright give theirs; slim ones get rows. No point lies on an edge,
    where two faces would compete for it.
    """
    at = mesh.vertices.T.copy()
    steps, points, faces = np.empty(len(mesh.faces), np.int64), [], []
    slim = []
    for start in range(0, len(steps), _SOME):
        corners = [at.take(c, 1) for c in mesh.faces[start:start + _SOME].T]
        sides = [p - q for p, q in zip(corners, corners[1:] + corners[:1], strict=True)]
        lengths = np.sqrt([dot(s, s) for s in sides])
        longest, shortest = lengths.max(0), lengths.min(0)
        steps[start:start + _SOME] = np.maximum(np.ceil(longest / spacing), 1)
        is_slim = (longest > _SLIM * shortest) & (longest > _SLIM * spacing)
        slim.append(np.flatnonzero(is_slim) + start)
        whole = np.flatnonzero(steps[start:start + _SOME] == 1)  # their corners are at hand
        points.append(_centres(corners if len(whole) == len(longest) else [p.take(whole, 1) for p in corners]))
        faces.append(whole + start)
    slim = np.concatenate(slim)
    for some in np.split(slim, np.flatnonzero(np.diff(np.cumsum(steps[slim]) // _SOME)) + 1):
        more, of = _rows(at, mesh.faces[some], _CLOSER * spacing)
        points.append(more)
        faces.append(some[of])
    steps[slim] = 0
    for n in np.flatnonzero(np.bincount(steps)[2:]) + 2:
        which = np.flatnonzero(steps == n)
        weight = _shares(int(n))
        for some in np.split(which, range(most := max(_SOME // weight.shape[1], 1), len(which), most)):
            a, b, c = (np.multiply.outer(at.take(corner, 1), w)
                       for corner, w in zip(mesh.faces[some].T, weight, strict=True))
            a += b
            a += c
            points.append(a.reshape(3, -1))
            faces.append(np.repeat(some, weight.shape[1]))
    return np.concatenate(points, axis=1).T, np.concatenate(faces)


def _rows(at: np.ndarray, faces: np.ndarray, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """(3, N) points on slim faces (F, 3), and (N,) the face of each: in rows across them from the corner that faces the
    shortest side to that side, rows and points `spacing` apart at most. The same whatever the order of the corners.

    at : (3, V)
    """
    corners = [at.take(c, 1) for c in faces.T]
    lengths = [dot(s, s) for s in (p - q for p, q in zip(corners, corners[1:] + corners[:1], strict=True))]
    steps = np.ceil(np.sqrt(np.max(lengths, axis=0)) / spacing).astype(np.int64)
    first = (np.argmin(lengths, axis=0) + 2) % 3
    tip, one, other = (at.take(np.take_along_axis(faces, ((first + k) % 3)[:, None], 1)[:, 0], 1) for k in range(3))
    one, other = one - tip, other - tip
    face = np.repeat(np.arange(len(faces)), steps)
    out = (np.arange(len(face)) - np.repeat(np.cumsum(steps) - steps, steps) + 0.5) / steps.take(face)
    wide = np.sqrt(np.min(lengths, axis=0)) / spacing
    count = np.maximum(np.ceil(wide.take(face) * out), 1).astype(np.int64)
    place = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count) + 0.5
    face, out, along = (np.repeat(x, count) for x in (face, out, 1 / count))
    along *= place
    points = one.take(face, 1) * (out * (1 - along)) + other.take(face, 1) * (out * along)
    points += tip.take(face, 1)
    return points, face


def _centres(corners: list[np.ndarray]) -> np.ndarray:
    """(3, N) middles of faces by their corners, each (3, N)."""
    a, b, c = (p * w for p, w in zip(corners, _shares(1), strict=True))
    a += b
    a += c
    return a


@lru_cache(maxsize=256)
def _shares(n: int) -> np.ndarray:
    """(3, n^2 or fewer) how much of each corner a triangle's samples are, its sides cut into n."""
    i, j = np.nonzero(np.add.outer(np.arange(n), np.arange(n)) < n)
    return (np.stack([i, j, n - 1 - i - j]) + 1 / 3) / n


def thin_samples(grid: Grid, points: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of the surface samples (N, 3), (N,) keep one in each eighth of a voxel: the most central one.

    The same voxels hold samples before and after. O(N + voxels).
    """
    eighth, score = np.empty(len(points), np.int64), np.empty(len(points))
    for start in range(0, len(points), _SOME):
        some = slice(start, start + _SOME)
        eighth[some], score[some] = _eighths(grid, points[some].T)
    voxel = eighth >> 3
    number = np.zeros(int(np.prod(grid.shape)), np.int32)
    number[voxel] = 1
    held = np.flatnonzero(number)
    number[held] = np.arange(len(held), dtype=np.int32)
    key = 8 * number.take(voxel) + (eighth & 7)
    least = np.full(8 * len(held), np.inf)
    np.minimum.at(least, key, score)
    kept = np.flatnonzero(score == least.take(key))
    return points[kept], faces[kept]


def _eighths(grid: Grid, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N,) eight times the flat voxel of each sample (3, N) and which of its eighths holds it; and (N,) how far from
    central it lies there, half a voxel being 1.

    Off-centre goals, or rounding would choose among the samples of a regular mesh. A sample on the middle plane belongs
    to both sides and is taken only where there is no other.
    """
    voxel, eighth = np.zeros((2, points.shape[1]), np.int64)
    score = np.zeros(points.shape[1])
    off = [(x - low - 0.5 * grid.spacing * count) * (2 / grid.spacing)
           for x, low, count in zip(points, grid.origin, grid.shape, strict=True)]
    for at, count, goal in zip(off, grid.shape, (0.47, 0.52, 0.55), strict=True):
        away = np.abs(at)
        cell = np.maximum(np.floor(away - 2 * WALL), 0)
        away -= cell
        away -= goal
        score += away * away
        cell = np.clip(np.where(at < 0, -1 - cell, cell).astype(np.int64) + count, 0, 2 * count - 1)
        voxel = voxel * count + (cell >> 1)
        eighth = 2 * eighth + (cell & 1)
    return 8 * voxel + eighth, score + np.where(np.abs(off[0]) < 2 * WALL, 4.0, 0.0)


def surface_voxels(grid: Grid, points: np.ndarray) -> np.ndarray:
    """(nx, ny, nz) bool: voxels holding at least one of the surface points (N, 3)."""
    marked = np.zeros(grid.shape, bool)
    index = grid.index_of(points)
    marked[tuple(index.T)] = True
    off = (points[:, 0] - grid.origin[0]) / grid.spacing - grid.shape[0] / 2
    on_both = index[(np.abs(off) < WALL) & (grid.shape[0] % 2 == 0)] - [1, 0, 0]
    marked[tuple(on_both.T)] = True
    return marked


def dilate(marked: np.ndarray) -> np.ndarray:
    """The marked voxels and all their 26 neighbours."""
    for axis in range(3):
        grown = marked.copy()
        here, there = np.moveaxis(grown, axis, 0), np.moveaxis(marked, axis, 0)
        here[1:] |= there[:-1]
        here[:-1] |= there[1:]
        marked = grown
    return marked


def grow(marked: np.ndarray) -> np.ndarray:
    """The marked voxels and those that share a face with one."""
    grown = marked.copy()
    for axis in range(3):
        here, there = np.moveaxis(grown, axis, 0), np.moveaxis(marked, axis, 0)
        here[1:] |= there[:-1]
        here[:-1] |= there[1:]
    return grown
