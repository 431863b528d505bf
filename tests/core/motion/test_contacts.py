"""How fast points move at each frame, by what is before and after it."""

from __future__ import annotations

import numpy as np
import pytest

from core.motion.contacts import speeds


@pytest.mark.parametrize(("frames", "loop", "stride", "expected"), [
    ([0.0], False, 0.0, [0.0]), ([0.0, 1.0], False, 0.0, [10.0, 10.0]),
    ([0.0, 1.0, 4.0], False, 0.0, [10.0, 20.0, 30.0]), ([0.0, 1.0, 2.0], True, 3.0, [10.0, 10.0, 10.0]),
    ([0.0, 1.0, 4.0], True, 6.0, [15.0, 20.0, 25.0])])
def test_speeds_are_central_differences_and_one_sided_at_the_ends_of_what_is_no_loop(frames, loop, stride, expected):
    places = np.array(frames)[:, None, None] * [0.0, 1.0, 0.0]
    found = speeds(places, 10.0, loop, np.array([0.0, stride, 0.0]))
    np.testing.assert_allclose(found, np.array(expected)[:, None, None] * [0.0, 1.0, 0.0])
