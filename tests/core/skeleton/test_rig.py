"""Rigs are checked when made, and bones bend about X the same way on both sides."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from core.errors import BadRig
from core.skeleton.preset import load_template, other_side, preset_names
from core.skeleton.rig import DOUBTFUL, Rig, bend_axes, doubtful
from core.skeleton.template import rig_from_joints


def vectors():
    return st.tuples(*[st.floats(-1, 1).map(lambda x: round(x, 3))] * 3)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.tuples(vectors(), vectors()), min_size=1, max_size=6), st.sampled_from([1e-6, 1.0, 1e6]))
def test_bend_axes_are_unit_orthogonal_and_bend_the_right_way(pairs, size):
    directions, bends = (np.array(x) for x in zip(*pairs, strict=True))
    axes = bend_axes(directions * size, bends)
    np.testing.assert_allclose(np.linalg.norm(axes, axis=1), 1, atol=1e-9)
    length = np.maximum(np.linalg.norm(directions, axis=1), 1e-30)
    assert np.abs(np.einsum("bd,bd->b", axes, directions) / length).max() < 1e-9
    for axis, bone, bend in zip(axes, directions, bends, strict=True):
        sideways = np.linalg.norm(np.cross(bone, bend))
        if sideways > 1e-3 * np.linalg.norm(bone) * np.linalg.norm(bend) > 0:
            moved = Rotation.from_rotvec(0.1 * axis).apply(bone) - bone
            assert moved @ bend > -0.06 * np.linalg.norm(moved) * np.linalg.norm(bend)
            assert (np.cross(axis, bone) @ bend) > 0


def test_names_of_a_rig_are_words_whatever_they_are_given_as():
    assert Rig([1, "two"], [-1, 0], np.zeros((2, 3)), np.ones((2, 3))).names == ("1", "two")


def test_a_bend_along_the_bone_or_none_falls_back_on_the_world():
    axes = bend_axes(np.array([[0, 0, 1.0], [0, 0, 1.0], [0, 0, 0]]), np.array([[0, 0, 1.0], [0, 0, 0], [0, 1.0, 0]]))
    np.testing.assert_array_equal(np.abs(axes[:, 2]), 0)
    np.testing.assert_allclose(np.linalg.norm(axes, axis=1), 1)


@pytest.mark.parametrize("name", preset_names())
def test_positive_turns_bend_both_sides_alike(name):
    """Elbows forward, knees back: turning about local X moves the tail towards the template's bend direction."""
    template = load_template(name)
    rig = rig_from_joints(template, template.positions)
    number = {n: i for i, n in enumerate(rig.names)}
    moved = Rotation.from_rotvec(np.radians(20) * rig.x_axes).apply(rig.tails - rig.heads) + rig.heads
    bent = 0
    for i, bone in enumerate(template.bones):
        along = (rig.tails[i] - rig.heads[i]) / np.linalg.norm(rig.tails[i] - rig.heads[i])
        bend = np.array(bone.bend)
        if np.linalg.norm(np.cross(along, bend)) > 0.1:
            assert (moved[i] - rig.tails[i]) @ (bend - along * (bend @ along)) > 0, bone.name
            bent += 1
            twin = number[other_side(bone.name)]
            if twin != i:
                np.testing.assert_allclose(moved[twin], moved[i] * [-1, 1, 1], atol=1e-9)
    assert bent > len(template.bones) / 2


@pytest.mark.parametrize("side", "LR")
def test_elbows_flex_forwards_and_knees_backwards(side):
    template = load_template("biped")
    rig = rig_from_joints(template, template.positions)
    moved = Rotation.from_rotvec(0.5 * rig.x_axes).apply(rig.tails - rig.heads) + rig.heads
    for bone, forwards in (("forearm", True), ("upper_arm", True), ("shin", False)):
        i = rig.names.index(f"{bone}.{side}")
        assert (moved[i, 1] < rig.tails[i, 1] - 0.01) == forwards, bone


def chain(count: int = 3, **changes) -> Rig:
    heads = np.arange(count)[:, None] * [0.0, 0, 1]
    fields = {"names": [f"b{i}" for i in range(count)], "parents": np.arange(count) - 1, "heads": heads,
              "tails": heads + [0, 0, 1]}
    return Rig(**(fields | changes))


def test_defaults():
    rig = chain()
    assert rig.deform.all() and not rig.connected.any() and rig.collections == ("Deform",) * 3
    np.testing.assert_allclose(np.einsum("bd,bd->b", rig.x_axes, rig.tails - rig.heads), 0, atol=1e-12)
    assert len(chain(0, heads=np.zeros((0, 3)), tails=np.zeros((0, 3))).names) == 0


def test_wrong_rigs_are_refused():
    with pytest.raises(BadRig, match="share a name"):
        chain(names=["a", "a", "b"])
    with pytest.raises(BadRig, match="finite"):
        chain(tails=np.full((3, 3), np.nan))
    with pytest.raises(ValueError, match="parents"):
        chain(parents=[-1, 0, 3])
    with pytest.raises(ValueError, match="parents"):
        chain(parents=[-2, 0, 1])
    for circle in ([0, 0, 1], [2, 0, 1], [-1, 2, 1]):
        with pytest.raises(BadRig, match="circle"):
            chain(parents=circle)
    with pytest.raises(ValueError, match="heads"):
        chain(heads=np.zeros((2, 3)))


def test_arrays_are_copied_and_read_only():
    heads = np.arange(3)[:, None] * [0.0, 0, 1]
    rig = chain(heads=heads)
    heads[:] = 5
    assert rig.heads[0, 2] == 0
    for key in ("parents", "heads", "tails", "x_axes", "connected", "deform"):
        with pytest.raises(ValueError, match="read-only"):
            getattr(rig, key)[0] = 1


def test_a_rig_of_some_bones_hangs_on_the_ancestors_that_are_kept():
    rig = Rig(("hips", "spine", "chest", "arm"), (-1, 0, 1, 2), np.eye(4, 3), np.eye(4, 3) + [0, 0, 1],
              connected=[False, True, True, True], collections=("A", "B", "C", "D"))
    some = rig.only({"arm", "hips", "nothing"})
    assert some.names == ("hips", "arm") and some.parents.tolist() == [-1, 0] and some.collections == ("A", "D")
    np.testing.assert_array_equal(some.heads, rig.heads[[0, 3]])
    assert some.connected.tolist() == [False, False]
    assert rig.only(rig.names).parents.tolist() == rig.parents.tolist() and rig.only(()).names == ()


def test_a_joint_is_doubtful_when_it_is_more_likely_wrong_than_right():
    place = np.zeros(3)
    joints = {"hips": place, "hand.R": place, "hand.L": place, "head": place}
    rig = Rig(("bone",), (-1,), [[0, 0, 0]], [[0, 0, 1]], joints=joints)
    assert doubtful(rig) == (), "a rig that knows no confidence has no doubts"
    confidence = {"hand.L": 0.1, "hips": DOUBTFUL, "hand.R": 0.49, "elsewhere": 0.0}
    assert doubtful(replace(rig, confidence=confidence)) == ("hand.R", "hand.L"), "in the order of the joints"
    assert doubtful(replace(rig, confidence=confidence | {"hand.R": 1.0})) == ("hand.L",), "a pinned joint is certain"


@pytest.mark.parametrize("name", ["quadruped", "horse", "centaur"])
@pytest.mark.parametrize("limb", ["front", "hind"])
@pytest.mark.parametrize("side", "LR")
def test_a_positive_turn_folds_the_legs_of_animals(name, limb, side):
    template = load_template(name)
    rig = rig_from_joints(template, template.positions)
    upper, lower = (rig.names.index(f"{limb}_{part}.{side}") for part in ("upper", "lower"))
    reach = [np.linalg.norm(Rotation.from_rotvec(angle * rig.x_axes[lower]).apply(rig.tails[lower] - rig.heads[lower])
                            + rig.heads[lower] - rig.heads[upper]) for angle in (0.0, 0.5, 1.0)]
    assert reach[0] > reach[1] > reach[2]
