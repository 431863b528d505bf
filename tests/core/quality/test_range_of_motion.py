"""The poses go as far as they say, on any rig, however it stands."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.rotation import conjugate, from_axis_angle, multiply, rotate, to_matrix
from core.motion import rest_pose
from core.quality.hanging import bone_ends, hang_together
from core.quality.range_of_motion import LEAST, _limb, character_axes, range_of_motion
from core.skeleton.chain import finger_of
from core.skeleton.rig import Rig
from tests.core.detail.people import rigged
from tests.core.motion.bodies import moved_rig, preset_rig


def posed(rig: Rig, pose) -> tuple[np.ndarray, np.ndarray]:
    return rotate(pose.turns, rig.heads) + pose.shifts, rotate(pose.turns, rig.tails) + pose.shifts


def named(poses) -> dict:
    return {pose.name: pose for pose in poses}


def angle(a, b) -> float:
    return float(np.rad2deg(np.arccos(a @ b / np.linalg.norm(a) / np.linalg.norm(b))))


@pytest.fixture(scope="module")
def biped():
    return preset_rig("biped")


@pytest.mark.parametrize(("pose", "upper", "lower"), [
    ("Elbows bent 120°", "upper_arm", "forearm"), ("Knees bent 120°", "thigh", "shin")])
def test_elbows_and_knees_end_at_120_degrees(biped, pose, upper, lower):
    heads, tails = posed(biped, named(range_of_motion(biped))[pose])
    for side in ".L", ".R":
        a, b = biped.names.index(upper + side), biped.names.index(lower + side)
        assert angle(heads[b] - heads[a], tails[b] - heads[b]) == pytest.approx(120, abs=1)
    forward = tails[b] - biped.tails[b]
    assert forward[1] < 0 if upper == "upper_arm" else forward[1] > 0  # hands come forward, heels go back


@pytest.mark.parametrize("preset", ["quadruped", "horse", "centaur"])
def test_animals_bend_their_elbows_forward_and_their_hind_knees_back(preset):
    rig = preset_rig(preset)
    poses = named(range_of_motion(rig))
    for pose, role, ahead in (("Front legs bent 90°", "front_lower", -1), ("Hind knees bent 90°", "hind_lower", 1)):
        for side in ".L", ".R":
            bone = rig.names.index(role + side)
            assert ahead * (posed(rig, poses[pose])[1] - rig.tails)[bone, 1] > 0.05


def test_arms_go_up_and_thighs_forward(biped):
    poses = named(range_of_motion(biped))
    heads, tails = posed(biped, poses["Arms up"])
    arm = biped.names.index("upper_arm.L")
    assert (tails[arm] - heads[arm])[2] > 0.9 * np.linalg.norm(tails[arm] - heads[arm])
    heads, tails = posed(biped, poses["Hips bent 90°"])
    thigh = biped.names.index("thigh.R")
    assert (tails[thigh] - heads[thigh])[1] < -0.9 * np.linalg.norm(tails[thigh] - heads[thigh])


def test_a_twist_turns_about_the_limb_and_nothing_else(biped):
    pose = named(range_of_motion(biped))["Hands twisted 90°"]
    hand = biped.names.index("hand.L")
    forearm = biped.heads[hand] - biped.heads[biped.names.index("forearm.L")]
    np.testing.assert_allclose(rotate(pose.turns[hand], forearm), forearm, atol=1e-9)
    assert abs(2 * np.arccos(abs(pose.turns[hand, 0]))) == pytest.approx(np.pi / 2)
    assert set(pose.bones) == {hand, biped.names.index("hand.R")}


def test_poses_turn_with_the_character(biped):
    turn = from_axis_angle(np.array([2.0, -1, 2]) / 3, 1.9)
    matrix = to_matrix(turn)
    moved = moved_rig(biped, 7.0 * matrix, (3.0, -2, 5))
    for own, other in zip(range_of_motion(biped), range_of_motion(moved), strict=True):
        assert own.name == other.name and own.bones == other.bones
        heads, tails = posed(biped, own)
        moved_heads, moved_tails = posed(moved, other)
        if not own.is_general:  # those turn about the bones' own axes
            np.testing.assert_allclose(moved_heads, 7 * heads @ matrix.T + [3, -2, 5], atol=1e-5)
            np.testing.assert_allclose(moved_tails, 7 * tails @ matrix.T + [3, -2, 5], atol=1e-5)


@pytest.mark.parametrize("preset", ["quadruped", "horse", "bird", "centaur"])
def test_animals_have_their_own_exercises(preset):
    rig = preset_rig(preset)
    poses = range_of_motion(rig)
    turned = {rig.names[b].split(".")[0] for pose in poses for b in pose.bones if not pose.is_general}
    assert {"head"} <= turned and any("leg" in p.name.lower() or "knee" in p.name.lower() for p in poses)
    axes = character_axes(rig)
    np.testing.assert_allclose(axes @ axes.T, np.eye(3), atol=1e-12)
    assert np.rad2deg(np.arccos(np.clip((np.trace(axes) - 1) / 2, -1, 1))) < 30


def test_bones_without_a_role_move_apart_from_their_parents_and_neighbours():
    names = ("base", *(f"f{i}{j}" for i in range(4) for j in range(3)))
    heads = np.array([[0, 0, 0], *([0.2 * i, 1 + 0.3 * j, 0] for i in range(4) for j in range(3))], float)
    parents = [-1, *(0 if j == 0 else 3 * i + j for i in range(4) for j in range(3))]
    rig = Rig(names, parents, heads, heads + [0, 0.3, 0])
    poses = range_of_motion(rig)
    assert {b for pose in poses for b in pose.bones} == set(range(1, 13))
    for pose in (pose for pose in poses if pose.is_general):
        for b in pose.bones:
            assert rig.parents[b] not in pose.bones
            assert b + 3 not in pose.bones


def test_an_arm_that_hangs_already_is_not_lowered(biped):
    poses = named(range_of_motion(biped))
    arm = biped.names.index("upper_arm.L")
    for pose in poses.values():
        if pose.name.startswith("Arms") and arm in pose.bones:
            assert 2 * np.arccos(np.clip(abs(pose.turns[arm, 0]), 0, 1)) >= LEAST - 1e-9


def test_a_foot_on_the_ground_hangs_on_its_shin(biped):
    parents = np.array(biped.parents)
    feet = [biped.names.index(f"foot.{side}") for side in "LR"]
    names = ("root", *biped.names)
    parents = np.concatenate([[-1], np.where(parents < 0, 0, parents + 1)])
    parents[[f + 1 for f in feet]] = 0
    rig = Rig(names, parents, np.concatenate([[[0, 0, 0]], biped.heads]), np.concatenate([[[0, 1, 0]], biped.tails]))
    moving = np.array([name != "root" for name in names])
    hung = hang_together(rig, moving)
    for f, side in zip(feet, "LR", strict=True):
        assert hung.names[hung.parents[f + 1]] == f"shin.{side}"
    others = [i for i in range(len(names)) if i - 1 not in feet]
    np.testing.assert_array_equal(hung.parents[others], rig.parents[others])
    assert hang_together(biped, np.ones(len(biped.names), bool)) is biped


def test_a_bone_ends_where_its_chain_goes_on():
    rig = Rig(("hips", "spine", "tip", "stub"), (-1, 0, 1, 0), [[0, 0, 0], [0, 0, 1], [0, 0, 2], [0.1, 0, 0]],
              [[0, 5, 0], [5, 0, 0], [0, 0, 2.5], [0.2, 0, 0]])
    np.testing.assert_array_equal(bone_ends(rig), [[0, 0, 1], [0, 0, 2], [0, 0, 2.5], [0.2, 0, 0]])


def test_limbs_go_from_joint_to_joint_wherever_bones_end():
    """Artists' bones may end short of the next joint, or beside it, or carry something long besides."""
    rig = preset_rig("biped")
    roles = {name: i for i, name in enumerate(rig.names)}
    aside = Rig(rig.names, rig.parents, rig.heads, rig.tails + [0.03, 0.05, 0.0], rig.x_axes)
    on = [rig.names.index(f"{n}.L") for n in ("upper_arm", "forearm", "shin")]
    armour = Rig((*rig.names, "plate.1", "plate.2", "plate.3"), [*rig.parents, *on],
                 np.concatenate([rig.heads, rig.heads[on] + [0.2, 0.3, 0]]),
                 np.concatenate([rig.tails, rig.heads[on] + [0.2, 0.9, 0]]))
    for role, above, below in (("forearm", "upper_arm", "hand"), ("shin", "thigh", "foot"),
                               ("upper_arm", "shoulder", "forearm")):
        top, own, end = (rig.heads[roles[f"{n}.L"]] for n in (above, role, below))
        for which in (rig, aside, armour):
            found = _limb(which, roles, role, ".L")
            np.testing.assert_allclose(found, [(end - own) / np.linalg.norm(end - own),
                                               (own - top) / np.linalg.norm(own - top)], atol=1e-6)


@pytest.mark.slow
def test_a_fist_closes_each_joint_of_a_finger_by_75_degrees_and_of_a_thumb_by_35():
    rig = rigged(5).rig
    fists = named(range_of_motion(rig))["Fists"]
    fingers = {b: finger_of(name)[0] for b, name in enumerate(rig.names) if finger_of(name)}
    assert len(set(fingers.values())) == 5 and set(fists.bones) == set(fingers)
    for bone, finger in fingers.items():
        above = rig.parents[bone]
        own = multiply(conjugate(fists.turns[above]), fists.turns[bone])
        bend = np.rad2deg(2 * np.arccos(min(abs(own[0]), 1.0)))
        assert bend == pytest.approx(35 if finger == "thumb" else 75, abs=0.1)


def test_a_rig_without_legs_and_sides_stands_in_the_characters_frame():
    alone = Rig(("body", "head"), (-1, 0), [[0, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 2]])
    np.testing.assert_allclose(rest_pose.character_axes(alone, {}), np.eye(3))
