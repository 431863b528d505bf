"""An animal's joints from an animal's shape. See `anatomy`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .anatomy import Body

_LEGS = {"front": ("front_shoulder", "front_upper", "front_lower", "front_foot", "front_toe"),
         "hind": ("hind_hip", "hind_upper", "hind_lower", "hind_foot", "hind_toe")}
JOINTS = {"hips", "spine", "chest", "neck", "head", "head_top", "tail", "tail_tip"} | {
    f"{j}.{s}" for s in "LR" for leg in _LEGS.values() for j in leg}
HORSE_JOINTS = JOINTS | {"hind_heel.L", "hind_heel.R"}


@dataclass(frozen=True)
class QuadrupedProportions:
    """Medians over animals rigged by artists; each is the artist's joint against what the shape shows.

    front_rise, hind_rise : height of the leg's upper joint above the crotch, in heights of the back above the crotch
    front_knee, front_foot, hind_knee, hind_heel, hind_foot : height, in heights of the leg's upper joint
    head : (back, up) from the snout's tip, in the unit frame;  neck : share of the way from the withers to where the
    neck leaves the trunk;  raised : further up a neck that rises, in heights of the snout above that place
    knee_back : hind knees before (negative) or behind the leg's centre line, unit frame;  girdle : height of hips over the hind legs' upper joints, in the unit frame
    """

    front_rise: float = 0.17
    hind_rise: float = 0.32
    front_knee: float = 0.55
    front_foot: float = 0.045
    hind_knee: float = 0.67
    hind_heel: float = 0.40
    hind_foot: float = 0.05
    head: tuple[float, float] = (0.166, 0.057)
    neck: float = 0.5
    raised: float = 0.3
    knee_back: float = -0.015
    girdle: float = 0.035


def place_quadruped(body: Body, p: QuadrupedProportions = QuadrupedProportions()) -> dict[str, np.ndarray]:
    """{joint name: (3,)} for the joints of the `quadruped` and `horse` presets, unit frame."""
    joints: dict[str, np.ndarray] = {}
    front = _place_leg_pair(body, joints, "front", p.front_rise, {"lower": p.front_knee, "foot": p.front_foot})
    hind = _place_leg_pair(body, joints, "hind", p.hind_rise,
                           {"lower": p.hind_knee, "heel": p.hind_heel, "foot": p.hind_foot})
    for side in "LR":
        joints[f"hind_lower.{side}"] = joints[f"hind_lower.{side}"] + [0.0, p.knee_back, 0.0]
    _place_trunk(body, joints, front, hind, p)
    return {n: joints[n] for n in body.template.names}


def _place_leg_pair(body: Body, joints: dict[str, np.ndarray], end: str, rise: float,
                    heights: dict[str, float]) -> tuple[float, float]:
    """Joints of two legs; returns the heights of crotch and back above them."""
    crotch = body.crotch(f"{end}_toe.L", f"{end}_toe.R")
    roots = [body.limbs[f"{end}_toe.{s}"].profile for s in "LR"]
    root = np.mean([r.centres[r.root] for r in roots], axis=0)
    low = root if crotch is None else crotch
    back = body.back(float(low[1]))
    upper = low[2] + rise * max(back - low[2], 0.0)
    girdle = "shoulder" if end == "front" else "hip"
    for side in "LR":
        limb = body.limbs[f"{end}_toe.{side}"]
        for name, share in heights.items():
            joints[f"{end}_{name}.{side}"] = limb.profile.at_height(share * upper)
        top = limb.profile.at_height(upper)
        # Level sets near the trunk lean inwards; the leg itself tells how far out it stands.
        top[0] = joints[f"{end}_lower.{side}"][0]
        joints[f"{end}_upper.{side}"] = top
        centre = body.axis_x()
        joints[f"{end}_{girdle}.{side}"] = np.array([(top[0] + centre) / 2, top[1], upper + 0.3 * (back - upper)])
        joints[f"{end}_toe.{side}"] = limb.tip
    return float(low[2]), back


def _place_trunk(body: Body, joints: dict[str, np.ndarray], front: tuple[float, float], hind: tuple[float, float],
                 p: QuadrupedProportions) -> None:
    x = body.axis_x()
    hip = (joints["hind_upper.L"] + joints["hind_upper.R"]) / 2
    shoulder = (joints["front_upper.L"] + joints["front_upper.R"]) / 2
    head, tail = body.limbs["head_top"], body.limbs["tail_tip"]
    withers = np.array([x, shoulder[1], front[0] + 0.5 * (front[1] - front[0])])
    root = head.profile.centres[head.profile.root]
    joints["hips"] = np.array([x, hip[1], hip[2] + p.girdle])
    rise = p.raised * max(float(head.tip[2] - root[2]), 0.0)
    joints["neck"] = withers + p.neck * (root - withers) + rise * np.array([0.0, -0.7, 1.0])
    for name, share in (("spine", 0.33), ("chest", 0.66)):
        y = hip[1] + share * (shoulder[1] - hip[1])
        joints[name] = np.array([x, y, body.section_middle(y)])
    reach = float(np.hypot(*p.head))
    joints["head"] = (head.tip + [0.0, *p.head] + head.profile.at(reach)) / 2
    joints["head_top"] = head.tip
    base = tail.profile.centres[tail.profile.root]
    if base[1] < hip[1]:
        # A tail lying against the body melts into it; its root is then at the top of the rump.
        base = np.array([x, hip[1] + 0.04, hind[0] + 0.75 * (hind[1] - hind[0])])
    joints["tail"], joints["tail_tip"] = base, tail.tip
    for name in ("hips", "neck", "head", "head_top", "tail", "tail_tip"):
        joints[name] = np.array([x if body.plane_x is not None else joints[name][0], *joints[name][1:]])
