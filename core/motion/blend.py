"""How bones pull skin along: linear blending, and dual quaternions, which Blender calls Preserve Volume."""

from __future__ import annotations

import numpy as np
from scipy import sparse

from ..geometry.rotation import conjugate, multiply, rotate, to_matrix
from .kinematics import Kinematics

BARE = 1e-4  # a vertex with less weight than this in all stays where it is; Blender's own limit


def bone_moves(kinematics: Kinematics, local: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a pose does to the skin of every bone: turns (B, 4) and shifts (B, 3), p -> turn p + shift.

    local : (B, 4) turns against the parent, in the axes of space at rest; the roots stay where they are
    """
    turns = kinematics.turns(local)
    return turns, kinematics.heads(turns, np.zeros(3)) - rotate(turns, kinematics.rig.heads)


def blend_linear(vertices: np.ndarray, weights, turns: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """(V, 3) vertices moved by the weighted mean of their bones' matrices.

    vertices : (V, 3) at rest;  weights : (V, B) sparse or dense; rows are brought to sum 1, bare vertices stay
    turns, shifts : (B, 4) and (B, 3), see `bone_moves`
    """
    weights = shares(weights)
    blended = weights @ np.concatenate([to_matrix(turns).reshape(-1, 9), shifts], axis=1)
    moved = (blended[:, :9].reshape(-1, 3, 3) @ vertices[:, :, None])[:, :, 0] + blended[:, 9:]
    return np.where(_is_bare(weights), vertices, moved)


def blend_dual_quaternions(vertices: np.ndarray, weights, turns: np.ndarray, shifts: np.ndarray) -> np.ndarray:
    """(V, 3) vertices moved by the normalised weighted mean of their bones' dual quaternions, arguments as above.

    Of a quaternion and its negative, which are the same turn, the one nearer to the vertex's heaviest bone counts.

    References: Kavan, Collins, Zara, O'Sullivan: Geometric Skinning with Approximate Dual Quaternion Blending. 2008.
    """
    weights = shares(weights)
    dual = 0.5 * multiply(np.concatenate([np.zeros((len(shifts), 1)), shifts], axis=1), turns)
    rows = np.repeat(np.arange(len(vertices)), np.diff(weights.indptr))
    near = np.einsum("ni,ni->n", turns[weights.indices], turns[_heaviest(weights)[rows]])
    signed = sparse.csr_matrix((np.where(near < 0, -weights.data, weights.data), weights.indices, weights.indptr),
                               shape=weights.shape)
    blended = signed @ np.concatenate([turns, dual], axis=1)
    length = np.sqrt(np.einsum("vi,vi->v", blended[:, :4], blended[:, :4]))[:, None]
    blended /= np.where(length > BARE, length, 1.0)
    real = blended[:, :4]
    moved = rotate(real, vertices) + 2.0 * multiply(blended[:, 4:], conjugate(real))[:, 1:]
    return np.where(_is_bare(weights), vertices, moved)


def shares(weights) -> sparse.csr_matrix:
    """(V, B) weights whose rows sum to 1; rows of bare vertices are empty."""
    weights = sparse.csr_matrix(weights, dtype=float)
    total = np.asarray(weights.sum(1)).ravel()
    factor = np.divide(1.0, total, out=np.zeros_like(total), where=total > BARE)
    return sparse.diags(factor, format="csr") @ weights


def _is_bare(weights: sparse.csr_matrix) -> np.ndarray:
    return np.asarray(weights.sum(1)) < 0.5


def _heaviest(weights: sparse.csr_matrix) -> np.ndarray:
    """(V,) the bone with the largest weight, 0 for rows that are empty."""
    filled = np.flatnonzero(np.diff(weights.indptr))
    start = weights.indptr[filled]
    heaviest = np.zeros(weights.shape[0], np.int64)
    if len(filled):
        largest = np.repeat(np.maximum.reduceat(weights.data, start), np.diff(weights.indptr)[filled])
        place = np.where(weights.data >= largest, np.arange(weights.nnz), weights.nnz)
        heaviest[filled] = weights.indices[np.minimum.reduceat(place, start)]
    return heaviest
