"""Feet that touch are parted, and nothing else is."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.touching import GROUND, with_feet_apart
from core.geometry.distance import DistanceField
from core.geometry.grid import Grid
from core.geometry.symmetry import MirrorPlane

CELL = 0.02
TRUNK, LEGS = [(-0.2, 0.2, 0.5, 0.8)], [(-0.2, -0.08, 0.0, 0.5), (0.08, 0.2, 0.0, 0.5)]
FEET = [(-0.1, 0.1, 0.0, 0.06)]


def field_of(*boxes) -> DistanceField:
    """Boxes (low x, high x, low z, high z), as deep as the grid."""
    grid = Grid((-0.31, 0.0, -0.04), CELL, (31, 6, 46))
    x, _, z = (grid.origin[d] + CELL * (np.arange(grid.shape[d]) + 0.5) for d in range(3))
    inside = np.zeros((31, 46), bool)
    for left, right, low, high in boxes:
        inside |= ((x >= left) & (x <= right))[:, None] & ((z >= low) & (z <= high))
    inside = np.repeat(inside[:, None], 6, axis=1)
    inside[:, [0, -1]] = False
    return DistanceField(grid, np.where(inside, -CELL / 2, 2 * CELL), np.zeros((*grid.shape, 3)))


def test_feet_that_touch_are_parted_on_the_mirror_plane_alone():
    field = field_of(*TRUNK, *LEGS, *FEET)
    parted = with_feet_apart(field, MirrorPlane(0.0, 15, 1.0))
    gone = field.solid & ~parted.solid
    assert set(np.flatnonzero(gone.any((1, 2)))) == {15}
    np.testing.assert_array_equal(gone[15].any(0), field.solid[15].any(0) & (np.arange(46) < 10))
    assert parted.parts == 1
    between = with_feet_apart(field, MirrorPlane(CELL / 2, 15, 1.0))  # two cells are as near
    assert set(np.flatnonzero((field.solid & ~between.solid).any((1, 2)))) == {15, 16}
    one_foot = field_of(*TRUNK, *LEGS, (-0.1, 0.01, 0.0, 0.06))  # reaches into one of the two cells
    for body in (field, one_foot):
        found = with_feet_apart(body, MirrorPlane(CELL / 2, 15, 1.0))
        assert set(np.unique(found.values[~body.solid])) == {np.float32(2 * CELL)}, "air stays as it was"


@pytest.mark.parametrize("boxes", [
    [*TRUNK, *LEGS],  # nothing touches
    [*TRUNK, *LEGS, (-0.1, 0.1, GROUND + 0.1, GROUND + 0.16)],  # not on the ground
    [*TRUNK, *LEGS, *FEET, (-0.02, 0.02, 0.0, 0.8)],  # a tail in the middle
    [*LEGS, *FEET],  # they would be two bodies
    [(-0.2, 0.2, 0.0, 0.8)]], ids=["apart", "knees", "tail", "halves", "block"])
def test_all_else_stays(boxes):
    field = field_of(*boxes)
    assert with_feet_apart(field, MirrorPlane(0.0, 15, 1.0)) is field
