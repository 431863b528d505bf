"""Quaternions against scipy's, and their own algebra."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from core.geometry import rotation as r


@pytest.fixture
def turns(rng):
    return r.normalized(rng.normal(size=(200, 4)))


def scipys(q) -> Rotation:
    return Rotation.from_quat(np.asarray(q)[..., [1, 2, 3, 0]])


def same(a, b) -> bool:
    """Whether quaternions are the same turns, whatever their sign."""
    return np.allclose(np.abs(np.einsum("...i,...i->...", a, b)), 1.0, atol=1e-9)


def test_products_rotations_and_matrices_are_scipys(turns, rng):
    v = rng.normal(size=(200, 3))
    np.testing.assert_allclose(r.rotate(turns, v), scipys(turns).apply(v), atol=1e-12)
    np.testing.assert_allclose(r.to_matrix(turns), scipys(turns).as_matrix(), atol=1e-12)
    np.testing.assert_allclose(
        r.to_matrix(r.multiply(turns, turns[::-1])), (scipys(turns) * scipys(turns[::-1])).as_matrix(), atol=1e-12
    )
    assert same(r.from_matrix(r.to_matrix(turns)), turns)
    np.testing.assert_allclose(r.cross(v, v[::-1]), np.cross(v, v[::-1]), atol=1e-15)


def test_matrices_of_half_turns_come_back(turns):
    halves = np.eye(4)[1:]
    assert same(r.from_matrix(r.to_matrix(halves)), halves)
    mixed = r.normalized(np.array([[0.0, 1, 1, 0], [0, 0, 1, -1], [0, 1, 1, 1], [1e-9, 1, 0, 0]]))
    assert same(r.from_matrix(r.to_matrix(mixed)), mixed)


def test_vectors_are_logarithms(turns):
    np.testing.assert_allclose(r.to_vector(turns), scipys(turns).as_rotvec(), atol=1e-9)
    assert same(r.from_vector(r.to_vector(turns)), turns)
    np.testing.assert_array_equal(r.from_vector(np.zeros((2, 3))), r.identity(2))
    np.testing.assert_allclose(r.to_vector(r.from_vector([1e-12, 0, 0])), [1e-12, 0, 0], rtol=1e-6)


def test_the_shortest_turn_takes_one_direction_to_the_other(rng):
    a, b = rng.normal(size=(2, 100, 3))
    q = r.between(a, b)
    np.testing.assert_allclose(r.rotate(q, r.normalized(a)), r.normalized(b), atol=1e-9)
    np.testing.assert_allclose(
        r.angle(q), np.arccos(np.einsum("ni,ni->n", r.normalized(a), r.normalized(b))), atol=1e-7
    )
    np.testing.assert_array_equal(r.between(a[0], a[0]), [1, 0, 0, 0])
    np.testing.assert_allclose(r.rotate(r.between([0, 0, 2.0], [0, 0, -1.0]), [0, 0, 1.0]), [0, 0, -1], atol=1e-12)
    np.testing.assert_array_equal(r.between(np.zeros(3), [1.0, 0, 0]), [1, 0, 0, 0])


def test_slerp_goes_at_an_even_pace(turns):
    a, b = turns[:100], turns[100:]
    for f in (0.0, 0.25, 1.0):
        np.testing.assert_allclose(r.angle(r.multiply(r.slerp(a, b, np.full(100, f)), r.conjugate(a))),
                                   f * r.angle(r.multiply(b, r.conjugate(a))), atol=1e-7)


def test_swing_times_twist_is_the_turn_and_the_swing_has_no_twist(turns, rng):
    axis = r.normalized(rng.normal(size=3))
    swing, twist = r.swing_twist(turns, axis)
    assert same(r.multiply(swing, twist), turns)
    np.testing.assert_allclose(np.linalg.norm(np.cross(twist[:, 1:], axis), axis=1), 0, atol=1e-9)
    np.testing.assert_allclose(swing[:, 1:] @ axis, 0, atol=1e-9)
    half = np.array([0.0, 1.0, 0.0, 0.0])
    assert same(r.multiply(*r.swing_twist(half, np.array([0.0, 0.0, 1.0]))), half)


def test_limits_cut_large_turns_and_leave_small_ones_bit_for_bit(turns):
    cut = r.limited(turns, 1.0)
    np.testing.assert_allclose(r.angle(cut), np.minimum(r.angle(turns), 1.0), atol=1e-9)
    small = r.from_vector(np.full((3, 3), 0.1))
    assert r.limited(small, 1.0) is small


def test_keys_stay_on_one_side(turns):
    flipped = np.where(np.arange(200)[:, None] % 3 == 0, -turns, turns)[:, None]
    smooth = r.continuous(flipped)
    assert (np.einsum("tni,tni->tn", smooth[1:], smooth[:-1]) >= 0).all() and same(smooth, flipped)


@pytest.mark.parametrize("length", [0.0, 1e-12, 1e-9, 1e-6, 5e-3, 0.1, 3.0])
def test_short_vectors_are_turns_as_exact_as_long_ones(length):
    vector = length * np.array([0.6, 0.0, 0.8])
    turn = r.from_vector(vector)
    assert abs(np.linalg.norm(turn) - 1) < 1e-14
    np.testing.assert_allclose(r.to_vector(turn), vector, rtol=1e-9, atol=1e-15)
