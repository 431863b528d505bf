"""Other Reading: what else the body may be taken for, at one click."""

from .. import names
from ..characters.rigging import Rigged
from ..editing import joints
from ..editing.meant import character_armature
from ..editing.reading import reading_of, reading_told
from ..job import JobOperator
from ..polls import is_free, may_change
from ..words.telling import tell
from .editing import update_steps


class OtherReading(JobOperator):
    """Take the body for the next likeliest thing: other limbs, another stance. Pins stay; after the last comes the \
first again"""

    bl_idname = names.OTHER_READING
    bl_label = "Other Reading"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs joints that are shown, or a rig of ours in Object mode, and another reading."""
        if not is_free(cls):
            return False
        found = reading_of(context)
        if found is None:
            cls.poll_message_set("Press Edit Joints first")
            return False
        if found[1] < 2:
            cls.poll_message_set("This character can be read in one way only")
            return False
        return joints.shown_in(context) is not None or may_change(cls, context)

    def steps(self, context):
        """Joints that are shown change alone, as when one is dragged: Update Rig brings a rig after them.

        Where no joints are shown, the rig's bones are moved and its skin is bound anew.
        """
        what = joints.shown_in(context)
        if what is not None:
            return what.other_reading_steps(context)
        return update_steps(context, character_armature(context), other_reading=True)

    def finish(self, context, result) -> None:
        """Tell what the body is taken for now."""
        rig = result.rig if isinstance(result, Rigged) else result
        told = reading_told(rig.reading, rig.readings, rig.says)
        if isinstance(result, Rigged):
            self.report_rig(told, [part.object for part in result.character.parts], result.warnings)
        else:
            self.report({"INFO"}, tell(told))
        joints.redraw()


CLASSES = (OtherReading,)
