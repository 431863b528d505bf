"""A lighter mesh standing in for a heavy one, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from .mesh import Mesh

_HALVINGS = 12  # of the box, along each axis
_STIFF = 0.03  # how much a slope must show to be believed; a lone neighbour tells little
_ROWS = 65_536
_NEAR = 0.01  # of a cluster's reach: a vertex nearer to its middle than that takes its value


@dataclass(frozen=True, eq=False)
class CoarseMesh:
    """Clusters of a mesh's vertices as a mesh of their own.

    mesh : a vertex for each cluster, at the middle of its vertices; faces whose corners lie in three clusters
    edges : (E, 2) pairs of clusters joined by an edge of the fine mesh, lower index first
    cluster : (V,) the cluster of each fine vertex
    shares : (V, C) csr, rows sum to 1: how much each fine vertex takes from the clusters around it
    fine : (V, 3) the fine vertices
    """

    mesh: Mesh
    edges: np.ndarray
    cluster: np.ndarray
    shares: sparse.csr_matrix
    fine: np.ndarray

    def interpolate(self, values: np.ndarray) -> np.ndarray:
        """(C, K) values at the clusters to (V, K) at the fine vertices: every cluster goes on along its slopes.

        Values may overshoot a little.
        """
        slopes = _slopes(self.mesh.vertices, self.edges, values)
        base = values - sum(x[:, None] * slope for x, slope in zip(self.mesh.vertices.T, slopes, strict=True))
        planes = np.concatenate([base, *slopes], axis=1)
        result = np.empty((len(self.fine), values.shape[1]))
        for start in range(0, len(result), _ROWS):
            rows = slice(start, start + _ROWS)
            at = (self.shares[rows] @ planes).reshape(-1, 4, values.shape[1])
            result[rows] = at[:, 0] + np.einsum("vd,vdk->vk", self.fine[rows], at[:, 1:])
        return result


def coarsen(mesh: Mesh, count: int) -> CoarseMesh:
    """Cluster the vertices into at most about `count` cells; sheets that only pass through one cell stay apart.

    Cells are small where vertices are dense: the fingers of a body keep their share of them. They are centred on the
    mesh, so mirrored input gives mirrored clusters. O(V log V).
    """
    cell, side = _cells(mesh, count)
    size = len(cell)
    edges = np.sort(mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2), axis=1)
    inside = edges[cell[edges[:, 0]] == cell[edges[:, 1]]]
    graph = sparse.coo_matrix((np.ones(len(inside), np.int8), inside.T), shape=(size, size))
    clusters, cluster = connected_components(graph, directed=False)
    members = np.bincount(cluster, minlength=clusters)
    centre = np.stack([np.bincount(cluster, x, clusters) for x in mesh.vertices.T], 1) / members[:, None]
    between = cluster[edges]
    pairs = np.sort(between[between[:, 0] != between[:, 1]], axis=1).astype(np.int64)
    code = np.unique(pairs[:, 0] * clusters + pairs[:, 1])
    pairs = np.stack([code // clusters, code % clusters], 1)
    reach = np.zeros(clusters)
    np.maximum.at(reach, cluster, side)
    faces = np.unique(_canonical(cluster[mesh.faces]), axis=0)
    return CoarseMesh(Mesh(centre, faces, mesh.name), pairs, cluster,
                      _shares(mesh.vertices, centre, cluster, pairs, 2.0 * reach), mesh.vertices)


def _cells(mesh: Mesh, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(V,) the cell each vertex is in, and (V,) that cell's longest side.

    A box around all is halved along x, y, z in turn until few enough vertices are in each.
    """
    used = mesh.vertices[np.unique(mesh.faces)]
    middle, half = (used.min(0) + used.max(0)) / 2, 0.5 * np.ptp(used, axis=0).max() * (1 + 1e-9)
    place = np.floor((mesh.vertices - middle) / half * 2 ** (_HALVINGS - 1)) + 2 ** (_HALVINGS - 1)
    place = np.clip(place, 0, 2**_HALVINGS - 1).astype(np.int64)
    code = np.zeros(len(place), np.int64)
    for bit in range(_HALVINGS - 1, -1, -1):
        for x in place.T:
            code = code << 1 | (x >> bit & 1)
    order = np.argsort(code, kind="stable")
    # after how many halvings each vertex parts from the one before
    parted = np.concatenate([[0], 3 * _HALVINGS + 1 - np.frexp((code[order[1:]] ^ code[order[:-1]]).astype(float))[1]])
    most = _crowd(parted, count)
    depth = np.full(len(code), 3 * _HALVINGS)
    for halvings in range(3 * _HALVINGS - 1, -1, -1):
        size = _boxes(parted, halvings)[1]
        few = size <= most
        if not few.any():
            break
        depth[np.repeat(few, size)] = halvings
    cell = np.empty_like(code)
    cell[order] = code[order] >> (3 * _HALVINGS - depth) << (3 * _HALVINGS - depth)
    side = np.empty(len(code))
    side[order] = 2 * half * 0.5 ** (depth // 3)
    return cell, side


def _crowd(parted: np.ndarray, count: int) -> int:
    """The smallest number of vertices a cell may hold if there are to be `count` cells at most."""
    cells = np.zeros(len(parted) + 2, np.int64)  # [n]: how many more there are if n may be in each than if n - 1 may
    above = np.array([len(parted) + 1])
    start = np.zeros(1, np.int64)
    for halvings in range(3 * _HALVINGS + 1):
        earlier = start
        start, size = _boxes(parted, halvings)
        parent = above[np.searchsorted(earlier, start, "right") - 1]
        cells += np.bincount(size, minlength=len(cells)) - np.bincount(parent, minlength=len(cells))
        above = size
    cells[:int(above.max())] += 0
    return int(np.flatnonzero(np.cumsum(cells)[1:] <= count)[0]) + 1


def _boxes(parted: np.ndarray, halvings: int) -> tuple[np.ndarray, np.ndarray]:
    """The first vertex of each box after so many halvings, and how many are in it."""
    start = np.flatnonzero(parted <= halvings)
    return start, np.diff(np.append(start, len(parted)))


def _canonical(faces: np.ndarray) -> np.ndarray:
    """Faces with three different corners, each turned so that its lowest corner comes first."""
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    turn = (faces.argmin(1)[:, None] + np.arange(3)) % 3
    return np.take_along_axis(faces, turn, 1)


def _shares(vertices, centre, cluster, between, reach) -> sparse.csr_matrix:
    """Shepard interpolation between a vertex's own cluster and the clusters next to it, each up to its reach (C,)."""
    size, clusters = len(vertices), len(centre)
    own = sparse.csr_matrix((np.ones(size), cluster, np.arange(size + 1)), shape=(size, clusters))
    both = np.concatenate([between, between[:, ::-1], np.repeat(np.arange(clusters)[:, None], 2, 1)])
    near = sparse.csr_matrix((np.ones(len(both)), both.T), shape=(clusters, clusters))
    share = (own @ near).tocsr()
    row = np.repeat(np.arange(size), np.diff(share.indptr))
    far = np.linalg.norm(vertices[row] - centre[share.indices], axis=1) / reach[share.indices]
    share.data = np.maximum(1.0 - far, 1e-6) ** 3 / (far**2 + _NEAR**2)
    total = np.asarray(share.sum(1)).ravel()
    share.data /= total[row]
    return share


def _slopes(centre: np.ndarray, edges: np.ndarray, values: np.ndarray) -> list[np.ndarray]:
    """Three (C, K): how values (C, K) change along x, y and z, by least squares over the neighbours.

    Where neighbours lie in a plane or on a line, nothing is known across it, and the slope is 0.
    """
    one, two = np.concatenate([edges, edges[:, ::-1]]).T
    count = len(centre)
    apart = centre[two] - centre[one]
    weight = 1.0 / np.maximum((apart**2).sum(1), 1e-12)
    square = np.empty((3, 3, count))
    for i, j in np.ndindex(3, 3):
        square[i, j] = np.bincount(one, weight * apart[:, i] * apart[:, j], count)
    square += (_STIFF * np.trace(square) + 1e-12) * np.eye(3)[:, :, None]
    across = [np.cross(square[k - 2], square[k - 1], axis=0) for k in range(3)]
    volume = (square[0] * across[0]).sum(0)
    pull = [weight * sum((across[k][axis] / volume)[one] * apart[:, k] for k in range(3)) for axis in range(3)]
    return [sparse.csr_matrix((p, (one, two)), shape=(count, count)) @ values
            - np.bincount(one, p, count)[:, None] * values for p in pull]
