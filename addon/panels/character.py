"""The sidebar's tab: choose a skeleton, press the button."""

import bpy

from .. import names
from ..job import draw_progress, running


class CharacterPanel(bpy.types.Panel):
    """The one panel needed to rig a character."""

    bl_idname = names.PANEL_CHARACTER
    bl_label = "Character"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = names.TAB

    def draw(self, context) -> None:
        """One large button over the skeleton's choice."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        settings = getattr(context.scene, names.SETTINGS)
        if running() is not None:
            draw_progress(layout)
            layout.label(text="Esc or right click: cancel", icon="CANCEL")
        else:
            row = layout.row()
            row.scale_y = 2.0
            row.operator(names.AUTO_RIG, icon="ARMATURE_DATA")
        layout.prop(settings, "preset")
        layout.prop(settings, "method")


CLASSES = (CharacterPanel,)
