"""What each function of the core gives back for very different characters and motions is what it gave back before.

Who meant to change a result renews what is kept with `make references` and looks at what of it has changed.
"""

from __future__ import annotations

import pytest

from tests.core.reference.cases import RESULTS
from tests.keeping.results import ARE_PINNED, differences, told, with_room

QUICK = {"small_meshes", "small_solids", "small_turns", "small_skeletons", "small_feet", "small_wheels",
         "small_paces", "small_pictures", "small_crowds", "drawn_pictures", "drawn_roles", "files_read"}


@pytest.mark.skipif(not ARE_PINNED, reason="kept with the numpy and scipy of requirements.txt; others break ties in "
                    "graphs in another way")
@pytest.mark.parametrize("case", [pytest.param(case, marks=() if case in QUICK else pytest.mark.long)
                                  for case in RESULTS.cases])
def test_results_are_those_that_are_kept(case):
    found = differences(RESULTS.recorded(case), RESULTS.read(case))
    assert not found, told(found)


def test_what_has_moved_is_said_in_words():
    first = {"a:f": [2.0, 8.0, 5.0, 4.5, 3.0, 2.0], "a:g": [1.0, 1.0, 7.0, 7.0, 0.0, 0.0]}
    near = {"a:f": [2.0, 8.0, 5.0, 4.5, 3.0001, 2.0], "a:g": [1.0, 1.0, 9.0, 9.0, 0.0, 0.0]}
    kept = with_room(first, [near])
    moved = first | {"a:f": [2.0, 8.0, 5.0, 4.5, 3.01, 2.0]}
    assert not differences(first, kept) and not differences(near, kept), "what next to nothing moves may be off"
    assert differences(moved, kept) == ["a:f: numbers, without their signs, sum up to 3.01, not 3 ± 1.0e-03"]
    assert differences(first | {"a:f": [2.0, 8.0, 6.0, 5.5, 3.0, 2.0]}, kept) == [
        "a:f: whole numbers and truths sum up to 6, not 5"]
    assert differences({"a:g": first["a:g"]}, kept) == ["a:f: is no longer reached"]
