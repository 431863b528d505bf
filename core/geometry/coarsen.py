"""A lighter mesh standing in for a heavy one, and the way back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from .links import linked_parts
from .mesh import Mesh, box, cross, dot, used_vertices

_HALVINGS = 12  # of the box, along each axis
_STIFF = 0.003  # how much clusters must lie apart one way for a slope that way to be believed
_ROWS = 8192
_NEAR = 0.01  # of a cluster's reach: a vertex nearer to its middle than that hardly heeds the others


@dataclass(frozen=True, eq=False)
class CoarseMesh:
    """Clusters of a mesh's vertices as a mesh of their own.

    mesh : a vertex for each cluster, at the middle of its vertices; faces whose corners lie in three clusters
    edges : (E, 2) pairs of clusters joined by an edge of the fine mesh, lower index first
    cluster : (V,) the cluster of each fine vertex
    shares : (V, C) csr, rows sum to 1: how much each fine vertex takes from the clusters around it, such that what
        changes evenly along the surface goes on evenly between them
    """

    mesh: Mesh
    edges: np.ndarray
    cluster: np.ndarray
    shares: sparse.csr_matrix

    def interpolate(self, values: np.ndarray) -> np.ndarray:
        """(C, K) values at the clusters to (V, K) at the fine vertices. Values may overshoot a little."""
        return self.shares @ values


def coarsen(mesh: Mesh, count: int) -> CoarseMesh:
    """Cluster the vertices into at most about `count` cells; sheets that only pass through one cell stay apart.

    Cells are small where vertices are dense: the fingers of a body keep their share of them. They are centred on the
    mesh, so mirrored input gives mirrored clusters. O(V log V).
    """
    cell, side = _cells(mesh, count)
    start, end = mesh.faces.T.ravel(), mesh.faces.T[[1, 2, 0]].ravel()
    inside = np.flatnonzero(cell.take(start) == cell.take(end))
    cluster = linked_parts(len(cell), start[inside], end[inside])
    clusters = int(cluster.max()) + 1
    members = np.bincount(cluster, minlength=clusters)
    centre = np.stack([np.bincount(cluster, x, clusters) for x in mesh.vertices.T], 1) / members[:, None]
    start, end = cluster.take(start), cluster.take(end)
    apart = np.flatnonzero(start != end)
    start, end = start[apart].astype(np.int64), end[apart].astype(np.int64)
    code = np.unique(np.minimum(start, end) * clusters + np.maximum(start, end))
    pairs = np.stack([code // clusters, code % clusters], 1)
    reach = np.zeros(clusters)
    np.maximum.at(reach, cluster, side)
    faces = _canonical(cluster.take(mesh.faces), clusters)
    return CoarseMesh(Mesh(centre, faces, mesh.name), pairs, cluster,
                      _shares(mesh.vertices, centre, cluster, pairs, 2.0 * reach))


def _cells(mesh: Mesh, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(V,) the cell each vertex is in, and (V,) that cell's longest side.

    A box around all is halved along x, y, z in turn until few enough vertices are in each.
    """
    low, high = box(used_vertices(mesh))
    middle, half = (low + high) / 2, 0.5 * (high - low).max() * (1 + 1e-9)
    place = np.floor((mesh.vertices - middle).T / half * 2 ** (_HALVINGS - 1)) + 2 ** (_HALVINGS - 1)
    place = np.clip(place, 0, 2**_HALVINGS - 1).astype(np.int64)
    code = np.zeros(len(mesh.vertices), np.int64)
    spread = np.sum([(np.arange(2**_HALVINGS) >> bit & 1) << 3 * bit for bit in range(_HALVINGS)], axis=0)
    for x in place:
        code = code << 1 | spread.take(x)
    order = np.argsort(code, kind="stable")
    # after how many halvings each vertex parts from the one before
    parted = np.concatenate([[0], 3 * _HALVINGS + 1 - np.frexp((code[order[1:]] ^ code[order[:-1]]).astype(float))[1]])
    boxes = _boxes(parted)
    most = _crowd(boxes, count)
    depth = np.full(len(code), 3 * _HALVINGS)
    for halvings in range(3 * _HALVINGS - 1, -1, -1):
        size = boxes[halvings][1]
        few = size <= most
        if not few.any():
            break
        if few.all():  # as is usual far down, where boxes hold a vertex or two
            depth[:] = halvings
        else:
            depth[np.repeat(few, size)] = halvings
    cell = np.empty_like(code)
    cell[order] = code[order] >> (3 * _HALVINGS - depth) << (3 * _HALVINGS - depth)
    side = np.empty(len(code))
    side[order] = 2 * half * 0.5 ** (depth // 3)
    return cell, side


def _crowd(boxes: list[tuple[np.ndarray, np.ndarray, np.ndarray]], count: int) -> int:
    """The smallest number of vertices a cell may hold if there are to be `count` cells at most."""
    cells = np.zeros(int(boxes[0][1].max()) + 1, np.int64)  # [n]: how many more if n may be in each than if n - 1 may
    above = np.array([len(cells)])
    for _, size, parent in boxes:
        for sizes, sign in ((size, 1), (above[parent], -1)):
            counts = np.bincount(sizes)[:len(cells)]
            cells[:len(counts)] += sign * counts
        above = size
    return int(np.flatnonzero(np.cumsum(cells)[1:] <= count)[0]) + 1


def _boxes(parted: np.ndarray) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """For each number of halvings the first vertex of each box, how many are in it, and the box it is half of.

    parted : (V,) after how many halvings each vertex parts from the one before, in the order along the cells' curve
    """
    boxes, start = [], np.flatnonzero(parted <= 3 * _HALVINGS)
    for halvings in range(3 * _HALVINGS, -1, -1):
        goes_on = parted[start] < halvings
        parent = np.cumsum(goes_on) - 1 if halvings else np.zeros(len(start), np.int64)
        boxes.append((start, np.diff(start, append=len(parted)), parent))
        start = start[goes_on]
    return boxes[::-1]


def _canonical(faces: np.ndarray, count: int) -> np.ndarray:
    """Faces with three different corners below `count`, each once, turned so that its lowest corner comes first."""
    a, b, c = faces.T
    a, b, c = (x[(a != b) & (b != c) & (c != a)].astype(np.int64) for x in (a, b, c))
    low = np.minimum(np.minimum(a, b), c)
    second, third = np.where(low == a, b, np.where(low == b, c, a)), np.where(low == a, c, np.where(low == b, a, b))
    two, number = np.unique(low * count + second, return_inverse=True)
    code = np.unique(number.reshape(-1) * count + third)
    two, third = two[code // count], code % count
    return np.stack([two // count, two % count, third], 1)


def _shares(vertices, centre, cluster, between, reach) -> sparse.csr_matrix:
    """Moving least squares over a vertex's own cluster and those next to it, each weighing in up to its reach (C,).

    Every row gives what the plane through the clusters' values has at the vertex. Where clusters lie on a line or in a
    plane, nothing is known across it, and the plane is level that way.
    """
    clusters, middle = len(centre), centre.T.copy()
    both = np.concatenate([between, between[:, ::-1], np.repeat(np.arange(clusters)[:, None], 2, 1)])
    near = sparse.csr_matrix((np.ones(len(both)), both.T), shape=(clusters, clusters))
    around, first = np.diff(near.indptr)[cluster], near.indptr[cluster]
    start = np.concatenate([[0], np.cumsum(around)])
    column, share = np.empty(start[-1], np.int32), np.empty(start[-1])
    for count in np.flatnonzero(np.bincount(around)):  # as many clusters around: whole rows at a time
        each, rows = np.arange(count)[:, None], np.flatnonzero(around == count)
        for some in np.split(rows, range(_ROWS, len(rows), _ROWS)):
            own = near.indices.take(first[some] + each)
            apart = middle.take(own, 1) - vertices[some].T[:, None]
            far = np.sqrt(dot(apart, apart)) / reach.take(own)
            close = np.maximum(1.0 - far, 1e-6)
            column[start[some] + each] = own
            share[start[some] + each] = _planes(apart, close * close * close / (far * far + _NEAR**2))
    return sparse.csr_matrix((share, column, start), shape=(len(vertices), clusters))


def _planes(apart: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """(E, N) shares of the E entries of N rows, by least squares.

    apart : (3, E, N) from the row's place to the entry's, changed in place;  weight : (E, N) of the entry
    """
    share = weight / weight.sum(0)
    mean = (share * apart).sum(1)
    apart -= mean[:, None]
    pull = share * apart
    square = np.empty((3, 3, len(mean[0])))
    for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)):
        square[i, j] = square[j, i] = (pull[i] * apart[j]).sum(0)
    square += (_STIFF * np.trace(square) + 1e-12) * np.eye(3)[:, :, None]
    across = [cross(square[k - 2], square[k - 1]) for k in range(3)]
    volume = (square[0] * across[0]).sum(0)
    slope = sum(way * x for way, x in zip(across, mean, strict=True)) / volume
    tilt = share * dot(apart, slope)
    steepest = np.maximum(np.abs(tilt).max(0), 1.0)  # far beside its clusters a row would run away
    return share - tilt / steepest
