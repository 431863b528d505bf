"""Wheels of known size and place are found as they are, and what is less round, flat or large is none."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.outline import Line
from core.fitting.wheels import is_on_wheels, wheels_under, with_wheels
from core.geometry.blocks import drawn_apart
from core.geometry.mesh import Mesh
from core.geometry.rotation import between, rotate
from core.geometry.wheels import Wheel, find_wheels
from tests.core.skinning.solids import joined
from tests.limits import turning_point
from tests.shapes import box

CAR = box((0.4, 1.0, 0.3), (0, 0, 0.3)).mesh


def prism(radius: float, half: float, centre, axis=(1.0, 0, 0), *, corners: int = 48, squash: float = 1.0) -> Mesh:
    """A closed prism whose axis points so."""
    angle = np.linspace(0, 2 * np.pi, corners, endpoint=False)
    ring = radius * np.stack([np.cos(angle), squash * np.sin(angle)], 1)
    points = np.concatenate([np.c_[np.full(corners, x), ring] for x in (-half, half)] + [[[-half, 0, 0], [half, 0, 0]]])
    k, n = np.arange(corners), (np.arange(corners) + 1) % corners
    faces = np.concatenate([np.stack([k, n, n + corners], 1), np.stack([k, n + corners, k + corners], 1),
                            np.stack([n, k, 0 * k + 2 * corners], 1),
                            np.stack([k + corners, n + corners, 0 * k + 2 * corners + 1], 1)])
    return Mesh(rotate(between([1.0, 0, 0], np.array(axis, float)), points) + centre, faces)


@pytest.mark.parametrize("axis", [(1.0, 0, 0), (0.6, 0.0, 0.8), (0.36, 0.48, 0.8)])
def test_a_wheel_is_where_it_is_as_large_as_it_is(axis):
    wheel, = find_wheels(joined(CAR, prism(0.15, 0.04, (0.3, 0.4, 0.2), axis)))
    centre, found, radius, width = wheel.centre, wheel.axis, wheel.radius, wheel.width
    np.testing.assert_allclose(centre, [0.3, 0.4, 0.2], atol=1e-9)
    assert abs(found @ axis) == pytest.approx(1) and (radius, width) == (pytest.approx(0.15), pytest.approx(0.04))


@pytest.mark.parametrize(("low", "high", "limit", "other"), [
    (0.02, 0.1, 0.05, lambda v: prism(v, 0.02, (0.4, 0, 0.2))),  # a button
    (0.5, 1.0, 0.9**0.5, lambda v: prism(0.15, 0.04, (0.4, 0, 0.2), squash=v))],  # an egg
    ids=["small", "oval"])
def test_what_is_small_or_oval_is_no_wheel(low, high, limit, other):
    has = lambda value: len(find_wheels(joined(CAR, other(value)))) == 1  # noqa: E731
    assert turning_point(has, low, high) == pytest.approx(limit, rel=0.03)


def test_a_roller_is_no_wheel():
    """The surface of one of radius 1 and half width h varies by h^2 + 2 h^3 / 3 along the axis against 1/4 + h."""
    half = turning_point(lambda h: len(find_wheels(joined(CAR, prism(0.1, 0.1 * h, (0.4, 0, 0.2))))) == 1, 0.1, 2.0)
    assert (half**2 + 2 * half**3 / 3) / (0.25 + half) == pytest.approx(0.5, rel=0.03)


@pytest.mark.parametrize(("count", "least"), [(2, 0.05), (3, 0.03)])
def test_wheels_that_a_body_stands_on_may_be_small(count, least):
    def has(radius: float, low: float = 0.15) -> bool:
        wheels = [prism(radius, 0.01, (0.3, y, radius)) for y in (-0.4, 0.0, 0.4)[:count]]
        return len(find_wheels(joined(CAR.moved(CAR.vertices + [0, 0, low - 0.15]), *wheels))) == count

    assert turning_point(has, 0.01, 0.1) == pytest.approx(least, rel=0.03)
    assert not has(0.04, -0.1), "the body comes further down than they do"


@pytest.mark.parametrize(("count", "most"), [(2, 0.5), (3, 0.8)])
def test_wheels_that_a_body_stands_on_may_be_broad(count, most):
    def has(half: float) -> bool:
        wheels = [prism(0.1, 0.1 * half, (0.3, y, 0.1)) for y in (-0.4, 0.0, 0.4)[:count]]
        return len(find_wheels(joined(CAR, *wheels))) == count

    half = turning_point(has, 0.1, 2.0)
    assert (half**2 + 2 * half**3 / 3) / (0.25 + half) == pytest.approx(most, rel=0.03)


def test_a_disc_that_lies_on_the_ground_is_a_foot_or_a_base_and_one_above_it_turns():
    disc = lambda rise: prism(0.12, 0.02, (0.4, 0, 0.02 + rise), (0, 0, 1.0))  # noqa: E731
    stand = box((0.1, 0.1, 0.2), (0, 0, 0.1)).mesh
    assert turning_point(lambda rise: len(find_wheels(joined(CAR, stand, disc(rise)))) == 0, 0.0, 0.1) == pytest.approx(
        0.03, rel=0.05)
    assert len(find_wheels(joined(CAR, stand, prism(0.12, 0.02, (0.4, 0, 0.12))))) == 1, "this one rolls"


def test_wheels_beside_a_body_of_blocks_stay_as_they_are():
    blocks = [box((0.2, 0.2, 0.2), (0, 0.2 * k - 0.4, 0.3)).mesh for k in range(5)]
    wheels = [prism(0.08, 0.04, (x, y, 0.2)) for x in (-0.14, 0.14) for y in (-0.4, 0.4)]
    both = joined(*blocks, *wheels)
    apart, count = drawn_apart(both), sum(len(block.vertices) for block in blocks)
    assert (apart.vertices[:count] != both.vertices[:count]).any()
    assert (apart.vertices[count:] == both.vertices[count:]).all()


def test_a_body_on_fewer_wheels_stands_on_nothing_else():
    def on(*centres, foot: float = 0.2) -> bool:
        rest = box((0.1, 0.1, 0.5), (0, 0, foot + 0.25)).mesh
        wheels = [prism(0.15, 0.04, centre) for centre in centres]
        return is_on_wheels(joined(CAR.moved(CAR.vertices + [0, 0, 0.2]), rest, *wheels))

    assert on((0, -0.4, 0.15), (0, 0.4, 0.15)) and on((0.1, 0, 0.15)), "a bicycle and a unicycle"
    assert not on((0, -0.4, 0.15), (0, 0.4, 0.15), foot=0.0) and not on()
    assert on(*((x, y, 0.15) for x in (-0.3, 0.3) for y in (-0.4, 0.4)), foot=0.0), "a cart with a stand"


def test_a_wheel_has_six_corners_at_least_and_is_a_small_part():
    count = lambda corners: len(find_wheels(joined(CAR, prism(0.15, 0.03, (0.4, 0, 0.2), corners=corners))))  # noqa: E731
    assert [count(corners) for corners in (4, 5, 6, 7, 12)] == [0, 0, 1, 1, 1]
    assert len(find_wheels(joined(prism(0.3, 0.05, (0, 0, 0.3)), prism(0.2, 0.05, (2, 0, 0.3))))) == 1
    assert find_wheels(prism(0.3, 0.05, (0, 0, 0.3))) == []


def test_a_tyre_and_its_rim_are_one_wheel_and_two_side_by_side_are_two():
    tyre, rim = prism(0.2, 0.05, (0.4, 0.3, 0.2)), prism(0.12, 0.03, (0.42, 0.3, 0.2))
    wheel, = find_wheels(joined(CAR, rim, tyre))
    assert (wheel.radius, wheel.width) == (pytest.approx(0.2), pytest.approx(0.05))
    assert len(find_wheels(joined(CAR, tyre, prism(0.2, 0.05, (0.52, 0.3, 0.2))))) == 2
    assert len(find_wheels(joined(CAR, tyre, prism(0.12, 0.03, (0.42, 0.3, 0.2), (0, 1.0, 0))))) == 2


def test_wheels_that_steer_point_outwards_on_either_side_and_a_bicycles_to_one():
    spine = line("spine", None, [0, 0.4, 0.3], [0, -0.4, 0.3])
    steered = joined(CAR, *(prism(0.12, 0.03, (x, -0.5, 0.12), (0.8, 0.6, 0)) for x in (-0.3, 0.3)))
    for wheel in with_wheels([spine], steered)[1:]:
        assert (wheel.points[1, 0] - wheel.points[0, 0]) * wheel.points[0, 0] > 0
    bicycle = joined(CAR, *(prism(0.12, 0.03, (0, y, 0.12), (sign, 0, 0)) for y, sign in ((-0.5, 1.0), (0.5, -1.0))))
    assert all(wheel.points[1, 0] > 0.05 for wheel in with_wheels([spine], bicycle)[1:])


def test_what_stands_on_wheels_stands_on_those_that_are_upright_and_reach_the_ground():
    def under(rise: float = 0.0, lean: float = 0.0) -> int:
        axis = (np.sqrt(1 - lean**2), 0.0, lean)
        wheels = [prism(0.12, 0.03, (x, y, 0.12 + rise), axis) for x in (-0.3, 0.3) for y in (-0.4, 0.4)]
        return wheels_under(joined(CAR, box((0.1, 0.1, 0.1), (0, 0, 0.05)).mesh, *wheels))

    assert under() == 4
    assert turning_point(lambda rise: under(rise) == 4, 0.0, 0.1) == pytest.approx(0.03, rel=0.03)
    assert turning_point(lambda lean: under(0.0, lean) == 4, 0.0, 0.9) == pytest.approx(0.3, rel=0.03)


def line(part: str, parent: Line | None, *points) -> Line:
    return Line(part, "", np.array(points, float), np.full(len(points), 0.05), parent, 1.0)


def test_wheels_take_the_place_of_the_limbs_that_lie_in_them_and_point_away_from_the_body():
    mesh = joined(CAR, *(prism(0.12, 0.03, (x, y, 0.12)) for x in (-0.3, 0.3) for y in (-0.4, 0.4)))
    spine = line("spine", None, [0, 0.4, 0.3], [0, -0.4, 0.3])
    inside = line("limb", spine, [0.3, 0.4, 0.12], [0.3, 0.45, 0.12], [0.3, 0.48, 0.1], [0.9, 0.4, 0.1])
    on_it = line("limb", inside, [0.9, 0.4, 0.1], [1.2, 0.4, 0.1])
    beside = line("limb", spine, [0.3, 0.4, 0.12], [0.3, 0.45, 0.12], [0.9, 0.4, 0.1], [1.2, 0.4, 0.1])
    first, other, *wheels = with_wheels([spine, inside, on_it, beside], mesh)
    assert first is spine and other is beside and len(wheels) == 4
    for wheel in wheels:
        centre, end = wheel.points
        assert wheel.sort == "wheel" and wheel.side == ("L" if centre[0] > 0 else "R") and wheel.parent is spine
        np.testing.assert_allclose(end - centre, [0.06 * np.sign(centre[0]), 0, 0], atol=1e-9)  # half the radius
        np.testing.assert_allclose(wheel.radii, 0.12)
        np.testing.assert_allclose(wheel.twin.points[0], centre * [-1, 1, 1], atol=1e-9)
    wide, = with_wheels([spine], joined(CAR, prism(0.12, 0.063, (0.0, 0.6, 0.12))))[1:]
    assert np.linalg.norm(np.diff(wide.points, axis=0)) == pytest.approx(0.063)
    assert wide.side == "" and wide.twin is None
    assert with_wheels([spine], CAR) == [spine]


def test_places_are_told_along_the_axle_and_from_it(rng):
    axis, aside = np.array([0.6, 0.8, 0.0]), np.array([-0.8, 0.6, 0.0])
    along, away, turn = rng.uniform(-1, 1, 20), rng.uniform(0, 1, 20), rng.uniform(0, 6, 20)
    beside = np.cos(turn)[:, None] * aside + np.sin(turn)[:, None] * [0, 0, 1]
    centre = np.array([3.0, -2, 5])
    found = Wheel(centre, axis, 1.0, 0.1).places(centre + along[:, None] * axis + away[:, None] * beside)
    np.testing.assert_allclose(found, [along, away], atol=1e-12)
