"""Rims that lie on each other are one seam; rims of separate things are not."""

import numpy as np

from core.geometry.mesh import Mesh, vertex_components
from core.geometry.seams import join_parts, seam_edges
from core.skinning.bind import bind_shape
from tests.core.skinning.solids import joined, prepare, tube, two_bones


def halves(gap: float) -> tuple[Mesh, np.ndarray]:
    """A tube cut in two at its middle, the halves `gap` apart, and for each vertex its vertex in the whole tube."""
    whole = tube(0.1, along=41)
    middle = whole.vertices[whole.faces].mean(1)[:, 0]
    parts, origin = [], []
    for side, faces in ((-1, whole.faces[middle < 0.5]), (1, whole.faces[middle > 0.5])):
        used, corner = np.unique(faces, return_inverse=True)
        parts.append(Mesh(whole.vertices[used] + [side * gap / 2, 0, 0], corner.reshape(faces.shape)))
        origin.append(used)
    return joined(*parts), np.concatenate(origin)


def test_a_cut_is_sewn_vertex_by_vertex():
    mesh, _ = halves(0.001)
    part = vertex_components(mesh)
    seams = seam_edges(mesh, part)
    assert len(seams) == 24
    assert np.allclose(np.abs(mesh.vertices[seams[:, 0]] - mesh.vertices[seams[:, 1]]), [0.001, 0, 0])
    assert len(np.unique(join_parts(part, seams))) == 1


def test_rims_further_apart_and_closed_parts_stay_separate():
    mesh, _ = halves(0.02)
    part = vertex_components(mesh)
    assert len(seam_edges(mesh, part)) == 0
    touching = joined(tube(0.1), Mesh(tube(0.1).vertices + np.array([1.0005, 0, 0]), tube(0.1).faces))
    assert len(seam_edges(touching, vertex_components(touching))) == 0


def test_a_cut_mesh_binds_like_a_whole_one():
    mesh, origin = halves(0.001)
    rig = two_bones()
    whole = bind_shape(prepare(tube(0.1, along=41)), rig, "heat").matrix.toarray()
    cut = bind_shape(prepare(mesh), rig, "heat").matrix.toarray()
    assert np.abs(cut - whole[origin]).max() < 0.1
    assert np.abs(cut - whole[origin]).mean() < 0.01
