"""Loose parts in the skin that a hand moves: nails follow the bone they lie on, what is held follows the hand."""

from __future__ import annotations

import numpy as np
import pytest

from core.skinning.fingers import _stiffened
from core.skinning.handles import Handles

PALM, KNUCKLE = np.array([0.8, 0.1, 0.5]), 0.9
SIDES = (-0.03, 0.0, 0.03)  # of three fingers, each of two bones 0.05 long
STARTS = np.array([[x, 0.1 + side, 0.5] for side in SIDES for x in (KNUCKLE, KNUCKLE + 0.05)])
HAND = Handles(np.arange(7), np.array([0, 0, 0, *range(1, 7)]), np.concatenate([[PALM] * 3, STARTS]),
               np.concatenate([STARTS[::2], STARTS + [0.05, 0, 0]]))
FLESH = np.concatenate([np.linspace(head, tail, 12) + [0, 0, lift] for lift in (0.01, -0.01)
                        for head, tail in zip(HAND.heads, HAND.tails, strict=True)])


def dealt(*parts: np.ndarray) -> list[np.ndarray]:
    """The shares of loose parts, each as if skin had blended it evenly, after what is stiff was made so."""
    points, part = np.concatenate(parts), np.repeat(np.arange(len(parts)), [len(one) for one in parts])
    shares = _stiffened(np.full((len(points), 7), 1 / 7), points, part + 3, HAND)
    return [shares[part == k] for k in range(len(parts))]


def block(middle, size) -> np.ndarray:
    corners = np.stack(np.meshgrid(*[[-0.5, 0.5]] * 3, indexing="ij"), -1).reshape(-1, 3)
    return middle + corners * size


@pytest.mark.parametrize("bone", range(1, 7))
def test_a_nail_or_a_ring_follows_the_bone_it_lies_on_and_the_flesh_stays(bone):
    flesh, ring = dealt(FLESH, block(STARTS[bone - 1] + [0.025, 0, 0.012], 0.01))
    assert (flesh == 1 / 7).all()
    np.testing.assert_array_equal(ring, np.eye(7)[[bone] * 8])


def test_what_is_longer_than_the_palm_follows_the_whole_hand_wherever_it_lies():
    for long, owner in ((0.09, 2), (0.12, 0)):
        sword = block(STARTS[1] + [0.025, 0, -0.02], (0.001, long, 0.001))
        flesh, held = dealt(FLESH, sword)
        assert (flesh == 1 / 7).all() and (held == np.eye(7)[owner]).all(), long
    lance = np.linspace([0.0, 0.0, 0.0], STARTS[1], 40)
    assert (dealt(lance, FLESH)[0] == np.eye(7)[0]).all(), "though it reaches far towards the body"


def test_a_robots_phalanges_are_stiff_and_a_hand_of_one_part_is_not():
    phalanges = [block(start + [0.025, 0, 0], (0.04, 0.01, 0.01)) for start in STARTS]
    palm = block(PALM + [0.05, 0, 0], (0.08, 0.06, 0.02))
    for bone, shares in enumerate(dealt(palm, *phalanges)):
        assert (shares == np.eye(7)[bone]).all(), bone
    assert (dealt(FLESH)[0] == 1 / 7).all()
