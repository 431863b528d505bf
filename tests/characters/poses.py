"""Poses that make a body's two sides unlike: joints turned about the joints above them, before flesh grows on them."""

from __future__ import annotations

import numpy as np

from .implicit import turn

ARM = ("upper_arm", "forearm", "hand", "hand_tip")
LEG = ("thigh", "shin", "foot", "toe", "toe_tip")
FRONT = ("front_upper", "front_lower", "front_foot", "front_toe")
HIND = ("hind_upper", "hind_lower", "hind_heel", "hind_foot", "hind_toe")
# Diagonal legs swing alike.
GAIT = {("front", "L"): 1.0, ("front", "R"): -1.0, ("hind", "L"): -1.0, ("hind", "R"): 1.0}


def bend(joints: dict, chain, degrees: float, axis: str = "x") -> dict:
    """Turn the joints of a chain about its first by degrees, right-handed about a world axis."""
    matrix, pivot = turn(axis, degrees), joints[chain[0]]
    return joints | {n: pivot + matrix @ (joints[n] - pivot) for n in chain[1:]}


def walking(joints: dict, *, swing: float = 25.0) -> dict:
    """A person in mid-stride: left leg and right arm forwards, the right knee bent."""
    for side, sign in (("L", -1.0), ("R", 1.0)):
        arm, leg = ([f"{n}.{side}" for n in names] for names in (ARM, LEG))
        joints = bend(joints, arm, -sign * swing)
        joints = bend(joints, leg, sign * swing)
    return bend(joints, [f"{n}.R" for n in LEG[1:]], swing)


def waving(joints: dict, *, rise: float = 110.0) -> dict:
    """A person with the left arm raised to the side and the forearm upright."""
    joints = bend(joints, [f"{n}.L" for n in ARM], -0.7 * rise, "y")
    return bend(joints, [f"{n}.L" for n in ARM[1:]], -0.3 * rise, "y")


def reach(start: np.ndarray, lengths: tuple[float, float], target: np.ndarray, pole: np.ndarray
          ) -> tuple[np.ndarray, np.ndarray]:
    """(middle, end) of two bones from a start to a target, or as near as they come, bent towards a pole's direction."""
    a, b = lengths
    way = target - start
    far = float(np.clip(np.linalg.norm(way), max(abs(a - b), 0.3 * (a + b)), 0.995 * (a + b)))
    way = way / np.linalg.norm(way)
    side = pole - (pole @ way) * way
    side = side / max(float(np.linalg.norm(side)), 1e-9)
    along = (a * a + far * far - b * b) / (2 * far)
    return start + along * way + np.sqrt(max(a * a - along * along, 0.0)) * side, start + far * way


def holding(joints: dict, *, ahead: float = 0.5, low: float = 0.5, apart: float = 0.3) -> dict:
    """A person with both hands before the waist, the left one further forward, as around a gun; in arm lengths."""
    middle = (joints["upper_arm.L"] + joints["upper_arm.R"]) / 2
    moved = dict(joints)
    for side, sign, further in (("L", 1.0, apart), ("R", -1.0, 0.0)):
        upper, elbow, wrist, tip = (joints[f"{n}.{side}"] for n in ARM)
        lengths = float(np.linalg.norm(elbow - upper)), float(np.linalg.norm(wrist - elbow))
        goal = middle + sum(lengths) * np.array([sign * 0.05, -ahead - further, -low])
        elbow, end = reach(upper, lengths, goal, np.array([sign, 0.5, -0.5]))
        way = (end - elbow) / lengths[1]
        moved |= {f"forearm.{side}": elbow, f"hand.{side}": end,
                  f"hand_tip.{side}": end + float(np.linalg.norm(tip - wrist)) * way}
    return moved


def striding(joints: dict, *, swing: float = 22.0, look: float = 30.0) -> dict:
    """An animal in mid-stride, its head turned to its left."""
    for (end, side), sign in GAIT.items():
        leg = [f"{n}.{side}" for n in (FRONT if end == "front" else HIND)]
        joints = bend(joints, leg, -sign * swing)
        if sign < 0:
            joints = bend(joints, leg[1:], 0.8 * swing if end == "front" else -0.4 * swing)
    return bend(joints, ("neck", "head", "head_top"), look, "z")
