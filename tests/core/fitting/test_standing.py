"""Where the trunk of what stands on the ground runs, through flesh whose middle is known."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from core.fitting.outline import Line
from core.fitting.trunk import _column, is_leg, out_of_wreath, standing
from core.geometry.grid import Grid
from tests.limits import turning_point

SPACING = 0.02
GRID = Grid(np.array([-0.5, -0.5, 0.0]), SPACING, (50, 70, 50))


def about(value: float):
    return pytest.approx(value, rel=0.03)


def flesh(radius: float = 0.1, more=None) -> SimpleNamespace:
    """A pillar that leans back, its middle at y = 0.3 z, and more where that is below 0."""
    def sample(points):
        aside = np.hypot(points[:, 0], points[:, 1] - 0.3 * points[:, 2]) - radius
        return aside if more is None else np.minimum(aside, more(points))

    places = GRID.centres(np.argwhere(np.ones(GRID.shape, bool)))
    return SimpleNamespace(grid=GRID, sample=sample, solid=(sample(places) < 0).reshape(GRID.shape))


def line(*points, part: str = "limb", side: str = "", parent: Line | None = None, radius: float = 0.05,
         flat: float = 1.0) -> Line:
    return Line(part, side, np.array(points, float), np.full(len(points), radius), parent, 1.0, flat=flat)


def looked_at(lines: list[Line], plane: float | None = 0.0) -> SimpleNamespace:
    spine, rear = lines[0], next((one for one in lines if one.part == "tail"), None)
    way = spine.points[-1] - (spine.points[0] if rear is None else rear.points[-1])
    return SimpleNamespace(lines=lines, spine=spine, rear=rear, plane=plane, low=0.0, rise=way[2] / np.linalg.norm(way),
                           length=spine.length + (0 if rear is None else rear.length),
                           limbs=[one for one in lines if one.part == "limb"])


UP = line([0, 0.12, 0.4], [0, 0.24, 0.8], part="spine")


@pytest.mark.parametrize("hips", [None, 0.3])
def test_a_column_follows_the_middle_of_the_flesh_and_not_what_stands_aside(hips):
    aside = lambda p: np.maximum(np.abs(p[:, 0] - 0.35) - 0.05, np.abs(p[:, 1] - 0.6) - 0.2)  # noqa: E731
    found = _column(looked_at([UP]), flesh(more=aside), None if hips is None else np.array([0, 0.1, hips]))
    bottom = SPACING / 2 if hips is None else hips
    assert found.shape == (24, 3) and not found[:, 0].any()
    np.testing.assert_allclose(found[[0, -1], 2], [bottom, bottom + 0.85 * (0.99 - bottom)])
    np.testing.assert_allclose(found[3:, 1], 0.3 * found[3:, 2], atol=0.003)


def lying(long: float, rise: float) -> SimpleNamespace:
    """A roll half so long on each side of y = 0.2, 0.1 thick each way, that rises forward."""
    way = np.array([-np.cos(rise), np.sin(rise)])

    def sample(points):
        off = points[:, 1:] - [0.2, 0.5]
        along = np.clip(off @ way, -long, long)
        return np.linalg.norm(np.column_stack([points[:, 0], off - along[:, None] * way]), axis=1) - 0.1

    places = GRID.centres(np.argwhere(np.ones(GRID.shape, bool)))
    return SimpleNamespace(grid=GRID, sample=sample, solid=(sample(places) < 0).reshape(GRID.shape))


SHORT_UP = line([0, 0.2, 0.5], [0, 0.2, 0.55], part="spine")


@pytest.mark.parametrize("rise", [0.0, 0.5])
def test_the_trunk_of_a_lump_that_lies_goes_from_its_rear_to_its_front(rise):
    spine = standing(looked_at([SHORT_UP]), lying(0.3, rise), 0.1)[0].points
    way = np.array([0.0, -np.cos(rise), np.sin(rise)])
    along = (spine - [0, 0.2, 0.5]) @ way
    assert (np.diff(along) > 0).all() and along[0] < -0.36 and along[-1] > 0.2
    assert np.linalg.norm(spine - [0, 0.2, 0.5] - np.outer(along, way), axis=1).max() < 0.01


@pytest.mark.parametrize(("long", "rise"), [(0.01, 0.0), (0.3, 1.2), (0.3, np.pi / 2)])
def test_the_trunk_of_a_lump_that_is_hardly_longer_than_tall_or_stands_goes_up(long, rise):
    spine = standing(looked_at([SHORT_UP]), lying(long, rise), 0.1)[0].points
    assert (np.diff(spine[:, 2]) > 0).all() and spine[0, 2] < 0.5 - 0.08 - 0.8 * long * np.sin(rise)


def test_deep_flesh_counts_more_by_the_square_of_its_depth():
    sheet = lambda p: np.maximum(np.abs(p[:, 0]) - 0.4, np.abs(p[:, 1] - 0.3 * p[:, 2] - 0.3) - 0.015)  # noqa: E731
    body = flesh(more=sheet)
    found = _column(looked_at([UP]), body, None)
    places = GRID.centres(np.argwhere(body.solid))
    depth = -body.sample(places)
    near = np.abs(places[:, 0]) < depth.max()
    level = near & (np.abs(places[:, 2] - 0.51) < 1e-9)
    weight = np.maximum(depth[level], SPACING / 4)**2
    expected = (weight * places[level, 1]).sum() / weight.sum()
    assert 0.154 < expected < 0.16, "the sheet hardly counts"
    assert np.interp(0.51, found[:, 2], found[:, 1]) == pytest.approx(expected, abs=0.0005)


def test_without_a_mirror_plane_a_column_stays_near_its_line():
    """A shelf at the level of the middle, as thick as the pillar, is cut where the pillar's depth ends."""
    shelf = lambda p: np.maximum(np.abs(p[:, 2] - 0.5) - 0.05, np.abs(p[:, 0]) - 0.2)  # noqa: E731
    found = {plane: _column(looked_at([UP], plane), flesh(more=shelf), None) for plane in (0.0, None)}
    middle = [np.interp(0.5, way[:, 2], way[:, 1]) for way in found.values()]
    assert middle[0] > 0.17 > middle[1], "with one, all of the shelf counts"


def legs(z: float = 0.3) -> list[Line]:
    return [line([sign * 0.05, 0.08, z], [sign * 0.4, 0.0, 0.0], side=side, parent=UP)
            for side, sign in (("L", 1), ("R", -1))]


def changed(lines: list[Line], body, least: float = 0.2, plane: float | None = 0.0) -> bool:
    seen = looked_at(lines, plane)
    return standing(seen, body, least) is not seen.lines


@pytest.mark.parametrize(("low", "high", "limit", "change"), [
    (0.0, 0.2, 0.08, lambda v: changed([line([0, 0.12, 0.4], [v, 0.24, 0.8], part="spine")], flesh())),
    (0.1, 0.9, UP.length, lambda v: changed([UP], flesh(), v)),
    (0.05, 0.3, UP.length / 3, lambda v: changed([UP], SimpleNamespace(
        grid=GRID, solid=flesh().solid, sample=lambda p: np.full(len(p), -v)))),
    (0.2, 0.4, 0.4 - 0.15 / 2, lambda v: changed([UP, *legs(v)], flesh())),
    (0.0, 0.9, 0.645, lambda v: changed([line([0, 0.12, 0.4], [0, 0.24, 0.8], part="spine"), line(
        [0, 0.12, 0.4], [0, 0.12 + v, 0.1], part="tail", parent=UP)], SimpleNamespace(
            grid=GRID, sample=lambda p: np.full(len(p), -0.05))))],
    ids=["astray", "short", "round", "from the hips", "steep"])
def test_a_trunk_is_drawn_anew_from_a_limit_on(low, high, limit, change):
    assert turning_point(change, low, high) == about(limit)


def test_a_trunk_that_stands_begins_at_its_lower_end_and_hangs_on_no_tail():
    tail = line([0, 0.12, 0.4], [0, 0.09, 0.3], [0, 0.06, 0.2], part="tail", parent=UP)
    arm = line([0, 0.2, 0.7], [0.3, 0.2, 0.7], side="L", parent=UP)
    on_tail = line([0, 0.06, 0.2], [0.3, 0.06, 0.2], side="L", parent=tail)
    spine, *limbs = standing(looked_at([UP, tail, arm, on_tail]), flesh(), 0.2)
    np.testing.assert_allclose(spine.points, [[0, 0.06, 0.2], [0, 0.09, 0.3], [0, 0.12, 0.4], [0, 0.24, 0.8]])
    np.testing.assert_allclose(spine.radii, 0.1)
    assert len(limbs) == 2 and all(limb.parent is spine for limb in limbs)
    first, *_ = standing(looked_at([UP, *legs()]), flesh(), 0.2)
    np.testing.assert_allclose(first.points, [[0, 0.08, 0.3], *UP.points])


def test_a_trunk_ends_straight_ahead_and_not_in_a_corner_of_a_blunt_end():
    heights = np.linspace(0.5, 0.95, 10)
    up = line(*[[0, 0.3 * z, z] for z in heights], [0, 0.21, 0.98], part="spine")
    tail = line(*[[0, 0.3 * z, z] for z in 1 - heights], [0, 0.09, 0.02], part="tail", parent=up)
    spine, = standing(looked_at([up, tail]), flesh(), 0.2)
    np.testing.assert_allclose(spine.points[:, :2], np.outer(spine.points[:, 2], [0, 0.3]), atol=1e-9)
    assert (np.diff(spine.points[:, 2]) > 0).all() and np.ptp(spine.points[:, 2]) > 0.9


def test_no_bone_spans_the_air():
    bent = line([0, 0.12, 0.4], [0, 0.24, 0.8], part="spine")
    low = [line([s * 0.05, -0.3, 0.2], [s * 0.05, -0.3, 0], side=side, parent=UP) for side, s in (("L", 1), ("R", -1))]
    assert not changed([bent, *low], flesh())


@pytest.mark.parametrize(("low", "high", "limit", "leg"), [
    (0.0, 0.2, 0.04, lambda v: line([0.1, 0, 0.5], [0.1, 0, v], side="L")),
    (0.0, 0.3, 0.1, lambda v: line([0.1, 0, v], [0.6, 0, 0.0], side="L")),
    (0.12, 0.6, 0.3, lambda v: line([0.1, 0, 0.11], [0.1 + np.sqrt(v**2 - 0.11**2), 0, 0.0], side="L"))])
def test_a_leg_comes_down_to_the_ground_from_above_and_is_long(low, high, limit, leg):
    assert turning_point(lambda value: is_leg(leg(value), 0.0), low, high) == about(limit)
    assert not is_leg(line([0.1, 0, 0.5], [0.1, 0, 0.0]), 0.0), "one in the middle is a tail"


def wreath(radius: float = 0.05, long: float = 0.5, flat: float = 1.0) -> list[Line]:
    """Eight arms around a pillar's foot, one of which is taken for the spine.  radius, flat : of that"""
    ways = [np.array([np.cos(a), np.sin(a), 0.0]) for a in np.linspace(0, 2 * np.pi, 8, endpoint=False) - np.pi / 2]
    first = line([0, 0, 0.1], ways[0] * 0.1 + [0, 0, 0.1], ways[0] * long + [0, 0, 0.05], part="spine", radius=radius,
                 flat=flat)
    return [first, *(line(way * 0.1 + [0, 0, 0.1], way * long + [0, 0, 0.05], parent=first) for way in ways[1:])]


def test_an_arm_of_a_wreath_is_no_spine_if_it_is_as_thick_as_the_others_and_the_bag_is_high():
    seen = looked_at(wreath())
    spine, *arms = out_of_wreath(seen, flesh())
    assert len(arms) == 8 and all(arm.parent is spine and arm.part == "limb" for arm in arms)
    assert np.ptp(spine.points[:, 2]) > 0.5 and np.linalg.norm(arms[-1].points[0][:2]) >= 0.1
    changes = lambda body=None, **kind: out_of_wreath(s := looked_at(wreath(**kind)), body or flesh()) is not s.lines  # noqa: E731
    assert turning_point(lambda v: changes(radius=v), 0.06, 0.1, steps=6) == about(0.075)
    assert turning_point(lambda v: changes(radius=v), 0.03, 0.04, steps=6) == about(0.05 / 1.5)
    assert turning_point(lambda v: changes(flat=v), 1.5, 2.0, steps=6) == about(1.7)
