"""People in the poses of games: limbs of finished characters bent by their own weights, joints with them.

A character is a dict as vary.py and people.py make it. Its hands hold a gun before the waist or the chest, touch each
other, lie on the hips, reach forward, or one does while the other stays. Its legs run, crouch, kneel on one knee or
both, sit on a seat or cross-legged, or stand wide.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from tests.characters.poses import reach

# Where both hands may be from the middle between the shoulders, in arm lengths: least and most to their own side, ahead
# and up; how far apart from each other along a gun.
PLACES = {"gun": ((-0.15, 0.3), (0.25, 0.75), (-0.75, 0.15)), "touch": ((-0.1, 0.12), (0.25, 0.75), (-0.8, 0.3)),
          "reach": ((-0.1, 0.6), (0.6, 0.98), (-0.5, 0.4)), "hips": ((0.4, 0.75), (-0.1, 0.2), (-0.75, -0.5))}
SHARES = {"gun": 0.5, "touch": 0.2, "reach": 0.15, "hips": 0.15}
ALONE = 0.2  # so often the other arm stays
# Where ankles may be from their hips, in leg lengths: least and most to their own side, ahead and up.
STEPS = {"run": (((-0.05, 0.1), (0.25, 0.6), (-0.9, -0.55)), ((-0.05, 0.1), (-0.65, -0.25), (-0.85, -0.45))),
         "crouch": (((0.0, 0.3), (-0.1, 0.25), (-0.85, -0.5)),) * 2,
         "kneel": (((-0.05, 0.15), (0.1, 0.4), (-0.6, -0.45)), ((-0.05, 0.15), (-0.6, -0.35), (-0.5, -0.4))),
         "wide": (((0.1, 0.4), (-0.25, 0.35), (-0.97, -0.85)),) * 2,
         "sit": (((-0.05, 0.25), (0.25, 0.6), (-0.6, -0.25)),) * 2,
         "knees": (((-0.05, 0.2), (-0.5, 0.0), (-0.5, -0.15)),) * 2,
         "cross": (((-0.3, 0.1), (0.15, 0.4), (-0.2, 0.05)),) * 2}
LEAN = {"run": (0, 35), "crouch": (0, 35), "kneel": (-5, 20), "wide": (-10, 20), "sit": (-15, 25), "knees": (-10, 25),
        "cross": (-10, 25)}  # degrees forward
OUTWARD = {"cross": (0.6, 1.5)}  # how far knees point to their own side, if not as FORWARD
FORWARD = (-0.1, 0.5)
FLAT = ("run", "crouch", "kneel", "wide", "sit")  # feet before or below the body stand flat; others go with the shin
TRIES, LOOSE = 60, 0.3  # radians by which a wrist turns
# An arm keeps off the rest by this share of its own thickness; edges that grow so many times are torn, and so many may.
CLEAR, TORN, FEW = 0.7, 3.5, 0.004


def swing(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The least rotation from direction a to direction b."""
    a, b = a / np.linalg.norm(a), b / np.linalg.norm(b)
    axis, cosine = np.cross(a, b), float(a @ b)
    if cosine < -0.9999:
        return np.diag([-1.0, -1.0, 1.0])
    return np.eye(3) + _cross(axis) + _cross(axis) @ _cross(axis) / (1 + cosine)


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    """The rotation about an axis by an angle in radians."""
    k = _cross(axis / np.linalg.norm(axis))
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * (k @ k)


def _cross(axis: np.ndarray) -> np.ndarray:
    """The matrix that takes a vector to the cross product of the axis with it."""
    return np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])


class Limb:
    """One limb of a character: its joints, its vertices' weights, how thick its second bone is.

    marks : its three joints;  places : (3, 3) of them;  long : lengths of its two bones
    level : {bone: 0 on the first bone, 1 on the second, 2 beyond};  weights : (V, 3) of these
    """

    def __init__(self, made: dict, marks: tuple[str, ...]):
        names = list(made["bones"])
        parents = {j["name"]: j["parent"] for j in made["joints"]}
        tops = [str(made["landmark_bones"].get(m, "")).split(" (")[0] for m in marks]
        if any(t not in parents for t in tops):
            raise ValueError("a limb without its three joints")
        self.places = np.array([made["landmarks"][m] for m in marks], float)
        self.level = {}
        for bone in parents:
            at, seen = bone, 0
            while at is not None and at not in tops and seen < len(parents):
                at, seen = parents.get(at), seen + 1
            if at in tops:
                self.level[bone] = tops.index(at)
        weights = np.asarray(made["weights"], float)
        self.weights = np.stack([weights[:, [i for i, b in enumerate(names) if self.level.get(b) == k]].sum(1)
                                 for k in range(3)], axis=1)
        self.long = tuple(np.linalg.norm(np.diff(self.places, axis=0), axis=1).tolist())
        vertices = np.asarray(made["vertices"], float)
        own = vertices[self.weights[:, 1] > 0.7] - self.places[1]
        along = np.diff(self.places[1:], axis=0)[0] / max(self.long[1], 1e-9)
        across = np.linalg.norm(own - np.outer(own @ along, along), axis=1)
        self.thick = float(np.quantile(across, 0.5)) if len(own) else 0.0
        end = vertices[self.weights[:, 2] > 0.7]
        self.beyond = float(np.linalg.norm(end - self.places[2], axis=1).max()) if len(end) else 0.3 * self.long[1]

    def turns(self, middle: np.ndarray, end: np.ndarray, last: np.ndarray | None = None
              ) -> tuple[np.ndarray, np.ndarray]:
        """Matrices (3, 3, 3) and translations (3, 3) of the two bones and what is beyond, which keeps to the second.

        middle, end : where the limb's second and third joint go;  last : what is beyond turns so, if not as the second
        """
        top, knee, ankle = self.places
        upper, lower = swing(knee - top, middle - top), swing(ankle - knee, end - middle)
        turns = np.array([upper, lower, lower if last is None else last])
        return turns, np.array([top - upper @ top, middle - lower @ knee, end - turns[2] @ ankle])


def reaching(made: dict, rng: np.random.Generator) -> tuple[dict, list]:
    """The character with one or both hands before its body, and the gun it may hold: (character, [(vertices, faces)]).

    Raises ValueError where no pose is found that neither tears the skin nor pushes an arm into the body.
    """
    arms = {side: Limb(made, tuple(f"{m}_{side}" for m in ("shoulder", "elbow", "wrist"))) for side in "lr"}
    vertices = np.asarray(made["vertices"], float)
    what = str(rng.choice(list(SHARES), p=list(SHARES.values())))
    sides = "lr" if rng.random() > ALONE else str(rng.choice(["l", "r"]))
    length = np.mean([sum(arm.long) for arm in arms.values()])
    middle = np.mean([arm.places[0] for arm in arms.values()], axis=0)
    rest = cKDTree(vertices[sum(arms[s].weights.sum(1) for s in sides) < 0.2])
    for _ in range(TRIES):
        targets = _targets(what, rng)
        moved, ok = {}, True
        for side in sides:
            arm, sign = arms[side], 1.0 if side == "l" else -1.0
            target = middle + length * targets[side] * [sign, 1, 1]
            pole = np.array([sign * rng.uniform(0.1, 1.0), rng.uniform(-0.2, 0.9), rng.uniform(-1.0, 0.1)])
            elbow, wrist = reach(arm.places[0], arm.long, target, pole)
            hand = wrist + (wrist - elbow) / max(arm.long[1], 1e-9) * 0.6 * arm.beyond
            line = np.concatenate([np.linspace(elbow, wrist, 6), np.linspace(wrist, hand, 4),
                                   np.linspace(arm.places[0], elbow, 6)[3:]])
            ok &= rest.query(line)[0].min() > CLEAR * arm.thick
            fore = swing(arm.places[2] - arm.places[1], wrist - elbow)
            moved[side] = arm.turns(elbow, wrist, turned(rng.normal(0, 1, 3), rng.normal(0, LOOSE)) @ fore)
        if ok:
            out = posed_limbs(made, arms, moved)
            if torn_share(vertices, out["vertices"], np.asarray(made["faces"])) < FEW:
                hands = [out["landmarks"][f"wrist_{s}"] for s in "lr"]
                return out, [_gun(*hands, length, rng)] if what == "gun" and len(sides) == 2 else []
    raise ValueError("no pose was found")


def _targets(what: str, rng: np.random.Generator) -> dict[str, np.ndarray]:
    """Where the wrists go, from between the shoulders, in arm lengths, each to its own side."""
    if what == "gun":  # one hand at the trigger, the other further along the barrel
        low, high = np.array(PLACES[what]).T
        back = rng.uniform(low, high)
        yaw, pitch = rng.normal(0.3, 0.5), rng.normal(0, 0.35)
        barrel = np.array([-np.sin(yaw), -np.cos(yaw) * np.cos(pitch), np.sin(pitch)]) * rng.uniform(0.15, 0.6)
        first, second = rng.permutation(list("lr"))
        back = back * [1, -1, 1]
        return {first: back, second: (back + barrel) * [-1, 1, 1]}
    low, high = np.array(PLACES[what]).T
    one = rng.uniform(low, high) * [1, -1, 1]
    other = one + rng.normal(0, 0.05, 3) if rng.random() < 0.7 else rng.uniform(low, high) * [1, -1, 1]
    return {"l": one, "r": other}


def stepping(made: dict, rng: np.random.Generator, what: str | None = None) -> dict:
    """The character leaning, with its legs in one of STEPS.

    Raises ValueError where no pose is found that does not tear the skin, as in a gown.
    """
    what = what or str(rng.choice(list(STEPS)))
    legs = {side: Limb(made, tuple(f"{m}_{side}" for m in ("hip", "knee", "ankle"))) for side in "lr"}
    back = turned(np.array([1.0, 0, 0]), np.radians(rng.uniform(*LEAN[what])))  # in the leaning body's own frame
    for _ in range(TRIES // 4):
        moved = {}
        for side, places in zip(rng.permutation(list("lr")), STEPS[what], strict=True):
            leg, sign = legs[side], 1.0 if side == "l" else -1.0
            low, high = np.array(places).T
            goal = leg.places[0] + sum(leg.long) * (back.T @ (rng.uniform(low, high) * [sign, -1, 1]))
            outward = sign * rng.uniform(*OUTWARD.get(what, FORWARD))
            knee, ankle = reach(leg.places[0], leg.long, goal, back.T @ [outward, -1.0, 0.1])
            shin = swing(leg.places[2] - leg.places[1], ankle - knee)
            behind = ((back @ (ankle - leg.places[0]))[1] > 0.2 * sum(leg.long))
            moved[side] = leg.turns(knee, ankle, shin if behind or what not in FLAT else back.T)
        out = posed_limbs(made, legs, moved)
        if torn_share(np.asarray(made["vertices"], float), out["vertices"], np.asarray(made["faces"])) < FEW:
            joints = [j | {end: (back @ np.asarray(j[end])).tolist() for end in ("head", "tail")}
                      for j in out["joints"]]
            marks = {m: back @ np.asarray(p) for m, p in out["landmarks"].items()}
            vertices = out["vertices"] @ back.T
            return out | {"vertices": vertices, "landmarks": marks, "joints": joints,
                          "height": float(np.ptp(vertices[:, 2]))}
    raise ValueError("no pose was found")


def posed_limbs(made: dict, limbs: dict[str, Limb], moved: dict) -> dict:
    """The character with limbs moved: vertices, landmarks and joints."""
    vertices = np.asarray(made["vertices"], float)
    out = vertices.copy()
    marks = {m: np.asarray(p, float) for m, p in made["landmarks"].items()}
    joints = [dict(j) for j in made["joints"]]
    bone_of = {mark: str(bone).split(" (")[0] for mark, bone in made["landmark_bones"].items()}
    for side, (turns, shifts) in moved.items():
        limb = limbs[side]
        for k in range(3):
            out += limb.weights[:, k, None] * (vertices @ turns[k].T + shifts[k] - vertices)
        for mark in marks:
            k = limb.level.get(bone_of.get(mark, ""))
            if k is not None:
                marks[mark] = turns[k] @ marks[mark] + shifts[k]
        for joint in joints:
            k = limb.level.get(joint["name"])
            if k is not None:
                joint |= {end: (turns[k] @ np.asarray(joint[end]) + shifts[k]).tolist() for end in ("head", "tail")}
    return made | {"vertices": out, "landmarks": marks, "joints": joints}


def torn_share(before: np.ndarray, after: np.ndarray, faces: np.ndarray) -> float:
    """Share of the edges that grow out of all proportion."""
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    a, b = (np.linalg.norm(v[edges[:, 0]] - v[edges[:, 1]], axis=1) for v in (before, after))
    size = np.ptp(after, axis=0).max()
    return float(((b > TORN * np.maximum(a, 1e-4 * size)) & (b > 0.04 * size)).mean())


def _gun(one: np.ndarray, other: np.ndarray, length: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """A box from behind one hand to beyond the other."""
    way = other - one
    if way[1] > 0:
        one, way = other, -way
    apart = max(float(np.linalg.norm(way)), 1e-6)
    back, ahead = length * rng.uniform(0.05, 0.3), length * rng.uniform(0.05, 0.8)
    z = way / apart
    x = np.cross(z, [0, 0.3, 1.0])
    x /= np.linalg.norm(x)
    turn = np.stack([x, np.cross(z, x), z], axis=1)
    half = np.array([rng.uniform(0.02, 0.08) * length, rng.uniform(0.03, 0.18) * length, (apart + back + ahead) / 2])
    corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)], float)
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
                      [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
    return corners * half @ turn.T + one + z * ((apart + ahead - back) / 2), faces
