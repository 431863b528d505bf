"""What each function of the core gives back for very different characters and motions is what it gave back before.

Who meant to change a result renews what is kept with `make references` and looks at what of it has changed.
"""

from __future__ import annotations

import pytest

from .kept import CASES, differences, read, recorded

SHOWN = 12


@pytest.mark.parametrize("case", CASES)
def test_results_are_those_that_are_kept(case):
    found = differences(recorded(case), read(case))
    assert not found, "\n".join([f"{len(found)} functions give back something else, the first of them:", *found[:SHOWN],
                                 "If that was meant, renew what is kept: make references"])
