"""Object mode while a scene is written, then back to the mode, the selection and the active object the person had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps

import bpy

from .current import set_mode

# Modes that are left and entered again: the type of object that has them. Blender undoes in these as in Object mode;
# Edit and Sculpt mode have an undo of their own, which knows nothing of other objects, and are left for good.
AGAIN = {"POSE": "ARMATURE", "WEIGHT_PAINT": "MESH"}


@contextmanager
def object_mode(context) -> Iterator[None]:
    """Inside, Object mode; afterwards the mode of before, on whatever is active then, if it has that mode.

    Edit and Sculpt mode are entered again only where what is inside fails or is stopped: Ctrl-Z could not take back
    there what was done.
    """
    before = context.view_layer.objects.active
    mode, uid = (before.mode, before.session_uid) if before is not None else ("OBJECT", 0)
    if mode != "OBJECT":
        set_mode(context, "OBJECT")
        if mode == "SCULPT" and bpy.ops.ed.undo_push.poll():  # strokes are undone from a step outside the mode alone
            bpy.ops.ed.undo_push(message="Object Mode")
    _leave_edit_modes(context)
    is_done = False
    try:
        yield
        is_done = True
    finally:
        o = context.view_layer.objects.active
        if o is not None and mode != "OBJECT" and o.mode == "OBJECT" and (
                (mode in AGAIN and o.type == AGAIN[mode] and o.visible_get()) if is_done else o.session_uid == uid):
            set_mode(context, mode)


def _leave_edit_modes(context) -> None:
    """Leave Edit mode on all objects: without Lock Object Modes each has a mode of its own."""
    layer = context.view_layer
    active = layer.objects.active
    for o in [o for o in layer.objects if o.mode == "EDIT"]:
        layer.objects.active = o
        if o.mode == "EDIT":  # it was not left together with another
            set_mode(context, "OBJECT")
        layer.objects.active = active


@contextmanager
def as_it_was(context) -> Iterator[None]:
    """`object_mode`, and afterwards the same objects are selected and the same one is active, as far as they exist."""
    objects = context.view_layer.objects
    active = objects.active.session_uid if objects.active is not None else 0
    selected = {o.session_uid for o in objects.selected}  # names may be of linked objects, too
    with object_mode(context):
        try:
            yield
        finally:
            for o in objects:
                if o.select_get() != (o.session_uid in selected):
                    o.select_set(o.session_uid in selected)
            objects.active = next((o for o in objects if o.session_uid == active), None)


def in_object_mode(execute: Callable) -> Callable:
    """An operator's `execute` in `object_mode`, for what is kept with an object: Ctrl-Z in Edit mode leaves that."""
    @wraps(execute)
    def execute_in_object_mode(self, context) -> set:
        with object_mode(context):
            return execute(self, context)

    return execute_in_object_mode


def keep_edits(o) -> None:
    """Bring what is being edited into the object's data, to be read; Edit mode goes on."""
    if o.mode == "EDIT":
        o.update_from_editmode()
