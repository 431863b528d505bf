"""What hangs lags, hangs down, comes to rest, stays as long as it is and keeps out of the body."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.geometry.rotation import angle, conjugate, from_axis_angle, from_vector, multiply, rotate, to_matrix
from core.motion.sway import Hanging, _Pendulums, sway
from core.skeleton.rig import Rig

FRAMES, RATE = 30, 24.0
DOWN = np.array([0.0, 0.0, -1.0])


def hung(direction=DOWN, at=(0.0, 0.2, 0.8), gap=(0.0, 0.0, 0.0)) -> Rig:
    """A bone that stands up, one unit high, and a chain of three bones on it, each a gap from the end of the last."""
    along, gap = 0.1 * np.asarray(direction, float), np.asarray(gap, float)
    begins = np.array(at) + np.arange(3)[:, None] * (along + gap)
    heads = np.concatenate([[[0.0, 0.0, 0.0]], begins])
    tails = np.concatenate([[[0.0, 0.0, 1.0]], begins + along])
    return Rig(("spine", "hair_1", "hair_2", "hair_3"), np.array([-1, 0, 1, 2]), heads, tails,
               np.tile([1.0, 0, 0], (4, 1)))


def moved(rig: Rig, turns, ways, stiffness: float = 0.0, flesh=(0.0, 0.0, 0.0, 0.0), loop: bool = False,
          rate: float = RATE):
    """(turns of the chain against its parents (T, 3, 4), ends of its bones (T, 3, 3)).

    turns : (T, 4) of the body about the origin;  ways : (T, 3) of the body
    """
    held = np.tile(to_matrix(np.asarray(turns)), (4, 1, 1, 1)).transpose(1, 0, 2, 3)
    heads = np.einsum("tbij,bj->tbi", held, rig.heads) + np.asarray(ways)[:, None]
    told = sway(rig, held, heads, Hanging(((1, 2, 3),), (stiffness,)), rate=rate, down=DOWN, height=1.0,
                flesh=np.array(flesh), loop=loop)
    own = np.stack([told[b] for b in (1, 2, 3)], 1)
    above, end, ends = held[:, 0], heads[:, 1], []
    for k in range(3):
        if k:
            end = end + np.einsum("tij,j->ti", above, rig.heads[k + 1] - rig.tails[k])
        above = above @ to_matrix(own[:, k])
        end = end + np.einsum("tij,j->ti", above, rig.tails[k + 1] - rig.heads[k + 1])
        ends.append(end)
    return own, np.stack(ends, 1)


STILL = np.tile([1.0, 0, 0, 0], (FRAMES, 1))


@pytest.mark.parametrize("gap", [(0.0, 0.0, 0.0), (0.04, 0.02, -0.03)])
@pytest.mark.parametrize("direction", [DOWN, [0.0, 1.0, 0.0], [0.0, 0.6, 0.8]])
def test_on_a_body_at_rest_nothing_moves(direction, gap):
    own, _ = moved(hung(direction, gap=gap), STILL, np.zeros((FRAMES, 3)), stiffness=1.0)
    assert angle(own).max() < 1e-6


@pytest.mark.long
@pytest.mark.parametrize("gap", [(0.0, 0.0, 0.0), (0.04, 0.02, -0.03)])
def test_a_rope_hangs_down_from_a_body_that_leans_and_a_stiff_ear_leans_along(gap):
    leans = np.tile(from_axis_angle(np.array([1.0, 0, 0]), 0.8), (FRAMES, 1))
    own, _ = moved(hung(gap=gap), leans, np.zeros((FRAMES, 3)))
    down = rotate(from_axis_angle(np.array([1.0, 0, 0]), -0.8), DOWN)  # against the body
    np.testing.assert_allclose(rotate(own[-1], DOWN), [down, DOWN, DOWN], atol=0.02)
    own, _ = moved(hung(gap=gap), leans, np.zeros((FRAMES, 3)), stiffness=100.0)
    assert angle(own).max() < 0.02


def test_each_bone_swings_without_a_twist_against_the_one_before_it(rng):
    turns = from_vector(0.5 * np.sin(np.arange(FRAMES)[:, None] / 4 + rng.uniform(0, 6, 3)))
    own, _ = moved(hung([0.0, 0.6, -0.8]), turns, np.zeros((FRAMES, 3)), stiffness=0.5)
    assert np.abs(own[..., 1:] @ [0.0, 0.6, -0.8]).max() < 1e-9 < 0.01 < np.abs(own[..., 1:]).max()


def test_what_hangs_is_still_in_the_first_frame_however_fast_the_body_sets_off():
    time = np.arange(FRAMES) / RATE
    turns = from_axis_angle(np.array([1.0, 0, 0]), 0.3 + 4 * time)
    own, _ = moved(hung(), turns, np.outer(time, [0.0, -5.0, 0.0]), stiffness=0.5)
    still, _ = moved(hung(), np.tile(turns[0], (FRAMES, 1)), np.zeros((FRAMES, 3)), stiffness=0.5)
    np.testing.assert_allclose(own[0], still[-1], atol=1e-4)


@pytest.mark.long
def test_it_swings_alike_however_many_frames_a_second_has():
    ends = []
    for finer in (1, 5):
        time = np.arange(finer * FRAMES) / (finer * RATE)
        turns = from_axis_angle(np.array([0.0, 1.0, 0.0]), 0.15 * np.sin(4 * time))
        ends.append(moved(hung(), turns, np.zeros((len(time), 3)), stiffness=0.5, rate=finer * RATE)[0][::finer])
    swing = angle(ends[0]).max()
    assert angle(multiply(ends[0], conjugate(ends[1]))).max() < 0.1 * swing


@pytest.mark.long
@pytest.mark.parametrize("loop", [False, True])
def test_where_a_body_walks_plays_no_part(loop):
    """Nor, in a loop, how far it walks, if it always walks as fast."""
    time = np.linspace(0, 1, FRAMES)[:, None]
    ways = time * [0.0, -1.2, 0.0] + 0.03 * np.sin(2 * np.pi * time) * [0.0, 0.0, 1.0]
    one, other = (moved(hung(), STILL, ways + at, loop=loop)[0] for at in (np.zeros(3), np.array([3.0, -40.0, 0.5])))
    np.testing.assert_allclose(other, one, atol=1e-9)
    assert np.ptp(one[..., 1:], axis=0).max() > 1e-3, "it swings"
    if loop:
        np.testing.assert_allclose(one[-1], one[0], atol=1e-3)


def test_it_lags_behind_a_body_that_sets_off_and_trails_in_the_air():
    ways = np.outer(np.maximum(np.arange(FRAMES) - 8, 0) / RATE, [0.0, -1.0, 0.0])
    _, ends = moved(hung(), STILL, ways)
    back = ends[:, 2, 1] - ways[:, 1] - 0.2
    assert back[:9].max() < 1e-6 < 0.05 < back[9:].max() and 0.01 < back[-1] < back.max()


def test_a_loop_ends_as_it_begins():
    phase = 2 * np.pi * np.arange(FRAMES + 1) / FRAMES
    turns = from_axis_angle(np.array([0.0, 0, 1.0]), 0.3 * np.sin(phase))
    own, _ = moved(hung(), turns, np.outer(np.arange(FRAMES + 1) / RATE, [0.0, -0.8, 0.0]), loop=True)
    np.testing.assert_allclose(own[-1], own[0], atol=1e-12)
    seam, usual = np.abs(own[-1] - own[-2]).max(), np.abs(np.diff(own, axis=0)).max()
    assert usual > 1e-3 and seam < 1.5 * usual


@pytest.mark.long
def test_a_loop_goes_round_until_it_is_the_same_each_time_in_units_of_any_size():
    """To half a percent of a bone's length of where it is after six rounds."""
    phase = 2 * np.pi * np.arange(6 * FRAMES + 1) / FRAMES
    turns, ways = from_axis_angle(np.array([0.0, 1.0, 0]), 0.9 * np.sin(phase)), np.outer(phase, [0.0, -0.16, 0.0])
    once, again = slice(0, FRAMES + 1), slice(5 * FRAMES, 6 * FRAMES + 1)
    told, ends = moved(hung(), turns[once], ways[once], loop=True)
    _, last = moved(hung(), turns, ways)
    apart = np.linalg.norm((ends - ways[once, None]) - (last - ways[:, None])[again], axis=2)
    assert apart.max() < 5e-3 * 0.1
    rig, held = hung(), to_matrix(turns[once])[:, None].repeat(4, 1)
    heads = np.einsum("tbij,bj->tbi", held, rig.heads) + ways[once, None]
    large = Rig(rig.names, rig.parents, 100 * rig.heads, 100 * rig.tails, rig.x_axes)
    swung = sway(large, held, 100 * heads, Hanging(((1, 2, 3),), (0.0,)), rate=RATE, down=DOWN, height=100.0,
                 flesh=np.zeros(4), loop=True)
    np.testing.assert_allclose(np.stack([swung[b] for b in (1, 2, 3)], 1), told, atol=1e-9)


@pytest.mark.long
def test_a_root_that_stays_behind_a_walk_changes_nothing():
    """A full skeleton has one on the ground."""
    phase, count = 2 * np.pi * np.arange(FRAMES + 1) / FRAMES, FRAMES + 1
    rig = hung()
    turns = to_matrix(from_axis_angle(np.array([0.0, 0, 1.0]), 0.3 * np.sin(phase)))[:, None].repeat(4, 1)
    heads = np.einsum("tbij,bj->tbi", turns, rig.heads) + np.outer(phase, [0.0, -0.2, 0.0])[:, None]
    first = lambda x, one: np.concatenate([[one], x])  # noqa: E731 - used four times
    rooted = Rig(("root", *rig.names), first(rig.parents + 1, -1), first(rig.heads, np.zeros(3)),
                 first(rig.tails, [0.0, 0.2, 0.0]), first(rig.x_axes, [1.0, 0, 0]))
    alone, both = (sway(r, t, h, Hanging((chain,), (0.0,)), rate=RATE, down=DOWN, height=1.0, loop=True,
                        flesh=np.zeros(len(r.names)))
                   for r, t, h, chain in ((rig, turns, heads, (1, 2, 3)), (
                       rooted, np.concatenate([np.eye(3)[None, None].repeat(count, 0), turns], 1),
                       np.concatenate([np.zeros((count, 1, 3)), heads], 1), (2, 3, 4))))
    np.testing.assert_allclose([both[b + 1] for b in alone], [alone[b] for b in alone], atol=1e-9)


def test_it_keeps_out_of_flesh_and_does_not_stretch():
    rig = hung()
    nods = from_axis_angle(np.array([1.0, 0, 0]), 0.9 * np.sin(np.arange(FRAMES) / 4))
    _, loose = moved(rig, nods, np.zeros((FRAMES, 3)))
    _, kept = moved(rig, nods, np.zeros((FRAMES, 3)), flesh=(0.1, 0, 0, 0))
    inside = lambda ends: np.linalg.norm(rotate(  # noqa: E731 - twice
        (nods * [1, -1, -1, -1])[:, None], ends)[..., :2], axis=-1).min()
    assert inside(loose) < 0.05 < 0.09 < inside(kept)
    np.testing.assert_allclose(np.linalg.norm(np.diff(kept, axis=1), axis=-1), 0.1, atol=1e-9)


def test_ends_come_out_of_flesh_as_far_as_they_lack_and_others_stay():
    ends = np.array([[0.1, 0.0, 0.5], [0.0, -0.15, 0.2], [0.3, 0.0, 0.5]])
    out = _Pendulums._kept_out(SimpleNamespace(keep=0.2), ends, np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]]))
    np.testing.assert_allclose(out, [[0.2, 0.0, 0.5], [0.0, -0.2, 0.2], [0.3, 0.0, 0.5]], atol=1e-9)
