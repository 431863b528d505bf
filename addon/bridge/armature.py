"""Rig -> armature object, and an artist's armature -> Rig."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.detail.grow import DetailOptions
from ...core.errors import BadRig
from ...core.skeleton.rig import Rig
from ..current import set_mode
from ..names import DETAIL, FITTED, MADE_BY, NOTED, READING, SAYS, THINGS, UP, WARNED

SHORTEST = 2e-6  # up to Blender 5.1 shorter bones vanish when Edit mode ends, later ones are drawn out to this
SMALLEST = 1e-36  # determinant of a matrix that Blender, in 32 bits, can still invert
LONGEST_NAME = 63
UPRIGHT = 0.999  # cosine: what leans less stands upright in the world


def is_marked(data) -> bool:
    """Whether an object's data is that of an armature of ours.

    An .fbx file that Blender itself writes takes our notes along as text, and brings other bones back: what comes out
    of one is an armature like any other.
    """
    return MADE_BY in (data or ()) and not isinstance(data.get(FITTED), str)


def write_armature(context, rig: Rig, name: str, collection, matrix: Matrix, preset: str) -> bpy.types.Object:
    """A new armature object with the rig's bones, active and alone selected, in Object mode.

    rig : world space;  matrix : the armature object's place in the world.
    A bone's local X is the rig's x axis, so a positive turn about X bends every elbow and knee.
    Raises BadRig, before anything is made, for bones Blender would drop or rename.
    """
    _check_bones(rig, matrix)
    data = bpy.data.armatures.new(name)
    armature = bpy.data.objects.new(name, data)
    data[MADE_BY] = preset
    write_reading(armature, rig)
    data.display_type = "OCTAHEDRAL"
    armature.show_in_front = True
    armature.matrix_world = matrix
    collection.objects.link(armature)
    context.view_layer.update()
    if not armature.visible_get():  # the mesh shows through another of its collections
        collection.objects.unlink(armature)
        context.scene.collection.objects.link(armature)
    for other in context.view_layer.objects.selected:
        other.select_set(False)
    context.view_layer.objects.active = armature
    armature.select_set(True)
    set_mode(context, "EDIT")
    _add_bones(data, rig, np.array(matrix.inverted(), float))
    set_mode(context, "OBJECT")
    for label in dict.fromkeys(rig.collections):
        group = data.collections.new(label)
        for bone, of in zip(rig.names, rig.collections, strict=True):
            if of == label:
                group.assign(data.bones[bone])
    return armature


def move_bones(context, armature: bpy.types.Object, rig: Rig) -> list[str]:
    """Bring an armature's bones to a rig's places, and tell its reading; bones it does not know go with their parents.

    rig : world space.  Returns the names of the rig's bones that the armature still has.
    Leaves the armature active and alone selected, in Object mode; constraints, poses, custom shapes stay. Other
    armatures that share its bones keep theirs. A bone that no longer begins where its parent ends is parted from it.
    Raises BadRig, before anything is changed, if Blender cannot edit the armature now.
    """
    check_editable(context, armature)
    if armature.data.users > 1:
        armature.data = armature.data.copy()
    for other in context.view_layer.objects.selected:
        other.select_set(False)
    context.view_layer.objects.active = armature
    armature.select_set(True)
    set_mode(context, "EDIT")
    bones = armature.data.edit_bones
    was_mirrored, armature.data.use_mirror_x = armature.data.use_mirror_x, False
    matrix = armature.matrix_world.inverted()
    turn = np.array(matrix, float)[:3, :3]
    shift = {}
    facing = np.cross(rig.x_axes, rig.tails - rig.heads) @ turn.T
    near = _near(rig.heads, rig.tails)
    for bone in list(bones):  # parents first
        if bone.name in rig.names:
            i = rig.names.index(bone.name)
            head, tail = matrix @ Vector(rig.heads[i]), matrix @ Vector(rig.tails[i])
            if bone.use_connect and bone.parent.name in rig.names:
                end = rig.tails[rig.names.index(bone.parent.name)]
                bone.use_connect = bool(np.linalg.norm(end - rig.heads[i]) <= near)
            shift[bone.name] = tail - bone.tail
            bone.head, bone.tail = head, tail
            bone.align_roll(Vector(facing[i]).normalized())
        elif bone.parent is not None and bone.parent.name in shift:
            move = shift[bone.name] = shift[bone.parent.name].copy()
            if not bone.use_connect:
                bone.head += move
            bone.tail += move
    armature.data.use_mirror_x = was_mirrored
    set_mode(context, "OBJECT")
    write_reading(armature, rig)
    return [name for name in rig.names if name in armature.data.bones]


def check_there(context, armature: bpy.types.Object) -> None:
    """Raise BadRig unless an armature is in the view layer, not in an excluded collection or another scene."""
    if armature.name not in context.view_layer.objects:
        raise BadRig(f"'{armature.name}' is not in this view layer, so its bones cannot be moved. Tick its collection "
                     "in the Outliner, or link it into this scene.")


def check_editable(context, armature: bpy.types.Object) -> None:
    """Raise BadRig unless Blender can go into Edit mode on an armature."""
    check_there(context, armature)
    if armature.hide_viewport:
        raise BadRig(f"'{armature.name}' is hidden, so its bones cannot be moved. Show it first.")


def _near(heads: np.ndarray, tails: np.ndarray) -> float:
    """How far a bone's head may be from its parent's tail to be connected.  heads, tails : (B, 3) of all"""
    return 1e-4 * max(float(np.ptp(np.concatenate([heads, tails]), axis=0).max()), 1e-30) if len(heads) else 0.0


def change_bones(context, armature: bpy.types.Object, rig: Rig, gone: list[str]) -> None:
    """Take bones out of an armature, and put those of a rig into it that it lacks; all others stay as they are.

    rig : world space;  gone : names.  Leaves the armature active, in Object mode.  Raises BadRig as `move_bones` does.
    """
    check_editable(context, armature)
    context.view_layer.objects.active = armature
    armature.select_set(True)
    set_mode(context, "EDIT")
    bones = armature.data.edit_bones
    for name in gone:
        bones.remove(bones[name])
    to_local = np.array(armature.matrix_world.inverted(), float)
    heads, tails = (p @ to_local[:3, :3].T + to_local[:3, 3] for p in (rig.heads, rig.tails))
    fresh = [i for i, name in enumerate(rig.names) if name not in bones]
    for i in fresh:
        bone = bones.new(rig.names[i])
        bone.head, bone.tail, bone.use_deform = heads[i], tails[i], bool(rig.deform[i])
        parent = int(rig.parents[i])
        if parent >= 0:
            bone.parent, bone.use_connect = bones[rig.names[parent]], False
    set_mode(context, "OBJECT")
    for i in fresh:
        group = armature.data.collections.get(rig.collections[i]) or armature.data.collections.new(rig.collections[i])
        group.assign(armature.data.bones[rig.names[i]])


def read_rig(armature: bpy.types.Object) -> Rig:
    """The deforming bones of an armature object at rest, in world space.

    A bone whose parent does not deform hangs on its nearest ancestor that does.
    Raises BadRig if no bone deforms, or the armature is flat.
    """
    bones = [b for b in armature.data.bones if b.use_deform]  # parents come first in Blender's order
    if not bones:
        raise BadRig(f"'{armature.name}' has no deforming bones. Turn on Deform for the bones that move the skin.")
    number = {b.name: i for i, b in enumerate(bones)}
    matrix = armature.matrix_world
    if abs(matrix.determinant()) < SMALLEST:
        raise BadRig(f"'{armature.name}' is flat: its scale is 0 along an axis. Set it under Item in the sidebar.")
    turn = np.array(matrix.to_3x3(), float)
    heads = np.array([matrix @ b.head_local for b in bones])
    tails = np.array([matrix @ b.tail_local for b in bones])
    x_axes = np.array([b.matrix_local.col[0][:3] for b in bones]) @ turn.T
    along = tails - heads  # an unevenly scaled armature shears its bones: make X orthogonal again
    size = np.maximum((along * along).sum(1, keepdims=True), 1e-300)
    x_axes = x_axes - along * ((x_axes * along).sum(1, keepdims=True) / size)
    x_axes /= np.maximum(np.linalg.norm(x_axes, axis=1, keepdims=True), 1e-300)
    return Rig(
        names=tuple(b.name for b in bones),
        parents=np.array([_deforming_ancestor(b, number) for b in bones]),
        heads=heads, tails=tails, x_axes=x_axes,
        connected=np.array([b.use_connect and b.parent is not None and b.parent.name in number for b in bones]),
        collections=tuple(b.collections[0].name if len(b.collections) else "Deform" for b in bones))


def hook(armature: bpy.types.Object, bone: str) -> Matrix:
    """(4, 4) where a bone at rest takes what hangs on it, in the armature's space: to its tail, or, of one with
    Relative Parenting, nowhere, as Blender does."""
    own = armature.data.bones[bone]
    if own.use_relative_parent:
        return Matrix.Identity(4)
    return own.matrix_local @ Matrix.Translation((0.0, own.length, 0.0))


def write_reading(armature: bpy.types.Object, rig: Rig) -> None:
    """Note on an armature which reading of the body it was fitted to: saved and undone with its bones."""
    armature.data[READING] = [rig.reading, rig.readings]
    armature.data[SAYS] = rig.says


def read_reading(armature: bpy.types.Object) -> tuple[int, int, str] | None:
    """(reading, how many there are, what it takes the body for) of an armature; None if it knows none."""
    noted = armature.data.get(READING)
    return None if noted is None else (int(noted[0]), int(noted[1]), str(armature.data.get(SAYS, "")))


def write_up(armature: bpy.types.Object, up: np.ndarray) -> None:
    """Note on an armature which way its body stands, if it lies in the world.  up : (3,) unit, in the world"""
    armature.data.pop(UP, None)
    if up[2] < UPRIGHT:
        armature.data[UP] = (np.linalg.inv(np.array(armature.matrix_world.to_3x3(), float)) @ up).tolist()


def read_up(armature: bpy.types.Object) -> np.ndarray:
    """(3,) unit, the way up in an armature's own space: its body's where that is noted, otherwise the world's."""
    turn = np.array(armature.matrix_world.to_3x3().inverted_safe(), float)
    up = np.array(armature.data[UP], float) if UP in armature.data else turn @ [0.0, 0.0, 1.0]
    return up / np.linalg.norm(up)


def write_detail(armature: bpy.types.Object, detail: DetailOptions) -> None:
    """Note on an armature how far it goes into detail."""
    fingers = -1 if detail.fingers is None else detail.fingers
    without = ",".join(detail.without)
    armature.data[DETAIL] = f"{detail.level} {fingers} {detail.twists} {int(detail.root)} {without}"


def read_detail(armature: bpy.types.Object) -> DetailOptions:
    """How far an armature of ours goes into detail; the body alone if it does not say."""
    level, fingers, twists, root, *without = str(armature.data.get(DETAIL, "body -1 2 0")).split()
    return DetailOptions(level, None if fingers == "-1" else int(fingers), int(twists), root == "1",
                         tuple(without[0].split(",")) if without else ())


def write_things(armature: bpy.types.Object, things: Iterable[str]) -> None:
    """Note on an armature what was found to hang on the body or to be held by it, with bones or without."""
    armature.data[THINGS] = ",".join(things)


def read_things(armature: bpy.types.Object) -> tuple[str, ...]:
    """The names that were noted."""
    return tuple(name for name in str(armature.data.get(THINGS, "")).split(",") if name)


def write_warnings(armature: bpy.types.Object, warnings: Iterable[str]) -> None:
    """Note on an armature what was said when it was made or bound last."""
    armature.data[WARNED] = "\n".join(warnings)


def read_warnings(armature: bpy.types.Object) -> tuple[str, ...]:
    """The warnings that were noted."""
    return tuple(filter(None, str(armature.data.get(WARNED, "")).split("\n")))


def write_notes(armature: bpy.types.Object, notes: Iterable[str]) -> None:
    """Note on an armature what is good to know of how it was made, and no cause for a look."""
    armature.data[NOTED] = "\n".join(notes)


def read_notes(armature: bpy.types.Object) -> tuple[str, ...]:
    """What was noted."""
    return tuple(filter(None, str(armature.data.get(NOTED, "")).split("\n")))


def posed_rig(rig: Rig, armature: bpy.types.Object) -> Rig:
    """The rig where the armature's pose has taken it, world space; its joints go along with the bones' ends."""
    matrix = armature.matrix_world
    bones = [armature.pose.bones[n] for n in rig.names]
    axes = np.array([(matrix @ b.matrix).to_3x3().normalized().col[0] for b in bones])
    heads, tails = (np.array([matrix @ getattr(b, end) for b in bones]) for end in ("head", "tail"))
    return replace(rig, heads=heads, tails=tails, x_axes=axes, joints=_carried(rig, heads, tails))


def _carried(rig: Rig, heads: np.ndarray, tails: np.ndarray) -> dict[str, np.ndarray]:
    """The joints at which bones begin or end, where these ends have gone to.  heads, tails : (B, 3)"""
    before, after = np.concatenate([rig.heads, rig.tails]), np.concatenate([heads, tails])
    near = 1e-5 * max(float(np.ptp(before, axis=0).max()), 1e-30)
    away = {name: np.abs(before - place).max(1) for name, place in rig.joints.items()}
    return {name: after[of.argmin()] for name, of in away.items() if of.min() <= near}


def _check_bones(rig: Rig, matrix: Matrix) -> None:
    if abs(matrix.determinant()) < SMALLEST:
        raise BadRig(f"The character is {np.ptp(rig.heads, axis=0).max():.1g} units large, too small for Blender's "
                     "numbers. Scale it up.")
    length = np.linalg.norm(rig.tails - rig.heads, axis=1) / matrix.to_scale()[0]
    for name, size in zip(rig.names, length, strict=True):
        if size < SHORTEST:
            raise BadRig(f"Bone '{name}' is too short for Blender to keep. Scale the character up.")
        if len(name.encode()) > LONGEST_NAME:
            raise BadRig(f"The name of bone '{name}' is longer than {LONGEST_NAME} bytes, Blender's limit. Shorten it.")


def _add_bones(data, rig: Rig, to_local: np.ndarray) -> None:
    heads, tails = (p @ to_local[:3, :3].T + to_local[:3, 3] for p in (rig.heads, rig.tails))
    facing = np.cross(rig.x_axes, rig.tails - rig.heads)  # local Z = X x Y; the object is never turned
    near = _near(heads, tails)
    made: list = []
    for i, name in enumerate(rig.names):
        bone = data.edit_bones.new(name)
        bone.head, bone.tail = heads[i], tails[i]
        bone.align_roll(Vector(facing[i]).normalized())
        bone.use_deform = bool(rig.deform[i])
        parent = int(rig.parents[i])
        if parent >= 0:
            bone.parent = made[parent]
            bone.use_connect = bool(rig.connected[i]) and float(np.linalg.norm(heads[i] - tails[parent])) <= near
        made.append(bone)


def _deforming_ancestor(bone, number) -> int:
    while bone.parent is not None:
        bone = bone.parent
        if bone.name in number:
            return number[bone.name]
    return -1
