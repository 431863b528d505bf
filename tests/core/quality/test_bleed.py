"""Which skin is a bone's own."""

import numpy as np

from core.quality.bleed import FACING, HUG, _own_skin


def own(distance, where, facing=1.0):
    distance = np.array(distance, float)[:, None]
    return _own_skin(distance, np.array(where, float)[:, None], np.full(distance.shape, facing))[:, 0].tolist()


def test_along_each_stretch_of_a_bone_the_skin_that_lies_close_is_its_own():
    assert own([1.0, HUG - 0.01, HUG + 0.01], [0.0, 0.1, 0.1]) == [True, True, False]
    assert own([1.0, 2.0, 2.0 * HUG + 0.1], [0.0, 0.5, 0.5]) == [True, True, False]


def test_a_stretch_whose_skin_is_all_three_times_as_far_has_none():
    assert own([1.0, 2.9], [0.0, 0.9]) == [True, True] and own([1.0, 3.1], [0.0, 0.9]) == [True, False]


def test_skin_that_faces_the_bone_is_its_own_only_where_there_is_no_other():
    assert own([1.0, 1.2], [0.0, 0.1], FACING - 0.01) == [True, False]
    distance, facing = np.array([[1.0], [1.2]]), np.array([[FACING - 0.01], [FACING + 0.01]])
    assert _own_skin(distance, np.zeros((2, 1)), facing)[:, 0].tolist() == [False, True]
