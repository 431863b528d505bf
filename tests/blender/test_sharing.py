"""Data that others share or refer to: they keep what they had."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon.bridge.armature import MADE_BY
from geppetto.addon.characters.rigged import armature_of

from .scenes import add_character, add_cube, deformed_points, group_weights
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")

BUTTONS = {
    "auto_rig": lambda: bpy.ops.object.geppetto_auto_rig(preset="biped"),
    "remove_rig": bpy.ops.geppetto.remove_rig,
    "t_pose": lambda: bpy.ops.geppetto.rest_pose(pose="T"),
    "control_rig": bpy.ops.geppetto.make_control_rig,
    "bind": bpy.ops.geppetto.bind,
}


@pytest.mark.parametrize("button", BUTTONS)
@pytest.mark.parametrize("pressed_on", ["copy", "original"])
def test_a_linked_duplicate_and_its_original_leave_each_other_alone(extension, person, button, pressed_on):
    """Alt-D shares mesh and bones: vertex groups live on the mesh, places at rest on the armature's data."""
    body, = add_character(person)
    choose(body)
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    armature = armature_of(body)
    choose(body, armature)
    bpy.ops.object.duplicate(linked=True)
    copy, = (o for o in bpy.context.selected_objects if o.type == "MESH")
    of_copy, = (o for o in bpy.context.selected_objects if o.type == "ARMATURE")
    pressed, left = (copy, body) if pressed_on == "copy" else (body, copy)
    rig = armature_of(left)
    weights, bones = group_weights(left), {bone.name: tuple(bone.head_local) for bone in rig.data.bones}
    choose(pressed, *([of_copy if pressed_on == "copy" else armature] if button == "bind" else []))
    assert BUTTONS[button]() == {"FINISHED"}
    assert armature_of(left) == rig
    assert {bone.name: tuple(bone.head_local) for bone in rig.data.bones} == bones
    now = group_weights(left)
    assert now.keys() == weights.keys() and all((now[name] == weights[name]).all() for name in weights)


@pytest.mark.long
@pytest.mark.parametrize("linked", [False, True])
@pytest.mark.parametrize("first", ["copy", "original"])
def test_a_copy_with_a_control_rig_and_its_original_go_back_to_a_plain_rig_each(extension, person, first, linked):
    body, = add_character(person)
    choose(body)
    bpy.ops.object.geppetto_auto_rig(preset="biped")
    bpy.ops.object.geppetto_move(motion="walk")
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    choose(body, extension.object)
    bpy.ops.object.duplicate(linked=linked)
    copy, = (o for o in bpy.context.selected_objects if o.type == "MESH")
    copy.find_armature().location.x += 3.0
    extension.scene.frame_set(9)
    before = {o: deformed_points(o) for o in (body, copy)}
    for o in (copy, body) if first == "copy" else (body, copy):
        choose(o)
        assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
        for each, points in before.items():
            assert np.abs(deformed_points(each) - points).max() < 0.03, "the size of a step of a segmented limb"
    rigs = {armature_of(body), armature_of(copy)}
    assert len(rigs) == 2 and None not in rigs and set(extension.scene.objects) == {body, copy, *rigs}
    assert {o for o in bpy.data.objects if o.type == "ARMATURE"} == rigs and all(rig.visible_get() for rig in rigs)


@pytest.mark.long
@pytest.mark.parametrize(("kinds", "expected"), [
    (["REMESH"], ["ARMATURE", "REMESH"]), (["MIRROR", "REMESH", "BEVEL"], ["MIRROR", "ARMATURE", "REMESH", "BEVEL"]),
    (["CAST", "SUBSURF"], ["CAST", "ARMATURE", "SUBSURF"]), (["SMOOTH", "SIMPLE_DEFORM"],
                                                             ["SMOOTH", "SIMPLE_DEFORM", "ARMATURE"])])
def test_the_bones_move_what_was_built_and_what_keeps_their_groups(extension, person, kinds, expected):
    body, = add_character(person)
    for kind in kinds:
        body.modifiers.new(kind, kind)
    for modifier in body.modifiers:
        for key, value in (("voxel_size", 0.03), ("factor", 0.05)):  # of Remesh; of the others, mildly
            if hasattr(modifier, key):
                setattr(modifier, key, value)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert [modifier.type for modifier in body.modifiers] == expected
    before = deformed_points(body)
    armature_of(body).pose.bones["upper_arm.L"].rotation_mode = "XYZ"
    armature_of(body).pose.bones["upper_arm.L"].rotation_euler = (0, 0, -1.2)
    bpy.context.view_layer.update()
    after = deformed_points(body)
    assert np.abs(np.ptp(after, axis=0) - np.ptp(before, axis=0)).max() > 0.05


@pytest.mark.long
@pytest.mark.parametrize(("coordinates", "expected"), [
    ("LOCAL", ["SUBSURF", "DISPLACE", "ARMATURE"]), ("UV", ["ARMATURE", "SUBSURF", "DISPLACE"])])
def test_a_texture_that_displaces_skin_goes_along_with_it(extension, person, coordinates, expected):
    body, = add_character(person)
    body.data.uv_layers.new()
    body.modifiers.new("Subdivision", "SUBSURF").levels = 0
    bumps = body.modifiers.new("Displace", "DISPLACE")
    bumps.texture, bumps.texture_coords, bumps.strength = bpy.data.textures.new("Clouds", "CLOUDS"), coordinates, 0.1
    bumps.texture.noise_scale = 0.1
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert [modifier.type for modifier in body.modifiers] == expected
    before = deformed_points(body)
    armature_of(body).pose.bones["hips"].matrix_basis = Matrix.Rotation(1.0, 4, "X")  # carries all of it
    after = deformed_points(body)
    far = np.linalg.norm(before[0] - before[1:], axis=1)
    np.testing.assert_allclose(np.linalg.norm(after[0] - after[1:], axis=1), far, atol=1e-4)


@pytest.mark.long
def test_what_used_a_group_that_makes_room_for_a_bone_uses_it_under_its_new_name(extension, person):
    body, = add_character(person)
    high = [v.index for v in body.data.vertices if v.co.z > 0.9 * max(p.co.z for p in body.data.vertices)]
    body.vertex_groups.new(name="head").add(high, 1.0, "REPLACE")
    body.shape_key_add(name="Basis")
    puffed = body.shape_key_add(name="puffed")
    puffed.vertex_group, puffed.value = "head", 1.0
    for point in puffed.data:
        point.co.x *= 1.3
    halo = add_cube("halo")
    follow = halo.constraints.new("COPY_LOCATION")
    follow.target, follow.subtarget = body, "head"
    bpy.context.view_layer.update()
    shape, place = deformed_points(body), halo.matrix_world.copy()
    choose(body)
    for press in (lambda: bpy.ops.object.geppetto_auto_rig(preset="biped"), bpy.ops.geppetto.remove_rig):
        assert press() == {"FINISHED"}
        bpy.context.view_layer.update()
        assert (puffed.vertex_group, follow.subtarget) == ("head (old)", "head (old)")
        np.testing.assert_allclose(deformed_points(body), shape, atol=1e-5)
        np.testing.assert_allclose(halo.matrix_world, place, atol=1e-5)
        choose(body)


@pytest.mark.long
def test_one_rig_for_all_takes_the_place_of_the_rigs_there_were(extension, person):
    one, = add_character(person)
    other, = add_character(person)
    other.location.x = 3.0
    bpy.context.view_layer.update()
    choose(one, other)
    bpy.ops.object.geppetto_auto_rig(preset="biped", bodies="EACH")
    choose(one, other)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", bodies="ONE") == {"FINISHED"}
    rigs = [o for o in bpy.data.objects if o.type == "ARMATURE" and MADE_BY in o.data]
    assert rigs == [armature_of(one)] == [armature_of(other)]
    assert all(len(o.modifiers) == 1 for o in (one, other))
