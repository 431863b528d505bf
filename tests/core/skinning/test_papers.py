"""The published bindings as they were written."""

from itertools import pairwise

import numpy as np
import pytest

from core.geometry.laplacian import cotangent_laplacian, lumped_mass
from core.geometry.mesh import Mesh
from core.skinning.bind import METHODS, PAPERS, BindOptions, bind_shape
from core.skinning.handles import skin_handles
from core.skinning.papers import bones_alone, geodesic_paper, heat_paper
from tests.core.skinning.solids import bones, box, joined, prepare, tube, two_bones


@pytest.mark.sweep(1)
@pytest.mark.parametrize("method", PAPERS)
def test_weights_are_weights(method):
    mesh = joined(tube(), box((0.4, 0.5, -0.02), (0.44, 0.54, 0.02)))  # a button that floats beside
    skin = bind_shape(prepare(mesh), two_bones(), method, BindOptions(influences=1))
    weights = skin.matrix.toarray()
    assert skin.method == method and method in METHODS
    assert np.isfinite(weights).all() and weights.min() >= 0 and np.allclose(weights.sum(1), 1)
    assert ((weights > 0).sum(1) == 1).all()


@pytest.mark.sweep(1)
@pytest.mark.parametrize("method", PAPERS)
def test_each_end_of_a_tube_follows_its_bone(method):
    mesh = tube()
    weights = bind_shape(prepare(mesh), two_bones(), method).matrix.toarray()
    x = mesh.vertices[:, 0]
    assert (weights[x < 0.2, 0] > 0.95).all() and (weights[x > 0.8, 1] > 0.95).all()


def test_heat_solves_the_papers_equation():
    """L w + M H w = M H p with H = 1 / d^2 of the nearest bone: put in, both sides agree."""
    shape = prepare(tube())
    handles = bones_alone(skin_handles(shape, two_bones()))
    weights, mesh = heat_paper(shape, handles), shape.mesh
    distance = handles.nearest(mesh.vertices)[0]
    near = np.maximum(distance.min(1, keepdims=True), 1e-6)
    is_nearest = distance <= near * (1 + 1e-6)
    heat = lumped_mass(mesh)[:, None] * is_nearest / near**2
    came = cotangent_laplacian(mesh) @ weights + heat.sum(1, keepdims=True) * weights
    assert np.allclose(came, heat, rtol=1e-6, atol=1e-9 * heat.max())


@pytest.mark.parametrize("twist", [0.0, -4.0])
def test_heat_along_a_tube_falls_as_computed_by_hand(twist):
    """-w'' + w / r^2 = p / r^2 has the solution exp(-x / r) / 2 beyond the joint, with obtuse triangles too."""
    straight, radius = tube(along=121), 0.1
    x, y, z = straight.vertices.T
    turned = (y + 1j * z) * np.exp(1j * twist * x / radius)
    mesh = Mesh(np.stack([x, turned.real, turned.imag], 1), straight.faces)
    shape = prepare(mesh)
    weights = heat_paper(shape, bones_alone(skin_handles(shape, two_bones())))[shape.welded_of_vertex]
    beyond, middle = np.exp(-np.abs(x - 0.5) / radius) / 2, np.abs(x - 0.5) < 0.3
    assert np.abs(weights[:, 0] - np.where(x < 0.5, 1 - beyond, beyond))[middle].max() < 0.004


def test_a_bone_that_is_not_seen_gives_no_heat():
    """The side of a trunk lies nearer to the bone of the arm beside it, over a gap, and follows its own."""
    mesh = joined(box((0, 0, 0), (0.3, 0.3, 1)), box((0.36, 0.1, 0), (0.46, 0.2, 1)))
    rig = bones(((0.15, 0.15, 0), (0.15, 0.15, 1)), ((0.41, 0.15, 0), (0.41, 0.15, 1)), parents=[-1, -1])
    weights = bind_shape(prepare(mesh), rig, "heat_paper").matrix.toarray()
    trunk = mesh.vertices[:, 0] <= 0.3
    assert (weights[trunk, 0] > 0.75).all() and (weights[~trunk, 1] > 0.95).all()


@pytest.mark.long
def test_geodesic_falloff_is_the_papers():
    shape = prepare(tube())
    handles = bones_alone(skin_handles(shape, two_bones()))
    weights = geodesic_paper(shape, handles)
    ours = bind_shape(shape, two_bones(), "geodesic", BindOptions(influences=2, least=0.0)).matrix.toarray()
    x = shape.mesh.vertices[:, 0]
    middle = np.abs(x - np.median(x)) < 0.15 * np.ptp(x)
    entropy = [-(w * np.log(np.maximum(w, 1e-12))).sum(1)[middle].mean() for w in (weights, ours)]
    assert entropy[0] > entropy[1]  # 0.1 blends more widely than our 0.3


@pytest.mark.slow
def test_the_papers_weights_are_handed_out_as_they_are():
    """Only what exceeds the influences goes: small weights that may stay do not fade."""
    mesh, ends = tube(), np.linspace(0, 1, 8)
    rig = bones(*(((a, 0, 0), (b, 0, 0)) for a, b in pairwise(ends)))
    shape = prepare(mesh)
    weights = geodesic_paper(shape, bones_alone(skin_handles(shape, rig)))[shape.welded_of_vertex]
    assert ((weights > 0) & (weights < 0.02)).any()
    handed = bind_shape(shape, rig, "geodesic_paper", BindOptions(least=0.0)).matrix.toarray()
    np.testing.assert_allclose(handed, weights, atol=1e-12)
