"""A body that is given its motion piece by piece."""

from __future__ import annotations

import numpy as np

from ...geometry.rotation import (
    conjugate,
    from_vector,
    identity,
    multiply,
    normalized,
    rotate,
    swing_twist,
    to_vector,
)
from ...skeleton.rig import Rig
from ..body import body_of
from ..clip import MotionClip
from ..contacts import pivots_of
from ..hold import level_toe
from ..legs import reach_for
from ..retarget import retarget
from ..transfer import Transfer
from .curves import turn
from .style import Style


class Stage:
    """T frames of a template's rig in the making.

    root : (T, 3) how far the root has moved;  turns are set by role, against the parent;  legs are set by their feet
    facing : (T,) degrees to the left, where a body that turns round looks
    style : how it is done; what is set here is the plain motion, the style is laid over it at the end
    is_paced : whether speed and time are given, so that the style leaves them alone
    """

    def __init__(self, rig: Rig, frames: int, rate: float = 30.0, style: Style = Style(), *, is_paced: bool = False):
        self.rig, self.frames, self.rate, self.style, self.is_paced = rig, frames, rate, style, is_paced
        self.body = body_of(rig)
        self.legs = {leg.name: leg for leg in self.body.legs}
        self.leg_length = float(np.mean([leg.length for leg in self.body.legs]))
        self.root = np.zeros((frames, 3))
        self.local = identity(frames, len(rig.names))
        self.facing = np.zeros(frames)
        self.feet: dict[str, tuple] = {}
        self.contacts = np.zeros((frames, len(pivots_of(self.body.legs))), bool)

    def set(self, role: str, x=0.0, y=0.0, z=0.0) -> None:
        """Turn a bone against its parent; degrees, in the character's axes at rest."""
        if role in self.body.roles:
            self.local[:, self.body.roles[role]] = turn(x, y, z) + np.zeros((self.frames, 1))

    def add(self, role: str, x=0.0, y=0.0, z=0.0) -> None:
        """Turn a bone further than it is turned already; degrees, in the character's axes at rest."""
        if role in self.body.roles:
            bone = self.body.roles[role]
            self.local[:, bone] = multiply(self.local[:, bone], turn(x, y, z) + np.zeros((self.frames, 1)))

    def sides(self, role: str, curves) -> None:
        """Turn a left and a right bone: `curves(side)` gives x, y, z as for the left."""
        for side, sign in (("L", 1.0), ("R", -1.0)):
            x, y, z = curves(side)
            self.set(f"{role}.{side}", x, sign * np.asarray(y), sign * np.asarray(z))

    def arm(
        self, side: str, *, swing, lower, twist, elbow, hand=0.0, raise_shoulder=0.0, reach=0.0
    ) -> None:
        """An arm: lowered from the rest pose, swung (forward is positive), bent at the elbow; degrees."""
        sign = 1.0 if side == "L" else -1.0
        zero = np.zeros(self.frames)
        self.set(f"shoulder.{side}", 0.0, -sign * (zero + raise_shoulder), -sign * (zero + reach))
        lowered = multiply(turn(-(zero + swing), zero, zero), turn(zero, sign * (zero + lower), zero))
        along = self.body.rig.tails[self.body.roles[f"upper_arm.{side}"]] - self.body.rig.heads[
            self.body.roles[f"upper_arm.{side}"]]
        self.local[:, self.body.roles[f"upper_arm.{side}"]] = multiply(lowered, _about(along, sign * (zero + twist)))
        self.set(f"forearm.{side}", 0.0, 0.0, -sign * (zero + elbow))
        self.set(f"hand.{side}", 0.0, sign * (zero + hand), 0.0)

    def steady_head(self, *, share: float, x=0.0, y=0.0, z=0.0) -> None:
        """Let neck and head undo `share` of what the trunk does, and look where told; degrees."""
        roles = self.body.roles
        turns = self.body.kinematics.turns(self.local)
        neck, head = roles["neck"], roles["head"]
        undo = multiply(conjugate(turns[:, self.rig.parents[neck]]), turn(z=self.facing))
        still = identity(self.frames)
        part = normalized(still + share * (np.where(undo[:, :1] < 0, -undo, undo) - still))
        half = normalized(multiply(part, turn(x, y, z)) + still)
        self.local[:, neck] = half
        self.local[:, head] = half

    def place_foot(self, leg: str, ankle: np.ndarray, foot: np.ndarray, toe: np.ndarray | None, contacts) -> None:
        """Where a leg's ankle is, how its foot and toe are turned, and which of its pivots stand: {bone index:
        (T,)}."""
        self.feet[leg] = (ankle, foot, toe)
        for k, pivot in enumerate(pivots_of(self.body.legs)):
            if self.body.legs[pivot.leg].name == leg:
                self.contacts[:, k] = contacts[pivot.bone]

    def clip(self, name: str, *, loop: bool, stride=(0.0, 0.0, 0.0), knees_out: float = 0.0) -> MotionClip:
        """The finished motion: in its style, legs solved, and its feet held to the last digit."""
        if not self.style.is_plain:
            stride = self._styled(loop, np.array(stride, float))
        kinematics = self.body.kinematics
        turns = kinematics.turns(self.local)
        heads = kinematics.heads(turns, self.root)
        for name_of_leg, (ankle, foot, toe) in self.feet.items():
            leg = self.legs[name_of_leg]
            sign = 1.0 if name_of_leg.endswith("L") else -1.0
            out = turn(0.0, 0.0, self.facing + (sign * knees_out if name_of_leg.startswith("leg") else 0.0))
            start = np.broadcast_to(out[:, None], (self.frames, len(leg.chain), 4))
            turns[:, list(leg.chain)] = reach_for(leg, start, heads[:, leg.chain[0]], ankle)
            if leg.foot >= 0:
                turns[:, leg.foot] = foot
            if leg.toe >= 0:
                turns[:, leg.toe] = level_toe(leg, ankle, foot, foot if toe is None else toe, self.body.ground)
        feet = tuple(self.rig.names[p.bone] for p in pivots_of(self.body.legs))
        clip = MotionClip(
            self.rig, kinematics.local(turns), self.root, self.rate * (1.0 if self.is_paced else self.style.tempo),
            self.contacts, feet, loop, stride, name
        )
        transfer = Transfer(clip.rig, self.rig)
        for _ in range(3):
            clip = retarget(clip, self.rig, transfer=transfer)
        return clip

    def _styled(self, loop: bool, stride: np.ndarray) -> np.ndarray:
        """Lay the style over what was set, and return the new stride.

        What goes round swings further about its middle, and what travels is stretched along its way: points that stand
        stay points that stand. What is done once keeps its poses.
        """
        style, leg = self.style, self.leg_length
        if loop:
            same = np.where(np.einsum("tbi,bi->tb", self.local, self.local[0])[..., None] < 0, -self.local, self.local)
            middle = normalized(same.mean(0))
            away = to_vector(multiply(conjugate(middle), same))
            self.local = multiply(middle, from_vector(style.gain * away))
            mean = self.root.mean(0)
            self.root = mean + (self.root - mean) * [style.gain, 1.0, (1 + style.gain) / 2]
        longer = style.reach if stride.any() and not self.is_paced else 1.0
        along = np.array([1.0, longer, 1.0])
        self.root = self.root * along
        wide = (0.12 if style.width > 0 else 0.05) * style.width * leg
        for name, (ankle, foot, toe) in self.feet.items():
            out = np.array([wide if name.endswith("L") else -wide, 0.0, 0.0])
            at_rest = self.flat_ankle(name)
            yaw = identity(self.frames) if foot is None else swing_twist(foot, np.array([0.0, 0.0, 1.0]))[1]
            self.feet[name] = (at_rest + (ankle - at_rest) * along + rotate(yaw, out), foot, toe)
        self._lay_mood()
        return stride * along

    def _lay_mood(self) -> None:
        """Sunk and bent where tired; upright, open and with a lifted head where happy."""
        mood = self.style.mood
        sunk, proud = max(-mood, 0.0), max(mood, 0.0)
        if any(name.startswith("leg") for name in self.legs) and "upper_arm.L" in self.body.roles:
            self.root = self.root - [0.0, 0.0, 0.02 * sunk * self.leg_length]
            self.add("hips", x=2 * sunk)
            self.add("spine", x=7 * sunk - 2 * proud)
            self.add("chest", x=10 * sunk - 5 * proud)
            self.add("neck", x=5 * sunk - 1 * proud)
            self.add("head", x=5 * sunk - 2 * proud)
            for side, sign in (("L", 1.0), ("R", -1.0)):
                self.add(f"shoulder.{side}", y=sign * (5 * sunk - 2 * proud), z=-sign * (9 * sunk - 5 * proud))
                arm = self.body.roles[f"upper_arm.{side}"]
                self.local[:, arm] = multiply(turn(-15 * sunk), self.local[:, arm])  # they hang from a bent back
        else:
            self.add("neck", x=16 * sunk - 8 * proud)
            self.add("head", x=4 * sunk - 4 * proud)
            self.add("tail", x=14 * proud - 14 * sunk)

    def flat_ankle(self, leg: str) -> np.ndarray:
        """(3,) where a leg's ankle is at rest."""
        leg_ = self.legs[leg]
        return self.rig.heads[leg_.foot] if leg_.foot >= 0 else self.rig.tails[leg_.chain[-1]]


def _about(axis: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    half = np.deg2rad(degrees)[:, None] / 2
    return np.concatenate([np.cos(half), np.sin(half) * normalized(axis)], axis=1)


def rolled(leg, flat: np.ndarray, pitch: np.ndarray, yaw: float | np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ankle (T, 3) and foot turns (T, 4) of a foot that lies flat at `flat` (its ankle) and rolls over its pivots.

    pitch : (T,) degrees, toes up is positive and rolls over the heel, heel up is negative and rolls over the ball
    """
    flat = np.broadcast_to(flat, (len(pitch), 3))
    level = turn(0.0, 0.0, yaw)
    foot = multiply(level, turn(-pitch))
    offsets = list(leg.pivots.values())
    offset = np.where(pitch[:, None] > 0, offsets[0], offsets[-1])
    return flat + rotate(level, offset) - rotate(foot, offset), foot
