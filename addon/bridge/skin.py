"""What an armature moves, at rest: the skin about its feet, for soles that stand on the ground."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import bpy
import numpy as np
from mathutils import Matrix
from scipy import sparse

from ...core.motion.sole import Skin
from ...core.skeleton.bone_map import BoneMap, find_roles
from ...core.skeleton.rig import Rig
from ...core.skeleton.sides import pairs_by_name
from .rigify import to_plain

FEET = ("foot", "toe", "front_foot", "hind_foot", "shin", "front_lower", "hind_lower", "front_heel", "hind_heel")
ABOUT = 0.3  # of the skeleton's size: how far from the bones of the feet their skin may be


def read_skin(armature: bpy.types.Object, rig: Rig, bone_map: BoneMap | None = None, *,
              mover: bpy.types.Object | None = None, shares: Mapping[str, str] = MappingProxyType({})) -> Skin | None:
    """The vertices about a rig's feet, in the armature's space at rest, and what they follow; None if there are none.

    mover : the armature that moves the meshes instead, shares : {its bone: the rig's bone whose skin it took over}
    Meshes with an Armature modifier or on a bone, a Mirror modifier's other half too; hidden ones do not count.
    """
    roles = find_roles(rig, bone_map)
    feet = [b for r, b in roles.items() if r.split(".")[0] in FEET]
    if not feet:
        return None
    places = np.concatenate([rig.heads[feet], rig.tails[feet]])
    size = float(np.ptp(np.concatenate([rig.heads, rig.tails]), axis=0).max())
    parts = [part for o in bpy.data.objects if o.type == "MESH" and o.visible_get()
             if (part := _part(o, armature, mover or armature, shares, rig, places, ABOUT * size)) is not None]
    if not parts:
        return None
    weights = sparse.vstack([w for _, w in parts]).tocsr()
    whole = np.asarray(weights.sum(1)).ravel()
    held = whole > 1e-6
    if not held.any():
        return None
    return Skin(np.concatenate([p for p, _ in parts])[held], sparse.diags(1 / whole[held]) @ weights[held])


def _part(o, armature, mover, shares: Mapping[str, str], rig: Rig, places: np.ndarray, reach: float):
    """(vertices, weights) of one object near some places; None if it does not follow the armature."""
    follows = any(m.type == "ARMATURE" and m.object == mover and m.show_viewport for m in o.modifiers)
    on_bone = o.parent == armature and o.parent_type == "BONE" and o.parent_bone in rig.names
    if not follows and not on_bone:
        return None
    points = np.empty(3 * len(o.data.vertices), np.float32)
    o.data.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3).astype(float)
    to_armature = np.array(to_plain(mover, armature) @ mover.matrix_world.inverted_safe() @ o.matrix_world if follows
                           else _on_bone(o, armature))
    put = lambda p: p @ to_armature[:3, :3].T + to_armature[:3, 3]  # noqa: E731 - one line, used twice
    near = np.flatnonzero(_near(put(points), places, reach))
    out = put(points[near])
    count = len(rig.names)
    rows = _weights(o, near, rig, shares) if follows else _one(len(near), rig.names.index(o.parent_bone), count)
    if follows and any(m.type == "MIRROR" and m.use_axis[0] and m.mirror_object is None and m.show_viewport
                       for m in o.modifiers):
        partner = pairs_by_name(rig.names)
        swap = np.where(partner < 0, np.arange(len(rig.names)), partner)
        out = np.concatenate([out, put(points[near] * [-1, 1, 1])])
        rows = sparse.vstack([rows, rows[:, swap]])
    return out, rows


def _one(count: int, bone: int, bones: int) -> sparse.csr_matrix:
    """Weights of vertices that follow one bone alone."""
    return sparse.csr_matrix((np.ones(count), (np.arange(count), np.full(count, bone))), shape=(count, bones))


def _on_bone(o, armature) -> Matrix:
    """Where an object on a bone is in the armature's space while that rests."""
    bone = armature.data.bones[o.parent_bone]
    return bone.matrix_local @ Matrix.Translation((0, bone.length, 0)) @ o.matrix_parent_inverse @ o.matrix_basis


def _near(points: np.ndarray, places: np.ndarray, reach: float) -> np.ndarray:
    """(V,) whether points are within reach of any of the places."""
    found = np.zeros(len(points), bool)
    for place in places:
        found |= ((points - place)**2).sum(1) < reach * reach
    return found


def _weights(o, vertices: np.ndarray, rig: Rig, shares: Mapping[str, str]) -> sparse.csr_matrix:
    """(N, B) weights of some vertices by the groups that are named like bones, or like what took over from them."""
    number = {name: i for i, name in enumerate(rig.names)}
    number |= {name: number[bone] for name, bone in shares.items() if bone in number}
    column = {g.index: number[g.name] for g in o.vertex_groups if g.name in number}
    entries = [(row, column[g.group], g.weight) for row, v in enumerate(vertices)
               for g in o.data.vertices[int(v)].groups if g.group in column]
    rows, columns, values = (np.array(x) for x in zip(*entries, strict=True)) if entries else ((), (), ())
    return sparse.csr_matrix((values, (rows, columns)), shape=(len(vertices), len(rig.names)))
