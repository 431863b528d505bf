"""Cuts in a surface: rims of different parts that go on into each other without sharing vertices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from .links import linked_parts
from .mesh import Mesh
from .rims import part_extents, rim_directions, rim_edges

_NEAR = 12  # candidates looked at for each rim vertex or edge
_PARALLEL = 0.8
_FACING = -0.3
_GAP_OF_PART = 0.15  # of the smaller part's extent; fingers are further apart than that
_SHARED_RIM = 0.1
_TIGHTEST = 0.05  # of the length it sews: what gapes less conducts no better


def seam_edges(mesh: Mesh, part: np.ndarray, *, tolerance: float = 0.003, gap: float = 0.012) -> np.ndarray:
    """(E, 2) pairs of rim vertices of different parts between which the skin is cut, lower index first.

    mesh : unit frame;  part : (V,) connected part of each vertex. A rim vertex lies on an edge with a single face.
    A rim vertex and the nearest one of another part are a seam if no further apart than `tolerance`: clothes cut into
    panels and meshes split along texture seams are one skin although no vertex says so. So are the ends of parallel rim
    edges up to `gap` apart whose surfaces would go on into each other, as the pieces of a broken shell do; layers that
    end above one another do not.
    """
    edges, _ = rim_edges(mesh)
    if len(edges) == 0:
        return np.zeros((0, 2), np.int64)
    rim = np.unique(edges)
    first, second, distance = _close_pairs(mesh.vertices[rim], part[rim], tolerance)
    nearest = _first_of_each(first, part[rim][second], distance)
    first, second = first[nearest], second[nearest]
    crack = find_cracks(mesh, part, gap=gap)
    pairs = np.concatenate([np.stack([rim[first], rim[second]], 1),
                            np.stack([crack.edges.ravel(), crack.others.ravel()], 1)])
    return np.unique(np.sort(pairs, axis=1), axis=0)


def _close_pairs(points: np.ndarray, part: np.ndarray, reach: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Indices of points of different parts within reach, from the first to the second, and their distance."""
    if len(points) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
    distance, near = cKDTree(points).query(points, k=min(_NEAR, len(points)), distance_upper_bound=reach)
    row, column = np.nonzero(np.isfinite(distance.reshape(len(points), -1)))
    other, distance = near.reshape(len(points), -1)[row, column], distance.reshape(len(points), -1)[row, column]
    foreign = part[row] != part[other]
    return row[foreign], other[foreign], distance[foreign]


def _first_of_each(one: np.ndarray, two: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """Which of N entries has the least distance among those alike in `one` and `two`; ties to the first."""
    order = np.lexsort((distance, two, one))
    new = (np.diff(one[order]) != 0) | (np.diff(two[order]) != 0)
    return order[np.append(True, new)[:len(order)]]


@dataclass(frozen=True, eq=False)
class Crack:
    """N pairs of rim edges of different parts that were one edge before the shell broke.

    edges, others : (N, 2) ends of each edge and, in the same order, of its partner;  faces : (N, 2) the faces they end
    against : (N,) bool, the two faces are wound against each other
    """

    edges: np.ndarray
    others: np.ndarray
    faces: np.ndarray
    against: np.ndarray


def find_cracks(mesh: Mesh, part: np.ndarray, *, gap: float = 0.012) -> Crack:
    """Pair rim edges that are each other's nearest parallel ones, up to `gap` away, their surfaces going on into each
    other.

    mesh : unit frame;  part : (V,) connected part of each vertex. Layers that end above one another are no crack.
    """
    edges, face = rim_edges(mesh) if part.any() else (np.zeros((0, 2), np.int64),) * 2  # one piece is not cracked
    if len(edges) == 0:
        return Crack(edges, edges, edges, np.zeros(0, bool))
    ends = mesh.vertices[edges]
    along = ends[:, 1] - ends[:, 0]
    length = np.maximum(np.linalg.norm(along, axis=1), 1e-15)
    along = along / length[:, None]
    onward = rim_directions(mesh, edges, face)
    first, second, distance = _close_pairs(ends.mean(1), part[edges[:, 0]], gap)
    cosine = np.einsum("nd,nd->n", along[first], along[second])
    facing = np.einsum("nd,nd->n", onward[first], onward[second])
    extent = part_extents(mesh, part)[part[edges[:, 0]]]
    near = distance <= _GAP_OF_PART * np.minimum(extent[first], extent[second])
    alike = near & (np.abs(length[first] - length[second]) < 0.5 * np.maximum(length[first], length[second]))
    found = np.flatnonzero((np.abs(cosine) > _PARALLEL) & (facing < _FACING) & alike)
    found = found[np.lexsort((distance[found], first[found]))]
    found = found[np.unique(first[found], return_index=True)[1]]
    found = found[np.isin(second[found] * len(edges) + first[found], first[found] * len(edges) + second[found])]
    found = found[_is_shared_rim(part[edges[first[found], 0]], part[edges[second[found], 0]], part[edges[:, 0]])]
    one, two, same_way = edges[first[found]], edges[second[found]], cosine[found] > 0
    return Crack(one, np.where(same_way[:, None], two, two[:, ::-1]),
                 np.stack([face[first[found]], face[second[found]]], 1), same_way)


def _is_shared_rim(one: np.ndarray, two: np.ndarray, of_rim: np.ndarray) -> np.ndarray:
    """(N,) bool: pairs of edges of parts `one` and `two` that are no mere accident: enough of either part's rim edges,
    whose parts are `of_rim`, lie along the other part."""
    count = int(of_rim.max(initial=0)) + 1
    rim = np.bincount(of_rim, minlength=count)
    key = np.minimum(one, two).astype(np.int64) * count + np.maximum(one, two)
    _, place, times = np.unique(key, return_inverse=True, return_counts=True)
    return times[place.reshape(-1)] / 2 >= _SHARED_RIM * np.minimum(rim[one], rim[two])


def loose_bonds(mesh: Mesh, loose: np.ndarray, *, reach: float = 0.03, most: int = 4) -> np.ndarray:
    """(E, 2) pairs of the vertices `loose` and the `most` vertices nearest to each within `reach`, lower index first.

    mesh : unit frame
    """
    count = len(mesh.vertices)
    if len(loose) == 0:
        return np.zeros((0, 2), np.int64)
    near = cKDTree(mesh.vertices).query(mesh.vertices[loose], k=min(most + 1, count), distance_upper_bound=reach)[1]
    one, two = np.repeat(loose, near.shape[1]), near.ravel()
    found = (two != one) & (two < count)
    return np.unique(np.sort(np.stack([one, two], 1)[found], axis=1), axis=0)


def seam_conductance(mesh: Mesh, seams: np.ndarray) -> np.ndarray:
    """(E,) how well heat passes each seam: the length it sews over the gap it closes, at least 1, a square's."""
    edges, _ = rim_edges(mesh)
    length = np.linalg.norm(mesh.vertices[edges[:, 1]] - mesh.vertices[edges[:, 0]], axis=1)
    sewn = np.bincount(edges.ravel(), np.repeat(length, 2) / 2, len(mesh.vertices))[seams].min(1)
    apart = np.linalg.norm(mesh.vertices[seams[:, 0]] - mesh.vertices[seams[:, 1]], axis=1)
    return np.maximum(sewn / np.maximum(np.maximum(apart, _TIGHTEST * sewn), 1e-12), 1.0)


def join_parts(part: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """(V,) the parts, numbered anew, when `edges` (E, 2) between vertices join them."""
    count = int(part.max()) + 1
    pairs = part[edges]
    return linked_parts(count, *pairs.T)[part]
