"""Motions of animals on four legs, and of centaurs.

The trunk is led by the hips: their pitch raises and lowers the chest, so the root's own curve is what the hips do.
"""

from __future__ import annotations

import numpy as np

from ...geometry.rotation import to_vector
from ..clip import MotionClip
from .curves import keyed, smooth, wave
from .gait import Step, stand, walk_feet
from .stage import Stage

PAW = {"roll": ((0.0, 0.0), (0.7, 0.0), (1.0, -38.0)),
       "air": ((0.0, -38.0), (0.25, -52.0), (0.7, -10.0), (0.88, 8.0), (1.0, 0.0)), "yaw": 0.0}

STEADY = 0.9  # of the hips' turns a tail does not take part in


def _phase(stage: Stage) -> np.ndarray:
    return np.arange(stage.frames) / stage.frames


def _feet(stage: Stage, starts: dict[str, float], stride: float, duty: float, hind: dict, front: dict) -> None:
    """Steps for all four legs.  starts : phase at which each comes down"""
    steps = {}
    for name, at in starts.items():
        own = hind if name.startswith("hind") else front
        steps[name] = Step(at, **{"duty": duty, **PAW, **own})
    walk_feet(stage, steps, stride)


def _tail(stage: Stage, side: np.ndarray, up: np.ndarray) -> None:
    """The tail's root turned against the ground, degrees, not with the hips; what comes after it follows a little later
    and less."""
    hips = np.rad2deg(to_vector(stage.local[:, stage.body.roles["hips"]]))
    up, side = up - STEADY * hips[:, 0], side - STEADY * hips[:, 2]
    stage.set("tail", x=up, z=side)
    for k, name in enumerate(("tail_2", "tail_3", "tail_4"), start=1):
        late = round(0.08 * k * stage.frames)
        stage.set(name, x=0.3 * np.roll(up - up.mean(), late), z=0.45 * np.roll(side - side.mean(), late))


def walk(stage: Stage) -> MotionClip:
    """Four beats: left hind, left front, right hind, right front; shoulders and hips roll, the head nods."""
    p, leg = _phase(stage), stage.leg_length
    stride = 1.12 * leg
    _feet(stage, {"hind.L": 0.0, "front.L": 0.25, "hind.R": 0.5, "front.R": 0.75}, stride, 0.64,
          {"lift": 0.08, "early": 0.8, "inward": 0.05, "ahead": -0.02}, {"lift": 0.11, "early": 0.75, "inward": 0.05})
    stage.root = np.stack([wave(p, 0.03 * leg, 0.32), -stride * p, wave(p, 0.016 * leg, 0.3, 2) - 0.08 * leg], axis=1)
    stage.set("hips", x=0.6 + wave(p, 1.2, 0.2, 2), y=wave(p, -4.0, 0.28), z=wave(p, -5, 0.0))
    stage.set("spine", x=wave(p, 1.0, 0.35, 2), y=wave(p, 2.5, 0.28), z=wave(p, 6, 0.02))
    stage.set("chest", x=wave(p, 1.0, 0.45, 2), y=wave(p, -3.5, 0.55), z=wave(p, 4, 0.05))
    stage.sides("front_shoulder", lambda s: (wave(p, 9, 0.74 if s == "L" else 0.24), 0, 0))
    _head(stage, nod=3 + wave(p, 5, 0.0, 2), look=wave(p, 3, 0.15))
    _tail(stage, wave(p, 11, 0.2), -5 + wave(p, 4, 0.3, 2))
    return stage.clip("quadruped_walk", loop=True, stride=(0, -stride, 0))


def trot(stage: Stage) -> MotionClip:
    """Diagonal legs together, a short flight between; the back stays level."""
    p, leg = _phase(stage), stage.leg_length
    stride = 1.55 * leg
    _feet(stage, {"hind.L": 0.0, "front.R": 0.01, "hind.R": 0.5, "front.L": 0.51}, stride, 0.43,
          {"lift": 0.13, "early": 0.8, "inward": 0.06, "ahead": -0.03}, {"lift": 0.21, "early": 0.72, "inward": 0.06})
    stage.root = np.stack([wave(p, 0.012 * leg, 0.22), -stride * p, wave(p, 0.04 * leg, 0.46, 2) - 0.075 * leg], axis=1)
    stage.set("hips", x=wave(p, 1.6, 0.35, 2), y=wave(p, -3.0, 0.2), z=wave(p, -5, 0.0))
    stage.set("spine", x=wave(p, 1.8, 0.2, 2), y=wave(p, 2, 0.2), z=wave(p, 6, 0.02))
    stage.set("chest", x=wave(p, 1.2, 0.3, 2), y=wave(p, 2, 0.2), z=wave(p, 5, 0.04))
    stage.sides("front_shoulder", lambda s: (wave(p, 10, 0.48 if s == "L" else 0.98), 0, 0))
    _head(stage, nod=-4 + wave(p, 3.5, 0.05, 2), look=wave(p, 2, 0.1))
    _tail(stage, wave(p, 8, 0.15), -4 + wave(p, 6, 0.2, 2))
    return stage.clip("quadruped_trot", loop=True, stride=(0, -stride, 0))


def gallop(stage: Stage) -> MotionClip:
    """Hind pair, front pair, flight: the back bends and stretches, the head reaches and comes in."""
    return _gallop(
        stage, "quadruped_gallop", stride=2.75, bend=11.0, hop=0.075, neck=9.0, duty=0.25, drop=0.12, ahead=0.06
    )


def horse_gallop(stage: Stage) -> MotionClip:
    """A horse's gallop: a stiffer back, a longer stride, the neck pumping."""
    return _gallop(stage, "horse_gallop", stride=2.7, bend=6.5, hop=0.06, neck=10.0, duty=0.28, drop=0.05, ahead=0.0)


def _gallop(stage: Stage, name: str, *, stride: float, bend: float, hop: float, neck: float, duty: float,
            drop: float, ahead: float) -> MotionClip:
    p, leg = _phase(stage), stage.leg_length
    stride *= leg
    _gallop_legs(stage, stride, duty, ahead)
    _gallop_trunk(stage, p, stride, bend, hop, drop)
    _head(stage, nod=wave(p, neck, 0.68) + 3, look=wave(p, 1.5, 0.1))
    _tail(stage, wave(p, 5, 0.1), 4 + wave(p, 6, 0.75))
    return stage.clip(name, loop=True, stride=(0, -stride, 0))


def _gallop_legs(stage: Stage, stride: float, duty: float, ahead: float) -> None:
    """Left hind, right hind, left front, right front, then nobody."""
    air = ((0.0, -40.0), (0.3, -75.0), (0.65, -40.0), (0.88, 6.0), (1.0, 0.0))
    _feet(stage, {"hind.L": 0.0, "hind.R": 0.1, "front.L": 0.4, "front.R": 0.52}, stride, duty,
          {"lift": 0.22, "early": 0.85, "inward": 0.07, "ahead": ahead, "air": air},
          {"lift": 0.36, "early": 0.7, "inward": 0.08, "ahead": -0.02, "air": air})


def _gallop_trunk(stage: Stage, p, stride: float, bend: float, hop: float, drop: float) -> None:
    """Gathered while the hind legs come under (phase 0.95), stretched while they push off (0.4)."""
    leg = stage.leg_length
    gather = wave(p, 1.0, 0.92) + 0.15 * wave(p, 1.0, 0.9, 2)
    stage.root = np.stack([0 * p, -stride * p + 0.03 * leg * gather,
                           wave(p, hop * leg, 0.62) - drop * leg + 0.02 * leg * gather], axis=1)
    pitch = wave(p, 5.0, 0.62)  # down in front while the front legs carry
    stage.set("hips", x=pitch - 0.9 * bend * gather, y=wave(p, 1.5, 0.2), z=wave(p, 2, 0.05))
    stage.set("spine", x=0.8 * bend * (gather + 0.1), z=wave(p, -2, 0.1))
    stage.set("chest", x=0.75 * bend * (gather + 0.1), z=wave(p, -2, 0.14))
    stage.sides("front_shoulder", lambda s: (wave(p, 14, 0.66 if s == "L" else 0.78), 0, 0))


def idle(stage: Stage) -> MotionClip:
    """Standing: breath, the weight from side to side and off a hind foot that rests on its tip, the head down for a
    sniff, up, and to either side, a swish of the tail."""
    p, leg = _phase(stage), stage.leg_length
    shift = keyed(p, (0.0, 1.0), (0.3, 0.9), (0.5, -0.9), (0.8, -1.0))
    breath = wave(p, 1.0, 0.1, 3)
    rest = smooth((p - 0.08) / 0.06) * (1 - smooth((p - 0.36) / 0.06))  # of the right hind leg
    for name in stage.legs:
        stand(stage, name, -24 * rest if name == "hind.R" else 0.0, yaw=0.0)
    stage.root = np.stack([0.045 * leg * shift, 0.01 * leg * wave(p, 1, 0.4), -0.03 * leg + 0.004 * leg * breath],
                          axis=1)
    stage.set("hips", x=0.4 * breath, y=-3.0 * shift - 2.0 * rest, z=1.5 * shift)
    stage.set("spine", x=0.8 * breath, y=1.8 * shift, z=-2 * shift)
    stage.set("chest", x=-1.0 * breath, y=0.5 * shift, z=-1.5 * shift)
    look = keyed(p, (0.0, 0.0), (0.1, 20.0), (0.28, 23.0), (0.36, 4.0), (0.5, -3.0), (0.62, -5.0), (0.7, -24.0),
                 (0.86, -21.0), (0.95, -4.0))
    nod = keyed(p, (0.0, 0.0), (0.1, -6.0), (0.28, -5.0), (0.4, 14.0), (0.45, 17.0), (0.5, 14.5), (0.56, 17.0),
                (0.68, -3.0), (0.85, -4.0))
    _head(stage, nod=2 + 1.2 * breath + nod, look=look)
    _tail(stage, 20 * wave(p, 1.0, 0.2, 3) * smooth(0.6 + wave(p, 0.5, 0.3)), 4 * wave(p, 1.0, 0.1, 2))
    return stage.clip("quadruped_idle", loop=True)


def centaur_gallop(stage: Stage) -> MotionClip:
    """A horse below; above it a rider's back that takes up the motion, and arms that balance."""
    p, leg = _phase(stage), stage.leg_length
    stride = 2.5 * leg
    _gallop_legs(stage, stride, 0.26, 0.1)
    _gallop_trunk(stage, p, stride, 6.0, 0.06, 0.13)
    pitch = wave(p, 5.0, 0.62)
    stage.set("torso", x=6 - 0.8 * pitch + wave(p, 5, 0.85), z=wave(p, 4, 0.1))
    stage.set("upper_torso", x=4 + wave(p, 4, 0.9), z=wave(p, 5, 0.15))
    stage.set("upper_chest", x=wave(p, 4, 0.95), z=wave(p, 5, 0.2))
    stage.steady_head(share=0.75, x=-2 + wave(p, 2, 0.0))
    for side, at in (("L", 0.08), ("R", 0.58)):
        stage.arm(side, swing=8 + wave(p, 15, at) + wave(p, 8, 0.8), lower=30 + wave(p, 6, 0.75), twist=10,
                  elbow=55 + wave(p, 14, at + 0.1), hand=6 + wave(p, 8, at + 0.2), raise_shoulder=wave(p, 3, 0.8))
    _tail(stage, wave(p, 5, 0.1), 4 + wave(p, 6, 0.75))
    return stage.clip("centaur_gallop", loop=True, stride=(0, -stride, 0))


def _head(stage: Stage, nod, look) -> None:
    """Neck and head against the trunk: most of its motion undone, a nod and a look added; degrees."""
    stage.steady_head(share=0.7, x=nod, z=look)
