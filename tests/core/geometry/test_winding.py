"""Winding numbers: 1 inside, 0 outside, additive, and equal to the sum of exact solid angles."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.mesh import Mesh
from core.geometry.winding import hilbert_order, triangle_blocks, winding_numbers
from tests.core.geometry.soups import ball, cube, join, keep_faces, turn_faces


def naive(mesh: Mesh, points) -> np.ndarray:
    """The same by L'Huilier's spherical triangles, a triangle at a time: an independent formula."""
    total = np.zeros(len(points))
    for triangle in mesh.triangles:
        directions = triangle - np.asarray(points)[:, None]
        lengths, volume = np.linalg.norm(directions, axis=2), np.linalg.det(directions)
        some = (lengths.min(1) > 0) & (volume != 0)
        a, b, c = (directions[some] / lengths[some][..., None]).transpose(1, 0, 2)
        arc = [2 * np.arcsin(np.minimum(1.0, np.linalg.norm(u - v, axis=1) / 2)) for u, v in ((b, c), (c, a), (a, b))]
        s = sum(arc) / 2
        excess = np.tan(s / 2) * np.prod([np.maximum(np.tan((s - x) / 2), 0.0) for x in arc], axis=0)
        total[some] += np.copysign(4 * np.arctan(np.sqrt(np.maximum(excess, 0.0))), volume[some])
    return total / (4 * math.pi)


def grid(low, high, count):
    side = np.linspace(low, high, count)
    return np.stack(np.meshgrid(side, side, side), -1).reshape(-1, 3)


def test_ball_is_one_inside_and_zero_outside():
    points = grid(-1.5, 1.5, 23)
    distance = np.linalg.norm(points, axis=1)
    found = winding_numbers(ball(fineness=5), points)
    assert np.abs(found[distance < 0.99] - 1).max() < 0.02
    assert np.abs(found[distance > 1.01]).max() < 0.02


def test_overlap_of_two_balls_counts_twice():
    points = grid(-1.5, 2.0, 19)
    one, two = np.linalg.norm(points, axis=1), np.linalg.norm(points - [0.8, 0, 0], axis=1)
    clear = (np.abs(one - 1) > 0.02) & (np.abs(two - 1) > 0.02)
    found = winding_numbers(join(ball(fineness=4), ball((0.8, 0, 0), fineness=4)), points)
    expected = (one < 1).astype(int) + (two < 1)
    assert set(expected[clear]) == {0, 1, 2}
    assert np.abs(found - expected)[clear].max() < 0.03


def test_turned_faces_count_negative(rng):
    mesh, points = ball(fineness=4), rng.normal(size=(200, 3))
    turned = turn_faces(mesh, np.ones(len(mesh.faces), bool))
    assert np.abs(winding_numbers(turned, points) + winding_numbers(mesh, points)).max() < 1e-6
    half = turn_faces(mesh, mesh.triangles.mean(1)[:, 2] > 0)
    assert abs(winding_numbers(half, [[0, 0, 0]])[0]) < 5e-3


def test_open_hemisphere_lies_between():
    mesh = ball(fineness=5)
    bowl = keep_faces(mesh, mesh.triangles.mean(1)[:, 2] < 0)
    found = winding_numbers(bowl, [[0, 0, 0], [0, 0, -0.8], [0, 0, 1.5], [0, 0, -3]])
    assert abs(found[0] - 0.5) < 0.01
    assert 0.5 < found[1] < 1
    assert 0 < found[2] < 0.5
    assert -0.1 < found[3] < 0


@pytest.mark.parametrize("scale", [1e-12, 1e-3, 1e20])
def test_scale_and_place_do_not_matter(scale, rng):
    mesh, points = ball((0, 0, 0.5), fineness=4), rng.normal(size=(300, 3))
    offset = np.array([3.0, -2.0, 1.0])
    moved = Mesh((mesh.vertices + offset) * scale, mesh.faces)
    # rounding can take a pair to the other side of the opening criterion, which moves the result by the error
    assert np.abs(winding_numbers(moved, (points + offset) * scale)
                  - winding_numbers(mesh, points)).max() < 5e-3


def test_order_of_faces_does_not_matter_much(rng):
    mesh, points = ball(fineness=4), rng.normal(size=(300, 3))
    shuffled = keep_faces(mesh, rng.permutation(len(mesh.faces)))
    assert np.abs(winding_numbers(shuffled, points) - winding_numbers(mesh, points)).max() < 1e-6


@pytest.mark.parametrize("count", [1, 2, 5, 33, 150])
def test_equals_the_exact_sum_on_soups(count, rng):
    vertices = rng.normal(size=(3 * count, 3))
    soup = Mesh(vertices, np.arange(3 * count).reshape(-1, 3))
    points = np.concatenate([rng.normal(size=(40, 3)) * 2, soup.triangles.mean(1)[:20] + 1e-4])
    assert np.abs(winding_numbers(soup, points) - naive(soup, points)).max() < 0.02


@pytest.mark.long
def test_equals_the_exact_sum_near_a_fine_surface(rng):
    mesh = ball(fineness=4)
    points = mesh.triangles.mean(1)[rng.integers(0, len(mesh.faces), 12)] + rng.normal(size=(12, 3)) * 0.02
    assert np.abs(winding_numbers(mesh, points) - naive(mesh, points)).max() < 0.02


def test_far_away_the_error_falls_with_the_fifth_power_of_the_distance(rng):
    """The expansion goes to the third order, and the first falls with the second power."""
    soup = Mesh(rng.uniform(-0.2, 0.2, (3 * 40, 3)), np.arange(3 * 40).reshape(-1, 3))
    ways = rng.normal(size=(200, 3))
    ways /= np.linalg.norm(ways, axis=1, keepdims=True)
    near, far = (np.abs(winding_numbers(soup, at * ways) - naive(soup, at * ways)).mean() for at in (1.5, 6.0))
    assert near / far == pytest.approx(4**5, rel=0.3)


def test_close_to_a_triangle_it_is_exact(rng):
    mesh = keep_faces(cube(), [3])
    points = mesh.triangles[0].mean(0) + rng.uniform(-0.5, 0.5, (60, 3))
    assert np.abs(winding_numbers(mesh, points) - naive(mesh, points)).max() < 1e-9


@pytest.mark.long
def test_answers_do_not_depend_on_the_other_points(rng):
    """Queries share their traversal in blocks; each alone must come out within the error of the expansion."""
    mesh, points = ball(fineness=4), rng.normal(size=(130, 3))
    alone = np.array([winding_numbers(mesh, p[None])[0] for p in points[:40]])
    assert np.abs(winding_numbers(mesh, points)[:40] - alone).max() < 0.02


def test_more_points_than_a_chunk(rng):
    points = rng.uniform(-1, 1, (2**14 + 17, 3))
    found = winding_numbers(cube((-0.5,) * 3, (0.5,) * 3), points)
    inside = (np.abs(points) < 0.5).all(1)
    assert np.abs(found - inside).max() < 0.02


def test_on_the_surface_it_is_finite_and_near_half():
    """A triangle with the point in it counts as none or half, as rounding falls; on an edge two triangles do so."""
    mesh = ball(fineness=3)
    within = winding_numbers(mesh, mesh.triangles.mean(1))
    assert (within > -0.02).all() and (within < 1.02).all()
    edges = winding_numbers(mesh, np.concatenate([mesh.vertices, mesh.triangles[:, :2].mean(1)]))
    assert np.isfinite(edges).all() and (np.abs(edges - 0.5) < 1.02).all()


def test_triangles_without_area_do_not_count(rng):
    mesh, points = ball(fineness=2), rng.normal(size=(50, 3))
    points[0] = mesh.vertices[3]
    flat = np.array([(3, 3, 5), (4, 4, 4), (1, 2, 1)])
    more = Mesh(mesh.vertices, np.concatenate([mesh.faces, flat]))
    assert np.array_equal(winding_numbers(more, points), winding_numbers(mesh, points))


def test_nothing_to_wind_round():
    points = np.zeros((3, 3))
    assert (winding_numbers(Mesh(np.zeros((0, 3)), np.zeros((0, 3))), points) == 0).all()
    assert (winding_numbers(Mesh(np.ones((3, 3)), [(0, 1, 2)]), points) == 0).all()
    assert (winding_numbers(Mesh([(0, 0, 0), (1, 0, 0), (2, 0, 0)], [(0, 1, 2)]), points) == 0).all()
    assert winding_numbers(ball(), np.zeros((0, 3))).shape == (0,)


def test_wrong_points_are_refused():
    with pytest.raises(ValueError, match="shape"):
        winding_numbers(ball(), [0.0, 0.0, 0.0])
    with pytest.raises(ValueError, match="finite"):
        winding_numbers(ball(), [[0.0, np.nan, 0.0]])


def test_far_strays_change_nothing():
    """A splinter far from the character must not spoil what is measured on the character, nor points far from both."""
    mesh = ball(fineness=3)
    stray = Mesh(mesh.vertices[:3] * 1e-3 + 500, [(0, 1, 2)])
    points = np.concatenate([grid(-0.9, 0.9, 5), [[1e12, 0, 0], [-1e200, 1e200, 0]]])
    expected = np.linalg.norm(points[:-2], axis=1) < 1
    found = winding_numbers(join(mesh, stray), points)
    clear = np.abs(np.linalg.norm(points[:-2], axis=1) - 1) > 0.05
    assert np.abs(found[:-2] - expected)[clear].max() < 0.02
    assert np.abs(found[-2:]).max() < 1e-6


def test_inputs_stay_and_bits_repeat(rng):
    mesh, points = ball(fineness=3), rng.normal(size=(100, 3))
    before = points.copy()
    first = winding_numbers(mesh, points)
    assert np.array_equal(points, before)
    assert np.array_equal(first, winding_numbers(mesh, points))


def test_hilbert_neighbours_are_neighbours():
    side = np.arange(8.0)
    cells = np.stack(np.meshgrid(side, side, side), -1).reshape(-1, 3)
    walk = cells[hilbert_order(cells, bits=3)]
    assert np.array_equal(np.abs(np.diff(walk, axis=0)).sum(1), np.ones(511)), "each step goes to a cell next door"


def test_balls_of_blocks_hold_their_triangles(rng):
    corners = rng.normal(size=(3, 3, 77))
    levels = triangle_blocks(corners, rng.normal(size=(3, 77)))
    assert [len(level.radius) for level in levels] == [77, 20, 5, 2, 1]
    for depth, level in enumerate(levels):
        block = np.arange(77) // 4**depth
        reach = np.linalg.norm(corners - level.centre[:, block], axis=1).max(0)
        assert (reach <= level.radius[block] * (1 + 1e-12)).all()


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 3), min_size=3, max_size=12), st.data())
def test_any_soup_gives_finite_numbers(vertices, data):
    index = st.integers(0, len(vertices) - 1)
    faces = data.draw(st.lists(st.tuples(index, index, index), max_size=20))
    points = data.draw(st.lists(st.tuples(*[st.integers(-4, 4)] * 3), min_size=1, max_size=10))
    mesh = Mesh(np.array(vertices, float), np.array(faces).reshape(-1, 3))
    found = winding_numbers(mesh, np.array(points, float))
    assert np.isfinite(found).all()
    assert np.abs(found).max() <= len(faces) / 2 + 0.02
