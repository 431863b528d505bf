"""The unit frame: there and back, and where it puts a mesh."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from core.geometry.frame import unit_frame
from core.geometry.mesh import Mesh
from tests.core.geometry.soups import ball, cube


def turn(seed: int) -> np.ndarray:
    return Rotation.random(random_state=seed).as_matrix()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), power=st.floats(-25, 25))
def test_object_to_unit_and_back(seed, power):
    rng = np.random.default_rng(seed)
    size = 10.0**power
    mesh = Mesh(rng.normal(size=(9, 3)) * size, rng.integers(0, 9, (8, 3)))
    frame = unit_frame(mesh, turn(seed % 1000))
    points = rng.normal(size=(20, 3)) * size
    assert np.allclose(frame.to_object(frame.to_unit(points)), points, rtol=0, atol=1e-12 * size)


@pytest.mark.parametrize("seed", [None, 1, 2])
def test_the_longest_side_is_one_and_the_feet_are_on_the_ground(seed, rng):
    mesh = cube((3, -2, 5), (4, 7, 6))
    frame = unit_frame(mesh, None if seed is None else turn(seed))
    low, high = (f(frame.to_unit(mesh.vertices), axis=0) for f in (np.min, np.max))
    assert np.isclose((high - low).max(), 1)
    assert np.allclose([*(low + high)[:2], low[2]], 0)


def test_loose_vertices_do_not_count():
    mesh = ball(fineness=1)
    strewn = Mesh(np.concatenate([mesh.vertices, [[50, 0, 0]]]), mesh.faces)
    assert unit_frame(strewn).scale == unit_frame(mesh).scale


def test_directions_turn_but_do_not_move_or_grow(rng):
    frame = unit_frame(cube((0, 0, 0), (5, 2, 3)), turn(3))
    a, b = rng.normal(size=(2, 10, 3))
    assert np.allclose(frame.turn_to_object(b - a) * frame.scale, frame.to_object(b) - frame.to_object(a))


def test_frozen_copies():
    rotation = np.eye(3)
    frame = unit_frame(cube(), rotation)
    rotation[:] = 0
    assert np.array_equal(frame.rotation, np.eye(3))
    with pytest.raises(ValueError, match="read-only"):
        frame.origin[0] = 1
