"""What carries what: in artists' rigs feet and controls often hang on the ground rather than on the leg above them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..geometry.rotation import normalized
from .rig import Rig

LIMBS = (
    ("upper_arm", "forearm", "hand"),
    ("thigh", "shin", "foot", "toe"),
    ("front_upper", "front_lower", "front_heel", "front_foot"),
    ("hind_upper", "hind_lower", "hind_heel", "hind_foot"),
)
NEAR = 0.12  # of a limb's length: so near its joint or its end a bone must begin to belong to it


def ancestors(parents, bone: int) -> list[int]:
    """The bones above a bone, the nearest first."""
    out: list[int] = []
    bone = int(parents[bone])
    while bone >= 0 and bone not in out:
        out.append(bone)
        bone = int(parents[bone])
    return out


def limbs_of_roles(roles: dict[str, int]) -> list[list[int]]:
    """The bones of each limb that are known, from the trunk outward; limbs without their first two are left out."""
    out = []
    for limb in LIMBS:
        for side in "LR":
            bones = [roles[f"{part}.{side}"] for part in limb if f"{part}.{side}" in roles]
            if f"{limb[0]}.{side}" in roles and len(bones) >= 2:
                out.append(bones)
    return out


def loose_bones(rig: Rig, hips: int) -> list[int]:
    """Bones that hang neither on the hips nor above them, the topmost of each such tree."""
    above = set(ancestors(rig.parents, hips))
    return [i for i, p in enumerate(rig.parents) if i != hips and i not in above and (p < 0 or int(p) in above)]


def carriers(rig: Rig, roles: dict[str, int], told: dict[str, str] | None = None) -> np.ndarray:
    """(B,) the bone that carries each: its parent, or for loose bones that begin at a limb's joint, or where a limb
    ends, that limb's bone.

    told : {loose bone: the bone that carries it}, where that is known otherwise: a knee's pole, say
    A rig without hips or limbs keeps its parents.
    """
    parents = np.array(rig.parents, int)
    limbs = limbs_of_roles(roles)
    if "hips" not in roles or not limbs:
        return parents
    hips = roles["hips"]
    inside = {i for i in range(len(parents)) if i == hips or hips in ancestors(parents, i)}
    hang = [hanging(rig, [b for b in limb if b in inside]) for limb in limbs]
    number = {name: i for i, name in enumerate(rig.names)}
    above = set(ancestors(rig.parents, hips))
    parts = {b for limb in limbs for b in limb if b not in inside and b not in above}
    for bone in sorted({*loose_bones(rig, hips), *parts}):
        known = number.get((told or {}).get(rig.names[bone], ""), -1)
        if known in inside:
            parents[bone] = known
            continue
        if any(b in parts for b in ancestors(parents, bone)):
            continue  # goes with a limb's bone that is attached itself
        found = [_nearness(rig, limb, rig.heads[bone]) for limb in hang if len(limb) >= 2]
        if found and min(found)[0] < NEAR:
            parents[bone] = min(found)[1]
    return parents


def hanging(rig: Rig, limb: list[int]) -> list[int]:
    """A limb down to where the next bone no longer hangs on it."""
    for k, (above, below) in enumerate(pairwise(limb)):
        if above not in ancestors(rig.parents, below):
            return limb[:k + 1]
    return limb


def _nearness(rig: Rig, limb: list[int], place: np.ndarray) -> tuple[float, int]:
    """How near a place is to a limb's joints or the line on which its last bone ends, in limb lengths; and which bone.

    The line, not the tail: importers make tails up.
    """
    heads = rig.heads[limb]
    last = limb[-1]
    along = normalized(rig.tails[last] - rig.heads[last])
    length = float(np.linalg.norm(np.diff(heads, axis=0), axis=1).sum())
    away = place - rig.heads[last]
    reach = float(away @ along)
    whole = max(length + max(reach, 0.0), 1e-12)
    joint = np.linalg.norm(heads - place, axis=1) / whole
    found = [(float(joint.min()), limb[int(joint.argmin())])]
    if 0.1 * length < reach < 2.5 * length:
        found.append((float(np.linalg.norm(away - reach * along)) / whole, last))
    return min(found)


def attached(rig: Rig, roles: dict[str, int], told: dict[str, str] | None = None) -> Rig:
    """The rig with every bone hung on what carries it (see `carriers`); the same rig if nothing is loose."""
    parents = carriers(rig, roles, told)
    if np.array_equal(parents, rig.parents):
        return rig
    return Rig(rig.names, parents, rig.heads, rig.tails, rig.x_axes, rig.connected, rig.deform, rig.collections)
