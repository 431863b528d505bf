"""Best-first search for the cheapest embedding of the reduced skeleton. [BP07] section 3.4."""

from __future__ import annotations

import heapq
from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..errors import NoEmbedding
from .penalties import PenaltyTable, mark_used


@dataclass(frozen=True, eq=False)
class Embedding:
    """The R reduced joints placed on graph vertices.

    vertices : (R,) graph vertex of each joint;  penalty : the weighted sum;  terms : {name: weighted value}
    expanded : partial embeddings the search opened
    """

    vertices: np.ndarray
    penalty: float
    terms: dict[str, float]
    expanded: int

    def __post_init__(self):
        object.__setattr__(self, "vertices", frozen(self.vertices, np.int64, (None,), "vertices"))


def embed(table: PenaltyTable, *, limit: float = 1.0, budget: int = 20_000) -> Embedding:
    """The embedding of least penalty below `limit`.

    Partial embeddings are opened in order of a lower bound: the penalty so far plus, for every unplaced subtree, the
    least its pair terms can cost. The first complete one opened is therefore the best. If `budget` openings have not
    finished it, the most complete best one is finished greedily. Raises NoEmbedding if there is none.
    """
    count = len(table.candidates)
    least = _least_subtree(table)
    heap: list[tuple[float, int, int, tuple[int, ...]]] = []
    serial = 0
    for c in range(len(table.candidates[0])):
        bound = least[0][c]
        if bound < limit:
            heap.append((float(bound), 0, serial, (c,)))
            serial += 1
    heapq.heapify(heap)
    expanded = 0
    while heap:
        bound, _, _, placed = heapq.heappop(heap)
        if len(placed) == count:
            vertices = np.array([table.candidates[r][c] for r, c in enumerate(placed)])
            return Embedding(vertices, bound, table.explain(list(placed)), expanded)
        expanded += 1
        if expanded > budget:
            # Depth first from here: only the most complete partial embeddings stay.
            deepest = max(len(p) for *_, p in heap) if heap else len(placed)
            heap = [h for h in heap if len(h[3]) == deepest][:50]
            heapq.heapify(heap)
        r = len(placed)
        used = _used(table, placed)
        price = table.price(r, list(placed), used)
        subtree = np.zeros(len(price))
        for child in np.flatnonzero(table.reduced.parents == r):
            subtree += _given_parent(table, least, child)
        rest = bound - _given_parent(table, least, r)[placed[table.reduced.parents[r]]]
        total = np.where(_mirrors_partner(table, r, placed), rest + price + subtree, np.inf)
        for c in np.flatnonzero(total < limit):
            serial += 1
            heapq.heappush(heap, (float(total[c]), -r, serial, (*placed, int(c))))
    raise NoEmbedding("The skeleton does not fit this shape anywhere. Choose another preset, turn the character to "
                      "face -Y with Z up, or pin one or two joints.")


def _mirrors_partner(table: PenaltyTable, r: int, placed: tuple[int, ...]) -> np.ndarray:
    """(C,) or one bool: candidates that are the mirror image of the placed partner, where the graph has mirror images.

    If none is (one of the two is pinned elsewhere), every candidate will do.
    """
    partner = int(table.reduced.mirror[r])
    if table.graph.twins is None or not 0 <= partner < r:
        return np.ones(1, bool)
    mirrored = table.candidates[r] == table.graph.twins[table.candidates[partner][placed[partner]]]
    return mirrored if mirrored.any() else ~mirrored


def _used(table: PenaltyTable, placed: tuple[int, ...]) -> np.ndarray:
    used = np.zeros(len(table.graph.points), bool)
    for r in range(1, len(placed)):
        mark_used(used, table.walks[r][placed[table.reduced.parents[r]], placed[r]])
    return used


def _least_subtree(table: PenaltyTable) -> list[np.ndarray]:
    """least[r][c] : the least the pair terms of everything below joint r can cost with r at its candidate c."""
    count = len(table.candidates)
    least = [np.zeros(len(c)) for c in table.candidates]
    for r in range(count - 1, 0, -1):
        least[table.reduced.parents[r]] = least[table.reduced.parents[r]] + _given_parent(table, least, r)
    return least


def _given_parent(table: PenaltyTable, least: list[np.ndarray], r: int) -> np.ndarray:
    """(P,) the least joint r and all below it can cost, for each candidate of its parent."""
    return (table.pair[r] + least[r]).min(1) if table.pair[r].size else np.full(len(table.pair[r]), np.inf)
