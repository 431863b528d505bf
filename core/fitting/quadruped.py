"""An animal's joints from an animal's shape. See `anatomy` and `proportions`."""

from __future__ import annotations

import numpy as np

from .anatomy import Body
from .limbs import Limb
from .proportions import Proportions, load_proportions
from .tailed import place_tail, thin_stretch

_LEGS = {"front": ("front_shoulder", "front_upper", "front_lower", "front_foot", "front_toe"),
         "hind": ("hind_hip", "hind_upper", "hind_lower", "hind_heel", "hind_foot", "hind_toe")}
TAIL = ("tail", "tail_2", "tail_3", "tail_4", "tail_tip")
JOINTS = {"hips", "spine", "chest", "neck", "head", "head_top", *TAIL} | {
    f"{j}.{s}" for s in "LR" for leg in _LEGS.values() for j in leg}

# What each formula moves its joint along: "back" +y, "up" +z, "limb" the centre line of head and neck from the snout.
AXES = {f"{end}_{joint}": "up" for end in ("front", "hind") for joint in ("upper", "lower", "foot")} | {
    "hind_upper_back": "back", "hind_lower_back": "back", "hind_foot_back": "back", "hips": "up", "neck": "limb",
    "neck_withers": "limb", "head": "limb"}

# Hocks stand at 0.35 (dogs) to 0.48 (horses) of the hip's height; how much bend, in the unit frame, a hock DOUBT of the
# hip's height off the middle of that must show more than one in the middle.
HOCK, DOUBT, BEND = 0.43, 0.15, 0.015


def place_quadruped(body: Body, p: Proportions | None = None) -> dict[str, np.ndarray]:
    """{joint name: (3,)} for the joints of the `quadruped` and `horse` presets, unit frame.

    p : the shipped proportions if not given
    """
    p = load_proportions("quadruped") if p is None else p
    joints: dict[str, np.ndarray] = {}
    place_leg_pair(body, joints, "front", p)
    hind = place_leg_pair(body, joints, "hind", p)
    place_quadruped_trunk(body, joints, p, *hind)
    return {n: joints[n] for n in body.template.names}


def place_leg_pair(body: Body, joints: dict[str, np.ndarray], end: str, p: Proportions, *,
                   highest: float = np.inf) -> tuple[float, float]:
    """Joints of two legs; returns the heights of crotch and back above them. highest : the back is no higher"""
    crotch = body.crotch(f"{end}_toe.L", f"{end}_toe.R")
    roots = [body.limbs[f"{end}_toe.{s}"].profile for s in "LR"]
    low = np.mean([r.centres[r.root] for r in roots], axis=0) if crotch is None else crotch
    back = min(body.back(float(low[1])), highest)
    lengths = {"longest": 1.0, "rise": max(back - low[2], 0.0)}
    for side in "LR":
        limb = body.limbs[f"{end}_toe.{side}"]
        upper, lower, heel, foot = (f"{end}_{n}.{side}" for n in ("upper", "lower", "heel", "foot"))
        lengths["upper"] = low[2] + p.of(f"{end}_upper", upper, lengths)
        top = limb.profile.at_height(lengths["upper"])
        knee = limb.profile.at_height(p.of(f"{end}_lower", lower, lengths))
        # Level sets near the trunk lean inwards; the leg itself tells how far out it stands.
        top[0] = knee[0]
        # The sweep crosses the paw slantwise; the leg, a little higher, shows where the foot stands.
        ankle = p.of(f"{end}_foot", foot, lengths)
        stand = body.slice_centre(limb, max(2 * ankle, 0.35 * float(knee[2]))) * [1, 1, 0] + [0, 0, ankle]
        lengths["toe"] = float(limb.tip[1] - stand[1])
        joints[upper], joints[lower], joints[foot] = top, knee, stand
        if end == "hind":
            stand[1] += p.of("hind_foot_back", foot, lengths)
            joints[heel], lengths["bend"] = find_hock(body, limb, knee, stand, lengths["upper"])
            # The more a leg is bent at the hock, the further before its middle is the stifle.
            knee[1] += p.of("hind_lower_back", lower, lengths)
            # What stands upright has its hips over its feet; level sets near the trunk lean to the flank.
            lengths["foot"] = float(stand[1] - top[1])
            top[1] += p.of("hind_upper_back", upper, lengths)
        joints[f"{end}_toe.{side}"] = limb.tip
    place_girdle(body, joints, end, back)
    return float(low[2]), back


def find_hock(body: Body, limb: Limb, knee: np.ndarray, foot: np.ndarray, hip: float) -> tuple[np.ndarray, float]:
    """Where the hind leg's middle bends furthest back between knee and foot, but not far from where hocks are.

    hip : height of the hip joint.  Returns (3,) the hock, and how far behind the straight way it lies
    """
    h = body.field.grid.spacing
    low = float(foot[2]) + 0.25 * float(knee[2] - foot[2])
    count = max(int((0.9 * float(knee[2]) - low) / h), 1)
    own = limb.from_tip <= limb.profile.length
    centres = body.interior.centres[own if limb.own is None else own & limb.own]
    level = np.floor((centres[:, 2] - low) / h).astype(np.int64)
    inside = (level >= 0) & (level < count)
    size = np.bincount(level[inside], minlength=count)
    if not size.all():
        return limb.profile.at_height(HOCK * hip), 0.0
    middle = np.stack([np.bincount(level[inside], weights=centres[inside, d], minlength=count) for d in range(3)],
                      axis=1) / size[:, None]
    bend = middle[:, 1] - np.interp(middle[:, 2], [foot[2], knee[2]], [foot[1], knee[1]])
    at = int((bend - BEND * ((middle[:, 2] / hip - HOCK) / DOUBT) ** 2).argmax())
    return middle[at], float(bend[at])


def place_girdle(body: Body, joints: dict[str, np.ndarray], end: str, back: float) -> None:
    """Shoulder blades or pelvis over the legs' upper joints, half-way to the middle. back : height of the back there"""
    girdle, centre = "shoulder" if end == "front" else "hip", body.axis_x()
    for side in "LR":
        top = joints[f"{end}_upper.{side}"]
        joints[f"{end}_{girdle}.{side}"] = np.array([(top[0] + centre) / 2, top[1], top[2] + 0.3 * (back - top[2])])


def place_quadruped_trunk(body: Body, joints: dict[str, np.ndarray], p: Proportions, low: float, back: float) -> None:
    """Backbone, neck, head and tail, the legs' upper joints being placed. low, back : heights of crotch and rump"""
    x = body.axis_x()
    hip = (joints["hind_upper.L"] + joints["hind_upper.R"]) / 2
    shoulder = (joints["front_upper.L"] + joints["front_upper.R"]) / 2
    head = body.limbs["head_top"]
    lengths = {"longest": 1.0, "neck": head.profile.length}
    joints["hips"] = np.array([x, hip[1], hip[2] + p.of("hips", "hips", lengths)])
    distances, points = centre_line(body, "neck", joints)
    lengths["withers"] = float(distances[-1])
    # Necks are about as long as each other, but none begins behind the withers.
    along = {"neck": min(p.of("neck", "neck", lengths), p.of("neck_withers", "neck", lengths)),
             "head": p.of("head", "head", lengths)}
    for name in ("neck", "head"):
        joints[name] = np.array([np.interp(along[name], distances, points[:, d]) for d in range(3)])
    for name, share in (("spine", 0.33), ("chest", 0.66)):
        y = hip[1] + share * (shoulder[1] - hip[1])
        joints[name] = np.array([x, y, body.section_middle(y)])
    joints["head_top"] = head.tip
    place_animal_tail(body, joints, low, back)
    for name in ("hips", "neck", "head", "head_top"):
        joints[name] = np.array([x if body.plane_x is not None else joints[name][0], *joints[name][1:]])


def place_animal_tail(body: Body, joints: dict[str, np.ndarray], low: float, back: float) -> None:
    """The tail behind the hind legs' upper joints. low, back : heights of crotch and rump"""
    hip = (joints["hind_upper.L"] + joints["hind_upper.R"]) / 2
    profile = body.limbs["tail_tip"].profile
    base = profile.centres[profile.root]
    if base[1] < hip[1]:
        # A tail lying against the body melts into it; its root is then at the top of the rump.
        joint = profile.centres[thin_stretch(profile) - 1]
        behind = max((float(joint[1]) + float(hip[1])) / 2, float(hip[1]) + 0.04)
        joints |= place_tail(body, TAIL, np.array([body.axis_x(), behind, low + 0.75 * (back - low)]))
    else:
        joints |= place_tail(body, TAIL)


def centre_line(body: Body, joint: str, joints: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """The line that neck and head lie on, whichever the joint: (L,) distances from the snout and (L, 3) points.

    Along the middle of head and neck to where the neck leaves the trunk, then straight on to where the backbone passes
    the shoulders, a third of the way from the front legs' upper joints up to the back.
    """
    profile = body.limbs["head_top"].profile
    root = profile.centres[profile.root]
    shoulder = (joints["front_upper.L"] + joints["front_upper.R"]) / 2
    base = np.array([root[0], shoulder[1], (2 * shoulder[2] + body.back(float(shoulder[1]))) / 3])
    distances = np.append(profile.distances[: profile.root + 1], profile.length + np.linalg.norm(base - root))
    return distances, np.vstack([profile.centres[: profile.root + 1], base])
