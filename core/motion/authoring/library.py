"""Which motions there are: the skeleton each is made for, its length in frames, and who makes it."""

from __future__ import annotations

from ...skeleton.preset import load_template
from ...skeleton.rig import Rig
from ...skeleton.template import rig_from_joints
from ..clip import MotionClip
from . import acts, biped, bird, quadruped
from .pace import RUNNING, WALKING, GroundSpeed, Pace, pace_at
from .stage import Stage
from .style import Style

MOTIONS = {
    "idle": ("biped", 150, biped.idle), "walk": ("biped", 32, biped.walk), "run": ("biped", 20, biped.run),
    "jump": ("biped", 73, acts.jump), "sit": ("biped", 84, acts.sit), "sit_idle": ("biped", 150, acts.sit_idle),
    "stand_up": ("biped", 70, acts.stand_up), "turn_left": ("biped", 66, acts.turn_left),
    "turn_right": ("biped", 66, acts.turn_right), "wave": ("biped", 92, biped.greet),
    "sneak": ("biped", 56, biped.sneak), "dance": ("biped", 128, biped.dance),
    "quadruped_idle": ("quadruped", 180, quadruped.idle), "quadruped_walk": ("quadruped", 34, quadruped.walk),
    "quadruped_trot": ("quadruped", 20, quadruped.trot), "quadruped_gallop": ("quadruped", 16, quadruped.gallop),
    "horse_gallop": ("horse", 18, quadruped.horse_gallop), "centaur_gallop": ("centaur", 18, quadruped.centaur_gallop),
    "bird_hop": ("bird", 22, bird.hop), "bird_walk": ("bird", 22, bird.walk),
}


def author(name: str, style: Style = Style()) -> MotionClip:
    """Make a motion of the library anew."""
    skeleton, frames, make = MOTIONS[name]
    return make(Stage(rig_of(skeleton), frames, style=style)).changed(name=name, warnings=())


def styled(clip: MotionClip, style: Style) -> MotionClip:
    """A motion of the library in a style; the very same without one."""
    return clip if style.is_plain else author(clip.name, style)


GAITS = {"walk": WALKING, "run": RUNNING}  # and the speeds at which a body goes so by itself
FEWEST = 6  # frames of a round


def gait(name: str, ground: GroundSpeed, leg: float, rate: float, style: Style = Style()) -> MotionClip:
    """A walk or a run made to measure: which of the two is a matter of the speed.

    name : "walk" or "run", which says what is natural;  leg : length of the body's legs in metres;  rate : frames a
    second; every frame is made, none lies between two
    A style changes stride and steps alike, so that the speed stays.  Raises BadMotion for a speed no legs can do.
    """
    speed, time, told = ground.measured(leg, GAITS[name])
    frames = max(FEWEST, round(pace_at(speed).seconds * style.reach * time * rate))
    clip = biped.go(Stage(rig_of("biped"), frames, rate, style, is_paced=True), Pace(speed, frames / rate / time))
    return clip.changed(warnings=told)


def rig_of(skeleton: str) -> Rig:
    """The skeleton a motion is made for: a preset as its template stands."""
    template = load_template(skeleton)
    return rig_from_joints(template, template.positions)
