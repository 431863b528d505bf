"""Skeletons of people and animals that are not ours, fitted by way of ours.

A template made from some armature has its own joints and names, but a person's elbows are where a person's elbows are.
Where bones play the roles of a measured preset's, that preset is fitted and its joints carried over; the joints between
lie along its bones in the template's own proportions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..skeleton.bone_map import find_roles
from ..skeleton.preset import load_template
from ..skeleton.reduce import ReducedTemplate, reduce_template
from ..skeleton.structure import roles_by_structure
from ..skeleton.template import Bone, SkeletonTemplate, rig_from_joints
from .pins import Pins

PAPER = "biped_paper"  # the preset to compare with, whose joints the search of [BP07] finds
# The limbs of our presets whose joints a skeleton must have on both sides to be taken for a relative.
_LIMBS = {"biped": (("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot")),
          "quadruped": (("front_upper", "front_lower", "front_foot"), ("hind_upper", "hind_lower", "hind_foot"))}
# Rise of the trunk over its length, less the preset's;  share of the size that a limb the preset lacks is long.
UPRIGHT, LEFT_OVER = 0.4, 0.3
# Artists cut the trunk into as many bones as they like.
_FREE = ("spine", "chest")


@dataclass(frozen=True, eq=False)
class Kin:
    """A template's relation to one of ours. known : {template joint: joint of the preset}"""

    template: SkeletonTemplate
    preset: SkeletonTemplate
    known: dict[int, int]

    @cached_property
    def reduced(self) -> ReducedTemplate:
        """The preset's joints that are searched."""
        return reduce_template(self.preset)

    def is_alike(self) -> bool:
        """Whether the trunk is as upright or level as the preset's, and no limb is left over: a bird is no person with
        wings for arms, a centaur no horse."""
        template, rises = self.template, []
        of = {p: j for j, p in self.known.items()}
        top = next((n for n in ("neck", "head") if self.preset.index(n) in of), None)
        if top is None:
            return False
        for skeleton, ends in ((template, [of[self.preset.index(n)] for n in ("hips", top)]),
                               (self.preset, [self.preset.index(n) for n in ("hips", top)])):
            way = np.subtract(*skeleton.positions[ends[::-1]])
            rises.append(way[2] / max(float(np.linalg.norm(way)), 1e-12))
        return abs(rises[0] - rises[1]) < UPRIGHT and self._left_over() < LEFT_OVER

    def _left_over(self) -> float:
        """Length of the longest limb, as a share of the size, that the preset lacks: three or more joints in a row, one
        of a pair, growing out of the trunk. What grows out of the head is an ear."""
        places, count = self.template.positions, len(self.template.names)
        length, joints = np.zeros(count), np.zeros(count, int)
        head = self.preset.index("head")
        for j in range(1, count):
            above = int(self.template.parents[j])
            grows = joints[above] > 0 or (self.template.mirror[above] < 0 and self.known.get(above) != head)
            paired = self.template.mirror[j] >= 0 and j not in self.known
            if grows and paired and self._holds(j) == above and self._next_known(j) is None:
                length[j] = length[above] + np.linalg.norm(places[j] - places[above])
                joints[j] = joints[above] + 1
        return float(length[joints > 2].max(initial=0.0) / np.ptp(places, axis=0).max())

    def pins(self, pins: Pins) -> Pins:
        """The pins of joints that the preset has."""
        return {self.known[j]: place for j, place in pins.items() if j in self.known}

    def carry(self, joints: np.ndarray, pins: Pins, scale: float) -> np.ndarray:
        """(J, 3) the template's joints. joints : (P, 3) the preset's, fitted;  scale : template units to unit frame"""
        template = self.template
        placed = np.full((len(template.names), 3), np.nan)
        for own, preset in self.known.items():
            placed[own] = joints[preset]
        for own, place in pins.items():
            placed[own] = place
        for j in range(len(placed)):
            if np.isfinite(placed[j]).all():
                continue
            above = int(template.parents[j])
            if above < 0:
                placed[j] = joints[0]
                continue
            below = self._next_known(j)
            if below is None:
                held = self._holds(j)
                placed[j] = placed[held] + (template.positions[j] - template.positions[held]) * scale
            else:
                placed[j] = self._between(j, above, below, placed, joints)
        return placed

    def _holds(self, j: int) -> int:
        """The joint that an end of the skeleton's own goes with: its parent, unless a known one is much nearer, as the
        ankle is to a foot that hangs on the ground."""
        places = self.template.positions
        away = np.linalg.norm(places - places[j], axis=1)
        nearest, above = min(self.known, key=lambda k: (away[k], k)), int(self.template.parents[j])
        return nearest if away[nearest] < 0.3 * away[above] else above

    def _next_known(self, j: int) -> int | None:
        """The known joint nearest below joint j, rather one of the middle."""
        parents, mirror = self.template.parents, self.template.mirror
        reached = {j: 0}
        for k in range(j + 1, len(parents)):
            if int(parents[k]) in reached and int(parents[k]) not in self.known:
                reached[k] = reached[int(parents[k])] + 1
        below = [k for k in reached if k in self.known]
        return min(below, key=lambda k: (mirror[k] >= 0 and mirror[j] < 0, reached[k], k), default=None)

    def _between(self, j: int, above: int, below: int, placed: np.ndarray, joints: np.ndarray) -> np.ndarray:
        """The place of joint j on the way from its parent to a known joint, in the template's proportions."""
        chain = [below]
        while chain[-1] != above:
            chain.append(int(self.template.parents[chain[-1]]))
        steps = np.linalg.norm(np.diff(self.template.positions[chain[::-1]], axis=0), axis=1)
        line = np.vstack([placed[above], *self._inner(above, below, joints, placed[above]), joints[self.known[below]]])
        travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
        share = steps[chain[::-1].index(j) - 1 if j in chain else 0] / max(float(steps.sum()), 1e-12)
        return np.array([np.interp(share * travelled[-1], travelled, line[:, d]) for d in range(3)])

    def _inner(self, above: int, below: int, joints: np.ndarray, start: np.ndarray) -> list[np.ndarray]:
        """The preset's own joints on the way that still lie ahead."""
        line, at = [], int(self.preset.parents[self.known[below]])
        stop = self._known_above(above)
        while at >= 0 and at != stop:
            line.append(joints[at])
            at = int(self.preset.parents[at])
        end = joints[self.known[below]]
        ahead = float(np.linalg.norm(end - start))
        return [p for p in line[::-1] if np.linalg.norm(end - p) < ahead and (p - start) @ (end - start) > 0]

    def _known_above(self, j: int) -> int:
        while j >= 0 and j not in self.known:
            j = int(self.template.parents[j])
        return self.known.get(j, -1)


def find_kin(template: SkeletonTemplate) -> Kin | None:
    """The measured preset whose roles a template's bones play, by name or by place; None if there is none, and for what
    is placed as published."""
    if template.name == PAPER:
        return None
    rig = rig_from_joints(template, template.positions)
    number = {name: i for i, name in enumerate(rig.names)}
    for roles in (find_roles(rig), {role: number[bone] for role, bone in roles_by_structure(rig).items()}):
        bones = {role: template.bones[bone] for role, bone in roles.items()}
        for name, limbs in _LIMBS.items():
            preset = load_template(name)
            known = {template.index(bone.head): preset.index(role) for role, bone in bones.items()
                     if role in preset.names and role not in _FREE}
            for upper, lower, end in [[f"{part}.{s}" for part in limb] for limb in limbs for s in "LR"]:
                _complete(template, preset, known, bones, (upper, lower, end))
            needed = {"hips", *(f"{part}.{s}" for limb in limbs for part in limb for s in "LR")}
            if {preset.index(n) for n in needed} <= set(known.values()) and {"neck", "head"} & set(bones):
                kin = Kin(template, preset, _by_side(template, preset, _with_tips(template, preset, known)))
                if kin.is_alike():
                    return kin
    return None


def _by_side(template: SkeletonTemplate, preset: SkeletonTemplate, known: dict[int, int]) -> dict[int, int]:
    """Left is where it is: some artists call left what is on the left of their screen."""
    lean = sum(np.sign(preset.positions[p, 0]) * template.positions[j, 0] for j, p in known.items()
               if preset.mirror[p] >= 0)
    if lean >= 0:
        return known
    return {j: p if preset.mirror[p] < 0 else int(preset.mirror[p]) for j, p in known.items()}


def _complete(template: SkeletonTemplate, preset: SkeletonTemplate, known: dict[int, int], bones: dict[str, Bone],
              limb: tuple[str, str, str]) -> None:
    """Joints of a limb whose bones play no role: its second bone's end, or the one joint between two known ones."""
    upper, lower, end = limb
    if end not in bones and lower in bones:
        known.setdefault(template.index(bones[lower].tail), preset.index(end))
    if lower not in bones and upper in bones and end in bones:
        top, at = template.index(bones[upper].head), int(template.parents[template.index(bones[end].head)])
        if at not in known and int(template.parents[at]) == top:
            known[at] = preset.index(lower)


def _with_tips(template: SkeletonTemplate, preset: SkeletonTemplate, known: dict[int, int]) -> dict[int, int]:
    """The ends of limbs as well, where the template's end is told by the bones: a hand's own, not a finger's."""
    out = dict(known)
    tails = {template.index(b.head): template.index(b.tail) for b in reversed(template.bones)}
    for leaf in np.flatnonzero(~np.isin(np.arange(len(preset.names)), preset.parents)):
        above = int(preset.parents[leaf])
        own = next((j for j, p in known.items() if p == above), None)
        if own is None:
            own = next((j for j, p in known.items() if p == int(preset.parents[above])), None)
        while own in tails:
            own = tails[own]
        if own is not None and own not in out and own not in template.parents:
            out[int(own)] = int(leaf)
    return out
