"""Animals and creatures at any speed: the gait that such bodies take, feet that stand, steps that come quicker."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.errors import BadMotion
from core.geometry.rotation import to_vector
from core.motion.authoring.animal_pace import CANTER, FASTEST, GALLOP, SLOWEST, TROT, animal_pace_at
from core.motion.authoring.library import gait
from core.motion.authoring.pace import GRAVITY, GroundSpeed, speed_of
from core.motion.body import body_of
from core.motion.contacts import pivot_places
from core.motion.made import made_motion
from core.motion.retarget import Transfer, retarget
from core.motion.shape_body import ShapeBody
from tests.characters import quadruped
from tests.core.motion.bodies import grown_rig
from tests.core.motion.creatures import SLIDE, rigged, steps
from tests.core.motion.measures import measure

LEG = 1.0
SPEEDS = {0.4: "walk", 1.0: "trot", 1.7: "canter", 2.4: "gallop", 4.0: "gallop"}


@cache
def made(speed: float, kind: str = "quadruped"):
    return gait(f"{kind}_walk" if kind == "quadruped" else f"{kind}_gallop",
                GroundSpeed("metres", speed * np.sqrt(GRAVITY * LEG)), LEG, 60.0)


def downs(clip):
    """{foot: part of the round at which it comes down}, from that of the left hind foot."""
    at = {foot: np.flatnonzero(stands & ~np.roll(stands, 1))[0] / len(stands)
          for foot, stands in zip(clip.feet, clip.contacts.T, strict=True)}
    return {foot.replace("_foot", ""): (when - at["hind_foot.L"]) % 1 for foot, when in at.items()}


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("speed", "name"), SPEEDS.items())
def test_the_gait_is_the_speeds_and_feet_stand(speed, name):
    clip = made(speed)
    assert clip.name == f"quadruped_{name}"
    length = np.mean([leg.length for leg in body_of(clip.rig).legs])
    assert -clip.stride[1] / length * LEG / clip.seconds == pytest.approx(speed * np.sqrt(GRAVITY * LEG))
    rig = grown_rig(quadruped(species="dog", vertices=300), "quadruped")
    for on in (clip.rig, rig):
        found = measure(retarget(clip, on), clip, Transfer(clip.rig, on))
        assert found.worst_slide < 0.01 and found.sink < 5e-3 and found.hover < 5e-3 and found.flips == 0
    assert (~clip.contacts.any(1)).any() == (speed > 0.85), "flight"


@pytest.mark.long
def test_feet_come_down_in_each_gaits_order():
    walk, trot, canter = (downs(made(speed)) for speed in (0.4, 1.0, 1.7))
    assert np.allclose([walk["front.L"], walk["hind.R"], walk["front.R"]], [0.25, 0.5, 0.75], atol=0.04)
    assert np.allclose([trot["front.R"], trot["hind.R"], trot["front.L"]], [0, 0.5, 0.5], atol=0.06)
    assert 0 <= canter["front.L"] - canter["hind.R"] < 0.06, "one beat of three, no front foot before its hind foot"
    assert canter["hind.R"] < canter["front.R"] - 0.15
    assert sorted(downs(made(2.4)), key=downs(made(2.4)).get) == ["hind.L", "hind.R", "front.R", "front.L"]
    horse = downs(made(2.4, "horse"))
    assert sorted(horse, key=horse.get) == ["hind.L", "hind.R", "front.L", "front.R"]


def test_faster_is_longer_and_stands_shorter():
    for ends in ((SLOWEST, TROT), (TROT, CANTER), (CANTER, GALLOP), (GALLOP, FASTEST)):
        paces = [animal_pace_at(v) for v in np.linspace(*ends, 8)[:-1]]
        assert len({p.gait for p in paces}) == 1
        assert (np.diff([p.stride for p in paces]) > 0).all() and (np.diff([p.duty for p in paces]) <= 0).all()
        assert (np.diff([p.seconds for p in paces]) < 0).all()


def test_the_slowest_steps_are_as_long_as_they_are_seen_and_quicker_ones_as_long_as_legs_reach():
    """Strides of 2.4 v^0.68 (Alexander & Jayes 1983): half as fast makes steps 1.6 times as short."""
    slowest = animal_pace_at(SLOWEST)
    assert slowest.stride == pytest.approx(0.501, abs=0.002)
    assert animal_pace_at(1.4 * SLOWEST).stride / slowest.stride == pytest.approx(1.4**0.68, rel=1e-6)
    for speed, reach in ((0.4, 0.7), (TROT, 0.71), (CANTER, 0.78), (FASTEST, 0.88)):
        assert animal_pace_at(speed).reach == pytest.approx(reach)


@pytest.mark.long
def test_backs_bend_in_a_gallop_and_not_in_a_trot():
    bend = {}
    for speed in (1.0, 2.4):
        clip = made(speed)
        turns = body_of(clip.rig).kinematics.turns(clip.rotations)
        hips, chest = (turns[:, clip.rig.names.index(n)] for n in ("hips", "chest"))
        bend[speed] = np.rad2deg(np.ptp(2 * (np.arcsin(chest[:, 1]) - np.arcsin(hips[:, 1]))))
    assert bend[2.4] > 30 and bend[1.0] < 10


@pytest.mark.long
def test_a_faster_walk_lifts_each_foot_higher():
    heights = []
    for speed in (0.35, 0.55):
        body = body_of(made(speed).rig)
        turns = body.kinematics.turns(made(speed).rotations)
        feet = pivot_places(body.legs, turns, body.kinematics.heads(turns, made(speed).root))
        heights.append(feet[..., 2].max(0) - body.ground)
    assert (heights[1] > 1.1 * heights[0]).all()


@pytest.mark.long
def test_a_centaurs_upper_half_takes_up_more_of_a_faster_gallop():
    clips = [made(speed, "centaur") for speed in (2.4, 4.0)]
    slow, fast = (np.ptp(to_vector(clip.rotations[:, clip.rig.names.index("torso")])[:, 0]) for clip in clips)
    assert fast > 1.1 * slow > 0.1


def test_what_no_animal_can_do_is_told():
    with pytest.raises(BadMotion, match=r"between 0\.31 and 16, or natural"):
        gait("quadruped_trot", GroundSpeed("metres", 30.0), LEG, 30.0)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("name", ["spider", "insect", "dragon"])
def test_creatures_step_quicker_and_lift_more_feet_the_faster_they_go(name):
    rig = rigged(name)[1]
    reach = float(np.mean([leg.reach for leg in ShapeBody(rig).legs]))
    slow, fast = (made_motion("walk", rig, rate=60.0, ground=speed_of(text)) for text in ("0.3legs", "2.4legs"))
    for clip, speed in ((slow, 0.3), (fast, 2.4)):
        assert np.linalg.norm(clip.stride) / reach / clip.seconds == pytest.approx(speed)
        body = ShapeBody(rig)
        turns = body.kinematics.turns(clip.rotations)
        heads = body.kinematics.heads(turns, clip.root)
        tails = body.kinematics.tails(turns, heads)
        ankles = np.stack([heads[:, leg.foot] if leg.foot >= 0 else tails[:, leg.chain[-1]] for leg in body.legs], 1)
        stands = clip.contacts & np.roll(clip.contacts, -1, axis=0)
        assert steps(clip, ankles)[stands].max() * clip.rate / reach < SLIDE
    assert slow.seconds > 2 * fast.seconds and np.linalg.norm(slow.stride) < np.linalg.norm(fast.stride)
    assert slow.contacts.mean() > fast.contacts.mean() + 0.1
    assert slow.contacts.sum(1).min() >= 3, "slow ones always stand on three feet"


def test_legs_that_cannot_step_so_quickly_are_told():
    with pytest.raises(BadMotion, match=r"Choose one between"):
        made_motion("walk", rigged("spider")[1], ground=speed_of("20legs"))
    tiny = made_motion("walk", rigged("spider")[1], ground=speed_of("natural"), metres=0.01)
    assert len(tiny.root) >= 6 and "units" in tiny.warnings[0]
