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
    last = (walks >= 0).sum(1) - 1
    rows = np.arange(len(walks))
    filled = np.where(walks >= 0, walks, walks[rows, last][:, None])
    points = graph.points[filled]
    step = np.linalg.norm(np.diff(points, axis=1), axis=2)
    travelled = np.concatenate([np.zeros((len(walks), 1)), np.cumsum(step, axis=1)], axis=1)
    wanted = (1.0 - np.asarray(fractions)) * travelled[:, -1:]
    segment = (travelled[:, None, 1:] < wanted[:, :, None]).sum(2)
    segment = np.minimum(segment, max(filled.shape[1] - 2, 0))
    if filled.shape[1] == 1:
        return np.repeat(points[:, :1], len(fractions), axis=1)
    low = np.take_along_axis(travelled, segment, 1)
    length = np.take_along_axis(step, segment, 1)
    t = np.clip((wanted - low) / np.where(length > 0, length, 1.0), 0.0, 1.0)[..., None]
    rows = rows[:, None]
    return points[rows, segment] * (1 - t) + points[rows, segment + 1] * t
