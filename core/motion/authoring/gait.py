"""Feet that stand, roll, lift and swing: one round of a gait."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...geometry.rotation import multiply
from .curves import smooth, through, turn
from .stage import Stage, rolled


@dataclass(frozen=True)
class Step:
    """How one foot steps.

    at : phase at which it comes down;  duty : part of the round it stands
    lift : height of the swing, in leg lengths;  early : below 1 the lift comes early in the swing, above 1 late
    roll : (part of the stance, pitch) keys;  air : (part of the swing, pitch) keys;  degrees, toes up is positive
    ahead : the middle of its stance lies this far before its place at rest, in leg lengths;  inward : and to the middle
    yaw : toes turned out, degrees
    """

    at: float
    duty: float
    lift: float = 0.16
    early: float = 0.8
    roll: tuple = ((0.0, 20.0), (0.16, 0.0), (0.55, 0.0), (1.0, -48.0))
    air: tuple = ((0.0, -48.0), (0.18, -58.0), (0.6, 0.0), (0.85, 22.0), (1.0, 20.0))
    ahead: float = 0.0
    inward: float = 0.0
    yaw: float = 4.0


def walk_feet(stage: Stage, steps: dict[str, Step], stride: float) -> None:
    """Give every leg its steps.  stride : units travelled in a round, towards -Y."""
    for name, step in steps.items():
        stage.place_foot(name, *_track(stage, name, step, stride))


def _track(stage: Stage, name: str, step: Step, stride: float):
    """Ankle, foot and toe turns and contacts of one leg over a round, travelling."""
    leg = stage.legs[name]
    sign = 1.0 if name.endswith("L") else -1.0
    phase = np.arange(stage.frames) / stage.frames - step.at
    number = np.floor(phase)
    inside = phase - number
    stands = inside < step.duty - 1e-9
    flat = stage.flat_ankle(name) + np.array([-sign * step.inward * leg.length, -step.ahead * leg.length, 0.0])
    under = lambda n: flat - np.outer(stride * (np.asarray(n, float) + step.at + step.duty / 2), [0, 1, 0])  # noqa: E731
    yaw = sign * step.yaw
    stance = np.clip(inside / step.duty, 0, 1)
    pitch = np.where(stands, through(stance, *step.roll), 0.0)
    pitch = np.where(np.abs(pitch) < 1e-9, 0.0, pitch)
    ankle, foot = rolled(leg, under(number), pitch, yaw)
    level = turn(0.0, 0.0, yaw)
    toe = np.where((pitch < 0)[:, None], level, foot)
    swing = np.maximum((inside - step.duty) / (1 - step.duty), 0.0)
    air = ~stands
    if air.any():
        ankle[air], foot[air], toe[air] = _swing(leg, step, under(number[air]), under(number[air] + 1), swing[air], yaw)
    bones = list(leg.pivots)
    contacts = {bones[-1]: stands & (pitch <= 0)}
    if len(bones) == 2:
        contacts[bones[0]] = stands & (pitch >= 0)
    else:
        contacts[bones[0]] = stands
    return ankle, foot, toe, contacts


def _swing(leg, step: Step, behind, before, part, yaw):
    """A foot in the air: from where it left the ground to where it comes down, both at the speed it has there."""
    edge = 1e-3
    off, down = [through(np.array([u]), *step.roll) for u in (1.0, 0.0)]
    off_before, down_after = [through(np.array([u]), *step.roll) for u in (1 - edge, edge)]
    swing_per_stance = (1 - step.duty) / step.duty
    start, end = [rolled(leg, np.zeros(3), p, yaw)[0][0] for p in (off, down)]
    leave = (start - rolled(leg, np.zeros(3), off_before, yaw)[0][0]) / edge * swing_per_stance
    arrive = (rolled(leg, np.zeros(3), down_after, yaw)[0][0] - end) / edge * swing_per_stance
    s = part[:, None]
    path = (behind + start) * (1 + 2 * s) * (1 - s)**2 + (before + end) * s * s * (3 - 2 * s) + \
        leave * s * (1 - s)**2 - arrive * s * s * (1 - s)
    u = part**step.early
    path[:, 2] += step.lift * leg.length * 16 * u**2 * (1 - u)**2
    pitch = through(part, *step.air)
    level = turn(0.0, 0.0, yaw)
    foot = multiply(level, turn(-pitch))
    bend = through(np.array([1.0]), *step.roll)[0] * (1 - smooth(part / 0.45))
    toe = multiply(foot, turn(np.minimum(bend, 0.0)))
    return path, foot, toe


def stand(stage: Stage, name: str, pitch=0.0, *, yaw: float | np.ndarray, moved=(0.0, 0.0, 0.0), held=True) -> None:
    """A foot that stays about its place: rolled by `pitch` (T,), moved by (T, 3), its toes turned out by `yaw`; its
    pivots stand where `held`."""
    leg = stage.legs[name]
    sign = 1.0 if name.endswith("L") else -1.0
    pitch = np.asarray(pitch, float) + np.zeros(stage.frames)
    pitch = np.where(np.abs(pitch) < 0.05, 0.0, pitch)
    held = np.asarray(held) & np.ones(stage.frames, bool)
    moved = np.asarray(moved, float) + np.zeros((stage.frames, 3))
    ankle, foot = rolled(leg, stage.flat_ankle(name) + moved, pitch, sign * yaw)
    toe = np.where((pitch < 0)[:, None], turn(0.0, 0.0, sign * yaw), foot)
    bones = list(leg.pivots)
    contacts = {bones[-1]: held & (pitch <= 0)}
    contacts[bones[0]] = held & (pitch >= 0) if len(bones) == 2 else held
    stage.place_foot(name, ankle, foot, toe, contacts)
