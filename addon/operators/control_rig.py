"""A control rig for animators, made by Rigify, and the way back to the plain rig."""

import bpy

from ...core.errors import RigError
from .. import names
from ..bridge.rigify import is_rigify_on
from ..characters.control_rig import (
    any_controls_of,
    check_controls,
    leave_to_copies,
    make_control_rig,
    plain_rig_of,
    take_back,
)
from ..characters.rigged import armature_of
from ..current import active_in, selected_in
from ..modes import object_mode
from ..motion.handing_over import doing_of_controls, doing_of_plain, put_on_controls, put_on_plain
from ..motion.other_motions import other_doings, put_others_on_controls, put_others_on_plain
from ..motion.owning import played_by
from ..polls import has_rig, is_active, is_rig_local, is_shown, may_change
from ..words.telling import tell


class MakeControlRig(bpy.types.Operator):
    """Let Rigify, which comes with Blender, make a control rig with IK hands and feet for this character, which \
keeps its pose or action. The plain rig stays, hidden"""

    bl_idname = names.CONTROL_RIG
    bl_label = "Make Control Rig"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rig of ours."""
        if not may_change(cls, context) or not is_shown(cls, context) or not is_active(cls, context):
            return False
        if any_controls_of(active_in(context)) is not None:
            cls.poll_message_set("This character has a control rig already")
            return False
        return has_rig(cls, context) and is_rig_local(cls, context)

    def invoke(self, context, event) -> set:
        """Ask before Rigify is turned on in the person's preferences, unless it would be of no use."""
        try:
            check_controls(context, armature_of(active_in(context)))
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        if is_rigify_on():
            return self.execute(context)
        return context.window_manager.invoke_confirm(
            self, event, title=tell("Turn on Rigify?"), confirm_text=tell("Turn On"),
            message=tell("Rigify comes with Blender and makes the controls. It stays on in your preferences."))

    def execute(self, context) -> set:
        """Make it."""
        try:
            with object_mode(context):
                armature = armature_of(active_in(context))
                doing = doing_of_plain(context, armature)
                others = other_doings(context, armature, doing_of_plain)
                controls = make_control_rig(context, armature)
                self._carry_over(context, controls, doing, others)
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        self.report({"INFO"}, tell(f"'{controls.name}': {len(controls.data.bones)} bones"))
        return {"FINISHED"}

    def _carry_over(self, context, controls, doing, others) -> None:
        """The control rig is there whatever becomes of the motions."""
        try:
            put_on_controls(context, controls, doing)
            put_others_on_controls(context, controls, others)
        except RigError as error:
            self.report({"WARNING"}, tell(error))


class PlainRigAgain(bpy.types.Operator):
    """Delete the control rig and its metarig; the character follows its plain rig again, with the weights, pose \
and action it has now"""

    bl_idname = names.PLAIN_RIG_AGAIN
    bl_label = "Back to Plain Rig"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a control rig."""
        return may_change(cls, context) and _has_controls(cls, context) and is_rig_local(cls, context)

    def execute(self, context) -> set:
        """Take the character back."""
        try:
            with object_mode(context):
                controls = any_controls_of(active_in(context))
                plain = plain_rig_of(context, controls)
                doing, others = doing_of_controls(context, controls), other_doings(context, controls, doing_of_controls)
                leave_to_copies(controls, plain)
                put_others_on_plain(context, plain, others)
                put_on_plain(context, plain, doing)
                for action in played_by(controls):  # it would not be saved without the controls
                    action.use_fake_user = True
                take_back(context, controls)
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        return {"FINISHED"}


class ShowMetarig(bpy.types.Operator):
    """Show and select the metarig. Change its bones or their Rigify types, then press Rigify's Re-Generate Rig: the \
character stays bound"""

    bl_idname = names.SHOW_METARIG
    bl_label = "Show Metarig"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a control rig whose metarig is there."""
        if not may_change(cls, context) or not _has_controls(cls, context):
            return False
        metarig = any_controls_of(active_in(context)).get(names.METARIG)
        if metarig is None or metarig.name not in context.view_layer.objects:
            cls.poll_message_set("The metarig was deleted")
            return False
        return True

    def execute(self, context) -> set:
        """Show it, alone selected."""
        metarig = any_controls_of(active_in(context))[names.METARIG]
        with object_mode(context):
            metarig.hide_set(False)
            for o in selected_in(context):
                o.select_set(False)
            metarig.select_set(True)
            context.view_layer.objects.active = metarig
        return {"FINISHED"}


def _has_controls(cls, context) -> bool:
    if any_controls_of(active_in(context)) is None:
        cls.poll_message_set("Select a character that has a control rig, or the control rig")
        return False
    return True


CLASSES = (MakeControlRig, PlainRigAgain, ShowMetarig)
