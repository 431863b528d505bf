"""The penalty functions of the discrete embedding: the nine of [BP07] section 3.3, with the published program's
constants, and two of our own: "sheet", which a weight of 0 leaves out, and what `TAKEN` adds to a shared path.

Some depend on a joint and its parent only and are tabulated for all pairs of candidates at once; the rest of the terms
also look at joints placed before and are evaluated while searching, for all candidates of the next joint at once.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..skeleton.reduce import ReducedTemplate
from .graph import SphereGraph
from .paths import points_along, walk_paths
from .penalty_weights import read_weights

PENALTY_WEIGHTS = read_weights()
PAIR_TERMS = ("short_chain", "direction", "foot_height", "zero_length", "bone_direction", "not_an_end", "sheet")
PLACED_TERMS = ("direction", "asymmetry", "shared_path", "far_on_bones")
REJECT = np.inf
# What it costs a limb to end where another does, in units of shared paths. The paper asks a mere 0.07 of an arm that
# lies in a leg all the way, less than arms of an A-pose cost by their bones' directions.
TAKEN = 3.0


class PenaltyTable:
    """Everything the search asks about a graph and a template.

    candidates : R arrays of graph vertices.  scale : template units to unit frame.
    pair[r] : (P, C) weighted sum of the pair terms for the parent's P candidates and the joint's C
    walks[r] : (P, C, K) path vertices from the joint back to its parent, -1 beyond
    sheets : (S,) `sheet_likeness` of each vertex, 1 where it does not matter
    strict : a term that rejects does; otherwise it only costs as much as a whole embedding may
    """

    def __init__(self, graph: SphereGraph, reduced: ReducedTemplate, candidates: list[np.ndarray], *, scale: float,
                 weights: dict[str, float] | None = None, strict: bool = True,
                 sheets: np.ndarray | None = None):
        self.strict = strict
        self.sheets = np.ones(len(graph.points)) if sheets is None else sheets
        self.graph, self.reduced, self.candidates = graph, reduced, candidates
        self.weights = PENALTY_WEIGHTS | (weights or {})
        self.positions = reduced.template.positions * scale
        self.lengths = reduced.lengths * scale
        self.play = 0.7 * (graph.radii[:, None] + graph.radii)
        self.is_end_blocked = _EndCheck(graph)
        self.meeting = _common_ancestors(reduced)
        self.pair: list[np.ndarray | None] = []
        self.walks: list[np.ndarray | None] = []
        for r in range(len(reduced.joints)):
            if reduced.parents[r] < 0:
                self.pair.append(None)
                self.walks.append(None)
                continue
            u, v = self._pairs(r)
            shape = (len(candidates[reduced.parents[r]]), len(candidates[r]))
            walks = walk_paths(graph, u, v)
            total = self._weighted(PAIR_TERMS, self.pair_terms(r, u, v, walks))
            self.pair.append(total.reshape(shape))
            self.walks.append(walks.reshape(*shape, -1))

    def _pairs(self, r: int) -> tuple[np.ndarray, np.ndarray]:
        above, own = self.candidates[self.reduced.parents[r]], self.candidates[r]
        return np.repeat(above, len(own)), np.tile(own, len(above))

    def _weighted(self, names: tuple[str, ...], terms: np.ndarray) -> np.ndarray:
        """Sum of weighted terms (T, N); a weighted term above 1 rejects."""
        weight = np.array([self.weights[n] for n in names])[:, None]
        weighted = np.multiply(terms, weight, out=terms, where=np.isfinite(terms))
        if not self.strict:
            return np.minimum(weighted, 1.0).sum(0)
        return np.where((weighted > 1).any(0), REJECT, weighted.sum(0))

    def pair_terms(self, r: int, u: np.ndarray, v: np.ndarray, walks: np.ndarray) -> np.ndarray:
        """(T, N) the unweighted PAIR_TERMS for reduced joint r at vertices v with its parent at u."""
        graph, joint = self.graph, self.reduced.joints[r]
        parent = self.reduced.joints[self.reduced.parents[r]]
        reach = graph.distance[u, v] + self.play[u, v]
        ratio = np.divide(self.lengths[r], reach, out=np.full(len(v), np.inf), where=reach > 0)
        short = np.clip((ratio - 0.5) * 2.0, 0.0, 3.0) ** 3
        short[~(np.isfinite(reach) & (reach >= self.lengths[r] / 2))] = REJECT
        cosine = _cosine(graph.points[v] - graph.points[u], self.positions[joint] - self.positions[parent])
        direction = np.where(cosine < 0, REJECT, 0.5 * np.maximum(0.0, (4 * (1 - cosine)) ** 2 - 0.1))
        direction[v == u] = 0.0
        foot = np.zeros(len(v))
        if self.reduced.template.is_foot[joint]:
            foot = graph.points[v, 2] - graph.points[:, 2].min()
        zero = (v == u).astype(float)
        blocked = self.is_end_blocked(u, v) if self.reduced.is_leaf[r] else np.zeros(len(v))
        sheet = np.zeros(len(v))
        if self.reduced.is_leaf[r] and self.reduced.mirror[r] >= 0:
            sheet = np.clip((self.sheets[v] - 7.0) / 8.0, 0.0, 2.0)
        return np.stack([short, direction, foot, zero, self._bone_direction(r, walks, u, v), blocked, sheet])

    def _bone_direction(self, r: int, walks: np.ndarray, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """How far each unreduced bone of the chain turns away from the template's.

        What a limb's end is cut into without a bend, like a tail, counts as the one bone it was: it may curl.
        """
        chain = np.array([self.reduced.joints[self.reduced.parents[r]], *self.reduced.chains[r]])
        bones = np.diff(self.positions[chain], axis=0)
        kept = np.ones(len(chain), bool)
        if self.reduced.is_leaf[r]:
            kept[1:-1] = _cosine(bones[:-1], bones[1:]) < 1 - 1e-9
        wanted = np.diff(self.positions[chain[kept]], axis=0)
        joints = points_along(self.graph, walks, np.concatenate([[0.0], self.reduced.fractions[r]])[kept])
        bones = np.diff(joints, axis=1)
        size = (wanted**2).sum(1)
        length = np.sqrt(np.einsum("nbd,nbd->nb", bones, bones) * size)
        along = np.einsum("nbd,bd->nb", bones, wanted)
        cosine = np.divide(along, length, out=np.ones_like(length), where=length > 1e-12)
        turn = (1 - cosine) * np.interp(cosine, [-0.5, 0.0], [6.0, 1.0])
        # For a single bone the published program squares and scales the other way round: the same number.
        return 50.0 * (size * turn**2).sum(1)

    def placed_terms(self, r: int, placed: list[int], used: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
        """(T, N) the unweighted PLACED_TERMS for candidates of joint r.

        placed : candidate number of each joint before r;  used : (S,) bool graph vertices on paths already taken
        among : (N,) candidate numbers, all unless given
        """
        reduced, graph = self.reduced, self.graph
        own = self.candidates[r] if among is None else self.candidates[r][among]
        walks = self.walks[r][placed[reduced.parents[r]]]
        above = reduced.parents[r]
        at = [self.candidates[i][c] for i, c in enumerate(placed)]
        direction = np.zeros(len(own))
        for i in range(1, r):
            if reduced.parents[i] == above:
                wanted = self.positions[reduced.joints[r]] - self.positions[reduced.joints[i]]
                cosine = _cosine(graph.points[own] - graph.points[at[i]], wanted)
                direction += np.where(cosine < -0.5, REJECT, 0.5 * np.maximum(0.0, (2 * (1 - cosine)) ** 2 - 0.5))
        shared = self._shared(walks if among is None else walks[among], at[above], used)
        return np.stack([direction, self._asymmetry(r, own, at), shared + self._taken(r, own, at),
                         self._far_on_bones(r, own, at)])

    def _asymmetry(self, r: int, own: np.ndarray, at: list[int]) -> np.ndarray:
        partner = self.reduced.mirror[r]
        if not 0 <= partner < r:
            return np.zeros(len(own))
        u, pu = at[self.reduced.parents[r]], at[self.reduced.parents[partner]]
        d, s = self.graph.distance[u, own], self.graph.distance[pu, at[partner]]
        d_far, s_far = d + self.play[u, own], s + self.play[pu, at[partner]]
        tiny = 1e-9
        worst = np.maximum((d + tiny) / (s + tiny), (s + tiny) / (d + tiny))
        mild = np.maximum(s / d_far, d / s_far)
        return np.maximum(0.0, (0.2 * np.minimum(2.0, worst) + 0.8 * mild) ** 3 - 1.2)

    def _shared(self, walks: np.ndarray, parent: int, used: np.ndarray) -> np.ndarray:
        counts = (walks >= 0) & (walks != parent) & used[walks]
        thin = counts & (self.graph.radii[walks] < 0.02)
        share = counts @ (0.5 / np.arange(1, walks.shape[1] + 1) ** 2) + 0.5 * counts.any(1)
        return np.where(thin.any(1), REJECT, share)

    def _taken(self, r: int, own: np.ndarray, at: list[int]) -> np.ndarray:
        """`TAKEN` where a limb from elsewhere on the trunk ends already: a foot is no hand. Fingers may share one."""
        reduced = self.reduced
        if not reduced.is_leaf[r]:
            return np.zeros(len(own))
        ends = [at[i] for i in range(1, r) if reduced.is_leaf[i] and reduced.parents[i] != reduced.parents[r]]
        return TAKEN * np.isin(own, ends)

    def _far_on_bones(self, r: int, own: np.ndarray, at: list[int]) -> np.ndarray:
        graph, above = self.graph, self.reduced.parents[r]
        others = np.array([i for i in range(r) if i != above], int)
        if not len(others):
            return np.zeros(len(own))
        vertices = np.array(at)
        ancestor, placed = vertices[self.meeting[above, others]], vertices[others]
        radii = graph.radii[own] + graph.radii[placed][:, None]
        around = graph.distance[np.ix_(ancestor, own)] + graph.distance[ancestor, placed][:, None] + radii
        return (around / (graph.distance[np.ix_(placed, own)] + radii) > 2).sum(0).astype(float)

    def price(self, r: int, placed: list[int], used: np.ndarray, among: np.ndarray | None = None) -> np.ndarray:
        """(N,) weighted penalty of candidates of joint r, given the joints placed before it. See `placed_terms`."""
        pair = self.pair[r][placed[self.reduced.parents[r]]]
        extra = self._weighted(PLACED_TERMS, self.placed_terms(r, placed, used, among))
        return (pair if among is None else pair[among]) + extra

    def explain(self, placed: list[int]) -> dict[str, float]:
        """The weighted penalty of a whole embedding, term by term."""
        total = dict.fromkeys(self.weights, 0.0)
        for name, value in self._terms_of(placed):
            total[name] += min(self.weights[name] * value, 1.0)
        return total

    def features(self, placed: list[int]) -> dict[str, float]:
        """The unweighted penalties of a whole embedding, b(v) of [BP07] section 3.3; infinite where one rejects."""
        total = dict.fromkeys(self.weights, 0.0)
        for name, value in self._terms_of(placed):
            total[name] += value
        return total

    def _terms_of(self, placed: list[int]) -> Iterator[tuple[str, float]]:
        used = np.zeros(len(self.graph.points), bool)
        for r in range(1, len(placed)):
            above = placed[self.reduced.parents[r]]
            u = self.candidates[self.reduced.parents[r]][above : above + 1]
            v = self.candidates[r][placed[r] : placed[r] + 1]
            walks = walk_paths(self.graph, u, v)
            yield from zip(PAIR_TERMS, self.pair_terms(r, u, v, walks)[:, 0].tolist(), strict=True)
            placed_terms = self.placed_terms(r, placed[:r], used, np.array([placed[r]]))
            yield from zip(PLACED_TERMS, placed_terms[:, 0].tolist(), strict=True)
            mark_used(used, self.walks[r][above, placed[r]])


def mark_used(used: np.ndarray, walk: np.ndarray) -> None:
    """Mark a path's vertices as taken, the parent's own vertex excepted, in place."""
    path = walk[walk >= 0]
    used[path[:-1]] = True


def _common_ancestors(reduced: ReducedTemplate) -> np.ndarray:
    """(R, R) the lowest joint that is above both or one of the two."""
    lines = [reduced.ancestors(r) for r in range(len(reduced.joints))]
    return np.array([[next(a for a in other if a in line) for other in lines] for line in lines])


class _EndCheck:
    """Whether a leaf at v, seen from its parent u, could go on to a neighbour: the leaf is not at the limb's end."""

    def __init__(self, graph: SphereGraph):
        both = np.concatenate([graph.edges, graph.edges[:, ::-1]])
        both = both[np.lexsort(both.T[::-1])]
        self.graph = graph
        self.other = both[:, 1]
        self.start = np.searchsorted(both[:, 0], np.arange(len(graph.points) + 1))

    def __call__(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        points, radii = self.graph.points, self.graph.radii
        degree = self.start[v + 1] - self.start[v]
        pair = np.repeat(np.arange(len(v)), degree)
        local = np.arange(len(pair)) - np.repeat(np.cumsum(degree) - degree, degree)
        o = self.other[self.start[v[pair]] + local]
        start, end = points[u[pair]], points[v[pair]]
        along = end - start
        goes_on = (_cosine(points[o] - start, along) > 0.95) & (_cosine(points[o] - end, along) > 0.8)
        blocked = np.zeros(len(v))
        blocked[pair[goes_on & (radii[v[pair]] <= 2 * radii[o])]] = 1.0
        return blocked


def _cosine(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    b = np.broadcast_to(b, a.shape)
    size = np.sqrt(np.einsum("nd,nd->n", a, a) * np.einsum("nd,nd->n", b, b))
    return np.divide(np.einsum("nd,nd->n", a, b), size, out=np.ones(len(a)), where=size > 1e-12)
