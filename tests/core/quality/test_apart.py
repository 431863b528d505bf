"""Skeletons that do not lie in the body they are bound to."""

from __future__ import annotations

import numpy as np
import pytest

from core.quality.apart import stands_apart
from core.skeleton.rig import Rig
from tests.core.skinning.solids import box

BODY = box((-0.5, -0.2, 0.0), (0.5, 0.2, 2.0))
SPINE = Rig(("root", "a", "b", "c", "d", "e"), (-1, 0, 1, 2, 3, 4),
            [(0, 0, 0), *((0, 0, z) for z in (0.2, 0.5, 0.8, 1.1, 1.4))],
            [(0, 1, 0), *((0, 0, z) for z in (0.5, 0.8, 1.1, 1.4, 1.7))])


def moved(scale: float, shift) -> Rig:
    return Rig(SPINE.names, SPINE.parents, scale * SPINE.heads + shift, scale * SPINE.tails + shift)


@pytest.mark.parametrize(("scale", "shift", "is_apart"), [
    (1, (0, 0, 0), False), (0.1, (0, 0, 0), False), (10, (0, 0, 0), False), (1, (0.5, 0, 0), False),
    (1, (0, 3, 0), True), (0.01, (0, 0, 0), True), (100, (0, 0, 0), True), (100, (60, 0, 0), True)])
def test_it_lies_elsewhere_or_is_tiny(scale, shift, is_apart):
    assert stands_apart(BODY, moved(scale, np.array(shift, float))) == is_apart


def test_one_bone_may_be_small_and_a_root_may_lie_anywhere():
    assert not stands_apart(BODY, Rig(("eye",), (-1,), [(0, 0, 1.8)], [(0, 0.01, 1.8)]))
    assert not stands_apart(BODY, Rig(("root", "a"), (-1, 0), [(9, 9, 9), (0, 0, 1)], [(9, 9, 10), (0, 0, 1.1)]))
    assert stands_apart(BODY, Rig(("root", "a"), (-1, 0), [(0, 0, 1), (9, 9, 9)], [(0, 0, 2), (9, 9, 10)]))
