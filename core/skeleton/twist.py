"""Twist bones: they lie along a limb and share its turn about itself, so that skin is wrung evenly and not pinched.

An upper arm is wrung between the shoulder, which does not turn with it, and the elbow, which does; a forearm between
the elbow and the hand. Twist bones do shares of the turn in between, in equal steps but the one at that joint itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..geometry.rotation import from_vector, multiply, normalized, swing_twist, to_vector
from .bone_map import find_roles
from .rig import Rig
from .sides import words_of

# Limb: whose turn about it its twist bones share; "" is its own. An animal's lower front leg turns with the paw.
SOURCES = {"upper_arm": "", "forearm": "hand", "thigh": "", "shin": "foot", "front_upper": "",
           "front_lower": "front_foot", "hind_upper": "", "hind_lower": "hind_heel"}
MOST = 3
_OURS = re.compile(rf"({'|'.join(SOURCES)})_twist_[1-{MOST}]\.[LR]")
STEM = 0.4  # of an upper arm or thigh: where its skin stops doing the least share; above, the trunk moves it too
# Of the turn, what is left between the last twist bone and the hand, or the first and the trunk: skin blends there
# within a short way, along the limb smoothly. With two twist bones in equal steps arms keep 0.94 of their volume at the
# shoulder in the median of 37 characters, with this 0.97; wrists 0.97 and 0.98.
JOINT = 0.2
_BESIDE = 0.05  # of a limb's length: what lies further off its axis is a muscle or a control, no twist bone


@dataclass(frozen=True, eq=False)
class TwistGroup:
    """The K twist bones of one limb, all numbers of bones.

    limb : the bone they hang on;  bones : (K,) from the trunk outwards
    source : the bone whose turn about the limb's axis they share: the limb's own, or that of hand or foot
    """

    limb: int
    bones: np.ndarray
    source: int

    @property
    def is_upper(self) -> bool:
        """Whether the limb itself does the turn, as an upper arm, and its twist bones do less than it."""
        return self.source == self.limb

    @property
    def shares(self) -> np.ndarray:
        """(K,) how much of the turn each does against what the limb hangs on, or a forearm's against it."""
        count = len(self.bones)
        even = (1.0 - JOINT) * np.arange(count + 1) / count
        return JOINT + even[:-1] if self.is_upper else even[1:]

    @property
    def factors(self) -> np.ndarray:
        """(K,) by how much of the source's turn each is turned against the limb."""
        return self.shares - 1.0 if self.is_upper else self.shares

    @property
    def starts(self) -> np.ndarray:
        """(K + 1,) where on the limb, 0 to 1, the skin of each of its pieces begins."""
        return piece_starts(len(self.bones), self.is_upper)

    @property
    def pieces(self) -> list[int]:
        """The K + 1 bones that move the limb's skin, from the trunk outwards."""
        return [*self.bones.tolist(), self.limb] if self.is_upper else [self.limb, *self.bones.tolist()]


def piece_starts(count: int, is_upper: bool) -> np.ndarray:
    """(count + 1,) where the pieces of a limb with so many twist bones begin, 0 to 1 from head to tail."""
    if not is_upper:
        return np.arange(count + 1) / (count + 1)
    return np.array([0.0, *(STEM + (1.0 - STEM) * np.arange(count) / count)])


def is_twist(name: str) -> bool:
    """Whether a bone of this name is a twist bone of ours, such as "forearm_twist_1.L"."""
    return _OURS.fullmatch(name) is not None


def with_twists(rig: Rig, count: int) -> Rig:
    """The rig with so many twist bones in each limb of SOURCES that has a bone to turn with.

    They come after all other bones, each where the skin is that it moves. "_1" is nearest to where the limb turns
    against its neighbour: to the shoulder in an upper arm, to the wrist in a forearm, as in Unreal's mannequin.
    """
    if count == 0:
        return rig
    limbs = [(part, side, rig.names.index(f"{part}.{side}")) for part, source in SOURCES.items() for side in "LR"
             if f"{part}.{side}" in rig.names and f"{source or part}.{side}" in rig.names]
    if not limbs:
        return rig
    names, parents, heads, tails = list(rig.names), rig.parents.tolist(), list(rig.heads), list(rig.tails)
    collections = list(rig.collections)
    for part, side, limb in limbs:
        is_upper = not SOURCES[part]
        starts = np.append(piece_starts(count, is_upper), 1.0)
        ends = rig.heads[limb] + starts[:, None] * (rig.tails[limb] - rig.heads[limb])
        for k in range(count):  # from the trunk outwards
            piece = k if is_upper else k + 1
            names.append(f"{part}_twist_{k + 1 if is_upper else count - k}.{side}")
            parents.append(limb)
            heads.append(ends[piece])
            tails.append(ends[piece + 1])
            collections.append("Twist")
    new = np.repeat([limb for _, _, limb in limbs], count)
    more = np.zeros(len(new), bool)
    return replace(rig, names=tuple(names), parents=np.array(parents), heads=np.array(heads), tails=np.array(tails),
                   x_axes=np.concatenate([rig.x_axes, rig.x_axes[new]]), collections=tuple(collections),
                   connected=np.concatenate([rig.connected, more]), deform=np.concatenate([rig.deform, ~more]))


def twist_groups(rig: Rig, roles: dict[str, int] | None = None) -> list[TwistGroup]:
    """The limbs of a rig that have twist bones, ours or others' such as "lowerarm_twist_01_l".

    roles : {role: bone}, if they are known.  Twist bones say so in their names, move skin, hang on an upper arm,
    forearm, thigh, shin or a part of an animal's leg, and lie along it.
    """
    named = [b for b, name in enumerate(rig.names)
             if rig.deform[b] and rig.parents[b] >= 0 and "twist" in (w.lower() for w in words_of(name))]
    if not named:
        return []
    roles = find_roles(rig) if roles is None else roles
    groups = []
    for part, source in SOURCES.items():
        for side in "LR":
            limb = roles.get(f"{part}.{side}", -1)
            turned = roles.get(f"{source or part}.{side}", -1)
            bones = [b for b in named if limb >= 0 and rig.parents[b] == limb and _lies_along(rig, b, limb)]
            if bones and turned >= 0 and rig.deform[limb]:
                along = rig.tails[limb] - rig.heads[limb]
                place = (rig.heads[bones] - rig.heads[limb]) @ along
                groups.append(TwistGroup(limb, np.array(bones)[np.argsort(place, kind="stable")], turned))
    return groups


def without_twists(rig: Rig, groups: Sequence[TwistGroup]) -> Rig:
    """The rig in which twist bones move no skin."""
    deform = rig.deform.copy()
    for group in groups:
        deform[group.bones] = False
    return replace(rig, deform=deform)


def turned_twists(rig: Rig, groups: Sequence[TwistGroup], local: np.ndarray) -> np.ndarray:
    """Turns (..., B, 4) against the parent, in the axes of space at rest, in which twist bones do their share."""
    out = np.array(local, float)
    for group in groups:
        axis = normalized(rig.tails[group.limb] - rig.heads[group.limb])
        wrung = to_vector(swing_twist(out[..., group.source, :], axis)[1])
        for bone, factor in zip(group.bones, group.factors, strict=True):
            out[..., bone, :] = multiply(from_vector(factor * wrung), local[..., bone, :])
    return out


def _lies_along(rig: Rig, bone: int, limb: int) -> bool:
    along = rig.tails[limb] - rig.heads[limb]
    length = max(float(np.linalg.norm(along)), 1e-300)
    away = rig.heads[bone] - rig.heads[limb]
    return float(np.linalg.norm(away - along * (away @ along) / length ** 2)) <= _BESIDE * length
