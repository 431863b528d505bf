"""The sidebar's tab: one large button, what the character is, its skin, the finished rig, templates."""

import bpy

from .. import names, pins, session
from ..control_rig import controls_of
from ..job import draw_progress, running
from ..rigged import armature_of, followers, selected_character
from ..telling import tell, word
from .sidebar import SidebarPanel, columns, paragraph


class CharacterPanel(SidebarPanel):
    """The one panel needed to rig a character."""

    bl_idname = names.PANEL_CHARACTER
    bl_label = "Character"
    bl_order = 0

    def draw(self, context) -> None:
        """One large button over what the character is."""
        layout = columns(self.layout)
        settings = getattr(context.scene, names.SETTINGS)
        if running() is not None:
            draw_progress(layout)
            layout.label(text="Esc or right click: cancel", icon="CANCEL")
        else:
            row = layout.row()
            row.scale_y = 2.0
            row.operator(names.AUTO_RIG, icon="ARMATURE_DATA")
        layout.prop(settings, "preset")
        layout.prop(settings, "detail")
        if settings.detail != "body":
            layout.prop(settings, "fingers")
        column = layout.column(align=True)
        column.prop(settings, "up")
        column.prop(settings, "front")
        meshes, _ = selected_character(context)
        layout.operator(names.CHECK, icon="VIEWZOOM")
        if len(meshes) > 1:
            layout.label(text=bpy.app.translations.pgettext_iface("{:d} objects, one character").format(len(meshes)),
                         translate=False, icon="OUTLINER_COLLECTION")
        owner = pins.owner_of(meshes)
        if owner is not None:
            draw_findings(layout, context, owner)


def draw_findings(layout, context, owner) -> None:
    """What the check found about a character, and what was said when it was rigged."""
    found = session.check_of(owner.name)
    warnings = session.warnings_of(owner.name) if armature_of(owner) is not None else None
    if found is not None:
        _draw_finding(layout, context, f"{found.preset}: {found.reason}", "INFO")
    for warning in warnings if warnings is not None else found.warnings if found is not None else ():
        _draw_finding(layout, context, warning, "ERROR")


def _draw_finding(layout, context, said: str, icon: str) -> None:
    said = tell(said)
    paragraph(layout, context, said[:1].upper() + said[1:], icon)


class SkinPanel(SidebarPanel):
    """How the skin is bound."""

    bl_idname = names.PANEL_SKIN
    bl_label = "Skin"
    topic = "skin"
    bl_order = 2
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        """The choices, and binding to an armature there is."""
        layout = columns(self.layout)
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
        layout.separator()
        layout.prop(settings, "only_selected", text=word("Only Selected"), translate=False)
        if mesh is not None:
            layout.prop_search(settings, "within", mesh, "vertex_groups")
        bind = layout.operator(names.BIND, icon="MOD_ARMATURE")
        bind.only_selected, bind.within = settings.only_selected, settings.within


class ResultPanel(SidebarPanel):
    """The finished rig."""

    bl_idname = names.PANEL_RESULT
    bl_label = "Rig"
    topic = "rig"
    bl_order = 3

    @classmethod
    def poll(cls, context) -> bool:
        """Only where there is one."""
        return armature_of(context.object) is not None or controls_of(context.object) is not None

    def draw(self, context) -> None:
        """What it is, how it is shown, and taking it away."""
        layout = columns(self.layout)
        layout.enabled = running() is None
        controls = controls_of(context.object)
        armature = armature_of(context.object) if controls is None else controls
        meshes = len(followers(armature))
        told = "{:d} bones, {:d} objects" if meshes != 1 else "{:d} bones, {:d} object"
        layout.label(text=bpy.app.translations.pgettext_iface(told).format(len(armature.data.bones), meshes),
                     icon="ARMATURE_DATA", translate=False)
        if controls is not None:
            layout.operator(names.SHOW_METARIG, icon="OUTLINER_OB_ARMATURE")
            layout.operator(names.PLAIN_RIG_AGAIN, icon="LOOP_BACK")
            return
        layout.prop(armature, "show_in_front")
        layout.prop(armature.data, "display_type")
        row = layout.row(align=True)
        row.use_property_split = False
        row.prop_enum(armature.data, "pose_position", "POSE", text="Pose")
        row.prop_enum(armature.data, "pose_position", "REST", text="Rest")
        layout.separator()
        layout.operator(names.CONTROL_RIG, icon="CON_ARMATURE")
        layout.operator_menu_enum(names.RENAME, "engine", text="Rename Bones for", icon="SORTALPHA")
        layout.separator()
        layout.operator(names.AUTO_RIG, text="Rig Anew", icon="FILE_REFRESH")
        layout.operator(names.REMOVE_RIG, icon="TRASH")


class TemplatesPanel(SidebarPanel):
    """Skeletons of the artist's own."""

    bl_idname = names.PANEL_TEMPLATES
    bl_label = "Templates"
    topic = "templates"
    bl_order = 20
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        """Keep, bring in, give out, delete."""
        layout = self.layout
        layout.operator(names.SAVE_TEMPLATE, icon="FILE_TICK")
        row = layout.row(align=True)
        row.operator(names.IMPORT_TEMPLATE, text="Import", icon="IMPORT")
        row.operator(names.EXPORT_TEMPLATE, text="Export", icon="EXPORT")
        layout.operator(names.DELETE_TEMPLATE, icon="TRASH")


CLASSES = (CharacterPanel, SkinPanel, ResultPanel, TemplatesPanel)
