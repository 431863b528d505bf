"""A spine that ends between two limbs goes on to a head that is too thick for its length to stand out."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.from_shape import seen_in
from core.fitting.fronts import PAST, Fronts, way_past
from tests.characters.character import Character
from tests.characters.crawlers import BROWN, SIDES, grown
from tests.characters.implicit import Blend, Ellipsoid, strand
from tests.core.fitting.bodies import prepared

LEAST = 0.3


def ape(*, neck: float = 0.0) -> Character:
    """A trunk that rises forward on two long arms and two short legs, with a round head between the shoulders.

    neck : how far the head stands off them
    """
    head = np.array([0, -0.27, 0.66]) + neck * np.array([0, -0.6, 0.8])
    lines = [strand([(0, 0.18, 0.33), (0, -0.08, 0.5)], [0.13, 0.19])]
    if neck:
        lines.append(strand([(0, -0.2, 0.57), head], [0.07, 0.07]))
    for _, s in SIDES:
        lines.append(strand([(0.18 * s, -0.12, 0.52), (0.27 * s, -0.17, 0.28), (0.22 * s, -0.26, 0.05)],
                            [0.09, 0.07, 0.06]))
        lines.append(strand([(0.1 * s, 0.2, 0.28), (0.14 * s, 0.11, 0.17), (0.13 * s, 0.22, 0.05),
                             (0.13 * s, 0.1, 0.04)], [0.085, 0.06, 0.05, 0.045]))
    return grown("ape", "other", lambda cell: Blend((*lines, Ellipsoid(head, (0.1, 0.12, 0.13))), 0.03),
                 {"head": head}, BROWN, 4000)


@pytest.mark.long
@pytest.mark.parametrize("neck", [0.0, 0.2], ids=["between the shoulders", "on a neck"])
def test_the_spine_reaches_the_head(neck):
    made = ape(neck=neck)
    shape = prepared(made.mesh)
    spine, head = seen_in(shape).spine.points, shape.frame.to_unit(made.joints["head"][None])[0]
    assert np.linalg.norm(spine - head, axis=1).min() < 0.06
    assert spine[-1, 2] > head[2]


def branched(beyond: float, radius: float = 0.0) -> tuple[Fronts, np.ndarray]:
    """Five pieces of a stem, on whose fourth hang two limbs; what is bare goes on for so long after its third."""
    parents = np.array([-1, 0, 1, 2, 3, 3, 2, 6])
    ends = np.array([0.1, 0.2, 0.3, 0.4, 1.0, 1.0, 0.45, 0.4 + beyond])
    none = np.zeros(len(parents))
    fronts = Fronts(parents, np.zeros((len(parents), 3)), none + radius, none, none, ends, none.astype(int),
                    none.astype(int))
    return fronts, np.isin(np.arange(len(parents)), (6, 7))


@pytest.mark.parametrize(("beyond", "way"), [(LEAST + 0.01, [0, 1, 2, 6, 7]), (LEAST - 0.01, [0, 1, 2, 3])])
def test_only_what_goes_on_for_long_enough_counts(beyond, way):
    fronts, is_bare = branched(beyond)
    assert way_past(fronts, [0, 1, 2, 3], is_bare, LEAST) == way
    assert way_past(fronts, [0, 1, 2, 3], np.zeros(len(is_bare), bool), LEAST) == [0, 1, 2, 3]


@pytest.mark.parametrize(("share", "way"), [(1.02, [0, 1, 2, 3]), (0.98, [0, 1, 2, 6, 7])])
def test_a_round_end_is_no_head(share, way):
    fronts, is_bare = branched(0.5, share * 0.5 / PAST)
    assert way_past(fronts, [0, 1, 2, 3], is_bare, LEAST) == way


def test_what_leaves_the_way_long_before_its_end_is_no_head():
    fronts, is_bare = branched(LEAST + 0.2)
    assert way_past(fronts, [0, 1, 2, 3], is_bare, 0.05) == [0, 1, 2, 3]
