"""Joints of a skeleton against the body they are in."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.pipeline import fit, prepare
from core.quality.joint_check import check_joints
from core.skeleton.preset import load_template
from tests.characters import person


@pytest.fixture(scope="module")
def seen():
    mesh = person(vertices=1500).mesh
    return fit(mesh, load_template("biped"), shape=prepare(mesh))


def with_head(rig, bone: str, place):
    heads = np.array(rig.heads)
    heads[rig.names.index(bone)] = place
    return replace(rig, heads=heads)


@pytest.mark.slow
def test_a_skeleton_that_fits_has_nothing_to_mend(seen):
    assert check_joints(seen, seen) == ()
    near = replace(seen, heads=seen.heads + 0.02, tails=seen.tails + 0.02)
    assert check_joints(near, seen) == ()


def test_a_joint_in_anothers_place_is_named_with_that_place(seen):
    wrong, = check_joints(with_head(seen, "upper_arm.L", seen.joints["hand.L"]), seen)
    assert (wrong.bone, wrong.joint, wrong.at) == ("upper_arm.L", "upper_arm.L", "hand.L") and wrong.off > 0.15
    wrong, = check_joints(with_head(seen, "shin.R", np.array(seen.joints["shin.R"]) + [0, -0.6, 0]), seen)
    assert (wrong.joint, wrong.at) == ("shin.R", "")


def test_joints_that_are_doubtful_themselves_judge_nobody(seen):
    unsure = replace(seen, confidence=dict.fromkeys(seen.joints, 0.1))
    assert check_joints(with_head(seen, "upper_arm.L", seen.joints["hand.L"]), unsure) == ()
