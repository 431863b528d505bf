"""Hands of voxels: which finger is the thumb, hands without a forearm, wrists in sleeves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.detail.hand_solid import HandSolid, _around, _empty, _inside, hand_axes
from core.detail.hands import read_hand
from core.geometry.grid import Grid
from tests import shapes
from tests.characters.character import merge

STEP = 1 / 48


def block_hand(*, thumb: float = 0.25, wrist: float = -0.45, tips=(0.85, 0.95, 1.0, 0.95)) -> HandSolid:
    """A left hand: four fingers side by side from 0.5 to `tips`, and a thumb that leaves it at `thumb`."""
    grid = Grid(np.array([-0.5, -0.5, -0.2]), STEP, (76, 52, 20))
    x, y, z = np.moveaxis(grid.centres(np.argwhere(np.ones(grid.shape, bool))), 1, 0)
    flat = np.abs(z) < 0.06
    solid = flat & (x > wrist) & (np.abs(y) < 0.17) & (x < 0.5)
    for k, tip in enumerate(tips):
        solid |= flat & (x > 0.4) & (x < tip) & (np.abs(y - (k - 1.5) * 0.11) < 0.035)
    solid |= flat & (x > thumb - 0.1) & (x < thumb) & (y > 0) & (y < 0.4)
    solid |= flat & (x > thumb - 0.1) & (x < thumb + 0.4) & (np.abs(y - 0.4) < 0.05)
    return HandSolid(np.zeros(3), np.eye(3), 1.0, grid, solid.reshape(grid.shape))


@pytest.mark.parametrize("thumb", [0.25, 0.5])
def test_a_thumb_that_leaves_the_hand_as_late_as_the_little_finger_is_told_by_its_distance(thumb):
    hand = read_hand(block_hand(thumb=thumb), "L")
    assert [f.name for f in hand.fingers] == ["thumb", "index", "middle", "ring", "pinky"]
    assert hand.fingers[0].joints[-1, 1] > 0.3 > hand.fingers[1].joints[-1, 1] > hand.fingers[4].joints[-1, 1]


@pytest.mark.parametrize("tips", [(0.85, 0.95, 1.0, 0.95), (1.0, 0.95, 0.9, 0.85), (0.85, 0.9, 0.95, 1.0)])
@pytest.mark.parametrize(("y", "z"), [(1, 1), (-1, 1), (1, -1), (-1, -1)])
def test_the_palm_lies_where_the_thumb_tells_however_the_hand_lies_and_whichever_finger_is_longest(y, z, tips):
    """Where fingers cross thumb point to."""
    hand = block_hand(tips=tips)
    lies = replace(hand, solid=hand.solid[:, ::y, ::z])
    np.testing.assert_allclose(read_hand(lies, "L").palm, [0, 0, y], atol=0.05)


def test_a_hand_without_a_forearm_has_the_fingers_it_has_with_one():
    whole, alone = (read_hand(block_hand(wrist=wrist), "L") for wrist in (-0.45, 0.0))
    assert [f.name for f in alone.fingers] == [f.name for f in whole.fingers]
    for own, other in zip(alone.fingers, whole.fingers, strict=True):
        np.testing.assert_allclose(own.joints, other.joints, atol=0.03)


def test_a_wrist_in_a_sleeve_is_inside():
    arm, sleeve = shapes.capsule(0.2, 1.0).mesh, shapes.box((0.6, 0.6, 0.6)).mesh
    grid = Grid(np.array([-0.8, -0.8, -0.8]), 0.05, (32, 32, 32))
    inside = _inside(merge([arm, sleeve]), grid)
    np.testing.assert_array_equal(inside, _inside(arm, grid) | _inside(sleeve, grid))
    assert inside[tuple(grid.index_of(np.zeros((1, 3))).T)].all()


@pytest.mark.parametrize(("size", "centre", "stays"), [
    ((0.1, 0.1, 0.1), (0.5, 0.4, 0.0), True), ((0.8, 0.8, 0.8), (0.6, 0.0, -0.6), False),
    ((0.8, 0.8, 0.2), (0.6, 0.0, -0.6), False), ((0.8, 0.2, 0.2), (0.6, 0.0, -0.6), True),
    ((0.1, 0.1, 6.0), (0.5, 0.5, 0.0), False), ((0.1, 0.1, 6.0), (-0.2, 0.5, 0.0), True)],
    ids=["a ring", "a ball", "a book", "a stick", "a blade that passes by", "a staff behind the palm"])
def test_what_a_hand_holds_or_what_passes_by_is_left_out_and_what_is_thin_or_behind_is_not(size, centre, stays):
    hand, other = shapes.box((2.2, 0.4, 0.3), (-0.1, 0.0, 0.0)).mesh, shapes.box(size, centre).mesh
    left = _around(merge([hand, other]), np.zeros(3), np.eye(3), 1.0)
    alone = _around(hand, np.zeros(3), np.eye(3), 1.0)
    assert len(left.faces) > len(alone.faces) if stays else len(left.faces) == len(alone.faces)


def test_three_voxels_are_free_around_what_a_grid_is_for(rng):
    low, size = rng.uniform(-1, 0, 3), rng.uniform(0.1, 1, 3)
    grid, solid = _empty(low, low + size, STEP)
    np.testing.assert_allclose(grid.origin, low - 3 * STEP)
    beyond = (grid.origin + STEP * np.array(grid.shape) - low - size) / STEP
    assert (beyond >= 3 - 1e-6).all() and (beyond < 4).all() and solid.shape == grid.shape and not solid.any()


@pytest.mark.parametrize(("along", "across"), [((1, 0, 0), (0, -1, 0)), ((0, 0, -1), (0, -1, 0)),
                                               ((0.6, -0.8, 0), (-0.8, -0.6, 0)), ((0, -1, 0), (0, 0, 1)),
                                               ((0.28, -0.96, 0), (0, 0, 1)),
                                               ((0, 1, 0), (0, 0, 1)), ((0, -0.96, -0.28), (0, -0.28, 0.96))])
def test_a_hand_looks_to_the_front_or_up_if_it_points_there_and_both_hands_mirror(along, across):
    wrist, along = np.array([0.3, 0.2, 0.9]), np.array(along)
    left = hand_axes(wrist, wrist + 0.2 * along, "L")
    np.testing.assert_allclose(left, [along, across, np.cross(along, across)], atol=1e-12)
    mirror = np.diag([-1, 1, 1])
    right = hand_axes(mirror @ wrist, mirror @ (wrist + 0.2 * along), "R")
    np.testing.assert_allclose(right, left @ mirror, atol=1e-12)
