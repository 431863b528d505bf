"""The joints as handles: one gizmo whose parts are the joints. An operator moves what is grasped, so undo is sure."""

from __future__ import annotations

import bpy

from .. import joints, names
from ..overlay import draw
from ..overlay.lines import nearest_joint
from ..preferences import preferences

REACH = 12.0  # pixels from a joint's middle


class JointHandles(bpy.types.Gizmo):
    """All joints of the shown skeleton; the part is the joint's number. `overlay.draw` draws them."""

    bl_idname = names.HANDLES

    def draw(self, context) -> None:
        """Nothing: the overlay does."""

    def test_select(self, context, location) -> int:
        """The joint under the mouse."""
        seen = draw.on_screen(context)
        scale = context.preferences.system.ui_scale * preferences().handle_size
        part = -1 if seen is None else nearest_joint(*seen, location, REACH * scale)
        name = joints.shown().template.names[part] if part >= 0 else ""
        if name != draw.hovered:
            draw.hovered = name
            context.area.tag_redraw()
        return part


class JointHandleGroup(bpy.types.GizmoGroup):
    """Handles for the joints that are shown."""

    bl_idname = names.HANDLE_GROUP
    bl_label = "Joints"
    bl_space_type = "VIEW_3D"
    bl_region_type = "WINDOW"
    bl_options = {"3D", "PERSISTENT", "SHOW_MODAL_ALL"}

    @classmethod
    def poll(cls, context) -> bool:
        """While joints are shown."""
        return joints.seen_in(context) is not None

    def setup(self, context) -> None:
        """One gizmo for all joints."""
        self.handles = self.gizmos.new(names.HANDLES)
        self.handles.use_draw_modal = True
        self._aim()

    def refresh(self, context) -> None:
        """Another template has other joints."""
        self._aim()

    def _aim(self) -> None:
        what = joints.shown()
        for part, joint in enumerate(what.template.names if what is not None else ()):
            self.handles.target_set_operator(names.DRAG_JOINT, index=part).joint = joint


CLASSES = (JointHandles, JointHandleGroup)
