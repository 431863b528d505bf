"""Motions as the world's programs show them: rest poses, floors, axes, stairs, loops."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.rotation import (
    angle,
    conjugate,
    from_axis_angle,
    from_matrix,
    multiply,
    normalized,
    rotate,
    to_matrix,
)
from core.motion.body import body_of
from core.motion.clip import as_loop
from core.motion.clip_file import load_motion
from core.motion.contacts import detect_contacts, pivot_places, pivots_of, raised_contacts
from core.motion.floor import floor_height
from core.motion.kinematics import Kinematics
from core.motion.retarget import retarget, retarget_told
from core.motion.source import _stood, _trunk_end, from_where_it_stands, read_motion, stands_at_rest, with_flat_feet
from core.skeleton.bone_map import find_roles
from core.skeleton.rig import Rig
from core.skeleton.words import doubts, roles_by_words
from tests.core.motion.bodies import person_rig
from tests.limits import turning_point
from tests.motion_files import NAMES, repeated

LIMBS = [(f"{a}.{s}", f"{b}.{s}") for s in "LR" for a, b in (("upper_arm", "forearm"), ("forearm", "hand"),
                                                            ("thigh", "shin"), ("shin", "foot"))]


def shown(clip, names=None, turn=(1.0, 0, 0, 0), rest=None, lift=0.0):
    """(rig, turns, heads) as a program shows a clip, bones renamed, the world turned or lifted, another rest pose."""
    rig = clip.rig
    body = Kinematics(rig)
    turns = body.turns(clip.rotations)
    heads = body.heads(turns, clip.root)
    turn = np.asarray(turn, float)
    rest = np.tile([1.0, 0, 0, 0], (len(rig.names), 1)) if rest is None else rest
    laid = Kinematics(rig).heads(conjugate(rest), np.zeros(3))
    rig = Rig(tuple((names or {}).get(n, n) for n in rig.names), rig.parents, laid,
              laid + rotate(conjugate(rest), rig.tails - rig.heads))
    return rig, multiply(turn, multiply(turns, rest)), rotate(turn, heads) + [0, 0, lift]


def directions(clip):
    body = body_of(clip.rig)
    turns = multiply(multiply(from_matrix(body.axes), body.turning.turns(clip.rotations)),
                     conjugate(from_matrix(body.axes)))
    heads = body.kinematics.heads(turns, clip.root @ body.axes.T)
    return normalized(np.stack([heads[:, body.roles[b]] - heads[:, body.roles[a]] for a, b in LIMBS], 1))


@pytest.mark.parametrize("scheme", NAMES)
def test_every_scheme_of_names_is_known(scheme):
    rig = load_motion("walk").rig
    other = Rig(tuple(NAMES[scheme].get(n, n) for n in rig.names), rig.parents, rig.heads, rig.tails)
    assert find_roles(other) == {n: i for i, n in enumerate(rig.names)}
    lost = {r: b for r, b in roles_by_words(other).items() if not r.startswith(("spine", "chest"))}
    assert all(rig.names[b] == r for r, b in lost.items()) and not doubts(other, find_roles(other))


@pytest.mark.parametrize(("name", "doubted"), [
    ("index_1.L", []), ("mixamorig:LeftHandMiddle1", []), ("fingers_1.L", []), ("RealHand.L", ["hand.L"])])
def test_fingers_far_from_the_wrist_are_no_further_part_of_the_arm(name, doubted):
    rig = load_motion("walk").rig
    roles = find_roles(rig)
    wrist, elbow = rig.heads[roles["hand.L"]], rig.heads[roles["forearm.L"]]
    knuckle = wrist + 0.9 * (wrist - elbow)
    longer = Rig((*rig.names, name), (*rig.parents, roles["hand.L"]), [*rig.heads, knuckle],
                 [*rig.tails, 1.1 * knuckle])
    assert doubts(longer, roles) == doubted


@pytest.mark.sweep(1)
@pytest.mark.parametrize("motion", ["walk", "dance"])
def test_a_rest_pose_that_means_nothing_is_replaced(motion, rng):
    clip = load_motion(motion)
    rest = normalized(rng.normal(size=(len(clip.rig.names), 4)))
    rig, turns, heads = shown(clip, rest=rest)
    assert not stands_at_rest(rig.heads, find_roles(rig)) and stands_at_rest(clip.rig.heads, find_roles(clip.rig))
    read = read_motion(rig, turns, heads, clip.rate)
    assert any("rest pose" in text for text in read.warnings)
    own = retarget(clip.changed(contacts=None, feet=(), loop=False), person_rig(1))
    out = retarget(read, person_rig(1))
    apart = np.rad2deg(2 * np.arcsin(np.linalg.norm(directions(own) - directions(out), axis=-1) / 2))
    assert np.median(apart) < 0.5 and np.percentile(apart, 95) < 4


@pytest.mark.parametrize("degrees", [70.0, 180.0, -120.0])
def test_a_rest_pose_is_built_alike_whichever_way_the_motion_goes(degrees, rng):
    clip = load_motion("wave")  # of a walk the frames of either half are as good
    rest = normalized(rng.normal(size=(len(clip.rig.names), 4)))
    yaw = from_axis_angle(np.array([0.0, 0.0, 1.0]), np.deg2rad(degrees))
    ahead, aside = (read_motion(*shown(clip, rest=rest, turn=turn), clip.rate).rig for turn in ([1.0, 0, 0, 0], yaw))
    np.testing.assert_allclose(aside.heads, ahead.heads, atol=1e-6)
    np.testing.assert_allclose(aside.tails, ahead.tails, atol=1e-6)


def test_feet_that_always_point_outward_rest_so(rng):
    """As much farther outward as they are turned."""
    clip = load_motion("walk")
    rotations = clip.rotations.copy()
    rest = normalized(rng.normal(size=(len(clip.rig.names), 4)))
    for side, degrees in (("L", 35), ("R", -35)):
        foot = clip.rig.names.index(f"foot.{side}")
        rotations[:, foot] = multiply(from_axis_angle(np.array([0, 0, 1.0]), np.deg2rad(degrees)), rotations[:, foot])
    both = (clip, clip.changed(rotations=rotations))
    plain, turned = (read_motion(*shown(one, rest=rest), clip.rate).rig for one in both)
    for side, degrees in (("L", 35), ("R", -35)):
        outward = []
        for rig in (plain, turned):
            x, y, _ = np.subtract(*(rig.heads[rig.names.index(f"{n}.{side}")] for n in ("toe", "foot")))
            outward.append(np.rad2deg(np.arctan2(x, -y)))
        assert outward[1] - outward[0] == pytest.approx(degrees, abs=6)


@pytest.mark.parametrize("turn", [0.0, 1.1])
@pytest.mark.parametrize(("part", "axis", "low", "high", "limit"), [
    ("upper_arm.L", (0, 1, 0), 0.0, -90.0, np.rad2deg(np.arcsin(-0.8))),  # raised
    ("upper_arm.R", (0, 1, 0), 0.0, 90.0, np.rad2deg(np.arcsin(0.8))),
    ("upper_arm.L", (0, 0, 1), 0.0, -180.0, -120.0),  # across the chest
    ("upper_arm.R", (0, 0, 1), 0.0, 180.0, 120.0),
    ("thigh.L", (1, 0, 0), 0.0, 90.0, 60.0), ("thigh.R", (1, 0, 0), 0.0, -90.0, -60.0),
    ("shin.R", (1, 0, 0), 0.0, 90.0, 60.0)])
def test_arms_are_at_rest_beside_the_body_and_legs_under_it(part, axis, low, high, limit, turn):
    """Limbs that point straight out or down, turned at one joint; the body faces anywhere."""
    roles = {name: k for k, name in enumerate(("hips", "head", *(f"{n}.{s}" for s in "LR" for n in (
        "thigh", "shin", "foot", "upper_arm", "forearm"))))}
    heads = np.array([[0, 0, 1.0], [0, 0, 1.8], *([s * x, 0, z] for s in (1, -1) for x, z in (
        (0.1, 1.0), (0.1, 0.5), (0.1, 0.1), (0.2, 1.5), (0.5, 1.5)))])
    below = {"upper_arm": ("forearm",), "thigh": ("shin", "foot"), "shin": ("foot",)}[part[:-2]]

    def stands(degrees: float) -> bool:
        places, joint = heads.copy(), heads[roles[part]]
        for name in below:
            away = heads[roles[name + part[-2:]]] - joint
            places[roles[name + part[-2:]]] = joint + rotate(from_axis_angle(np.array(axis, float),
                                                                             np.deg2rad(degrees)), away)
        return stands_at_rest(rotate(from_axis_angle(np.array([0.0, 0, 1]), turn), places), roles)

    assert turning_point(stands, low, high, steps=14) == pytest.approx(limit, abs=0.3)


def test_up_is_the_motions_where_the_file_does_not_tell():
    clip = load_motion("walk")
    over = from_axis_angle(np.array([1.0, 0, 0]), np.pi / 2)
    rig, turns, heads = shown(clip, turn=over)
    lying = Rig(rig.names, rig.parents, rotate(over, rig.heads), rotate(over, rig.tails))
    both = read_motion(lying, multiply(turns, conjugate(over)), heads, clip.rate, is_up_known=False)
    rest_only = read_motion(lying, multiply(shown(clip)[1], conjugate(over)), shown(clip)[2], clip.rate)
    for read in (both, rest_only):
        np.testing.assert_allclose(read.rig.heads - read.rig.heads[0], clip.rig.heads - clip.rig.heads[0], atol=1e-9)
        assert angle(multiply(read.rotations, conjugate(clip.rotations))).max() < 1e-6


@pytest.mark.sweep(1)
@pytest.mark.parametrize("lift", [-0.9, 0.0, 4.0])
def test_the_floor_is_the_motions(lift):
    """Whatever height a file's ground has: a jump rises by as much of its leg, and lands on its feet."""
    clip = load_motion("jump")
    rig, turns, heads = shown(clip, lift=lift)
    out, told = retarget_told(read_motion(rig, turns, heads, clip.rate), person_rig(2))
    body = body_of(person_rig(2))
    flat = Kinematics(out.rig)
    turned = flat.turns(out.rotations)
    places = pivot_places(body.legs, turned, flat.heads(turned, out.root))
    assert abs(places[out.contacts][:, 2] - body.ground).max() < 0.005 and places[..., 2].max() > body.ground + 0.1
    assert 0.97 < told.rise < 1.05 and not [w for w in out.warnings if "floor" in w]


def test_a_body_nobody_sees_stand_keeps_its_height():
    t = np.arange(90) / 30
    feet = np.stack([np.stack([0.1 + 0 * t, np.sin(9 * t + k), 1.0 + 0.2 * np.sin(9 * t + k)], 1) for k in (0, 3)], 1)
    assert floor_height(feet, feet + [0, 0, 0.1], 30.0, 0.9, (0.0, -0.9)) == (0.0, False)
    stands = feet * [1, 0, 0] + [0, 0, 0.25]
    height, is_seen = floor_height(stands, stands + [0, 0, 0.5], 30.0, 0.9, (0.0,))
    assert is_seen and height == pytest.approx(0.25)


def test_feet_stand_on_stairs():
    """Two feet climb: each keeps still under its hip while the other swings; a foot held up beside one does not."""
    frames = 120
    z, y = np.zeros((frames, 2)), np.zeros((frames, 2))
    for step in range(8):
        mover = step % 2
        part = slice(15 * step, 15 * step + 15)
        rise = 0.2 * np.linspace(0, 1, 15)
        last = z[15 * step - 1] if step else np.zeros(2)
        far = y[15 * step - 1] if step else np.zeros(2)
        z[part], y[part] = last, far
        z[part, mover] = last[mover] + 2 * rise
        y[part, mover] = far[mover] - 3 * rise
    places = np.stack([np.broadcast_to([0.1, -0.1], y.shape), y, z], -1)
    hips = places + [0, 0, 0.9]
    low = detect_contacts(places, 30.0, 1.0, floor=0.0)
    high = raised_contacts(places, hips, np.ones_like(low), low, [0, 1], 30.0, 1.0)
    still = (low | high)[20:]
    assert still.any(1).all() and high[30:].any() and not (still[:, 0] & still[:, 1]).all()
    idle = np.zeros((frames, 2, 3))
    idle[:, 1, 2] = 0.3  # one foot on the floor, the other held up
    low = detect_contacts(idle, 30.0, 1.0, floor=0.0)
    high = raised_contacts(idle, idle + [0, 0, 0.9], np.ones_like(low), low, [0, 1], 30.0, 1.0)
    assert low[:, 0].all() and not high.any()


@pytest.mark.parametrize("drop", [0, 1])
@pytest.mark.parametrize("every", [1, 2])
def test_loops_are_known_with_their_first_frame_again_or_without(drop, every):
    clip = repeated(load_motion("walk"), 2)
    count = len(clip.root) // 2
    cut = slice(0, count + 1 - drop * every, every)
    once = clip.changed(rotations=clip.rotations[cut], root=clip.root[cut], contacts=clip.contacts[cut], loop=False,
                        stride=(0, 0, 0), rate=clip.rate / every)
    found = as_loop(once)
    assert found.loop and len(found.root) * every == count
    np.testing.assert_allclose(found.stride, load_motion("walk").stride, atol=0.02)
    half = clip.changed(rotations=clip.rotations[:count * 2 // 3], root=clip.root[:count * 2 // 3], loop=False,
                        contacts=clip.contacts[:count * 2 // 3])
    assert not as_loop(half).loop


def test_a_tipped_foot_at_rest_is_put_right():
    clip = load_motion("walk")
    clip = repeated(clip, 2).changed(loop=False)
    rest = np.tile([1.0, 0, 0, 0], (len(clip.rig.names), 1))
    tip = from_axis_angle(np.array([1.0, 0, 0]), np.deg2rad(20))
    for name in ("foot.L", "foot.R", "toe.L", "toe.R"):
        rest[clip.rig.names.index(name)] = tip
    read = read_motion(*shown(clip, rest=rest), clip.rate)
    foot, toe = (read.rig.names.index(n) for n in ("foot.L", "toe.L"))
    ways = [normalized(r.heads[toe] - r.heads[foot]) for r in (read.rig, clip.rig)]
    assert np.rad2deg(np.arccos(ways[0] @ ways[1])) < 4
    np.testing.assert_allclose(read.rig.tails[foot], read.rig.heads[toe], atol=1e-6, err_msg="bones end where they did")


@pytest.mark.parametrize(("of", "low", "high", "limit"), [
    ("its speed", 0.0, 0.5, 0.15), ("its height", 0.0, 0.3, 0.03), ("how low the hips are", 0.0, 1.0, 0.6),
    ("its turning", 0.0, 2.0, 0.6), ("its time", 0.0, 1.0, 5 / 30)])
def test_a_foot_tells_how_it_rests_while_it_stands(of, low, high, limit):
    """A foot, tipped by 20 degrees, that creeps, hangs over the ground, stands under low hips, turns or soon runs away;
    lengths are the leg's."""
    rig, rate, frames = person_rig(2), 30.0, 60
    roles, time = find_roles(rig), np.arange(frames) / rate
    thigh, shin, foot = (roles[f"{name}.L"] for name in ("thigh", "shin", "foot"))
    leg = np.linalg.norm(rig.heads[shin] - rig.heads[thigh]) + np.linalg.norm(rig.heads[foot] - rig.heads[shin])

    def is_told(value: float) -> bool:
        heads, turns = np.tile(rig.heads, (frames, 1, 1)), np.tile([1.0, 0, 0, 0], (frames, len(rig.names), 1))
        turns[:, foot] = from_axis_angle(np.array([1.0, 0, 0]), np.deg2rad(20))
        if of == "its speed":
            heads[:, foot, 1] -= value * leg * time
        if of == "its height":  # but at first, when it is on the ground, and turns
            heads[12:, foot, 2] += value * leg
            turns[:12, foot] = multiply(from_axis_angle(np.array([0, 0, 1.0]), np.arange(12.0)), turns[:12, foot])
        if of == "how low the hips are":
            heads[:, thigh, 2] = heads[:, foot, 2] + value * leg
        if of == "its turning":
            turns[:, foot] = multiply(from_axis_angle(np.array([0, 0, 1.0]), value * time), turns[:, foot])
        if of == "its time":  # the sixth frame is as late; then it runs away
            heads[:, foot, 1] -= 3 * leg * np.maximum(time - value, 0.0)
        told = with_flat_feet(rig, turns, heads, rate, roles)[0].tails[foot]
        return bool(np.abs(told - rig.tails[foot]).max() > 1e-3)

    assert turning_point(is_told, low, high) == pytest.approx(limit, rel=0.02)


def test_what_a_transfer_loses_is_told():
    clip = load_motion("walk")
    _, told = retarget_told(clip, person_rig(1))
    assert told.arm < 1 and told.leg_middle < 3 and not [w for w in told.warnings() if "Arms" in w]
    shaken = clip.changed(root=clip.root + 0.4 * np.sin(np.arange(len(clip.root)))[:, None] * [1, 0, 0])
    assert retarget(shaken, person_rig(1)).warnings
    assert pivots_of(body_of(clip.rig).legs)


def test_toes_rest_as_a_foot_on_the_ground_has_them(rng):
    clip = repeated(load_motion("run"), 3).changed(loop=False, stride=(0, 0, 0))
    rig, turns, heads = shown(clip, rest=normalized(rng.normal(size=(len(clip.rig.names), 4))))
    read = read_motion(rig, turns, heads, clip.rate)
    roles = find_roles(read.rig)
    foot, toe = (Kinematics(read.rig).turns(read.rotations)[:, roles[f"{n}.L"]] for n in ("foot", "toe"))
    bent = angle(multiply(conjugate(foot), toe))
    stands = clip.contacts[:, 0] & clip.contacts[:, 1]
    assert np.rad2deg(bent[stands]).max() < 4


def test_the_trunk_ends_in_the_highest_bone_that_is_known():
    roles = {"hips": 0, "spine": 1, "chest": 2, "neck": 3, "head": 4, "thigh.L": 5}
    for gone, end in ((), 3), (("neck",), 4), (("neck", "head"), 2), (("neck", "head", "chest"), 1):
        assert _trunk_end({r: b for r, b in roles.items() if r not in gone}) == end
    assert _trunk_end({"hips": 0, "thigh.L": 5}) == 0


def test_a_rig_stood_up_has_its_hips_over_the_origin_and_its_feet_on_the_ground():
    """Whatever else hangs lower: hands, or a tail."""
    rig = person_rig()
    roles = find_roles(rig)
    heads = rig.heads + [3.0, -2.0, 7.0]
    heads[roles["hand.L"], 2] = -5.0
    still = np.tile([1.0, 0, 0, 0], (len(rig.names), 1))
    stood = _stood(rig, still, heads, roles)
    feet = [b for r, b in roles.items() if r.split(".")[0] in ("shin", "foot", "toe")]
    assert stood.heads[feet, 2].min() == pytest.approx(0) and stood.heads[roles["hand.L"], 2] < -1
    np.testing.assert_allclose((stood.heads[roles["thigh.L"]] + stood.heads[roles["thigh.R"]])[:2], 0, atol=1e-9)
    np.testing.assert_allclose(stood.tails - stood.heads, rig.tails - rig.heads)


def test_legs_alone_rest_hanging_down_and_not_folded_up():
    roles = {"hips": 0, "thigh.L": 1, "thigh.R": 2, "shin.L": 3, "shin.R": 4}
    legs = np.array([[0, 0, 1], [0.1, 0, 0.9], [-0.1, 0, 0.9], [0.1, 0, 0.5], [-0.1, 0, 0.5]])
    assert stands_at_rest(legs, roles)
    legs[3:, 2] = 1.3
    assert not stands_at_rest(legs, roles)


@pytest.mark.parametrize("ends", ["as they are", "up"])
def test_an_animals_loose_feet_go_with_the_legs_that_they_move_with(ends):
    clip = load_motion("quadruped_walk")
    rig, kinematics = clip.rig, Kinematics(clip.rig)
    turns = kinematics.turns(clip.rotations)
    heads = kinematics.heads(turns, clip.root)
    feet = [i for i, name in enumerate(rig.names) if name.split(".")[0] in ("front_foot", "hind_foot")]
    names = tuple(f"IK{i}" if i in feet else name for i, name in enumerate(rig.names))
    parents = np.where(np.isin(np.arange(len(names)), feet), -1, rig.parents)
    tails = rig.tails if ends == "as they are" else rig.heads + [0.0, 0.0, 0.001]  # as importers invent them
    loose = Rig(names, parents, rig.heads, tails, rig.x_axes)
    read = read_motion(loose, turns, heads, clip.rate)
    found = find_roles(read.rig)
    assert {read.rig.names[found[f"{kind}_foot.{s}"]] for kind in ("front", "hind") for s in "LR"} == {
        names[i] for i in feet}
    moved = retarget(read, rig)
    assert abs(Kinematics(moved.rig).heads(Kinematics(moved.rig).turns(moved.rotations), moved.root)[..., 2].min()
               - heads[..., 2].min()) < 0.02 * np.ptp(rig.heads[:, 2])


@pytest.mark.parametrize("lies", [0.0, np.pi / 2, -1.2])
def test_a_way_counts_from_where_it_begins_and_faces_and_lies_and_is_as_large_as_it_was(lies):
    way = np.tile(np.eye(4), (3, 1, 1))
    way[:, :3, :3] = to_matrix(multiply(from_axis_angle([0, 0, 1.0], np.array([0.0, 0.3, 0.7])),
                                        from_axis_angle([1.0, 0, 0], lies))) * 0.01
    way[:, :3, 3] = [[0, 0, 0], [1, 0, 0.2], [2, 1, 0.1]]
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = to_matrix(from_axis_angle([0, 0, 1.0], 2.1)), [3.0, -2.0, 1.5]
    np.testing.assert_allclose(from_where_it_stands(place @ way), way, atol=1e-12)
