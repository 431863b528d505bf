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
    finished it, the most complete best ones are finished greedily. Raises NoEmbedding if there is none.
    """
    count = len(table.candidates)
    least = _least_subtree(table)
    below = [_given_parent(table, least, r) for r in range(count)]
    queue = _Queue(limit)
    queue.offer((), np.arange(len(least[0])), least[0])
    expanded = 0
    while queue.heap:
        bound, placed = queue.pop()
        r = len(placed)
        if r == count:
            vertices = np.array([table.candidates[r][c] for r, c in enumerate(placed)])
            return Embedding(vertices, bound, table.explain(list(placed)), expanded)
        expanded += 1
        if expanded > budget:
            queue.keep_deepest(50)
        above = placed[table.reduced.parents[r]]
        rest = bound - below[r][above]
        # What the pair terms alone put beyond the limit needs no further look.
        hopeful = rest + table.pair[r][above] + least[r] < limit
        among = np.flatnonzero(hopeful & _mirrors_partner(table, r, placed))
        if len(among):
            price = table.price(r, list(placed), _used(table, placed), among)
            queue.offer(placed, among, rest + price + least[r][among])
    raise NoEmbedding("The skeleton does not fit this shape anywhere. Choose another preset, turn the character to "
                      "face -Y with Z up, or pin one or two joints.")


class _Queue:
    """Partial embeddings by lower bound; of those that differ in the last joint only the next best is in the heap."""

    def __init__(self, limit: float):
        self.limit, self.serial = limit, 0
        self.heap: list[tuple[float, int, int, tuple[int, ...], np.ndarray, np.ndarray, int]] = []

    def offer(self, placed: tuple[int, ...], last: np.ndarray, bounds: np.ndarray) -> None:
        """Add `placed` continued by each of the candidates `last` (N,) with these bounds (N,), if below the limit."""
        order = np.argsort(bounds, kind="stable")
        order = order[bounds[order] < self.limit]
        self._push(placed, last[order], bounds[order], 0)

    def _push(self, placed, last, bounds, k: int) -> None:
        if k < len(last):
            self.serial += 1
            heapq.heappush(self.heap, (float(bounds[k]), -len(placed), self.serial, placed, last, bounds, k))

    def pop(self) -> tuple[float, tuple[int, ...]]:
        """The bound and candidates of the best partial embedding, taken out."""
        bound, _, _, placed, last, bounds, k = heapq.heappop(self.heap)
        self._push(placed, last, bounds, k + 1)
        return bound, (*placed, int(last[k]))

    def keep_deepest(self, most: int) -> None:
        """Forget all but the best of the most complete ones."""
        depth = min((entry[1] for entry in self.heap), default=0)
        self.heap = sorted(entry for entry in self.heap if entry[1] == depth)[:most]


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
    if table.reduced.parents[r] < 0:
        return np.zeros(0)
    return (table.pair[r] + least[r]).min(1) if table.pair[r].size else np.full(len(table.pair[r]), np.inf)
