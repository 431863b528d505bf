"""Help, and the buttons of the preferences."""

import bpy

from ...core.errors import RigError
from .. import manual, names, props
from ..characters import templates
from ..preferences import DEFAULTS, preferences
from ..words.telling import tell


class Help(bpy.types.Operator):
    """Read about this in Geppetto's manual, which opens in the web browser and needs no network"""

    bl_idname = names.HELP
    bl_label = "Manual"
    bl_options = {"INTERNAL"}

    topic: props.StringProperty(name="Topic", description="What to read about; the beginning if empty")

    def execute(self, context) -> set:
        """Open it."""
        bpy.ops.wm.url_open(url=manual.address(self.topic))
        return {"FINISHED"}


class OpenTemplates(bpy.types.Operator):
    """Open the folder of your own skeleton templates"""

    bl_idname = names.OPEN_TEMPLATES
    bl_label = "Open Template Folder"
    bl_options = {"INTERNAL"}

    def execute(self, context) -> set:
        """Open it, made if there is none yet."""
        try:
            bpy.ops.wm.path_open(filepath=str(templates.folder(create=True)))
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class ThemeColors(bpy.types.Operator):
    """Take the colors of joints and bones from Blender's theme"""

    bl_idname = names.THEME_COLORS
    bl_label = "Colors of the Theme"
    bl_options = {"INTERNAL"}

    def execute(self, context) -> set:
        """Axes for the sides, as elsewhere in Blender; what is active for what is pinned."""
        theme = context.preferences.themes[0]
        wanted = preferences()
        wanted.left, wanted.right = theme.user_interface.axis_z, theme.user_interface.axis_x
        wanted.middle, wanted.pinned = theme.view_3d.object_active[:3], theme.user_interface.axis_y
        wanted.joint = theme.view_3d.bone_solid[:3]
        return {"FINISHED"}


class ResetPreferences(bpy.types.Operator):
    """Set all of Geppetto's preferences to what they were at first"""

    bl_idname = names.RESET_PREFERENCES
    bl_label = "Reset"
    bl_options = {"INTERNAL"}

    def execute(self, context) -> set:
        """Reset them."""
        wanted = preferences()
        for key in DEFAULTS:
            wanted.property_unset(key)
        return {"FINISHED"}


CLASSES = (Help, OpenTemplates, ThemeColors, ResetPreferences)
