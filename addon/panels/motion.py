"""Motion in the sidebar: choose, press, it plays."""

from .. import names
from ..job import running
from .sidebar import SidebarPanel


class MotionPanel(SidebarPanel):
    """The motions a rigged character can do."""

    bl_idname = names.PANEL_MOTION
    bl_label = "Motion"
    bl_order = 10
    topic = "motion"

    def draw(self, context) -> None:
        """The motion's choice over a large button, how it is done below it, and motions from elsewhere."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.enabled = running() is None
        settings = getattr(context.scene, names.SETTINGS)
        layout.prop(settings, "motion")
        row = layout.row()
        row.scale_y = 1.6
        row.operator(names.MOVE, icon="PLAY")
        layout.operator(names.RIG_AND_MOVE, icon="ARMATURE_DATA")
        column = layout.column()
        for key in ("speed", "travel", "hold"):
            column.prop(settings, key)
        column = layout.column()
        column.operator(names.MOVE_FROM_FILE, icon="FILE_FOLDER")
        column.operator(names.MOVE_FROM_ARMATURE, icon="OUTLINER_OB_ARMATURE")
        column.prop(settings, "bone_map")
        column.operator(names.SAVE_BONE_MAP, icon="FILE_TICK")


CLASSES = (MotionPanel,)
