"""Bleeding: weight from bones that are near through the air, but far through the body.

Each bone's own skin is known without the weights: skin that faces away from it and lies close to it,
or nearer to it than to any other. From there the way along
the body is measured, and weight counts as bled where that way is much longer than the body is thick there.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from ..geometry.coarsen import coarsen
from ..geometry.links import linked_parts
from ..geometry.mesh import Mesh
from ..geometry.normals import vertex_normals
from .skin import Skin

ENOUGH = 4000  # vertices that tell ways through a body well enough
BINS = 5  # along a bone: its own skin is looked for in each
HUG = 1.6  # times the nearest skin's distance: what lies within is a bone's own
FACING = 0.3  # cosine between the skin's normal and the way from the bone
BRIDGE = 0.015  # sizes of the character: parts no further apart touch
REACH = 3.0  # thicknesses beyond a bone's own skin that a soft joint may blend over
FLOOR = 0.04  # sizes of the character that blend anyway


@dataclass(frozen=True, eq=False)
class Territory:
    """Which skin belongs to which bone, and how far the rest is from it through the body.

    owner : (W,) the bone whose skin each vertex is;  depth : (W,) how far it lies from that bone
    thickness : (B,) of the body around each bone
    way : (C, B) along the body from each bone's own skin to C places;  place : (W,) the place of each vertex
    """

    owner: np.ndarray
    depth: np.ndarray
    thickness: np.ndarray
    way: np.ndarray
    place: np.ndarray


def survey(skin: Skin, moving: np.ndarray) -> Territory:
    """Tell bones' skin and the ways through the body.  moving : (B,) bool, bones that have weights.

    Measured on a stand-in of a few thousand vertices: O(C B log C).
    """
    mesh, place = skin.mesh, np.arange(len(skin.mesh.vertices))
    if len(mesh.vertices) > 1.5 * ENOUGH:
        coarse = coarsen(mesh, ENOUGH)
        mesh, place, edges = coarse.mesh, coarse.cluster, coarse.edges
    else:
        edges = skin.edges
    distance, where, facing = _to_bones(mesh, skin.rig.heads, skin.ends)
    turned = distance * np.minimum(2.0 / np.maximum(1.0 + facing, 1e-6), 5.0)
    bones = np.flatnonzero(moving)
    owner = bones[turned[:, bones].argmin(1)]
    own = _own_skin(distance, where, facing)
    own[np.arange(len(owner)), owner] |= facing[np.arange(len(owner)), owner] > -FACING
    thickness = np.array([np.median(distance[own[:, b], b]) if own[:, b].any() else 0.0 for b in range(own.shape[1])])
    graph = _body_graph(mesh.vertices, edges, BRIDGE)
    way = np.full((len(mesh.vertices), len(moving)), np.inf)
    for bone in bones:
        way[:, bone] = dijkstra(graph, directed=False, indices=np.flatnonzero(own[:, bone]), min_only=True)
    depth = distance[np.arange(len(owner)), owner]
    return Territory(owner[place], depth[place], thickness, way, place)


def bled_weight(skin: Skin, territory: Territory) -> np.ndarray:
    """(W,) share of each vertex's weight that comes from bones too far away through the body.

    Nothing up to the distance a soft joint blends over, all of it from twice that on.
    """
    weights = skin.weights.tocoo()
    row, bone = weights.row, weights.col
    reach = np.maximum(REACH * (territory.thickness[bone] + territory.depth[row]), FLOOR)
    excess = np.clip(territory.way[territory.place[row], bone] / reach - 1.0, 0.0, 1.0)
    total = np.bincount(row, weights.data, len(territory.owner))
    bled = np.bincount(row, weights.data * excess, len(territory.owner))
    return np.divide(bled, total, out=np.zeros_like(bled), where=total > 0)


def _to_bones(mesh: Mesh, heads: np.ndarray, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(V, B) distance to each bone, where on it (0 head, 1 end), and cosine of the skin's facing away from it."""
    along = ends - heads
    squared = np.maximum((along**2).sum(1), 1e-30)
    points = mesh.vertices
    where = np.clip((points @ along.T - (heads * along).sum(1)) / squared, 0.0, 1.0)
    gap = points[:, None] - heads - where[..., None] * along
    distance = np.sqrt(np.einsum("vbi,vbi->vb", gap, gap))
    facing = np.einsum("vbi,vi->vb", gap, vertex_normals(mesh)) / np.maximum(distance, 1e-30)
    return distance, where, facing


def _own_skin(distance, where, facing) -> np.ndarray:
    """(V, B) bool: skin that faces away from a bone and lies close to it, for each stretch of the bone."""
    own = np.zeros(distance.shape, bool)
    outward = np.where(facing > FACING, distance, np.inf)
    stretch = np.minimum((where * BINS).astype(int), BINS - 1)
    nearest = outward.min(0)
    for k in range(BINS):
        here = np.where(stretch == k, outward, np.inf)
        least = here.min(0)
        own |= (here <= HUG * least) & np.isfinite(here) & (least <= 3.0 * nearest)
    lost = ~own.any(0)  # no skin faces away from it: an eye behind its lid
    own[distance[:, lost].argmin(0), np.flatnonzero(lost)] = True
    return own


def _body_graph(points: np.ndarray, edges: np.ndarray, bridge: float) -> sparse.csr_matrix:
    """Edges with their lengths; parts that touch are joined, and every part that does not to the largest."""
    count = len(points)
    joined = [edges]
    part = linked_parts(count, *edges.T)
    if part.max(initial=0) > 0:
        pairs = cKDTree(points).query_pairs(bridge, output_type="ndarray")
        joined.append(pairs[part[pairs[:, 0]] != part[pairs[:, 1]]])
        part = linked_parts(count, *np.concatenate(joined).T)
        main = part == np.bincount(part).argmax()
        rest = np.flatnonzero(~main)
        if len(rest):
            away, near = cKDTree(points[main]).query(points[rest])
            order = np.lexsort((away, part[rest]))
            first = order[np.flatnonzero(np.diff(part[rest][order], prepend=-1))]
            joined.append(np.stack([rest[first], np.flatnonzero(main)[near[first]]], 1))
    links = np.concatenate(joined)
    length = np.linalg.norm(points[links[:, 0]] - points[links[:, 1]], axis=1)
    return sparse.coo_matrix((np.maximum(length, 1e-12), links.T), shape=(count, count)).tocsr()
