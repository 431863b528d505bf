"""Joints by hand: drag, pin and unpin them, make both sides alike."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.app.translations import pgettext_iface
from bpy_extras.view3d_utils import (
    location_3d_to_region_2d,
    region_2d_to_location_3d,
    region_2d_to_origin_3d,
    region_2d_to_vector_3d,
)
from mathutils import Vector

from .. import names, props
from ..editing import joints, pins
from ..editing.grasp import held, let_go, take_hold
from ..editing.meant import character_owner
from ..editing.pointing import middle_of
from ..gizmos.joints import reach
from ..modes import in_object_mode
from ..polls import are_joints_shown
from ..words.telling import tell

CLICK = 4  # pixels, where the interface is not enlarged: what moves less is a click, not a drag


class DragJoint(bpy.types.Operator):
    """Drag: put the joint where it belongs and pin it. Click: pin or unpin it. Ctrl: not only in the limb's middle"""

    bl_idname = names.DRAG_JOINT
    bl_label = "Pin Joint"
    bl_options = {"REGISTER", "UNDO"}

    joint: props.StringProperty(name="Joint", description="The joint's name")
    position: props.FloatVectorProperty(name="Position", description="Where the joint lies in the world",
                                            subtype="TRANSLATION", size=3)

    @classmethod
    def poll(cls, context) -> bool:
        """Needs joints that are shown."""
        return are_joints_shown(cls, context)

    @in_object_mode
    def execute(self, context) -> set:
        """From a script, or the redo panel: pin the joint at the position."""
        what = joints.shown_in(context)
        if self.joint not in what.template.names:
            self.report({"ERROR"}, tell(f"There is no joint '{self.joint}'"))
            return {"CANCELLED"}
        what.pin(context, self.joint, np.array(self.position, float))
        joints.redraw()
        return {"FINISHED"}

    def invoke(self, context, event) -> set:
        """Take hold of a joint."""
        what = joints.shown_in(context)
        found = what.places(context)
        if found is None or self.joint not in what.template.names:
            return {"CANCELLED"}
        self._start = found[1][what.template.index(self.joint)]
        at = location_3d_to_region_2d(context.region, context.region_data, Vector(self._start))
        self._offset = at - Vector((event.mouse_region_x, event.mouse_region_y))
        if self._offset.length > reach(context):  # Blender was busy and tells where the mouse is by now
            self._offset = Vector((0.0, 0.0))
        self._mouse = at - self._offset
        self._before, self._moved = pins.pins_of(what.owner_object()), False
        what.prepare(context)
        take_hold(context, what, pgettext_iface("Ctrl: not only in the middle     Esc or right click: cancel"))
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event) -> set:
        """Follow the mouse."""
        what = joints.shown_in(context)
        grasp = held()
        if what is None or grasp is None or grasp.what is not what or context.region_data is None or (
                event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS"):
            self._restore(joints.shown())
            return self._end({"CANCELLED"})
        if event.type == "LEFTMOUSE" and event.value == "RELEASE":
            if not self._moved:
                self._toggle(context, what)
            return self._end({"FINISHED"})
        if event.type == "TIMER":
            if grasp.turn(context):
                joints.redraw(panels=False)
            return {"RUNNING_MODAL"}
        mouse = (event.mouse_region_x, event.mouse_region_y)
        if event.type in {"MOUSEMOVE", "LEFT_CTRL", "RIGHT_CTRL"}:
            moved = max(abs(a - b) for a, b in zip(mouse, self._mouse, strict=True))
            self._moved |= moved >= CLICK * context.preferences.system.ui_scale
            if self._moved:
                self._follow(context, what, Vector(mouse) + self._offset, event.ctrl)
        return {"RUNNING_MODAL"}

    def cancel(self, context) -> None:
        """Blender ends the drag, as when a file is opened."""
        self._end({"CANCELLED"})

    def _follow(self, context, what, at: Vector, free: bool) -> None:
        region, view = context.region, context.region_data
        place = None
        if getattr(context.scene, names.JOINTS).snap != free:
            origin = np.array(region_2d_to_origin_3d(region, view, at), float)
            direction = np.array(region_2d_to_vector_3d(region, view, at), float)
            place = middle_of(what, context, origin, direction, self._start)
        if place is None:
            place = np.array(region_2d_to_location_3d(region, view, at, Vector(self._start)), float)
        self.position = place
        what.pin(context, self.joint, place)
        held().is_drawn = False
        joints.redraw(panels=False)

    def _toggle(self, context, what) -> None:
        self.position = self._start
        if not what.unpin(context, self.joint):
            what.pin(context, self.joint, self._start)

    def _restore(self, what) -> None:
        owner = what.owner_object() if what is not None else None
        if owner is not None:
            pins.restore(owner, self._before)

    def _end(self, result: set) -> set:
        let_go()
        joints.redraw()
        return result


class RemovePin(bpy.types.Operator):
    """Unpin this joint: it goes back to where the fit puts it"""

    bl_idname = names.REMOVE_PIN
    bl_label = "Unpin"
    bl_options = {"REGISTER", "UNDO"}

    joint: props.StringProperty(name="Joint", description="The joint's name; the active pin of the list if empty",
                                options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a pin."""
        return _has_pins(cls, context)

    @in_object_mode
    def execute(self, context) -> set:
        """Take the pin away."""
        owner = character_owner(context)
        held = getattr(owner, names.PINS)
        active = getattr(owner, names.ACTIVE_PIN)
        name = self.joint or (held[active].name if active < len(held) else "")
        what = joints.shown_in(context)
        if not (what.unpin(context, name) if what is not None and name in what.template.names
                else pins.remove_pin(owner, name)):
            self.report({"ERROR"}, tell(f"'{name}' is not pinned"))
            return {"CANCELLED"}
        joints.redraw()
        return {"FINISHED"}


class ClearPins(bpy.types.Operator):
    """Unpin all joints: they go back to where the fit puts them"""

    bl_idname = names.CLEAR_PINS
    bl_label = "Unpin All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a pin."""
        return _has_pins(cls, context)

    @in_object_mode
    def execute(self, context) -> set:
        """Take all pins away."""
        pins.clear_pins(character_owner(context))
        joints.redraw()
        return {"FINISHED"}


class Symmetrise(bpy.types.Operator):
    """Make both sides alike: joints of one side stay and are pinned, those of the other become their mirror images"""

    bl_idname = names.SYMMETRISE
    bl_label = "Symmetrise"
    bl_options = {"REGISTER", "UNDO"}

    side: props.EnumProperty(name="Side", description="Which side stays as it is", default="BETTER", items=(
        ("BETTER", "Better Side", "The side whose joints are more likely right stays"),
        (".L", "Left to Right", "The character's left side stays"),
        (".R", "Right to Left", "The character's right side stays")))

    @classmethod
    def poll(cls, context) -> bool:
        """Needs joints that are shown."""
        return are_joints_shown(cls, context)

    @in_object_mode
    def execute(self, context) -> set:
        """Pin what differs."""
        changed = joints.shown_in(context).symmetrise(context, self.side)
        if changed:
            self.report({"INFO"}, tell(f"{changed} joints changed their places" if changed > 1 else
                                       "1 joint changed its place"))
        else:
            self.report({"INFO"}, tell("Both sides are alike already"))
        joints.redraw()
        return {"FINISHED"}


def _has_pins(cls, context) -> bool:
    owner = character_owner(context)
    if owner is None or not getattr(owner, names.PINS):
        cls.poll_message_set("No joint is pinned")
        return False
    return True


CLASSES = (DragJoint, RemovePin, ClearPins, Symmetrise)
