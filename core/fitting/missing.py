"""Limbs that a body does not have: a bust's legs, the arm or the leg that is cut off, a tail.

What is cut off at the waist fills the network's view as a whole body does and is seen badly. Seen as the top of a body
so many times as tall it looks as the top of a person does, and its legs are nowhere. A leg that is missing on one side
is seen worse than the other. The end of a tail that is missing is seen nowhere. A preset says which limbs may be
missing (`SkeletonTemplate.may_lack`).
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import argwhere
from ..geometry.mesh import Mesh
from ..geometry.segments import segment_distances
from ..seeing.evidence import Evidence, look
from ..seeing.views import CELLS
from ..skeleton.preset import other_side
from ..skeleton.template import SkeletonTemplate
from .joint_tree import tree_of

# A body may be the top of one so many times as tall: a person has 1.8 to 3.2 times the height of what is left above the
# hips, a waist or a chest. What is cut lower has thighs, and a gown to the ground looks like it.
TALLER = (1.8, 2.1, 2.4, 2.8, 3.2)
# Log evidence of joints, a view: legs that are seen so well are there whatever else may be; those of 80 whole people
# are seen better than -2.76, of a person's top as such worse than -3.0.
THERE, LEGS = -2.55, -2.92
# By so much a person's top is seen better as such, and legs worse than those that are there: all of 24 generated people
# cut anywhere from the chest to the hips by 0.5 and more, a doll with a large head in a gown to the ground by 0.35.
CLEARLY = 0.42
# Head, neck and shoulders of a person's top are seen so well, minus the log evidence, a view and joint: of 24 generated
# people, cut, all but one of blocks better than 2.75, those of generated octopuses and ghosts worse than 2.9.
TOP = 2.8
# Of an arm that is missing every joint is seen worse than this, if the head and the shoulders are seen so well: of 106
# arms of generated people who hold, reach or touch something before their bodies, one in seven is seen so badly, of 60
# arms cut at the elbow two in three.
ARM, REST = -3.4, -2.92
# An arm that is missing on one side alone reaches less far out than this share of the other: a shield hides arms too.
SHORT = 0.9
# Of a tail that is missing the tip is seen worse than this, if all else is seen better than REST: of 38 generated
# animals without one worse than -3.7, of 20 artists' whose tail was drawn in 15. The worst of 130 tails, a thin one
# that hangs between the legs, is seen better than -3.33.
TAIL = -3.4
# A leg is missing from where its next joint is seen so much worse than the other leg's, and all joints below it in the
# mean. Of 24 generated people with a leg cut anywhere all but one, and of 24 generated animals all, show more; of 200
# whole people none shows 0.2 in the mean.
WORSE, ALL_WORSE = 0.3, 0.35
OTHER = -2.7  # so well the other leg is seen: beside it, one is missing; else both may be
# A limb is there, however badly it is seen, if beyond its stump lies so much flesh, a share of the other limb's: what
# is farther than BONE, a share of the cube, from all bones that are kept.
FLESH, BONE = 0.7, 0.07
# A stump this long, a share of the other leg's bone, keeps that bone. So much of it may lie outside the flesh, where
# the joint it begins at is seen badly.
STUMP, OUTSIDE = 0.35, 0.2
# Of a wooden leg what is as LOW, a share of the cube, is less than PEG times as long and wide as at the other leg, and
# the toes are seen so much worse, WORSE_TOES, than the other's: of 16 generated ones by 0.19 and more.
LOW, PEG, WORSE_TOES = 0.1, 0.6, 0.15


_FOOT = ("foot", "toe", "toe_tip")
# The ends of legs, as the presets call them.
_LEG_ENDS = {"": ("toe_tip",), "front ": ("front_toe",), "hind ": ("hind_toe",)}


@dataclass(frozen=True)
class Missing:
    """What a body lacks of a preset.

    joints : their names;  tall : how many times as tall as what is there the whole body would be
    unseen : how little is seen of the others, of a person's top of head, neck and shoulders, as
        `seeing.evidence.unseen`
    stumps : {joint: (3,)} where the bone that a leg's stump keeps ends, in the mesh's frame
    """

    joints: frozenset[str] = frozenset()
    tall: float = 1.0
    unseen: float = 0.0
    stumps: dict[str, tuple[float, ...]] = field(default_factory=dict, compare=False)

    @property
    def told(self) -> str:
        """What is missing, in the artist's words, "" for nothing."""
        parts = ["both legs"] if self.tall > 1 else [
            f"parts of the {side} {which}leg" for side in ("left", "right") for which, ends in _LEG_ENDS.items()
            if {f"{end}.{side[0].upper()}" for end in ends} & self.joints]
        for word, joint in (("arm", "forearm."), ("forearm", "hand.")):
            sides = {name[-1] for name in self.joints if name.startswith(joint)}
            if sides:
                parts.append(f"both {word}s" if len(sides) == 2 else
                             f"parts of the {'left' if sides == {'L'} else 'right'} arm")
                break
        return " and ".join([*parts, *["the tail"] * (self.limbs < self.joints)])

    @property
    def limbs(self) -> frozenset[str]:
        """The joints of legs and arms among them: those that have a side."""
        return frozenset(name for name in self.joints if other_side(name) != name)


@dataclass(frozen=True, eq=False)
class PartTemplate(SkeletonTemplate):
    """A preset without the limbs that one body does not have.

    whole : the preset;  missing : what it lacks
    """

    whole: SkeletonTemplate | None = None
    missing: Missing = Missing()

    @property
    def is_one_sided(self) -> bool:
        """Whether a limb is missing on one side only."""
        here = set(self.names)
        return any(self.whole.names[j] in here and self.whole.names[k] not in here
                   for j, k in enumerate(self.whole.mirror) if k >= 0)


def find_missing(mesh: Mesh, template: SkeletonTemplate) -> Missing:
    """Which limbs of a preset a body lacks.

    mesh : Z up, facing -Y;  template : of a kind that was learned; for others, and where nothing may be lacking, the
    answer is that nothing is.  A look for each height, if the legs are not seen at once.
    """
    kind = tree_of(template)
    if kind is None or not template.may_lack:
        return Missing()
    whole = look(mesh, kind)
    seen, below = whole.seen(), _below(template)
    limbs = _missing_limbs(mesh, template, whole, seen, below) if below else Missing()
    return replace(limbs, joints=limbs.joints | _lost_tail(template, dict(zip(whole.names, seen, strict=True))))


def _lost_tail(template: SkeletonTemplate, seen: dict[str, float]) -> set[str]:
    """The joints of a tail that is nowhere. seen : log evidence of each joint, a view"""
    tails = [_with_below(template, top) for top in template.may_lack if other_side(top) == top]
    rest = np.mean([at for name, at in seen.items() if not any(name in tail for tail in tails)])
    return {name for tail in tails for name in tail if rest > REST and seen[tail[-1]] < TAIL}


def _missing_limbs(mesh: Mesh, template: SkeletonTemplate, whole: Evidence, joints: np.ndarray,
                   below: dict[str, tuple[str, ...]]) -> Missing:
    """Which legs and arms of a preset a body lacks. joints : (J,) log evidence, a view;  below : `_below`"""
    legs = {n for top, own in below.items() if _has_foot(template, own) for n in (top, *own)}
    tops = [top for top in below if not any(top in own for own in below.values())]
    is_leg = np.isin(whole.names, [n for n in legs if n not in tops])
    is_limb = np.isin(whole.names, [n for own in below.values() for n in own])
    is_top = ~is_limb & ~np.isin(whole.names, [*legs, *below, template.names[0]])  # head, neck and shoulders
    seen = {1.0: joints}
    lost, stumps = _lost_legs(template, whole, seen[1.0])
    has_arms = any(not _has_foot(template, own) for own in below.values())  # else there is no half without legs
    if has_arms and not lost and (seen[1.0][is_leg].mean() < THERE or seen[1.0][is_top].mean() < REST):
        seen |= {tall: look(mesh, whole.kind, tall).seen() for tall in TALLER}
        top = {tall: float(at[is_top].mean()) for tall, at in seen.items()}
        tall = max(top, key=lambda t: top[t])
        gain = top[tall] - top[1.0] + THERE - float(seen[1.0][is_leg].mean())
        if tall > 1 and seen[tall][is_leg].mean() < LEGS and gain > CLEARLY and -top[tall] < TOP:
            return _without_arms(template, whole, seen[tall], frozenset(legs), tall, -top[tall])
    found = Missing(lost, 1.0, float(-seen[1.0].mean()), stumps)
    if seen[1.0][~is_limb].mean() >= REST:
        found = replace(_without_arms(template, whole, seen[1.0], lost, 1.0, found.unseen), stumps=stumps)
    there = _there(template, whole, found) if found.joints else set()
    found = replace(found, joints=found.joints - there, stumps={n: at for n, at in stumps.items() if n not in there})
    return _with_peg(whole, found, dict(zip(whole.names, joints, strict=True))) if "foot.L" in below else found


def _lost_legs(template: SkeletonTemplate, whole: Evidence, seen: np.ndarray
               ) -> tuple[frozenset[str], dict[str, tuple[float, ...]]]:
    """The joints of legs that are missing on one side: the other's are seen, and much better. And `Missing.stumps`.

    A leg that is cut between two joints keeps the lower one as the end of its stump, if that is long enough.
    seen : (J,) log evidence of the joints, a view
    """
    at, gone = dict(zip(whole.names, seen, strict=True)), frozenset[str]()
    stumps = {}
    for top, own in _below(template).items():  # what hangs on another comes after it
        if not _has_foot(template, own) or set(own) <= gone:
            continue
        others = np.array([at[other_side(n)] for n in own])
        worse = others - [at[n] for n in own]
        if worse[0] > WORSE and worse.mean() > ALL_WORSE and others.mean() > OTHER:
            share, place = _stump(whole, top, own[0])
            if share > STUMP and own[0][:-2] in _FOOT[1:]:
                continue  # so much of a foot is one
            gone |= set(own[1:])
            if share > STUMP:
                stumps[own[0]] = place
            else:
                gone |= {own[0]} if any(bone.tail == top for bone in template.bones) else {top, own[0]}
    return gone, stumps


def _with_peg(whole: Evidence, found: Missing, seen: dict[str, float]) -> Missing:
    """What is missing, with the foot of a wooden leg: one that stands on the ground as thin as it comes down.

    seen : log evidence of each joint, a view
    """
    places = whole.places[whole.likeliest]
    cells = (argwhere(whole.sight.solid) + 0.5) / CELLS
    low = cells[cells[:, 2] < cells[:, 2].min() + LOW]
    away = [np.linalg.norm(low[:, None] - places[np.isin(whole.names, [f"{n}.{side}" for n in _FOOT])], axis=2).min(1)
            for side in "LR"]
    sides = {"L": low[away[0] < away[1]], "R": low[away[0] >= away[1]]}
    for side, other in ("LR", "RL"):
        own, toes = sides[side], {f"{n}.{side}" for n in _FOOT[1:]}
        ground = own[own[:, 2] == low[:, 2].min()]
        is_worse = seen[f"toe_tip.{other}"] - seen[f"toe_tip.{side}"] > WORSE_TOES
        if len(ground) and len(sides[other]) and is_worse and not toes & found.joints and (
                np.ptp(own[:, :2], axis=0).max() < PEG * np.ptp(sides[other][:, :2], axis=0).max()):
            end = tuple(whole.sight.from_cube(ground.mean(0)).tolist())
            return replace(found, joints=found.joints | toes, stumps=found.stumps | {f"foot.{side}": end})
    return found


def _there(template: SkeletonTemplate, whole: Evidence, missing: Missing) -> set[str]:
    """The joints of limbs that are missing by what is seen of them, although their flesh is there.

    Legs are looked for as low as what is missing lies at the other one, and from half the height of its knee, wherever
    they are stretched to; arms where their own stump is the nearest bone.
    """
    places = dict(zip(whole.names, whole.places[whole.likeliest], strict=True))
    ends = places | {n: whole.sight.to_cube(np.array(at)) for n, at in missing.stumps.items()}
    cells = (argwhere(whole.sight.solid) + 0.5) / CELLS
    bones = [(n, up) for n in whole.names if n not in missing.joints and (up := _above(template, n, places))]
    apart = segment_distances(cells, *(np.array([ends[bone[k]] for bone in bones]) for k in (1, 0)))
    nearest, far = apart.argmin(1), apart.min(1) > BONE
    limbs, there = _below(template), set[str]()
    for top in (t for t in limbs if not any(t in own for own in limbs.values())):
        limb = {top, *limbs[top]}
        gone = limb & missing.joints
        is_other = np.isin([n for n, _ in bones], [other_side(n) for n in gone])[nearest]
        if _has_foot(template, limbs[top]):
            high, *_, end = (places[other_side(n)][2] for n in limbs[top])
            low = cells[:, 2] < max([(high + end) / 2, *(places[other_side(n)][2] for n in gone - {top})])
            mine, other = far & low, ~far & low & is_other
        else:
            mine, other = far & np.isin([n for n, _ in bones], list(limb))[nearest], ~far & is_other
        if other.any() and mine.sum() > FLESH * other.sum():
            there |= gone
    return there


def _above(template: SkeletonTemplate, joint: str, known: Container[str]) -> str:
    """The nearest joint above one that is among those known, "" if none is."""
    at = int(template.parents[template.index(joint)])
    while at >= 0 and template.names[at] not in known:
        at = int(template.parents[at])
    return template.names[at] if at >= 0 else ""


def _stump(whole: Evidence, top: str, end: str) -> tuple[float, tuple[float, ...]]:
    """How far the flesh goes on from a joint towards the next, as a share of the way that the other side's bone goes,
    and the place where it ends, in the mesh's frame.

    The joint is where it is seen; where the other side's is in the mirror, if it is seen at the other side.
    """
    middle, start, other, stop = (whole.places[whole.likeliest[whole.names.index(n)]]
                                  for n in ("neck", top, other_side(top), other_side(end)))
    image = other * [-1, 1, 1] + [2 * middle[0], 0, 0]
    start = start if np.linalg.norm(start - image) < np.linalg.norm(start - other) else image
    steps = np.linspace(0, 1, 2 * CELLS)
    points = start + steps[:, None] * ((stop - other) * [-1, 1, 1])
    cells = (points * CELLS).astype(np.intp).clip(0, CELLS - 1)
    is_flesh = np.logical_and.accumulate(whole.sight.solid[tuple(cells.T)] | (steps < OUTSIDE))
    last = int(np.flatnonzero(is_flesh)[-1])
    return float(steps[last]), tuple(whole.sight.from_cube(points[last]).tolist())


def _without_arms(template: SkeletonTemplate, whole: Evidence, seen: np.ndarray, gone: frozenset[str], tall: float,
                  unseen: float) -> Missing:
    """What else is missing. seen : (J,) log evidence of the joints, a view;  gone : what is missing already"""
    below, names = _below(template), whole.names
    middle = whole.places[whole.likeliest[names.index("neck")], 0]
    reach = {side: float((sign * (whole.places[:, 0] - middle)).max()) for side, sign in (("L", 1), ("R", -1))}
    for top in reversed(below):  # what hangs on another comes after it
        own = below[top]
        is_end = all(set(below[other]) <= gone for other in below if other in own)
        rest = [n for n in own if n not in gone]
        if rest and is_end and not _has_foot(template, own) and seen[np.isin(names, rest)].max() < ARM:
            others = [other_side(n) for n in rest]
            is_short = reach[top[-1]] < SHORT * reach[other_side(top)[-1]]
            if is_short or seen[np.isin(names, others)].max() < ARM:
                gone |= set(rest)
    return Missing(gone, tall, unseen)


def part_template(template: SkeletonTemplate, missing: Missing) -> SkeletonTemplate:
    """The preset without what is missing; itself if nothing is."""
    if not missing.joints:
        return template
    kept = [j for j, name in enumerate(template.names) if name not in missing.joints]
    number = {j: i for i, j in enumerate(kept)} | {-1: -1}
    names = tuple(template.names[j] for j in kept)
    return PartTemplate(
        template.name, names, np.array([number[int(template.parents[j])] for j in kept]), template.positions[kept],
        np.array([number.get(int(template.mirror[j]), -1) for j in kept]), template.is_foot[kept],
        template.is_fat[kept], tuple(b for b in template.bones if b.head in names and b.tail in names), template.kind,
        tuple(n for n in template.may_lack if n in names), template, missing)


def _below(template: SkeletonTemplate) -> dict[str, tuple[str, ...]]:
    """{joint of a leg or an arm that may be the last: the joints that hang on it}."""
    return {top: _with_below(template, top)[1:] for top in template.may_lack if other_side(top) != top}


def _with_below(template: SkeletonTemplate, top: str) -> tuple[str, ...]:
    """A joint and those that hang on it."""
    held = [template.index(top)]
    for j, parent in enumerate(template.parents):
        if int(parent) in held:
            held.append(j)
    return tuple(template.names[j] for j in held)


def _has_foot(template: SkeletonTemplate, limb: tuple[str, ...]) -> bool:
    """Whether a limb stands on the ground."""
    return bool(template.is_foot[[template.index(n) for n in limb]].any())
