"""Legs that an animal stands on are whole, though the network hardly sees their feet."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.missing import find_missing
from core.skeleton.preset import load_template
from tests.characters.character import Character
from tests.characters.crawlers import BROWN, SIDES, grown
from tests.characters.implicit import Blend, Ellipsoid, strand
from tests.core.fitting.bodies import prepared

QUADRUPED = load_template("quadruped")


def long_legged(*, high: float = 0.42, neck: float = 0.5, step: float = 0.0, cut: float = 0.0) -> Character:
    """A camel or a giraffe as it is first blocked out: legs that taper to the ground, without feet.

    step : how far the legs stride;  cut : how much of the left hind leg is cut off, as a share of it
    """
    z = high + 0.06
    lines = [strand([(0, -0.16, z), (0, 0, z), (0, 0.16, z)], [0.092, 0.1, 0.092]),
             strand([(0, -0.2, z + 0.04), (0, -0.27, z + neck / 2), (0, -0.33, z + neck),
                     (0, -0.47, z + neck - 0.04)], [0.075, 0.045, 0.045, 0.028]),
             strand([(0, 0.24, z + 0.02), (0, 0.29, z - 0.1), (0, 0.29, z - 0.2)], [0.02, 0.016, 0.016])]
    for side, s in SIDES:
        for y, bend, stride, thick in ((-0.16, 0.02, step * s, 0.032), (0.16, -0.03, -step * s, 0.038)):
            points = np.array([(0.07 * s, y, z - 0.03), (0.07 * s, y + bend + stride / 2, high / 2),
                               (0.07 * s, y + stride, 0.024)])
            if side == "L" and y > 0 and cut:
                points[-1] = points[1] + (points[2] - points[1]) * (1 - 2 * cut)
            lines.append(strand(points, [thick, 0.025, 0.024]))
    return grown("long_legged", "quadruped", lambda cell: Blend(tuple(lines), 0.03), {}, BROWN, 5000,
                 mirrored=not (step or cut))


def turtle(wide: float = 0.28) -> Character:
    """A shell on four paddles, of which the network hardly sees the feet."""
    lines = [Ellipsoid((0, 0, 0.2), (wide, 0.34, 0.15)),
             strand([(0, -0.27, 0.18), (0, -0.41, 0.24), (0, -0.54, 0.27)], [0.055, 0.05, 0.06]),
             strand([(0, 0.29, 0.14), (0, 0.46, 0.1)], [0.035, 0.02])]
    for _, s in SIDES:
        x = wide * s
        lines.append(strand([(0.6 * x, -0.2, 0.17), (1.05 * x, -0.29, 0.13), (1.2 * x, -0.32, 0.04)],
                            [0.065, 0.05, 0.045]))
        lines.append(strand([(0.6 * x, 0.2, 0.16), (0.95 * x, 0.29, 0.12), (1.05 * x, 0.34, 0.04)],
                            [0.06, 0.05, 0.045]))
    return grown("turtle", "quadruped", lambda cell: Blend(tuple(lines), 0.03), {}, BROWN, 5000)


@pytest.mark.parametrize("wide", [0.24, 0.27])
def test_a_turtle_lacks_no_foot(wide):
    assert not find_missing(prepared(turtle(wide).mesh).mesh, QUADRUPED).limbs


@pytest.mark.parametrize(("high", "neck", "step"), [(0.42, 0.5, 0.0), (0.42, 0.2, 0.05), (0.3, 0.35, 0.05)])
def test_an_animal_that_stands_on_four_legs_lacks_none(high, neck, step):
    assert not find_missing(prepared(long_legged(high=high, neck=neck, step=step).mesh).mesh, QUADRUPED).joints


def test_a_leg_that_is_cut_in_the_air_is_not_whole():
    joints = find_missing(prepared(long_legged(high=0.42, neck=0.2, cut=0.3).mesh).mesh, QUADRUPED).joints
    assert "hind_toe.L" in joints and joints <= {f"hind_{n}.L" for n in ("lower", "heel", "foot", "toe")}
