"""Which piece hangs on which, and the bridges between them."""

import numpy as np
import pytest

from core.geometry.gaps import bridge_gaps, connect_parts, count_parts, find_gaps


def boxes(shape, *corners):
    """A solid of boxes (low, high)."""
    solid = np.zeros(shape, bool)
    for low, high in corners:
        solid[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] = True
    return solid


def thickly(solid):
    return bridge_gaps(solid, find_gaps(solid), is_thin=False)


TRUNK = ((24, 8, 30), (37, 15, 60))


def test_one_piece_has_no_gaps_and_stays():
    solid = boxes((60, 24, 70), TRUNK)
    assert len(find_gaps(solid).ends) == 0 and np.array_equal(connect_parts(solid), solid)


def test_feet_hang_on_the_body_though_they_are_nearer_to_each_other():
    solid = boxes((61, 24, 70), TRUNK, ((22, 6, 4), (28, 16, 8)), ((33, 6, 4), (39, 16, 8)))
    gaps = find_gaps(solid)
    assert len(gaps.ends) == 2
    assert (gaps.ends[..., 2].min(1) < 8).all() and (gaps.ends[..., 2].max(1) == 30).all()
    assert count_parts(bridge_gaps(solid, gaps)) == 1


def test_a_forearm_hangs_on_the_elbow_though_it_is_nearer_to_the_hip():
    upper, fore = ((42, 9, 44), (47, 14, 60)), ((40, 9, 24), (45, 14, 40))
    gaps = find_gaps(boxes((61, 24, 70), TRUNK, upper, fore))
    elbow = gaps.ends[np.abs(gaps.ends[:, :, 0].mean(1) - 43) < 2]
    assert len(elbow) == 1 and sorted(elbow[0, :, 2]) == [39, 44]


def test_what_is_beside_the_body_hangs_on_it_rather_than_on_each_other_on_both_sides():
    solid = boxes((61, 24, 70), TRUNK, ((40, 9, 44), (45, 14, 50)), ((40, 9, 36), (45, 14, 42)))
    ends = find_gaps(solid | solid[::-1]).ends[..., 0]
    assert sorted(np.sort(ends, axis=1).tolist()) == [[20, 24], [20, 24], [36, 40], [36, 40]]


def test_bridges_are_as_thick_as_what_they_join():
    thin, thick = (thickly(boxes((60, 40, 70), ((20, 20 - r, 30), (20 + 2 * r, 20 + r, 60)),
                                       ((20, 20 - r, 5), (20 + 2 * r, 20 + r, 24))))[:, :, 27].sum() for r in (2, 7))
    assert thin < 20 < 40 < thick


def test_gaps_of_a_mirrored_solid_are_mirrored():
    solid = boxes((61, 24, 70), TRUNK, ((8, 8, 44), (20, 13, 50)), ((41, 8, 44), (53, 13, 50)))
    assert np.array_equal(solid, solid[::-1])
    bridged = thickly(solid)
    assert np.array_equal(bridged, bridged[::-1])


def test_scattered_is_what_lies_outside_the_largest_piece():
    solid = boxes((40, 20, 20), ((2, 2, 2), (12, 12, 12)), ((20, 2, 2), (25, 12, 12)))
    assert find_gaps(solid).scattered == pytest.approx(1 / 3)


def test_no_gap_is_as_well_shaped_as_some():
    head = ((24, 8, 64), (37, 15, 80))
    none, some = (find_gaps(boxes((60, 24, 90), TRUNK, *more)) for more in ((), (head,)))
    assert some.ends.shape == some.nearest.shape == (1, 2, 3) and some.radii.shape == (1,)
    assert none.ends.shape == none.nearest.shape == (0, 2, 3) and none.radii.shape == (0,)
