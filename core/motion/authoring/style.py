"""How a motion that ships is done: with more or less energy, wider or narrower, happier or more tired."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np

from ...errors import BadMotion


@dataclass(frozen=True)
class Style:
    """Each from -1 to 1; 0 is the motion as it ships.

    energy : larger, longer and quicker movements;  width : of the stance;  mood : from tired to happy
    Raises BadMotion outside of that.
    """

    energy: float = 0.0
    width: float = 0.0
    mood: float = 0.0

    def __post_init__(self):
        for one in fields(self):
            value = getattr(self, one.name)
            if not (np.isfinite(value) and -1 <= value <= 1):
                raise BadMotion(f"The style's {one.name} is {value}. Choose a number from -1 to 1.")

    @property
    def is_plain(self) -> bool:
        """Whether it changes nothing."""
        return self == PLAIN

    @property
    def gain(self) -> float:
        """How much further than shipped joints swing about their middle."""
        return float(1.5**self.energy * 1.15**self.mood)

    @property
    def reach(self) -> float:
        """How much longer than shipped the steps are."""
        return float(1.16**self.energy * 1.06**self.mood)

    @property
    def tempo(self) -> float:
        """How much quicker than shipped it is."""
        return float(1.15**self.energy * 1.08**self.mood)


PLAIN = Style()


def style_of(text: str) -> Style:
    """The style that "energy=0.7,mood=-0.5" says.  Raises BadMotion."""
    known = [one.name for one in fields(Style)]
    found: dict[str, float] = {}
    for part in filter(None, (p.strip() for p in text.split(","))):
        name, _, number = part.partition("=")
        try:
            found[name.strip()] = float(number)
        except ValueError:
            found = {"": 0.0}
        if not set(found) <= set(known):
            raise BadMotion(f"'{part}' is no style. Write one or more of {', '.join(f'{n}=0.5' for n in known)}.")
    return Style(**found)
