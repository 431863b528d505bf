"""The skeleton under a control rig that Rigify generated: the plain rig it was made of, or Rigify's own."""

from __future__ import annotations

import re
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix

from ...core.skeleton.rig import Rig
from .. import names
from ..bridge.action import read_skeleton
from ..bridge.rigify import to_plain

RIG_ID = "rig_id"  # Rigify's mark on the armatures that it generates
_ORG, _DEF = "ORG-", "DEF-"  # its names for the bones of the metarig, and for those that deform
_SAME = 1e-4  # of the skeleton's size: bones that begin where another ends hang on it


@dataclass(frozen=True, eq=False)
class Beneath:
    """What a control rig stands for.

    body : the armature in whose space `rig` is: the plain rig, or the control rig itself
    shares : {deform bone of the control rig: the bone of `rig` whose skin it moves}
    space : takes the control rig's axes to those of `body`, wherever the two objects stand
    """

    body: bpy.types.Object
    rig: Rig
    shares: dict[str, str]
    space: Matrix


def skeleton_beneath(armature: bpy.types.Object) -> Beneath | None:
    """The skeleton that a control rig's controls are to follow; None for armatures that are no control rigs.

    A rig that *Make Control Rig* made has its plain rig. One that a person had Rigify generate has the bones of its
    metarig, which Rigify keeps as ORG-bones.
    """
    plain = armature.get(names.PLAIN_RIG)
    if isinstance(plain, bpy.types.Object) and plain.type == "ARMATURE":
        table = armature[names.SHARES].to_dict() if names.SHARES in armature else {}
        return Beneath(plain, read_skeleton(plain), {part: source for source, parts in table.items() for part in parts},
                       to_plain(armature, plain))
    if RIG_ID not in armature.data or not any(b.name.startswith(_ORG) for b in armature.data.bones):
        return None
    rig = _metarig(armature)
    return Beneath(armature, rig, {b.name: source for b in armature.data.bones
                                   if b.use_deform and (source := _source(b.name, rig.names))}, Matrix.Identity(4))


def _metarig(armature: bpy.types.Object) -> Rig:
    """The ORG-bones at rest, under the metarig's names and hanging on each other as they did there."""
    bones = [b for b in armature.data.bones if b.name.startswith(_ORG)]
    heads, tails = (np.array([getattr(b, end) for b in bones], float) for end in ("head_local", "tail_local"))
    number, size = {b.name: i for i, b in enumerate(bones)}, float(np.ptp(heads, axis=0).max())
    parents = np.full(len(bones), -1)
    for i, bone in enumerate(bones):
        above = next((number[p.name] for p in bone.parent_recursive if p.name in number), -1)
        on = np.flatnonzero(np.linalg.norm(tails - heads[i], axis=1) < _SAME * size)  # Rigify's own bones lie between
        parents[i] = above if above >= 0 or not len(on) else on[0]
    order = _parents_first(parents)
    place = np.argsort(order)
    parents = np.array([place[p] if p >= 0 else -1 for p in parents[order]], int)
    sides = np.array([bones[i].matrix_local.col[0][:3] for i in order], float)
    return Rig(tuple(bones[i].name.removeprefix(_ORG) for i in order), parents, heads[order], tails[order], sides)


def _parents_first(parents: np.ndarray) -> np.ndarray:
    """(B,) an order in which every bone comes after its parent."""
    depth, above = np.zeros(len(parents), int), parents.copy()
    while (above >= 0).any():
        depth += above >= 0
        above = np.where(above >= 0, parents[above], -1)
    return np.argsort(depth, kind="stable")


def _source(name: str, bones: tuple[str, ...]) -> str:
    """The metarig's bone that a deform bone is a piece of: DEF-shin.L.001 is of shin.L."""
    part = name.removeprefix(_DEF)
    for known in (part, re.sub(r"\.\d{3}$", "", part)):
        if name.startswith(_DEF) and known in bones:
            return known
    return ""
