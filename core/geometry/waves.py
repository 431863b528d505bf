"""Geodesic distances between voxels: waves that run through a solid from several voxels at once."""

from __future__ import annotations

import numpy as np

_OFFSETS = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) != (0, 0, 0)])
_MOST = 1 << 23  # numbers kept at once; more sources than these hold take turns
_BATCH = 1 << 15  # steps tried at once: fewer leave numpy waiting for Python, more do not fit into the cache


def geodesic_distances(shape: tuple[int, ...], voxels: np.ndarray, spacing: float, sources: np.ndarray,
                       limit: float = np.inf, goal: int | None = None, beyond: float = 0.0, *,
                       together: bool = False) -> np.ndarray:
    """(N, V) length of the shortest way from each source to each voxel by steps to the 26 voxels around.

    shape : of the grid;  voxels : (V, 3) the solid's, each once;  sources : (N,) numbers of voxels
    goal : with one source, the number of a voxel: ways longer than that to it and `beyond` are infinite too
    together : (1, V), from the nearest of the sources, each once
    Ways longer than `limit`, and to voxels that cannot be reached, are infinite.
    No step is shorter than `spacing`, so everything nearer than the nearest voxel still to be passed plus one spacing
    is settled and sends its wave on together. The same numbers as Dijkstra's. O(N V).
    """
    padded = np.array(shape) + 2  # one wall around
    place = np.ravel_multi_index(tuple((voxels + 1).T), tuple(padded))
    step = _OFFSETS @ np.array([padded[1] * padded[2], padded[2], 1])
    length = spacing * np.linalg.norm(_OFFSETS, axis=1)
    size, sources = int(padded.prod()), np.atleast_2d(sources)
    starts = place[sources if together else sources.T]
    turns = -(-len(starts) // max(_MOST // size, 1))
    end = None if goal is None else int(place[goal])
    parts = [_spread(size, place, some, step, length, limit, end, beyond)
             for some in np.array_split(starts, max(turns, 1))]
    return np.concatenate(parts)


def _spread(size: int, place: np.ndarray, start: np.ndarray, step: np.ndarray, length: np.ndarray,
            limit: float, goal: int | None, beyond: float) -> np.ndarray:
    """`geodesic_distances` for places in a padded grid of so many voxels; each row of starts has a copy of the grid."""
    copies = size * np.arange(len(start))[:, None]
    away, is_queued = np.zeros(size * len(start)), np.zeros(size * len(start), bool)  # nothing passes a wall of zeros
    last = np.zeros(len(away), np.int32)
    away[(place + copies).ravel()] = np.inf
    queue = (start + copies).ravel()
    away[queue] = 0.0
    shortest = length.min()
    while len(queue):
        distance = away.take(queue)
        nearest = distance.min()
        if goal is not None:
            limit = min(limit, float(away[goal]) + beyond)
        if nearest > limit:
            break
        is_settled = distance < nearest + shortest
        front, distance = queue[is_settled], distance[is_settled]
        is_queued[front] = False
        waiting, some = [queue[~is_settled]], max(_BATCH // len(front), 1)
        for k in range(0, len(step), some):
            target = np.add.outer(step[k:k + some], front).ravel()
            reached = np.add.outer(length[k:k + some], distance).ravel()
            closer = (reached < away.take(target)).nonzero()[0]
            target, reached = target.take(closer), reached.take(closer)
            if some > 1:  # several may reach the same target
                np.minimum.at(away, target, reached)
            else:
                away[target] = reached
            target = target[~is_queued.take(target)]
            if some > 1:  # each once
                order = np.arange(len(target))
                last[target] = order
                target = target[last.take(target) == order]
            is_queued[target] = True
            waiting.append(target)
        queue = np.concatenate(waiting)
    found = away[place + copies]
    found[found > limit] = np.inf
    return found
