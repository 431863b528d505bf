"""Limbs swept along their way: each result against the loop that says what it is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from core.fitting.limbs import Interior, follow_out, limb_profile, limb_tip, sheet_likeness
from core.geometry.distance import DistanceField
from core.geometry.grid import Grid
from core.geometry.symmetry import MirrorPlane

SPACING = 0.02


def field_of(solid: np.ndarray) -> DistanceField:
    """A field whose depth is that of voxels."""
    depth = ndimage.distance_transform_edt(solid) - ndimage.distance_transform_edt(~solid)
    grid = Grid(np.array([-0.3, -0.1, 0.0]), SPACING, solid.shape)
    return DistanceField(grid, -SPACING * depth, np.zeros((*solid.shape, 3)))


def crossed() -> np.ndarray:
    """A block with a thick arm to each side, and a thin bent one upwards."""
    solid = np.zeros((30, 12, 26), bool)
    solid[11:19, 3:10, 3:12] = True
    solid[3:27, 5:8, 8:11] = True
    solid[14:16, 5:7, 12:22] = True
    solid[14:16, 7:10, 20:22] = True
    return solid


@pytest.fixture(scope="module")
def interior() -> Interior:
    return Interior(field_of(crossed()))


def test_the_nearest_voxel_is_that_of_a_search_through_all(interior, rng):
    points = rng.uniform([-0.3, -0.1, 0.0], [0.3, 0.14, 0.5], (60, 3))
    away = np.linalg.norm(points[:, None] - interior.centres, axis=2)
    found = interior.nearest(points)
    np.testing.assert_allclose(away[np.arange(60), found], away.min(1), atol=1e-9)
    assert interior.near(points[0], 0.15) == np.flatnonzero(away[0] <= 0.15).tolist()


def test_distances_of_a_mirrored_body_are_those_of_each_voxel(interior):
    solid = crossed()
    mirrored = Interior(field_of(solid), plane=MirrorPlane(0.0, solid.shape[0] - 1, 1.0))
    sources = interior.nearest(np.array([[0.2, 0.02, 0.19], [-0.2, 0.02, 0.19]]))
    np.testing.assert_allclose(mirrored.distances(sources), interior.distances(sources), atol=1e-6)
    assert (mirrored.image[mirrored.image] == np.arange(len(mirrored.voxels))).all()


def test_distances_up_to_a_voxel_mirror_each_other():
    solid = crossed()
    mirrored = Interior(field_of(solid), plane=MirrorPlane(0.0, solid.shape[0] - 1, 1.0))
    source, goal = int(mirrored.image.argmax()), 0
    found = mirrored.distances_up_to(source, goal, 0.1)
    image = mirrored.distances_up_to(int(mirrored.image[source]), int(mirrored.image[goal]), 0.1)
    np.testing.assert_array_equal(found, image[mirrored.image])
    whole = mirrored.distances(np.array([source]))[0]
    np.testing.assert_allclose(found, np.where(whole <= whole[goal] + 0.1, whole, np.inf))


@pytest.mark.parametrize("columns", [0, 1])
def test_a_wave_from_a_voxel_and_its_image_is_the_nearer_of_both(columns):
    solid = crossed()[columns:]  # the plane lies in a column of voxels, or between two
    solid = solid | solid[::-1]
    mirrored = Interior(field_of(solid), plane=MirrorPlane(0.0, solid.shape[0] - 1, 1.0))
    for source in (0, len(mirrored.voxels) // 2, len(mirrored.voxels) - 1):
        both = mirrored.distances(np.array([source, mirrored.image[source]])).min(0)
        np.testing.assert_array_equal(mirrored.distances_both(source), both)


def test_a_coarse_solid_has_the_cells_that_are_half_full():
    solid = crossed()
    solid[0, 0, 0] = True  # too little for a cell
    found = np.zeros((15, 6, 13), bool)
    found[tuple(Interior(field_of(crossed()), coarsen=2).voxels.T)] = True
    naive = np.array([[[solid[2 * i:2 * i + 2, 2 * j:2 * j + 2, 2 * k:2 * k + 2].sum() >= 4 for k in range(13)]
                       for j in range(6)] for i in range(15)])
    np.testing.assert_array_equal(found, naive)


def test_tips_are_the_furthest_within_reach_and_following_them_ends_at_the_end(interior):
    trunk = interior.nearest(np.array([0.0, 0.02, 0.1]))
    out = interior.distances(trunk)[0]
    start = interior.centres[int(interior.nearest(np.array([0.15, 0.02, 0.19]))[0])]
    for reach in (0.05, 0.08):
        near = [v for v in range(len(out)) if np.linalg.norm(interior.centres[v] - start) <= reach]
        assert limb_tip(interior, start, out, reach) == max(near, key=lambda v: out[v])
    assert limb_tip(interior, np.array([5.0, 0, 0]), out, 0.05) == interior.nearest(np.array([5.0, 0, 0]))[0]
    end = follow_out(interior, int(interior.nearest(start)[0]), out)
    assert interior.voxels[end, 0] == 26 and out[end] == out[interior.voxels[:, 0] > 19].max()


@pytest.mark.parametrize("has_twin", [False, True])
def test_a_profile_is_what_shells_of_equal_steps_hold(interior, has_twin):
    step = 1.5 * SPACING
    tip, trunk = interior.nearest(np.array([[0.23, 0.02, 0.19], [0.0, 0.02, 0.13]]))
    away = interior.distances([tip])[0]
    own = interior.centres[:, 0] > 0 if has_twin else None
    found = limb_profile(interior, away, int(trunk), step=step, own=own)
    areas, centres = [], []
    for k in range(int(away[trunk] / step) + 2):
        held = (away >= k * step) & (away < (k + 1) * step) & (True if own is None else own)
        areas.append(held.sum() * SPACING**3 / step)
        centres.append(interior.centres[held].mean(0) if held.any() else centres[-1])
    np.testing.assert_allclose(found.areas, areas)
    np.testing.assert_allclose(found.centres, centres)
    np.testing.assert_allclose(found.distances, (np.arange(len(areas)) + 0.5) * step)
    smooth = np.convolve(np.pad(areas, 1, mode="edge"), np.ones(3) / 3, "valid")
    first = len(areas) // 5
    peak = first + int(smooth[first:].argmax())
    below = [smooth[first] + (smooth[peak] - smooth[first]) * (k - first) / (peak - first) - smooth[k]
             for k in range(first, peak + 1)]
    assert found.root == first + int(np.argmax(below))
    assert found.centres[found.root, 0] > 0.05, "the root lies outside the block"


def test_a_sheet_is_many_times_as_wide_as_a_rod_for_its_thickness():
    x, y, z = np.meshgrid(*(np.arange(40) - 19.5,) * 3, indexing="ij")
    rod, sheet = (np.hypot(y, z) < 5) & (np.abs(x) < 17), (np.abs(z) < 2) & (np.abs(x) < 17) & (np.abs(y) < 17)
    ends = np.array([-0.3, -0.1, 0.0]) + SPACING * (np.array([[36.0, 20, 20]]))
    one, many = (float(sheet_likeness(field_of(solid), ends)[0]) for solid in (rod, sheet))
    assert many > 2.5 * one
    for solid in (rod, sheet):
        assert sheet_likeness(field_of(solid), ends)[0] == pytest.approx(likeness_by_loops(field_of(solid), ends[0]))


def likeness_by_loops(field: DistanceField, end: np.ndarray) -> float:
    """Of one end: the median, over shells from 0.05 to 0.25 away, of a shell's area over its deepest point's disc."""
    coarse = Interior(field, coarsen=2)
    step = 1.5 * coarse.grid.spacing
    away = coarse.distances(coarse.nearest(end))[0]
    depth = np.maximum(-field.sample(coarse.centres), 0.75 * coarse.grid.spacing)
    ratios = []
    for k in range(int(np.ceil(0.05 / step)), int(0.25 / step) + 1):
        held = (away >= k * step) & (away < (k + 1) * step)
        deepest = depth[held].max() if held.any() else 1.0
        ratios.append(held.sum() * coarse.grid.spacing**3 / step / (np.pi * deepest**2))
    return float(np.median(ratios))
