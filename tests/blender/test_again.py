"""A character that is rigged again: what the earlier rig left is replaced, in every scene, and nothing else."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon import names
from geppetto.addon.bridge.armature import read_notes
from geppetto.addon.characters import fitted
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.editing import pins
from geppetto.core.skeleton.engine import engines
from tests import characters

from .scenes import add_character, add_cube, add_mesh, deformed_points, group_weights, world_points
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")


def rig(body, **choices):
    """Auto Rig on a mesh alone; its armature."""
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", **choices) == {"FINISHED"}
    return armature_of(body)


def test_what_an_armature_deleted_by_hand_left_is_replaced(extension, person):
    body, = add_character(person)
    body.modifiers.new("Own", "ARMATURE").show_viewport = False  # without an object, as the artist wants it
    own = body.vertex_groups.new(name="head")  # called like a bone
    own.add([1, 2], 0.5, "REPLACE")
    held = np.array(group_weights(body)["head"])
    bpy.data.objects.remove(rig(body))
    groups = {g.name for g in body.vertex_groups}
    assert "head (old)" in groups
    for _ in range(2):
        armature = rig(body)
        assert {g.name for g in body.vertex_groups} == groups
        assert {m.name: m.object for m in body.modifiers} == {"Own": None, armature.name: armature}
        np.testing.assert_array_equal(group_weights(body)["head (old)"], held)
        np.testing.assert_allclose(sum(w for n, w in group_weights(body).items() if n != "head (old)"), 1, atol=1e-5)
        bpy.data.objects.remove(armature)


def rig_of_another(name: str, head: tuple, tail: tuple):
    """An artist's armature with one bone."""
    old = bpy.data.objects.new("Old", bpy.data.armatures.new("Old"))
    bpy.context.scene.collection.objects.link(old)
    choose(old)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = old.data.edit_bones.new(name)
    bone.head, bone.tail = head, tail
    bpy.ops.object.mode_set(mode="OBJECT")
    return old


def sums(body) -> np.ndarray:
    return sum(group_weights(body).values())


def test_a_bone_renamed_by_hand_keeps_its_skin_when_the_rig_is_updated(extension, person):
    body, = add_character(person)
    armature = rig(body)
    before = np.array(group_weights(body)["head"])
    armature.data.bones["head"].name = "Kopf"
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(sums(body), 1.0, atol=1e-5)
    np.testing.assert_allclose(group_weights(body)["Kopf"], before, atol=1e-6)


def test_how_a_character_is_taken_to_stand_is_noted_anew_when_its_rig_is_updated(extension, person):
    body, = add_character(person)
    body.rotation_euler.z = np.pi
    extension.view_layer.update()
    armature = rig(body)
    assert "stand" in " ".join(read_notes(armature))
    extension.scene.geppetto.up, extension.scene.geppetto.front = "Z", "Y"
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert not read_notes(armature)


def names_of(armature) -> dict[str, str]:
    """{a bone's own name: what it is called now}, without copies."""
    return {b.get(names.OWN_NAME, b.name): b.name for b in armature.data.bones if not b.name.endswith(".001")}


@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize("engine", engines())
def test_a_rig_renamed_for_an_engine_is_updated_as_it_is_with_its_own_names(extension, person, engine):
    """A bone of the artist's own that was copied from a renamed one is none that Geppetto made."""
    found = []
    for renaming in ("geppetto", engine):
        body, = add_character(person)
        armature = rig(body)
        assert bpy.ops.geppetto.rename_bones(engine=renaming) == {"FINISHED"}
        now = names_of(armature)
        choose(armature)
        bpy.ops.object.mode_set(mode="EDIT")
        armature.data.edit_bones[now["forearm.L"]].head.z += 0.02
        copy = armature.data.edit_bones.new(f"{now['hand.L']}.001")
        copy.head, copy.tail, copy.use_deform = (0, 0, 3), (0, 0, 4), False
        if renaming == engine:
            copy[names.OWN_NAME] = "hand.L"
        bpy.ops.object.mode_set(mode="OBJECT")
        choose(body)
        pins.set_pin(body, "shin.R", np.array(armature.data.bones[now["shin.R"]].head_local) + 0.03)
        assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
        assert names_of(armature).items() >= now.items() and not fitted.is_outdated(armature)
        assert set(pins.pins_of(body)) >= {"shin.R", "forearm.L"}
        ends = {own: (tuple(armature.data.bones[name].head_local), tuple(armature.data.bones[name].tail_local))
                for own, name in now.items()}
        held = group_weights(body)
        found.append((ends, {own: held[name] for own, name in now.items() if name in held}))
        bpy.data.objects.remove(armature)
        bpy.data.objects.remove(body)
    (ends, weights), (renamed_ends, renamed_weights) = found
    assert len(weights) > 15 and weights.keys() == renamed_weights.keys()
    for own in weights:
        np.testing.assert_allclose(renamed_ends[own], ends[own], atol=1e-5)
        np.testing.assert_allclose(renamed_weights[own], weights[own], atol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("made", [
    lambda: [characters.person(np.random.default_rng(1), vertices=14000, digits=5).mesh],
    lambda: characters.dressed("cape", "sword").meshes], ids=["fingers", "cape and sword"])
def test_fingers_and_things_keep_their_skin_when_a_renamed_rig_is_updated(extension, made):
    bodies = [add_mesh(f"part {k}", mesh.vertices, mesh.faces) for k, mesh in enumerate(made())]
    choose(*bodies)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", bodies="ONE", detail="full") == {"FINISHED"}
    armature = armature_of(bodies[0])
    assert bpy.ops.geppetto.rename_bones(engine="unity") == {"FINISHED"}
    before = [group_weights(body) for body in bodies]
    choose(armature)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    for body, old in zip(bodies, before, strict=True):
        now = group_weights(body)
        assert {n for n, w in now.items() if np.any(w)} == {n for n, w in old.items() if np.any(w)}
        for name in now:
            np.testing.assert_allclose(now[name], old[name], atol=1e-4)


def test_an_own_bone_with_painted_skin_keeps_it_when_the_rig_is_updated(extension, person):
    body, = add_character(person)
    armature = rig(body)
    choose(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    head = armature.data.edit_bones["head"]
    jaw = armature.data.edit_bones.new("jaw")
    jaw.head, jaw.tail, jaw.parent = head.head, head.tail, head
    bpy.ops.object.mode_set(mode="OBJECT")
    of_head = np.flatnonzero(np.array(group_weights(body)["head"]) > 0.9)
    group, held = body.vertex_groups.new(name="jaw"), body.vertex_groups["head"]
    for vertex in of_head.tolist():
        group.add([vertex], 0.6, "REPLACE")
        held.add([vertex], 0.4, "REPLACE")
    choose(body)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(sums(body), 1.0, atol=1e-5)
    np.testing.assert_allclose(np.array(group_weights(body)["jaw"])[of_head], 0.6, atol=1e-6)


def test_locked_groups_keep_their_weights_and_their_lock_when_the_rig_is_updated(extension, person):
    body, = add_character(person)
    rig(body)
    group = body.vertex_groups["head"]
    some = np.flatnonzero(np.array(group_weights(body)["spine"]) > 0.5)[:20]
    for vertex in some.tolist():
        group.add([vertex], 0.5, "REPLACE")
    group.lock_weight = True
    before = np.array(group_weights(body)["head"])
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(group_weights(body)["head"], before, atol=1e-6)
    np.testing.assert_allclose(sums(body), 1.0, atol=1e-5)
    assert body.vertex_groups["head"].lock_weight
    for group in body.vertex_groups:
        group.lock_weight = True
    with pytest.raises(RuntimeError, match="locked"):
        bpy.ops.geppetto.update_rig()


def test_motions_by_hand_stay_in_the_file_when_a_character_is_rigged_anew(extension, person):
    body, = add_character(person)
    armature = rig(body)
    armature.pose.bones["head"].rotation_mode = "XYZ"
    armature.pose.bones["head"].keyframe_insert("rotation_euler", frame=1)
    action = armature.animation_data.action
    assert action.users == 1 and not action.use_fake_user
    rig(body)
    assert bpy.data.actions[action.name].use_fake_user


def test_the_rig_before_moves_the_character_again_when_ours_is_removed(extension, person):
    body, = add_character(person)
    old = rig_of_another("head", (0.0, 0.0, 0.0), (0.0, 0.0, 1.0))
    modifier = body.modifiers.new("Old", "ARMATURE")
    modifier.object = old
    off = body.modifiers.new("Off", "ARMATURE")
    off.object, off.show_viewport = old, False
    body.vertex_groups.new(name="head").add([1, 2, 3], 1.0, "REPLACE")
    before = np.array(group_weights(body)["head"])
    for _ in range(2):  # rigged anew too
        rig(body)
        assert not body.modifiers["Old"].show_viewport and "head (Old)" in body.vertex_groups
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    assert body.modifiers["Old"].show_viewport and not body.modifiers["Off"].show_viewport
    assert [g.name for g in body.vertex_groups] == ["head"]
    np.testing.assert_array_equal(group_weights(body)["head"], before)


def test_a_renamed_armature_keeps_its_name_when_it_is_rigged_anew(extension, person):
    body, = add_character(person)
    body.select_set(True)
    extension.view_layer.objects.active = body
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    armature_of(body).name = "Hero"
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    assert armature_of(body).name == "Hero" and [o.name for o in bpy.data.objects if o.type == "ARMATURE"] == ["Hero"]


def test_the_groups_another_armature_moves_by_stay_when_ours_is_deleted(extension, person):
    body, = add_character(person)
    bpy.data.objects.remove(rig(body))
    data = bpy.data.armatures.new("own")
    own = bpy.data.objects.new("own", data)
    extension.scene.collection.objects.link(own)
    body.modifiers.new("Other", "ARMATURE").object = own
    weights = group_weights(body)
    armature = rig(body)
    now = group_weights(body)
    assert {m.object for m in body.modifiers} == {own, armature}
    for name, held in weights.items():
        np.testing.assert_array_equal(now[f"{name} (own)"], held)


def test_a_character_of_two_scenes_has_its_new_armature_in_both(extension, person):
    body, = add_character(person)
    first, second = extension.scene, bpy.data.scenes.new("second")
    second.collection.objects.link(body)
    second.collection.objects.link(rig(body))
    extension.window.scene = second
    armature = rig(body)
    assert set(armature.users_scene) == {first, second} and len(bpy.data.armatures) == 1
    assert armature.visible_get()


@pytest.mark.parametrize("how", ["BONE", "OBJECT"])
def test_what_hung_on_the_rig_before_is_taken_over_at_rest_and_hangs_there_again(extension, person, how):
    """A file's own rig that plays an animation: a hat on its bone is rigged where it is at rest, as the body is."""
    body, = add_character(person)
    old = rig_of_another("top", (0.0, 0.0, 1.5), (0.0, 0.0, 1.7))
    body.modifiers.new("Old", "ARMATURE").object = old
    hat = add_cube("hat", 0.1)
    hat.location.z = float(world_points(body)[:, 2].max())
    hat.parent, hat.parent_type, hat.parent_bone = old, how, "top" if how == "BONE" else ""
    extension.view_layer.update()
    hat.matrix_parent_inverse = (hat.matrix_world @ hat.matrix_basis.inverted()).inverted()
    extension.view_layer.update()
    at_rest = np.array(hat.matrix_world)
    for frame, x in ((1, 0.0), (10, 1.0)):
        old.pose.bones["top"].location.x = x
        old.pose.bones["top"].keyframe_insert("location", frame=frame)
    extension.scene.frame_set(10)
    posed = np.array(hat.matrix_world)
    assert bool(np.abs(posed - at_rest).max() > 0.5) is (how == "BONE")
    before = (hat.parent_bone, np.array(hat.matrix_parent_inverse), np.array(hat.matrix_basis))
    for _ in range(2):  # rigged anew too
        choose(hat, body)
        assert bpy.ops.object.geppetto_auto_rig(preset="biped", bodies="ONE") == {"FINISHED"}
        assert hat.parent == armature_of(hat) == armature_of(body)
        np.testing.assert_allclose(hat.matrix_world, at_rest, atol=1e-5)
        np.testing.assert_allclose(deformed_points(hat), world_points(hat), atol=1e-4)
    old.name = "called otherwise by now"
    another = rig_of_another("top", (5.0, 0.0, 0.0), (5.0, 0.0, 1.0))  # called as the old one was
    bpy.ops.object.mode_set(mode="EDIT")
    another.data.edit_bones.new("tail").tail = (0.0, 0.0, 1.0)
    bpy.ops.object.mode_set(mode="OBJECT")
    choose(body)
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    extension.view_layer.update()
    assert hat.parent == old and hat.parent_type == how and hat.parent_bone == before[0] and names.HUNG not in hat
    np.testing.assert_allclose(hat.matrix_parent_inverse, before[1], atol=1e-6)
    np.testing.assert_allclose(hat.matrix_basis, before[2], atol=1e-6)
    np.testing.assert_allclose(hat.matrix_world, posed, atol=1e-5)


@pytest.mark.long
@pytest.mark.parametrize("moved", [False, True])
def test_parts_that_hung_on_each_other_or_on_two_things_hang_there_again(extension, person, moved):
    body, = add_character(person)
    top = float(world_points(body)[:, 2].max())
    eye, button, hat = (add_cube(name, 0.1) for name in ("eye", "button", "hat"))
    group = bpy.data.objects.new("group", None)
    extension.scene.collection.objects.link(group)
    group.location, group.rotation_euler = (0.3, 0.0, 0.0), (0.0, 0.0, 0.4)
    eye.location = hat.location = (0.0, 0.0, 0.95 * top)
    eye.parent, button.parent, button.parent_type, hat.parent = body, body, "VERTEX", group
    button.parent_vertices = (7, 0, 0)
    extension.view_layer.update()
    hat.matrix_parent_inverse = group.matrix_world.inverted()
    extension.view_layer.update()
    parts = (body, eye, button, hat)
    before = [(o.parent, o.parent_type, tuple(o.parent_vertices), np.array(o.matrix_world)) for o in parts]
    for _ in range(2):  # rigged anew too
        choose(*parts)
        assert bpy.ops.object.geppetto_auto_rig(preset="biped", bodies="ONE") == {"FINISHED"}
        assert {o.parent for o in parts} == {armature_of(body)}
    if moved:
        armature_of(body).location.x += 3.0
        extension.view_layer.update()
    choose(body)
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    extension.view_layer.update()
    for o, (parent, how, corners, place) in zip(parts, before, strict=True):
        assert (o.parent, o.parent_type, tuple(o.parent_vertices)) == (parent, how, corners) and names.HUNG not in o
        place[0, 3] += 3.0 if moved else 0.0
        np.testing.assert_allclose(o.matrix_world, place, atol=1e-5)


def hung_on_another(extension, person):
    """A body that hangs on a rig of the artist's, and that rig."""
    body, = add_character(person)
    own = bpy.data.objects.new("Own", bpy.data.armatures.new("Own"))
    extension.scene.collection.objects.link(own)
    body.parent = own
    extension.view_layer.update()
    return body, own


def test_a_rig_that_something_hung_on_before_goes_when_the_artist_deletes_it(extension, person):
    body, own = hung_on_another(extension, person)
    rig(body)
    choose(own)
    assert bpy.ops.object.delete() == {"FINISHED"}
    assert "Own" not in bpy.data.objects
    bpy.ops.outliner.orphans_purge(do_recursive=True)
    assert "Own" not in bpy.data.armatures
    choose(body)
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"} and body.parent is None


@pytest.mark.long
def test_skin_and_bones_stay_together_when_what_hung_on_another_rig_is_rigged_anew(extension, person):
    body, own = hung_on_another(extension, person)
    rig(body).location.x = 3.0
    extension.view_layer.update()
    again = rig(body)
    extension.view_layer.update()
    bones = np.mean([again.matrix_world @ bone.head_local for bone in again.data.bones], axis=0)
    assert abs(deformed_points(body)[:, 0].mean() - 3.0) < 0.05 and abs(bones[0] - 3.0) < 0.05
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"} and body.parent == own


@pytest.mark.parametrize("anew", [False, True])
def test_what_was_hung_elsewhere_since_stays_there_when_the_rig_is_removed(extension, person, anew):
    body, _ = hung_on_another(extension, person)
    rig(body)
    car = body.parent = add_cube("car", 1.0)
    extension.view_layer.update()
    if anew:
        rig(body)
    choose(body)
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"} and names.HUNG not in body
    assert body.parent == car


def tied_to(rig):
    """A sword and a glove on a hand, a mount on the rig, a camera, and drivers that read a forearm."""
    called = {bone.get(names.OWN_NAME, bone.name): bone.name for bone in rig.data.bones}
    sword, glove, mount, camera, dial = (add_cube(name, 0.1) for name in ("sword", "glove", "mount", "camera", "dial"))
    sword.parent, sword.parent_type, sword.parent_bone = rig, "BONE", called["hand.R"]
    mount.parent, mount.location = rig, (0.0, 0.3, 0.0)
    held = glove.constraints.new("CHILD_OF")
    held.target, held.subtarget = rig, called["hand.L"]
    held.inverse_matrix = rig.data.bones[called["hand.L"]].matrix_local.inverted()
    look = camera.constraints.new("TRACK_TO")
    look.target, look.subtarget = rig, called["head"]
    for axis, kind in enumerate(("TRANSFORMS", "SINGLE_PROP")):
        variable = dial.driver_add("location", axis).driver.variables.new()
        variable.type, variable.targets[0].id = kind, rig
    driver = [curve.driver for curve in dial.animation_data.drivers]
    target = driver[0].variables[0].targets[0]
    target.bone_target, target.transform_type, target.transform_space = called["forearm.L"], "ROT_X", "LOCAL_SPACE"
    driver[1].variables[0].targets[0].data_path = f'pose.bones["{called["forearm.L"]}"].rotation_quaternion[1]'
    for one in driver:
        one.expression = "var"
    return sword, glove, mount, camera, dial


@pytest.mark.parametrize("engine", ["", "unity"])
def test_what_hangs_on_a_rig_or_follows_it_does_so_when_the_character_is_rigged_anew(extension, person, engine):
    body, = add_character(person)
    old = rig(body)
    old.location = (0.2, 0.0, 0.0)
    if engine:
        assert bpy.ops.geppetto.rename_bones(engine=engine) == {"FINISHED"}
    *things, dial = tied_to(old)
    extension.view_layer.update()
    before = [np.array(o.matrix_world) for o in things]
    new = rig(body)
    extension.view_layer.update()
    for o, place in zip(things, before, strict=True):
        np.testing.assert_allclose(np.array(o.matrix_world), place, atol=1e-4)
    new.pose.bones["forearm.L"].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    new.pose.bones["upper_arm.R"].rotation_quaternion = (0.8, 0.6, 0.0, 0.0)
    extension.view_layer.update()
    moved = [np.linalg.norm(np.array(o.matrix_world)[:3, 3] - place[:3, 3])
             for o, place in zip(things, before, strict=True)]
    assert moved[0] > 0.1 and moved[1] > 0.1 and moved[2] == moved[3] == 0
    look = things[3].constraints[0]
    assert (look.target, look.subtarget) == (new, "head") and things[2].parent == new
    assert dial.location.x == pytest.approx(2 * np.arctan2(0.6, 0.8), abs=1e-4)
    assert dial.location.y == pytest.approx(0.6, abs=1e-4)


def test_rigging_anew_tells_of_bones_of_the_artists_that_go_and_of_what_hung_on_them(extension, person):
    body, = add_character(person)
    old = rig(body)
    choose(old)
    bpy.ops.object.mode_set(mode="EDIT")
    jaw = old.data.edit_bones.new("jaw")
    jaw.tail, jaw.parent = (0.0, 0.0, 1.0), old.data.edit_bones["head"]
    bpy.ops.object.mode_set(mode="OBJECT")
    old.pose.bones["chest"].constraints.new("LIMIT_ROTATION")
    pipe = add_cube("pipe", 0.1)
    pipe.parent, pipe.parent_type, pipe.parent_bone = old, "BONE", "jaw"
    told = rig(body).data[names.WARNED]
    assert "went with the rig before: chest, jaw." in told and "has none called so: jaw." in told
    assert pipe.parent is None
    assert "went with" not in rig(body).data[names.WARNED]


@pytest.mark.parametrize("locked", [False, True])
def test_clothes_that_came_with_weights_of_their_own_are_told_when_these_are_made_anew(extension, person, locked):
    body, = add_character(person)
    armature = rig(body)
    hat = add_cube("hat", 0.3)
    hat.location.z = float(world_points(body)[:, 2].max())
    own = hat.vertex_groups.new(name="chest")
    own.add(range(8), 1.0, "REPLACE")
    own.lock_weight = locked
    hat.modifiers.new("Armature", "ARMATURE").object = armature
    body.name = "called otherwise"
    choose(body)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert ("came to the rig were made anew: 'hat'." in armature.data[names.WARNED]) is not locked
    assert ("chest" in group_weights(hat)) is locked and (not locked or group_weights(hat)["chest"].min() == 1.0)
    choose(body)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert "came to the rig" not in armature.data[names.WARNED]
