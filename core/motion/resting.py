"""Hands on one's own body: on hips, knees, head, belly or the other arm they stay, however thick the body is."""

from __future__ import annotations

import numpy as np

from ..geometry.rotation import between, normalized, rotate
from .arms import Arms, hand_vector
from .body import Body
from .contacts import runs, slowest, stands
from .girth import PALM, frame, line, palm_of, parts_of, radius
from .hold import HoldOptions, fade
from .sole import Skin

NEAR, HEAD, BOTH = 0.035, 0.02, 0.04  # leg lengths between a hand and people's skin: within the first it may rest,
# over a head within the second; of parts that are farther than the nearest by less than the third it rests on all
SLOW = 0.25  # leg lengths a second against that part: what rests goes slower
SHORTEST, RELEASE = 0.3, 1.4  # seconds; of both limits, until a hand has left
STRAIGHT = np.cos(np.deg2rad(65))  # an arm bent less hangs beside its body
KNEE = 0.65  # of a thigh: beyond, straight arms rest on it as well
ON_HAND = (0.5, 1.0)  # of a hand: what of it touches
ENOUGH = 1e-4  # of a leg: nearer needs no mending
ROUNDS = 2  # an arm on the other arm


class Resting:
    """What of two bodies' surfaces hands rest on.

    skin : of the target, in the character's frame; without one no hand rests
    """

    def __init__(self, source: Body, target: Body, skin: Skin | None, arms: Arms):
        self.source, self.target, self.arms = source, target, arms
        theirs, ours = parts_of(source, None), parts_of(target, skin) if skin is not None else {}
        self.pairs = {n: (theirs[n], ours[n]) for n in theirs if n in ours}
        sides = [s for s in arms.chains if all(f"{n}.{s}" in source.roles for n in ("upper_arm", "forearm", "hand"))]
        self.sides = sides if self.pairs and target.legs and source.legs else []
        self.leg = float(np.mean([leg.reach for leg in source.legs])) if source.legs else 1.0
        self.leg_out = float(np.mean([leg.reach for leg in target.legs])) if target.legs else 1.0
        self._hands, self._palms = {}, {}
        for s in self.sides:
            self._hands[s] = [hand_vector(body, body.roles[f"forearm.{s}"], body.roles[f"hand.{s}"])
                              for body in (source, target)]
            self._palms[s] = palm_of(target, skin, target.roles[f"hand.{s}"], self._hands[s][1])

    def held(self, turns: np.ndarray, root: np.ndarray, seen: tuple[np.ndarray, np.ndarray], rate: float,
             options: HoldOptions) -> np.ndarray:
        """(T, B, 4) turns with hands where the source's rest on its body.  seen : the source's (turns, heads)"""
        rests = {s: found for s in self.sides if (found := self._rests(s, seen, rate))[0].any()}
        out = np.array(turns) if rests else turns
        blend = max(1, round(options.blend * rate))
        for _ in range(ROUNDS if rests else 0):
            for side, (mask, spans) in rests.items():
                heads = self.arms.kinematics.heads(out, root)
                move = np.zeros((len(out), 3))
                for first, last, pairs in spans:
                    part = slice(first, last)
                    move[part] = self._moves(side, pairs, (seen[0][part], seen[1][part]), (out[part], heads[part]))
                move = fade(move, mask, blend)
                wrist = heads[:, self.arms.chains[side][2]]
                self.arms.reach(out, heads, side, self.arms.chains[side], wrist + move,
                                np.linalg.norm(move, axis=1) > ENOUGH * self.leg_out)
        return out

    def _names(self, side: str) -> list[str]:
        """Parts that the hand of a side can rest on: all but its own arm."""
        return [n for n in self.pairs if n not in (f"upper_arm.{side}", f"forearm.{side}")]

    def _points(self, body: Body, side: str, which: int, turns, heads) -> list[np.ndarray]:
        hand = body.roles[f"hand.{side}"]
        reach = rotate(turns[:, hand], self._hands[side][which])
        return [heads[:, hand] + share * reach for share in ON_HAND]

    def _seen(self, name: str, point: np.ndarray, seen):
        """Of a point over a part of the source: (T,) where along it, (T, 3) its way from there in the part's frame,
        (T, 3) its direction, and (T,) how far it is over people's skin."""
        part = self.pairs[name][0]
        start, along = line(self.source, part, *seen)
        arm = point - start
        size = np.linalg.norm(along, axis=1)
        t = np.zeros(len(arm))
        if name != "head":
            low = -0.3 if name == "trunk" else 0.0
            t = np.clip(np.einsum("ti,ti->t", arm, along) / np.maximum(size, 1e-12)**2, low, 1.0)
            arm = arm - t[:, None] * along
        far = np.linalg.norm(arm, axis=1)
        own = np.einsum("tij,tj->ti", frame(self.source, part, seen[0], seen[1], along, t), arm)
        way = own / np.maximum(far, 1e-12)[:, None]
        return t, own, way, far - radius(part, t, way) - PALM * self.leg

    def _rests(self, side: str, seen, rate: float):
        """(T,) whether a hand rests on its body, and of each such stretch [first, last, {(point, part): (how much it
        counts, how far over the skin it is where it rests)}]."""
        points = self._points(self.source, side, 0, *seen)
        names = self._names(side)
        hangs = self._hangs(side, seen)
        level = np.full(len(points[0]), np.inf)
        gaps = {}
        for k, point in enumerate(points):
            for name in names:
                t, own, _, gap = self._seen(name, point, seen)
                gaps[k, name] = gap
                length = np.linalg.norm(line(self.source, self.pairs[name][0], *seen)[1], axis=1)
                place = own + (t * length)[:, None] * [0, 0, 1] * (name != "head")
                speed = slowest(place[:, None], rate)[:, 0]
                near = np.maximum(gap / ((HEAD if name == "head" else NEAR) * self.leg), speed / (SLOW * self.leg))
                if name in ("trunk", f"thigh.{side}"):
                    near = np.where(hangs & (t < KNEE), np.inf, near)
                level = np.minimum(level, near)
        mask = stands(level, RELEASE, max(2, round(SHORTEST * rate)))
        spans = []
        for first, last in runs(mask):
            rest = {key: float(np.percentile(gap[first:last], 20)) for key, gap in gaps.items()}
            least = min(rest.values())
            count = {key: 1 - (gap - least) / (BOTH * self.leg) for key, gap in rest.items()}
            spans.append((first, last, {key: (c, rest[key]) for key, c in count.items() if c > 0}))
        return mask, spans

    def _hangs(self, side: str, seen) -> np.ndarray:
        """(T,) whether the source's arm is nearly straight."""
        roles, heads = self.source.roles, seen[1]
        joints = [heads[:, roles[f"{n}.{side}"]] for n in ("upper_arm", "forearm", "hand")]
        a, b = (normalized(joints[i + 1] - joints[i]) for i in range(2))
        return np.einsum("ti,ti->t", a, b) > STRAIGHT

    def _moves(self, side: str, pairs, seen, made) -> np.ndarray:
        """(S, 3) how far the target's hand is from where it rests, in one stretch."""
        theirs, ours = (self._points(body, side, i, *state)
                        for i, (body, state) in enumerate(((self.source, seen), (self.target, made))))
        total, weight = np.zeros_like(ours[0]), 0.0
        for (k, name), (count, rest) in pairs.items():
            t, _, way, gap = self._seen(name, theirs[k], seen)
            part = self.pairs[name][1]
            start, along = line(self.target, part, *made)
            axes = frame(self.target, part, made[0], made[1], along, t)
            world = self._carried(name, t, way, seen, axes)
            inside = np.einsum("tij,tj->ti", axes, world)
            over = radius(part, t, inside) + self._palms[side] + np.maximum(gap - rest, 0.0) * self.leg_out / self.leg
            base = start if name == "head" else start + t[:, None] * along
            total += count * (base + over[:, None] * world - ours[k])
            weight += count
        return total / weight

    def _carried(self, name: str, t, way, seen, axes: np.ndarray) -> np.ndarray:
        """(S, 3) a direction in the frame of a source's part, where the target's part has it: a trunk's and a limb's
        turn with them."""
        if name == "trunk":
            return np.einsum("tij,ti->tj", axes, way)
        part = self.pairs[name][0]
        along = line(self.source, part, *seen)[1]
        world = np.einsum("tij,ti->tj", frame(self.source, part, seen[0], seen[1], along, t), way)
        if name == "head":
            return world
        return rotate(between(along, axes[:, 2]), world)
