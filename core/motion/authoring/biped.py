"""Motions of people."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..clip import MotionClip
from .angles import Legs, between, stride_by_angles
from .curves import keyed, smooth, wave
from .gait import Step, stand, walk_feet
from .pace import CHANGE, RUNNING, WALKING, Pace, pace_at
from .stage import Stage


def _phase(stage: Stage) -> np.ndarray:
    return np.arange(stage.frames) / stage.frames


# Perry 1992, Winter 1991, Schwartz 2008 (walks); Novacheck 1998, Mann & Hagy 1980 (runs): by speed, see `pace`.
WALK = {
    0.1: Legs(knee=((0.0, 5), (0.1, 6), (0.2, 9), (0.27, 10), (0.4, 8), (0.6, 6), (0.72, 7), (0.84, 13), (0.94, 22),
                    (1.0, 29), (1.14, 42), (1.28, 50), (1.53, 38), (1.76, 15), (1.9, 6)),
              pitch=((0.0, 10), (0.18, 0), (0.52, 0), (0.7, -7), (0.8, -11), (0.88, -20), (0.95, -36), (1.0, -47),
                     (1.15, -57), (1.33, -36), (1.55, -10), (1.7, 0), (1.88, 11)),
              thigh=((1.33, 9), (1.55, 18), (1.8, 20)), track=0.13, yaw=9.0),
    0.4: Legs(knee=((0.0, 6), (0.09, 10), (0.17, 14), (0.26, 16), (0.34, 15), (0.52, 9), (0.69, 6), (0.78, 7),
                    (0.9, 16), (1.0, 30), (1.17, 51), (1.33, 63), (1.52, 54), (1.76, 22), (1.9, 5)),
              pitch=((0.0, 15), (0.18, 0), (0.5, 0), (0.69, -8), (0.78, -11), (0.86, -20), (0.95, -39), (1.0, -57),
                     (1.17, -70), (1.33, -60), (1.52, -35), (1.71, -3), (1.88, 17)),
              thigh=((1.33, 12), (1.52, 21), (1.76, 25)), track=0.11, yaw=7.0),
    0.7: Legs(knee=((0.0, 7), (0.09, 13), (0.18, 20), (0.27, 24), (0.38, 20), (0.56, 12), (0.72, 9), (0.8, 11),
                    (0.9, 20), (1.0, 34), (1.18, 56), (1.36, 67), (1.55, 54), (1.78, 24), (1.91, 8)),
              pitch=((0.0, 19), (0.18, 0), (0.46, 0), (0.66, -9), (0.76, -14), (0.85, -25), (0.95, -45), (1.0, -63),
                     (1.15, -80), (1.35, -64), (1.55, -34), (1.74, -3), (1.89, 19)),
              thigh=((1.36, 17), (1.55, 30), (1.78, 33)), track=0.09, yaw=5.0)}
RUN = {
    0.7: Legs(knee=((0.0, 24), (0.15, 33), (0.42, 40), (0.62, 36), (0.82, 27), (1.0, 25),
                    (1.22, 52), (1.48, 80), (1.68, 68), (1.9, 22)),
              pitch=((0.0, 13), (0.2, 0), (0.42, 0), (0.68, -14), (0.86, -42), (1.0, -64),
                     (1.16, -78), (1.38, -70), (1.62, -34), (1.87, 18)),
              thigh=((1.22, -8), (1.48, 16), (1.72, 32), (1.9, 31)), track=0.08, yaw=6.0),
    1.2: Legs(knee=((0.0, 28), (0.15, 36), (0.42, 44), (0.62, 39), (0.82, 29), (1.0, 25),
                    (1.22, 62), (1.5, 100), (1.68, 84), (1.9, 26)),
              pitch=((0.0, 13), (0.2, 0), (0.4, 0), (0.64, -15), (0.84, -45), (1.0, -68),
                     (1.16, -84), (1.38, -84), (1.62, -44), (1.87, 18)),
              thigh=((1.22, -8), (1.48, 24), (1.72, 45), (1.9, 39)), track=0.06, yaw=5.0),
    3.0: Legs(knee=((0.0, 27), (0.15, 36), (0.42, 42), (0.62, 38), (0.82, 30), (1.0, 26),
                    (1.22, 76), (1.5, 124), (1.68, 106), (1.9, 34)),
              pitch=((0.0, 8), (0.17, 0), (0.37, 0), (0.6, -18), (0.82, -50), (1.0, -74),
                     (1.16, -96), (1.38, -98), (1.62, -50), (1.87, 11)),
              thigh=((1.22, -6), (1.48, 36), (1.72, 66), (1.9, 50)), track=0.05, yaw=3.0)}


def go(stage: Stage, pace: Pace) -> MotionClip:
    """A round of a walk or a run, as the pace says."""
    return run(stage, pace) if pace.flies else walk(stage, pace)


def walk(stage: Stage, pace: Pace = pace_at(WALKING)) -> MotionClip:
    """An easy walk. Hips turn forward with the leg that swings and sink on its side; the trunk turns against them, late
    enough to show; arms hang from it, their elbows and hands later still. All of it grows with the speed."""
    p, leg = _phase(stage), stage.leg_length
    more = lambda slow, usual, fast: float(np.interp(pace.speed, (0.1, WALKING, CHANGE), (slow, usual, fast)))  # noqa: E731 - a row of a table

    def pelvis(on: Stage, q: np.ndarray) -> np.ndarray:
        on.set("hips", x=more(2, 4, 7) + wave(q, 1.0, 0.12, 2), y=wave(q, -more(3.5, 5, 6), 0.13),
               z=wave(q, -more(3, 7, 11), 0.97))
        return wave(q, more(0.07, 0.045, 0.025) * leg, 0.3)

    stride = stride_by_angles(stage, between(pace.speed, WALK), pace, {"leg.L": 0.0, "leg.R": 0.5}, pelvis)
    stage.set("spine", x=wave(p, 1.0, 0.18, 2), y=wave(p, more(2, 3.5, 4), 0.15), z=wave(p, more(2, 5, 8), 0.0))
    stage.set("chest", x=-1 + wave(p, 1.2, 0.22, 2), y=wave(p, more(2, 3, 3.5), 0.18), z=wave(p, more(4, 9, 14), 0.03))
    stage.steady_head(share=0.9, x=more(3, 1, -1) + wave(p, more(1, 1.8, 2.4), 0.3, 2), y=wave(p, 1.5, 0.25),
                      z=wave(p, 1.5, 0.1))
    swing, bent = more(9, 20, 26), more(15, 21, 36)
    for side, at in (("L", 0.5), ("R", 0.0)):
        stage.arm(side, swing=more(-4, -4, -8) + wave(p, swing, at + 0.03) + wave(p, swing / 10, at, 2),
                  lower=65 + wave(p, 2, at + 0.15), twist=6 + wave(p, swing / 3, at + 0.1),
                  elbow=bent + wave(p, 0.62 * swing, at + 0.08), hand=3 + wave(p, swing / 3, at + 0.2),
                  reach=wave(p, swing / 5, at + 0.02), raise_shoulder=wave(p, 1.2, 0.1, 2))
    return stage.clip("walk", loop=True, stride=(0, -stride, 0), knees_out=3.0)


def run(stage: Stage, pace: Pace = pace_at(RUNNING)) -> MotionClip:
    """A run with a flight in each half: leaning in, heels kicked up, arms bent and driving, more so the faster."""
    p = _phase(stage)
    leg = stage.leg_length
    more = lambda slow, usual, fast: float(np.interp(pace.speed, (CHANGE, RUNNING, 3.0), (slow, usual, fast)))  # noqa: E731 - a row of a table

    def pelvis(on: Stage, q: np.ndarray) -> np.ndarray:
        on.set("hips", x=more(7, 10, 13) + wave(q, 2.5, 0.3, 2), y=wave(q, -more(4, 5, 5), 0.11),
               z=wave(q, -more(6, 9, 12), 0.93))
        return wave(q, 0.015 * leg, 0.16)

    stride = stride_by_angles(stage, between(pace.speed, RUN), pace, {"leg.L": 0.0, "leg.R": 0.5}, pelvis)
    stage.set("spine", x=more(2, 3, 4) + wave(p, 2, 0.15, 2), y=wave(p, 3, 0.14), z=wave(p, more(6, 9, 12), 0.96))
    stage.set("chest", x=1 + wave(p, 2, 0.2, 2), y=wave(p, 3, 0.17), z=wave(p, more(9, 14, 18), 0.99))
    stage.steady_head(share=0.85, x=-2 + wave(p, 2, 0.3, 2))
    swing = more(24, 38, 56)
    for side, at in (("L", 0.47), ("R", 0.97)):
        stage.arm(side, swing=more(-8, -14, -12) + wave(p, swing, at), lower=60 + wave(p, 4, at + 0.1),
                  twist=16 + wave(p, 12, at + 0.05), elbow=more(78, 88, 90) + wave(p, more(10, 18, 26), at + 0.06),
                  hand=4 + wave(p, 8, at + 0.15), reach=wave(p, 7, at), raise_shoulder=3 + wave(p, 2, 0.2, 2))
    return stage.clip("run", loop=True, stride=(0, -stride, 0), knees_out=2.0)


def sneak(stage: Stage) -> MotionClip:
    """On soft feet: knees bent, each foot lifted over the ground and felt down with its ball before the weight follows;
    the hands hang ready, the head looks round."""
    p, leg = _phase(stage), stage.leg_length
    stride = 0.98 * leg
    step: dict[str, Any] = {"duty": 0.66, "lift": 0.14, "early": 0.8, "inward": 0.06, "yaw": 8.0,
            "roll": ((0.0, -20.0), (0.24, 0.0), (0.7, 0.0), (1.0, -40.0)),
            "air": ((0.0, -40.0), (0.3, -46.0), (0.75, -14.0), (1.0, -20.0))}
    walk_feet(stage, {"leg.L": Step(0.0, **step), "leg.R": Step(0.5, **step)}, stride)
    travel = keyed(p, (0.0, 0.0), (0.13, 0.02), (0.38, -0.02), (0.5, 0.0), (0.63, 0.02), (0.88, -0.02))
    stage.root = np.stack([wave(p, 0.075 * leg, 0.34), -stride * (p + travel),
                           wave(p, 0.028 * leg, 0.38, 2) - 0.175 * leg], axis=1)
    stage.set("hips", x=17 + wave(p, 2.5, 0.1, 2), y=wave(p, -5, 0.31), z=wave(p, -8, 0.03))
    stage.set("spine", x=10 + wave(p, 2.5, 0.18, 2), y=wave(p, 4, 0.33), z=wave(p, 7, 0.08))
    stage.set("chest", x=8 + wave(p, 2, 0.24, 2), y=wave(p, 3, 0.36), z=wave(p, 7, 0.12))
    stage.steady_head(share=0.9, x=3, y=wave(p, 3, 0.4), z=wave(p, 15, 0.85) + wave(p, 3, 0.2, 2))
    for side, at in (("L", 0.56), ("R", 0.06)):
        stage.arm(side, swing=14 + wave(p, 17, at), lower=58 + wave(p, 4, at + 0.2), twist=2 + wave(p, 5, at + 0.1),
                  elbow=58 + wave(p, 14, at + 0.1), hand=10 + wave(p, 10, at + 0.22), reach=4 + wave(p, 4, at + 0.02),
                  raise_shoulder=5 + wave(p, 2, 0.3, 2))
    return stage.clip("sneak", loop=True, stride=(0, -stride, 0), knees_out=8.0)


def idle(stage: Stage) -> MotionClip:
    """Standing at ease: the weight rests on one leg, its hip out and the other knee loose, and goes over to the other;
    breath lifts the chest and the shoulders after it; a look around, the eyes first, the chest a little with them."""
    p, leg = _phase(stage), stage.leg_length
    side = keyed(p, (0.0, 1.0), (0.1, 1.03), (0.3, 0.97), (0.38, 0.9), (0.48, -0.95), (0.6, -1.03), (0.8, -0.97),
                 (0.88, -0.9), (0.96, 0.85))
    breath = wave(p, 1.0, 0.12, 3)
    late = wave(p, 1.0, 0.16, 3)
    for name, sign in (("leg.L", 1.0), ("leg.R", -1.0)):
        stand(stage, name, moved=(sign * 0.045 * leg, -sign * 0.03 * leg, 0), yaw=12.0)
    stage.root = np.stack([0.085 * leg * side, 0.01 * leg * wave(p, 1, 0.3) + 0.004 * leg * late,
                           -0.022 * leg + 0.007 * leg * side**2 + 0.002 * leg * breath], axis=1)
    stage.set("hips", x=2.5, y=-6.5 * side, z=2.0 * side)
    stage.set("spine", x=-1.5 - 0.8 * breath, y=5.5 * side, z=-2.5 * side)
    stage.set("chest", x=-1.0 - 1.8 * breath, y=3.2 * side, z=-3.5 * side)
    look = keyed(p, (0.0, 0.0), (0.08, 3.0), (0.13, 17.0), (0.28, 18.0), (0.36, -2.0), (0.55, -4.0), (0.62, -19.0),
                 (0.76, -17.0), (0.86, 0.0))
    stage.add("chest", z=0.15 * look)
    stage.steady_head(share=0.8, x=1.0 + 0.8 * breath - 0.12 * np.abs(look), y=-1.5 * side - 0.12 * look, z=look * 0.5)
    for s, sign in (("L", 1.0), ("R", -1.0)):
        stage.arm(
            s,
            swing=-3 + 2.0 * sign * side + 0.8 * late,
            lower=63.5 + 4.0 * sign * side - 0.8 * late,
            twist=8.0 + 2.0 * sign * side,
            elbow=13 + 3.0 * sign * side + 1.5 * wave(p, 1.0, 0.2, 3),
            hand=4 + 1.5 * wave(p, 1.0, 0.25, 3),
            raise_shoulder=1.0 + 1.4 * late,
        )
    return stage.clip("idle", loop=True, knees_out=7.0)


def greet(stage: Stage) -> MotionClip:
    """Waving the right hand, the weight going over to the left leg."""
    t, leg = np.arange(stage.frames) / stage.rate, stage.leg_length
    up = smooth((t - 0.1) / 0.5) * (1 - smooth((t - 2.3) / 0.6))
    shake = smooth((t - 0.45) / 0.3) * (1 - smooth((t - 2.2) / 0.3))
    beat = lambda late: np.sin(2 * np.pi * 1.9 * (t - 0.45 - late)) * shake  # noqa: E731 - a hand follows its arm later
    for name in ("leg.L", "leg.R"):
        stand(stage, name, yaw=9.0)
    breath = np.cos(2 * np.pi * t / 3.0)
    stage.root = np.stack([0.085 * leg * up, 0 * t, -0.02 * leg + 0.002 * leg * breath], axis=1)
    stage.set("hips", x=2.5, y=-6 * up, z=-3 * up)
    stage.set("spine", x=-1.5 - 1.0 * breath, y=7.5 * up - 0.8 * beat(0), z=-3 * up)
    stage.set("chest", x=1 - 2 * breath, y=3.5 * up - 1.2 * beat(0.03), z=-4 * up)
    stage.steady_head(share=0.75, x=1 - 3 * up, y=-5 * up - 1.2 * beat(0.1), z=3 * up)
    stage.arm("L", swing=-3 - 5 * up, lower=67 - 5 * up - 0.8 * beat(0.1), twist=8, elbow=13 + 9 * up + beat(0.15),
              hand=4)
    stage.arm(
        "R",
        swing=-3 + 19 * up,
        lower=67 - 81 * up - 5 * beat(0),
        twist=8 - 88 * up,
        elbow=13 + 59 * up + 20 * beat(0.05),
        raise_shoulder=9 * up,
    )
    stage.set("hand.R", y=-(5 - 8 * up), x=0.0, z=-17 * beat(0.12))
    return stage.clip("wave", loop=False, knees_out=9.0)


def dance(stage: Stage) -> MotionClip:
    """Eight beats of step-touch: a step to the side, the other foot after it, down on every beat; hips, chest and arms
    follow one after the other, the arms low for four beats and up for four."""
    p, leg = _phase(stage), stage.leg_length
    beat = 8 * p
    stage.root = np.stack([
        0.25 * leg * wave(p, 1.0, 0.01, 2), 0.02 * leg * wave(p, 1.0, 0.3, 4),
        -0.075 * leg - 0.035 * leg * wave(p, 1.0, 0.012, 8) - 0.015 * leg * wave(p, 1.0, 0.0, 4)], axis=1)
    for name, sign, first in (("leg.L", 1.0, 2.0), ("leg.R", -1.0, 0.0)):
        _step_touch(stage, name, sign, (beat - first) % 4, leg)
    sway, turned = wave(p, 1.0, 0.03, 2), wave(p, 1.0, 0.95, 2)
    dip = wave(p, 1.0, 0.02, 8)
    up = smooth((beat - 3.6) / 0.8) * (1 - smooth((beat - 7.3) / 0.7))
    stage.set("hips", x=6 + 3 * dip, y=-7 * sway + 3 * wave(p, 1.0, 0.02, 4), z=12 * turned)
    stage.set("spine", x=1 + 2 * wave(p, 1.0, 0.04, 8), y=9 * wave(p, 1.0, 0.05, 2), z=-6 * wave(p, 1.0, 0.97, 2))
    stage.set("chest", x=-2 - 4 * wave(p, 1.0, 0.05, 8), y=6 * wave(p, 1.0, 0.08, 2), z=-17 * wave(p, 1.0, 0.99, 2))
    stage.steady_head(share=0.7, x=3 + 5 * wave(p, 1.0, 0.075, 8), y=7 * wave(p, 1.0, 0.1, 2),
                      z=6 * wave(p, 1.0, 0.02, 2))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        pump = sign * wave(p, 1.0, 0.06, 2)  # from side to side with the chest
        late = sign * wave(p, 1.0, 0.1, 2)
        snap = wave(p, 1.0, 0.06, 4)
        stage.arm(
            side,
            swing=(1 - up) * (14 + 26 * pump) + up * (46 + 12 * snap),
            lower=(1 - up) * (62 - 6 * late) + up * (-14 + 14 * late),
            twist=(1 - up) * (22 + 8 * late) - up * 30,
            elbow=(1 - up) * (62 + 24 * late + 8 * dip) + up * (52 + 22 * snap),
            hand=6 + 12 * sign * wave(p, 1.0, 0.13, 2) * (1 - up) + 12 * up * wave(p, 1.0, 0.1, 4),
            raise_shoulder=3 + 5 * wave(p, 1.0, 0.05, 8) + 11 * up,
        )
    return stage.clip("dance", loop=True, knees_out=12.0)


def _step_touch(stage: Stage, name: str, sign: float, beat, leg: float) -> None:
    """A foot's four beats: it steps out, stands for two, and closes to the other.  beat : (T,) from its step out, 0
    to 4"""
    wide, close = 0.16 * leg, -0.3 * leg  # to its own side, and past the middle beside the other
    out = smooth(beat / 0.85)
    back = smooth((beat - 3) / 0.8)
    aside = close + (wide - close) * (out - back)
    hop = lambda part: np.sin(np.pi * np.clip(part, 0, 1))**2  # noqa: E731 - one line, used twice
    lift = 0.13 * hop(beat / 0.85) + 0.1 * hop((beat - 3) / 0.8)
    tap = smooth((beat - 3.4) / 0.4) + 1 - smooth(beat / 0.5)
    toes = np.where(beat > 2, smooth((beat - 2.7) / 0.4), 1 - smooth((beat - 0.45) / 0.4))
    held = (beat > 0.85) & (beat < 3.0) | (beat > 3.8)
    ahead = -0.06 * leg * tap
    stand(stage, name, -32 * toes, moved=np.stack([sign * aside, ahead, lift * leg], 1), held=held, yaw=13.0)
