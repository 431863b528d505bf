"""The plan of a control rig: every bone's skin is handed over once, chains hang together, joints lie where they lay."""

from __future__ import annotations

import numpy as np
import pytest

from geppetto.core.skeleton.bone_map import find_roles
from geppetto.core.skeleton.control_rig import (
    ARM,
    FINGER,
    LEAST_BEND,
    LEG,
    PAW,
    REAR_PAW,
    SINGLE,
    SPINE,
    heel_of,
    plan_controls,
    share_along,
)
from geppetto.core.skeleton.preset import load_template, preset_names
from geppetto.core.skeleton.rig import Rig
from geppetto.core.skeleton.template import rig_from_joints
from tests.core.motion.bodies import reordered


def preset(name: str) -> Rig:
    template = load_template(name)
    return rig_from_joints(template, template.positions)


def plan_of(rig: Rig):
    return plan_controls(rig, find_roles(rig), {})


@pytest.mark.parametrize("name", preset_names())
def test_every_bone_is_handed_over_whole_and_chains_have_no_gaps(name):
    rig = preset(name)
    plan = plan_of(rig)
    assert {b.source for b in plan if b.source} == set(rig.names)
    known = {}
    for bone in plan:
        assert bone.name not in known and (not bone.parent or bone.parent in known)
        if bone.connected:
            np.testing.assert_allclose(bone.head, known[bone.parent].tail, atol=1e-12)
        assert np.linalg.norm(bone.tail - bone.head) > 1e-3
        known[bone.name] = bone
    for i, source in enumerate(rig.names):
        pieces = [b for b in plan if b.source == source]
        size = np.ptp(rig.heads, axis=0).max()
        np.testing.assert_allclose(pieces[0].head, rig.heads[i], atol=0.03 * size)
        np.testing.assert_allclose(pieces[-1].tail, rig.tails[i], atol=0.03 * size)


@pytest.mark.parametrize("first", ["hips", "spine", "chest", "neck", "head", "tail"])
@pytest.mark.parametrize("name", ["biped", "biped_tail", "centaur", "bird"])
def test_the_order_of_bones_plays_no_part(name, first):
    rig = preset(name)
    other, _ = reordered(rig, next((n for n in rig.names if n.startswith(first)), rig.names[-1]))
    plain, found = ({b.name: b for b in plan_of(r)} for r in (rig, other))
    assert plain.keys() == found.keys()
    for bone, same in ((b, found[b.name]) for b in plain.values()):
        assert (bone.parent, bone.connected, bone.kind, bone.part, bone.source, bone.settings) == (
            same.parent, same.connected, same.kind, same.part, same.source, same.settings)
        np.testing.assert_allclose([same.head, same.tail], [bone.head, bone.tail], atol=1e-12)


@pytest.mark.parametrize(("name", "kinds"), [
    ("biped", {"spine": SPINE, "upper_arm.L": ARM, "thigh.R": LEG, "shoulder.L": SINGLE}),
    ("horse", {"hind_upper.L": REAR_PAW, "front_upper.L": LEG}), ("bird", {"thigh.L": PAW}),
    ("centaur", {"upper_arm.R": ARM, "hind_upper.L": REAR_PAW})])
def test_limbs_get_the_type_that_suits_them(name, kinds):
    rig = preset(name)
    plan = {bone.name: bone.kind for bone in plan_controls(rig, {n: i for i, n in enumerate(rig.names)}, {})}
    assert {bone: plan[bone] for bone in kinds} == kinds


def test_a_person_has_the_bones_of_rigifys_own_metarig():
    names = {bone.name for bone in plan_of(preset("biped"))}
    assert {"spine", *(f"spine.{i:03d}" for i in range(1, 7)), "foot.L", "toe.L", "hand.R", "shoulder.L"} <= names


def test_each_leg_has_a_heel_behind_the_ankle_and_on_the_measured_sole():
    rig = preset("biped")
    edge = np.array([[0.05, 0.06, 0.0], [0.11, 0.06, 0.0]])
    plan = {b.name: b for b in plan_controls(rig, find_roles(rig), {"foot.L": edge})}
    np.testing.assert_array_equal([plan["foot_heel.L"].head, plan["foot_heel.L"].tail], edge)
    guessed = plan["foot_heel.R"]
    assert guessed.parent == "foot.R" and not guessed.source and guessed.head[1] > plan["foot.R"].head[1]
    for name in ("foot_heel.L", "foot_heel.R"):
        np.testing.assert_array_equal(plan[name].x_axis, [0, 0, 1])


def test_a_straight_limb_is_bent_the_way_its_elbow_bends():
    rig = preset("biped")
    heads, tails, elbow = rig.heads.copy(), rig.tails.copy(), rig.names.index("forearm.L")
    upper = rig.names.index("upper_arm.L")
    heads[elbow] = tails[upper] = 0.5 * (heads[upper] + tails[elbow])
    straight = Rig(rig.names, rig.parents, heads, tails, rig.x_axes, rig.connected)
    plan = {b.name: b for b in plan_of(straight)}
    start, middle, end = plan["upper_arm.L"].head, plan["forearm.L"].head, plan["forearm.L"].tail
    off = middle - 0.5 * (start + end)
    assert np.linalg.norm(off) == pytest.approx(LEAST_BEND * np.linalg.norm(end - start), rel=0.05)
    turned = np.cross(rig.x_axes[elbow], end - middle)  # where a positive turn takes the hand
    assert off @ turned < 0


@pytest.mark.parametrize(("name", "lower", "off", "stays"), [
    ("quadruped", "front_lower.L", 0.1, True), ("quadruped", "front_lower.R", -0.1, True),
    ("horse", "front_lower.L", 0.03, True), ("biped", "shin.L", -0.1, True), ("biped", "shin.L", 0.1, True),
    ("biped", "shin.L", 0.03, False)])
def test_a_bent_limb_stays_bent_as_it_is(name, lower, off, stays):
    """off : how far behind the straight line its joint lies.  A person's knee may be seen a little too far back."""
    rig = preset(name)
    heads, tails, below = rig.heads.copy(), rig.tails.copy(), rig.names.index(lower)
    above = int(rig.parents[below])
    line = tails[below] - heads[above]
    behind = np.cross([np.sign(line[2]), 0.0, 0.0], line)
    heads[below] = tails[above] = heads[above] + 0.5 * line + off * behind * np.sign(behind[1])
    plan = {b.name: b for b in plan_of(Rig(rig.names, rig.parents, heads, tails, rig.x_axes, rig.connected))}
    assert np.allclose(plan[lower].head, heads[below], atol=1e-12) is stays
    if not stays:
        assert plan[lower].head[1] < heads[below][1], "forward, as knees go"


@pytest.mark.parametrize("bone", ["chest", "neck", "head"])
def test_no_two_bones_of_a_spine_lie_half_a_turn_apart_about_themselves(bone):
    """Blender takes that for half a turn to the one side at rest, and perhaps to the other once it is posed."""
    rig = preset("biped")
    sides = rig.x_axes.copy()
    sides[rig.names.index(bone)] *= -1
    plan = {b.name: b for b in plan_of(Rig(rig.names, rig.parents, rig.heads, rig.tails, sides))}
    pairs = [(b, plan[b.parent]) for b in plan.values() if b.name.startswith("spine.")]
    assert len(pairs) == 6 and all(b.x_axis @ above.x_axis > 0 for b, above in pairs)


def test_joints_on_top_of_each_other_are_drawn_apart():
    rig = preset("bird")
    heads, tails = rig.heads.copy(), rig.tails.copy()
    hips, spine, chest = (rig.names.index(n) for n in ("hips", "spine", "chest"))
    heads[[hips, spine]] = tails[[hips, spine]] = heads[chest]
    plan = plan_of(Rig(rig.names, rig.parents, heads, tails, rig.x_axes, rig.connected))
    assert min(np.linalg.norm(b.tail - b.head) for b in plan if b.part == "Torso") > 1e-3


def test_fingers_become_chains():
    rig = preset("biped")
    hand = rig.names.index("hand.L")
    knuckles = rig.tails[hand] + np.arange(4)[:, None] * [0.01, 0.0, -0.002]
    fingers = Rig((*rig.names, "index.1.L", "index.2.L", "index.3.L"),
                  [*rig.parents, hand, len(rig.names), len(rig.names) + 1],
                  np.concatenate([rig.heads, knuckles[:-1]]), np.concatenate([rig.tails, knuckles[1:]]))
    plan = {b.name: b for b in plan_of(fingers)}
    assert plan["index.1.L"].kind == FINGER and plan["index.1.L"].parent == "hand.L"
    assert [plan[f"index.{k}.L"].connected for k in (1, 2, 3)] == [False, True, True]
    np.testing.assert_allclose([plan[f"index.{k}.L"].head for k in (1, 2, 3)], knuckles[:-1], atol=1e-6)


def test_shared_weights_add_up_and_pass_smoothly_from_piece_to_piece():
    along = np.linspace(-0.5, 1.5, 401)
    weights = np.full(401, 0.7)
    shares = share_along(weights, along, np.array([0.0, 0.5, 0.8]))
    np.testing.assert_allclose(shares.sum(1), weights, atol=1e-15)
    assert shares.min() >= 0 and np.abs(np.diff(shares, axis=0)).max() < 0.05
    np.testing.assert_allclose(shares[along < 0], [[0.7, 0, 0]] * int((along < 0).sum()))
    np.testing.assert_allclose(shares[along >= 1.0][:, 2], 0.7)
    middle = np.abs(along - 0.5).argmin()
    np.testing.assert_allclose(shares[middle, :2], 0.35, atol=1e-3)
    np.testing.assert_array_equal(share_along(weights, along, np.zeros(1))[:, 0], weights)


def test_a_heel_is_as_wide_as_the_sole_at_its_back(rng):
    points = rng.uniform([-0.04, -0.2, 0.0], [0.04, 0.07, 0.1], (4000, 3))  # a box of a foot, facing -Y
    edge = heel_of(np.array([[0.0, 0.0, 0.08], [0.0, -0.15, 0.02]]), points)
    np.testing.assert_allclose(sorted(edge[:, 0]), [-0.04, 0.04], atol=0.002)
    np.testing.assert_allclose(edge[:, 1], 0.07, atol=0.002)
    np.testing.assert_allclose(edge[:, 2], 0.0, atol=0.002)
    wide = points * np.where(points[:, 1:2] < -0.075, [2.0, 1, 1], 1)  # from the middle of the sole on
    np.testing.assert_array_equal(heel_of(np.array([[0.0, 0.0, 0.08], [0.0, -0.15, 0.02]]), wide), edge)
    blade = heel_of(np.array([[0.3, 0.0, 0.08], [0.3, -0.15, 0.02]]), points * [0.05, 1, 1] + [0.3, 0, 0])
    np.testing.assert_allclose(sorted(blade[:, 0]), [0.27, 0.33], atol=0.003)  # a fifth of the foot's length each way
    turned = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    other = heel_of(np.array([[0.0, 0.0, 0.08], [0.0, -0.15, 0.02]]) @ turned.T, points @ turned.T)
    np.testing.assert_allclose(other, edge @ turned.T, atol=1e-12)


def test_a_neck_of_one_bone_becomes_two_pieces_and_other_bones_one_each():
    """As in Rigify's own metarig; fingers begin where the skeleton's do."""
    rig = preset("biped")
    plan = [b for b in plan_of(rig) if b.source in ("neck", "head")]
    assert [b.source for b in plan] == ["neck", "neck", "head"]
    neck = rig.names.index("neck")
    middle = (rig.heads[neck] + rig.tails[neck]) / 2
    size = np.ptp(rig.heads, axis=0).max()
    np.testing.assert_allclose(plan[0].tail, middle, atol=0.02 * size)


def test_a_head_without_a_neck_is_one_piece_that_goes_on_from_the_spine():
    rig = preset("biped")
    roles = {role: bone for role, bone in find_roles(rig).items() if role != "neck"}
    head, = (bone for bone in plan_controls(rig, roles, {}) if bone.source == "head")
    assert head.name.startswith("spine")
    assert not any(bone.name.startswith("spine") and bone.source == "head"
                   for bone in plan_controls(rig, {r: b for r, b in roles.items() if r != "head"}, {}))
