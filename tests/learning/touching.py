"""People whose hands lie on their own bodies or are anywhere around them: on hips and heads, at chins, behind backs,
in the air. A character is a dict as vary.py and people.py make it."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from tests.characters.poses import reach

from .posing import FEW, Limb, posed_limbs, swing, torn_share, turned

TRIES, LOOSE = 40, 0.25  # radians by which a wrist turns
FREE, ALONE, ALIKE = 0.35, 0.2, 0.5  # so often an arm touches nothing; stays as it is; both do the same
# Where a hand goes, in arm lengths from the shoulder: so far, and to its own side, ahead and up at least and at most.
FAR, WHERE = (0.35, 0.95), ((-0.9, 0.8), (-0.6, 1.0), (-1.0, 0.9))
NEAR = 0.25  # arm lengths: what it touches is no farther from there
# A hand's palm is so far off the skin, in thicknesses of the forearm; elbows, forearms and hands keep off it by these.
PALM, KEEPS, TOUCHES = (0.4, 1.0), 0.7, 0.2


def touching(made: dict, rng: np.random.Generator) -> dict:
    """The character with one or both arms in such a pose.

    Raises ValueError where no pose is found that neither tears the skin nor pushes an arm into the body.
    """
    arms = {side: Limb(made, tuple(f"{m}_{side}" for m in ("shoulder", "elbow", "wrist"))) for side in "lr"}
    vertices, faces = np.asarray(made["vertices"], float), np.asarray(made["faces"])
    rest = _Skin(vertices, faces, sum(arms[s].weights.sum(1) for s in "lr") < 0.2)
    sides, moved = ("lr" if rng.random() > ALONE else str(rng.choice(["l", "r"]))), {}
    is_free, goal = rng.random() < FREE, _goal(rng)
    for side in sides:
        if rng.random() > ALIKE:
            is_free, goal = rng.random() < FREE, _goal(rng)
        found = (_pose(arms[side], 1.0 if side == "l" else -1.0, goal if k == 0 else _goal(rng), is_free, rest, rng)
                 for k in range(TRIES))
        pose = next((one for one in found if one is not None), None)
        if pose is not None:
            moved[side] = pose
    out = posed_limbs(made, arms, moved)
    if not moved or torn_share(vertices, out["vertices"], faces) >= FEW:
        raise ValueError("no pose was found")
    return out


def _goal(rng: np.random.Generator) -> np.ndarray:
    """Where a hand goes from its shoulder, in arm lengths, to its own side, ahead and up."""
    while True:
        way = rng.uniform(*np.array(WHERE).T)
        if FAR[0] < np.linalg.norm(way) < FAR[1]:
            return way * [1, -1, 1]


class _Skin:
    """What an arm keeps off: some vertices of a body, and where outside is."""

    def __init__(self, vertices: np.ndarray, faces: np.ndarray, counts: np.ndarray):
        a, b, c = (vertices[faces[:, k]] for k in range(3))
        normal = np.zeros_like(vertices)
        for k in range(3):
            np.add.at(normal, faces[:, k], np.cross(b - a, c - a))
        self.points = vertices[counts]
        self.normals = normal[counts] / np.maximum(np.linalg.norm(normal[counts], axis=1), 1e-12)[:, None]
        self.tree = cKDTree(self.points)

    def off(self, places: np.ndarray) -> np.ndarray:
        """(N,) how far places are outside of it, below 0 inside."""
        away, at = self.tree.query(places)
        return np.where(((places - self.points[at]) * self.normals[at]).sum(1) < 0, -away, away)


def _pose(arm: Limb, sign: float, goal: np.ndarray, is_free: bool, skin: _Skin, rng: np.random.Generator):
    """`Limb.turns` of an arm whose hand is at a goal, or touches the skin near it; None if it cannot be there."""
    shoulder, length = arm.places[0], sum(arm.long)
    target, along = shoulder + length * goal * [sign, 1, 1], None
    if not is_free:
        away, k = skin.tree.query(target)
        if away > NEAR * length:
            return None
        normal, way = skin.normals[k], skin.points[k] - shoulder
        along = way - (way @ normal) * normal + rng.normal(0, 0.3, 3) * np.linalg.norm(way)
        along = along - (along @ normal) * normal
        along /= max(float(np.linalg.norm(along)), 1e-9)
        target = skin.points[k] + normal * arm.thick * rng.uniform(*PALM) - 0.5 * arm.beyond * along
    pole = np.array([sign * rng.uniform(0.0, 1.0), rng.uniform(-0.3, 1.0), rng.uniform(-1.0, 0.4)])
    elbow, wrist = reach(shoulder, arm.long, target, pole)
    fore = (wrist - elbow) / max(arm.long[1], 1e-9)
    hand = wrist + 0.6 * arm.beyond * (fore if along is None else along)
    bone = np.concatenate([np.linspace(shoulder, elbow, 6)[3:], np.linspace(elbow, wrist, 6)[1:4]])
    end = np.concatenate([np.linspace(elbow, wrist, 6)[4:], np.linspace(wrist, hand, 4)[1:]])
    if skin.off(bone).min() < KEEPS * arm.thick or skin.off(end).min() < TOUCHES * arm.thick:
        return None
    turn = swing(arm.places[2] - arm.places[1], fore)
    bend = np.eye(3) if along is None or fore @ along < -0.3 else swing(fore, along)
    return arm.turns(elbow, wrist, turned(rng.normal(0, 1, 3), rng.normal(0, LOOSE)) @ bend @ turn)
