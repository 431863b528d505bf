"""Bones called as a game engine calls them, and back."""

import bpy

from ...core.errors import RigError
from ...core.skeleton.engine import engines, load_engine
from .. import names, props
from ..characters.renaming import rename_bones
from ..characters.rigged import armature_of
from ..current import active_in
from ..modes import object_mode
from ..polls import has_rig, is_rig_local, may_change
from ..words.telling import tell

ENGINES = (("geppetto", "Geppetto", "Back to the names the bones had"),
           *((name, load_engine(name).label, f"The names of {load_engine(name).label}")
             for name in engines()))


class RenameBones(bpy.types.Operator):
    """Give the rig's bones the names of another program, or back. Vertex groups, constraints and animation follow"""

    bl_idname = names.RENAME
    bl_label = "Rename Bones"
    bl_options = {"REGISTER", "UNDO"}

    engine: props.EnumProperty(name="For", description="Whose names the bones get", items=ENGINES,
                                   default="geppetto")

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rig of ours that is saved with this file."""
        return may_change(cls, context) and has_rig(cls, context) and is_rig_local(cls, context)

    def execute(self, context) -> set:
        """First back to the names the bones had, then to the engine's."""
        try:
            wanted = {} if self.engine == "geppetto" else load_engine(self.engine).bones
            armature = armature_of(active_in(context))
            with object_mode(context):
                changed = rename_bones(armature, wanted)
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        if self.engine == "geppetto":
            self.report({"INFO"}, tell(f"'{armature.name}' has its own bone names again"))
        else:
            label, count = next(item[1] for item in ENGINES if item[0] == self.engine), len(armature.data.bones)
            self.report({"INFO"}, tell(f"{changed} of {count} bones are named for {label}"
                                       if changed != 1 else f"1 of {count} bones is named for {label}"))
        return {"FINISHED"}


CLASSES = (RenameBones,)
