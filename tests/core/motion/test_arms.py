"""Hands that meet, and arms beside thick bodies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import sparse

from core.geometry.rotation import from_vector, identity, normalized
from core.motion.arms import Arms, hand_vector
from core.motion.body import body_of
from core.motion.clip_file import load_motion
from core.motion.kinematics import Kinematics
from core.motion.retarget import RetargetOptions, retarget
from core.motion.sole import Skin
from core.skeleton.bone_map import find_roles
from core.skeleton.rig import Rig
from tests.core.motion.bodies import in_two, person_rig
from tests.core.motion.hands import clapping, on_all_fours
from tests.limits import turning_point


def hands(clip) -> np.ndarray:
    """(T, 3) from the right hand's middle to the left's, in forearms."""
    roles, body = find_roles(clip.rig), Kinematics(clip.rig)
    turns = body.turns(clip.rotations)
    heads = body.heads(turns, clip.root)
    tails = body.tails(turns, heads)
    middle = [(heads[:, roles[f"hand.{s}"]] + tails[:, roles[f"hand.{s}"]]) / 2 for s in "LR"]
    return (middle[0] - middle[1]) / np.linalg.norm(body.offsets[roles["hand.L"]])


@pytest.mark.long
@pytest.mark.parametrize("width", [0.7, 1.6])
def test_hands_meet_between_shoulders_of_any_width(width):
    clap, own = clapping(), person_rig(2)
    arms = [b for b, n in enumerate(own.names) if n.startswith(("upper_arm", "forearm", "hand"))]
    shift = np.zeros((len(own.names), 3))
    shift[arms, 0] = (width - 1) * own.heads[own.names.index("upper_arm.L"), 0] * np.sign(own.heads[arms, 0])
    wide = Rig(own.names, own.parents, own.heads + shift, own.tails + shift, own.x_axes)
    out = retarget(clap, wide)
    near = np.linalg.norm(hands(clap), axis=1) < 0.35
    assert near.sum() > 3
    np.testing.assert_allclose(hands(out)[near], hands(clap)[near], atol=0.12)


@pytest.mark.parametrize(("where", "lost"), [("own", "hand.L"), ("own", "forearm.R"), ("source", "hand.L"),
                                             ("source", "forearm.R")])
def test_whose_hands_are_not_both_known_keeps_them_where_they_are(where, lost):
    clap = clapping()
    bodies = {"own": body_of(person_rig(2)), "source": body_of(clap.rig)}
    turns = bodies["source"].kinematics.turns(clap.rotations)
    heads = bodies["source"].kinematics.heads(turns, clap.root)
    own = identity(len(turns), len(bodies["own"].rig.names))
    assert Arms(bodies["own"], None).met(own, bodies["source"], (turns, heads)) is not own
    bodies[where] = replace(bodies[where], roles={r: b for r, b in bodies[where].roles.items() if r != lost})
    assert Arms(bodies["own"], None).met(own, bodies["source"], (turns, heads)) is own


@pytest.mark.parametrize("make", [clapping, on_all_fours])
@pytest.mark.parametrize("part", ["forearm", "upper_arm"])
def test_arms_whose_bones_come_in_two_halves_go_where_whole_ones_do(make, part):
    """As other riggers make them; the hand hangs on the second half."""
    clip, rig = make(), person_rig(2)
    halves = in_two(clip.rig, part)
    more = np.tile([1.0, 0, 0, 0], (len(clip.root), len(halves.names) - len(clip.rig.names), 1))
    of_halves = clip.changed(rig=halves, rotations=np.concatenate([clip.rotations, more], axis=1))
    usual, *others = (wrists(retarget(one, on))
                      for one, on in ((clip, rig), (of_halves, rig), (clip, in_two(rig, part))))
    for other in others:
        np.testing.assert_allclose(other, usual, atol=1e-6)


def wrists(clip) -> np.ndarray:
    """(T, 2, 3)"""
    roles, body = find_roles(clip.rig), Kinematics(clip.rig)
    return body.heads(body.turns(clip.rotations), clip.root)[:, [roles["hand.L"], roles["hand.R"]]]


def test_a_hand_that_is_far_too_short_or_long_for_its_forearm_is_taken_for_three_fifths_of_it():
    rig, side = person_rig(2), [0.0, 0.6, -0.8]
    fore, hand = rig.names.index("forearm.L"), rig.names.index("hand.L")
    arm = rig.heads[hand] - rig.heads[fore]

    def seen(share: float) -> np.ndarray:
        tails = np.array(rig.tails)
        tails[hand] = rig.heads[hand] + share * np.linalg.norm(arm) * np.array(side)
        return hand_vector(body_of(Rig(rig.names, rig.parents, rig.heads, tails, rig.x_axes)), fore, hand)

    for share in (0.01, 5.0):
        np.testing.assert_allclose(seen(share), 0.6 * arm, atol=1e-9)
    np.testing.assert_allclose(seen(0.5), 0.5 * np.linalg.norm(arm) * np.array(side), atol=1e-9)
    is_own = lambda share: bool(seen(share) @ side > 0.9 * np.linalg.norm(seen(share)))  # noqa: E731 - used twice
    assert turning_point(is_own, 0.0, 0.5) == pytest.approx(0.3, rel=0.01)
    assert turning_point(is_own, 0.5, 3.0) == pytest.approx(1.2, rel=0.01)


def drum(rig: Rig, radius: float) -> Skin:
    """A belly: a ring of skin about the hips and the spine."""
    around = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    levels = np.linspace(rig.heads[0, 2] - 0.15, rig.heads[rig.names.index("chest"), 2], 9)
    points = np.array([[radius * np.cos(a), radius * np.sin(a) + rig.heads[0, 1], z] for z in levels for a in around])
    weights = np.zeros((len(points), len(rig.names)))
    high = points[:, 2] > rig.heads[rig.names.index("spine"), 2]
    weights[high, rig.names.index("spine")] = weights[~high, 0] = 1.0
    return Skin(points, sparse.csr_matrix(weights))


def test_arms_keep_out_of_a_belly_and_stay_beside_a_thin_body():
    rig, walk = person_rig(2), load_motion("idle")
    roles = find_roles(rig)
    thin, fat = (retarget(walk, rig, RetargetOptions(skin=drum(rig, r))) for r in (0.05, 0.3))
    free = retarget(walk, rig)
    apart = lambda clip, other: np.abs(clip.rotations - other.rotations)[:, roles["upper_arm.L"]].max()  # noqa: E731
    assert apart(thin, free) < 1e-9 and apart(fat, free) > 0.02
    body = Kinematics(rig)
    wrists = []
    for clip in (free, fat):
        turns = body.turns(clip.rotations)
        heads = body.heads(turns, clip.root)
        wrists.append(np.linalg.norm((heads[:, roles["hand.L"]] - heads[:, roles["hips"]])[:, :2], axis=1))
    assert wrists[0].min() < 0.2 and wrists[1].min() > 0.29


def test_a_bent_arm_reaches_nearer_in_its_own_plane(rng):
    body = body_of(person_rig(2))
    arms, chain = Arms(body, None), [body.roles[f"{name}.L"] for name in ("upper_arm", "forearm", "hand")]
    out = np.array(identity(50, len(body.rig.names)))
    out[:, arms.below["L"][1]] = from_vector(rng.normal(size=(50, 1, 3)))
    before = body.kinematics.heads(out, np.zeros((50, 3)))
    shoulder, elbow, wrist = np.moveaxis(before[:, chain], 1, 0)
    wanted = shoulder + rng.uniform(0.7, 0.95, (50, 1)) * (wrist - shoulder)
    arms.reach(out, before, "L", chain, wanted, np.ones(50, bool))
    after = body.kinematics.heads(out, np.zeros((50, 3)))
    np.testing.assert_allclose(after[:, chain[2]], wanted, atol=1e-9)
    planes = [normalized(np.cross(at - shoulder, wrist - shoulder)) for at in (elbow, after[:, chain[1]])]
    np.testing.assert_allclose(planes[1], planes[0], atol=1e-6)


def test_a_hand_keeps_out_of_what_no_other_part_of_its_arm_is_in(rng):
    """A ball of skin that follows the spine, about the middle of the left hand."""
    rig = person_rig(2)
    body, bone = body_of(rig), rig.names.index("hand.L")
    middle, length = (rig.heads[bone] + rig.tails[bone]) / 2, np.linalg.norm(rig.tails[bone] - rig.heads[bone])
    radius = 0.3 * length
    weights = np.zeros((400, len(rig.names)))
    weights[:, rig.names.index("spine")] = 1.0
    ball = Skin(middle + radius * normalized(rng.normal(size=(400, 3))), sparse.csr_matrix(weights))
    out = Arms(body, ball).kept_out(identity(3, len(rig.names)), 24.0)
    heads = body.kinematics.heads(out, np.zeros((3, 3)))
    ends = body.kinematics.tails(out, heads)
    at = (heads[0, bone] + ends[0, bone]) / 2
    assert radius * 0.9 < np.linalg.norm(at - middle) < 2 * radius
    other = rig.names.index("hand.R")
    np.testing.assert_allclose(heads[0, other], rig.heads[other], atol=1e-12)


def test_arms_keep_out_alike_wherever_a_loop_begins_and_the_ends_of_no_loop_are_strangers():
    rig = person_rig(2)
    body, skin = body_of(rig), drum(rig, 0.3)
    arms, turns = Arms(body, skin), body.kinematics.turns(load_motion("idle").rotations)
    out = arms.kept_out(turns, 24.0, loop=True)
    assert np.abs(out - turns).max() > 0.01
    again = np.roll(arms.kept_out(np.roll(turns, 7, axis=0), 24.0, loop=True), -7, axis=0)
    np.testing.assert_allclose(again, out, atol=1e-9)
    half = len(turns) // 2
    parts = [arms.kept_out(part, 24.0) for part in (turns, turns[:half])]
    np.testing.assert_allclose(parts[0][0], parts[1][0], atol=1e-9)
