"""A template made from an armature is the template the armature came from, whatever its bones are called."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.errors import BadRig
from core.pipeline import fit
from core.skeleton.from_rig import template_from_rig
from core.skeleton.preset import load_template, preset_names, template_data, template_from_data
from core.skeleton.reduce import reduce_template
from core.skeleton.rig import Rig
from core.skeleton.sides import pairs_by_name, pairs_by_place, split_side, words_of
from core.skeleton.template import rig_from_joints
from tests.characters import person, quadruped
from tests.limits import turning_point


def rig_of(name: str) -> Rig:
    template = load_template(name)
    return rig_from_joints(template, template.positions * 1.8 + [0.3, -0.2, 0.0])


def renamed(rig: Rig, rename) -> Rig:
    return replace(rig, names=tuple(rename(n) for n in rig.names), joints={})


def mixamo(name: str) -> str:
    side = {".L": "Left", ".R": "Right"}.get(name[-2:], "")
    return "mixamorig:" + side + "".join(w.title() for w in name.removesuffix(".L").removesuffix(".R").split("_"))


@pytest.mark.parametrize("name", [n for n in preset_names() if n != "biped_paper"])
def test_a_presets_rig_gives_the_preset_back(name):
    preset, rig = load_template(name), rig_of(name)
    made = template_from_rig(rig, name)
    assert len(made.names) == len(preset.names)
    assert {b.name: b.parent for b in made.bones} == {b.name: b.parent for b in preset.bones}
    size = np.ptp(np.concatenate([rig.heads, rig.tails]), axis=0).max()
    again = rig_from_joints(made, made.positions)
    order = [again.names.index(n) for n in rig.names]
    shift = again.heads[order] * size - rig.heads
    np.testing.assert_allclose(shift, np.broadcast_to(shift[0], shift.shape), atol=1e-9)
    np.testing.assert_allclose(again.tails[order] * size - rig.tails, shift, atol=1e-9)
    np.testing.assert_allclose(again.x_axes[order], rig.x_axes, atol=1e-9)
    assert (again.connected[order] == rig.connected).all()
    assert (made.mirror >= 0).sum() == (preset.mirror >= 0).sum()
    assert made.is_foot.sum() == preset.is_foot.sum()
    assert (made.is_foot & (made.mirror < 0)).sum() == 0
    assert len(reduce_template(made).joints) == len(reduce_template(preset).joints)


def test_other_programs_names_make_the_same_skeleton():
    rig = rig_of("biped")
    plain = template_from_rig(rig, "plain")
    for rename in (mixamo, lambda n: n.replace(".L", "_l").replace(".R", "_r"),
                   lambda n: {".L": "L_", ".R": "R_"}.get(n[-2:], "") + n.removesuffix(".L").removesuffix(".R"),
                   lambda n: f"bone{hash_of(n)}"):
        made = template_from_rig(renamed(rig, rename), "other")
        np.testing.assert_array_equal(made.parents, plain.parents)
        np.testing.assert_array_equal(made.mirror, plain.mirror)
        np.testing.assert_array_equal(made.is_foot, plain.is_foot)
        np.testing.assert_array_equal(made.is_fat, plain.is_fat)
        assert made.kind == "biped"


def hash_of(name: str) -> str:
    """A name that tells nothing, not even the side."""
    return "".join(chr(ord("a") + (7 * i + ord(c)) % 26) for i, c in enumerate(name))


def with_bones(rig: Rig, *extra) -> Rig:
    """More bones: (name, parent, head, tail, deform)."""
    names = (*rig.names, *(e[0] for e in extra))
    return Rig(names, [*rig.parents, *(-1 if e[1] is None else names.index(e[1]) for e in extra)],
               [*rig.heads, *(e[2] for e in extra)], [*rig.tails, *(e[3] for e in extra)],
               deform=[*rig.deform, *(e[4] for e in extra)])


def test_controls_twists_fingers_and_faces_are_left_out():
    rig = rig_of("biped")
    tip = dict(zip(rig.names, rig.tails, strict=True))
    extra = [("IK_hand.L", None, tip["hand.L"], tip["hand.L"] + [0, 0, 0.3], True),
             ("LegPoleTarget.R", None, [0, -1, 1], [0, -1.2, 1], True), ("widget", None, [0, 0, 3], [0, 0, 4], False),
             ("forearm_twist.L", "forearm.L", tip["upper_arm.L"], tip["forearm.L"], True),
             ("jaw", "head", tip["neck"] + [0, -0.02, 0.02], tip["neck"] + [0, -0.1, 0.02], True)]
    for side in "LR":
        end = tip[f"hand.{side}"]
        extra += [(f"{n}.{side}", f"hand.{side}", end + [0, 0.02 * i, 0], end + [0, 0.02 * i, -0.06], True)
                  for i, n in enumerate(("index", "middle", "ring"))]
    made = template_from_rig(with_bones(rig, *extra), "busy")
    assert {b.name for b in made.bones} == set(rig.names)
    assert len(made.names) == len(load_template("biped").names)


def test_a_root_on_the_ground_is_no_part_of_the_body():
    rig = rig_of("biped")
    rooted = Rig(("root", *rig.names), [-1, *(p + 1 for p in rig.parents)], [[0.3, -0.2, 0], *rig.heads],
                 [[0.3, -0.2, 0.1], *rig.tails])
    made = template_from_rig(rooted, "rooted")
    assert made.bones[0].name == "hips" and made.bones[0].parent is None and made.names[0] == "hips"


@pytest.mark.parametrize(("size", "floor"), [(1.0, 0.0), (170.0, 0.0), (1.0, 0.3), (1.0, -4.0)])
@pytest.mark.parametrize(("low", "high", "limit", "place"), [
    (0.0, 0.3, 0.05, lambda v: (v, 0.4)),  # how high the root begins
    (0.1, 0.4, 0.15, lambda v: (0.0, v))])  # how high its child does
def test_a_root_is_on_the_ground_and_its_child_is_not(low, high, limit, place, size, floor):
    def is_left_out(share: float) -> bool:
        root, child = place(share)
        heads = np.array([[0, 0, root], [0, 0, child], [0, 0, 0.7], [0, 0, 0.05], [0, 0, 0.0]])
        tails = np.array([[0, 0.1, root], [0, 0, 0.7], [0, 0, 1.0], [0, 0, 0], [0, -0.1, 0]])
        heads, tails = (size * ends + [0, 0, floor] for ends in (heads, tails))
        rig = Rig(("root", "hips", "chest", "leg", "toe"), (-1, 0, 1, 1, 3), heads, tails)
        return template_from_rig(rig, "own").bones[0].name == "hips"

    assert turning_point(is_left_out, low, high) == pytest.approx(limit, rel=0.03)


@pytest.mark.parametrize(("size", "floor"), [(1.0, 0.3), (170.0, -4.0)])
def test_ends_are_feet_up_to_an_eighth_of_the_height_whatever_stands_where(size, floor):
    def feet(hand: float) -> int:
        names = ("hips", "leg.L", "leg.R", "arm.L", "arm.R")
        heads = np.array([[0, 0, 0.7], [0.1, 0, 0.7], [-0.1, 0, 0.7], [0.2, 0, 1.0], [-0.2, 0, 1.0]])
        tails = np.array([[0, 0, 1.0], [0.1, 0, 0], [-0.1, 0, 0], [0.3, 0, hand], [-0.3, 0, hand]])
        up = [size * ends + [0, 0, floor] for ends in (heads, tails)]
        return int(template_from_rig(Rig(names, (-1, 0, 0, 0, 0), *up), "own").is_foot.sum())

    assert (feet(0.05), feet(0.3)) == (4, 2)
    assert turning_point(lambda v: feet(v) == 4, 0.05, 0.3) == pytest.approx(0.12, rel=0.03)


def test_tails_that_mean_nothing_are_replaced_by_the_next_head():
    """Importers of game formats give every bone the same length and direction."""
    rig = rig_of("biped")
    stubs = replace(rig, tails=rig.heads + [0, 0.05, 0], joints={})
    made = template_from_rig(stubs, "stubs")
    by_name = {b.name: b for b in made.bones}
    assert by_name["thigh.L"].tail == by_name["shin.L"].head and by_name["hips"].tail == by_name["spine"].head
    assert made.is_foot.sum() == 2 and made.kind == "biped"


@pytest.mark.parametrize("at", [[0.0, 0, 0], [5.0, -3, 9]], ids=["here", "elsewhere"])
def test_what_begins_where_a_bone_begins_does_not_end_it(at):
    """A stub, and over it a bone from the same place."""
    names, parents = ("hips", "leg.L", "leg.R", "stub", "over", "neck"), (-1, 0, 0, 0, 3, 4)
    heads = np.array([[0, 0, 0.5], [0.1, 0, 0.5], [-0.1, 0, 0.5], [0, 0, 0.7], [0, 0, 0.7], [0, 0, 0.9]])
    tails = np.array([[0, 0, 0.7], [0.1, 0, 0], [-0.1, 0, 0], [0, 0, 0.72], [0, 0, 0.9], [0, 0, 1.0]])
    made = template_from_rig(Rig(names, parents, heads + at, tails + at), "own")
    ends = {b.name: (b.head, b.tail) for b in made.bones}
    assert all(head != tail for head, tail in ends.values()), ends


@pytest.mark.parametrize("at", [[0.0, 0, 0], [5.0, -3, 9]], ids=["here", "elsewhere"])
def test_a_last_bone_without_length_is_an_end_and_no_bone(at):
    """As files of other programs end chains."""
    names, parents = ("hips", "leg.L", "leg.R", "neck", "end"), (-1, 0, 0, 0, 3)
    heads = np.array([[0, 0, 0.5], [0.1, 0, 0.5], [-0.1, 0, 0.5], [0, 0, 0.7], [0, 0, 0.9]])
    tails = np.array([[0, 0, 0.7], [0.1, 0, 0], [-0.1, 0, 0], [0, 0, 0.9], [0, 0, 0.9]])
    made = template_from_rig(Rig(names, parents, heads + at, tails + at), "own")
    ends = {b.name: (b.head, b.tail) for b in made.bones}
    assert "neck" in ends and "end" not in ends and all(head != tail for head, tail in ends.values()), ends


@pytest.mark.slow
def test_the_template_can_be_saved_read_and_fitted():
    made = template_from_rig(renamed(rig_of("biped"), mixamo), "mixamo")
    read = template_from_data(template_data(made))
    assert read.names == made.names and read.bones[3].parent == made.bones[3].parent
    character = person(vertices=1500, arm_angle=35, hair="none")
    rig = fit(character.mesh, made)
    heads = dict(zip(rig.names, rig.heads, strict=True))
    for ours, theirs in (("forearm.L", "mixamorig:LeftForearm"), ("shin.R", "mixamorig:RightShin"),
                         ("thigh.L", "mixamorig:LeftThigh")):
        assert np.linalg.norm(heads[theirs] - character.joints[ours]) < 0.1 * character.height


@pytest.mark.long
def test_an_animals_template_stands_on_four_feet():
    rig = renamed(rig_of("quadruped"), lambda n: n.replace(".L", "_Left").replace(".R", "_Right"))
    made = template_from_rig(rig, "dog")
    assert made.kind == "quadruped" and made.is_foot.sum() == 4
    rig = fit(quadruped(vertices=1500).mesh, made)
    feet = [rig.tails[rig.names.index(f"{end}_foot_{side}")] for end in ("front", "hind") for side in ("Left", "Right")]
    assert max(f[2] for f in feet) < 0.15 * 0.6 and feet[0][1] < feet[2][1]


def test_an_armature_without_bones_is_refused():
    with pytest.raises(BadRig, match="Deform"):
        template_from_rig(Rig((), np.zeros(0), np.zeros((0, 3)), np.zeros((0, 3))), "none")


@pytest.mark.parametrize("name, what", [
    ("hand.L", ("hand", "left")), ("thigh_r", ("thigh", "right")), ("LeftArm", ("arm", "left")),
    ("mixamorig:RightUpLeg", ("mixamorig|up|leg", "right")), ("Bip01 L Thigh", ("bip|01|thigh", "left")),
    ("L_Foot", ("foot", "left")), ("r-foot", ("foot", "right")), ("tail", ("tail", "")), ("Lid", ("Lid", "")),
    ("Spine1", ("Spine1", ""))])
def test_sides_are_read_from_names(name, what):
    assert split_side(name) == what


def test_names_said_twice_have_no_partner_and_pairs_are_mutual():
    assert pairs_by_name(["a.L", "a_l", "a.R", "b.L", "b.R"]).tolist() == [-1, -1, -1, 4, 3]
    assert words_of("LeftHandIK_2") == ["Left", "Hand", "IK", "2"]
    points = np.array([[1.0, 0, 0], [-1.01, 0, 0], [0, 0, 1], [0.5, 0, 0], [-0.5, 0, 0.2]])
    assert pairs_by_place(points, np.full(5, -1), 0.0, 0.05).tolist() == [1, 0, -1, -1, -1]


def test_who_has_a_partner_is_nobody_elses():
    """Two close together on either side: the nearer two are a pair, and so are the two that are left."""
    points = np.array([[1, 0.01, 0], [1, 0.04, 0], [-1, 0.02, 0], [-1, 0.07, 0]], float)
    assert pairs_by_place(points, np.full(4, -1), 0.0, 0.05).tolist() == [2, 3, 0, 1]
