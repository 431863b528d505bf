"""What carries what, as a motion shows it: feet that follow a leg by inverse kinematics hang on nothing."""

from __future__ import annotations

import numpy as np

from ..geometry.rotation import conjugate, rotate
from ..skeleton.carried import NEAR, ancestors, hanging, loose_bones
from ..skeleton.rig import Rig

LEGS = (("front_upper", "front_lower", "front_heel", "front_foot"),
        ("hind_upper", "hind_lower", "hind_heel", "hind_foot"))


def feet_as_shown(rig: Rig, roles: dict[str, int], turns: np.ndarray, heads: np.ndarray) -> dict[str, str]:
    """{loose bone: the last bone of an animal's leg without a foot} where the loose one keeps its place on that bone.

    turns, heads : (T, B, 4), (T, B, 3) in one space
    Rest poses may be of no help: importers give last bones whatever ends. Who moves on a leg's last bone by a small
    part of the way it moves on the hips is carried by the leg.
    """
    hips = roles.get("hips", -1)
    loose = [b for b in loose_bones(rig, hips) if b not in roles.values()] if hips >= 0 else []
    out: dict[str, str] = {}
    for *parts, foot in LEGS:
        for side in "LR":
            chain = [roles[f"{p}.{side}"] for p in parts if f"{p}.{side}" in roles]
            if f"{foot}.{side}" in roles or len(chain) < 2 or not loose:
                continue
            last = hanging(rig, chain)[-1]
            if hips not in ancestors(rig.parents, last):
                continue
            on_leg, on_hips = (_strayed(turns[:, b], heads[:, loose] - heads[:, [b]]) for b in (last, hips))
            held = np.where(on_leg < NEAR * on_hips, on_leg, np.inf)
            if np.isfinite(held).any():
                out[rig.names[loose[int(held.argmin())]]] = rig.names[last]
    return out


def _strayed(turns: np.ndarray, away: np.ndarray) -> np.ndarray:
    """(K,) how far places go on a bone.  turns : (T, 4) the bone's;  away : (T, K, 3) from it"""
    places = rotate(conjugate(turns)[:, None], away)
    return np.linalg.norm(places - np.median(places, axis=0), axis=-1).max(0)
