"""The weight check in Blender: our skinning is Blender's, anybody's weights are judged, marks are undone."""

from __future__ import annotations

import re
from unittest.mock import MagicMock

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

import geppetto
from geppetto.addon import session
from geppetto.addon.bridge.armature import read_rig
from geppetto.addon.bridge.groups import read_groups
from geppetto.addon.bridge.mesh import read_character
from geppetto.addon.characters.checking import Marks
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.operators.carrying import SymmetriseWeights
from geppetto.addon.overlay.heat import colors, lifted
from geppetto.addon.overlay.weights import faces_of
from geppetto.addon.panels.weights import draw_remedies
from geppetto.addon.words import messages
from geppetto.addon.words.telling import translate
from geppetto.core.motion.blend import blend_dual_quaternions, blend_linear
from geppetto.core.motion.kinematics import Kinematics
from geppetto.core.quality.findings import INSIDE_OUT, LIMITS, ONE, WORDS
from geppetto.core.quality.range_of_motion import EXERCISES, OTHER_NAMES, range_of_motion
from geppetto.core.quality.weight_check import check_weights
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, deformed_points, fingerprint, group_weights, world_points


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
    found = session.weights_of(armature.session_uid)
    character, rig = read_character(extension, [body]), read_rig(armature)
    check = check_weights(character.mesh, rig, read_groups(extension, character, rig.names))
    assert [(f.key, f.value, f.verdict) for f in found.findings] == [
        (f.key, f.value, f.verdict) for f in check.findings]
    assert (fingerprint(body), group_weights(body).keys()) == before


@pytest.mark.long
def test_what_was_found_goes_with_the_armature_and_the_meshes_and_not_with_their_names(extension, rigged):
    body, armature = rigged
    body.vertex_groups[0].remove(range(len(body.data.vertices)))
    bpy.ops.geppetto.check_weights()
    found, marked = session.weights_of(armature.session_uid), session.weights_of(armature.session_uid).objects()
    name, armature.name, body.name = armature.name, "Carl's bones", "Carl"
    other = bpy.data.objects.new(name, armature.data)
    assert session.weights_of(armature.session_uid) == found and session.weights_of(other.session_uid) is None
    assert found.objects() == marked and [o for o, _ in marked] == [body]


def test_bare_vertices_are_selected_in_edit_mode(extension, rigged):
    body, armature = rigged
    for group in body.vertex_groups:
        group.remove([5, 50, 500])
    bpy.ops.geppetto.check_weights()
    assert session.weights_of(armature.session_uid).verdict == "poor"
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
    found = session.weights_of(armature.session_uid)
    assert {f.key: f.verdict for f in found.findings}["bare"] == "good"
    assert next(f.value for f in found.findings if f.key == "mirror") < 0.01
    assert found.marks[body.session_uid].count == len(body.data.vertices)


def seen(o, marks):
    """What the overlay draws of an object now."""
    bpy.context.view_layer.update()
    return faces_of(o, marks, bpy.context.evaluated_depsgraph_get())


@pytest.mark.long
def test_bad_places_are_drawn_where_the_pose_has_taken_them_and_the_mesh_is_left_alone(extension, rigged):
    body, armature = rigged
    body.location, body.scale = (1.0, 2.0, 0.0), (1.5, 1.5, 1.5)
    before = fingerprint(body)
    count = len(body.data.vertices)
    badness = np.zeros(count)
    hand = np.argsort(-group_weights(body)["hand.L"])[:40]
    badness[hand] = 1.0
    marks = Marks(count, badness, {})
    points, faces, worst, lift = seen(body, marks)
    rest = deformed_points(body)
    assert set(map(tuple, np.round(rest[hand], 4))) <= set(map(tuple, np.round(points, 4)))
    assert (worst[faces].max(1) == 1.0).all() and 0 < lift < 0.05
    armature.pose.bones["upper_arm.L"].matrix_basis = Matrix.Rotation(1.0, 4, "X")
    moved = seen(body, marks)[0]
    assert np.abs(moved - points).max() > 0.1
    assert set(map(tuple, np.round(deformed_points(body)[hand], 4))) <= set(map(tuple, np.round(moved, 4)))
    body.modifiers.new("Subdivision", "SUBSURF")
    assert len(seen(body, marks)[1]) == len(faces) and seen(body, marks)[3] > lift
    body.modifiers.clear()
    body.modifiers.new("Decimate", "DECIMATE").ratio = 0.3
    assert seen(body, marks) is None, "the corners are not there any more"
    body.modifiers.clear()
    assert seen(body, Marks(count, np.zeros(count), {})) is None
    assert fingerprint(body) | {"world": 0, "own transform": 0} == before | {"world": 0, "own transform": 0}


def test_what_is_bad_is_drawn_the_denser_the_worse_and_before_the_skin(rng):
    shades = colors(np.linspace(0.0, 1.0, 11))
    assert shades[0, 3] == 0 and (np.diff(shades[:, 3]) >= 0).all() and shades[-1, 3] > 0.8
    assert shades[-1, 0] > shades[-1, 1] > shades[-1, 2] - 0.2
    view = np.array(Matrix.LocRotScale((3.0, -2.0, 5.0), Quaternion((0.9, 0.1, 0.3, 0.2)).normalized(), None))
    points = rng.normal(size=(20, 3))
    eye = np.linalg.inv(view)[:3, 3]
    near = lifted(points, view, True, 0.1)
    nearer = np.linalg.norm(points - eye, axis=1) - np.linalg.norm(near - eye, axis=1)
    np.testing.assert_allclose(nearer, 0.1, atol=1e-6)
    flat = (lifted(points, view, False, 0.1) - points) @ view[:3, :3].T
    np.testing.assert_allclose(flat, np.tile([0.0, 0.0, 0.1], (20, 1)), atol=1e-6)


def test_marks_of_a_mesh_that_was_changed_are_not_used(extension, rigged):
    body, armature = rigged
    for group in body.vertex_groups:
        group.remove([5])
    bpy.ops.geppetto.check_weights()
    body.data.vertices.add(1)
    assert session.weights_of(armature.session_uid).marked("bare") == []
    assert bpy.ops.geppetto.mark_weights(finding="bare") == {"CANCELLED"}


def spoiled(body) -> np.ndarray:
    """Let a thigh drag every other vertex of the left hand along.  Returns them."""
    bad = np.flatnonzero(world_points(body)[:, 0] > 0.5)[::2]
    for group in body.vertex_groups:
        group.remove(bad.tolist())
    body.vertex_groups["thigh.R"].add(bad.tolist(), 0.6, "REPLACE")
    body.vertex_groups["hips"].add(bad.tolist(), 0.4, "REPLACE")
    bpy.ops.geppetto.check_weights()
    return bad


def test_smoothing_leaves_a_copy_that_shares_the_mesh_as_it_is(extension, rigged):
    body, _ = rigged
    bad = spoiled(body)
    copy = body.copy()
    extension.scene.collection.objects.link(copy)
    copy.modifiers.clear()
    before = group_weights(copy)
    assert bpy.ops.geppetto.smooth_weights(finding="stretch") == {"FINISHED"}
    assert body.data != copy.data and group_weights(body)["thigh.R"][bad].max() < 0.55
    for name, weight in group_weights(copy).items():
        np.testing.assert_array_equal(weight, before[name])


def test_smoothing_leaves_vertices_elsewhere_as_they_are(extension, rigged):
    body, armature = rigged
    left, _, high = world_points(body).T
    feet = np.flatnonzero((high < 0.2) & (left > 0))
    for name in ("hips", "thigh.L", "shin.L", "foot.L", "toe.L"):  # more than four bones, a sum of more than 1
        body.vertex_groups[name].add(feet.tolist(), 0.25, "REPLACE")
    bad = spoiled(body)
    before = group_weights(body)
    (_, marked), = session.weights_of(armature.session_uid).marked("bleed")
    beside = [edge.vertices for edge in body.data.edges if {*edge.vertices} & {*marked.tolist()}]
    elsewhere = np.setdiff1d(feet, np.unique([tuple(ends) for ends in beside]))
    assert len(elsewhere) > 30
    assert bpy.ops.geppetto.smooth_weights(finding="bleed") == {"FINISHED"}
    after = group_weights(body)
    assert after["thigh.R"][bad].max() < 0.55
    np.testing.assert_allclose(sum(after.values())[bad], 1.0, atol=1e-5)
    assert (np.array([weight[bad] for weight in after.values()]) > 0).sum(0).max() <= 4
    for name, weight in after.items():
        np.testing.assert_array_equal(weight[elsewhere], before[name][elsewhere])


def test_hidden_vertices_are_left_alone_and_told(extension, rigged):
    body, _ = rigged
    spoiled(body)
    body.data.vertices.foreach_set("hide", np.ones(len(body.data.vertices), bool))
    before = group_weights(body)
    for button in (bpy.ops.geppetto.smooth_weights, bpy.ops.geppetto.mark_weights, bpy.ops.geppetto.paint_weights):
        assert button(finding="stretch") == {"CANCELLED"} and extension.mode == "OBJECT"
    np.testing.assert_array_equal(group_weights(body)["thigh.R"], before["thigh.R"])


def test_a_bones_group_is_painted_and_no_other(extension, rigged):
    body, _ = rigged
    body.vertex_groups.new(name="mask").add(range(len(body.data.vertices)), 1.0, "REPLACE")
    bad = spoiled(body)
    body.vertex_groups["mask"].add(bad.tolist(), 1.0, "REPLACE")
    assert bpy.ops.geppetto.paint_weights(finding="bleed") == {"FINISHED"}
    assert body.vertex_groups.active.name == "thigh.R"


def test_buttons_say_why_they_are_grey_and_an_empty_armature_is_refused(extension):
    assert not bpy.ops.geppetto.check_weights.poll()
    assert not bpy.ops.geppetto.mark_weights.poll()
    bpy.ops.object.armature_add()
    with pytest.raises(RuntimeError, match="moves no mesh"):
        bpy.ops.geppetto.check_weights()


def test_everything_it_says_is_there_in_german():
    for key in WORDS:
        assert key in LIMITS
        for words in (*WORDS[key].values(), *ONE.get(key, {}).values(), INSIDE_OUT):
            assert re.sub(r"\{[^}]*\}", "{}", words) in messages.GERMAN, words
    for pose in (*(e.name for e in EXERCISES), *OTHER_NAMES, "rest"):
        assert pose in messages.GERMAN, pose
    said = WORDS["volume"]["fair"].format(0.25, "forearm.L", "Elbows bent 120°", 0.9)
    assert translate(said, messages.GERMAN.__getitem__, messages.GERMAN) == (
        "'forearm.L' behält 25% des Volumens (Ellbogen um 120° gebeugt), mit Volumen erhalten 90%.")


def test_beside_sides_that_differ_stands_the_button_that_the_words_name(extension, rigged):
    body, armature = rigged
    body.vertex_groups["chest"].add(np.flatnonzero(world_points(body)[:, 0] < -0.3).tolist(), 1.0, "REPLACE")
    bpy.ops.geppetto.check_weights()
    finding = next(f for f in session.weights_of(armature.session_uid).findings if f.key == "mirror")
    assert finding.verdict == "poor" and SymmetriseWeights.bl_label in finding.words
    layout = MagicMock()
    draw_remedies(layout, armature, session.weights_of(armature.session_uid), "mirror")
    assert layout.row().operator_menu_enum.call_args.args == (SymmetriseWeights.bl_idname, "side")
