"""Signed distances: the ideal bodies' own, a naive twin, and what the field promises its users."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from core.geometry.distance import DistanceField, _bare_border, closest_on_triangles, distance_field
from core.geometry.grid import Grid, grid_around
from core.geometry.mesh import Mesh, weld
from core.geometry.solid import solidify
from core.geometry.voxels import sample_surface, thin_samples
from tests import shapes
from tests.core.geometry.soups import ball, cube, join, keep_faces

BOUND = 0.003 * 128  # voxels; what the paper allows in the unit frame, at 128 voxels along the longest side


def field_of(mesh: Mesh, spacing: float) -> DistanceField:
    mesh = weld(mesh).mesh
    grid = grid_around(mesh.vertices, spacing)
    points, faces = thin_samples(grid, *sample_surface(mesh, 0.6 * spacing))
    return distance_field(mesh, grid, solidify(mesh, grid, points), points, faces)


def test_closest_points_on_triangles_are_on_them_and_no_lattice_point_is_closer(rng):
    triangles = rng.normal(size=(60, 3, 3))
    triangles[:5, 2] = triangles[:5, 1]  # a segment
    triangles[5:8, 1:] = triangles[5:8, :1]  # a point
    triangles[8:12, 2] = triangles[8:12, :2].mean(1) + 1e-6  # a needle
    points = 2 * rng.normal(size=(60, 3))
    found = closest_on_triangles(points, triangles)
    n = 120
    i, j = np.nonzero(np.add.outer(np.arange(n + 1), np.arange(n + 1)) <= n)
    lattice = np.einsum("pc,fcd->fpd", np.stack([i, j, n - i - j], 1) / n, triangles)
    away = np.linalg.norm(lattice - points[:, None], axis=2).min(1)
    step = np.ptp(triangles, axis=1).max(1) * 2 / n
    assert (np.linalg.norm(found - points, axis=1) <= away + 1e-5).all()
    assert (np.linalg.norm(lattice - found[:, None], axis=2).min(1) <= step).all()


@pytest.mark.parametrize("shape", shapes.zoo(), ids=lambda s: s.name)
def test_inside_values_are_the_distance_to_the_ideal_surface(shape):
    spacing = 1 / 48
    field = field_of(shape.mesh, spacing)
    inside = np.argwhere(field.solid)
    error = field.values[tuple(inside.T)] - shape.distance(field.grid.centres(inside))
    sag = 0.002  # of the faces behind the ideal surface
    assert np.abs(error).max() < BOUND * spacing + sag
    assert np.abs(error).mean() < 0.05 * spacing + sag


@pytest.mark.sweep(1)
@pytest.mark.parametrize("fineness", [1, 3, 4])
def test_values_equal_a_search_through_all_faces_whatever_their_size(fineness, rng):
    body = ball(radius=0.5, fineness=fineness)
    lumps = 1 + 0.3 * np.sin(7 * body.vertices + 1).prod(1, keepdims=True)
    mesh = Mesh(body.vertices * lumps, body.faces)
    field = field_of(mesh, 1 / 40)
    inside = np.argwhere(field.solid)[::89]
    points = field.grid.centres(inside)
    nearest = np.full(len(points), np.inf)
    for triangle in mesh.triangles:
        on_face = closest_on_triangles(points, np.broadcast_to(triangle, (len(points), 3, 3)))
        nearest = np.minimum(nearest, np.linalg.norm(on_face - points, axis=1))
    error = -field.values[tuple(inside.T)] - nearest
    assert error.min() > -1e-5
    assert error.max() < BOUND * field.grid.spacing and error.mean() < 0.05 * field.grid.spacing


def test_vectors_lead_to_the_surface_and_are_as_long_as_the_value():
    field = field_of(shapes.capsule().mesh, 1 / 48)
    measured = np.argwhere(np.abs(field.values) < 0.99 * field.values.max())
    vector, value = field.to_surface[tuple(measured.T)], field.values[tuple(measured.T)]
    assert np.allclose(np.linalg.norm(vector, axis=1), np.abs(value), atol=1e-6)
    assert np.abs(shapes.capsule().distance(field.grid.centres(measured) + vector)).max() < 0.005


def test_sampling_is_exact_at_centres_constant_far_away_and_points_outwards(rng):
    shape = shapes.ball(0.4)
    field = field_of(shape.mesh, 1 / 40)
    index = rng.integers(0, np.array(field.grid.shape), (50, 3))
    assert np.allclose(field.sample(field.grid.centres(index)), field.values[tuple(index.T)], atol=1e-5)
    assert np.allclose(field.sample(np.array([[9.0, 9, 9], [-9, 0, 0]])), 3 * field.grid.spacing)
    direction = rng.normal(size=(50, 3))
    direction /= np.linalg.norm(direction, axis=1, keepdims=True)
    gradient = field.gradient(0.3 * direction)
    assert ((gradient * direction).sum(1) > 0.95).all()
    assert np.abs(np.linalg.norm(gradient, axis=1) - 1).max() < 0.1


def test_inside_is_negative_and_outside_positive():
    field = field_of(shapes.torus().mesh, 1 / 40)
    assert np.array_equal(field.solid, field.values < 0)
    around = ndimage.binary_dilation(field.solid, np.ones((3, 3, 3))) & ~field.solid
    assert (field.values[around] > 0).all() and (field.values[around] < 2.5 * field.grid.spacing).all()


def test_buried_faces_do_not_count():
    field = field_of(join(ball(radius=0.5, fineness=4), ball((0.05, 0, 0), 0.3)), 1 / 40)
    middle = field.grid.index_of(np.zeros((1, 3)))
    assert np.abs(field.values[tuple(middle.T)] + 0.5).max() < 0.03


def test_where_a_hole_was_closed_the_solids_own_border_stands_in():
    whole = ball(radius=0.5, fineness=4)
    field = field_of(keep_faces(whole, whole.triangles[:, :, 2].max(1) < 0.3), 1 / 40)
    below = field.sample(np.array([[0, 0, 0.15], [0.05, 0.05, 0.2]]))
    assert (below < 0).all() and (below > -0.25).all()


def test_a_mirrored_mesh_has_a_mirrored_field(rng):
    side = join(ball((0.25, 0, 0), 0.3), cube((0.4, -0.1, -0.1), (0.9, 0.1, 0.15)), cube((0, 0, -0.6), (0.2, 0.2, 0)))
    side = Mesh(side.vertices + 0.003 * rng.normal(size=side.vertices.shape), side.faces)
    side = Mesh(np.maximum(side.vertices, [0, -9, -9]), side.faces)
    mesh = join(side, Mesh(side.vertices * [-1, 1, 1], side.faces[:, ::-1]))
    field = field_of(mesh, 1 / 50)
    assert np.array_equal(field.solid, field.solid[::-1])
    assert np.abs(field.values - field.values[::-1]).max() < 1e-6


def test_the_order_of_faces_does_not_matter(rng):
    mesh = shapes.bent_capsule().mesh
    a, b = (field_of(m, 1 / 40) for m in (mesh, Mesh(mesh.vertices, rng.permutation(mesh.faces))))
    assert np.abs(a.values - b.values).max() < 1e-6


def test_frozen_copies():
    values, vectors = np.zeros((2, 2, 2), np.float32), np.zeros((2, 2, 2, 3), np.float32)
    field = DistanceField(Grid(np.zeros(3), 1.0, (2, 2, 2)), values, vectors)
    values[:] = 1
    assert not field.values.any()
    with pytest.raises(ValueError, match="read-only"):
        field.to_surface[0] = 1
    with pytest.raises(ValueError, match="values"):
        DistanceField(field.grid, np.zeros((2, 2)), vectors)


def test_a_voxel_that_no_sample_covers_has_its_six_sides_as_surface():
    solid = np.zeros((7, 7, 7), bool)
    solid[3, 3, 3] = True
    grid = Grid(np.array([1.0, 2.0, 3.0]), 0.5, (7, 7, 7))
    found = _bare_border(grid, solid, np.zeros(0, np.int64))
    middle = grid.centres(np.array([[3, 3, 3]]))[0]
    expected = middle + 0.25 * np.concatenate([np.eye(3), -np.eye(3)])
    np.testing.assert_allclose(np.sort(found, axis=0), np.sort(expected, axis=0))
    assert len(_bare_border(grid, solid, np.array([3 * 49 + 3 * 7 + 4]))) == 0, "the voxel beside it is covered"
