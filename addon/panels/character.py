"""The sidebar's tab: one large button, what the character is, its skin, the finished rig, templates."""

from textwrap import wrap

import bpy

from .. import names, pins, session
from ..control_rig import controls_of
from ..job import draw_progress, running
from ..rigged import armature_of, followers, selected_character
from ..telling import tell


class _Panel(bpy.types.Panel):
    """Where all of them are."""

    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = names.TAB


class CharacterPanel(_Panel):
    """The one panel needed to rig a character."""

    bl_idname = names.PANEL_CHARACTER
    bl_label = "Character"
    bl_order = 0

    def draw(self, context) -> None:
        """One large button over what the character is."""
        layout = _columns(self.layout)
        settings = getattr(context.scene, names.SETTINGS)
        if running() is not None:
            draw_progress(layout)
            layout.label(text="Esc or right click: cancel", icon="CANCEL")
        else:
            row = layout.row()
            row.scale_y = 2.0
            row.operator(names.AUTO_RIG, icon="ARMATURE_DATA")
        layout.prop(settings, "preset")
        column = layout.column(align=True)
        column.prop(settings, "up")
        column.prop(settings, "front")
        meshes, _ = selected_character(context)
        row = layout.row()
        row.operator(names.CHECK, icon="VIEWZOOM")
        if len(meshes) > 1:
            row.label(text=bpy.app.translations.pgettext_iface("{:d} objects, one character").format(len(meshes)),
                      translate=False)
        owner = pins.owner_of(meshes)
        found = session.check_of(owner.name) if owner is not None else None
        if found is not None:
            paragraph(layout, context, tell(f"{found.preset}: {found.reason}"), "INFO")
            for warning in found.warnings:
                paragraph(layout, context, tell(warning), "ERROR")


class SkinPanel(_Panel):
    """How the skin is bound."""

    bl_idname = names.PANEL_SKIN
    bl_label = "Skin"
    bl_order = 2
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        """The choices, and binding to an armature there is."""
        layout = _columns(self.layout)
        layout.enabled = running() is None
        settings = getattr(context.scene, names.SETTINGS)
        layout.prop(settings, "method")
        layout.prop(settings, "influences")
        layout.prop(settings, "rigid_parts")
        column = layout.column()
        column.active = settings.method != "heat"
        column.prop(settings, "alpha", slider=True)
        column.prop(settings, "resolution")
        armature = armature_of(context.object)
        if armature is not None and names.BLENDING in armature:
            paragraph(layout, context, tell(armature[names.BLENDING]), "ERROR")
        mesh = next((o for o in context.selected_objects if o.type == "MESH"), None)
        layout.prop(settings, "only_selected")
        if mesh is not None:
            layout.prop_search(settings, "within", mesh, "vertex_groups")
        bind = layout.operator(names.BIND, icon="MOD_ARMATURE")
        bind.only_selected, bind.within = settings.only_selected, settings.within


class ResultPanel(_Panel):
    """The finished rig."""

    bl_idname = names.PANEL_RESULT
    bl_label = "Rig"
    bl_order = 3

    @classmethod
    def poll(cls, context) -> bool:
        """Only where there is one."""
        return armature_of(context.object) is not None or controls_of(context.object) is not None

    def draw(self, context) -> None:
        """What it is, how it is shown, and taking it away."""
        layout = _columns(self.layout)
        layout.enabled = running() is None
        controls = controls_of(context.object)
        armature = armature_of(context.object) if controls is None else controls
        layout.label(text=bpy.app.translations.pgettext_iface("{:d} bones, {:d} objects").format(
            len(armature.data.bones), len(followers(armature))), icon="ARMATURE_DATA", translate=False)
        if controls is not None:
            layout.operator(names.SHOW_METARIG, icon="OUTLINER_OB_ARMATURE")
            layout.operator(names.PLAIN_RIG_AGAIN, icon="LOOP_BACK")
            return
        layout.prop(armature, "show_in_front")
        layout.prop(armature.data, "display_type")
        layout.prop(armature.data, "pose_position", expand=True)
        layout.operator(names.UPDATE_RIG, icon="FILE_REFRESH")
        layout.operator(names.CONTROL_RIG, icon="CON_ARMATURE")
        layout.operator_menu_enum(names.RENAME, "engine", text="Rename Bones for", icon="SORTALPHA")
        layout.operator(names.REMOVE_RIG, icon="TRASH")


class TemplatesPanel(_Panel):
    """Skeletons of the artist's own."""

    bl_idname = names.PANEL_TEMPLATES
    bl_label = "Templates"
    bl_order = 20
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        """Keep, bring in, give out, delete."""
        layout = self.layout
        layout.operator(names.SAVE_TEMPLATE, icon="FILE_TICK")
        row = layout.row(align=True)
        row.operator(names.IMPORT_TEMPLATE, icon="IMPORT")
        row.operator(names.EXPORT_TEMPLATE, icon="EXPORT")
        layout.operator(names.DELETE_TEMPLATE, icon="TRASH")


def _columns(layout):
    layout.use_property_split = True
    layout.use_property_decorate = False
    return layout


def paragraph(layout, context, text: str, icon: str) -> None:
    """A text in as many lines as the sidebar needs."""
    width = max(int(context.region.width / (7 * context.preferences.system.ui_scale)) - 4, 20)
    column = layout.column(align=True)
    for i, line in enumerate(wrap(text, width)):
        column.label(text=line, icon=icon if i == 0 else "BLANK1", translate=False)


CLASSES = (CharacterPanel, SkinPanel, ResultPanel, TemplatesPanel)
