"""Motions of animals on four legs, and of centaurs.

The trunk is led by the hips: their pitch raises and lowers the chest, so the root's own curve is what the hips do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ...geometry.rotation import to_vector
from ..clip import MotionClip
from .animal_pace import CANTER, FASTEST, GALLOP, NATURAL, TROT, AnimalPace, animal_pace_at
from .curves import keyed, smooth, wave
from .gait import Step, stand, walk_feet
from .stage import Stage

PAW = {"roll": ((0.0, 0.0), (0.7, 0.0), (1.0, -38.0)),
       "air": ((0.0, -38.0), (0.25, -52.0), (0.7, -10.0), (0.88, 8.0), (1.0, 0.0)), "yaw": 0.0}

STEADY = 0.9  # of the hips' turns a tail does not take part in
STRETCH = 0.95  # of a leg's length: how far from its hip a foot is at most


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


@dataclass(frozen=True)
class Build:
    """What tells animals' gaits apart.

    name : what its motions are called after;  bend : of the back in a gallop, degrees;  neck : its nods there, degrees
    turns_round : whether the feet of a gallop come down round the body, as a dog's, or cross over it, as a horse's
    """

    name: str
    bend: float
    neck: float
    turns_round: bool = False


DOG, HORSE, CENTAUR = Build("quadruped", 11.0, 9.0, True), Build("horse", 6.5, 10.0), Build("centaur", 5.0, 0.0)
BUILDS = {one.name: one for one in (DOG, HORSE, CENTAUR)}


def go(stage: Stage, pace: AnimalPace, build: Build = DOG) -> MotionClip:
    """A round of the gait that animals choose at a speed."""
    stride = pace.stride * stage.leg_length
    {"walk": _walk, "trot": _trot, "canter": _canter, "gallop": _gallop}[pace.gait](stage, pace, build)
    return stage.clip(f"{build.name}_{pace.gait}", loop=True, stride=(0, -stride, 0))


def shipped(gait: str, build: Build = DOG) -> Callable[[Stage], MotionClip]:
    """Who makes a gait as it ships."""
    return lambda stage: go(stage, animal_pace_at(NATURAL[gait]), build)


def _low(stage: Stage, pace: AnimalPace) -> float:
    """How far the body is below its rest for legs to reach so far, in the stage's units."""
    stand = float(np.mean([leg.stand for leg in stage.legs.values()]))
    return max(0.0, stand - stage.leg_length * float(np.sqrt(STRETCH**2 - (pace.reach / 2)**2)))


def _bounce(stage: Stage, pace: AnimalPace, times: int) -> float:
    """Half of how far a body goes up and down that falls freely in its flights, so many a round."""
    return 1.3 * stage.leg_length * (pace.seconds / (2 * np.pi * times))**2


def _walk(stage: Stage, pace: AnimalPace, build: Build) -> None:
    """Four beats: left hind, left front, right hind, right front; shoulders and hips roll, the head nods."""
    p, leg, stride = _phase(stage), stage.leg_length, pace.stride * stage.leg_length
    more = float(np.interp(pace.speed, (0.1, NATURAL["walk"], TROT), (0.5, 1.0, 1.4)))
    _feet(stage, {"hind.L": 0.0, "front.L": 0.25, "hind.R": 0.5, "front.R": 0.75}, stride, pace.duty,
          {"lift": 0.04 + 0.04 * more, "early": 0.8, "inward": 0.05, "ahead": -0.02},
          {"lift": 0.05 + 0.06 * more, "early": 0.75, "inward": 0.05})
    stage.root = np.stack([wave(p, 0.03 * leg, 0.32), -stride * p,
                           wave(p, 0.016 * more * leg, 0.3, 2) - _low(stage, pace)], axis=1)
    stage.set("hips", x=0.6 + wave(p, 1.2, 0.2, 2), y=wave(p, -4.0, 0.28), z=wave(p, -5 * more, 0.0))
    stage.set("spine", x=wave(p, 1.0, 0.35, 2), y=wave(p, 2.5, 0.28), z=wave(p, 6 * more, 0.02))
    stage.set("chest", x=wave(p, 1.0, 0.45, 2), y=wave(p, -3.5, 0.55), z=wave(p, 4 * more, 0.05))
    stage.sides("front_shoulder", lambda s: (wave(p, 9 * more, 0.74 if s == "L" else 0.24), 0, 0))
    _tail(stage, wave(p, 11, 0.2), -5 + wave(p, 4, 0.3, 2))
    if build is CENTAUR:
        _rider(stage, p, at=0.5, lean=1.0, swing=16.0, elbow=20.0, nod=1.5 * more, times=2)
    else:
        _head(stage, nod=3 + wave(p, 5 * more, 0.0, 2), look=wave(p, 3, 0.15))


def _trot(stage: Stage, pace: AnimalPace, build: Build) -> None:
    """Diagonal legs together, a short flight between; the back stays level."""
    p, leg, stride = _phase(stage), stage.leg_length, pace.stride * stage.leg_length
    more = float(np.interp(pace.speed, (TROT, NATURAL["trot"], CANTER), (0.7, 1.0, 1.3)))
    _feet(stage, {"hind.L": 0.0, "front.R": 0.01, "hind.R": 0.5, "front.L": 0.51}, stride, pace.duty,
          {"lift": 0.13 * more, "early": 0.8, "inward": 0.06, "ahead": -0.03},
          {"lift": 0.21 * more, "early": 0.72, "inward": 0.06})
    stage.root = np.stack([wave(p, 0.012 * leg, 0.22), -stride * p,
                           wave(p, _bounce(stage, pace, 2), pace.duty / 2 + 0.25, 2) - _low(stage, pace)], axis=1)
    stage.set("hips", x=wave(p, 1.6, 0.35, 2), y=wave(p, -3.0, 0.2), z=wave(p, -5, 0.0))
    stage.set("spine", x=wave(p, 1.8, 0.2, 2), y=wave(p, 2, 0.2), z=wave(p, 6, 0.02))
    stage.set("chest", x=wave(p, 1.2, 0.3, 2), y=wave(p, 2, 0.2), z=wave(p, 5, 0.04))
    stage.sides("front_shoulder", lambda s: (wave(p, 10 * more, 0.48 if s == "L" else 0.98), 0, 0))
    _tail(stage, wave(p, 8, 0.15), -4 + wave(p, 6, 0.2, 2))
    if build is CENTAUR:
        _rider(stage, p, at=0.5, lean=4.0, swing=20.0, elbow=55.0, nod=2.5, times=2)
    else:
        _head(stage, nod=-4 + wave(p, 3.5, 0.05, 2), look=wave(p, 2, 0.1))


def _canter(stage: Stage, pace: AnimalPace, build: Build) -> None:
    """Three beats: one hind leg, the other with the front leg across from it, the other front leg; the body rocks."""
    p, stride = _phase(stage), pace.stride * stage.leg_length
    _flying_feet(stage, {"hind.L": 0.0, "hind.R": 0.25, "front.L": 0.27, "front.R": 0.5}, stride, pace.duty, 0.85)
    _flying_trunk(stage, pace, p, 0.5 * build.bend, 0.86 + pace.duty / 2)
    _flying_rest(stage, p, build, 0.8)


def _gallop(stage: Stage, pace: AnimalPace, build: Build) -> None:
    """Hind pair, front pair, flight: the back bends and stretches, the head reaches and comes in."""
    p, stride = _phase(stage), pace.stride * stage.leg_length
    more = float(np.interp(pace.speed, (GALLOP, NATURAL["gallop"], FASTEST), (0.95, 1.0, 1.3)))
    first, second = ("R", "L") if build.turns_round else ("L", "R")
    _flying_feet(stage, {"hind.L": 0.0, "hind.R": 0.1, f"front.{first}": 0.4, f"front.{second}": 0.52}, stride,
                 pace.duty, more)
    _flying_trunk(stage, pace, p, more * build.bend, 0.62)
    _flying_rest(stage, p, build, more)


def _flying_feet(stage: Stage, starts: dict[str, float], stride: float, duty: float, more: float) -> None:
    air = ((0.0, -40.0), (0.3, -75.0), (0.65, -40.0), (0.88, 6.0), (1.0, 0.0))
    _feet(stage, starts, stride, duty, {"lift": 0.22 * more, "early": 0.85, "inward": 0.07, "ahead": 0.06, "air": air},
          {"lift": 0.36 * more, "early": 0.7, "inward": 0.08, "ahead": -0.02, "air": air})


def _flying_trunk(stage: Stage, pace: AnimalPace, p, bend: float, high: float) -> None:
    """Gathered while the hind legs come under (phase 0.92), stretched while they push off.  high : when it is up"""
    leg = stage.leg_length
    gather = wave(p, 1.0, 0.92) + 0.15 * wave(p, 1.0, 0.9, 2)
    stage.root = np.stack([0 * p, -pace.stride * leg * p + 0.03 * leg * gather,
                           wave(p, _bounce(stage, pace, 1), high) - _low(stage, pace) + 0.02 * leg * gather], axis=1)
    pitch = wave(p, 5.0, 0.62)  # down in front while the front legs carry
    stage.set("hips", x=pitch - 0.9 * bend * gather, y=wave(p, 1.5, 0.2), z=wave(p, 2, 0.05))
    stage.set("spine", x=0.8 * bend * (gather + 0.1), z=wave(p, -2, 0.1))
    stage.set("chest", x=0.75 * bend * (gather + 0.1), z=wave(p, -2, 0.14))
    stage.sides("front_shoulder", lambda s: (wave(p, 14, 0.66 if s == "L" else 0.78), 0, 0))


def _flying_rest(stage: Stage, p, build: Build, more: float) -> None:
    _tail(stage, wave(p, 5, 0.1), 4 + wave(p, 6, 0.75))
    if build is CENTAUR:
        _rider(stage, p, at=0.58, lean=6.0, swing=15.0, elbow=55.0, nod=5.0 * more, times=1)
    else:
        _head(stage, nod=wave(p, more * build.neck, 0.68) + 3, look=wave(p, 1.5, 0.1))


def _rider(stage: Stage, p, *, at: float, lean: float, swing: float, elbow: float, nod: float, times: int) -> None:
    """A person's upper half on a horse's: its back takes up the motion, its arms balance.

    at : when the left arm is in front;  lean, swing, elbow, nod : degrees;  times : nods in a round
    """
    stage.set("torso", x=lean - 0.8 * wave(p, nod, 0.62, times) + wave(p, nod, 0.85, times), z=wave(p, 4, 0.1))
    stage.set("upper_torso", x=0.7 * lean + wave(p, 0.8 * nod, 0.9, times), z=wave(p, 5, 0.15))
    stage.set("upper_chest", x=wave(p, 0.8 * nod, 0.95, times), z=wave(p, 5, 0.2))
    stage.steady_head(share=0.75, x=-2 + wave(p, 0.4 * nod, 0.0, times))
    for side, when in (("L", at - 0.5), ("R", at)):
        stage.arm(side, swing=1.3 * lean + wave(p, swing, when) + wave(p, 1.6 * nod, 0.8, times),
                  lower=62 - 0.5 * elbow + wave(p, 1.2 * nod, 0.75, times), twist=10,
                  elbow=elbow + wave(p, 0.9 * swing, when + 0.1), hand=6 + wave(p, 0.5 * swing, when + 0.2),
                  raise_shoulder=wave(p, 0.6 * nod, 0.8, times))


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


def _head(stage: Stage, nod, look) -> None:
    """Neck and head against the trunk: most of its motion undone, a nod and a look added; degrees."""
    stage.steady_head(share=0.7, x=nod, z=look)
