"""The graph joins spheres where a bone can run, all of them, by shortest paths."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from core.fitting.graph import connect_spheres
from core.fitting.medial import sample_medial
from core.fitting.spheres import Spheres, pack_mirrored_spheres, pack_spheres
from core.geometry.symmetry import find_mirror_plane, symmetric_field
from tests.core.fitting.bodies import body, prepared, solid, star
from tests.core.fitting.graphs import floyd_warshall


def is_gabriel(points, i, j) -> bool:
    """No other point in the closed ball over the edge."""
    middle, radius = (points[i] + points[j]) / 2, np.linalg.norm(points[i] - points[j]) / 2
    others = np.delete(points, [i, j], axis=0)
    return not len(others) or bool(np.linalg.norm(others - middle, axis=1).min() > radius * (1 + 1e-9))


def runs_inside(field, points, radii, i, j) -> bool:
    """The whole edge is at least half the smaller radius deep."""
    t = np.linspace(0, 1, 101)[:, None]
    return bool((-field.sample(points[i] * (1 - t) + points[j] * t) >= 0.5 * min(radii[i], radii[j])).all())


def wanted_edges(spheres, field) -> set:
    points, radii = spheres.centres, spheres.radii
    pairs = [(i, j) for i in range(len(points)) for j in range(i + 1, len(points))]
    return {(i, j) for i, j in pairs if np.linalg.norm(points[i] - points[j]) < radii[i] + radii[j]
            or (is_gabriel(points, i, j) and runs_inside(field, points, radii, i, j))}


def assert_connected(graph):
    assert np.isfinite(graph.distance).all()
    assert (graph.edges[:, 0] < graph.edges[:, 1]).all()
    assert len(np.unique(graph.edges, axis=0)) == len(graph.edges)


@pytest.mark.sweep(1)
@pytest.mark.parametrize("name", ["capsule", "bent", "torus", "dumbbell", "box"])
def test_edges_are_those_the_definition_gives(name):
    field = solid(name, 64)[1].field
    spheres = pack_spheres(sample_medial(field), limit=60)
    graph = connect_spheres(spheres, field)
    assert_connected(graph)
    found, wanted = {tuple(e) for e in graph.edges.tolist()}, wanted_edges(spheres, field)
    assert wanted <= found
    # The others join what the definition leaves apart, none too many.
    piece = list(range(len(spheres.centres)))
    for i, j in [*sorted(wanted), *sorted(found - wanted)]:
        assert (i, j) in wanted or piece[i] != piece[j]
        piece = [piece[i] if p == piece[j] else p for p in piece]


@pytest.mark.parametrize("kind", ["cloud", "lattice", "flat", "line", "few"])
def test_only_gabriel_edges_cross_open_space(kind, rng):
    """In a ball so large that every edge runs inside; spheres far too small to touch."""
    field = solid("ball", 32)[1].field
    spread = {"cloud": rng.uniform(-1, 1, (30, 3)), "few": rng.uniform(-1, 1, (3, 3)),
              "lattice": np.stack(np.meshgrid(*[[-0.5, 0, 0.5]] * 3), -1).reshape(-1, 3),
              "flat": rng.uniform(-1, 1, (20, 3)) * [1, 1, 0], "line": np.linspace(-1, 1, 9)[:, None] * [1, 0, 0]}[kind]
    spheres = Spheres(spread * 0.2 + [0, 0, 0.5], np.full(len(spread), 1e-3))
    graph = connect_spheres(spheres, field)
    points = spheres.centres
    wanted = {(i, j) for i in range(len(points)) for j in range(i + 1, len(points)) if is_gabriel(points, i, j)}
    assert {tuple(e) for e in graph.edges.tolist()} == wanted
    assert_connected(graph)


@pytest.mark.parametrize("name", ["person", "quadruped"])
def test_bones_stay_inside_a_body(name):
    field = body(name).field
    graph = connect_spheres(pack_spheres(sample_medial(field), limit=150), field)
    assert_connected(graph)
    gap = np.linalg.norm(np.diff(graph.points[graph.edges], axis=1)[:, 0], axis=1) - graph.radii[graph.edges].sum(1)
    t = np.linspace(0, 1, 21)[:, None, None]
    along = graph.points[graph.edges[:, 0]] * (1 - t) + graph.points[graph.edges[:, 1]] * t
    depth = -field.sample(along.reshape(-1, 3)).reshape(21, -1).min(0)
    assert (depth[gap >= 0] > 0).all(), "edges between spheres that do not touch stay in the solid"
    assert depth.min() > -0.02, "edges between touching spheres leave it at most by a corner"


def test_paths_are_the_shortest():
    shape = star()[1]
    graph = connect_spheres(pack_spheres(sample_medial(shape.field), limit=30), shape.field)
    np.testing.assert_allclose(graph.distance, floyd_warshall(graph.points, graph.edges), atol=1e-12)
    edges = {tuple(e) for e in graph.edges.tolist()}
    for u in range(len(graph.points)):
        assert graph.before[u, u] == -1
        for v in range(len(graph.points)):
            path = graph.path(u, v)
            assert path[0] == u and path[-1] == v
            assert all((min(e), max(e)) in edges for e in itertools.pairwise(path))
            length = np.linalg.norm(np.diff(graph.points[path], axis=0), axis=1).sum()
            assert length == pytest.approx(graph.distance[u, v])


def test_pieces_far_apart_are_joined_by_their_shortest_gaps():
    field = solid("ball", 32)[1].field
    centres = np.array([[0, 0, 0.5], [0.05, 0, 0.5], [2, 0, 0.5], [2.05, 0, 0.5], [0, 3, 0.5]])
    graph = connect_spheres(Spheres(centres, np.full(5, 0.04)), field)
    assert_connected(graph)
    assert {tuple(e) for e in graph.edges.tolist()} == {(0, 1), (2, 3), (1, 2), (0, 4)}


def test_a_single_sphere_is_a_graph():
    graph = connect_spheres(Spheres(np.array([[0, 0, 0.5]]), np.array([0.1])), solid("ball", 32)[1].field)
    assert len(graph.edges) == 0 and graph.distance.tolist() == [[0.0]] and graph.path(0, 0) == [0]


def test_two_spheres_in_one_place_do_not_break_paths():
    centres = np.array([[0, 0, 0.5], [0, 0, 0.5], [0.1, 0, 0.5]])
    graph = connect_spheres(Spheres(centres, np.full(3, 0.08)), solid("ball", 32)[1].field)
    assert np.isfinite(graph.distance).all()
    assert graph.path(0, 2)[0] == 0 and graph.path(1, 2)[-1] == 2


def test_a_mirrored_body_has_mirrored_edges_and_paths():
    field = body("person").field
    plane = find_mirror_plane(field)
    field = symmetric_field(field, plane)
    spheres = pack_mirrored_spheres(sample_medial(field), plane.x, 0.51 * field.grid.spacing)
    graph = connect_spheres(spheres, field)
    twins = graph.twins
    edges = {tuple(e) for e in graph.edges.tolist()}
    assert {tuple(sorted(e)) for e in twins[graph.edges].tolist()} == edges
    np.testing.assert_allclose(graph.distance[twins][:, twins], graph.distance, atol=1e-9)
    np.testing.assert_allclose(graph.distance, graph.distance.T, atol=1e-9)
    rng = np.random.default_rng(0)
    for u, v in rng.integers(0, len(twins), (200, 2)):
        path = graph.path(int(u), int(v))
        length = np.linalg.norm(np.diff(graph.points[path], axis=0), axis=1).sum()
        assert length == pytest.approx(graph.distance[u, v], abs=1e-9)
        if twins[u] != u:
            assert twins[path].tolist() == graph.path(int(twins[u]), int(twins[v]))


def test_moving_the_body_keeps_the_graph(rng):
    """The unit frame takes the place away, and rounding decides nothing."""
    ideal, shape = solid("dumbbell")
    mesh = ideal.mesh
    moved = prepared(type(mesh)(mesh.vertices * 3.7 + [11.3, -7.1, 0.3], mesh.faces))
    one, two = (connect_spheres(pack_spheres(sample_medial(s.field)), s.field) for s in (shape, moved))
    np.testing.assert_allclose(one.points, two.points, atol=1e-9)
    np.testing.assert_array_equal(one.edges, two.edges)
