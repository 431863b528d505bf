"""The upright planes that may part two bodies in one surface, and what lies ahead of the forefeet: read from flesh."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.fitting.grown_together import _ahead, _planes, _thinnest
from tests.limits import turning_point

TALL = 100


def block(wide, high, deep: int, start: float) -> np.ndarray:
    """(N, 2) how far along an axis and how high its cells of flesh lie, `deep` of them beside each other."""
    along, z = np.meshgrid(np.arange(start, start + wide, 0.25), np.arange(*high), indexing="ij")
    return np.repeat(np.stack([along.ravel(), z.ravel()], 1), deep, axis=0)


def pair(*, wide: float = 15.0, high: float = 100, low: float = 0, bridge: float = 60, deep: int = 8) -> tuple:
    """(share, place) between a body 15 wide and 100 high and another one, with a layer of flesh that joins them."""
    cells = np.concatenate([block(15.0, (0, 100), 12, 0.0), block(1.5, (bridge - 20, bridge), 4, 15.0),
                            block(wide, (low, high), deep, 16.5)])
    return _thinnest(cells[:, 0], cells[:, 1], cells[:, 1], np.ones(len(cells), int), TALL)


def test_the_share_is_of_the_thickest_of_the_thinner_body_and_the_place_in_the_middle_of_what_joins_them():
    share, place = pair()
    assert share == pytest.approx(20 * 4 / (100 * 8)) and place == pytest.approx(15.75)
    assert pair(deep=16)[0] == pytest.approx(20 * 4 / (100 * 12))


def test_each_body_has_a_share_of_the_flesh_is_high_and_stands_low_and_they_part_below_their_heads():
    may = lambda **which: np.isfinite(pair(**which)[0])  # noqa: E731 - one line, used five times
    assert may()
    least = turning_point(lambda wide: may(wide=wide), 1.5, 15.0)
    first, other = 15 * 100 * 12 + 1.5 * 20 * 4, least * 100 * 8
    assert other / (first + other) == pytest.approx(0.12, abs=0.005)
    assert turning_point(lambda high: may(high=high, bridge=35), 36, 100) == pytest.approx(41, abs=1)
    assert turning_point(lambda low: may(low=low), 0, 60) == pytest.approx(25, abs=1)
    assert turning_point(lambda bridge: may(bridge=bridge), 60, 100) == pytest.approx(90, abs=1)
    assert turning_point(lambda bridge: may(bridge=bridge, high=80), 50, 80) == pytest.approx(72, abs=1)


def planes(*blocks) -> list:
    """Of boxes of voxels ((x, x), (y, y), (z, z)), a tenth of a unit each, from (-2, -3, -1) on; z from the ground, two
    units over the grid's."""
    solid = np.zeros((60, 60, 90), bool)
    for x, y, z in blocks:
        solid[slice(*x), slice(*y), slice(z[0] + 20, z[1] + 20)] = True
    grid = SimpleNamespace(spacing=0.1, origin=np.array([-2.0, -3.0, -1.0]))
    return _planes(SimpleNamespace(solid=solid, grid=grid))


LEFT, RIGHT, HANDS = ((10, 22), (10, 22), (2, 52)), ((34, 46), (10, 22), (2, 52)), ((22, 34), (14, 18), (25, 29))


def test_two_pillars_are_parted_between_them_above_the_ground_they_share():
    (normal, place, floor), *_ = planes(LEFT, RIGHT, HANDS)
    np.testing.assert_allclose(np.abs(normal), [1, 0], atol=1e-9)
    assert -2 + 2.2 < place * normal[0] < -2 + 3.4 and floor == -np.inf
    for thick in range(1, 7):
        floor = planes(LEFT, RIGHT, ((5, 51), (5, 27), (2, 2 + thick)))[0][2]
        assert floor == pytest.approx(1 + 0.1 * (2 + thick + 1.5)), "clear of its top"
    assert not planes(LEFT) and not planes(((10, 46), (10, 22), (2, 52)))


def test_of_planes_in_many_directions_two_that_are_far_apart_are_tried_the_one_with_the_least_flesh_first():
    behind, thick, thin = ((10, 22), (34, 46), (2, 52)), (15, 35), (25, 29)
    for first, across, along in (([1, 0], thin, thick), ([0, 1], thick, thin)):
        found = planes(LEFT, RIGHT, (*HANDS[:2], across), behind, ((14, 18), (22, 34), along))
        assert len(found) == 2 and abs(np.cross(found[0][0], found[1][0])) > 0.45
        np.testing.assert_allclose(np.abs(found[0][0]), first, atol=0.3)
    aslant = planes(((10, 22), (10, 22), (2, 52)), ((28, 40), (28, 40), (2, 52)), ((20, 30), (20, 30), thin))
    assert all(abs(np.cross(aslant[0][0], other)) > 0.45 for other, *_ in aslant[1:]), "no other much like it"


def ahead(*blocks) -> float:
    """Of a body with feet 20 voxels apart from first to last, and 100 high, high in its grid."""
    solid = np.zeros((40, 60, 130), bool)
    for x, y, z in ((MIDDLE, slice(30, 33), slice(0, 60)), (MIDDLE, slice(47, 50), slice(0, 60)),
                    (MIDDLE, slice(30, 50), slice(40, 100)), *blocks):
        solid[x, y, z.start + 25:z.stop + 25] = True
    return _ahead(SimpleNamespace(solid=solid))


MIDDLE = slice(10, 13)
NECK = (MIDDLE, slice(20, 30), slice(60, 80))


def test_what_lies_ahead_of_the_forefeet_is_measured_in_the_mirror_plane_above_the_legs_lower_third():
    assert ahead() == 0
    assert ahead(NECK) == pytest.approx(10 * 20 / 20**2)
    assert ahead((slice(9, 10), *NECK[1:])) == 0, "what hangs beside"
    assert ahead((MIDDLE, slice(30, 50), slice(60, 100))) == 0, "a trunk or a rider"
    low = lambda z: ahead((MIDDLE, slice(28, 30), slice(round(z), round(z) + 1))) > 0  # noqa: E731
    assert turning_point(low, 12, 50) == pytest.approx(30, abs=1), "hooves, and what lies on the ground"


def test_the_feet_are_what_stands_in_the_lowest_tenth():
    for side, last in ((slice(20, 30), 30), (slice(50, 60), 30)):
        longer = lambda z, side=side: ahead((MIDDLE, slice(10, 20), slice(60, 80)),  # noqa: E731
                                            (MIDDLE, side, slice(round(z), round(z) + 1))) < 10 * 20 / 20**2
        assert turning_point(longer, 1, 28) == pytest.approx(10, abs=1)
        assert ahead((MIDDLE, slice(10, 20), slice(60, 80)), (MIDDLE, side, slice(0, 2))) == pytest.approx(
            10 * 20 / last**2)
