"""Where each reduced joint may be placed: vertices of the sphere graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ..skeleton.reduce import ReducedTemplate
from .graph import SphereGraph


def limb_ends(graph: SphereGraph, places: np.ndarray | None = None) -> np.ndarray:
    """Vertices further from the body's middle, along the graph, than all their neighbours. Never empty.

    places : (P,) ascending; only these and their edges count. On a mirror plane this finds a snout between two ears.
    The paper asks for vertices that no neighbour continues nearly straight; among the many small spheres of a real
    character almost every vertex passes that test (966 of 1000), and the search pays for it.
    """
    count = len(graph.points)
    kept = np.ones(count, bool) if places is None else np.isin(np.arange(count), places)
    far = graph.distance[middle_vertex(graph)]
    i, j = graph.edges[kept[graph.edges].all(1)].T
    is_end = kept.copy()
    is_end[np.where(far[i] < far[j], i, j)] = False
    if graph.twins is not None:
        is_end |= is_end[graph.twins]
    return np.flatnonzero(is_end)


def middle_vertex(graph: SphereGraph) -> int:
    """The vertex whose furthest vertex is nearest; of a mirrored body one on the mirror plane, if any is."""
    reach = graph.distance.max(1)
    on_plane = graph.twins == np.arange(len(graph.points))
    return int((np.where(on_plane, reach, np.inf) if np.any(on_plane) else reach).argmin())


def paper_limb_ends(graph: SphereGraph, places: np.ndarray | None = None) -> np.ndarray:
    """Vertices with an edge that no other edge continues nearly straight: the published program's limb ends.

    places : as for `limb_ends`. A vertex at most twice as thick as a neighbour, cosine above 0.8, is continued by it.
    All vertices if none passes. [BP07], [W12] section 3.1.1
    """
    count = len(graph.points)
    kept = np.ones(count, bool) if places is None else np.isin(np.arange(count), places)
    edges = graph.edges[kept[graph.edges].all(1)]
    both = np.concatenate([edges, edges[:, ::-1]])
    both = both[np.lexsort(both.T[::-1])]
    v, o = both.T
    start = np.searchsorted(v, np.arange(count + 1))
    degree = np.diff(start)
    way = graph.points[o] - graph.points[v]
    way /= np.maximum(np.linalg.norm(way, axis=1), 1e-12)[:, None]
    edge = np.repeat(np.arange(len(v)), degree[v])
    turn = np.arange(len(edge)) - np.repeat(np.cumsum(degree[v]) - degree[v], degree[v])
    other = start[v[edge]] + turn
    is_straight = np.einsum("ed,ed->e", way[edge], way[other]) < -0.8
    goes_on = is_straight & (graph.radii[v[edge]] <= 2 * graph.radii[o[other]])
    continued = np.zeros(len(v), bool)
    continued[edge[goes_on]] = True
    is_end = kept & (degree == 0)
    is_end[v[~continued]] = True
    if graph.twins is not None:
        is_end |= is_end[graph.twins]
    return np.flatnonzero(is_end if is_end.any() else kept)


def find_candidates(graph: SphereGraph, reduced: ReducedTemplate, *, fat: int = 50,
                    ends: Callable[[SphereGraph, np.ndarray], np.ndarray] = limb_ends) -> list[np.ndarray]:
    """For each of the R reduced joints, the graph vertices it may take, ascending.

    ends : which vertices end a limb, `limb_ends` or `paper_limb_ends`
    Leaves go to the ends of limbs, fat joints to the `fat` largest spheres, the others anywhere. In a mirrored body
    joints without a partner stay on the mirror plane. [BP07] section 3.3
    """
    anywhere = np.arange(len(graph.points))
    on_plane = anywhere if graph.twins is None else np.flatnonzero(graph.twins == anywhere)
    ends_among = {len(p): np.isin(p, ends(graph, p)) for p in (on_plane, anywhere) if len(p)}
    found = []
    for r, j in enumerate(reduced.joints):
        places = on_plane if len(on_plane) and reduced.mirror[r] < 0 else anywhere
        if reduced.is_leaf[r]:
            found.append(places[ends_among[len(places)]])
        elif reduced.template.is_fat[j]:
            found.append(np.sort(places[np.argsort(-graph.radii[places], kind="stable")[:fat]]))
        else:
            found.append(places)
    return found
