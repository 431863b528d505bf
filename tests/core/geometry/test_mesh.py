"""Meshes: what is refused and in which words, and what welding joins."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.errors import BadMesh
from core.geometry.mesh import (
    AT_ONCE,
    Mesh,
    _without_doubles,
    check_mesh,
    face_normals,
    is_used,
    sorted_sides,
    used_vertices,
    vertex_components,
    weld,
)
from tests.core.geometry.soups import ball, cube, join
from tests.shapes import box


def unwelded(mesh: Mesh) -> Mesh:
    """Each face with corners of its own."""
    return Mesh(mesh.triangles.reshape(-1, 3), np.arange(3 * len(mesh.faces)).reshape(-1, 3), mesh.name)


def test_a_mesh_keeps_a_frozen_copy(rng):
    vertices, faces = rng.normal(size=(5, 3)), np.array([[0, 1, 2], [2, 3, 4]])
    mesh = Mesh(vertices, faces)
    vertices[:], faces[:] = 0, 0
    assert mesh.vertices.any() and mesh.faces.any()
    for array in (mesh.vertices, mesh.faces, mesh.part_of_vertex):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("faces", [[[0, 1, 3]], [[-1, 0, 1]], [[0, 1]]])
def test_faces_must_be_triangles_of_existing_vertices(faces):
    with pytest.raises(ValueError, match="faces"):
        Mesh(np.zeros((3, 3)), faces)


@pytest.mark.parametrize("third", [2.5, np.nan, 2**32 + 2, np.array(2**32 + 2), np.uint64(2**64 - 1)])
def test_no_number_is_bent_into_an_index(third):
    with pytest.raises(ValueError, match="faces must be whole numbers"):
        Mesh(np.zeros((3, 3)), [[0, 1, third]])
    assert Mesh(np.zeros((3, 3)), np.array([[0.0, 1.0, 2.0]])).faces.tolist() == [[0, 1, 2]]


FLAT = [[0, 0, 0], [1, 0, 0.3], [0, 1, 0.5], [1, 1, 0.8]]
HOPELESS = {
    "no vertices": (np.zeros((0, 3)), np.zeros((0, 3), int)),
    "no faces": (np.eye(3), np.zeros((0, 3), int)),
    "not finite": ([[0, 0, 0], [1, np.nan, 0], [0, 1, 1]], [[0, 1, 2]]),
    "beyond": ([[0, 0, 0], [1e31, 0, 0], [0, 1e31, 1e31]], [[0, 1, 2]]),
    "one point": ([[7, 7, 7]] * 3, [[0, 1, 2]]),
    "one line": ([[0, 0, 0], [1, 1, 1], [3, 3, 3]], [[0, 1, 2]]),
    "flat sheet": (FLAT, [[0, 1, 2], [1, 3, 2]]),
}


@pytest.mark.parametrize("complaint", HOPELESS)
def test_a_hopeless_mesh_is_refused_by_name(complaint):
    with pytest.raises(BadMesh, match=complaint) as refusal:
        check_mesh(Mesh(*HOPELESS[complaint], "Gustav"))
    assert "'Gustav'" in str(refusal.value)


@pytest.mark.parametrize("stray", [np.nan, np.inf, 1e300, -1e300, 5e-324])
def test_vertices_without_faces_harm_nothing(stray):
    mesh = cube()
    strewn = Mesh(np.concatenate([mesh.vertices, [[stray] * 3]]), mesh.faces)
    check_mesh(strewn)
    assert np.array_equal(np.sort(weld(strewn).mesh.triangles, axis=None), np.sort(mesh.triangles, axis=None))


def test_welding_restores_a_mesh_whose_faces_came_apart():
    mesh = ball(fineness=3)
    welded = weld(unwelded(mesh))
    assert len(welded.mesh.vertices) == len(mesh.vertices)
    assert np.array_equal(welded.mesh.triangles, mesh.triangles)
    assert np.array_equal(welded.mesh.vertices[welded.welded_of_vertex], unwelded(mesh).vertices)


def test_many_vertices_keep_their_order(monkeypatch):
    monkeypatch.setattr("core.geometry.mesh._MANY", 100)
    mesh = ball(fineness=3)
    welded = weld(mesh)
    assert np.array_equal(welded.mesh.vertices, mesh.vertices) and np.array_equal(welded.mesh.faces, mesh.faces)
    apart = weld(unwelded(mesh))
    assert np.array_equal(apart.mesh.triangles, mesh.triangles)
    first = np.unique(apart.welded_of_vertex, return_index=True)[1]
    assert (np.diff(first) > 0).all()


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), at=st.floats(0, 1))
def test_points_closer_than_the_tolerance_weld_wherever_the_lattice_lies(seed, at):
    rng = np.random.default_rng(seed)
    frame = cube()
    near = rng.uniform(at / 2, 0.9, (20, 3))
    direction = rng.normal(size=(20, 3))
    twin = near + 0.9e-6 * direction / np.linalg.norm(direction, axis=1, keepdims=True)
    mesh = Mesh(np.concatenate([frame.vertices, near, twin]), frame.faces)
    of_vertex = weld(mesh).welded_of_vertex
    assert np.array_equal(of_vertex[8:28], of_vertex[28:])
    assert len(np.unique(of_vertex)) == 28


def test_distinct_vertices_stay_apart(rng):
    mesh = cube()
    apart = Mesh(np.concatenate([mesh.vertices, mesh.vertices * 0.99999 + 3e-6]), mesh.faces)
    assert len(weld(apart).mesh.vertices) == 16


def test_faces_without_area_and_doubled_faces_go():
    mesh = cube()
    more = np.concatenate([mesh.faces, mesh.faces[:5], mesh.faces[3:7, ::-1], mesh.faces[2:4, [1, 2, 0]], [[0, 0, 3]]])
    assert np.array_equal(weld(Mesh(mesh.vertices, more)).mesh.triangles, mesh.triangles)


@pytest.mark.parametrize("count", [9, 2**21 + 3, 2**31 - 1])
def test_of_faces_with_the_same_corners_the_first_stays_however_many_vertices_there_are(count, rng):
    names = np.array([0, 1, 2, 2**20, 2**21 - 1, 2**21, 2**21 + 1, count - 2, count - 1]) % count
    faces = np.array([rng.choice(np.unique(names), 3, replace=False) for _ in range(200)], np.int32)
    first = {tuple(sorted(face)): face for face in faces[::-1].tolist()}
    found = _without_doubles(faces)
    assert len(found) == len(first) < 200 and all(first[tuple(sorted(face))] == face for face in found.tolist())
    np.testing.assert_array_equal(_without_doubles(found), found)


def test_too_fine_a_lattice_is_an_error():
    with pytest.raises(ValueError, match="too fine"):
        weld(cube(), tolerance=1e-9)


def test_welding_scales_with_the_mesh():
    mesh = unwelded(ball(fineness=2))
    for scale in (1e-30, 1e-9, 1.0, 1e9, 1e29):
        assert len(weld(Mesh(mesh.vertices * scale, mesh.faces)).mesh.vertices) == 66


def test_components_are_what_edges_hang_together():
    of_vertex = vertex_components(join(cube(), cube((2, 0, 0), (3, 1, 1)), Mesh([[9, 9, 9]], np.zeros((0, 3)))))
    assert [len(np.unique(of_vertex[part])) for part in (slice(0, 8), slice(8, 16), slice(16, 17))] == [1, 1, 1]
    assert len(np.unique(of_vertex)) == 3


def test_a_mesh_whose_vertices_moved_knows_what_one_made_anew_finds_out(rng):
    mesh = join(cube(), ball())
    asked = [vertex_components(mesh), is_used(mesh), *sorted_sides(mesh)]
    moved = mesh.moved(rng.normal(size=mesh.vertices.shape))
    anew = Mesh(moved.vertices, mesh.faces)
    for kept, first, again in zip([vertex_components(moved), is_used(moved), *sorted_sides(moved)], asked,
                                  [vertex_components(anew), is_used(anew), *sorted_sides(anew)], strict=True):
        assert kept is first
        np.testing.assert_array_equal(kept, again)
    np.testing.assert_array_equal(used_vertices(moved), used_vertices(anew))


def test_normals_are_unit_and_right_handed_and_zero_without_area():
    normals = face_normals(Mesh([[0, 0, 0], [2, 0, 0], [0, 3, 0]], [[0, 1, 2], [0, 2, 1], [0, 1, 1]]))
    assert np.array_equal(normals, [[0, 0, 1], [0, 0, -1], [0, 0, 0]])


@pytest.mark.parametrize(("size", "said"), [((1, 1, 0.8e-4), "flat sheet"), ((1, 1, 1.2e-4), ""),
                                            ((1, 0.8e-4, 0.8e-4), "one line"), ((1, 1.2e-4, 0.8e-4), "flat sheet"),
                                            ((1, 1.2e-4, 1.2e-4), "")])
def test_a_volume_is_a_ten_thousandth_thick(size, said):
    corners = np.array(list(np.ndindex(2, 2, 2)), float) * size
    faces = np.array([[a, b, c] for a in range(8) for b in range(a) for c in range(b)])
    for moved in (corners, 100 * corners[:, [2, 0, 1]] + 7):
        if said:
            with pytest.raises(BadMesh, match=said):
                check_mesh(Mesh(moved, faces))
        else:
            check_mesh(Mesh(moved, faces))


def test_area_is_that_of_all_faces():
    assert box((2.0, 3.0, 4.0)).mesh.area == pytest.approx(2 * (2 * 3 + 2 * 4 + 3 * 4))


@pytest.mark.parametrize("count", [0, 1, AT_ONCE - 1, AT_ONCE, AT_ONCE + 1, 2 * AT_ONCE + 7])
def test_each_face_has_its_area_however_many_there_are(rng, count):
    mesh = Mesh(rng.normal(size=(500, 3)), rng.integers(0, 500, (count, 3)))
    one, two, three = np.moveaxis(mesh.triangles, 1, 0)
    np.testing.assert_allclose(mesh.areas, np.linalg.norm(np.cross(two - one, three - one), axis=1) / 2, atol=1e-12)
    assert mesh.area == pytest.approx(mesh.areas.sum())
