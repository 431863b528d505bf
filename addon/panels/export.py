"""The finished character's way out: its rest pose, and a button for each engine."""

from ...core.skeleton.engine import engines, load_engine
from .. import names
from ..characters.control_rig import controls_of
from ..characters.rest_poses import pose_of
from ..characters.rigged import armature_of
from ..job import running
from .sidebar import SidebarPanel


class ExportPanel(SidebarPanel):
    """Rest pose and export."""

    bl_idname = names.PANEL_EXPORT
    bl_label = "5  Export"
    topic = "export"
    bl_order = 4

    @classmethod
    def poll(cls, context) -> bool:
        """Only where there is a rig."""
        return armature_of(context.object) is not None or controls_of(context.object) is not None

    def draw(self, context) -> None:
        """Three rest poses, then the engines."""
        layout = self.layout
        layout.enabled = running() is None
        armature = armature_of(context.object)
        layout.label(text="Rest in")
        row = layout.row(align=True)
        for pose, label in (("T", "T-Pose"), ("A", "A-Pose"), ("modelled", "As Modelled")):
            is_now = armature is not None and pose_of(armature) == pose
            row.operator(names.REST_POSE, text=label, depress=is_now).pose = pose
        layout.label(text="Export for")
        grid = layout.grid_flow(row_major=True, columns=2, even_columns=True, align=True)
        for name in engines():
            grid.operator(names.EXPORT_FOR, text=load_engine(name).label, translate=False).engine = name


CLASSES = (ExportPanel,)
