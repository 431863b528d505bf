"""What hangs on a rig, aims at it or reads it, when the character is rigged anew: it is tied to the new rig's bones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import bpy
from mathutils import Matrix

from .. import names
from ..bridge.armature import hook
from ..motion.resting import bone_of
from .hung import Aim, aims_at, rest_of
from .rigged import followers
from .twists import NAME as TWIST


@dataclass(frozen=True, eq=False)
class _Read:
    """What a driver reads of a rig.  bone : the bone's name, "" for the rig itself"""

    target: Any
    bone: str

    def turn_to(self, rig, bone: str) -> None:
        """Read it of a bone of another rig."""
        self.target.id = rig
        if self.target.bone_target:
            self.target.bone_target = bone
        elif self.bone != bone:
            self.target.data_path = self.target.data_path.replace(f'"{_quoted(self.bone)}"', f'"{_quoted(bone)}"', 1)


@dataclass(frozen=True, eq=False)
class _Tie:
    """A tie to a rig that goes.  user : an object that hangs on it, an `Aim` of a constraint, or what a driver reads

    bone : by its own name, "" for the rig as a whole
    place : (4, 4) where what hangs there is taken to at rest, in the world;  own : an object's `matrix_basis`
    """

    user: Any
    bone: str
    place: Matrix
    own: Matrix


class Ties:
    """The ties of rigs that are about to be removed, and what else goes with them that an artist has added."""

    def __init__(self, olds: Iterable):
        self._ties: list[_Tie] = []
        self._gone: list[str] = []
        for old in olds:
            self._ties += _ties_of(old)
            self._gone += _added_to(old)

    def tie_to(self, new: bpy.types.Object) -> tuple[str, ...]:
        """Tie all to another rig, by the bones' own names and where these are at rest now.  Returns warnings."""
        moved, back, lost = set(followers(new)), new.matrix_world.inverted_safe(), []
        for tie in self._ties:
            if tie.bone and tie.bone not in new.data.bones:
                lost.append(tie.bone)
            elif not isinstance(tie.user, bpy.types.Object):
                tie.user.turn_to(new, tie.bone)
                if isinstance(tie.user, Aim) and tie.user.constraint.type == "CHILD_OF":
                    tie.user.constraint.inverse_matrix = rest_of(new, tie.bone).inverted_safe() @ back @ tie.place
            elif tie.user not in moved and not _is_above(tie.user, new):
                o = tie.user
                o.parent, o.parent_type, o.parent_bone = new, "BONE" if tie.bone else "OBJECT", tie.bone
                space = hook(new, tie.bone).inverted_safe() if tie.bone else Matrix.Identity(4)
                o.matrix_parent_inverse, o.matrix_basis = space @ back @ tie.place, tie.own
        return (*_told("Bones or constraints of your own went with the rig before: {}. Ctrl-Z brings them back; Update "
                       "Rig keeps them.", self._gone),
                *_told("What hung on these bones or followed them hangs on nothing now, as the new rig has none called "
                       "so: {}.", lost))


def _told(sentence: str, bones: list[str]) -> tuple[str, ...]:
    return (sentence.format(", ".join(dict.fromkeys(bones))),) if bones else ()


def _ties_of(old) -> list[_Tie]:
    own = {"": ""} | {bone.name: bone.get(names.OWN_NAME, bone.name) for bone in old.data.bones}
    world, none = old.matrix_world.copy(), Matrix.Identity(4)
    found = []
    for o in bpy.data.objects:
        bone = o.parent_bone if o.parent_type == "BONE" else ""
        if o.parent == old and o.library is None and o.parent_type in ("BONE", "OBJECT") and bone in own:
            space = hook(old, bone) if bone else none
            found.append(_Tie(o, own[bone], world @ space @ o.matrix_parent_inverse, o.matrix_basis.copy()))
    for aim in aims_at(old, {old}):
        if aim.bone in own:
            inverse = aim.constraint.inverse_matrix if aim.constraint.type == "CHILD_OF" else none
            found.append(_Tie(aim, own[aim.bone], world @ rest_of(old, aim.bone) @ inverse, none))
    reads = [_Read(target, target.bone_target or bone_of(target.data_path)) for target in _driver_targets()
             if target.id == old]
    return found + [_Tie(read, own[read.bone], none, none) for read in reads if read.bone in own]


def _quoted(bone: str) -> str:
    return bpy.utils.escape_identifier(bone)


def _driver_targets() -> Iterator:
    """What the drivers of this file read, in whatever they are."""
    for kind in (p for p in bpy.data.bl_rna.properties if p.type == "COLLECTION"):
        for block in getattr(bpy.data, kind.identifier):
            for holder in (block, getattr(block, "node_tree", None)):
                data = getattr(holder, "animation_data", None)
                for curve in data.drivers if data is not None and block.library is None else ():
                    yield from (target for variable in curve.driver.variables for target in variable.targets)


def _added_to(old) -> list[str]:
    """The bones of a rig of ours that an artist has added, and those with constraints of the artist's, by name."""
    noted = old.data.get(names.FITTED)
    if noted is None:
        return []
    ours = set(noted.keys())
    return [bone.name for bone in old.pose.bones if bone.bone.get(names.OWN_NAME, bone.name) not in ours
            or any(constraint.type != "TRANSFORM" or constraint.name != TWIST for constraint in bone.constraints)]


def _is_above(o, other) -> bool:
    """Whether an object is another one, or that one hangs on it."""
    while other is not None and other != o:
        other = other.parent
    return other is not None
