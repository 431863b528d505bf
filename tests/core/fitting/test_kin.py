"""A skeleton that is not ours is fitted as well as ours, whatever its bones are called."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from core.fitting.fit import Fitter
from core.fitting.kin import Kin, find_kin
from core.skeleton.from_rig import template_from_rig
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import Bone, SkeletonTemplate, rig_from_joints
from tests.characters import person
from tests.core.fitting.bodies import body

BIPED = load_template("biped")
MIXAMO = {"hips": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head"} | {
    f"{ours}.{s}": f"{side}{theirs}" for s, side in (("L", "Left"), ("R", "Right")) for ours, theirs in (
        ("shoulder", "Shoulder"), ("upper_arm", "Arm"), ("forearm", "ForeArm"), ("hand", "Hand"), ("thigh", "UpLeg"),
        ("shin", "Leg"), ("foot", "Foot"), ("toe", "ToeBase"))}


def foreign(names: dict[str, str]) -> SkeletonTemplate:
    """A template made from the skeleton of a small person with a large head, its bones renamed."""
    joints = person(head=1.5, leg=0.8, vertices=1500).joints
    rig = rig_from_joints(BIPED, np.array([joints[n] for n in BIPED.names]))
    return template_from_rig(replace(rig, names=tuple(names[n] for n in rig.names)), "foreign")


def fitted(template: SkeletonTemplate, hints=None) -> Rig:
    fitter = Fitter(body("person"), template)
    return fitter.rig(hints or {})


_ours: list[Fitter] = []


def ours() -> Fitter:
    if not _ours:
        _ours.append(Fitter(body("person"), BIPED))
    return _ours[0]


NAMES = {"mixamo": MIXAMO, "none": {n: f"bone{i:02}" for i, n in enumerate(MIXAMO)},
         "screen": {n: n[:-1] + {"L": "R", "R": "L"}[n[-1]] if n[-2] == "." else n for n in MIXAMO}}


@pytest.mark.parametrize("kind", NAMES)
def test_limbs_lie_where_those_of_the_preset_lie(kind):
    names = NAMES[kind]
    template = foreign(names)
    rig, own = fitted(template), ours().rig()
    limbs = [n for n in MIXAMO if n.split(".")[0] in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "hips")]
    heads = {b.name: b.head for b in template.bones}
    for n in limbs:
        np.testing.assert_allclose(rig.joints[heads[names[n]]], own.joints[n], atol=1e-6)
    inside = body("person")
    places = inside.frame.to_unit(np.array(list(rig.joints.values())))
    assert (inside.field.sample(places) < 0.01).all()


def test_trunks_are_cut_as_the_template_cuts_them():
    template, rig = foreign(MIXAMO), fitted(foreign(MIXAMO))
    for places in (dict(zip(template.names, template.positions, strict=True)), rig.joints):
        line = np.array([places[n] for n in ("Hips", "Spine", "Spine1", "Neck")])
        lengths = np.linalg.norm(np.diff(line, axis=0), axis=1)
        assert lengths[0] / lengths.sum() == pytest.approx(0.166, abs=0.03)


def test_pins_hold_and_neighbours_follow():
    place = np.array(ours().rig().joints["forearm.L"]) + [0.02, 0.0, 0.03]
    rig = fitted(foreign(MIXAMO), {"LeftForeArm": place})
    np.testing.assert_array_equal(rig.joints["LeftForeArm"], place)
    np.testing.assert_allclose(rig.joints["RightForeArm"], place * [-1, 1, 1], atol=1e-6)


@pytest.mark.parametrize(("name", "preset"), [("bird", None), ("centaur", None), ("biped", "biped"),
                                              ("quadruped", "quadruped"), ("horse", "quadruped")])
def test_only_bodies_of_one_kind_are_kin(name, preset):
    kin = find_kin(load_template(name))
    assert (kin and kin.preset.name) == preset


def with_a_pair_of_limbs(on: str, length: float, size: float) -> SkeletonTemplate:
    """The biped with two more limbs of three bones that grow backwards and aside out of a joint."""
    at, count, side = BIPED.index(on), len(BIPED.names), np.array([[[1], [1], [1]], [[-1], [-1], [-1]]])
    ways = np.outer([1, 2, 3], [0.0, 0.8, 0.0]) + side * np.outer([1, 2, 3], [0.6, 0.0, 0.0])
    names = [f"more_{k}.{s}" for s in "LR" for k in (1, 2, 3)]
    begins = [on, *names[:2], on, *names[3:5]]
    carrier = next(b.name for b in BIPED.bones if b.tail == on)
    bones = [Bone(f"bone_{tail}", head, tail, carrier if head == on else f"bone_{head}")
             for head, tail in zip(begins, names, strict=True)]
    places = np.concatenate([BIPED.positions, BIPED.positions[at] + length / 3 * ways.reshape(-1, 3)])
    return replace(BIPED, names=(*BIPED.names, *names), bones=(*BIPED.bones, *bones), positions=size * places,
                   parents=np.array([*BIPED.parents, *(at if n == on else count + names.index(n) for n in begins)]),
                   mirror=np.array([*BIPED.mirror, *(count + (k + 3) % 6 for k in range(6))]),
                   is_foot=np.append(BIPED.is_foot, [False] * 6), is_fat=np.append(BIPED.is_fat, [False] * 6))


@pytest.mark.parametrize("size", [0.2, 1.0, 5.0])
def test_who_has_a_pair_of_limbs_more_is_no_kin_from_a_share_of_the_size_on(size):
    tall = np.ptp(BIPED.positions, axis=0).max()
    assert find_kin(with_a_pair_of_limbs("chest", 0.29 * tall, size)).preset.name == "biped"
    assert find_kin(with_a_pair_of_limbs("chest", 0.31 * tall, size)) is None


def test_limbs_of_no_pair_are_tails_and_antennae_and_may_be_as_long_as_they_like():
    body = with_a_pair_of_limbs("chest", 0.5, 1.0)
    alone = np.where(np.arange(len(body.names)) < len(BIPED.names), body.mirror, -1)
    assert find_kin(body) is None and find_kin(replace(body, mirror=alone)).preset.name == "biped"


def test_however_long_ears_are_they_grow_out_of_a_persons_head():
    assert find_kin(with_a_pair_of_limbs("head", 0.5, 1.0)).preset.name == "biped"


@pytest.mark.parametrize(("j", "known", "below"), [
    (1, {0, 2, 3, 5}, 5), (1, {0, 2, 3}, 2), (1, {0, 5, 6}, 5), (2, {0, 6}, 6), (1, {0, 6, 7}, 7), (4, {0, 2}, None)])
def test_a_joint_of_the_trunk_lies_on_the_way_to_the_trunks_next_and_others_to_the_nearest(j, known, below):
    """The root, a joint where a pair of limbs begins, the left of which goes on by one, and two above it, a tip."""
    mirror = np.array([-1, -1, 3, 2, -1, -1, 6, -1])
    template = SimpleNamespace(parents=np.array([-1, 0, 1, 1, 1, 4, 2, 5]), mirror=mirror)
    assert Kin(template, BIPED, dict.fromkeys(known, 0))._next_known(j) == below


@pytest.mark.parametrize(("above", "inner"), [(1, [2, 3]), (2, [2, 3])])
def test_of_the_presets_joints_those_between_two_known_ones_that_lie_ahead_are_on_the_way(above, inner):
    """A curled chain: its first joint, above the known one, lies ahead as well. Joint 2 is the skeleton's own."""
    kin = Kin(SimpleNamespace(parents=np.arange(-1, 3)), SimpleNamespace(parents=np.arange(-1, 5)), {0: 0, 1: 1, 3: 4})
    joints = np.array([[0, 0, 0.5], [0, 0, 0.0], [0, 0, 0.3], [0.1, 0, 0.6], [0, 0, 1.0]])
    start = joints[1]
    np.testing.assert_array_equal(kin._inner(above, 3, joints, start), joints[inner])
    np.testing.assert_array_equal(kin._inner(above, 3, joints, np.array([0, 0, 0.4])), joints[inner[1:]])


def test_the_papers_skeleton_is_placed_by_the_papers_search_and_one_like_it_by_what_was_learned():
    paper = load_template("biped_paper")
    assert find_kin(paper) is None
    assert find_kin(replace(paper, name="my own")).preset.name == BIPED.name
