"""Chains of bones down a thing: where its joints lie, and how its surface is shared among them."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

REACH = 2.2  # steps between samples that a way may take at once
FADE = 0.6  # of the first bone: where the body's share of a chain's skin ends


def ways(points: np.ndarray, start: np.ndarray, step: float) -> np.ndarray:
    """(N,) how far each of N samples of a surface lies from those it hangs by, along it.

    start : (N,) bool;  step : between samples.  What no way leads to is as far as the furthest.
    """
    pairs = cKDTree(points).query_pairs(REACH * step, output_type="ndarray")
    length = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    graph = sparse.coo_matrix((np.maximum(length, 1e-9), pairs.T), shape=(len(points),) * 2).tocsr()
    away = dijkstra(graph, directed=False, indices=np.flatnonzero(start), min_only=True)
    reached = np.isfinite(away)
    return np.where(reached, away, away[reached].max(initial=0.0))


def carried_over(values: np.ndarray, points: np.ndarray, corners: np.ndarray) -> np.ndarray:
    """(M,) values (N,) of samples (N, 3) at other points (M, 3) of the surface: of the three nearest."""
    apart, near = cKDTree(points).query(corners, k=min(3, len(points)))
    apart, near = apart.reshape(len(corners), -1), near.reshape(len(corners), -1)
    share = 1.0 / np.maximum(apart, 1e-6) ** 2
    return (share * values[near]).sum(1) / share.sum(1)


def columns_of(across: np.ndarray, count: int) -> np.ndarray:
    """(N, count) share of each column of a sheet in places 0 to 1 across it; between two columns' middles both."""
    if count == 1:
        return np.ones((len(across), 1))
    at = np.clip(np.asarray(across) * count - 0.5, 0, count - 1)
    return np.maximum(1 - np.abs(at[:, None] - np.arange(count)), 0.0)


def column_lengths(away: np.ndarray, columns: np.ndarray, areas: np.ndarray) -> np.ndarray:
    """(C,) how long each column of a sheet is: nineteen of twenty of its pieces lie no further down."""
    order = np.argsort(away, kind="stable")
    total = np.cumsum((columns * areas[:, None])[order], axis=0)
    return np.array([away[order][min(int(np.searchsorted(t, 0.95 * t[-1])), len(t) - 1)] for t in total.T])


def joints(points: np.ndarray, along: np.ndarray, columns: np.ndarray, areas: np.ndarray, bones: int) -> np.ndarray:
    """(C, bones + 1, 3) the middles of columns at equal steps along them.

    along : (N, C) place of each sample along each column, 0 to 1
    """
    found = []
    for k in range(bones + 1):
        near = np.exp(-0.5 * ((along - k / bones) * 4 * bones) ** 2) + 1e-12
        weight = columns * near * areas[:, None]
        found.append((weight.T @ points) / weight.sum(0)[:, None])
    return np.stack(found, 1)


def shares_along(along: np.ndarray, columns: np.ndarray, bones: int) -> np.ndarray:
    """(N, 1 + C * bones) how N places share themselves among the body and the bones of each column, rows sum to 1.

    along : (N, C).  Smooth where one bone passes into the next; the body's share fades along the first bone.
    """
    place = np.clip(along, 0.0, 1.0) * bones - 0.5
    step = np.clip(place[..., None] - np.arange(bones - 1) if bones > 1 else np.zeros((*place.shape, 0)), 0.0, 1.0)
    step = step * step * (3 - 2 * step)
    ends = (np.ones((*place.shape, 1)), np.zeros((*place.shape, 1)))
    passed = np.concatenate([ends[0], step, ends[1]], axis=2)
    bone = passed[..., :-1] - passed[..., 1:]
    own = np.clip(along * bones / FADE, 0.0, 1.0)
    own = own * own * (3 - 2 * own) * columns
    bone = (own[..., None] * bone).reshape(len(along), -1)
    return np.concatenate([np.maximum(1.0 - bone.sum(1, keepdims=True), 0.0), bone], axis=1)
