"""Which of the things that were found on a character get bones: a tick for each."""

from __future__ import annotations

import bpy

from .. import names, props
from ..choices import names_in


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


CLASSES = (ToggleThing,)
