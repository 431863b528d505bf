"""Which of many meshes belong to one body: what touches, what lies inside, what is small and near."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import boxes
from .mesh import Mesh, vertex_components, weld
from .scatter import scatter_surface

# Shares of the larger one's longest side. A glove ends 0.01 from the sleeve, figures in a row stand 0.1 apart.
NEAR = 0.03
# Shares of the largest body's longest side: what is smaller (an eye, a halo, a crumb) is no body of its own.
SMALL = 0.3
# Of its longer side: what is flatter may be ground. A base plate is 0.02 to 0.15 thick, a shoe 0.35.
FLAT = 0.15
# Of its own height: so far a rock or a tree may be sunk into the ground that a body stands on.
SUNK = 0.3

# Shares of the standing body's longest side: what hangs in the air by so much, so near beside a body, and is no larger
# than this, is an arm or a cape of it.
HANGS, BESIDE, LESSER = 0.1, 0.1, 0.7
# Of the small parts of one mesh so many, no smaller than this, are linked one to the other; others go to the nearest.
LINKS, CRUMB = 2000, 0.03


def find_bodies(meshes: Sequence[Mesh], up: int = 2) -> tuple[list[list[int]], list[int]]:
    """(bodies, ground): indices of the meshes that make up each body, and of those that lie flat under all others.

    meshes : in one space;  up : the axis bodies stand along.  Bodies are in the order of their first mesh.
    Meshes belong together if they come near each other, or if the middle of one, seen from above, lies within the
    other: hair, eyes, a cape. What is small, or hangs in the air close beside, goes to the nearest body. O(n^2)
    boxes, a row at a time, and O(V log V) where they meet and do not hang together yet.
    """
    used = [mesh.vertices[np.unique(mesh.faces)] for mesh in meshes]
    low, high = (np.array([getattr(points, end)(0) for points in used]) for end in ("min", "max"))
    ground = _ground(low, high, up)
    left = np.flatnonzero(~ground)
    labels = _touching([meshes[i] for i in left], low[left], high[left], up)
    bodies = [left[labels == k].tolist() for k in range(labels.max(initial=-1) + 1)]
    return sorted(_joined(bodies, low, high, up)), np.flatnonzero(ground).tolist()


def bodies_in(mesh: Mesh, up: int = 2) -> np.ndarray:
    """(V,) the number of the body each vertex belongs to, by the rule of `find_bodies` for its loose parts.

    0 is the body with most vertices; what lies flat under all others goes with it, as do vertices without faces. Small
    parts go with the nearest part, a hand with its forearm, before any are compared: thousands of scales or cards of
    hair cost little.
    """
    welded = weld(mesh)
    part = vertex_components(welded.mesh)[welded.welded_of_vertex]
    of_face, count = part[mesh.faces[:, 0]], int(part.max(initial=0)) + 1
    low, high = boxes(mesh.triangles, np.repeat(of_face[:, None], 3, 1), count)
    size = (high - low).max(1)  # of parts without faces -inf
    large = np.flatnonzero(size >= SMALL * size.max())
    small = np.flatnonzero(np.isfinite(size) & (size < SMALL * size.max()))
    small = small[np.argsort(-size[small], kind="stable")]
    linked = small[:LINKS][size[small[:LINKS]] >= CRUMB * size.max()]
    group, whose = _chained(low, high, large, linked)
    names = np.intersect1d(whose[whose >= 0], group[of_face])  # with faces
    if not len(names):  # corners so far out that all else is one point
        return np.zeros(len(part), np.int64)
    found = find_bodies([_compact(mesh, (group == g)[of_face]) for g in names], up)[0]
    number = np.zeros(count, np.int64)
    for k, body in enumerate(found):
        number[np.isin(whose, names[body])] = k
    crumbs = small[len(linked):]
    if len(crumbs):
        near = np.flatnonzero((whose >= 0)[part])
        number[crumbs] = number[part[near[cKDTree(mesh.vertices[near]).query((low[crumbs] + high[crumbs]) / 2)[1]]]]
    return _by_size(number[part])


def _chained(low: np.ndarray, high: np.ndarray, large: np.ndarray, small: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(group, whose), both (n,): parts that hang together with no gap wider than `NEAR`, and the large group that each
    goes with, by the boxes `low` and `high` (n, 3) of all. Groups are named by one of their parts, -1 if in no list.

    Small parts are linked to the nearest part that is linked already, the nearest first. A group of them is large if
    its box is.
    """
    group, above, size = np.full(len(low), -1), np.full(len(low), -1), (high - low).max(1)
    group[large] = large
    left, apart, link = small, np.full(len(small), np.inf), np.full(len(small), -1)

    def compare(part: int) -> None:
        gap = np.linalg.norm(np.maximum(np.maximum(low[left] - high[part], low[part] - high[left]), 0), axis=1)
        nearer = gap < apart
        apart[nearer], link[nearer] = gap[nearer], part

    for part in large:
        compare(part)
    while len(left):
        k = int(apart.argmin())
        part, to, gap = left[k], link[k], apart[k]
        group[part] = group[to] if gap <= NEAR * size.max() else part
        above[part] = group[to]
        left, apart, link = (np.delete(row, k) for row in (left, apart, link))
        compare(part)
    whose = group.copy()
    for name in np.setdiff1d(group, [-1, *large]):
        box = np.stack([low[group == name].min(0), high[group == name].max(0)])
        if np.ptp(box, axis=0).max() < SMALL * size.max():
            whose[group == name] = above[name]
    while True:
        on = np.where(whose >= 0, whose[whose], -1)
        if (on == whose).all():
            return group, whose
        whose = on


def bodies_across(meshes: Sequence[Mesh], up: int = 2) -> list[np.ndarray]:
    """[(V,)] for each of some meshes the number of the body its vertices belong to, 0 the one with most of them.

    What stands apart in one mesh may be one body in all of them: the shoes of a pair hang together by the legs.
    """
    own = [bodies_in(mesh, up) for mesh in meshes]
    start = np.cumsum([0, *(1 + piece.max(initial=0) for piece in own)])
    if start[-1] == len(meshes):
        return own
    found, _ = find_bodies([_compact(mesh, piece[mesh.faces[:, 0]] == k) for mesh, piece in zip(
        meshes, own, strict=True) for k in range(1 + piece.max(initial=0))], up)
    body = np.full(start[-1], -1)
    for k, pieces in enumerate(found):
        body[pieces] = k
    whose = []
    for piece, first, end in zip(own, start, start[1:], strict=False):
        mine = body[first:end]
        whose.append(_by_size(np.where(mine < 0, mine[0], mine)[piece]))  # ground goes with the most
    return whose


def _by_size(label: np.ndarray) -> np.ndarray:
    """(V,) labels renumbered from 0, what has most members first."""
    _, label, members = np.unique(label, return_inverse=True, return_counts=True)
    rank = np.empty(len(members), np.int64)
    rank[np.argsort(-members, kind="stable")] = np.arange(len(members))
    return rank[label.ravel()]


def _compact(mesh: Mesh, chosen: np.ndarray) -> Mesh:
    """Some of a mesh's faces with the vertices they use."""
    used, corners = np.unique(mesh.faces[chosen], return_inverse=True)
    return Mesh(mesh.vertices[used], corners.reshape(-1, 3), mesh.name)


def _cloud(mesh: Mesh) -> np.ndarray:
    """(N, 3) vertices, and points on the faces, which may be large."""
    points = mesh.vertices[np.unique(mesh.faces)]
    low, high = points.min(0), points.max(0)
    if not np.ptp(points, axis=0).max() > 0 or not np.linalg.norm(np.cross(*(
            mesh.triangles[:, k] - mesh.triangles[:, 0] for k in (1, 2))), axis=1).any():
        return points
    spread = scatter_surface(mesh, count=2000).points * (high - low).max() + (low + high) / 2
    return np.concatenate([points, spread])


def _ground(low: np.ndarray, high: np.ndarray, up: int) -> np.ndarray:
    """(n,) whether a mesh lies flat under the middle of all others, and is at least as wide as they are.

    Flat meshes side by side are one floor. A body stands on it; others may be sunk into it somewhat.
    """
    flat = [axis for axis in range(3) if axis != up]
    size = high - low
    is_ground = np.zeros(len(low), bool)
    for floor in _floors(low, high, up):
        others = np.flatnonzero(~np.isin(np.arange(len(low)), floor) & ~is_ground)
        if not len(others) or is_ground[floor].all():
            continue
        begin, end = low[floor].min(0), high[floor].max(0)
        bottom, top = low[others].min(0), high[others].max(0)
        tall, wide = top[up] - bottom[up], (top - bottom)[flat].min()
        middle = ((bottom + top) / 2)[flat]
        deep, side = end[up] - low[others, up], size[others].max(1)
        stands, is_body = deep <= 0.05 * tall, side >= SMALL * side.max()
        is_under = (stands & is_body).any() and (stands | (deep <= SUNK * size[others, up])).all() and (
            begin[flat] <= middle).all() and (middle <= end[flat]).all()
        is_ground[floor] |= is_under and tall > end[up] - begin[up] and (end - begin)[flat].min() >= wide
    return is_ground


def _floors(low: np.ndarray, high: np.ndarray, up: int) -> list[np.ndarray]:
    """[(k,)] meshes that may be ground: tiles that lie side by side and are as high, then each flat mesh by itself."""
    size = high - low
    flat = np.flatnonzero(size[:, up] <= FLAT * np.delete(size, up, 1).max(1))
    side, label = size[flat].max(1), np.arange(len(flat))
    for k, i in enumerate(flat):
        least, most = np.minimum(side, side[k]), np.maximum(side, side[k])
        beside = (np.maximum(low[i] - high[flat], low[flat] - high[i]).max(1) <= NEAR * least) & (
            np.abs(high[flat, up] - high[i, up]) <= NEAR * least) & (least >= SMALL * most)
        label[np.isin(label, label[beside])] = label[k]
    tiles = [flat[label == k] for k in np.unique(label)]
    return [floor for floor in tiles if len(floor) > 1] + [flat[k:k + 1] for k in range(len(flat))]


def _touching(meshes: list[Mesh], low: np.ndarray, high: np.ndarray, up: int) -> np.ndarray:
    """(n,) a number for each mesh, the same for those that hang together, in the order of their first."""
    flat = [axis for axis in range(3) if axis != up]
    size, middle = (high - low).max(1), (low + high)[:, flat] / 2
    cloud, label = lru_cache(maxsize=None)(lambda i: _cloud(meshes[i])), np.arange(len(meshes))

    def join(i: int, others: np.ndarray) -> None:
        label[np.isin(label, label[others])] = label[i]

    for i in range(len(meshes)):
        later = slice(i + 1, None)
        holds = (low[i, flat] <= middle[later]) & (middle[later] <= high[i, flat])
        is_held = (low[later][:, flat] <= middle[i]) & (middle[i] <= high[later][:, flat])
        within = i + 1 + np.flatnonzero((holds.all(1) | is_held.all(1)) & (label[later] != label[i]))
        if len(within):
            join(i, within)
        reach = NEAR * np.maximum(size[i], size[later])
        apart = np.maximum(low[i] - high[later], low[later] - high[i]).max(1)
        for j in i + 1 + np.flatnonzero((apart <= reach) & (label[later] != label[i])):
            if label[j] != label[i] and _come_near(cloud(i), cloud(int(j)), (low[[i, j]], high[[i, j]]),
                                                   float(reach[j - i - 1])):
                join(i, np.array([j]))
    _, first, label = np.unique(label, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[label]


def _come_near(one: np.ndarray, other: np.ndarray, boxes: tuple[np.ndarray, np.ndarray], reach: float) -> bool:
    """Whether a point of each of two clouds lie within reach of each other.  boxes : (2, 3) low and high of the two"""
    near = []
    for cloud, low, high in zip((one, other), boxes[0][::-1], boxes[1][::-1], strict=True):
        near.append(cloud[np.linalg.norm(np.maximum(np.maximum(low - cloud, cloud - high), 0), axis=1) <= reach])
    if not (len(near[0]) and len(near[1])):
        return False
    return bool(np.isfinite(cKDTree(near[0]).query(near[1], distance_upper_bound=reach)[0]).any())


def _joined(bodies: list[list[int]], low: np.ndarray, high: np.ndarray, up: int) -> list[list[int]]:
    """Bodies that small ones have joined, and those that hang in the air close beside one, each its nearest."""
    if not bodies:
        return []
    bottom, top = np.array([low[b].min(0) for b in bodies]), np.array([high[b].max(0) for b in bodies])
    size = (top - bottom).max(1)

    def gap(k: int, to: np.ndarray) -> np.ndarray:
        return np.linalg.norm(np.maximum(np.maximum(bottom[k] - top[to], bottom[to] - top[k]), 0), axis=1)

    is_small = size < SMALL * size.max()
    large, parts = np.flatnonzero(~is_small), dict[int, int]()
    for k in large[bottom[large, up] > bottom[large, up].min()]:
        near = gap(k, large)
        bears = (bottom[k, up] >= bottom[large, up] + HANGS * size[large]) & (size[k] <= LESSER * size[large]) & (
            near <= BESIDE * size[large])
        if bears.any():
            parts[int(k)] = int(large[np.where(bears, near, np.inf).argmin()])
    whole = np.setdiff1d(large, list(parts))
    parts |= {int(k): int(whole[gap(k, whole).argmin()]) for k in np.flatnonzero(is_small)}
    joined = {int(k): list(bodies[k]) for k in whole}
    for k, owner in parts.items():
        while owner in parts:  # what hangs on a part that hangs itself
            owner = parts[owner]
        joined[owner] += bodies[k]
    return [sorted(b) for b in joined.values()]
