"""Joints by hand: show them, drag, pin and unpin them, and bring a finished rig after them."""

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

from .. import joints, names, pins, props
from ..bridge.armature import read_detail
from ..choices import bind_options, detail_options, named_template, stance_of, template_for
from ..job import JobOperator
from ..polls import has_character, is_free, is_in_object_mode, is_readable
from ..rigged import armature_of, selected_character
from ..rigging import update_rig_steps
from ..telling import tell
from ..templates import OWN, own_templates

CLICK = 4  # pixels: what moves less is a click, not a drag


class ShowJoints(JobOperator):
    """Show the joints of the selected character in the viewport, to drag those that are wrong to their place"""

    bl_idname = names.SHOW_JOINTS
    bl_label = "Edit Joints"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a character, and no other job."""
        return is_free(cls) and has_character(cls, context) and is_readable(cls, context)

    def steps(self, context):
        """Read and fit the selection."""
        objects, armatures = selected_character(context)
        settings = getattr(context.scene, names.SETTINGS)
        preset = made_of(armatures[0]) if armatures else settings.preset
        detail = read_detail(armatures[0]) if armatures else detail_options(settings)
        return joints.show_steps(context, objects, template_for(preset), lambda mesh: stance_of(mesh, settings), detail)

    def finish(self, context, result) -> None:
        """They are shown from now on."""
        joints.show(result)
        if result.problem:
            self.report({"WARNING"}, tell(result.problem))


class HideJoints(bpy.types.Operator):
    """Put the joint handles away; pins stay"""

    bl_idname = names.HIDE_JOINTS
    bl_label = "Done"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs joints that are shown."""
        return _are_shown(cls, context)

    def execute(self, context) -> set:
        """Hide them."""
        joints.show(None)
        return {"FINISHED"}


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
        return _are_shown(cls, context)

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
        self._mouse = (event.mouse_region_x, event.mouse_region_y)
        at = location_3d_to_region_2d(context.region, context.region_data, Vector(self._start))
        self._offset = at - Vector(self._mouse)
        self._before, self._moved = pins.pins_of(what.owner_object()), False
        what.prepare(context)
        joints.take_hold(context, what, pgettext_iface("Ctrl: not only in the middle     Esc or right click: cancel"))
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event) -> set:
        """Follow the mouse."""
        what = joints.shown_in(context)
        grasp = joints.held()
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
            self._moved |= max(abs(a - b) for a, b in zip(mouse, self._mouse, strict=True)) >= CLICK
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
            place = what.middle(context, origin, direction, self._start)
        if place is None:
            place = np.array(region_2d_to_location_3d(region, view, at, Vector(self._start)), float)
        self.position = place
        what.pin(context, self.joint, place)
        joints.held().is_drawn = False
        joints.redraw(panels=False)

    def _toggle(self, context, what) -> None:
        self.position = self._start
        if not pins.remove_pin(what.owner_object(), self.joint):
            what.pin(context, self.joint, self._start)

    def _restore(self, what) -> None:
        owner = what.owner_object() if what is not None else None
        if owner is not None:
            pins.clear_pins(owner)
            for name, place in self._before.items():
                pins.set_pin(owner, name, place)

    def _end(self, result: set) -> set:
        joints.let_go()
        joints.redraw()
        return result


class RemovePin(bpy.types.Operator):
    """Let this joint go: it lies again where the fit puts it"""

    bl_idname = names.REMOVE_PIN
    bl_label = "Unpin"
    bl_options = {"REGISTER", "UNDO"}

    joint: props.StringProperty(name="Joint", description="The joint's name; the active pin of the list if empty")

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a pin."""
        return _has_pins(cls, context)

    def execute(self, context) -> set:
        """Take the pin away."""
        owner = character_owner(context)
        held = getattr(owner, names.PINS)
        active = getattr(owner, names.ACTIVE_PIN)
        name = self.joint or (held[active].name if active < len(held) else "")
        if not pins.remove_pin(owner, name):
            self.report({"ERROR"}, tell(f"'{name}' is not pinned"))
            return {"CANCELLED"}
        joints.redraw()
        return {"FINISHED"}


class ClearPins(bpy.types.Operator):
    """Let all joints go: they lie again where the fit puts them"""

    bl_idname = names.CLEAR_PINS
    bl_label = "Unpin All"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a pin."""
        return _has_pins(cls, context)

    def execute(self, context) -> set:
        """Take all pins away."""
        pins.clear_pins(character_owner(context))
        joints.redraw()
        return {"FINISHED"}


class UpdateRig(JobOperator):
    """Move the rig's bones to the joints as they are now and bind the skin anew. Bones, constraints and vertex groups \
of your own stay"""

    bl_idname = names.UPDATE_RIG
    bl_label = "Update Rig"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rig of ours in Object mode."""
        if not is_free(cls) or not is_in_object_mode(cls, context):
            return False
        if character_armature(context) is None:
            cls.poll_message_set("Select a character that Geppetto has rigged, or its armature")
            return False
        return True

    def steps(self, context):
        """The work on the selected rig."""
        settings, armature = getattr(context.scene, names.SETTINGS), character_armature(context)
        return update_rig_steps(context, armature, named_template(made_of(armature)), method=settings.method,
                                stance=lambda mesh: stance_of(mesh, settings), options=bind_options(settings))

    def finish(self, context, result) -> None:
        """Tell what was done."""
        self.report_rig(f"{len(result.rig.names)} bones, {sum(result.seconds.values()):.1f} s",
                        [part.object for part in result.character.parts], result.warnings)


def made_of(armature) -> str:
    """The name in the menu of the template a rig of ours was made of."""
    name = armature.data[names.MADE_BY]
    return OWN + name if name in own_templates() else name


def character_armature(context) -> bpy.types.Object | None:
    """The rig of ours that is meant: the active object's, or that of the shown joints' character."""
    what = joints.shown_in(context)
    return armature_of(context.object) or (armature_of(what.owner_object()) if what is not None else None)


def character_owner(context) -> bpy.types.Object | None:
    """The object that holds the pins of the character that is shown, or else selected."""
    what = joints.shown_in(context)
    return what.owner_object() if what is not None else pins.owner_of(selected_character(context)[0])


def _are_shown(cls, context) -> bool:
    if joints.shown_in(context) is None:
        cls.poll_message_set("Press Edit Joints first")
        return False
    return True


def _has_pins(cls, context) -> bool:
    owner = character_owner(context)
    if owner is None or not getattr(owner, names.PINS):
        cls.poll_message_set("No joint is pinned")
        return False
    return True


CLASSES = (ShowJoints, HideJoints, DragJoint, RemovePin, ClearPins, UpdateRig)
