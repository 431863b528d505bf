"""Motions of birds."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..clip import MotionClip
from .curves import keyed, smooth, wave
from .gait import Step, walk_feet
from .stage import Stage


def walk(stage: Stage) -> MotionClip:
    """A pigeon's walk: the head holds still in the world, then shoots ahead, twice a round; the tail sways."""
    p, leg = np.arange(stage.frames) / stage.frames, stage.leg_length
    stride = 1.15 * leg
    step: dict[str, Any] = {"lift": 0.2, "early": 0.75, "inward": 0.12, "yaw": -4.0,
                            "roll": ((0.0, 6.0), (0.12, 0.0), (0.7, 0.0), (1.0, -48.0)),
                            "air": ((0.0, -48.0), (0.3, -72.0), (0.75, 2.0), (1.0, 6.0))}
    walk_feet(stage, {"leg.L": Step(0.0, 0.6, **step), "leg.R": Step(0.5, 0.6, **step)}, stride)
    thrust = keyed(2 * p % 1, (0.0, -0.5), (0.18, 0.35), (0.32, 0.5), (0.62, 0.02), (0.86, -0.42))
    stage.root = np.stack([wave(p, 0.055 * leg, 0.31), -stride * p + wave(p, 0.015 * leg, 0.2, 2),
                           wave(p, 0.028 * leg, 0.31, 2) - 0.06 * leg], axis=1)
    stage.set("hips", x=2 + wave(p, 1.8, 0.1, 2), y=wave(p, -5.5, 0.24), z=wave(p, -6, 0.02))
    stage.set("spine", x=wave(p, 1.2, 0.2, 2), y=wave(p, 2.5, 0.26), z=wave(p, 4, 0.04))
    stage.set("chest", x=wave(p, 1.2, 0.27, 2), y=wave(p, 2.0, 0.3), z=wave(p, 3, 0.08))
    stage.steady_head(share=0.95)
    stage.add("neck", x=24 * thrust)
    stage.add("head", x=-24 * thrust)
    stage.set("tail", x=2 + wave(p, 3, 0.3, 2), y=wave(p, 3, 0.34), z=wave(p, 6, 0.3))
    for side, sign in (("L", 1.0), ("R", -1.0)):
        shrug = wave(p, 2.0, 0.34, 2)
        stage.set(f"upper_arm.{side}", y=sign * (30 + shrug), z=sign * 58)
        stage.set(f"forearm.{side}", z=-sign * (34 - shrug))
        stage.set(f"hand.{side}", z=sign * (50 - 1.5 * shrug))
    return stage.clip("bird_walk", loop=True, stride=(0, -stride, 0))


def hop(stage: Stage) -> MotionClip:
    """Both feet together: a dip, a spring, a landing; the head stays with the world, the wings flick."""
    p, leg = np.arange(stage.frames) / stage.frames, stage.leg_length
    stride = 0.62 * leg
    step: dict[str, Any] = {"duty": 0.6, "lift": 0.34, "early": 0.9, "roll": ((0.0, 0.0), (0.75, 0.0), (1.0, -45.0)),
            "air": ((0.0, -45.0), (0.3, -60.0), (0.75, 4.0), (1.0, 0.0)), "yaw": 6.0}
    walk_feet(stage, {"leg.L": Step(0.0, **step), "leg.R": Step(0.03, **step)}, stride)
    up = keyed(p, (0.0, -0.02), (0.13, -0.13), (0.3, -0.05), (0.45, -0.1), (0.6, 0.02), (0.79, 0.3), (0.93, 0.06))
    pause = keyed(p, (0.0, 0.03), (0.25, 0.16), (0.48, 0.1), (0.75, -0.06))
    stage.root = np.stack([0 * p, -stride * p - leg * 0.35 * (0.12 - pause), leg * (up - 0.03)], axis=1)
    stage.set("hips", x=keyed(p, (0.0, 4), (0.14, 12), (0.32, 2), (0.48, 12), (0.66, -9), (0.85, -4)))
    stage.set("spine", x=wave(p, 3, 0.2))
    stage.set("chest", x=wave(p, 3, 0.28))
    stage.steady_head(share=0.95, x=keyed(p, (0.0, 0), (0.3, -6), (0.5, 6), (0.75, -3)),
                      z=keyed(p, (0.0, 0), (0.25, 13), (0.42, 12), (0.6, 0)))
    stage.set("tail", x=keyed(p, (0.0, 4), (0.14, -10), (0.4, 2), (0.66, -16), (0.85, 8)))
    flick = smooth(1 - np.abs(p - 0.68) / 0.2)
    for side, sign in (("L", 1.0), ("R", -1.0)):
        stage.set(f"upper_arm.{side}", y=sign * (30 - 26 * flick), z=sign * (58 - 24 * flick))
        stage.set(f"forearm.{side}", z=-sign * (34 - 24 * flick))
        stage.set(f"hand.{side}", z=sign * (50 - 36 * flick))
    return stage.clip("bird_hop", loop=True, stride=(0, -stride, 0))
