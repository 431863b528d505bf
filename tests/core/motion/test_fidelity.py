"""How much a transfer kept: all of it where nothing was changed, and by its own amount what was."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.geometry.rotation import from_axis_angle, multiply, rotate
from core.motion.body import body_of
from core.motion.clip_file import load_motion
from core.motion.contacts import ankle_of
from core.motion.fidelity import Fidelity, _divided_height, _hip_height, _rise, fidelity, standing
from tests.core.motion.bodies import moved_rig
from tests.limits import turning_point

CLIP = load_motion("walk")
BODY = body_of(CLIP.rig)
AROUND_X = np.array([1.0, 0, 0])
STILL = np.zeros(3)


def seen(local=CLIP.rotations, root=CLIP.root):
    turns = BODY.kinematics.turns(local)
    return turns, BODY.kinematics.heads(turns, root)


def compared(made, contacts=CLIP.contacts):
    return fidelity(BODY, BODY, seen(), made, contacts, CLIP.rate, STILL)


def turned(role: str, degrees) -> tuple[np.ndarray, np.ndarray]:
    """The walk with a bone turned further in the world by some degrees in each frame."""
    local = CLIP.rotations.copy()
    bone = BODY.roles[role]
    local[:, bone] = multiply(local[:, bone], from_axis_angle(AROUND_X, np.deg2rad(degrees) + np.zeros(len(local))))
    return seen(local)


def test_what_was_left_alone_is_kept():
    found = compared(seen())
    assert found.recall > 0.95 and found.precision > 0.95 and found.rise == 1 and not found.uneven
    assert found.arm == found.leg == found.leg_middle == found.pops == 0
    assert found.slide < 0.01 and found.float_ < 1 and found.warnings() == []


def test_a_bone_that_points_elsewhere_is_told_by_its_angle():
    made = list(seen())
    made[1] = made[1].copy()
    for side in "LR":  # both forearms, by 20 degrees about an axis at right angles to them
        elbow, hand = (BODY.roles[f"{x}.{side}"] for x in ("forearm", "hand"))
        along = made[1][:, hand] - made[1][:, elbow]
        axis = np.cross(along, AROUND_X)
        axis /= np.linalg.norm(axis, axis=1, keepdims=True)
        made[1][:, hand] = made[1][:, elbow] + rotate(from_axis_angle(axis, np.full(len(axis), np.deg2rad(20))), along)
    found = compared(tuple(made))
    assert found.arm == pytest.approx(20, abs=1e-6) and found.leg == 0
    assert any("by up to 20 degrees" in said for said in found.warnings())


def test_a_knee_that_jumps_is_counted_and_one_that_bends_further_is_not():
    jump = np.zeros(len(CLIP.root))
    jump[len(jump) // 2] = 30
    assert compared(turned("shin.L", jump)).pops == pytest.approx(2 * 1000 / len(CLIP.root))
    assert compared(turned("shin.L", 30)).pops == 0


def test_hips_that_rise_further_are_told_by_how_much():
    root = CLIP.root.copy()
    root[:, 2] = root[:, 2].mean() + 3 * (root[:, 2] - root[:, 2].mean())
    assert compared(seen(root=root)).rise == pytest.approx(3, rel=0.01)


def test_all_is_told_alike_in_units_of_any_size():
    """Of a walk that came from a belt, on which its feet slid a little, and that tips, bobs and slides further."""
    told = []
    for size in (0.01, 1.0, 100.0):
        body = body_of(moved_rig(CLIP.rig, size * np.eye(3)))
        turns, leg = body.kinematics.turns(CLIP.rotations), body.legs[0].reach
        time = np.arange(len(turns))[:, None] / CLIP.rate
        way = size * CLIP.root + 0.4 * leg * time * [1, 0, 0]
        wrong = way + leg * (0.02 * np.sin(7 * time) * [0, 0, 1] + 0.2 * time * [1, 0, 0])
        belt = size * CLIP.stride / CLIP.seconds
        tipped = multiply(from_axis_angle(AROUND_X, 0.1 * np.sin(9 * time[:, 0]))[:, None], turns)
        told.append(fidelity(body, body, (turns, body.kinematics.heads(turns, way)),
                             (tipped, body.kinematics.heads(tipped, wrong)), CLIP.contacts, CLIP.rate, belt).numbers())
    assert told[0] == told[1] == told[2]
    assert told[1]["recall"] > 0.9 and told[1]["slide"] > 0.5 and told[1]["rise"] != 1 and told[1]["leg"] > 1


@pytest.mark.parametrize(("of", "belt", "limit"), [("speed", 0.0, 0.3), ("speed", 2.0, 0.6), ("height", 0.0, 0.05),
                                                   ("time", 0.0, 0.06)])
def test_a_point_of_a_foot_stands_while_it_is_slow_and_low_for_a_moment(of, belt, limit):
    """Speeds and heights in legs; on a belt, that of the belt counts."""
    leg, rate, frames = BODY.legs[0], 100.0, 100
    time = np.arange(frames) / rate

    def stands(value: float) -> bool:
        way = np.zeros((frames, 3))
        if of == "speed":
            way[:, 0] = value * time
        if of == "height":
            way[50:, 2], way[:50, 0] = value, 9 * np.arange(50)  # it runs, and stays where it is higher
        if of == "time":
            way[:, 0] = 9 * np.maximum(time - value - 0.5, 0.0) - 9 * np.maximum(0.5 - time, 0.0)
        turns = np.tile([1.0, 0, 0, 0], (frames, len(BODY.rig.names), 1))
        return bool(standing(leg, (turns, BODY.rig.heads + leg.reach * way[:, None]), rate, belt * leg.reach)[0].any())

    assert turning_point(stands, 0.0, 1.0 if of == "speed" else 0.2) == pytest.approx(limit, rel=0.02, abs=0.011 * (
        of == "time"))


@pytest.mark.parametrize(("late", "are_right"), [(1, True), (2, False)])
def test_a_contact_may_begin_and_end_a_frame_late(late, are_right):
    """A thirtieth of a second, in which nobody knows."""
    known = np.roll(standing(BODY.legs[0], seen(), CLIP.rate, 0.0)[0], late)
    legs = [BODY.legs[0]]
    contacts = np.repeat(known[:, None], len(legs[0].pivots), axis=1)
    found = fidelity(replace(BODY, legs=legs), replace(BODY, legs=legs), seen(), seen(), contacts, CLIP.rate, STILL)
    assert (found.recall == 1, found.precision == 1) == (are_right, are_right)


def test_how_fast_the_sources_feet_slide_is_told_too():
    root = CLIP.root + np.outer(np.arange(len(CLIP.root)) / CLIP.rate * 0.2 * BODY.legs[0].reach, [1.0, 0, 0])
    found = fidelity(BODY, BODY, seen(root=root), seen(), CLIP.contacts, CLIP.rate, STILL)
    assert found.source_slide == pytest.approx(0.2, rel=0.1) and found.slide < 0.01


@pytest.mark.parametrize("way", [-1.0, 1.0])
def test_hips_that_leave_their_height_for_one_frame_in_a_hundred_do_not_rise(way):
    usual = 0.9 + 0.05 * np.sin(2 * np.pi * np.arange(1000) / 40)

    def is_told(frames: float) -> bool:
        odd = usual.copy()
        odd[:int(frames)] += 0.5 * way
        return _rise(usual, odd) > 2

    assert turning_point(is_told, 1, 100) == pytest.approx(10.5, abs=1.0)


def test_contacts_that_are_left_out_or_made_up_are_told():
    none, always = np.zeros_like(CLIP.contacts), np.ones_like(CLIP.contacts)
    assert compared(seen(), none).recall == 0 and compared(seen(), none).warnings()
    found = compared(seen(), always)
    assert found.recall == 1 and found.precision < 0.8


def test_a_foot_that_slides_is_told_by_its_speed():
    speed, leg = 0.5, BODY.legs[0].reach
    root = CLIP.root + np.outer(np.arange(len(CLIP.root)) / CLIP.rate * speed * leg, [1.0, 0, 0])
    assert compared(seen(root=root)).slide == pytest.approx(speed, rel=0.05)


def test_soles_off_the_ground_are_told_in_percent_of_the_leg():
    legs = []
    for leg in BODY.legs:
        low = BODY.ground + 0.02 * leg.reach - ankle_of(leg, *seen())[:, 2]
        legs.append(replace(leg, sole=SimpleNamespace(lowest=lambda *turns, low=low: low)))
    shod = replace(BODY, legs=legs)
    assert fidelity(BODY, shod, seen(), seen(), CLIP.contacts, CLIP.rate, STILL).float_ == pytest.approx(2)


def test_a_leg_divided_as_the_targets_is_as_high_as_it_is():
    for leg in BODY.legs:
        np.testing.assert_allclose(_divided_height(leg, leg, seen()), _hip_height(leg, leg, seen()), atol=1e-9)
        longer = replace(leg, vectors=leg.vectors * 1.7)
        np.testing.assert_allclose(_divided_height(leg, longer, seen()), _hip_height(leg, leg, seen()), atol=1e-9)


@pytest.mark.parametrize(("field", "words", "low", "high", "limit"), [
    ("recall", "Feet may stand", 0.5, 1.0, 0.95), ("precision", "Feet may stand", 0.5, 1.0, 0.95),
    ("slide", "Feet slide", 0.0, 0.3, 0.03), ("float_", "off the ground", 0.0, 5.0, 1.0),
    ("arm", "Arms differ", 0.0, 20.0, 3.0), ("leg_middle", "Legs differ", 0.0, 20.0, 3.0),
    ("leg", "Legs differ", 0.0, 30.0, 12.0), ("pops", "Knees bend faster", 0.0, 30.0, 5.0),
    ("rise", "The hips go up", 0.5, 1.0, 0.95), ("rise", "The hips go up", 1.0, 2.0, 1.1)])
def test_warnings_begin_at_a_limit(field, words, low, high, limit):
    said = lambda value: any(words in text for text in replace(Fidelity(), **{field: value}).warnings())  # noqa: E731
    assert Fidelity().warnings() == []
    assert turning_point(said, low, high) == pytest.approx(limit, rel=0.01)


def test_a_source_that_slides_itself_excuses_sliding_and_percents_are_of_what_they_say():
    assert not Fidelity(slide=0.2, source_slide=0.25).warnings() and Fidelity(slide=0.2, source_slide=0.1).warnings()
    assert "in 40 % of the frames in which they should, and 70 %" in Fidelity(recall=0.4, precision=0.7).warnings()[0]
    assert "in 2 % of the frames" in Fidelity(pops=20.0).warnings()[0]
    assert "on the spot" in Fidelity(uneven=True).warnings()[0]
    assert Fidelity(float_=1.23456).numbers()["float"] == 1.235
