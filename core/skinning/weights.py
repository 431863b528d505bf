"""Skin weights: which bone moves which vertex how much, and what makes them fit for use."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy import sparse


@dataclass(frozen=True, eq=False)
class SkinWeights:
    """Weights of V vertices to B bones.

    matrix : (V, B) csr, entries in [0, 1], every row sums to 1
    bones : B bone names, in the rig's order
    method : "heat" or "geodesic": what made them;  reason : why, when it was chosen automatically
    report : {name: number} measured while binding
    """

    matrix: sparse.csr_matrix
    bones: tuple[str, ...]
    method: str
    reason: str = ""
    report: dict = field(default_factory=dict)


def limit_influences(weights: np.ndarray, most: int, *, least: float = 0.0) -> np.ndarray:
    """Keep each row's `most` largest weights, drop those below `least`, and bring the row back to sum 1.

    weights : (V, B) dense, non-negative.  Ties keep the lower bone index. A row's largest weight is never dropped.
    """
    weights = np.asarray(weights, float)
    if weights.shape[1] > most:
        order = np.argsort(-weights, axis=1, kind="stable")[:, :most]
        kept = np.zeros_like(weights)
        np.put_along_axis(kept, order, np.take_along_axis(weights, order, 1), 1)
    else:
        kept = weights.copy()
    largest = kept.max(1, keepdims=True)
    kept[(kept < least) & (kept < largest)] = 0.0
    total = kept.sum(1, keepdims=True)
    return np.divide(kept, total, out=np.zeros_like(kept), where=total > 0)
