"""The graph of spheres: possible joints and the possible bones between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import Delaunay, QhullError, cKDTree
from scipy.spatial.distance import cdist

from ..arrays import frozen
from ..geometry.distance import DistanceField
from .spheres import Spheres


@dataclass(frozen=True, eq=False)
class SphereGraph:
    """Spheres as vertices, joined where a bone can run; unit frame.

    points : (S, 3), radii : (S,);  edges : (E, 2) i < j
    distance : (S, S) shortest path length;  before : (S, S) before[u, v] = vertex before v on the path from u, -1 at u
    twins : (S,) mirror image of each vertex, or None. See `Spheres`
    """

    points: np.ndarray
    radii: np.ndarray
    edges: np.ndarray
    distance: np.ndarray
    before: np.ndarray
    twins: np.ndarray | None = None

    def __post_init__(self):
        count = len(self.points)
        for key, dtype, shape in (("points", np.float64, (count, 3)), ("radii", np.float64, (count,)),
                                  ("edges", np.int64, (None, 2)), ("distance", np.float64, (count, count)),
                                  ("before", np.int64, (count, count))):
            object.__setattr__(self, key, frozen(getattr(self, key), dtype, shape, key))

    def path(self, start: int, end: int) -> list[int]:
        """Vertices of the shortest path, both ends included."""
        walk = [end]
        while walk[-1] != start:
            walk.append(int(self.before[start, walk[-1]]))
        return walk[::-1]


def connect_spheres(spheres: Spheres, field: DistanceField) -> SphereGraph:
    """Join spheres that intersect, and others where a straight bone stays inside. [BP07] section 3.1.

    Spheres that do not touch are joined only if no other centre lies in the ball over the edge (Gabriel) and the edge
    stays at least half the smaller radius deep. Pieces left apart are then joined by their shortest gaps, so that
    every joint can reach every other.
    """
    points, radii = spheres.centres, spheres.radii
    touching = _intersecting(points, radii)
    near = _gabriel(points)
    near = near[~np.isin(_keys(near, len(points)), _keys(touching, len(points)))]
    near = near[_runs_inside(points, radii, near, field)]
    edges = np.concatenate([touching, near])
    edges = np.concatenate([edges, _missing_links(points, radii, edges)])
    if spheres.twins is not None:
        edges = np.concatenate([edges, np.sort(spheres.twins[edges], axis=1)])
    edges = _unique_pairs(edges, len(points))
    length = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    weights = sparse.coo_matrix((np.maximum(length, 1e-12), edges.T), shape=(len(points),) * 2).tocsr()
    return SphereGraph(points, radii, edges, *_shortest_paths(weights, spheres.twins), spheres.twins)


def _shortest_paths(weights: sparse.csr_matrix, twins: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """All (S, S) path lengths and predecessors; in a mirrored body the paths of one side are those of the other."""
    count = weights.shape[0]
    sources = np.arange(count) if twins is None else np.flatnonzero(np.arange(count) <= twins)
    distance, before = np.empty((count, count)), np.empty((count, count), np.int64)
    found, previous = dijkstra(weights, directed=False, indices=sources, return_predecessors=True)
    distance[sources], before[sources] = found, np.where(previous < 0, -1, previous)
    if twins is not None:
        other = np.flatnonzero(np.arange(count) > twins)
        source = twins[other]
        distance[other] = distance[source][:, twins]
        previous = before[source][:, twins]
        before[other] = np.where(previous < 0, -1, twins[previous])
    return distance, before


def _keys(pairs: np.ndarray, count: int) -> np.ndarray:
    return pairs[:, 0].astype(np.int64) * count + pairs[:, 1]


def _unique_pairs(pairs: np.ndarray, count: int) -> np.ndarray:
    return np.stack(np.divmod(np.unique(_keys(pairs, count)), count), 1)


def _gaps(points: np.ndarray, radii: np.ndarray) -> np.ndarray:
    """(S, S) distance between the surfaces of two spheres, negative where they intersect."""
    return cdist(points, points) - radii[:, None] - radii


def _intersecting(points: np.ndarray, radii: np.ndarray) -> np.ndarray:
    return np.argwhere(np.triu(_gaps(points, radii) < 0, 1))


def _gabriel(points: np.ndarray) -> np.ndarray:
    """(E, 2) pairs i < j with no other point in the closed ball over them.

    Such pairs are edges of every Delaunay triangulation. With open balls, points on a lattice (which these are) would
    leave the choice of diagonals to rounding.
    """
    count = len(points)
    try:
        tetrahedra = Delaunay(points).simplices
        i, j = np.triu_indices(4, 1)
        pairs = np.sort(np.stack([tetrahedra[:, i], tetrahedra[:, j]], 2).reshape(-1, 2), axis=1)
        pairs = _unique_pairs(pairs, count)
    except (QhullError, ValueError):
        # Fewer than five points, or all in one plane: few enough to try every pair.
        pairs = np.stack(np.triu_indices(count, 1), 1)
    middle = (points[pairs[:, 0]] + points[pairs[:, 1]]) / 2
    radius = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1) / 2
    third = cKDTree(points).query(middle, k=[3])[0][:, 0]
    return pairs[third > radius * (1 + 1e-9)]


def _runs_inside(points: np.ndarray, radii: np.ndarray, pairs: np.ndarray, field: DistanceField) -> np.ndarray:
    """(E,) whether 101 points along each edge are at least half the smaller radius deep."""
    t = np.linspace(0, 1, 101)[:, None, None]
    along = points[pairs[:, 0]] * (1 - t) + points[pairs[:, 1]] * t
    depth = -field.sample(along.reshape(-1, 3)).reshape(101, -1)
    return (depth >= 0.5 * radii[pairs].min(1)).all(0)


def _missing_links(points: np.ndarray, radii: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """(K, 2) the edges that join the graph's pieces into one, each the shortest gap between two pieces."""
    count = len(points)
    links: list[list[int]] = []
    while True:
        joined = np.concatenate([edges, np.array(links, dtype=np.int64).reshape(-1, 2)])
        graph = sparse.coo_matrix((np.ones(len(joined)), joined.T), shape=(count, count))
        pieces, label = connected_components(graph, directed=False)
        if pieces == 1:
            return np.array(links, dtype=np.int64).reshape(-1, 2)
        gap = _gaps(points, radii)
        gap[label[:, None] == label] = np.inf
        # One round of Boruvka: every piece takes its shortest gap.
        for piece in range(pieces):
            rows = np.flatnonzero(label == piece)
            i, j = np.unravel_index(gap[rows].argmin(), (len(rows), count))
            links.append(sorted((int(rows[i]), int(j))))
        links = [list(x) for x in sorted({tuple(x) for x in links})]
