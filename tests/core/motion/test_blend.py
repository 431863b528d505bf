"""Skin between bones: both ways of blending against naive twins, and what each is known for."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.rotation import from_axis_angle, identity, multiply, normalized, rotate, to_matrix
from core.motion.blend import blend_dual_quaternions, blend_linear, bone_moves
from core.motion.kinematics import Kinematics
from core.skeleton.rig import Rig

BOTH = pytest.mark.parametrize("blend", [blend_linear, blend_dual_quaternions])


@pytest.fixture
def scene(rng):
    """50 vertices, 4 bones that turn by up to 120 degrees, weights that do not sum to 1, the first two rows bare."""
    axis = normalized(rng.normal(size=(4, 3)))
    turns = from_axis_angle(axis, rng.uniform(-2.1, 2.1, 4))
    weights = rng.random((50, 4)) * (rng.random((50, 4)) > 0.4)
    weights[:2] = 0
    return rng.normal(size=(50, 3)), weights, turns, rng.normal(size=(4, 3))


def test_linear_blending_is_the_mean_of_what_the_bones_do(scene):
    points, weights, turns, shifts = scene
    matrices = to_matrix(turns)
    for p, w, moved in zip(points, weights, blend_linear(points, weights, turns, shifts), strict=True):
        each = [m @ p + t for m, t in zip(matrices, shifts, strict=True)]
        want = np.average(each, axis=0, weights=w) if w.sum() else p
        np.testing.assert_allclose(moved, want, atol=1e-12)


def test_dual_quaternions_equal_the_papers_formula(scene):
    points, weights, turns, shifts = scene
    for p, w, moved in zip(points, weights, blend_dual_quaternions(points, weights, turns, shifts), strict=True):
        real, dual = np.zeros(4), np.zeros(4)
        for q, t, share in zip(turns, shifts, w, strict=True):
            sign = -1 if q @ turns[w.argmax()] < 0 else 1
            real += sign * share * q
            dual += sign * share * 0.5 * multiply(np.array([0, *t]), q)
        if w.sum() == 0:
            np.testing.assert_array_equal(moved, p)
            continue
        real, dual = real / np.linalg.norm(real), dual / np.linalg.norm(real)
        shift = 2 * (real[0] * dual[1:] - dual[0] * real[1:] + np.cross(real[1:], dual[1:]))
        np.testing.assert_allclose(moved, rotate(real, p) + shift, atol=1e-12)


@BOTH
def test_a_skin_whose_bones_agree_moves_as_one(scene, blend):
    points, weights, turns, shifts = scene
    weights[:2, 0] = 1
    same = np.repeat(turns[:1], 4, 0) * [[1], [-1], [1], [-1]]  # a quaternion and its negative are one turn
    moved = blend(points, weights, same, np.repeat(shifts[:1], 4, 0))
    np.testing.assert_allclose(moved, rotate(turns[0], points) + shifts[0], atol=1e-12)


def test_a_twisted_limb_thins_by_linear_blending_and_keeps_its_girth_by_dual_quaternions():
    ring = np.array([[np.cos(a), np.sin(a), 0.0] for a in np.linspace(0, 2 * np.pi, 12, endpoint=False)])
    turns = np.stack([identity(), from_axis_angle([0.0, 0, 1], np.deg2rad(90))])
    halves = np.full((12, 2), 0.5)
    none = np.zeros((2, 3))
    np.testing.assert_allclose(np.linalg.norm(blend_linear(ring, halves, turns, none), axis=1), np.sqrt(0.5))
    np.testing.assert_allclose(np.linalg.norm(blend_dual_quaternions(ring, halves, turns, none), axis=1), 1.0)


def test_bones_carry_their_children_and_keep_their_heads():
    rig = Rig(("upper", "lower"), (-1, 0), [[0, 0, 0], [1, 0, 0]], [[1, 0, 0], [2, 0, 0]])
    local = np.stack([from_axis_angle([0.0, 0, 1], np.pi / 2), from_axis_angle([0.0, 0, 1], -np.pi / 2)])
    turns, shifts = bone_moves(Kinematics(rig), local)
    ends = rotate(turns, rig.tails) + shifts
    np.testing.assert_allclose(ends, [[0, 1, 0], [1, 1, 0]], atol=1e-12)
