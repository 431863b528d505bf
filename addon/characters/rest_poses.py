"""A character's rest pose changed in the scene: skin, shape keys, bones and pins, and exactly back.

Each vertex remembers the matrix that was applied to it, each bone its own: what is sculpted, painted or added between
comes along on the way back.
"""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector
from scipy import sparse
from scipy.spatial import cKDTree

from ...core.errors import BadMesh, BadRig
from ...core.motion.rest_pose import character_axes, turned_rig
from ...core.posing.reshape import blend, in_space, inverse, moved
from ...core.posing.stance import palms_of, posed_rig, rest_matrices
from ...core.skeleton.rig import Rig
from .. import names
from ..bridge.armature import move_bones, read_rig
from ..bridge.mesh import own_points
from ..bridge.weights import read_groups
from ..editing import pins
from ..export.exporting import roles_of
from ..export.staging import move_points
from ..motion.takes import actions_of
from .fitted import has_moved_bones, is_outdated, note_again
from .rigged import followers

KEPT = tuple(f"geppetto_rest_{axis}" for axis in ("x", "y", "z", "shift"))  # attributes: columns of a vertex's matrix


@dataclass(frozen=True, eq=False)
class _Skin:
    """A mesh object.  blended : (V, 3, 4) what is done to its vertices, in its own coordinates"""

    object: bpy.types.Object
    blended: np.ndarray


def pose_of(armature: bpy.types.Object) -> str:
    """The rest pose of an armature: "modelled", "T" or "A"."""
    return str(armature.data.get(names.REST_POSE_NOW, "modelled"))


def take_rest_pose(context, armature: bpy.types.Object, pose: str) -> None:
    """Bring a character's rest pose to "T", "A", or back to as it was "modelled".

    Raises RigError, with nothing changed, for bodies without arms and legs like a person's, meshes that others share,
    and characters that already move: motions are measured from the rest pose.
    """
    if pose_of(armature) == pose:
        return
    objects = followers(armature)
    _check(context, armature, objects)
    if pose_of(armature) != "modelled":
        rig = read_rig(armature)
        back = np.linalg.inv(_bone_matrices(armature, rig))
        _apply(context, armature, rig, back, [_Skin(o, inverse(_kept(o, armature, rig))) for o in objects])
        _forget(armature, objects)
    if pose == "modelled":
        return
    rig = read_rig(armature)
    matrices = _matrices(armature, rig, pose)
    skins = [_Skin(o, _blended(o, rig, matrices)) for o in objects]
    _apply(context, armature, rig, matrices, skins)
    for skin in skins:
        _keep(skin)
    for name, matrix in zip(rig.names, matrices, strict=True):
        armature.data.bones[name][names.REST_POSE_NOW] = matrix.ravel().tolist()
    armature.data[names.REST_POSE_NOW] = pose


def _check(context, armature, objects) -> None:
    """Raise RigError for what cannot be changed, before anything is."""
    if not armature.visible_get(view_layer=context.view_layer):
        raise BadRig(f"'{armature.name}' is hidden, so its bones cannot be moved. Show it first.")
    if not objects:
        raise BadRig(f"'{armature.name}' moves no mesh. Bind one to it first.")
    if actions_of(armature):
        raise BadRig(f"'{armature.name}' has motions, which are measured from its rest pose. Choose the rest pose "
                     "before the motion, or when you export.")
    for o in (armature, *objects):
        if o.data.library is not None or o.library is not None:
            raise BadMesh(f"'{o.name}' is linked from another file. Make it local first (Object > Relations).")
    rig = read_rig(armature)
    if pose_of(armature) == "modelled":
        _matrices(armature, rig, "T")  # raises for bodies that have no such pose


def _matrices(armature, rig: Rig, pose: str) -> np.ndarray:
    """(B, 4, 4) in the world."""
    roles = roles_of(armature, rig)
    axes = np.eye(4)
    axes[:3, :3] = character_axes(rig, roles)
    upright = turned_rig(rig, axes[:3, :3])
    return axes.T @ rest_matrices(upright, roles, pose, palms=palms_of(upright, roles)) @ axes


def _blended(o, rig: Rig, matrices: np.ndarray) -> np.ndarray:
    number = {name: j for j, name in enumerate(rig.names)}
    groups, weights = read_groups(o)
    held = [g for g, name in enumerate(groups) if name in number]
    weights = weights[:, held]
    total = np.asarray(weights.sum(1)).ravel()
    weights = sparse.diags(np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)) @ weights
    chosen = matrices[[number[groups[g]] for g in held]]
    return in_space(blend(weights.tocsr(), chosen), np.array(o.matrix_world, float))


def _bone_matrices(armature, rig: Rig) -> np.ndarray:
    """(B, 4, 4) what was done to the bones; one added since goes with the bone it hangs on."""
    out = np.tile(np.eye(4), (len(rig.names), 1, 1))
    for i, name in enumerate(rig.names):
        held = armature.data.bones[name].get(names.REST_POSE_NOW)
        if held is not None:
            out[i] = np.array(held, float).reshape(4, 4)
        elif rig.parents[i] >= 0:
            out[i] = out[rig.parents[i]]
    return out


def _keep(skin: _Skin) -> None:
    """Note on each vertex what was done to it."""
    attributes = skin.object.data.attributes
    active = attributes.active_index
    for column, name in enumerate(KEPT):
        kept = attributes.get(name) or attributes.new(name, "FLOAT_VECTOR", "POINT")
        kept.data.foreach_set("vector", np.ascontiguousarray(skin.blended[:, :, column], np.float32).ravel())
    attributes.active_index = active


def _kept(o, armature, rig: Rig) -> np.ndarray:
    """(V, 3, 4) what was done to each vertex. One added since goes with its nearest neighbour that knows; on an object
    bound since, its weights tell."""
    attributes = o.data.attributes
    if any(name not in attributes for name in KEPT):
        return _blended(o, rig, _bone_matrices(armature, rig))
    count = len(o.data.vertices)
    out = np.empty((count, 3, 4))
    for column, name in enumerate(KEPT):
        held = np.empty(3 * count, np.float32)
        attributes[name].data.foreach_get("vector", held)
        out[:, :, column] = held.reshape(-1, 3)
    knows = np.abs(np.linalg.det(out[:, :, :3])) > 1e-6
    if not knows.any():
        return _blended(o, rig, _bone_matrices(armature, rig))
    if not knows.all():
        points = own_points(o)
        near = cKDTree(points[knows]).query(points[~knows])[1]
        out[~knows] = out[knows][near]
    return out


def _forget(armature, objects) -> None:
    del armature.data[names.REST_POSE_NOW]
    for bone in armature.data.bones:
        if names.REST_POSE_NOW in bone:
            del bone[names.REST_POSE_NOW]
    for o in objects:
        for name in KEPT:
            if name in o.data.attributes:
                o.data.attributes.remove(o.data.attributes[name])


def _apply(context, armature, rig: Rig, matrices: np.ndarray, skins: list[_Skin]) -> None:
    """Move skin, shape keys, pins and bones; selection and mode stay."""
    active, selected = context.view_layer.objects.active, list(context.selected_objects)
    hidden, is_as_fitted = armature.hide_get(), not (is_outdated(armature) or has_moved_bones(armature))
    for skin in skins:
        if skin.object.data.users > 1:
            skin.object.data = skin.object.data.copy()
        move_points(skin.object, lambda points, blended=skin.blended: moved(points, blended))
        _move_pins(skin.object, rig, matrices)
    armature.hide_set(False)
    if context.object is not None and context.object.mode != "OBJECT":
        bpy.ops.object.mode_set(mode="OBJECT")
    move_bones(context, armature, posed_rig(rig, matrices))
    if is_as_fitted:
        note_again(armature)
    armature.hide_set(hidden)
    for o in context.view_layer.objects:
        o.select_set(o in selected)
    context.view_layer.objects.active = active
    context.view_layer.update()


def _move_pins(o, rig: Rig, matrices: np.ndarray) -> None:
    """Pins go with the bone that begins at their joint, or ends nearest to it."""
    if not hasattr(o, names.PINS):  # a batch registers nothing, and has no pins
        return
    place = o.matrix_world
    for joint, at in pins.world_pins(o).items():
        ends = np.linalg.norm(rig.tails - at, axis=1)
        bone = rig.names.index(joint) if joint in rig.names else int(ends.argmin())
        to = matrices[bone, :3, :3] @ at + matrices[bone, :3, 3]
        pins.set_pin(o, joint, place.inverted_safe() @ Vector(to))
