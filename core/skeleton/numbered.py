"""Limbs and trunk of our creatures by the names that we give their bones: "leg_2_1.L", "spine_1", "tail_1"."""

from __future__ import annotations

import re
from itertools import pairwise

from .rig import Rig

_PART = re.compile(r"(leg_\d+|arm(?:_\d+)?)_(\d+)(\.[LR])")


def numbered_limbs(rig: Rig) -> dict[str, list[int]]:
    """{"leg_2.L": its bones from the body to the tip}: of creatures with several pairs of legs or arms, and of arms.

    Only limbs whose bones deform and hang on each other in the order of their numbers.
    """
    found: dict[str, dict[int, int]] = {}
    for bone, name in enumerate(rig.names):
        if rig.deform[bone] and (part := _PART.fullmatch(name)):
            found.setdefault(part[1] + part[3], {})[int(part[2])] = bone
    limbs = {limb: [bones[number] for number in sorted(bones)] for limb, bones in found.items()}
    return {limb: bones for limb, bones in limbs.items()
            if all(rig.parents[b] == a for a, b in pairwise(bones))}


def numbered_trunk(rig: Rig) -> dict[str, int]:
    """{role: bone} of a trunk from hips to chest, of two bones at least or with a head, with what it has of neck, head
    and tail; empty without one."""
    number = {name: bone for bone, name in enumerate(rig.names)}
    spine = [name for name in number if re.fullmatch(r"spine_\d+", name)]
    if "spine_1" not in number or (len(spine) < 2 and "head" not in number):
        return {}
    chest = max(spine, key=lambda name: int(name.rpartition("_")[2]))
    ends = {"hips": "spine_1", "chest": chest, "neck": "neck_1", "head": "head", "tail": "tail_1"}
    return {role: number[name] for role, name in ends.items() if name in number}
