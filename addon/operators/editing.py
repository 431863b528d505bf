"""Editing joints from beginning to end: show them, bring the rig after them, be done or go back."""

from __future__ import annotations

import bpy

from ...core.fitting.from_shape import is_shape
from .. import names, props
from ..bridge.armature import read_detail
from ..characters import fitted
from ..characters.rigging import update_rig_steps
from ..characters.templates import carried_template
from ..choices import bind_options, chosen_preset, detail_options, named_template, stance_of, template_for
from ..editing import joints, pins
from ..editing.meant import body_meant, character_armature, made_of
from ..editing.showing import show_steps
from ..job import JobOperator
from ..modes import in_object_mode, keep_edits, object_mode
from ..motion.again import with_motions_steps
from ..polls import (
    WITHOUT_RIG,
    are_joints_shown,
    has_character,
    is_free,
    is_free_of_controls,
    is_readable,
    may_change,
)
from ..words.telling import tell


class ShowJoints(JobOperator):
    """Show the joints of the selected character in the viewport, to drag those that are wrong to their place"""

    bl_idname = names.SHOW_JOINTS
    bl_label = "Edit Joints"
    bl_options = {"REGISTER"}

    character: props.StringProperty(name="Character", description="An object of the character; empty for the active "
                                    "one", options={"SKIP_SAVE"})

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a character, and no other job."""
        is_there = joints.shown_in(context) is not None or (has_character(cls, context)
                                                            and is_free_of_controls(cls, context))
        return is_free(cls) and is_there and is_readable(cls, context)

    def steps(self, context):
        """Read and fit the character."""
        body = body_meant(context, self.character)
        for armature in body.armatures:
            keep_edits(armature)
        settings = getattr(context.scene, names.SETTINGS)
        template = template_of(body.armatures[0]) if body.armatures else template_for(chosen_preset(settings))
        detail = read_detail(body.armatures[0]) if body.armatures else detail_options(settings)
        return show_steps(context, body.objects, template, lambda mesh: stance_of(mesh, settings, detail),
                          detail)

    def finish(self, context, result) -> None:
        """They are shown from now on; what was moved by hand in Edit mode is shown as pinned."""
        joints.show(result)
        pins.drop_copies(o for o in map(bpy.data.objects.get, result.read) if o is not None)
        moved = result.keep_moved_bones(context) if result.owner_object() is not None else {}
        if moved:
            with object_mode(context):  # Ctrl-Z in Edit mode would leave the pins
                bpy.ops.ed.undo_push(message="Pin Moved Bones")
            self.report({"INFO"}, tell(fitted.told_of_moved(moved)))
        if result.problem:
            self.report({"WARNING"}, tell(result.problem))


class HideJoints(JobOperator):
    """Put the joint handles away. A finished rig follows the joints, in one step of Undo; without a rig the pins are \
kept for Auto Rig"""

    bl_idname = names.HIDE_JOINTS
    bl_label = "Done"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs joints that are shown."""
        return are_joints_shown(cls, context) and may_change(cls, context)

    def steps(self, context):
        """Update the rig if it is out of date."""
        armature = character_armature(context)
        if armature is not None:
            keep_edits(armature)
            if is_to_update(armature):
                return update_steps(context, armature)
        return iter(())

    def finish(self, context, result) -> None:
        """Hide them, and tell what was done."""
        joints.show(None)
        if result is not None:
            _report(self, result)


class DiscardJoints(bpy.types.Operator):
    """Put the joint handles away and take back what was pinned and unpinned since they were shown. Ctrl-Z brings it \
back"""

    bl_idname = names.DISCARD_JOINTS
    bl_label = "Discard"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs joints that are shown."""
        return is_free(cls) and are_joints_shown(cls, context)

    def invoke(self, context, event) -> set:
        """From the button, or by Esc; while an animation plays, Esc is for stopping it."""
        if event.type == "ESC" and context.screen.is_animation_playing:
            return {"PASS_THROUGH"}
        return self.execute(context)

    @in_object_mode
    def execute(self, context) -> set:
        """Go back to what was said before."""
        what = joints.shown_in(context)
        owner = what.owner_object()
        if what.before is not None and not what.before.is_said_of(owner):
            what.before.say_again(owner)
            self.report({"INFO"}, tell("Changes to the joints were discarded. Ctrl-Z brings them back."))
        joints.show(None)
        return {"FINISHED"}


class UpdateRig(JobOperator):
    """Move the rig's bones to the joints as they are now and bind the skin anew. Bones, constraints and vertex groups \
of your own stay"""

    bl_idname = names.UPDATE_RIG
    bl_label = "Update Rig"
    bl_options = {"REGISTER", "UNDO"}

    keep_moved: props.BoolProperty(name="Keep Moved Bones", default=True, options={"SKIP_SAVE"}, description="Pin the "
                                   "joints of bones that you moved in Edit mode. Otherwise they go back to where the "
                                   "fit puts them")

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rig of ours."""
        if not may_change(cls, context):
            return False
        if character_armature(context) is None:
            cls.poll_message_set("This character has no rig yet: press Auto Rig" if joints.shown_in(context) is not None
                                 else WITHOUT_RIG)
            return False
        return True

    def steps(self, context):
        """The work on the rig that is meant."""
        return update_steps(context, character_armature(context), keep_moved=self.keep_moved)

    def finish(self, context, result) -> None:
        """Tell what was done."""
        what = joints.shown_in(context)
        if what is not None:
            what.settle()
        _report(self, result)


def template_of(armature):
    """Function of the prepared shape that gives the template a rig was made of: its own copy of one of the artist's
    before the one of that name on this computer, which may be another.  Raises BadTemplate."""
    carried = carried_template(armature)
    return template_for(made_of(armature)) if carried is None else lambda shape: carried


def update_steps(context, armature, **more):
    """`update_rig_steps` with the sidebar's choices; motions follow the joints."""
    settings, detail = getattr(context.scene, names.SETTINGS), read_detail(armature)
    work = update_rig_steps(context, armature, template_of(armature), method=settings.method,
                            stance=lambda mesh: stance_of(mesh, settings, detail), options=bind_options(settings),
                            **more)
    return with_motions_steps(context, armature, work)


def _report(operator, rigged) -> None:
    """Tell what was made of a rig."""
    bones, seconds = len(rigged.rig.names), f"{sum(rigged.seconds.values()):.1f}"
    operator.report_rig(f"{bones} bones, {seconds} s" if bones != 1 else f"1 bone, {seconds} s",
                        [part.object for part in rigged.character.parts], rigged.warnings)


def is_to_update(armature) -> bool:
    """Whether the rig is behind its pins, its reading or bones that were moved by hand."""
    if fitted.is_outdated(armature):
        return True
    if is_shape(armature.data[names.MADE_BY]):
        return fitted.has_moved_bones(armature)
    template = carried_template(armature) or named_template(made_of(armature))
    return bool(fitted.moved_by_hand(armature, template))


CLASSES = (ShowJoints, HideJoints, DiscardJoints, UpdateRig)
KEYMAPS = (("Object Mode", "EMPTY", names.DISCARD_JOINTS, "ESC"),)
