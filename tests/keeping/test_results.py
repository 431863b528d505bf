"""Results that are kept anew where they have changed alone."""

from __future__ import annotations

import numpy as np

from tests.keeping.results import differences, kept_if_it_holds, with_room

SUMS = [2.0, 30.0, 8.0, 16.0, 5.0, -3.0]  # calls, values, whole, order, size, pattern


def off(**by: float) -> list[float]:
    """The sums, moved."""
    return [x + by.get(name, 0.0) for name, x in zip(("calls", "values", "whole", "order", "size", "pattern"), SUMS,
                                                     strict=True)]


def test_what_still_holds_stays_and_what_has_changed_may_be_off_by_as_much_as_before():
    before = with_room({"same": SUMS, "other": SUMS, "gone": SUMS, "unsteady": SUMS},
                       [dict.fromkeys(("same", "other", "gone"), off(size=1e-3)) | {"unsteady": off(size=1.0)}])
    anew = with_room(dict.fromkeys(("same", "unsteady"), off(size=1e-4)) | {"other": off(calls=1, size=5), "new": SUMS},
                     [dict.fromkeys(("same", "unsteady"), off(size=1e-4))
                      | {"other": off(calls=1, size=5), "new": SUMS}])
    kept = kept_if_it_holds(anew, before)
    assert set(kept) == {"same", "other", "unsteady", "new"}
    for name in ("same", "unsteady"):
        for now, was in zip(kept[name], before[name], strict=True):
            np.testing.assert_array_equal(now, was)
    sums, room = kept["other"]
    assert sums[0] == 3 and sums[4] == 10 and room[0] == 0
    assert room[4] == 2 * before["other"][1][4], "twice as large, off by twice as much"
    assert not differences(dict.fromkeys(("same", "unsteady", "new"), SUMS) | {"other": off(calls=1, size=5)}, kept)
    assert differences({"same": off(calls=1)}, {"same": kept["same"]})
