"""What an artist has said of a character stays said, whatever becomes of its objects."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.bridge.whole_change import note_points
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.editing import joints, pins
from tests import characters

from .scenes import add_character, array_of, group_weights
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")


def head(armature, bone: str) -> np.ndarray:
    return np.array(armature.matrix_world @ armature.data.bones[bone].head_local)


def place(joint: str) -> np.ndarray:
    what = joints.shown()
    return what.places(bpy.context)[1][what.template.index(joint)].copy()


def pin(**where) -> None:
    """Pin joints, and press Done."""
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    for joint, position in where.items():
        assert bpy.ops.geppetto.pin_joint(joint=joint.replace("_L", ".L"), position=position) == {"FINISHED"}
    assert bpy.ops.geppetto.hide_joints() == {"FINISHED"}


@pytest.mark.parametrize("how", ["viewports", "view layer"])
def test_bones_that_cannot_be_reached_are_told_and_nothing_changes(rigged, context, how):
    armature = armature_of(rigged)
    home = bpy.data.collections.new("Rigs")
    context.scene.collection.children.link(home)
    context.scene.collection.objects.unlink(armature)
    home.objects.link(armature)
    if how == "viewports":
        armature.hide_viewport = True
    else:
        context.view_layer.layer_collection.children["Rigs"].exclude = True
    choose(rigged)
    before = head(armature, "head"), group_weights(rigged)["head"]
    said = "is hidden, so its bones" if how == "viewports" else "is not in this view layer.*Tick its collection"
    with pytest.raises(RuntimeError, match=f"'{armature.name}' {said}"):
        bpy.ops.geppetto.update_rig()
    np.testing.assert_array_equal(head(armature, "head"), before[0])
    np.testing.assert_array_equal(group_weights(rigged)["head"], before[1])


def test_two_joints_at_one_place_cost_no_bone(rigged):
    armature = armature_of(rigged)
    bones = set(armature.data.bones.keys())
    elbow = head(armature, "forearm.L")
    pin(upper_arm_L=elbow, forearm_L=elbow)
    assert set(armature.data.bones.keys()) == bones
    np.testing.assert_allclose(head(armature, "forearm.L"), elbow, atol=1e-5)
    assert {g.name for g in rigged.vertex_groups} <= bones


@pytest.mark.long
def test_limbs_as_found_are_there_again_after_done(extension, context):
    o, = add_character(characters.many_legged(vertices=2500))
    choose(o)
    assert bpy.ops.object.geppetto_auto_rig(preset="shape") == {"FINISHED"}
    bones = set(armature_of(o).data.bones.keys())
    choose(o)
    bpy.ops.geppetto.show_joints()
    tip = next(n for n in joints.shown().template.names if n.startswith("limb_") and n.endswith("_tip.L"))
    assert bpy.ops.geppetto.remove_limb(place=place(tip)) == {"FINISHED"}
    bpy.ops.geppetto.hide_joints()
    assert set(armature_of(o).data.bones.keys()) < bones
    bpy.ops.geppetto.show_joints()
    assert bpy.ops.geppetto.clear_limbs() == {"FINISHED"}
    bpy.ops.geppetto.hide_joints()
    assert set(armature_of(o).data.bones.keys()) == bones


def subdivide(o) -> None:
    choose(o)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")


def sculpt(o) -> None:
    points = array_of(o.data.vertices, "co", 3)
    points += np.random.default_rng(0).normal(0, 0.002 * np.ptp(points), points.shape)
    o.data.vertices.foreach_set("co", points.ravel())
    o.data.update()


@pytest.mark.long
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("change", [subdivide, sculpt])
def test_pins_go_along_with_an_applied_transform_though_the_mesh_has_other_points(rigged, change, turned):
    rigged.data.transform(rigged.matrix_world.Scale(100, 4))
    rigged.scale = (0.01,) * 3
    rigged.rotation_euler.z = 0.7 if turned else 0.0
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    choose(rigged)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    choose(rigged)
    knee = head(armature_of(rigged), "shin.L") + [0, 0, 0.06]
    pin(shin_L=knee)
    change(rigged)
    choose(rigged)
    bpy.ops.object.transform_apply(location=False, rotation=turned, scale=True)
    bpy.context.view_layer.update()
    np.testing.assert_allclose(pins.world_pins(rigged)["shin.L"], knee, atol=1e-4)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(head(armature_of(rigged), "shin.L"), knee, atol=1e-4)


@pytest.mark.long
def test_no_joint_is_pinned_where_a_rig_was_scaled_and_the_scale_applied_after_the_mesh_got_other_points(rigged):
    armature = armature_of(rigged)
    subdivide(rigged)
    armature.scale = (3,) * 3
    bpy.context.view_layer.update()
    choose(armature, rigged)
    bpy.ops.object.transform_apply()
    bpy.context.view_layer.update()
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert not pins.pins_of(rigged)


def test_pins_stay_where_they_are_on_a_mesh_that_grows(rigged):
    knee = head(armature_of(rigged), "shin.L") + [0, 0, 0.06]
    pin(shin_L=knee)
    points = array_of(rigged.data.vertices, "co", 3)
    top = points[:, 2].max()
    points[:, 2] += np.where(points[:, 2] > 0.9 * top, 5 * (points[:, 2] - 0.9 * top), 0)  # a tall hat
    rigged.data.vertices.foreach_set("co", points.ravel())
    rigged.data.update()
    np.testing.assert_allclose(pins.world_pins(rigged)["shin.L"], knee, atol=1e-5)


def test_what_is_noted_of_a_mesh_is_kept_while_it_holds(rigged):
    noted = note_points(rigged)
    assert note_points(rigged, noted) is noted
    rigged.location.x += 1
    bpy.context.view_layer.update()
    moved = note_points(rigged, noted)
    assert moved == note_points(rigged) != noted
    sculpt(rigged)
    assert note_points(rigged, moved) == note_points(rigged) != moved


@pytest.mark.long
def test_parts_that_were_separated_hold_no_copies_of_the_pins(extension, dressed):
    parts = add_character(dressed)
    choose(*parts)
    bpy.context.view_layer.objects.active = parts[0]
    bpy.ops.object.join()
    o = bpy.context.object
    choose(o)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    armature = armature_of(o)
    knee = head(armature, "shin.L")
    choose(o)
    pin(shin_L=knee + [0, 0, 0.06])
    choose(o)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.separate(type="LOOSE")
    bpy.ops.object.mode_set(mode="OBJECT")
    assert sum(bool(pins.pins_of(each)) for each in bpy.data.objects if each.type == "MESH") > 1
    choose(armature)
    bpy.ops.geppetto.show_joints()
    bpy.ops.geppetto.unpin_all()
    bpy.ops.geppetto.hide_joints()
    assert not any(pins.pins_of(each) for each in bpy.data.objects if each.type == "MESH")
    np.testing.assert_allclose(head(armature, "shin.L"), knee, atol=1e-3)


@pytest.mark.long
def test_pins_that_went_with_their_object_are_told(extension, dressed, capfd):
    parts = add_character(dressed)
    choose(*parts)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    armature = armature_of(parts[0])
    choose(*parts)
    pin(shin_L=head(armature, "shin.L") + [0, 0, 0.06])
    owner = pins.owner_of(parts)
    choose(owner, next(o for o in parts if o != owner))  # joined into the latter
    name = owner.name
    bpy.ops.object.join()
    choose(bpy.context.object)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert f"Warning: '{name}' is gone, and the pins that it held with it" in capfd.readouterr().out


def test_discarding_goes_back_to_pins_in_the_coordinates_of_now(rigged):
    rigged.location.x = 2
    bpy.context.view_layer.update()
    knee = head(armature_of(rigged), "shin.L") + [2, 0, 0.06]
    pins.set_pin(rigged, "shin.L", knee - [2, 0, 0])
    bpy.ops.geppetto.show_joints()
    choose(rigged)
    bpy.ops.object.transform_apply()
    bpy.context.view_layer.update()
    before = pins.world_pins(rigged)["shin.L"]
    joints.shown().before.say_again(rigged)
    np.testing.assert_allclose(pins.world_pins(rigged)["shin.L"], before, atol=1e-5)
