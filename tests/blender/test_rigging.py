"""The whole way inside Blender: a character is bound and moves as it should, and nothing of it is harmed."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from geppetto.addon.bridge.armature import read_warnings
from geppetto.addon.characters.rigging import auto_rig, bind
from geppetto.addon.describe import describe
from geppetto.addon.portrait import portrait
from geppetto.core import pipeline
from geppetto.core.errors import RigError
from geppetto.core.skeleton.preset import load_template
from tests.characters import person as grow_person

from .scenes import add_character, add_cube, deformed_points, fingerprint, group_weights, world_points

BIPED = load_template("biped")
PLACE = Matrix.LocRotScale((2.5, -3.0, 0.75), None, (1.0, 1.0, 1.0))


def assert_whole(rigged):
    """Every vertex of every object follows the armature, and at rest nothing has moved."""
    for part in rigged.character.parts:
        weights = sum(group_weights(part.object).values())
        np.testing.assert_allclose(weights, 1.0, atol=1e-5)
        np.testing.assert_allclose(deformed_points(part.object), world_points(part.object), atol=1e-4)


@pytest.mark.long
def test_a_character_of_several_objects_moves_as_one(context, dressed):
    objects = add_character(dressed)
    rigged = auto_rig(context, objects, BIPED)
    assert len(rigged.character.parts) == len(objects) > 1
    assert_whole(rigged)
    before = {o.name: deformed_points(o) for o in objects}
    rigged.armature.pose.bones["hips"].location = rigged.armature.data.bones["hips"].matrix_local.inverted() @ (
        rigged.armature.data.bones["hips"].head_local + Matrix.Translation((0, 0, 1)).translation)
    for o in objects:
        np.testing.assert_allclose(deformed_points(o) - before[o.name], [[0, 0, 1]] * len(before[o.name]), atol=1e-4)


def test_how_a_turned_character_is_taken_to_stand_is_a_note_and_no_warning(context, person):
    body, = add_character(person)
    body.rotation_euler.z = np.pi / 2
    entry = describe(done := auto_rig(context, [body], BIPED))
    note, = entry["notes"]
    assert note.startswith(f"'{done.character.mesh.name}' is taken to stand with Z up, facing X: ")
    assert done.warnings == ()


@pytest.mark.long
def test_arms_that_draw_skin_out_of_the_body_are_told_after_a_rig_and_after_a_bind(context):
    """They are grown as one surface with the trunk, down to the elbow."""
    body, = add_character(grow_person(vertices=2000, arm_angle=80))
    rigged = auto_rig(context, [body], BIPED)
    said, = (text for text in read_warnings(rigged.armature) if "draws out skin" in text)
    assert "both arms" in said and said in rigged.warnings
    assert said in bind(context, [body], rigged.armature).warnings


def test_bending_the_elbow_moves_the_forearm_and_little_else(context, person):
    body, = add_character(person)
    rigged = auto_rig(context, [body], BIPED)
    before = deformed_points(body)
    bone = rigged.armature.pose.bones["forearm.L"]
    bone.rotation_mode = "XYZ"
    bone.rotation_euler.x = np.pi / 2
    moved = np.linalg.norm(deformed_points(body) - before, axis=1) / person.height
    elbow, hand = person.joints["forearm.L"], person.joints["hand.L"]
    beyond = (before - elbow) @ (hand - elbow) / np.sum((hand - elbow) ** 2)
    is_left_arm = (before[:, 0] > elbow[0] - 0.02) & (np.abs(before - elbow).max(1) < 0.3 * person.height)
    assert np.median(moved[is_left_arm & (beyond > 0.8)]) > 0.08
    assert moved[before[:, 0] < 0].max() < 0.01


@pytest.mark.long
def test_the_scene_gives_the_numbers_the_core_gives(context, person):
    body, = add_character(person)
    rigged = auto_rig(context, [body], BIPED)
    rig, weights = pipeline.auto_rig(rigged.character.mesh, BIPED)
    np.testing.assert_array_equal(rigged.rig.heads, rig.heads)
    assert (rigged.weights.matrix != weights.matrix).nnz == 0
    bones = rigged.armature.data.bones
    heads = np.array([rigged.armature.matrix_world @ bones[n].head_local for n in rig.names])
    np.testing.assert_allclose(heads, rig.heads, atol=1e-5)


@pytest.mark.long
def test_everything_of_the_artists_survives_bit_for_bit(context, dressed):
    objects = add_character(dressed)
    body = objects[0]
    for o in objects:
        o.location, o.rotation_euler.z, o.scale = (0.5, 2.0, 0.25), 0.3, (1.0, 1.0, 1.0)
        for name in "UVMap", "Lightmap":
            layer = o.data.uv_layers.new(name=name)
            layer.data.foreach_set("uv", np.linspace(0, 1, 2 * len(o.data.loops)).astype(np.float32))
        o.data.uv_layers.active_index = 1
        o.data.attributes.new("wear", "FLOAT", "FACE")
    body.shape_key_add(name="Basis")
    smile = body.shape_key_add(name="Smile")
    smile.data[0].co.z += 0.01
    smile.value = 0.5
    objects[1].modifiers.new("Subdivision", "SUBSURF").levels = 1
    objects[1].modifiers.new("Triangulate", "TRIANGULATE")
    body.data.materials.append(bpy.data.materials.new("second"))
    body.data.polygons[3].material_index = 1
    body.data.polygons[5].use_smooth = False
    context.view_layer.update()
    before = [fingerprint(o) for o in objects]
    auto_rig(context, objects, BIPED)
    context.view_layer.update()
    assert [fingerprint(o) for o in objects] == before


@pytest.mark.parametrize("place", [
    Matrix.Translation((7.0, -3.0, 2.0)), Matrix.LocRotScale((0, 0, 1), Euler((0, 0, 0.4)), (2.0, 2.0, 2.0)),
    Matrix.Diagonal((-1.0, 1.0, 1.0, 1.0)), Matrix.Diagonal((1.1, 0.9, 1.2, 1.0))],
    ids=["moved", "turned and larger", "mirrored", "unevenly scaled"])
def test_the_rig_stands_where_the_character_stands(context, person, place):
    body, = add_character(person)
    # The same body in the world, once by its object's transform and once by its vertices.
    body.matrix_world = place
    rigged = auto_rig(context, [body], BIPED)
    assert_whole(rigged)
    inside = rigged.character.mesh.vertices
    assert (rigged.rig.heads > inside.min(0) - 1e-6).all() and (rigged.rig.heads < inside.max(0) + 1e-6).all()
    heads = np.array([rigged.armature.matrix_world @ b.head_local for b in rigged.armature.data.bones])
    order = [rigged.rig.names.index(b.name) for b in rigged.armature.data.bones]
    np.testing.assert_allclose(heads, rigged.rig.heads[order], atol=1e-4)


@pytest.mark.parametrize("size", [1e-3, 1e6])
def test_dolls_and_giants_get_all_their_bones(context, person, size):
    body, = add_character(person)
    body.scale = (size, size, size)
    context.view_layer.update()
    rigged = auto_rig(context, [body], BIPED)
    assert len(rigged.armature.data.bones) == len(rigged.rig.names)
    place, bones = rigged.armature.matrix_world, rigged.armature.data.bones
    heads = np.array([place @ bones[n].head_local for n in rigged.rig.names])
    np.testing.assert_allclose(heads / size, rigged.rig.heads / size, atol=1e-4)
    np.testing.assert_allclose(deformed_points(body) / size, world_points(body) / size, atol=1e-4)


@pytest.mark.long
def test_half_a_character_with_a_mirror_modifier_is_rigged_whole(context, person):
    body, = add_character(person)
    rig = auto_rig(context, [body], BIPED).rig
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    body, = add_character(person)
    half = bpy.data.meshes.new("half")
    points = np.asarray(person.mesh.vertices)
    kept = (points[person.mesh.faces][:, :, 0] >= -1e-9).all(1)
    used, faces = np.unique(person.mesh.faces[kept], return_inverse=True)
    half.from_pydata(points[used].tolist(), [], faces.reshape(-1, 3).tolist())
    body.data = half
    body.modifiers.new("Mirror", "MIRROR").merge_threshold = 1e-4
    rigged = auto_rig(bpy.context, [body], BIPED)
    assert np.abs(rigged.rig.heads - rig.heads).max() < 0.03 * person.height
    whole = deformed_points(body)
    rigged.armature.pose.bones["upper_arm.R"].matrix_basis = Matrix.Rotation(0.7, 4, "X")
    moved = np.linalg.norm(deformed_points(body) - whole, axis=1)
    assert moved[whole[:, 0] < -0.3 * np.abs(whole[:, 0]).max()].max() > 0.05
    assert moved[whole[:, 0] > 0.05 * person.height].max() < 0.01 * person.height


def test_a_character_whose_first_collection_is_hidden_gets_a_visible_armature(context, person):
    body, = add_character(person)
    hidden = bpy.data.collections.new("A hidden one")
    context.scene.collection.children.link(hidden)
    hidden.objects.link(body)
    context.scene.collection.objects.unlink(body)
    shown = bpy.data.collections.new("B seen")
    context.scene.collection.children.link(shown)
    shown.objects.link(body)
    context.view_layer.layer_collection.children[hidden.name].hide_viewport = True
    context.view_layer.layer_collection.children[hidden.name].exclude = True
    context.view_layer.update()
    rigged = auto_rig(context, [body], BIPED)
    assert rigged.armature.visible_get() and context.mode == "OBJECT"
    assert rigged.armature.users_collection == (shown,)


def test_a_failure_leaves_the_scene_as_it_was(context):
    sheet = add_cube("sheet")
    sheet.scale.z = 0
    context.view_layer.update()
    before, objects = fingerprint(sheet), len(bpy.data.objects)
    with pytest.raises(RigError, match="flat"):
        auto_rig(context, [sheet], BIPED)
    assert fingerprint(sheet) == before and len(bpy.data.objects) == objects and not bpy.data.armatures


def test_the_portrait_shows_the_character_and_restores_the_pose(context, person):
    body, = add_character(person)
    rigged = auto_rig(context, [body], BIPED)
    before = deformed_points(body)
    image = portrait(context, rigged, height=240)
    np.testing.assert_array_equal(deformed_points(body), before)
    assert 120 < image.shape[0] <= 240 and 300 < image.shape[1] <= 600
    backdrop = image[:, :2].mean((0, 1))
    assert 0.1 < (np.abs(image - backdrop).max(2) > 60).mean() < 0.6


def test_a_posed_portrait_differs_from_rest_only_where_limbs_moved(context, person):
    from geppetto.addon.portrait import posed

    body, = add_character(person)
    rigged = auto_rig(context, [body], BIPED)
    rest = deformed_points(body)
    with posed(context, rigged.armature, np.eye(3)):
        shown = deformed_points(body)
    left_hand = np.linalg.norm(rest - person.joints["hand.L"], axis=1).argmin()
    assert shown[left_hand, 2] > rest[left_hand, 2] + 0.1 * person.height
    head = rest[:, 2] > 0.93 * rest[:, 2].max()
    np.testing.assert_allclose(shown[head], rest[head], atol=0.01 * person.height)


def test_a_rig_without_known_names_shows_its_longest_limb_lifted(context, person):
    from geppetto.addon.portrait import posed

    body, = add_character(person)
    armature = auto_rig(context, [body], BIPED).armature
    for number, bone in enumerate(armature.data.bones):
        bone.name = f"bone_{number}"
    rest = deformed_points(body)
    with posed(context, armature, np.eye(3)):
        shown = deformed_points(body)
    moved = np.linalg.norm(shown - rest, axis=1)
    assert moved.max() > 0.1 * person.height and 0.05 < (moved > 0.02 * person.height).mean() < 0.4
    np.testing.assert_allclose(deformed_points(body), rest, atol=1e-6)


def test_a_rig_does_not_hang_on_what_is_sheared_and_files_hold_it_as_it_is(context, person, tmp_path):
    above, below = (bpy.data.objects.new(name, None) for name in ("above", "below"))
    for empty in (above, below):
        context.scene.collection.objects.link(empty)
    above.scale, below.rotation_euler, below.scale, below.parent = (1, 1, 1.8), (0.5, 0.3, 0.2), (1, 0.7, 1.2), above
    body, = add_character(person)
    body.parent = below
    context.view_layer.update()
    body.data.transform(body.matrix_world.inverted())
    context.view_layer.update()
    shape = world_points(body)
    rigged = auto_rig(context, [body], BIPED)
    assert rigged.armature.parent is None and any("'below' is sheared" in text for text in rigged.warnings)
    np.testing.assert_allclose(world_points(body), shape, atol=1e-5)
    hand = np.array(rigged.armature.data.bones["hand.L"].head_local)
    bpy.ops.export_scene.gltf(filepath=str(tmp_path / "out.glb"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "out.glb"))
    armature = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    read = deformed_points(next(o for o in bpy.data.objects if o.type == "MESH" and o.find_armature()))
    np.testing.assert_allclose([read.min(0), read.max(0)], [shape.min(0), shape.max(0)], atol=1e-3)
    found = armature.matrix_world @ armature.data.bones["hand.L"].head_local
    np.testing.assert_allclose(found, hand, atol=1e-3)


@pytest.mark.long
def test_a_mesh_that_keys_or_constraints_of_its_own_move_is_told(context, person):
    def told() -> bool:
        return any("'body' is moved by keys" in text for text in auto_rig(context, [body], BIPED).warnings)

    body, = add_character(person)
    body.keyframe_insert("location", frame=1)
    body.keyframe_insert("hide_render", frame=1)
    body.constraints.new("COPY_LOCATION").mute = True
    assert not told(), "a single key moves nothing"
    body.location.x = 2.0
    body.keyframe_insert("location", frame=9)
    assert told()
    body.animation_data_clear()
    assert not told()
    body.constraints[0].mute = False
    assert told()


def test_who_rode_on_another_skeleton_is_told_that_the_rig_does_not(context, person):
    body, = add_character(person)
    cart = bpy.data.objects.new("cart", bpy.data.armatures.new("cart"))
    context.scene.collection.objects.link(cart)
    body.parent = cart
    rigged = auto_rig(context, [body], BIPED)
    assert body.parent == rigged.armature
    assert any("'body' hung on the skeleton 'cart'" in text for text in rigged.warnings)
