"""The body of a rig made from a shape, as its motions need it: trunk, legs that stand, wings, fins.

Everything is read off the bones' names, as `fitting.from_shape` gives them, and off where they lie.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from ..geometry.rotation import cross, normalized
from ..skeleton.carried import ancestors
from ..skeleton.rig import Rig
from .kinematics import Kinematics
from .legs import Leg

FRONT, REAR = ("spine", "neck", "head"), ("tail", "abdomen", "mouth")
NO_LEGS = ("wing", "fin", "fluke", "tail", "neck", "arm", "palp", "feeler")
STANDS = 0.15  # of its length: how far a leg's end may be over the ground
SLIM = 5.0  # times as long as the rest of the body is wide, a trunk crawls as a snake does
FOOT = 0.4  # of a leg: its last bone, if no longer, is a foot that keeps its direction
LEVEL = 0.5  # of a trunk's length: what goes less to the front stands upright


@dataclass(frozen=True, eq=False)
class Limb:
    """A chain of bones.  name : what its bones are called but for side and number;  side : "L", "R" or ""

    bones : from the trunk outwards;  hangs_on : the bone above, -1 for none
    """

    name: str
    side: str
    bones: tuple[int, ...]
    hangs_on: int


class ShapeBody:
    """A rig's chains in its own space.

    up : (3,) unit, the way up in that space
    """

    def __init__(self, rig: Rig, up: np.ndarray | tuple = (0.0, 0.0, 1.0)):
        self.rig, self.up = rig, normalized(np.asarray(up, float))
        self.kinematics = Kinematics(rig)
        self.limbs = _chains(rig)
        front = [i for name in FRONT for limb in self.limbs if limb.name == name for i in limb.bones]
        rear = next((limb.bones for limb in self.limbs if limb.name in REAR), ())
        self.ahead, self.behind = front, list(rear)
        self.limbs = [limb for limb in self.limbs if limb.name not in (*FRONT, *REAR)]
        self.root = front[0] if front else 0

    @cached_property
    def front(self) -> np.ndarray:
        """(3,) level, the way the body goes: its trunk's, or that of the rig's -Y."""
        ends = [self.rig.tails[self.ahead[-1]] if self.ahead else self.rig.heads[self.root],
                self.rig.tails[self.behind[-1]] if self.behind else self.rig.heads[self.root]]
        way = ends[0] - ends[1]
        level = way - (way @ self.up) * self.up
        if np.linalg.norm(level) < LEVEL * max(float(np.linalg.norm(way)), 1e-12):
            level = np.array([0.0, -1.0, 0.0]) + self.up[1] * self.up
        return normalized(level)

    @cached_property
    def left(self) -> np.ndarray:
        """(3,) the body's left."""
        return cross(self.up, self.front)

    @cached_property
    def ground(self) -> float:
        """The height of the lowest bone."""
        return float(min((self.rig.heads @ self.up).min(), (self.rig.tails @ self.up).min()))

    @cached_property
    def trunk(self) -> list[int]:
        """The trunk's bones from its front end to its rear."""
        return [*self.ahead[::-1], *self.behind]

    @cached_property
    def length(self) -> float:
        """Of the trunk."""
        return float(np.linalg.norm(self.rig.tails[self.trunk] - self.rig.heads[self.trunk], axis=1).sum())

    def called(self, *names: str) -> list[Limb]:
        """The limbs of some names: "fin" for fin_1 and fin_2 alike."""
        return [limb for limb in self.limbs if limb.name.split("_")[0] in names and "finger" not in limb.name]

    @cached_property
    def standing(self) -> list[Limb]:
        """The limbs that end on the ground and come down to it, of two bones or more."""
        return [limb for limb in self.limbs if len(limb.bones) > 1 and not limb.name.startswith(NO_LEGS)
                and self._drop(limb)[0] < STANDS * self._drop(limb)[2] and self._drop(limb)[1] > 0]

    def _drop(self, limb: Limb) -> tuple[float, float, float]:
        """How high over the ground a limb ends, how far it comes down, how long it is."""
        bones = list(limb.bones)
        end, start = float(self.rig.tails[bones[-1]] @ self.up), float(self.rig.heads[bones[0]] @ self.up)
        return end - self.ground, start - end, float(
            np.linalg.norm(self.rig.tails[bones] - self.rig.heads[bones], axis=1).sum())

    @cached_property
    def legs(self) -> list[Leg]:
        """How those reach for a place: the last bone is a foot, which keeps its direction, where it is short enough."""
        return [_leg(self.rig, limb) for limb in self.standing]

    @cached_property
    def is_long(self) -> bool:
        """Whether the body is a snake's: a long trunk and nothing that reaches far from it."""
        reach = [float(np.linalg.norm(self.rig.tails[limb.bones[-1]] - self.rig.heads[limb.bones[0]]))
                 for limb in self.limbs]
        return len(self.trunk) >= 4 and self.length > SLIM * max([*reach, self.length / SLIM / 2])

    @cached_property
    def beats_level(self) -> bool:
        """Whether the tail's fin lies level, as whales' do, and so goes up and down: a pair hangs near its end."""
        end = set(self.behind[-max(1, len(self.behind) // 3):])
        last = [limb for limb in self.limbs if limb.side and (limb.hangs_on in end or limb.name.startswith("fluke"))]
        return {limb.side for limb in last} == {"L", "R"}


def _chains(rig: Rig) -> list[Limb]:
    """The bones that are called alike but for their last number, in its order."""
    found: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for i, name in enumerate(rig.names):
        stem, _, side = name.partition(".")
        parts = re.fullmatch(r"(.*?)(?:_(\d+))?", stem)
        found.setdefault((parts[1], side), []).append((int(parts[2] or 1), i))
    out = []
    for (name, side), numbered in found.items():
        bones = tuple(i for _, i in sorted(numbered))
        inner = all(b in ancestors(rig.parents, a) for b, a in pairwise(bones))
        if inner:
            out.append(Limb(name, side, bones, int(rig.parents[bones[0]])))
    return out


def _leg(rig: Rig, limb: Limb) -> Leg:
    bones = list(limb.bones)
    sizes = np.linalg.norm(rig.tails[bones] - rig.heads[bones], axis=1)
    has_foot = len(bones) > 2 and sizes[-1] < FOOT * sizes.sum()
    chain, foot = (bones[:-1], bones[-1]) if has_foot else (bones, -1)
    end = rig.heads[foot] if has_foot else rig.tails[bones[-1]]
    vectors = np.diff(np.vstack([rig.heads[chain], end]), axis=0)
    turns = cross(vectors[:-1], vectors[1:])
    axis = turns[int(np.linalg.norm(turns, axis=1).argmax())]
    if np.linalg.norm(axis) < 0.02 * float(np.linalg.norm(vectors, axis=1).max()) ** 2:
        axis = rig.x_axes[chain[0]]
    axis = normalized(axis - (axis @ normalized(vectors[0])) * normalized(vectors[0]))
    signs = np.where(turns @ axis < -1e-3 * np.linalg.norm(vectors, axis=1).max() ** 2, -1.0, 1.0)
    return Leg(f"{limb.name}.{limb.side}", tuple(chain), foot, -1, axis, signs, vectors, {}, None, None, 0.0)
