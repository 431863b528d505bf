"""Pieces of solids found by runs are those found by visiting voxels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from core.geometry.pieces import label_pieces, touching_runs


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("share", [0.0, 0.05, 0.3, 0.6, 0.95, 1.0])
def test_pieces_are_those_of_a_visit_to_every_voxel(share, corners):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        solid = rng.random(rng.integers(1, 12, 3)) < share
        given = solid.copy()
        labels, count = label_pieces(solid, corners=corners)
        expected, number = ndimage.label(solid, np.ones((3, 3, 3)) if corners else None)
        assert count == number and labels.dtype == np.int32
        np.testing.assert_array_equal(labels, expected)
        np.testing.assert_array_equal(solid, given)


def test_slices_fall_apart():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        solid = rng.random(rng.integers(1, 12, 3)) < 0.5
        structure = np.zeros((3, 3, 3))
        structure[1] = 1
        np.testing.assert_array_equal(label_pieces(solid, corners=True, slices=True)[0],
                                      ndimage.label(solid, structure)[0])


def test_runs_that_touch_are_those_whose_voxels_do():
    for seed in range(5):
        rng = np.random.default_rng(seed)
        grid = rng.integers(-1, 3, rng.integers(1, 9, 3)).astype(np.int32)
        number, length, one, other = touching_runs(grid)
        np.testing.assert_array_equal(number.repeat(length), grid[grid >= 0])
        run = np.full(grid.shape, -1)
        run[grid >= 0] = np.arange(len(number)).repeat(length)
        expected = set()
        for offset in (o for o in np.ndindex(3, 3, 3) if o > (1, 1, 1)):
            wide = np.pad(run, 1, constant_values=-1)
            beside = wide[tuple(slice(k, k + n) for k, n in zip(offset, run.shape, strict=True))]
            expected |= {(min(p), max(p)) for p in zip(run.ravel().tolist(), beside.ravel().tolist(), strict=True)
                         if min(p) >= 0 and p[0] != p[1]}
        found = list(zip(one.tolist(), other.tolist(), strict=True))
        assert len(found) == len(expected) and {(min(p), max(p)) for p in found} == expected
