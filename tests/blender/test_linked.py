"""A character linked from another file: buttons offer what is still there when the file is opened again."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from .scenes import add_character, add_mesh, deformed_points, world_points
from .test_again import rig
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")

BUTTONS = {
    "move": bpy.ops.object.geppetto_move,
    "preserve_volume": bpy.ops.geppetto.preserve_volume,
    "rename": lambda *how, **more: bpy.ops.geppetto.rename_bones(*how, engine="unity", **more),
}


def character() -> tuple:
    """(body, its armature) of the scene, the override where there is one."""
    body, = (o for o in bpy.context.view_layer.objects if o.find_armature())
    return body, body.modifiers[0].object


@pytest.fixture
def linked(extension, person, tmp_path):
    """Link a rigged character into an empty file, as it is or overridden: a function."""
    def link(*, overridden: bool, with_controls: bool = False) -> tuple:
        body, = add_character(person)
        armature, group = rig(body), bpy.data.collections.new("Person")
        extension.scene.collection.children.link(group)
        for o in (body, armature):
            extension.scene.collection.objects.unlink(o)
            group.objects.link(o)
        if with_controls:
            choose(armature)
            assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
        bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "person.blend"))
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        with bpy.data.libraries.load(str(tmp_path / "person.blend"), link=True) as (_, wanted):
            wanted.collections = ["Person"]
        scene = bpy.context.scene
        if overridden:
            wanted.collections[0].override_hierarchy_create(scene, bpy.context.view_layer)
        else:
            scene.collection.children.link(wanted.collections[0])
        bpy.context.view_layer.update()
        choose(*character())
        return character()
    return link


def opened_again(tmp_path) -> tuple:
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "shot.blend"))
    bpy.context.view_layer.update()
    return character()


@pytest.mark.parametrize(("button", "overridden"), [("move", False), ("preserve_volume", False), ("rename", False),
                                                    ("rename", True)])
def test_what_would_be_lost_is_not_offered(linked, button, overridden):
    body, armature = linked(overridden=overridden)
    for active in (body, armature):
        choose(active)
        with pytest.raises(RuntimeError, match="is linked from another file"):
            BUTTONS[button]()
    assert armature.animation_data is None and "hips" in armature.data.bones
    assert not body.modifiers[0].use_deform_preserve_volume


@pytest.mark.long
@pytest.mark.parametrize("overridden", [False, True])
def test_a_linked_control_rig_is_posed_and_moved_and_not_taken_back(linked, overridden):
    body, controls = linked(overridden=overridden, with_controls=True)
    for active in (body, controls):
        choose(active)
        with pytest.raises(RuntimeError, match="is linked from another file"):
            bpy.ops.geppetto.plain_rig_again()
    assert body.modifiers[0].object == controls and controls.animation_data.action is None
    if overridden:
        before = deformed_points(body)
        controls.pose.bones["hand_ik.L"].location.z = 0.2
        bpy.context.view_layer.update()
        assert np.abs(deformed_points(body) - before).max() > 0.1
        assert BUTTONS["move"](motion="walk") == {"FINISHED"}


def test_a_motion_and_preserved_volume_of_an_overridden_character_are_there_when_the_file_is_opened_again(
        linked, tmp_path):
    linked(overridden=True)
    assert BUTTONS["move"](motion="walk") == BUTTONS["preserve_volume"]() == {"FINISHED"}
    body, armature = opened_again(tmp_path)
    assert body.override_library and armature.override_library and body.modifiers[0].use_deform_preserve_volume
    bpy.context.scene.frame_set(8)
    assert np.abs(deformed_points(body) - world_points(body)).max() > 0.1


def test_what_is_refused_on_an_override_that_is_not_to_be_edited_is_said_in_words(linked):
    _, armature = linked(overridden=True)
    assert armature.override_library.is_system_override
    assert BUTTONS["move"](motion="walk") == {"FINISHED"}
    choose(armature)
    with pytest.raises(RuntimeError, match="has motions, which are measured from its rest pose") as told:
        bpy.ops.geppetto.rest_pose(pose="T")
    assert "Traceback" not in str(told.value)


def test_marks_of_an_overridden_character_are_not_offered_for_editing(linked):
    linked(overridden=True)
    assert bpy.ops.geppetto.check_weights() == {"FINISHED"}
    for button in (bpy.ops.geppetto.mark_weights, bpy.ops.geppetto.smooth_weights, bpy.ops.geppetto.paint_weights):
        with pytest.raises(RuntimeError, match="is linked from another file"):
            button(finding="stretch")


def test_of_two_armatures_of_one_name_the_mesh_is_bound_to_the_active_one(linked, person):
    body, armature = linked(overridden=False)
    own, = add_character(person)
    twin = bpy.data.objects.new(armature.name, armature.data.copy())
    bpy.context.scene.collection.objects.link(twin)
    assert (own.name, twin.name) == (body.name, armature.name)
    choose(armature, own)
    bpy.context.view_layer.objects.active = armature
    assert bpy.ops.geppetto.bind() == {"FINISHED"}
    assert [m.object for m in own.modifiers] == [armature] and own.parent == armature
    new = add_mesh("new", world_points(own), [p.vertices for p in own.data.polygons])
    choose(own, new)
    bpy.context.view_layer.objects.active = own
    assert bpy.ops.geppetto.copy_weights() == {"FINISHED"}
    assert bpy.context.view_layer.objects.active == own and not body.select_get()
