"""Motions of people."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..clip import MotionClip
from .curves import keyed, smooth, through, wave
from .gait import Step, stand, walk_feet
from .stage import Stage


def _phase(stage: Stage) -> np.ndarray:
    return np.arange(stage.frames) / stage.frames


def walk(stage: Stage) -> MotionClip:
    """An easy walk: weight over the standing foot, hips and shoulders turning against each other."""
    p, leg = _phase(stage), stage.leg_length
    stride = 1.52 * leg
    walk_feet(stage, {"leg.L": Step(0.0, 0.62, inward=0.05), "leg.R": Step(0.5, 0.62, inward=0.05)}, stride)
    stage.root = np.stack([wave(p, 0.038 * leg, 0.31), -stride * p + wave(p, 0.012 * leg, 0.2, 2),
                           wave(p, 0.02 * leg, 0.32, 2) - 0.05 * leg], axis=1)
    stage.set("hips", x=3 + wave(p, 1.2, 0.1, 2), y=wave(p, -4.5, 0.2), z=wave(p, -8, 0.02))
    stage.set("spine", x=1 + wave(p, 1.0, 0.2, 2), y=wave(p, 3.0, 0.22), z=wave(p, 7, 0.04))
    stage.set("chest", x=wave(p, 1.0, 0.26, 2), y=wave(p, 2.5, 0.25), z=wave(p, 8, 0.06))
    stage.steady_head(x=2 + wave(p, 1.5, 0.3, 2), z=wave(p, 1.5, 0.1))
    for side, at in (("L", 0.5), ("R", 0.0)):
        stage.arm(side, swing=-7 + wave(p, 24, at + 0.02), lower=65 + wave(p, 2, at + 0.1), twist=wave(p, 8, at + 0.1),
                  elbow=19 + wave(p, 12, at + 0.09), hand=4 + wave(p, 6, at + 0.2), reach=wave(p, 4, at))
    return stage.clip("walk", loop=True, stride=(0, -stride, 0))


def run(stage: Stage) -> MotionClip:
    """A run with a flight in each half: leaning in, heels kicked up, arms bent and driving."""
    p, leg = _phase(stage), stage.leg_length
    stride = 3.1 * leg
    step: dict[str, Any] = {"duty": 0.31, "lift": 0.345, "early": 0.72, "inward": 0.08, "ahead": -0.05, "yaw": 2.0,
            "roll": ((0.0, 8.0), (0.15, 0.0), (0.4, 0.0), (1.0, -58.0)),
            "air": ((0.0, -58.0), (0.25, -95.0), (0.6, -25.0), (0.85, 10.0), (1.0, 8.0))}
    walk_feet(stage, {"leg.L": Step(0.0, **step), "leg.R": Step(0.5, **step)}, stride)
    stage.root = np.stack([wave(p, 0.015 * leg, 0.16), -stride * p + wave(p, 0.02 * leg, 0.45, 2),
                           wave(p, 0.055 * leg, 0.42, 2) - 0.085 * leg], axis=1)
    stage.set("hips", x=9 + wave(p, 2.5, 0.3, 2), y=wave(p, -5, 0.14), z=wave(p, -11, 0.95))
    stage.set("spine", x=3 + wave(p, 2, 0.15, 2), y=wave(p, 3, 0.18), z=wave(p, 13, 0.97))
    stage.set("chest", x=2 + wave(p, 2, 0.2, 2), y=wave(p, 3, 0.2), z=wave(p, 15, 0.0))
    stage.steady_head(share=0.8, x=-1 + wave(p, 2, 0.3, 2))
    for side, at in (("L", 0.47), ("R", 0.97)):
        stage.arm(side, swing=-12 + wave(p, 42, at), lower=63 + wave(p, 4, at + 0.1), twist=14 + wave(p, 14, at + 0.05),
                  elbow=88 + wave(p, 22, at + 0.06), hand=5 + wave(p, 8, at + 0.15), reach=wave(p, 7, at))
    return stage.clip("run", loop=True, stride=(0, -stride, 0), knees_out=2.0)


def sneak(stage: Stage) -> MotionClip:
    """On tiptoe: knees bent, each foot feeling for the ground with its ball before the weight follows."""
    p, leg = _phase(stage), stage.leg_length
    stride = 1.05 * leg
    step: dict[str, Any] = {"duty": 0.64, "lift": 0.3, "early": 0.85, "inward": 0.06, "yaw": 7.0,
            "roll": ((0.0, -22.0), (0.22, 0.0), (0.72, 0.0), (1.0, -42.0)),
            "air": ((0.0, -42.0), (0.3, -40.0), (0.75, -8.0), (1.0, -22.0))}
    walk_feet(stage, {"leg.L": Step(0.0, **step), "leg.R": Step(0.5, **step)}, stride)
    travel = keyed(p, (0.0, 0.0), (0.13, 0.022), (0.38, -0.022), (0.5, 0.0), (0.63, 0.022), (0.88, -0.022))
    stage.root = np.stack([wave(p, 0.07 * leg, 0.33), -stride * (p + travel),
                           wave(p, 0.035 * leg, 0.36, 2) - 0.2 * leg], axis=1)
    stage.set("hips", x=20 + wave(p, 3, 0.1, 2), y=wave(p, -5, 0.3), z=wave(p, -9, 0.05))
    stage.set("spine", x=12 + wave(p, 3, 0.2, 2), y=wave(p, 4, 0.32), z=wave(p, 8, 0.1))
    stage.set("chest", x=10 + wave(p, 2, 0.25, 2), y=wave(p, 3, 0.34), z=wave(p, 7, 0.14))
    stage.steady_head(share=0.85, x=4, y=wave(p, 4, 0.4), z=wave(p, 14, 0.85))
    for side, at in (("L", 0.55), ("R", 0.05)):
        stage.arm(side, swing=34 + wave(p, 15, at), lower=60 + wave(p, 5, at + 0.2), twist=20,
                  elbow=98 + wave(p, 14, at + 0.12), hand=26 + wave(p, 14, at + 0.24), raise_shoulder=9)
    return stage.clip("sneak", loop=True, stride=(0, -stride, 0), knees_out=8.0)


def idle(stage: Stage) -> MotionClip:
    """Standing: breath, the weight going over from one leg to the other, a look around."""
    p, leg = _phase(stage), stage.leg_length
    side = keyed(p, (0.0, 1.0), (0.2, 1.05), (0.36, 0.85), (0.55, -1.0), (0.72, -1.05), (0.88, -0.8))
    breath = wave(p, 1.0, 0.12, 2)
    for name in ("leg.L", "leg.R"):
        stand(stage, name, moved=(0.02 * leg if name.endswith("L") else -0.02 * leg, 0, 0), yaw=9.0)
    stage.root = np.stack([0.075 * leg * side, 0.012 * leg * wave(p, 1, 0.3) + 0 * p,
                           -0.03 * leg - 0.008 * leg * (1 - side**2) + 0.004 * leg * breath], axis=1)
    stage.set("hips", x=1.5 + 0.6 * breath, y=-3.6 * side, z=2.5 * side)
    stage.set("spine", x=-0.5 - 1.2 * breath, y=3.2 * side, z=-2.0 * side)
    stage.set("chest", x=1.0 - 2.2 * breath, y=1.8 * side, z=-2.5 * side)
    stage.steady_head(share=0.9, x=1.5 + 1.0 * breath, y=keyed(p, (0.1, 2.0), (0.5, -2.5), (0.8, -1.0)),
                      z=keyed(p, (0.0, 0.0), (0.12, 9.0), (0.3, 10.0), (0.48, -3.0), (0.6, -12.0), (0.8, -10.0)))
    for s, sign in (("L", 1.0), ("R", -1.0)):
        stage.arm(
            s,
            swing=2 + wave(p, 1.8, 0.25 + 0.1 * sign),
            lower=69 - 1.4 * wave(p, 1.0, 0.16, 2) + 1.5 * sign * side,
            twist=4.0,
            elbow=16 + 2.5 * wave(p, 1.0, 0.24, 2),
            hand=5 + 2 * wave(p, 1.0, 0.3, 2),
            raise_shoulder=1.6 * wave(p, 1.0, 0.14, 2),
        )
    return stage.clip("idle", loop=True, knees_out=9.0)


def jump(stage: Stage) -> MotionClip:
    """Crouch, swing, leap, land soft, rise again."""
    t, leg = np.arange(stage.frames) / stage.rate, stage.leg_length
    off, on = 0.6, 1.06  # when the feet leave and meet the ground
    height = 5.6 * (on - off)**2 / 8  # what gravity allows for someone 1.75 m tall, in template units
    in_air = (t > off + 1e-9) & (t < on - 1e-9)
    rise = np.where(in_air, 1 - (2 * (t - off) / (on - off) - 1)**2, 0.0)
    low = through(t, (0, -0.01), (0.15, -0.02), (0.42, -0.36), (0.5, -0.33), (off, 0.035), (on - 0.03, 0.0),
                  (on, -0.03), (on + 0.16, -0.33), (on + 0.24, -0.34), (on + 0.6, -0.01), (2.2, -0.01)) * leg
    bow = through(t, (0, 0.0), (0.42, 1.0), (0.5, 0.95), (off, -0.12), (0.8, 0.1), (on, 0.15), (on + 0.2, 0.85),
                  (on + 0.65, 0), (2.2, 0))
    pitch = through(t, (0, 0.0), (0.44, 0.0), (off, -55.0), (off + 0.12, -62.0), (on - 0.1, -25.0), (on, -18.0),
                    (on + 0.09, 0.0), (2.2, 0.0))
    for name in ("leg.L", "leg.R"):
        up = (height + 0.1 * leg) * rise
        stand(stage, name, pitch, moved=np.stack([0 * t, 0 * t, up], 1), held=~in_air, yaw=6.0)
    stage.root = np.stack([0 * t, 0.16 * leg * bow - 0.02 * leg, low + height * rise], axis=1)
    stage.set("hips", x=26 * bow)
    stage.set("spine", x=14 * bow - 6 * rise)
    stage.set("chest", x=through(t, (0, 0), (0.46, 10), (off + 0.05, -8), (0.85, 2), (on + 0.24, 8), (2.0, 0)))
    stage.steady_head(share=0.7, x=through(t, (0, 0), (0.42, -6), (off, 8), (on, 10), (on + 0.25, -4), (2.0, 0)))
    for side, late in (("L", 0.0), ("R", 0.02)):
        _throw_arm(stage, side, t - late, off, on)
    return stage.clip("jump", loop=False, knees_out=7.0)


def _throw_arm(stage: Stage, side: str, t: np.ndarray, off: float, on: float) -> None:
    """An arm that swings back before a leap, up with it and down on landing."""
    swing = through(t, (0, 2), (0.12, 12), (0.38, -50), (0.44, -50), (off + 0.1, 96), (0.84, 112), (on, 62),
                    (on + 0.22, -18), (on + 0.45, 10), (2.0, 2))
    stage.arm(
        side,
        swing=swing,
        lower=through(t, (0, 68), (0.44, 62), (off, 52), (0.85, 40), (on + 0.2, 58), (2.0, 68)),
        elbow=through(t, (0, 16), (0.46, 32), (off + 0.06, 22), (on, 34), (on + 0.26, 44), (2.0, 16)),
        hand=through(t, (0, 5), (0.5, -14), (off + 0.12, 20), (on + 0.1, -10), (2.0, 5)),
        raise_shoulder=through(t, (0, 0), (0.5, 0), (off + 0.06, 14), (on, 6), (on + 0.3, 0), (2.0, 0)),
    )


def greet(stage: Stage) -> MotionClip:
    """Waving the right hand, the weight going over to the left leg."""
    t, leg = np.arange(stage.frames) / stage.rate, stage.leg_length
    up = smooth((t - 0.1) / 0.5) * (1 - smooth((t - 2.3) / 0.6))
    shake = smooth((t - 0.45) / 0.3) * (1 - smooth((t - 2.2) / 0.3))
    beat = lambda late: np.sin(2 * np.pi * 1.9 * (t - 0.45 - late)) * shake  # noqa: E731 - a hand follows its arm later
    for name in ("leg.L", "leg.R"):
        stand(stage, name, yaw=9.0)
    breath = np.cos(2 * np.pi * t / 3.0)
    stage.root = np.stack([0.07 * leg * up, 0 * t, -0.022 * leg - 0.01 * leg * up + 0.004 * leg * breath], axis=1)
    stage.set("hips", x=1.5 + 0.6 * breath, y=-3.5 * up, z=-3 * up)
    stage.set("spine", x=-1.2 * breath, y=5.5 * up - 0.8 * beat(0), z=-3 * up)
    stage.set("chest", x=1 - 2 * breath, y=3.5 * up - 1.2 * beat(0.03), z=-4 * up)
    stage.steady_head(share=0.75, x=1 - 3 * up, y=-5 * up - 1.2 * beat(0.1), z=3 * up)
    stage.arm("L", swing=2 - 3 * up, lower=68 - 3 * up, twist=4, elbow=16 + 6 * up, hand=5)
    stage.arm(
        "R",
        swing=2 + 14 * up,
        lower=68 - 82 * up - 5 * beat(0),
        twist=4 - 84 * up,
        elbow=16 + 56 * up + 20 * beat(0.05),
        hand=5 - 8 * up + 0 * t,
        raise_shoulder=9 * up,
    )
    stage.set("hand.R", y=-(5 - 8 * up), x=0.0, z=-17 * beat(0.12))
    return stage.clip("wave", loop=False, knees_out=9.0)


def dance(stage: Stage) -> MotionClip:
    """Two bars on the spot: hips side to side on the beat, the free heel lifted, arms pumping, one after the other."""
    p, leg = _phase(stage), stage.leg_length
    sway = wave(p, 1.0, 0.125, 2) + 0.18 * wave(p, 1.0, 0.125, 6)
    bounce = wave(p, 1.0, 0.03, 8)
    for name, at in (("leg.L", 0.375), ("leg.R", 0.125)):
        free = np.clip(wave(p, 1.0, at, 2), 0, 1)
        stand(stage, name, np.where(free > 0.15, -38 * smooth((free - 0.15) / 0.85), 0.0),
              moved=(0.1 * leg if name.endswith("L") else -0.1 * leg, 0, 0), yaw=12.0)
    stage.root = np.stack(
        [0.15 * leg * sway, 0.03 * leg * wave(p, 1.0, 0.3, 1), -0.1 * leg + 0.028 * leg * bounce], axis=1
    )
    stage.set("hips", x=4 - 2.5 * bounce, y=-8 * sway, z=10 * wave(p, 1.0, 0.17, 2))
    stage.set("spine", x=2 + 2.5 * wave(p, 1.0, 0.05, 8), y=7 * wave(p, 1.0, 0.14, 2), z=-9 * wave(p, 1.0, 0.2, 2))
    stage.set("chest", x=1 + 3 * wave(p, 1.0, 0.07, 8), y=6 * wave(p, 1.0, 0.16, 2), z=-12 * wave(p, 1.0, 0.22, 2))
    stage.steady_head(share=0.7, x=3 + 5 * wave(p, 1.0, 0.1, 8), y=6 * wave(p, 1.0, 0.2, 2), z=6 * wave(p, 1.0, 0.2, 1))
    for side, at in (("L", 0.125), ("R", 0.375)):
        high = 0.5 + 0.5 * wave(p, 1.0, at + 0.03, 2)
        solo = 0.5 + 0.5 * wave(p, 1.0, at, 1)
        stage.arm(
            side,
            swing=28 + 22 * high + 12 * solo,
            lower=58 - 58 * high * (0.45 + 0.55 * solo),
            twist=10 - 30 * high,
            elbow=84 + 26 * wave(p, 1.0, at + 0.1, 2) + 8 * bounce,
            hand=8 + 14 * wave(p, 1.0, at + 0.16, 2),
            raise_shoulder=10 * high,
        )
    return stage.clip("dance", loop=True, knees_out=14.0)
