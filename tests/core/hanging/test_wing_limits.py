"""What a candidate for a wing may be like, on both sides of every limit; which two are a pair."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial import cKDTree

from core.hanging.wings import _pairs, _Wing, _wing
from core.skeleton.rig import Rig
from tests.limits import turning_point

BACK = 0.06  # of the skin behind the spine
SKIN = np.stack([np.zeros(81), np.full(81, BACK), np.linspace(0.3, 1.1, 81)], 1)
HANGS_BY = 0.028  # what lies nearest to the skin of a board that begins 0.01 behind it
X, Y, Z = np.eye(3)


def trunk(lower: str = "chest", upper: str = "neck", split: float = 0.9) -> Rig:
    """Two bones on each other, the chest among them, and a forearm far off."""
    return Rig((lower, upper, "forearm.L"), (-1, 0, 1), [[0, 0, 0.4], [0, 0, split], [3, 0, 0]],
               [[0, 0, split], [0, 0, 1.0], [4, 0, 0]])


def board(long: float, broad: float, thick: float = 0.0, *, away: float = 0.01, out=X, wide=Z, step: float = 0.01
          ) -> np.ndarray:
    """(N, 3) a box of samples that begins so far behind the skin and reaches out to one side."""
    axes = [np.linspace(0, size, round(size / step) + 1) for size in (long, broad, thick)]
    along, high, deep = (one.ravel() for one in np.meshgrid(*axes, indexing="ij"))
    return [0, BACK + away, 0.75] + along[:, None] * out + (high - broad / 2)[:, None] * wide + deep[:, None] * Y


def is_wing(points: np.ndarray, skin: np.ndarray = SKIN, body: Rig | None = None, **more) -> bool:
    return _wing(points, np.ones(len(points)), "L", body or trunk(), cKDTree(skin), "chest", **more) is not None


@pytest.mark.long
def test_a_wing_is_long_broad_and_flat():
    assert is_wing(board(0.4, 0.2))
    long = turning_point(lambda long: is_wing(board(long, 0.2, step=0.005)), 0.1, 0.4)
    assert 0.95 * long - HANGS_BY == pytest.approx(0.2, rel=0.05), "but for its last twentieth"
    broad = turning_point(lambda broad: is_wing(board(0.4, broad, step=0.005)), 0.03, 0.2)
    assert broad / np.sqrt(12) == pytest.approx(0.025, rel=0.1)
    thick = turning_point(lambda thick: is_wing(board(0.4, 0.2, thick)), 0.0, 0.2)
    assert thick / 0.2 == pytest.approx(0.45, rel=0.15)


def test_a_wing_begins_near_the_body_and_most_of_it_stands_out():
    assert turning_point(lambda away: is_wing(board(0.4, 0.2, away=away)), 0.01, 0.2) == pytest.approx(0.07, rel=0.02)

    on_skin = lambda share: np.concatenate([SKIN, board(share * 0.4, 0.2) - [0, 0.01, 0]])  # noqa: E731 - one line
    assert turning_point(lambda share: is_wing(board(0.4, 0.2), on_skin(share)), 0.1, 0.8) == pytest.approx(
        0.4 - 0.03 / 0.4, abs=0.04)


@pytest.mark.parametrize(("way", "wide"), [(X, Y), (-X, Y), (Y, X)])
def test_a_wing_reaches_out_to_the_side_or_back_by_half_its_length(way, wide):
    """The rest of its way it goes down."""
    above = SKIN[SKIN[:, 2] > 0.74]
    reaches = lambda share: is_wing(  # noqa: E731
        board(0.4, 0.1, out=share * way - np.sqrt(1 - share**2) * Z, wide=wide) + 0.05 * Y, above)
    length = 0.95 * 0.4 - HANGS_BY
    assert 0.4 * turning_point(reaches, 0.0, 1.0) == pytest.approx(0.5 * length, rel=0.1)


def test_a_wing_may_reach_up():
    below = SKIN[SKIN[:, 2] < 0.76]
    assert is_wing(board(0.4, 0.1, out=Z, wide=X), below)


def test_a_wing_is_behind_the_trunk():
    assert not is_wing(board(0.4, 0.2) * [1, -1, 1], SKIN * [1, -1, 1])
    bent = board(0.4, 0.2)
    assert turning_point(lambda by: is_wing(bent - by * bent[:, :1] * Y), 0.0, 0.8) == pytest.approx(
        (BACK + 0.01) / 0.2, rel=0.02), "its middle comes to lie before the spine"


@pytest.mark.long
@pytest.mark.parametrize(("upper", "least", "least_fused"), [("hips", 0.5, 0.25), ("head", 0.5, 0.25),
                                                             ("upper_arm.L", 0.0, 0.08)])
def test_a_wing_hangs_on_the_trunk(upper, least, least_fused):
    """Of its edge, from 0.65 to 0.85 high, the chest holds the lower part; so much suffices, less if it is fused."""
    share = lambda split: (split - 0.65) / 0.2  # noqa: E731 - used twice
    for fused, limit in ((False, least), (True, least_fused)):
        holds = lambda split, fused=fused: is_wing(board(0.4, 0.2, step=0.005), body=trunk("chest", upper, split),  # noqa: E731
                                                   is_fused=fused)
        if not limit:
            assert holds(0.655) and holds(0.845)
        else:
            assert share(turning_point(holds, 0.651, 0.849)) == pytest.approx(limit, abs=0.03)


def test_of_one_surface_with_the_body_much_of_a_wing_is_far_off():
    skin = lambda share: np.concatenate([SKIN, board(share * 0.4, 0.2) - [0, 0.06, 0]])  # noqa: E731 - used twice
    holds = lambda share: is_wing(board(0.4, 0.2), skin(share), is_fused=True)  # noqa: E731
    assert 1 - turning_point(holds, 0.1, 0.9) - np.sqrt(0.1**2 - 0.06**2) / 0.4 == pytest.approx(0.4, abs=0.03)
    assert is_wing(board(0.4, 0.2), skin(0.9)), "which does not matter for a part of its own"


def wing(side: str = "L", *, shift=(0.0, 0.0, 0.0), length: float = 0.4, end=(0.0, 0.0, 0.0)) -> _Wing:
    places = np.array([[0.02, 0.1, 0.7], [0.15, 0.1, 0.8], [0.3, 0.1, 0.8], [0.4, 0.1, 0.7]])
    places = (places + [np.zeros(3), end, end, end] + np.array(shift)) * [1 if side == "L" else -1, 1, 1]
    return _Wing(side, places, np.linspace(0, 1, 4), length, places, np.zeros(0, int), np.zeros(0), False)


def test_two_wings_are_a_pair_if_they_are_like_each_other_in_the_mirror():
    assert len(_pairs([wing(), wing("R")], 0.0)) == 1
    roots = lambda off: len(_pairs([wing(length=1.0), wing("R", shift=(0, 0, off), length=1.0)], 0.0)) == 1  # noqa: E731
    assert turning_point(roots, 0.0, 0.3) == pytest.approx(0.08, rel=0.01)
    only = wing("R", length=1.0)
    for place, is_pair in ((0, False), (1, True)):
        moved = only.places + 0.12 * np.eye(4)[:, [place]] * Z
        assert (len(_pairs([wing(length=1.0), replace(only, places=moved)], 0.0)) == 1) == is_pair, "where they begin"
    mean = lambda off: len(_pairs([wing(), wing("R", end=(0, off, 0))], 0.0)) == 1  # noqa: E731
    assert turning_point(mean, 0.0, 0.4) * 3 / 4 == pytest.approx(0.2 * 0.4, rel=0.01)
    aside = [wing(shift=(0.3, 0, 0)), wing("R", shift=(-0.3, 0, 0))]
    assert not _pairs(aside, 0.0) and len(_pairs(aside, 0.3)) == 1, "the mirror is where the trunk is"
    assert not _pairs([wing(), wing()], 0.0) and not _pairs([wing()], 0.0)


def test_each_wing_has_one_partner_the_nearest_and_the_highest_pair_comes_first():
    low = {"shift": (0, 0, -0.06)}
    own, other = wing("R"), wing("R", **low)
    pairs = _pairs([wing(**low), other, wing(length=0.5), own], 0.0)
    assert [right for _, right in pairs] == [own, other]
    assert _pairs([wing(), other, own], 0.0)[0][1] is own
