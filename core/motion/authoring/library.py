"""Which motions there are: the skeleton each is made for, its length in frames, and who makes it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ...skeleton.preset import load_template
from ...skeleton.rig import Rig
from ...skeleton.template import rig_from_joints
from ..body import body_of
from ..clip import MotionClip
from ..legs import Leg
from . import acts, animal_pace, biped, bird, quadruped
from .pace import FASTEST, RUNNING, SLOWEST, WALKING, GroundSpeed, Pace, pace_at
from .quadruped import BUILDS, CENTAUR, HORSE, shipped
from .stage import Stage
from .style import Style

MOTIONS = {
    "idle": ("biped", 150, biped.idle), "walk": ("biped", 32, biped.walk), "run": ("biped", 20, biped.run),
    "jump": ("biped", 73, acts.jump), "sit": ("biped", 84, acts.sit), "sit_idle": ("biped", 150, acts.sit_idle),
    "stand_up": ("biped", 70, acts.stand_up), "turn_left": ("biped", 66, acts.turn_left),
    "turn_right": ("biped", 66, acts.turn_right), "wave": ("biped", 92, biped.greet),
    "sneak": ("biped", 56, biped.sneak), "dance": ("biped", 128, biped.dance),
    "quadruped_idle": ("quadruped", 180, quadruped.idle), "quadruped_walk": ("quadruped", 34, shipped("walk")),
    "quadruped_trot": ("quadruped", 20, shipped("trot")), "quadruped_gallop": ("quadruped", 16, shipped("gallop")),
    "horse_gallop": ("horse", 18, shipped("gallop", HORSE)),
    "centaur_walk": ("centaur", 34, shipped("walk", CENTAUR)),
    "centaur_trot": ("centaur", 20, shipped("trot", CENTAUR)),
    "centaur_gallop": ("centaur", 18, shipped("gallop", CENTAUR)),
    "bird_hop": ("bird", 22, bird.hop), "bird_walk": ("bird", 22, bird.walk),
}


def author(name: str, style: Style = Style(), like: Leg | None = None) -> MotionClip:
    """Make a motion of the library anew.  like : the leg of the body that it is for, which counts in walk and run"""
    skeleton, frames, make = MOTIONS[name]
    rig = rig_like(like) if name in PEOPLES else rig_of(skeleton)
    return make(Stage(rig, frames, style=style)).changed(name=name, warnings=())


def styled(clip: MotionClip, style: Style) -> MotionClip:
    """A motion of the library in a style; the very same without one."""
    return clip if style.is_plain else author(clip.name, style)


PEOPLES = {"walk": WALKING, "run": RUNNING}  # people's gaits, and the speeds at which a body goes so by itself
ANIMALS = {f"{build}_{one}": speed for build in BUILDS for one, speed in animal_pace.NATURAL.items()}
GAITS = PEOPLES | ANIMALS  # what goes at any speed
FEWEST = 6  # frames of a round
USUAL = 0.49, 1.15, 0.85  # thigh's share, ankle and foot of people (MakeHuman's eleven, the median)
SHARES, HIGH, LONG = (0.35, 0.65), (0.3, 3.0), (0.4, 1.6)  # of a leg its thigh; of our ankles and feet: what is a leg


def gait(name: str, ground: GroundSpeed, leg: float, rate: float, style: Style = Style(), like: Leg | None = None
         ) -> MotionClip:
    """A gait made to measure: walk or run, walk, trot, canter or gallop is a matter of the speed.

    name : one of GAITS, which says what is natural, and of animals whose gaits;  leg : length of the body's legs in
    metres;  rate : frames a second; every frame is made, none lies between two;  like : a person's leg, whose parts and
    foot the motion is made for
    A style changes stride and steps alike, so that the speed stays.  Raises BadMotion for a speed no legs can do.
    """
    is_animal = name in ANIMALS
    ends = (animal_pace.SLOWEST, animal_pace.FASTEST) if is_animal else (SLOWEST, FASTEST)
    speed, time, told = ground.measured(leg, GAITS[name], ends)
    usual: Pace = animal_pace.animal_pace_at(speed) if is_animal else pace_at(speed)
    frames = max(FEWEST, round(usual.seconds * style.reach * time * rate))
    pace = replace(usual, seconds=frames / rate / time)
    if isinstance(pace, animal_pace.AnimalPace):
        build = BUILDS[name.partition("_")[0]]
        clip = quadruped.go(Stage(rig_of(build.name), frames, rate, style, is_paced=True), pace, build)
    else:
        clip = biped.go(Stage(rig_like(like), frames, rate, style, is_paced=True), pace)
    return clip.changed(warnings=told)


def rig_like(leg: Leg | None) -> Rig:
    """The skeleton of people's motions with a body's own legs: thigh and shin divided, ankles as high and feet as long
    as its, in parts of the leg's reach. No leg, or one of another kind, gives the usual."""
    own = body_of(rig_of("biped")).legs[0]
    if leg is None or len(leg.vectors) != len(own.vectors):
        return rig_of_legs(*USUAL)
    size = own.reach / leg.reach
    share = np.clip(np.linalg.norm(leg.vectors[0]) / leg.reach, *SHARES)
    high = np.clip(size * leg.height / own.height, *HIGH)
    long = np.clip(size * leg.offsets[-1, 1] / own.offsets[-1, 1], *LONG)
    return rig_of_legs(float(share), float(high), float(long))


def rig_of_legs(share: float, high: float, long: float) -> Rig:
    """The skeleton of people's motions with a thigh that is so much of the leg, and ankles so many times as high and
    feet so many times as long as the template's."""
    template = load_template("biped")
    place = {name: np.array(at) for name, at in zip(template.names, template.positions, strict=True)}
    for side in "LR":
        hip, shin, ankle = (place[f"{name}.{side}"] for name in ("thigh", "shin", "foot"))
        sizes = [float(np.linalg.norm(way)) for way in (shin - hip, ankle - shin)]
        new_shin = hip + share * sum(sizes) / sizes[0] * (shin - hip)
        foot = new_shin + (1 - share) * sum(sizes) / sizes[1] * (ankle - shin)
        for name in (f"toe.{side}", f"toe_tip.{side}"):
            place[name] = foot + (place[name] - ankle) * [1, long, high]
        place[f"shin.{side}"], place[f"foot.{side}"] = new_shin, foot
    return rig_from_joints(template, np.array([place[n] for n in template.names]))


def rig_of(skeleton: str) -> Rig:
    """The skeleton a motion is made for: a preset as its template stands."""
    template = load_template(skeleton)
    return rig_from_joints(template, template.positions)
