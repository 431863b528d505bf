"""How people go at a speed: how long their strides are, how many they make, how long a foot stands, and when they run.

Speeds are dimensionless: v / sqrt(g L), the root of Froude's number, L the leg's length; lengths are in legs, times in
sqrt(L / g). Bodies of all sizes then go alike (Alexander 1989).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from ...errors import BadMotion

CHANGE = 0.7  # speed at which people begin to run: Froude's number 0.5
WALKING, RUNNING = 0.4, 1.2  # the speeds of the motions that ship: 1.2 and 3.6 m/s for a leg of 0.9 m
SLOWEST, FASTEST = 0.1, 3.2
GRAVITY = 9.81  # metres a second squared
PERSON = 0.9  # metres: the leg whose time bodies keep to if their size is not to count
SIZES = 0.05, 5.0  # metres: legs beyond are more likely a matter of units
UNITS = ("ships", "natural", "metres", "legs")


@dataclass(frozen=True)
class Pace:
    """One round of a gait.

    speed : dimensionless;  seconds : of a round, in sqrt(L / g);  stride : in leg lengths
    duty : part of a round that a foot stands;  flies : whether no foot stands between two steps
    """

    speed: float
    seconds: float

    @property
    def stride(self) -> float:
        """How far a round goes."""
        return self.speed * self.seconds

    @property
    def flies(self) -> bool:
        """Whether it is a run."""
        return self.speed > CHANGE

    @property
    def duty(self) -> float:
        """Walks: from 0.64 of a stroll to 0.52, until the ball of the foot leaves the ground; the tips of the toes
        0.04 later (Grieve & Gear 1966). Runs: 0.41 of a jog to 0.20 (Weyand 2000)."""
        return float(0.33 * (self.speed / 1.08)**-0.55) if self.flies else float(0.66 - 0.2 * self.speed)


def pace_at(speed: float) -> Pace:
    """The pace people choose at a speed: steps of 1.16 v^0.42 (Kuo 2001) on a walk; on a run the time of a stride
    hardly changes until a sprint."""
    speed = float(np.clip(speed, SLOWEST, FASTEST))
    return Pace(speed, 2.75 - 0.4 * speed if speed > CHANGE else 2.32 * speed**-0.58)


class Measured(NamedTuple):
    """A pace on a body.  time : sqrt(L / g) in seconds;  warnings : in the artist's words"""

    speed: float
    time: float
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class GroundSpeed:
    """How fast a walk or a run goes over the ground.

    unit : "ships" as it ships, in the same time on every body; "natural" as a body of its size goes by itself; "metres"
    a second; "legs", leg lengths a second, in the time of a person whatever the body's size
    value : for the last two
    Raises BadMotion for what is no speed.
    """

    unit: str = "ships"
    value: float = 0.0

    def __post_init__(self):
        if self.unit not in UNITS or not np.isfinite(self.value) or (self.unit in UNITS[2:] and self.value <= 0):
            raise BadMotion(f"{self.value:g} is no speed over the ground. Choose one above 0.")

    @property
    def is_plain(self) -> bool:
        """Whether motions go as they ship."""
        return self.unit == "ships"

    def second(self, leg: float) -> float:
        """sqrt(L / g) in seconds: what time is measured in.  leg : length of a body's legs in metres"""
        return float(np.sqrt((PERSON if self.unit == "legs" else leg) / GRAVITY))

    def measured(self, leg: float, natural: float, ends: tuple[float, float] = (SLOWEST, FASTEST)) -> Measured:
        """The pace of a body.  leg : length of its legs in metres;  natural : speed without one given;  ends : the
        slowest and the fastest

        Raises BadMotion for what no legs can do.
        """
        time = self.second(leg)
        unit = 1 / time if self.unit == "legs" else leg / time  # of speed 1
        speed = natural if self.unit == "natural" else self.value / unit
        if not ends[0] <= speed <= ends[1]:
            raise BadMotion(f"With legs of {leg:.3g} m nobody goes at a pace of {self.value:g}. Choose one "
                            f"between {ends[0] * unit:.2g} and {ends[1] * unit:.2g}, or natural, or 3legs for leg "
                            "lengths a second.")
        is_odd = self.unit != "legs" and not SIZES[0] <= leg <= SIZES[1]
        told = (f"By the scene's units the legs are {leg:.3g} m long, and go as such legs would. Choose leg lengths a "
                "second to leave the size out.",) if is_odd else ()
        return Measured(speed, time, told)


AS_IT_SHIPS = GroundSpeed()


def speed_of(text: str) -> GroundSpeed:
    """The speed that "natural", "1.4" (metres a second) or "3legs" says; none as it ships.  Raises BadMotion."""
    text = text.strip().lower()
    if text in ("", "natural"):
        return GroundSpeed("natural") if text else AS_IT_SHIPS
    number = text.removesuffix("legs").removesuffix("m/s").removesuffix("m")
    try:
        value = float(number)
    except ValueError:
        raise BadMotion(f"'{text}' is no speed. Write natural, 1.4 for metres a second, or 3legs for leg lengths a "
                        "second.") from None
    return GroundSpeed("legs" if text.endswith("legs") else "metres", value)
