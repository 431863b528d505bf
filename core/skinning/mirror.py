"""Weights that mirror each other exactly where mesh and skeleton do."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.mesh import Mesh, close_pairs, is_used
from .handles import Handles

_SAME_PLACE = 2e-4  # unit frame: how far a vertex may lie off its partner's mirror image
_EXACT = 4e-7  # unit frame: less than half of what vertices are apart at least, once welded
_SOME = 9  # points that tell whether it is worth looking for others
_SAME_JOINT = 1e-3
_UNLIKE = 0.1
_MOST = 0.9  # share of the vertices that must have a partner
_ROWS = 4096  # vertices at a time: what they need stays in the processor's cache


Partners = tuple[np.ndarray, np.ndarray, float, np.ndarray]


def mirror_partners(mesh: Mesh, handles: Handles) -> Partners | None:
    """(V,) the vertex on the other side of each vertex, (K,) the handle on the other side of each, by how much values
    may differ from their mirror image: any, or `_UNLIKE` if something is on one side only; and (V,) how much of its
    own value a vertex keeps: half, all beside a hole on the other side, none in the hole; or None.

    mesh : unit frame, welded. Vertices on the plane are their own partners, and so are those that have none: a sword, a
    pocket. None unless every handle and nearly every vertex has one. The plane is x = const, in the middle of the mesh
    or, where something sticks out on one side, of the handles.
    """
    is_skin = is_used(mesh)
    skin = mesh.vertices[is_skin, 0]
    for middle in (0.5 * (skin.min() + skin.max()), float(np.median(handles.heads[:, 0]))):
        of_handle = _handle_partners(handles, middle)
        if of_handle is not None:
            of_vertex, found = _partners(mesh.vertices, middle, _SAME_PLACE)
            if found >= _MOST:
                own = 0.5 + 0.5 * (1.0 * is_skin - is_skin[of_vertex])
                return of_vertex, of_handle, np.inf if found == 1 else _UNLIKE, own
    return None


def mirrored(values: np.ndarray, partners: Partners | None) -> np.ndarray:
    """(V, K) values, the mean of each and of its mirror image: exactly mirrored, bit by bit. What lost its faces takes
    its image's.

    partners : from `mirror_partners`; None leaves the values as they are
    Where something one-sided, an axe at the shoulder, makes the two sides truly unlike, they stay so. Distances may be
    infinite; none becomes so for the handle that is nearest.
    """
    if partners is None:
        return values
    of_vertex, of_handle, unlike, own = partners
    even = np.empty_like(values)
    for start in range(0, len(values), _ROWS):
        rows = slice(start, start + _ROWS)
        even[rows] = _even(values[rows], values.take(of_vertex[rows], 0).take(of_handle, 1), unlike, own[rows])
    return even


def _even(values: np.ndarray, image: np.ndarray, unlike: float, own: np.ndarray) -> np.ndarray:
    """`mirrored` for some vertices. image : their partners' values;  unlike, own : see `mirror_partners`"""
    even = values + image
    even *= values.dtype.type(0.5)
    if not np.isfinite(even).all():  # distances; what one side is nearest to and the other does not reach is unlike
        nearest = np.stack([values.argmin(1), image.argmin(1)], 1)
        lost = ~np.isfinite(np.take_along_axis(even, nearest, 1)).all(1)
        even = np.where(lost[:, None], values, even)
    if np.isfinite(unlike):
        known = np.isfinite(values) & np.isfinite(image)
        apart = np.abs(np.subtract(values, image, out=np.zeros_like(values), where=known)).max(1)
        even = np.where((apart > unlike)[:, None], values, even)
    if (own == 0.5).all():
        return even
    return np.where((own == 0.5)[:, None], even, np.where((own > 0.5)[:, None], values, image))


def _partners(points: np.ndarray, middle: float, tolerance: float) -> tuple[np.ndarray, float]:
    """(N,) the point at each point's mirror image, itself if there is none, and the share of points that have one."""
    own, near = np.arange(len(points)), _exact_partners(points, middle)
    rest = np.flatnonzero(near < 0)
    if len(rest):
        tree = cKDTree(points, balanced_tree=False, compact_nodes=False)  # made fast, used once
        distance, nearest = tree.query(points[rest] * [-1, 1, 1] + [2 * middle, 0, 0], distance_upper_bound=tolerance)
        near[rest] = np.where(np.isfinite(distance), nearest, -1)
    mutual = (near >= 0) & (near[near] == own)
    return np.where(mutual, near, own), float(mutual.mean())


def _exact_partners(points: np.ndarray, middle: float) -> np.ndarray:
    """(N,) the point so close to each point's mirror image that in a welded mesh no other is closer, -1 if unknown."""
    few = points[:: len(points) // _SOME + 1]
    level = [points[np.abs(points[:, 1] - y) <= _EXACT] for y in few[:, 1]]
    found = [(np.abs(at + p * [1, -1, -1] - [2 * middle, 0, 0]) <= _EXACT).all(1).any()
             for at, p in zip(level, few, strict=True)]
    if np.mean(found) < 0.5:  # a body in a pose, a scan
        return np.full(len(points), -1)
    folded = points.copy()
    folded[:, 0] = np.abs(folded[:, 0] - middle)
    pairs = close_pairs(folded, _EXACT)
    times = np.bincount(pairs.ravel(), minlength=len(points))
    one, two = pairs[(times[pairs] == 1).all(1)].T
    apart = (points[one, 0] - middle) * (points[two, 0] - middle) < 0
    near = np.where((times == 0) & (2 * folded[:, 0] <= _EXACT), np.arange(len(points)), -1)
    near[one[apart]], near[two[apart]] = two[apart], one[apart]
    return near


def _handle_partners(handles: Handles, middle: float) -> np.ndarray | None:
    """(K,) the handle each handle is the mirror image of, None if one of them has none.

    Handles are told apart by where the heads and tails of their segments lie on average, and how far they spread.
    """
    count = len(handles.bones)
    ends = np.concatenate([handles.heads - [middle, 0, 0], handles.tails - [middle, 0, 0]], 1)
    mean_of = lambda x: np.bincount(handles.owner, x, count) / np.bincount(handles.owner, minlength=count)  # noqa: E731
    mean = np.stack([mean_of(x) for x in ends.T], 1)
    spread = np.stack([mean_of(x) for x in ((ends - mean[handles.owner]) ** 2).T], 1)
    place = np.concatenate([mean, np.sqrt(spread)], 1)
    near = cKDTree(place).query(place * [-1, 1, 1, -1, *np.ones(8)], distance_upper_bound=_SAME_JOINT)[1]
    if (near == count).any() or (near[near] != np.arange(count)).any():
        return None
    return near
