"""Hands, elbows and knees that stand on the ground, and hands that rest on their own body."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from core.geometry.rotation import from_vector, identity, multiply
from core.motion.body import body_of
from core.motion.clip import MotionClip
from core.motion.clip_file import load_motion
from core.motion.girth import PALM
from core.motion.hold import HoldOptions
from core.motion.kinematics import Kinematics
from core.motion.retarget import RetargetOptions, Transfer, retarget
from core.motion.sole import Skin
from tests.core.motion.bodies import moved_rig, person_rig, reordered
from tests.core.motion.hands import clapping, hand_before, on_all_fours
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
    assert speeds(held, *limbs[:2]).max() < 1e-6 and speeds(held, *limbs[2:]).max() < 0.005


@pytest.mark.long
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


def hand_to_and_fro() -> MotionClip:
    """A hand on a belly that lifts a little, slowly, and comes down again."""
    clip = hand_before(0.155 * body_of(load_motion("idle").rig).legs[0].reach)
    rotations = np.array(clip.rotations)
    upper = clip.rig.names.index("upper_arm.L")
    lift = 0.03 * np.sin(np.pi * np.arange(len(rotations)) / len(rotations))
    rotations[:, upper] = multiply(from_vector(np.outer(lift, [0.0, 0.0, 1.0])), rotations[:, upper])
    return clip.changed(rotations=rotations)


@pytest.mark.parametrize("motion", [on_all_fours, clapping, hand_to_and_fro])
def test_sizes_play_no_part_in_what_hands_do(motion):
    clip, rig = motion(), person_rig(2)
    skin = drum(rig, 0.14)
    free, expected = (retarget(clip, rig, RetargetOptions(skin=skin, hold=hold)) for hold in (False, True))
    assert motion is clapping or np.abs(free.rotations - expected.rotations).max() > 0.01, "the test shows nothing"
    source = replace(clip, rig=moved_rig(clip.rig, 5.0 * np.eye(3)), root=5.0 * clip.root)
    large = Skin(0.3 * skin.vertices, skin.weights)
    out = retarget(source, moved_rig(rig, 0.3 * np.eye(3)), RetargetOptions(skin=large))
    np.testing.assert_allclose(out.rotations, expected.rotations, atol=1e-6)
    np.testing.assert_allclose(out.root, 0.3 * expected.root, atol=1e-6)


def test_a_hand_beside_an_elbow_that_stands_leaves_the_elbow_where_it_is():
    """Both stand where they are not: the forearm turns to the hand's place, and the upper arm to the elbow's alone."""
    rig = person_rig(2)
    transfer = Transfer(load_motion("idle").rig, rig)
    touches, joints = transfer.touches, [rig.names.index(f"{name}.L") for name in ("forearm", "hand")]
    turns, root = identity(3, len(rig.names)), np.zeros((3, 3))
    places = np.tile(rig.heads[[point.bone for point in touches.points]], (3, 1, 1)) + [0.01, -0.05, -0.04]
    found = []
    for kinds in (("elbow",), ("elbow", "hand")):
        contacts = np.tile([point.kind in kinds and point.side == "L" for point in touches.points], (3, 1))
        out = touches.hold(kinds, turns, root, contacts, places, places[..., 2], 30.0, HoldOptions())
        found.append(transfer.target.kinematics.heads(out, root)[1, joints])
    wanted = rig.heads[joints] + [0.01, -0.05, -0.04]
    np.testing.assert_allclose(found[1][0], found[0][0], atol=1e-9)
    assert (np.linalg.norm(found[1] - wanted, axis=1) < 0.7 * np.linalg.norm(rig.heads[joints] - wanted, axis=1)).all()


def test_who_walks_touches_nothing_but_the_ground_under_the_feet():
    walk, rig = load_motion("walk"), person_rig(2)
    feet, skin = retarget(walk, rig), retarget(walk, rig, RetargetOptions(skin=drum(rig, 0.05)))
    arms = [i for i, n in enumerate(rig.names) if n.startswith(("upper_arm", "forearm", "hand"))]
    np.testing.assert_allclose(skin.rotations[:, arms], feet.rotations[:, arms], atol=1e-9)


def from_the_trunk(clip: MotionClip) -> np.ndarray:
    """(T,) leg lengths between the middle of the left hand and the line up from the hips."""
    body = body_of(clip.rig)
    turns, hand = body.kinematics.turns(clip.rotations), body.roles["hand.L"]
    heads = body.kinematics.heads(turns, clip.root)
    middle = (heads[:, hand] + body.kinematics.tails(turns, heads)[:, hand]) / 2
    return np.linalg.norm((middle - heads[:, body.roles["hips"]])[:, :2], axis=1) / body.legs[0].reach


@pytest.mark.parametrize("girth", [0.04, 0.14])
def test_a_hand_that_lifts_off_a_belly_lifts_as_far_off_another(girth):
    clip, rig = hand_to_and_fro(), person_rig(2)
    seen, made = (from_the_trunk(c) for c in (clip, retarget(clip, rig, RetargetOptions(skin=drum(rig, girth)))))
    lift, own = seen.max() - seen[0], made.max() - made[0]
    assert lift > 0.007 and 0.6 * lift < own < 1.4 * lift


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
