"""What scripts of others call: objects and scenes that they name, and no window to look into."""

from __future__ import annotations

import bpy
import pytest

from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.current import active_in, selected_in

from .scenes import add_character, add_cube
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")


@pytest.fixture
def elsewhere(extension, person):
    """A person's mesh, selected in a scene that no window shows."""
    o, = add_character(person)
    scene = bpy.data.scenes.new("Elsewhere")
    scene.collection.objects.link(o)
    extension.scene.collection.objects.unlink(o)
    take(scene, o)
    return scene, o


def take(scene, o) -> None:
    layer = scene.view_layers[0]
    o.select_set(True, view_layer=layer)
    layer.objects.active = o


def test_objects_that_a_script_names_are_rigged_whatever_is_selected(extension, person):
    o, = add_character(person)
    other = add_cube()
    choose(other)
    with extension.temp_override(selected_objects=[o], object=o, active_object=o):
        assert bpy.ops.object.geppetto_rig_and_move() == {"FINISHED"}
        assert active_in(extension) == o and selected_in(extension) == [o]
    armature = armature_of(o)
    assert len(armature.data.bones) > 15 and armature_of(other) is None
    with extension.temp_override(selected_objects=[o], object=o, active_object=o):
        assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
        assert bpy.ops.geppetto.rename_bones(engine="unity") == {"FINISHED"}
        assert not bpy.ops.geppetto.make_control_rig.poll()  # Rigify would take the active one


def test_a_scene_that_no_window_shows_is_worked_on_and_the_window_stays(elsewhere, extension):
    scene, o = elsewhere
    shown = extension.window.scene
    with extension.temp_override(scene=scene):
        assert bpy.ops.object.geppetto_rig_and_move() == {"FINISHED"}
        take(scene, o)
        assert bpy.ops.geppetto.check_weights() == {"FINISHED"}
        assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
        take(scene, o)
        for other in (bpy.ops.geppetto.export_for, bpy.ops.geppetto.make_control_rig):
            assert not other.poll()  # Blender's own scripts look into the window
        assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    assert extension.window.scene == shown and list(bpy.data.scenes) == [scene, shown]
    assert armature_of(o) is None and not any(a.type == "ARMATURE" for a in bpy.data.objects)


def test_a_view_layer_that_a_script_names_has_its_own_selection(extension, person):
    o, = add_character(person)
    layer = extension.scene.view_layers.new("Other")
    choose(add_cube())
    o.select_set(True, view_layer=layer)
    layer.objects.active = o
    with extension.temp_override(view_layer=layer):
        assert selected_in(extension) == [o] and active_in(extension) == o
        assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert armature_of(o) is not None
