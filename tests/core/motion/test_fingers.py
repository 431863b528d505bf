"""Fingers do what the source's do, or hang relaxed."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.rotation import angle, between, conjugate, from_axis_angle, identity, multiply, rotate
from core.motion.clip import MotionClip
from core.motion.clip_file import load_motion
from core.motion.fingers import APART, NEARER, Fingers, _closer, find_fingers
from core.motion.kinematics import Kinematics
from core.motion.retarget import retarget
from core.skeleton.bone_map import find_roles
from core.skeleton.carried import ancestors
from core.skeleton.chain import finger_of
from core.skeleton.rig import Rig
from tests.core.detail.people import rigged


def against_hands(clip) -> dict[str, np.ndarray]:
    """{finger: (T, bones, 4)} turns since rest, seen from the hand."""
    turns = Kinematics(clip.rig).turns(clip.rotations)
    roles = find_roles(clip.rig)
    return {name: multiply(conjugate(turns[:, [roles[f"hand.{name[-1]}"]]]), turns[:, bones])
            for name, bones in find_fingers(clip.rig, roles).items()}


@pytest.mark.slow
def test_fingers_that_nothing_moves_are_relaxed():
    rig = rigged(5).rig
    clip = retarget(load_motion("idle"), rig)
    turns = Kinematics(rig).turns(clip.rotations[:1])
    heads = Kinematics(rig).heads(turns, clip.root[:1])
    tails = Kinematics(rig).tails(turns, heads)
    found = find_fingers(rig, find_roles(rig))
    assert len(found) == 10
    for name, bones in found.items():
        wrist = find_roles(rig)[f"hand.{name[-1]}"]
        reach = np.linalg.norm(tails[0, bones[-1]] - heads[0, wrist])
        closed = reach < 0.99 * np.linalg.norm(rig.tails[bones[-1]] - rig.heads[wrist])
        assert closed or name.startswith("thumb")
        bend = np.rad2deg(angle(against_hands(clip)[name]))
        assert (bend < 80).all() and np.ptp(bend, axis=0).max() < 1e-6
    bend = {n: np.rad2deg(angle(q[0, -1])) for n, q in against_hands(clip).items()}
    assert bend["pinky.L"] > bend["middle.L"] > bend["index.L"] > 30 and np.isclose(bend["ring.L"], bend["ring.R"])


@pytest.mark.long
def test_each_bone_of_a_relaxed_finger_bends_a_little_more_than_that_of_the_finger_before_it():
    rig = rigged(5).rig
    roles = find_roles(rig)
    turns = identity(1, len(rig.names))
    Fingers(rig, roles, rig, roles).relax(turns)
    found = find_fingers(rig, roles)
    for side in "LR":
        chains = [[roles[f"hand.{side}"], *found[f"{name}.{side}"]] for name in ("index", "middle", "ring", "pinky")]
        bends = np.stack([angle(multiply(conjugate(turns[0, chain[:-1]]), turns[0, chain[1:]])) for chain in chains])
        more = np.rad2deg(np.diff(bends, axis=0))
        assert (bends > 0.1).all() and (more > 0.5).all() and (more < 7).all()


@pytest.mark.long
def test_a_thumb_at_rest_comes_nearer_to_the_index_finger():
    rig = rigged(5).rig
    thumb, index = ([rig.names.index(f"{n}_1.L")] for n in ("thumb", "index"))
    along, beside = (rig.tails[chain[0]] - rig.heads[chain[0]] for chain in (thumb, index))
    spread = lambda turn: angle(between(rotate(turn, along), beside))  # noqa: E731 - used twice
    before = spread(identity(1)[0])
    assert before > APART + 0.01 and spread(_closer(rig, thumb, index)) == pytest.approx(max(APART, before - NEARER))
    for turn in (_closer(rig, thumb, None), _closer(rig, index, index)):
        assert angle(turn) == pytest.approx(0.0, abs=1e-6)


def test_fingers_turn_as_the_sources_do_under_other_names():
    rig = rigged(5).rig
    names = {"thumb": "Thumb", "index": "Index", "middle": "Middle", "ring": "Ring", "pinky": "Pinky"}
    other = lambda f, k, side: f"{'Left' if side == 'L' else 'Right'}Hand{names[f]}{k}"  # noqa: E731 - used once
    words = [other(*finger_of(n)) if finger_of(n) else n for n in rig.names]
    source = Rig(tuple(words), rig.parents, rig.heads, rig.tails, rig.x_axes)
    rotations = np.tile([1.0, 0, 0, 0], (20, len(words), 1))
    bone = words.index("LeftHandIndex2")
    rotations[:, bone] = from_axis_angle(np.asarray(rig.x_axes[bone]), np.linspace(0, 1, 20))
    clip = MotionClip(source, rotations, np.zeros((20, 3)), 30.0)
    out = against_hands(retarget(clip, rig))
    own = against_hands(clip)
    assert set(own) == set(out) and len(own) == 10
    assert angle(out["index.L"])[-1].max() == pytest.approx(1.0)
    for name, turns in own.items():
        assert angle(multiply(conjugate(turns), out[name])).max() < 1e-6


def test_fingers_turn_as_the_sources_do_on_an_arm_that_rests_otherwise():
    rig = rigged(5).rig
    arm = rig.names.index("upper_arm.L")
    below = [b for b in range(len(rig.names)) if b == arm or arm in ancestors(rig.parents, b)]
    raised, shoulder = from_axis_angle(np.array([0.0, 1.0, 0.0]), -0.6), rig.heads[arm]
    heads, tails, axes = (np.array(x) for x in (rig.heads, rig.tails, rig.x_axes))
    heads[below], tails[below] = (shoulder + rotate(raised, x[below] - shoulder) for x in (heads, tails))
    axes[below] = rotate(raised, axes[below])
    rotations = np.tile([1.0, 0, 0, 0], (20, len(rig.names), 1))
    for name in ("index_1.L", "thumb_2.L"):
        bone = rig.names.index(name)
        rotations[:, bone] = from_axis_angle(np.asarray(rig.x_axes[bone]), np.linspace(0, 1, 20))
    clip = MotionClip(rig, rotations, np.zeros((20, 3)), 30.0)
    out = against_hands(retarget(clip, Rig(rig.names, rig.parents, heads, tails, axes)))
    for name, turns in against_hands(clip).items():
        wanted = multiply(multiply(raised, turns), conjugate(raised)) if name.endswith("L") else turns
        assert angle(multiply(conjugate(wanted), out[name])).max() < 0.15, f"{name}: the arm is 0.6 higher"


def test_fingers_are_the_bones_below_a_hand_that_are_called_so_the_nearest_first():
    names = ("Hips", "LeftHand", "LeftPalm_Index", "Left_Index_02", "Left_Index_01", "Left_Index_04", "index_end",
             "Little1", "LittleTip", "weaponMiddle", "RightHand", "hand_slot_thumb", "RingFinger1", "Sleeve", "Mid1")
    parents = [-1, 0, 1, 4, 2, 3, 5, 1, 7, 1, 0, 10, 10, 10, 0]
    places = np.stack([np.arange(len(names)), np.zeros(len(names)), np.zeros(len(names))], 1)
    rig = Rig(names, parents, places, places + [0, 0, 1])
    left, right = {"index.L": [4, 3], "pinky.L": [7]}, {"ring.R": [12]}
    hands = {"hand.L": 1, "hand.R": 10}
    assert find_fingers(rig, hands) == left | right
    for hand, expected in (("hand.L", left), ("hand.R", right)):
        assert find_fingers(rig, {hand: hands[hand]}) == expected
    assert find_fingers(rig, {"hips": 0}) == {}, "what hangs on no hand is no finger"


@pytest.mark.parametrize(("count", "found"), [(4, {"ring.L": [1, 2, 3, 4]}), (5, {})])
def test_what_has_more_bones_than_a_finger_is_none(count, found):
    names = ("hand", *(f"ring_{letter}" for letter in "abcde"[:count]))
    places = np.stack([np.arange(count + 1)] + [np.zeros(count + 1)] * 2, 1)
    rig = Rig(names, np.arange(count + 1) - 1, places, places + [1, 0, 0])
    assert find_fingers(rig, {"hand.L": 0}) == found
