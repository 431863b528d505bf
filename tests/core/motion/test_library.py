"""The library: written by its program, sound on its own skeleton, alive."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.rotation import angle, conjugate, multiply, swing_twist, to_vector
from core.motion.authoring.library import MOTIONS, author
from core.motion.body import body_of
from core.motion.clip_file import load_motion, motion_names
from core.motion.kinematics import Kinematics
from core.motion.retarget import Transfer
from tests.core.motion.measures import measure


@pytest.mark.long
@pytest.mark.parametrize("name", MOTIONS)
def test_the_files_are_what_the_program_writes(name):
    made, kept = author(name), load_motion(name)
    np.testing.assert_allclose(np.abs(np.einsum("tbi,tbi->tb", made.rotations, kept.rotations)), 1.0, atol=1e-9)
    np.testing.assert_allclose(made.root, kept.root, atol=1e-6)
    np.testing.assert_array_equal(made.contacts, kept.contacts)


def test_there_are_no_others():
    assert motion_names() == sorted(MOTIONS)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", MOTIONS)
def test_feet_stand_knees_bend_and_nothing_jumps(name):
    clip = load_motion(name)
    found = measure(clip, clip, Transfer(clip.rig, clip.rig))
    assert found.worst_slide < 1e-3 and found.sink < 1e-4 and found.hover < 1e-4 and found.flips == 0
    rotations = np.concatenate([clip.rotations, clip.rotations[:1]]) if clip.loop else clip.rotations
    steps = np.rad2deg(angle(multiply(rotations[1:], conjugate(rotations[:-1]))))
    assert steps.max() < 45
    assert np.rad2deg(angle(clip.rotations)).max() < 175


@pytest.mark.parametrize("name", ["walk", "run", "sneak"])
def test_hips_and_shoulders_turn_against_each_other_and_the_head_is_steady(name):
    clip = load_motion(name)
    body = body_of(clip.rig)
    turns = body.kinematics.turns(clip.rotations)
    yaw = {}
    for role in ("hips", "chest", "head"):
        twist = swing_twist(turns[:, body.roles[role]], np.array([0.0, 0, 1]))[1]
        twist = np.where(twist[:, :1] < 0, -twist, twist)
        yaw[role] = np.rad2deg(2 * np.arcsin(twist[:, 3]))
    assert np.corrcoef(yaw["hips"], yaw["chest"])[0, 1] < -0.5
    if name != "sneak":  # who sneaks looks around
        assert np.ptp(yaw["head"]) < 0.7 * min(np.ptp(yaw["hips"]), np.ptp(yaw["chest"]))


def test_arms_swing_against_the_legs_and_the_forearm_comes_later():
    clip = load_motion("walk")
    bend = lambda bone, axis: 2 * np.arcsin(clip.rotations[:, clip.rig.names.index(bone), axis])  # noqa: E731
    assert np.corrcoef(bend("upper_arm.L", 1), bend("thigh.L", 1))[0, 1] < -0.6
    assert np.corrcoef(bend("upper_arm.L", 1), bend("upper_arm.R", 1))[0, 1] < -0.6
    arm, elbow = bend("upper_arm.L", 1), -bend("forearm.L", 3)
    late = [np.corrcoef(-arm, np.roll(elbow, -k))[0, 1] for k in range(-8, 9)]
    assert 1 <= int(np.argmax(late)) - 8 <= 6


def test_feet_roll_from_heel_to_toe():
    clip = load_motion("walk")
    heel, ball = (clip.contacts[:, clip.feet.index(n)] for n in ("foot.L", "toe.L"))
    first = {name: int(np.argmax(c)) for name, c in (("heel", heel), ("ball", ball))}
    assert heel[0] and not ball[0] and first["ball"] > first["heel"]
    assert np.flatnonzero(ball).max() > np.flatnonzero(heel).max()


def test_gaits_put_their_feet_down_in_their_order():
    def order(name):
        clip = load_motion(name)
        downs = [
            (int(np.flatnonzero(c & ~np.roll(c, 1))[0]) / len(c), foot)
            for c, foot in zip(clip.contacts.T, clip.feet, strict=True)
        ]
        return [foot for _, foot in sorted(downs)], {f: t for t, f in downs}, clip

    feet, _, _ = order("quadruped_walk")
    start = feet.index("hind_foot.L")
    assert [feet[(start + k) % 4] for k in range(4)] == ["hind_foot.L", "front_foot.L", "hind_foot.R", "front_foot.R"]
    _, when, _ = order("quadruped_trot")
    assert (
        abs(when["hind_foot.L"] - when["front_foot.R"]) < 0.1
        and abs(when["hind_foot.R"] - when["front_foot.L"]) < 0.1
    )
    for name in ("quadruped_gallop", "horse_gallop", "centaur_gallop", "run", "bird_hop"):
        assert (~load_motion(name).contacts.any(1)).any(), f"{name} never leaves the ground"
    assert load_motion("walk").contacts.any(1).all() and load_motion("quadruped_walk").contacts.any(1).all()


def test_the_jump_falls_as_fast_as_things_fall():
    clip = load_motion("jump")
    air = ~clip.contacts.any(1)
    height = clip.root[air, 2][1:-1]
    fall = np.diff(height, 2) * clip.rate**2
    assert np.median(fall) == pytest.approx(-5.6, rel=0.35)  # g for someone 1.75 m tall, one unit high


@pytest.mark.parametrize("name", ["quadruped_gallop", "horse_gallop"])
def test_a_tail_does_not_go_with_the_hips(name):
    clip = load_motion(name)
    kinematics = Kinematics(clip.rig)
    turns = kinematics.turns(clip.rotations)
    pitch = {bone: np.rad2deg(to_vector(turns[:, clip.rig.names.index(bone)]))[:, 0] for bone in ("hips", "tail")}
    assert np.ptp(pitch["tail"]) < 22 and np.corrcoef(pitch["tail"], pitch["hips"])[0, 1] < 0.9
    assert np.abs(pitch["tail"]).max() < 20, "and streams behind as it rests"


@pytest.mark.parametrize("name", ["quadruped_walk"])
def test_a_walk_sets_down_its_feet_a_quarter_of_a_round_apart(name):
    clip = load_motion(name)
    down = {foot: np.flatnonzero(stands & ~np.roll(stands, 1))[0] / len(stands)
            for foot, stands in zip(clip.feet, clip.contacts.T, strict=True)}
    order = [next(at for foot, at in down.items() if foot.startswith(start) and foot.endswith(side))
             for start, side in (("hind", "L"), ("front", "L"), ("hind", "R"), ("front", "R"))]
    np.testing.assert_allclose(np.diff(order), 0.25, atol=1 / len(clip.root))
    assert ((clip.contacts.mean(0) >= 0.6) & (clip.contacts.mean(0) <= 0.7)).all()
