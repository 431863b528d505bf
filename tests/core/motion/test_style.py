"""Styles: at rest the very motion that ships, at their ends still motions whose feet stand."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.errors import BadMotion
from core.geometry.rotation import angle, conjugate, multiply, rotate, to_vector
from core.motion.authoring.library import MOTIONS, author, styled
from core.motion.authoring.stage import Stage
from core.motion.authoring.style import Style, style_of
from core.motion.body import body_of
from core.motion.clip_file import load_motion
from core.motion.retarget import Transfer
from core.skeleton.rig import Rig
from tests.core.motion.measures import measure


@pytest.mark.long
def test_without_a_style_a_motion_is_itself():
    clip = load_motion("walk")
    assert styled(clip, Style()) is clip
    np.testing.assert_array_equal(author("walk").rotations, author("walk", style_of("energy=0")).rotations)


@pytest.mark.sweep(6)
@pytest.mark.parametrize("style", ["energy=1,width=1,mood=1", "energy=-1,width=-1,mood=-1", "energy=1,mood=-1"])
@pytest.mark.parametrize("name", MOTIONS)
def test_at_their_ends_feet_stand_and_nothing_jumps(name, style):
    clip = author(name, style_of(style))
    found = measure(clip, clip, Transfer(clip.rig, clip.rig))
    assert found.worst_slide < 1e-3 and found.sink < 1e-4 and found.hover < 1e-4 and found.flips == 0
    rotations = np.concatenate([clip.rotations, clip.rotations[:1]]) if clip.loop else clip.rotations
    assert np.rad2deg(angle(multiply(rotations[1:], conjugate(rotations[:-1])))).max() < 60


def spread(clip):
    heads = body_of(clip.rig).kinematics.heads(body_of(clip.rig).kinematics.turns(clip.rotations), clip.root)
    left, right = (heads[:, clip.rig.names.index(f"foot.{s}")] for s in "LR")
    return float(np.mean(left[:, 0] - right[:, 0]))


def bow(clip):
    body = body_of(clip.rig)
    up = rotate(body.kinematics.turns(clip.rotations)[:, body.roles["head"]], np.array([0.0, 0.0, 1.0]))
    return float(np.mean(-up[:, 1]))


def pace(clip):
    return float(np.linalg.norm(clip.stride)) / clip.seconds


def swing(clip):
    return float(np.rad2deg(angle(clip.rotations[:, clip.rig.names.index("upper_arm.L")])).std())


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("key", "of"), [("energy", swing), ("energy", pace), ("width", spread), ("mood", pace)])
def test_more_of_it_is_more(key, of):
    low, plain, high = (of(author("walk", Style(**{key: value}))) for value in (-1.0, 0.0, 1.0))
    assert low < plain < high


@pytest.mark.long
def test_with_all_energy_a_walk_is_a_third_faster_as_much_by_longer_as_by_quicker_steps():
    plain, *ends = (author("walk", Style(energy=energy)) for energy in (0.0, 1.0, -1.0))
    for clip, faster in zip(ends, (4 / 3, 3 / 4), strict=True):
        assert pace(clip) / pace(plain) == pytest.approx(faster, rel=0.02)
        assert plain.seconds / clip.seconds == pytest.approx(np.sqrt(faster), rel=0.03)


# Degrees that who is as tired, or as happy, as can be leans further forward with each joint of the back.
TIRED = {"hips": 2, "spine": 7, "chest": 10, "neck": 5, "head": 5}
HAPPY = {"hips": 0, "spine": -2, "chest": -5, "neck": -1, "head": -2}


@pytest.mark.long
def test_the_tired_hang_their_heads_and_the_happy_are_upright_by_as_much_as_they_are():
    plain = author("idle")
    roles = body_of(plain.rig).roles
    for mood, leans, shoulder in ((-1.0, TIRED, (5, -9)), (-0.5, TIRED, (5, -9)), (1.0, HAPPY, (-2, 5)),
                                  (0.5, HAPPY, (-2, 5))):
        other = author("idle", Style(mood=mood))
        turned = np.rad2deg(to_vector(multiply(conjugate(plain.rotations), other.rotations)).mean(0))
        for role, most in leans.items():
            np.testing.assert_allclose(turned[roles[role]], [abs(mood) * most, 0, 0], atol=0.05, err_msg=role)
        for side, sign in (("L", 1), ("R", -1)):  # shoulders sink and come forward, or rise and go back
            np.testing.assert_allclose(sign * turned[roles[f"shoulder.{side}"], 1:], np.abs(mood) * np.array(shoulder),
                                       atol=0.05)


@pytest.mark.long
@pytest.mark.parametrize("name", ["idle", "walk"])
def test_feet_go_apart_by_more_than_they_come_together(name):
    """Of a leg, for both: 0.24 apart, 0.1 together, along the line between feet that point outward."""
    plain = author(name)
    leg = np.mean([leg.length for leg in body_of(plain.rig).legs])
    for width, most in ((1.0, 0.24), (0.5, 0.24), (-0.5, 0.1), (-1.0, 0.1)):
        apart = (spread(author(name, Style(width=width))) - spread(plain)) / leg
        assert apart == pytest.approx(width * most, rel=0.05)


@pytest.mark.parametrize("text", ["energy", "energy=x", "joy=1", "energy=2", "mood=nan"])
def test_what_is_no_style_is_told(text):
    with pytest.raises(BadMotion, match="style"):
        style_of(text)


@pytest.mark.slow
def test_the_tired_are_lower_and_the_happy_are_not():
    def height(style):
        return float(np.mean(author("idle", style_of(style)).root[:, 2]))
    leg = np.mean([leg.length for leg in body_of(load_motion("idle").rig).legs])
    assert height("mood=-1") - height("mood=0") == pytest.approx(-0.02 * leg, rel=0.3)
    assert height("mood=1") == pytest.approx(height("mood=0"), abs=0.01 * leg)


@pytest.mark.long
def test_animals_hang_their_heads_where_tired_and_lift_them_where_happy():
    """By what each degree of mood is worth: half as tired lowers the neck as far as happy raises it, the head half
    as far, and the tail too."""
    clips = {mood: author("quadruped_walk", Style(mood=mood)) for mood in (-0.5, 0.0, 1.0)}
    roles = body_of(clips[0.0].rig).roles
    bow = {mood: to_vector(multiply(conjugate(clips[0.0].rotations), clip.rotations))[..., 0].mean(0)
           for mood, clip in clips.items()}
    for role, share in (("neck", 1.0), ("head", 0.5)):
        assert bow[1.0][roles[role]] < -np.deg2rad(3)
        assert bow[-0.5][roles[role]] == pytest.approx(-share * bow[1.0][roles[role]], rel=0.1)
    assert bow[1.0][roles["tail"]] > np.deg2rad(10)
    assert bow[-0.5][roles["tail"]] == pytest.approx(-bow[1.0][roles["tail"]] / 2, rel=0.02)


@pytest.mark.parametrize(("foot", "place"), [(1, 0.2), (-1, 0.1)])
def test_an_ankle_is_where_the_foots_bone_begins_or_the_leg_ends_without_one(foot, place):
    rig = Rig(("shin", "foot"), [-1, 0], [[0, 0, 0.5], [0, 0, 0.2]], [[0, 0, 0.1], [0, -0.1, 0.0]])
    stage = SimpleNamespace(legs={"leg.L": SimpleNamespace(foot=foot, chain=(0,))}, rig=rig)
    assert Stage.flat_ankle(stage, "leg.L")[2] == place
