"""Which of what sticks out of a hand is the thumb, where the palm looks, and what does not lie as fingers do."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.detail.hands import _looks_like_a_hand, _palm, _tell_thumb
from tests.limits import turning_point

# In hand axes: fingers along x, side by side along y, the thumb aside and below. (root, tip, thickness)
FINGERS = [([0.5, 0.1 * k, 0.0], [0.95, 0.1 * k, 0.0], 0.08) for k in range(4)]
THUMB = ([0.2, -0.12, -0.05], [0.5, -0.35, -0.1], 0.1)


def hand_of(*digits):
    """(hand, rings, branches) of such digits, each of a ring at its tip, one in the middle and one at its root."""
    places, found = [], []
    for root, tip, thick in digits:
        root, tip = np.array(root, float), np.array(tip, float)
        own = np.arange(len(places), len(places) + 3)
        places += [tip, (root + tip) / 2, root]
        found.append(SimpleNamespace(rings=own, start=float(root[0]), end=float(tip[0]), thick=thick))
    rings = SimpleNamespace(middles=np.array(places), thickness=lambda branch: branch.thick)
    return SimpleNamespace(grid=SimpleNamespace(centres=lambda middles: middles)), rings, found


def is_hand(thumb, *others) -> bool:
    hand, rings, (first, *rest) = hand_of(thumb, *others)
    return _looks_like_a_hand(hand, rings, first, rest)


def with_one(root=None, tip=None, thick=None, which: int = 3):
    """The fingers, one of them changed."""
    changed = list(FINGERS)
    changed[which] = (root or FINGERS[which][0], tip or FINGERS[which][1], thick or FINGERS[which][2])
    return changed


def about(value: float):
    return pytest.approx(value, rel=0.02)


def test_fingers_lie_side_by_side_alike_and_end_at_one_level():
    assert is_hand(THUMB, *FINGERS)
    thick = lambda v: is_hand(THUMB, *with_one(thick=v))  # noqa: E731
    assert turning_point(thick, 0.08, 0.3) == about(0.16) and turning_point(thick, 0.01, 0.08) == about(0.04)
    level = lambda v: is_hand(THUMB, *with_one(tip=[v, 0.3, 0.0]))  # noqa: E731
    assert turning_point(level, 0.95, 1.9) == about(1.45 * 0.95)
    wide = lambda v: is_hand(THUMB, *(([0.5, v * k, 0], [0.95, v * k, 0], 0.08) for k in range(4)))  # noqa: E731
    assert turning_point(wide, 0.1, 0.5) == about(2.0 * 0.32 / 3)
    assert turning_point(wide, 0.01, 0.1) == about(0.7 * 0.32 / 3)

    def parallel(angle: float) -> float:
        tips = [[0.5 + 0.45 * np.cos(a), 0.1 * k + 0.45 * np.sin(a), 0.0] for k, a in enumerate((0, 0, 0, angle))]
        return is_hand(THUMB, *((root, tip, thick) for (root, _, thick), tip in zip(FINGERS, tips, strict=True)))

    angle = turning_point(parallel, 0.0, 1.4)
    mean = np.array([3 + np.cos(angle), np.sin(angle)])
    assert np.array([np.cos(angle), np.sin(angle)]) @ mean / np.linalg.norm(mean) == about(0.8)


def test_a_mittens_ends_both_point_forwards_and_are_no_thicker_than_they_should():
    mitten = ([0.5, 0.1, 0.0], [0.95, 0.1, 0.0], 0.3)
    thick = lambda v: is_hand((THUMB[0], THUMB[1], v), mitten)  # noqa: E731
    assert turning_point(thick, 0.2, 1.0) == about(1.3 * 0.3) and turning_point(thick, 0.01, 0.2) == about(0.3 * 0.3)
    thumb = lambda a: is_hand(([0.2, 0, 0], [0.2 + 0.3 * np.cos(a), -0.3 * np.sin(a), 0], 0.2), mitten)  # noqa: E731
    assert np.cos(turning_point(thumb, 0.3, 1.5)) == about(0.5)
    whole = lambda a: is_hand(THUMB[:2] + (0.2,), ([0.5, 0, 0], [0.5 + 0.4 * np.cos(a), 0.4 * np.sin(a), 0], 0.3))  # noqa: E731
    assert np.cos(turning_point(whole, 0.0, 1.5)) == about(0.7)


@pytest.mark.parametrize("at", [0, 2, 4])
def test_the_thumb_leaves_the_hand_early_and_far_from_the_others(at):
    digits = list(FINGERS)
    digits.insert(at, THUMB)
    hand, rings, found = hand_of(*digits)
    thumb, others = _tell_thumb(hand, rings, found)
    assert thumb is found[at] and others == [b for i, b in enumerate(found) if i != at]
    later = lambda start: _tell_thumb(*hand_of(*FINGERS, ([start, -0.4, 0.0], [0.9, -0.6, 0], 0.1)))[0].start  # noqa: E731
    start = turning_point(lambda start: later(start) == start, 0.3, 2.0)
    assert start - np.hypot(start - 0.5, 0.4) == about(0.5 - 0.1), "a finger leaves at 0.5, a tenth from the next"


@pytest.mark.parametrize("shift", [(0.0, 0.0, 0.0), (3.0, -2.0, 1.0)])
@pytest.mark.parametrize("side", [1.0, -1.0])
def test_the_palm_looks_to_where_the_thumb_lies_below_wherever_the_hand_is(shift, side):
    lean = np.array([1.0, 0.0, 0.2])
    digits = [(np.add(root, shift) * [1, side, 1], np.add(root, shift) * [1, side, 1] + 0.45 * lean, thick)
              for root, _, thick in FINGERS]
    thumb = tuple(np.add(end, shift) * [1, side, 1] for end in THUMB[:2])
    hand, rings, (first, *others) = hand_of((*thumb, 0.1), *digits)
    out, across = _palm(hand, rings, first, others)
    along = lean / np.linalg.norm(lean)
    np.testing.assert_allclose(across, [0, -side, 0], atol=1e-9)
    np.testing.assert_allclose(out, np.cross(along, across), atol=1e-9)
    one = _palm(hand, rings, first, others[:1])
    assert one[1] @ [0, -side, 0] > 0.5 and abs(one[0] @ along) < 1e-9 and np.linalg.norm(one[0]) == about(1.0)
