"""The bone map's buttons: guess it, load and save it as a file, let it go."""

from __future__ import annotations

import json
from pathlib import Path

import bpy
from bpy_extras.io_utils import ExportHelper, ImportHelper

from ...core.errors import RigError
from ...core.skeleton.bone_map import BoneMap, bone_map_data, load_bone_map
from .. import names, props
from ..bridge.action import read_skeleton
from ..current import active_in
from ..motion.bone_maps import guess, keep_map, map_of
from ..motion.moving import armature_of
from ..whole import write_whole
from ..words.telling import tell


class _OfArmature(bpy.types.Operator):
    """What the buttons share: they are about the active character's armature."""

    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context) -> bool:
        """Needs an armature that can be changed."""
        armature = armature_of(active_in(context))
        if armature is None:
            cls.poll_message_set("Select a rigged character first")
            return False
        return armature.data.library is None


class GuessBoneMap(_OfArmature):
    """Fill in which bone is what, by the bones' names or, where they say nothing, by the skeleton's shape"""

    bl_idname = names.GUESS_BONE_MAP
    bl_label = "Guess"

    def execute(self, context) -> set:
        """Find and keep it."""
        armature = armature_of(active_in(context))
        found = guess(armature)
        keep_map(armature, found)
        if not found:
            self.report({"WARNING"}, tell("No part of the body was recognised."))
        return {"FINISHED"}


class ClearBoneMap(_OfArmature):
    """Empty the bone map: which bone is what is then found out for each motion"""

    bl_idname = names.CLEAR_BONE_MAP
    bl_label = "Clear"

    def execute(self, context) -> set:
        """Forget it."""
        getattr(armature_of(active_in(context)).data, names.BONE_MAP).roles.clear()
        return {"FINISHED"}


class LoadBoneMap(_OfArmature, ImportHelper):
    """Read which bone is what from a .json file"""

    bl_idname = names.LOAD_BONE_MAP
    bl_label = "Load Bone Map"

    filter_glob: props.StringProperty(default="*.json", options={"HIDDEN"})

    def execute(self, context) -> set:
        """Read it and keep what this armature has of it."""
        armature = armature_of(active_in(context))
        try:
            bone_map = load_bone_map(bpy.path.ensure_ext(bpy.path.abspath(self.filepath), ".json"))
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        keep_map(armature, bone_map.roles(read_skeleton(armature).names))
        return {"FINISHED"}


class SaveBoneMap(_OfArmature, ExportHelper):
    """Write which bone of the active armature is taken for what: a file to correct and to use as a bone map"""

    bl_idname = names.SAVE_BONE_MAP
    bl_label = "Save Bone Map"
    bl_options: set = set()

    filename_ext = ".json"
    filepath: props.StringProperty(subtype="FILE_PATH", default="bone_map.json")
    filter_glob: props.StringProperty(default="*.json", options={"HIDDEN"})

    def execute(self, context) -> set:
        """Write it: the artist's own, or what was found."""
        armature = armature_of(active_in(context))
        found = map_of(armature) or BoneMap(armature.name, {r: (b,) for r, b in guess(armature).items()})
        path = Path(bpy.path.ensure_ext(bpy.path.abspath(self.filepath), self.filename_ext))
        text = json.dumps(bone_map_data(found), indent=1, ensure_ascii=False) + "\n"
        try:
            write_whole(path, [text.encode()])
        except RigError as error:
            self.report({"ERROR"}, tell(error))
            return {"CANCELLED"}
        count = len(found.bones)
        self.report({"INFO"}, tell(f"{count} bones written" if count != 1 else "1 bone written"))
        return {"FINISHED"}


CLASSES = (GuessBoneMap, ClearBoneMap, LoadBoneMap, SaveBoneMap)
