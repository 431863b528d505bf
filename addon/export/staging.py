"""A stage beside the artist's scene: copies of a character are changed and exported there, then all of it goes.

The artist's objects are only read. What their names must be lent for a while is given back whatever happens.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix
from scipy import sparse

from ...core.skeleton.rig import Rig
from ..bridge.curves import curves_of
from ..bridge.mesh import at_rest, own_points
from ..bridge.weights import read_groups
from ..current import renew_context, shows, window_of
from ..motion.owning import played_by
from .carried_keys import copy_keys, evaluated

PLACES = {"location": 3, "rotation_quaternion": 4, "rotation_euler": 3, "rotation_axis_angle": 4, "scale": 3}
KINDS = ("objects", "meshes", "armatures", "actions", "shape_keys", "scenes", "collections")


@dataclass(eq=False)
class Piece:
    """A mesh object of the character, copied.  weights : (V, B) in the bones of the character's rig, as they are"""

    object: bpy.types.Object
    name: str
    data_name: str
    weights: sparse.csr_matrix


@contextmanager
def stage(context) -> Iterator[bpy.types.Scene]:
    """Inside, the context is a new empty scene with the frame rate of the artist's; afterwards everything that was made
    is gone, and scene, selection and mode are as they were, whatever happened."""
    before = {kind: set(getattr(bpy.data, kind)) for kind in KINDS if hasattr(bpy.data, kind)}
    own = context.scene
    scene = bpy.data.scenes.new("Geppetto Export")
    scene.render.fps, scene.render.fps_base = own.render.fps, own.render.fps_base
    window = window_of(context)
    window = window if shows(window, context) else None  # a script has named another scene
    posed = _Posed(own)
    try:
        if window is not None:
            layer = window.view_layer.name
            window.scene = scene
            yield scene
        else:
            with context.temp_override(scene=scene, view_layer=scene.view_layers[0]):
                yield scene
    finally:
        if window is not None:
            window.scene = own
            window.view_layer = own.view_layers[layer]
            posed.put_back()
            window.view_layer.update()
        renew_context()  # before the scene that it may belong to goes
        for kind in ("objects", "scenes", "meshes", "armatures", "actions", "collections"):
            bpy.data.batch_remove(set(getattr(bpy.data, kind)) - before[kind])


class _Posed:
    """How a scene's objects, bones and shape keys stand. A window that comes back to a scene plays its frame anew: what
    was moved by hand and has keys would go back to them."""

    def __init__(self, scene):
        keys = [o for o in scene.objects if o.type == "MESH" and o.data.shape_keys is not None]
        holders = [(list(scene.objects), scene.objects, PLACES),
                   *(([o], o.pose.bones, PLACES) for o in scene.objects if o.pose is not None),
                   *(([o], o.data.shape_keys.key_blocks, {"value": 1}) for o in keys)]
        self._held = [(owners, many, key, _values(many, key, width))
                      for owners, many, widths in holders for key, width in widths.items()]

    def put_back(self) -> None:
        """Let what has moved stand as it stood."""
        for owners, many, key, values in self._held:
            if _values(many, key, len(values) // max(len(many), 1)).tobytes() != values.tobytes():
                many.foreach_set(key, values)
                for o in owners:
                    o.update_tag()


def _values(many, key: str, width: int) -> np.ndarray:
    out = np.empty(width * len(many), np.float32)
    many.foreach_get(key, out)
    return out


@contextmanager
def lent_names(pairs) -> Iterator[None]:
    """Inside, copies have the names of what they stand for.  pairs : (datablock, the name it is to have)"""
    held, copies = [], {copy for copy, _ in pairs}
    try:
        for copy, name in pairs:
            other = next((o for o in _collection(copy) if o.name == name and o.library is None), None)
            if other is not None and other not in copies:  # two objects may share a mesh, and so do their copies a name
                held.append((other, name))
                other.name = f"{name} (geppetto)"
            copy.name = name
        yield
    finally:
        for copy, _ in pairs:
            copy.name = "Geppetto"
        for other, name in reversed(held):
            other.name = name


def unlike_bones(own: list[str], bones: set[str]) -> list[str]:
    """Names of objects, those that bones of the file have made others: Unity refuses a humanoid of which it finds two
    things by one name, and readers that make names unique may rename the bone.  No case counts: Unreal knows none."""
    taken = {name.lower() for name in (*own, *bones)}
    held, out = {name.lower() for name in bones}, []
    for name in own:
        number, made = 1, name
        while made.lower() in (held if made == name else taken):
            made = f"{name} mesh" if number == 1 else f"{name} mesh {number}"
            number += 1
        taken.add(made.lower())
        out.append(made)
    return out


def _collection(datablock):
    return bpy.data.objects if isinstance(datablock, bpy.types.Object) else bpy.data.meshes if isinstance(
        datablock, bpy.types.Mesh) else bpy.data.armatures


def copy_meshes(context, scene, objects, armature, rig: Rig, *, has_keys: bool) -> list[Piece]:
    """Copies of a character's mesh objects on the stage, world space, at rest, their modifiers applied.

    has_keys : their shape keys are kept; otherwise they are applied. Those that keys or drivers move are at 0.
    Raises BadMesh if a shape key has other vertices than its mesh once the modifiers are applied: see `copy_keys`.
    """
    bones = [carrier(o, armature) for o in objects]
    places = [o.matrix_world.copy() if bone is None else _rest_place(o, armature, bone)
              for o, bone in zip(objects, bones, strict=True)]
    with at_rest(context, []):  # what lies on a posed body by its modifiers would be copied in that pose
        return [_copy(context, scene, o, bone, place, rig, has_keys)
                for o, bone, place in zip(objects, bones, places, strict=True)]


def moved_keys(o) -> set[str]:
    """Names of a mesh object's shape keys that keys or drivers move. Keys that are all 0, as many programs write for
    whatever stands still, move nothing."""
    keys = o.data.shape_keys
    if keys is None or keys.animation_data is None:
        return set()
    played = [curve for action in played_by(keys) for curve in curves_of(action)]
    curves = [*keys.animation_data.drivers, *(curve for curve in played if not _is_still(curve))]
    paths = {curve.data_path for curve in curves}
    return {block.name for block in keys.key_blocks if block.path_from_id("value") in paths}


def _is_still(curve) -> bool:
    """Whether a curve is 0 at all times."""
    values = np.empty((3, 2 * len(curve.keyframe_points)), np.float32)
    for row, key in zip(values, ("co", "handle_left", "handle_right"), strict=True):
        curve.keyframe_points.foreach_get(key, row)
    return not curve.modifiers and not values[:, 1::2].any()


def _copy(context, scene, o, bone: bpy.types.Bone | None, place: Matrix, rig: Rig, has_keys: bool) -> Piece:
    piece = applied_copy(context, scene, o, place, has_keys)
    weights = _weights(piece, bone, rig)
    if place.is_negative:
        _mirror(piece.data, place)
    else:
        piece.data.transform(place, shape_keys=True)
    return Piece(piece, o.name, o.data.name, weights)


def _mirror(mesh, place: Matrix) -> None:
    """Transform a mesh by a matrix that mirrors, its outside staying outside; custom normals Blender leaves behind."""
    has_normals, normals = mesh.has_custom_normals, np.empty(3 * len(mesh.loops), np.float32)
    if has_normals:  # as an attribute they go along where corners change places
        mesh.corner_normals.foreach_get("vector", normals)
        mesh.attributes.new("geppetto normals", "FLOAT_VECTOR", "CORNER").data.foreach_set("vector", normals)
    mesh.transform(place, shape_keys=True)
    mesh.flip_normals()
    if has_normals:
        mesh.attributes["geppetto normals"].data.foreach_get("vector", normals)
        mesh.attributes.remove(mesh.attributes["geppetto normals"])
        turned = normals.reshape(-1, 3) @ np.linalg.inv(np.array(place, float)[:3, :3])
        mesh.normals_split_custom_set(turned / np.linalg.norm(turned, axis=1, keepdims=True))


def applied_copy(context, scene, o, place: Matrix, has_keys: bool) -> bpy.types.Object:
    """A mesh object's copy in a scene, in its own coordinates, at rest while the armatures rest, its other modifiers
    applied.  place : where it is then.  has_keys, raises : see `copy_meshes`"""
    guide = o.copy()
    guide.data = o.data.copy()
    scene.collection.objects.link(guide)
    try:
        return _applied(context, scene, o, guide, place, has_keys)
    finally:
        bpy.data.meshes.remove(guide.data)


def _applied(context, scene, o, guide, place: Matrix, has_keys: bool) -> bpy.types.Object:
    guide.animation_data_clear()
    guide.constraints.clear()
    guide.parent = None
    guide.matrix_world = place
    for modifier in [m for m in guide.modifiers if m.type == "ARMATURE"]:
        guide.modifiers.remove(modifier)
    keys = guide.data.shape_keys
    if keys is not None:
        keys.animation_data_clear()
        guide.show_only_shape_key = False
        keys.use_relative |= has_keys  # of absolute ones files know no times, but their shapes
        still = moved_keys(o)
        values = [0.0 if block.mute or block.name in still else block.value for block in keys.key_blocks]
        for block, value in zip(keys.key_blocks, values, strict=True):
            block.slider_min, block.slider_max = min(block.slider_min, 0.0), max(block.slider_max, 1.0)
            block.value, block.mute = 0.0 if has_keys else value, False
    mesh = evaluated(context, guide)
    piece = bpy.data.objects.new("Geppetto", mesh)
    scene.collection.objects.link(piece)
    for slot, own in zip(piece.material_slots, o.material_slots, strict=False):
        slot.material = own.material
    if has_keys and keys is not None and len(keys.key_blocks) > 1:
        copy_keys(context, guide, piece, values, o.name)
    return piece


def carrier(o, armature) -> bpy.types.Bone | None:
    """The bone that carries an object, by way of what it hangs on or not; None if no bone does, or skin moves it."""
    if any(m.type == "ARMATURE" for m in o.modifiers):
        return None
    while o is not None and o.parent != armature:
        o = o.parent if o.parent_type == "OBJECT" else None
    return armature.data.bones.get(o.parent_bone) if o is not None and o.parent_type == "BONE" else None


def _weights(piece, bone: bpy.types.Bone | None, rig: Rig) -> sparse.csr_matrix:
    """(V, B) of a copy's vertices.  bone : that carries all of it, or its nearest ancestor that moves skin does"""
    number = {name: j for j, name in enumerate(rig.names)}
    count = len(piece.data.vertices)
    while bone is not None and bone.name not in number:
        bone = bone.parent
    if bone is not None:
        column = np.full(count, number[bone.name])
        return sparse.csr_matrix((np.ones(count), (np.arange(count), column)), shape=(count, len(number)))
    groups, weights = read_groups(piece)
    columns = [number.get(group, len(number)) for group in groups]
    pick = sparse.csr_matrix((np.ones(len(groups)), (np.arange(len(groups)), columns)),
                             shape=(len(groups), len(number) + 1)).tocsc()[:, :len(number)]
    out = (weights @ pick).tocsr()
    total = np.asarray(out.sum(1)).ravel()
    return sparse.diags(np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)) @ out


def _rest_place(o, armature, bone: bpy.types.Bone) -> Matrix:
    """Where an object that a bone carries is in the world while the armature rests."""
    posed = armature.matrix_world @ armature.pose.bones[bone.name].matrix
    return armature.matrix_world @ bone.matrix_local @ posed.inverted_safe() @ o.matrix_world


def move_points(o, motion) -> None:
    """Let a function of (V, 3) move a mesh object's vertices and all its shape keys, in its own coordinates."""
    mesh = o.data
    points = motion(own_points(o).astype(float))
    mesh.vertices.foreach_set("co", np.ascontiguousarray(points, np.float32).ravel())
    if mesh.shape_keys is not None:
        for block in mesh.shape_keys.key_blocks:
            held = np.empty(3 * len(block.data), np.float32)
            block.data.foreach_get("co", held)
            held = motion(held.reshape(-1, 3).astype(float))
            block.data.foreach_set("co", np.ascontiguousarray(held, np.float32).ravel())
    mesh.update()
