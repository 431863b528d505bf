"""Hands, elbows and knees that stand on the ground, and hands that rest on their own body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.motion.body import body_of
from core.motion.clip import MotionClip
from core.motion.clip_file import load_motion
from core.motion.girth import PALM
from core.motion.kinematics import Kinematics
from core.motion.retarget import RetargetOptions, retarget
from core.motion.sole import Skin
from tests.core.motion.bodies import person_rig, reordered
from tests.core.motion.hands import hand_before, on_all_fours
from tests.core.motion.test_arms import drum


def speeds(clip: MotionClip, *names: str) -> np.ndarray:
    body = Kinematics(clip.rig)
    heads = body.heads(body.turns(clip.rotations), clip.root)
    places = heads[:, [clip.rig.names.index(n) for n in names]]
    return np.linalg.norm(np.diff(places[5:-5], axis=0)[..., :2], axis=-1) * clip.rate


def test_who_is_on_all_fours_stands_on_hands_and_knees():
    crawl, rig = on_all_fours(), person_rig(2)
    limbs = ("hand.L", "hand.R", "shin.L", "shin.R")
    free = retarget(crawl, rig, RetargetOptions(hold=False))
    held = retarget(crawl, rig)
    assert speeds(free, *limbs).max(0).min() > 0.08, "the test shows nothing"
    assert speeds(held, *limbs).max() < 0.2 * speeds(free, *limbs).max()


@pytest.mark.parametrize("first", ["foot.L", "toe.R", "hand.L", "head", "thigh.R"])
def test_the_order_of_bones_plays_no_part_in_the_motion_or_in_who_moves(first):
    rig, crawl = person_rig(2), on_all_fours()
    skin = drum(rig, 0.14)
    expected = retarget(crawl, rig, RetargetOptions(skin=skin))
    own, order = reordered(rig, first)
    out = retarget(crawl, own, RetargetOptions(skin=Skin(skin.vertices, skin.weights[:, order])))
    np.testing.assert_allclose(out.rotations, expected.rotations[:, order], atol=1e-9)
    np.testing.assert_allclose(out.root, expected.root, atol=1e-9)
    source, order = reordered(crawl.rig, first)
    out = retarget(replace(crawl, rig=source, rotations=crawl.rotations[:, order]), rig, RetargetOptions(skin=skin))
    np.testing.assert_allclose(out.rotations, expected.rotations, atol=1e-9)


def test_who_walks_touches_nothing_but_the_ground_under_the_feet():
    walk, rig = load_motion("walk"), person_rig(2)
    feet, skin = retarget(walk, rig), retarget(walk, rig, RetargetOptions(skin=drum(rig, 0.05)))
    arms = [i for i, n in enumerate(rig.names) if n.startswith(("upper_arm", "forearm", "hand"))]
    np.testing.assert_allclose(skin.rotations[:, arms], feet.rotations[:, arms], atol=1e-9)


@pytest.mark.parametrize("girth", [0.04, 0.14])
def test_a_hand_on_a_belly_lies_on_a_belly_of_any_girth(girth):
    rig = person_rig(2)
    body = body_of(rig)
    leg, hand = body.legs[0].reach, body.roles["hand.L"]
    before = hand_before(0.155 * body_of(load_motion("idle").rig).legs[0].reach)
    over = []
    for hold in (False, True):
        out = retarget(before, rig, RetargetOptions(skin=drum(rig, girth), hold=hold))
        turns = body.kinematics.turns(out.rotations)
        heads = body.kinematics.heads(turns, out.root)[20]
        middle = (heads[hand] + body.kinematics.tails(turns[20], heads)[hand]) / 2
        over.append(np.linalg.norm((middle - heads[body.roles["hips"]])[:2]) - girth - PALM * leg)
    assert abs(over[0]) > 0.035 * leg, "the test shows nothing"
    assert abs(over[1]) < 0.02 * leg
