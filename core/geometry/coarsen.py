"""A lighter mesh standing in for a heavy one, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from .mesh import Mesh


@dataclass(frozen=True, eq=False)
class CoarseMesh:
    """Clusters of a mesh's vertices as a mesh of their own.

    mesh : a vertex for each cluster, at the middle of its vertices; faces whose corners lie in three clusters
    edges : (E, 2) pairs of clusters joined by an edge of the fine mesh, lower index first
    cluster : (V,) the cluster of each fine vertex
    prolongation : (V, C) csr, rows sum to 1: values at the clusters, interpolated at the fine vertices
    """

    mesh: Mesh
    edges: np.ndarray
    cluster: np.ndarray
    prolongation: sparse.csr_matrix


def coarsen(mesh: Mesh, count: int) -> CoarseMesh:
    """Cluster the vertices into about `count` cells of a lattice; sheets that only pass through one cell stay apart.

    The lattice is centred on the mesh, so mirrored input gives mirrored clusters. O(V log V).
    """
    corners = mesh.triangles
    area = 0.5 * np.linalg.norm(np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1).sum()
    step = np.sqrt(1.6 * area / count)  # a surface crossing the lattice obliquely fills more cells than its area says
    used = mesh.vertices[np.unique(mesh.faces)]
    cell = np.floor((mesh.vertices - (used.min(0) + used.max(0)) / 2) / step).astype(np.int64)
    cell = np.clip(cell, -2**20, 2**20 - 1) + 2**20
    key = (cell[:, 0] << 42) | (cell[:, 1] << 21) | cell[:, 2]
    edges = np.sort(mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    inside = edges[key[edges[:, 0]] == key[edges[:, 1]]]
    size = len(mesh.vertices)
    graph = sparse.coo_matrix((np.ones(len(inside), np.int8), inside.T), shape=(size, size))
    clusters, cluster = connected_components(graph, directed=False)
    members = np.bincount(cluster, minlength=clusters)
    centre = np.stack([np.bincount(cluster, x, clusters) for x in mesh.vertices.T], 1) / members[:, None]
    between = cluster[edges]
    between = np.sort(between[between[:, 0] != between[:, 1]], axis=1).astype(np.int64)
    code = np.unique(between[:, 0] * clusters + between[:, 1])
    between = np.stack([code // clusters, code % clusters], 1)
    faces = np.unique(_canonical(cluster[mesh.faces]), axis=0)
    return CoarseMesh(Mesh(centre, faces, mesh.name), between, cluster,
                      _prolongation(mesh.vertices, centre, cluster, between, step))


def _canonical(faces: np.ndarray) -> np.ndarray:
    """Faces with three different corners, each turned so that its lowest corner comes first."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    turn = (faces.argmin(1)[:, None] + np.arange(3)) % 3
    return np.take_along_axis(faces, turn, 1)


def _prolongation(vertices, centre, cluster, between, step) -> sparse.csr_matrix:
    """Shepard interpolation between a vertex's own cluster and the clusters next to it."""
    size, clusters = len(vertices), len(centre)
    own = sparse.csr_matrix((np.ones(size), cluster, np.arange(size + 1)), shape=(size, clusters))
    both = np.concatenate([between, between[:, ::-1], np.repeat(np.arange(clusters)[:, None], 2, 1)])
    near = sparse.csr_matrix((np.ones(len(both)), both.T), shape=(clusters, clusters))
    reach = (own @ near).tocsr()
    row = np.repeat(np.arange(size), np.diff(reach.indptr))
    far = np.linalg.norm(vertices[row] - centre[reach.indices], axis=1) / (2.0 * step)
    reach.data = np.maximum(1.0 - far, 1e-6) ** 3
    total = np.asarray(reach.sum(1)).ravel()
    reach.data /= total[row]
    return reach
