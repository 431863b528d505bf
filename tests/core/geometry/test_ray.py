"""Rays enter and leave bodies where geometry says they do."""

from __future__ import annotations

import numpy as np
import pytest

from core.geometry.mesh import Mesh
from core.geometry.ray import middle_along_ray, skin_along_ray, solid_stretches, way_outside
from core.geometry.shape import prepare_steps
from core.pipeline import run
from tests.shapes import ball, box, torus


@pytest.fixture(scope="module")
def globe():
    return run(prepare_steps(ball(0.5).mesh, resolution=64))


@pytest.fixture(scope="module")
def ring():
    return run(prepare_steps(torus(0.35, 0.1).mesh))


@pytest.mark.slow
def test_a_ball_is_met_where_the_sphere_equation_says(globe, rng):
    scale = globe.frame.scale
    for _ in range(40):
        towards, origin = rng.normal(size=3), rng.normal(size=3)
        towards, origin = towards / np.linalg.norm(towards), 3 * origin / np.linalg.norm(origin)
        aim = 0.4 * towards - origin
        aim /= np.linalg.norm(aim)
        along = -(origin @ aim)
        half = np.sqrt(0.25 - (origin @ origin - along**2))
        found = solid_stretches(globe.field, globe.frame.to_unit(origin), 7 * aim)
        np.testing.assert_allclose(found, [[(along - half) / scale, (along + half) / scale]], atol=0.006)


def test_a_ray_that_misses_meets_nothing(globe):
    assert len(solid_stretches(globe.field, [3.0, 3.0, 3.0], [0.0, 0.0, 1.0])) == 0
    assert len(solid_stretches(globe.field, [0.49, 0.49, -2.0], [0.0, 0.0, 1.0])) == 0
    assert len(solid_stretches(globe.field, [0.0, -3.0, 0.5], [0.0, -1.0, 0.0])) == 0
    assert middle_along_ray(globe.field, [3.0, 3.0, 3.0], [0.0, 0.0, 1.0], [0, 0, 0]) is None


def test_from_inside_only_the_way_out_counts(globe):
    found = solid_stretches(globe.field, globe.frame.to_unit(np.zeros(3)), np.array([1.0, 0.0, 0.0]))
    np.testing.assert_allclose(found, [[0.0, 0.5 / globe.frame.scale]], atol=0.008)


def test_of_two_limbs_behind_each_other_the_one_meant_is_taken(ring):
    origin = ring.frame.to_unit(np.array([3.0, 0.0, 0.0]))
    stretches = solid_stretches(ring.field, origin, [-1.0, 0.0, 0.0])
    assert len(stretches) == 2
    for x in (0.35, -0.35):
        meant = ring.frame.to_unit(np.array([1.2 * x, 0.3, 0.1]))
        middle = middle_along_ray(ring.field, origin, [-1.0, 0.0, 0.0], meant)
        np.testing.assert_allclose(ring.frame.to_object(middle), [x, 0.0, 0.0], atol=0.006)


def test_a_ray_meets_a_thin_sheet_from_both_sides_and_the_nearer_of_two():
    sheet = Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0], [-1, -1, 1], [1, -1, 1], [1, 1, 1], [-1, 1, 1]],
                 [[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])
    np.testing.assert_allclose(skin_along_ray(sheet, [0.2, 0.3, 5.0], [0.0, 0.0, -2.0]), [0.2, 0.3, 1.0])
    np.testing.assert_allclose(skin_along_ray(sheet, [0.2, 0.3, -5.0], [0.0, 0.0, 0.1]), [0.2, 0.3, 0.0], atol=1e-12)
    np.testing.assert_allclose(skin_along_ray(sheet, [0.0, 0.0, 0.5], [0.0, 0.0, 1.0]), [0.0, 0.0, 1.0], atol=1e-12)
    np.testing.assert_allclose(skin_along_ray(sheet, [-5.5, 0.0, -5.0], [1.0, 0.0, 1.0]), [-0.5, 0.0, 0.0], atol=1e-12)
    assert skin_along_ray(sheet, [1.5, 0.0, 5.0], [0.0, 0.0, -1.0]) is None
    assert skin_along_ray(sheet, [0.0, 0.0, 5.0], [0.0, 0.0, 1.0]) is None, "nothing lies ahead"


def test_a_face_that_is_seen_edge_on_or_has_no_area_is_not_met():
    corners = [[-1, -1, 0], [1, -1, 0], [0, 1, 0], [0, 0, 2], [0, 0.5, 3], [0, -0.5, 3]]
    edge_on, point, flat = [3, 4, 5], [3, 3, 3], [0, 1, 2]
    for faces, expected in (([flat, edge_on, point], [0, 0, 0]), ([edge_on, point], None)):
        met = skin_along_ray(Mesh(corners, faces), [0.0, 0.0, 5.0], [0.0, 0.0, -1.0])
        assert met is None if expected is None else np.allclose(met, expected)


def test_a_way_outside_counts_from_leaving_a_part_until_it_comes_back():
    mesh, origin = torus(0.5, 0.15, segments=96).mesh, np.zeros(3)
    middle, part = 0.5 * (mesh.vertices.min(0) + mesh.vertices.max(0)), np.zeros(len(mesh.vertices), int)
    across = np.ptp(mesh.vertices, axis=0).argsort()[-1]
    origin[across] = 0.5
    starts = np.stack([middle - origin, middle - origin, middle - origin, middle])
    ends = np.stack([middle + origin, middle - 0.9 * origin, middle, middle + origin])
    own = np.zeros(4, int)
    found = way_outside(mesh, part, starts, ends, own)
    np.testing.assert_allclose(found, [0.7, 0.0, 0.0, 0.35], atol=0.01)
    assert found[1] == found[2] == 0.0, "what stays in, and what leaves and does not come back, crosses no gap"
    assert not way_outside(mesh, part, starts, ends, own + 1).any(), "another part is not in the way"
    assert len(way_outside(mesh, part, starts[:0], ends[:0], own[:0])) == 0


@pytest.mark.parametrize("size", [1e-6, 1.0, 1e6])
def test_a_way_outside_through_edges_and_corners_is_counted_once(size):
    """Two boxes of one part, seen through the corners in the middle of their sides."""
    left, right = box((1, 1, 1), (0, 0, 0), divisions=2).mesh, box((1, 1, 1), (1.5, 0, 0), divisions=2).mesh
    mesh = Mesh(size * np.concatenate([left.vertices, right.vertices]),
                np.concatenate([left.faces, right.faces + len(left.vertices)]))
    part, own = np.zeros(len(mesh.vertices), int), np.zeros(3, int)
    starts = size * np.array([[-0.5, 0, 0], [-0.5, 0.25, 0.25], [0, 0, 0]])
    found = way_outside(mesh, part, starts, starts + [2 * size, 0, 0], own)
    np.testing.assert_allclose(found, 0.5 * size, atol=1e-9 * size)
