"""The skin of a finished rig in the sidebar, and skeletons of the artist's own."""

from .. import names
from ..characters.blending import binding_told, is_sharpness_live
from ..characters.rigged import armature_of
from ..job import running
from ..words.telling import tell, word
from .sidebar import SidebarPanel, columns, paragraph


class SkinPanel(SidebarPanel):
    """How the skin is bound."""

    bl_idname = names.PANEL_SKIN
    bl_label = "Skin"
    topic = "skin"
    bl_order = 8
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        """The choices, what has an effect on the rig there is, and binding to an armature there is."""
        layout = columns(self.layout)
        layout.enabled = running() is None
        settings = getattr(context.scene, names.SETTINGS)
        armature = armature_of(context.object)
        layout.prop(settings, "method")
        paragraph(layout, context, tell(binding_told(armature)), "INFO")
        layout.prop(settings, "influences")
        layout.prop(settings, "rigid_parts")
        column = layout.column()
        column.active = settings.method == "geodesic" or (armature is None and settings.method == "auto") or (
            is_sharpness_live(armature, settings))
        column.prop(settings, "alpha", slider=True)
        column.prop(settings, "resolution")
        if armature is not None and names.BLENDING in armature:
            paragraph(layout, context, tell(armature[names.BLENDING]), "ERROR")
        mesh = next((o for o in context.selected_objects if o.type == "MESH"), None)
        layout.separator()
        layout.prop(settings, "only_selected", text=word("Only Selected"), translate=False)
        if mesh is not None:
            layout.prop_search(settings, "within", mesh, "vertex_groups")
        bind = layout.operator(names.BIND, icon="MOD_ARMATURE")
        bind.only_selected, bind.within = settings.only_selected, settings.within
        layout.separator()
        layout.operator(names.COPY_WEIGHTS, icon="MOD_DATA_TRANSFER")
        layout.operator_menu_enum(names.SYMMETRISE_WEIGHTS, "side", icon="MOD_MIRROR")


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


CLASSES = (SkinPanel, TemplatesPanel)
