"""Bodies of blocks: boxes that stand wall to wall, as figures of block games and toys are built.

Where the wall of one leg lies on that of the other, no look from outside tells the two apart. Their blocks do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .mesh import Mesh, dot
from .wheels import SMALL, round_parts

# Body and limbs; a head may be anything. So much of what all parts take up must be in parts that are blocks.
LEAST_BLOCKS, OF_BLOCKS = 5, 0.8
FULL = 0.7  # of its own box, or more, a block fills: a tube fills 0.79, a ball 0.52
# Of the size of the body: how far a wall is drawn in that has another close outside, so that the slit between two is
# wider than two cells of what the landmark network looks at; what overlaps is drawn in by as much more, but at most by
# so much of the block. And how far outside or, below 0, inside of a wall others are looked for.
# Of 45 generated figures 36 have all joints within 0.1 of the height with 0.02, 20 with 0.
DRAWN, OF_SIDE, TOUCHES = 0.02, 0.25, (-0.016, -0.008, 0.004, 0.02, 0.04)
MOST_FACES = 20_000  # figures of blocks have few, and a heavy mesh is not kept waiting
_PLACES = 5  # along a side of a wall, at which it is asked what is outside
_THIN = 0.004  # of the size of the body: what is thinner is a sheet
_FLAT = 1e-3  # radians: walls that lie on each other
_FINE, _WALLS = 20, 40  # directions that differ by less than one over the first are one; directions of a figure's walls


@dataclass(frozen=True, eq=False)
class _Boxes:
    """Parts of a mesh, and the box around each along its own walls.

    part : (F,) of each face;  axes : (P, 3, 3) rows;  low, high : (P, 3) along these
    blocks : (B,) which of them are blocks;  tall : the size of the body
    """

    part: np.ndarray
    axes: np.ndarray
    low: np.ndarray
    high: np.ndarray
    blocks: np.ndarray
    tall: float


@dataclass(frozen=True, eq=False)
class Blocks:
    """The B blocks of a body: boxes along axes of their own.

    axes : (B, 3, 3) rows;  low, high : (B, 3) along these
    """

    axes: np.ndarray
    low: np.ndarray
    high: np.ndarray

    @property
    def middles(self) -> np.ndarray:
        """(B, 3) in the frame of the mesh."""
        return np.einsum("bi,bij->bj", (self.low + self.high) / 2, self.axes)

    @property
    def room(self) -> np.ndarray:
        """(B,) volumes."""
        return (self.high - self.low).prod(1)


def blocks_of(mesh: Mesh) -> Blocks | None:
    """The blocks of a body of blocks; None for any other mesh."""
    boxes = _figure(mesh)
    if boxes is None:
        return None
    return Blocks(*(each[boxes.blocks] for each in (boxes.axes, boxes.low, boxes.high)))


def drawn_apart(mesh: Mesh) -> Mesh:
    """A body of blocks with slits where walls of them touch; any other mesh as it is.

    The outside of the body stays where it is, and vertices and faces keep their numbers.
    """
    boxes = _figure(mesh)
    if boxes is None:
        return mesh
    size, tall = boxes.high - boxes.low, boxes.tall
    deep = _sunk(boxes, boxes.blocks, np.array(TOUCHES) * tall)
    if (deep < 0).all():
        return mesh
    drawn = np.where(deep < 0, 0.0, np.minimum(DRAWN * tall + deep, OF_SIDE * size[:, None]))
    low, high = drawn[:, 0], drawn[:, 1]
    vertices = np.array(mesh.vertices)
    part = np.full(len(vertices), -1)
    part[mesh.faces] = boxes.part[:, None]
    rows = np.flatnonzero(part >= 0)
    part = part[rows]
    moved = vertices[rows].T
    for k in range(3):
        axis = boxes.axes[part, k].T
        along = dot(vertices[rows].T, axis)
        share = (along - boxes.low[part, k]) / np.maximum(size[part, k], np.finfo(float).tiny)
        moved = moved + axis * (low[part, k] * (1 - share) - high[part, k] * share)
    vertices[rows] = moved.T
    return mesh.moved(vertices)


def _figure(mesh: Mesh) -> _Boxes | None:
    """The boxes around the parts of a body of blocks; None for any other mesh."""
    if not 12 * LEAST_BLOCKS <= len(mesh.faces) <= MOST_FACES or not np.isfinite(mesh.vertices).all():
        return None
    corner = mesh.vertices.take(mesh.faces, 0)
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0])
    if not _is_flat(normal):
        return None
    boxes = _boxes(mesh, corner, normal)
    room = (boxes.high - boxes.low).prod(1)
    is_block = np.isin(np.arange(len(room)), boxes.blocks)
    return boxes if len(boxes.blocks) >= LEAST_BLOCKS and room[is_block].sum() >= OF_BLOCKS * room.sum() else None


def _is_flat(normal: np.ndarray) -> bool:
    """Whether few directions have most of the area, as walls do: quickly told, of most meshes that they have not.

    normal : (F, 3) as long as twice the faces are large
    """
    area = np.linalg.norm(normal, axis=1)
    towards = np.rint(_FINE * normal / np.maximum(area, np.finfo(float).tiny)[:, None]) @ [1.0, 64.0, 4096.0]
    _, direction = np.unique(towards, return_inverse=True)
    return bool(np.sort(np.bincount(direction.ravel(), area))[-_WALLS:].sum() >= OF_BLOCKS * area.sum())


def _boxes(mesh: Mesh, corner: np.ndarray, normal: np.ndarray) -> _Boxes:
    """corner : (F, 3, 3);  normal : (F, 3) as above"""
    area = np.sqrt(dot(normal.T, normal.T))
    unit = normal / np.maximum(area, np.finfo(float).tiny)[:, None]
    part = _solid_parts(mesh, unit)
    count = int(part.max()) + 1
    first = unit[_largest(area, part)]
    across = unit - dot(unit.T, first[part].T)[:, None] * first[part]
    second = across[_largest(area * np.sqrt(dot(across.T, across.T)), part)]
    second /= np.maximum(np.linalg.norm(second, axis=1, keepdims=True), np.finfo(float).tiny)
    axes = np.stack([first, second, np.cross(first, second)], 1)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    for k in range(3):
        along = dot(corner.reshape(-1, 3).T, np.repeat(axes[part, k], 3, axis=0).T)
        np.minimum.at(low[:, k], np.repeat(part, 3), along)
        np.maximum.at(high[:, k], np.repeat(part, 3), along)
    middle = np.einsum("pi,pij->pj", (low + high) / 2, axes)
    pyramids = dot((corner[:, 0] - middle[part]).T, normal.T) / 6
    size = high - low
    room = size.prod(1)
    full = np.abs(np.bincount(part, pyramids, count)) / np.maximum(room, np.finfo(float).tiny)
    tall = float(np.ptp(mesh.vertices[np.unique(mesh.faces)] @ axes[room.argmax()].T, axis=0).max())
    is_block = (full >= FULL) & (size.min(1) > _THIN * tall)
    is_block[list(round_parts(corner, part, SMALL * tall))] = False
    return _Boxes(part, axes, low, high, np.flatnonzero(is_block), tall)


def _largest(size: np.ndarray, part: np.ndarray) -> np.ndarray:
    """(P,) the face of each part with the largest `size` (F,), the first of equals."""
    order = np.lexsort((-np.arange(len(size)), size, part))
    return order[np.flatnonzero(np.diff(part[order], append=-1))]


def _solid_parts(mesh: Mesh, normal: np.ndarray) -> np.ndarray:
    """(F,) the closed part each face is of. Where several parts share an edge, a face goes on in the one it makes the
    least angle with, inside: that is the next wall of its own block.

    normal : (F, 3) unit
    """
    _, place = np.unique(mesh.vertices, axis=0, return_inverse=True)
    faces = place.reshape(-1)[mesh.faces]
    number = np.tile(np.arange(len(faces)), 3)
    start, end = faces.T.ravel(), faces[:, [1, 2, 0]].T.ravel()
    opposite = mesh.vertices[mesh.faces[:, [2, 0, 1]].T.ravel()]
    key = np.minimum(start, end) * (place.max() + 1) + np.maximum(start, end)
    along = start < end
    order = np.lexsort((~along, key))
    key, along, number = key[order], along[order], number[order]
    begin = mesh.vertices[mesh.faces.T.ravel()[order]]
    edge = mesh.vertices[mesh.faces[:, [1, 2, 0]].T.ravel()[order]] - begin
    inward = opposite[order] - begin
    inward = inward - edge * (dot(inward.T, edge.T) / np.maximum(dot(edge.T, edge.T), np.finfo(float).tiny))[:, None]
    one, other = _pairs(key, along)
    turn = np.arctan2(-dot(inward[other].T, normal[number[one]].T) * np.sqrt(dot(inward[one].T, inward[one].T)),
                      dot(inward[other].T, inward[one].T)) % (2 * np.pi)
    turn = np.where(turn < _FLAT, 2 * np.pi, turn)
    best = np.lexsort((other, turn, one))
    best = best[np.append(True, np.diff(one[best]) != 0)[:len(best)]]
    back = np.lexsort((one, turn, other))
    back = back[np.append(True, np.diff(other[back]) != 0)[:len(back)]]
    both = np.intersect1d(best, back)
    joined = sparse.coo_matrix((np.ones(len(both)), (number[one[both]], number[other[both]])), (len(faces),) * 2)
    return connected_components(joined, directed=False)[1]


def _pairs(key: np.ndarray, along: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(K,), (K,) numbers of sides of one edge that run against each other. key : (N,) sorted, those along it first"""
    begin = np.flatnonzero(np.diff(key, prepend=-1))
    count = np.diff(np.append(begin, len(key)))
    ahead = np.add.reduceat(along.astype(np.int64), begin) if len(begin) else begin
    group = np.repeat(np.arange(len(begin)), ahead)
    one = begin[group] + np.arange(len(group)) - np.repeat(np.cumsum(ahead) - ahead, ahead)
    against = (count - ahead)[group]
    other = np.arange(against.sum()) - np.repeat(np.cumsum(against) - against, against)
    return np.repeat(one, against), np.repeat((begin + ahead)[group], against) + other


def _sunk(boxes: _Boxes, blocks: np.ndarray, near: np.ndarray) -> np.ndarray:
    """(P, 2, 3) how deep the low and the high wall along each axis of a block lies in another one, 0 if that is right
    outside, -1 if none is.

    blocks : (B,) their numbers;  near : (D,) how far outside, or inside, it is asked.  O(B log B) for blocks of like
    size.
    """
    out = np.full((len(boxes.low), 2, 3), -1.0)
    at = (np.arange(_PLACES) + 0.5) / _PLACES
    low, high, axes = boxes.low[blocks], boxes.high[blocks], boxes.axes[blocks]
    steps = np.maximum(near, -OF_SIDE * (high - low)[..., None])
    walls = []
    for side, sign in enumerate((-1.0, 1.0)):
        for k in range(3):
            ends = [np.full(1, float(side)) if x == k else at for x in range(3)]
            places = np.stack(np.meshgrid(*ends, indexing="ij"), -1).reshape(-1, 3)
            local = np.tile(low[:, None] + places * (high - low)[:, None], (1, len(near), 1))
            local[..., k] += sign * np.repeat(steps[:, k], len(places), axis=1)
            walls.append(np.einsum("pnk,pkx->pnx", local, axes))
    points = np.stack(walls, 1).reshape(-1, 3)
    each = len(points) // (6 * len(blocks))
    middle, reach = np.einsum("pk,pkx->px", (low + high) / 2, axes), np.linalg.norm(high - low, axis=1) / 2
    for row, found in enumerate(cKDTree(points).query_ball_point(middle, reach)):
        found = np.asarray(found, np.int64)
        found = found[found // (6 * each) != row]
        theirs = points[found] @ axes[row].T
        found = found[((theirs > low[row]) & (theirs < high[row])).all(1)]
        wall, step = found // each, found % each // len(at) ** 2
        block, axis = wall // 6, wall % 3
        np.maximum.at(out, (blocks[block], wall % 6 // 3, axis), np.maximum(-steps[block, axis, step], 0.0))
    return out
