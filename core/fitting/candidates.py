"""Where each reduced joint may be placed: vertices of the sphere graph."""

from __future__ import annotations

import numpy as np

from ..skeleton.reduce import ReducedTemplate
from .graph import SphereGraph


def find_candidates(graph: SphereGraph, reduced: ReducedTemplate, *, fat: int = 50) -> list[np.ndarray]:
    """For each of the R reduced joints, the graph vertices it may take, ascending.

    Leaves go to the ends of limbs, fat joints to the `fat` largest spheres, the others anywhere. [BP07] section 3.3
    """
    ends = limb_ends(graph)
    thickest = np.sort(np.argsort(-graph.radii, kind="stable")[:fat])
    anywhere = np.arange(len(graph.points))
    template = reduced.template
    found = []
    for r, j in enumerate(reduced.joints):
        if reduced.is_leaf[r]:
            found.append(ends)
        else:
            found.append(thickest if template.is_fat[j] else anywhere)
    return found


def limb_ends(graph: SphereGraph) -> np.ndarray:
    """Vertices further from the body's middle, along the graph, than all their neighbours. Never empty.

    The paper asks for vertices that no neighbour continues nearly straight; among the many small spheres of a real
    character almost every vertex passes that test (966 of 1000), and the search pays for it. The middle is the
    vertex whose furthest vertex is nearest.
    """
    middle = int(graph.distance.max(1).argmin())
    far = graph.distance[middle]
    is_end = np.ones(len(graph.points), bool)
    i, j = graph.edges.T
    is_end[np.where(far[i] < far[j], i, j)] = False
    return np.flatnonzero(is_end)
