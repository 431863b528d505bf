"""Whole readings of a body: every joint placed at once, so that what is seen and what bodies are like agree best.

A reading is a place for every joint. Its score is the sum of the evidence at the joints (see `seeing.evidence`) and of
how usual each joint lies from the one it hangs on. Joints form a tree, so the best reading is found exactly, and with
it the best reading that has any one joint elsewhere: how much worse that is tells how sure the joint is, and where it
is hardly worse, it is another reading to offer.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from ..seeing.evidence import Evidence
from ..seeing.landmarks import mirrored
from .joint_tree import JointTree

# Candidates of a joint: the likeliest places, no two in one cube of this side, and how many; then as many of cubes far
# apart. Whole cubes fill the cube, so that the mirror image of a body has mirrored candidates.
APART, MOST = 1 / 40, 48
FAR_APART, MOST_FAR = 1 / 10, 24
# A joint further than this share of the cube away is elsewhere.
ELSEWHERE = 0.1
# The three views see every coordinate twice.
VIEWS = 0.5
# How sure the evidence is of a joint: what all views say, weighed so. Best of 0.2 to 1 at telling wrong joints.
BELIEF = 0.75
# A joint that the views see so much likelier elsewhere than at any place of the body (log) is not seen: of 99 in 100
# joints they see it less than 1.5 likelier. It hangs in the air between loose parts.
UNSEEN = 4.0
# What is seen of a limb counts so much once an artist has said that it is elsewhere.
DOUBTED = 0.1
# A joint settles in the middle of its evidence within this distance, moving on so often.
CLOSE, MOVES = 0.06, 3
ASIDE = np.array([1e-6, 0.0, 0.0])


def _cubes(places: np.ndarray, side: float) -> np.ndarray:
    """(P,) the number of the cube of a side that each place lies in."""
    cells = np.floor(places / side).astype(np.int64)
    return (cells[:, 0] * 1000 + cells[:, 1]) * 1000 + cells[:, 2]


def _likeliest(score: np.ndarray, some: np.ndarray, most: int) -> np.ndarray:
    """Up to `most` of the places `some`, ascending numbers, by falling score (P,); ties to the first."""
    if most < len(some):
        own = score[some]
        some = some[own >= np.partition(own, -most)[-most]]
    return some[np.argsort(-score[some], kind="stable")][:most]


def _best_of_each(score: np.ndarray, some: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Of the places `some`, ascending numbers, the first with the highest score (P,) in each group (P,), ascending."""
    of, own = group[some], score[some]
    high = np.full(int(of.max()) + 1, -np.inf, own.dtype)
    np.maximum.at(high, of, own)
    top = np.flatnonzero(own == high[of])
    return np.sort(some[top[np.unique(of[top], return_index=True)[1]]])


@dataclass(frozen=True, eq=False)
class Reading:
    """A place for every joint of the tree, in the cube.

    places : (J, 3);  score : log likelihood;  spread : (J,) how far off each joint is likely to be, by the evidence
    differs : the joint that sets this reading apart from the best, "" for the best itself
    penalty : {term: cost} a joint on average: how little is seen of the joints, how odd they lie to each other
    """

    places: np.ndarray
    score: float
    spread: np.ndarray
    differs: str = ""
    penalty: dict[str, float] = field(default_factory=dict)


class BodyReader:
    """The readings of one body. What pins do not change is kept, so that a changed pin is read at once.

    mirror_x : where the mirror plane of a body with like sides stands in the cube. Such a body's joints are read in
    pairs, each pair at a place and its mirror image, and those of the middle on the plane; None for unlike sides.
    """

    def __init__(self, evidence: Evidence, tree: JointTree, *, mirror_x: float | None = None):
        if evidence.names != tree.names:
            raise ValueError("evidence and tree must know the same joints")
        self.evidence, self.tree, self.mirror_x = evidence, tree, mirror_x
        self.partner = np.array(mirrored(tree.names))
        own = np.arange(len(tree.names))
        if mirror_x is not None:
            own = own[[not n.endswith(".R") for n in tree.names]]
        self.own, at = own, {int(j): i for i, j in enumerate(own)}
        self.parents = np.array([at.get(int(tree.parents[j]), -1) for j in own])
        self.is_middle = self.partner[own] == own
        self.everywhere, self.scores = self._scores()
        self.places, self.unary = self._candidates()
        self._settled: dict[tuple[int, bytes], np.ndarray] = {}
        self._spreads: dict[tuple[int, bytes], float] = {}
        self._free_ways: dict[int, np.ndarray] = {}

    @cached_property
    def free(self) -> Reading:
        """The best reading without pins."""
        return self.read(count=1)[0]

    def read(self, pins: dict[int, np.ndarray] | None = None, *, count: int = 3,
             doubted: np.ndarray | None = None) -> list[Reading]:
        """The best readings, best first: the first always, others as far as there are any.

        pins : {joint: (3,)} places in the cube that are known
        doubted : (J,) joints whose evidence counts little, a pin having shown that their limb is elsewhere
        """
        pins = self._own_pins(pins or {})
        trust = np.ones(len(self.own)) if doubted is None else np.where(doubted[self.own], DOUBTED, 1.0)
        places = [pins[i][None] if i in pins else p for i, p in enumerate(self.places)]
        unary = [np.zeros(1) if i in pins else u * trust[i] for i, u in enumerate(self.unary)]
        most = self._max_marginals(places, unary)
        best = self._trace(places, unary, {})
        score = float(most[0].max())
        rivals = []
        for i, at in enumerate(best):
            away = np.linalg.norm(places[i] - places[i][at], axis=1) > ELSEWHERE
            if away.any():
                k = int(np.flatnonzero(away)[most[i][away].argmax()])
                rivals.append((score - float(most[i][k]), i, k))
        out = [self._reading(self._at(places, best), pins, score, unary, best, trust)]
        for worse, i, k in sorted(rivals):
            if len(out) == count:
                break
            other = self._trace(places, unary, {i: k})
            settled = self._dealt(self._settled_own(self._at(places, other), pins))
            if min(np.linalg.norm(settled - r.places, axis=1).max() for r in out) > ELSEWHERE:
                out.append(self._reading(self._at(places, other), pins, score - worse, unary, other, trust,
                                         self.tree.names[self.own[i]]))
        return out

    @staticmethod
    def _at(places: list[np.ndarray], chosen: list[int]) -> np.ndarray:
        return np.array([places[i][k] for i, k in enumerate(chosen)])

    def _reading(self, at: np.ndarray, pins: dict[int, np.ndarray], score: float, unary: list[np.ndarray],
                 chosen: list[int], trust: np.ndarray, differs: str = "") -> Reading:
        """Of the own joints' chosen candidates, whose evidence counted `trust`.

        In a mirrored body evidence is the mean of a place and its image.
        """
        seen, times = np.array([u[k] for u, k in zip(unary, chosen, strict=True)]), 1 if self.mirror_x is None else 2
        odd = max(float(seen.sum()) - score, 0.0)
        cost = {"evidence": max(-float(seen.mean()), 0.0) / times, "proportions": odd / len(seen) / times}
        own = self._settled_own(at, pins)
        spread = np.array([0.0 if i in pins else self._spread(i, at[i], own[i]) for i in range(len(at))])
        spread[self._best_seen - seen / trust / times > VIEWS * UNSEEN] = np.inf
        return Reading(self._dealt(own), score, self._whole(spread[:, None])[:, 0], differs, cost)

    def _reflect(self, places: np.ndarray) -> np.ndarray:
        return places * [-1, 1, 1] + [2 * self.mirror_x, 0, 0]

    def _scores(self) -> tuple[np.ndarray, np.ndarray]:
        """Places (P, 3) and (own joints, P) the evidence there; of a pair, one there and the other at its mirror image.

        Of a mirrored body they are its places and their mirror images, so that no side is finer than the other.
        """
        places = self.evidence.places
        seen = VIEWS * self.evidence.at(places)
        if self.mirror_x is None:
            return places, seen
        image = self._reflect(places)
        # A mirrored place may fall between two cells: both count, or left and right would be rounded differently.
        other = VIEWS * (self.evidence.at(image + ASIDE) + self.evidence.at(image - ASIDE)) / 2
        pairs = [(seen + other[self.partner])[self.own], (other + seen[self.partner])[self.own]]
        return np.concatenate([places, image]), np.concatenate(pairs, 1)

    def _candidates(self) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """For each own joint its likeliest places, thinned out around each other, and their evidence."""
        everywhere = self.everywhere
        near, far = _cubes(everywhere, APART), np.unique(_cubes(everywhere, FAR_APART), return_inverse=True)[1]
        usable = np.arange(len(everywhere))
        if self.mirror_x is not None:
            off = np.abs(self._coordinates[0] - self.mirror_x)
            middle = np.flatnonzero(off <= max(0.012, float(off.min())))
        places, unary = [], []
        for i, row in enumerate(self.scores):
            some = middle if self.mirror_x is not None and self.is_middle[i] else usable
            best = _likeliest(row, some, 40 * MOST)
            chosen = np.concatenate([best[np.sort(np.unique(near[best], return_index=True)[1])[:MOST]],
                                     _likeliest(row, _best_of_each(row, some, far), MOST_FAR)])
            chosen = _likeliest(row, np.unique(chosen), len(chosen))
            places.append(self._on_plane(i, everywhere[chosen]))
            unary.append(row[chosen].astype(float))
        return places, unary

    def _on_plane(self, i: int, places: np.ndarray) -> np.ndarray:
        if self.mirror_x is None or not self.is_middle[i]:
            return places
        return np.column_stack([np.full(len(places), self.mirror_x), places[:, 1:]])

    def _own_pins(self, pins: dict[int, np.ndarray]) -> dict[int, np.ndarray]:
        """Pins by own joint; in a mirrored body a right one is its partner's mirror image."""
        out = {}
        for joint, place in pins.items():
            place = np.asarray(place, float)
            if joint not in self.own:
                joint, place = int(self.partner[joint]), self._reflect(place)
            out[int(np.flatnonzero(self.own == joint)[0])] = place
        return out

    def _whole(self, own: np.ndarray) -> np.ndarray:
        """Values of the own joints, dealt to all."""
        out = np.empty((len(self.tree.names), own.shape[1]))
        out[self.partner[self.own]] = own
        out[self.own] = own
        return out

    def _ways(self, i: int, parents: np.ndarray, places: np.ndarray) -> np.ndarray:
        is_free = places is self.places[i] and parents is self.places[int(self.parents[i])]
        if is_free and i in self._free_ways:
            return self._free_ways[i]
        twice = 1.0 if self.mirror_x is None else 2.0  # as the evidence of a place and its mirror image
        ways = twice * self.tree.ways(int(self.own[i]), parents, places)
        if is_free:
            self._free_ways[i] = ways
        return ways

    def _messages(self, places, unary) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Upward sums (each joint's own and its children's best) and what each joint tells its parent."""
        up = [u.copy() for u in unary]
        told: list[np.ndarray] = [np.zeros(0)] * len(up)
        for i in range(len(up) - 1, 0, -1):
            parent = int(self.parents[i])
            told[i] = (self._ways(i, places[parent], places[i]) + up[i]).max(1)
            up[parent] += told[i]
        return up, told

    def _max_marginals(self, places, unary) -> list[np.ndarray]:
        """For each joint and candidate the score of the best reading with the joint there."""
        up, told = self._messages(places, unary)
        whole = [up[0]]
        for i in range(1, len(up)):
            parent = int(self.parents[i])
            rest = whole[parent] - told[i]
            whole.append(up[i] + (self._ways(i, places[parent], places[i]) + rest[:, None]).max(0))
        return whole

    def _trace(self, places, unary, fixed: dict[int, int]) -> list[int]:
        """The best reading's candidates, some of them fixed."""
        unary = [u if i not in fixed else np.where(np.arange(len(u)) == fixed[i], u, -1e9) for i, u in enumerate(unary)]
        up, _ = self._messages(places, unary)
        out = [int(up[0].argmax())]
        for i in range(1, len(up)):
            parent = int(self.parents[i])
            way = self._ways(i, places[parent], places[i])[out[parent]]
            out.append(int((way + up[i]).argmax()))
        return out

    def _middle(self, i: int, at: np.ndarray) -> np.ndarray:
        """(3,) the middle of an own joint's evidence around a candidate. Kept: a drag asks for the same again."""
        key = (i, at.tobytes())
        if key not in self._settled:
            middle = at
            for _ in range(MOVES):
                near = self._close_to(middle)
                if not len(near):  # the mirror plane may lie in the air, as between two people taken for one
                    break
                weight = np.exp(np.maximum(self.scores[i, near] - self.scores[i, near].max(), -80.0))
                middle = self._on_plane(i, (weight @ self.everywhere[near] / weight.sum())[None])[0]
            self._settled[key] = middle
        return self._settled[key]

    def _close_to(self, place: np.ndarray) -> np.ndarray:
        """Places within CLOSE of one (3,)."""
        order, along = self._across
        start, end = np.searchsorted(along, [place[0] - CLOSE - 1e-9, place[0] + CLOSE + 1e-9])
        near = order[start:end]
        near = near[np.abs(self._coordinates[1].take(near) - place[1]) <= CLOSE]
        x, y, z = (row.take(near) - at for row, at in zip(self._coordinates, place, strict=True))
        return np.sort(near[x * x + y * y + z * z <= CLOSE**2])

    @cached_property
    def _across(self) -> tuple[np.ndarray, np.ndarray]:
        """(P,) the places from right to left, and (P,) their x."""
        order = np.argsort(self._coordinates[0], kind="stable")
        return order, self._coordinates[0].take(order)

    @cached_property
    def _coordinates(self) -> np.ndarray:
        """(3, P) the places' x, y and z."""
        return np.ascontiguousarray(self.everywhere.T)

    def _settled_own(self, at: np.ndarray, pins: dict[int, np.ndarray]) -> np.ndarray:
        """(own joints, 3) each at the middle of its evidence close around the chosen candidate."""
        return np.array([at[i] if i in pins else self._middle(i, at[i]) for i in range(len(at))])

    def _dealt(self, own: np.ndarray) -> np.ndarray:
        """(J, 3) all joints from the own ones."""
        if self.mirror_x is None:
            return own
        whole = np.empty((len(self.tree.names), 3))
        whole[self.partner[self.own]] = self._reflect(own)
        whole[self.own] = own
        return whole

    @cached_property
    def _best_seen(self) -> np.ndarray:
        """(own joints,) the most that the views can say for any place of each joint, in the flesh or not."""
        return VIEWS * self.evidence.heat.max((2, 3)).sum(0)[self.own]

    @cached_property
    def _belief(self) -> np.ndarray:
        """(own joints, P) how likely each joint is at each place, by the evidence alone."""
        log = self.scores.astype(float) * (BELIEF / VIEWS / (1 if self.mirror_x is None else 2))
        chance = np.exp(np.maximum(log - log.max(1, keepdims=True), -80.0))
        return chance / chance.sum(1, keepdims=True)

    def _spread(self, i: int, at: np.ndarray, middle: np.ndarray) -> float:
        """How far from where it settled a joint is likely to be. Kept as the middle is."""
        key = (i, at.tobytes())
        if key not in self._spreads:
            x, y, z = (row - m for row, m in zip(self._coordinates, middle, strict=True))
            self._spreads[key] = float(self._belief[i] @ np.sqrt(x * x + y * y + z * z))
        return self._spreads[key]
