"""Gaits from the angles that people's legs go through, as gait laboratories publish them: the feet follow from the
legs, and the body from the feet that stand."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.interpolate import CubicSpline

from ...geometry.rotation import multiply, rotate
from .curves import smooth, turn
from .stage import Stage

STEADY = 0.3  # of what the feet say of the body's hurry within a step: mass does not let it have more
EVEN = (2, 4)  # harmonics of a round that two alike legs can cause


@dataclass(frozen=True)
class Legs:
    """One leg's round from one landing to the next, as (part of the round, degrees) keys.

    thigh : against the vertical, forward is positive;  knee : flexion;  pitch : of the foot against the ground, toes up
    is positive
    duty : part of the round that the foot stands;  flat : (from, to) parts of the round that the whole sole does
    bounce : in leg lengths, how much higher the body flies in the middle between two standing times than the feet tell
    track : how far from the middle the feet go, in leg lengths;  yaw : toes turned out, degrees
    """

    thigh: tuple
    knee: tuple
    pitch: tuple
    duty: float
    flat: tuple[float, float]
    track: float = 0.09
    yaw: float = 6.0
    bounce: float = 0.0


def periodic(phase, keys) -> np.ndarray:
    """A closed curve through (phase, value) keys."""
    at, value = np.array(sorted(keys), float).T
    return CubicSpline(np.append(at, at[0] + 1), np.append(value, value[0]), bc_type="periodic")(
        (np.asarray(phase) - at[0]) % 1.0 + at[0])


def stride_by_angles(stage: Stage, legs: Legs, starts: dict[str, float], sway) -> float:
    """Place both feet and the body of a round, and return how far it goes.

    starts : {leg: phase at which it lands};  sway : (T,) of the body to its left, in template units
    The body is as high as the standing legs make it and goes as fast as their feet go back, both evened out to waves
    that two alike legs can cause.
    """
    phase = np.arange(stage.frames) / stage.frames
    kinematics = stage.body.kinematics
    heads = kinematics.heads(kinematics.turns(stage.local), np.zeros((stage.frames, 3)))
    ankles, feet, parts, low, back, stands = {}, {}, {}, [], [], []
    for name, at in starts.items():
        leg = stage.legs[name]
        part = parts[name] = (phase - at) % 1.0
        pitch = periodic(part, legs.pitch)
        landing, leaving = part < legs.flat[0], (part > legs.flat[1]) & (part < legs.duty)
        flat = (part >= legs.flat[0]) & (part <= legs.flat[1])
        pitch = np.where(flat | landing & (pitch < 0) | leaving & (pitch > 0), 0.0, pitch)
        thigh, knee = periodic(part, legs.thigh), np.maximum(periodic(part, legs.knee), 1.0)
        place = heads[:, leg.chain[0]] + _swung(leg.vectors[0], thigh) + _swung(leg.vectors[1], thigh - knee)
        sign = 1.0 if name.endswith("L") else -1.0
        level = turn(0.0, 0.0, sign * legs.yaw) + np.zeros((stage.frames, 1))
        foot = multiply(level, turn(-pitch))
        points = place[:, None] + rotate(foot[:, None], leg.offsets)
        heel, ball = _stance(part, legs)
        ankles[name], feet[name] = place, (foot, level, pitch, heel, ball)
        stand = heel | ball
        low.append(np.where(stand, points[..., 2].min(1), np.nan))
        pivot = np.where(heel & ~ball, points[:, 0, 1], points[:, 1, 1])
        speed = np.gradient(np.concatenate([pivot[-2:], pivot, pivot[:2]]))[2:-2]
        back.append(np.where(stand, speed, np.nan))
        stands.append(stand)
    high = _evened(phase, stage.body.ground - np.array(low))
    high += legs.bounce * stage.leg_length * np.cos(4 * np.pi * (phase - (legs.duty + 0.5) / 2 - min(starts.values())))
    pace = _evened(phase, np.array(back))
    stride = float(pace.sum())
    steady = stride * phase
    way = steady + STEADY * (np.cumsum(pace) - pace - steady)
    stage.root = np.stack([np.asarray(sway) + 0 * phase, -way, high], axis=1)
    for name in starts:
        leg = stage.legs[name]
        foot, level, pitch, heel, ball = feet[name]
        sign = 1.0 if name.endswith("L") else -1.0
        ankle = ankles[name] + stage.root
        ankle[:, 0] = sign * legs.track * leg.length
        part = parts[name]
        bend = smooth(1 - (part - legs.duty) / 0.12) * (part >= legs.duty) + (part < legs.duty) * (pitch < 0)
        toe = multiply(level, turn(-np.where(pitch < 0, pitch * (1 - bend), pitch)))
        bones = list(leg.pivots)
        stage.place_foot(name, ankle, foot, toe, {bones[0]: heel, bones[-1]: ball})
    return stride


def _stance(part: np.ndarray, legs: Legs) -> tuple[np.ndarray, np.ndarray]:
    """(T,) whether the heel and the ball stand."""
    return part <= legs.flat[1], (part >= legs.flat[0]) & (part < legs.duty)


def _swung(vector: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    """(T, 3) a bone at an angle to the vertical in the plane it walks in, as long as it is."""
    size = np.hypot(vector[1], vector[2])
    angle = np.deg2rad(degrees)
    return size * np.stack([np.full(len(angle), vector[0] / size), -np.sin(angle), -np.cos(angle)], axis=1)


def _evened(phase: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """(T,) the wave nearest to the rows (legs, T), NaN where they say nothing."""
    waves = np.stack([np.ones_like(phase)] + [f(2 * np.pi * k * phase) for k in EVEN for f in (np.cos, np.sin)], axis=1)
    known = np.isfinite(rows)
    where = np.broadcast_to(np.arange(len(phase)), rows.shape)[known]
    return waves @ np.linalg.lstsq(waves[where], rows[known], rcond=None)[0]
