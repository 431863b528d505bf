"""Tails, and a person's joints with a tail's. See `biped` for the person."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .anatomy import Body
from .biped import JOINTS as BIPED_JOINTS
from .biped import place_biped
from .limbs import LimbProfile

TAIL = ("tail", "tail_2", "tail_3", "tail_tip")
JOINTS = BIPED_JOINTS | set(TAIL)
THICK = 2.5  # times a tail's own section: the body's


def place_tail(body: Body, names: tuple[str, ...], base: np.ndarray | None = None) -> dict[str, np.ndarray]:
    """{joint: (3,)} a tail's joints, from its root to its tip at equal distances along its middle, unit frame.

    names : from root to tip;  base : (3,) where the tail begins, if not where its level sets widen into the body. What
    of the tail's middle lies before it, or is as thick as the body, is left out
    """
    limb = body.limbs["tail_tip"]
    line = limb.profile.centres[limb.profile.root :: -1]
    if base is not None:
        line = line[-thin_stretch(limb.profile) :]
        line = np.vstack([base, line[line[:, 1] > base[1]]])
    line = np.vstack([line, limb.tip])
    if body.plane_x is not None:
        line[:, 0] = body.plane_x
    travelled = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(line, axis=0), axis=1))])
    places = np.linspace(0.0, travelled[-1], len(names))
    joints = np.stack([np.interp(places, travelled, line[:, d]) for d in range(3)], axis=1)
    return dict(zip(names, joints, strict=True))


def thin_stretch(profile: LimbProfile) -> int:
    """How many of a limb's level sets, from its tip, are hardly thicker than those of its outer third; at least one."""
    third = max(profile.root // 3, 1)
    thick = np.flatnonzero(profile.areas[third : profile.root + 1] > THICK * np.median(profile.areas[:third]))
    return third + int(thick[0]) if len(thick) else profile.root + 1


def place_biped_tail(body: Body,
                     place_person: Callable[[Body], dict[str, np.ndarray]] = place_biped) -> dict[str, np.ndarray]:
    """{joint name: (3,)} for the joints of the `biped_tail` preset, unit frame; the tail in three equal parts."""
    joints = place_person(body)
    # The tail is part of the slice behind the hips and would draw them back.
    joints["hips"][1] = joints["spine"][1]
    return joints | place_tail(body, TAIL)
