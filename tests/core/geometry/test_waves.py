"""Waves through voxels arrive when Dijkstra says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from core.geometry import waves
from core.geometry.waves import geodesic_distances


def naive(voxels, spacing, sources) -> np.ndarray:
    """Dijkstra over all pairs of voxels that touch."""
    apart = np.abs(voxels[:, None] - voxels)
    way = spacing * np.sqrt((apart**2).sum(2))
    return dijkstra(sparse.csr_matrix(np.where(apart.max(2) == 1, way, 0.0)), indices=sources)


@pytest.mark.parametrize("density", [0.15, 0.4, 0.9])
def test_ways_are_the_shortest(density, rng, monkeypatch):
    """Through sponges, some in pieces; whether all sources spread at once, one after the other or as one wave."""
    solid = rng.random((9, 7, 8)) < density
    voxels = np.argwhere(solid)
    sources = rng.integers(0, len(voxels), 5)
    found = geodesic_distances(solid.shape, voxels, 0.3, sources)
    wanted = naive(voxels, 0.3, sources)
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    limited = geodesic_distances(solid.shape, voxels, 0.3, sources, 1.0)
    np.testing.assert_array_equal(limited, np.where(found <= 1.0, found, np.inf))
    together = geodesic_distances(solid.shape, voxels, 0.3, np.unique(sources), together=True)
    np.testing.assert_array_equal(together, found.min(0, keepdims=True))
    monkeypatch.setattr(waves, "_MOST", 1)
    np.testing.assert_array_equal(geodesic_distances(solid.shape, voxels, 0.3, sources), found)


def test_waves_end_beyond_their_goal(rng):
    """What lies no further than the goal and a little more is as without one; what lies further is not reached."""
    voxels = np.argwhere(rng.random((9, 7, 8)) < 0.6)
    source, goal = rng.choice(len(voxels), 2, replace=False)
    found = geodesic_distances((9, 7, 8), voxels, 0.3, np.array([source]))
    ended = geodesic_distances((9, 7, 8), voxels, 0.3, np.array([source]), np.inf, goal, 0.5)
    np.testing.assert_array_equal(ended, np.where(found <= found[0, goal] + 0.5, found, np.inf))
