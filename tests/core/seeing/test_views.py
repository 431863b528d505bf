"""What the landmark network looks at: the right cells are solid, and the maps are what they say."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage
from scipy.spatial import cKDTree

from core.geometry.mesh import Mesh
from core.seeing.views import (
    CELLS,
    DEEP,
    FILL,
    IMAGE_AXES,
    MAPS,
    Sight,
    _surface_points,
    draw_views,
    mirror_views,
    rounded,
    see,
)
from tests.shapes import ball, box, cylinder, torus, zoo

CENTRES = (np.stack(np.meshgrid(*3 * [np.arange(CELLS)], indexing="ij"), -1) + 0.5) / CELLS


def lump(seed: int = 3) -> Mesh:
    """A ball shaken until nothing about it is even."""
    mesh, rng = ball(0.5, segments=24).mesh, np.random.default_rng(seed)
    return Mesh(mesh.vertices + 0.02 * rng.normal(size=mesh.vertices.shape), mesh.faces)


# The solid

def test_a_box_is_the_cells_it_reaches_into():
    mesh = box((1.0, 0.5, 0.7), centre=(3.0, -1.0, 0.2)).mesh
    sight = see(mesh.vertices, mesh.faces)
    low, high = 0.5 - FILL * np.array([1.0, 0.5, 0.7]) / 2, 0.5 + FILL * np.array([1.0, 0.5, 0.7]) / 2
    reached = [(np.arange(1, CELLS + 1) / CELLS > a) & (np.arange(CELLS) / CELLS < b)
               for a, b in zip(low, high, strict=True)]
    np.testing.assert_array_equal(sight.solid, reached[0][:, None, None] & reached[1][:, None] & reached[2])


def test_a_flat_box_is_seen_deeper_and_places_come_back(rng):
    mesh = box((0.5, 0.02, 1.0), centre=(3.0, -1.0, 0.2)).mesh
    sight, points = see(mesh.vertices, mesh.faces), rng.normal(size=(20, 3))
    assert sight.deeper == pytest.approx(DEEP / 0.02)
    np.testing.assert_allclose(sight.from_cube(sight.to_cube(points)), points)
    np.testing.assert_allclose(np.ptp(sight.to_cube(mesh.vertices), axis=0), FILL * np.array([0.5, DEEP, 1.0]))
    deep = np.flatnonzero(sight.solid.any((0, 2)))
    assert abs(len(deep) - DEEP * FILL * CELLS) < 2


def test_a_sheet_and_a_body_as_deep_as_real_ones_are_seen_as_they_are():
    for depth in (0.0, 0.0005, DEEP, 0.5):
        vertices = box((0.5, 1.0, 1.0)).mesh.vertices * [1, depth, 1]
        assert see(vertices, box((0.5, 1.0, 1.0)).mesh.faces).deeper == 1


def test_a_disc_is_rounded_to_a_ball():
    away = (CENTRES - CENTRES[32, 30, 32]) * CELLS
    disc = (np.hypot(away[..., 0], away[..., 2]) < 12.2) & (np.abs(away[..., 1]) < 2)
    far = np.linalg.norm(away, axis=-1)
    out = rounded(disc)
    assert out[disc].all() and out[far < 11].all() and not out[(far > 14) & ~disc].any()
    assert not rounded(np.zeros_like(disc)).any()


@pytest.mark.parametrize("shape", zoo(), ids=lambda s: s.name)
def test_cells_inside_are_solid_and_cells_outside_are_not(shape):
    """But for those the surface passes: the shell of a mesh is filled."""
    mesh = shape.mesh
    sight = see(mesh.vertices, mesh.faces)
    away = shape.distance(sight.from_cube(CENTRES.reshape(-1, 3))).reshape(sight.solid.shape) * sight.scale * CELLS
    assert sight.solid[away < -1].all() and not sight.solid[away > 1].any()


def test_a_shell_within_a_shell_is_filled_and_what_is_open_to_more_than_one_axis_is_not():
    outer, inner = ball(0.5).mesh, ball(0.3).mesh
    both = np.concatenate([outer.vertices, inner.vertices]), np.concatenate(
        [outer.faces, inner.faces[:, ::-1] + len(outer.vertices)])
    np.testing.assert_array_equal(see(*both).solid, see(outer.vertices, outer.faces).solid)
    mesh = box((1.0, 1.0, 1.0)).mesh
    low = mesh.vertices[mesh.faces].min(1)
    lidless = low[:, 2] < 0.5
    solid = see(mesh.vertices, mesh.faces[lidless]).solid
    assert solid[32, 32, 2] and solid[2, 32, 32] and solid[61, 32, 32]
    assert solid[4:-4, 4:-4, 4:-4].all(), "a hole leaves it whole"
    assert not see(mesh.vertices, mesh.faces[lidless], is_closed=True).solid[32, 32, 32]
    assert not see(mesh.vertices, mesh.faces[lidless & (low[:, 0] < 0.5)]).solid[32, 32, 32]
    around = torus().mesh
    assert not see(around.vertices, around.faces).solid[32, 32, 32]


def test_the_longest_side_fills_its_share_of_the_cube_and_the_middle_is_the_middle():
    mesh = box((0.2, 3.0, 1.0), centre=(5.0, 6.0, 7.0)).mesh
    sight = see(mesh.vertices, mesh.faces)
    there = sight.to_cube(mesh.vertices)
    np.testing.assert_allclose((there.min(0) + there.max(0)) / 2, 0.5, atol=1e-12)
    np.testing.assert_allclose(np.ptp(there, axis=0), FILL * np.array([0.2, 3.0, 1.0]) / 3, atol=1e-12)
    np.testing.assert_allclose(sight.from_cube(there), mesh.vertices, atol=1e-12)
    filled = np.argwhere(sight.solid)
    assert (np.ptp(filled[:, 1]) + 1) / CELLS == pytest.approx(FILL, abs=2 / CELLS)


@pytest.mark.parametrize(("factor", "offset"), [(4.0, (0, 0, 0)), (137.0, (0, 0, 0)), (1e-6, (0, 0, 0)),
                                                (1.0, (11.3, -7.1, 0.3)), (0.01, (1.0, 2.0, -3.0))])
def test_where_a_mesh_lies_and_how_large_it_is_plays_no_part(factor, offset):
    mesh = lump()
    one, two = see(mesh.vertices, mesh.faces), see(factor * mesh.vertices + offset, mesh.faces)
    np.testing.assert_array_equal(two.solid, one.solid)
    np.testing.assert_allclose(two.to_cube(factor * mesh.vertices + offset), one.to_cube(mesh.vertices), atol=1e-9)


def test_neither_does_how_it_is_numbered_and_nothing_given_is_changed(rng):
    mesh, order = lump(), rng.permutation(len(lump().vertices))
    number = np.empty_like(order)
    number[order] = np.arange(len(order))
    vertices, faces = mesh.vertices[order], number[mesh.faces][rng.permutation(len(mesh.faces))]
    before = vertices.copy(), faces.copy()
    np.testing.assert_array_equal(see(vertices, faces).solid, see(mesh.vertices, mesh.faces).solid)
    np.testing.assert_array_equal(vertices, before[0])
    np.testing.assert_array_equal(faces, before[1])


def test_vertices_without_a_face_are_not_seen():
    mesh = lump()
    more = np.concatenate([mesh.vertices, [[40.0, 0.0, 0.0]]])
    np.testing.assert_array_equal(see(more, mesh.faces).solid, see(mesh.vertices, mesh.faces).solid)


def test_a_body_without_extent_is_a_cell():
    sight = see(np.ones((3, 3)), np.array([[0, 1, 2]]))
    assert sight.solid.sum() == 1 and np.isfinite(sight.offset).all()


def worst_gap(corners: np.ndarray, rng: np.random.Generator) -> float:
    """How far a place on a triangle (3, 3) is from the nearest of its samples, in their spacing, at most."""
    places = rng.dirichlet([0.7, 0.7, 0.7], 400) @ corners
    samples = np.concatenate(_surface_points(list(corners[:, :, None]), 0.05), 1).T
    return float(cKDTree(samples).query(places)[0].max() / 0.05)


def test_samples_of_large_triangles_leave_no_gap(rng):
    for _ in range(40):
        first, second = rng.normal(size=(2, 3))
        aside = np.cross(second - first, rng.normal(size=3))
        third = (first + second) / 2 + aside / np.linalg.norm(aside) * np.linalg.norm(second - first)
        assert worst_gap(np.array([first, second, third]), rng) < 1.2


def test_samples_of_slivers_leave_no_gap(rng):
    for thin in (1e-3, 1e-2, 0.05, 0.2):
        for along in (0.0, 0.3, 0.5, 1.0):
            assert worst_gap(np.array([[0, 0, 0], [2.0, 0, 0], [2 * along, 0, thin]]), rng) < 1.2, (thin, along)


def test_no_triangle_large_or_small_lets_the_outside_in(rng):
    """Tetrahedra of four triangles across the whole cube are as solid as those of thousands."""
    for _ in range(5):
        corners = rng.normal(size=(4, 3))
        faces = np.array([[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]])
        sight = see(corners, faces)
        shares = np.linalg.solve(np.vstack([sight.to_cube(corners).T, np.ones(4)]),
                                 np.column_stack([CENTRES.reshape(-1, 3), np.ones(CELLS**3)]).T)
        inside = ndimage.binary_erosion((shares > 0).all(0).reshape(sight.solid.shape), np.ones((3, 3, 3)))
        assert sight.solid[inside].all()


def test_lids_of_slivers_are_closed():
    """As on the cylinder of any modeller: all triangles of a lid meet in its middle."""
    turn = np.linspace(0, 2 * np.pi, 64, endpoint=False)
    ring = 0.2 * np.column_stack([np.cos(turn), np.sin(turn)])
    vertices = np.vstack([np.column_stack([ring, np.zeros(64)]), np.column_stack([ring, np.ones(64)]),
                          [[0, 0, 0], [0, 0, 1.0]]])
    one = np.arange(64)
    two = (one + 1) % 64
    faces = np.vstack([np.stack(f, 1) for f in ((one, two, two + 64), (one, two + 64, one + 64),
                                                (two, one, 0 * one + 128), (one + 64, two + 64, 0 * one + 129))])
    volume = cylinder(0.2, 1.0).volume * FILL**3
    assert see(vertices, faces).solid.mean() == pytest.approx(volume, rel=0.2)


# The maps

@pytest.fixture
def two_boxes() -> np.ndarray:
    """One of 10 x 10 x 10 cells, and on its far side along x, 10 cells on, one of 20 x 4 x 10."""
    solid = np.zeros((CELLS, CELLS, CELLS), bool)
    solid[10:20, 30:40, 5:15] = solid[30:50, 30:34, 5:15] = True
    return solid


def test_maps_of_two_boxes_are_what_they_say(two_boxes):
    views = draw_views(two_boxes)
    assert views.shape == (3, MAPS, CELLS, CELLS) and views.dtype == np.float32
    seen = dict(zip(("outline", "nearest", "farthest", "flesh", "pieces"), views[0, :5, 10, 32], strict=True))
    assert seen == pytest.approx({"outline": 1, "nearest": 10 / 64 - 0.5, "farthest": 50 / 64 - 0.5, "flesh": 30 / 64,
                                  "pieces": 2 / 6})
    assert views[0, :5, 10, 36] == pytest.approx([1, 10 / 64 - 0.5, 20 / 64 - 0.5, 10 / 64, 1 / 6])  # the first alone
    assert views[1, :5, 10, 40] == pytest.approx([1, 30 / 64 - 0.5, 34 / 64 - 0.5, 4 / 64, 1 / 6])   # along y: row z
    assert views[2, :5, 35, 12] == pytest.approx([1, 5 / 64 - 0.5, 15 / 64 - 0.5, 10 / 64, 1 / 6])   # along z: row y
    assert views[0, 5, 10, 32] == pytest.approx(3 / 16) and views[2, 5, 35, 14] == pytest.approx(5 / 16)
    for axis, outline in enumerate(views[:, 0]):
        np.testing.assert_array_equal(outline > 0, two_boxes.any(axis).T)
        assert not views[axis][:, outline == 0].any()


def test_maps_are_those_of_a_loop_over_pixels(rng):
    solid = ndimage.binary_dilation(rng.random((CELLS, CELLS, CELLS)) < 5e-5, iterations=5)
    views = draw_views(solid)
    for axis, (row, column) in enumerate(IMAGE_AXES):
        seen = np.argwhere(solid.any(axis).T)
        outside = np.argwhere(~solid.any(axis).T)
        for r, c in rng.permutation(seen)[:60]:
            index: list = [slice(None)] * 3
            index[row], index[column] = r, c
            line = solid[tuple(index)]
            ahead = np.flatnonzero(line)
            pieces = np.count_nonzero(np.diff(np.concatenate([[0], line.astype(int)])) == 1)
            away = np.sqrt(((outside - [r, c]) ** 2).sum(1).min())
            assert views[axis, :, r, c] == pytest.approx(
                [1, ahead[0] / CELLS - 0.5, (ahead[-1] + 1) / CELLS - 0.5, len(ahead) / CELLS, min(pieces, 6) / 6,
                 min(away, 16) / 16])


def test_a_mirrored_body_has_mirrored_maps(rng):
    solid = ndimage.binary_dilation(rng.random((CELLS, CELLS, CELLS)) < 5e-5, iterations=5)
    views, image = draw_views(solid), draw_views(solid[::-1])
    np.testing.assert_array_equal(image[1:], views[1:, :, :, ::-1])  # x runs along their columns
    np.testing.assert_array_equal(image[0, [0, 3, 4, 5]], views[0, [0, 3, 4, 5]])
    np.testing.assert_allclose(image[0, 1], -views[0, 2], atol=1e-7)
    assert mirror_views(views).tobytes() == image.tobytes()


def test_an_empty_solid_has_empty_maps():
    assert not draw_views(np.zeros((CELLS, CELLS, CELLS), bool)).any()


def test_a_sight_copies_and_freezes_what_it_is_given():
    solid = np.zeros((CELLS, CELLS, CELLS), bool)
    sight = Sight(solid, 1.0, np.zeros(3))
    solid[0, 0, 0] = True
    assert not sight.solid.any()
    with pytest.raises(ValueError, match="read-only"):
        sight.solid[0, 0, 0] = True
    with pytest.raises(ValueError, match="solid"):
        Sight(solid[:3], 1.0, np.zeros(3))


def test_a_tiny_triangle_is_seen_at_its_middle(rng):
    corners = rng.uniform(0.2, 0.8, 3) + rng.uniform(0, 0.01, (3, 3))
    (found,) = _surface_points(list(corners[:, :, None]), 0.05)
    np.testing.assert_allclose(found[:, 0], corners.mean(0))
