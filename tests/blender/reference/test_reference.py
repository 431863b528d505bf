"""What each function between the core and Blender gives back, and what the scenes then are, is what it was before.

Who meant to change a result renews what is kept with `make references` and looks at what of it has changed.
"""

from __future__ import annotations

import pytest

from tests.blender.reference.cases import HOLDS, RESULTS
from tests.keeping.results import differences, told

LONG = {"folder_rigged", "crowd_rigged", "weights_judged"}


@pytest.mark.skipif(not HOLDS, reason="kept with the sources and the bpy, numpy and scipy of requirements.txt")
@pytest.mark.parametrize("case", [pytest.param(case, marks=pytest.mark.long if case in LONG else ())
                                  for case in RESULTS.cases])
def test_results_are_those_that_are_kept(context, case):
    found = differences(RESULTS.recorded(case), RESULTS.read(case))
    assert not found, told(found)
