"""What limbs show in level slices: bodies of plain blocks, one of which is moved slowly until it counts or no more."""

from __future__ import annotations

import numpy as np
import pytest

from core.seeing.limb_census import LimbCensus, count_limbs
from core.seeing.silhouette import Slices
from tests.limits import turning_point

LEVELS = 100
CENTRE = 0.02


def both(z0, z1, x0, x1, y0=-0.05, y1=0.05) -> list[tuple]:
    """A block on each side of the mirror plane."""
    return [(z0, z1, x0, x1, y0, y1), (z0, z1, -x1, -x0, y0, y1)]


LEGS, TRUNK = both(0.0, 0.45, 0.03, 0.13), (0.45, 0.8, -0.15, 0.15, -0.08, 0.08)
HEAD, ARMS = (0.8, 1.0, -0.06, 0.06, -0.06, 0.06), both(0.7, 0.8, 0.15, 0.45)
FLAT = np.full((2, 2), 0.05), np.full(2, 0.05)


def census(*blocks, deep: float = 0.3, wide: float = 0.9, outer=FLAT[0], inner=FLAT[1]) -> LimbCensus:
    """Of blocks (z0, z1, x0, x1, y0, y1), x from the mirror plane; blocks that overlap at a level are one piece."""
    rows = []
    for level in range(LEVELS):
        z = (level + 0.5) / LEVELS
        here = sorted((b[2:] for b in blocks if b[0] <= z < b[1]), key=lambda b: b[0])
        merged: list[list[float]] = []
        for x0, x1, y0, y1 in here:
            area = (x1 - x0) * (y1 - y0)
            if merged and x0 <= merged[-1][1] + 1e-9 and y0 < merged[-1][3] and y1 > merged[-1][2]:
                last = merged[-1]
                merged[-1] = [last[0], max(last[1], x1), min(last[2], y0), max(last[3], y1), last[4] + area]
            else:
                merged.append([x0, x1, y0, y1, area])
        rows += [(z, level, *piece) for piece in merged]
    z, level, x0, x1, y0, y1, area = np.array(rows).T
    low, high = np.stack([x0 + CENTRE, y0], 1), np.stack([x1 + CENTRE, y1], 1)
    return count_limbs(Slices(z, level.astype(int), area, (low + high) / 2, low, high, np.array([wide, deep, 1.0]),
                              CENTRE, np.array(outer), np.array(inner)))


PERSON = (*LEGS, TRUNK, HEAD, *ARMS)


def about(value: float, off: float = 0.011):
    return pytest.approx(value, abs=off)


def test_a_person_has_a_pair_of_legs_and_arms_and_no_more():
    found = census(*PERSON)
    assert (found.leg_pairs, found.arms, found.wings, found.tail, found.upright) == (1, True, False, False, True)
    assert found.reach == (about(0.45), about(0.45))
    assert (found.armpit, found.touch) == (0.0, 0.0)


def test_legs_are_pairs_told_apart_by_where_they_are():
    def pairs(*places, deep=1.0):
        legs = [leg for y in places for leg in both(0.0, 0.45, 0.03, 0.13, y - 0.03, y + 0.03)]
        return census(*legs, (0.45, 0.9, -0.15, 0.15, -0.5, 0.5), deep=deep).leg_pairs

    assert [pairs(0.0), pairs(-0.3, 0.3), pairs(-0.4, 0.0, 0.4), pairs(-0.4, -0.1, 0.15, 0.4)] == [1, 2, 3, 3]
    assert turning_point(lambda y: pairs(0.0, y) == 2, 0.05, 0.6) == about(0.2)
    assert turning_point(lambda y: pairs(-0.3, 0.3 - y, 0.3) == 3, 0.01, 0.2) == about(0.1)
    assert turning_point(lambda deep: pairs(-0.3, 0.3, deep=deep) == 2, 0.1, 1.0) == about(0.45)
    assert census(TRUNK, HEAD).leg_pairs == 0 and census(*LEGS[:1], TRUNK, HEAD).leg_pairs == 0


def test_legs_that_part_only_low_or_lie_near_the_plane_do_not_show():
    crotch = lambda top: census(*both(0.0, top, 0.03, 0.13), (top, 1.0, -0.15, 0.15, -0.1, 0.1)).leg_pairs  # noqa: E731
    assert turning_point(lambda top: crotch(top) == 1, 0.05, 0.3) == about(0.03 + 0.25 * 0.27)
    middle = lambda x: census(*both(0.0, 0.45, x - 0.005, x + 0.005), TRUNK).leg_pairs  # noqa: E731
    assert turning_point(lambda x: middle(x) == 1, 0.006, 0.05) == about(0.015, 1e-3)
    across = lambda x: census(*both(0.0, 0.45, x, 0.2, 0.1, 0.2)[:1], *both(0.0, 0.45, x, 0.2, -0.2, -0.1)[1:],  # noqa: E731
                              TRUNK).leg_pairs
    assert turning_point(lambda x: across(x) == 1, -0.05, 0.05) == about(-0.01, 1e-3)


def test_many_legs_each_near_the_next_are_more_than_two_pairs_but_toes_are_one():
    def pairs(*places):
        legs = [leg for y in places for leg in both(0.0, 0.45, 0.03, 0.13, y - 0.02, y + 0.02)]
        return census(*legs, (0.45, 0.9, -0.15, 0.15, -0.5, 0.5), deep=1.0).leg_pairs

    assert pairs(*np.linspace(-0.4, 0.4, 11)) == 3
    assert pairs(-0.34, -0.3, -0.26, 0.26, 0.3, 0.34) == 2


def test_a_second_pair_of_legs_counts_if_it_shows_on_three_tenths_of_the_lower_body():
    """That lies between 0.03 and 0.3 of the height."""
    up_to = lambda top, y: both(0.0, top, 0.03, 0.13, y - 0.05, y + 0.05)  # noqa: E731 - one line, used twice
    second = lambda top: census(*up_to(0.45, -0.4), *up_to(top, 0.4), TRUNK, HEAD, deep=1.0).leg_pairs > 1  # noqa: E731
    assert turning_point(second, 0.03, 0.45) == about(0.03 + 0.3 * 0.27)


def test_the_crotch_is_where_a_trunk_larger_than_each_leg_begins():
    """Only what hangs beside it is an arm."""
    def arms(size: float) -> bool:
        between, hands = (0.2, 0.45, -0.02, 0.02, -0.05, -0.05 + size), both(0.31, 0.42, 0.2, 0.3)
        return census(*LEGS, between, TRUNK, HEAD, *hands).arms

    assert not arms(0.2) and arms(0.3)
    assert turning_point(arms, 0.1, 0.5) == about(0.25, 0.003)


def test_arms_hang_apart_up_to_the_armpit_and_touch_below_it():
    arms = both(0.4, 0.7, 0.2, 0.26)
    found = census(*LEGS, TRUNK, HEAD, *arms)
    assert found.arms and found.armpit == about(0.695) and found.touch == 0.0
    gap = lambda size: census(*LEGS, TRUNK, HEAD, *both(0.47, 0.6, 0.2, 0.26), *both(0.6 + size, 0.7, 0.2, 0.26)).touch  # noqa: E731
    assert gap(0.05) == about(0.625) and turning_point(lambda size: gap(size) > 0, 0.001, 0.08) == about(0.02)
    near = lambda x: census(*LEGS, TRUNK, HEAD, *both(0.4, 0.7, x, x + 0.01)).armpit  # noqa: E731
    thin = lambda x: census(*LEGS, (0.45, 0.8, -0.03, 0.03, -0.08, 0.08), HEAD, *both(0.47, 0.7, x, x + 0.01)).armpit  # noqa: E731
    assert near(0.2) > 0 and turning_point(lambda x: thin(x) > 0, 0.035, 0.2) == about(0.065, 2e-3)
    high = lambda top: census(*LEGS, (0.45, 0.95, -0.15, 0.15, -0.1, 0.1), *both(0.5, top, 0.2, 0.26)).armpit  # noqa: E731
    assert high(0.95) == about(0.815), "higher up it is a raised hand"
    few = lambda size: census(*LEGS, TRUNK, HEAD, *both(0.5, 0.5 + size, 0.2, 0.26)).armpit  # noqa: E731
    assert turning_point(lambda size: few(size) > 0, 0.005, 0.1) == about(0.04 * 0.55)


def test_arms_held_out_reach_far_beyond_the_trunk():
    arms = lambda x: census(*LEGS, TRUNK, HEAD, *both(0.7, 0.8, 0.15, x)).arms  # noqa: E731
    assert turning_point(arms, 0.16, 0.6) == about(1.6 * 0.15 + 0.02, 2e-3)
    one = census(*LEGS, TRUNK, HEAD, both(0.7, 0.8, 0.15, 0.45)[0])
    assert not one.arms and one.reach == (about(0.45), about(0.15))
    assert turning_point(lambda deep: census(*PERSON, deep=deep).upright, 0.5, 2.0) == about(1 / 0.9, 2e-3)


@pytest.mark.parametrize(("low", "high", "limit", "change"), [
    (0.3, 1.0, 0.6, lambda v: {"wide": v}), (0.3, 0.8, 0.5, lambda v: {"deep": v}),
    (0.05, 0.3, 0.14, lambda v: {"outer": [[v, 0.05], [v, 0.05]], "inner": [v, v]}),
    (0.05, 0.3, 0.22 / 2.2, lambda v: {"outer": [[0.22, v], [0.22, v]]}),
    (0.05, 0.22, 0.75 * 0.22, lambda v: {"outer": [[v, 0.05], [0.22, 0.05]]}),
    (0.01, 0.22, 0.5 * 0.22, lambda v: {"inner": [v, 0.22]})],
    ids=["wide", "deep", "broad", "thin", "alike", "sprung"])
def test_wings_are_broad_thin_alike_and_broad_all_the_way(low, high, limit, change):
    given = {"deep": 0.7, "outer": [[0.22, 0.05]] * 2, "inner": [0.22, 0.22]}
    assert census(*PERSON, **given).wings
    assert turning_point(lambda value: census(*PERSON, **given | change(value)).wings, low, high) == about(limit, 2e-3)


@pytest.mark.parametrize(("low", "high", "limit", "tail"), [
    (0.09, 0.5, 0.18, lambda v: (0.4, 0.6, -0.02, 0.02, 0.08, v)),  # how far behind the trunk
    (0.05, 0.4, 0.075, lambda v: (0.4, 0.6, -v, v, 0.08, 0.3)),  # how narrow
    (0.4, 0.6, 0.445, lambda v: (0.4, v, -0.02, 0.02, 0.08, 0.3)),  # how many slices
    (0.0, 0.1, 0.02, lambda v: (0.4, 0.6, v - 0.02, v + 0.02, 0.08, 0.3))],  # on the plane
    ids=["far", "narrow", "tall", "middle"])
def test_a_tail_lies_behind_the_trunk_in_the_middle(low, high, limit, tail):
    assert turning_point(lambda value: census(*PERSON, tail(value)).tail, low, high) == about(limit)
    assert not census(*PERSON, (0.85, 0.99, -0.02, 0.02, 0.08, 0.3)).tail, "so high it is hair"
