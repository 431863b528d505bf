"""Bones called as a game engine calls them, and back."""

import bpy

from ...core.errors import RigError
from ...core.skeleton.engine import engines, load_engine
from .. import names, props
from ..characters.rigged import armature_of
from ..modes import object_mode
from ..polls import has_rig, may_change
from ..words.telling import tell

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
        return may_change(cls, context) and has_rig(cls, context)

    def execute(self, context) -> set:
        """First back to the names the bones had, then to the engine's."""
        try:
            wanted = {} if self.engine == "geppetto" else load_engine(self.engine).bones
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        with object_mode(context):
            return self._rename(armature_of(context.object), wanted)

    def _rename(self, armature, wanted: dict[str, str]) -> set:
        bones = armature.data.bones
        for bone in list(bones):
            if names.OWN_NAME in bone:
                bone.name = bone[names.OWN_NAME]
                del bone[names.OWN_NAME]
        taken = [new for old, new in wanted.items() if old in bones and new in bones and new not in wanted]
        if taken:
            self.report({"ERROR"}, tell(f"A bone of your own is called '{taken[0]}' already. Rename it first"))
            return {"CANCELLED"}
        changed = [b for b in bones if b.name in wanted]
        for bone in changed:
            bone[names.OWN_NAME] = old = bone.name
            bone.name = wanted[old]
        if self.engine == "geppetto":
            self.report({"INFO"}, tell(f"'{armature.name}' has its own bone names again"))
        else:
            label = next(item[1] for item in ENGINES if item[0] == self.engine)
            self.report({"INFO"}, tell(f"{len(changed)} of {len(bones)} bones are named for {label}"
                                       if len(changed) != 1 else f"1 of {len(bones)} bones is named for {label}"))
        return {"FINISHED"}


CLASSES = (RenameBones,)
