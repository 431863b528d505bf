"""The sidebar's tab: choose a skeleton, press the button."""

import bpy

from .. import names


class CharacterPanel(bpy.types.Panel):
    """The one panel needed to rig a character."""

    bl_idname = names.PANEL_CHARACTER
    bl_label = "Character"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = names.TAB

    def draw(self, context) -> None:
        """The skeleton's choice over one large button."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = getattr(context.scene, names.SETTINGS)
        layout.prop(settings, "preset")
        layout.prop(settings, "method")
        row = layout.row()
        row.scale_y = 2.0
        row.operator(names.AUTO_RIG, icon="ARMATURE_DATA")


CLASSES = (CharacterPanel,)
