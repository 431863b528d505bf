"""Merged joints go back where the template's proportions, or the artist's pins, put them."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.embedding import Embedding
from core.fitting.split import split_paths
from core.skeleton.preset import load_template
from core.skeleton.reduce import reduce_template
from tests.core.fitting.graphs import graph_of, point_along, random_graph, small_biped, template_of

CHAIN = {"a": (None, (0, 0, 0)), "b": ("a", (0, 0, 1)), "c": ("b", (0, 0, 2)), "d": ("c", (0, 0, 4))}


def embedding_at(vertices) -> Embedding:
    return Embedding(np.array(vertices), 0.0, {}, 0)


def polyline(graph, u, v):
    return [graph.points[w] for w in graph.path(u, v)]


@pytest.mark.parametrize("seed", range(5))
def test_chains_are_divided_in_the_templates_proportions(seed):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 14, 5)
    reduced = reduce_template(load_template("biped_paper"))
    vertices = rng.choice(14, len(reduced.joints), replace=False)
    joints = split_paths(embedding_at(vertices), reduced, graph)
    assert joints.shape == (18, 3)
    for r, chain in enumerate(reduced.chains):
        np.testing.assert_allclose(joints[chain[-1]], graph.points[vertices[r]], atol=1e-12)
        if reduced.parents[r] >= 0:
            line = polyline(graph, int(vertices[reduced.parents[r]]), int(vertices[r]))
            for fraction, joint in zip(reduced.fractions[r], chain, strict=True):
                np.testing.assert_allclose(joints[joint], point_along(line, fraction), atol=1e-9)


def bent_path():
    points = np.array([[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 1, 0], [2, 2, 0]], float)
    return graph_of(points, [0.1] * 5, [[i, i + 1] for i in range(4)]), reduce_template(template_of(CHAIN))


def test_a_bend_is_followed():
    graph, reduced = bent_path()
    joints = split_paths(embedding_at([0, 4]), reduced, graph)
    np.testing.assert_allclose(joints, [[0, 0, 0], [1, 0, 0], [2, 0, 0], [2, 2, 0]], atol=1e-12)


def test_a_pinned_merged_joint_is_exact_and_the_path_leads_through_it():
    graph, reduced = bent_path()
    pin = np.array([1.0, 0.3, 0.0])
    joints = split_paths(embedding_at([0, 4]), reduced, graph, {2: pin})
    np.testing.assert_array_equal(joints[2], pin)
    # b is half-way on the stretch from a over the vertex nearest to the pin to the pin: 1 + 0.3 long.
    np.testing.assert_allclose(joints[1], [0.65, 0, 0], atol=1e-12)
    np.testing.assert_allclose(joints[[0, 3]], [[0, 0, 0], [2, 2, 0]])


@pytest.mark.parametrize("joint", range(4))
def test_any_pinned_joint_is_exact(joint):
    graph, reduced = bent_path()
    pin = np.array([0.7, 0.2, 0.4])
    joints = split_paths(embedding_at([0, 4]), reduced, graph, {joint: pin})
    np.testing.assert_array_equal(joints[joint], pin)
    assert np.isfinite(joints).all()


def test_all_joints_pinned():
    graph = random_graph(np.random.default_rng(0), 10, 4)
    template = small_biped()
    reduced = reduce_template(template)
    pins = {j: np.array([j, 0.5, -j]) / 10 for j in range(len(template.names))}
    joints = split_paths(embedding_at([0, 1, 2, 3, 4, 5]), reduced, graph, pins)
    np.testing.assert_array_equal(joints, np.array(list(pins.values())))


def test_a_chain_of_no_length_puts_its_joints_in_one_place():
    graph, reduced = bent_path()
    joints = split_paths(embedding_at([3, 3]), reduced, graph)
    np.testing.assert_array_equal(joints, np.repeat(graph.points[[3]], 4, axis=0))
