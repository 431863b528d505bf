"""Packing keeps few balls, and they still hold everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.fitting.medial import MedialSamples, sample_medial
from core.fitting.spheres import Spheres, pack_mirrored_spheres, pack_spheres
from tests.core.fitting.bodies import body


def naive_pack(points, depths, limit):
    """Sphere by sphere, as [BP07] section 3.1 says it."""
    kept = []
    for i in range(len(points)):
        if len(kept) < limit and all(np.linalg.norm(points[i] - points[k]) > depths[k] for k in kept):
            kept.append(i)
    return kept


def random_samples(rng, count) -> MedialSamples:
    return MedialSamples(rng.uniform(0, 1, (count, 3)), np.sort(rng.uniform(0.01, 0.3, count))[::-1])


@settings(max_examples=20, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.integers(1, 120), st.integers(1, 40))
def test_packing_is_what_the_naive_loop_does(seed, count, limit):
    samples = random_samples(np.random.default_rng(seed), count)
    spheres = pack_spheres(samples, limit=limit)
    kept = naive_pack(samples.points, samples.depths, limit)
    np.testing.assert_array_equal(spheres.centres, samples.points[kept])
    np.testing.assert_array_equal(spheres.radii, samples.depths[kept])
    assert spheres.twins is None


def assert_packed(spheres, points, slack=0.0):
    """Radii fall, every point is in a ball, no centre is in an earlier ball."""
    assert (np.diff(spheres.radii) <= 1e-9).all()
    apart = np.linalg.norm(points[:, None] - spheres.centres, axis=2)
    assert (apart <= spheres.radii + slack).any(1).all()
    among = np.linalg.norm(spheres.centres[:, None] - spheres.centres, axis=2)
    later, earlier = np.tril_indices(len(among), -1)
    inside = among[later, earlier] <= spheres.radii[earlier] - slack
    if spheres.twins is not None:
        inside &= spheres.twins[later] != earlier
    assert not inside.any()


@pytest.mark.slow
def test_a_body_is_packed_whole():
    samples = sample_medial(body("quadruped").field)
    assert_packed(pack_spheres(samples), samples.points)
    few = pack_spheres(samples, limit=20)
    assert len(few.centres) == 20
    np.testing.assert_array_equal(few.centres, pack_spheres(samples).centres[:20])


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(0, 10_000), st.integers(1, 60), st.floats(-0.5, 0.5))
def test_mirrored_packing_keeps_balls_in_pairs(seed, count, plane):
    half = random_samples(np.random.default_rng(seed), count)
    snap = 0.02
    points = np.concatenate([half.points, half.points * [-1, 1, 1]])
    depths = np.tile(half.depths, 2)
    order = np.argsort(-depths, kind="stable")
    samples = MedialSamples(points[order] + [plane, 0, 0], depths[order])
    spheres = pack_mirrored_spheres(samples, plane, snap)
    twins = spheres.twins
    np.testing.assert_array_equal(twins[twins], np.arange(len(twins)))
    np.testing.assert_allclose(spheres.centres[twins], spheres.centres * [-1, 1, 1] + [2 * plane, 0, 0], atol=1e-12)
    np.testing.assert_array_equal(spheres.radii[twins], spheres.radii)
    alone = twins == np.arange(len(twins))
    assert (spheres.centres[alone, 0] == plane).all()
    assert (np.abs(spheres.centres[~alone, 0] - plane) > snap).all()
    assert_packed(spheres, samples.points, slack=snap + 1e-12)


def test_samples_and_shapes_are_checked():
    with pytest.raises(ValueError, match="radii"):
        Spheres(np.zeros((2, 3)), np.zeros(3))
    samples = random_samples(np.random.default_rng(0), 30)
    before = samples.points.copy()
    pack_mirrored_spheres(samples, 0.5, 0.1)
    np.testing.assert_array_equal(samples.points, before)
