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
    solid = trunk()
    solid[35:35 + REACH, 32 - wide // 2:32 + wide // 2, 35:37] = True
    return traced(solid, ARM[1:], scale)


def trunk() -> np.ndarray:
    """A figure's trunk and its thin right arm."""
    solid = np.zeros((CELLS,) * 3, bool)
    solid[29:35, 30:34, 8:46] = True
    solid[29 - REACH:29, 31:33, 35:37] = True
    return solid


def traced(solid: np.ndarray, gone: tuple[str, ...], scale: float = 1.0, elbow: int = 0) -> dict:
    """What is traced of the left arm, some of whose joints are gone. elbow : where it is seen, cells from the shoulder
    """
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
    if elbow:
        places[tree.names.index("forearm.L")] = [(35 + elbow) / CELLS, 0.5, 0.56]
    whole = SimpleNamespace(names=tree.names, places=np.array(places), likeliest=np.arange(len(places)), kind="biped",
                            sight=Sight(solid, scale, np.zeros(3)))
    return trace_arm(load_template("biped"), whole, ARM, frozenset(gone))


@pytest.mark.parametrize("scale", [0.4, 1.0])
def test_an_arm_is_at_most_seven_tenths_as_wide_as_long_however_the_body_was_scaled(scale):
    assert set(beyond_the_shoulder(18, scale)) == set(ARM[1:])
    assert not beyond_the_shoulder(20, scale)


def arm_that_ends(z: int, *, on_the_hip: bool) -> np.ndarray:
    """A figure whose left arm goes out, and down from its elbow to a height, where the hand goes back to the trunk."""
    solid = trunk()
    solid[35:47, 31:33, 35:37] = True
    solid[45:47, 31:33, z:37] = True
    if on_the_hip:
        solid[35:47, 31:33, z:z + 2] = True
    return solid


def test_a_forearm_that_runs_into_the_body_has_a_hand_and_a_stump_has_none():
    gone = ("hand.L", "hand_tip.L")
    found = traced(arm_that_ends(28, on_the_hip=True), gone, elbow=11)
    assert set(found) == set(ARM[1:])
    elbow, hand = np.array(found["forearm.L"]) * CELLS, np.array(found["hand.L"]) * CELLS
    np.testing.assert_allclose(elbow, [46, 32, 36], atol=1)
    assert hand[2] < elbow[2] - 3 and hand[0] <= elbow[0]
    template = load_template("biped")
    places = template.positions[[template.index(name) for name in ARM]]
    upper, *others = np.linalg.norm(np.diff(places, axis=0), axis=1)
    shoulder, tip = np.array([35, 32, 36]), np.array(found["hand_tip.L"]) * CELLS
    share = np.linalg.norm(tip - elbow) / np.linalg.norm(elbow - shoulder)
    assert share == pytest.approx(sum(others) / upper, rel=0.05), "as long as the template's beside its upper arm"
    assert not traced(arm_that_ends(33, on_the_hip=False), gone, elbow=11)
    assert not traced(arm_that_ends(28, on_the_hip=True), ARM[1:], elbow=11)  # nor where no elbow is seen
