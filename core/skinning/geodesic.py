"""Geodesic Voxel Binding: weights from distances through the body. [DL14] sections 6 and 7."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from ..arrays import frozen
from ..geometry.distance import DistanceField
from .handles import Handles
from .voxel_tree import VoxelTree

_SOFTEST, _STIFFEST = 5.0, 30.0
_NEAREST = 1e-3  # d_tol of the paper
# Cells of a body, and ways from all handles to all of them, that `suitable_resolution` allows. 11 people, animals and
# robots have up to 144 000 cells and 3.0 million ways at what they ask for; a window blind would have 21 million.
MOST_CELLS, MOST_WAYS = 200_000, 4_000_000
PER_AREA = 2.0  # cells for each square of skin that is as wide as a voxel
# A handle FURTHEST times as far from a cell as the nearest one is too far, and so is one whose share of the weight
# would be below SEEN, a tenth of that below which a bone is dropped.
FURTHEST, SEEN = 2.5, 1e-3


@dataclass(frozen=True, eq=False)
class GeodesicDistances:
    """How far every vertex is from every handle, through the body.

    values : (V, K) unit frame; infinite where a handle may not or cannot reach
    """

    values: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "values", frozen(self.values, np.float32, (None, None), "values"))

    def weights(self, alpha: float, influences: int = 4) -> np.ndarray:
        """(V, K) weights d^-q of each vertex's `influences` nearest handles, q from 5 (alpha 0) to 30 (alpha 1).

        Distances are not computed anew. [DL14] (8), (9).
        """
        if not 0 <= alpha <= 1:
            raise ValueError("alpha lies between 0 and 1")
        power = _power(alpha)
        near = np.maximum(self.values, _NEAREST)
        kept = min(influences, near.shape[1])
        column = np.argpartition(near, kept - 1, axis=1)[:, :kept]
        chosen = np.take_along_axis(near, column, 1).astype(float)
        ratio = chosen.min(1, keepdims=True) / chosen
        share = np.where(ratio > 1e-6, ratio, 0.0) ** power
        weights = np.zeros(near.shape)
        np.put_along_axis(weights, column, share / share.sum(1, keepdims=True), 1)
        return weights


def _power(alpha: float) -> float:
    return (1 - alpha) * _SOFTEST + alpha * _STIFFEST


def needed_reach(alpha: float) -> float:
    """How many times as far as its nearest handle one may be from a cell and still be seen in its weights."""
    return min(FURTHEST, SEEN ** (-1 / _power(alpha)))


def suitable_resolution(handles: Handles, field: DistanceField, area: float) -> int:
    """Voxels along the longest side for this body: 2.5 to the radius of its thinnest limbs and 5 to the narrowest
    gap between limbs, in steps of 16, 96 to 256; less where cells and ways would be many more than people have.

    area : of the skin, unit frame
    On measured characters 256 separates fingers nearly as well as 512 at a tenth of the time, and thick bodies without
    fingers are bound as well at 96.
    """
    wanted = 2.5 / max(handles.thinnest(field), 1e-3)
    cells = min(MOST_CELLS, MOST_WAYS / max(len(handles.bones), 1))
    most = np.sqrt(cells / (PER_AREA * max(area, 1e-3)))
    return int(np.clip(16 * np.ceil(min(wanted, most) / 16), 96, 256))


def handle_seeds(handles: Handles, spacing: float) -> tuple[np.ndarray, np.ndarray]:
    """(N, 3) points along every segment at most `spacing` apart, and (N,) the segment of each; a point has one."""
    length = np.linalg.norm(handles.tails - handles.heads, axis=1)
    count = np.ceil(length / spacing).astype(int) + 1
    segment = np.repeat(np.arange(len(count)), count)
    place = np.arange(len(segment)) - np.repeat(np.cumsum(count) - count, count)
    return handles.points(segment, place / np.maximum(count[segment] - 1, 1)), segment


def cell_distances(tree: VoxelTree, handles: Handles, *, penalty: float = 4.0, thickness: float = 0.5,
                   reach: float = np.inf) -> np.ndarray:
    """(K, C) shortest way from each handle to each cell through the body.

    penalty : a step into a cell of the skin costs this many times its length, so ways keep to the inside and do not
    slip across folds.  thickness : share of a round end's thickness that is taken off its distances, so that a head
    wins over the neck below it; 0 is the paper's.  reach : handles this many times as far from a cell as its nearest
    one need not be measured; infinite where none of the cells behind needs it, as if there were no way.
    A handle wholly outside the body starts from the cells nearest to it, at that distance. [DL14] algorithm 3.
    """
    count, sources = len(tree.centres), len(handles.bones)
    cell, handle, start = _starts(tree, handles, thickness)
    ahead = max(0.0, -float(start.min()))  # ways may not begin below zero
    # every handle is a row of its own under the cells' rows: it leads to the cells its ways begin in
    steps = tree.steps
    graph = sparse.csr_matrix((
        np.concatenate([steps.data * np.where(tree.boundary, penalty, 1.0)[steps.indices], start + (ahead + 1e-9)]),
        np.concatenate([steps.indices, cell.astype(steps.indices.dtype)]),
        np.concatenate([steps.indptr, steps.indptr[-1] + np.cumsum(np.bincount(handle, minlength=sources))]),
    ), shape=(count + sources, count + sources))
    origin = np.arange(count, count + sources)
    if not np.isfinite(reach):
        return dijkstra(graph, indices=origin)[:, :count] - ahead
    # How much further than the nearest handle another one is grows along its ways: beyond what it may be where that is
    # most, nothing behind needs it. Steps are shortened by what the nearest handle's distance grows by.
    nearest = dijkstra(graph, indices=origin, min_only=True)
    most = float(nearest[:count].max())
    graph.data += np.repeat(nearest, np.diff(graph.indptr)) - nearest[graph.indices]
    np.maximum(graph.data, 0.0, out=graph.data)  # but for rounding they are not shorter
    further = dijkstra(graph, indices=origin, limit=(reach - 1) * (most - ahead))[:, :count]
    return further + (nearest[:count] - ahead)


def _starts(tree: VoxelTree, handles: Handles, thickness: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Cells where ways begin: cell (N,), handle (N,), each pair once, and the distance already gone (N,).

    The paper starts with 0 in every voxel a bone crosses. Here a way has already gone from the bone to the centres of
    the 8 voxels around each of its points, so that a joint on a voxel's wall is not pulled to one side.
    """
    points, segment = handle_seeds(handles, 0.5 * tree.grid.spacing)
    cells = tree.cells_around(points)
    reached = np.isin(handles.owner[segment], handles.owner[segment[(cells >= 0).any(1)]])
    lost = np.flatnonzero(~reached)
    if len(lost):
        cells[lost, 0] = cKDTree(tree.centres).query(points[lost])[1]
    seed, corner = np.nonzero(cells >= 0)
    cell = cells[seed, corner]
    handle = handles.owner[segment[seed]]
    gone = np.linalg.norm(points[seed] - tree.centres[cell], axis=1)
    gone -= thickness * handles.rounding[segment[seed]]
    order = np.lexsort((gone, cell, handle))
    cell, handle, gone = cell[order], handle[order], gone[order]
    first = np.ones(len(order), bool)
    first[1:] = (np.diff(handle) != 0) | (np.diff(cell) != 0)
    return cell[first], handle[first], gone[first]


def vertex_distances(tree: VoxelTree, distances: np.ndarray, vertices: np.ndarray) -> GeodesicDistances:
    """Distances of vertices from those of the cells around them.

    The paper adds |vertex - centre| to the distance of the cell that holds the vertex, which jumps from cell to cell.
    Here the same sum is averaged over the cells around, nearer ones counting more, so that weights have no facets.
    vertices : any (V, 3) in the same volume: a mesh of similar shape needs neither voxels nor ways anew.
    """
    at, low = tree.corners(vertices)
    total = np.zeros((len(vertices), len(distances)), np.float32)
    weight = np.zeros(len(vertices), np.float32)
    by_cell = np.ascontiguousarray(distances.T, np.float32)
    cells = tree.cells_around(vertices)
    for cell, corner in zip(cells.T, np.ndindex(2, 2, 2), strict=True):
        found = np.flatnonzero(cell >= 0)
        cell = cell[found]
        offset = np.abs(at[found] - (low[found] + corner))
        share = (np.maximum(1 - offset, 0).prod(1) + 1e-6).astype(np.float32)
        way = by_cell[cell] + np.linalg.norm(vertices[found] - tree.centres[cell], axis=1).astype(np.float32)[:, None]
        total[found] += share[:, None] * way
        weight[found] += share
    lost = (weight == 0) | ~np.isfinite(total).any(1)  # or between cells that no handle reaches all of
    if lost.any():
        gap, cell = cKDTree(tree.centres).query(vertices[lost])
        total[lost], weight[lost] = by_cell[cell] + gap[:, None], 1.0
    return GeodesicDistances(total / weight[:, None])
