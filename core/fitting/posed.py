"""Joints of a body whose two sides are unlike: caught in mid-stride, waving, its head turned.

Heights say nothing about a lifted leg, and level sets from a hand that touches the thigh run into both. What stays is
the way from tip to tip of a pair of limbs, through the spheres in their middle: half of it measures the limb, wherever
it swings, and its joints lie at the same shares of it in every pose. They are learned from artists' rigs at rest.
"""

from __future__ import annotations

import numpy as np

from .anatomy import Body
from .proportions import Proportions, load_proportions
from .quadruped import place_girdle, place_quadruped_trunk

# Each limb's end, and its joints with learned shares, from the trunk outwards.
LIMBS = {"hand_tip": ("upper_arm", "forearm", "hand"), "toe_tip": ("thigh", "shin", "foot"),
         "front_toe": ("front_upper", "front_lower", "front_foot"),
         "hind_toe": ("hind_upper", "hind_lower", "hind_heel", "hind_foot")}
SIDES = "LR"
TRUNK = ("hips", "neck", "head")
# For learning: what each formula moves its joint along. See `learning_proportions`.
AXES = dict.fromkeys([*TRUNK, *(name for names in LIMBS.values() for name in names)], "limb")


def limb_line(body: Body, end: str, side: str) -> tuple[np.ndarray, np.ndarray]:
    """The limb's middle as (N,) distances from its end and (N, 3) points, on to the joint it hangs on, unit frame."""
    limb = body.limbs[f"{end}.{side}"]
    vertex, above = (int(body.embedding.vertices[r]) for r in (limb.joint, body.reduced.parents[limb.joint]))
    walk = body.graph.path(vertex, above)
    return body.graph.distance[vertex, walk], body.graph.points[walk]


def half_way(body: Body, end: str) -> float:
    """Half the way from the left limb's end to the right one's."""
    left, right = (int(body.embedding.vertices[body.limbs[f"{end}.{s}"].joint]) for s in SIDES)
    return float(body.graph.distance[left, right]) / 2


def place_limb(body: Body, joints: dict[str, np.ndarray], end: str, p: Proportions) -> None:
    """A pair of limbs: learned joints at their shares of half the way between the ends."""
    lengths = {"half": half_way(body, end)}
    for side in SIDES:
        distances, points = limb_line(body, end, side)
        for name in LIMBS[end]:
            along = p.of(name, f"{name}.{side}", lengths)
            joints[f"{name}.{side}"] = np.array([np.interp(along, distances, points[:, d]) for d in range(3)])
        joints[f"{end}.{side}"] = body.limbs[f"{end}.{side}"].tip


def place_posed_biped(body: Body, p: Proportions | None = None) -> dict[str, np.ndarray]:
    """{joint name: (3,)} for the joints of the `biped` preset, unit frame. p : shares, the shipped ones if not given.

    The trunk goes straight from between the hips to between the shoulders, the neck on towards the head's tip.
    """
    p = load_proportions("posed") if p is None else p
    joints: dict[str, np.ndarray] = {}
    for end in ("hand_tip", "toe_tip"):
        place_limb(body, joints, end, p)
    hip = (joints["thigh.L"] + joints["thigh.R"]) / 2
    shoulder = (joints["upper_arm.L"] + joints["upper_arm.R"]) / 2
    tip = body.limbs["head_top"].tip
    lengths = {"trunk": float(np.linalg.norm(shoulder - hip)), "top": float(np.linalg.norm(tip - shoulder))}
    up, on = _unit(shoulder - hip), _unit(tip - shoulder)
    joints["hips"] = hip + p.of("hips", "hips", lengths) * up
    joints["neck"] = shoulder + p.of("neck", "neck", lengths) * _unit(up + on)
    joints["head"] = joints["neck"] + p.of("head", "head", lengths) * _unit(tip - joints["neck"])
    joints["head_top"] = tip
    for name, share in (("spine", 0.25), ("chest", 0.55)):
        joints[name] = joints["hips"] + share * (joints["neck"] - joints["hips"])
    for side in SIDES:
        foot, toe = joints[f"foot.{side}"], joints[f"toe_tip.{side}"]
        joints[f"toe.{side}"] = foot + 0.6 * (toe - foot)
        joints[f"shoulder.{side}"] = 0.7 * joints["neck"] + 0.3 * joints[f"upper_arm.{side}"]
    return joints


def place_posed_quadruped(body: Body, p: Proportions | None = None) -> dict[str, np.ndarray]:
    """{joint name: (3,)} for the joints of the `quadruped` and `horse` presets, unit frame. p : shares, as above."""
    p = load_proportions("posed") if p is None else p
    joints: dict[str, np.ndarray] = {}
    for end in ("front", "hind"):
        place_limb(body, joints, f"{end}_toe", p)
    tops = {end: (joints[f"{end}_upper.L"] + joints[f"{end}_upper.R"]) / 2 for end in ("front", "hind")}
    body.middle_x = float(tops["front"][0] + tops["hind"][0]) / 2
    backs = {end: body.back(float(top[1])) for end, top in tops.items()}
    for end, back in backs.items():
        place_girdle(body, joints, end, back)
    place_quadruped_trunk(body, joints, load_proportions("quadruped"), float(tops["hind"][2]), backs["hind"])
    return {n: joints[n] for n in body.template.names}


def centre_line(body: Body, joint: str, joints: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The line a joint lies on, whichever: (N,) distances along it and (N, 3) points. For learning."""
    name, _, side = joint.partition(".")
    for end, names in LIMBS.items():
        if name in names:
            return limb_line(body, end, side)
    hip = (joints["thigh.L"] + joints["thigh.R"]) / 2
    shoulder = (joints["upper_arm.L"] + joints["upper_arm.R"]) / 2
    tip, up = joints["head_top"], _unit(shoulder - hip)
    start, heading = {"hips": (hip, up), "neck": (shoulder, _unit(up + _unit(tip - shoulder))),
                      "head": (joints["neck"], _unit(tip - joints["neck"]))}[name]
    distances = np.array([-1.0, 1.0])
    return distances, start + distances[:, None] * heading


def place_posed(body: Body, p: Proportions) -> dict[str, np.ndarray]:
    """Either of the two, by the template's joints."""
    return (place_posed_biped if "thigh.L" in body.template.names else place_posed_quadruped)(body, p)


def _unit(v: np.ndarray) -> np.ndarray:
    return v / max(float(np.linalg.norm(v)), 1e-9)
