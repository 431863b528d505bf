"""What a scene is, in numbers and words: what these functions give back is kept beside the bridge's own results."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path
from unittest import mock

import bpy
import numpy as np

from geppetto.addon.bridge.curves import curves_of
from geppetto.core.errors import RigError
from tests.keeping.record import HIDDEN


@contextlib.contextmanager
def scratch():
    """Inside, work is done in an empty folder, of whose place nothing is kept."""
    with tempfile.TemporaryDirectory() as folder:
        place = os.path.realpath(folder)
        HIDDEN.add(place)
        try:
            with contextlib.chdir(place), mock.patch.dict(os.environ, PWD=place):  # Blender asks for that one
                yield Path(place)
        finally:
            HIDDEN.remove(place)


def listed(parts) -> tuple:
    """Words, counts and truths in their order as one text, numbers as one array."""
    words, numbers = [], [np.zeros(0)]
    for part in parts:
        if isinstance(part, float | np.ndarray):
            numbers.append(np.ravel(part).astype(float))
        else:
            words.append(str(part))
    return "\n".join(words), np.concatenate(numbers)


def said(call, *arguments, **more):
    """What a call gives back, or what it complains of."""
    try:
        return call(*arguments, **more)
    except (RigError, RuntimeError) as error:
        return f"{type(error).__name__}: {error}"


def everything() -> None:
    """All there is in the open file."""
    bpy.context.view_layer.update()
    scene()
    for o in bpy.data.objects:
        place_of(o)
    for mesh in bpy.data.meshes:
        mesh_of(mesh)
    for o in bpy.data.objects:
        if o.type == "MESH":
            groups_of(o)
        elif o.type == "ARMATURE":
            bones_of(o)
            pose_of(o)
    for action in bpy.data.actions:
        keys_of(action)


def scene() -> tuple:
    """Names of what there is, what is selected, and when it is."""
    kinds = ("objects", "meshes", "armatures", "actions", "scenes", "materials", "collections", "texts")
    layer, now = bpy.context.view_layer, bpy.context.scene
    return listed([*(block.name for kind in kinds for block in getattr(bpy.data, kind)), bpy.context.mode,
            layer.objects.active and layer.objects.active.name, *(o.name for o in layer.objects if o.select_get()),
            now.frame_current, now.frame_start, now.frame_end])


def place_of(o) -> tuple:
    """Where an object is, what it hangs on and what changes it."""
    out = [o.name, o.type, o.parent and o.parent.name, o.parent_type, o.parent_bone, o.visible_get(), o.show_in_front,
           *map(np.array, (o.matrix_world, o.matrix_basis, o.matrix_parent_inverse)), o.data and o.data.name,
           *(c.name for c in o.users_collection), *_noted(o)]
    for m in o.modifiers:
        target = getattr(m, "object", None)
        out += [m.name, m.type, m.show_viewport, m.show_render, target and target.name, getattr(m, "vertex_group", "")]
    return listed(out)


def mesh_of(mesh) -> tuple:
    """A mesh's points, faces and layers."""
    points = np.empty(3 * len(mesh.vertices), np.float32)
    mesh.vertices.foreach_get("co", points)
    corners = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    return listed([mesh.name, mesh.users, points, corners, *sorted(a.name for a in mesh.attributes),
            mesh.attributes.active_index])


def groups_of(o) -> tuple:
    """An object's vertex groups, which are locked, and the weights in them."""
    table = np.zeros((len(o.data.vertices), len(o.vertex_groups)))
    for v in o.data.vertices:
        for g in v.groups:
            table[v.index, g.group] = g.weight
    return listed([o.name, *(g.name for g in o.vertex_groups), [g.lock_weight for g in o.vertex_groups],
                   (table > 0).sum(0), table])


def bones_of(armature) -> tuple:
    """An armature's bones at rest, and what is noted on it."""
    data = armature.data
    out = [data.name, data.display_type, data.use_mirror_x, *_noted(data), *(c.name for c in data.collections_all)]
    for b in data.bones:
        out += [b.name, b.parent and b.parent.name, b.use_connect, b.use_deform, b.use_inherit_rotation,
                np.array([b.head_local, b.tail_local]), np.array(b.matrix_local), *(c.name for c in b.collections),
                *_noted(b)]
    return listed(out)


def pose_of(armature) -> tuple:
    """How an armature's bones are posed, and what holds them."""
    out = []
    for b in armature.pose.bones:
        out += [b.name, b.rotation_mode, np.array(b.matrix_basis), np.array(b.matrix), *_noted(b),
                *(c.name for c in b.constraints), getattr(b, "rigify_type", "")]
    data = armature.animation_data
    return listed([*out, data and data.action and data.action.name, data and data.use_nla])


def keys_of(action) -> tuple:
    """An action's keys."""
    out = [action.name, action.use_fake_user, action.use_frame_range, action.use_cyclic,
           *map(float, action.frame_range)]
    for curve in curves_of(action):
        keys = np.empty(2 * len(curve.keyframe_points))
        curve.keyframe_points.foreach_get("co", keys)
        out += [curve.data_path, curve.array_index, curve.group and curve.group.name, keys,
                *(k.interpolation for k in curve.keyframe_points[:2])]
        out += [mode for m in curve.modifiers for mode in (m.type, m.mode_before, m.mode_after)]
    return listed(out)


def _noted(block) -> list:
    """Custom properties."""
    out: list = []
    for key in sorted(block.keys()):
        value = block[key]
        value = next((getattr(value, way)() for way in ("to_dict", "to_list") if hasattr(value, way)), value)
        flat = [x for pair in value.items() for x in pair] if isinstance(value, dict) else [value]
        for one in flat:
            plain = isinstance(one, list) and all(isinstance(x, int | float) for x in one)
            out += [key, np.array(one, float) if plain else one if isinstance(one, int | float | str) else repr(one)]
    return out


def truth(*truths: bool) -> tuple:
    """What holds."""
    return listed(truths)
