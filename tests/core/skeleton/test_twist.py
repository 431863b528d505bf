"""Twist bones: where they lie, and that each does its share of a limb's turn about itself, whatever else it does."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.rotation import angle, between, from_axis_angle, identity, multiply, normalized, rotate
from core.motion.kinematics import Kinematics
from core.skeleton.bone_map import find_roles
from core.skeleton.carried import ancestors
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from core.skeleton.twist import is_twist, turned_twists, twist_groups, with_twists, without_twists

BIPED = load_template("biped")
PLAIN = rig_from_joints(BIPED, BIPED.positions)
TURN = np.deg2rad(90)


def turned(rig, bone: str, turn) -> np.ndarray:
    """(B, 4) turns in space with one bone turned against its parent."""
    local = identity(len(rig.names))
    local[rig.names.index(bone)] = turn
    return Kinematics(rig).turns(turned_twists(rig, twist_groups(rig), local))


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_every_limb_has_as_many_as_asked_for_in_line_with_it(count):
    rig = with_twists(PLAIN, count)
    own = [b for b, name in enumerate(rig.names) if is_twist(name)]
    assert len(own) == 8 * count and rig.names[:len(PLAIN.names)] == PLAIN.names
    for b in own:
        limb = rig.parents[b]
        along = rig.tails[limb] - rig.heads[limb]
        assert rig.names[b].startswith(rig.names[limb][:-2]) and rig.deform[b] and rig.collections[b] == "Twist"
        np.testing.assert_allclose(np.cross(rig.tails[b] - rig.heads[b], along), 0, atol=1e-12)
        np.testing.assert_array_equal(rig.x_axes[b], rig.x_axes[limb])
        assert all(-1e-9 <= (p - rig.heads[limb]) @ along <= along @ along + 1e-9 for p in (rig.heads[b], rig.tails[b]))


def test_the_first_is_next_to_where_the_limb_turns():
    rig = with_twists(PLAIN, 2)
    near = lambda bone, joint: np.linalg.norm(  # noqa: E731 - used four times
        (rig.heads[rig.names.index(bone)] + rig.tails[rig.names.index(bone)]) / 2 - rig.joints[joint])
    for part, joint in (("upper_arm", "upper_arm"), ("forearm", "hand"), ("thigh", "thigh"), ("shin", "foot")):
        assert near(f"{part}_twist_1.L", f"{joint}.L") < near(f"{part}_twist_2.L", f"{joint}.L")


def test_a_twisted_hand_wrings_the_forearm_evenly():
    rig = with_twists(PLAIN, 2)
    bone = rig.names.index("forearm.L")
    axis = normalized(rig.tails[bone] - rig.heads[bone])
    turns = turned(rig, "hand.L", from_axis_angle(axis, TURN))
    for name, share in (("forearm.L", 0), ("forearm_twist_2.L", 0.4), ("forearm_twist_1.L", 0.8), ("hand.L", 1)):
        np.testing.assert_allclose(turns[rig.names.index(name)], from_axis_angle(axis, share * TURN), atol=1e-12)


def test_a_twisted_arm_is_wrung_from_the_shoulder_on():
    rig = with_twists(PLAIN, 2)
    bone = rig.names.index("upper_arm.R")
    axis = normalized(rig.tails[bone] - rig.heads[bone])
    swing = between(axis, [0.3, -1.0, 0.2])
    turns = turned(rig, "upper_arm.R", multiply(swing, from_axis_angle(axis, TURN)))
    for name, share in (("upper_arm_twist_1.R", 0.2), ("upper_arm_twist_2.R", 0.6), ("upper_arm.R", 1)):
        np.testing.assert_allclose(turns[rig.names.index(name)], multiply(swing, from_axis_angle(axis, share * TURN)),
                                   atol=1e-12)


@pytest.mark.parametrize("towards", [[0, -1, 0], [1, -1, -1], [0, 0.2, 1]])
def test_a_swing_is_no_twist(towards):
    rig = with_twists(PLAIN, 2)
    for limb, source in (("upper_arm.L", "upper_arm.L"), ("forearm.L", "hand.L")):
        bone = rig.names.index(limb)
        turn = between(rig.tails[bone] - rig.heads[bone], towards)
        turns = turned(rig, source, turn)
        for twist in (b for b in range(len(rig.names)) if rig.parents[b] == bone and is_twist(rig.names[b])):
            np.testing.assert_allclose(angle(multiply(turns[twist] * [1, -1, -1, -1], turns[bone])), 0, atol=1e-7)
            head = Kinematics(rig).heads(turns, np.zeros(3))
            carried = head[bone] + rotate(turns[bone], rig.heads[twist] - rig.heads[bone])
            np.testing.assert_allclose(head[twist], carried, atol=1e-12)


def test_other_peoples_are_known_by_name_and_place():
    rig = with_twists(PLAIN, 2)
    unreal = {"upper_arm": "upperarm", "forearm": "lowerarm", "shin": "calf"}

    def called(name: str) -> str:
        for ours, theirs in unreal.items():
            name = name.replace(ours, theirs)
        return name.replace("twist_", "twist_0").replace(".L", "_l").replace(".R", "_r")

    theirs = type(rig)(tuple(map(called, rig.names)), rig.parents, rig.heads, rig.tails, rig.x_axes)
    assert [g.bones.tolist() for g in twist_groups(theirs)] == [g.bones.tolist() for g in twist_groups(rig)]
    assert len(twist_groups(rig)) == 8 and twist_groups(PLAIN) == []
    assert not without_twists(rig, twist_groups(rig)).deform[len(PLAIN.names):].any()


def test_a_limb_has_at_most_three_twist_bones():
    assert is_twist("forearm_twist_3.L") and not is_twist("forearm_twist_4.L") and not is_twist("forearm_twist_0.L")


@pytest.mark.parametrize("lost", ["forearm", "shin"])
def test_twist_bones_are_never_taken_for_the_rest_of_a_limb_that_is_missing(lost):
    full = with_twists(PLAIN, 2)
    gone = {i for i, name in enumerate(full.names)
            if {full.names[b].split(".")[0] for b in (i, *ancestors(full.parents, i))} & {lost}}
    kept = [i for i in range(len(full.names)) if i not in gone]
    rig = Rig(tuple(full.names[i] for i in kept), np.array([kept.index(p) if p >= 0 else -1
                                                            for p in full.parents[kept]]),
              full.heads[kept], full.tails[kept], full.x_axes[kept])
    roles = find_roles(rig)
    assert {"upper_arm.L", "hips"} & set(roles)
    assert not [role for role, bone in roles.items() if is_twist(rig.names[bone])]
