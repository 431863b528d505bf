"""Many paths at once are the same as one at a time."""

from __future__ import annotations

import numpy as np

from core.fitting.paths import points_along, walk_paths
from tests.core.fitting.graphs import graph_of, point_along, random_graph


def test_walks_lead_from_each_end_back_to_its_start(rng):
    graph = random_graph(rng, 14, 6)
    starts, ends = (g.ravel() for g in np.meshgrid(np.arange(14), np.arange(14), indexing="ij"))
    for u, v, walk in zip(starts, ends, walk_paths(graph, starts, ends), strict=True):
        path = walk[walk >= 0]
        assert path.tolist() == graph.path(int(u), int(v))[::-1]
        assert (walk[len(path):] == -1).all()
        length = np.linalg.norm(np.diff(graph.points[path], axis=0), axis=1).sum()
        assert np.isclose(length, graph.distance[u, v])


def test_points_along_divide_the_length(rng):
    graph = random_graph(rng, 14, 6)
    starts, ends = rng.integers(0, 14, (2, 60))
    fractions = np.array([0.0, 0.13, 0.5, 0.99, 1.0])
    found = points_along(graph, walk_paths(graph, starts, ends), fractions)
    for u, v, points in zip(starts, ends, found, strict=True):
        line = [graph.points[w] for w in graph.path(int(u), int(v))]
        wanted = [point_along(line, f) if len(line) > 1 else line[0] for f in fractions]
        np.testing.assert_allclose(points, wanted, atol=1e-12)


def test_paths_of_no_length_stay_where_they_are(rng):
    graph = random_graph(rng, 5, 2)
    everywhere = np.arange(5)
    found = points_along(graph, walk_paths(graph, everywhere, everywhere), np.array([0.0, 0.7]))
    np.testing.assert_array_equal(found, np.repeat(graph.points[:, None], 2, axis=1))


def test_vertices_in_one_place_are_passed_without_harm():
    graph = graph_of([[0, 0, 0], [0, 0, 0], [1, 0, 0]], [0.1] * 3, [[0, 1], [1, 2]])
    found = points_along(graph, walk_paths(graph, np.array([0]), np.array([2])), np.array([0.0, 0.25, 1.0]))
    np.testing.assert_allclose(found[0], [[0, 0, 0], [0.25, 0, 0], [1, 0, 0]], atol=1e-12)
