"""Clothes: what is worn close over something moves with it, so that nothing pokes through when it bends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.mesh import Mesh
from ..geometry.normals import vertex_normals
from ..geometry.rims import part_extents

# Unit frame. What lies no higher than _CLOSE over a surface follows it wholly, from _LOOSE on not: a skirt's hem.
_CLOSE, _LOOSE = 0.01, 0.02
_REACH = 0.03  # to the vertices of the surface beneath
_SMALLEST = 0.1  # extent; a ball in a joint is no cloth
_HUGS, _WHOLLY = 0.2, 0.4  # share of a part that lies close, from which on it is worn over another
_LARGER = 1.4  # times as long as what it is worn over is no cloth: a body over its stockings
_COMMON = 0.01  # share of the weights of cloth and skin that is the same
_LAYERS = 4  # the parts with most vertices are looked at as what is worn over
_AROUND = 4
_STEEP, _PARALLEL = 0.6, 0.3  # cosines: of the way up with the normal beneath, and of the two normals


@dataclass(frozen=True, eq=False)
class Worn:
    """What lies close over another part.

    rows : (N,) vertices;  beneath : (N, 4) vertices of the part below, with their shares (N, 4), rows sum to 1
    much : (N,) above 0 to 1, how far each follows
    """

    rows: np.ndarray
    beneath: np.ndarray
    shares: np.ndarray
    much: np.ndarray


def follow_beneath(mesh: Mesh, part: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """(V, K) weights in which clothes take over those of the surface right below them, a jacket those of the shirt.

    mesh : unit frame, welded, faces outwards;  part : (V,) connected part of each vertex
    Small parts, parts that move as one piece, and what hangs free stay as they are.
    """
    if part.max(initial=0) == 0:
        return weights
    extent = part_extents(mesh, part)
    hard = np.bincount(part, weights.max(1) < 1) == 0
    worn = _kindred(weights, _worn(mesh, part, extent, ~hard & (extent >= _SMALLEST)))
    if len(worn.rows) == 0:
        return weights
    following = weights.copy()
    following[worn.rows] = _drawn_to(weights, weights, worn)
    upon_cloth = np.isin(worn.beneath, worn.rows).any(1)
    if upon_cloth.any():  # a jacket over a shirt over the body: the shirt's own change reaches the jacket now
        outer = Worn(worn.rows[upon_cloth], worn.beneath[upon_cloth], worn.shares[upon_cloth], worn.much[upon_cloth])
        following[outer.rows] = _drawn_to(weights, following, outer)
    return following


def _kindred(weights: np.ndarray, worn: Worn) -> Worn:
    """What is worn over skin that shares a bone with it: a hand that hangs beside a skirt is not beneath it."""
    own = weights[worn.rows]
    common = np.stack([np.minimum(own, weights[worn.beneath[:, k]]).sum(1) for k in range(_AROUND)], axis=1)
    shares = np.where(common > _COMMON, worn.shares, 0.0)
    total = shares.sum(1)
    kept = total > 0
    return Worn(worn.rows[kept], worn.beneath[kept], shares[kept] / total[kept, None], worn.much[kept])


def _drawn_to(weights: np.ndarray, below: np.ndarray, worn: Worn) -> np.ndarray:
    """(N, K) weights of what is worn, as near to those `below` (V, K) as it follows them."""
    came = sum(worn.shares[:, k, None] * below[worn.beneath[:, k]] for k in range(_AROUND))
    own = weights[worn.rows]
    return own + worn.much[:, None] * (came - own)


def _worn(mesh: Mesh, part: np.ndarray, extent: np.ndarray, bends: np.ndarray) -> Worn:
    """Vertices of the parts that bend (P,) bool, close over another part: the nearest one below counts."""
    size, count, normals = np.bincount(part), len(part), vertex_normals(mesh)
    lowest, much = np.full(count, np.inf), np.zeros(count)
    beneath, shares = np.zeros((count, _AROUND), np.int64), np.zeros((count, _AROUND))
    cloth = np.flatnonzero(bends[part])
    for under in np.argsort(-size, kind="stable")[:_LAYERS]:
        own = np.flatnonzero(part == under)
        rows = cloth[(part[cloth] != under) & (extent[part[cloth]] <= _LARGER * extent[under])]
        low, high = mesh.vertices[own].min(0) - _REACH, mesh.vertices[own].max(0) + _REACH
        rows = rows[((mesh.vertices[rows] > low) & (mesh.vertices[rows] < high)).all(1)]
        if len(rows) == 0:
            continue
        distance, near = cKDTree(mesh.vertices[own]).query(mesh.vertices[rows], k=_AROUND,
                                                           distance_upper_bound=_REACH)
        found = np.isfinite(distance[:, -1])
        rows, near = rows[found], own[near[found]]
        share = 1.0 / np.maximum(distance[found], 1e-5) ** 2
        share /= share.sum(1, keepdims=True)
        up = np.einsum("nk,nkd->nd", share, normals[near])
        gap = mesh.vertices[rows] - np.einsum("nk,nkd->nd", share, mesh.vertices[near])
        height, alike = (gap * up).sum(1), (normals[rows] * up).sum(1)
        close = np.clip((_LOOSE - height) / (_LOOSE - _CLOSE), 0, 1) * np.clip((alike - _PARALLEL) / 0.4, 0, 1)
        over = (height > _STEEP * np.linalg.norm(gap, axis=1)) & (close > 0) & (height < lowest[rows])
        taken = rows[over]
        lowest[taken], much[taken] = height[over], close[over]
        beneath[taken], shares[taken] = near[over], share[over]
    hugging = np.bincount(part, much > 0) / np.maximum(size, 1)
    much *= np.clip((hugging - _HUGS) / (_WHOLLY - _HUGS), 0, 1)[part]
    rows = np.flatnonzero(much)
    return Worn(rows, beneath[rows], shares[rows], much[rows])
