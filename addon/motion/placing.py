"""Where a person put a character by its root: motions begin there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion

from .. import names
from ..bridge.curves import curves_of


def places_of(armature: bpy.types.Object, bones: Iterable[str]) -> dict[str, Matrix]:
    """{bone: (4, 4) its `matrix_basis` where a person put it}, for bones that carry a character.

    What an action does with a bone counts from where it began; what the bone was moved by since, without a key, is
    added.
    """
    data = armature.animation_data
    action = data.action if data is not None else None
    curves, begun = (curves_of(action), action.get(names.PLACED, {})) if action is not None else ([], {})
    frame = bpy.context.scene.frame_current_final
    out = {}
    for name in bones:
        bone = armature.pose.bones[name]
        path = bone.path_from_id()
        own = [curve for curve in curves if curve.data_path.startswith(f"{path}.")]
        now, first = (_basis_at(bone, own, time) for time in (frame, action.frame_range[0] if own else frame))
        place = bone.matrix_basis @ now.inverted_safe() @ first
        out[name] = place @ Matrix(np.reshape(begun[name], (4, 4))) if own and name in begun else place
    return out


def note_places(armature: bpy.types.Object, action: bpy.types.Action, places: Mapping[str, Matrix]) -> None:
    """Note with an action how far from its first keys the places lie from which it begins."""
    curves = curves_of(action)
    begun = {}
    for name, place in places.items():
        bone = armature.pose.bones[name]
        own = [curve for curve in curves if curve.data_path.startswith(f"{bone.path_from_id()}.")]
        if own:
            first = _basis_at(bone, own, action.frame_range[0])
            begun[name] = [x for row in first.inverted_safe() @ place for x in row]
    if begun:
        action[names.PLACED] = begun


def moved_places(places: Mapping[str, Matrix]) -> dict[str, Matrix]:
    """Those that are not where they are at rest."""
    return {name: place for name, place in places.items() if not np.allclose(place, np.eye(4), atol=1e-6)}


def base_of(armature: bpy.types.Object, places: Mapping[str, Matrix]) -> Matrix:
    """(4, 4) where bones that hang on each other, the top one first, take what they carry at rest, so placed."""
    out = Matrix.Identity(4)
    for name, place in places.items():
        rest = armature.data.bones[name].matrix_local
        out = out @ rest @ place @ rest.inverted()
    return out


def _basis_at(bone: bpy.types.PoseBone, curves, frame: float) -> Matrix:
    """A bone's `matrix_basis` at a frame of an action.  curves : of the bone; what has none is as now"""
    turn = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(bone.rotation_mode,
                                                                                         "rotation_euler")
    values = {what: list(getattr(bone, what)) for what in ("location", turn, "scale")}
    for curve in curves:
        what = curve.data_path.rpartition(".")[2]
        if what in values:
            values[what][curve.array_index] = curve.evaluate(frame)
    own = values[turn]
    rotation = (Quaternion(own) if turn == "rotation_quaternion" else Quaternion(own[1:], own[0])
                if turn == "rotation_axis_angle" else Euler(own, bone.rotation_mode).to_quaternion())
    return Matrix.LocRotScale(values["location"], rotation.normalized(), values["scale"])
