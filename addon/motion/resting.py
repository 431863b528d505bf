"""What one motion of an armature moves and another does not is held at rest in the other: a motion looks the same
whatever was played before."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import bpy
from mathutils import Matrix

from .. import names
from ..bridge.action import add_rests
from ..bridge.curves import curves_of

KINDS = ("location", "rotation", "scale")


def hold_still(armature: bpy.types.Object, actions: list[bpy.types.Action],
               places: Mapping[str, Matrix] = MappingProxyType({})) -> None:
    """Key bones at rest in those of an armature's motions that Geppetto wrote, where they do not move but do in others.

    places : {bone: its `matrix_basis`} where a person put those that carry the character, which is kept.  What sways
    is left out: it does in all motions or in none.
    """
    keyed = [_channels(action) for action in actions]
    moved = {channel for action, own in zip(actions, keyed, strict=True) for channel in own
             if channel[0] not in action.get(names.SWAYS, ())}
    bones = armature.pose.bones
    for action, own in zip(actions, keyed, strict=True):
        if names.WRITTEN in action and action.library is None:
            add_rests(armature, action, sorted(channel for channel in moved - own if channel[0] in bones), places)


def is_rest(curve: bpy.types.FCurve) -> bool:
    """Whether an F-curve only holds a bone at rest, as `add_rests` writes them."""
    points, what = curve.keyframe_points, curve.data_path.rpartition(".")[2]
    if len(points) != 1 or points[0].interpolation != "LINEAR":
        return False
    ones = {"scale": (0, 1, 2), "rotation_quaternion": (0,), "rotation_axis_angle": (2,)}.get(what, ())
    return points[0].co[1] == float(curve.array_index in ones)


def bone_of(path: str) -> str:
    """The name of the bone an F-curve moves, "" for none."""
    return bpy.utils.unescape_identifier(path.split('"')[1]) if path.startswith('pose.bones["') else ""


def _channels(action) -> set[tuple[str, str]]:
    """(bone, one of KINDS) for all that an action has keys of."""
    paths = {curve.data_path for curve in curves_of(action)}
    found = {(bone_of(path), path.rpartition(".")[2].partition("_")[0]) for path in paths}
    return {(bone, kind) for bone, kind in found if bone and kind in KINDS}
