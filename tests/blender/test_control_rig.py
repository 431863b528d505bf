"""Characters handed over to Rigify: controls move the mesh, the way back loses nothing, a failure leaves no trace."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from unittest.mock import MagicMock

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from geppetto.addon import names, polls
from geppetto.addon.bridge import rigify
from geppetto.addon.bridge.armature import read_warnings
from geppetto.addon.characters import control_rig
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.panels.character import draw_test_pose, kind_told, owner_in
from geppetto.core.errors import BadRig
from geppetto.core.skeleton.control_rig import ControlBone
from geppetto.core.skeleton.preset import load_template
from tests.characters import bird, centaur, quadruped

from .scenes import add_character, deformed_points, fingerprint, group_weights, world_points

pytestmark = pytest.mark.usefixtures("rigged_once")


def rig(context, character, preset: str = "biped"):
    """(objects, plain rig) of a rigged character, the rig active."""
    objects = add_character(character)
    return objects, auto_rig(context, objects, load_template(preset)).armature


def move(controls, bone: str, by) -> None:
    """Move a control in the world."""
    posed = controls.pose.bones[bone]
    bpy.context.view_layer.update()
    place = (controls.matrix_world @ posed.matrix).copy()
    place.translation += Vector(by)
    posed.matrix = controls.matrix_world.inverted() @ place
    bpy.context.view_layer.update()


def assert_bound(objects, controls):
    """All weight is on Rigify's deform bones and at rest nothing has moved."""
    deform = {b.name for b in controls.data.bones if b.use_deform}
    for o in objects:
        weights = group_weights(o)
        assert set(weights) <= deform
        np.testing.assert_allclose(sum(weights.values()), 1.0, atol=1e-5)
        np.testing.assert_allclose(deformed_points(o), world_points(o), atol=1e-4)
        assert armature_of(o) is None and o.modifiers[0].object == controls and o.parent == controls


def assert_buttons_in_rows(metarig):
    """Left and right share a row, all others have their own; a part's rows follow each other, a gap behind them."""
    groups = {group.name: group for group in metarig.data.collections_all}
    rows = {name: group.rigify_ui_row for name, group in groups.items()}
    assert min(rows.values()) == 1 and rows["Root"] == max(rows.values())
    for limb in ("Arm", "Leg"):
        layers = [f"{limb}.L ({kind})" for kind in ("IK", "FK", "Tweak")]
        assert np.diff([rows[layer] for layer in layers]).tolist() == [1, 1]
        assert [rows[layer.replace(".L", ".R")] for layer in layers] == [rows[layer] for layer in layers]
        assert [groups[layer].rigify_ui_title for layer in layers] == ["", "(FK)", "(Tweak)"]
    own = sorted({row for name, row in rows.items() if ".R" not in name})
    assert len(own) == len([name for name in rows if ".R" not in name])
    starts = [rows[name] for name in ("Arm.L (IK)", "Leg.L (IK)", "Root")]
    assert all(row - 1 not in own for row in starts), "a gap before each"
    colors = {}
    for name, group in groups.items():
        colors.setdefault(name.partition("(")[2] or name, set()).add(group.rigify_color_set_id)
    assert all(len(of_kind) == 1 for of_kind in colors.values()), "a kind of control has one colour"
    assert 0 not in set.union(*colors.values()) and len(set.union(*colors.values())) == len(colors), "and its own"


def assert_layers_hold_what_they_are_called(controls):
    """The controls of each limb lie in the layers of its side; the trunk's own FK bones are its tweaks."""
    home = {bone.name: [group.name for group in bone.collections] for bone in controls.data.bones}
    stems = {"upper_arm": "Arm", "forearm": "Arm", "hand": "Arm", "thigh": "Leg", "shin": "Leg", "foot": "Leg"}
    for stem, limb in stems.items():
        for side in ("L", "R"):
            for kind, layer in (("fk", "FK"), ("tweak", "Tweak")):
                assert home[f"{stem}_{kind}.{side}"] == [f"{limb}.{side} ({layer})"]
    assert home["hand_ik.L"] == ["Arm.L (IK)"] and home["toe_ik.R"] == ["Leg.R (IK)"]
    assert home["torso"] == home["shoulder.L"] == home["head"] == ["Torso"]
    assert home["spine_fk"] == home["tweak_spine"] == home["tweak_spine.004"] == ["Torso (Tweak)"]


def test_hands_and_feet_follow_their_ik_controls(extension, person):
    (body,), plain = rig(extension, person)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    assert controls != plain and controls.show_in_front and plain.hide_get() and controls[names.METARIG].hide_get()
    assert_bound([body], controls)
    assert kind_told(owner_in(extension)) == "Rigged as Biped"
    assert_buttons_in_rows(controls[names.METARIG])
    assert_layers_hold_what_they_are_called(controls)
    before = deformed_points(body)
    hand, foot = np.array([-0.1, -0.2, 0.15]) * person.height, np.array([0.0, -0.12, 0.18]) * person.height
    move(controls, "hand_ik.L", hand)
    move(controls, "foot_ik.R", foot)
    moved = deformed_points(body) - before
    tip = before[:, 0] > before[:, 0].max() - 0.03 * person.height
    np.testing.assert_allclose(moved[tip], np.broadcast_to(hand, moved[tip].shape), atol=0.03 * person.height)
    sole = (before[:, 2] < 0.02 * person.height) & (before[:, 0] < 0)
    np.testing.assert_allclose(moved[sole], np.broadcast_to(foot, moved[sole].shape), atol=0.02 * person.height)
    knee = controls.data.bones["DEF-shin.R"].head_local
    bent = controls.pose.bones["DEF-shin.R"].head
    assert bent.y < knee.y - 0.05 * person.height, "the knee goes forward"
    head = before[:, 2] > 0.9 * person.height
    assert np.linalg.norm(moved[head], axis=1).max() < 0.01 * person.height


@pytest.mark.long
def test_a_character_of_many_objects_and_the_way_back_loses_nothing(extension, dressed):
    objects, plain = rig(extension, dressed)
    cloth = objects[0].vertex_groups.new(name="cloth")
    cloth.add([1, 2], 0.25, "REPLACE")
    before, prints = [group_weights(o) for o in objects], [fingerprint(o) for o in objects]
    data = {kind: len(getattr(bpy.data, kind)) for kind in control_rig.DATA}
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    assert "cloth" in objects[0].vertex_groups and len(objects) > 1
    assert not bpy.ops.geppetto.make_control_rig.poll()
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert extension.object == plain and plain.visible_get()
    for o, weights, known in zip(objects, before, prints, strict=True):
        after = group_weights(o)
        assert after.keys() == weights.keys() and o.parent == plain and o.modifiers[0].object == plain
        assert max(np.abs(after[n] - w).max() for n, w in weights.items()) < 1e-6
        assert fingerprint(o) == known
    assert {kind: len(getattr(bpy.data, kind)) for kind in control_rig.DATA} == data
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}, "and again"


@pytest.mark.long
@pytest.mark.parametrize(("grow", "preset", "control", "part"), [
    (quadruped, "quadruped", "front_foot_ik.L", "DEF-front_foot.L"),
    (quadruped, "horse", "hind_foot_ik.R", "DEF-hind_foot.R"),
    (bird, "bird", "foot_ik.L", "DEF-foot.L"), (centaur, "centaur", "hind_foot_ik.L", "DEF-hind_foot.L")])
def test_animals_get_controls_too(extension, grow, preset, control, part):
    objects, _ = rig(extension, grow(vertices=2000), preset)
    controls = control_rig.make_control_rig(extension, extension.object)
    assert_bound(objects, controls)
    at = controls.pose.bones[part].head.copy()
    size = max(o.dimensions.z for o in objects)
    move(controls, control, (0.0, 0.0, 0.1 * size))
    assert (controls.pose.bones[part].head - at).z > 0.05 * size


def test_the_metarig_is_kept_and_the_rig_is_generated_anew_from_it(extension, person):
    (body,), _ = rig(extension, person)
    bpy.ops.geppetto.make_control_rig()
    controls, weights = extension.object, group_weights(body)
    assert bpy.ops.geppetto.show_metarig() == {"FINISHED"}
    metarig = extension.object
    assert metarig == controls[names.METARIG] and metarig.visible_get()
    bpy.ops.object.mode_set(mode="EDIT")
    metarig.data.edit_bones["spine.006"].tail.z += 0.1
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.pose.rigify_generate() == {"FINISHED"}
    assert extension.object == controls and names.PLAIN_RIG in controls
    assert_bound([body], controls)
    assert group_weights(body).keys() == weights.keys()


def test_auto_rig_asks_for_the_plain_rig_first(extension, person):
    objects, armature = rig(extension, person)
    controls = control_rig.make_control_rig(extension, armature)
    for o in extension.view_layer.objects:
        o.select_set(o in objects)
    extension.view_layer.objects.active = objects[0]
    assert not bpy.ops.object.geppetto_auto_rig.poll() and not bpy.ops.geppetto.show_joints.poll()
    other = add_character(person)[0]
    other.location.x = 5.0
    other.select_set(True)
    extension.view_layer.update()
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    assert armature_of(other) is not None, "another character beside it is rigged"
    assert all(o.modifiers[0].object == controls and len(o.modifiers) == 1 for o in objects)


@pytest.mark.long
@pytest.mark.parametrize("lies", [False, True])
@pytest.mark.parametrize(("bone", "control"), [("hand.L", "hand_ik.L"), ("lower_arm.L", "hand_ik.L"),
                                               ("head", "head")])
def test_what_hangs_on_a_bone_follows_the_controls_and_comes_back(extension, person, lies, bone, control):
    body, = add_character(person)
    body.rotation_euler.x = np.pi / 2 if lies else 0.0
    extension.view_layer.update()
    plain = auto_rig(extension, [body], load_template("biped")).armature
    sword = bpy.data.objects.new("sword", None)
    extension.collection.objects.link(sword)
    bone = bone if bone in plain.data.bones else plain.data.bones["hand.L"].parent.name
    sword.parent, sword.parent_type, sword.parent_bone = plain, "BONE", bone
    sword.location = (0.1, 0.02, 0.03)
    extension.view_layer.update()
    before, hook = np.array(sword.matrix_world), sword.matrix_parent_inverse.copy()
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    assert sword.parent == controls and sword.parent_bone.startswith("DEF-")
    np.testing.assert_allclose(sword.matrix_world, before, atol=1e-4)
    move(controls, control, (0.0, 0.0, 0.2) if control == "hand_ik.L" else (0.0, 0.0, 0.0))
    if control == "head":
        controls.pose.bones["head"].rotation_mode = "XYZ"
        controls.pose.bones["head"].rotation_euler.x = 0.5
    extension.view_layer.update()
    moved = np.array(sword.matrix_world)
    assert np.linalg.norm((moved - before)[:3, 3]) > 0.03
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert sword.parent == plain and sword.parent_bone == bone
    np.testing.assert_allclose(sword.matrix_parent_inverse, hook, atol=1e-5)
    np.testing.assert_allclose(sword.matrix_world, moved, atol=0.04)  # an arm that IK stretches is turned only


@pytest.mark.long
@pytest.mark.parametrize("by_hand", [True, False])
def test_auto_rig_replaces_controls_whose_plain_rig_was_deleted(extension, person, by_hand):
    (body,), plain = rig(extension, person)
    sword = bpy.data.objects.new("sword", None)
    extension.collection.objects.link(sword)
    copy = sword.constraints.new("COPY_ROTATION")  # it follows an empty that goes as the bone did
    copy.target, copy.subtarget = plain, "hand.L"
    control_rig.make_control_rig(extension, plain)
    sword.parent = extension.object
    if by_hand:
        plain.hide_set(False)
        with extension.temp_override(selected_objects=[plain], active_object=plain, object=plain):
            bpy.ops.object.delete()
    else:
        bpy.data.objects.remove(plain)
    extension.view_layer.update()
    for o in extension.view_layer.objects:
        o.select_set(o == body)
    extension.view_layer.objects.active = body
    with pytest.raises(RuntimeError, match="Press Auto Rig"):
        bpy.ops.geppetto.plain_rig_again()
    before = world_points(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    armature = armature_of(body)
    assert [m.object for m in body.modifiers] == [armature] and body.parent == armature
    assert set(group_weights(body)) <= set(armature.data.bones.keys())
    assert not any(g.name.startswith("DEF-") for g in body.vertex_groups)
    assert set(extension.scene.objects) == {body, armature, sword} and sword.parent is None
    assert not any("switched off" in told for told in read_warnings(armature))
    np.testing.assert_allclose(deformed_points(body), before, atol=1e-4)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}


def test_what_needs_the_plain_rig_says_so(extension, person):
    rig(extension, person)
    control_rig.make_control_rig(extension, extension.object)
    asked, layout = [], MagicMock()
    assert not polls.has_rig(SimpleNamespace(poll_message_set=asked.append), extension)
    assert "Back to Plain Rig" in asked[0] and not bpy.ops.geppetto.rest_pose.poll()
    draw_test_pose(layout, extension)
    assert "Back to Plain Rig" in layout.row().label.call_args.kwargs["text"]


def test_renamed_and_moved_and_scaled_rigs_are_handed_over(extension, person):
    objects, plain = rig(extension, person)
    bpy.ops.geppetto.rename_bones(engine="unreal")
    plain.matrix_world = Matrix.LocRotScale((1.0, -2.0, 0.5), Matrix.Rotation(0.7, 3, "Z").to_quaternion(), (2, 2, 2))
    extension.view_layer.update()
    before = deformed_points(objects[0])
    controls = control_rig.make_control_rig(extension, plain)
    np.testing.assert_allclose(deformed_points(objects[0]), before, atol=1e-4)
    assert "hand_ik.L" in controls.pose.bones
    move(controls, "hand_ik.L", (0.0, 0.0, 0.2))
    moved = np.linalg.norm(deformed_points(objects[0]) - before, axis=1)
    assert moved.max() == pytest.approx(0.2, abs=0.05)


def test_a_character_that_lies_gets_feet_that_stand_on_its_own_ground(extension, person):
    body, = add_character(person)
    body.rotation_euler.x = np.pi / 2  # its head towards -Y
    extension.view_layer.update()
    auto_rig(extension, [body], load_template("biped"))
    before = deformed_points(body)
    controls = control_rig.make_control_rig(extension, extension.object)
    np.testing.assert_allclose(deformed_points(body), before, atol=1e-4)
    up = np.array(controls.matrix_world.to_3x3().col[2])
    np.testing.assert_allclose(up, [0.0, -1.0, 0.0], atol=1e-6)
    move(controls, "foot_ik.L", 0.2 * up)
    lifted = controls.pose.bones["DEF-foot.L"].head - controls.data.bones["DEF-foot.L"].head_local
    np.testing.assert_allclose(lifted, [0.0, 0.0, 0.2], atol=0.01)


def test_fingers_are_handed_over(extension, person):
    (body,), plain = rig(extension, person)
    hand = body.vertex_groups["hand.L"].index
    bpy.ops.object.mode_set(mode="EDIT")
    bones, parent = plain.data.edit_bones, plain.data.edit_bones["hand.L"]
    step = 0.3 * (parent.tail - parent.head)
    for k in range(3):
        bone = bones.new(f"index.{k}.L")
        bone.head = parent.tail if k == 0 else parent.tail.copy()
        bone.tail, bone.parent, bone.use_connect = bone.head + step, parent, k > 0
        parent = bone
    bpy.ops.object.mode_set(mode="OBJECT")
    tip = [v.index for v in body.data.vertices if any(g.group == hand and g.weight > 0.99 for g in v.groups)][:5]
    body.vertex_groups["hand.L"].remove(tip)
    body.vertex_groups.new(name="index.1.L").add(tip, 1.0, "REPLACE")
    controls = control_rig.make_control_rig(extension, plain)
    assert_bound([body], controls)
    before = deformed_points(body)
    controls.pose.bones["index.0_master.L"].rotation_mode = "XYZ"
    controls.pose.bones["index.0_master.L"].rotation_euler.x = 1.0
    moved = np.linalg.norm(deformed_points(body) - before, axis=1)
    assert moved[tip].max() > 0.005 and moved.argmax() in tip


@pytest.mark.long
def test_a_failure_leaves_the_scene_as_it_was(extension, person, monkeypatch):
    (body,), plain = rig(extension, person)
    state = lambda: ({kind: sorted(d.name for d in getattr(bpy.data, kind)) for kind in control_rig.DATA},  # noqa: E731
                     fingerprint(body), extension.object, plain.visible_get(), list(extension.selected_objects),
                     [(m.name, m.object) for m in body.modifiers], body.parent)
    before, weights = state(), group_weights(body)
    plan = control_rig.plan_controls
    monkeypatch.setattr(control_rig, "plan_controls", lambda *a: [b for b in plan(*a) if not b.name.startswith("toe")])
    with pytest.raises(RuntimeError, match="Rigify could not generate"):
        bpy.ops.geppetto.make_control_rig()
    assert state() == before
    after = group_weights(body)
    assert after.keys() == weights.keys() and all((after[n] == w).all() for n, w in weights.items())


def test_what_rigify_cuts_a_bone_into_is_found_with_where_each_segment_begins(context):
    """A bone of two pieces, the second called like a segment of the first; the rig turned, moved and enlarged."""
    ends = np.array([[0.0, 0, 0], [0, 0.1, 0.4], [0, 0, 1]])
    shares = {"DEF-leg": 0.05, "DEF-leg.002": 0.2, "DEF-leg.010": 0.3, "DEF-leg.001": 0.5, "DEF-leg.001.001": 0.8,
              "DEF-leg.L": 0.9, "DEF-leg2": 0.9, "leg": 0.0, "MCH-leg.003": 0.1}
    armature = bpy.data.armatures.new("rig")
    controls = bpy.data.objects.new("rig", armature)
    context.collection.objects.link(controls)
    context.view_layer.objects.active = controls
    bpy.ops.object.mode_set(mode="EDIT")
    for name, share in shares.items():
        bone = armature.edit_bones.new(name)
        bone.head, bone.tail = (0.05, 0, share), (0, 0, share + 0.1)
    bpy.ops.object.mode_set(mode="OBJECT")
    place = Matrix.LocRotScale((1, 2, 3), Matrix.Rotation(0.7, 3, "X").to_quaternion(), (2, 2, 2))
    controls.matrix_world = place
    heads = np.array([place @ Vector(end) for end in ends])
    plan = [ControlBone(name, "", heads[i], heads[i + 1], np.eye(3)[0], False, "", "Leg", "thigh")
            for i, name in enumerate(("leg", "leg.001"))]
    found = rigify.deform_bones(controls, plan)["thigh"]
    expected = ["DEF-leg", "DEF-leg.002", "DEF-leg.010", "DEF-leg.001", "DEF-leg.001.001"]
    assert [name for name, _ in found] == expected
    np.testing.assert_allclose([start for _, start in found], [shares[name] for name in expected], atol=1e-6)
    with pytest.raises(BadRig, match="DEF-arm"):
        rigify.deform_bones(controls, [replace(plan[0], name="arm")])


def test_without_rigify_it_says_so(extension, person, monkeypatch):
    rig(extension, person)
    monkeypatch.setattr(rigify, "NAME", "rigify_that_is_not_there")
    with pytest.raises(RuntimeError, match="Rigify is missing"):
        bpy.ops.geppetto.make_control_rig()


@pytest.mark.long
def test_a_rig_without_limbs_is_refused_before_anything_is_asked(extension, person, monkeypatch):
    _, plain = rig(extension, person)
    plain.data[names.MADE_BY] = "my own"
    for i, bone in enumerate(plain.data.bones):
        bone.name = f"b{i}"
    bpy.ops.object.mode_set(mode="EDIT")
    for bone in list(plain.data.edit_bones)[3:]:
        plain.data.edit_bones.remove(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    with pytest.raises(BadRig, match="no legs or arms"):
        control_rig.make_control_rig(extension, plain)
    monkeypatch.setattr("geppetto.addon.operators.control_rig.is_rigify_on", lambda: False)
    with pytest.raises(RuntimeError, match="no legs or arms"):
        bpy.ops.geppetto.make_control_rig("INVOKE_DEFAULT")


def test_making_it_is_one_undo_step(extension, person):
    rig(extension, person)
    bpy.ops.ed.undo_push(message="rigged")
    bpy.ops.geppetto.make_control_rig()
    bpy.ops.ed.undo_push(message="controls")
    bpy.ops.ed.undo()
    body = bpy.data.objects["body"]
    assert len(bpy.data.armatures) == 1 and "hand.L" in body.vertex_groups
    assert armature_of(body) is not None and armature_of(body).visible_get()


@pytest.mark.long
@pytest.mark.parametrize("scale", [(1.0, 1.0, 1.3), (2.0, 1.0, 1.0), (-1.0, 1.0, 1.0)])
def test_a_rig_of_uneven_or_mirrored_scale_rests_as_it_did_with_controls_and_after_them(extension, person, scale):
    (body,), plain = rig(extension, person)
    plain.scale, plain.location, plain.rotation_euler = scale, (1.0, 2.0, 0.5), (0.0, 0.0, 0.4)
    extension.view_layer.update()
    before, place = deformed_points(body), np.array(plain.matrix_world)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    np.testing.assert_allclose(extension.object.matrix_world.to_scale(), [np.cbrt(abs(np.prod(scale)))] * 3, rtol=1e-4)
    np.testing.assert_allclose(deformed_points(body), before, atol=1e-4)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    np.testing.assert_allclose(deformed_points(body), before, atol=1e-4)
    np.testing.assert_allclose(plain.matrix_world, place, atol=1e-5)
    assert all((bone.matrix_basis.to_quaternion().angle % (2 * np.pi)) < 1e-3 for bone in plain.pose.bones)


@pytest.mark.parametrize("change", [Matrix.Translation((3.0, 1.0, 0.0)), Matrix.Rotation(1.2, 4, "Z"),
                                    Matrix.Translation((0.0, 2.0, 1.0)) @ Matrix.Rotation(0.8, 4, "X")])
def test_a_plain_rig_comes_back_to_where_its_controls_were_applied(extension, person, change):
    (body,), plain = rig(extension, person)
    sword = bpy.data.objects.new("sword", None)
    extension.collection.objects.link(sword)
    sword.parent, sword.parent_type, sword.parent_bone = plain, "BONE", "hand.L"
    extension.view_layer.update()
    skin = world_points(body)
    heads = {bone.name: plain.matrix_world @ bone.head_local for bone in plain.data.bones}
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    apply(body, extension.object, change)
    extension.view_layer.update()
    held = sword.matrix_world.copy()  # Blender itself moves what hangs on bones when it applies
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    np.testing.assert_allclose(deformed_points(body), np.array([change @ Vector(p) for p in skin]), atol=1e-5)
    for name, head in heads.items():
        np.testing.assert_allclose(plain.matrix_world @ plain.data.bones[name].head_local, change @ head, atol=1e-5)
    np.testing.assert_allclose(sword.matrix_world, held, atol=1e-5)
    assert all(bone.matrix_basis.to_quaternion().angle % (2 * np.pi) < 1e-3 for bone in plain.pose.bones)


@pytest.mark.long
def test_an_applied_scale_is_told_and_there_is_a_way_back(extension, person):
    (body,), plain = rig(extension, person)
    skin = world_points(body)
    bpy.ops.geppetto.make_control_rig()
    controls = extension.object
    apply(body, controls, Matrix.Scale(2.0, 4))
    with pytest.raises(RuntimeError, match=r"by 0\.5, 0\.5, 0\.5 along X, Y, Z"):
        bpy.ops.geppetto.plain_rig_again()
    assert body.modifiers[0].object == controls and plain.hide_get()
    apply(body, controls, Matrix.Scale(0.5, 4))
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    np.testing.assert_allclose(deformed_points(body), skin, atol=1e-4)


def exclude(*objects) -> None:
    """Put objects into a collection of their own that is excluded from the view layer."""
    away = bpy.data.collections.new("away")
    bpy.context.scene.collection.children.link(away)
    for o in objects:
        for home in list(o.users_collection):
            home.objects.unlink(o)
        away.objects.link(o)
    bpy.context.view_layer.layer_collection.children["away"].exclude = True
    bpy.context.view_layer.update()


@pytest.mark.parametrize("way", ["there", "back"])
def test_a_rig_in_an_excluded_collection_is_refused_before_anything_changes(extension, person, way):
    (body,), plain = rig(extension, person)
    if way == "back":
        assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    exclude(plain)
    extension.view_layer.objects.active = body
    state = lambda: ({kind: sorted(d.name for d in getattr(bpy.data, kind)) for kind in control_rig.DATA},  # noqa: E731
                     fingerprint(body), [(m.name, m.object) for m in body.modifiers], body.parent)
    before, weights = state(), group_weights(body)
    with pytest.raises(RuntimeError, match="is not in this view layer, so its bones cannot be moved"):
        bpy.ops.geppetto.make_control_rig() if way == "there" else bpy.ops.geppetto.plain_rig_again()
    after = group_weights(body)
    assert state() == before and after.keys() == weights.keys() and all((after[n] == weights[n]).all() for n in after)


@pytest.mark.long
def test_what_was_made_goes_after_a_late_failure(extension, person, monkeypatch):
    (body,), plain = rig(extension, person)
    exclude(plain)
    extension.view_layer.objects.active = body
    data = {kind: len(getattr(bpy.data, kind)) for kind in control_rig.DATA}
    monkeypatch.setattr(control_rig, "check_there", lambda *_: None)
    with pytest.raises(RuntimeError, match="not in View Layer"):
        control_rig.make_control_rig(extension, plain)
    assert {kind: len(getattr(bpy.data, kind)) for kind in control_rig.DATA} == data
    assert extension.object == body and list(extension.view_layer.objects) == [body]


def apply(body, controls, change: Matrix) -> None:
    """Move, turn or scale controls with their mesh, and apply that to both."""
    controls.matrix_world = change @ controls.matrix_world
    bpy.context.view_layer.update()
    for o in bpy.context.view_layer.objects:
        o.select_set(o in {body, controls})
    bpy.ops.object.transform_apply()
    bpy.context.view_layer.objects.active = controls
