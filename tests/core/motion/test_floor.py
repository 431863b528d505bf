"""Where the floor of a motion is and how it leans, from feet whose places are known."""

from __future__ import annotations

import numpy as np
import pytest

from core.motion.floor import floor_height, floor_lean
from tests.limits import turning_point

RATE, LEG = 100.0, 0.8


def about(value: float, rel: float = 0.03):
    return pytest.approx(value, rel=rel)


def steps(*stands, frames: int = 30, lift: float = 0.3) -> np.ndarray:
    """(T, 1, 3) a foot that stands at some places in turn, each for some frames, and is lifted in between."""
    rows = []
    for x, y, z in stands:
        rows += [[x, y, z]] * frames + [[x, y, z + lift], [x + 1, y, z + lift], [x, y, z + 2 * lift]]
    return np.array(rows, float)[:, None]


def height(places, low: float = 0.0, hints=()) -> tuple[float, bool]:
    joints = np.concatenate([places, places + [0, 0, 0.5]], axis=1)
    joints[:, 0, 2] += low
    return floor_height(places, joints, RATE, LEG, hints)


def test_the_floor_is_where_feet_keep_still():
    assert height(steps([0, 0, 0.13], [1, 0, 0.13])) == (pytest.approx(0.13), True)
    floor, is_seen = height(steps([0, 0, 0.13], [1, 0, 0.9]))
    assert (floor, is_seen) == (pytest.approx(0.13), True), "the lower of two"
    within = lambda v: height(np.concatenate([steps([0, 0, 0.1], frames=20), steps([1, 0, 0.1 + v], frames=60)]))[0]  # noqa: E731
    assert turning_point(lambda v: within(v) == pytest.approx(0.1 + v), 0.01, 0.2) == about(0.06 * LEG)


def test_a_foot_that_slides_or_stops_for_a_moment_only_does_not_stand():
    def is_seen(speed: float) -> bool:
        places = np.zeros((60, 1, 3))
        places[:, 0, 0] = np.arange(60) / RATE * speed
        return height(places)[1]

    assert turning_point(is_seen, 0.0, 1.0) == about(0.3 * LEG)
    lasts = [height(steps([0, 0, 0.0], [3, 0, 0.0], frames=frames))[1] for frames in range(6, 20)]
    assert 0.08 < np.flatnonzero(lasts)[0] / 100 + 0.06 < 0.14 and lasts[-1] and not lasts[0]


def test_a_body_below_its_feet_lies_on_a_floor_of_its_own():
    low = lambda off: height(steps([0, 0, 0.5], [1, 0, 0.5]), -off)  # noqa: E731
    assert turning_point(lambda off: low(off)[1], 0.0, 0.3) == about(0.08 * LEG)
    assert low(0.2) == (pytest.approx(0.3), False)


def flying(low: float = 0.7) -> np.ndarray:
    return np.stack([np.arange(60.0), np.zeros(60), low + 0.3 * np.abs(np.sin(np.arange(60)))], 1)[:, None]


def test_where_nothing_stands_the_files_own_ground_is_believed_if_it_is_near_below():
    places = flying()
    lowest = float(np.percentile(places[..., 2], 1))
    assert height(places) == (pytest.approx(lowest), False)
    assert height(places, hints=(0.2, 0.0))[0] == 0.2, "the highest"
    taken = lambda hint: height(places, hints=(hint,))[0] == hint  # noqa: E731
    assert lowest - turning_point(taken, lowest - 3.0, lowest) == about(1.5 * LEG)
    assert turning_point(taken, lowest, lowest + 0.3) - lowest == about(0.06 * LEG)
    none = np.zeros((60, 0, 3))
    assert floor_height(none, places, RATE, LEG, (0.2,)) == (0.2, False)


def walked(lean, count: int = 12, noise: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(3)
    ground = rng.uniform(-20, 20, (count, 2))
    return steps(*np.c_[ground, ground @ np.array(lean, float) + 1.0 + noise * rng.normal(size=count)])


def test_a_floor_leans_as_a_plane_through_what_stands_on_it():
    lean, middle = floor_lean(walked([0.0008, -0.001]), RATE, LEG)
    np.testing.assert_allclose(lean, [0.0008, -0.001], rtol=0.01)
    assert np.abs(middle).max() < 8
    np.testing.assert_array_equal(floor_lean(walked([0.0, 0.0]), RATE, LEG)[0], [0, 0])
    np.testing.assert_array_equal(floor_lean(np.zeros((9, 0, 3)), RATE, LEG)[0], [0, 0])
    leans = lambda count: floor_lean(walked([0.0008, -0.001], count), RATE, LEG)[0].any()  # noqa: E731
    assert [leans(count) for count in (4, 5, 6, 7)] == [False, False, True, True]


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
def test_a_floor_leans_alike_in_any_unit_and_a_box_beside_it_is_no_part_of_it(size):
    places = np.concatenate([walked([0.0008, -0.001]), steps([3.0, 0.0, 1.4], [4.0, 0.0, 1.4])])
    lean, middle = floor_lean(size * places, RATE, size * LEG)
    plain = floor_lean(walked([0.0008, -0.001]), RATE, LEG)
    np.testing.assert_allclose(lean, plain[0], rtol=1e-6)
    np.testing.assert_allclose(middle, size * plain[1], rtol=1e-6)


def to_and_fro(slope: float, far: float) -> np.ndarray:
    """Eight steps along X between two places."""
    x = far * np.tile([-1.0, 1.0], 4)
    return steps(*np.stack([x, 0 * x, slope * x + 1.0], 1))


def test_hills_and_uneven_feet_are_no_lean_and_steps_on_the_spot_say_little():
    leans = lambda slope, far: floor_lean(to_and_fro(slope, far), RATE, LEG)[0][0]  # noqa: E731
    for far in (0.2, 0.4, 2.0):
        share = far**2 / (far**2 + (0.5 * LEG)**2)  # pulled to the level by steps of half a leg
        assert leans(0.01, far) == (about(0.01 * share, rel=0.01) if share > 0.3 else 0.0), far
    assert turning_point(lambda slope: leans(slope, 0.5 * LEG) != 0, 0.01, 0.119) == about(0.1)
    far = turning_point(lambda far: leans(0.01, far) != 0, 0.05, 1.0)
    assert (0.25 * LEG**2 / (far**2 + 0.25 * LEG**2))**2 == about(0.5), "what is left of the unevenness"
    bumps = lambda noise: floor_lean(walked([0.0008, 0.0], noise=noise), RATE, LEG)[0].any()  # noqa: E731
    assert bumps(0.001) and not bumps(0.014)
