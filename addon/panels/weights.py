"""The weight check in the sidebar: a row for each thing looked at, its number, its verdict, what to do."""

from .. import names, session
from ..checking import armature_moving
from ..job import running
from ..telling import tell, word
from .sidebar import SidebarPanel, paragraph

ICONS = {"good": "CHECKMARK", "fair": "INFO", "poor": "ERROR"}
LABELS = {"bare": "Bare Vertices", "influences": "Most Bones", "stretch": "Stretch", "volume": "Volume Kept",
          "bleed": "Bleeding", "seams": "Open Seams", "mirror": "Left and Right"}
NUMBERS = {"bare": "{:.0f}", "influences": "{:.0f}", "stretch": "{:.1f} x", "volume": "{:.0%}", "bleed": "{:.1%}",
           "seams": "{:.1%}", "mirror": "{:.2f}"}


class WeightPanel(SidebarPanel):
    """What the weight check found."""

    bl_idname = names.PANEL_WEIGHTS
    bl_label = "Weight Check"
    bl_parent_id = names.PANEL_SKIN
    topic = "skin"

    def draw(self, context) -> None:
        """The button, and a row for each finding."""
        layout = self.layout
        layout.enabled = running() is None
        layout.operator(names.CHECK_WEIGHTS, icon="VIEWZOOM")
        armature = armature_moving(context.object)
        checked = session.weights_of(armature.name) if armature is not None else None
        if checked is None:
            return
        for finding in checked.findings:
            row = layout.row()
            columns = row.split(factor=0.7)
            columns.label(text=word(LABELS[finding.key]), translate=False, icon=ICONS[finding.verdict])
            columns.label(text=NUMBERS[finding.key].format(finding.told), translate=False)
            if finding.verdict != "good" and checked.marked(finding.key):
                row.operator(names.MARK_WEIGHTS, text="", icon="RESTRICT_SELECT_OFF").finding = finding.key
            if finding.verdict != "good":
                paragraph(layout, context, tell(finding.words), "BLANK1")
        layout.prop(getattr(context.scene, names.SETTINGS), "show_weights", icon="OVERLAY")


CLASSES = (WeightPanel,)
