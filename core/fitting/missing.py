"""Limbs that a body does not have: a bust's legs, the arm or the leg that is cut off, a tail.

The landmark network has learned bodies that are cut off anywhere: of a joint that is not there it says that it may be
anywhere, beside the body too. So it tells how likely each joint is nowhere, and a limb ends where that explains all its
joints best. A preset says which limbs may be missing (`SkeletonTemplate.may_lack`).
"""

from __future__ import annotations

from collections.abc import Container, Iterable
from dataclasses import dataclass, field, replace

import numpy as np

from ..arrays import argwhere
from ..geometry.mesh import Mesh
from ..geometry.segments import segment_distances
from ..seeing.evidence import Evidence, look
from ..seeing.views import CELLS
from ..skeleton.preset import other_side
from ..skeleton.template import SkeletonTemplate
from .joint_tree import load_tree, tree_of
from .stubby import is_block_person
from .tail import TAILED, has_tail
from .traced import trace_arm

# What counts for an arm or a tail, and for a leg, that it ends early, in log odds: the network's maps are too sure that
# joints are there. With these none of 64 varied whole people lacks an arm or a foot; of 64 arms that were cut 41 end
# early and 6 are traced into the body, of 64 legs 62 end early. With more for an arm, whole ones in poses end early.
EARLY, EARLY_LEG = 1.0, 6.0
_SURE = -0.01
# What seems to be the top of a person is none, if so much of it, SKIRT, lies below the hips and farther than BONE, a
# share of the cube, from all bones: of 48 tops of people it is less but for two, of generated octopuses more.
BONE, SKIRT = 0.07, 0.13
# So are arms that stand on the ground, if the trunk between them, less than ASIDE of the cube from its middle, ends so
# much of the height above: a machine's legs, 0.32 to 0.46 on four real ones; of 12 tops of people at most 0.01.
ASIDE, ABOVE = 0.03, 0.3
# How much better joints are seen on a half for being larger in the cube, per logarithm of how much: with this 66 of 77
# halves are known and of 14 machines and lumps one; with 2, as a map's width would have it, 67 and seven.
SHARPER = 1.3
# A stump this long, a share of the other leg's bone, keeps that bone. So much of it may lie outside the flesh, where
# the joint it begins at is seen badly. Where the other leg ends too, a leg's bone is so long, a share of the way from
# the hips to the neck.
STUMP, OUTSIDE, LEG = 0.35, 0.2, 0.8
# But a leg whose foot is seen as low as a whole one's, but for LEVEL of the cube, with ALIKE times as much flesh within
# AROUND of it, is whole, too. Of 84 generated animals of 14 kinds 20 seemed to lack a foot that they have, one does
# now; of 24 of them with legs cut that were found so, 22 are.
LEVEL, ALIKE, AROUND = 0.008, 0.7, 0.06


_TOES = ("toe", "toe_tip", "front_toe", "hind_toe")
_HALF = {"toe_tip.L", "toe_tip.R"}  # without both, a person fills the cube with less than the whole body
# The ends of legs, as the presets call them.
_LEG_ENDS = {"": ("toe_tip",), "front ": ("front_toe",), "hind ": ("hind_toe",)}


@dataclass(frozen=True)
class Missing:
    """What a body lacks of a preset.

    joints : their names
    unseen : how little is seen of the others, as `seeing.evidence.unseen` would be of the whole body
    scale : how many times as large as a whole body's its parts are in the cube around it
    stumps : {joint: (3,)} where the bone that a leg's stump keeps ends, in the mesh's frame
    traced : {joint: (3,)} of arms that are not seen but traced through their flesh; they are not missing
    """

    joints: frozenset[str] = frozenset()
    unseen: float = 0.0
    scale: float = field(default=1.0, compare=False)
    stumps: dict[str, tuple[float, ...]] = field(default_factory=dict, compare=False)
    traced: dict[str, tuple[float, ...]] = field(default_factory=dict, compare=False)

    @property
    def is_legless(self) -> bool:
        """Whether it is the top of a person."""
        return {"thigh.L", "thigh.R"} <= self.joints

    @property
    def told(self) -> str:
        """What is missing, in the artist's words, "" for nothing."""
        parts = ["both legs"] if self.is_legless else [
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
        """Whether a limb is missing, or traced, on one side only."""
        names, here, traced = self.whole.names, set(self.names), self.missing.traced
        return any((names[j] in here, names[j] in traced) != (names[k] in here, names[k] in traced)
                   for j, k in enumerate(self.whole.mirror) if k >= 0)


def find_missing(mesh: Mesh, template: SkeletonTemplate) -> Missing:
    """Which limbs of a preset a body lacks.

    mesh : Z up, facing -Y;  template : of a kind that was learned; for others, and where nothing may be lacking, the
    answer is that nothing is.
    """
    kind = tree_of(template)
    if kind is None or not template.may_lack:
        return Missing()
    whole = look(mesh, kind)
    gone = dict(zip(whole.names, whole.gone.tolist(), strict=True))
    found = _lost_limbs(template, whole, gone)
    if found.joints and kind in ("biped", TAILED) and is_block_person(mesh, whole.sight.solid):
        found = Missing()  # its arms are one with the trunk, its legs with each other
    found = replace(found, scale=_scale(whole, found.joints)) if found.joints >= _HALF else found
    if found.is_legless and _has_legs(template, whole, found):
        found = Missing()
    if kind != TAILED or not has_tail(mesh):
        found = replace(found, joints=found.joints | _lost_tail(template, gone))
    kept = whole.seen[~np.isin(whole.names, list(found.joints))]
    found = _with_traced(template, whole, found)
    return replace(found, unseen=-float(kept.mean()) - SHARPER * float(np.log(found.scale)))


def _odds(gone: float) -> tuple[float, float]:
    """(log probability that a joint is there, that it is not). gone : the latter, as the network says it"""
    gone = min(gone, _SURE)
    return float(np.log1p(-np.exp(gone))), gone


def _lost_tail(template: SkeletonTemplate, gone: dict[str, float]) -> set[str]:
    """The joints of a tail whose tip is nowhere; where it begins there is flesh either way.

    gone : {joint: `Evidence.gone`}
    """
    tails = [_with_below(template, top) for top in template.may_lack if other_side(top) == top]
    lost = (tail for tail in tails if np.subtract(*_odds(gone[tail[-1]])) < EARLY)
    return {name for tail in lost for name in tail}


def _lost_limbs(template: SkeletonTemplate, whole: Evidence, nowhere: dict[str, float]) -> Missing:
    """The joints of legs and arms beyond the place where each ends.

    A leg that is cut between two joints keeps the lower one as the end of its stump, if that is long enough.
    nowhere : {joint: `Evidence.gone`}
    """
    gone, stumps, limbs = set[str](), {}, _below(template)
    left: dict[str, int] = {}
    for top in (t for t in limbs if not any(t in own for own in limbs.values())):
        chain = (top, *limbs[top])
        is_end = any(bone.tail == top for bone in template.bones)
        counts = [k for k in range(len(chain)) if (k and chain[k - 1] in limbs) or not (k or is_end)]
        odds = np.array([_odds(nowhere[n]) for n in chain])
        early = EARLY_LEG if _has_foot(template, limbs[top]) else EARLY
        score = {k: odds[:k, 0].sum() + odds[k:, 1].sum() + early for k in counts} | {len(chain): odds[:, 0].sum()}
        left[top] = max(score, key=lambda k: score[k])
    if any(0 < count <= len(limbs[top]) for top, count in left.items()):
        left |= _whole_legs(whole, {top: below for top, below in limbs.items() if left.get(top)
                                    and _has_foot(template, below)}, left)
    for top, count in left.items():
        gone |= {*(top, *limbs[top])[count:]}
    for top, count in left.items():
        chain = (top, *limbs[top])
        if not _has_foot(template, limbs[top]) or count in (0, len(chain)):
            continue
        while count > 1 and left[other_side(top)] > count and _is_others(whole, chain[count - 1]):
            count -= 1
            gone |= {chain[count]}
        end = chain[count]
        if end[:-2] in _TOES:
            if left[other_side(top)] == count:  # who lacks the toes of both feet has small ones
                gone -= set(chain)
            else:
                stumps[chain[count - 1]] = _under(whole, chain[count - 1])
            continue
        share, place = _stump(whole, chain[count - 1], end, gone)
        if share > STUMP:
            gone, stumps = gone - {end}, stumps | {end: place}
        elif count == 1 and not any(bone.tail == top for bone in template.bones):
            gone |= {top}
    return Missing(frozenset(gone), stumps=stumps)


def _with_traced(template: SkeletonTemplate, whole: Evidence, found: Missing) -> Missing:
    """The same, but for arms whose flesh is there."""
    limbs = _below(template)
    arms = [(t, *limbs[t]) for t in limbs if not any(t in own for own in limbs.values())]
    lost = [arm for arm in arms if found.joints & {*arm} and not _has_foot(template, arm[1:])]
    traced: dict[str, tuple[float, ...]] = {}
    for arm in lost:
        traced |= trace_arm(template, whole, arm, found.joints)
    there = {name for arm in lost if arm[-1] in traced for name in arm}
    return replace(found, joints=found.joints - there, traced=traced)


def _is_others(whole: Evidence, joint: str) -> bool:
    """Whether a joint is seen where the other side's is, rather than at its image in the mirror."""
    at = dict(zip(whole.names, whole.places[whole.likeliest], strict=True))
    place, other = at[joint], at[other_side(joint)]
    image = other * [-1, 1, 1] + [2 * at["neck"][0], 0, 0]
    return bool(np.linalg.norm(place - other) < np.linalg.norm(place - image))


def _whole_legs(whole: Evidence, legs: dict[str, tuple[str, ...]], left: dict[str, int]) -> dict[str, int]:
    """{first joint of a leg that stands like a whole one: how many joints it has}: like the other side's, else like one
    of the other pair; where no leg seems whole, all that stand alike on two pairs are.

    legs : {first joint: the others};  left : how many joints of each seem to be there
    """
    stand = [top for top, below in legs.items() if left[top] > len(below)]
    found = {}
    for top in [top for top in legs if top not in stand]:
        others = [t for t in stand if t == other_side(top)] or stand or [t for t in legs if t[:-2] != top[:-2]]
        if any(_stands_alike(whole, legs[top][-2:], legs[other][-2:]) for other in others):
            found[top] = 1 + len(legs[top])
    return found


def _stands_alike(whole: Evidence, foot: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """Whether a foot is seen as low as another, with as much flesh around it: a leg that an animal stands on is not cut
    in the air.

    foot, other : the last joints of two legs
    """
    at = dict(zip(whole.names, whole.places[whole.likeliest], strict=True))
    cells = (argwhere(whole.sight.solid) + 0.5) / CELLS
    own, others = (np.array([at[name] for name in names]) for names in (foot, other))
    flesh, usual = (int((segment_distances(cells, bones[:-1], bones[1:]).min(1) < AROUND).sum())
                    for bones in (own, others))
    return bool(own[-1, 2] - others[-1, 2] < LEVEL and flesh > ALIKE * usual and not _is_others(whole, foot[-1]))


def _under(whole: Evidence, joint: str) -> tuple[float, ...]:
    """The place where the flesh right under a joint ends, in the mesh's frame."""
    place = whole.places[whole.likeliest[whole.names.index(joint)]]
    x, y, z = (place * CELLS).astype(np.intp).tolist()
    is_flesh = np.logical_and.accumulate(whole.sight.solid[x, y, z::-1])
    return tuple(whole.sight.from_cube(place - [0, 0, max(int(is_flesh.sum()) - 1, 0) / CELLS]).tolist())


def _scale(whole: Evidence, gone: Container[str]) -> float:
    """How many times as long as usual the bones are that are left."""
    tree = load_tree(whole.kind)
    at = dict(zip(whole.names, whole.places[whole.likeliest], strict=True))
    pairs = [(j, tree.names[p]) for j, p in enumerate(tree.parents) if p >= 0]
    long = [np.linalg.norm(at[tree.names[j]] - at[parent]) / np.linalg.norm(tree.means[j]) for j, parent in pairs
            if tree.names[j] not in gone and parent not in gone]
    return float(np.median(long))


def _has_legs(template: SkeletonTemplate, whole: Evidence, missing: Missing) -> bool:
    """Whether flesh that no bone explains lies below the hips of what seems to be the top of a person, or its trunk
    does not reach the ground."""
    solid, middle = whole.sight.solid, round(CELLS / 2)
    aside = round(ASIDE * CELLS)
    levels = solid.any((0, 1)).nonzero()[0]
    trunk = solid[middle - aside:middle + aside].any((0, 1)).nonzero()[0]
    if len(trunk) and trunk[0] - levels[0] > ABOVE * len(levels):
        return True
    places = dict(zip(whole.names, whole.places[whole.likeliest], strict=True))
    cells = (argwhere(whole.sight.solid) + 0.5) / CELLS
    bones = [(n, up) for n in whole.names if n not in missing.joints and (up := _above(template, n, places))]
    away = segment_distances(cells, *(np.array([places[bone[k]] for bone in bones]) for k in (1, 0))).min(1)
    return bool(((away > BONE * missing.scale) & (cells[:, 2] < places["hips"][2])).mean() > SKIRT)


def _above(template: SkeletonTemplate, joint: str, known: Container[str]) -> str:
    """The nearest joint above one that is among those known, "" if none is."""
    at = int(template.parents[template.index(joint)])
    while at >= 0 and template.names[at] not in known:
        at = int(template.parents[at])
    return template.names[at] if at >= 0 else ""


def _stump(whole: Evidence, top: str, end: str, gone: Container[str]) -> tuple[float, tuple[float, ...]]:
    """How far the flesh goes on from a joint towards the next, as a share of the way that the other side's bone goes,
    and the place where it ends, in the mesh's frame.

    The joint is where it is seen; where the other side's is in the mirror, if it is seen at the other side. Where the
    other side lacks the bone too, it goes straight down.
    """
    at = dict(zip(whole.names, whole.places[whole.likeliest], strict=True))
    start, other, way = at[top], at[other_side(top)], at[other_side(end)] - at[other_side(top)]
    if other_side(end) in gone:
        way = np.array([0, 0, -LEG * np.linalg.norm(at["neck"] - at["hips"])])
    elif _is_others(whole, top):
        start = other * [-1, 1, 1] + [2 * at["neck"][0], 0, 0]
    steps = np.linspace(0, 1, 2 * CELLS)
    points = start + steps[:, None] * (way * [-1, 1, 1])
    cells = (points * CELLS).astype(np.intp).clip(0, CELLS - 1)
    is_flesh = np.logical_and.accumulate(whole.sight.solid[tuple(cells.T)] | (steps < OUTSIDE))
    last = int(np.flatnonzero(is_flesh)[-1])
    return float(steps[last]), tuple(whole.sight.from_cube(points[last]).tolist())


def part_template(template: SkeletonTemplate, missing: Missing) -> SkeletonTemplate:
    """The preset without what is missing; itself if nothing is."""
    if not missing.joints and not missing.traced:
        return template
    kept = [j for j, name in enumerate(template.names) if name not in missing.joints]
    number = {j: i for i, j in enumerate(kept)} | {-1: -1}
    names = tuple(template.names[j] for j in kept)
    return PartTemplate(
        template.name, names, np.array([number[int(template.parents[j])] for j in kept]), template.positions[kept],
        np.array([number.get(int(template.mirror[j]), -1) for j in kept]), template.is_foot[kept],
        template.is_fat[kept], tuple(b for b in template.bones if b.head in names and b.tail in names), template.kind,
        tuple(n for n in template.may_lack if n in names), template, missing)


def with_pinned(template: SkeletonTemplate, pinned: Iterable[str]) -> SkeletonTemplate:
    """A template with the limbs that it lacks and of which a joint is pinned: they are there."""
    if not isinstance(template, PartTemplate):
        return template
    whole, lost, stumps = template.whole, set(template.missing.joints), dict(template.missing.stumps)
    above = {name: whole.names[parent] for name, parent in zip(whole.names, whole.parents.tolist(), strict=True)}
    for joint in pinned:
        if joint in lost:
            while above[joint] in lost:
                joint = above[joint]
            lost -= set(_with_below(whole, joint))
            stumps.pop(above[joint], None)
    if lost == template.missing.joints:
        return template
    return part_template(whole, replace(template.missing, joints=frozenset(lost), stumps=stumps))


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
