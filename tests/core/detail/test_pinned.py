"""Chains with pinned joints: what lies between them moves along evenly, on the other side as in a mirror."""

from __future__ import annotations

import numpy as np
import pytest

from core.detail.grow import _pinned
from core.skeleton.chain import Chain

MIRROR = np.array([-1.0, 1.0, 1.0])
FINGER = ("index_1", "index_2", "index_3", "index_tip")
LIMB = ("limb_1_1", "limb_1_2", "limb_1_3", "limb_1_tip")


def chain(names: tuple[str, ...], side: str) -> Chain:
    """Three bones along X, of lengths 1, 2 and 1."""
    sign = 1.0 if side == "L" else -1.0
    places = np.array([[sign * x, 0.0, 0.0] for x in (1.0, 2.0, 4.0, 5.0)])
    return Chain(f"it.{side}", f"above.{side}", [f"{n}.{side}" for n in names], places, np.array([0.0, 0.0, -1.0]))


def moved(names, pins: dict[str, tuple], side: str = "L", mirror=None) -> np.ndarray:
    """How far each joint of a side goes, (4, 3), if joints are pinned so far from where they were."""
    chains = [chain(names, s) for s in "LR"]
    before = {j: p for c in chains for j, p in zip(c.joints, c.places, strict=True)}
    after = _pinned(chains, {j: before[j] + way for j, way in pins.items()}, mirror)
    number = "LR".index(side)
    return after[number].places - chains[number].places


@pytest.mark.parametrize("names, pins, expected", [
    (FINGER, {1: 1.0}, [0, 1, 1, 1]),  # a finger goes along as one beyond what is pinned
    (FINGER, {2: 3.0}, [0, 1, 3, 3]),
    (FINGER, {3: 4.0}, [0, 1, 3, 4]),
    (FINGER, {0: 1.0}, [1, 1, 1, 1]),
    (FINGER, {0: 1.0, 3: 5.0}, [1, 2, 4, 5]),
    (LIMB, {1: 1.0}, [0, 1, 1 / 3, 0]),  # a limb's tip stays where it stands out
    (LIMB, {2: 3.0}, [0, 1, 3, 0]),
    (LIMB, {3: 4.0}, [0, 1, 3, 4]),
    (LIMB, {0: 4.0}, [4, 3, 1, 0]),
    (LIMB, {1: 2.0, 2: 2.0}, [0, 2, 2, 0]),
])
@pytest.mark.parametrize("way", [(0.0, 1.0, 0.0), (0.0, 0.3, -0.5)])
def test_joints_between_move_along_by_their_place_on_the_chain(names, pins, expected, way):
    way = np.array(way)
    found = moved(names, {f"{names[k]}.L": size * way for k, size in pins.items()})
    np.testing.assert_allclose(found, np.outer(expected, way), atol=1e-12)
    assert not moved(names, {f"{names[k]}.L": size * way for k, size in pins.items()}, "R").any()


def test_the_other_side_follows_in_the_mirror_unless_it_has_a_pin_of_its_own():
    pins = {"index_2.L": np.array([0.1, 0.2, 0.0])}
    image = moved(FINGER, pins, "R", lambda place: place * MIRROR)
    np.testing.assert_allclose(image, moved(FINGER, pins) * MIRROR, atol=1e-12)
    own = pins | {"index_3.R": np.array([0.0, 0.0, 0.3])}
    np.testing.assert_allclose(moved(FINGER, own, "R", lambda place: place * MIRROR),
                               moved(FINGER, {"index_3.R": own["index_3.R"]}, "R"), atol=1e-12)


def test_pins_of_other_joints_change_nothing():
    chains = [chain(FINGER, side) for side in "LR"]
    assert _pinned(chains, {"hand.L": np.zeros(3)}, lambda place: place * MIRROR) == chains
