"""Telling Blender what there is, all of it or nothing."""

from __future__ import annotations

from contextlib import ExitStack

import bpy

from . import command, current, job, manual, names, preferences, properties
from .characters import test_poses
from .editing import joints, limbs, pins
from .gizmos import joints as joint_gizmos
from .motion import bone_maps
from .operators import auto_rig, doubt, editing, rename
from .operators import bone_map as bone_map_operators
from .operators import carrying as carrying_operators
from .operators import character as character_operators
from .operators import control_rig as control_rig_operators
from .operators import export as export_operators
from .operators import joints as joint_operators
from .operators import limbs as limb_operators
from .operators import motion as motion_operators
from .operators import preferences as preference_operators
from .operators import reading as reading_operators
from .operators import rest_pose as rest_pose_operators
from .operators import templates as template_operators
from .operators import things as thing_operators
from .operators import weights as weight_operators
from .overlay import draw as overlay
from .overlay import weights as weight_overlay
from .panels import character, motion
from .panels import export as export_panels
from .panels import joints as joint_panels
from .panels import menu as step_menu
from .panels import skin as skin_panels
from .panels import weights as weight_panels
from .words import translations

# Every module with something to register: CLASSES; PROPERTIES on Blender's types (type, name, maker); entries in MENUS
# (menu, function); HANDLERS (event, function); DRAWING over the 3D viewport (function, moment); COMMANDS of Blender's
# command line (name, function); KEYMAPS (map, kind of editor, operator, key). Order counts only for classes that others
# refer to: property groups, parent panels.
MODULES = (preferences, properties, pins, bone_maps, limbs, joints, test_poses, auto_rig, character_operators, editing,
           joint_operators, limb_operators, doubt, reading_operators, motion_operators, bone_map_operators,
           template_operators, thing_operators, rename, control_rig_operators, weight_operators, carrying_operators,
           export_operators, rest_pose_operators, preference_operators, command, current, joint_gizmos, overlay,
           weight_overlay, character, weight_panels, joint_panels, export_panels, skin_panels,
           motion, step_menu)

_undo = ExitStack()  # what unregister() has to take back, in reverse order


def register() -> None:
    """Register everything; if a step fails, undo those before it and let the error through."""
    with ExitStack() as steps:
        steps.callback(job.stop)
        for cls in _all("CLASSES"):
            if issubclass(cls, bpy.types.Operator | bpy.types.Panel):
                cls.bl_translation_context = names.CONTEXT
            bpy.utils.register_class(cls)
            steps.callback(bpy.utils.unregister_class, cls)
        for owner, name, make in _all("PROPERTIES"):
            setattr(owner, name, make())
            steps.callback(delattr, owner, name)
        for menu, entry in _all("MENUS"):
            getattr(bpy.types, menu).append(entry)
            steps.callback(getattr(bpy.types, menu).remove, entry)
        for event, handler in _all("HANDLERS"):
            getattr(bpy.app.handlers, event).append(handler)
            steps.callback(getattr(bpy.app.handlers, event).remove, handler)
        steps.callback(joints.forget)
        for draw, moment in _all("DRAWING"):
            handle = bpy.types.SpaceView3D.draw_handler_add(draw, (), "WINDOW", moment)
            steps.callback(bpy.types.SpaceView3D.draw_handler_remove, handle, "WINDOW")
        for name, run in _all("COMMANDS"):
            steps.callback(bpy.utils.unregister_cli_command, bpy.utils.register_cli_command(name, run))
        keys = bpy.context.window_manager.keyconfigs
        steps.callback(keys.update)  # or Blender's own copy of what is removed would stay until the next key
        for name, kind, operator, key in _all("KEYMAPS") if keys.addon is not None else ():  # none without a window
            keymap = keys.addon.keymaps.new(name=name, space_type=kind)
            steps.callback(keymap.keymap_items.remove, keymap.keymap_items.new(operator, key, "PRESS"))
        keys.update()
        bpy.utils.register_manual_map(manual.manual_map)
        steps.callback(bpy.utils.unregister_manual_map, manual.manual_map)
        bpy.app.translations.register(__package__, translations.translations())
        steps.callback(bpy.app.translations.unregister, __package__)
        _undo.push(steps.pop_all())


def _all(kind: str) -> list:
    return [thing for module in MODULES for thing in getattr(module, kind, ())]


def unregister() -> None:
    """Take back what register() did."""
    _undo.close()
