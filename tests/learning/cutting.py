"""Bodies without limbs: people cut off at a height, arms, legs and tails that end in a stump, with or without a cap.

A character is a dict as vary.py and people.py make it, its joints as `dataset.joints_of` reads them. A joint that is
cut off is ABSENT: the network learns that it is nowhere.
"""

from __future__ import annotations

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from .posing import Limb

ABSENT = np.full(3, np.inf)
# A limb's joints in their order, and the marks of the three that its bones hang on.
LIMBS = {
    "biped": {"arm": (("upper_arm", "forearm", "hand", "hand_tip"), ("shoulder_{}", "elbow_{}", "wrist_{}")),
              "leg": (("thigh", "shin", "foot", "toe", "toe_tip"), ("hip_{}", "knee_{}", "ankle_{}"))},
    "quadruped": {"front": (("front_upper", "front_lower", "front_foot", "front_toe"),
                            ("front_{}_upper", "front_{}_knee", "front_{}_foot")),
                  "hind": (("hind_upper", "hind_lower", "hind_heel", "hind_foot", "hind_toe"),
                           ("hind_{}_upper", "hind_{}_knee", "hind_{}_foot"))}}
HALF = 0.45  # so often a person is cut off at a height, else at limbs
ARMS_STAY, ARMS_GO = 0.5, 0.3  # so often a half keeps its arms whole, and so often it has stumps for them
OPEN = 0.3  # so often a cut is not closed
TAIL = 0.5  # so often it is an animal's tail that is cut
PEG = 0.4  # so often a shin that is cut off goes on in wood, which ends in the joint of the foot
INSIDE = 0.02  # the hips of a half lie so far above its end, of the height
FAR = 1e9
BOX = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6],
                [0, 6, 4], [1, 5, 7], [1, 7, 3]])


def cut(made: dict, joints: dict[str, np.ndarray], rng: np.random.Generator
        ) -> tuple[np.ndarray, np.ndarray, dict[str, np.ndarray]]:
    """(vertices, faces, joints) of the character without something.

    Raises ValueError where a limb has no weights of its own.
    """
    body = _Body(made, joints, closed=rng.random() > OPEN)
    if made["kind"] == "biped":
        if rng.random() < HALF:
            body.cut_half(rng)
        else:
            what = "arm" if rng.random() < 0.5 else "leg"
            for side in ("LR" if rng.random() < 0.3 else str(rng.choice(["L", "R"]))):
                at = rng.uniform(0.0, 2.1)
                body.cut_limb(what, side, at)
                if what == "leg" and 1 < at < 1.9 and rng.random() < PEG:
                    body.add_peg(side, rng)
    elif rng.random() < TAIL and "tail" in joints and "tail_tip" in joints:
        body.cut_tail(rng.uniform(-0.05, 0.15))
    else:
        body.cut_limb(str(rng.choice(["front", "hind"])), str(rng.choice(["L", "R"])), rng.uniform(0.2, 2.0))
    return body.vertices, body.faces, body.joints


class _Body:
    """What is left of a character."""

    def __init__(self, made: dict, joints: dict[str, np.ndarray], *, closed: bool):
        self.made, self.closed = made, closed
        self.vertices, self.faces = np.array(made["vertices"], float), np.asarray(made["faces"])
        self.joints = dict(joints)
        self.end, self.thick, self.ground = np.zeros(3), 0.0, float(self.vertices[:, 2].min())

    def limb(self, what: str, side: str) -> tuple[list[str], Limb]:
        """A limb's joints, and its weights."""
        names, marks = LIMBS[self.made["kind"]][what]
        limb = Limb(self.made, tuple(mark.format(side.lower()) for mark in marks))
        if not limb.weights[:, 1].any():
            raise ValueError("a limb without flesh of its own")
        return [f"{n}.{side}" for n in names], limb

    def cut_limb(self, what: str, side: str, at: float) -> None:
        """Cut a limb off at a place along its bones: 0 where the first begins, 2 where the second ends."""
        names, limb = self.limb(what, side)
        bone = int(at >= 1)
        start, end = limb.places[bone:bone + 2]
        point, along = start + (at - bone) * (end - start), (end - start) / np.linalg.norm(end - start)
        level = np.where(limb.weights.sum(1) > 0.5, limb.weights.argmax(1), -1)
        beyond = (self.vertices[:len(level)] - point) @ along
        self.end, self.thick = point, limb.thick
        self._remove(np.where(level > bone, FAR, np.where(level == bone, beyond, -FAR)), point, along)
        for k, name in enumerate(names):
            if k and (k > bone + 1 or (name in self.joints and (self.joints[name] - point) @ along > 0)):
                self._lose(names[k:])
                break

    def add_peg(self, side: str, rng: np.random.Generator) -> None:
        """A wooden leg from the place of the last cut to the ground."""
        foot = np.array([*(self.end[:2] + rng.normal(0, 0.2, 2) * self.thick), self.ground])
        up = self.end + (self.end - foot) * rng.uniform(0, 0.3) - foot
        wide = self.thick * rng.uniform(0.3, 1.0) * np.array([1.0, rng.uniform(0.7, 1.4)])
        corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (0, 1)], float)
        thicker = 1 + corners[:, 2:] * rng.uniform(0, 0.6)
        added = foot + corners[:, 2:] * up + np.pad(corners[:, :2] * wide * thicker, ((0, 0), (0, 1)))
        self.faces = np.concatenate([self.faces, BOX + len(self.vertices)])
        self.vertices = np.concatenate([self.vertices, added])
        self.joints[f"foot.{side}"] = foot + 0.05 * up

    def cut_half(self, rng: np.random.Generator) -> None:
        """Cut off all that is below a height, from the shins to the chest; arms may stay, or end in stumps."""
        z = {n: self.joints[n][2] for n in ("shin.L", "thigh.L", "upper_arm.L") if n in self.joints}
        if len(z) < 3:
            raise ValueError("a body without knees, hips or shoulders")
        tall = float(np.ptp(self.vertices[:, 2]))
        heights = [z["shin.L"], z["thigh.L"], z["upper_arm.L"] - 0.06 * tall]
        height = float(np.interp(rng.uniform(), [0, 0.3, 1], heights))
        along = np.array([rng.normal(0, 0.08), rng.normal(0, 0.08), -1.0])
        along /= np.linalg.norm(along)
        point = np.array([0.0, 0.0, height]) + self.joints["hips"] * [1, 1, 0]
        beyond = (self.vertices - point) @ along
        stay = rng.random() < ARMS_STAY
        arms = {side: self.limb("arm", side) for side in "LR"}
        for names, limb in arms.values():
            level = np.where(limb.weights.sum(1) > 0.5, limb.weights.argmax(1), -1)
            if stay:
                beyond[level >= 0] = -FAR
                continue
            below = [k for k, n in enumerate(names) if n in self.joints and (self.joints[n] - point) @ along > 0]
            if below:
                beyond[level >= max(below[0], 1)] = FAR
                self._lose(names[max(below[0], 1):])
        for side in "LR":
            names = [f"{n}.{side}" for n in LIMBS["biped"]["leg"][0]]
            below = [k for k, n in enumerate(names) if n in self.joints and (self.joints[n] - point) @ along > 0]
            self._lose(names[below[0]:] if below else [])
        deep = (self.joints["hips"] - point) @ along + INSIDE * tall
        if deep > 0:
            self.joints["hips"] = self.joints["hips"] - deep * along
        self._remove(beyond, point, along)
        if not stay and rng.random() < ARMS_GO:
            for side, at in zip("LR", rng.uniform(0.2, 1.2, 2), strict=True):
                if np.isfinite(self.joints.get(f"forearm.{side}", ABSENT)).all():
                    self.cut_limb("arm", side, at)

    def cut_tail(self, at: float) -> None:
        """Cut the tail off, at a share of the way to its tip."""
        start, end = self.joints["tail"], self.joints["tail_tip"]
        parents = {j["name"]: j["parent"] for j in self.made["joints"]}
        top = str(self.made["landmark_bones"].get("tail", "")).split(" (")[0]
        if top not in parents:
            raise ValueError("a tail without bones")
        own = {bone for bone in parents if top in _above(bone, parents)}
        weights = np.asarray(self.made["weights"], float)
        is_tail = weights[:, [i for i, b in enumerate(self.made["bones"]) if b in own]].sum(1) > 0.5
        along = (end - start) / max(float(np.linalg.norm(end - start)), 1e-9)
        point = start + at * (end - start)
        self._remove(np.where(is_tail, (self.vertices - point) @ along, -FAR), point, along)
        self._lose(["tail", "tail_tip"])

    def _lose(self, names: list[str]) -> None:
        self.joints |= {n: ABSENT for n in names if n in self.joints or "heel" not in n}  # some artists make no heel

    def _remove(self, beyond: np.ndarray, point: np.ndarray, along: np.ndarray) -> None:
        """Take the faces away that lie beyond a plane, and close the hole.

        beyond : (V,) how far each vertex is on its other side, whatever is FAR at any place
        """
        beyond = np.concatenate([beyond, np.full(len(self.vertices) - len(beyond), -FAR)])
        gone = (beyond[self.faces] > 0).all(1)
        if not gone.any():
            raise ValueError("nothing is beyond")
        faces = self.faces[~gone]
        deep = np.clip((self.vertices - point) @ along, 0, None) * (beyond > 0)
        self.vertices = self.vertices - deep[:, None] * along
        if self.closed:
            count = len(self.vertices)
            kept, lost = (np.concatenate([f[:, [0, 1]], f[:, [1, 2]], f[:, [2, 0]]]) for f in (faces, self.faces[gone]))
            rim = kept[np.isin(kept[:, 0] * count + kept[:, 1], lost[:, 1] * count + lost[:, 0])]
            if len(rim):
                _, label = connected_components(coo_matrix((np.ones(len(rim)), rim.T), (count, count)), directed=False)
                loops, loop = np.unique(label[rim[:, 0]], return_inverse=True)
                number = np.bincount(loop, minlength=len(loops))
                middles = np.stack([np.bincount(loop, self.vertices[rim[:, 0], k]) / number for k in range(3)], 1)
                self.vertices = np.concatenate([self.vertices, middles])
                faces = np.concatenate([faces, np.stack([rim[:, 1], rim[:, 0], count + loop], 1)])
        self.faces = faces


def _above(bone: str, parents: dict[str, str | None]) -> list[str]:
    """A bone and those it hangs on."""
    out: list[str] = []
    at: str | None = bone
    while at is not None and at not in out:
        out.append(at)
        at = parents.get(at)
    return out
