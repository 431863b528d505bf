"""Joints in the sidebar: whose they are, the handles, what is doubtful, the pins, bringing the rig after them.

Every line has its place, whether there is something to tell or not: nothing moves away under the mouse.
"""

import bpy

from ...core.fitting.from_shape import ShapeTemplate
from .. import names
from ..bridge.pose import is_posed
from ..characters.fitted import has_moved_bones, is_outdated
from ..editing import joints
from ..editing.meant import character_armature, character_owner, characters_in
from ..editing.reading import reading_line, reading_of
from ..job import running
from ..words.joint_words import joint_word
from ..words.telling import tell, word
from .sidebar import SidebarPanel, width_of

HEADING = 9.0  # units of the interface that the heading, its arrow and the question mark take
SHORTEST = 2.0  # units that a name takes at least


class PinList(bpy.types.UIList):
    """Pinned joints by what people call them."""

    bl_idname = names.PIN_LIST

    def draw_item(self, context, layout, data, item, icon, active_data, active_property, index=0, flag=0) -> None:
        """A joint and a button that lets it go."""
        what = joints.shown_in(context)
        layout.label(text=joint_word(item.name, what.template.name if what is not None else ""), icon="PINNED",
                     translate=False)
        layout.operator(names.REMOVE_PIN, text="", icon="X", emboss=False).joint = item.name


class CharacterMenu(bpy.types.Menu):
    """All characters whose joints may be shown."""

    bl_idname = names.CHARACTER_MENU
    bl_label = "Character"

    def draw(self, context) -> None:
        """A line for each."""
        for o in characters_in(context):
            button = self.layout.operator(names.SHOW_JOINTS, text=o.name, translate=False, icon="OUTLINER_OB_ARMATURE")
            button.character = o.name


class JointsPanel(SidebarPanel):
    """Handles and pins."""

    bl_idname = names.PANEL_JOINTS
    bl_label = "3  Joints"
    bl_order = 2
    topic = "a-joint-lies-wrong"

    def draw_header_preset(self, context) -> None:
        """Whose joints these are, with all others to choose from; help."""
        owner, room = character_owner(context), room_for_name(context)
        if owner is not None and room:
            row = self.layout.row()
            row.ui_units_x = room
            row.menu(names.CHARACTER_MENU, text=owner.name, translate=False)
        super().draw_header_preset(context)

    def draw(self, context) -> None:
        """Buttons, how to drag, what the body is taken for and what is doubtful, the list of pins."""
        layout = self.layout
        layout.enabled = running() is None
        what = joints.shown_in(context)
        row = layout.row(align=True)
        row.scale_y = 1.4
        if what is None:
            row.operator(names.SHOW_JOINTS, icon="EMPTY_AXIS")
        else:
            row.operator(names.HIDE_JOINTS, icon="CHECKMARK", depress=True)
            row.operator(names.DISCARD_JOINTS, text="", icon="X")
        self.draw_state(context, what)
        self.draw_sides(context, what)
        if what is not None and isinstance(what.base, ShapeTemplate):
            row = layout.row(align=True)
            row.operator(names.ADD_LIMB, icon="ADD")
            row.operator(names.REMOVE_LIMB, icon="REMOVE")
            row.operator(names.CLEAR_LIMBS, text="", icon="LOOP_BACK")
        self.draw_doubt(context, what)
        row = layout.row(align=True)
        row.operator(names.CLEAR_PINS, icon="UNPINNED")
        row.operator(names.UPDATE_RIG, icon="FILE_REFRESH")
        owner = character_owner(context)  # while joints are edited the list is there, so that no drag moves a line
        if owner is not None and (what is not None or len(getattr(owner, names.PINS))):
            layout.template_list(names.PIN_LIST, "", owner, names.PINS, owner, names.ACTIVE_PIN, rows=3, maxrows=3)

    def draw_state(self, context, what) -> None:
        """One line: what to do, or what is wrong."""
        armature, space = character_armature(context), context.space_data
        if what is not None and what.is_stale():
            row = self.layout.row()
            row.alert = True
            button = row.operator(names.SHOW_JOINTS, text="The mesh has changed: Look Again", icon="FILE_REFRESH")
            button.character = what.owner
        elif what is not None and what.problem:
            self.layout.popover(names.PANEL_NOTES, text=tell(what.problem), icon="ERROR", translate=False)
        elif armature is not None and has_moved_bones(armature):
            row = self.layout.row(align=True)
            row.label(text="Bones moved by hand", icon="INFO")
            row.operator(names.UPDATE_RIG, text="Pin Them")
            row.operator(names.UPDATE_RIG, text="Put Back").keep_moved = False
        elif what is not None and space is not None and not space.overlay.show_overlays:
            self.layout.prop(space.overlay, "show_overlays", text="Switch Overlays On to See Joints", icon="OVERLAY")
        elif what is not None and joints.seen_in(context) is None:
            self.layout.label(text="The character is hidden here", icon="HIDE_ON")
        elif what is not None and space is not None and not space.show_gizmo and not joints.steps_back(context):
            self.layout.prop(space, "show_gizmo", text="Switch Gizmos On to Drag Joints", icon="GIZMO")
        elif armature is not None and is_outdated(armature):
            self.layout.label(text="The rig is older than its joints", icon="ERROR")
        elif what is not None and joints.steps_back(context):
            self.layout.label(text="Joints are dragged in Object Mode", icon="INFO")
        elif what is not None and context.screen is not None and context.screen.is_animation_playing:
            self.layout.label(text="Stop the playback to drag joints", icon="INFO")  # Blender rests its gizmos
        elif what is not None and armature is not None and is_posed(armature):
            split = self.layout.split(factor=0.56)
            split.label(text="Handles lie at rest", icon="INFO")
            row = split.row(align=True)
            for position, text in (("POSE", "Pose"), ("REST", "Rest")):
                row.prop_enum(armature.data, "pose_position", position, text=text)
        elif what is not None:
            self.layout.label(text="Drag a joint to pin it. Esc discards", icon="INFO")
        else:
            self.layout.label(text="Does a joint lie wrong? Edit it", icon="INFO")

    def draw_sides(self, context, what) -> None:
        """Mirror and the like."""
        settings = getattr(context.scene, names.JOINTS)
        row = self.layout.row(align=True)
        row.prop(settings, "mirror", toggle=True, icon="MOD_MIRROR")
        row.prop(settings, "snap", text=word("Snap"), translate=False, toggle=True, icon="SNAP_ON")
        row.prop(settings, "show_names", toggle=True, icon="SORTALPHA")
        row = self.layout.row(align=True)
        anyway = row.row(align=True)
        anyway.enabled = what is not None and settings.mirror and what.is_lopsided(context)
        anyway.prop(settings, "mirror_anyway", toggle=True)
        row.operator_menu_enum(names.SYMMETRISE, "side", icon="ARROW_LEFTRIGHT")

    def draw_doubt(self, context, what) -> None:
        """Which joints are doubtful, what the body is taken for, and what else it may be."""
        doubts = what.doubtful() if what is not None else ()
        if doubts:
            told = doubts_told([joint_word(joint, what.template.name) for joint in doubts])
        else:
            told = word("No joint is doubtful") if what is not None else word("Doubtful joints will be amber")
        self.layout.label(text=told, icon="QUESTION", translate=False)
        found = reading_of(context)
        if found is not None:
            self.layout.label(text=tell(reading_line(*found, joint_word)), icon="INFO", translate=False)
        else:
            self.layout.label()
        row = self.layout.row(align=True)
        if running() is None:
            row.operator(names.NEXT_DOUBT, icon="VIEWZOOM")
            row.operator(names.OTHER_READING, icon="LOOP_FORWARDS")
        else:  # a button that turns grey under the mouse stays grey until the mouse leaves it
            row.label(text="Esc or right click: cancel", icon="CANCEL")


def room_for_name(context) -> float:
    """How many units a character's name may take in the panel's header, 0 where it would lie over the heading."""
    room = width_of(context) - HEADING
    return room if room >= SHORTEST else 0.0


def doubts_told(doubts: list[str]) -> str:
    """How many joints are doubtful, and the worst."""
    return tell(f"{len(doubts)} doubtful: {doubts[0]}{' …' if len(doubts) > 1 else ''}")


class OverlayPanel(SidebarPanel):
    """What the fit looks at, for the curious."""

    bl_idname = names.PANEL_OVERLAY
    bl_parent_id = names.PANEL_JOINTS
    bl_label = "Show How It Fits"
    topic = "doubt"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context) -> None:
        """Toggles; they need joints that are shown."""
        column, settings = self.layout.column(), getattr(context.scene, names.JOINTS)
        column.enabled = joints.shown_in(context) is not None
        row = column.row(align=True)
        for key in ("show_samples", "show_spheres", "show_graph", "show_slice"):
            row.prop(settings, key, toggle=True)
        if joints.shown_in(context) is None:
            column.label(text="Press Edit Joints first", icon="INFO")
        elif settings.show_slice:
            row = column.row(align=True)
            row.prop(settings, "slice_axis", expand=True)
            column.prop(settings, "slice_position", slider=True)


CLASSES = (PinList, CharacterMenu, JointsPanel, OverlayPanel)
