"""How animals on four legs go at a speed: walk, trot, canter or gallop, and how long strides last and feet stand.

Speeds are dimensionless, as in `pace`: animals of all sizes change their gaits at alike ones (Alexander & Jayes 1983).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .pace import Pace

TROT, CANTER, GALLOP = 0.7, 1.5, 2.0  # from where they do so: Froude's numbers 0.5, 2.25 and 4
NATURAL = {"walk": 0.4, "trot": 1.0, "gallop": 2.3}  # how fast they do it if nobody asks
SLOWEST, FASTEST = 0.1, 5.0
REACH = (0.1, 0.4, TROT, CANTER, 2.5, FASTEST), (0.5, 0.7, 0.71, 0.78, 0.84, 0.88)  # leg lengths that a foot goes
# back while it stands, by the speed: as far as plain rigs' legs reach, which have no shoulder blade that glides


@dataclass(frozen=True)
class AnimalPace(Pace):
    """One round of an animal's gait; of speed, seconds and stride as `Pace` says."""

    @property
    def gait(self) -> str:
        """Which one."""
        return ("walk" if self.speed < TROT else "trot" if self.speed < CANTER
                else "canter" if self.speed < GALLOP else "gallop")

    @property
    def flies(self) -> bool:
        """Whether there are moments in which no foot stands."""
        return self.speed >= 0.85  # slower trots creep

    @property
    def duty(self) -> float:
        """Of a round that a foot stands (Alexander & Jayes 1983; runs by horses and dogs, Maes 2008, Starke 2009)."""
        if self.gait == "walk":
            return float(np.clip(0.52 * self.speed**-0.28, 0.55, 0.75))
        return float(0.45 * self.speed**-0.5 if self.gait == "trot" else 0.5 * self.speed**-0.7)

    @property
    def reach(self) -> float:
        """How far back a foot goes while it stands, in leg lengths."""
        return self.stride * self.duty


def animal_pace_at(speed: float) -> AnimalPace:
    """The pace animals choose at a speed: strides as long as legs reach, in the slowest walks those of 2.4 v^0.68."""
    speed = float(np.clip(speed, SLOWEST, FASTEST))
    most = float(np.interp(speed, *REACH)) / AnimalPace(speed, 1.0).duty
    return AnimalPace(speed, min(2.4 * speed**0.68, most) / speed)
