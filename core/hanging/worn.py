"""Loose parts that are worn: sleeves, hoods, breastplates. Something of them lies on all sides of a bone but few."""

from __future__ import annotations

import numpy as np

from ..skeleton.rig import Rig
from .loose import Parts

PLACES = np.array([0.15, 0.5, 0.85])  # on a bone
SLAB = 0.02  # so far along the bone from a place counts, unit frame; samples lie less than that apart
SIDES, OPEN = 8, 2  # directions around a bone; so many may be empty: coats and hoods are open in front. Capes leave 3
FEW = 2  # places on limbs: a band around one lies around fewer
LIMBS = ("shoulder", "upper_arm", "forearm", "thigh", "shin", "foot", "toe")


def worn(body: Rig, parts: Parts) -> tuple[np.ndarray, np.ndarray]:
    """(P,) bool, (P,) bool: which parts are worn, and which on one limb alone, as sleeves and trouser legs are.

    body : unit frame.  Hands do not count: what lies around one may be held. It does not matter whether a part is an
    open sheet, a shell or one of several layers.
    """
    bones = [i for i, name in enumerate(body.names) if body.deform[i] and name[:-2] != "hand"]
    around = np.zeros((len(bones), len(parts.extents)), np.int64)
    for row, bone in enumerate(bones):
        along = body.tails[bone] - body.heads[bone]
        length = float(np.linalg.norm(along))
        if length > 0:
            around[row] = _places_inside(parts, body.heads[bone], along / length, body.x_axes[bone], length)
    limb = np.array([body.names[bone].split(".")[0] in LIMBS for bone in bones])
    side = np.array([body.names[bone][-2:] for bone in bones])
    one = [(around[limb & (side == own)].sum(0) >= FEW) & ~(around[~(limb & (side == own))] > 0).any(0)
           for own in (".L", ".R")]
    return (around > 0).any(0), one[0] | one[1]


def _places_inside(parts: Parts, head: np.ndarray, along: np.ndarray, across: np.ndarray, length: float) -> np.ndarray:
    """(P,) how many places on a bone each part lies around."""
    off = parts.points - head
    down = off @ along
    x = off @ across
    y = off @ np.cross(along, across)
    sector = np.minimum((np.arctan2(y, x) / (2 * np.pi) % 1.0 * SIDES).astype(np.int64), SIDES - 1)
    count = np.zeros(len(parts.extents), np.int64)
    for place in PLACES * length:
        near = np.abs(down - place) <= SLAB
        filled = np.zeros((len(count), SIDES), bool)
        filled[parts.of_point[near], sector[near]] = True
        count += filled.sum(1) >= SIDES - OPEN
    return count
