"""Retargeting frame by frame: what a live character needs. It looks at no later frame, so nothing is delayed.

What the whole clip's foot holding (`hold`) knows beforehand is learnt here as it comes: a foot is held where it first
stands rather than at its mean place, and eases onto the ground within `HoldOptions.blend` rather than before it lands.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.rotation import conjugate, identity, multiply, normalized, rotate, swing_twist
from ..skeleton.rig import Rig
from .contacts import ankle_of, pivot_places
from .hold import clearance, pose_leg, too_high, too_low
from .legs import Leg
from .transfer import RetargetOptions, Transfer


@dataclass
class _Foot:
    """What is remembered of one foot from frame to frame.

    lock : (3,) where each standing pivot is held, None while it swings;  correction : (3,) of the ankle, last frame
    flat : turn that lays the foot flat;  share : 1 while held, falling to 0;  lift : that puts its sole on the ground
    """

    leg: Leg
    locks: list
    correction: np.ndarray
    turn: np.ndarray
    yaw: np.ndarray | None = None
    share: float = 0.0
    lift: float = 0.0

    @property
    def weight(self) -> float:
        """1 while it is held, then falling to 0."""
        return self.share if all(lock is None for lock in self.locks) else 1.0


class OnlineRetarget:
    """A transfer that is fed one frame after the other.

    source, target : the rigs;  rate : frames a second
    Raises BadMotion if the skeletons share too little.
    """

    def __init__(self, source: Rig, target: Rig, rate: float, options: RetargetOptions = RetargetOptions()):
        self.transfer = Transfer(source, target, options)
        self.options = options
        self.rate = float(rate)
        self._fade = 1.0 / max(1.0, options.holding.blend * rate)
        self.restart()

    def restart(self) -> None:
        """Forget all that came before: the next frame stands for itself."""
        legs = self.transfer.target.legs
        self._feet = [_Foot(leg, [None] * len(leg.pivots), np.zeros(3), identity()) for leg in legs]
        self._before: np.ndarray | None = None
        own = self.transfer.source.legs
        self._stands = np.zeros(sum(len(leg.pivots) for leg in own), bool)
        self._floor = np.full(len(self._stands), self.transfer.source.ground)
        self._length = float(np.mean([leg.length for leg in own])) if own else 1.0
        self._drop = self._rise = 0.0
        self._move = np.zeros(3)

    def step(self, rotations: np.ndarray, root: np.ndarray, contacts: np.ndarray | None = None
             ) -> tuple[np.ndarray, np.ndarray]:
        """The target's rotations (B, 4) and root (3,) for the source's of this frame.

        contacts : (P,) which of the source's pivots stand, in the order of its legs; None detects them from their
        height above the rest pose's ground and their speed since the frame before
        """
        transfer = self.transfer
        turns_in, root_in = transfer.turns_in(rotations), np.asarray(root, float) @ transfer.source.axes.T
        turns, place = transfer.pose(turns_in, root_in)
        if self.options.hold and self._feet:
            own = self._detect(turns_in, root_in) if contacts is None else np.asarray(contacts, bool)
            bones = [b for leg in transfer.source.legs for b in leg.pivots]
            turns, place = self._hold(turns, place, transfer.contacts(own, bones))
        return transfer.finished(turns), place @ transfer.target.axes

    def _detect(self, turns: np.ndarray, root: np.ndarray) -> np.ndarray:
        source, options = self.transfer.source, self.options.contacts
        places = pivot_places(source.legs, turns, source.kinematics.heads(turns, root))
        speed = (
            np.zeros(len(places))
            if self._before is None
            else np.linalg.norm(places - self._before, axis=1) * self.rate
        )
        self._before = places
        height = (places[:, 2] - self._floor) / self._length
        level = np.maximum(height / options.height, speed / self._length / options.speed)
        self._stands = np.where(self._stands, level <= options.release, level <= 1.0)
        return self._stands

    def _hold(self, turns: np.ndarray, root: np.ndarray, contacts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        body = self.transfer.target
        heads = body.kinematics.heads(turns, root)
        first = 0
        ankles, feet = [], []
        for foot in self._feet:
            mine = contacts[first:first + len(foot.locks)]
            first += len(foot.locks)
            ankle, turn = self._place(foot, turns, heads, mine)
            ankles.append(ankle)
            feet.append(turn)
        shares = np.array([f.share for f in self._feet])
        common = sum(s * f.correction for s, f in zip(shares, self._feet, strict=True)) / max(1.0, shares.sum())
        self._move = self._move + (common - self._move) * min(1.0, 2 * self._fade)
        free = [np.linalg.norm(ankle_of(f.leg, turns, heads) - heads[f.leg.chain[0]]) for f in self._feet]
        drop, rise = 0.0, 0.0
        for foot, ankle, far in zip(self._feet, ankles, free, strict=True):
            seen = foot.leg, (heads[foot.leg.chain[0]] + self._move)[None], ankle[None], np.array([far])
            drop = max(drop, too_high(*seen, self.options.holding.stretch)[0] * foot.weight)
            rise = max(rise, too_low(*seen)[0] * foot.weight)
        self._drop = max(drop, self._drop * (1 - self._fade))
        self._rise = max(rise, self._rise * (1 - self._fade))
        move = self._move + [0, 0, self._rise - self._drop]
        out = np.array(turns)
        for foot, ankle, turn in zip(self._feet, ankles, feet, strict=True):
            hip = heads[foot.leg.chain[0]] + move
            pose_leg(foot.leg, out[None], hip[None], ankle[None], None if turn is None else turn[None], body.ground)
        return out, root + move

    def _place(self, foot: _Foot, turns: np.ndarray, heads: np.ndarray, stands: np.ndarray):
        """Where the ankle goes and how the foot is turned, with the foot's memory brought up to date."""
        leg, ground = foot.leg, self.transfer.target.ground
        raw_ankle = ankle_of(leg, turns, heads)
        turn = turns[leg.foot] if leg.foot >= 0 else None
        if turn is not None and len(foot.locks) == 2:
            turn = self._flatten(foot, turn, bool(stands.all()))
        holder = turn if turn is not None else turns[leg.chain[-1]]
        raw = raw_ankle + rotate(holder, leg.held) - leg.rises[:, None] * [0.0, 0.0, 1.0]
        begun = next((lock - raw[k] for k, lock in enumerate(foot.locks) if lock is not None), foot.correction)
        for k, is_standing in enumerate(stands):
            if is_standing and foot.locks[k] is None:
                foot.locks[k] = raw[k] + begun  # a pivot that takes over is held where the one before has put it
            elif not is_standing:
                foot.locks[k] = None
        held = [(lock, place) for lock, place in zip(foot.locks, raw, strict=True) if lock is not None]
        if held:
            foot.share = min(1.0, foot.share + 2 * self._fade)
            for lock, _ in held:
                lock[2] += (ground - lock[2]) * (1.0 if abs(lock[2] - ground) < 1e-4 * leg.length else 0.5)
            foot.correction = held[-1][0] - held[-1][1]
        else:
            foot.correction = foot.correction * max(0.0, 1 - 2 * self._fade)
            foot.share = max(0.0, foot.share - self._fade)
        ankle = raw_ankle + foot.correction
        over = clearance(leg, ankle[None], None if turn is None else turn[None], turns[leg.toe][None],
                         turns[leg.chain[-1]][None], ground)[0]
        if leg.sole is not None:
            foot.lift += (-over - foot.lift) * 0.5 if held else -foot.lift * min(1.0, 2 * self._fade)
        ankle[2] += foot.lift + max(-over - foot.lift, 0.0)
        return ankle, turn

    def _flatten(self, foot: _Foot, turn: np.ndarray, is_flat: bool) -> np.ndarray:
        """The foot's turn, eased to lie flat while it stands on heel and ball, and back."""
        if is_flat:
            if foot.yaw is None:
                foot.yaw = swing_twist(multiply(foot.turn, turn), np.array([0.0, 0.0, 1.0]))[1]
            wanted = multiply(foot.yaw, conjugate(turn))
            foot.turn = _toward(foot.turn, wanted, min(1.0, 3 * self._fade))
        else:
            foot.yaw = None
            foot.turn = _toward(foot.turn, identity(), min(1.0, 2 * self._fade))
        return multiply(foot.turn, turn)


def _toward(a: np.ndarray, b: np.ndarray, share: float) -> np.ndarray:
    """Part of the way from one turn to another; the turns are near each other."""
    b = -b if float(a @ b) < 0 else b
    return normalized(a + share * (b - a))
