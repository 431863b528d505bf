"""What is wrong with a fit is said, and nothing of one that is right."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.fitting.doubt import _crossed, doubt_fit
from core.fitting.from_shape import ShapeTemplate, shape_template
from core.geometry.shape import Shape
from core.skeleton.preset import load_template
from core.skeleton.rig import DOUBTFUL
from tests.characters import octopus, person
from tests.core.fitting.bodies import prepared

BIPED = load_template("biped")
NONE = np.zeros(len(BIPED.names), bool)


@cache
def grown() -> tuple[Shape, dict[str, np.ndarray]]:
    """A person and the joints it was grown on, unit frame."""
    made = person()
    shape = prepared(made.mesh)
    places = shape.frame.to_unit(np.array([made.joints[n] for n in BIPED.names]))
    return shape, dict(zip(BIPED.names, places, strict=True))


@cache
def shaped() -> tuple[Shape, ShapeTemplate]:
    """An octopus and the skeleton from its shape."""
    shape = prepared(octopus().mesh)
    return shape, shape_template(shape)


def said(moved: dict | None = None, pinned: tuple[str, ...] = (), confidence: dict | None = None) -> str:
    shape, at = grown()
    joints = np.array([(at | (moved or {}))[n] for n in BIPED.names])
    return " ".join(doubt_fit(joints, BIPED, shape.body, np.isin(BIPED.names, pinned), confidence or {}))


def test_a_fit_that_is_right_is_not_spoken_of():
    assert said() == "" and said(confidence=dict.fromkeys(BIPED.names, 0.9)) == ""


def test_joints_outside_the_body_are_named_but_for_ends_and_pins():
    out = {"forearm.L": grown()[1]["forearm.L"] + [0, -0.2, 0]}
    assert "'forearm.L' came out outside the body" in said(out)
    assert said(out, pinned=("forearm.L",)) == ""
    assert said({"head_top": grown()[1]["head_top"] + [0, 0, 0.05]}) == ""


@pytest.mark.long
@pytest.mark.parametrize(("share", "told"), [(0.0, False), (0.5, False), (0.8, True), (1.0, True)])
def test_pins_that_lie_where_other_joints_belong_are_told(share, told):
    """Pins count by name: with another number of bones the same name is that of another place."""
    shape, template = shaped()
    joint, next_one = template.index("limb_1_2.L"), template.index("limb_1_3.L")
    joints, pinned = np.array(template.positions), np.zeros(len(template.names), bool)
    joints[joint] += share * (joints[next_one] - joints[joint])
    pinned[joint] = True
    text = " ".join(doubt_fit(joints, template, shape.body, pinned, {}))
    assert ("You pinned 'limb_1_2.L' where other joints belong" in text) == told
    pinned[next_one] = True  # both were meant so
    assert "You pinned" not in " ".join(doubt_fit(joints, template, shape.body, pinned, {}))


class Slit:
    """All space is solid but for a slit through the left elbow, between two pieces of a body."""

    def __init__(self, width: float):
        self.width = width

    def sample(self, points: np.ndarray) -> np.ndarray:
        return self.width / 2 - np.abs(points[:, 0] - grown()[1]["forearm.L"][0])


def test_joints_in_a_gap_between_pieces_are_not_outside():
    joints = np.array([grown()[1][n] for n in BIPED.names])
    assert doubt_fit(joints, BIPED, Slit(0.03), NONE, {}) == []
    assert "'forearm.L' came out outside the body" in " ".join(doubt_fit(joints, BIPED, Slit(0.06), NONE, {}))


def test_another_reading_is_advised_where_there_is_one():
    joints, unsure = np.array([grown()[1][n] for n in BIPED.names]), {"forearm.L": 0.1}
    told = [doubt_fit(joints, BIPED, grown()[0].body, NONE, unsure, readings)[0] for readings in (1, 3)]
    assert ["another reading" in text for text in told] == [False, True] and all("'forearm.L'" in t for t in told)


def test_limbs_taken_for_one_another_are_named():
    at = grown()[1]
    assert "'thigh.L' lies on the other side" in said({"thigh.L": at["thigh.R"], "thigh.R": at["thigh.L"]})


def test_pairs_of_unlike_length_are_named_at_their_ends():
    at = grown()[1]
    short = {n: at["upper_arm.L"] * (1 - k) + at[n] * k for n, k in
             (("forearm.L", 0.1), ("hand.L", 0.2), ("hand_tip.L", 0.3))}
    assert "'hand_tip.L' and 'hand_tip.R' came out unlike" in said(short)


def test_a_limb_without_length_is_named_alone():
    at = grown()[1]
    told = said(dict.fromkeys(("upper_arm.L", "forearm.L", "hand.L", "hand_tip.L"), at["shoulder.L"]))
    assert "The limb that ends in 'hand_tip.L' has hardly any length" in told and "came out unlike" not in told


@pytest.mark.parametrize("count", [1, 4, 5, 6])
def test_joints_likely_wrong_are_named_least_likely_first(count):
    names = BIPED.names[3:3 + count]
    sure = dict.fromkeys(BIPED.names, 0.9) | {n: DOUBTFUL * (1 - k / 10) - 0.01 for k, n in enumerate(names)}
    told = said(confidence=sure)
    assert "may be wrong" in told and told.startswith(f"'{names[-1]}'")
    assert all(f"'{n}'" in told for n in names[::-1][:4])
    assert ("2 more joints" in told) == (count == 6) and ("more" in told) == (count > 5), "one more is named too"


def test_legs_that_are_hardly_seen_are_said_to_be_perhaps_cut_off():
    legs = [n for n in BIPED.names if n.partition(".")[0] in ("thigh", "shin", "foot", "toe")]
    sure = dict.fromkeys(BIPED.names, 0.9)
    assert "cut off" in said(confidence=sure | dict.fromkeys(legs, 0.3))
    assert "cut off" not in said(confidence=sure | dict.fromkeys(legs, 0.7))


def test_one_joint_on_the_other_side_lies_and_several_lie():
    places = np.array([grown()[1][n] for n in BIPED.names])
    for swapped, words in ((["hand_tip"], "'hand_tip.L' lies on the other side of its partner:"),
                           (["hand", "hand_tip"], "lie on the other side of their partners:")):
        joints = places.copy()
        for name in swapped:
            i, j = (BIPED.names.index(f"{name}.{side}") for side in "LR")
            joints[[i, j]] = joints[[j, i]]
        assert any(words in text for text in _crossed(joints, BIPED))
