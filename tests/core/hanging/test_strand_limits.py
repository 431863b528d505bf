"""What is a strand on the head, on both sides of every limit; the columns of a sheet."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.grid import Grid
from core.hanging.fused import _is_long, _on_head, about
from core.hanging.strips import carried_over, column_lengths, columns_of, joints
from core.hanging.wings import _behind
from tests.limits import turning_point


def stretch(long: float, wide: float = 0.0) -> np.ndarray:
    """(N, 3) places of a strand that hangs down from the roots at the origin's height, so long and so wide."""
    z, x = (one.ravel() for one in np.meshgrid(np.linspace(-long, 0, 101), np.linspace(0, wide, 21)))
    return np.stack([x, 0 * x, z], 1)


def roots(wide: float) -> np.ndarray:
    return np.linspace([0, 0, 0], [wide, 0, 0], 21)


def test_a_strand_is_long_and_its_root_no_wider_than_half_of_that():
    assert turning_point(lambda long: _is_long(stretch(long), roots(0.01)), 0.05, 0.2) == pytest.approx(0.1, rel=0.01)
    assert turning_point(lambda wide: _is_long(stretch(0.3), roots(wide)), 0.01, 0.3) == pytest.approx(0.15, rel=0.01)


def test_most_of_a_strand_begins_at_the_head():
    along = np.stack([np.linspace(end, end + [0, 0, 0.1], 9) for end in np.array([[0, 0, 0.5], [0, 0, 0.7]])], axis=1)
    begins = lambda share: _on_head(np.where(np.arange(100)[:, None] < 100 * share, [0.05, 0, 0.75], [0.05, 0, 0.55]  # noqa: E731
                                             ), along, 1)
    assert turning_point(begins, 0.0, 1.0) == pytest.approx(0.6, abs=0.011)
    assert _on_head(np.array([[0.0, 0.0, 0.62]]), along, 0)


def test_a_place_between_two_columns_of_a_sheet_belongs_to_both():
    np.testing.assert_allclose(columns_of(np.array([0.0, 0.25, 0.5, 0.625, 0.75, 1.0]), 2),
                               [[1, 0], [1, 0], [0.5, 0.5], [0.25, 0.75], [0, 1], [0, 1]])
    np.testing.assert_allclose(columns_of(np.array([0.0, 1 / 3, 0.5, 1.0]), 3),
                               [[1, 0, 0], [0.5, 0.5, 0], [0, 1, 0], [0, 0, 1]], atol=1e-12)
    assert (columns_of(np.array([0.0, 0.7]), 1) == 1).all()


def test_a_column_is_as_long_as_all_but_the_last_twentieth_of_its_cloth():
    away, aside = np.repeat(np.linspace(0, 1, 201), 2), np.tile([0, 1], 201)
    columns = np.stack([aside == 0, aside == 1], 1).astype(float)
    short = np.where((aside == 1) & (away > 0.4), 0.0, 1.0)
    np.testing.assert_allclose(column_lengths(away, columns, short), [0.95, 0.38], atol=0.006)
    few = np.where(away > 0.9, 1e-9, 1.0)
    np.testing.assert_allclose(column_lengths(away, columns, few), [0.95 * 0.9] * 2, atol=0.006)


@pytest.mark.parametrize("bones", [1, 3, 4])
def test_joints_lie_at_equal_steps_down_a_column_in_the_middle_of_its_cloth(bones):
    along, x = (one.ravel() for one in np.meshgrid(np.linspace(0, 1, 201), np.linspace(-1, 1, 21), indexing="ij"))
    points = np.stack([x + 2, along**2, 3 * along], 1)
    found = joints(points, along[:, None], np.ones((len(points), 1)), np.ones(len(points)), bones)[0]
    assert found.shape == (bones + 1, 3)
    inner = np.arange(1, bones) / bones
    np.testing.assert_allclose(found[1:-1, 2], 3 * inner, atol=0.03)
    np.testing.assert_allclose(found[:, 0], 2, atol=1e-9)
    assert (0 < found[0, 2] < 0.3 * 3 / bones) and (0 < 3 - found[-1, 2] < 0.3 * 3 / bones)
    heavy = np.where(x > 0, 3.0, 1.0)
    assert (joints(points, along[:, None], np.ones((len(points), 1)), heavy, bones)[0][:, 0] > 2.2).all()


def test_values_pass_from_samples_to_the_places_near_them(rng):
    points = rng.uniform(size=(500, 3))
    np.testing.assert_allclose(carried_over(points[:, 0], points, points[:40]), points[:40, 0], atol=1e-3)
    some = rng.uniform(0.2, 0.8, (100, 3))
    assert np.abs(carried_over(points[:, 0], points, some) - some[:, 0]).max() < 0.15
    near = carried_over(np.array([0.0, 1.0]), np.array([[0.0, 0, 0], [3, 0, 0]]), np.array([[1.0, 0, 0], [1.5, 0, 0]]))
    np.testing.assert_allclose(near, [(1 / 4) / (1 + 1 / 4), 0.5]), "by the square of how far they are"


def test_what_lies_about_marked_voxels_grows_evenly_between_a_cube_and_an_octahedron():
    marked = np.zeros((21, 21, 21), bool)
    marked[10, 10, 10] = True
    for reach in range(5):
        found = np.argwhere(about(marked, reach)) - 10
        assert np.abs(found).max(initial=0) == reach
        assert np.abs(found).sum(1).max() == reach + 2 * (reach // 2), "each second step goes to corners too"
    assert (about(marked, 1.4) == about(marked, 1)).all() and (about(marked, 1.6) == about(marked, 2)).all()


@pytest.mark.parametrize("axis", [1, 2])
def test_the_part_of_a_grid_behind_a_place_lies_where_it_lay(axis):
    grid, values = Grid(np.array([-1.0, -2.0, -3.0]), 0.1, (20, 30, 40)), np.arange(24000).reshape(20, 30, 40)
    low = grid.origin[axis]
    part, where = _behind(grid, axis, low + 0.75)
    assert values[where].shape == tuple(part.shape) and part.shape[axis] == grid.shape[axis] - 7
    first = np.array([s.start for s in where])
    np.testing.assert_allclose(part.centres(np.zeros((1, 3))), grid.centres(first[None]))
    assert _behind(grid, axis, low - 5)[0].shape == grid.shape
    assert _behind(grid, axis, low + 50)[0].shape[axis] == 2
