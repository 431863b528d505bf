"""Skin weights: which bone moves which vertex how much, and what makes them fit for use."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

# Weights fade out over this much above the first that must go, or over this share of it, whichever is more. On a
# scanned body posed hard, 1 % of the skin is drawn out to 3.8 times its length when cut, 2.9 with 0.02 alone, 2.6 with
# both; a larger share gains nothing and lies further from artists' weights.
_FADE, _TAPER = 0.02, 0.5


@dataclass(frozen=True, eq=False)
class SkinWeights:
    """Weights of V vertices to B bones.

    matrix : (V, B) csr, entries in [0, 1], every row sums to 1
    bones : B bone names, in the rig's order
    method : "heat" or "geodesic": what made them;  reason : why, when it was chosen automatically
    report : {name: number} measured while binding
    Raises ValueError for a weight that is no number.
    """

    matrix: sparse.csr_matrix
    bones: tuple[str, ...]
    method: str
    reason: str = ""
    report: dict = field(default_factory=dict)

    def __post_init__(self):
        if not np.isfinite(self.matrix.data).all():
            raise ValueError("a weight is no number")


@dataclass(frozen=True, eq=False)
class Kept:
    """What a bind leaves alone on a skin that has weights already.

    old : (V, B) the weights there are, columns in the rig's order
    locked : (B,) or (V, B) bool, bones that keep their weights; the others share what these leave
    where : (V,) bool or 0 to 1, how much of the new weights each vertex takes; at 0 it keeps its bits. None is all
    """

    old: sparse.csr_matrix
    locked: np.ndarray
    where: np.ndarray | None = None


def limit_influences(weights: np.ndarray, most: int, *, least: float = 0.0, fades: bool = True) -> sparse.csr_matrix:
    """Keep each row's `most` largest weights, drop those below `least`, and bring the row back to sum 1.

    weights : (V, B) dense, non-negative. A row's largest weight is never dropped.
    fades : weights little larger than the first that must go fade with it: which of two alike bones is kept does not
        jump from vertex to vertex, tearing the skin, nor hang on the last bit of a coordinate
    """
    weights = np.ascontiguousarray(weights, float)
    count, bones = weights.shape
    cut = np.sort(weights, axis=1)[:, -1 - most] if bones > most else np.zeros(count)
    largest = weights.argmax(1) + bones * np.arange(count)
    stays = weights > cut[:, None]
    stays.ravel()[largest] = True
    flat = np.flatnonzero(stays)
    row = flat // bones
    whole = weights.take(flat)
    kept = whole * _faded(whole, cut.take(row)) if fades and bones > most else whole
    at = np.searchsorted(flat, largest)
    kept[at] = top = np.where(kept[at] > 0, kept[at], whole[at])
    kept[(kept < least) & (kept < top.take(row))] = 0.0
    row, flat, kept = (values[kept > 0] for values in (row, flat, kept))
    kept /= np.bincount(row, kept, count).take(row)
    return sparse.csr_matrix((kept, flat % bones, np.searchsorted(row, np.arange(count + 1))), shape=weights.shape)


def limit_crowded(weights: sparse.csr_matrix, most: int, *, least: float) -> sparse.csr_matrix:
    """(V, B) weights: rows of more than so many bones go through `limit_influences`, the rest keep their bits."""
    crowded = np.flatnonzero(np.diff(weights.indptr) > most)
    if not len(crowded):
        return weights
    return with_rows(weights, crowded, limit_influences(weights[crowded].toarray(), most, least=least))


def merge_weights(fresh: sparse.spmatrix, old: sparse.spmatrix, *, locked=None, where=None, most: int | None = None
                  ) -> sparse.csr_matrix:
    """Bring fresh weights into a skin that has weights already, leaving alone what the artist wants left alone.

    fresh, old : (V, B), rows of fresh sum to 1
    locked : (B,) or (V, B) bool; these bones keep their old weights, and the fresh ones share what these leave
    where : (V,) 0 to 1, how much of the fresh weights each vertex takes, or bool; where 0 the old row stays bit by bit
    most : influences of a vertex, locked bones counted; one bone more than the locked is always let in
    Returns (V, B) csr. Rows where something changes sum to 1, unless locked weights alone exceed that: then they stay
    as they are, alone. A vertex for which the fresh weights know only locked bones keeps its other old weights in
    proportion, and if it has none, its locked ones fill the row.
    Raises ValueError if a share in `where` is no number.
    """
    fresh, old = sparse.csr_matrix(fresh, dtype=float), sparse.csr_matrix(old, dtype=float)
    count, bones = fresh.shape
    locked = np.zeros(bones, bool) if locked is None else np.asarray(locked, bool)
    share = np.ones(count) if where is None else np.clip(np.asarray(where, float), 0.0, 1.0)
    if np.isnan(share).any():
        raise ValueError("where holds a share that is no number")
    locked = np.broadcast_to(locked, fresh.shape)
    held, mine = _clean(old.multiply(locked)), _sums_to_one(old.multiply(~locked))
    new = _sums_to_one(fresh.multiply(~locked))
    new = new + sparse.diags((_sums(new) < 0.5) * 1.0) @ mine
    new = sparse.diags(share) @ new + sparse.diags(np.where(_sums(mine) < 0.5, 0.0, 1.0 - share)) @ mine
    if most is not None:
        new = _limit_rows(new, np.maximum(most - np.diff(held.indptr), 1))
    rest = np.maximum(1.0 - _sums(held), 0.0)
    merged = held + sparse.diags(rest) @ _sums_to_one(new)
    total = _sums(merged)
    short = (total > 0) & (total < 1.0 - 1e-9)  # nothing but locked bones: they fill the row
    merged = _clean(sparse.diags(np.where(short, 1.0 / np.where(short, total, 1.0), 1.0)) @ merged)
    kept = share == 0
    if not kept.any():
        return merged
    order = np.empty(count, np.int64)
    order[np.concatenate([np.flatnonzero(kept), np.flatnonzero(~kept)])] = np.arange(count)
    return sparse.vstack([old[kept], merged[~kept]], format="csr")[order]


def _faded(weights: np.ndarray, cut: np.ndarray) -> np.ndarray:
    """What share of each weight is left beside the largest one that must go."""
    return np.clip((weights - cut) / np.maximum(_TAPER * cut, _FADE), 0.0, 1.0)


def _sums(matrix: sparse.csr_matrix) -> np.ndarray:
    return np.asarray(matrix.sum(1)).ravel()


def _sums_to_one(matrix: sparse.spmatrix) -> sparse.csr_matrix:
    total = _sums(matrix)
    return sparse.diags(np.divide(1.0, total, out=np.zeros_like(total), where=total > 0), format="csr") @ matrix.tocsr()


def _clean(matrix: sparse.csr_matrix) -> sparse.csr_matrix:
    matrix = sparse.csr_matrix(matrix)
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return matrix


def _limit_rows(matrix: sparse.csr_matrix, most: np.ndarray) -> sparse.csr_matrix:
    """Keep the `most` (V,) largest weights of each row, faded as in `limit_influences`; ties keep the lower bone."""
    matrix = _clean(matrix)
    row = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    order = np.lexsort((matrix.indices, -matrix.data, row))
    rank = np.empty(len(row), np.int64)
    rank[order] = np.arange(len(row)) - matrix.indptr[row]
    cut = np.zeros(matrix.shape[0])
    is_cut = rank == most[row]
    cut[row[is_cut]] = matrix.data[is_cut]
    left = _faded(matrix.data, cut[row])
    left[((rank == 0) & (left <= 0)) | (cut[row] == 0)] = 1.0  # the largest stays, and all where nothing must go
    matrix.data = np.where(rank < most[row], matrix.data * left, 0.0)
    return _clean(matrix)


def with_rows(weights: sparse.csr_matrix, rows: np.ndarray, own: np.ndarray | sparse.spmatrix
              ) -> sparse.csr_matrix:
    """(V, B) weights with others (N, B) in some rows (N,); the rest keep their bits."""
    kept, stays = sparse.coo_matrix(own), np.ones(weights.shape[0])
    stays[rows] = 0.0
    given = sparse.csr_matrix((kept.data, (rows[kept.row], kept.col)), shape=weights.shape)
    weights = sparse.csr_matrix(sparse.diags(stays) @ weights + given)
    weights.eliminate_zeros()
    return weights
