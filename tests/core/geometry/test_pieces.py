"""Pieces of solids found by runs are those found by visiting voxels."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import ndimage

from core.geometry.pieces import label_pieces


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
