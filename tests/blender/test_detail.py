"""Fingers in Blender: chosen, made, dragged, kept by an update, moved by motions and by controls."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

import geppetto
from geppetto.addon import names
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.editing import joints, pins
from geppetto.core.skeleton.chain import finger_of
from tests.characters import person

from .batches import QUICK, fresh, main, report_of, save
from .scenes import add_character, group_weights
from .test_situations import choose
from .test_workflow import move_bone


@pytest.fixture
def hands(context):
    """The extension, and a selected person with five fingers on each hand."""
    geppetto.register()
    objects = add_character(person(digits=5, vertices=2000))
    for o in objects:
        o.select_set(True)
    context.view_layer.objects.active = objects[0]
    yield objects
    geppetto.unregister()


def fingers(armature) -> list[str]:
    return [b.name for b in armature.data.bones if finger_of(b.name)]


@pytest.mark.long
def test_hands_are_made_unless_the_body_alone_is_chosen(hands):
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    armature = armature_of(hands[0])
    assert len(fingers(armature)) == 30 and armature.data.bones["index_1.L"].parent.name == "hand.L"
    assert {c.name for c in armature.data.bones["pinky_2.R"].collections} == {"Fingers.R"}
    assert group_weights(hands[1])["index_3.L"].max() > 0.9
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", detail="body") == {"FINISHED"}
    assert fingers(armature_of(hands[0])) == []
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", fingers="0") == {"FINISHED"}
    assert fingers(armature_of(hands[0])) == []


@pytest.mark.long
def test_a_finger_is_dragged_and_the_rig_follows(hands):
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    armature = armature_of(hands[0])
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    what = joints.shown()
    at = what.places(bpy.context)[1][what.template.index("index_2.L")]
    assert bpy.ops.geppetto.pin_joint(joint="index_2.L", position=at + [0, 0, 0.01]) == {"FINISHED"}
    places = what.places(bpy.context)[1]
    np.testing.assert_allclose(places[what.template.index("index_2.L")], at + [0, 0, 0.01], atol=1e-6)
    assert set(pins.pins_of(what.owner_object())) == {"index_2.L"}
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(armature.data.bones["index_2.L"].head_local, at + [0, 0, 0.01], atol=1e-5)
    assert bpy.ops.geppetto.unpin_all() == {"FINISHED"}
    np.testing.assert_allclose(what.places(bpy.context)[1][what.template.index("index_2.L")], at, atol=1e-6)


@pytest.mark.long
@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("end, joint", [("head", "index_2"), ("tail", "index_tip")])
def test_a_finger_bone_moved_in_edit_mode_stays_when_the_rig_is_updated(hands, mirror, end, joint):
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    armature, by = armature_of(hands[0]), np.array([0.0, 0.004, 0.01])
    name = f"index_{2 if end == 'head' else 3}"
    getattr(bpy.context.scene, names.JOINTS).mirror = mirror
    before = {side: np.array(getattr(armature.data.bones[f"{name}.{side}"], f"{end}_local")) for side in "LR"}
    move_bone(armature, f"{name}.L", by, end)
    choose(hands[0])
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    after = {side: np.array(getattr(armature.data.bones[f"{name}.{side}"], f"{end}_local")) for side in "LR"}
    np.testing.assert_allclose(after["L"], before["L"] + by, atol=1e-5)
    np.testing.assert_allclose(after["R"], before["R"] + (by if mirror else 0), atol=1e-3 if mirror else 1e-5)
    owner = pins.owner_of(hands)
    assert set(pins.pins_of(owner)) == {f"{joint}.L"}
    pins.clear_pins(owner)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(getattr(armature.data.bones[f"{name}.L"], f"{end}_local"), before["L"], atol=1e-5)


@pytest.mark.long
def test_hands_of_a_pose_that_became_the_rest_pose_stay_when_the_rig_is_updated(hands):
    """Apply Pose as Rest Pose, with the Armature modifiers applied: fingers were sought anew where the hand is now."""
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    armature = armature_of(hands[0])
    for side, sign in (("L", 1), ("R", -1)):
        armature.pose.bones[f"upper_arm.{side}"].matrix_basis = Matrix.Rotation(0.5 * sign, 4, "Z")
    for o in hands:
        choose(o)
        modifier, = [m for m in o.modifiers if m.type == "ARMATURE"]
        bpy.ops.object.modifier_copy(modifier=modifier.name)
        bpy.ops.object.modifier_apply(modifier=modifier.name)
    choose(armature)
    bpy.ops.object.mode_set(mode="POSE")
    bpy.ops.pose.armature_apply(selected=False)
    bpy.ops.object.mode_set(mode="OBJECT")
    before = {bone: np.array(armature.data.bones[bone].head_local) for bone in fingers(armature)}
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    for bone, place in before.items():
        np.testing.assert_allclose(armature.data.bones[bone].head_local, place, atol=1e-5, err_msg=bone)
    assert armature.data[names.WARNED].count(",") < 12 and "…" in armature.data[names.WARNED]


@pytest.mark.long
def test_a_rig_without_fingers_shows_no_finger_joints(hands):
    bpy.ops.object.geppetto_auto_rig(preset="biped", detail="body")
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    assert not [n for n in joints.shown().template.names if finger_of(n)]
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert fingers(armature_of(hands[0])) == []


@pytest.mark.slow
def test_motions_and_control_rigs_take_fingers_along(hands):
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    armature = armature_of(hands[0])
    assert bpy.ops.object.geppetto_move(motion="walk") == {"FINISHED"}
    bpy.context.scene.frame_set(12)
    hand, finger = (armature.pose.bones[n] for n in ("hand.L", "index_3.L"))
    rest = hand.bone.matrix_local.inverted() @ finger.bone.matrix_local
    bent = (hand.matrix.inverted() @ finger.matrix).to_quaternion().rotation_difference(rest.to_quaternion()).angle
    assert 30 < np.rad2deg(bent) < 60, "relaxed"
    assert getattr(bpy.ops.geppetto, names.CONTROL_RIG.split(".")[1])() == {"FINISHED"}
    assert "index_1_master.L" in bpy.context.object.data.bones


@pytest.mark.long
def test_batches_find_fingers_and_report_them(tmp_path):
    fresh()
    add_character(person(digits=5, vertices=2000))
    path = save(tmp_path / "five.blend")
    assert main([str(path), "--out", str(tmp_path / "hands"), *QUICK]) == 0
    entry, = report_of(tmp_path / "hands")
    assert entry["fingers"] == {"L": 5, "R": 5} and entry["bones"] == 51
    assert main([str(path), "--out", str(tmp_path / "body"), "--detail", "body", *QUICK]) == 0
    entry, = report_of(tmp_path / "body")
    assert entry["fingers"] == {"L": 0, "R": 0} and entry["bones"] == 21
