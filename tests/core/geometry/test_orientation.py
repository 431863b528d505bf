"""Orientation: whatever faces were turned, parts come out consistent and outward."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.geometry.mesh import Mesh
from core.geometry.orientation import _edges, orient_faces
from tests.core.geometry.soups import ball, cube, join, keep_faces, signed_volume, turn_faces


def conflicts(mesh: Mesh) -> int:
    """Edges that two faces run along in the same direction, among those of exactly two faces. One edge at a time."""
    runs: dict = {}
    for face in mesh.faces.tolist():
        for a, b in zip(face, face[1:] + face[:1], strict=True):
            runs.setdefault((min(a, b), max(a, b)), []).append(a < b)
    return sum(len(r) == 2 and r[0] == r[1] for r in runs.values())


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 1.0])
def test_random_turns_of_closed_meshes_are_undone(share, rng):
    mesh = join(ball(fineness=3), ball((5, 0, 0), 0.3, fineness=2), cube((-4, 1, 2), (-3, 2, 5)))
    mixed = turn_faces(mesh, rng.random(len(mesh.faces)) < share)
    assert np.array_equal(orient_faces(mixed).faces, mesh.faces)


def test_ball_within_a_ball_faces_outward_too():
    mesh = join(ball(fineness=2), ball(radius=0.4, fineness=2))
    inner = turn_faces(mesh, np.arange(len(mesh.faces)) >= len(mesh.faces) // 2)
    assert np.array_equal(orient_faces(inner).faces, mesh.faces)


@pytest.mark.parametrize("offset", [(0, 0, 0), (50, -20, 30)])
def test_open_parts_face_outward(offset, rng):
    mesh = ball(offset, fineness=3)
    z = (mesh.triangles.mean(1) - offset)[:, 2]
    for part in (z < 0, np.abs(z) < 0.5, z < 0.9):  # a bowl, a belt with two rims, a ball with a hole
        opened = keep_faces(mesh, part)
        mixed = turn_faces(opened, rng.random(len(opened.faces)) < 0.6)
        assert np.array_equal(orient_faces(mixed).faces, opened.faces)


@pytest.mark.parametrize("scale", [1e-100, 1.0, 1e100])
def test_scale_does_not_matter(scale, rng):
    mesh = ball((1, 2, 3), fineness=2)
    mixed = turn_faces(mesh, rng.random(len(mesh.faces)) < 0.5)
    assert np.array_equal(orient_faces(Mesh(mixed.vertices * scale, mixed.faces)).faces, mesh.faces)


def test_flat_sheet_keeps_the_side_most_of_it_had():
    x, y = np.meshgrid(np.arange(5.0), np.arange(5.0))
    corner = (np.arange(4)[:, None] * 5 + np.arange(4)).ravel()
    faces = np.concatenate([np.stack([corner, corner + 1, corner + 6], 1),
                            np.stack([corner, corner + 6, corner + 5], 1)])
    sheet = Mesh(np.stack([x.ravel(), y.ravel(), 0 * x.ravel()], 1), faces)
    few = np.arange(len(faces)) % 4 == 0
    assert np.array_equal(orient_faces(turn_faces(sheet, few)).faces, sheet.faces)
    assert np.array_equal(orient_faces(turn_faces(sheet, ~few)).faces, turn_faces(sheet, np.ones(32, bool)).faces)


def test_parts_touching_along_an_edge_are_judged_apart(rng):
    """Two cubes with one edge in common: four faces meet there, so nothing follows across it."""
    one, two = cube(), cube((1, 1, 0), (2, 2, 1))
    both = join(one, two)
    _, index = np.unique(both.vertices, axis=0, return_inverse=True)
    mesh = Mesh(np.unique(both.vertices, axis=0), index.reshape(-1)[both.faces])
    mixed = turn_faces(mesh, rng.random(24) < 0.5)
    assert np.array_equal(orient_faces(mixed).faces, mesh.faces)


def test_moebius_strip_is_consistent_but_for_one_seam(rng):
    turns = np.linspace(0, 2 * np.pi, 40, endpoint=False)
    rim = [[(1 + s * np.cos(t / 2)) * np.cos(t), (1 + s * np.cos(t / 2)) * np.sin(t), s * np.sin(t / 2)]
           for t in turns for s in (-0.3, 0.3)]
    left = np.arange(0, 80, 2)
    nxt, nxt_right = np.append(left[1:], 1), np.append(left[1:] + 1, 0)
    faces = np.concatenate([np.stack([left, nxt, left + 1], 1), np.stack([nxt, nxt_right, left + 1], 1)])
    mesh = Mesh(rim, faces)
    mixed = turn_faces(mesh, rng.random(len(faces)) < 0.5)
    assert conflicts(mixed) > 10
    assert conflicts(orient_faces(mixed)) == 1


def test_faces_without_area_and_empty_meshes_pass():
    mesh = cube()
    odd = Mesh(mesh.vertices, np.concatenate([mesh.faces[:, [0, 2, 1]], [(0, 0, 1), (2, 2, 2)]]))
    assert np.array_equal(orient_faces(odd).faces[:12], mesh.faces)
    empty = Mesh(np.zeros((0, 3)), np.zeros((0, 3)))
    assert len(orient_faces(empty).faces) == 0


def test_faces_with_a_corner_twice_border_nothing():
    pairs, _, rim = _edges(Mesh(np.eye(3), [[0, 1, 2], [0, 1, 1], [1, 1, 2], [2, 0, 2]]))
    assert len(pairs) == 0 and rim.all(1).tolist() == rim.any(1).tolist() == [True, False, False, False]


def test_the_rest_of_the_mesh_stays():
    mesh = Mesh(cube().vertices, cube().faces, "box", np.arange(8))
    turned = orient_faces(Mesh(mesh.vertices, mesh.faces[:, [0, 2, 1]], "box", mesh.part_of_vertex))
    assert turned.name == "box"
    assert np.array_equal(turned.vertices, mesh.vertices)
    assert np.array_equal(turned.part_of_vertex, mesh.part_of_vertex)
    assert signed_volume(turned) == pytest.approx(1)


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(*[st.integers(0, 7)] * 3), max_size=24))
def test_any_soup_keeps_its_triangles_and_settles(faces):
    vertices = np.random.default_rng(1).normal(size=(8, 3))
    mesh = Mesh(vertices, np.array(faces).reshape(-1, 3))
    once = orient_faces(mesh)
    assert np.array_equal(np.sort(once.faces, 1), np.sort(mesh.faces, 1))
    assert np.array_equal(once.faces[:, :1], mesh.faces[:, :1])
    assert conflicts(once) <= conflicts(mesh)
