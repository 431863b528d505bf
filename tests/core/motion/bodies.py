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
