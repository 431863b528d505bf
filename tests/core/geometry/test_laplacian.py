"""The Laplacian's algebra, and that heat passes alike over a mesh and its stand-in."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from core.geometry.coarsen import _planes, coarsen
from core.geometry.laplacian import cotangent_laplacian, lumped_mass
from core.geometry.mesh import Mesh, weld
from tests.core.skinning.solids import box, joined, tube


def bumpy_grid(rng, cells=9):
    """A flat square of irregular triangles."""
    x, y = (a.ravel() for a in np.meshgrid(np.linspace(0, 1, cells), np.linspace(0, 1, cells), indexing="ij"))
    inner = (x > 0) & (x < 1) & (y > 0) & (y < 1)
    points = np.stack([x, y, np.zeros(len(x))], 1)
    points[inner, :2] += rng.uniform(-0.03, 0.03, (inner.sum(), 2))
    i, j = (a.ravel() for a in np.meshgrid(np.arange(cells - 1), np.arange(cells - 1), indexing="ij"))
    a = i * cells + j
    return Mesh(points, np.concatenate([np.stack([a, a + cells, a + cells + 1], 1),
                                        np.stack([a, a + cells + 1, a + 1], 1)])), inner


def test_linear_functions_are_in_equilibrium_inside_a_flat_mesh(rng):
    mesh, inner = bumpy_grid(rng)
    values = mesh.vertices @ [2.0, -3.0, 0.0] + 1.0
    residual = cotangent_laplacian(mesh) @ values
    assert np.abs(residual[inner]).max() < 1e-3
    assert np.abs(residual[~inner]).max() > 0.1


def test_rows_sum_to_zero_and_energy_is_never_negative(rng):
    for mesh in (bumpy_grid(rng)[0], tube(), weld(box((0, 0, 0), (1, 2, 3))).mesh):
        for least in (None, 1e-3):
            laplacian = cotangent_laplacian(mesh, least=least)
            assert np.abs(laplacian.sum(1)).max() < 1e-9 * np.abs(laplacian).max()
            assert abs(laplacian - laplacian.T).max() < 1e-12
            assert np.linalg.eigvalsh(laplacian.toarray()).min() > -1e-9


def test_energy_of_a_linear_function_is_the_area_it_rises_over():
    mesh = weld(box((0, 0, 0), (1, 2, 3), 5)).mesh
    x = mesh.vertices[:, 0]
    assert x @ cotangent_laplacian(mesh) @ x == pytest.approx(2 * (1 * 2 + 1 * 3), rel=1e-3)
    assert lumped_mass(mesh).sum() == pytest.approx(2 * (2 + 3 + 6), rel=1e-3)


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**31))
def test_any_triangles_give_a_finite_semidefinite_matrix(seed):
    random = np.random.default_rng(seed)
    points = random.choice([0.0, 1e-9, 0.5, 1.0], (8, 3))
    faces = random.integers(0, 8, (12, 3))
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 0] != faces[:, 2])]
    laplacian = cotangent_laplacian(Mesh(points, faces)).toarray()
    assert np.isfinite(laplacian).all()
    assert np.linalg.eigvalsh(laplacian).min() >= -1e-9 * max(1.0, np.abs(laplacian).max())


def test_duplicated_faces_count_twice_in_stiffness_and_mass_alike():
    mesh = tube()
    doubled = Mesh(mesh.vertices, np.concatenate([mesh.faces, mesh.faces[:, ::-1]]))
    assert abs(cotangent_laplacian(doubled) - 2 * cotangent_laplacian(mesh)).max() < 1e-9
    assert np.allclose(lumped_mass(doubled), 2 * lumped_mass(mesh))


def test_clusters_interpolate_smooth_functions_and_never_mix_sheets():
    near = tube(0.02, along=201)
    gap = Mesh(near.vertices + np.array([0, 0.0405, 0]), near.faces)  # half a thousandth away from the first
    both = joined(near, gap)
    coarse = coarsen(both, 400)
    assert len(coarse.mesh.vertices) < 0.5 * len(both.vertices)
    assert np.allclose(coarse.interpolate(np.ones((len(coarse.mesh.vertices), 2))), 1.0)
    found = coarse.interpolate(coarse.mesh.vertices[:, :1])[:, 0]
    assert np.abs(found - both.vertices[:, 0]).max() < 0.01
    first = np.arange(len(both.vertices)) < len(near.vertices)
    of_first = np.bincount(coarse.cluster[first], minlength=len(coarse.mesh.vertices)) > 0
    assert np.allclose(coarse.interpolate(of_first[:, None] * 1.0)[:, 0], first)


def test_shares_are_the_same_however_many_vertices_are_taken_at_a_time(monkeypatch):
    mesh = tube(0.05, along=61)
    whole = coarsen(mesh, 100).shares
    monkeypatch.setattr("core.geometry.coarsen._ROWS", 7)
    np.testing.assert_allclose(coarsen(mesh, 100).shares.toarray(), whole.toarray(), rtol=0, atol=1e-12)


def test_clusters_are_small_where_vertices_are_dense():
    """A fine bar beside a coarse one of its size: each keeps its share of the vertices, within a factor of two."""
    fine, rough = tube(0.05, along=301), tube(0.05, along=51)
    coarse = coarsen(joined(fine, Mesh(rough.vertices + [0, 0.5, 0], rough.faces)), 600)
    clusters = [len(np.unique(c)) for c in np.split(coarse.cluster, [len(fine.vertices)])]
    assert len(coarse.mesh.vertices) <= 600
    assert 0.5 < (clusters[0] / len(fine.vertices)) / (clusters[1] / len(rough.vertices)) < 2


def test_clusters_keep_a_connected_mesh_connected():
    coarse = coarsen(tube(0.004, along=301), 60)
    count = len(coarse.mesh.vertices)
    graph = sparse.coo_matrix((np.ones(len(coarse.edges)), coarse.edges.T), shape=(count, count))
    assert sparse.csgraph.connected_components(graph, directed=False)[0] == 1


def test_a_stand_in_is_the_same_wherever_the_mesh_lies(rng):
    places = rng.integers(0, 1024, (500, 3)).astype(float)  # whole numbers move without rounding
    faces = rng.integers(0, 500, (900, 3))
    here, there = (coarsen(Mesh(places + by, faces), 60) for by in (0.0, np.array([4096.0, -8192.0, 2048.0])))
    np.testing.assert_array_equal(here.cluster, there.cluster)


def test_shares_are_exact_for_planes_and_level_where_nothing_is_known():
    place, near = np.array([[0.1, 0.2, 0.15]]).T, np.ones((5, 1))
    around = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]]).T
    slope = np.array([2.0, -1.0, 0.5])
    found = (slope @ around) @ _planes((around - place)[:, :, None], near)
    assert found == pytest.approx((slope @ place)[0], abs=0.01)
    line = np.array([[0.0, 0, 0], [1, 0, 0], [-1, 0, 0]]).T
    beside = np.array([[0.5, 7.0, 0.0]]).T
    found = _planes((line - beside)[:, :, None], near[:3])[:, 0]
    np.testing.assert_allclose(found @ line[0], 0.5, rtol=0.01, err_msg="nothing is known across a line")
    assert found.sum() == pytest.approx(1.0)
    assert _planes(beside[:, :, None].copy(), near[:1]).tolist() == [[1]], "a cluster alone has one value everywhere"
    far = np.array([[0.0, 0, 0], [1e-3, 0, 0]]).T - np.array([[5.0, 0, 0]]).T
    assert np.abs(_planes(far[:, :, None], near[:2])).max() <= 2, "far beyond its clusters a plane does not run away"
