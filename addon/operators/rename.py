"""Bones called as a game engine calls them, and back."""

import bpy

from ...core.errors import RigError
from ...core.skeleton.engine import engines, load_engine
from .. import names, props
from ..rigged import armature_of
from ..telling import tell

ENGINES = (("geppetto", "Geppetto", "Back to the names the bones had"),
           *((name, load_engine(name).label, f"The names of {load_engine(name).label}")
             for name in engines()))


class RenameBones(bpy.types.Operator):
    """Call the rig's bones as another program does, or as before. Vertex groups, constraints and animation follow"""

    bl_idname = names.RENAME
    bl_label = "Rename Bones"
    bl_options = {"REGISTER", "UNDO"}

    engine: props.EnumProperty(name="For", description="Whose names the bones get", items=ENGINES,
                                   default="geppetto")

    @classmethod
    def poll(cls, context) -> bool:
        """Needs a rig of ours."""
        if context.mode not in {"OBJECT", "POSE"}:
            cls.poll_message_set("Switch to Object mode first")
            return False
        if armature_of(context.object) is None:
            cls.poll_message_set("Select a character that Geppetto has rigged, or its armature")
            return False
        return True

    def execute(self, context) -> set:
        """First back to the names the bones had, then to the engine's."""
        bones = armature_of(context.object).data.bones
        try:
            wanted = {} if self.engine == "geppetto" else load_engine(self.engine).bones
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        for bone in list(bones):
            if names.OWN_NAME in bone:
                bone.name = bone[names.OWN_NAME]
                del bone[names.OWN_NAME]
        taken = [new for old, new in wanted.items() if old in bones and new in bones and new not in wanted]
        if taken:
            self.report({"ERROR"}, tell(f"A bone of your own is called '{taken[0]}' already. Rename it first"))
            return {"CANCELLED"}
        for bone in [b for b in bones if b.name in wanted]:
            bone[names.OWN_NAME] = old = bone.name
            bone.name = wanted[old]
        return {"FINISHED"}


CLASSES = (RenameBones,)
