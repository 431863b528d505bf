"""A person's joints with a tail's. See `biped` for the person."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .anatomy import Body
from .biped import JOINTS as BIPED_JOINTS
from .biped import place_biped

TAIL = ("tail", "tail_2", "tail_3", "tail_tip")
JOINTS = BIPED_JOINTS | set(TAIL)


def place_biped_tail(body: Body,
                     place_person: Callable[[Body], dict[str, np.ndarray]] = place_biped) -> dict[str, np.ndarray]:
    """{joint name: (3,)} for the joints of the `biped_tail` preset, unit frame; the tail in three equal parts."""
    joints = place_person(body)
    # The tail is part of the slice behind the hips and would draw them back.
    joints["hips"][1] = joints["spine"][1]
    limb = body.limbs["tail_tip"]
    for name, share in zip(TAIL[:-1], (1.0, 2 / 3, 1 / 3), strict=True):
        joints[name] = limb.profile.at(share * limb.profile.length)
    joints["tail_tip"] = limb.tip
    if body.plane_x is not None:
        for name in TAIL:
            joints[name] = np.array([body.plane_x, *joints[name][1:]])
    return joints
