"""Twist bones' weights: a limb's share of the skin, dealt along it among the limb's bone and its twist bones."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from ..skeleton.control_rig import share_along
from ..skeleton.rig import Rig
from ..skeleton.twist import TwistGroup
from .wholes import Wholes

_DIGITS = 9  # places along a limb are rounded to these, so that mirrored vertices fall on the same side of a tie
# Where a vertex would follow too many bones: weights below half of this go, above it a limb's second piece does. Thighs
# twisted by 60 degrees draw the skin out to 2.6 times its length at most, with 0.04 to 3.4 (2.0 without twist bones).
_FADE = 0.2
_ROWS = 65_536


def deal_twists(points: np.ndarray, rig: Rig, groups: Sequence[TwistGroup], weights: sparse.csr_matrix,
                influences: int, least: float, wholes: Wholes) -> sparse.csr_matrix:
    """(V, B) weights in which what each limb had is dealt among it and its twist bones, by place along the limb.

    Loose parts that follow the limb wholly, plates and bracelets, follow one of these wholly.
    points : (V, 3) of the vertices, in the rig's space
    weights : (V, B), at most `influences` in a row, in which twist bones have nothing
    least : smaller pieces join the next.  Rows keep their sums and at most `influences` bones.
    """
    if not groups:
        return weights
    columns = sparse.csc_matrix(weights, dtype=float)
    found = [_pieces(points, rig, group, columns, least, wholes) for group in groups]
    row, limb, first, second, share = (np.concatenate(parts) for parts in zip(*found, strict=True))
    if not len(row):
        return weights
    extra = np.bincount(row[share > 0], minlength=len(points))
    held, keeps = _with_room(columns.tocsr(), extra, influences)
    whole = np.asarray(held[row, limb]).ravel()
    less = whole * share * keeps[row]
    dealt = sparse.coo_matrix((np.concatenate([whole - less, less, -whole]),
                               (np.tile(row, 3), np.concatenate([first, second, limb]))), shape=columns.shape)
    out = sparse.csr_matrix(held + dealt)
    out.data[np.abs(out.data) < 1e-15] = 0.0
    out.eliminate_zeros()
    return out


def _pieces(points: np.ndarray, rig: Rig, group: TwistGroup, columns: sparse.csc_matrix, least: float, wholes: Wholes
            ) -> tuple:
    """Of the N vertices of a limb: their numbers, the limb's bone, the two pieces (N,) each lies between, the nearer
    one first, and how much of the limb's weight is the second's."""
    part = slice(columns.indptr[group.limb], columns.indptr[group.limb + 1])
    rows, held = columns.indices[part], columns.data[part]
    along = rig.tails[group.limb] - rig.heads[group.limb]
    place = (points[rows] - rig.heads[group.limb]) @ along / max(float(along @ along), 1e-300)
    pieces = np.array(group.pieces)
    shared = share_along(np.ones(len(rows)), np.round(place, _DIGITS), group.starts)
    piece = wholes.pieces(group.limb, rows, held, place, group.starts, group.pieces.index(group.limb))
    shared[piece >= 0] = np.eye(len(pieces))[piece[piece >= 0]]
    order = np.argsort(-shared, axis=1, kind="stable")[:, :2]
    share = np.take_along_axis(shared, order, axis=1)[:, 1]
    share = np.where(share * held < max(least, 1e-12), 0.0, share)
    return rows, np.full(len(rows), group.limb), pieces[order[:, 0]], pieces[order[:, 1]], share


def _with_room(weights: sparse.csr_matrix, extra: np.ndarray, influences: int) -> tuple[sparse.csr_matrix, np.ndarray]:
    """The weights with room for `extra` (V,) more bones on each vertex, and (V,) how much of these is let in, 0 to 1.

    Small weights make room for a second piece, large ones do not; between the two both fade, so neighbours do not part.
    """
    keeps = np.ones(len(extra))
    stays = np.ones(len(extra))
    parts = []
    crowded = np.flatnonzero((np.diff(weights.indptr) + extra > influences) & (extra > 0))
    for start in range(0, len(crowded), _ROWS):
        rows = crowded[start:start + _ROWS]
        held = weights[rows].toarray()
        rank = np.clip(influences - extra[rows], 0, held.shape[1] - 1)
        cut = np.take_along_axis(-np.sort(-held, axis=1), rank[:, None], axis=1)
        keeps[rows] = np.clip(1 - 2 * cut[:, 0] / _FADE, 0.0, 1.0)
        total = held.sum(1, keepdims=True)
        held = np.where(held <= cut, held * np.clip(2 * cut / _FADE - 1, 0.0, 1.0), held)
        few = sparse.coo_matrix(held * (total / held.sum(1, keepdims=True)))
        parts.append(sparse.csr_matrix((few.data, (rows[few.row], few.col)), shape=weights.shape))
        stays[rows] = 0.0
    return sparse.csr_matrix(sum(parts, sparse.diags(stays) @ weights)), keeps


def gather_twists(groups: Sequence[TwistGroup], weights: sparse.csr_matrix) -> sparse.csr_matrix:
    """(V, B) weights in which each limb has what its twist bones had, and these have nothing: undoes `deal_twists`."""
    to = np.arange(weights.shape[1])
    for group in groups:
        to[group.bones] = group.limb
    join = sparse.csr_matrix((np.ones(len(to)), (np.arange(len(to)), to)), shape=(len(to), len(to)))
    return sparse.csr_matrix(weights @ join)
