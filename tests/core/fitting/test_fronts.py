"""Fronts of a wave through a solid: each result against the loops that say what it is."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from core.fitting.fronts import Fronts, find_tips, mass_middle, wave_fronts
from core.fitting.limbs import Interior
from tests.core.fitting.test_limbs import SPACING, crossed, field_of
from tests.limits import turning_point


@pytest.fixture(scope="module", params=["crossed", "sponge"])
def case(request) -> tuple[Interior, np.ndarray, int, Fronts]:
    """Voxels, how deep they lie, where the wave begins, and its fronts."""
    solid = crossed()
    if request.param == "sponge":  # whose pieces touch each other in every way
        solid = np.random.default_rng(4).random((9, 8, 10)) < 0.45
        solid[4:6, 3:5, 4:6] = True
    interior = Interior(field_of(solid))
    depth = np.random.default_rng(5).uniform(0.01, 0.1, len(interior.voxels))
    start = int(interior.nearest(interior.centres.mean(0))[0])
    return interior, depth, start, wave_fronts(interior, depth, start)


def touching(one, other) -> bool:
    return bool(np.abs(one - other).max() == 1)


def test_a_piece_is_what_hangs_together_of_the_voxels_between_two_fronts(case):
    interior, _, start, fronts = case
    away = interior.distances([start])[0]
    shell = np.floor(away / (2 * SPACING)).astype(int)
    number = {tuple(v): k for k, v in enumerate(interior.voxels)}
    piece, count = np.full(len(shell), -1), 0
    for k in range(len(shell)):
        todo = [k] if piece[k] < 0 else []
        if todo:
            piece[k], count = count, count + 1
        while todo:
            at = todo.pop()
            for step in product((-1, 0, 1), repeat=3):
                beside = number.get(tuple(interior.voxels[at] + step), at)
                if shell[beside] == shell[at] and piece[beside] < 0:
                    piece[beside] = piece[at]
                    todo.append(beside)
    assert count == len(fronts.volumes) > 8
    pairs = set(zip(piece.tolist(), fronts.piece_of_voxel.tolist(), strict=True))
    assert len(pairs) == count, "the same pieces, whatever their numbers"
    assert (np.diff([shell[fronts.piece_of_voxel == c][0] for c in range(count)]) >= 0).all(), "further out, later"


def test_a_piece_has_the_middle_the_size_and_the_ends_of_its_voxels(case):
    interior, depth, start, fronts = case
    away = interior.distances([start])[0]
    for c in range(len(fronts.volumes)):
        own = np.flatnonzero(fronts.piece_of_voxel == c)
        assert fronts.volumes[c] == len(own)
        assert (fronts.starts[c], fronts.ends[c]) == (away[own].min(), away[own].max())
        assert fronts.voxel[c] == max(own, key=lambda v: (away[v], v))
        np.testing.assert_allclose(fronts.centres[c], np.average(interior.centres[own], axis=0, weights=depth[own]**2))
        assert fronts.radii[c] == pytest.approx(np.sqrt(len(own) * SPACING**2 / (2 * np.pi)))


def test_the_piece_before_one_is_that_which_it_touches_most(case):
    interior, _, _, fronts = case
    of = fronts.piece_of_voxel
    number = {tuple(v): k for k, v in enumerate(interior.voxels)}
    contacts = np.zeros((len(fronts.volumes),) * 2, int)
    for k, voxel in enumerate(interior.voxels):
        for step in product((-1, 0, 1), repeat=3):
            other = number.get(tuple(voxel + step))
            if other is not None:
                contacts[of[k], of[other]] += 1
    for c in range(1, len(contacts)):
        before = contacts[c, :c]
        assert fronts.parents[c] == (before.argmax() if before.any() else -1)
    assert fronts.parents[0] == -1


def tree(lengths: dict[int, float], parents: list[int], radius: float = 0.01) -> Fronts:
    """Pieces that reach so far; those that are not named half as far as the one behind them."""
    count = len(parents)
    ends = np.array([lengths.get(c, 0.0) for c in range(count)])
    return Fronts(np.array(parents), np.zeros((count, 3)), np.full(count, radius), np.ones(count), ends, ends,
                  np.arange(count), np.arange(count))


def test_sums_gather_all_behind_and_ways_lead_from_the_first():
    fronts = tree({}, [-1, 0, 0, 1, 1, 2, 4])
    assert fronts.gathered(np.arange(7.0)).tolist() == [21, 14, 7, 3, 10, 5, 6]
    assert fronts.gathered(np.arange(7.0), np.maximum).tolist() == [6, 6, 5, 3, 6, 5, 6]
    assert fronts.way(6) == [0, 1, 4, 6] and fronts.way(0) == [0]


@pytest.mark.parametrize(("parents", "middle"), [
    ([-1, 0, 1, 2, 3, 4], 3), ([-1, 0, 0, 0, 1, 2, 3], 0), ([-1, 0, 1, 1, 1, 2, 3, 4, 5], 1)])
def test_behind_no_neighbour_of_the_middle_lies_more_than_half(parents, middle):
    assert mass_middle(tree({}, parents)) == middle


def test_what_goes_on_long_after_it_parted_ends_in_a_tip():
    """A stem, a long arm, a short one, and a twig on the long one."""
    parents = [-1, 0, 1, 1, 2, 4, 4]
    ends = {0: 0.1, 1: 0.2, 2: 0.3, 3: 0.35, 4: 0.4, 5: 0.8, 6: 0.5}

    def found(least: float, slender: float, radius: float = 0.01) -> list[list]:
        return [x.tolist() for x in find_tips(tree(ends, parents, radius), least, slender)]

    tips, lengths = found(0.05, 1.0)
    assert dict(zip(tips, np.round(lengths, 9), strict=True)) == {5: 0.8, 3: 0.15, 6: 0.1}
    assert found(0.12, 1.0)[0] == [5, 3] and found(0.2, 1.0)[0] == [5]
    has = lambda tip, *given: tip in found(*given)[0]  # noqa: E731
    assert turning_point(lambda least: has(3, least, 1.0), 0.05, 0.3) == pytest.approx(0.15, rel=0.01)
    assert turning_point(lambda slender: has(3, 0.05, slender), 1.0, 20.0) == pytest.approx(0.15 / 0.02, rel=0.01)
    assert turning_point(lambda radius: has(5, 0.05, 1.0, radius), 0.1, 1.0) == pytest.approx(0.4, rel=0.01)


@pytest.mark.parametrize(("arm", "other"), [(0.3, 0.3), (0.3, 0.2), (0.2, 0.3)])
def test_both_arms_of_a_round_body_end_in_tips_though_the_trunk_goes_on_in_the_longer(arm, other):
    """A stem of three thick pieces that parts in two thin arms of two pieces each."""
    fronts = tree({0: 0.1, 1: 0.2, 2: 0.3, 3: 0.3 + arm / 2, 4: 0.3 + other / 2, 5: 0.3 + arm, 6: 0.3 + other},
                  [-1, 0, 1, 2, 2, 3, 4])
    stout = replace(fronts, radii=np.array([0.5, 0.5, 0.5, 0.04, 0.04, 0.04, 0.04]))
    tips, lengths = find_tips(stout, 0.1, 1.2)
    assert dict(zip(tips.tolist(), lengths, strict=True)) == pytest.approx({5: arm, 6: other})
    assert not len(find_tips(stout, 0.35, 1.2)[0])
    blunt = replace(fronts, radii=np.full(7, 0.5))
    assert not len(find_tips(blunt, 0.1, 1.2)[0])
