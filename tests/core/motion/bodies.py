"""Rigs for the motion tests."""

from __future__ import annotations

from functools import cache

import numpy as np

from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from tests.characters import person


def preset_rig(name: str) -> Rig:
    """A preset's bones as its template stands."""
    template = load_template(name)
    return rig_from_joints(template, template.positions)


def grown_rig(character, preset: str) -> Rig:
    """A preset's bones on a generated character's true joints."""
    template = load_template(preset)
    return rig_from_joints(template, np.array([character.joints[n] for n in template.names]))


@cache
def person_rig(seed: int | None = None) -> Rig:
    """The average person's bones, or a random one's."""
    return grown_rig(person(None if seed is None else np.random.default_rng(seed), vertices=300), "biped")


def moved_rig(rig: Rig, matrix, offset=(0.0, 0.0, 0.0), names=None) -> Rig:
    """The rig under p -> matrix @ p + offset, a rotation with a scale, its bones perhaps renamed."""
    matrix = np.asarray(matrix, float)
    turn = matrix / np.cbrt(np.linalg.det(matrix))
    return Rig(names or rig.names, rig.parents, rig.heads @ matrix.T + offset, rig.tails @ matrix.T + offset,
               rig.x_axes @ turn.T)


def reordered(rig: Rig, first: str) -> tuple[Rig, list[int]]:
    """The rig with one bone first and the others the wrong way round, children before parents, and that order."""
    number = rig.names.index(first)
    order = [number, *(i for i in range(len(rig.names))[::-1] if i != number)]
    parents = [order.index(p) if p >= 0 else -1 for p in rig.parents[order]]
    names = tuple(rig.names[i] for i in order)
    return Rig(names, parents, rig.heads[order], rig.tails[order], rig.x_axes[order]), order


def in_two(rig: Rig, *parts: str) -> Rig:
    """The rig with some bones, and their mirror images, in two halves; what hung on the whole hangs on the second."""
    names, parents, heads, tails = list(rig.names), [int(p) for p in rig.parents], [*rig.heads], [*rig.tails]
    for bone in [b for b, name in enumerate(rig.names) if name.split(".")[0] in parts]:
        below = [b for b, parent in enumerate(parents) if parent == bone]
        end = rig.heads[below[0]]
        middle, half = (rig.heads[bone] + end) / 2, len(names)
        names, heads, tails = [*names, f"{rig.names[bone]}.001"], [*heads, middle], [*tails, end]
        parents = [half if b in below else parent for b, parent in enumerate(parents)] + [bone]
        tails[bone] = middle
    return Rig(tuple(names), parents, heads, tails)
