"""Joints of bodies made of loose parts lie where their parts end."""

import numpy as np
import pytest

from core.fitting.loose import Seams, snap_joints, wide_gap
from core.pipeline import fit
from core.skeleton.preset import load_template
from tests.characters.loose import LooseOptions, loose

ARM = np.array([0.45, 0.28, 0.12])


def seams(*gaps, changes=(), is_cut=True):
    return Seams(np.array(gaps, float).reshape(-1, 2), np.array(changes, float), is_cut)


def test_joints_without_seams_stay():
    assert np.array_equal(snap_joints(ARM, seams()), ARM)


def test_joints_move_to_the_outer_side_of_their_gaps():
    assert snap_joints(ARM, seams((0.41, 0.44), (0.25, 0.27), (0.1, 0.11))).tolist() == [0.41, 0.25, 0.1]


def test_joints_between_known_ones_keep_their_proportion():
    assert snap_joints(ARM, seams((0.405, 0.42), is_cut=False)).tolist() == pytest.approx([0.405, 0.252, 0.108])


def test_an_arm_of_two_like_parts_has_no_hand():
    shoulder, elbow, wrist = snap_joints(ARM, seams((0.36, 0.4), (0.18, 0.2)))
    assert (shoulder, elbow) == (0.36, 0.18) and wrist <= 0.03


def test_a_far_gap_is_no_joint_of_the_limb():
    assert np.array_equal(snap_joints(ARM, seams((0.9, 1.0), is_cut=False)), ARM)


def test_changes_of_parts_count_less_than_gaps():
    assert snap_joints(ARM, seams((0.25, 0.27), changes=(0.29,)))[1] == 0.25


def test_a_wide_gap_leaves_out_a_bone():
    assert wide_gap(0.5, seams((0.1, 0.4))).tolist() == [0.1, 0.4]
    assert wide_gap(0.5, seams((0.1, 0.15), (0.45, 0.5))) is None


@pytest.mark.parametrize("options", [LooseOptions("bones", gap=0.03, hands=False), LooseOptions("plates", gap=0.012),
                                     LooseOptions("floating")], ids=lambda o: o.kind)
def test_loose_bodies_come_out_right(options):
    character = loose(options=options)
    rig = fit(character.mesh, load_template("biped"))
    away = {n: np.linalg.norm(rig.heads[rig.names.index(n)] - character.joints[n]) / character.height
            for n in ("hips", *(f"{j}.{s}" for s in "LR" for j in ("upper_arm", "forearm", "hand", "thigh", "shin",
                                                                  "foot")))}
    assert max(away.values()) < 0.1, away
    if options.kind == "floating":
        assert any("float" in warning for warning in rig.warnings)
