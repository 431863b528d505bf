"""The cotangent Laplacian of triangle soup, robust to what artists' meshes contain."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from .mesh import Mesh, dot


def cotangent_laplacian(mesh: Mesh, *, least: float | None = None) -> sparse.csr_matrix:
    """(V, V) positive semidefinite stiffness matrix: row sums zero, w' L w the Dirichlet energy of w.

    least : raise every edge's weight to at least this. With a positive number L is an M-matrix and equilibria obey the
    maximum principle, at the price of linear precision next to obtuse pairs of triangles. None: the plain formula.
    Slivers are thickened intrinsically (all lengths grow by one epsilon), so no cotangent is infinite; edges with one
    face, or more than two, add up face by face. [BP07] section 4.
    """
    return _laplacian(mesh, _cotangents(mesh)[0], least)


def laplacian_and_mass(mesh: Mesh, *, least: float | None = None) -> tuple[sparse.csr_matrix, np.ndarray]:
    """`cotangent_laplacian` and `lumped_mass`, which take the same measures of the faces."""
    cotangents, area = _cotangents(mesh)
    return _laplacian(mesh, cotangents, least), _mass(mesh, area)


def _laplacian(mesh: Mesh, cotangents: np.ndarray, least: float | None) -> sparse.csr_matrix:
    count = len(mesh.vertices)
    a, b, c = mesh.faces.T
    start, end = np.concatenate([b, c, a]), np.concatenate([c, a, b])
    half = 0.5 * cotangents.ravel()
    weight = sparse.coo_matrix((half, (np.minimum(start, end), np.maximum(start, end))), shape=(count, count)).tocsr()
    if least is not None:
        weight.data = np.maximum(weight.data, least)
    return graph_laplacian(weight)


def graph_laplacian(weight: sparse.spmatrix) -> sparse.csr_matrix:
    """(V, V) Laplacian of a graph whose edges i < j carry the weights of an upper triangular matrix."""
    symmetric = weight + weight.T
    degree = np.asarray(symmetric.sum(1)).ravel()
    return (sparse.diags(degree) - symmetric).tocsr()


def lumped_mass(mesh: Mesh) -> np.ndarray:
    """(V,) area of each vertex: a third of its faces. Vertices without faces have none."""
    return _mass(mesh, _cotangents(mesh)[1])


def _mass(mesh: Mesh, area: np.ndarray) -> np.ndarray:
    return np.bincount(mesh.faces.ravel(), np.repeat(area / 3, 3), len(mesh.vertices))


def _cotangents(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """(3, F) cotangent of each corner's angle and (F,) areas, of triangles thickened to be no slivers."""
    if len(mesh.faces) == 0:
        return np.zeros((3, 0)), np.zeros(0)
    at = mesh.vertices.T.copy()
    corners = [at.take(corner, 1) for corner in mesh.faces.T]
    across = [corners[k - 2] - corners[k - 1] for k in range(3)]
    lengths = np.stack([np.sqrt(dot(way, way)) for way in across])
    slack = lengths.sum(0) - 2 * lengths
    lengths += max(0.0, float((1e-5 * lengths.mean() - slack).max()))
    squared = lengths**2
    half = lengths.sum(0) / 2
    area = np.sqrt(np.maximum(half * (half - lengths).prod(0), np.finfo(float).tiny))
    return (squared.sum(0) - 2 * squared) / (4 * area), area
