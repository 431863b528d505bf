"""Skeletons of the artist's own: kept from an armature, brought in and out as JSON, deleted."""

from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...core.errors import RigError
from ...core.fitting.from_shape import is_shape
from ...core.skeleton.from_rig import template_from_rig
from .. import names, props
from ..bridge.armature import read_rig
from ..characters.templates import (
    OWN,
    delete_template,
    import_template,
    own_templates,
    save_template,
    write_template,
)
from ..choices import named_template
from ..current import active_in
from ..words.telling import tell


class SaveTemplate(bpy.types.Operator):
    """Keep the active armature's skeleton, to fit it into other characters"""

    bl_idname = names.SAVE_TEMPLATE
    bl_label = "Save as Template"
    bl_options = {"REGISTER"}

    name: props.StringProperty(name="Name", description="What the template is called in the menu")

    @classmethod
    def poll(cls, context) -> bool:
        """Needs an active armature."""
        if active_in(context) is None or active_in(context).type != "ARMATURE":
            cls.poll_message_set("Select an armature first")
            return False
        return True

    def invoke(self, context, event) -> set:
        """Ask for the name."""
        self.name = self.name or active_in(context).name
        return context.window_manager.invoke_props_dialog(self)

    def execute(self, context) -> set:
        """Keep it; which skeleton is chosen stays."""
        before = own_templates()
        try:
            name = self.name or active_in(context).name
            kept = save_template(template_from_rig(read_rig(active_in(context)), name), name)
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        _tell_of(self, kept, before)
        return {"FINISHED"}


def _tell_of(operator, kept: str, before: list[str]) -> None:
    """Report that a template is in the menu, or that one of before is no more."""
    operator.report({"INFO"}, tell(f"The template '{kept}' was replaced" if kept in before else
                                   f"The template '{kept}' is in the menu of skeletons now"))


class ImportTemplate(bpy.types.Operator, ImportHelper):
    """Add a skeleton template from a JSON file to the menu"""

    bl_idname = names.IMPORT_TEMPLATE
    bl_label = "Import Template"
    bl_options = {"REGISTER"}

    filename_ext = ".json"
    filter_glob: props.StringProperty(default="*.json", options={"HIDDEN"})

    def execute(self, context) -> set:
        """Keep a copy and choose it."""
        before = own_templates()
        try:
            name = import_template(Path(self.filepath))
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        getattr(context.scene, names.SETTINGS).preset = OWN + name
        _tell_of(self, name, before)
        return {"FINISHED"}


class ExportTemplate(bpy.types.Operator, ExportHelper):
    """Write the chosen skeleton template to a JSON file"""

    bl_idname = names.EXPORT_TEMPLATE
    bl_label = "Export Template"
    bl_options = {"REGISTER"}

    filename_ext = ".json"
    filter_glob: props.StringProperty(default="*.json", options={"HIDDEN"})

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a chosen template."""
        chosen = getattr(context.scene, names.SETTINGS).preset
        if chosen in {"auto", ""} or is_shape(chosen):
            cls.poll_message_set("Choose a skeleton first; Automatic and From Shape have no file")
            return False
        return True

    def execute(self, context) -> set:
        """Write it."""
        try:
            write_template(named_template(getattr(context.scene, names.SETTINGS).preset), Path(self.filepath))
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class DeleteTemplate(bpy.types.Operator):
    """Delete the chosen skeleton template of your own"""

    bl_idname = names.DELETE_TEMPLATE
    bl_label = "Delete Template"
    bl_options = {"REGISTER"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a chosen template of the artist's own."""
        if not getattr(context.scene, names.SETTINGS).preset.startswith(OWN):
            cls.poll_message_set("Only templates of your own can be deleted")
            return False
        return True

    def invoke(self, context, event) -> set:
        """Ask first: this cannot be undone."""
        return context.window_manager.invoke_confirm(self, event)

    def execute(self, context) -> set:
        """Delete it; the menu is Automatic again."""
        settings = getattr(context.scene, names.SETTINGS)
        try:
            delete_template(settings.preset.removeprefix(OWN))
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        settings.preset = "auto"
        return {"FINISHED"}


CLASSES = (SaveTemplate, ImportTemplate, ExportTemplate, DeleteTemplate)
