"""Arms among bodies: hands that meet in the source meet, no arm goes through a trunk that is thicker, and no hand
through the ground."""

from __future__ import annotations

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from ..geometry.rotation import between, conjugate, cross, from_axis_angle, from_vector, multiply, normalized, rotate
from ..skeleton.carried import ancestors
from ..skeleton.rig import Rig
from .body import Body
from .lying import Hull
from .sole import Skin, directions

MEET, APART = 0.35, 0.7  # of a forearm: hands nearer than the first hold each other, beyond the second nothing does
TRUNK = ("hips", "spine", "chest")
FEWEST = 8  # vertices that make a part of a trunk
OWNS = 0.5  # a vertex is of a bone that it follows at least so much
ALONG = (0.0, 0.35, 0.7, 1.0)  # of a forearm: where it is looked at; and the middle of the hand
LEVEL = 0.4  # of their length, how much ways out of a trunk go up or down at most
MOST = np.deg2rad(50)  # how far an arm turns out of a trunk at most
EVEN = 0.08  # seconds to either side over which an arm's way out is evened
ROUNDS = 4


class Arms:
    """The arms of a target, and the trunk they must not go through.  body, skin : in the character's frame"""

    def __init__(self, body: Body, skin: Skin | None):
        roles, parents = body.roles, body.rig.parents
        self.kinematics = body.kinematics
        sides = [s for s in "LR" if {f"upper_arm.{s}", f"forearm.{s}", f"hand.{s}"} <= set(roles)]
        self.chains = {s: tuple(roles[f"{n}.{s}"] for n in ("upper_arm", "forearm", "hand")) for s in sides}
        self.below = {s: [[b for b in range(len(parents)) if b == top or top in ancestors(parents, b)]
                           for top in chain] for s, chain in self.chains.items()}
        known = {s: normalized(self.kinematics.lengths[chain[0]]) for s, chain in self.chains.items()}
        self._axes = {s: normalized(cross(along, np.array([0.0, -1.0, 0.0]))) for s, along in known.items()}
        self.backs = {s: _back_of(self.kinematics.lengths[chain[2]], s) for s, chain in self.chains.items()}
        hands = {} if skin is None else {s: Hull(skin, self.kinematics, self.below[s][2]) for s in self.chains}
        self._hands = {s: hull for s, hull in hands.items() if not hull.is_empty}
        self._ways = np.concatenate([directions(12, 4)[:-1], -directions(12, 4)])
        self._is_level = np.abs(self._ways[:, 2]) < LEVEL
        self._hulls: list[tuple[int, np.ndarray]] = []
        rig = body.rig
        for role in TRUNK if self.chains else ():
            bone = roles.get(role, -1)
            if bone < 0 or skin is None:
                continue
            own = np.flatnonzero(np.asarray(skin.weights[:, bone].todense()).ravel() >= OWNS)
            if len(own) >= FEWEST:
                self._hulls.append((bone, ((skin.vertices[own] - rig.heads[bone]) @ self._ways.T).max(0)))

    def kept_out(self, turns: np.ndarray, rate: float, loop: bool = False) -> np.ndarray:
        """(T, B, 4) turns with arms swung out of the trunk where their bones go through it.

        The trunk is the convex hulls of the skin of its bones. The deepest point of an arm is turned out about the
        shoulder by the shortest way, a few times; then the way out is evened over time.
        """
        if not self._hulls:
            return turns
        out = turns
        for side, chain in self.chains.items():
            vectors = np.zeros((len(turns), 3))
            for _ in range(ROUNDS):
                depth, arm, way = self._deepest(self._swung(turns, side, vectors), chain)
                if not (depth > 0).any():
                    break
                push = np.maximum(depth, 0.0) / np.maximum(np.einsum("ti,ti->t", arm, arm), 1e-12)
                vectors = vectors + push[:, None] * cross(arm, way)
            size = np.linalg.norm(vectors, axis=1)
            if not size.any():
                continue
            vectors = vectors * np.minimum(1.0, MOST / np.maximum(size, 1e-12))[:, None]
            width = 2 * round(EVEN * rate) + 1
            mode = "wrap" if loop else "nearest"
            even = uniform_filter1d(uniform_filter1d(vectors, width, axis=0, mode=mode), width, axis=0, mode=mode)
            out = self._swung(out, side, even)
        return out

    def _swung(self, turns: np.ndarray, side: str, vectors: np.ndarray) -> np.ndarray:
        if not vectors.any():
            return turns
        out = np.array(turns)
        below = self.below[side][0]
        out[:, below] = multiply(from_vector(vectors)[:, None], out[:, below])
        return out

    def _deepest(self, turns: np.ndarray, chain) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(T,) how deep the deepest point of an arm lies in the trunk, (T, 3) where it is from the shoulder, and (T, 3)
        the nearest way out."""
        heads = self.kinematics.heads(turns, np.zeros((len(turns), 3)))
        upper, fore, hand = chain
        elbow, wrist = heads[:, fore], heads[:, hand]
        middle = wrist + 0.5 * rotate(turns[:, hand], self.kinematics.lengths[hand])
        points = np.stack([*((1 - a) * elbow + a * wrist for a in ALONG), middle], axis=1)
        best = np.full(len(turns), -np.inf)
        arm, way = np.zeros((len(turns), 3)), np.zeros((len(turns), 3))
        for bone, reach in self._hulls:
            inside = rotate(conjugate(turns[:, bone])[:, None], points - heads[:, bone, None])
            slack = reach - inside @ self._ways.T
            nearest = np.where(self._is_level, slack, np.inf).argmin(2)  # out at the sides, not above or below
            depth = np.where(slack.min(2) > 0, np.take_along_axis(slack, nearest[..., None], 2)[..., 0], -np.inf)
            point = depth.argmax(1)
            rows = np.arange(len(turns))
            deep = depth[rows, point]
            better = deep > best
            best = np.where(better, deep, best)
            arm = np.where(better[:, None], points[rows, point] - heads[:, upper], arm)
            out = rotate(turns[:, bone], self._ways[nearest[rows, point]])
            way = np.where(better[:, None], out, way)
        return best, arm, way

    def lifted(self, turns: np.ndarray, root: np.ndarray, ground: float, rate: float, loop: bool = False) -> np.ndarray:
        """(T, B, 4) turns with elbows bent where a hand would be under the ground: arms longer than the source's."""
        out = turns
        for side, hull in self._hands.items():
            heads = self.kinematics.heads(out, root)
            need = np.maximum(ground - hull.lowest(out, heads), 0.0)
            if not need.any():
                continue
            width, mode = 2 * round(EVEN * rate) + 1, "wrap" if loop else "nearest"
            need = uniform_filter1d(maximum_filter1d(need, width, mode=mode), width, mode=mode)
            out = np.array(out)
            wrist = heads[:, self.chains[side][2]] + need[:, None] * [0.0, 0.0, 1.0]
            self.reach(out, heads, side, self.chains[side], wrist, need > 0)
        return out

    def met(self, turns: np.ndarray, source: Body, seen: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """(T, B, 4) turns with hands as near to each other as the source's are, where those are near.

        seen : the source's (turns, heads), character's frame
        """
        theirs = [tuple(source.roles.get(f"{n}.{s}", -1) for n in ("forearm", "hand")) for s in "LR"]
        if len(self.chains) < 2 or min(min(t) for t in theirs) < 0:
            return turns
        size_in = np.mean([np.linalg.norm(_forearm(source.rig, *t)) for t in theirs])
        size = np.mean([np.linalg.norm(_forearm(self.kinematics.rig, *chain[1:])) for chain in self.chains.values()])
        places = [seen[1][:, hand] + 0.5 * rotate(seen[0][:, hand], hand_vector(source, fore, hand))
                  for fore, hand in theirs]
        apart = (places[0] - places[1]) / size_in
        weight = _smooth((APART - np.linalg.norm(apart, axis=1)) / (APART - MEET))
        if not weight.any():
            return turns
        heads = self.kinematics.heads(turns, np.zeros((len(turns), 3)))
        middles = [heads[:, c[2]] + 0.5 * rotate(turns[:, c[2]], self.kinematics.lengths[c[2]])
                   for c in self.chains.values()]
        change = weight[:, None] * (size * apart - (middles[0] - middles[1])) / 2
        out = np.array(turns)
        for sign, (side, chain) in zip((1.0, -1.0), self.chains.items(), strict=True):
            self.reach(out, heads, side, chain, heads[:, chain[2]] + sign * change, weight > 0)
        return out

    def reach(self, turns, heads, side: str, chain, wanted: np.ndarray, where: np.ndarray) -> None:
        """Bend the elbow and turn the arm so that its wrist comes to `wanted` (T, 3); the hand keeps its turn, in
        place."""
        upper, fore, hand = chain
        start = heads[:, upper]
        a, b, c = heads[:, fore] - start, heads[:, hand] - heads[:, fore], wanted - start
        lengths = np.linalg.norm(a, axis=1), np.linalg.norm(b, axis=1)
        span = np.clip(np.linalg.norm(c, axis=1), 1.02 * np.abs(lengths[0] - lengths[1]), 0.999 * sum(lengths))
        normal = cross(a, b)
        bent = np.linalg.norm(normal, axis=1) > 0.05 * lengths[0] * lengths[1]
        normal = normalized(np.where(bent[:, None], normal, rotate(turns[:, upper], self._axes[side])))
        now = np.arccos(np.clip(np.einsum("ti,ti->t", a, b) / (lengths[0] * lengths[1]), -1, 1))
        then = np.arccos(np.clip((span**2 - lengths[0]**2 - lengths[1]**2) / (2 * lengths[0] * lengths[1]), -1, 1))
        bend = from_axis_angle(normal, np.where(where, then - now, 0.0))
        reached = a + rotate(bend, b)
        swing = between(reached, np.where(where[:, None], c, reached))
        below = self.below[side]
        moved = sorted(set(below[0]) - set(below[1]))
        turns[:, moved] = multiply(swing[:, None], turns[:, moved])
        lower = sorted(set(below[1]) - set(below[2]))
        turns[:, lower] = multiply(multiply(swing, bend)[:, None], turns[:, lower])


def _back_of(hand: np.ndarray, side: str) -> np.ndarray:
    """(3,) where the back of a hand at rest points: up, or out where the arm hangs."""
    along = normalized(hand)
    back = np.array([0.3 if side == "L" else -0.3, 0.0, 1.0])
    return normalized(back - (back @ along) * along)


def _forearm(rig: Rig, fore: int, hand: int) -> np.ndarray:
    """(3,) a forearm at rest, of however many bones: the hand may hang on the last of them."""
    return rig.heads[hand] - rig.heads[fore]


def hand_vector(body: Body, fore: int, hand: int) -> np.ndarray:
    """(3,) a hand at rest, from the wrist: exporters give last bones any length."""
    arm = _forearm(body.rig, fore, hand)
    length, size = np.linalg.norm(body.kinematics.lengths[hand]), np.linalg.norm(arm)
    return body.kinematics.lengths[hand] if 0.3 * size < length < 1.2 * size else 0.6 * arm


def _smooth(x):
    x = np.clip(x, 0.0, 1.0)
    return x * x * (3 - 2 * x)
