"""What is taken from the context belongs to something that is still there, in every Blender."""

from __future__ import annotations

import bpy
import pytest

from geppetto.addon.current import evaluated_scene, renew_context, window_of


@pytest.fixture
def gone(context):
    """A context whose tool settings were asked for in a scene that is gone."""
    scene = bpy.data.scenes.new("gone")
    with context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
        assert context.tool_settings == scene.tool_settings
    bpy.data.scenes.remove(scene)
    return context


def test_the_window_belongs_to_the_window_manager(gone):
    window = window_of(gone)
    assert window == gone.window and (window is None or window.id_data == gone.window_manager)


def test_the_evaluated_scene_is_the_contexts_and_up_to_date(gone):
    o = bpy.data.objects.new("marker", None)
    gone.scene.collection.objects.link(o)
    o.location = 1, 2, 3
    depsgraph = evaluated_scene(gone)
    assert depsgraph.scene.original == gone.scene and depsgraph.view_layer.name == gone.view_layer.name
    assert depsgraph.id_data in (None, gone.scene)
    assert o.evaluated_get(depsgraph).matrix_world.translation[:] == (1, 2, 3)


def test_scripts_of_others_get_a_window_of_something_that_is_there(gone):
    renew_context()
    assert belongs_here(gone)


def test_another_file_renews_the_context(extension):
    assert renew_context in bpy.app.handlers.load_post
    assert extension.tool_settings is not None
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    assert renew_context in bpy.app.handlers.load_post and belongs_here(bpy.context)


def belongs_here(context) -> bool:
    window = bpy.context.window
    return window is None or window.id_data in (None, context.window_manager, context.scene)
