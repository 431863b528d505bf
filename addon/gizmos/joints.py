"""The joints as handles: one gizmo whose parts are the joints. An operator moves what is grasped, so undo is sure."""

from __future__ import annotations

import bpy

from .. import names
from ..editing import joints
from ..overlay import draw
from ..preferences import preferences

# Pixels from a joint's middle: a hand misses a handle of 5 to 8 pixels by 10 at most, and a box select that begins by
# mistake costs more than one that begins further away. Handles whose middles are closer than HANDLE cover each other.
REACH, HANDLE = 20.0, 7.0


def reach(context) -> float:
    """Pixels from a joint's middle in which it can be caught."""
    return REACH * context.preferences.system.ui_scale * preferences().handle_size


class JointHandles(bpy.types.Gizmo):
    """All joints of the shown skeleton; the part is the joint's number. `overlay.draw` draws them."""

    bl_idname = names.HANDLES

    def draw(self, context) -> None:
        """Nothing: the overlay does."""

    def test_select(self, context, location) -> int:
        """The joint under the mouse."""
        name = draw.under(context, location, reach(context), HANDLE / REACH * reach(context))
        if name != draw.hovered:
            draw.hovered = name
            draw.asked = "" if name else draw.asked
            context.area.tag_redraw()
        return joints.shown().template.index(name) if name else -1


class JointHandleGroup(bpy.types.GizmoGroup):
    """Handles for the joints that are shown."""

    bl_idname = names.HANDLE_GROUP
    bl_label = "Joints"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context) -> bool:
        """While joints are shown, in Object mode."""
        return joints.seen_in(context) is not None and not joints.steps_back(context)

    def setup(self, context) -> None:
        """One gizmo for all joints."""
        self.handles = self.gizmos.new(names.HANDLES)
        self.handles.use_draw_modal = True
        self._aim()

    def refresh(self, context) -> None:
        """Another template has other joints."""
        self._aim()

    def draw_prepare(self, context) -> None:
        """A limb that was added has handles at once."""
        what = joints.shown()
        if what is not None and what.template.names != self._aimed:
            self._aim()

    def _aim(self) -> None:
        what = joints.shown()
        self._aimed = what.template.names if what is not None else ()
        for part, joint in enumerate(what.template.names if what is not None else ()):
            self.handles.target_set_operator(names.DRAG_JOINT, index=part).joint = joint


CLASSES = (JointHandles, JointHandleGroup)
