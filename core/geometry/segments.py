"""How far points are from straight stretches: bones, mostly."""

from __future__ import annotations

import numpy as np

from .mesh import dot

_MOST = 1 << 14  # distances worked out at a time: what they need stays in the processor's cache


def segment_ways(points: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N, S, 3) the ways from the nearest places of segments (S, 3), (S, 3) to points (N, 3), and (N, S) their lengths.

    A segment may be a point.
    """
    along = stops - starts
    off = points[:, None] - starts
    share = np.clip((off * along).sum(2) / np.maximum((along * along).sum(1), 1e-18), 0.0, 1.0)
    way = off - share[..., None] * along
    return way, np.linalg.norm(way, axis=2)


def segment_distances(points: np.ndarray, starts: np.ndarray, stops: np.ndarray) -> np.ndarray:
    """(N, S) distances of points (N, 3) from segments (S, 3), (S, 3)."""
    along, starts, points = (stops - starts).T[:, :, None], starts.T[:, :, None], points.T.copy()
    square, some = np.maximum(dot(along, along), 1e-18), max(_MOST // max(len(along[0]), 1), 1)
    out = np.empty((len(along[0]), points.shape[1]))  # long inner loops
    for begin in range(0, points.shape[1], some):
        off = points[:, None, begin:begin + some] - starts
        off -= np.clip(dot(off, along) / square, 0.0, 1.0) * along
        np.sqrt(dot(off, off), out=out[:, begin:begin + some])
    return out.T
