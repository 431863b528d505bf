"""The weight check in Blender: our skinning is Blender's, anybody's weights are judged, marks are undone."""

from __future__ import annotations

import re

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

import geppetto
from geppetto.addon import messages, session
from geppetto.addon.bridge.armature import read_rig
from geppetto.addon.bridge.groups import read_groups
from geppetto.addon.bridge.mesh import read_character
from geppetto.addon.checking import COLORS
from geppetto.addon.rigging import auto_rig
from geppetto.addon.telling import translate
from geppetto.core.motion.blend import blend_dual_quaternions, blend_linear
from geppetto.core.motion.kinematics import Kinematics
from geppetto.core.quality.findings import LIMITS, WORDS
from geppetto.core.quality.range_of_motion import EXERCISES, OTHER_NAMES, range_of_motion
from geppetto.core.quality.weight_check import check_weights
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, deformed_points, fingerprint, group_weights


@pytest.fixture
def extension(context):
    """The extension, enabled."""
    geppetto.register()
    yield context
    session.clear()
    geppetto.unregister()


@pytest.fixture
def rigged(extension, person):
    """A character bound to an armature that is not ours any more, its mesh active and selected."""
    body, = add_character(person)
    armature = auto_rig(extension, [body], load_template("biped")).armature
    del armature.data["geppetto"]
    for o in extension.selected_objects:
        o.select_set(False)
    body.select_set(True)
    extension.view_layer.objects.active = body
    return body, armature


def take_pose(armature, rig, pose) -> None:
    """Let Blender's armature take a pose of the range of motion."""
    local = Kinematics(rig).local(pose.turns)
    for bone in armature.pose.bones:
        bone.matrix_basis = Matrix.Identity(4)
    for b in pose.bones:
        bone = armature.pose.bones[rig.names[b]]
        rest = bone.bone.matrix_local.to_quaternion()
        bone.matrix_basis = (rest.inverted() @ Quaternion(local[b]) @ rest).to_matrix().to_4x4()
    bpy.context.view_layer.update()


@pytest.mark.parametrize(("preserve", "blend"), [(False, blend_linear), (True, blend_dual_quaternions)],
                         ids=["linear", "Preserve Volume"])
def test_skin_moves_as_in_blender(extension, rigged, preserve, blend):
    body, armature = rigged
    body.vertex_groups["spine"].add([0, 1, 2, 3], 0.4, "REPLACE")  # sums that are not 1
    for name in body.vertex_groups.keys():  # noqa: SIM118 - iterating gives the groups
        body.vertex_groups[name].remove([10, 11])  # and vertices without any
    body.modifiers[0].use_deform_preserve_volume = preserve
    rig = read_rig(armature)
    character = read_character(extension, [body])
    weights = read_groups(extension, character, rig.names)
    for pose in range_of_motion(rig):
        take_pose(armature, rig, pose)
        ours = blend(character.mesh.vertices, weights, pose.turns, pose.shifts)
        np.testing.assert_allclose(ours, deformed_points(body), atol=1e-4, err_msg=pose.name)


def test_the_button_says_what_the_core_says_of_anybodys_rig(extension, rigged):
    body, armature = rigged
    before = fingerprint(body), group_weights(body).keys()
    assert bpy.ops.geppetto.check_weights() == {"FINISHED"}
    found = session.weights_of(armature.name)
    character, rig = read_character(extension, [body]), read_rig(armature)
    check = check_weights(character.mesh, rig, read_groups(extension, character, rig.names))
    assert [(f.key, f.value, f.verdict) for f in found.findings] == [
        (f.key, f.value, f.verdict) for f in check.findings]
    assert (fingerprint(body), group_weights(body).keys()) == before


def test_bare_vertices_are_selected_in_edit_mode(extension, rigged):
    body, armature = rigged
    for group in body.vertex_groups:
        group.remove([5, 50, 500])
    bpy.ops.geppetto.check_weights()
    assert session.weights_of(armature.name).verdict == "poor"
    assert bpy.ops.geppetto.mark_weights(finding="bare") == {"FINISHED"}
    assert body.mode == "EDIT"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert [v.index for v in body.data.vertices if v.select] == [5, 50, 500]


def test_half_a_body_with_a_mirror_modifier_is_judged_whole(extension, rigged):
    body, armature = rigged
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.bisect(plane_co=(0, 0, 0), plane_no=(1, 0, 0), clear_inner=True)
    bpy.ops.object.mode_set(mode="OBJECT")
    mirror = body.modifiers.new("Mirror", "MIRROR")
    mirror.use_clip = True
    body.modifiers.move(1, 0)
    bpy.ops.geppetto.check_weights()
    found = session.weights_of(armature.name)
    assert {f.key: f.verdict for f in found.findings}["bare"] == "good"
    assert next(f.value for f in found.findings if f.key == "mirror") < 0.01
    assert found.marks[body.name].count == len(body.data.vertices)


def test_colours_come_and_go(extension, rigged):
    body, _ = rigged
    body.data.color_attributes.new("own", "BYTE_COLOR", "CORNER")
    before = fingerprint(body)
    bpy.ops.geppetto.check_weights()
    assert bpy.ops.geppetto.color_weights() == {"FINISHED"}
    assert body.data.color_attributes.active_color.name == COLORS
    assert bpy.ops.geppetto.color_weights() == {"FINISHED"}
    assert fingerprint(body) == before


def test_marks_of_a_mesh_that_was_changed_are_not_used(extension, rigged):
    body, armature = rigged
    for group in body.vertex_groups:
        group.remove([5])
    bpy.ops.geppetto.check_weights()
    body.data.vertices.add(1)
    assert session.weights_of(armature.name).marked("bare") == []
    assert bpy.ops.geppetto.mark_weights(finding="bare") == {"CANCELLED"}


def test_buttons_say_why_they_are_grey_and_an_empty_armature_is_refused(extension):
    assert not bpy.ops.geppetto.check_weights.poll()
    assert not bpy.ops.geppetto.mark_weights.poll() and not bpy.ops.geppetto.color_weights.poll()
    bpy.ops.object.armature_add()
    with pytest.raises(RuntimeError, match="moves no mesh"):
        bpy.ops.geppetto.check_weights()


def test_everything_it_says_is_there_in_german():
    for key in WORDS:
        assert key in LIMITS
        for words in WORDS[key].values():
            assert re.sub(r"\{[^}]*\}", "{}", words) in messages.GERMAN, words
    for pose in (*(e.name for e in EXERCISES), *OTHER_NAMES, "rest"):
        assert pose in messages.GERMAN, pose
    said = WORDS["volume"]["fair"].format(0.25, "forearm.L", "Elbows bent 120°", 0.9)
    assert translate(said, messages.GERMAN.__getitem__, messages.GERMAN) == (
        "'forearm.L' behält 25% des Volumens (Ellbogen um 120° gebeugt). Mit Volumen erhalten im Skelett-Modifikator: "
        "90%.")
