"""Which bone can warm which vertex: the straight way there must stay inside the body."""

from __future__ import annotations

import numpy as np

from ..geometry.distance import DistanceField

_SOFT = 0.003  # less than half a voxel of the field: what lies that close to the limit is seen in part


def visibility(field: DistanceField, starts: np.ndarray, ends: np.ndarray, *, slack: float = 0.02,
               samples: int = 12) -> np.ndarray:
    """(N,) 1 where the segment from `starts` (N, 3) to `ends` (N, 3), unit frame, stays inside the solid, 0 where it
    leaves it, and a share between where it comes within `_SOFT` of leaving.

    slack : how far outside still counts as inside; more than a voxel's error at the surface, less than the gaps between
    limbs. Skin further out, where the solid lost a finger's end, may look as far out as it lies itself.
    samples : points tested along each segment, at the middles of equal pieces. [BP07] section 4 decides yes or
    no; then the last bit of a coordinate would decide which bone warms a vertex.
    """
    own = field.sample(starts)
    own *= np.clip(2 * own / slack - 1, 0.0, 1.0)
    furthest, left = np.full(len(starts), -np.inf), np.arange(len(starts))
    start, way, seen = starts.T.copy(), (ends - starts).T.copy(), furthest.copy()
    for fraction in (np.arange(samples) + 0.5) / samples:
        seen = np.maximum(seen, field.sample((start + fraction * way).T) - own)
        furthest[left] = seen
        kept = np.flatnonzero(seen < slack + _SOFT)
        if len(kept) < 0.9 * len(left):
            left, own, seen, start, way = left[kept], own[kept], seen[kept], start.take(kept, 1), way.take(kept, 1)
    return np.clip(0.5 + (slack - furthest) / (2 * _SOFT), 0.0, 1.0)


def is_visible(field: DistanceField, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(N,) bool: more is seen than not."""
    return visibility(field, starts, ends) >= 0.5
