"""What each function of the core gives back for very different characters and motions is what it gave back before.

Who meant to change a result renews what is kept with `make references` and looks at what of it has changed.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy

from tests.core.reference.kept import CASES, differences, read, recorded, with_room
from tests.core.reference.motions import CASES as MOTIONS
from tests.core.reference.small import CASES as SMALL

SHOWN = 12
QUICK = {*SMALL, *MOTIONS, "person_with_hands", "judged", "dressed_person", "animals"}
SLOW = (pytest.mark.slow, pytest.mark.reference)
PINNED = (Path(__file__).parents[3] / "requirements.txt").read_text(encoding="utf-8").splitlines()
ARE_PINNED = f"numpy=={np.__version__}" in PINNED and f"scipy=={scipy.__version__}" in PINNED


@pytest.mark.skipif(not ARE_PINNED, reason="kept with the numpy and scipy of requirements.txt; others break ties in "
                    "graphs in another way")
@pytest.mark.parametrize("case", [pytest.param(case, marks=() if case in QUICK else SLOW) for case in CASES])
def test_results_are_those_that_are_kept(case):
    found = differences(recorded(case), read(case))
    assert not found, "\n".join([f"{len(found)} functions give back something else, the first of them:", *found[:SHOWN],
                                 "If that was meant, renew what is kept: make references"])


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
