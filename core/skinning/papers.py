"""The two published bindings as they were written, to compare with and to teach from; nothing of ours is added.

What a bind needs on any mesh stays: whoever no bone reaches follows what is next to it, and influences are limited.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from ..geometry.laplacian import laplacian_and_mass
from ..geometry.shape import Shape
from .geodesic import GeodesicDistances, handle_seeds
from .handles import Handles
from .heat import HeatSources, heat_equilibrium
from .visibility import is_visible
from .voxel_tree import VoxelTree, voxel_tree

_AS_NEAR = 1 + 1e-6  # bones are equally near if their distances agree to this
_RESOLUTION, _PENALTY, _ALPHA = 256, 4.0, 0.1  # of [DL14]


def bones_alone(handles: Handles) -> Handles:
    """The same segments, without what we know of the flesh around them."""
    return Handles(handles.bones, handles.owner, handles.heads, handles.tails)


def heat_paper(shape: Shape, handles: Handles) -> np.ndarray:
    """(V, K) weights of the welded mesh, rows that no heat reaches zero. [BP07] section 4.

    The k bones nearest to a vertex share its heat, p = 1/k and H = k / d^2 (c is 1), if the straight way to the nearest
    one stays inside the body; otherwise H is 0. Every vertex is solved for, however many there are.
    """
    mesh = shape.mesh
    distance, where, _ = handles.nearest(mesh.vertices)
    by_bone = np.full((len(distance), len(handles.bones)), np.inf)
    for segment, bone in enumerate(handles.owner):
        by_bone[:, bone] = np.minimum(by_bone[:, bone], distance[:, segment])
    least = np.maximum(by_bone.min(1), 1e-6)
    shares = (by_bone <= least[:, None] * _AS_NEAR).astype(float)
    count = shares.sum(1)
    nearest = distance.argmin(1)
    seen = is_visible(shape.field, mesh.vertices,
                      handles.points(nearest, where[np.arange(len(where)), nearest])).astype(float)
    sources = HeatSources(shares / np.maximum(count, 1)[:, None], seen * count / least**2, seen, seen)
    return heat_equilibrium(*laplacian_and_mass(mesh), sources)


def geodesic_paper(shape: Shape, handles: Handles) -> np.ndarray:
    """(V, K) weights of the welded mesh. [DL14] algorithms 1 to 3, (8) and (9), with its own numbers.

    256 voxels, ways begin with 0 in every voxel that a bone crosses, a step into the skin costs four times its length,
    a vertex adds its distance from the middle of the voxel that holds it; falloff 0.1, four influences.
    """
    seeds, segment = handle_seeds(handles, 0.5 / _RESOLUTION)
    tree = voxel_tree(shape.mesh, seeds, resolution=_RESOLUTION)
    ways = _ways(tree, _cell_at(tree, seeds), handles.owner[segment], len(handles.bones))
    cell = _cell_at(tree, shape.mesh.vertices)
    gap = np.linalg.norm(shape.mesh.vertices - tree.centres[cell], axis=1)
    return GeodesicDistances(ways.T[cell] + gap[:, None]).weights(_ALPHA)


def _cell_at(tree: VoxelTree, points: np.ndarray) -> np.ndarray:
    """(N,) the cell that holds each point, the nearest one for points outside the body."""
    cell = tree.cell_of_voxel[tuple(tree.grid.index_of(points).T)].astype(np.int64)
    outside = np.flatnonzero(cell < 0)
    if len(outside):
        cell[outside] = cKDTree(tree.centres).query(points[outside])[1]
    return cell


def _ways(tree: VoxelTree, cells: np.ndarray, owner: np.ndarray, bones: int) -> np.ndarray:
    """(K, C) length of the shortest way from each bone's cells to every cell."""
    count = len(tree.centres)
    pairs = np.unique(np.stack([owner, cells]), axis=1)
    starts = sparse.csr_matrix((np.full(pairs.shape[1], 1e-9), (pairs[0], pairs[1])), shape=(bones, count))
    cost = tree.steps.data * np.where(tree.boundary, _PENALTY, 1.0)[tree.steps.indices]
    steps = sparse.csr_matrix((cost, tree.steps.indices, tree.steps.indptr), shape=tree.steps.shape)
    graph = sparse.bmat([[steps, None], [starts, sparse.csr_matrix((bones, bones))]], format="csr")
    return dijkstra(graph, indices=np.arange(count, count + bones))[:, :count]
