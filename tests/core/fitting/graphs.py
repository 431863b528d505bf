"""Small graphs, small templates and the literal formulas that clever code is measured against."""

from __future__ import annotations

import itertools

import numpy as np

from core.fitting.graph import SphereGraph
from core.skeleton.reduce import ReducedTemplate
from core.skeleton.template import Bone, SkeletonTemplate

# [BP07] section 3.3; tests of the formulas use these, whatever weights ship.
PAPER_WEIGHTS = {"short_chain": 0.027, "direction": 0.023, "asymmetry": 0.007, "shared_path": 0.046,
                 "foot_height": 0.014, "zero_length": 0.012, "bone_direction": 0.072, "not_an_end": 0.005,
                 "far_on_bones": 0.033, "sheet": 0.15}


def floyd_warshall(points: np.ndarray, edges: np.ndarray) -> np.ndarray:
    """(S, S) shortest path lengths, the textbook's three loops, the inner two at once."""
    count = len(points)
    distance = np.full((count, count), np.inf)
    np.fill_diagonal(distance, 0.0)
    for i, j in edges:
        distance[i, j] = distance[j, i] = np.linalg.norm(points[i] - points[j])
    for k in range(count):
        distance = np.minimum(distance, distance[:, k, None] + distance[k])
    return distance


def graph_of(points, radii, edges, twins=None) -> SphereGraph:
    """A sphere graph with its paths found by `floyd_warshall`; edges as pairs in any order."""
    points, edges = np.asarray(points, float), np.sort(np.asarray(edges, int).reshape(-1, 2), axis=1)
    distance = floyd_warshall(points, edges)
    before = np.full(distance.shape, -1)
    for v in range(len(points)):
        neighbours = np.array([int(b if a == v else a) for a, b in edges if v in (a, b)], int)
        if len(neighbours):
            steps = distance[:, neighbours] + np.linalg.norm(points[neighbours] - points[v], axis=1)
            before[:, v] = np.where(np.isfinite(distance[:, v]), neighbours[steps.argmin(1)], -1)
            before[v, v] = -1
    return SphereGraph(points, np.asarray(radii, float), edges, distance, before, twins)


def random_graph(rng: np.random.Generator, count: int = 9, more: int = 5, *, thin: bool = True) -> SphereGraph:
    """A connected graph of balls in the unit cube: a random tree and some edges more."""
    edges = {(int(rng.integers(i)), i) for i in range(1, count)}
    while len(edges) < count - 1 + more:
        i, j = sorted(int(x) for x in rng.choice(count, 2, replace=False))
        edges.add((i, j))
    radii = rng.uniform(0.005 if thin else 0.03, 0.15, count)
    return graph_of(rng.uniform(0, 1, (count, 3)), radii, sorted(edges))


def template_of(joints: dict, *, fat=(), feet=(), name: str = "small") -> SkeletonTemplate:
    """A template from {joint: (parent, (x, y, z))}; names ending in .L and .R are partners; a bone for every joint."""
    names = list(joints)
    other = {"L": "R", "R": "L"}
    partner = [n[:-1] + other[n[-1]] if n[-2:-1] == "." else "" for n in names]
    return SkeletonTemplate(
        name, tuple(names), np.array([-1 if p is None else names.index(p) for p, _ in joints.values()]),
        np.array([x for _, x in joints.values()], float),
        np.array([names.index(p) if p in names else -1 for p in partner]),
        np.array([n in feet for n in names]), np.array([n in fat for n in names]),
        tuple(Bone(n, p, n) for n, (p, _) in joints.items() if p is not None))


def small_biped(rng: np.random.Generator | None = None) -> SkeletonTemplate:
    """Root, hips, a hand and a foot on each side with a joint merged into each limb; jittered, mirrored."""
    shake = np.zeros((7, 3)) if rng is None else rng.normal(size=(7, 3)) * 0.06
    at = lambda k, x, y, z: np.array([x, y, z]) + shake[k]  # noqa: E731
    flip = np.array([-1, 1, 1])
    elbow, hand, knee, foot = at(0, 0.3, 0, 0.7), at(1, 0.5, 0, 0.65), at(2, 0.15, 0, 0.25), at(3, 0.2, -0.05, 0.02)
    return template_of({
        "chest": (None, at(4, 0, 0, 0.8) * [0, 1, 1]), "spine": ("chest", at(5, 0, 0, 0.65) * [0, 1, 1]),
        "hips": ("spine", at(6, 0, 0, 0.5) * [0, 1, 1]),
        "elbow.L": ("chest", elbow), "hand.L": ("elbow.L", hand), "elbow.R": ("chest", elbow * flip),
        "hand.R": ("elbow.R", hand * flip), "knee.L": ("hips", knee), "foot.L": ("knee.L", foot),
        "knee.R": ("hips", knee * flip), "foot.R": ("knee.R", foot * flip)},
        fat=("chest", "hips"), feet=("foot.L", "foot.R"))


def cosine(a, b) -> float:
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    return float(np.dot(a, b)) / size if size > 1e-12 else 1.0


def ramp(x: float, low: tuple[float, float], high: tuple[float, float]) -> float:
    """Clamped linear interpolation between two points (x, value)."""
    t = min(max((x - low[0]) / (high[0] - low[0]), 0.0), 1.0)
    return low[1] * (1 - t) + high[1] * t


def point_along(points: list[np.ndarray], fraction: float) -> np.ndarray:
    """The point at a fraction of a polyline's length, walked stretch by stretch."""
    length = [float(np.linalg.norm(b - a)) for a, b in itertools.pairwise(points)]
    left = fraction * sum(length)
    for start, end, step in zip(points[:-1], points[1:], length, strict=True):
        if left <= step and step > 0:
            return start + (end - start) * left / step
        left -= step
    return points[-1]


class LiteralPenalty:
    """The nine penalty functions of [BP07] section 3.3 one number at a time, as the formulas are printed.

    An end taken by a limb from elsewhere counts as shared, which the paper leaves out.
    """

    def __init__(self, graph: SphereGraph, reduced: ReducedTemplate, scale: float):
        self.graph, self.reduced, self.scale = graph, reduced, scale
        self.where = reduced.template.positions * scale

    def terms(self, r: int, at: list[int]) -> dict[str, float]:
        """The unweighted terms of joint r; at : vertices of joints 0 to r. Infinite where it is rejected."""
        u, v = at[self.reduced.parents[r]], at[r]
        return {"short_chain": self.short_chain(r, u, v), "direction": self.direction(r, u, v, at),
                "asymmetry": self.asymmetry(r, u, v, at), "shared_path": self.shared_path(r, u, v, at),
                "foot_height": self.foot_height(r, v), "zero_length": float(u == v),
                "bone_direction": self.bone_direction(r, u, v), "not_an_end": self.not_an_end(r, u, v),
                "far_on_bones": self.far_on_bones(r, v, at)}

    def play(self, u: int, v: int) -> float:
        return 0.7 * float(self.graph.radii[u] + self.graph.radii[v])

    def template_vector(self, a: int, b: int) -> np.ndarray:
        return self.where[self.reduced.joints[b]] - self.where[self.reduced.joints[a]]

    def short_chain(self, r, u, v):
        wanted = self.reduced.lengths[r] * self.scale
        reach = self.graph.distance[u, v] + self.play(u, v)
        if not np.isfinite(reach) or reach < wanted / 2:
            return np.inf
        return ramp(wanted / reach, (0.5, 0.0), (2.0, 3.0)) ** 3

    def direction(self, r, u, v, at):
        points = self.graph.points
        turn = cosine(points[v] - points[u], self.template_vector(self.reduced.parents[r], r)) if u != v else 1.0
        if turn < 0:
            return np.inf
        total = 0.5 * max(0.0, (4 * (1 - turn)) ** 2 - 0.1)
        for i in range(1, r):
            if self.reduced.parents[i] == self.reduced.parents[r]:
                turn = cosine(points[v] - points[at[i]], self.template_vector(i, r))
                if turn < -0.5:
                    return np.inf
                total += 0.5 * max(0.0, (2 * (1 - turn)) ** 2 - 0.5)
        return total

    def asymmetry(self, r, u, v, at):
        m = self.reduced.mirror[r]
        if m < 0 or m >= r:
            return 0.0
        pu, pv = at[self.reduced.parents[m]], at[m]
        d, s = self.graph.distance[u, v], self.graph.distance[pu, pv]
        far, far_other = d + self.play(u, v), s + self.play(pu, pv)
        if d == s:
            ratio = 1.0
        else:
            ratio = np.inf if min(d, s) == 0 else max(d / s, s / d)
        return max(0.0, (0.2 * min(2.0, ratio) + 0.8 * max(s / far, d / far_other)) ** 3 - 1.2)

    def shared_path(self, r, u, v, at):
        used = set()
        for i in range(1, r):
            used |= set(self.graph.path(at[self.reduced.parents[i]], at[i])[1:])
        total, met = 0.0, False
        for k, w in enumerate(self.graph.path(u, v)[:0:-1]):
            if w in used:
                if self.graph.radii[w] < 0.02:
                    return np.inf
                total += 0.5 / (k + 1) ** 2
                met = True
        elsewhere = [at[i] for i in range(1, r) if i not in self.reduced.parents
                     and self.reduced.parents[i] != self.reduced.parents[r]]
        return total + 0.5 * met + 3.0 * (r not in self.reduced.parents and v in elsewhere)

    def foot_height(self, r, v):
        is_foot = self.reduced.template.is_foot[self.reduced.joints[r]]
        return float(self.graph.points[v][2] - self.graph.points[:, 2].min()) if is_foot else 0.0

    def bone_direction(self, r, u, v):
        line = [self.graph.points[w] for w in self.graph.path(u, v)]
        chain = [int(self.reduced.joints[self.reduced.parents[r]]), *self.reduced.chains[r]]
        stops = [0.0, *self.reduced.fractions[r]]
        total = 0.0
        for k in range(1, len(chain)):
            bone = point_along(line, stops[k]) - point_along(line, stops[k - 1])
            wanted = self.where[chain[k]] - self.where[chain[k - 1]]
            turn = cosine(bone, wanted)
            total += 50 * float(wanted @ wanted) * ((1 - turn) * ramp(turn, (-0.5, 6.0), (0.0, 1.0))) ** 2
        return total

    def not_an_end(self, r, u, v):
        if r in self.reduced.parents:
            return 0.0
        points, radii = self.graph.points, self.graph.radii
        for a, b in self.graph.edges:
            if v in (a, b):
                o = int(a + b - v)
                along = points[v] - points[u]
                if (radii[v] <= 2 * radii[o] and cosine(points[o] - points[u], along) > 0.95
                        and cosine(points[o] - points[v], along) > 0.8):
                    return 1.0
        return 0.0

    def far_on_bones(self, r, v, at):
        d, radii, parents = self.graph.distance, self.graph.radii, self.reduced.parents
        total = 0.0
        for i in range(r):
            if i == parents[r]:
                continue
            above, line = r, []
            while above >= 0:
                line.append(above)
                above = parents[above]
            a = i
            while a not in line:
                a = parents[a]
            size = radii[v] + radii[at[i]]
            total += float((d[v, at[a]] + d[at[a], at[i]] + size) / (d[v, at[i]] + size) > 2)
        return total
