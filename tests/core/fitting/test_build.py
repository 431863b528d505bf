"""Bodies whose limbs hardly show: joints stay inside, shoulders stay up, ears are no hands; and what is said of it."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from core.fitting.biped import MELTED_ARMS, NO_ARMS
from core.fitting.column import trunk_column
from core.fitting.doubt import doubt_fit
from core.fitting.fit import Fitter, find_middle
from core.fitting.inside import pull_inside
from core.fitting.limbs import Interior
from core.skeleton.preset import load_template
from core.skeleton.reduce import reduce_template
from tests.characters import ToyOptions, toy

from .bodies import body, prepared, solid

BIPED = load_template("biped")
EARED = ToyOptions(head=0.33, leg=0.12, waist=0.092, chest=0.095, arm=0.28, thick=0.035, gown=True, ears=0.12)
TOYS = {"melted": ToyOptions(), "ears": EARED, "no legs": ToyOptions(leg=0.03, melt="none")}


@cache
def fitted(name: str):
    """(truth, joints) (J, 3) in the unit frame, their distances to the surface, and the rig."""
    character = toy(options=TOYS[name])
    shape = prepared(character.mesh)
    rig = Fitter(shape, BIPED).rig()
    truth, joints = (shape.frame.to_unit(np.array([p[n] for n in BIPED.names])) for p in (character.joints, rig.joints))
    return truth, joints, shape.field.sample(joints), rig


@pytest.mark.parametrize("name", TOYS)
def test_no_joint_of_a_toy_lies_outside_it(name):
    truth, joints, away, _ = fitted(name)
    inner = np.isin(np.arange(len(joints)), BIPED.parents)
    assert (away[inner] <= 0).all()
    error = np.linalg.norm(joints - truth, axis=1)
    assert error[inner].mean() < 0.07
    shown = ("upper_arm",) if TOYS[name].gown else ("upper_arm", "thigh", "shin")
    assert max(error[BIPED.index(f"{n}.L")] for n in shown) < 0.1


def test_arms_without_ends_are_laid_into_the_sides_and_told_of():
    truth, joints, _, rig = fitted("ears")
    assert rig.warnings == (NO_ARMS,)
    hand, neck = BIPED.index("hand_tip.L"), BIPED.index("neck")
    assert joints[hand, 2] < truth[neck, 2]
    assert fitted("melted")[3].warnings == (MELTED_ARMS,)


def test_the_neck_is_where_head_and_trunk_part():
    person = body("person")
    column = trunk_column(Interior(person.field), 0.0)
    assert column.neck(0.6) == pytest.approx(0.86, abs=0.04)
    tube = trunk_column(Interior(solid("capsule")[1].field), 0.0)
    assert tube.neck(0.3) is None
    straight = (tube.z > 0.3) & (tube.z < 0.7)
    np.testing.assert_allclose(tube.half[straight], tube.half[straight].mean(), atol=0.01)
    np.testing.assert_allclose(tube.radius[straight], tube.half[straight], rtol=0.1)
    assert tube.middle(0.5) == pytest.approx(0.0, abs=0.01)
    assert tube.side(0.5, 0.05)[0] == pytest.approx(tube.half[straight].mean() - 0.05, abs=0.01)


def test_the_outline_steps_in_where_something_ends():
    column = trunk_column(Interior(solid("capsule")[1].field), 0.0)
    stepped = replace(column, half=np.where(column.z > 0.33, 0.2, 0.15))
    assert stepped.step(0.2, 0.5) == pytest.approx(0.33, abs=0.05)
    assert replace(column, half=np.full(len(column.z), 0.2)).step(0.2, 0.5) is None


def test_joints_outside_come_in_and_no_others_move():
    shape = body("person")
    middle = find_middle(shape)
    rng = np.random.default_rng(2)
    joints = rng.uniform([-0.5, -0.2, 0.0], [0.5, 0.2, 1.0], (60, 3))
    free, single = rng.random(60) < 0.8, rng.random(60) < 0.3
    joints[single, 0] = middle.plane.x
    moved = pull_inside(joints, middle.field, middle.graph, free, single)
    outside = middle.field.sample(joints) > 0
    assert (middle.field.sample(moved[outside & free]) <= 0).all()
    np.testing.assert_array_equal(moved[~outside | ~free], joints[~outside | ~free])
    np.testing.assert_allclose(moved[single & outside & free, 0], middle.plane.x, atol=1e-12)


def test_what_is_wrong_with_a_fit_is_said():
    shape, reduced = body("person"), reduce_template(BIPED)
    rig = Fitter(shape, BIPED).rig()
    right = shape.frame.to_unit(np.array([rig.joints[n] for n in BIPED.names]))
    none = np.zeros(len(right), bool)
    assert doubt_fit(right, reduced, shape.field, none) == []

    def said(**moved) -> str:
        joints = right.copy()
        for name, place in moved.items():
            joints[BIPED.index(name.replace("_L", ".L").replace("_R", ".R"))] = place
        return " ".join(doubt_fit(joints, reduced, shape.field, none))
    at = {n: right[BIPED.index(n)] for n in BIPED.names}
    assert "'forearm.L' came out outside the body" in said(forearm_L=at["forearm.L"] + [0, -0.2, 0])
    crossed = said(thigh_L=at["thigh.R"], thigh_R=at["thigh.L"])
    assert "'thigh.L' lie on the other side" in crossed
    assert "'hand_tip.L' and 'hand_tip.R' came out unlike" in said(
        forearm_L=at["upper_arm.L"] * 0.9 + at["forearm.L"] * 0.1, hand_L=at["upper_arm.L"] * 0.8 + at["hand.L"] * 0.2,
        hand_tip_L=at["upper_arm.L"] * 0.7 + at["hand.L"] * 0.3)
    assert "same flesh" in said(hand_L=at["shin.L"])
    pinned = np.isin(BIPED.names, ["forearm.L"])
    joints = right.copy()
    joints[pinned] += [0, -0.2, 0]
    assert doubt_fit(joints, reduced, shape.field, pinned) == []
