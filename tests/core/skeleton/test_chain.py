"""Chains join a rig and its template, and are taken off again."""

from __future__ import annotations

import numpy as np
import pytest

from core.skeleton.chain import Chain, finger_of, with_chains, with_joints
from core.skeleton.preset import load_template
from core.skeleton.template import check_template, rig_from_joints

BIPED = load_template("biped")


def body():
    return rig_from_joints(BIPED, BIPED.positions)


def tail(side: str = "L", parent: str = "hand.L") -> Chain:
    places = np.array([[0.5, 0, 0.6], [0.6, 0, 0.6], [0.7, 0, 0.65]])
    return Chain(f"index.{side}", parent, tuple(f"index_{k}.{side}" for k in (1, 2, "tip")), places, (0, 0, -1))


def test_a_chain_hangs_on_its_parent_and_bends_as_it_says():
    rig = with_chains(body(), [tail()])
    count = len(BIPED.bones)
    assert rig.names[count:] == ("index_1.L", "index_2.L")
    assert rig.parents[count:].tolist() == [rig.names.index("hand.L"), count]
    assert rig.connected[count:].tolist() == [False, True]
    np.testing.assert_array_equal(rig.tails[count], rig.heads[count + 1])
    across = np.cross(rig.x_axes[count:], rig.tails[count:] - rig.heads[count:])
    assert (across[:, 2] < 0).all()
    assert rig.joints["index_tip.L"] == (0.7, 0, 0.65)
    with pytest.raises(KeyError):
        with_chains(body(), [tail(parent="nobody")])


def test_the_template_lists_the_joints_of_chains_with_their_partners():
    rig = with_chains(body(), [tail(), tail("R", "hand.R")])
    grown = with_joints(BIPED, rig)
    check_template(grown)
    assert grown.names[:len(BIPED.names)] == BIPED.names
    assert grown.names[grown.mirror[grown.index("index_2.L")]] == "index_2.R"
    assert [b.name for b in grown.bones][-4:] == list(rig.names[-4:])
    assert with_joints(BIPED, body()) is BIPED


def test_a_rig_without_a_chains_bones_has_no_such_chain():
    rig = with_chains(body(), [tail()])
    assert rig.only(rig.names).chains and not rig.only(rig.names[:-1]).chains


def test_names_of_fingers():
    assert finger_of("thumb_1.L") == ("thumb", "1", "L") and finger_of("pinky_tip.R") == ("pinky", "tip", "R")
    assert finger_of("hand_tip.L") is None and finger_of("index_4.L") is None
