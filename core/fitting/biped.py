"""A person's joints from a person's shape. See `anatomy`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .anatomy import Body

JOINTS = {"hips", "spine", "chest", "neck", "head", "head_top"} | {
    f"{j}.{s}" for s in "LR" for j in ("shoulder", "upper_arm", "forearm", "hand", "hand_tip", "thigh", "shin", "foot",
                                       "toe", "toe_tip")}


@dataclass(frozen=True)
class BipedProportions:
    """Medians over characters rigged by artists; each is the artist's joint against what the shape shows.

    shoulder, elbow, wrist : distance from the hand's tip, in distances from the tip to where the arm leaves the trunk
    hip : height above the crotch, in heights of the shoulders above the crotch
    knee : height, in heights of the hip joint
    ankle : height;  hips : height of the pelvis bone over the hip joints;  neck, head : over the shoulders; all in
    heights of the character
    covered : a crotch lower than this share of the shoulders' height is a skirt's hem; the hip is then at covered_hip,
    and no further out than covered_width of the shoulder joint
    """

    shoulder: float = 1.02
    elbow: float = 0.66
    wrist: float = 0.31
    hip: float = 0.14
    knee: float = 0.56
    ankle: float = 0.035
    hips: float = -0.005
    neck: float = 0.045
    head: float = 0.09
    covered: float = 0.17
    covered_hip: float = 0.63
    covered_width: float = 0.6


def place_biped(body: Body, p: BipedProportions = BipedProportions()) -> dict[str, np.ndarray]:
    """{joint name: (3,)} for the joints of the `biped` preset, unit frame."""
    joints: dict[str, np.ndarray] = {}
    for side in "LR":
        limb = body.limbs[f"hand_tip.{side}"]
        reach = _arm_length(body, limb, p)
        for name, share in (("upper_arm", p.shoulder), ("forearm", p.elbow), ("hand", p.wrist)):
            joints[f"{name}.{side}"] = limb.profile.at(share * reach)
        joints[f"hand_tip.{side}"] = limb.tip
    shoulders = (joints["upper_arm.L"] + joints["upper_arm.R"]) / 2
    _place_legs(body, joints, float(shoulders[2]), p)
    _place_trunk(body, joints, shoulders, p)
    return joints


def _arm_length(body: Body, limb, p: BipedProportions) -> float:
    """From the tip to where the arm leaves the trunk, held to what the embedding allows."""
    whole = float(limb.from_tip[limb.trunk])
    return float(np.clip(limb.profile.length, 0.5 * whole / p.shoulder, 0.97 * whole / p.shoulder))


def _place_legs(body: Body, joints: dict[str, np.ndarray], shoulder: float, p: BipedProportions) -> None:
    crotch = body.crotch("toe_tip.L", "toe_tip.R")
    hip, is_covered = p.covered_hip * shoulder, True
    if crotch is not None and p.covered * shoulder < crotch[2] < 0.9 * shoulder:
        fork = body.fork("toe_tip.L", crotch, crotch[2] + 0.6 * (shoulder - crotch[2]))
        bare = fork + p.hip * (shoulder - fork)
        is_covered = body.is_hem(crotch)
        hip = max(hip, bare) if is_covered else bare
    for side in "LR":
        limb = body.limbs[f"toe_tip.{side}"]
        knee, ankle = p.knee * hip, min(p.ankle * body.height, 0.5 * p.knee * hip)
        joints[f"thigh.{side}"] = limb.profile.at_height(hip)
        joints[f"shin.{side}"] = limb.profile.at_height(knee)
        if is_covered:
            _keep_inward(body, joints, side, p)
        # The sweep crosses the foot slantwise; the leg itself, a little higher, shows where the ankle stands.
        joints[f"foot.{side}"] = body.slice_centre(limb, max(2 * ankle, 0.35 * knee)) * [1, 1, 0] + [0, 0, ankle]
        ankle, tip = joints[f"foot.{side}"], limb.tip
        joints[f"toe.{side}"] = np.append(ankle[:2] + 0.6 * (tip - ankle)[:2], min(0.3 * ankle[2], tip[2] + 0.01))
        joints[f"toe_tip.{side}"] = tip


def _keep_inward(body: Body, joints: dict[str, np.ndarray], side: str, p: BipedProportions) -> None:
    """Inside a skirt the legs do not show: no hip stands further out than it would under such shoulders."""
    axis = body.axis_x()
    most = p.covered_width * abs(joints[f"upper_arm.{side}"][0] - axis)
    for name in ("thigh", "shin"):
        joint = joints[f"{name}.{side}"]
        depth = body.trunk_centre(float(joint[2]), most)[1]
        joints[f"{name}.{side}"] = np.array([axis + np.clip(joint[0] - axis, -most, most), depth, joint[2]])


def _place_trunk(body: Body, joints: dict[str, np.ndarray], shoulders: np.ndarray, p: BipedProportions) -> None:
    half = 0.5 * float(np.linalg.norm(joints["upper_arm.L"] - joints["upper_arm.R"])) / 2
    hip = (joints["thigh.L"] + joints["thigh.R"]) / 2
    bottom, top = hip[2] + p.hips * body.height, shoulders[2] + p.neck * body.height
    joints["hips"] = body.trunk_centre(bottom, half)
    joints["spine"] = body.trunk_centre(bottom + 0.25 * (top - bottom), half)
    joints["chest"] = body.trunk_centre(bottom + 0.55 * (top - bottom), half)
    joints["neck"] = body.trunk_centre(top, half)
    joints["head"] = body.trunk_centre(shoulders[2] + p.head * body.height, half)
    tip = body.limbs["head_top"].tip
    joints["head_top"] = np.array([joints["head"][0], joints["head"][1], max(tip[2], joints["head"][2] + 0.02)])
    for side in "LR":
        arm = joints[f"upper_arm.{side}"]
        inner = 0.7 * joints["neck"] + 0.3 * arm
        joints[f"shoulder.{side}"] = np.array([inner[0], inner[1], arm[2] + 0.02 * body.height])
