"""Joints in the sidebar: show the handles, list the pins, bring the rig after them."""

import bpy

from .. import joints, names
from ..job import running
from ..meant import character_armature, character_owner
from ..reading import reading_of, reading_told
from ..telling import tell, word
from .sidebar import SidebarPanel, paragraph


class PinList(bpy.types.UIList):
    """Pinned joints by name."""

    bl_idname = names.PIN_LIST

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flag=0) -> None:
        """A joint's name and a button that lets it go."""
        layout.label(text=item.name, icon="PINNED", translate=False)
        layout.operator(names.REMOVE_PIN, text="", icon="X", emboss=False).joint = item.name


class JointsPanel(SidebarPanel):
    """Handles and pins."""

    bl_idname = names.PANEL_JOINTS
    bl_label = "Joints"
    bl_order = 1
    topic = "a-joint-lies-wrong"

    def draw(self, context) -> None:
        """Buttons, how to drag, what the body is taken for and what is doubtful, the list of pins."""
        layout = self.layout
        layout.enabled = running() is None
        what = joints.shown_in(context)
        row = layout.row()
        row.scale_y = 1.4
        if what is None:
            row.operator(names.SHOW_JOINTS, icon="EMPTY_AXIS")
        else:
            row.operator(names.HIDE_JOINTS, icon="CHECKMARK", depress=True)
        settings = getattr(context.scene, names.JOINTS)
        row = layout.row(align=True)
        row.prop(settings, "mirror", toggle=True, icon="MOD_MIRROR")
        row.prop(settings, "snap", text=word("Snap"), translate=False, toggle=True, icon="SNAP_ON")
        row.prop(settings, "show_names", toggle=True, icon="SORTALPHA")
        if what is not None and what.problem:
            paragraph(layout, context, tell(what.problem), "ERROR")
        if what is not None and what.is_stale():
            paragraph(layout, context, tell(joints.STALE), "ERROR")
            layout.operator(names.SHOW_JOINTS, text="Look Again", icon="FILE_REFRESH")
        self.draw_doubt(context, what)
        owner = character_owner(context)
        if owner is not None and getattr(owner, names.PINS):
            layout.template_list(names.PIN_LIST, "", owner, names.PINS, owner, names.ACTIVE_PIN, rows=2, maxrows=6)
            layout.operator(names.CLEAR_PINS, icon="UNPINNED")
        elif what is not None:
            layout.label(text="Drag a joint to pin it there", icon="INFO")
        if character_armature(context) is not None:
            layout.operator(names.UPDATE_RIG, icon="FILE_REFRESH")

    def draw_doubt(self, context, what) -> None:
        """Which joints are doubtful, what the body is taken for, and what else it may be."""
        if what is None and character_armature(context) is None:
            return
        if what is not None and what.doubtful():
            said = f"Amber joints are doubtful: {', '.join(what.doubtful())}"
            paragraph(self.layout, context, tell(said), "QUESTION")
        found = reading_of(context)
        if found is not None and found[1] > 1:
            paragraph(self.layout, context, tell(reading_told(*found)), "INFO")
        if running() is None:
            self.layout.operator(names.OTHER_READING, icon="LOOP_FORWARDS")
        else:  # a button that turns grey under the mouse stays grey until the mouse leaves it
            self.layout.label(text="Esc or right click: cancel", icon="CANCEL")


class OverlayPanel(SidebarPanel):
    """What the fit looks at, for the curious."""

    bl_idname = names.PANEL_OVERLAY
    bl_parent_id = names.PANEL_JOINTS
    bl_label = "Show How It Fits"
    topic = "how-it-works"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        """Toggles; they need joints that are shown."""
        column, settings = self.layout.column(), getattr(context.scene, names.JOINTS)
        column.enabled = joints.shown_in(context) is not None
        row = column.row(align=True)
        for key in ("show_samples", "show_spheres", "show_graph", "show_slice"):
            row.prop(settings, key, toggle=True)
        if joints.shown_in(context) is None:
            column.label(text="Press Edit Joints first", icon="INFO")
        elif settings.show_slice:
            row = column.row(align=True)
            row.prop(settings, "slice_axis", expand=True)
            column.prop(settings, "slice_position", slider=True)


CLASSES = (PinList, JointsPanel, OverlayPanel)
