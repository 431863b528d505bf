"""Auto Rig: from selected meshes to a bound armature."""

import bpy

from ...core.errors import RigError
from ...core.skeleton.preset import load_template
from .. import names
from ..properties import method_property, preset_property
from ..rigging import auto_rig


class AutoRig(bpy.types.Operator):
    """Fit a skeleton into the selected meshes and bind them to it; together they are one character"""

    bl_idname = names.AUTO_RIG
    bl_label = "Auto Rig"
    bl_options = {"REGISTER", "UNDO"}

    preset: preset_property()
    method: method_property()

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a mesh selected in Object mode."""
        if context.mode != "OBJECT":
            cls.poll_message_set("Switch to Object mode first")
            return False
        if not any(o.type == "MESH" for o in context.selected_objects):
            cls.poll_message_set("Select the character's mesh objects first")
            return False
        return True

    def invoke(self, context, event) -> set:
        """From a button: with the sidebar's choices."""
        settings = getattr(context.scene, names.SETTINGS)
        self.preset, self.method = settings.preset, settings.method
        return self.execute(context)

    def execute(self, context) -> set:
        """Rig the selection."""
        try:
            rigged = auto_rig(context, context.selected_objects, load_template(self.preset), method=self.method)
        except RigError as error:
            self.report({"ERROR"}, str(error))
            return {"CANCELLED"}
        for warning in rigged.warnings:
            self.report({"WARNING"}, warning)
        self.report({"INFO"}, f"{len(rigged.rig.names)} bones, {len(rigged.character.mesh.vertices)} vertices, "
                              f"{sum(rigged.seconds.values()):.1f} s")
        return {"FINISHED"}


def menu_entry(menu, context) -> None:
    """Auto Rig in the Object menu."""
    menu.layout.separator()
    menu.layout.operator(names.AUTO_RIG, icon="ARMATURE_DATA")


CLASSES = (AutoRig,)
MENUS = (("VIEW3D_MT_object", menu_entry),)
