"""The z-buffer against a naive twin, and the statements a picture of a surface must keep."""

from __future__ import annotations

import numpy as np
import pytest

from core.picture import raster
from core.picture.raster import rasterize


def naive(points, faces, width, height):
    """Every triangle at every pixel: (triangle or -1, depth)."""
    y, x = np.mgrid[0:height, 0:width] + 0.5
    owner, nearest = np.full((height, width), -1), np.full((height, width), -np.inf)
    for number, (a, b, c) in enumerate(points[faces]):
        area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
        if abs(area) < 1e-12:
            continue
        v = ((x - a[0]) * (c[1] - a[1]) - (y - a[1]) * (c[0] - a[0])) / area
        w = ((b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0])) / area
        u = 1 - v - w
        depth = u * a[2] + v * b[2] + w * c[2]
        seen = (u >= 0) & (v >= 0) & (w >= 0) & (depth > nearest)
        owner[seen], nearest[seen] = number, depth[seen]
    return owner, nearest


@pytest.mark.parametrize("most", [raster.MOST_PIXELS, 50])
def test_random_triangles_agree_with_the_naive_twin(rng, monkeypatch, most):
    monkeypatch.setattr(raster, "MOST_PIXELS", most)
    points = rng.uniform([-5, -5, 0], [45, 35, 10], (60, 3))
    faces = rng.permutation(60).reshape(20, 3)
    seen = rasterize(points, faces, 40, 30)
    owner, nearest = naive(points, faces, 40, 30)
    got = np.full(40 * 30, -1)
    got[seen.pixel] = seen.triangle
    np.testing.assert_array_equal(got.reshape(30, 40), owner)
    np.testing.assert_allclose(seen.depth, nearest.ravel()[seen.pixel], atol=1e-4)


def test_barycentric_weights_find_the_pixel_again(rng):
    points = rng.uniform(0, 50, (30, 3))
    faces = np.arange(30).reshape(10, 3)
    seen = rasterize(points, faces, 50, 50)
    weights = seen.barycentric(seen.triangle, seen.pixel % 50 + 0.5, seen.pixel // 50 + 0.5)
    found = np.einsum("nc,ncd->nd", weights, points[faces][seen.triangle])
    np.testing.assert_allclose(found[:, 0], seen.pixel % 50 + 0.5, atol=1e-3)
    np.testing.assert_allclose(found[:, 1], seen.pixel // 50 + 0.5, atol=1e-3)


def test_a_square_covers_its_area_and_both_windings_are_seen():
    points = np.array([[10, 5, 0], [30, 5, 0], [30, 25, 0], [10, 25, 0.0]])
    for faces in ([[0, 1, 2], [0, 2, 3]], [[2, 1, 0], [3, 2, 0]], [[0, 1, 2], [3, 2, 0]]):
        assert len(rasterize(points, np.array(faces), 40, 40).pixel) == 400


def test_of_two_crossing_sheets_the_nearer_shows_on_each_side():
    points = np.array([[0, 0, 0], [40, 0, 40], [40, 20, 40], [0, 20, 0], [0, 0, 20], [40, 0, 20], [40, 20, 20],
                       [0, 20, 20.0]])
    faces = np.array([[0, 1, 2], [0, 2, 3], [4, 5, 6], [4, 6, 7]])
    seen = rasterize(points, faces, 40, 20)
    np.testing.assert_array_equal(seen.triangle < 2, seen.pixel % 40 >= 20)


def test_nothing_and_nonsense_draw_nothing():
    assert not len(rasterize(np.zeros((0, 3)), np.zeros((0, 3), int), 10, 10).pixel)
    points = np.array([[np.nan, 0, 0], [5, 0, 0], [0, 5, 0], [1, 1, 0], [2, 2, 0], [3, 3, 0], [-99, -9, 0],
                       [-50, -9, 0], [-50, -5, 0]])
    assert not len(rasterize(points, np.arange(9).reshape(3, 3), 10, 10).pixel)


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_slivers_seen_edge_on_stay_within_their_own_depths(rng, sign):
    """Each has the nearest, or the farthest, of its corners in the middle of a pixel, and next to no width."""
    count = 400
    thin, row = 10.0 ** rng.uniform(-14, -6, count), np.arange(count) + 0.5
    x = 20.5 + np.stack([np.zeros(count), thin, thin * rng.uniform(-3, 3, count)], 1)
    y = row[:, None] + np.stack([np.zeros(count), rng.uniform(1, 9, count), -rng.uniform(1, 9, count)], 1)
    z = sign * np.stack([np.zeros(count), *rng.uniform(5, 10, (2, count))], 1)
    points, faces = np.stack([x, y, z], 2).reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)
    for face in faces:
        seen = rasterize(points, face[None], 40, count)
        ends = np.sort(points[face, 2].astype(np.float32))
        assert (seen.depth >= ends[0]).all() and (seen.depth <= ends[2]).all()
