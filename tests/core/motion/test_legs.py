"""Legs that reach: exactly where they can, as near as they can elsewhere, never through their own knee."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.geometry.rotation import angle, from_axis_angle, from_vector, identity, rotate
from core.motion.body import body_of, turned_ankle
from core.motion.contacts import ankle_of
from core.motion.hold import _step
from core.motion.legs import BALL, _pivots, _signs, find_legs, ground_height, reach_for
from core.motion.sole import Sole
from core.skeleton.bone_map import find_roles
from core.skeleton.rig import Rig
from tests.characters import bird, quadruped
from tests.core.motion.bodies import grown_rig, preset_rig, reordered


def legs_of(rig):
    return find_legs(rig, find_roles(rig), ground_height(rig, find_roles(rig)))


RIGS = {
    "person": lambda: preset_rig("biped"),
    "dog": lambda: grown_rig(quadruped(species="dog", vertices=300), "quadruped"),
    "horse": lambda: grown_rig(quadruped(species="horse", vertices=300), "horse"),
    "bird": lambda: grown_rig(bird(vertices=300), "biped"),
}


def end(leg, turns) -> np.ndarray:
    return rotate(turns, leg.vectors).sum(1)


@pytest.mark.parametrize("kind", RIGS)
def test_a_leg_reaches_every_place_it_can(kind, rng):
    for leg in legs_of(RIGS[kind]()):
        count = 300
        start = np.broadcast_to(from_vector(rng.normal(size=(count, 1, 3)) * 0.2), (count, len(leg.chain), 4))
        far = rng.uniform(1.05 * leg.shortest, 0.995 * leg.reach, count)
        way = rng.normal(size=(count, 3)) * [0.4, 0.6, 0.3] - [0, 0, 1]
        target = far[:, None] * way / np.linalg.norm(way, axis=1, keepdims=True)
        found = reach_for(leg, start, np.zeros((count, 3)), target)
        np.testing.assert_allclose(end(leg, found), target, atol=2e-6 * leg.reach)


@pytest.mark.parametrize("first", ["foot.L", "toe.R", "shin.L", "thigh.R"])
def test_a_leg_ends_where_its_foot_begins_whatever_bone_comes_first_and_wherever_its_own_bones_end(first):
    whole = preset_rig("biped")
    stubs, _ = reordered(replace(whole, tails=whole.heads + [0, 0.05, 0], joints={}), first)
    for leg in legs_of(stubs):
        foot = stubs.names.index(leg.name.replace("leg", "foot"))
        np.testing.assert_array_equal(turned_ankle(stubs, leg), stubs.heads[foot])


def test_out_of_reach_it_points_there_stretched():
    leg = legs_of(preset_rig("biped"))[0]
    target = np.array([[0.1, -0.9, -1.2]])
    found = reach_for(leg, identity(1, 2), np.zeros((1, 3)), target)[0]
    there = end(leg, found[None])[0]
    assert np.linalg.norm(there) == pytest.approx(leg.reach, rel=1e-3)
    np.testing.assert_allclose(there / np.linalg.norm(there), target[0] / np.linalg.norm(target), atol=1e-9)


def sole_of(points) -> Sole:
    """Points (N, 3) from the ankle, all of which follow the foot."""
    return Sole(np.concatenate([np.transpose(points), np.zeros((6, len(points)))]))


@pytest.mark.parametrize("size", [0.02, 1.0, 50.0])
@pytest.mark.parametrize(("rear", "heel"), [(0.01, 0.01), (0.2, 0.03)])
def test_a_heel_lies_no_farther_back_than_the_sole_and_three_tenths_of_the_way_to_the_ball(size, rear, heel):
    rig = Rig(("shin", "foot", "toe"), [-1, 0, 1], size * np.array([[0, 0, 0.5], [0, 0, 0.1], [0, -0.1, 0.02]]),
              size * np.array([[0, 0, 0.1], [0, -0.1, 0.02], [0, -0.15, 0.02]]))
    sole = sole_of(size * np.array([[x, y, -0.1] for x in (-0.03, 0.03) for y in (rear, -0.15)]))
    stands, _, _ = _pivots(rig, [0], 1, 2, rig.heads[1], 0.0, sole, True)
    np.testing.assert_allclose(stands[1], size * np.array([0, heel, -0.1]), atol=1e-9 * size)
    np.testing.assert_allclose(stands[2], size * np.array([0, -0.1, -0.1]), atol=1e-9 * size)


@pytest.mark.parametrize("size", [0.02, 1.0, 50.0])
def test_a_foot_without_toes_stands_in_the_middle_of_its_sole_and_before_it_from_heel_to_tip(size):
    rig = Rig(("shin", "foot"), [-1, 0], size * np.array([[0, 0, 0.5], [0, 0, 0.1]]),
              size * np.array([[0, 0, 0.1], [0, -0.1, 0.02]]))
    low = [[x, y, -0.1] for x in (-0.02, 0.06) for y in (0.05, -0.15)]
    higher = [[0.3, 0.4, -0.1 + 0.04 * 0.4], [-0.3, -0.4, 0.0]]  # no part of what stands on the ground
    stands, toe_at, _ = _pivots(rig, [0], 1, -1, rig.heads[1], 0.0, sole_of(size * np.array([*low, *higher])), True)
    np.testing.assert_allclose(stands[1], size * np.array([0.02, 0.05 - 0.2 * BALL, -0.1]), atol=1e-9 * size)
    assert toe_at is None


def test_what_is_already_there_is_left_alone():
    leg = legs_of(preset_rig("biped"))[0]
    start = np.broadcast_to(from_axis_angle(np.array([1.0, 0, 0]), np.linspace(-0.5, 0.5, 9))[:, None], (9, 2, 4))
    found = reach_for(leg, start, np.zeros((9, 3)), end(leg, start))
    assert angle(found - start + identity(9, 2)).max() < 1e-9


def test_knees_bend_backwards_and_hocks_forwards():
    assert [leg.signs.tolist() for leg in legs_of(preset_rig("horse"))][2:] == [[1.0, -1.0], [1.0, -1.0]]
    for leg in legs_of(preset_rig("biped")):
        short = reach_for(leg, identity(1, 2), np.zeros((1, 3)), np.array([[0, 0, -0.6 * leg.reach]]))
        knee = rotate(short[0, 0], leg.vectors[0])
        assert knee[1] < -0.1 * leg.reach  # the knee goes forward: facing is -Y


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_the_ground_is_under_the_end_of_a_toe_unless_that_points_far_down_whatever_the_unit(size):
    rig = preset_rig("biped")
    low, tails = rig.heads[:, 2].min(), np.array(rig.tails)
    tails[[rig.names.index(f"toe.{side}") for side in "LR"], 2] = low - np.array([0.02, 0.5]) * np.ptp(rig.heads[:, 2])
    body = Rig(rig.names, rig.parents, size * rig.heads, size * tails, rig.x_axes)
    assert ground_height(body, find_roles(body)) == pytest.approx(size * tails[rig.names.index("toe.L"), 2])


def test_a_bird_walks_on_its_toes():
    leg, _ = legs_of(grown_rig(bird(vertices=300), "biped"))
    assert len(leg.chain) == 3 and leg.toe == -1 and len(leg.pivots) == 1


def test_hind_legs_alone_carry_the_place_of_who_has_four_and_any_two_of_who_has_two():
    assert [leg.name[:4] for leg in body_of(preset_rig("quadruped")).pelvis] == ["hind", "hind"]
    assert [leg.name[:3] for leg in body_of(preset_rig("biped")).pelvis] == ["leg", "leg"]
    dog = body_of(preset_rig("quadruped"))
    front = replace(dog, legs=[leg for leg in dog.legs if leg.name.startswith("front")])
    assert front.pelvis == front.legs and len(front.legs) == 2


def test_pivots_lie_on_the_ground():
    for name in ("biped", "quadruped", "horse", "centaur"):
        body = body_of(preset_rig(name))
        for leg in body.legs:
            ankle = body.rig.heads[leg.foot]
            for offset in leg.pivots.values():
                assert (ankle + offset)[2] == pytest.approx(body.ground)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", ["person", "bird"])
def test_where_arrays_lie_in_memory_plays_no_part(kind, rng):
    leg = legs_of(RIGS[kind]())[0]
    start = from_vector(rng.normal(size=(384, len(leg.chain), 3)) * 0.3)
    target = [0, 0, -0.8 * leg.reach] + 0.1 * leg.reach * rng.normal(size=(384, 3))
    kept = []
    for run in range(60):  # everything is kept, so that each run finds memory elsewhere
        kept.append(np.empty(int(rng.integers(1, 5000)), np.int8))
        kept.append(reach_for(leg, start, np.zeros((384, 3)), target))
        assert np.array_equal(kept[1], kept[-1]), run


def test_a_pivot_that_takes_over_is_eased_in_and_nothing_jumps():
    """A heel that slides forward, and toes that stand from half-way on and slide back."""
    frames = np.arange(20)
    raw = np.zeros((20, 2, 3))
    raw[:, 0, 1], raw[:, 1, 1] = 0.01 * frames, 0.3 - 0.01 * frames
    contacts = np.stack([frames < 12, frames >= 6], 1)
    out = _step(raw, contacts, 0.0)
    held = raw + out[:, None]
    np.testing.assert_allclose(held[:6, 0], held[[0] * 6, 0], atol=1e-12)
    np.testing.assert_allclose(held[12:, 1], held[[12] * 8, 1], atol=1e-12)
    assert np.abs(np.diff(out, axis=0)).max() < 0.04, "no jump, though the two pull apart by 2 hundredths a frame"
    between = np.abs(out[6:12, 1] - (out[5, 1] - 0.01 * np.arange(1, 7)))
    assert (np.diff(between) > 0).all(), "from the heel's correction on, further towards the toes' in every frame"


@pytest.mark.sweep(1)
@pytest.mark.parametrize("kind", RIGS)
@pytest.mark.parametrize("last", ["foot", "shin"])
def test_a_leg_ends_at_its_foot_or_without_one_where_its_last_bone_does(kind, last):
    rig = RIGS[kind]()
    kept = [i for i, name in enumerate(rig.names) if last == "foot" or not name.startswith(("foot", "toe"))]
    number = {old: new for new, old in enumerate(kept)}
    rig = Rig(tuple(rig.names[i] for i in kept), np.array([number.get(int(rig.parents[i]), -1) for i in kept]),
              rig.heads[kept], rig.tails[kept])
    for leg in legs_of(rig):
        stood = rig.heads[leg.chain[0]] + leg.vectors.sum(0)
        np.testing.assert_allclose(turned_ankle(rig, leg), stood, atol=1e-9)
        np.testing.assert_allclose(ankle_of(leg, identity(len(rig.names)), rig.heads), stood, atol=1e-9)


def test_a_hinge_bends_as_it_does_at_rest_or_where_it_is_nearly_straight_as_its_kind_does():
    def signs(name, *bends):
        angle = np.cumsum([0.0, *np.arcsin(bends)])
        vectors = np.array([1.0, 2.0, 0.5])[:len(angle), None] * np.stack([0 * angle, np.sin(angle), np.cos(angle)], 1)
        return _signs(name, vectors, np.array([-1.0, 0.0, 0.0])).tolist()

    assert signs("front_leg.L", 0.08, -0.08) == [1.0, -1.0] and signs("front_leg.L", -0.08, 0.08) == [-1.0, 1.0]
    assert signs("front_leg.L", -0.06, 0.06) == [1.0, -1.0], "so little is straight"
    assert signs("leg.L", -0.5) == [1.0], "a person's knee bends back"


@pytest.mark.parametrize("end, pivot", [
    ((0.0, -0.15, -0.05), (0.0, -0.15)),  # as long as a foot may be: its own end
    ((0.0, -0.5, 0.0), (0.0, -0.13)),  # too long
    ((0.3, -0.4, 0.0), (0.078, -0.104)),  # and turned out
    ((0.0, 0.1, 0.0), (0.0, -0.13)),  # backwards
    ((0.0, 0.0, 0.1), (0.0, -0.13)),  # up
    ((0.02, -0.02, -0.1), (0.0, -0.13)),  # so short that it says nothing of where the foot points
    ((0.05, -0.05, -0.1), (0.05, -0.05)),
])
def test_a_foot_without_toes_rolls_over_a_place_ahead_of_the_ankle(end, pivot):
    heads = np.array([[0, 0, 1.0], [0.1, 0, 0.9], [0.1, 0, 0.5], [0.1, 0, 0.1], [-0.1, 0, 0.9], [-0.1, 0, 0.5],
                      [-0.1, 0, 0.1]])
    tails = np.array([[0, 0, 1.1], heads[2], heads[3], heads[3] + end, heads[5], heads[6], heads[6] + end])
    names = ("hips", "thigh.L", "shin.L", "foot.L", "thigh.R", "shin.R", "foot.R")
    rig = Rig(names, np.array([-1, 0, 1, 2, 0, 4, 5]), heads, tails)
    legs = find_legs(rig, dict(zip(names, range(7), strict=True)), 0.0)
    assert [leg.name for leg in legs] == ["leg.L", "leg.R"]
    for leg in legs:
        np.testing.assert_allclose(leg.pivots[leg.foot], [*pivot, -0.1], atol=1e-12)
