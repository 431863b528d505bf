"""Motion in the sidebar: choose, press, it plays."""

from pathlib import Path

from ...core.motion.authoring.library import GAITS
from ...core.skeleton.bone_map import ROLES
from .. import names, session
from ..job import running
from ..motion.moving import armature_of
from ..properties import VALUES
from ..words.telling import tell, word
from .sidebar import SidebarPanel, paragraph

MOST = 40  # actions of a file that the panel lists


class MotionPanel(SidebarPanel):
    """The motions a rigged character can do."""

    bl_idname = names.PANEL_MOTION
    bl_label = "Motion"
    bl_order = 10
    topic = "motion"

    def draw(self, context) -> None:
        """The motion over a large button, what may be wrong with it, how it is done, and motions from elsewhere."""
        layout = self.layout
        layout.use_property_split = True
        layout.use_property_decorate = False
        layout.enabled = running() is None
        settings = getattr(context.scene, names.SETTINGS)
        layout.prop(settings, "motion")
        row = layout.row()
        row.scale_y = 1.6
        row.operator(names.MOVE, icon="PLAY")
        armature = armature_of(context.active_object)
        if armature is None:
            layout.operator(names.RIG_AND_MOVE, icon="ARMATURE_DATA")
        for text in session.doubts_of(armature.session_uid) if armature is not None else ():
            paragraph(layout, context, tell(text), "ERROR")
        column = layout.column()
        for key in ("energy", "width", "mood"):
            column.prop(settings, key, slider=True)
        column = layout.column()
        column.active = settings.motion in GAITS
        column.prop(settings, "pace")
        row = column.row()
        row.active = settings.pace in VALUES
        row.prop(settings, "ground_speed", text=VALUES.get(settings.pace, VALUES["metres"]))
        column = layout.column()
        for key in ("speed", "travel", "hold", "no_drift", "reduce"):
            column.prop(settings, key)
        layout.separator()
        column = layout.column()
        column.operator(names.MOVE_FROM_FILE, icon="FILE_FOLDER")
        column.operator(names.MOVE_FROM_ARMATURE, icon="OUTLINER_OB_ARMATURE")
        column.prop(settings, "bone_map")
        path, found = session.motions()
        if len(found) > 1:
            column = layout.column(align=True)
            column.label(text=Path(path).name, icon="ACTION", translate=False)
            for one in found[:MOST]:
                row = column.operator(names.MOVE_FROM_FILE, text=f"{one.name}  ({one.seconds:.1f} s)", translate=False)
                row.filepath, row.action = path, one.name

class BoneMapPanel(SidebarPanel):
    """Which bone of the active armature is what: found out by itself unless it is filled in here."""

    bl_idname = names.PANEL_BONE_MAP
    bl_label = "Bone Map"
    bl_parent_id = names.PANEL_MOTION
    bl_options = {"DEFAULT_CLOSED"}
    topic = "motion"

    def draw(self, context) -> None:
        """Buttons; below them the parts of the body with a field for each, marked where a bone is unknown."""
        layout = self.layout
        layout.enabled = running() is None
        armature = armature_of(context.active_object)
        row = layout.row(align=True)
        row.operator(names.GUESS_BONE_MAP, icon="VIEWZOOM")
        row.operator(names.LOAD_BONE_MAP, text="", icon="FILE_FOLDER")
        row.operator(names.SAVE_BONE_MAP, text="", icon="FILE_TICK")
        row.operator(names.CLEAR_BONE_MAP, text="", icon="X")
        if armature is None:
            layout.label(text="Select a rigged character first", icon="INFO")
            return
        held = getattr(armature.data, names.BONE_MAP)
        if not len(held.roles):
            paragraph(layout, context, word("Found out by itself for each motion"), "INFO")
            return
        items = {item.name: item for item in held.roles}
        for group, parts in ROLES.items():
            _draw_group(layout, armature, group, parts, items)
        others = [n for n in items if n.partition(".")[0] not in {p for parts in ROLES.values() for p in parts}]
        for name in others:
            _draw_field(layout, armature, items[name], name.replace("_", " ").title())


def _draw_group(layout, armature, group: str, parts, items) -> None:
    """The fields of one part of the body, left before right."""
    found = [(part, side) for part in parts for side in ("", ".L", ".R") if part + side in items]
    if not found:
        return
    column = layout.column(align=True)
    column.label(text=word(group), translate=False)
    for part, side in found:
        text = part.split("_", 1)[-1] if group in {"Front Legs", "Hind Legs"} else part.replace("_", " ")
        _draw_field(column, armature, items[part + side], f"{tell(text.title())} {side[1:]}")


def _draw_field(column, armature, item, text: str) -> None:
    """A part and its bone: a question mark where none is given, a warning where there is no such bone."""
    is_known = item.bone in armature.data.bones
    row = column.row(align=True)
    row.alert = not is_known
    line = row.split(factor=0.4, align=True)
    line.label(text=text, translate=False)
    line.prop_search(item, "bone", armature.data, "bones", text="",
                     icon="BONE_DATA" if is_known else "ERROR" if item.bone else "QUESTION")


CLASSES = (MotionPanel, BoneMapPanel)
