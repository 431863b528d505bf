"""Gaits made to measure: as fast as asked, on feet that stand, walking or running as bodies of that size do."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.errors import BadMotion
from core.geometry.rotation import rotate
from core.motion.authoring.library import gait, rig_like
from core.motion.authoring.pace import CHANGE, GroundSpeed, pace_at, speed_of
from core.motion.authoring.style import Style
from core.motion.body import body_of
from core.motion.clip_file import load_motion
from core.motion.retarget import RetargetOptions, Transfer, retarget
from tests.core.motion.bodies import person_rig
from tests.core.motion.measures import measure

LEG = 0.9
SPEEDS = [0.7, 1.3, 2.0, 3.5, 7.0]  # metres a second


@cache
def made(speed: float, rate: float = 30.0):
    return gait("walk", GroundSpeed("metres", speed), LEG, rate)


def knees(clip):
    body = body_of(clip.rig)
    turns = body.kinematics.turns(clip.rotations)
    u, v = np.moveaxis(rotate(turns[:, list(body.legs[0].chain)], body.legs[0].vectors), 1, 0)
    return np.rad2deg(np.arccos((u * v).sum(1) / np.linalg.norm(u, axis=1) / np.linalg.norm(v, axis=1)))


@pytest.mark.sweep(2)
@pytest.mark.parametrize("speed", SPEEDS)
def test_feet_stand_and_the_speed_is_kept(speed):
    clip = made(speed)
    length = body_of(clip.rig).legs[0].length
    assert -clip.stride[1] / length * LEG / clip.seconds == pytest.approx(speed)
    found = measure(clip, clip, Transfer(clip.rig, clip.rig))
    assert found.worst_slide < 1e-6 and found.sink < 1e-4 and found.hover < 1e-4 and found.flips == 0
    flies = bool((~clip.contacts.any(1)).any())
    assert flies == (speed > 2.1) and clip.name == ("run" if flies else "walk")


def test_on_another_body_the_speed_is_that_bodys():
    rig = person_rig(2)
    source = rig_like(None)
    leg = Transfer(source, rig, RetargetOptions()).scale * body_of(source).legs[0].length
    out = retarget(gait("walk", GroundSpeed("metres", 1.1), leg, 24.0), rig)
    assert np.linalg.norm(out.stride) / out.seconds == pytest.approx(1.1)


def test_a_body_with_other_legs_gets_a_walk_made_for_them():
    leg = body_of(person_rig(2)).legs[0]
    own = body_of(gait("walk", GroundSpeed("natural"), LEG, 30.0, like=leg).rig).legs[0]
    for of in (lambda x: np.linalg.norm(x.vectors[0]), lambda x: x.height, lambda x: x.offsets[-1, 1]):
        assert of(own) / own.reach == pytest.approx(of(leg) / leg.reach, rel=0.03)


def test_faster_is_longer_and_stands_shorter():
    for speeds in (np.linspace(0.1, CHANGE, 7), np.linspace(CHANGE + 0.01, 3.2, 9)):
        paces = [pace_at(v) for v in speeds]
        assert (np.diff([p.stride for p in paces]) > 0).all() and (np.diff([p.seconds for p in paces]) < 0).all()
        assert (np.diff([p.duty for p in paces]) < 0).all()
    assert pace_at(CHANGE).duty > 0.5 > pace_at(CHANGE + 0.01).duty


@pytest.mark.parametrize("speed", [2.3, 3.5])
def test_knees_of_who_runs_are_a_runners(speed):
    clip = made(speed, 120.0)
    knee, standing = knees(clip), clip.contacts[:, :2].any(1)
    duty = standing.mean()
    assert 12 < knee[0] < 26 and 38 < knee[:int(duty * len(knee) * 0.7)].max() < 48  # lands, and at midstance
    assert 70 < knee.max() < 110 and 0.35 < knee.argmax() / len(knee) < 0.8
    steps = np.diff(np.append(knee, knee[:2]))
    turns = np.flatnonzero(np.diff(np.sign(steps[np.abs(steps) > 1])))
    assert len(turns) <= 4 and np.abs(np.diff(knee)).max() < 9  # down, up, down: nothing in between
    air = np.flatnonzero(~clip.contacts.any(1))
    air = air[air < len(knee) // 2]
    fall = np.diff(clip.root[air, 2], 2).mean() * clip.rate**2 / body_of(clip.rig).legs[0].length * LEG
    assert fall == pytest.approx(-9.81, rel=0.3)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("speed", [0.9, 1.3, 1.9])
def test_knees_of_who_walks_give_at_landing_and_swing_once(speed):
    clip = made(speed, 120.0)
    knee, duty = knees(clip), clip.contacts[:, :2].any(1).mean()
    count = len(knee)
    assert knee[0] < 12 and 10 < knee[:int(0.2 * count)].max() < 26 and 45 < knee.max() < 75
    assert duty < knee.argmax() / count < 0.85 and np.abs(np.diff(knee)).max() < 12


# Degrees at each twentieth of a stride of adults who walk as they like (Winter 1991, Perry 1992): the thigh against the
# vertical, the knee, the foot against the shin.
THIGH = [23, 22, 19, 15, 11, 6, 1, -4, -9, -14, -18, -18, -11, -1, 9, 16, 21, 24, 25, 24]
KNEE = [4, 10, 16, 18, 17, 13, 9, 6, 5, 7, 12, 22, 36, 51, 61, 62, 54, 40, 22, 7]
ANKLE = [0, -4, -4, -1, 2, 4, 6, 7, 9, 9, 6, -2, -14, -19, -13, -6, -2, 0, 1, 0]


def leg_angles(clip):
    """(3, 20) of the left leg: thigh, knee and ankle at each twentieth of a round, degrees."""
    body = body_of(clip.rig)
    leg, turns = body.legs[0], body.kinematics.turns(clip.rotations)
    lean = lambda ways: np.rad2deg(np.arctan2(-ways[:, 1], -ways[:, 2]))  # noqa: E731 - one line, used twice
    thigh, shin = (lean(w) for w in np.moveaxis(rotate(turns[:, list(leg.chain)], leg.vectors), 1, 0))
    before, after = (np.rad2deg(np.arctan2(-w[..., 2], -w[..., 1])) for w in (
        leg.toe_at, rotate(turns[:, leg.foot], leg.toe_at)))
    times = np.arange(20) / 20 * len(thigh)
    return np.array([np.interp(times, np.arange(len(thigh)), one, period=len(thigh))
                     for one in (thigh, thigh - shin, before - after - shin)])


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", [None, 2, 5])
def test_legs_of_who_walks_go_through_the_angles_that_are_published(seed):
    clip = load_motion("walk")
    found = leg_angles(clip if seed is None else retarget(clip, person_rig(seed)))
    apart = np.sqrt(((found - [THIGH, KNEE, ANKLE])**2).mean(1))
    assert apart[0] < 4 and apart[1] < 5 and apart[2] < 10
    assert found[1][:5].max() < 24, "as the foot takes the weight; about 18"


@pytest.mark.slow
def test_a_style_leaves_the_speed_and_changes_the_steps():
    plain, lively = made(1.3), gait("walk", GroundSpeed("metres", 1.3), LEG, 30.0, Style(energy=1.0))
    assert lively.stride[1] < 1.1 * plain.stride[1]  # towards -Y
    assert lively.stride[1] / lively.seconds == pytest.approx(plain.stride[1] / plain.seconds)


@pytest.mark.slow
def test_natural_is_froudes_and_legs_leave_sizes_out():
    small, large = (gait("walk", GroundSpeed("natural"), leg, 30.0).seconds for leg in (0.225, 0.9))
    assert small == pytest.approx(large / 2, rel=0.05)
    assert gait("walk", speed_of("3legs"), 0.225, 30.0).seconds == gait("walk", speed_of("3legs"), 90.0, 30.0).seconds
    assert gait("run", speed_of("natural"), LEG, 30.0).name == "run"
    assert "units" in gait("walk", speed_of("natural"), 9.0, 30.0).warnings[0]


@pytest.mark.parametrize("text", ["fast", "-1", "0", "nan", "legs", "3 miles"])
def test_what_is_no_speed_is_told(text):
    with pytest.raises(BadMotion, match="no speed"):
        speed_of(text)


@pytest.mark.parametrize("value", [0.05, 40.0])
def test_what_no_legs_can_do_is_told(value):
    with pytest.raises(BadMotion, match=r"between 0\.3 and 9\.5, or natural, or 3legs"):
        gait("walk", GroundSpeed("metres", value), LEG, 30.0)


def test_a_knee_gives_at_landing_as_fast_as_a_runners():
    clip = made(3.5, 120.0)
    knee, standing = knees(clip), clip.contacts[:, :2].any(1)
    landing = int(0.3 * standing[:len(knee) // 2].sum())
    assert (knee[4:landing + 4] - knee[:landing]).max() < 16.5, "degrees in a thirtieth of a second"
    pace = -np.diff(clip.root[:, 1])
    assert np.abs(pace / pace.mean() - 1).max() < 0.1, "for which the body is hardly braked"


@pytest.mark.sweep(1)
@pytest.mark.parametrize("seed", [1, 2, 5])
def test_who_pushes_off_with_longer_feet_lands_as_the_source_does(seed):
    clip = load_motion("run")
    rig = person_rig(seed)
    out = retarget(clip, rig)
    apart = knees(out) - knees(clip)
    ashore = clip.contacts[:, 0] & ~np.roll(clip.contacts[:, 0], 1)
    assert np.abs(apart[ashore]).max() < 4.0


def test_only_legs_of_an_odd_size_are_remarked_upon():
    natural, metres = GroundSpeed("natural"), GroundSpeed("metres", 1.3)
    assert not natural.measured(LEG, 0.45).warnings and not metres.measured(LEG, 0.45).warnings
    assert not any(natural.measured(leg, 0.45).warnings for leg in (0.055, 4.9))
    for leg in (0.045, 5.5):
        assert "units" in natural.measured(leg, 0.45).warnings[0]
        assert not GroundSpeed("legs", 1.5).measured(leg, 0.45).warnings
