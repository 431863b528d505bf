"""What an armature moves, at rest: the skin about its feet, for soles that stand on the ground, and less densely that
of the rest of the body, for bodies that lie, arms that keep out of them and hands that rest on them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import bpy
import numpy as np
from mathutils import Matrix
from scipy import sparse

from ...core.motion.sole import Skin
from ...core.skeleton.bone_map import BoneMap, find_roles
from ...core.skeleton.carried import ancestors
from ...core.skeleton.rig import Rig
from ...core.skeleton.sides import pairs_by_name
from ...core.skeleton.twist import is_twist
from ..names import OWN_NAME
from .armature import hook
from .rigify import to_plain

FEET = ("foot", "toe", "front_foot", "hind_foot", "shin", "front_lower", "hind_lower", "front_heel", "hind_heel")
ABOUT = 0.3  # of the skeleton's size: how far from the bones of the feet their skin may be
MOST = 8_000  # vertices of an object that count away from the feet, at even distances among its own
# Of a vertex' weight must be of the body's bones; of the skeleton's size: how far from the bone it follows most it may
# lie. Swords, capes and long hair are no part of a body that lies.
OWN, CLOSE = 0.5, 0.2


def read_skin(armature: bpy.types.Object, rig: Rig, bone_map: BoneMap | None = None, *,
              mover: bpy.types.Object | None = None, shares: Mapping[str, str] = MappingProxyType({})) -> Skin | None:
    """The vertices of a body, in the armature's space at rest, and what they follow; None if it has no feet or no skin:
    all about the feet, and some of those elsewhere.

    mover : the armature that moves the meshes instead, shares : {its bone: the rig's bone whose skin it took over}
    Meshes with an Armature modifier or on a bone, a Mirror modifier's other half too; hidden ones do not count.
    """
    roles = find_roles(rig, bone_map)
    feet = [b for r, b in roles.items() if r.split(".")[0] in FEET]
    if not feet:
        return None
    places = np.concatenate([rig.heads[feet], rig.tails[feet]])
    size = float(np.ptp(np.concatenate([rig.heads, rig.tails]), axis=0).max())
    body = {*roles.values(), *(a for b in roles.values() for a in ancestors(rig.parents, b))}
    own = {bone.name: bone.get(OWN_NAME, bone.name) for bone in armature.data.bones}
    body |= {i for i, name in enumerate(rig.names) if is_twist(own.get(name, name))}
    parts = [part for o in bpy.data.objects if o.type == "MESH" and o.visible_get()
             if (part := _part(o, armature, mover or armature, shares, rig, places, size, sorted(body))) is not None]
    if not parts:
        return None
    weights = sparse.vstack([w for _, w in parts]).tocsr()
    whole = np.asarray(weights.sum(1)).ravel()
    held = whole > 1e-6
    if not held.any():
        return None
    return Skin(np.concatenate([p for p, _ in parts])[held], sparse.diags(1 / whole[held]) @ weights[held])


def _part(o, armature, mover, shares: Mapping[str, str], rig: Rig, places: np.ndarray, size: float,
          body: list[int]):
    """(vertices, weights) of one object, all near some places and some elsewhere that follow the body's bones; None if
    it does not follow the armature.  size : of the skeleton"""
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
    there, count = put(points), len(rig.names)
    is_near = _near(there, places, ABOUT * size)
    near = np.flatnonzero(is_near)
    if follows:
        far = np.flatnonzero(~is_near)
        near = np.concatenate([near, far[::max(1, -(-len(far) // MOST))]])
        rows = _weights(o, near, rig, shares)
        counts = is_near[near] | _is_of_body(there[near], rows, rig, body, CLOSE * size)
        near, rows = near[counts], rows[counts]
    else:
        rows = _one(len(near), rig.names.index(o.parent_bone), count)
    out = there[near]
    if follows and any(m.type == "MIRROR" and m.use_axis[0] and m.mirror_object is None and m.show_viewport
                       for m in o.modifiers):
        partner = pairs_by_name(rig.names)
        swap = np.where(partner < 0, np.arange(len(rig.names)), partner)
        out = np.concatenate([out, put(points[near] * [-1, 1, 1])])
        rows = sparse.vstack([rows, rows[:, swap]])
    return out, rows


def _is_of_body(points: np.ndarray, weights: sparse.csr_matrix, rig: Rig, body: list[int], reach: float) -> np.ndarray:
    """(N,) whether points follow the body's bones at least half, and lie within reach of the one they follow most."""
    if not len(points):
        return np.zeros(0, bool)
    whole, of_body = np.asarray(weights.sum(1)).ravel(), weights[:, body]
    bone = np.array(body)[np.asarray(of_body.argmax(1)).ravel()]
    head, along = rig.heads[bone], rig.tails[bone] - rig.heads[bone]
    share = ((points - head) * along).sum(1) / np.maximum((along * along).sum(1), 1e-30)
    off = np.linalg.norm(points - head - np.clip(share, 0, 1)[:, None] * along, axis=1)
    return (np.asarray(of_body.sum(1)).ravel() >= OWN * np.maximum(whole, 1e-6)) & (off <= reach)


def _one(count: int, bone: int, bones: int) -> sparse.csr_matrix:
    """Weights of vertices that follow one bone alone."""
    return sparse.csr_matrix((np.ones(count), (np.arange(count), np.full(count, bone))), shape=(count, bones))


def _on_bone(o, armature) -> Matrix:
    """Where an object on a bone is in the armature's space while that rests."""
    return hook(armature, o.parent_bone) @ o.matrix_parent_inverse @ o.matrix_basis


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
