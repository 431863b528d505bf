"""The things that were found on a character: a tick for each that gets bones, and whether they follow its motions."""

from __future__ import annotations

import bpy

from ...core.errors import RigError
from .. import names, props
from ..characters.rigged import armature_of
from ..choices import names_in
from ..current import active_in
from ..motion.swaying import chains_of, sways, switch_sway
from ..polls import has_rig, is_rig_local, may_change
from ..words.telling import tell


class ToggleThing(bpy.types.Operator):
    """Whether this thing gets bones of its own; without, it follows the body. It counts when you rig the character"""

    bl_idname = names.TOGGLE_THING
    bl_label = "Bones for This Thing"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    thing: props.StringProperty(name="Thing", description="What it is called, such as cape or prop_hand.R")

    def execute(self, context) -> set:
        """Leave it out, or take it in again."""
        settings = getattr(context.scene, names.SETTINGS)
        left_out = names_in(settings.without)
        left_out = [n for n in left_out if n != self.thing] if self.thing in left_out else [*left_out, self.thing]
        settings.without = ", ".join(left_out)
        return {"FINISHED"}


class ToggleSway(bpy.types.Operator):
    """Let capes, hair, ears and tails swing behind the body, as keys in all motions of the character, those to come too. Switched off, the keys are taken out again"""  # noqa: E501 - one line in Blender's tips

    bl_idname = names.TOGGLE_SWAY
    bl_label = "Follow the Motion"
    bl_options = {"REGISTER", "UNDO", "INTERNAL"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rig of ours with something that hangs, and no job under way."""
        if not (may_change(cls, context) and has_rig(cls, context) and is_rig_local(cls, context)):
            return False
        if not chains_of(armature_of(active_in(context))):
            cls.poll_message_set("Nothing hangs on this character that has bones of its own")
            return False
        return True

    def execute(self, context) -> set:
        """Switch it."""
        armature = armature_of(active_in(context))
        on = not sways(armature)
        try:
            count = switch_sway(context, armature, on)
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        said = (("Chains follow in 1 motion" if on else "Taken out of 1 motion") if count == 1 else
                f"Chains follow in {count} motions" if on else f"Taken out of {count} motions")
        self.report({"INFO"}, tell(said))
        return {"FINISHED"}


CLASSES = (ToggleThing, ToggleSway)
