"""Animals as toys and AI generators make them: large heads, short limbs, fat trunks; they sit, lie, stand or sit up."""

from __future__ import annotations

import numpy as np

from .character import Character, grown_once
from .crawlers import grown
from .implicit import Blend, Common, Ellipsoid, HalfSpace, RoundCone, strand
from .people import SIDES

POSES = ("sit", "lie", "stand")
EARS = ("pointed", "round", "hare", "floppy", "")
FUR = (0.72, 0.55, 0.4)


@grown_once
def plush(rng: np.random.Generator | None = None, *, pose: str = "sit", vertices: int = 2500) -> Character:
    """An animal with every joint of the `quadruped` preset.

    pose : "sit" (haunches on the ground, front legs straight), "lie" (trunk on the ground), "stand"
    """
    rng = np.random.default_rng(0) if rng is None else rng
    between = rng.uniform
    frame = {"sit": _sitting, "lie": _lying, "stand": _standing}[pose](rng)
    fat, joints = frame["fat"], {}
    hips, chest, rump, breast = frame["hips"], frame["chest"], frame["rump"], frame["breast"]
    along = (chest - hips) / np.linalg.norm(chest - hips)
    size = between(0.13, 0.3)
    over = frame["up"] + between(-0.3, 0.5) * np.array([0, -1.0, 0])
    middle = chest + breast * (0.3 * along + 0.5 * frame["up"]) + size * over
    turn = _yaw(rng.normal(0, 0.35) if rng.random() < 0.4 else 0.0)
    snout = middle + size * turn @ [0, -between(0.95, 1.6), -between(0.1, 0.4)]
    joints |= {"hips": hips + 0.3 * rump * along, "spine": hips + 0.4 * (chest - hips),
               "chest": hips + 0.75 * (chest - hips), "neck": chest + 0.35 * (middle - chest),
               "head": middle + size * turn @ [0, 0.25, -0.25], "head_top": snout}
    solids = [*_trunk(hips, chest, middle, rump, breast, size), *_head(middle, size, snout, turn, rng)]
    for side, sign in SIDES:
        for name, place in _legs(frame, sign, rng).items():
            joints[f"{name}.{side}"] = place
        front = [joints[f"front_{n}.{side}"] for n in ("upper", "lower", "foot", "toe")]
        hind = [joints[f"hind_{n}.{side}"] for n in ("upper", "lower", "heel", "foot", "toe")]
        solids += [strand(front, fat * np.array([1.35, 1.1, 1.0, 0.95]), 0.02),
                   strand(hind, fat * np.array([frame["haunch"], 0.75 * frame["haunch"], 1.0, 1.0, 0.95]), 0.02)]
    long = 0.03 if rng.random() < 0.25 else between(0.15, 0.6)
    tail = _tail(hips + rump * np.array([0, 0.75, frame["root"]]), long, rng)
    joints |= dict(zip(("tail", "tail_2", "tail_3", "tail_4", "tail_tip"), tail, strict=True))
    thick = between(0.02, 0.07) * np.array([1, 1, 1.1, 1.0, 0.7])
    seam = between(0.02, 0.06)

    def solid(cell):
        whole = Blend((*solids, strand(tail, np.maximum(thick, 0.92 * cell), 0.02)), seam)
        return Common((whole, HalfSpace((0, 0, -1), 0.0)), 0.01)
    return grown(f"plush {pose}", "quadruped", solid, joints, FUR, vertices, mirrored=False)


@grown_once
def teddy(rng: np.random.Generator | None = None, *, vertices: int = 2500) -> Character:
    """A toy that sits up with its legs ahead, with every joint of the `biped` preset."""
    rng = np.random.default_rng(0) if rng is None else rng
    between = rng.uniform
    rump, breast, size, tall = between(0.13, 0.25), between(0.1, 0.18), between(0.15, 0.3), between(0.2, 0.42)
    hips = np.array([0, 0, 0.85 * rump])
    chest = hips + [0, between(-0.08, 0.08), tall]
    middle = chest + [0, -between(-0.03, 0.08), 0.45 * breast + 0.85 * size]
    turn = _yaw(rng.normal(0, 0.3) if rng.random() < 0.4 else 0.0)
    neck = chest + [0, 0, 0.6 * breast]
    joints = {"hips": hips, "spine": hips + 0.3 * (chest - hips), "chest": hips + 0.65 * (chest - hips), "neck": neck,
              "head": neck + 0.24 * (middle - neck), "head_top": middle + [0, 0, 0.95 * size]}
    snout = middle + size * turn @ [0, -between(0.9, 1.4), -between(0.1, 0.4)]
    solids = [*_trunk(hips, chest, middle, rump, breast, size), *_head(middle, size, snout, turn, rng)]
    leg, arm, splay, bend = between(0.3, 0.55), between(0.2, 0.4), between(0.05, 0.6), between(0, 0.35)
    fat, down, ahead = between(0.05, 0.095), between(-0.3, 1.3), between(0.0, 1.2)
    for side, sign in SIDES:
        way = np.array([sign * np.sin(splay), -np.cos(splay), 0]) * between(0.9, 1.1)
        thigh = hips + [sign * 0.5 * rump, -0.2 * rump, 0]
        thigh[2] = max(0.5 * thigh[2], fat)
        foot = thigh + leg * way * (1 - 0.3 * bend)
        foot[2] = fat
        shin = (thigh + foot) / 2 + [0, 0, bend * leg]
        shoulder = chest + [sign * 0.8 * breast, 0, 0.1 * breast]
        swing = down + rng.normal(0, 0.15)
        reach = np.array([sign * np.cos(swing) * np.cos(ahead), -np.cos(swing) * np.sin(ahead), -np.sin(swing)])
        tip = shoulder + arm * reach + [sign * 0.05, 0, 0]
        tip[2] = max(tip[2], 0.05)
        elbow = shoulder + 0.45 * (tip - shoulder) + rng.normal(0, 0.015, 3)
        joints |= {f"thigh.{side}": thigh, f"shin.{side}": shin, f"foot.{side}": foot,
                   f"toe.{side}": foot + [0, -0.2 * fat, 0.8 * fat],
                   f"toe_tip.{side}": foot + [0, -0.3 * fat, 1.7 * fat],
                   f"shoulder.{side}": 0.4 * shoulder + 0.6 * neck,
                   f"upper_arm.{side}": shoulder, f"forearm.{side}": elbow,
                   f"hand.{side}": shoulder + 0.8 * (tip - shoulder), f"hand_tip.{side}": tip}
        solids += [strand([thigh, shin, foot], fat * np.array([1.3, 1.1, 1.0]), 0.02),
                   RoundCone(tuple(foot), tuple(joints[f"toe_tip.{side}"]), fat, 0.85 * fat),
                   strand([shoulder, elbow, tip], fat * np.array([1.0, 0.9, 0.85]), 0.02)]
    seam = between(0.02, 0.06)
    whole = Common((Blend(tuple(solids), seam), HalfSpace((0, 0, -1), 0.0)), 0.01)
    return grown("teddy", "biped", lambda cell: whole, joints, FUR, vertices, mirrored=False)


def _sitting(rng: np.random.Generator) -> dict:
    between, rump = rng.uniform, rng.uniform(0.12, 0.23)
    rise, long = np.radians(between(38, 80)), between(0.3, 0.55)
    hips = np.array([0, 0.15, 0.9 * rump])
    return {"hips": hips, "chest": hips + long * np.array([0, -np.cos(rise), np.sin(rise)]), "rump": rump,
            "breast": between(0.08, 0.17), "up": np.array([0, -0.2, 1.0]),
            "fat": between(0.035, 0.075), "haunch": between(1.4, 2.4), "root": -0.4, "pose": "sit"}


def _lying(rng: np.random.Generator) -> dict:
    between, rump = rng.uniform, rng.uniform(0.12, 0.2)
    breast, long = rump * between(0.8, 1.1), between(0.35, 0.7)
    hips = np.array([0, long / 2, 0.92 * rump])
    chest = np.array([0, -long / 2, 0.92 * breast + between(0, 0.12)])
    return {"hips": hips, "chest": chest, "rump": rump, "breast": breast, "up": np.array([0, -0.3, 0.85]),
            "fat": between(0.03, 0.06), "haunch": between(1.4, 2.2), "root": -0.1, "pose": "lie"}


def _standing(rng: np.random.Generator) -> dict:
    between, rump = rng.uniform, rng.uniform(0.1, 0.2)
    breast, long, leg = rump * between(0.8, 1.2), between(0.25, 0.55), between(0.1, 0.3)
    hips = np.array([0, long / 2, leg + 0.7 * rump])
    return {"hips": hips, "chest": hips + [0, -long, between(-0.02, 0.08)], "rump": rump, "breast": breast,
            "up": np.array([0, -0.3, 0.6]), "fat": between(0.035, 0.07), "haunch": between(1.1, 1.6), "root": 0.2,
            "pose": "stand"}


def _legs(frame: dict, sign: float, rng: np.random.Generator) -> dict:
    """{joint: (3,)} of the legs of one side."""
    between, fat = rng.uniform, frame["fat"]
    hips, chest, rump, breast = frame["hips"], frame["chest"], frame["rump"], frame["breast"]
    beside = lambda x, point, y=0.0, z=0.0: np.array([sign * x, point[1] + y, point[2] + z])  # noqa: E731
    shoulder = beside(0.6 * breast, chest, 0.0, -0.2 * breast)
    joints = {"front_shoulder": beside(0.35 * breast, chest, 0.3 * breast, 0.4 * breast), "front_upper": shoulder,
              "hind_hip": beside(0.3 * rump, hips, 0.0, 0.2 * rump)}
    if frame["pose"] == "lie":
        wrist = np.array([sign * breast * between(0.4, 0.9), chest[1] - between(0.12, 0.3), fat])
        elbow = np.array([sign * breast * between(0.7, 1.0), chest[1] + between(0, 0.08), 1.2 * fat])
    else:
        wrist = np.array([sign * breast * between(0.4, 0.8), chest[1] - between(-0.04, 0.08), 1.1 * fat])
        elbow = shoulder + 0.35 * (wrist - shoulder) + [0, 0.02, 0]
    joints |= {"front_lower": elbow, "front_foot": wrist,
               "front_toe": wrist + [0, -between(0.6, 1.6) * fat, -0.2 * fat]}
    if frame["pose"] == "stand":
        upper = beside(0.55 * rump, hips)
        foot = np.array([sign * 0.6 * rump, hips[1] + between(-0.05, 0.06), 1.1 * fat])
        knee, heel = upper + 0.4 * (foot - upper) + [0, -0.03, 0], upper + 0.72 * (foot - upper) + [0, 0.03, 0]
        return joints | {"hind_upper": upper, "hind_lower": knee, "hind_heel": heel, "hind_foot": foot,
                         "hind_toe": foot + [0, -between(0.6, 1.4) * fat, -0.2 * fat]}
    out = rump * between(0.75, 1.05)
    knee = np.array([sign * (out + 0.02), hips[1] - between(0.08, 0.2), between(0.08, 0.2)])
    splay = between(0, 0.6)
    heel = np.array([sign * (out + 0.01), hips[1] + between(-0.06, 0.06), 1.1 * fat])
    long = between(0.14, 0.28)
    toe = heel + long * np.array([sign * np.sin(splay), -np.cos(splay), 0])
    return joints | {"hind_upper": beside(0.55 * rump, hips, 0.0, 0.05), "hind_lower": knee, "hind_heel": heel,
                     "hind_foot": heel + 0.65 * (toe - heel), "hind_toe": toe}


def _trunk(hips, chest, middle, rump: float, breast: float, size: float) -> list:
    """The solids from the hips through the chest to the middle of a head."""
    return [RoundCone(tuple(hips), tuple(chest), rump, breast),
            RoundCone(tuple(chest), tuple(middle), 0.75 * breast, 0.5 * size)]


def _head(middle: np.ndarray, size: float, snout: np.ndarray, turn: np.ndarray, rng: np.random.Generator) -> list:
    """The solids of a head: skull, snout, ears."""
    between = rng.uniform
    wide = size * np.array([between(0.95, 1.2), between(0.85, 1.05), between(0.8, 1.0)])
    solids = [Ellipsoid(tuple(middle), tuple(wide), turn),
              RoundCone(tuple(middle + 0.5 * (snout - middle)), tuple(middle + 0.85 * (snout - middle)),
                        between(0.35, 0.55) * size, between(0.2, 0.35) * size)]
    kind, long = EARS[rng.integers(len(EARS))], size * between(0.4, 0.75)
    for _, sign in SIDES:
        at = lambda x, y, z, sign=sign: middle + turn @ (size * np.array([sign * x, y, z]))  # noqa: E731
        root = at(0.6, 0.05, 0.68)
        ways = {"pointed": [(0.2, 0, 1.0)], "hare": [(0.15, 0.1, 1.3), (0.3, 0.2, 2.4)],
                "floppy": [(0.6, 0, 0.1), (0.8, 0, -1.2)]}
        if kind == "round":
            solids.append(Ellipsoid(tuple(at(0.75, 0.05, 0.8)), (0.55 * long, 0.3 * long, 0.55 * long), turn))
        elif kind:
            points = [root, *(root + turn @ (long * np.array([sign * x, y, z])) for x, y, z in ways[kind])]
            solids.append(strand(points, long * np.array([0.4, 0.15] if len(points) == 2 else [0.3, 0.32, 0.18]), 0.02))
    return solids


def _tail(root: np.ndarray, long: float, rng: np.random.Generator) -> np.ndarray:
    """(5, 3) from its root to its tip."""
    rise, aside, curl = rng.uniform(-0.3, 1.2), rng.normal(0, 0.5), rng.uniform(-1.0, 1.5)
    angle = rise + curl * np.linspace(0, 1, 4)
    steps = np.stack([np.full(4, np.sin(aside)), np.cos(angle) * np.cos(aside), np.sin(angle)], 1) * long / 4
    line = np.concatenate([[root], root + np.cumsum(steps, 0)])
    line[:, 2] = np.maximum(line[:, 2], 0.03)
    return line


def _yaw(angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
