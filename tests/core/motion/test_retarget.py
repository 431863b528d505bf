"""Motions on other bodies: what must be the same, what must be scaled, and feet that stand."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.errors import BadMotion
from core.geometry.rotation import angle, conjugate, from_axis_angle, identity, multiply, rotate, to_matrix
from core.motion.body import body_of
from core.motion.clip import MotionClip, in_place
from core.motion.clip_file import load_motion, motion_names
from core.motion.contacts import detect_contacts, pivot_places, slowest
from core.motion.rest_pose import character_axes
from core.motion.retarget import RetargetOptions, Transfer, retarget
from core.motion.transfer import _are_unlike
from core.skeleton.bone_map import find_roles
from core.skeleton.rig import Rig
from tests.characters import bird, centaur, person, quadruped
from tests.core.motion.bodies import grown_rig, moved_rig, person_rig, preset_rig
from tests.core.motion.hands import on_all_fours
from tests.core.motion.measures import measure
from tests.limits import turning_point
from tests.motion_files import repeated

ROLL = np.array([[0.0, -1, 0], [0, 0, 1.0], [-1.0, 0, 0]])  # another frame: a proper rotation, up is +Y
PEOPLE = ["idle", "walk", "run", "jump", "wave", "sneak", "dance"]


def turns_between(a: MotionClip, b: MotionClip) -> float:
    return float(angle(multiply(a.rotations, conjugate(b.rotations))).max())


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", motion_names())
def test_a_motion_on_its_own_skeleton_is_itself(name):
    clip = load_motion(name)
    own = retarget(clip, clip.rig)
    assert np.abs(own.rotations - clip.rotations).max() < 3e-6  # what is left of seven digits in a toe
    assert np.abs(own.root - clip.root).max() < 1e-6
    np.testing.assert_array_equal(own.contacts, clip.contacts)


@pytest.mark.parametrize("name", ["walk", "sneak"])
def test_a_larger_turned_and_renamed_skeleton_does_the_same(name):
    clip = load_motion(name)
    rig = moved_rig(clip.rig, 37.0 * ROLL, (5.0, 2.0, -9.0))
    out = retarget(clip, rig, RetargetOptions())
    np.testing.assert_allclose(out.root, 37.0 * clip.root @ ROLL.T, atol=1e-4)
    np.testing.assert_allclose(rotate(out.rotations, np.ones(3) @ ROLL.T), rotate(clip.rotations, np.ones(3)) @ ROLL.T,
                               atol=1e-5)
    np.testing.assert_allclose(out.stride, 37.0 * ROLL @ clip.stride, atol=1e-6)


def test_legs_of_other_proportions_step_alike_whatever_the_motions_unit():
    clip, person = load_motion("bird_hop"), preset_rig("biped")
    large = MotionClip(moved_rig(clip.rig, 100.0 * np.eye(3)), clip.rotations, 100 * clip.root, clip.rate)
    poses = []
    for one in (clip, large):
        transfer = Transfer(one.rig, person)
        assert len(transfer.unlike) == 2
        poses.append(transfer.pose(transfer.turns_in(one.rotations), one.root))
    for own, other in zip(*poses, strict=True):
        np.testing.assert_allclose(other, own, atol=1e-6)


def test_a_rig_that_knows_its_up_has_its_left_across_it():
    rig = load_motion("walk").rig
    lean = to_matrix(from_axis_angle(np.array([0.6, 0.0, 0.8]), 0.9))
    heads = rig.heads @ lean.T
    heads[[b for b, name in enumerate(rig.names) if name.endswith(".L")]] += 0.05 * lean[:, 2]  # the left lies higher
    leaning = replace(rig, heads=heads, tails=heads + (rig.tails - rig.heads) @ lean.T, up=lean[:, 2])
    np.testing.assert_allclose(character_axes(leaning, find_roles(leaning)), lean.T, atol=1e-6)


def test_a_rig_without_sides_that_knows_its_up_stands_in_a_frame_about_it():
    up = np.array([0.36, 0.48, 0.8])
    axes = character_axes(Rig(("bone",), (-1,), [[0, 0, 0]], [[0, 0, 1]], up=up), {})
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    np.testing.assert_allclose(axes[2], up)
    assert np.linalg.det(axes) > 0 and axes[0, 0] > 0.9


def test_names_do_not_matter_where_the_structure_tells():
    clip = load_motion("walk")
    nameless = moved_rig(clip.rig, np.eye(3), names=tuple(f"bone_{i}" for i in range(len(clip.rig.names))))
    assert turns_between(retarget(clip, nameless), clip) < 1e-5


def test_from_an_a_pose_to_a_t_pose_the_arms_point_alike():
    clip = load_motion("run")
    rig = clip.rig
    heads, tails = np.array(rig.heads), np.array(rig.tails)
    chain = [rig.names.index(n) for n in ("upper_arm.L", "forearm.L", "hand.L")]
    length = [np.linalg.norm(tails[b] - heads[b]) for b in chain]
    for bone, size, before in zip(chain, length, [None, *chain[:-1]], strict=True):
        heads[bone] = heads[bone] if before is None else tails[before]
        tails[bone] = heads[bone] + [size, 0, 0]
    level = Rig(rig.names, rig.parents, heads, tails)
    out = retarget(clip, level, RetargetOptions(hold=False))
    body = body_of(rig)
    for bone in chain[:2]:
        wanted = rotate(body.kinematics.turns(clip.rotations)[:, bone], rig.tails[bone] - rig.heads[bone])
        found = rotate(body_of(level).kinematics.turns(out.rotations)[:, bone], tails[bone] - heads[bone])
        np.testing.assert_allclose(found, wanted, atol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_people_walk_without_sliding_sinking_or_floating(seed):
    rig = person_rig(seed)
    for name in PEOPLE:
        clip = load_motion(name)
        transfer = Transfer(clip.rig, rig)
        found = measure(retarget(clip, rig), clip, transfer)
        assert found.worst_slide <= 0.01 and found.sink < 0.005 and found.hover < 0.005, name
        assert found.angle < 10 and found.flips == 0, name
        free = measure(retarget(clip, rig, RetargetOptions(hold=False)), clip, transfer)
        assert free.worst_slide > 5 * found.worst_slide, "holding has nothing to do: the test shows nothing"


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("character", "preset", "motions"), [
    (lambda: quadruped(species="dog", vertices=300), "quadruped", ("walk", "trot", "gallop", "idle")),
    (lambda: quadruped(species="horse", vertices=300), "horse", ("walk", "trot", "gallop", "idle")),
    (lambda: quadruped(species="cow", vertices=300), "quadruped", ("walk", "gallop"))])
def test_animals_stand_on_their_feet(character, preset, motions):
    rig = grown_rig(character(), preset)
    for name in motions:
        clip = load_motion(f"quadruped_{name}")
        found = measure(retarget(clip, rig), clip, Transfer(clip.rig, rig))
        assert found.worst_slide <= 0.01 and found.sink < 0.005 and found.hover < 0.005, name
        assert found.angle < 10 and found.flips == 0, name


@pytest.mark.slow
def test_centaurs_and_birds(rng):
    for grown, preset, name in (
        (centaur(vertices=300), "centaur", "centaur_gallop"),
        (bird(vertices=300), "biped", "bird_hop"),
    ):
        clip = load_motion(name)
        rig = grown_rig(grown, preset)
        found = measure(retarget(clip, rig), clip, Transfer(clip.rig, rig))
        assert found.worst_slide <= 0.01 and found.sink < 0.005 and found.hover < 0.005 and found.flips == 0, name


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["walk", "quadruped_gallop", "idle"])
def test_a_loop_stays_a_loop(name):
    clip = load_motion(name)
    kind = clip.rig.names.__contains__("front_upper.L")
    rig = grown_rig(quadruped(vertices=300) if kind else person(vertices=300), "quadruped" if kind else "biped")
    out = retarget(clip, rig)
    assert out.loop
    steps = angle(multiply(out.rotations, conjugate(np.roll(out.rotations, 1, axis=0)))).max(1)
    assert steps[0] < 2 * np.sort(steps)[-3]
    seam = np.linalg.norm(out.root[0] + out.stride - out.root[-1])
    assert seam < 2 * np.linalg.norm(np.diff(out.root, axis=0), axis=1).max()
    rolled = clip.changed(
        rotations=np.roll(clip.rotations, 5, axis=0),
        contacts=np.roll(clip.contacts, 5, axis=0),
        root=np.roll(clip.root, 5, axis=0) - np.where(np.arange(len(clip.root))[:, None] < 5, clip.stride, 0),
    )
    again = retarget(rolled, rig)
    np.testing.assert_allclose(
        angle(multiply(np.roll(out.rotations, 5, axis=0), conjugate(again.rotations))), 0, atol=1e-4
    )


@pytest.mark.long
def test_the_way_is_scaled_by_the_legs():
    walk = load_motion("walk")
    tall = person(leg=1.35, vertices=300)
    short = person(leg=0.7, vertices=300)
    strides = []
    for grown in (tall, short):
        rig = grown_rig(grown, "biped")
        out = retarget(walk, rig)
        leg = body_of(rig).legs[0].reach
        strides.append(np.linalg.norm(out.stride) / leg)
    assert strides[0] == pytest.approx(strides[1], rel=1e-6)
    assert strides[0] == pytest.approx(np.linalg.norm(walk.stride) / body_of(walk.rig).legs[0].reach, rel=1e-6)


@pytest.mark.long
def test_in_place_and_without_holding_are_choices():
    walk = load_motion("walk")
    rig = person_rig()
    still = retarget(walk, rig, RetargetOptions(travel=False))
    assert np.abs(still.stride).max() < 1e-9 and np.ptp(still.root[:, 1]) < 0.1 * np.linalg.norm(
        retarget(walk, rig).stride
    )
    turned = moved_rig(rig, ROLL)
    there = retarget(walk, turned, RetargetOptions(travel=False))
    assert np.abs(there.stride).max() < 1e-9
    goes = ROLL @ np.array([0.0, -1.0, 0.0])
    assert np.ptp(there.root @ goes) < 0.1 * np.linalg.norm(retarget(walk, turned).stride)


def test_contacts_are_found_again_where_a_clip_brings_none():
    walk = load_motion("walk")
    body = body_of(walk.rig)
    turns = body.kinematics.turns(walk.rotations)
    places = pivot_places(body.legs, turns, body.kinematics.heads(turns, walk.root))
    found = detect_contacts(places, walk.rate, body.legs[0].length, loop=True, stride=walk.stride)
    assert (found == walk.contacts).mean() > 0.85
    again = retarget(walk.changed(contacts=None, feet=()), walk.rig)
    assert turns_between(again, walk) < np.deg2rad(15)


def test_a_foot_that_lands_where_a_loop_ends_stands_there():
    """It stands over the first frames of the next round, a stride on."""
    places = np.zeros((10, 1, 3))
    places[5:, 0, 0] = np.linspace(0, 1, 5)
    np.testing.assert_allclose(slowest(places, 30.0, loop=True, stride=(1.0, 0.0, 0.0))[:, 0],
                               [0, 0, 0, 0, 0, 0, 7.5, 7.5, 7.5, 0], atol=1e-9)


def test_contact_detection_has_hysteresis_and_drops_flickers(rng):
    t = np.arange(60)
    height = np.where((t > 20) & (t < 40), 0.0, 0.3) + 0.002 * rng.random(60)
    height[26:33] = [0.012, 0.024, 0.036, 0.044, 0.036, 0.024, 0.012]  # above the threshold, below the release
    height[5] = 0.0  # a stray low frame
    places = np.stack([np.zeros(60), np.zeros(60), height], 1)[:, None]
    found = detect_contacts(places, 30.0, 1.0)[:, 0]
    assert found[23:37].all() and not found[:19].any() and not found[42:].any()
    assert detect_contacts(np.zeros((0, 2, 3)), 30.0, 1.0).shape == (0, 2)


def test_a_jumping_floor_and_skating_source_are_put_right():
    """A source whose feet slide and float by a lot: the target's stand all the same."""
    walk = repeated(load_motion("walk"), 3).changed(loop=False)
    t = np.arange(len(walk.root)) / walk.rate
    skating = walk.changed(
        root=walk.root + np.stack([0.02 * np.sin(9 * t), 0.03 * np.sin(7 * t), 0.006 * np.sin(5 * t)], 1)
    )
    rig = person_rig()
    found = measure(retarget(skating, rig), skating, Transfer(skating.rig, rig))
    assert found.worst_slide <= 0.01 and found.sink < 0.005 and found.hover < 0.005 and found.flips == 0


def test_one_frame_is_a_pose():
    walk = load_motion("walk")
    one = MotionClip(walk.rig, walk.rotations[:1], walk.root[:1], 30.0, walk.contacts[:1], walk.feet)
    out = retarget(one, person_rig())
    assert out.rotations.shape[0] == 1 and np.isfinite(out.rotations).all()


def without(rig: Rig, *gone: str) -> Rig:
    keep = [i for i, n in enumerate(rig.names) if n not in gone]
    number = {old: new for new, old in enumerate(keep)}
    parents = []
    for i in keep:
        p = rig.parents[i]
        while p >= 0 and p not in number:
            p = rig.parents[p]
        parents.append(number.get(p, -1))
    return Rig(tuple(rig.names[i] for i in keep), np.array(parents), rig.heads[keep], rig.tails[keep], rig.x_axes[keep])


@pytest.mark.parametrize("gone", [
    ("foot.L", "foot.R", "toe.L", "toe.R"), ("toe.L", "toe.R"), ("forearm.L", "hand.L"), ("neck", "head"),
    ("thigh.R", "shin.R", "foot.R", "toe.R"), ("shoulder.L", "upper_arm.L", "forearm.L", "hand.L")])
def test_missing_limbs_and_feet_leave_the_rest_moving(gone):
    walk = load_motion("walk")
    rig = without(preset_rig("biped"), *gone)
    out = retarget(walk, rig)
    found = measure(out, walk, Transfer(walk.rig, rig))
    assert found.worst_slide <= 0.01 and found.sink < 0.005 and found.flips == 0
    back = retarget(out, walk.rig)
    assert np.isfinite(back.rotations).all()


def test_bones_without_length_turn_nothing():
    walk = load_motion("walk")
    rig = walk.rig
    tails = np.array(rig.tails)
    heads = np.array(rig.heads)
    for name in ("hand.L", "spine", "toe.R", "forearm.R"):
        bone = rig.names.index(name)
        tails[bone] = heads[bone]
    heads[rig.names.index("hand.R")] = heads[rig.names.index("forearm.R")]
    out = retarget(walk, Rig(rig.names, rig.parents, heads, tails))
    assert np.isfinite(out.rotations).all() and np.isfinite(out.root).all()


def test_a_motion_for_another_body_is_refused_in_words():
    with pytest.raises(BadMotion, match="'run' is for another kind of body"):
        retarget(load_motion("run"), preset_rig("quadruped"))
    with pytest.raises(BadMotion, match="another kind of body"):
        chain = np.array([[0, 0, z] for z in range(4)], float)
        retarget(load_motion("run"), Rig(("a", "b", "c"), np.array([-1, 0, 1]), chain[:3], chain[1:]))


@pytest.mark.parametrize(("shared", "known", "fits"), [
    (4, 8, True), (4, 9, False), (3, 5, True), (2, 4, False), (2, 3, False)])
def test_bodies_without_limbs_need_three_bones_and_half_of_the_motions_in_common(shared, known, fits):
    bones = [f"tail_{k}" for k in range(known)]
    body = SimpleNamespace(roles=dict.fromkeys(bones, 0), rig=SimpleNamespace(names=bones))
    refused = f"of its {known} bones this skeleton knows only {shared}"
    with nullcontext() if fits else pytest.raises(BadMotion, match=refused):
        Transfer._check(SimpleNamespace(source=body), bones[:shared], "sway")


@pytest.mark.parametrize("above", ["hand.L", "thigh.R", "shin.L", "foot.R", "toe.L"])
def test_bones_the_motion_does_not_know_follow_their_parents(above):
    rig = person_rig(2)
    bone = rig.names.index(above)
    more = Rig((*rig.names, "pad"), np.append(rig.parents, bone), np.vstack([rig.heads, rig.tails[bone]]),
               np.vstack([rig.tails, rig.tails[bone] + [0.02, 0, 0]]))
    out = retarget(load_motion("walk"), more)
    np.testing.assert_allclose(out.rotations[:, -1], identity(len(out.root)), atol=1e-9)


@pytest.mark.slow
def test_ten_thousand_frames_are_all_there():
    walk = repeated(load_motion("walk"), 313).changed(loop=False)
    out = retarget(walk, person_rig())
    assert len(out.root) == 10_016
    np.testing.assert_allclose(out.rotations[5_024:5_056], out.rotations[5_056:5_088], atol=1e-6)


def test_joints_stay_within_their_limits():
    walk = load_motion("walk")
    wild = np.array(walk.rotations)
    turned = (("head", [0, 0, 1.0], 85), ("neck", [0, 0, 1.0], 80), ("spine", [1.0, 0, 0], 70),
              ("chest", [1.0, 0, 0], 70), ("shoulder.R", [0, 0, 1.0], 60), ("upper_arm.R", [0, 0, 1.0], 175),
              ("forearm.L", [0, 0, 1.0], 165), ("hand.R", [1.0, 0, 0], 100), ("thigh.L", [1.0, 0, 0], 150),
              ("shin.R", [1.0, 0, 0], 165))
    for name, axis, _ in turned:
        wild[:, walk.rig.names.index(name)] = from_axis_angle(np.array(axis), np.pi * 0.98)
    out = retarget(walk.changed(rotations=wild), walk.rig, RetargetOptions(hold=False))
    for name, _, most in turned:
        bent = np.rad2deg(angle(out.rotations[:, walk.rig.names.index(name)]))
        np.testing.assert_allclose(bent, most, atol=1e-6)


def test_holding_comes_and_goes_smoothly():
    """Corrections do not jump: the ankle's speed with holding is never far from what it was without."""
    walk = load_motion("walk")
    rig = person_rig(4)
    body = body_of(rig)
    speeds = []
    for hold in (False, True):
        out = retarget(walk, rig, RetargetOptions(hold=hold))
        turns = body.kinematics.turns(out.rotations)
        ankle = body.kinematics.heads(turns, out.root)[:, body.legs[0].foot]
        speeds.append(
            np.diff(np.concatenate([ankle, ankle[:1] + out.stride]), axis=0) * walk.rate / body.legs[0].length
        )
    assert np.abs(speeds[1] - speeds[0]).max() < 0.12 * np.linalg.norm(speeds[0], axis=1).max()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["walk", "run", "sneak", "quadruped_trot", "horse_gallop"])
@pytest.mark.parametrize("told", [True, False])
def test_a_motion_on_a_treadmill_is_set_on_the_ground(name, told):
    clip = load_motion(name)
    still = in_place(clip)
    if not told:
        still = still.changed(contacts=None, feet=())
    out = retarget(still, clip.rig)
    np.testing.assert_allclose(out.stride, clip.stride, atol=0.06 * np.linalg.norm(clip.stride))
    found = measure(out, out, Transfer(clip.rig, clip.rig))
    assert found.worst_slide <= 0.01 and found.sink < 0.005
    again = retarget(still, clip.rig, RetargetOptions(travel=False))
    assert np.abs(again.stride).max() < 1e-9


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["idle", "dance", "wave", "jump", "walk", "quadruped_gallop"])
def test_what_stands_or_travels_is_on_no_treadmill(name):
    clip = load_motion(name).changed(contacts=None, feet=())
    np.testing.assert_allclose(retarget(clip, clip.rig).stride, clip.stride, atol=1e-9)


def test_feet_too_near_the_hip_are_laid_flatter_rather_than_sunk():
    """Toys have hardly any legs: what their legs cannot fold their feet must give."""
    run = load_motion("run")
    rig = run.rig
    heads, tails = np.array(rig.heads), np.array(rig.tails)
    for points in (heads, tails):  # legs half as long, feet as large as they were
        high = points[:, 2] > 0.05
        points[high, 2] = np.where(
            points[high, 2] > 0.42, points[high, 2] - 0.26, 0.05 + 0.3 * (points[high, 2] - 0.05)
        )
    toy = Rig(rig.names, rig.parents, heads, tails)
    found = measure(retarget(run, toy), run, Transfer(rig, toy))
    assert found.sink < 0.005 and found.worst_slide <= 0.01 and found.flips == 0


def test_a_body_that_lies_askew_moves_along_its_own_up_where_that_is_known():
    rig = person_rig()
    turn = to_matrix(from_axis_angle(np.array([1.0, 0.0, 0.0]), -np.pi / 2)) @ to_matrix(
        from_axis_angle(np.array([0.0, 1.0, 0.0]), np.deg2rad(28)))
    askew = replace(moved_rig(rig, turn), up=turn @ [0.0, 0.0, 1.0])
    np.testing.assert_allclose(character_axes(askew, find_roles(askew)) @ turn, np.eye(3), atol=1e-6)
    walk = load_motion("walk")
    np.testing.assert_allclose(retarget(walk, askew).root @ turn, retarget(walk, rig).root, atol=1e-4)


def test_bones_that_were_told_are_in_no_doubt_and_those_of_the_motion_still_are():
    rig = load_motion("walk").rig
    tails = np.array(rig.tails)
    hand, elbow = (rig.names.index(name) for name in ("hand.L", "forearm.L"))
    knuckle = rig.heads[hand] + 0.9 * (rig.heads[hand] - rig.heads[elbow])
    odd = Rig((*rig.names, "RealHand.L"), (*rig.parents, hand), [*rig.heads, knuckle], [*tails, 1.1 * knuckle])
    assert Transfer(odd, rig).doubts and Transfer(rig, odd).doubts and not Transfer(rig, rig).doubts
    told = RetargetOptions(known=True)
    assert Transfer(odd, rig, told).doubts and not Transfer(rig, odd, told).doubts


@pytest.mark.parametrize(("name", "limit"), [("front.L", 0.1), ("leg.L", None)])
def test_legs_divided_otherwise_by_a_tenth_step_as_a_whole_but_not_peoples(name, limit):
    leg = lambda more: SimpleNamespace(name=name, signs=np.ones(1), reach=2.0, vectors=np.array(  # noqa: E731
        [[0.0, 0.0, -1.0 - 2 * more], [0.0, 0.0, -1.0 + 2 * more]]))
    apart = lambda more: _are_unlike(leg(0.0), leg(more))  # noqa: E731 - used twice
    if limit is None:
        assert not apart(0.4)
    else:
        assert turning_point(apart, 0.0, 0.5) == pytest.approx(limit, rel=0.01)


def onto_a_box() -> MotionClip:
    """A person who stands, and then stands higher, on what is not there, and swings a leg."""
    idle = load_motion("idle")
    time, leg = np.arange(len(idle.root)) / idle.rate, idle.rig.names.index("thigh.R")
    turns = np.array(idle.rotations)
    turns[:, leg] = multiply(from_axis_angle(np.array([1.0, 0, 0]), 0.5 * np.sin(6 * time)), turns[:, leg])
    up = 0.25 * np.clip(2 * time - 4, 0.0, 1.0)
    return idle.changed(rotations=turns, root=idle.root + up[:, None] * [0.0, 0.0, 1.0], contacts=None, feet=(),
                        loop=False)


@pytest.mark.long
@pytest.mark.parametrize("make", [onto_a_box, on_all_fours, lambda: load_motion("jump")])
@pytest.mark.parametrize("whose", ["source", "target"])
def test_where_a_skeletons_ground_lies_plays_no_part(whose, make):
    clip, rig = make(), person_rig(2)
    usual = retarget(clip, rig)
    for height in (-3.0, 1.5):
        lifted = moved_rig(clip.rig if whose == "source" else rig, np.eye(3), (0.0, 0.0, height))
        out = retarget(clip.changed(rig=lifted), rig) if whose == "source" else retarget(clip, lifted)
        np.testing.assert_allclose(out.root, usual.root, atol=1e-6)
        np.testing.assert_allclose(np.abs(np.einsum("tbi,tbi->tb", out.rotations, usual.rotations)), 1.0, atol=1e-9)
        np.testing.assert_array_equal(out.contacts, usual.contacts)
    if make is onto_a_box:
        assert usual.contacts.any(1)[80:].mean() > 0.9 and np.ptp(usual.root[:, 2]) > 0.2, "it stands up there"
