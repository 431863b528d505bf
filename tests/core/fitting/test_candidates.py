"""Joints may be placed where joints of their kind belong."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.fitting.candidates import find_candidates, limb_ends, paper_limb_ends
from core.fitting.graph import connect_spheres
from core.fitting.medial import sample_medial
from core.fitting.search import find_middle
from core.fitting.spheres import pack_spheres
from core.skeleton.preset import load_template, preset_names
from core.skeleton.reduce import reduce_template
from tests.core.fitting.bodies import body, solid, star
from tests.core.fitting.graphs import graph_of
from tests.limits import turning_point


@cache
def middle(name: str):
    return find_middle(body(name))


def graph_in(shape):
    return connect_spheres(pack_spheres(sample_medial(shape.field)), shape.field)


def test_a_dumbbell_ends_in_its_two_balls():
    shape = solid("dumbbell")[1]
    graph = graph_in(shape)
    ends = shape.frame.to_object(graph.points[limb_ends(graph)])
    assert (np.abs(ends[:, 2]) > 0.4).all()
    assert (ends[:, 2] > 0).any() and (ends[:, 2] < 0).any()


def test_a_star_ends_in_its_tips():
    tips, shape = star()
    graph = graph_in(shape)
    ends = shape.frame.to_object(graph.points[limb_ends(graph)])
    for tip in tips:
        assert np.linalg.norm(ends - tip, axis=1).min() < 0.06, "an end within the tip's radius"
    outer = np.linalg.norm(ends[:, None] - tips, axis=2).min(1) < 0.15
    assert outer.mean() > 0.5 and np.linalg.norm(ends, axis=1).min() > 0.1, "and few elsewhere, none at the centre"


def test_the_ends_of_a_tree_are_its_leaves():
    """A spider: legs of two edges around a middle vertex."""
    angle = np.linspace(0, 5, 6)
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], 1)
    points = np.concatenate([[[0, 0, 0]], 0.3 * ring, 0.6 * ring])
    edges = [[0, i] for i in range(1, 7)] + [[i, i + 6] for i in range(1, 7)]
    graph = graph_of(points, [0.05] * 13, edges)
    assert limb_ends(graph).tolist() == list(range(7, 13))
    assert limb_ends(graph, np.array([0, 1, 2, 7])).tolist() == [2, 7], "among some, only their own edges count"


def test_a_vertex_goes_on_in_one_straight_ahead_that_is_at_least_half_as_thick():
    def ends(thick: float = 0.1, other: float = 0.1, bend: float = 0.0) -> bool:
        points = [[-1, 0, 0], [0, 0, 0], [np.cos(bend), np.sin(bend), 0]]
        return 1 in paper_limb_ends(graph_of(points, [0.2, thick, other], [[0, 1], [1, 2]]))

    assert not ends()
    assert turning_point(ends, 0.1, 0.5) == pytest.approx(0.2, rel=0.01)
    assert turning_point(lambda other: ends(0.2, other), 0.02, 0.3) == pytest.approx(0.1, rel=0.01)
    assert np.cos(turning_point(lambda bend: ends(bend=bend), 0.0, 1.5)) == pytest.approx(0.8, abs=0.002)


def test_one_vertex_is_an_end():
    assert limb_ends(graph_of([[0, 0, 0]], [0.1], [])).tolist() == [0]


@pytest.mark.sweep(1)
@pytest.mark.parametrize("preset", preset_names())
@pytest.mark.parametrize("name", ["person", "quadruped", "robot"])
def test_every_joint_has_candidates_of_its_kind(name, preset):
    skeletal = middle(name)
    graph, reduced = skeletal.graph, reduce_template(load_template(preset))
    found = find_candidates(graph, reduced, fat=20)
    assert len(found) == len(reduced.joints)
    largest = np.sort(graph.radii)[::-1]
    for r, places in enumerate(found):
        assert len(places) and (np.diff(places) > 0).all(), "some, ascending"
        if reduced.template.is_fat[reduced.joints[r]] and not reduced.is_leaf[r]:
            assert len(places) <= 20
            if graph.twins is None:
                assert graph.radii[places].min() >= largest[min(20, len(largest)) - 1]
        if graph.twins is not None and reduced.mirror[r] < 0:
            assert (graph.twins[places] == places).all(), "joints without a partner stay on the plane"
        if graph.twins is not None and reduced.mirror[r] >= 0:
            assert np.isin(graph.twins[places], places).all(), "every candidate's mirror image is one"
