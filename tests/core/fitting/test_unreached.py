"""What seems to lack limbs and has others where no person has any is no person; a bust is one."""

from __future__ import annotations

from functools import cache

import pytest

from core.fitting.check import check_character
from core.fitting.from_shape import seen_in, template_in
from core.fitting.missing import find_missing
from core.fitting.unreached import unreached_pairs
from core.geometry.mesh import Mesh
from core.skeleton.preset import load_template
from tests.characters.implicit import Blend, Ellipsoid, strand
from tests.characters.surface_nets import grow
from tests.core.fitting.bodies import prepared
from tests.core.fitting.test_missing import open_half


@cache
def round_body(*, horns: bool) -> Mesh:
    """A ball with two arms, and two horns that point up and out."""
    limbs = []
    for sign in (1, -1):
        limbs.append(strand([(0.3 * sign, 0, 0.4), (0.45 * sign, 0, 0.42), (0.62 * sign, 0, 0.42)],
                            [0.05, 0.045, 0.035]))
        if horns:
            limbs.append(strand([(0.15 * sign, 0, 0.75), (0.22 * sign, 0, 0.9), (0.3 * sign, 0, 1.05)],
                                [0.035, 0.03, 0.025]))
    return grow(Blend((Ellipsoid((0, 0, 0.45), (0.36, 0.4, 0.45)), *limbs), 0.02), 0.016, mirrored=True)


@pytest.mark.long
@pytest.mark.parametrize(("horns", "pairs", "preset"), [(True, 1, "shape"), (False, 0, "biped")])
def test_a_ball_with_arms_may_be_half_a_person_and_one_with_horns_too_is_none(horns, pairs, preset):
    shape = prepared(round_body(horns=horns))
    missing = find_missing(shape.mesh, load_template("biped"))
    assert missing.is_legless and unreached_pairs(shape, "biped", missing) == pairs
    assert check_character(shape).preset == preset


@pytest.mark.long
def test_arms_and_horns_of_a_ball_get_bones():
    shape = prepared(round_body(horns=True))
    names = template_in(shape, "shape").names
    assert sum(name.startswith("limb_") and name.endswith("tip.L") for name in names) == 2
    assert sum(line.twin is not None for line in seen_in(shape).lines) == 4


@pytest.mark.long
def test_what_is_left_of_a_busts_arms_tells_nothing_against_a_person():
    shape = open_half(0.68, 40.0)
    missing = find_missing(shape.mesh, load_template("biped"))
    assert missing.is_legless and unreached_pairs(shape, "biped", missing) == 0
    assert check_character(shape).preset == "biped"
