"""The way an artist works: several characters, joints applied or discarded, bones moved by hand, unlike sides."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import MagicMock

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon import names
from geppetto.addon.characters import fitted
from geppetto.addon.characters.bodies import bodies_of
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.editing import joints, pins
from geppetto.addon.editing.meant import character_armature, character_owner, characters_in
from geppetto.addon.panels import weights as weights_panel
from geppetto.addon.panels.character import RigPanel, draw_test_pose, owner_in
from geppetto.addon.panels.joints import room_for_name
from geppetto.addon.panels.weights import preserves_volume
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, add_cube, add_mesh, fingerprint, group_weights
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")

BIPED = load_template("biped")


@pytest.fixture
def three(extension, person):
    """Three rigged people in a row."""
    bodies = []
    for number, name in enumerate(("anna", "bert", "carl")):
        body, = add_character(person)
        body.name, body.location.x = name, 2.5 * number
        choose(body)
        assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
        bodies.append(body)
    return bodies


@pytest.fixture
def rigged(extension, person):
    """A rigged person, the rig active."""
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    return body


def bone(body, name: str, end: str = "head_local") -> np.ndarray:
    """Where a bone of a body's rig begins, in the world."""
    armature = armature_of(body)
    return np.array(armature.matrix_world @ getattr(armature.data.bones[name], end))


def place(name: str) -> np.ndarray:
    """Where a shown joint lies."""
    what = joints.shown()
    return what.places(bpy.context)[1][what.template.index(name)].copy()


def move_bone(armature, name: str, by, end: str = "head") -> None:
    """Move a bone's end in Edit mode; Blender moves the ends that are joined to it along."""
    choose(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = armature.data.edit_bones[name]
    setattr(edited, end, getattr(edited, end) + type(edited.tail)(by))
    bpy.ops.object.mode_set(mode="OBJECT")


# ---- one rule: the character whose joints are shown

BUTTONS = {
    "update": (bpy.ops.geppetto.update_rig, True), "done": (bpy.ops.geppetto.hide_joints, True),
    "discard": (bpy.ops.geppetto.discard_joints, False), "unpin": (
        lambda: bpy.ops.geppetto.unpin_joint(joint="forearm.L"), False),
    "unpin all": (bpy.ops.geppetto.unpin_all, False),
    "symmetrise": (lambda: bpy.ops.geppetto.symmetrise(side=".L"), False),
    "look again": (lambda: bpy.ops.geppetto.show_joints(character=joints.shown().owner), False)}


@pytest.mark.sweep(3, long=True)
@pytest.mark.parametrize("button", BUTTONS)
def test_every_button_is_about_the_character_whose_joints_are_shown(three, button):
    anna, bert, carl = three
    press, moves = BUTTONS[button]
    choose(armature_of(anna))
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    getattr(bpy.context.scene, names.JOINTS).mirror = False
    before = {body: (bone(body, "forearm.L"), bone(body, "shin.R"), group_weights(body)) for body in three}
    wanted = place("forearm.L") + [-0.05, 0.0, 0.04]
    assert bpy.ops.geppetto.pin_joint(joint="forearm.L", position=wanted) == {"FINISHED"}
    choose(carl, armature_of(bert))
    assert character_armature(bpy.context) == armature_of(anna) and character_owner(bpy.context) == anna
    assert press() == {"FINISHED"}
    assert bpy.context.object == armature_of(bert) and carl.select_get(), "what was selected stays so"
    for body in bert, carl:
        assert not pins.pins_of(body)
        np.testing.assert_array_equal(bone(body, "forearm.L"), before[body][0])
        for name, weights in group_weights(body).items():
            np.testing.assert_array_equal(weights, before[body][2][name])
    np.testing.assert_allclose(bone(anna, "forearm.L"), wanted if moves else before[anna][0], atol=1e-5)
    if button == "look again":
        assert joints.shown().owner_object() == anna


def test_all_characters_are_there_to_switch_to(three):
    _, bert, carl = three
    choose(armature_of(bert))
    bpy.ops.geppetto.show_joints()
    assert characters_in(bpy.context) == three
    assert bpy.ops.geppetto.show_joints(character="carl") == {"FINISHED"}
    assert joints.shown().owner_object() == carl and bpy.context.object == armature_of(bert)


def test_a_shown_character_without_a_rig_does_not_hand_the_button_to_another(rigged, person):
    other, = add_character(person)
    other.name, other.location.x = "other", 3.0
    choose(other)
    bpy.ops.geppetto.show_joints()
    choose(armature_of(rigged))
    assert not bpy.ops.geppetto.update_rig.poll()


# ---- done and discard

def test_done_brings_the_rig_after_the_joints_and_nothing_else_does_when_nothing_was_said(rigged):
    bpy.ops.geppetto.show_joints()
    weights = group_weights(rigged)
    heads = {b.name: tuple(b.head_local) for b in armature_of(rigged).data.bones}
    assert bpy.ops.geppetto.hide_joints() == {"FINISHED"} and joints.shown() is None
    assert heads == {b.name: tuple(b.head_local) for b in armature_of(rigged).data.bones}
    for name, before in weights.items():
        np.testing.assert_array_equal(group_weights(rigged)[name], before)
    bpy.ops.geppetto.show_joints()
    wanted = place("shin.L") + [0, 0, 0.05]
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=wanted)
    assert fitted.is_outdated(armature_of(rigged))
    assert bpy.ops.geppetto.hide_joints() == {"FINISHED"} and joints.shown() is None
    np.testing.assert_allclose(bone(rigged, "shin.L"), wanted, atol=1e-5)
    assert not fitted.is_outdated(armature_of(rigged))


def test_discard_takes_back_what_was_said_since_the_joints_were_shown_or_applied(rigged):
    bpy.ops.geppetto.show_joints()
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=place("shin.L") + [0, 0, 0.05])
    bpy.ops.geppetto.update_rig()
    kept = pins.pins_of(rigged)
    bpy.ops.geppetto.pin_joint(joint="head", position=place("head") + [0, 0, 0.05])
    assert bpy.ops.geppetto.discard_joints() == {"FINISHED"} and joints.shown() is None
    assert pins.pins_of(rigged).keys() == kept.keys() == {"shin.L"}
    assert not fitted.is_outdated(armature_of(rigged))


def test_pins_that_change_without_an_update_are_told(rigged):
    armature = armature_of(rigged)
    assert not fitted.is_outdated(armature)
    pins.set_pin(rigged, "shin.L", (0.1, 0.0, 0.5))
    assert fitted.is_outdated(armature)
    pins.clear_pins(rigged)
    assert not fitted.is_outdated(armature)


# ---- bones moved by hand

def test_bones_moved_in_edit_mode_become_pins_or_go_back_as_the_artist_says(rigged):
    armature, fit = armature_of(rigged), bone(rigged, "forearm.L")
    getattr(bpy.context.scene, names.JOINTS).mirror = False
    move_bone(armature, "forearm.L", (-0.04, 0.0, 0.03))
    moved = bone(rigged, "forearm.L")
    assert list(fitted.moved_by_hand(armature, BIPED)) == ["forearm.L"]
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(bone(rigged, "forearm.L"), moved, atol=1e-5)
    assert set(pins.pins_of(rigged)) == {"forearm.L"} and not fitted.moved_by_hand(armature, BIPED)
    pins.clear_pins(rigged)
    move_bone(armature, "forearm.L", (0.0, 0.0, 0.03))
    assert bpy.ops.geppetto.update_rig(keep_moved=False) == {"FINISHED"}
    np.testing.assert_allclose(bone(rigged, "forearm.L"), fit, atol=1e-4)
    assert not pins.pins_of(rigged)


def test_bones_moved_in_edit_mode_are_shown_as_pinned_and_a_drag_counts_more(rigged):
    armature = armature_of(rigged)
    move_bone(armature, "shin.L", (0.0, 0.0, 0.05))
    moved = bone(rigged, "shin.L")
    bpy.ops.geppetto.show_joints()
    np.testing.assert_allclose(place("shin.L"), moved, atol=1e-5)
    assert set(pins.pins_of(rigged)) == {"shin.L"}
    wanted = moved + [0, 0, 0.02]
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=wanted)
    bpy.ops.geppetto.hide_joints()
    np.testing.assert_allclose(bone(rigged, "shin.L"), wanted, atol=1e-5)


@pytest.mark.parametrize("is_shown", [False, True], ids=["Edit Joints", "Done"])
def test_bones_that_are_being_moved_in_edit_mode_are_pinned_too(rigged, is_shown):
    armature = armature_of(rigged)
    if is_shown:
        bpy.ops.geppetto.show_joints()
    context = bpy.context
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["shin.L"].head.z += 0.05
    moved = np.array(armature.data.edit_bones["shin.L"].head)
    assert (bpy.ops.geppetto.hide_joints if is_shown else bpy.ops.geppetto.show_joints)() == {"FINISHED"}
    assert set(pins.pins_of(rigged)) == {"shin.L"} and context.mode == "OBJECT"
    np.testing.assert_allclose(bone(rigged, "shin.L"), moved, atol=1e-5)


def test_discarding_leaves_bones_moved_by_hand_as_they_were_found(rigged):
    armature = armature_of(rigged)
    move_bone(armature, "shin.L", (0.0, 0.0, 0.05))
    bpy.ops.geppetto.show_joints()
    bpy.ops.geppetto.discard_joints()
    assert not pins.pins_of(rigged) and list(fitted.moved_by_hand(armature, BIPED)) == ["shin.L"]


def test_what_is_edited_counts_before_edit_mode_is_left(rigged):
    armature = armature_of(rigged)
    choose(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    edited = armature.data.edit_bones["shin.L"]
    edited.head = edited.head + type(edited.head)((0.0, 0.0, 0.05))
    wanted = np.array(armature.matrix_world @ armature.data.edit_bones["shin.L"].head)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(bone(rigged, "shin.L"), wanted, atol=1e-5)


@pytest.mark.parametrize("change", ["move", "apply", "scale the file"])
def test_an_object_that_is_moved_or_applied_has_no_bones_moved_by_hand(rigged, change):
    armature = armature_of(rigged)
    if change == "move":
        armature.location = (1.0, 2.0, 0.0)
    else:
        choose(rigged, armature)
        armature.scale = (2.0, 2.0, 2.0)
        if change == "apply":
            bpy.ops.object.transform_apply()
    bpy.context.view_layer.update()
    assert not fitted.moved_by_hand(armature, BIPED)


def _scale_and_apply(mesh, armature, factor: float) -> None:
    choose(mesh, armature)
    armature.scale = (factor,) * 3
    armature.rotation_euler = (0.0, 0.0, 0.5)
    bpy.context.view_layer.update()
    bpy.ops.object.transform_apply(location=True, rotation=True, scale=True)


def test_a_bone_moved_by_hand_is_found_beside_a_scale_that_was_applied(rigged):
    armature = armature_of(rigged)
    _scale_and_apply(rigged, armature, 0.1)
    assert not fitted.has_moved_bones(armature)
    choose(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["shin.L"].head.z += 0.005
    bpy.ops.object.mode_set(mode="OBJECT")
    assert list(fitted.moved_by_hand(armature, BIPED)) == ["shin.L"]


@pytest.mark.long
def test_pins_keep_their_place_in_the_body_when_a_scale_is_applied(rigged):
    armature = armature_of(rigged)
    choose(rigged)
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=place("shin.L") + [0.0, 0.0, 0.05])
    assert bpy.ops.geppetto.hide_joints() == {"FINISHED"}
    before = {name: bone(rigged, name) for name in ("shin.L", "shin.R", "head")}
    _scale_and_apply(rigged, armature, 0.1)
    assert not fitted.is_outdated(armature)
    turned = np.array([[np.cos(0.5), -np.sin(0.5), 0.0], [np.sin(0.5), np.cos(0.5), 0.0], [0.0, 0.0, 1.0]])
    np.testing.assert_allclose(pins.world_pins(rigged)["shin.L"], 0.1 * turned @ before["shin.L"], atol=1e-5)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    for name, at in before.items():
        np.testing.assert_allclose(bone(rigged, name), 0.1 * turned @ at, atol=0.002)


def test_a_sculpted_mesh_takes_no_pins_along(rigged):
    pins.set_pin(rigged, "shin.L", (0.1, 0.0, 0.5))
    for vertex in [*rigged.data.vertices][::2]:
        vertex.co.x *= 1.2
    np.testing.assert_allclose(pins.pins_of(rigged)["shin.L"], (0.1, 0.0, 0.5), atol=1e-6)


# ---- unlike sides

@pytest.fixture
def lopsided(extension):
    """A person with one arm up and the other down, its joints shown."""
    from tests.characters import person

    grown = person(vertices=2500)
    mesh = grown.meshes[0]
    points = np.array(mesh.vertices)
    arm = points[:, 0] > 0.2
    shoulder = np.array([0.2, 0.0, points[np.abs(points[:, 0] - 0.2) < 0.03, 2].max() - 0.06])
    turn = np.deg2rad(75)
    away = points[arm] - shoulder
    points[arm] = shoulder + away @ np.array([[np.cos(turn), 0, np.sin(turn)], [0, 1, 0], [-np.sin(turn), 0,
                                                                                           np.cos(turn)]])
    body = add_mesh("body", points, mesh.faces)
    choose(body)
    getattr(extension.scene, names.SETTINGS).preset = "biped"
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    assert joints.shown().is_lopsided(extension)
    return extension


def test_mirror_can_be_forced_on_a_body_with_unlike_sides(lopsided):
    settings, what = getattr(lopsided.scene, names.JOINTS), joints.shown()
    left = place("shin.L") + [0.01, 0.0, 0.05]
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=left)
    assert set(pins.pins_of(what.owner_object())) == {"shin.L"}
    settings.mirror_anyway = True
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=left)
    np.testing.assert_allclose(place("shin.L"), left, atol=1e-6)
    np.testing.assert_allclose(place("shin.R"), what.image(left), atol=1e-6)
    bpy.ops.geppetto.unpin_joint(joint="shin.R")
    assert not pins.pins_of(what.owner_object()), "both sides are let go"


@pytest.mark.parametrize("side", [".L", ".R"])
def test_symmetrise_makes_one_side_the_image_of_the_other(lopsided, side):
    stays, follows = f"forearm{side}", f"forearm{'.R' if side == '.L' else '.L'}"
    before = place(stays)
    assert bpy.ops.geppetto.symmetrise(side=side) == {"FINISHED"}
    np.testing.assert_allclose(place(stays), before, atol=1e-5)
    np.testing.assert_allclose(place(follows), joints.shown().image(before), atol=1e-5)
    assert joints.shown().symmetrise(lopsided, side) == 0


@pytest.mark.parametrize("side", [".L", ".R"])
def test_symmetrise_takes_the_surer_side(lopsided, side):
    assert bpy.ops.geppetto.pin_joint(joint=f"forearm{side}", position=place(f"forearm{side}")) == {"FINISHED"}
    rig = joints.shown().rig(lopsided)
    sure = [sum(c for joint, c in rig.confidence.items() if joint.endswith(s)) for s in (".L", ".R")]
    better = ".L" if sure[0] >= sure[1] else ".R"
    before = place(f"hand{better}")
    assert bpy.ops.geppetto.symmetrise() == {"FINISHED"}
    np.testing.assert_allclose(place(f"hand{better}"), before, atol=1e-5)


# ---- several characters selected

@pytest.mark.long
def test_characters_that_stand_apart_get_a_rig_each_in_one_step_with_what_they_wear(extension, person, dressed):
    crowd = [*add_character(person), *add_character(dressed)]
    for o in crowd[1:]:
        o.location.x = 2.5
    ground = add_mesh("ground", [(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [(0, 1, 2, 3)])
    choose(*crowd, ground)
    bpy.ops.ed.undo_push(message="crowd")
    before = [fingerprint(o) for o in crowd]
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert len(bpy.data.armatures) == 2 and armature_of(ground) is None
    assert armature_of(crowd[0]) != armature_of(crowd[1]) and len({armature_of(o) for o in crowd[1:]}) == 1
    for o in crowd:
        np.testing.assert_allclose(sum(group_weights(o).values()), 1.0, atol=1e-5)
    bpy.ops.ed.undo_push(message="rigged")
    bpy.ops.ed.undo()
    assert not bpy.data.armatures and [fingerprint(bpy.data.objects[o]) for o in ("body", "body.001")] == before[:2]


@pytest.mark.long
def test_a_floor_of_tiles_with_a_rock_in_it_is_left_out_in_one_sentence(extension, person, capfd):
    body, = add_character(person)
    tiles = [add_mesh("tile", [(x, y, 0), (x + 3, y, 0), (x + 3, y + 3, 0), (x, y + 3, 0)], [(0, 1, 2, 3)])
             for x in (-3, 0) for y in (-3, 0)]
    rock = add_cube("rock", 0.8)
    rock.location = 2, 2, 0.2
    choose(body, *tiles, rock)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert "hand.L" in armature_of(body).data.bones and not any(map(armature_of, tiles))
    assert armature_of(rock) != armature_of(body)
    assert capfd.readouterr().out.count("'tile' (and 3 more) is ground under the character and was left out.") == 1


@pytest.mark.long
def test_all_that_is_selected_can_be_one_character(extension, person):
    one, = add_character(person)
    other, = add_character(person)
    other.location.x = 2.5
    choose(one, other)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", bodies="ONE") == {"FINISHED"}
    assert armature_of(one) == armature_of(other)


def test_one_character_that_cannot_be_rigged_does_not_cost_the_others_theirs(extension, person):
    body, = add_character(person)
    sheet = add_cube("sheet")
    sheet.location.x, sheet.scale.y = 4.0, 0.0
    choose(sheet, body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert armature_of(body) is not None and armature_of(sheet) is None


@pytest.mark.long
def test_rigs_of_ours_stay_apart_and_a_new_hat_joins_its_wearer(three):
    bert = three[1]
    top = np.array(bert.bound_box)[:, 2].max()
    hat = add_cube("hat", 0.2)
    hat.location = (2.5, 0.0, top)
    choose(hat, *three)
    found, _ = bodies_of(bpy.context.selected_objects)
    assert sorted(sorted(o.name for o in b.objects) for b in found) == [["anna"], ["bert", "hat"], ["carl"]]
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    assert len(bpy.data.armatures) == 3 and armature_of(hat) == armature_of(bert)


def test_a_collision_shape_around_all_joins_no_bodies(three):
    around = add_cube("UCX_all", 8.0)
    choose(around, *three)
    found, _ = bodies_of(bpy.context.selected_objects)
    assert sorted(sorted(o.name for o in b.objects if o != around) for b in found) == [["anna"], ["bert"], ["carl"]]
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    assert len(bpy.data.armatures) == 3 and armature_of(around) is None


# ---- what is said, and what mends

def test_every_joint_of_the_skeletons_that_ship_has_a_word_in_german_too():
    from geppetto.addon.words.joint_words import JOINTS, PAPER, SIDES, joint_word
    from geppetto.addon.words.translations import german
    from geppetto.core.skeleton.preset import preset_names

    known = german()
    for name in preset_names():
        for joint in load_template(name).names:
            base = joint.removesuffix(".L").removesuffix(".R")
            assert base in JOINTS or base.rstrip("0123456789_") in JOINTS, (name, joint)
    assert all((names.CONTEXT, text) in known for text in (*JOINTS.values(), *PAPER.values(), *SIDES.values()))
    assert joint_word("forearm.L") == "Left Elbow" and joint_word("hand", "biped_paper") == "Wrist"
    assert joint_word("antler_2.R") == "Right Antler 2"


@pytest.mark.long
def test_how_it_was_bound_is_told_and_sharpness_is_live_only_where_it_has_an_effect(extension, person):
    from geppetto.addon.characters.blending import binding_told, is_sharpness_live

    body, = add_character(person)
    choose(body)
    settings = getattr(extension.scene, names.SETTINGS)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    armature = armature_of(body)
    assert binding_told(armature).startswith("Bound by heat: ") and not is_sharpness_live(armature, settings)
    before = group_weights(body)
    settings.alpha = 0.9
    assert all((group_weights(body)[n] == w).all() for n, w in before.items())
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", method="geodesic") == {"FINISHED"}
    armature = armature_of(body)
    assert binding_told(armature) == "Bound by geodesic, as chosen" and is_sharpness_live(armature, settings)
    before = group_weights(body)
    settings.alpha = 0.1
    assert any((group_weights(body)[n] != w).any() for n, w in before.items()), "automatic, but bound by distance"


def test_the_test_pose_bends_the_rig_and_gives_its_pose_back(rigged):
    from .scenes import deformed_points

    armature = armature_of(rigged)
    armature.pose.bones["forearm.L"].rotation_mode = "XYZ"
    armature.pose.bones["forearm.L"].rotation_euler.x = 0.4
    own, moved = deformed_points(rigged), []
    for at in np.linspace(0.02, 0.98, 9):
        setattr(armature, names.TEST_POSE, at)
        moved.append(deformed_points(rigged))
    assert max(np.abs(m - own).max() for m in moved) > 0.2
    assert np.std([np.abs(m - own).max() for m in moved]) > 0.01
    setattr(armature, names.TEST_POSE, 0.0)
    np.testing.assert_allclose(deformed_points(rigged), own, atol=1e-5)
    assert armature.pose.bones["forearm.L"].rotation_euler.x == pytest.approx(0.4, abs=1e-5)
    assert names.POSE_TOLD not in armature and not any(names.OWN_POSE in bone for bone in armature.pose.bones)


@pytest.mark.parametrize("rename", [
    lambda armature: bpy.ops.geppetto.rename_bones(engine="unity"),
    lambda armature: setattr(armature.data.bones["upper_arm.L"], "name", "Arm")], ids=["button", "hand"])
def test_the_test_pose_goes_though_bones_were_renamed_in_it(rigged, rename):
    from .scenes import deformed_points

    armature = armature_of(rigged)
    armature.pose.bones["upper_arm.L"].matrix_basis = Matrix.Rotation(0.4, 4, "X")
    own = deformed_points(rigged)
    setattr(armature, names.TEST_POSE, 0.4)
    assert np.abs(deformed_points(rigged) - own).max() > 0.05
    rename(armature)
    setattr(armature, names.TEST_POSE, 0.0)
    np.testing.assert_allclose(deformed_points(rigged), own, atol=1e-5)


def test_the_test_pose_is_there_once_and_is_that_of_the_selected_character(rigged, person):
    def shown():
        layout = MagicMock()
        draw_test_pose(layout, bpy.context)
        props = layout.row().prop.call_args_list
        return props[0].args[0] if props else None

    first = armature_of(rigged)
    other, = add_character(person)
    assert shown() == first
    for o in (rigged, first):  # still active
        bpy.context.view_layer.objects.active = o
        for one in bpy.context.view_layer.objects:
            one.select_set(one == other)
        assert shown() is None, "another character, without a rig, is selected"
    for one in bpy.context.view_layer.objects:
        one.select_set(one == rigged)
    bpy.context.view_layer.objects.active = other
    assert shown() == first
    drawn = []
    for panel in (RigPanel, weights_panel.TestPanel):
        layout = MagicMock()
        panel.draw(SimpleNamespace(layout=layout), bpy.context)
        drawn += [call for call in layout.row().prop.call_args_list if names.TEST_POSE in call.args]
    assert len(drawn) == 1


def test_the_check_names_joints_that_lie_elsewhere_and_is_forgotten_when_it_no_longer_holds(rigged):
    from geppetto.addon import session
    from geppetto.addon.characters.checking import misplaced_told

    armature = armature_of(rigged)
    assert bpy.ops.geppetto.check_weights() == {"FINISHED"}
    assert session.weights_of(armature.session_uid).joints == ()
    wrist, shoulder = bone(rigged, "hand.L"), bone(rigged, "upper_arm.L")
    move_bone(armature, "upper_arm.L", tuple(wrist - shoulder))
    bpy.ops.geppetto.check_weights()
    found = session.weights_of(armature.session_uid)
    assert found.verdict == "poor" and found.joints[0].at == "hand.L"
    assert misplaced_told(found.joints[0]) == "Left Shoulder: bone 'upper_arm.L' begins at another joint, Left Wrist."
    bpy.ops.geppetto.update_rig(keep_moved=False)
    assert session.weights_of(armature.session_uid) is None


def test_findings_come_with_what_mends_them(rigged):
    from geppetto.addon import session

    armature = armature_of(rigged)
    near = [v.index for v in rigged.data.vertices if v.co.x > 0.5][::3]
    for group in rigged.vertex_groups:
        group.remove(near)
    rigged.vertex_groups["head"].add(near, 1.0, "REPLACE")
    choose(rigged)
    bpy.ops.geppetto.check_weights()
    before = session.weights_of(armature.session_uid)
    stretch = {f.key: f for f in before.findings}["stretch"]
    assert stretch.verdict == "poor"
    was = group_weights(rigged)["head"]
    assert bpy.ops.geppetto.smooth_weights(finding="stretch", repeat=10) == {"FINISHED"}
    assert bpy.context.mode == "OBJECT" and bpy.context.object == rigged
    assert group_weights(rigged)["head"][near].mean() < 0.8 * was[near].mean()
    np.testing.assert_allclose(sum(group_weights(rigged).values()), 1.0, atol=1e-5)
    assert max(len([g for g in v.groups if g.weight > 0]) for v in rigged.data.vertices) <= 4
    assert session.weights_of(armature.session_uid) is None, "the findings are those of the weights before"
    bpy.ops.geppetto.check_weights()
    assert {f.key: f for f in session.weights_of(armature.session_uid).findings}["stretch"].value < stretch.value
    assert bpy.ops.geppetto.paint_weights(finding="stretch") == {"FINISHED"} and bpy.context.mode == "PAINT_WEIGHT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.geppetto.preserve_volume() == {"FINISHED"}
    assert all(m.use_deform_preserve_volume for m in rigged.modifiers if m.type == "ARMATURE")
    assert preserves_volume(armature_of(rigged)), "the panel says so instead of offering it"


def test_two_fifths_of_a_joints_volume_lost_is_no_tick():
    from geppetto.core.quality.findings import LIMITS

    assert LIMITS["volume"].verdict(1 - 0.6) == "fair"


def test_renaming_says_what_it_has_done(rigged, capfd):
    choose(armature_of(rigged))
    bpy.ops.geppetto.rename_bones(engine="mixamo")
    bpy.ops.geppetto.rename_bones(engine="geppetto")
    told = capfd.readouterr().out
    assert "bones are named for Mixamo" in told and "has its own bone names again" in told


def test_the_next_doubt_is_the_worst_first(rigged, monkeypatch):
    from geppetto.addon.overlay import draw
    from geppetto.core.fitting.fit import Fitter

    from .readings import steps_with_readings

    monkeypatch.setattr(Fitter, "steps", steps_with_readings)
    bpy.ops.geppetto.show_joints()
    doubts = joints.shown().doubtful()
    sure = [joints.shown().latest.confidence[name] for name in doubts]
    assert len(doubts) > 1 and sure == sorted(sure)
    for name in (*doubts, doubts[0]):
        assert bpy.ops.geppetto.next_doubt() == {"FINISHED"} and draw.asked == name
    draw.asked = ""


def test_a_change_of_the_rest_pose_moves_no_bones_by_hand(rigged):
    armature = armature_of(rigged)
    choose(armature)
    assert bpy.ops.geppetto.rest_pose(pose="T") == {"FINISHED"}
    assert not fitted.has_moved_bones(armature) and not fitted.is_outdated(armature)


def test_what_is_active_but_not_selected_is_not_meant_where_another_is(three):
    anna, bert, _ = three
    choose(bert, anna)
    assert character_owner(bpy.context) == owner_in(bpy.context) == anna, "of two the active one"
    anna.select_set(False)
    assert bpy.context.object == anna and character_owner(bpy.context) == owner_in(bpy.context) == bert
    bert.select_set(False)
    assert character_owner(bpy.context) == anna, "nothing is selected"


@pytest.mark.parametrize(("pixels", "scale", "room"), [(280, 1.0, 5.0), (184, 1.0, 0.0), (280, 2.0, 0.0)])
def test_a_characters_name_has_room_beside_the_heading_or_is_left_out(pixels, scale, room):
    context = SimpleNamespace(region=SimpleNamespace(width=pixels),
                              preferences=SimpleNamespace(system=SimpleNamespace(ui_scale=scale)))
    assert room_for_name(context) == room
