"""Telling Blender what there is, all of it or nothing."""

from __future__ import annotations

from contextlib import ExitStack

import bpy

from . import job, names, properties
from .operators import auto_rig
from .operators import motion as motion_operators
from .panels import character, motion

# Every module with something to register: CLASSES, and MENUS where it has entries in Blender's menus. Order counts only
# for property groups, which come before what holds them.
MODULES = (properties, auto_rig, motion_operators, character, motion)

_undo = ExitStack()  # what unregister() has to take back, in reverse order


def register() -> None:
    """Register everything; if a step fails, undo those before it and let the error through."""
    with ExitStack() as steps:
        steps.callback(job.stop)
        for cls in [cls for module in MODULES for cls in module.CLASSES]:
            bpy.utils.register_class(cls)
            steps.callback(bpy.utils.unregister_class, cls)
        setattr(bpy.types.Scene, names.SETTINGS, bpy.props.PointerProperty(type=properties.GeppettoSettings))
        steps.callback(delattr, bpy.types.Scene, names.SETTINGS)
        for menu, entry in [pair for module in MODULES for pair in getattr(module, "MENUS", ())]:
            getattr(bpy.types, menu).append(entry)
            steps.callback(getattr(bpy.types, menu).remove, entry)
        _undo.push(steps.pop_all())


def unregister() -> None:
    """Take back what register() did."""
    _undo.close()
