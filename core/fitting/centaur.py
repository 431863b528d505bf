"""A centaur's joints: an animal's legs, back and tail, a person's arms. See `quadruped` and `biped`."""

from __future__ import annotations

import numpy as np

from .anatomy import Body
from .biped import JOINTS as BIPED_JOINTS
from .biped import place_arm
from .proportions import load_proportions
from .quadruped import JOINTS as QUADRUPED_JOINTS
from .quadruped import place_animal_tail, place_leg_pair

_ARM = ("shoulder", "upper_arm", "forearm", "hand", "hand_tip")
JOINTS = QUADRUPED_JOINTS | {"withers", "torso", "upper_chest"} | {n for n in BIPED_JOINTS if n.split(".")[0] in _ARM}
# Of the way from the shoulder joints up to the head's top, as in people: where the neck and the skull begin.
NECK, SKULL = 0.27, 0.52


def place_centaur(body: Body) -> dict[str, np.ndarray]:
    """{joint name: (3,)} for the joints of the `centaur` preset, unit frame."""
    animal, person = load_proportions("quadruped"), load_proportions("biped")
    joints: dict[str, np.ndarray] = {}
    low, back = place_leg_pair(body, joints, "hind", animal)
    # Above the front legs there is no back but a person.
    place_leg_pair(body, joints, "front", animal, highest=back)
    for side in "LR":
        place_arm(body, joints, side, person)
    _place_trunk(body, joints, back)
    place_animal_tail(body, joints, low, back)
    return {n: joints[n] for n in body.template.names}


def _place_trunk(body: Body, joints: dict[str, np.ndarray], back: float) -> None:
    """Backbone, the person's trunk, neck and head; arms and legs being placed. back : height of the rump"""
    x = body.axis_x()
    hip, front, arms = ((joints[f"{n}.L"] + joints[f"{n}.R"]) / 2 for n in ("hind_upper", "front_upper", "upper_arm"))
    tip, half = body.limbs["head_top"].tip, abs(joints["upper_arm.L"][0] - joints["upper_arm.R"][0]) / 4
    top = max(float(tip[2] - arms[2]), 0.02)
    joints["neck"], joints["head"] = (body.trunk_centre(arms[2] + share * top, half) for share in (NECK, SKULL))
    crown = max(body.top(joints["head"]), joints["head"][2] + 0.02)
    joints["head_top"] = np.append(joints["head"][:2], crown)
    withers = np.array([x, joints["neck"][1], (front[2] + 2 * back) / 3])
    joints["withers"], joints["hips"] = withers, np.array([x, hip[1], (hip[2] + back) / 2])
    for name, share in (("torso", 0.33), ("upper_chest", 0.62)):
        joints[name] = withers + share * (joints["neck"] - withers)
    for name, share in (("spine", 0.33), ("chest", 0.66)):
        y = hip[1] + share * (withers[1] - hip[1])
        joints[name] = np.array([x, y, body.section_middle(y)])
    for side in "LR":
        arm = joints[f"upper_arm.{side}"]
        joints[f"shoulder.{side}"] = np.append((0.7 * joints["neck"] + 0.3 * arm)[:2], arm[2] + 0.1 * top)
