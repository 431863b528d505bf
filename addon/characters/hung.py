"""What hangs on a character's rig, a sword in a hand say, or follows it by constraints, when another rig takes over."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import bpy
import numpy as np
from mathutils import Matrix

from .. import names
from ..bridge.armature import hook
from ..bridge.rigify import to_plain, whole_bone

# Constraints that take over how the axes of a bone lie, or its scale along them: Rigify turns those of limbs by some
# degrees, and a control rig has no uneven scale.
BY_AXES = {"COPY_ROTATION", "COPY_SCALE", "COPY_TRANSFORMS"}


@dataclass(frozen=True, eq=False)
class Aim:
    """Where a constraint of any object aims at a rig, and at which of its bones, "" for the rig itself."""

    constraint: Any
    holder: Any
    key: str

    @property
    def bone(self) -> str:
        """The bone's name."""
        return getattr(self.holder, self.key.replace("target", "subtarget"), "")

    def turn_to(self, rig, bone: str) -> None:
        """Aim at a bone of another rig, or with "" at that rig."""
        setattr(self.holder, self.key, rig)
        if self.bone != bone:
            setattr(self.holder, self.key.replace("target", "subtarget"), bone)


def hang_on_controls(plain: bpy.types.Object, controls: bpy.types.Object, table: dict[str, list[tuple[str, float]]]
                     ) -> None:
    """Hang what hangs on a plain rig and its bones on the control rig, standing where it stands at rest.

    What hangs on bones gets Rigify's deform bones; constraints get bones that go as the plain rig's do.
    table : {bone: [(deform bone, where on the bone it begins), ...]}
    """
    bones, space = plain.data.bones, to_plain(controls, plain).inverted_safe()
    for o in _hung_on(plain):
        bone = _known(bones.get(o.parent_bone), table)
        if bone is not None:
            at = (hook(plain, o.parent_bone) @ o.matrix_parent_inverse @ o.matrix_basis).translation
            share = (at - bone.head_local) @ bone.vector / bone.length ** 2
            part = [name for k, (name, start) in enumerate(table[bone.name]) if k == 0 or start <= share][-1]
            _hang(o, plain, controls, part, space)
    _hang_all_on(controls, plain, space)
    for aim in list(aims_at(plain, {plain, controls, controls.get(names.METARIG)})):
        bone = _known(bones.get(aim.bone), table)
        part = whole_bone(controls.pose.bones, table[bone.name][0][0]) if bone is not None else ""
        if aim.bone and not part:
            continue
        differs = bool(part) or not np.allclose(space, np.eye(4), atol=1e-6)
        if differs and aim.constraint.type in BY_AXES and not aim.constraint.target_space.startswith("LOCAL"):
            aim.turn_to(_stand_in(plain, controls, aim.bone, part, space), "")
        else:
            _turn(aim, plain, controls, part, space)


def hang_on_plain(controls: bpy.types.Object, plain: bpy.types.Object) -> None:
    """Hang what hangs on a control rig and its bones on the plain rig again; what hangs on a control, or follows it, on
    the bone that begins nearest to it."""
    source = {part: name for name, parts in controls[names.SHARES].to_dict().items() for part in parts}
    source |= {whole_bone(controls.pose.bones, part): name for part, name in reversed(source.items())
               if part in controls.data.bones}
    known = [part for part, name in source.items() if part in controls.data.bones and name in plain.data.bones]
    heads, space = np.array([controls.data.bones[part].head_local for part in known]), to_plain(controls, plain)

    def source_of(part: str) -> str:
        bone = controls.data.bones.get(part)
        if bone is None or not known:
            return ""
        near = np.linalg.norm(heads - np.array(bone.head_local), axis=1).argmin()
        return source[part if part in known else known[near]]

    stand_ins = [o for o in bpy.data.objects if o.parent == controls and names.STANDS_FOR in o]
    for empty in stand_ins:
        for aim in list(aims_at(empty)):
            aim.turn_to(plain, empty[names.STANDS_FOR])
    bpy.data.batch_remove(stand_ins)
    for o in _hung_on(controls):
        if bone := source_of(o.parent_bone):
            _hang(o, controls, plain, bone, space)
    _hang_all_on(plain, controls, space)
    for aim in list(aims_at(controls, {plain, controls, controls.get(names.METARIG)})):
        bone = source_of(aim.bone)
        if bone or not aim.bone:
            _turn(aim, controls, plain, bone, space)


def _known(bone, table):
    """The bone or the nearest above it that has controls: twist bones have none."""
    while bone is not None and bone.name not in table:
        bone = bone.parent
    return bone


def _hung_on(rig) -> list[bpy.types.Object]:
    return [o for o in bpy.data.objects if o.parent == rig and o.parent_type == "BONE"]


def _hang_all_on(new, old, space: Matrix) -> None:
    """Hang what hangs on a rig as a whole on another.  space : takes the old rig's axes to the new one's"""
    for o in [o for o in bpy.data.objects if o.parent == old and o.parent_type == "OBJECT" and o != new]:
        place = space @ o.matrix_parent_inverse
        o.parent = new
        o.matrix_parent_inverse = place


def _hang(o, old, new, bone: str, space: Matrix) -> None:
    """Hang an object on a bone of another rig, its own location, rotation and scale as they are.

    space : takes the old rig's axes to the new one's
    """
    place = hook(new, bone).inverted_safe() @ space @ hook(old, o.parent_bone) @ o.matrix_parent_inverse
    o.parent, o.parent_type, o.parent_bone = new, "BONE", bone
    o.matrix_parent_inverse = place


def aims_at(rig, besides=frozenset()) -> Iterator[Aim]:
    """Where the constraints of this file's objects and bones aim at an object.  besides : objects left alone"""
    for o in bpy.data.objects:
        if o in besides or o.library is not None:
            continue
        for owner in (o, *(o.pose.bones if o.pose is not None else ())):
            for constraint in owner.constraints:
                for holder in (constraint, *getattr(constraint, "targets", ())):
                    yield from (Aim(constraint, holder, key) for key in ("target", "pole_target")
                                if getattr(holder, key, None) == rig)


def _turn(aim: Aim, old, new, bone: str, space: Matrix) -> None:
    """Let a constraint follow another rig, with its owner where it is at rest.

    space : takes the old rig's axes to the new one's
    """
    before = aim.bone
    aim.turn_to(new, bone)
    if aim.constraint.type == "CHILD_OF":
        inverse = aim.constraint.inverse_matrix.copy()
        aim.constraint.inverse_matrix = rest_of(new, bone).inverted_safe() @ space @ rest_of(old, before) @ inverse


def rest_of(rig, bone: str) -> Matrix:
    """(4, 4) a bone at rest in its rig's space; without one the rig itself."""
    return rig.data.bones[bone].matrix_local if bone in rig.data.bones else Matrix.Identity(4)


def _stand_in(plain, controls, bone: str, part: str, space: Matrix) -> bpy.types.Object:
    """An empty on a control rig that goes as a bone of the plain rig does, or without one as that rig, its axes too."""
    held = next((o for o in bpy.data.objects if o.parent == controls and o.get(names.STANDS_FOR) == bone), None)
    if held is not None:
        return held
    empty = bpy.data.objects.new(f"{plain.name} {bone or 'as a whole'}", None)
    controls.users_collection[0].objects.link(empty)
    empty[names.STANDS_FOR] = bone
    empty.parent, empty.matrix_parent_inverse = controls, space
    if part:
        empty.empty_display_size = plain.data.bones[bone].length / 4
        empty.parent_type, empty.parent_bone = "BONE", part
        empty.matrix_parent_inverse = hook(controls, part).inverted_safe() @ space @ rest_of(plain, bone)
    empty.hide_set(True)
    return empty
