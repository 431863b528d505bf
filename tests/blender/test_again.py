"""A character that is rigged again: what the earlier rig left is replaced, in every scene, and nothing else."""

from __future__ import annotations

import bpy
import numpy as np

from geppetto.addon.characters.rigged import armature_of

from .scenes import add_character, group_weights
from .test_situations import choose


def rig(body):
    """Auto Rig on a mesh alone; its armature."""
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
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
