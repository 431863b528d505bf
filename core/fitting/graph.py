"""The graph of spheres: possible joints and the possible bones between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components, dijkstra
from scipy.spatial import Delaunay, QhullError, cKDTree

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
    near = near[~np.isin(near @ [len(points), 1], touching @ [len(points), 1])]
    near = near[_runs_inside(points, radii, near, field)]
    edges = np.concatenate([touching, near])
    edges = np.concatenate([edges, _missing_links(points, radii, edges)])
    if spheres.twins is not None:
        edges = np.concatenate([edges, np.sort(spheres.twins[edges], axis=1)])
    edges = np.unique(edges, axis=0)
    length = np.linalg.norm(points[edges[:, 0]] - points[edges[:, 1]], axis=1)
    weights = sparse.coo_matrix((np.maximum(length, 1e-12), edges.T), shape=(len(points),) * 2).tocsr()
    distance, before = dijkstra(weights, directed=False, return_predecessors=True)
    return SphereGraph(points, radii, edges, distance, np.where(before < 0, -1, before), spheres.twins)


def _intersecting(points: np.ndarray, radii: np.ndarray) -> np.ndarray:
    gap = np.linalg.norm(points[:, None] - points, axis=2) - radii[:, None] - radii
    return np.argwhere(np.triu(gap < 0, 1))


def _gabriel(points: np.ndarray) -> np.ndarray:
    """(E, 2) pairs with no other point in the ball over them; they are edges of the Delaunay triangulation."""
    count = len(points)
    try:
        tetrahedra = Delaunay(points).simplices
        i, j = np.triu_indices(4, 1)
        pairs = np.unique(np.sort(np.stack([tetrahedra[:, i], tetrahedra[:, j]], 2).reshape(-1, 2), 1), axis=0)
    except (QhullError, ValueError):
        # Fewer than five points, or all in one plane: few enough to try every pair.
        pairs = np.stack(np.triu_indices(count, 1), 1)
    middle = (points[pairs[:, 0]] + points[pairs[:, 1]]) / 2
    radius = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1) / 2
    nearest = cKDTree(points).query(middle)[0]
    return pairs[nearest >= radius * (1 - 1e-9)]


def _runs_inside(points: np.ndarray, radii: np.ndarray, pairs: np.ndarray, field: DistanceField) -> np.ndarray:
    """(E,) whether 101 points along each edge are at least half the smaller radius deep."""
    t = np.linspace(0, 1, 101)[:, None, None]
    along = points[pairs[:, 0]] * (1 - t) + points[pairs[:, 1]] * t
    depth = -field.sample(along.reshape(-1, 3)).reshape(101, -1)
    return (depth >= 0.5 * radii[pairs].min(1)).all(0)


def _missing_links(points: np.ndarray, radii: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """(K, 2) the edges that join the graph's pieces into one, each the shortest gap between two pieces."""
    count = len(points)
    links = []
    while True:
        joined = np.concatenate([edges, np.array(links, int).reshape(-1, 2)])
        graph = sparse.coo_matrix((np.ones(len(joined)), joined.T), shape=(count, count))
        pieces, label = connected_components(graph, directed=False)
        if pieces == 1:
            return np.array(links, int).reshape(-1, 2)
        gap = np.linalg.norm(points[:, None] - points, axis=2) - radii[:, None] - radii
        gap[label[:, None] == label] = np.inf
        # One round of Boruvka: every piece takes its shortest gap.
        for piece in range(pieces):
            rows = np.flatnonzero(label == piece)
            i, j = np.unravel_index(gap[rows].argmin(), (len(rows), count))
            links.append(sorted((int(rows[i]), int(j))))
        links = [list(x) for x in sorted({tuple(x) for x in links})]
