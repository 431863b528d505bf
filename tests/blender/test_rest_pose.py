"""Rest poses in the scene: people stand in T or A, and come back to how they were modelled."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon import names
from geppetto.addon.bridge.pose import is_posed
from geppetto.addon.characters.rest_poses import pose_of, skins_as_modelled, take_rest_pose
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.choices import template_for
from geppetto.addon.editing import pins
from geppetto.addon.motion.moving import move
from geppetto.addon.operators.auto_rig import selection_steps
from geppetto.core.errors import BadMesh, BadRig
from geppetto.core.skeleton.preset import load_template
from tests.characters import quadruped

from .scenes import add_character, array_of, deformed_points, fingerprint, world_points

pytestmark = pytest.mark.usefixtures("rigged_once")


def rigged(context, character, preset: str = "biped"):
    objects = add_character(character)
    return objects, auto_rig(context, objects, load_template(preset)).armature


def bones(armature) -> dict[str, np.ndarray]:
    place = armature.matrix_world
    return {b.name: np.array([place @ b.head_local, place @ b.tail_local]) for b in armature.data.bones}


@pytest.mark.long
@pytest.mark.parametrize("way", [("T",), ("A",), ("T", "A", "T")])
def test_there_and_back_is_where_it_was(extension, dressed, way):
    objects = add_character(dressed)
    body = objects[0]
    body.shape_key_add(name="Basis")
    smile = body.shape_key_add(name="smile")
    smile.data[0].co.z += 0.01
    smile.value = 0.0
    armature = auto_rig(extension, objects, load_template("biped")).armature
    armature.matrix_world = Matrix.Translation((1, 2, 0)) @ Matrix.Rotation(0.7, 4, "Z") @ Matrix.Scale(1.5, 4)
    extension.view_layer.update()
    pins.set_pin(body, "hand.L", body.matrix_world.inverted() @ armature.matrix_world @
                 armature.data.bones["hand.L"].head_local)
    skin, places = [world_points(o) for o in objects], bones(armature)
    keys = array_of(body.data.shape_keys.key_blocks["smile"].data, "co", 3).copy()
    before = [{k: v for k, v in fingerprint(o).items() if k not in {"points", "keys"}} for o in objects]
    height = np.ptp(np.concatenate(skin)[:, 2])
    for pose in way:
        assert bpy.ops.geppetto.rest_pose(pose=pose) == {"FINISHED"} and pose_of(armature) == pose
    now = bones(armature)
    arm = now["forearm.L"][0] - now["upper_arm.L"][0]
    up = np.array([0, 0, 1.0])
    assert np.isclose(arm @ up / np.linalg.norm(arm), -np.sin(np.pi / 4 if way[-1] == "A" else 0), atol=1e-5)
    for o in objects:
        np.testing.assert_allclose(deformed_points(o)[:len(o.data.vertices)], world_points(o), atol=1e-4 * height)
    np.testing.assert_allclose(pins.world_pins(body)["hand.L"], now["hand.L"][0], atol=NEAR * height)
    assert bpy.ops.geppetto.rest_pose(pose="modelled") == {"FINISHED"} and pose_of(armature) == "modelled"
    for o, points in zip(objects, skin, strict=True):
        np.testing.assert_allclose(world_points(o), points, atol=NEAR * height)
    np.testing.assert_allclose(array_of(body.data.shape_keys.key_blocks["smile"].data, "co", 3), keys,
                               atol=NEAR * height)
    for name, ends in bones(armature).items():
        np.testing.assert_allclose(ends, places[name], atol=NEAR * height)
    after = [{k: v for k, v in fingerprint(o).items() if k not in {"points", "keys"}} for o in objects]
    assert after == before


@pytest.mark.parametrize(("mode", "after"), [("POSE", "POSE"), ("EDIT", "OBJECT")])
def test_it_leaves_the_mode_itself(extension, person, mode, after):
    _, armature = rigged(extension, person)
    extension.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode=mode)
    assert bpy.ops.geppetto.rest_pose(pose="T") == {"FINISHED"} and pose_of(armature) == "T"
    assert armature.mode == after


NEAR = 1e-5  # of the height


def test_what_is_changed_in_between_comes_back_too(context, person):
    (body,), armature = rigged(context, person)
    hand = int(np.argmax(world_points(body)[:, 0]))
    start = world_points(body)
    take_rest_pose(context, armature, "T")
    body.data.vertices[hand].co.x += 0.05  # sculpted
    body.vertex_groups["head"].add([hand], 1.0, "REPLACE")  # and painted badly
    take_rest_pose(context, armature, "modelled")
    moved = np.linalg.norm(world_points(body) - start, axis=1)
    assert abs(moved[hand] - 0.05) < 0.02 and np.delete(moved, hand).max() < 2e-5


@pytest.mark.long
def test_who_moves_or_has_no_arms_is_told_what_to_do_and_nothing_changes(context, person):
    (body,), armature = rigged(context, person)
    move(context, armature, "walk")
    before = fingerprint(body)
    with pytest.raises(BadRig, match="has motions"):
        take_rest_pose(context, armature, "T")
    assert fingerprint(body) == before and pose_of(armature) == "modelled"
    objects, animal = rigged(context, quadruped(), "quadruped")
    before = fingerprint(objects[0])
    with pytest.raises(BadRig, match="Only people"):
        take_rest_pose(context, animal, "A")
    assert fingerprint(objects[0]) == before


@pytest.mark.long
def test_a_motion_suits_the_new_rest_pose(context, person):
    (body,), armature = rigged(context, person)
    hand = int(np.argmax(world_points(body)[:, 0]))
    move(context, armature, "walk")
    context.scene.frame_set(8)
    wanted = deformed_points(body)[hand]
    armature.animation_data_clear()
    for action in list(bpy.data.actions):
        bpy.data.actions.remove(action)
    for bone in armature.pose.bones:
        bone.matrix_basis.identity()
    take_rest_pose(context, armature, "T")
    move(context, armature, "walk")
    context.scene.frame_set(8)
    assert np.linalg.norm(deformed_points(body)[hand] - wanted) < 0.03 * np.ptp(world_points(body)[:, 2])


CHANGES = {"moved": Matrix.Translation((3, -1, 0.5)), "turned": Matrix.Rotation(1.2, 4, "Z"),
           "enlarged": Matrix.Scale(2, 4), "drawn out": Matrix.Diagonal((1, 1, 1.5, 1))}


def along(change, points) -> np.ndarray:
    change = np.array(change, float)
    return points @ change[:3, :3].T + change[:3, 3]


@pytest.mark.long
@pytest.mark.parametrize("how", ["armature", "parent", "applied", "armature applied"])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_it_comes_back_to_where_the_character_is_now(extension, person, change, how):
    (body,), armature = rigged(extension, person)
    skin, places = world_points(body), bones(armature)
    pins.set_pin(body, "forearm.L", armature.data.bones["forearm.L"].head_local)
    take_rest_pose(extension, armature, "T")
    if how == "parent":
        holder = bpy.data.objects.new("holder", None)
        extension.collection.objects.link(holder)
        armature.parent, holder.matrix_world = holder, change
    else:
        armature.matrix_world = change @ armature.matrix_world
    extension.view_layer.update()
    if "applied" in how:
        for o in extension.view_layer.objects:
            o.select_set(o == armature or (o == body and how == "applied"))
        bpy.ops.object.transform_apply()
    take_rest_pose(extension, armature, "modelled")
    extension.view_layer.update()
    height = np.ptp(along(change, skin)[:, 2])
    np.testing.assert_allclose(world_points(body), along(change, skin), atol=NEAR * height)
    np.testing.assert_allclose(deformed_points(body), along(change, skin), atol=NEAR * height)
    for name, ends in bones(armature).items():
        np.testing.assert_allclose(ends, along(change, places[name]), atol=NEAR * height)
    np.testing.assert_allclose(pins.world_pins(body)["forearm.L"], along(change, places["forearm.L"][0]),
                               atol=NEAR * height)


def test_a_scale_is_followed_though_all_bones_or_all_skin_were_changed_too(context, person):
    for what in ("bones", "skin"):
        (body,), armature = rigged(context, person)
        skin, places = world_points(body), bones(armature)
        take_rest_pose(context, armature, "T")
        armature.scale = (2, 2, 2)
        context.view_layer.update()
        for o in context.view_layer.objects:
            o.select_set(o in {armature, body})
        bpy.ops.object.transform_apply()
        shift = np.linspace(0.01, 0.03, len(body.data.vertices))
        if what == "skin":
            for vertex, up in zip(body.data.vertices, shift, strict=True):
                vertex.co.z += up
        else:
            bpy.ops.object.mode_set(mode="EDIT")
            for bone, up in zip(armature.data.edit_bones, shift[::40], strict=False):
                bone.tail.z += up
            bpy.ops.object.mode_set(mode="OBJECT")
        take_rest_pose(context, armature, "modelled")
        np.testing.assert_allclose(world_points(body), 2 * skin, atol=0.06 if what == "skin" else 2e-5)
        for name, ends in bones(armature).items():
            np.testing.assert_allclose(ends, 2 * places[name], atol=0.06 if what == "bones" else 2e-5)
        bpy.data.objects.remove(armature)
        bpy.data.objects.remove(body)


def test_where_the_way_back_is_lost_it_says_so_and_changes_nothing(context, person):
    (body,), armature = rigged(context, person)
    take_rest_pose(context, armature, "T")
    random = np.random.default_rng(0)
    body.data.vertices.foreach_set("co", random.uniform(-1, 1, 3 * len(body.data.vertices)))
    before, places = fingerprint(body), bones(armature)
    with pytest.raises(BadMesh, match="the way back is lost"):
        take_rest_pose(context, armature, "modelled")
    assert fingerprint(body) == before and pose_of(armature) == "T"
    assert all((ends == places[name]).all() for name, ends in bones(armature).items())


@pytest.mark.parametrize("way", ["object.geppetto_auto_rig", "geppetto.remove_rig"])
@pytest.mark.parametrize("moved", [False, True])
def test_a_rig_goes_only_when_the_body_is_as_it_was_modelled(extension, person, way, moved):
    (body,), armature = rigged(extension, person)
    body.shape_key_add(name="Basis")
    body.shape_key_add(name="smile").data[0].co.z += 0.01
    skin, places, attributes = world_points(body), bones(armature), fingerprint(body)["attributes"]
    smile = array_of(body.data.shape_keys.key_blocks["smile"].data, "co", 3)
    pins.set_pin(body, "forearm.L", places["forearm.L"][0])
    take_rest_pose(extension, armature, "T")
    if moved:
        move(extension, armature, "walk")
        armature.hide_set(True)
    extension.view_layer.objects.active = body
    body.select_set(True)
    group, name = way.split(".")
    assert getattr(getattr(bpy.ops, group), name)() == {"FINISHED"}
    np.testing.assert_allclose(world_points(body), skin, atol=NEAR * 1.7)
    np.testing.assert_allclose(array_of(body.data.shape_keys.key_blocks["smile"].data, "co", 3), smile, atol=2e-5)
    np.testing.assert_allclose(pins.world_pins(body)["forearm.L"], places["forearm.L"][0], atol=2e-5)
    assert fingerprint(body)["attributes"] == attributes and names.REST_POSE_NOW not in body
    if way == "object.geppetto_auto_rig":
        armature = armature_of(body)
        assert pose_of(armature) == "modelled"
        np.testing.assert_allclose(bones(armature)["forearm.L"][0], places["forearm.L"][0], atol=2e-5)


def test_rigging_anew_that_is_stopped_leaves_the_pose(extension, person):
    (body,), armature = rigged(extension, person)
    pins.set_pin(body, "forearm.L", armature.data.bones["forearm.L"].head_local)
    skin = world_points(body)
    take_rest_pose(extension, armature, "T")
    before, pinned = fingerprint(body), pins.world_pins(body)
    for stages in (1, 3, 8):
        steps = selection_steps(extension, getattr(extension.scene, names.SETTINGS), template_for("auto"))
        for _ in range(stages):
            next(steps)
        np.testing.assert_allclose(world_points(body), skin, atol=NEAR * 1.7)
        steps.close()
        assert fingerprint(body) == before and pose_of(armature) == "T"
        np.testing.assert_array_equal(pins.world_pins(body)["forearm.L"], pinned["forearm.L"])


def fur_on(body):
    """Curves of three points that grow on each third vertex of a body, in coordinates of their own."""
    roots = world_points(body)[::3]
    hair = bpy.data.objects.new("Fur", bpy.data.hair_curves.new("Fur"))
    bpy.context.scene.collection.objects.link(hair)
    hair.matrix_world, hair.data.surface = Matrix.Translation((0, 0, 0.5)) @ Matrix.Rotation(1.0, 4, "X"), body
    bpy.context.view_layer.update()
    hair.data.add_curves([3] * len(roots))
    back, up = np.array(hair.matrix_world.inverted()), np.linspace(0, 0.02, 3)[:, None] * [0, 0, 1]
    points = (roots[:, None] + up).reshape(-1, 3) @ back[:3, :3].T + back[:3, 3]
    hair.data.points.foreach_set("position", points.astype(np.float32).ravel())
    return hair


def fur_points(hair) -> np.ndarray:
    """(C, 3, 3) in the world."""
    place = np.array(hair.matrix_world)
    return (array_of(hair.data.points, "position", 3) @ place[:3, :3].T + place[:3, 3]).reshape(-1, 3, 3)


@pytest.mark.long
def test_hair_goes_with_the_skin_it_grows_on(extension, person):
    (body,), armature = rigged(extension, person)
    hair = fur_on(body)
    attributes, before = sorted(a.name for a in hair.data.attributes), fur_points(hair)
    take_rest_pose(extension, armature, "T")
    there = fur_points(hair)
    assert np.abs(there - before).max() > 0.2, "the arms went up"
    np.testing.assert_allclose(there[:, 0], world_points(body)[::3], atol=1e-5)
    long = np.linalg.norm(np.diff(there, axis=1), axis=2)
    np.testing.assert_allclose(np.median(long), 0.01, atol=1e-4)
    steps = selection_steps(extension, getattr(extension.scene, names.SETTINGS), template_for("auto"))
    for _ in range(3):
        next(steps)
    np.testing.assert_allclose(fur_points(hair), before, atol=1e-5)
    steps.close()
    np.testing.assert_array_equal(fur_points(hair), there)  # Rig Anew was stopped
    take_rest_pose(extension, armature, "modelled")
    np.testing.assert_allclose(fur_points(hair), before, atol=1e-5)
    assert sorted(a.name for a in hair.data.attributes) == attributes


def test_a_rig_whose_body_has_no_way_back_goes_with_a_warning(extension, person):
    (body,), armature = rigged(extension, person)
    take_rest_pose(extension, armature, "T")
    random = np.random.default_rng(0)
    body.data.vertices.foreach_set("co", random.uniform(-1, 1, 3 * len(body.data.vertices)))
    skin = world_points(body)
    with skins_as_modelled(extension, [armature]) as told:
        pass
    assert "stays in its T-pose" in told[0] and (world_points(body) == skin).all()


@pytest.mark.parametrize(("long", "moved", "turned", "shows"), [
    (1.0, 5e-5, 0.0, False), (1.0, 2e-4, 0.0, True), (1000.0, 0.05, 0.0, False), (1000.0, 0.2, 0.0, True),
    (1000.0, 0.0, 2e-4, True), (1.0, 0.0, 5e-5, False)])
def test_a_skeleton_is_posed_if_it_is_moved_by_a_share_of_its_size_or_turned(context, long, moved, turned, shows):
    armature = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    context.collection.objects.link(armature)
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    bone = armature.data.edit_bones.new("bone")
    bone.head, bone.tail = (0, 0, long), (0, 0, 2 * long)
    bpy.ops.object.mode_set(mode="OBJECT")
    posed = armature.pose.bones["bone"]
    posed.rotation_mode = "XYZ"
    posed.location, posed.rotation_euler = (moved, 0, 0), (0, 0, turned)
    context.view_layer.update()
    assert is_posed(armature) == shows
