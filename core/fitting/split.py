"""Putting the merged joints back on the paths between the embedded ones. [BP07] section 3.5."""

from __future__ import annotations

import numpy as np

from ..skeleton.reduce import ReducedTemplate
from .embedding import Embedding
from .graph import SphereGraph


def split_paths(embedding: Embedding, reduced: ReducedTemplate, graph: SphereGraph,
                hints: dict[int, np.ndarray] | None = None) -> np.ndarray:
    """(J, 3) a position for every joint of the template, unit frame.

    Each chain's joints divide the shortest path between its ends in the template's proportions. A pinned joint
    (hints : {template joint: (3,)}) lies exactly where it is pinned, and the path is led through it: the stretches
    before and after are divided on their own.
    """
    hints = hints or {}
    positions = np.zeros((len(reduced.template.names), 3))
    for r, chain in enumerate(reduced.chains):
        end = graph.points[embedding.vertices[r]]
        if reduced.parents[r] < 0:
            positions[chain[-1]] = hints.get(chain[-1], end)
            continue
        above = reduced.parents[r]
        fractions = reduced.fractions[r]
        stops = [(0.0, positions[reduced.joints[above]], int(embedding.vertices[above]))]
        for f, joint in zip(fractions[:-1], chain[:-1], strict=True):
            if joint in hints:
                nearest = int(((graph.points - hints[joint]) ** 2).sum(1).argmin())
                stops.append((float(f), hints[joint], nearest))
        stops.append((1.0, hints.get(chain[-1], end), int(embedding.vertices[r])))
        for f, joint in zip(fractions, chain, strict=True):
            positions[joint] = _at(graph, stops, float(f))
    return positions


def _at(graph: SphereGraph, stops: list[tuple[float, np.ndarray, int]], fraction: float) -> np.ndarray:
    """The point at a fraction of a path that runs through `stops` (fraction, position, graph vertex)."""
    k = next(k for k in range(1, len(stops)) if fraction <= stops[k][0] or k == len(stops) - 1)
    (f0, p0, v0), (f1, p1, v1) = stops[k - 1], stops[k]
    line = np.concatenate([[p0], graph.points[graph.path(v0, v1)], [p1]])
    step = np.linalg.norm(np.diff(line, axis=0), axis=1)
    travelled = np.concatenate([[0.0], np.cumsum(step)])
    wanted = travelled[-1] * (fraction - f0) / max(f1 - f0, 1e-12)
    return np.array([np.interp(wanted, travelled, line[:, d]) for d in range(3)])
