"""Left and right: which names and which places are each other's mirror image."""

from __future__ import annotations

import re

import numpy as np

_WORDS = {"l": "left", "left": "left", "r": "right", "right": "right"}


def split_side(name: str) -> tuple[str, str]:
    """(what, side) of a bone's name; side is "left", "right" or "". Knows .L, _l, -left, L_, Left..., "Bip01 L Thigh".

    A namespace such as "mixamorig:" belongs to what. A lone letter counts only between signs or at an end.
    """
    words = words_of(name)
    found = [i for i, w in enumerate(words) if w.lower() in _WORDS]
    if not found:
        return name, ""
    # Of several the outermost speaks: "L_hand_R" is no name anyone means.
    i = found[-1] if found[-1] == len(words) - 1 else found[0]
    return "|".join(w.lower() for w in words[:i] + words[i + 1:]), _WORDS[words[i].lower()]


def words_of(name: str) -> list[str]:
    """The words of a bone's name: "LeftHandIK_2" is Left, Hand, IK, 2."""
    parts = re.split(r"[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Za-z])(?=[0-9])|(?<=[A-Z])(?=[A-Z][a-z])", name)
    return [p for p in parts if p]


def pairs_by_name(names) -> np.ndarray:
    """(N,) index of the name that says the same of the other side, -1 = none. Names said twice have no partner."""
    of_key: dict[tuple[str, str], list[int]] = {}
    for i, name in enumerate(names):
        of_key.setdefault(split_side(name), []).append(i)
    partner = np.full(len(names), -1)
    for (what, side), left in of_key.items():
        right = of_key.get((what, "right"), [])
        if side == "left" and len(left) == len(right) == 1:
            partner[left[0]], partner[right[0]] = right[0], left[0]
    return partner


def pairs_by_place(points: np.ndarray, partner: np.ndarray, x: float, reach: float) -> np.ndarray:
    """The pairs given, and those of the rest of the points (N, 3) whose mirror images in the plane at x nearly meet.

    partner : (N,) known pairs;  reach : furthest a point may lie from its partner's image, and the least from the plane
    """
    out = partner.copy()
    free = np.flatnonzero((out < 0) & (np.abs(points[:, 0] - x) > reach))
    image = points * [-1, 1, 1] + [2 * x, 0, 0]
    for i in free[points[free, 0] > x]:
        others = free[(points[free, 0] < x) & (out[free] < 0)]
        if not len(others):
            break
        away = np.linalg.norm(points[others] - image[i], axis=1)
        j = others[away.argmin()]
        back = free[points[free, 0] > x]
        mutual = back[np.linalg.norm(points[back] - image[j], axis=1).argmin()] == i
        if mutual and away.min() <= reach:
            out[i], out[j] = j, i
    return out
