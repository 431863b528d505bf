"""Medial samples lie where bodies of known shape have their middle."""

from __future__ import annotations

import numpy as np
import pytest

from core.errors import ShapeTooThin
from core.fitting.medial import LEAST_DEPTH, MedialSamples, sample_medial
from core.geometry.mesh import Mesh
from tests import shapes
from tests.core.fitting.bodies import body, prepared, solid


def in_object_space(name):
    """The ideal body, its samples' points and depths in object space, and the size of a voxel there.

    The few samples just under the surface, where the field is not exact enough to tell, are left out.
    """
    ideal, shape = solid(name)
    samples = sample_medial(shape.field)
    sure = samples.depths > 0.012
    assert sure.mean() > 0.75
    return (ideal, shape.frame.to_object(samples.points[sure]), samples.depths[sure] * shape.frame.scale,
            shape.field.grid.spacing * shape.frame.scale)


@pytest.mark.slow
def test_of_a_ball_they_lie_at_its_centre():
    _, points, _, voxel = in_object_space("ball")
    assert np.linalg.norm(points, axis=1).max() < 1.8 * voxel


def test_of_a_capsule_they_lie_on_its_axis_and_all_along_it():
    _, points, _, voxel = in_object_space("capsule")
    assert np.hypot(points[:, 0], points[:, 1]).max() < 1.5 * voxel
    assert np.abs(points[:, 2]).max() < 0.35 + 1.5 * voxel
    axis = np.linspace(-0.35, 0.35, 50)
    assert np.abs(axis[:, None] - points[:, 2]).min(1).max() < 1.5 * voxel


def test_of_a_bent_capsule_they_lie_on_its_arc():
    _, points, _, voxel = in_object_space("bent")
    assert np.hypot(np.hypot(points[:, 0], points[:, 2]) - 0.5, points[:, 1]).max() < 1.6 * voxel


def test_of_a_torus_they_lie_on_its_ring():
    _, points, _, voxel = in_object_space("torus")
    assert np.hypot(np.hypot(points[:, 0], points[:, 1]) - 0.5, points[:, 2]).max() < 1.6 * voxel
    turn = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    assert np.diff(turn).max() < 0.2


@pytest.mark.slow
def test_of_a_box_two_faces_are_equally_near():
    _, points, depths, voxel = in_object_space("box")
    to_face = np.sort(np.concatenate([[0.5, 0.25, 0.35] - points, [0.5, 0.25, 0.35] + points], axis=1), axis=1)
    assert (to_face[:, 1] - to_face[:, 0]).max() < 2 * voxel
    assert points[depths.argmax(), 1] == pytest.approx(0, abs=voxel), "the deepest lie between the two nearest faces"


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", ["capsule", "ball", "box", "bent", "torus", "dumbbell"])
def test_depths_are_distances_to_the_surface(name):
    """Within 0.003 of the size, as [BP07] asks."""
    ideal, points, depths, voxel = in_object_space(name)
    size = voxel * 128
    np.testing.assert_allclose(depths, -ideal.distance(points), atol=0.003 * size)


@pytest.mark.parametrize("name", ["person", "quadruped"])
def test_they_are_inside_deep_enough_and_sorted(name):
    field = body(name).field
    samples = sample_medial(field)
    assert len(samples.points) > 200
    assert (field.sample(samples.points) < 0).all()
    assert samples.depths.min() >= LEAST_DEPTH
    assert (np.diff(samples.depths) <= 1e-9).all()


def gradients_diverge(field, low, angle) -> bool:
    """Pair by pair over the corners of a cell that are further than a hair from the surface."""
    index = [(low[0] + i, low[1] + j, low[2] + k) for i in (0, 1) for j in (0, 1) for k in (0, 1)]
    gradient = [-field.to_surface[i] / field.values[i] for i in index if abs(field.values[i]) >= 0.0025]
    return any(a @ b <= np.cos(angle) for a in gradient for b in gradient)


@pytest.mark.parametrize("angle", [np.pi / 2, np.radians(120)])
def test_they_are_the_cells_in_which_two_gradients_diverge(angle, rng):
    field = body("person").field
    samples = sample_medial(field, angle=angle)
    grid = field.grid
    cells = {tuple(c) for c in np.round((samples.points - grid.origin) / grid.spacing - 1).astype(int).tolist()}
    assert len(cells) == len(samples.points)
    inside = np.argwhere(field.values < -LEAST_DEPTH - grid.spacing)
    some = [tuple(c) for c in inside[rng.choice(len(inside), 300, replace=False)].tolist()]
    for cell in [*some, *sorted(cells)[::10]]:
        assert (cell in cells) == gradients_diverge(field, cell, angle)


def test_a_sheet_is_too_thin_for_bones():
    sheet = prepared(shapes.box((1.0, 0.006, 0.8)).mesh)
    with pytest.raises(ShapeTooThin, match="Solidify"):
        sample_medial(sheet.field)


def test_the_field_is_not_modified_and_the_same_bits_come_again():
    field = body("person").field
    before = field.values.copy(), field.to_surface.copy()
    one, two = sample_medial(field), sample_medial(field)
    assert np.array_equal(one.points, two.points) and np.array_equal(one.depths, two.depths)
    assert np.array_equal(before[0], field.values) and np.array_equal(before[1], field.to_surface)


@pytest.mark.slow
def test_shapes_are_checked():
    with pytest.raises(ValueError, match="depths"):
        MedialSamples(np.zeros((3, 3)), np.zeros(2))
    assert isinstance(solid("ball")[0].mesh, Mesh)
