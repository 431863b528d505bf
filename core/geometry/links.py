"""What hangs together when links join it."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

_ROUNDS = 2  # leave a hundredth of a mesh's edges to the general method
_FEW = 10_000  # links, which the general method takes at once


def linked_parts(count: int, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """(count,) int32 the part each of so many things is in, numbered in the order of their first things.

    one, two : (E,) ends of links
    Many links are first made few: everything follows something lower that it is linked to, and what that follows.
    O(count + E).
    """
    lowest: np.ndarray = np.arange(count, dtype=np.int32)
    for _ in range(_ROUNDS if len(one) > _FEW else 0):
        lowest[np.maximum(one, two)] = np.minimum(one, two)
        further = lowest.take(lowest)
        while (further != lowest).any():
            lowest, further = further, further.take(further)
        one, two = lowest.take(one), lowest.take(two)
        apart = np.flatnonzero(one != two)
        one, two = one.take(apart), two.take(apart)
    leads = lowest == np.arange(count, dtype=np.int32)
    number = np.cumsum(leads, dtype=np.int32) - 1
    left = int(leads.sum())
    graph = sparse.coo_matrix((np.ones(len(one), np.int8), (number.take(one), number.take(two))), shape=(left, left))
    part = connected_components(graph, directed=False)[1] if left else number
    return part.take(number.take(lowest))
