"""Flesh beyond a shoulder that is traced as an arm, on a figure of boxes."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.fitting.joint_tree import load_tree
from core.fitting.traced import trace_arm
from core.seeing.views import CELLS, Sight
from core.skeleton.preset import load_template

ARM = ("upper_arm.L", "forearm.L", "hand.L", "hand_tip.L")
MIDDLE = {"hips": 0.4, "neck": 0.6, "head": 0.64, "head_top": 0.7}
LEG = {"thigh": 0.38, "shin": 0.25, "foot": 0.12, "toe": 0.1, "toe_tip": 0.1}
REACH = 26  # cells that an arm is long


def beyond_the_shoulder(wide: int, scale: float) -> dict:
    """The joints that are traced in a box beside a trunk, so many cells wide; the other arm is a thin one."""
    solid = np.zeros((CELLS,) * 3, bool)
    solid[29:35, 30:34, 8:46] = True
    solid[35:35 + REACH, 32 - wide // 2:32 + wide // 2, 35:37] = True
    solid[29 - REACH:29, 31:33, 35:37] = True
    tree = load_tree("biped")
    places = []
    for name in tree.names:
        joint, _, side = name.partition(".")
        way = 1 if side == "L" else -1
        if joint == "shoulder":
            places.append([0.5 + 0.01 * way, 0.5, 0.56])
        elif f"{joint}.L" in ARM:
            places.append([0.5 + way * (3 + REACH * ARM.index(f"{joint}.L") / 3) / CELLS, 0.5, 0.56])
        else:
            places.append([0.5 + (0.02 * way if side else 0), 0.5, {**MIDDLE, **LEG}[joint]])
    whole = SimpleNamespace(names=tree.names, places=np.array(places)[None], likeliest=0, kind="biped",
                            sight=Sight(solid, scale, np.zeros(3)))
    return trace_arm(load_template("biped"), whole, ARM, frozenset(ARM[1:]))


@pytest.mark.parametrize("scale", [0.4, 1.0])
def test_an_arm_is_at_most_seven_tenths_as_wide_as_long_however_the_body_was_scaled(scale):
    assert set(beyond_the_shoulder(18, scale)) == set(ARM[1:])
    assert not beyond_the_shoulder(20, scale)
