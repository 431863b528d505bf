"""Limbs that a body does not have: a bust's legs, the arm that is cut off.

What is cut off at the waist fills the network's view as a whole body does and is seen badly. Seen as the top of a body
so many times as tall it looks as the top of a person does, and its legs are nowhere. A preset says which limbs may be
missing (`SkeletonTemplate.may_lack`).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..geometry.mesh import Mesh
from ..seeing.evidence import look
from ..skeleton.template import SkeletonTemplate
from .joint_tree import tree_of

# A body may be the top of one so many times as tall: a person has 1.2 to 2.5 times the height of what is left above the
# hips, a waist or a chest.
TALLER = (1.35, 1.8, 2.4, 3.2)
# Log evidence of joints, a view: legs that are seen so well are there whatever else may be; those of 80 whole people are
# seen better than -2.76, of a person's top as such worse than -3.1.
THERE, LEGS = -2.55, -2.92
# The head, the shoulders and the hips of what is taken for a person's top are seen so well: half-way between generated
# busts and starfish.
TOP = -3.15
# Of an arm that is missing every joint is seen worse than this, if the head and the shoulders are seen so well: of 200
# generated people who have all, the worst hand with its tip is seen better than -3.04.
ARM, REST = -3.1, -2.92


@dataclass(frozen=True)
class Missing:
    """What a body lacks of a preset.

    joints : their names;  tall : how many times as tall as what is there the whole body would be
    unseen : how little is seen of the others, as `seeing.evidence.unseen`
    """

    joints: frozenset[str] = frozenset()
    tall: float = 1.0
    unseen: float = 0.0

    @property
    def told(self) -> str:
        """What is missing, in the artist's words, "" for nothing."""
        parts = ["the legs"] if self.tall > 1 else []
        for word, joint in (("arm", "forearm."), ("forearm", "hand.")):
            sides = {name[-1] for name in self.joints if name.startswith(joint)}
            if sides:
                return " and ".join([*parts, f"the {word}s" if len(sides) == 2 else
                                     f"parts of the {'left' if sides == {'L'} else 'right'} arm"])
        return " and ".join(parts)


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
    below = _below(template)
    known = look(mesh, kind).names
    is_leg = _rows(known, {n for top, own in below.items() if _has_foot(template, top) for n in own})
    is_limb = _rows(known, {n for own in below.values() for n in own})
    looks, gone, tall = {1.0: look(mesh, kind).seen()}, set(), 1.0
    if is_leg.any() and looks[1.0][is_leg].mean() < THERE:
        looks |= {t: look(mesh, kind, t).seen() for t in TALLER}
        best = max(looks, key=lambda t: float(looks[t][~is_limb].mean()))
        if best > 1 and looks[best][is_leg].mean() < LEGS and looks[best][~is_limb].mean() > TOP:
            tall = best
            gone |= {n for top, own in below.items() if _has_foot(template, top) for n in (top, *own)}
    seen = looks[tall]
    if seen[~is_limb].mean() > REST:
        for top in reversed(template.may_lack):  # what hangs on another comes after it
            own = below[top]
            rest = {n for n in own if n not in gone}
            is_end = all(n in gone for other in template.may_lack if other in own for n in below[other])
            if not _has_foot(template, top) and is_end and seen[_rows(known, rest)].max() < ARM:
                gone |= rest
    left = [n not in gone for n in known]
    return Missing(frozenset(gone), tall, float(-seen[left].mean()))


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
    """{joint that may be the last: the joints that hang on it}."""
    out = {}
    for top in template.may_lack:
        held = {template.index(top)}
        for j, parent in enumerate(template.parents):
            if int(parent) in held:
                held.add(j)
        out[top] = tuple(template.names[j] for j in sorted(held) if template.names[j] != top)
    return out


def _has_foot(template: SkeletonTemplate, top: str) -> bool:
    """Whether a limb stands on the ground."""
    held = [template.index(n) for n in _below(replace(template, may_lack=(top,)))[top]]
    return bool(template.is_foot[held].any())


def _rows(known: tuple[str, ...], names: set[str]) -> np.ndarray:
    return np.isin(known, list(names))
