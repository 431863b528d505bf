"""Vertex normals point outward on round and flat bodies, whatever the triangulation."""

import numpy as np

from core.geometry.mesh import Mesh, weld
from core.geometry.normals import vertex_normals
from tests.core.skinning.solids import box, tube


def test_normals_of_a_tube_point_away_from_its_axis():
    mesh = tube(0.1)
    normals = vertex_normals(mesh)
    side = (mesh.vertices[:, 0] > 0.1) & (mesh.vertices[:, 0] < 0.9)
    expected = mesh.vertices[side] * [0, 10, 10]
    assert np.abs(np.abs((normals[side] * expected).sum(1)) - 1).max() < 1e-3


def test_how_a_side_is_cut_into_triangles_does_not_matter():
    cube = weld(box((0, 0, 0), (1, 1, 1), 1)).mesh
    corner = np.abs(vertex_normals(cube))
    assert np.allclose(corner, 3**-0.5)


def test_vertices_without_faces_have_none_and_slivers_do_no_harm():
    mesh = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0], [2, 0, 0], [5, 5, 5]], [[0, 1, 2], [0, 1, 3]])
    normals = vertex_normals(mesh)
    assert np.allclose(normals[:3], [0, 0, 1])
    assert np.allclose(normals[3:], 0)
