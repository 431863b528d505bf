"""The window and the evaluated scene of a context, safe in every Blender.

Up to Blender 4.3 all that `bpy.context` hands out belongs to the scene whose tool settings were asked for last, even
once that scene is gone. To give a scene to a window of that kind, or to pass such a dependency graph on, touches freed
memory and can end Blender. What is asked for below belongs to what it is part of.
"""

from __future__ import annotations

import bpy


def window_of(context) -> bpy.types.Window | None:
    """The context's window, None in the background."""
    return next((w for w in context.window_manager.windows if w == context.window), None)


def shows(window: bpy.types.Window | None, context) -> bool:
    """Whether a window shows what the context is about: a script may name another scene or view layer, and in a timer
    there is no window."""
    return window is not None and window.view_layer == context.view_layer


def selected_in(context) -> list[bpy.types.Object]:
    """The objects selected in the context's view layer, or those that a script names as selected.

    Blender's own `selected_objects` are those of the window, whatever scene the context is about.
    """
    if shows(window_of(context), context):
        return list(context.selected_objects)
    return chosen_in(context)


def chosen_in(context) -> list[bpy.types.Object]:
    """The objects selected in the context's view layer, without those that were deleted since it was brought up to
    date, whatever a script names."""
    return [o for o in context.view_layer.objects.selected if o is not None]


def active_in(context) -> bpy.types.Object | None:
    """The active object of the context's view layer, or the one that a script names.  See `selected_in`"""
    return context.object if shows(window_of(context), context) else context.view_layer.objects.active


def set_mode(context, mode: str) -> None:
    """Bring the view layer's active object into a mode, whatever object and scene a script has named."""
    o = context.view_layer.objects.active
    with context.temp_override(scene=context.scene, view_layer=context.view_layer, object=o, active_object=o):
        bpy.ops.object.mode_set(mode=mode)


def evaluated_scene(context) -> bpy.types.Depsgraph:
    """The dependency graph of the context's scene, brought up to date."""
    layer = context.view_layer
    layer.update()
    return layer.depsgraph


def metres(context) -> float:
    """How many metres one unit of the context's scene is, 1 where its units are none."""
    units = context.scene.unit_settings
    return 1.0 if units.system == "NONE" else float(units.scale_length)


@bpy.app.handlers.persistent
def renew_context(*_args) -> None:
    """Have what `bpy.context` hands out belong to the scene of now, for scripts of others: Blender's glTF scripts give
    a scene to its window. Runs after every file is opened, too."""
    _ = bpy.context.tool_settings


CLASSES = ()
HANDLERS = (("load_post", renew_context),)
