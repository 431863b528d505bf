"""Fingers: turned as the source's, where it has any that move, and else relaxed."""

from __future__ import annotations

import re

import numpy as np

from ..geometry.rotation import angle, between, conjugate, from_axis_angle, identity, limited, multiply
from ..skeleton.chain import finger_of
from ..skeleton.rig import Rig

ALIKE = {"pinky": "pinky", "little": "pinky", "thumb": "thumb", "index": "index", "middle": "middle", "mid": "middle",
         "ring": "ring"}
PALM = re.compile("metacarp|palm|carpal|slot|weapon")
# A hand that nobody minds: degrees that each finger's bones are bent by, more towards the little one
RELAXED = {"thumb": (4, 8, 8), "index": (14, 20, 12), "middle": (18, 25, 15), "ring": (21, 28, 17),
           "pinky": (24, 30, 18), "fingers": (16, 22, 14)}
APART, NEARER = np.deg2rad([22, 20])  # a thumb at rest is so far from the index finger; at most so much it comes nearer
MOVES = np.deg2rad(3)  # fingers that turn less against their hands, in all of a clip, are not animated


def find_fingers(rig: Rig, roles: dict[str, int]) -> dict[str, list[int]]:
    """{"index.L": its bones, the one nearest to the hand first} of a rig's hands, by the words in their names."""
    found: dict[str, list[int]] = {}
    parents = np.asarray(rig.parents)
    for side in "LR":
        hand = roles.get(f"hand.{side}", -1)
        depth = np.full(len(parents), -1)
        if hand >= 0:
            depth[hand] = 0
        for _ in range(6 if hand >= 0 else 0):
            depth = np.where((depth < 0) & (parents >= 0) & (depth[parents] >= 0), depth[parents] + 1, depth)
        for bone in np.argsort(depth, kind="stable"):
            name = _finger(rig.names[bone]) if depth[bone] > 0 else ""
            if name:
                found.setdefault(f"{name}.{side}", []).append(int(bone))
    return {name: bones for name, bones in found.items() if len(bones) <= 4}


def _finger(name: str) -> str:
    ours = finger_of(name)
    if ours is not None:
        return ours[0]
    plain = name.lower()
    return "" if PALM.search(plain) or plain.endswith(("_end", "tip", "nub", "4")) else next(
        (finger for word, finger in ALIKE.items() if word in plain), "")


def _closer(rig: Rig, thumb: list[int], index: list[int] | None) -> np.ndarray:
    """(4,) the turn that brings a thumb that is spread nearer to the index finger."""
    if index is None:
        return identity(1)[0]
    turn = between(*(rig.tails[chain[0]] - rig.heads[chain[0]] for chain in (thumb, index)))
    return limited(turn, float(np.clip(angle(turn) - APART, 0.0, NEARER)))


class Fingers:
    """What two skeletons' fingers have to do with each other.

    bones_from, bones_to : of the source and the target, paired from the knuckles on
    hands : the target's hand that each of the latter hangs on
    bones, over : the target's own fingers that can relax, and their hands
    """

    def __init__(self, source: Rig, source_roles: dict[str, int], target: Rig, target_roles: dict[str, int]):
        theirs, ours = find_fingers(source, source_roles), find_fingers(target, target_roles)
        hand = lambda roles, name: roles[f"hand.{name[-1]}"]  # noqa: E731 - one line, used often
        pairs = [(a, b, hand(source_roles, name), hand(target_roles, name)) for name in ours if name in theirs
                 for a, b in zip(theirs[name], ours[name], strict=False)]
        self.bones_from, self.bones_to, self._hands_from, self.hands = (
            np.array([p[k] for p in pairs], int) for k in range(4))
        bones, over, rel = [], [], []
        for name, chain in ours.items():
            if not any(finger_of(target.names[b]) for b in chain):
                continue  # which way a stranger's finger closes its bones do not tell
            turn = _closer(target, chain, ours.get(f"index.{name[-1]}")) if name.startswith("thumb") else identity(1)[0]
            for bone, bend in zip(chain, np.deg2rad(RELAXED[name[:-2]]), strict=False):
                turn = multiply(turn, from_axis_angle(np.asarray(target.x_axes[bone]), bend))
                bones.append(bone)
                over.append(hand(target_roles, name))
                rel.append(turn)
        self.bones, self.over, self._rel = np.array(bones, int), np.array(over, int), np.array(rel).reshape(-1, 4)

    def move(self, turns: np.ndarray) -> bool:
        """Whether the source's turns (T, B, 4) move any finger that the target has."""
        if not len(self.bones_from):
            return False
        against = multiply(conjugate(turns[:, self._hands_from]), turns[:, self.bones_from])
        return bool(angle(against).max(initial=0.0) > MOVES)

    def relax(self, turns: np.ndarray) -> None:
        """Write the turns (..., B, 4) of the target's own fingers in a hand at rest."""
        if len(self.bones):
            turns[..., self.bones, :] = multiply(turns[..., self.over, :], self._rel)
