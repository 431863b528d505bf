"""Limbs that are not there get no bones; those of whole bodies all do."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.fitting import missing
from core.fitting.check import check_character
from core.fitting.fit import Fitter
from core.fitting.from_shape import template_in
from core.fitting.joint_tree import load_tree
from core.fitting.missing import Missing, find_missing, part_template, with_pinned
from core.fitting.readings import Reading
from core.fitting.traced import SURE
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.motion.clip_file import load_motion
from core.motion.retarget import retarget
from core.seeing.evidence import Evidence
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from tests import characters
from tests.characters.blocky import walker
from tests.characters.poses import holding, waving
from tests.core.fitting.bodies import prepared
from tests.shapes import box

BIPED = load_template("biped")
LEGS = {f"{n}.{s}" for n in ("thigh", "shin", "foot", "toe", "toe_tip") for s in "LR"}
ARM_L = {"forearm.L", "hand.L", "hand_tip.L"}


@cache
def half() -> tuple[characters.Character, Shape, Rig]:
    """A person cut off above the hips, and the rig it gets."""
    made = characters.maimed(above=0.53)
    shape = prepared(made.mesh)
    return made, shape, Fitter(shape, template_in(shape, "biped")).rig()


@cache
def raised() -> tuple[characters.Character, Shape]:
    """A person with a very large head and one arm up beside it, of which the network sees little."""
    made = characters.person(pose=lambda joints: waving(joints, rise=115), head=2.9, leg=0.5, arm=1.1)
    return made, prepared(made.mesh)


@cache
def one_armed() -> Shape:
    return prepared(characters.maimed(arms="R").mesh)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("made", [lambda: characters.person(pose=holding), characters.person, characters.gowned,
                                  lambda: characters.person(head=1.7, leg=0.75)],
                         ids=["holding", "person", "gown", "child"])
def test_a_whole_person_lacks_nothing_and_is_fitted_the_preset_itself(made):
    shape = prepared(made().mesh)
    assert not find_missing(shape.mesh, BIPED).joints
    assert template_in(shape, "biped").names == BIPED.names


@pytest.mark.long
def test_a_trunk_that_does_not_reach_the_ground_stands_on_legs_and_not_on_arms():
    """The network takes a machine on two legs for the top of a person, whose arms they would be."""
    shape = prepared(walker(cockpit=0.0).mesh)
    assert not find_missing(shape.mesh, BIPED).is_legless
    assert find_missing(half()[1].mesh, BIPED).is_legless


@pytest.mark.slow
def test_the_upper_half_of_a_person_has_no_legs_and_its_arms_where_they_are():
    made, shape, rig = half()
    assert set(BIPED.names) - set(rig.joints) == LEGS
    assert not LEGS & set(rig.names) and "hand.L" in rig.names
    size = np.ptp(made.mesh.vertices, axis=0).max()
    off = {n: np.linalg.norm(rig.joints[n] - made.joints[n]) / size for n in rig.joints if n not in ("hips", "spine")}
    assert max(off.values()) < 0.08
    assert (shape.body.sample(shape.frame.to_unit(np.array([rig.joints["hips"]]))) < 0).all()


@pytest.mark.long
def test_it_is_called_a_person_and_what_is_missing_is_said():
    found = check_character(half()[1])
    assert found.preset == "biped" and "without legs" in found.reason
    assert found.other_preset == "shape" and "if it is no person" in " ".join(found.warnings)
    for told in (" ".join(found.warnings), " ".join(half()[2].warnings)):
        assert "no bones are made for both legs" in told.lower()


def open_half(above: float, angle: float):
    """What a person's surface has above a share of its height, open where it was cut."""
    mesh = characters.person(arm_angle=angle).mesh
    z = mesh.vertices[:, 2]
    used, faces = np.unique(mesh.faces[(z[mesh.faces] > above * z.max()).all(1)], return_inverse=True)
    return prepared(Mesh(mesh.vertices[used], faces.reshape(-1, 3)))


@pytest.mark.slow
@pytest.mark.parametrize(("above", "angle"), [(0.65, 40.0), (0.72, 75.0), (0.55, 75.0), (0.6, 75.0)])
def test_a_surface_that_is_open_where_it_was_cut_is_a_persons_half_as_well(above, angle):
    shape = open_half(above, angle)
    assert check_character(shape).preset == "biped"
    assert not LEGS & set(template_in(shape, "biped").names)


def test_a_preset_chosen_by_hand_is_whole():
    assert set(Fitter(half()[1], BIPED).rig().joints) == set(BIPED.names)


@pytest.mark.slow
def test_who_lacks_an_arm_has_the_other():
    template = template_in(one_armed(), "biped")
    gone = set(BIPED.names) - set(template.names)
    assert {"hand.L", "hand_tip.L"} <= gone <= ARM_L
    rig = Fitter(one_armed(), template).rig()
    assert {"upper_arm.R", "forearm.R", "hand.R"} <= set(rig.names) and "forearm.L" not in rig.names
    assert "parts of the left arm" in " ".join(rig.warnings)


@cache
def one_legged(stump: float) -> Shape:
    return prepared(characters.maimed(legs="R", stump=stump).mesh)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("stump", "gone", "last"), [
    (0.65, {"foot.L", "toe.L", "toe_tip.L"}, "shin.L"), (1.5, {"toe.L", "toe_tip.L"}, "foot.L")])
def test_who_lacks_a_leg_has_the_other_and_bones_in_the_stump(stump, gone, last):
    shape = one_legged(stump)
    template = template_in(shape, check_character(shape).preset)
    assert set(BIPED.names) - set(template.names) == gone
    rig = Fitter(shape, template).rig()
    end = shape.frame.to_unit(np.array([rig.joints[last]]))
    assert shape.body.sample(end)[0] < 0.01
    assert end[0, 0] > 0.03 and end[0, 2] > shape.mesh.vertices[:, 2].min() + 0.05  # in the stump, not in the other leg
    assert "parts of the left leg" in " ".join(rig.warnings)


@pytest.mark.long
def test_a_wooden_leg_has_no_foot_and_its_last_bone_ends_on_the_ground():
    made = characters.maimed(legs="R", stump=1.5)
    knee, ankle = made.joints["shin.L"], made.joints["foot.L"]
    peg = box((0.05, 0.05, 0.8 * knee[2]), [ankle[0], ankle[1], 0.4 * knee[2]]).mesh
    shape = prepared(Mesh(np.concatenate([made.mesh.vertices, peg.vertices]),
                          np.concatenate([made.mesh.faces, peg.faces + len(made.mesh.vertices)])))
    template = template_in(shape, check_character(shape).preset)
    assert set(BIPED.names) - set(template.names) == {"toe.L", "toe_tip.L"}
    rig = Fitter(shape, template).rig()
    end = np.array(rig.joints["foot.L"])
    assert end[2] < 0.03 * made.joints["head_top"][2] and np.linalg.norm(end[:2] - ankle[:2]) < 0.05
    assert set(retarget(load_motion("walk"), rig).feet) == {"shin.L", "foot.R", "toe.R"}


def test_a_limb_ends_where_that_explains_all_its_joints_best(monkeypatch):
    """One joint that is not seen between others that are is there."""
    mesh, gone = prepared(characters.person().mesh).mesh, {}
    known = Evidence.gone.func
    monkeypatch.setattr(missing, "trace_arm", lambda *given: {})  # the flesh is there
    monkeypatch.setattr(Evidence, "gone", property(lambda own: np.array(
        [np.log(gone[n]) if n in gone else x for n, x in zip(own.names, known(own), strict=True)])))
    for unseen, lost in (({"forearm.L": 0.9}, set()), ({"hand.L": 0.9, "hand_tip.L": 0.9}, {"hand.L", "hand_tip.L"}),
                         ({"hand_tip.L": 0.9}, set()), (dict.fromkeys(ARM_L, 0.9), ARM_L),
                         ({"hips": 0.9, "neck": 0.9}, set())):
        gone.clear()
        gone.update(unseen)
        assert find_missing(mesh, BIPED).joints == lost, unseen


@pytest.mark.slow
def test_thighs_that_are_cut_off_near_the_hips_have_no_bones():
    template = template_in(prepared(characters.maimed(legs="", stump=0.25).mesh), "biped")
    assert set(BIPED.names) - set(template.names) == set(LEGS)


@pytest.mark.long
def test_a_limb_of_which_a_joint_is_pinned_is_there():
    shape = prepared(characters.maimed(arms="L", legs="R", stump=0.65).mesh)
    part = template_in(shape, "biped")
    lost = set(BIPED.names) - set(part.names)
    assert {"hand.R", "foot.L"} <= lost
    assert with_pinned(part, ["hips", "nothing"]) is part and with_pinned(BIPED, ["hand.R"]) is BIPED
    arm = with_pinned(part, ["hand.R"])
    assert set(BIPED.names) - set(arm.names) == {n for n in lost if n in LEGS} and arm.missing.stumps
    assert "leg" in arm.missing.told and "arm" not in arm.missing.told
    both = with_pinned(part, ["toe.L", "hand_tip.R"])
    assert both.names == BIPED.names
    place = shape.frame.to_object(np.array([[0.2, 0.0, 0.5]]))[0]
    assert Fitter(shape, arm).rig({"hand.R": place}).joints["hand.R"] == pytest.approx(place, abs=1e-6)


@pytest.mark.long
def test_a_stump_in_the_air_is_not_set_on_the_ground():
    shape = one_legged(1.5)
    rig = Fitter(shape, template_in(shape, "biped")).rig()
    walk = retarget(load_motion("walk"), rig)
    assert {"foot.R", "toe.R"} == set(walk.feet)
    assert not any("differ" in warning for warning in walk.warnings)


@pytest.mark.slow
@pytest.mark.parametrize(("end", "gone"), [("hind", {"hind_foot.L", "hind_toe.L"}), ("front", {"front_toe.L"})])
def test_an_animal_on_three_legs_lacks_the_fourth(end, gone):
    made = characters.quadruped(species="dog")
    v, faces = made.mesh.vertices, made.mesh.faces
    knee, foot = (made.joints[f"{end}_{n}.L"] for n in ("lower", "foot"))
    is_cut = ((v[:, 0] > 0) & (np.abs(v[:, 1] - knee[1]) < 0.3 * np.ptp(v[:, 1]))
              & (v[:, 2] < 0.5 * (knee[2] + foot[2])))
    used, faces = np.unique(faces[~is_cut[faces].any(1)], return_inverse=True)
    shape = prepared(Mesh(v[used], faces.reshape(-1, 3)))
    assert check_character(shape).preset == "quadruped"
    template = template_in(shape, "quadruped")
    missing = set(load_template("quadruped").names) - set(template.names)
    assert gone <= missing and all(n.startswith(end) and n.endswith(".L") for n in missing)
    assert f"the left {end} leg" in " ".join(Fitter(shape, template).rig().warnings)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("whole", "cut", "kind"), [
    (characters.quadruped, lambda: characters.quadruped(tail=0.03), "quadruped"),
    (lambda: characters.beast(legs=1, wings="", arms=True),
     lambda: characters.beast(legs=1, wings="", arms=True, tails=0), "biped_tail")], ids=["dog", "theropod"])
def test_only_a_tail_that_is_there_gets_bones(whole, cut, kind):
    names = load_template(kind).names
    assert template_in(prepared(whole().mesh), kind).names == names
    shape = prepared(cut().mesh)
    template = template_in(shape, kind)
    assert set(names) - set(template.names) == {n for n in names if n.startswith("tail")}
    assert "for the tail" in " ".join(Fitter(shape, template).rig().warnings)
    found = check_character(shape)
    assert found.preset == kind and "for the tail" in found.warnings[0]


@pytest.mark.long
def test_an_animal_without_a_tail_walks():
    shape = prepared(characters.quadruped(tail=0.03).mesh)
    rig = Fitter(shape, template_in(shape, "quadruped")).rig()
    assert "tail" not in rig.names
    assert not retarget(load_motion("quadruped_walk"), rig).warnings


@pytest.mark.parametrize(("joints", "told"), [
    ({"toe.L", "toe_tip.L"}, "parts of the left leg"), ({"hind_toe.R"}, "parts of the right hind leg"),
    ({"hind_toe.R", "tail", "tail_tip"}, "parts of the right hind leg and the tail"),
    (set(), ""), (LEGS, "both legs"), (ARM_L, "parts of the left arm"),
    (LEGS - {"thigh.L", "thigh.R"}, "parts of the left leg and parts of the right leg"),
    (LEGS | {n[:-1] + s for n in ARM_L for s in "LR"}, "both legs and both arms")])
def test_what_is_missing_is_told_in_words(joints, told):
    assert Missing(frozenset(joints)).told == told


def test_a_part_keeps_the_partners_that_are_left_and_hangs_no_bone_on_what_is_gone():
    template = part_template(BIPED, Missing(frozenset(ARM_L)))
    assert template.mirror[template.index("forearm.R")] == -1
    assert template.names[template.mirror[template.index("shin.L")]] == "shin.R"
    assert "upper_arm.L" not in [b.name for b in template.bones] and "shoulder.L" in [b.name for b in template.bones]
    assert template.is_one_sided and not part_template(BIPED, Missing(frozenset(LEGS))).is_one_sided
    assert part_template(BIPED, Missing()) is BIPED


def test_a_tree_without_legs_takes_the_hips_for_what_lay_between_them():
    tree = load_tree("biped").without(frozenset(LEGS))
    assert not LEGS & set(tree.names) and tree.between["hips"] == pytest.approx({"hips": 1.0})
    assert all(sum(row.values()) == pytest.approx(1) and set(row) <= set(tree.names) for row in tree.between.values())
    whole = load_tree("biped")
    at = tree.names.index("hand.R")
    assert (tree.means[at] == whole.means[whole.names.index("hand.R")]).all()
    assert tree.names[tree.parents[at]] == "forearm.R"


@pytest.fixture
def unseen(monkeypatch):
    """Of the left arm nothing is seen beyond the shoulder."""
    monkeypatch.setattr("core.fitting.missing._lost_limbs", lambda *_: Missing(frozenset(ARM_L)))


@pytest.mark.long
def test_an_arm_that_is_not_seen_is_traced_through_its_flesh_and_told_of(unseen):
    made, shape = raised()
    template = template_in(shape, "biped")
    assert set(template.missing.traced) == ARM_L and not template.missing.joints and template.is_one_sided
    rig, size = Fitter(shape, template).rig(), np.ptp(made.mesh.vertices, axis=0).max()
    for name in (*ARM_L, "forearm.R", "hand.R"):
        assert np.linalg.norm(rig.joints[name] - made.joints[name]) < 0.04 * size
        assert (rig.confidence[name] == SURE) == (name in ARM_L)
    assert any("hardly seen" in text and "'hand.L'" in text for text in rig.warnings)


@pytest.mark.long
def test_pins_move_a_traced_arm_and_a_pin_elsewhere_ends_the_trace(unseen):
    made, shape = raised()
    fitter = Fitter(shape, template_in(shape, "biped"))
    free, hand = fitter.rig(), made.joints["hand.L"]
    near = fitter.rig({"hand.L": hand})
    assert np.allclose(near.joints["hand.L"], hand) and not any("'hand.L'" in text for text in near.warnings)
    assert np.linalg.norm(np.subtract(near.joints["forearm.L"], free.joints["forearm.L"])) < 0.05
    away = fitter.rig({"hand.L": hand * [1, 1, 0.4]})
    assert np.linalg.norm(np.subtract(away.joints["hand_tip.L"], free.joints["hand_tip.L"])) > 0.1


def test_what_is_left_of_an_arm_that_was_cut_off_is_not_traced():
    lost = template_in(one_armed(), "biped").missing
    assert lost.joints and not lost.traced


@pytest.mark.parametrize("doubt, is_traced", [(1.0, True), (0.0, False)], ids=["hardly seen", "well seen"])
def test_an_arm_whose_hand_is_seen_in_the_trunk_is_traced_where_that_is_in_doubt(doubt, is_traced):
    made, shape = raised()
    fitter = Fitter(shape, BIPED)
    names, sight = fitter.tree.names, fitter.evidence.sight
    places = sight.to_cube(shape.frame.to_unit(np.array([made.joints[name] for name in names])))
    places[[names.index("forearm.L"), names.index("hand.L")]] = places[names.index("hips")]
    reading = Reading(places, 0.0, np.full(len(names), doubt))
    found = fitter._strayed(reading, ())
    assert set(found) == (ARM_L if is_traced else set())
    assert not fitter._strayed(reading, {"hand.L"})
    if is_traced:
        hand = shape.frame.to_unit(np.array([made.joints["hand.L"]]))[0]
        assert np.linalg.norm(hand - found["hand.L"]) < 0.05
        places[names.index("hand.L")] = sight.to_cube(hand[None])[0]
        assert not fitter._strayed(reading, ())
