"""The fourth step: check joints and weights; a sentence for each finding, and what mends it."""

from .. import names, session
from ..characters.checking import Checked, armature_moving, misplaced_told
from ..characters.rigged import followers, is_ours
from ..job import running
from ..words.telling import tell
from .sidebar import SidebarPanel, paragraph

ICONS = {"good": "CHECKMARK", "fair": "INFO", "poor": "ERROR"}
# What mends a finding: those whose vertices can be smoothed, those that a new binding mends.
SMOOTHED, BOUND_AGAIN = ("stretch", "bleed", "seams"), ("bare", "stretch", "bleed")


class TestPanel(SidebarPanel):
    """What the check found, where the button for it is."""

    bl_idname = names.PANEL_TEST
    bl_label = "4  Test"
    bl_order = 3
    topic = "test"

    def draw(self, context) -> None:
        """The button, and the findings, the joints first."""
        layout = self.layout
        layout.enabled = running() is None
        layout.operator(names.CHECK_WEIGHTS, icon="VIEWZOOM")
        layout.prop(getattr(context.scene, names.SETTINGS), "show_weights", icon="OVERLAY")
        armature = armature_moving(context.object)
        checked = session.weights_of(armature.session_uid) if armature is not None else None
        if checked is not None:
            draw_joints(layout, context, armature, checked)
            for finding in checked.findings:
                paragraph(layout, context, tell(finding.words), ICONS[finding.verdict])
                if finding.verdict != "good":
                    draw_remedies(layout, armature, checked, finding.key)


def draw_joints(layout, context, armature, checked: Checked) -> None:
    """Joints that lie wrong, and the way to put them right."""
    for found in checked.joints:
        paragraph(layout, context, misplaced_told(found), "ERROR")
    if not checked.joints:
        paragraph(layout, context, tell("The joints lie where the body has them."), "CHECKMARK")
    elif is_ours(armature):
        layout.operator(names.SHOW_JOINTS, icon="EMPTY_AXIS")


def preserves_volume(armature) -> bool:
    """Whether all that an armature moves is bent with its volume preserved."""
    return all(m.use_deform_preserve_volume for o in followers(armature) for m in o.modifiers
               if m.type == "ARMATURE" and m.object == armature)


def draw_remedies(layout, armature, checked: Checked, key: str) -> None:
    """Buttons that mend a finding."""
    row = layout.row(align=True)
    if checked.marked(key):
        row.operator(names.MARK_WEIGHTS, text="Select", icon="RESTRICT_SELECT_OFF").finding = key
        row.operator(names.PAINT_WEIGHTS, text="Paint", icon="BRUSH_DATA").finding = key
        if key in SMOOTHED:
            row.operator(names.SMOOTH_WEIGHTS, text="Smooth", icon="SMOOTHCURVE").finding = key
    row = layout.row(align=True)
    if key == "volume":
        if preserves_volume(armature):
            row.label(text="Preserve Volume is on", icon="CHECKMARK")
        else:
            row.operator(names.PRESERVE_VOLUME, icon="MOD_ARMATURE")
    if key == "mirror":
        row.operator_menu_enum(names.SYMMETRISE_WEIGHTS, "side", icon="MOD_MIRROR")
    if key in BOUND_AGAIN and is_ours(armature):
        row.operator(names.UPDATE_RIG, text="Bind Again", icon="FILE_REFRESH")


CLASSES = (TestPanel,)
