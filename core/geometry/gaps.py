"""Pieces of a solid with air between them, and the bridges that make one solid of them.

A skeleton needs one volume. Loose bones, plates of a robot, hands that float: which piece hangs on which is a matter of
the body's build as much as of distance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage, sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from ..arrays import argwhere
from .grid import Grid
from .pieces import label_pieces

# Voxels: places of a gap no wider than its narrowest and this count for its middle.
_FACING = 1.5
# What a gap between two pieces beside the middle costs, times its width, and at most that on a long piece's flank.
BESIDE, FLANK = 1.5, 3.0
# Length over width of a long piece; its flank begins this share of the way from its middle to its ends.
LONG, END = 1.8, 0.8
# A bridge's radius over that of the thinner piece it leads to, looked for so many voxels around.
BRIDGE, AROUND = 0.6, 6


@dataclass(frozen=True, eq=False)
class Gaps:
    """G gaps to bridge. ends : (G, 2, 3) in the middle of either side;  nearest : (G, 2, 3) where they are narrowest
    radii : (G,) of the bridges. All in voxels, or in the unit frame.  scattered : share outside the largest piece
    """

    ends: np.ndarray
    nearest: np.ndarray
    radii: np.ndarray
    scattered: float = 0.0

    def placed(self, grid: Grid) -> Gaps:
        """The same in the unit frame, from voxels of a grid."""
        return Gaps(grid.centres(self.ends), grid.centres(self.nearest), self.radii * grid.spacing, self.scattered)


NO_GAPS = Gaps(np.zeros((0, 2, 3)), np.zeros((0, 2, 3)), np.zeros(0))


def connect_parts(solid: np.ndarray) -> np.ndarray:
    """Join the pieces of a solid by bridges across the gaps that `find_gaps` chooses. O(voxels)."""
    return bridge_gaps(solid, find_gaps(solid))


def count_parts(solid: np.ndarray) -> int:
    """The number of pieces that touch nowhere, not even at corners."""
    return label_pieces(solid, corners=True)[1]


def find_gaps(solid: np.ndarray) -> Gaps:
    """The gaps to bridge, so that a solid is of one piece: the spanning tree of least cost over the pieces.

    A gap costs its width. It costs more between two pieces beside the middle, most from one side of the body to the
    other, and where it leaves the flank of a long piece: hands and feet hang on the body, not on each other, and a
    forearm belongs to its elbow rather than to the hip it dangles beside. Every gap's middle is found at once: where
    the regions nearest to two pieces meet. O(voxels).
    """
    labels, count = label_pieces(solid, corners=True)
    if count <= 1:
        return NO_GAPS
    low, high, gap, pair = _facing(labels, count)
    order = np.lexsort((gap, pair))
    begin = np.flatnonzero(np.diff(pair[order], prepend=-1))
    widths = gap[order[begin]]
    order = order[gap[order] <= np.repeat(widths, np.diff(np.append(begin, len(order)))) + _FACING]
    _, group = np.unique(pair[order], return_inverse=True)
    both = np.stack([low[order], high[order]], 1).astype(float)
    begin = np.flatnonzero(np.diff(group, prepend=-1))
    nearest = both[begin]
    middle = np.stack([np.bincount(group, weights=both[:, k, d]) for k in (0, 1) for d in range(3)], 1)
    middle = (middle / np.bincount(group)[:, None]).reshape(-1, 2, 3)
    order = np.lexsort((((both - middle[group]) ** 2).sum((1, 2)), group))
    ends = both[order[np.flatnonzero(np.diff(group[order], prepend=-1))]]
    a, b = np.divmod(np.unique(pair), count)
    tree = minimum_spanning_tree(sparse.coo_matrix((_costs(labels, a, b, ends, widths), (a, b)),
                                                   shape=(count, count))).tocoo()
    chosen = np.isin(a * count + b, np.minimum(tree.row, tree.col) * count + np.maximum(tree.row, tree.col))
    ends, nearest = ends[chosen], nearest[chosen]
    radii = [min(_thickness(labels, piece + 1, end) for piece, end in zip(pieces, both, strict=True))
             for pieces, both in zip(np.stack([a, b], 1)[chosen], ends, strict=True)]
    size = np.bincount(labels.ravel())[1:]
    return Gaps(ends, nearest, np.maximum(BRIDGE * np.array(radii), 1.0), 1 - float(size.max() / size.sum()))


def _facing(labels: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Where the regions nearest to two pieces meet: the nearest voxels (N, 3) of the piece with the lower number and of
    the other one, the gaps' widths (N,), and the pairs (N,), lower * count + higher, counted from 0."""
    nearest = ndimage.distance_transform_edt(labels == 0, return_distances=False, return_indices=True)
    region = labels[tuple(nearest)] - 1
    ends = []
    for axis in range(3):
        here, there = [slice(None)] * 3, [slice(None)] * 3
        here[axis], there[axis] = slice(None, -1), slice(1, None)
        at = argwhere(region[tuple(here)] != region[tuple(there)])
        ends.append((at, at + np.eye(3, dtype=int)[axis]))
    places = [np.concatenate(e) for e in zip(*ends, strict=True)]
    pieces = np.stack([region[tuple(p.T)] for p in places])
    sides = np.stack([np.stack([n[tuple(p.T)] for n in nearest], 1) for p in places])
    gap = sum(np.sqrt(((p - side) ** 2).sum(1)) for p, side in zip(places, sides, strict=True)) + 1.0
    low, number = pieces.argmin(0), np.arange(pieces.shape[1])
    return sides[low, number], sides[1 - low, number], gap, pieces.min(0) * count + pieces.max(0)


def _costs(labels: np.ndarray, a: np.ndarray, b: np.ndarray, ends: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """(P,) what it costs to bridge the gaps between pieces a (P,) and b (P,)."""
    voxels = argwhere(labels)
    piece = labels[labels > 0] - 1
    size = np.bincount(piece).astype(float)
    mean = np.stack([np.bincount(piece, weights=voxels[:, d]) / size for d in range(3)], 1)
    middle = mean[size.argmax(), 0]
    low, high = (f(voxels[:, 0], piece, np.arange(len(size))) for f in (ndimage.minimum, ndimage.maximum))
    side = np.where(low > middle + 1, 1, np.where(high < middle - 1, -1, 0))
    reluctance = np.where((side[a] != 0) & (side[b] != 0), BESIDE, 1.0)
    off = voxels - mean[piece]
    spread = np.stack([np.bincount(piece, weights=off[:, i] * off[:, j]) for i in range(3) for j in range(3)], 1)
    spread = spread.reshape(-1, 3, 3)
    values, axes = np.linalg.eigh(spread / size[:, None, None])
    is_long = np.sqrt(12 * values[:, 2] + 1) > LONG * np.sqrt(12 * values[:, 1] + 1)
    along = np.einsum("nd,nd->n", off, axes[piece, :, 2])
    half = ndimage.maximum(np.abs(along), piece, np.arange(len(size))) + 0.5
    for number, end in ((a, ends[:, 0]), (b, ends[:, 1])):
        at = np.abs(np.einsum("nd,nd->n", end - mean[number], axes[number, :, 2])) / half[number]
        flank = np.clip((END - at) / (0.5 * END), 0.0, 1.0) * (is_long & (side != 0))[number]
        reluctance = reluctance * (1 + (FLANK - 1) * flank)
    return widths * reluctance + np.where(side[a] * side[b] < 0, sum(labels.shape), 0.0)


def _thickness(labels: np.ndarray, label: int, end: np.ndarray) -> float:
    """How deep a piece is near an end of a gap, voxels."""
    low = np.maximum(end.astype(int) - 2 * AROUND, 0)
    piece = labels[tuple(slice(a, b) for a, b in zip(low, end.astype(int) + 2 * AROUND + 1, strict=True))] == label
    inner = tuple(slice(a, a + 2 * AROUND + 1) for a in np.maximum(end.astype(int) - low - AROUND, 0))
    return float(ndimage.distance_transform_edt(piece)[inner].max(initial=1.0))


def bridge_gaps(solid: np.ndarray, gaps: Gaps, *, is_thin: bool = True) -> np.ndarray:
    """The solid with every gap filled by a straight rod.

    is_thin : of a voxel around the narrowest place: a way between the pieces for weights, no more, or one limb would
    see the next; else from middle to middle and so thick that a limb goes on in it
    """
    bridged = solid.copy()
    for (start, stop), radius in zip(gaps.nearest if is_thin else gaps.ends, gaps.radii, strict=True):
        steps = int(2 * np.abs(stop - start).max()) + 1
        line = start + np.linspace(0, 1, steps + 1)[:, None] * (stop - start)
        radius = 1.0 if is_thin else radius
        reach = int(np.ceil(radius))
        ball = argwhere(np.ones((2 * reach + 1,) * 3)) - reach
        ball = ball[(ball**2).sum(1) <= radius**2 + 1]
        voxels = (np.round(line).astype(int)[:, None] + ball).reshape(-1, 3)
        inside = ((voxels > 0) & (voxels < np.array(solid.shape) - 1)).all(1)
        bridged[tuple(voxels[inside].T)] = True
    return bridged
