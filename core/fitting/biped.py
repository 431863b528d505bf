"""A person's joints from a person's shape. See `anatomy` and `proportions`."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from .anatomy import Body
from .build import SHOULDER, Build, find_build, hangs_from_head, has_fallen, hidden_arm, raised_arm, side_of
from .limbs import Limb, LimbProfile
from .loose import snap_joints, wide_gap
from .proportions import Proportions, load_proportions

JOINTS = {"hips", "spine", "chest", "neck", "head", "head_top"} | {
    f"{j}.{s}" for s in "LR" for j in ("shoulder", "upper_arm", "forearm", "hand", "hand_tip", "thigh", "shin", "foot",
                                       "toe", "toe_tip")}

# What each formula moves its joint along: "limb" is the limb's centre line seen from its tip, "out" from the body's
# axis, "back" +y, "up" +z.
AXES = {"shoulder": "limb", "shoulder_middle": "limb", "elbow": "limb", "wrist": "limb",
        "hip": "up", "hip_out": "out", "hip_back": "back", "knee": "up", "knee_back": "back", "ankle": "up",
        "hips": "up", "neck": "up", "head": "up"}

# A crotch lower than this share of the shoulders' height is a skirt's hem; the hip is then at COVERED_HIP of it, and
# no further out than COVERED_WIDTH of the shoulder joint.
COVERED, COVERED_HIP, COVERED_WIDTH = 0.17, 0.63, 0.6
# Legs that meet below this share of the shoulders' height are feet that touch.
TOUCHING = 0.05
SIDES = (("L", 1.0), ("R", -1.0))
NO_ARMS = ("The arms do not stand off the body: they are placed along its sides by proportions. Move them away from "
           "the body, or pin shoulders and hands.")
MELTED_ARMS = ("The upper arms melt into the body: the shoulders are placed by proportions. Check them, or pin them.")

NO_ARM = "The hands float: elbows are placed in the air between them and the body. Delete what the body does not have."


def place_biped(body: Body, p: Proportions | None = None) -> dict[str, np.ndarray]:
    """{joint name: (3,)} for the joints of the `biped` preset, unit frame. p : the shipped proportions if not given."""
    p = load_proportions("biped") if p is None else p
    joints: dict[str, np.ndarray] = {}
    whole = {tip: body.limbs[tip] for tip in ("toe_tip.L", "toe_tip.R")}
    crotch = body.crotch(*whole)
    build = find_build(body, crotch)
    for side, sign in SIDES:
        place_arm(body, joints, side, p)
        if _place_floating_arm(body, joints, side, sign, build):
            continue
        if build is not None:
            _mend_arm(body, joints, side, sign, p, build)
    shoulders = (joints["upper_arm.L"] + joints["upper_arm.R"]) / 2
    if crotch is not None and crotch[2] < TOUCHING * shoulders[2]:
        # The profiles of legs that only touch at the feet stay whole.
        body.limbs |= whole
    _place_legs(body, joints, float(shoulders[2]), p, crotch, build)
    _place_trunk(body, joints, shoulders, p)
    return joints


def girth(profile: LimbProfile) -> float:
    """Radius of the disc as large as the limb's median section between two and four fifths of the way to the root."""
    stretch = profile.areas[int(0.4 * profile.root) : int(0.8 * profile.root) + 1]
    return float(np.sqrt(np.median(stretch) / np.pi))


def place_arm(body: Body, joints: dict[str, np.ndarray], side: str, p: Proportions) -> None:
    """The shoulder is told twice, by where the arm leaves the trunk and by the way to the body's middle; a stout body
    hides one of the two, so the nearer to the hand counts."""
    limb = body.limbs[f"hand_tip.{side}"]
    lengths = _arm_lengths(body, limb)
    arm = f"upper_arm.{side}"
    reach = min(p.of("shoulder", arm, lengths), p.of("shoulder_middle", arm, lengths))
    lengths["arm"] = reach
    names = (arm, f"forearm.{side}", f"hand.{side}")
    along = np.array([reach, p.of("elbow", names[1], lengths), p.of("wrist", names[2], lengths)])
    if body.parts is not None:
        along = snap_joints(along, body.parts.seams(body.interior, limb, body.paired_limbs))
    joints |= {n: limb.profile.at(d) for n, d in zip(names, along, strict=True)}
    joints[f"hand_tip.{side}"] = limb.tip


def _place_floating_arm(body: Body, joints: dict[str, np.ndarray], side: str, sign: float,
                        build: Build | None) -> bool:
    """The joints of a hand that floats beside the body, if it does: the wrist where it begins, the shoulder in the
    trunk's side, the elbow between."""
    limb, arm, hand = body.limbs[f"hand_tip.{side}"], f"upper_arm.{side}", f"hand.{side}"
    if body.parts is None:
        return False
    whole = float(np.abs(limb.tip[0] - body.axis_x()))
    gap = wide_gap(whole, body.parts.seams(body.interior, limb, body.paired_limbs))
    if gap is None:
        return False
    joints[hand], inner = limb.profile.at(gap[0]), limb.profile.at(gap[1])
    thick = 0.1 * body.height
    joints[arm] = inner if build is None else side_of(body, build, build.below_neck(SHOULDER), sign, 0.3 * thick)
    joints[f"forearm.{side}"] = 0.48 * joints[hand] + 0.52 * joints[arm]
    body.doubts.append(NO_ARM)
    return True


def _mend_arm(body: Body, joints: dict[str, np.ndarray], side: str, sign: float, p: Proportions, build: Build) -> None:
    """Lay an arm that is melted into the body's side along that side, if what was taken for it is an ear, or only its
    hand."""
    limb = body.limbs[f"hand_tip.{side}"]
    if hangs_from_head(body, limb, build):
        distances, points = hidden_arm(body, build, sign)
        thick, joints[f"hand_tip.{side}"] = 0.08 * (build.neck - build.hip), points[0]
        body.doubts.append(NO_ARMS)
    elif has_fallen(joints[f"upper_arm.{side}"], limb, build):
        thick = girth(limb.profile)
        distances, points = raised_arm(body, build, limb, sign, thick)
        body.doubts.append(MELTED_ARMS)
    else:
        return
    lengths = {"arm": float(distances[-1]), "girth": thick}
    joints[f"upper_arm.{side}"] = points[-1]
    for name, joint in (("elbow", f"forearm.{side}"), ("wrist", f"hand.{side}")):
        along = p.of(name, joint, lengths)
        joints[joint] = np.array([np.interp(along, distances, points[:, d]) for d in range(3)])


def _arm_lengths(body: Body, limb: Limb) -> dict[str, float]:
    """corner : from the tip to where the arm leaves the trunk, held to what the embedding allows
    middle : from the tip to the body's middle plane;  girth : the arm's radius
    """
    whole = float(limb.from_tip[limb.trunk])
    on_plane = np.abs(body.interior.centres[:, 0] - body.axis_x()) <= 0.75 * body.field.grid.spacing
    middle = float(limb.from_tip[on_plane].min()) if on_plane.any() else whole
    corner = float(np.clip(limb.profile.length, 0.49 * whole, 0.95 * whole))
    return {"corner": corner, "middle": middle, "girth": girth(limb.profile)}


def _place_legs(body: Body, joints: dict[str, np.ndarray], shoulder: float, p: Proportions,
                crotch: np.ndarray | None, build: Build | None) -> None:
    axis, lengths = body.axis_x(), {"height": body.height}
    base, is_covered = COVERED_HIP * shoulder if build is None else build.hip, True
    if crotch is not None and COVERED * shoulder < crotch[2] < 0.9 * shoulder:
        fork = body.fork("toe_tip.L", crotch, crotch[2] + 0.6 * (shoulder - crotch[2]))
        is_covered = body.is_hem(crotch)
        lengths["rise"] = shoulder - fork
        bare = fork + p.of("hip", "thigh.L", lengths)
        base = max(base, bare) if is_covered else bare
    for side, sign in SIDES:
        limb = body.limbs[f"toe_tip.{side}"]
        thigh, shin, foot = (f"{n}.{side}" for n in ("thigh", "shin", "foot"))
        lengths |= {"hip": base, "girth": girth(limb.profile)}
        knee = p.of("knee", shin, lengths)
        hip, knee, ankle = _snap_leg(body, limb, np.array([base, knee, min(p.of("ankle", foot, lengths), 0.5 * knee)]))
        joints[thigh], joints[shin] = _above_leg(limb.profile, hip), _above_leg(limb.profile, knee)
        if is_covered:
            _keep_inward(body, joints, side)
        # The sweep crosses the foot slantwise; the leg itself, a little higher, shows where the ankle stands.
        joints[foot] = body.slice_centre(limb, max(2 * ankle, 0.35 * knee)) * [1, 1, 0] + [0, 0, ankle]
        # Near the crotch level sets lean to the middle; the knee shows better how far out the leg stands.
        lengths |= {"knee": sign * (joints[shin][0] - axis), "line": sign * (joints[thigh][0] - axis)}
        joints[thigh][0] = axis + sign * p.of("hip_out", thigh, lengths)
        joints[thigh][1] += p.of("hip_back", thigh, lengths)
        joints[shin][1] += p.of("knee_back", shin, lengths)
        tip = limb.tip
        forwards = joints[foot] + 0.6 * (tip - joints[foot])
        joints[f"toe.{side}"] = np.append(forwards[:2], min(0.3 * ankle, tip[2] + 0.01))
        joints[f"toe_tip.{side}"] = tip


def _snap_leg(body: Body, limb: Limb, heights: np.ndarray) -> np.ndarray:
    """(3,) heights of hip, knee and ankle, at the seams of a leg made of loose parts."""
    if body.parts is None:
        return heights
    seams = body.parts.seams(body.interior, limb, body.paired_limbs)
    level = lambda along: np.array([limb.profile.at(d)[2] for d in along.ravel()]).reshape(along.shape)  # noqa: E731
    seams = replace(seams, gaps=level(seams.gaps), changes=level(seams.changes))
    gap = wide_gap(heights[0], seams)
    return snap_joints(heights, seams) if gap is None else np.array([gap[1], gap.mean(), min(gap[0], heights[2])])


def _above_leg(profile: LimbProfile, z: float) -> np.ndarray:
    """(3,) the leg's centre line at a height, drawn on beyond the leg's root.

    A line through a shoe or a stub says little about where the hip is; the less of the way to it shows, the more
    upright it goes on.
    """
    place, root = profile.at_height(z), profile.centres[profile.root]
    trust = float(np.clip((root[2] / max(z, 1e-12) - 0.5) / 0.25, 0.0, 1.0))
    return np.append(root[:2] + trust * (place[:2] - root[:2]), z)


def _keep_inward(body: Body, joints: dict[str, np.ndarray], side: str) -> None:
    """Inside a skirt the legs do not show: no hip stands further out than it would under such shoulders."""
    axis = body.axis_x()
    most = COVERED_WIDTH * abs(joints[f"upper_arm.{side}"][0] - axis)
    for name in ("thigh", "shin"):
        joint = joints[f"{name}.{side}"]
        depth = body.trunk_centre(float(joint[2]), most)[1]
        joints[f"{name}.{side}"] = np.array([axis + np.clip(joint[0] - axis, -most, most), depth, joint[2]])


def _on_flesh(body: Body, z: float) -> float:
    """A height, or where the trunk of a loose body begins above it: hips do not lie in the air between the legs."""
    if body.parts is None:
        return z
    filled = body.column.z[(body.column.radius > 0) & (body.column.z >= z)]
    return float(filled[0]) if len(filled) else z


def _place_trunk(body: Body, joints: dict[str, np.ndarray], shoulders: np.ndarray, p: Proportions) -> None:
    half = 0.5 * float(np.linalg.norm(joints["upper_arm.L"] - joints["upper_arm.R"])) / 2
    hip = (joints["thigh.L"] + joints["thigh.R"]) / 2
    tip = body.limbs["head_top"].tip
    lengths = {"height": body.height, "top": max(float(tip[2] - shoulders[2]), 0.0),
               "girth": (girth(body.limbs["toe_tip.L"].profile) + girth(body.limbs["toe_tip.R"].profile)) / 2}
    bottom = _on_flesh(body, float(hip[2]) + p.of("hips", "hips", lengths))
    top, head = (shoulders[2] + p.of(n, n, lengths) for n in ("neck", "head"))
    joints["hips"] = body.trunk_centre(bottom, half)
    joints["spine"] = body.trunk_centre(bottom + 0.25 * (top - bottom), half)
    joints["chest"] = body.trunk_centre(bottom + 0.55 * (top - bottom), half)
    joints["neck"], joints["head"] = body.trunk_centre(top, half), body.trunk_centre(head, half)
    crown = max(body.top(joints["head"]), joints["head"][2] + 0.02)
    joints["head_top"] = np.array([joints["head"][0], joints["head"][1], crown])
    for side, _ in SIDES:
        arm = joints[f"upper_arm.{side}"]
        inner = 0.7 * joints["neck"] + 0.3 * arm
        joints[f"shoulder.{side}"] = np.array([inner[0], inner[1], arm[2] + 0.02 * body.height])


def centre_line(body: Body, joint: str, joints: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The line an arm's joint lies on: (L,) distances from the hand's tip and (L, 3) points."""
    return body.limbs[f"hand_tip.{joint[-1]}"].profile.line()
