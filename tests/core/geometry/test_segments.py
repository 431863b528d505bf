"""Distances from segments against a search along them."""

from __future__ import annotations

import numpy as np

from core.geometry.segments import segment_distances, segment_ways


def test_distances_from_bones_are_those_from_their_nearest_point(rng):
    """Beyond an end that is the end itself."""
    points, heads, tails = rng.normal(size=(30, 3)), rng.normal(size=(4, 3)), rng.normal(size=(4, 3))
    tails[3] = heads[3]
    along = np.linspace(0, 1, 4001)[:, None]
    for s, (head, tail) in enumerate(zip(heads, tails, strict=True)):
        line = head + along * (tail - head)
        near = np.linalg.norm(points[:, None] - line, axis=2).min(1)
        np.testing.assert_allclose(segment_distances(points, heads, tails)[:, s], near, atol=1e-5)
    ways, lengths = segment_ways(points, heads, tails)
    np.testing.assert_allclose(np.linalg.norm(ways, axis=2), lengths)
