"""Which bone can warm which vertex: the straight way there must stay inside the body."""

from __future__ import annotations

import numpy as np

from ..geometry.distance import DistanceField


def is_visible(field: DistanceField, starts: np.ndarray, ends: np.ndarray, *, slack: float = 0.02,
               samples: int = 12) -> np.ndarray:
    """(N,) bool: the segment from `starts` (N, 3) to `ends` (N, 3), unit frame, stays inside the solid.

    slack : how far outside still counts as inside; more than a voxel's error at the surface, less than the gaps between
    limbs.  samples : points tested along each segment, at the middles of equal pieces. [BP07] section 4.
    """
    inside = np.ones(len(starts), bool)
    for fraction in (np.arange(samples) + 0.5) / samples:
        left = np.flatnonzero(inside)
        points = starts[left] + fraction * (ends[left] - starts[left])
        inside[left] = field.sample(points) <= slack
    return inside
