"""Gaits from the angles that people's legs go through, as gait laboratories publish them, at any speed.

While a foot stands its ankle goes where the foot's roll over heel and ball takes it, so it cannot slide; the hips go
the way on which the standing legs' knees bend most nearly as published, and fall freely where no foot stands; what the
leg does in the air joins both ends smoothly.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields

import numpy as np
from scipy.interpolate import CubicSpline, PchipInterpolator

from ...geometry.rotation import multiply, rotate
from .curves import smooth, turn
from .pace import Pace
from .stage import Stage

FINE = 240  # at least so many moments of a round: the hips' way is found on these
STRAIGHT = 6.0  # degrees that a standing knee is bent at least
BLUNT = 0.15  # sine of the angle below which a straight knee's is not told from its leg's length
TOO_LONG = 2.0  # how much worse a leg is that must stretch than one that must bend
ENDS, NEAR = 2.0, 0.08  # how much more landing and leaving count, and for which part of the stance
HEAVY = 0.15  # of a degree of knee: how much the hips' own liking of an even way counts
KEEPS = 0.4  # of its turning that a thigh keeps as its foot leaves the ground: what drove it is gone
EVEN_AHEAD, EVEN_UP = (16.5, 40.0, 66.0), (0.3, 1.0, 2.0)  # of that: a wave of 2, 4 and 6 to a round
FALL = 14.0  # how much the free fall counts


@dataclass(frozen=True)
class Legs:
    """One leg's round from one landing to the next. Keys are (part, degrees): parts of the time a foot stands (0 to 1)
    or swings (1 to 2).

    knee : flexion;  pitch : of the foot against the ground, toes up is positive
    thigh : against the vertical, forward is positive; in the air only, standing legs follow from foot and hips
    track : how far from the middle the feet go, in leg lengths;  yaw : toes turned out, degrees
    """

    knee: tuple
    pitch: tuple
    thigh: tuple
    track: float
    yaw: float


def between(speed: float, known: dict[float, Legs]) -> Legs:
    """The legs of a speed between those of which they are known: {speed: legs}, keys alike in number."""
    at = sorted(known)
    speed = float(np.clip(speed, at[0], at[-1]))
    high = max(1, int(np.searchsorted(at, speed)))
    share = (speed - at[high - 1]) / (at[high] - at[high - 1])
    mixed = [(1 - share) * np.array(getattr(known[at[high - 1]], f.name), float)
             + share * np.array(getattr(known[at[high]], f.name), float) for f in fields(Legs)]
    return Legs(*(tuple(map(tuple, m)) if m.ndim else float(m) for m in mixed))  # type: ignore[arg-type]


def stride_by_angles(stage: Stage, legs: Legs, pace: Pace, starts: dict[str, float],
                     pelvis: Callable[[Stage, np.ndarray], np.ndarray]) -> float:
    """Place both feet and the body of a round, and return how far it goes, in the stage's units.

    starts : {leg: phase at which it lands};  pelvis : sets the hips' turns on a stage at its phases (T,), and returns
    how far the body is to its left (T,), in the stage's units
    """
    many = -(-FINE // stage.frames)
    fine = Stage(stage.rig, stage.frames * many, stage.rate)
    phase = np.arange(fine.frames) / fine.frames
    sway = pelvis(fine, phase)
    length, duty = fine.leg_length, pace.duty
    stride = pace.stride * length
    heads = fine.body.kinematics.heads(fine.body.kinematics.turns(fine.local), np.zeros((fine.frames, 3)))
    heads = heads + sway[:, None, None] * [1.0, 0.0, 0.0] - (stride * phase)[:, None, None] * [0.0, 1.0, 0.0]
    tracks = {name: _Track(fine, legs, name, at, duty, stride) for name, at in starts.items()}
    way = _hips_way(tracks, legs, heads, phase, pace, length)
    pelvis(stage, phase[::many])
    stage.root = np.stack([sway, -stride * phase + way[:, 0], way[:, 1]], axis=1)[::many]
    for name, track in tracks.items():
        leg = stage.legs[name]
        hip = heads[:, leg.chain[0]] + way[:, [0, 0, 1]] * [0, 1, 1]
        ankle = track.swung(hip, legs, phase)
        level = track.level
        bend = np.where(track.stands, 1.0, smooth((track.part - 1) / 0.3))
        toe = multiply(level, turn(-np.where(track.pitch < 0, track.pitch * np.where(track.stands, 0.0, bend),
                                             track.pitch)))
        bones = list(leg.pivots)
        cut = slice(None, None, many)
        stage.place_foot(name, ankle[cut], track.foot[cut], toe[cut],
                         {bones[0]: track.heel[cut], bones[-1]: track.ball[cut]})
    return stride


class _Track:
    """One foot over a round: its part (T,), 0 to 1 while it stands and to 2 while it swings, its pitch and turns, and
    where its ankle is while it stands, but for how far ahead the foot comes down."""

    def __init__(self, stage: Stage, legs: Legs, name: str, at: float, duty: float, stride: float):
        phase = np.arange(stage.frames) / stage.frames
        self.leg = leg = stage.legs[name]
        self.sign = 1.0 if name.endswith("L") else -1.0
        inside = (phase - at) % 1.0
        inside = np.where(inside > 1 - 1e-9, 0.0, inside)
        self.inside, self.duty = inside, duty
        self.part = np.where(inside < duty, inside / duty, 1 + (inside - duty) / (1 - duty))
        self.stands = inside < duty - 1e-9
        keys = np.array(legs.pitch)
        keys = np.concatenate([keys[-2:] - [2, 0], keys, keys[:2] + [2, 0]])
        self.pitch = PchipInterpolator(_seconds(keys[:, 0], duty), keys[:, 1])(inside)
        self.pitch = np.where(np.abs(self.pitch) < 1e-6, 0.0, self.pitch)
        self.heel, self.ball = self.stands & (self.pitch >= 0), self.stands & (self.pitch <= 0)
        self.level = turn(0.0, 0.0, self.sign * legs.yaw) + np.zeros((stage.frames, 1))
        self.foot = multiply(self.level, turn(-self.pitch))
        flat = stage.flat_ankle(name) * [0, 1, 1] + [self.sign * legs.track * leg.length, 0, 0]
        number = np.round(phase - at - inside)  # of the step this is
        under = flat - np.outer(stride * (number + at + duty / 2), [0, 1, 0])
        pivot = np.where(self.pitch[:, None] > 0, leg.held[0], leg.held[-1])
        self.ankle = under + rotate(self.level, pivot) - rotate(self.foot, pivot)
        self.number = number

    def swung(self, hip: np.ndarray, legs: Legs, phase: np.ndarray) -> np.ndarray:
        """(T, 3) the ankle: standing where its foot has it, in the air where thigh and knee do.  hip : (T, 3)"""
        upper, lower = (float(np.hypot(v[1], v[2])) for v in self.leg.vectors[:2])
        down = (self.ankle - hip)[:, 1:]
        knee = _bent(np.linalg.norm(down, axis=1), upper, lower)
        thigh = np.rad2deg(np.arctan2(-down[:, 0], -down[:, 1])) + np.rad2deg(
            np.arctan2(lower * np.sin(np.deg2rad(knee)), upper + lower * np.cos(np.deg2rad(knee))))
        order = np.argsort(self.inside)
        ground = order[self.stands[order]]
        at, air = self.inside[ground], ~self.stands
        angles = []
        for seen, known in ((thigh, legs.thigh), (knee, [k for k in legs.knee if k[0] > 1])):
            keys = np.array(known)
            last = _slope(at[-4:], seen[ground[-4:]], at[-1])
            last = max(last, 0.0) if seen is knee else KEEPS * last
            curve = CubicSpline([at[-1], *_seconds(keys[:, 0], self.duty), 1.0 + at[0]],
                                [seen[ground[-1]], *keys[:, 1], seen[ground[0]]], bc_type=((1, last), (1, 0.0)))
            angles.append(np.where(air, curve(np.maximum(self.inside, at[-1])), seen))
        thigh, knee = angles[0], np.maximum(angles[1], 1.0)
        out = np.array(self.ankle)
        swing = np.stack([upper * np.sin(a) + lower * np.sin(b) for a, b in [np.deg2rad([thigh, thigh - knee])]], 1)
        swing = np.concatenate([swing, *[(upper * np.cos(a) + lower * np.cos(b))[:, None]
                                         for a, b in [np.deg2rad([thigh, thigh - knee])]]], axis=1)
        out[air, 1:] = hip[air, 1:] - swing[air]
        return out


def _seconds(parts, duty: float) -> np.ndarray:
    """Parts of the round of parts of the stance (0 to 1) and the swing (1 to 2)."""
    parts = np.asarray(parts, float)
    return np.interp(parts, [-1, 0, 1, 2, 3], [duty - 1, 0, duty, 1, 1 + duty])


def _slope(at, seen, where: float) -> float:
    return float(np.polyval(np.polyder(np.polyfit(at, seen, 2)), where))


def _bent(distance: np.ndarray, upper: float, lower: float) -> np.ndarray:
    """Degrees of a knee whose hip and ankle are so far apart."""
    cos = (distance**2 - upper**2 - lower**2) / (2 * upper * lower)
    return np.rad2deg(np.arccos(np.clip(cos, -1.0, 1.0)))


def _far(knee: np.ndarray, upper: float, lower: float) -> np.ndarray:
    """How far hip and ankle are apart at a knee's degrees."""
    return np.sqrt(upper**2 + lower**2 + 2 * upper * lower * np.cos(np.deg2rad(knee)))


def _hips_way(tracks: dict[str, _Track], legs: Legs, heads: np.ndarray, phase: np.ndarray, pace: Pace, length: float
              ) -> np.ndarray:
    """(T, 2) along Y, and up, of the body against an even way: where the standing knees are nearest to their curve.

    Waves that two alike legs can cause, found by Gauss and Newton. The fall counts where no foot stands.
    """
    times = (2, 4, 6)
    waves = np.stack([f(2 * np.pi * k * phase) for k in times for f in (np.cos, np.sin)], axis=1)
    swift = np.repeat(-(2 * np.pi * np.array(times, float))**2, 2) * waves
    count = waves.shape[1]
    keys = np.array([k for k in legs.knee if k[0] <= 1])
    wanted = {name: PchipInterpolator(keys[:, 0], keys[:, 1])(np.minimum(track.part, 1.0))
              for name, track in tracks.items()}
    flying = ~np.any([t.stands for t in tracks.values()], axis=0)
    found = np.zeros(2 + 2 * count)  # ahead, up, and the waves of both
    per_degree = 180 / np.pi / length
    liking = np.concatenate([[0.0, 0.0], np.repeat(EVEN_AHEAD, 2), np.repeat(EVEN_UP, 2)]) * per_degree

    def way_of(found) -> np.ndarray:
        return np.stack([found[0] + waves @ found[2:2 + count], found[1] + waves @ found[2 + count:]], axis=1)

    for _ in range(12):
        way, rows, errors = way_of(found), [], []
        for name, track in tracks.items():
            upper, lower = (float(np.linalg.norm(v)) for v in track.leg.vectors[:2])
            apart = heads[:, track.leg.chain[0]] + way[:, [0, 0, 1]] * [0, 1, 1] - track.ankle
            far, some = np.linalg.norm(apart, axis=1), track.stands
            toward = (apart / far[:, None])[some]
            row = np.concatenate([toward[:, 1:], toward[:, 1:2] * waves[some], toward[:, 2:] * waves[some]], axis=1)
            goal = _far(wanted[name], upper, lower)
            degrees = (180 / np.pi * goal / (upper * lower * np.maximum(np.sin(np.deg2rad(wanted[name])), BLUNT)))[some]
            degrees *= np.where(far[some] > goal[some], TOO_LONG, 1.0) * (1 + ENDS * np.exp(
                -(np.minimum(track.part, 1 - track.part)[some] / NEAR)**2))
            rows.append(row * degrees[:, None])
            errors.append((goal - far)[some] * degrees)
        if flying.any():
            fall = np.concatenate([np.zeros((flying.sum(), 2 + count)), swift[flying]], axis=1) / pace.seconds**2
            rows.append(FALL * fall / length)
            errors.append(FALL * (-1.0 - fall @ found / length))
        scale = np.sqrt(len(phase)) * HEAVY
        rows.append(np.diag(liking) * scale)
        errors.append(-liking * scale * found)
        step = np.linalg.lstsq(np.concatenate(rows), np.concatenate(errors), rcond=None)[0]
        found = found + step
    for _ in range(4):  # no standing leg is longer than it is
        way, over = way_of(found), 0.0
        for track in tracks.values():
            upper, lower = (float(np.linalg.norm(v)) for v in track.leg.vectors[:2])
            apart = heads[:, track.leg.chain[0]] + way[:, [0, 0, 1]] * [0, 1, 1] - track.ankle
            far = np.linalg.norm(apart, axis=1)
            need = (far - _far(np.array(STRAIGHT), upper, lower)) * far / np.maximum(apart[:, 2], 0.3 * far)
            over = max(over, float(need[track.stands].max()))
        found[1] -= over
    return way_of(found)
