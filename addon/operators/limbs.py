"""Limbs by a click: one more where the mesh is clicked, or that one less; the rest of the skeleton stays."""

from __future__ import annotations

import bpy
import numpy as np
from bpy.app.translations import pgettext_iface
from bpy_extras.view3d_utils import region_2d_to_origin_3d, region_2d_to_vector_3d

from ...core.errors import RigError
from ...core.fitting.from_shape import ShapeTemplate
from .. import names, props
from ..editing import joints, limbs
from ..editing.pointing import middle_of, skin_of
from ..modes import in_object_mode
from ..polls import are_joints_shown, is_free
from ..words.telling import tell


class _ClickedLimb(bpy.types.Operator):
    """What adding and taking away share: a click in the viewport, and one step of Undo."""

    bl_options = {"REGISTER", "UNDO"}
    is_added = True

    place: props.FloatVectorProperty(name="Place", description="Where the limb is in the world", subtype="TRANSLATION",
                                     size=3)

    @classmethod
    def poll(cls, context) -> bool:
        """Needs the joints of a skeleton made from a shape."""
        if not is_free(cls) or not are_joints_shown(cls, context):
            return False
        if not isinstance(joints.shown_in(context).base, ShapeTemplate):
            cls.poll_message_set("Only skeletons made from the shape can have more limbs or fewer")
            return False
        return True

    def invoke(self, context, event) -> set:
        """Wait for the click."""
        context.workspace.status_text_set(pgettext_iface("Click on the limb's tip     Esc or right click: cancel"))
        context.window.cursor_modal_set("CROSSHAIR")
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event) -> set:
        """A click on the body is taken, one beside it is told."""
        if joints.shown_in(context) is None or (event.type in {"ESC", "RIGHTMOUSE"} and event.value == "PRESS"):
            return self._end(context, {"CANCELLED"})
        region = _viewport_under(context, event)
        if region is None or event.type in {"MIDDLEMOUSE", "WHEELUPMOUSE", "WHEELDOWNMOUSE"} or (
                event.type.startswith("NUMPAD")):
            return {"PASS_THROUGH"}  # panels and the view go on working
        if event.type != "LEFTMOUSE":
            return {"RUNNING_MODAL"}
        if event.value != "PRESS":
            return {"RUNNING_MODAL"}
        place = _under(context, region, (event.mouse_x - region.x, event.mouse_y - region.y))
        if place is None:
            self.report({"WARNING"}, tell("There is no body under the mouse. Click on a limb."))
            return {"RUNNING_MODAL"}
        self.place = place
        return self._end(context, self.execute(context))

    def cancel(self, context) -> None:
        """Blender ends it, as when a file is opened."""
        self._end(context, {"CANCELLED"})

    def _end(self, context, result: set) -> set:
        context.workspace.status_text_set(None)
        context.window.cursor_modal_restore()
        return result

    @in_object_mode
    def execute(self, context) -> set:
        """Say it, and see whether the skeleton can be so; otherwise all is as before."""
        what = joints.shown_in(context)
        owner = what.owner_object()
        local = np.linalg.inv(what.to_world(owner) @ what.matrix) @ [*self.place, 1.0]
        is_both = getattr(context.scene, names.JOINTS).mirror
        base = what.base
        if not isinstance(base, ShapeTemplate):  # since it was asked: the preset is another one now
            return {"CANCELLED"}
        try:
            limbs.with_limb(base, what.shape, local[:3], what.matrix, is_added=self.is_added, is_both=is_both)
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        limbs.say_limb(owner, local[:3], is_added=self.is_added, is_both=is_both)
        joints.redraw()
        count = len(what.base.bones)
        self.report({"INFO"}, tell(f"{count} bones now. Done updates the rig." if count != 1 else
                                   "1 bone now. Done updates the rig."))
        return {"FINISHED"}


class AddLimb(_ClickedLimb):
    """Click on the tip of something that has no bones yet: it gets a chain of them. With Mirror the other side too"""

    bl_idname = names.ADD_LIMB
    bl_label = "Add Limb"


class RemoveLimb(_ClickedLimb):
    """Click on a limb to remove its bones and what hangs on them. With Mirror the other side too"""

    bl_idname = names.REMOVE_LIMB
    bl_label = "Remove Limb"
    is_added = False


class ClearLimbs(bpy.types.Operator):
    """Bring back the limbs that were found, and no others"""

    bl_idname = names.CLEAR_LIMBS
    bl_label = "Limbs as Found"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs limbs that were added or taken away."""
        if not is_free(cls) or not are_joints_shown(cls, context):
            return False
        if not limbs.limbs_said(joints.shown_in(context).owner_object()):
            cls.poll_message_set("No limb was added or taken away")
            return False
        return True

    @in_object_mode
    def execute(self, context) -> set:
        """Forget all that was said of them."""
        setattr(joints.shown_in(context).owner_object(), names.LIMBS, "")
        joints.redraw()
        return {"FINISHED"}


def _viewport_under(context, event):
    """The viewport's region under the mouse, in a quad view the one of its four; None beside it and on what lies over
    it: sidebar, toolbar, headers."""
    under = [r for r in (context.area.regions if context.area is not None else ())
             if 0 <= event.mouse_x - r.x < r.width and 0 <= event.mouse_y - r.y < r.height and r.width > 1]
    return under[0] if len(under) == 1 and under[0].data is not None else None


def _under(context, region, mouse) -> np.ndarray | None:
    """(3,) in the world: the middle of what the mouse points at first, or the skin where the body is too thin for a
    middle, as fins are; None beside the body."""
    what, view = joints.shown_in(context), region.data
    origin = np.array(region_2d_to_origin_3d(region, view, mouse), float)
    direction = np.array(region_2d_to_vector_3d(region, view, mouse), float)
    middle = middle_of(what, context, origin, direction, origin - 1e6 * direction)
    return skin_of(what, context, origin, direction) if middle is None else middle


CLASSES = (AddLimb, RemoveLimb, ClearLimbs)
