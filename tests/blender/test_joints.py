"""Joints by hand: pins are saved and undone with the scene, the rig follows them, and what is the artist's stays."""

from __future__ import annotations

from unittest.mock import MagicMock

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from geppetto.addon import names, session
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.editing import joints, pins
from geppetto.addon.panels.joints import JointsPanel
from geppetto.core.pipeline import fit, prepare
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, deformed_points, group_weights, world_points

BIPED = load_template("biped")


@pytest.fixture
def shown(extension, person):
    """A person, selected, its joints shown."""
    body, = add_character(person)
    body.select_set(True)
    extension.view_layer.objects.active = body
    bpy.ops.ed.undo_push(message="body")
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    return extension


def place(context, name: str) -> np.ndarray:
    """Where a shown joint lies."""
    what = joints.shown()
    return what.places(context)[1][what.template.index(name)].copy()


def test_the_joints_shown_are_those_of_the_fit(shown, person):
    from geppetto.core.geometry.mesh import Mesh

    mesh = Mesh(np.float32(person.mesh.vertices), person.mesh.faces)
    rig = fit(mesh, BIPED, shape=prepare(mesh))
    for name in BIPED.names:
        np.testing.assert_allclose(place(shown, name), rig.joints[name], atol=1e-5)


def test_a_pinned_joint_lies_where_it_was_put_and_its_partner_mirrors_it(shown):
    target = place(shown, "forearm.L") + [-0.05, 0.01, 0.04]
    assert bpy.ops.geppetto.pin_joint(joint="forearm.L", position=target) == {"FINISHED"}
    np.testing.assert_allclose(place(shown, "forearm.L"), target, atol=1e-6)
    np.testing.assert_allclose(place(shown, "forearm.R"), target * [-1, 1, 1], atol=0.02)
    bpy.ops.geppetto.pin_joint(joint="forearm.R", position=target * [-1, 1, 1] + [0, 0, 0.03])
    assert set(pins.pins_of(bpy.data.objects["body"])) == {"forearm.R"}, "the other side speaks for both"


def test_without_mirror_the_other_side_stays(shown):
    getattr(shown.scene, names.JOINTS).mirror = False
    before = place(shown, "forearm.R")
    bpy.ops.geppetto.pin_joint(joint="forearm.L", position=place(shown, "forearm.L") + [-0.05, 0, 0.04])
    assert np.linalg.norm(place(shown, "forearm.R") - before) < 0.02


def test_joints_of_the_middle_stay_in_the_middle(shown):
    bpy.ops.geppetto.pin_joint(joint="neck", position=place(shown, "neck") + [0.05, 0, 0.02])
    assert abs(place(shown, "neck")[0]) < 0.005


def test_pins_are_undone_and_redone_with_the_scene(shown):
    before = place(shown, "shin.L")
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=before + [0, 0, 0.05])
    bpy.ops.ed.undo_push(message="pinned")
    bpy.ops.ed.undo()
    np.testing.assert_allclose(place(bpy.context, "shin.L"), before, atol=1e-6)
    bpy.ops.ed.redo()
    np.testing.assert_allclose(place(bpy.context, "shin.L"), before + [0, 0, 0.05], atol=1e-6)


def test_pins_are_let_go_one_by_one_and_all_together(shown):
    before = place(shown, "shin.L")
    assert not bpy.ops.geppetto.unpin_all.poll()
    for name in "shin.L", "forearm.L", "head":
        bpy.ops.geppetto.pin_joint(joint=name, position=place(shown, name) + [0, 0, 0.02])
    assert bpy.ops.geppetto.unpin_joint(joint="forearm.L") == {"FINISHED"}
    body = bpy.data.objects["body"]
    assert set(pins.pins_of(body)) == {"shin.L", "head"}
    setattr(body, names.ACTIVE_PIN, getattr(body, names.PINS).find("head"))
    assert bpy.ops.geppetto.unpin_joint() == {"FINISHED"}, "without a name the active one of the list"
    assert set(pins.pins_of(body)) == {"shin.L"}
    bpy.ops.geppetto.unpin_all()
    assert pins.pins_of(body) == {}
    np.testing.assert_allclose(place(shown, "shin.L"), before, atol=1e-6)


@pytest.mark.parametrize(("name", "choices"), [("unpin_all", {}), ("unpin_joint", {"joint": "shin.L"}),
                                               ("symmetrise", {"side": ".R"}), ("discard_joints", {})])
def test_what_is_said_of_joints_in_edit_mode_is_undone(shown, name, choices):
    getattr(shown.scene, names.JOINTS).mirror = False
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=place(shown, "shin.L") + [0, 0, 0.05])
    said = pins.said_pins(bpy.data.objects["body"])
    bpy.ops.ed.undo_push(message="pinned")
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.ed.undo_push(message="Edit mode")
    assert getattr(bpy.ops.geppetto, name)(**choices) == {"FINISHED"}
    assert len(pins.said_pins(bpy.data.objects["body"])) != 1
    assert shown.mode == "OBJECT", "Ctrl-Z in Edit mode would not bring the pins back"
    bpy.ops.ed.undo_push(message="pressed")
    bpy.ops.ed.undo()
    assert bpy.context.mode == "EDIT_MESH" and str(pins.said_pins(bpy.data.objects["body"])) == str(said)


def test_what_is_shown_goes_along_with_the_character(shown):
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=place(shown, "shin.L") + [0, 0, 0.05])
    before, knee = place(shown, "head"), place(shown, "shin.L")
    matrix = Matrix.LocRotScale((1.0, 2.0, 3.0), None, (2.0, 2.0, 2.0))
    bpy.data.objects["body"].matrix_world = matrix
    shown.view_layer.update()
    np.testing.assert_allclose(place(shown, "head"), matrix @ Vector(before), atol=1e-4)
    np.testing.assert_allclose(place(shown, "shin.L"), 2 * knee + [1, 2, 3], atol=1e-4)


def test_pins_are_saved_and_nothing_derived_outlives_the_file(shown, tmp_path):
    target = place(shown, "shin.L") + [0, 0, 0.05]
    bpy.ops.geppetto.pin_joint(joint="shin.L", position=target)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "pins.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert joints.shown() is None and not session._shapes and not session._fitters
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "pins.blend"))
    body = bpy.data.objects["body"]
    np.testing.assert_allclose(pins.world_pins(body)["shin.L"], target, atol=1e-6)
    bpy.context.view_layer.objects.active = body
    body.select_set(True)
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    np.testing.assert_allclose(bpy.context.object.data.bones["shin.L"].head_local, target, atol=1e-5)


def test_a_deleted_character_is_no_longer_shown(shown):
    bpy.data.objects.remove(bpy.data.objects["body"])
    assert joints.shown() is None and not bpy.ops.geppetto.pin_joint.poll()


def test_showing_again_is_quick_because_the_shape_is_remembered(shown):
    what = joints.shown()
    bpy.ops.geppetto.hide_joints()
    bpy.ops.geppetto.show_joints()
    assert joints.shown() is not what and joints.shown().shape is what.shape


@pytest.mark.long
def test_update_moves_the_bones_and_keeps_what_is_the_artists(extension, dressed):
    objects = add_character(dressed)
    armature = auto_rig(extension, objects, BIPED).armature
    body = objects[0]
    body.vertex_groups.new(name="cloth").add([0, 5], 0.5, "REPLACE")
    body.modifiers.new("Subdivision", "SUBSURF")
    bpy.ops.object.mode_set(mode="EDIT")
    edit = armature.data.edit_bones
    extra = edit.new("lantern")
    extra.parent, extra.head = edit["hand.L"], edit["hand.L"].tail
    extra.tail = extra.head + Vector((0.0, 0.0, -0.1))
    bpy.ops.object.mode_set(mode="OBJECT")
    armature.pose.bones["hand.L"].constraints.new("COPY_ROTATION").name = "aim"
    armature.pose.bones["head"].rotation_mode = "XYZ"
    armature.pose.bones["head"].rotation_euler.x = 0.3
    away = np.array(armature.data.bones["lantern"].head_local - armature.data.bones["hand.L"].tail_local)
    stack = [(m.name, m.type) for m in body.modifiers]
    knee = np.array(armature.data.bones["shin.L"].head_local) + [0, 0, 0.06]
    wrist = np.array(armature.data.bones["hand.L"].head_local) + [-0.05, 0, 0.03]
    owner = pins.owner_of(objects)
    back = np.linalg.inv(np.array(owner.matrix_world))
    for name, target in (("shin.L", knee), ("hand.L", wrist)):
        pins.set_pin(owner, name, back[:3, :3] @ target + back[:3, 3])
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    bones = armature.data.bones
    np.testing.assert_allclose(bones["shin.L"].head_local, knee, atol=1e-5)
    np.testing.assert_allclose(bones["thigh.L"].tail_local, knee, atol=1e-5)
    np.testing.assert_allclose(bones["hand.L"].head_local, wrist, atol=1e-5)
    np.testing.assert_allclose(np.array(bones["lantern"].head_local - bones["hand.L"].tail_local), away, atol=1e-5)
    assert [c.name for c in armature.pose.bones["hand.L"].constraints] == ["aim"]
    assert armature.pose.bones["head"].rotation_euler.x == pytest.approx(0.3)
    assert [(m.name, m.type) for m in body.modifiers] == stack
    assert group_weights(body)["cloth"][5] == pytest.approx(0.5)
    armature.pose.bones["head"].rotation_euler.x = 0.0
    armature.pose.bones["hand.L"].constraints["aim"].mute = True
    for o in objects:
        total = sum(w for n, w in group_weights(o).items() if n in bones)
        np.testing.assert_allclose(total, 1.0, atol=1e-5)
        for modifier in o.modifiers:
            modifier.show_viewport = modifier.type == "ARMATURE"
        np.testing.assert_allclose(deformed_points(o), world_points(o), atol=1e-4)


@pytest.mark.long
def test_update_leaves_out_bones_the_artist_has_deleted(extension, person):
    body, = add_character(person)
    armature = auto_rig(extension, [body], BIPED).armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["toe.L"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert "toe.L" not in armature.data.bones and "toe.L" not in body.vertex_groups
    np.testing.assert_allclose(sum(group_weights(body).values()), 1.0, atol=1e-5)


def test_pins_of_another_template_are_kept_but_do_not_count(shown):
    bpy.ops.geppetto.pin_joint(joint="chest", position=place(shown, "chest") + [0, 0, 0.02])
    getattr(shown.scene, names.SETTINGS).preset = "biped_paper"
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    assert set(joints.shown().places(shown)[0].joints) == set(load_template("biped_paper").names)
    assert set(pins.pins_of(bpy.data.objects["body"])) == {"chest"}


def test_of_a_posed_character_the_panel_tells_that_handles_lie_at_rest(shown):
    def shows() -> list:
        panel = MagicMock()
        JointsPanel.draw_state(panel, shown, joints.shown())
        row = panel.layout.split.return_value.row.return_value
        return [call.args[2] for call in row.prop_enum.mock_calls]

    bpy.ops.object.geppetto_auto_rig(preset="biped")
    bpy.ops.geppetto.show_joints()
    armature = bpy.data.objects["body"].find_armature()
    assert shows() == []
    armature.pose.bones["forearm.L"].matrix_basis = Matrix.Rotation(0.1, 4, "X")
    shown.view_layer.update()
    assert shows() == ["POSE", "REST"]
    armature.data.pose_position = "REST"
    shown.view_layer.update()
    assert shows() == ["POSE", "REST"], "the way back"
