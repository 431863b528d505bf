"""Face orientation: neighbours agree on the side they face, and that side is out."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import minimum_spanning_tree

from .links import linked_parts
from .mesh import Mesh, box, cross, dot, sorted_sides, used_vertices
from .seams import Crack

_SOME = 65_536  # faces at a time: what they need stays in the processor's cache
FLAT = 1e-6  # a part whose volume is below this times area ** 1.5 has no outside


def orient_faces(mesh: Mesh, crack: Crack | None = None) -> Mesh:
    """The same mesh with faces turned so that each part is consistently wound and faces outward.

    crack : where pieces of a broken shell go on into each other, from `find_cracks`
    A part is what hangs together over manifold edges (two faces each) and cracks; weld the mesh first. A closed part
    gets positive volume. An open one does too, once its holes are closed by cones to the mean point of their rims. A
    flat part has no outside: most of its area keeps its side. A one-sided part (Moebius) is consistent along a spanning
    tree. Order of faces and the first corner of each stay. O(F log F).
    """
    if len(mesh.faces) == 0:
        return mesh
    pairs, disagree, rim = _edges(mesh)
    part, flip = _two_colours(len(mesh.faces), pairs, disagree)
    if crack is not None and len(crack.faces):
        part, flip = _across_cracks(crack, part, flip)
    count = int(part.max()) + 1

    low, high = box(used_vertices(mesh))
    at = ((mesh.vertices - (low / 2 + high / 2)) / max(float((high - low).max()), np.finfo(float).tiny)).T.copy()
    (area, three), (size, height) = np.empty((2, 3, len(part))), np.empty((2, len(part)))
    parcels = [slice(start, start + _SOME) for start in range(0, len(part), _SOME)]
    for some in parcels:
        a, b, c = (at.take(corner, 1) for corner in mesh.faces[some].T)
        area[:, some] = own = cross(b - a, c - a) / 2
        size[some], three[:, some] = np.sqrt(dot(own, own)), a + b + c
    apex = _rim_centres(at, mesh.faces, rim, three, part, count)
    for some in parcels:
        own = apex if count == 1 else apex.take(part[some], 1)
        height[some] = dot(area[:, some], at.take(mesh.faces[some, 0], 1) - own)
    sign = np.where(flip, -1.0, 1.0) if flip.any() else 1.0
    volume, total, kept = (_sums(part, values, count) for values in (sign * height, size, sign * size))
    volume /= 3
    is_flat = np.abs(volume) <= FLAT * total**1.5
    turn = np.where(is_flat, kept < 0, volume < 0)
    flip ^= turn[part]
    if not flip.any():
        return mesh
    faces = np.where(flip[:, None], mesh.faces[:, [0, 2, 1]], mesh.faces)
    return Mesh(mesh.vertices, faces, mesh.name, mesh.part_of_vertex)


def _sums(part: np.ndarray, values: np.ndarray, count: int) -> np.ndarray:
    """(P,) what the values (N,) of each part, numbered (N,), sum up to."""
    return values.sum(keepdims=True) if count == 1 else np.bincount(part, values, count)


def _edges(mesh: Mesh) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Neighbours over manifold edges, and the sides that have none.

    Returns pairs (E, 2) of faces, each once where some disagree;  disagree (E,) the two are wound against each other;
    rim (F, 3) the side from corner k to k + 1 borders no face or several.
    """
    faces = mesh.faces
    a, b, c = faces.T
    is_sound = (a != b) & (b != c) & (c != a)
    whole = is_sound.all()
    order, is_first = sorted_sides(mesh if whole else Mesh(mesh.vertices, faces[is_sound]))
    start = (faces if whole else faces[is_sound]).ravel()
    face = np.flatnonzero(is_sound).astype(np.int32)
    first = np.flatnonzero(is_first)
    twice = first[np.diff(np.append(first, len(order))) == 2]
    one, two = order[twice], order[twice + 1]
    rim = np.zeros((len(faces), 3), bool)
    lonely = np.ones(len(order), bool)
    lonely[one] = lonely[two] = False
    rim[is_sound] = lonely.reshape(-1, 3)
    pairs, disagree = np.stack([face.take(one // 3), face.take(two // 3)], 1), start.take(one) == start.take(two)
    if not disagree.any():
        return pairs, disagree, rim
    _, kept = np.unique(pairs[:, 0].astype(np.int64) * len(faces) + pairs[:, 1], return_index=True)
    return pairs[kept], disagree[kept], rim


def _two_colours(count: int, pairs: np.ndarray, disagree: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(F,) part of each face, and (F,) whether it must turn to agree with the others of its part.

    Faces that agree everywhere need no turn. Else every face stands twice in a graph, as it is and turned, each joined
    to the version of its neighbour that agrees. A spanning forest falls into two halves this way, and the half that
    holds a part's first face as it is tells the rest.
    """
    if not disagree.any():
        return linked_parts(count, *pairs.T).astype(np.int64), np.zeros(count, bool)
    forest = minimum_spanning_tree(
        sparse.csr_matrix((np.arange(1.0, len(pairs) + 1), pairs.T), shape=(count, count)))
    kept = forest.data.astype(int) - 1
    (i, j), cross = pairs[kept].T, disagree[kept]
    rows, columns = np.concatenate([i, i + count]), np.concatenate([j + cross * count, j + ~cross * count])
    half = linked_parts(2 * count, rows, columns)
    part = np.minimum(half[:count], half[count:])
    part = np.unique(part, return_inverse=True)[1].reshape(-1)
    first = np.full(int(part.max()) + 1, count)
    np.minimum.at(first, part, np.arange(count))
    return part, half[:count] != half[first][part]


def _across_cracks(crack: Crack, part: np.ndarray, flip: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Parts joined over cracks: (F,) and (F,) as `_two_colours`. Where two parts meet, most of the edges decide; of the
    ways from part to part those are taken that most edges agree upon."""
    count = int(part.max()) + 1
    ends = part[crack.faces]
    against = crack.against ^ flip[crack.faces].any(1) ^ flip[crack.faces].all(1)
    apart = ends[:, 0] != ends[:, 1]
    low, high = ends[apart].min(1), ends[apart].max(1)
    key, place = np.unique(low.astype(np.int64) * count + high, return_inverse=True)
    votes = np.bincount(place.reshape(-1), np.where(against[apart], -1.0, 1.0), len(key))
    sure = np.argsort(-np.abs(votes), kind="stable")
    sure = sure[votes[sure] != 0]
    links = np.stack([key[sure] // count, key[sure] % count], 1)
    whole, turn = _two_colours(count, links, votes[sure] < 0)
    return whole[part], flip ^ turn[part]


def _rim_centres(at: np.ndarray, faces: np.ndarray, rim: np.ndarray, three: np.ndarray, part: np.ndarray, count: int
                 ) -> np.ndarray:
    """(3, P) mean point of the rim of each part; of all its corners where it is closed.

    at : (3, V) vertices;  faces : (F, 3);  three : (3, F) the sum of each face's corners
    """
    total, middle = np.zeros(count), np.zeros((3, count))
    for k in range(3):
        side = np.flatnonzero(rim[:, k])
        start, end = at.take(faces[side, k], 1), at.take(faces[side, k - 2], 1)
        length = np.sqrt(dot(end - start, end - start))
        total += _sums(part[side], length, count)
        for x, own in zip((start + end) / 2, middle, strict=True):
            own += _sums(part[side], length * x, count)
    closed = total == 0
    if closed.any():
        total = np.where(closed, 3.0 * np.bincount(part, minlength=count), total)
        for own, x in zip(middle, three, strict=True):
            own[closed] = _sums(part, x, count)[closed]
    return middle / total
