"""The sidebar's tab, step by step: look at the character, rig it; then the finished rig."""

import bpy

from ...core.fitting.check import sentence
from ...core.fitting.forewarning import SEVERAL
from ...core.fitting.from_shape import NAME, detail_of, is_shape, what_of
from ...core.hanging.thing import is_wing
from ...core.skeleton.root import BASE, ON_BASE
from .. import names, session
from ..bridge.armature import read_detail, read_notes, read_things, read_warnings
from ..characters.control_rig import any_controls_of
from ..characters.fitted import is_outdated
from ..characters.rigged import armature_of, followers, selected_character
from ..choices import detail_options, names_in, preset_label
from ..editing import joints, pins
from ..editing.meant import active_meant
from ..job import draw_progress, running
from ..motion.swaying import chains_of, sways
from ..words.joint_words import thing_word
from ..words.telling import tell, word
from .sidebar import SidebarPanel, columns, paragraph

COUNTED = 2.4  # units of the interface: a sign and a number of one or two digits


class CharacterPanel(SidebarPanel):
    """The first step: what the character is. It stays as long as it is, whatever there is to tell."""

    bl_idname = names.PANEL_CHARACTER
    bl_label = "1  Check"
    bl_order = 0

    def draw(self, context) -> None:
        """What the character is taken for, and a line that holds all warnings."""
        layout = columns(self.layout)
        settings = getattr(context.scene, names.SETTINGS)
        layout.prop(settings, "preset")
        if is_shape(settings.preset):
            layout.prop(settings, "shape_detail", text="Bones", slider=True)
            draw_made_with(layout, context, settings.shape_detail)
        column = layout.column(align=True)
        for heading, choices in (("Detail, Fingers", ("detail", "fingers")), ("Up, Front", ("up", "front"))):
            split = column.split(factor=0.4, align=True)
            split.use_property_split = False
            words = split.row()
            words.alignment = "RIGHT"
            words.label(text=heading)
            for choice in choices:
                cell = split.row(align=True)
                part = cell.row(align=True)
                part.active = choice != "fingers" or settings.detail != "body"
                part.prop(settings, choice, text="")
                if choice == "fingers":
                    more = cell.row(align=True)
                    more.ui_units_x = 1.0
                    more.popover(names.PANEL_DETAIL, text="", icon="NONE")
        layout.operator(names.CHECK, icon="VIEWZOOM")
        owner = owner_in(context)
        found = session.check_of(owner.session_uid) if owner is not None else None
        row = layout.row(align=True)
        if found is not None or quiet_notes_of(owner):  # too long for a line: a click shows it
            row.popover(names.PANEL_NOTES, text=kind_told(owner), translate=False, icon="INFO")
        else:
            row.label(text=kind_told(owner), translate=False, icon="INFO")
        if found is not None and found.other_preset:  # its name takes a line: warnings are counted beside the kind
            if count := len(notes_of(context, owner)):
                warned = row.row(align=True)
                warned.alert, warned.ui_units_x = True, COUNTED
                warned.popover(names.PANEL_NOTES, text=str(count), translate=False, icon="ERROR")
            _draw_other_kind(layout, found, settings.preset)
        else:
            draw_notes(layout, context)


def draw_made_with(layout, context, detail: float) -> None:
    """A line where there is a rig, whatever there is to tell: whether it has another number of bones than chosen."""
    armature = armature_of(owner_in(context))
    if armature is not None:
        made = armature.data[names.MADE_BY]
        if is_shape(made) and detail_of(made) == round(detail, 2):
            layout.label()
        else:
            layout.label(text="Rig anew to apply", icon="INFO")


def owner_in(context):
    """The object that holds the pins of the selected character, of several the active one, or of the one that a control
    rig moves."""
    controls = any_controls_of(active_meant(context))
    if controls is None and context.object in context.selected_objects:
        controls = armature_of(context.object)
    return pins.owner_of(selected_character(context)[0] if controls is None else followers(controls))


def kind_told(owner) -> str:
    """What a character is, by the object that holds its pins: what was found, or what it was rigged as instead."""
    found = session.check_of(owner.session_uid) if owner is not None else None
    controls = any_controls_of(owner)
    armature = armature_of(owner) if controls is None else controls[names.PLAIN_RIG]
    made_of = armature.data[names.MADE_BY] if armature is not None else ""
    made_of = what_of(made_of) if is_shape(made_of) else made_of
    if made_of and (found is None or found.preset != made_of):
        return word("Rigged from its shape") if made_of == NAME else (
            word("Rigged as {}").format(word(preset_label(made_of))))
    if found is None:
        return word("Not checked yet")
    kind = word("No known kind" if found.preset == NAME else preset_label(found.preset))
    return f"{kind}: {found.odds[found.preset]:.0%}" if is_shape(found.preset) else kind


def draw_notes(layout, context) -> None:
    """One line, always: how many warnings there are, once somebody has looked, or else what hangs or is held and has no
    bones. A click shows them all."""
    owner = owner_in(context)
    count = len(notes_of(context, owner))
    row = layout.row()
    if count:
        row.alert = True
        text = word("{:d} Warnings" if count > 1 else "{:d} Warning").format(count)
        row.popover(names.PANEL_NOTES, text=text, translate=False, icon="ERROR")
    elif stiff := things_without_bones(armature_of(owner)):
        text = word("{:d} Things Without Bones" if len(stiff) > 1 else "{:d} Thing Without Bones").format(len(stiff))
        row.popover(names.PANEL_DETAIL, text=text, translate=False, icon="INFO")
    elif owner is not None and session.check_of(owner.session_uid) is not None:
        row.label(text="No warnings", icon="CHECKMARK")
    else:
        row.label()  # nobody has looked


def notes_of(context, owner) -> list[str]:
    """What there is to warn of: about a character, by the object that holds its pins, and about the joints shown.

    What is said of the kind of body that was found is left out where the artist has chosen another.
    """
    found = session.check_of(owner.session_uid) if owner is not None else None
    armature = armature_of(owner)
    holds = found.warnings_for(getattr(context.scene, names.SETTINGS).preset) if found is not None else ()
    if armature is None or session.is_check_newest(owner.session_uid):
        said = list(holds)
    else:  # when it was rigged another skeleton may have been chosen
        gone = {sentence(text) for text in (found.warnings if found is not None else ()) if text not in holds}
        said = [text for text in read_warnings(armature) if text not in gone]
    what = joints.shown_in(context)
    if what is not None:
        said += [what.problem] * bool(what.problem) + [joints.STALE] * what.is_stale()
    return said


def quiet_notes_of(owner) -> tuple[str, ...]:
    """What is good to know of how a rig was made, and no cause for a look, by the object that holds its pins."""
    armature = armature_of(owner)
    return () if armature is None else read_notes(armature)


def draw_findings(layout, context, owner) -> None:
    """All there is to tell about a character, in full."""
    found = session.check_of(owner.session_uid) if owner is not None else None
    if found is not None:
        _draw_finding(layout, context, f"{word(preset_label(found.preset))}: {found.reason}", "INFO")
        _draw_other_kind(layout, found, getattr(context.scene, names.SETTINGS).preset)
        _draw_other_stance(layout, found)
    for note in quiet_notes_of(owner):
        _draw_finding(layout, context, note, "INFO")
    for warning in notes_of(context, owner):
        _draw_finding(layout, context, warning, "ERROR")
        if warning.rstrip(".").lower() == SEVERAL:
            layout.operator(names.SEPARATE, icon="MOD_EXPLODE")
    if things_without_bones(armature_of(owner)):
        draw_things(layout, context)


def _draw_other_kind(layout, found, chosen: str) -> None:
    """What else a character may be, at a click; only in doubt."""
    if found.other_preset:
        other = found.preset if chosen == found.other_preset else found.other_preset
        layout.operator(names.TAKE_OTHER, text=word("Rig as {}").format(word(preset_label(other))), translate=False,
                        icon="FILE_REFRESH").preset = other


def _draw_other_stance(layout, found) -> None:
    """How else a character may stand, at a click; only in doubt."""
    if found.other_stance:
        up, front = found.other_stance
        text = word("Rig with {} Up, Facing {}").format(up, front)
        button = layout.operator(names.TAKE_OTHER, text=text, translate=False, icon="ORIENTATION_GIMBAL")
        button.up, button.front = up, front


def _draw_finding(layout, context, said: str, icon: str) -> None:
    said = tell(said)
    paragraph(layout, context, said[:1].upper() + said[1:], icon, NotesPanel.bl_ui_units_x)


class NotesPanel(bpy.types.Panel):
    """What opens below the line that says what it is, and below that of warnings."""

    bl_idname = names.PANEL_NOTES
    bl_label = "Warnings"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_options = {"INSTANCED"}
    bl_ui_units_x = 20

    def draw(self, context) -> None:
        """All of them."""
        draw_findings(self.layout, context, owner_in(context))


class DetailPanel(bpy.types.Panel):
    """What opens beside the level of detail."""

    bl_idname = names.PANEL_DETAIL
    bl_label = "Small Bones"
    bl_space_type = "VIEW_3D"
    bl_region_type = "HEADER"
    bl_options = {"INSTANCED"}

    def draw(self, context) -> None:
        """Twist bones and things, which only a full skeleton has, and the root, which it always has."""
        layout = columns(self.layout)
        settings = getattr(context.scene, names.SETTINGS)
        for choice, counts in (("twists", settings.detail == "full"), ("root", settings.detail != "full")):
            row = layout.row()
            row.active = counts
            row.prop(settings, choice)
        draw_things(self.layout, context)


def things_without_bones(armature) -> tuple[str, ...]:
    """What hangs on a rigged character or is held by it, where its skeleton is not full.

    Wings and bases have bones there too.
    """
    if armature is None or read_detail(armature).level == "full":
        return ()
    return tuple(thing for thing in read_things(armature) if thing != BASE and not is_wing(thing))


def draw_things(layout, context) -> None:
    """A tick for each thing that was found on the character when it was rigged, and for a base that the check found."""
    armature, owner = armature_of(context.object), owner_in(context)
    if armature is None and owner is None:
        return
    settings = getattr(context.scene, names.SETTINGS)
    left_out, is_full = names_in(settings.without), settings.detail == "full"
    if armature is None:
        checked = session.check_of(owner.session_uid)
        known, made = (BASE,) * (checked is not None and ON_BASE in checked.warnings), detail_options(settings)
    else:
        known, made = read_things(armature), read_detail(armature)
    found, hangs = [thing for thing in known if thing != BASE], armature is not None and bool(chains_of(armature))
    has_base = BASE in (*known, *left_out, *made.without)
    if found or hangs or has_base:
        layout.label(text="Hair, Clothes and Things")
    column = layout.column(align=True)
    for thing in (*found, *[BASE] * has_base):
        row = column.row()
        row.active = is_full or thing == BASE
        row.alignment = "LEFT"
        row.operator(names.TOGGLE_THING, text=thing_word(thing), translate=False, emboss=False,
                     icon="CHECKBOX_DEHLT" if thing in left_out else "CHECKBOX_HLT").thing = thing
    if hangs:
        row = layout.row()
        row.operator(names.TOGGLE_SWAY, icon="CHECKBOX_HLT" if sways(armature) else "CHECKBOX_DEHLT",
                     depress=sways(armature))
    change = set(left_out) ^ set(made.without)
    if things_without_bones(armature) and not is_full:
        layout.label(text="Full gives them bones", icon="INFO")
    elif (found and made.level != "full") or change & {BASE, *found}:
        layout.label(text="Rig anew to apply", icon="INFO")


class RigPanel(SidebarPanel):
    """The second step: one large button, and a slider that bends what it has made."""

    bl_idname = names.PANEL_RIG
    bl_label = "2  Rig"
    bl_order = 1

    def draw(self, context) -> None:
        """Auto Rig over what is selected and the test pose."""
        layout = self.layout
        if running() is not None:
            draw_progress(layout)
            layout.label(text="Esc or right click: cancel", icon="CANCEL")
        else:
            row = layout.row()
            row.scale_y = 2.0
            row.operator(names.AUTO_RIG, icon="ARMATURE_DATA")
        draw_test_pose(layout, context)


def draw_test_pose(layout, context) -> None:
    """The slider of the character that is selected, grey where that has no plain rig, and what it shows."""
    meant = [active_meant(context), owner_in(context)]
    armature = next(filter(None, map(armature_of, meant)), None)
    row = layout.row()
    if armature is None:
        row.enabled = False
        if not any(map(any_controls_of, meant)):
            row.label(text="Test Pose: rig a character first", icon="ARMATURE_DATA")
        else:
            row.label(text="Test Pose: Back to Plain Rig first", icon="ARMATURE_DATA")
        return
    told = tell(armature[names.POSE_TOLD]) if names.POSE_TOLD in armature else word("Test Pose")
    row.prop(armature, names.TEST_POSE, slider=True, text=told, translate=False)


def size_told(armature) -> str:
    """How many bones a rig has, and how many objects it moves."""
    bones, meshes = len(armature.data.bones), len(followers(armature))
    told = ("{:d} bones, " if bones != 1 else "{:d} bone, ") + ("{:d} objects" if meshes != 1 else "{:d} object")
    return word(told).format(bones, meshes)


class ResultPanel(SidebarPanel):
    """The finished rig."""

    bl_idname = names.PANEL_RESULT
    bl_label = "Finished Rig"
    bl_order = 6
    topic = "rig"

    @classmethod
    def poll(cls, context) -> bool:
        """Only where there is one."""
        return armature_of(context.object) is not None or any_controls_of(context.object) is not None

    def draw(self, context) -> None:
        """What it is, how it is shown, and taking it away."""
        layout = columns(self.layout)
        layout.enabled = running() is None
        controls = any_controls_of(context.object)
        armature = armature_of(context.object) if controls is None else controls
        layout.label(text=size_told(armature), icon="ARMATURE_DATA", translate=False)
        if controls is not None:
            layout.operator(names.SHOW_METARIG, icon="OUTLINER_OB_ARMATURE")
            layout.operator(names.PLAIN_RIG_AGAIN, icon="LOOP_BACK")
            return
        if is_outdated(armature):
            layout.label(text="Older than its joints: Update Rig", icon="ERROR")
        layout.prop(armature, "show_in_front")
        layout.prop(armature.data, "display_type")
        row = layout.row(align=True)
        row.use_property_split = False
        row.prop_enum(armature.data, "pose_position", "POSE", text="Pose")
        row.prop_enum(armature.data, "pose_position", "REST", text="Rest")
        layout.separator()
        layout.operator(names.CONTROL_RIG, icon="CON_ARMATURE")
        layout.operator_menu_enum(names.RENAME, "engine", text="Rename Bones", icon="SORTALPHA")
        layout.separator()
        layout.operator(names.AUTO_RIG, text="Rig Anew", icon="FILE_REFRESH")
        layout.operator(names.REMOVE_RIG, icon="TRASH")


CLASSES = (CharacterPanel, NotesPanel, DetailPanel, RigPanel, ResultPanel)
