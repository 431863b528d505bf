"""What changed points as a whole is found, whatever their size."""

from __future__ import annotations

import numpy as np
import pytest

from geppetto.addon.bridge.whole_change import OFF, common_change


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e4])
def test_points_that_stay_but_for_rounding_have_not_changed_and_others_have(size, rng):
    then = rng.uniform(0, size, (40, 3))
    shift = np.array([1.0, 0, 0])
    near, far = (common_change(then, then + share * OFF * np.ptp(then, axis=0).max() * shift) for share in (0.5, 3.0))
    np.testing.assert_array_equal(near, np.eye(4))
    np.testing.assert_allclose(far[:3, 3], 3 * OFF * np.ptp(then, axis=0).max() * shift, atol=1e-9 * size)


def test_half_of_the_points_tell_how_all_were_turned_scaled_and_moved(rng):
    then = rng.normal(size=(41, 3))
    turn = np.array([[0.0, -1, 0], [1, 0, 0], [0, 0, 1]])
    now = 2.5 * then @ turn.T + [3, 4, 5]
    now[:18] += rng.normal(size=(18, 3))
    found = common_change(then, now)
    np.testing.assert_allclose(found[:3, :3], 2.5 * turn, atol=1e-9)
    np.testing.assert_allclose(found[:3, 3], [3, 4, 5], atol=1e-9)
