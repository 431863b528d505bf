"""Where a creature's legs stand on a walk, how far its hips come down for them, and how far they step."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.motion.made import _drawn_in, _drop, _room
from tests.limits import turning_point

UP, FRONT, ASIDE = np.eye(3)[[2, 1, 0]]
SIZES = pytest.mark.parametrize("size", [1.0, 50.0])


def leg(height: float, across: float, *, size: float = 1.0, shortest: float = 0.0):
    """A leg of a length that stands so far below its hip and beside it, in two bones that bend ahead."""
    way, turned = across * ASIDE - height * UP, FRONT * np.sqrt(max(1 - height**2 - across**2, 0.0)) / 2
    return SimpleNamespace(vectors=size * np.stack([way / 2 + turned, way / 2 - turned]), reach=size,
                           shortest=size * shortest)


@SIZES
def test_a_leg_that_stands_under_its_hip_or_little_aside_stays_and_one_stretched_out_is_drawn_in(size):
    for height, across in ((0.5, 0.3), (0.3, 0.7), (0.9, 0.0), (0.9, 0.3)):
        one = leg(height, across, size=size)
        np.testing.assert_allclose(_drawn_in(one, UP), one.vectors.sum(0))
    for height, across in ((0.5, 0.7), (0.1, 0.9), (0.3, -0.9)):
        found = _drawn_in(leg(height, across, size=size), UP) / size
        assert np.linalg.norm(found) == pytest.approx(0.8)
        np.testing.assert_allclose([found @ UP, found @ FRONT], [-height, 0], atol=1e-12)
        assert np.sign(found @ ASIDE) == np.sign(across), "on its own side"


@SIZES
def test_a_hip_comes_down_until_its_leg_is_bent(size):
    for height, across in ((0.99, 0.0), (0.95, 0.3), (0.5, 0.2)):
        rise = size * (height * UP + across * ASIDE)
        down = rise - _drop(leg(height, across, size=size), rise, UP) * UP
        assert np.linalg.norm(down) == pytest.approx(0.9 * size)
    assert _drop(leg(0.5, 0.9, size=size), size * (0.5 * UP + 0.95 * ASIDE), UP) == pytest.approx(0.5 * size)


@SIZES
def test_a_step_uses_much_of_the_room_that_a_leg_has_ahead_and_behind_and_no_more_than_it_is_long(size):
    def room(height: float, across: float = 0.0, along: float = 0.0, shortest: float = 0.0) -> float:
        rise = size * (height * UP + across * ASIDE + along * FRONT)
        return _room(leg(height, across, size=size, shortest=shortest), rise, FRONT) / size

    assert room(0.5) == pytest.approx(0.4), "a share of the leg"
    assert room(0.95) == pytest.approx(1.5 * np.sqrt(0.96**2 - 0.95**2))
    assert room(0.5, 0.8) == pytest.approx(1.5 * np.sqrt(0.96**2 - 0.5**2 - 0.8**2))
    ahead = np.sqrt(0.96**2 - 0.8**2)
    assert room(0.8, 0, 0.4) == room(0.8, 0, -0.4) == pytest.approx(1.5 * (ahead - 0.4)), "as far as both ways go"
    assert room(0.97) == 0
    folds = lambda shortest: room(0.3, along=0.5, shortest=shortest) == pytest.approx(0.4)  # noqa: E731
    assert turning_point(folds, 0.2, 0.5) == pytest.approx(np.hypot(0.3, 0.5 - 0.4 / 1.5) / 1.05, abs=0.001)
    assert room(0.3, along=0.5, shortest=0.5) == pytest.approx(1.5 * (0.5 - np.sqrt((1.05 * 0.5)**2 - 0.3**2)))
