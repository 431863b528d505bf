"""Shortest paths between many pairs of graph vertices at once, and points along them."""

from __future__ import annotations

import numpy as np

from .graph import SphereGraph


def walk_paths(graph: SphereGraph, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(N, K) the vertices from each end back to its start, the start included, then -1.

    starts, ends : (N,) graph vertices.
    """
    current = np.asarray(ends).copy()
    starts = np.asarray(starts)
    columns = []
    while True:
        columns.append(current)
        going = (current >= 0) & (current != starts)
        if not going.any():
            break
        current = np.where(going, graph.before[starts, np.where(going, current, 0)], -1)
    return np.stack(columns, 1)


def points_along(graph: SphereGraph, walks: np.ndarray, fractions: np.ndarray) -> np.ndarray:
    """(N, F, 3) the points at the given fractions of each path's length, counted from its start.

    walks : (N, K) from `walk_paths`;  fractions : (F,) in [0, 1]
    """
    last = np.count_nonzero(walks >= 0, axis=1) - 1
    rows = np.arange(len(walks))
    start = walks[rows, last]
    if walks.shape[1] == 1:
        return np.repeat(graph.points[start][:, None], len(fractions), axis=1)
    filled = np.where(walks >= 0, walks, start[:, None])
    ahead = graph.distance[start[:, None], filled]
    wanted = ahead[:, :1] * np.asarray(fractions)
    segment = np.stack([np.count_nonzero(ahead >= w[:, None], axis=1) for w in wanted.T], 1) - 1
    segment = np.clip(segment, 0, walks.shape[1] - 2)
    rows = rows[:, None]
    far, near = ahead[rows, segment], ahead[rows, segment + 1]
    t = np.clip((far - wanted) / np.where(far > near, far - near, 1.0), 0.0, 1.0)[..., None]
    return graph.points[filled[rows, segment]] * (1 - t) + graph.points[filled[rows, segment + 1]] * t
