"""Cuts in a surface: rims of different parts that lie on each other without sharing vertices."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from .mesh import Mesh


def seam_edges(mesh: Mesh, part: np.ndarray, *, tolerance: float = 0.003) -> np.ndarray:
    """(E, 2) pairs of rim vertices of different parts no further apart than `tolerance`, lower index first.

    mesh : unit frame;  part : (V,) connected part of each vertex. A rim vertex lies on an edge with a single face.
    Clothes cut into panels and meshes split along texture seams are one skin although no vertex says so.
    """
    edges = np.sort(mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64), axis=1)
    code, count = np.unique(edges[:, 0] * len(mesh.vertices) + edges[:, 1], return_counts=True)
    lone = code[count == 1]
    rim = np.unique(np.concatenate([lone // len(mesh.vertices), lone % len(mesh.vertices)]))
    if len(rim) < 2:
        return np.zeros((0, 2), np.int64)
    tree = cKDTree(mesh.vertices[rim])
    distance, near = tree.query(mesh.vertices[rim], k=min(6, len(rim)), distance_upper_bound=tolerance)
    row, column = np.nonzero(np.isfinite(distance))
    pairs = np.stack([rim[row], rim[near[row, column]]], 1)
    pairs = np.sort(pairs[part[pairs[:, 0]] != part[pairs[:, 1]]], axis=1)
    return np.unique(pairs, axis=0)


def join_parts(part: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """(V,) the parts, numbered anew, when `edges` (E, 2) between vertices join them."""
    count = int(part.max()) + 1
    pairs = part[edges]
    graph = sparse.coo_matrix((np.ones(len(pairs)), pairs.T), shape=(count, count))
    return connected_components(graph, directed=False)[1][part]
