"""Which limb is which on a body whose two sides are unlike: in mid-stride, waving, its head turned.

[BP07]'s search judges directions against the template's pose, and a mirrored body halves what there is to decide. On a
body in a pose of its own neither helps. What no pose changes is how long and thick limbs are and how far their tips lie
from each other along the body; what it changes little is where the inner halves of the limbs lie. So the body's few
outstanding tips are dealt out to the template's limbs by these, all limbs at once, before the search places the rest.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from ..skeleton.reduce import ReducedTemplate, reduce_template
from ..skeleton.template import SkeletonTemplate
from .candidates import middle_vertex
from .graph import SphereGraph

# A tip stands out by at least this much of the body's size; the most outstanding ones are looked at.
LEAST, MOST = 0.04, 16
NEAR = 0.55  # of the way to a tip; other tips this near are on the same limb
BEAM = 200  # partial assignments kept
STEPS = 8   # points along each bone of the template

# What the parts of `_alone` and `_together` weigh, found on generated and real characters in motion: walking, trotting,
# galloping, running, waving, dancing. Squares of lengths are in template limb lengths, of ratios in logarithms.
MIDDLE, TIP, HEIGHT, FAINT, SHEET = 6.5, 0.5, 4.0, 2.0, 2.0
APART, SIDE, THICKNESS, EVEN = 0.4, 4.0, 0.6, 4.0
ABSENT = 3.0  # cost of a tail or the like that is not there
MOST_MIDDLE, MOST_EVEN = 0.25, 0.4  # beyond these squares a miss counts hardly more: a hand may touch the thigh


@dataclass(frozen=True, eq=False)
class TemplateLimbs:
    """The L ends of a reduced template, seen from its middle, in template units.

    leaves : (L,) reduced joints;  partner : (L,) index of the other side's end, -1 = none;  is_foot : (L,)
    far : (L,) way from the middle to the tip;  apart : (L, L) ways between tips
    tip, middle : (L, 3) from the template's middle to the tip, and to half-way there along the bones
    start : (L, 3) to the first joint below the one the limb hangs on;  last : (L, 3) the last bone
    """

    leaves: np.ndarray
    partner: np.ndarray
    is_foot: np.ndarray
    far: np.ndarray
    apart: np.ndarray
    tip: np.ndarray
    middle: np.ndarray
    start: np.ndarray
    last: np.ndarray


@dataclass(frozen=True, eq=False)
class Tips:
    """The N outstanding tips of a body, seen from its middle, unit frame. Fields as in `TemplateLimbs`.

    vertices : (N,) of the graph;  prominence, thickness, height : (N,);  sheet : (N,) `sheet_likeness`
    """

    vertices: np.ndarray
    prominence: np.ndarray
    thickness: np.ndarray
    height: np.ndarray
    sheet: np.ndarray
    far: np.ndarray
    apart: np.ndarray
    tip: np.ndarray
    middle: np.ndarray


@dataclass(frozen=True, eq=False)
class LimbMatch:
    """The graph vertex of each limb's end by its reduced joint; for `absent` ones, where the limb would begin."""

    vertices: dict[int, int]
    absent: tuple[int, ...]


def match_limbs(graph: SphereGraph, reduced: ReducedTemplate, candidates: list[np.ndarray],
                sheets: np.ndarray) -> LimbMatch | None:
    """Deal a body's tips out to the template's limbs. Only a limb without a partner may be absent.

    candidates : R arrays of vertices; a joint with a single one, pinned there, keeps it.  sheets : (S,)
    Returns None if the body shows fewer tips than the template has limbs with partners.  O(BEAM L N).
    """
    limbs = template_limbs(reduced.template)
    pinned = np.array([int(candidates[r][0]) for r in limbs.leaves if len(candidates[r]) == 1], int)
    tips = find_tips(graph, pinned, sheets)
    allowed = np.array([np.isin(tips.vertices, candidates[r]) for r in limbs.leaves])
    if allowed.any(0).sum() < (limbs.partner >= 0).sum():
        return None
    most = min(len(tips.vertices), len(limbs.leaves))
    scale = float(np.sort(tips.far)[-most:].mean() / np.sort(limbs.far)[-most:].mean())
    chosen = _deal(limbs, tips, allowed, scale)
    if chosen is None:
        return None
    vertices, absent = {}, []
    for i, (r, t) in enumerate(zip(limbs.leaves.tolist(), chosen.tolist(), strict=True)):
        if t == len(tips.vertices):
            absent.append(r)
            vertices[r] = _nearest(graph, scale * limbs.start[i])
        elif limbs.partner[i] >= 0 or len(candidates[r]) == 1:
            vertices[r] = int(tips.vertices[t])
        else:
            vertices[r] = _likeliest(graph, candidates[r], int(tips.vertices[t]),
                                     tips.middle[t] + graph.points[middle_vertex(graph)], limbs.last[i])
    return LimbMatch(vertices, tuple(absent))


def _nearest(graph: SphereGraph, place: np.ndarray) -> int:
    """The vertex nearest to a place (3,) as seen from the body's middle."""
    return int(((graph.points - graph.points[middle_vertex(graph)] - place) ** 2).sum(1).argmin())


def _likeliest(graph: SphereGraph, candidates: np.ndarray, tip: int, half: np.ndarray, wanted: np.ndarray) -> int:
    """Of the ends on the same limb as `tip` the one furthest the way the template's limb points, whichever way it is
    turned about the vertical: an ear may stand out more than the snout, but points up.

    half : (3,) half-way to the tip;  wanted : (3,) the template's last bone
    """
    near = candidates[graph.distance[tip, candidates] < NEAR * graph.distance[middle_vertex(graph), tip]]
    near = near if len(near) else np.array([tip])
    seen = graph.points[near] - half
    reach = np.hypot(*seen.T[:2]) * np.hypot(*wanted[:2]) + seen[:, 2] * wanted[2]
    return int(near[reach.argmax()])


def find_tips(graph: SphereGraph, pinned: np.ndarray, sheets: np.ndarray) -> Tips:
    """The tips that stand out, most outstanding first, and the pinned vertices."""
    root = middle_vertex(graph)
    far = graph.distance[root]
    vertices, prominence = prominent_tips(graph, far)
    kept = np.argsort(-prominence, kind="stable")[:MOST]
    kept = kept[prominence[kept] > LEAST]
    added = pinned[~np.isin(pinned, vertices[kept])]
    vertices = np.concatenate([vertices[kept], added])
    prominence = np.concatenate([prominence[kept], np.ones(len(added))])
    middle, thickness = [], []
    for v in vertices:
        walk = np.array(graph.path(root, int(v)))
        middle.append([np.interp(0.5 * far[v], far[walk], graph.points[walk, d]) for d in range(3)])
        thickness.append(np.median(graph.radii[walk[far[walk] >= 0.4 * far[v]]]))
    bottom, top = (graph.points[:, 2] - graph.radii).min(), (graph.points[:, 2] + graph.radii).max()
    return Tips(vertices, prominence, np.array(thickness), (graph.points[vertices, 2] - bottom) / (top - bottom),
                sheets[vertices], far[vertices], graph.distance[np.ix_(vertices, vertices)],
                graph.points[vertices] - graph.points[root], np.array(middle).reshape(-1, 3) - graph.points[root])


def prominent_tips(graph: SphereGraph, far: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(N,) vertices higher in `far` (S,) than their neighbours, and how far one must come down from each to reach a
    higher one; the highest stands out by its own height. The persistence of maxima, by union and find."""
    order = np.argsort(-far, kind="stable")
    rank = np.empty(len(far), np.int64)
    rank[order] = np.arange(len(far))
    high, low = np.where((rank[graph.edges[:, 0]] < rank[graph.edges[:, 1]])[:, None], graph.edges,
                         graph.edges[:, ::-1]).T
    by_low = np.lexsort((rank[high], rank[low]))
    peak = np.arange(len(far))  # of a vertex's piece, through others; a piece is numbered by its highest vertex
    stands = {int(order[0]): float(far[order[0]])}

    def top_of(v: int) -> int:
        while peak[v] != v:
            peak[v] = peak[peak[v]]
            v = int(peak[v])
        return v

    for edge in by_low:
        one, other = top_of(int(high[edge])), top_of(int(low[edge]))
        if one != other:
            lower, higher = (one, other) if rank[one] > rank[other] else (other, one)
            if lower != low[edge]:
                stands[lower] = float(far[lower] - far[low[edge]])
            peak[lower] = higher
    vertices = np.array(sorted(stands))
    return vertices, np.array([stands[int(v)] for v in vertices])


@lru_cache(maxsize=16)
def template_limbs(template: SkeletonTemplate) -> TemplateLimbs:
    """A template's ends, measured along its bones."""
    reduced = reduce_template(template)
    leaves = np.flatnonzero(reduced.is_leaf)
    parents = np.maximum(template.parents[1:], 0)
    count = len(template.names)
    share = np.arange(1, STEPS + 1)[:, None, None] / STEPS
    start, end = template.positions[parents], template.positions[1:]
    points = np.concatenate([template.positions[:1], (start * (1 - share) + end * share).reshape(-1, 3)])
    number = 1 + np.arange(STEPS * (count - 1)).reshape(STEPS, -1)  # of bone j - 1's k-th point
    joint = np.concatenate([[0], number[-1]])
    above = np.concatenate([joint[parents][None], number[:-1]]).ravel()
    length = np.linalg.norm(points[1:] - points[above], axis=1)
    tree = sparse.coo_matrix((length, (number.ravel(), above)), shape=(len(points),) * 2).tocsr()
    ends = joint[reduced.joints[leaves]]
    away, before = dijkstra(tree, directed=False, indices=ends, return_predecessors=True)
    root = int(away.max(0).argmin())
    middle = []
    for row, end_point in enumerate(ends):
        walk = [root]
        while walk[-1] != end_point:
            walk.append(int(before[row, walk[-1]]))
        line = walk[::-1]
        middle.append([np.interp(0.5 * away[row, root], away[row, line], points[line, d]) for d in range(3)])
    place = {int(r): i for i, r in enumerate(leaves)}
    partner = np.array([place.get(int(reduced.mirror[r]), -1) for r in leaves])
    return TemplateLimbs(leaves, partner, template.is_foot[reduced.joints[leaves]], away[:, root], away[:, ends],
                         points[ends] - points[root], np.array(middle) - points[root],
                         template.positions[[reduced.chains[r][0] for r in leaves]] - points[root],
                         points[ends] - points[joint[template.parents[reduced.joints[leaves]]]])


def _deal(limbs: TemplateLimbs, tips: Tips, allowed: np.ndarray, scale: float) -> np.ndarray | None:
    """(L,) the tip of each limb, N for one that is absent; None if there is no way. A beam over the limbs in order."""
    count = len(tips.vertices)
    alone = np.where(allowed, _alone(limbs, tips, scale), np.inf)
    alone = np.column_stack([alone, np.where(limbs.partner < 0, ABSENT, np.inf)])
    dealt, cost = np.zeros((1, 0), np.int64), np.zeros(1)
    for i in range(len(limbs.leaves)):
        price = cost[:, None] + alone[i]
        price[:, :count] += _together(limbs, tips, scale, i, dealt)
        for j in range(i):
            present = np.flatnonzero(dealt[:, j] < count)
            price[present, dealt[present, j]] = np.inf
        best = np.argsort(price, axis=None, kind="stable")[:BEAM]
        best = best[np.isfinite(price.ravel()[best])]
        if not len(best):
            return None
        row, tip = np.divmod(best, count + 1)
        dealt, cost = np.column_stack([dealt[row], tip]), price[row, tip]
    return dealt[0]


def _alone(limbs: TemplateLimbs, tips: Tips, scale: float) -> np.ndarray:
    """(L, N) what it costs to take a tip for a limb's, whatever the other limbs are."""
    reach = (scale * limbs.far[:, None]) ** 2
    middle = ((tips.middle - scale * limbs.middle[:, None]) ** 2).sum(2) / reach
    tip = ((tips.tip - scale * limbs.tip[:, None]) ** 2).sum(2) / reach
    height = limbs.is_foot[:, None] * np.maximum(tips.height - 0.05, 0.0)
    faint = np.maximum(0.0, 1 - tips.prominence / 0.1) ** 2
    sheet = (limbs.partner >= 0)[:, None] * np.clip((tips.sheet - 7.0) / 8.0, 0.0, 2.0)
    return MIDDLE * _bounded(middle, MOST_MIDDLE) + TIP * tip + HEIGHT * height + FAINT * faint + SHEET * sheet


def _together(limbs: TemplateLimbs, tips: Tips, scale: float, i: int, dealt: np.ndarray) -> np.ndarray:
    """(B, N) what each tip costs as limb i's, given the tips of the limbs before it.

    dealt : (B, i) tips of limbs 0 to i - 1, N where absent
    """
    count, apart = len(tips.vertices), np.maximum(tips.apart, 1e-3)
    total = np.zeros((len(dealt), count))
    tip_of = np.minimum(dealt, count - 1)
    for j in range(i):
        t = tip_of[:, j]
        cost = APART * np.log(apart[t] / (scale * limbs.apart[j, i])) ** 2
        if limbs.partner[i] == j:
            leftward = np.sign(limbs.tip[j, 0]) * (tips.middle[t, 0][:, None] - tips.middle[:, 0]) / scale
            cost += SIDE * np.maximum(0.0, 0.03 - leftward)
            cost += THICKNESS * np.abs(np.log(tips.thickness[t][:, None] / tips.thickness))
        # Both limbs of a pair are equally far from a limb without partner.
        if limbs.partner[i] < 0 <= limbs.partner[j] < j:
            other = tip_of[:, limbs.partner[j]]
            cost += EVEN * _bounded(np.log(apart[t] / apart[other]) ** 2, MOST_EVEN)
        if limbs.partner[j] < 0 <= limbs.partner[i] < i:
            other = tip_of[:, limbs.partner[i]]
            cost += EVEN * _bounded(np.log(apart[t] / apart[other, t][:, None]) ** 2, MOST_EVEN)
        total += np.where((dealt[:, j] < count)[:, None], cost, 0.0)
    return total


def _bounded(square: np.ndarray, most: float) -> np.ndarray:
    """A square that grows no further than `most`."""
    return square / (1 + square / most)
