"""Joints in the sidebar: show the handles, list the pins, bring the rig after them."""

import bpy

from .. import joints, names
from ..job import running
from ..operators.joints import character_owner
from ..telling import tell


class PinList(bpy.types.UIList):
    """Pinned joints by name."""

    bl_idname = names.PIN_LIST

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flag=0) -> None:
        """A joint's name and a button that lets it go."""
        layout.label(text=item.name, icon="PINNED", translate=False)
        layout.operator(names.REMOVE_PIN, text="", icon="X", emboss=False).joint = item.name


class JointsPanel(bpy.types.Panel):
    """Handles and pins."""

    bl_idname = names.PANEL_JOINTS
    bl_label = "Joints"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = names.TAB
    bl_order = 1

    def draw(self, context) -> None:
        """Buttons, how to drag, the list of pins."""
        layout = self.layout
        layout.enabled = running() is None
        what = joints.shown()
        row = layout.row(align=True)
        row.scale_y = 1.4
        if what is None:
            row.operator(names.SHOW_JOINTS, icon="EMPTY_AXIS")
        else:
            row.operator(names.HIDE_JOINTS, icon="CHECKMARK", depress=True)
        row.operator(names.UPDATE_RIG, icon="FILE_REFRESH")
        settings = getattr(context.scene, names.JOINTS)
        row = layout.row(align=True)
        row.prop(settings, "mirror", toggle=True, icon="MOD_MIRROR")
        row.prop(settings, "snap", toggle=True, icon="SNAP_ON")
        row.prop(settings, "show_names", toggle=True, icon="SORTALPHA")
        if what is not None and what.problem:
            layout.label(text=tell(what.problem), icon="ERROR", translate=False)
        owner = character_owner(context)
        if owner is not None and getattr(owner, names.PINS).pins:
            layout.template_list(names.PIN_LIST, "", getattr(owner, names.PINS), "pins", getattr(owner, names.PINS),
                                 "active", rows=2, maxrows=6)
            layout.operator(names.CLEAR_PINS, icon="UNPINNED")
        elif what is not None:
            layout.label(text="Drag a joint to pin it there", icon="INFO")


class OverlayPanel(bpy.types.Panel):
    """What the fit looks at, for the curious."""

    bl_idname = names.PANEL_OVERLAY
    bl_parent_id = names.PANEL_JOINTS
    bl_label = "Show How It Fits"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = names.TAB
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        """Toggles; they need joints that are shown."""
        row = self.layout.row(align=True)
        row.enabled = joints.shown() is not None
        for key in ("show_samples", "show_spheres", "show_graph"):
            row.prop(getattr(context.scene, names.JOINTS), key, toggle=True)


CLASSES = (PinList, JointsPanel, OverlayPanel)
