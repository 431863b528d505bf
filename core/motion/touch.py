"""Hands, elbows and knees on the ground: who crawls, climbs or turns a cartwheel stands on them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from ..geometry.rotation import between, conjugate, multiply, normalized, rotate, slerp
from ..skeleton.carried import ancestors
from .arms import TRUNK, Arms, hand_vector
from .body import Body
from .contacts import ContactOptions, detect_contacts, pivots_of, runs
from .hold import HoldOptions, fade
from .lying import Hull
from .sole import Skin

JOINTS = {"knee": ("thigh", "shin"), "elbow": ("upper_arm", "forearm"), "hand": ("forearm", "hand")}
ABOVE = {"hand": "upper_arm"}  # what a point props, if it is not the bone that ends there
HEIGHT = 0.05  # of a leg: what a hand, an elbow or a knee that stands stays below, and
SPEED = {"hand": 0.8, "elbow": 0.5, "knee": 0.5}  # leg lengths a second: knees and elbows are also dragged
DEEP = 0.15  # of a leg: how deep a joint may lie in the flesh it stands on
NEAR = 0.4  # of a limb's bone: skin so near a knee or an elbow is what it stands on
WHOLE = 0.6  # of a vertex' weight must be the limb's
PROPS = {"elbow": 0.5, "knee": 0.3, "hand": 0.3}  # of its length how far a limb points down where it props the body


@dataclass(frozen=True, eq=False)
class _Point:
    """One joint that may stand on the ground.

    theirs, above : of the source, the joint and where its limb begins
    bone, upper : of the target, the joint and what swings it
    swung : bones that turn with the latter alone;  hull : the skin it stands on, None if not known
    """

    kind: str
    side: str
    theirs: int
    above: int
    bone: int
    upper: int
    swung: list[int]
    hull: Hull | None


class Touches:
    """What of a target besides its feet can stand, and what of the source that is.

    Contacts are arrays (T, P), a column for each point.
    """

    def __init__(self, source: Body, target: Body, skin: Skin | None, arms: Arms):
        self.source, self.kinematics, self.arms = source, target.kinematics, arms
        self.ground, self.legs = target.ground, target.legs
        self.points: list[_Point] = []
        trunk = [target.roles[r] for r in TRUNK if r in target.roles]
        self._trunk = None if skin is None or not trunk else Hull(skin, self.kinematics, trunk)
        parents = target.rig.parents
        below = lambda top: {b for b in range(len(parents)) if b == top or top in ancestors(parents, b)}  # noqa: E731
        for kind, (upper, joint) in JOINTS.items():
            for side in "LR":
                names = [f"{n}.{side}" for n in (upper, joint, ABOVE.get(kind, upper))]
                known = all(n in body.roles for n in names for body in (source, target))
                if not known or (kind != "knee" and side not in arms.chains):
                    continue
                top, bone = (target.roles[n] for n in names[:2])
                hull = None
                if skin is not None:
                    limb = sorted(below(top if kind != "hand" else bone))
                    found = Hull(skin, self.kinematics, limb, _skin_of(skin, self.kinematics, limb, bone,
                                                                       kind != "hand"))
                    hull = None if found.is_empty else found
                swung = sorted(below(top) - below(bone))
                self.points.append(_Point(kind, side, source.roles[names[1]], source.roles[names[2]], bone, top, swung,
                                          hull))

    def places_in(self, turns: np.ndarray, heads: np.ndarray) -> np.ndarray:
        """(T, P, 3) where the source's are; a hand is as low as its wrist or its end."""
        out = np.array(heads[:, [p.theirs for p in self.points]])
        for k, point in enumerate(self.points):
            if point.kind == "hand":
                reach = rotate(turns[:, point.theirs], hand_vector(
                    self.source, self.source.roles[f"forearm.{point.side}"], point.theirs))
                out[:, k] += 0.5 * reach
                out[:, k, 2] -= 0.5 * np.abs(reach[:, 2])
        return out

    def found(self, turns: np.ndarray, heads: np.ndarray, rate: float, leg: float, loop: bool, stride
              ) -> tuple[np.ndarray, np.ndarray]:
        """(T, P) which points stand on the ground, and (T, P) how high their joints are over it.

        turns, heads : the source's
        """
        places = self.places_in(turns, heads)
        over = places[..., 2] - self.source.ground
        own = np.percentile(over, 3, axis=0) if over.size else np.zeros(len(self.points))
        places[..., 2] = over - np.where(np.abs(own) < DEEP * leg, own, 0.0)
        high = heads[:, [p.theirs for p in self.points], 2] - self.source.ground - np.clip(own, -DEEP * leg, 0.0)
        stands = np.zeros(places.shape[:2], bool)
        for kind, speed in SPEED.items():
            mine = [k for k, p in enumerate(self.points) if p.kind == kind]
            stands[:, mine] = detect_contacts(places[:, mine], rate, leg, replace(
                ContactOptions(), height=HEIGHT, speed=speed), loop=loop, stride=stride, floor=0.0)
        for k, point in enumerate(self.points):
            along = heads[:, point.above] - heads[:, point.theirs]
            props = along[:, 2] > PROPS[point.kind] * np.linalg.norm(along, axis=1)
            for first, last in runs(stands[:, k]):
                stands[first:last, k] = props[first:last].mean() > 0.5  # what only lies there need not hold
        return stands, np.maximum(high, 0.0)

    def kneeling(self, contacts: np.ndarray) -> np.ndarray:
        """(T, F) whether the knee over each pivot of the target's feet stands: what is behind it only lies there."""
        out = np.zeros((len(contacts), len(pivots_of(self.legs))), bool)
        knees = {self.legs[i].chain[1]: i for i in range(len(self.legs))}
        for k, point in enumerate(self.points):
            mine = [i for i, p in enumerate(pivots_of(self.legs)) if knees.get(point.bone, -1) == p.leg]
            out[:, mine] |= contacts[:, k, None]
        return out

    def _low(self, point: _Point, turns, heads, some, heights) -> np.ndarray:
        """(S,) height of what of a point touches the ground first, in some frames."""
        if point.hull is None:
            return heads[some, point.bone, 2] - heights[some] - self.ground
        return point.hull.lowest(turns[some], heads[some]) - self.ground

    def locks(self, turns: np.ndarray, root: np.ndarray, contacts: np.ndarray, heights: np.ndarray
              ) -> tuple[np.ndarray, np.ndarray]:
        """(T, P, 3) where each point is to stand, and (T, P, 3) how far that is from where it is; zeros where it does
        not stand.  turns, root : the target's;  heights : over its ground, of points without skin"""
        heads = self.kinematics.heads(turns, root)
        places, moves = np.zeros((*contacts.shape, 3)), np.zeros((*contacts.shape, 3))
        for k, point in enumerate(self.points):
            for first, last in runs(contacts[:, k]):
                places[first:last, k] = heads[first:last, point.bone].mean(0)
            some = np.flatnonzero(contacts[:, k])
            if len(some):
                moves[some, k] = places[some, k] - heads[some, point.bone]
                moves[some, k, 2] = -self._low(point, turns, heads, some, heights[:, k])
        return places, moves

    def shared(self, turns: np.ndarray, root: np.ndarray, moves: np.ndarray, contacts: np.ndarray, feet: np.ndarray,
               rate: float, options: HoldOptions) -> np.ndarray:
        """(T, 3) what the body takes of the points' moves, as far as no foot carries it.

        turns, root : the target's;  moves : (T, P, 3);  feet : (T,) whether a foot stands
        """
        blend = max(1, round(options.blend * rate))
        one = np.ones((len(feet), 1))
        weights = np.stack([fade(one, c, blend)[:, 0] for c in contacts.T], axis=1)
        faded = np.stack([fade(moves[:, k], contacts[:, k], blend) for k in range(moves.shape[1])], axis=1)
        free = 1 - fade(one, feet, blend)[:, 0]
        width = 2 * round(options.follow * rate) + 1
        even = lambda x: uniform_filter1d(uniform_filter1d(x, width, axis=0, mode="nearest"), width,  # noqa: E731
                                          axis=0, mode="nearest")
        lead = free[:, None] * weights
        hands = [k for k, p in enumerate(self.points) if p.kind == "hand"]
        others = [k for k, p in enumerate(self.points) if p.kind != "hand"]
        rise = faded[:, hands, 2].max(1, initial=0.0) * free * (1 - weights[:, others].max(1, initial=0.0))
        faded[:, hands, 2] = 0.0  # over knees and elbows arms bend; who has nothing else to stand on is raised
        out = even((free[:, None, None] * faded).sum(1)) * (
            even(lead.max(1, initial=0.0)) / np.maximum(even(lead.sum(1)), 1e-9))[:, None]
        down = np.flatnonzero(out[:, 2] < 0)
        if len(down) and self._trunk is not None and not self._trunk.is_empty:  # no belly under the ground
            over = self._trunk.lowest(turns[down], self.kinematics.heads(turns[down], root[down])) - self.ground
            out[down, 2] = np.maximum(out[down, 2], -np.maximum(over, 0.0))
        out[:, 2] += uniform_filter1d(maximum_filter1d(rise, width, mode="nearest"), width, mode="nearest")
        return out

    def hold(self, kinds, turns: np.ndarray, root: np.ndarray, contacts: np.ndarray, places: np.ndarray,
             heights: np.ndarray, rate: float, options: HoldOptions) -> np.ndarray:
        """(T, B, 4) turns with the points of some kinds brought to their places (T, P, 3) and down on the ground."""
        blend = max(1, round(options.blend * rate))
        out = turns
        bent: dict[str, np.ndarray] = {}
        for k, point in enumerate(self.points):
            some = np.flatnonzero(contacts[:, k])
            if point.kind not in kinds or not len(some):
                continue
            out = np.array(out) if out is turns else out
            for _ in range(2):  # the skin under a joint turns with its bones: once more, from where it has come
                heads = self.kinematics.heads(out, root)
                move = np.zeros((len(turns), 3))
                move[some] = places[some, k] - heads[some, point.bone]
                move[some, 2] = -self._low(point, out, heads, some, heights[:, k])
                move = fade(move, contacts[:, k], blend)
                weight = fade(np.ones((len(turns), 1)), contacts[:, k], blend)[:, 0]
                if point.kind == "hand":
                    own = bent.get(point.side, np.zeros(len(turns)))[:, None]
                    self._swing(point, out, heads, own * move)  # on its elbow only the forearm is free
                    heads = self.kinematics.heads(out, root)
                    wanted = heads[:, point.bone] + (1 - own) * move
                    self.arms.reach(out, heads, point.side, self.arms.chains[point.side], wanted,
                                    ((1 - own) * move).any(1))
                else:
                    self._swing(point, out, heads, move)
                    if point.kind == "elbow":
                        bent[point.side] = weight
        return out

    def laid(self, turns: np.ndarray, root: np.ndarray, contacts: np.ndarray, heights: np.ndarray, rate: float,
             options: HoldOptions) -> np.ndarray:
        """(T, B, 4) turns with palms that lie on the ground while they stand there."""
        out = turns
        for k, point in enumerate(self.points):
            some = np.flatnonzero(contacts[:, k])
            if point.kind == "hand" and point.hull is not None and len(some):
                out = np.array(out) if out is turns else out
                self._lay(point, out, root, some, contacts[:, k], heights[some, k], max(1, round(options.blend * rate)))
        return out

    def _lay(self, point: _Point, turns, root, some, contact: np.ndarray, high: np.ndarray, blend: int) -> None:
        """Bend a wrist back where the hand would need it to be higher than the source's, in place: palms of any length
        lie on the ground.  high : (S,) the source's wrist, on the target's scale"""
        hand = turns[some, point.bone]
        along = normalized(rotate(hand, self.kinematics.lengths[point.bone]))
        back = rotate(hand, self.arms.backs[point.side]) * [1, 1, 0]
        own = np.clip(2 * np.linalg.norm(along * [1, 1, 0], axis=1) - 0.4, 0.0, 1.0)[:, None]
        flat = normalized(own * normalized(along * [1, 1, 0]) + (1 - own) * normalized(back) + [0, 0, 1e-9])
        level = multiply(between(along, flat), hand)
        moved = sorted(self.arms.below[point.side][2])
        heads = self.kinematics.heads(turns[some], root[some])
        low, most = np.zeros(len(some)), np.ones(len(some))
        for turn in range(7):  # halving: how much is just enough
            middle = (low + most) / 2 if turn else low
            change = multiply(slerp(hand, level, middle), conjugate(hand))
            posed = np.array(turns[some])
            posed[:, moved] = multiply(change[:, None], posed[:, moved])
            posed_heads = self.kinematics.heads(posed, root[some])
            sinks = heads[:, point.bone, 2] - point.hull.lowest(posed, posed_heads) > high
            low, most = np.where(sinks, middle, low), np.where(sinks, most, middle)
        change = np.zeros((len(turns), 4))
        change[some] = multiply(slerp(hand, level, most), conjugate(hand)) - [1, 0, 0, 0]
        change = normalized(fade(change, contact, blend) + [1, 0, 0, 0])
        turns[:, moved] = multiply(change[:, None], turns[:, moved])

    def _swing(self, point: _Point, turns: np.ndarray, heads: np.ndarray, move: np.ndarray) -> None:
        """Turn a bone so that its end comes as near as it can to where it should; what hangs on it keeps its turns, in
        place."""
        along = heads[:, point.bone] - heads[:, point.upper]
        turns[:, point.swung] = multiply(between(along, along + move)[:, None], turns[:, point.swung])


def _skin_of(skin: Skin, kinematics, bones: list[int], joint: int, is_near: bool) -> np.ndarray:
    """(N,) vertices of a limb, or of it those near a joint."""
    whole = np.asarray(skin.weights[:, bones].sum(1)).ravel() > WHOLE
    if is_near:
        size = float(np.linalg.norm(kinematics.lengths[joint]))
        size = min(size, float(np.linalg.norm(kinematics.offsets[joint])))
        whole &= np.linalg.norm(skin.vertices - kinematics.rig.heads[joint], axis=1) < NEAR * size
    return np.flatnonzero(whole)
