"""Where a surface ends: rims, and lids over the holes they run around."""

from __future__ import annotations

import numpy as np

from ..arrays import boxes
from .links import linked_parts
from .mesh import Mesh, is_used, sorted_sides, vertex_components

_WIDEST_HOLE = 0.12  # a fist; sleeves' ends and larger openings are no damage
_FACE = 4  # edges around a missing face
_MOST_AT_VERTEX = 12  # rim edges looked at where many holes meet
_SHARE_OF_PART = 0.5  # of the extent of its part; the rim of a leaf or a strip of hair is no hole in it


def rim_edges(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """(R, 2) the edges with a single face, in the order in which it runs through them, and (R,) that face."""
    faces = mesh.faces
    order, is_first = sorted_sides(mesh)
    lone = np.sort(order[is_first & np.append(is_first[1:], True)[:len(order)]]).astype(np.int64)
    face, side = lone // 3, lone % 3
    return np.stack([faces[face, side], faces[face, (side + 1) % 3]], 1).astype(np.int64), face


def rim_directions(mesh: Mesh, edges: np.ndarray, face: np.ndarray) -> np.ndarray:
    """(R, 3) the unit direction in which the surface would go on beyond each rim edge of `rim_edges`."""
    a, b = mesh.vertices[edges[:, 0]], mesh.vertices[edges[:, 1]]
    onward = (a + b) / 2 - mesh.triangles[face].mean(1)
    along = b - a
    onward -= ((onward * along).sum(1) / np.maximum((along**2).sum(1), 1e-30))[:, None] * along
    return onward / np.maximum(np.linalg.norm(onward, axis=1), 1e-15)[:, None]


def close_holes(mesh: Mesh, *, widest: float = _WIDEST_HOLE, share: float = _SHARE_OF_PART) -> Mesh:
    """The mesh with lids over its small holes: faces from each edge of the rim to the rim's middle.

    mesh : unit frame, welded;  widest : extent up to which a rim is a hole, unless a single face is missing
    share : and up to this share of the extent of the part it is in
    Lids follow the mesh's own vertices and faces. The same mesh if there is nothing to close.
    """
    edges, _ = rim_edges(mesh)
    if len(edges) == 0:
        return mesh
    count = len(mesh.vertices)
    rim = _loops(mesh.vertices, edges)
    part = vertex_components(mesh)
    used, first = np.unique(rim, return_index=True)
    low, high = boxes(mesh.vertices[edges], np.stack([rim, rim], 1), len(used))
    of_part = part[edges[first, 0]]
    extent = (high - low).max(1)
    is_hole = ((extent <= widest) | (np.bincount(rim) <= _FACE)) & (extent <= share * part_extents(mesh, part)[of_part])
    if not is_hole.any():
        return mesh
    number = np.cumsum(is_hole) - 1
    lid = is_hole[rim]
    middle = np.stack([np.bincount(rim, x, len(used)) for x in mesh.vertices[edges].mean(1).T], 1)
    middle = middle / np.bincount(rim)[:, None]
    faces = np.stack([edges[lid, 1], edges[lid, 0], count + number[rim[lid]]], 1)
    return Mesh(np.concatenate([mesh.vertices, middle[is_hole]]), np.concatenate([mesh.faces, faces]), mesh.name)


def _loops(vertices: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """(R,) the loop each rim edge is in. Where several holes touch in a vertex, the edges at the sharpest angle go on
    into each other: a hole's corner, not the surface between two holes."""
    corner = edges.T.ravel()
    order = np.argsort(corner, kind="stable")
    at = corner[order]
    ends = [np.stack([np.arange(len(at) - k), np.arange(k, len(at))])[:, at[k:] == at[:len(at) - k]]
            for k in range(1, min(int(np.bincount(corner).max()), _MOST_AT_VERTEX))]
    one, two = order[np.concatenate(ends, axis=1)] if ends else np.zeros((2, 0), np.int64)
    way = vertices[edges[:, 1]] - vertices[edges[:, 0]]
    way = way / np.maximum(np.linalg.norm(way, axis=1, keepdims=True), 1e-15)
    way = np.concatenate([way, -way])
    cosine = np.einsum("nd,nd->n", way[one], way[two])
    links = []
    while len(one):
        best = np.full(len(corner), -2.0)
        np.maximum.at(best, one, cosine)
        np.maximum.at(best, two, cosine)
        both = np.flatnonzero((cosine == best[one]) & (cosine == best[two]))
        both = both[np.unique(one[both], return_index=True)[1]]
        both = both[np.unique(two[both], return_index=True)[1]]
        links.append(np.stack([one[both], two[both]]))
        taken = np.zeros(len(corner), bool)
        taken[links[-1]] = True
        left = ~(taken[one] | taken[two])
        one, two, cosine = one[left], two[left], cosine[left]
    pairs = np.concatenate(links, axis=1) % len(edges) if links else np.zeros((2, 0), np.int64)
    return linked_parts(len(edges), *pairs)


def part_extents(mesh: Mesh, part: np.ndarray) -> np.ndarray:
    """(P,) the longest side of the box around the faces of each part; 0 for a part without faces."""
    used = is_used(mesh)
    low, high = boxes(mesh.vertices[used], part[used], int(part.max()) + 1)
    return np.maximum(high - low, 0.0).max(1)
