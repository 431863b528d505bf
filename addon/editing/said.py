"""What an artist has said of a character's joints, to go back to."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .. import names
from ..bridge.whole_change import change_since, moved_along, note_points
from ..characters.rigged import armature_of
from . import pins
from .limbs import limbs_said


@dataclass(frozen=True)
class Said:
    """What an artist has said of a character's joints: pins, the reading, and where the rig's bones were put before."""

    pinned: dict[str, np.ndarray]
    reading: int
    reading_of: str
    bones: dict | None
    limbs: str = ""
    noted: str = ""  # `whole_change.note_points` of that moment

    @classmethod
    def of(cls, owner) -> Said:
        """What has been said of a character, by the object that holds its pins."""
        armature = armature_of(owner)
        noted = armature.data.get(names.FITTED) if armature is not None else None
        return cls(pins.pins_of(owner), getattr(owner, names.READING), getattr(owner, names.READING_OF),
                   noted.to_dict() if noted is not None else None, limbs_said(owner), note_points(owner))

    def is_said_of(self, owner) -> bool:
        """Whether nothing else has been said since."""
        now = Said.of(owner)
        return (now.reading, now.reading_of, now.limbs) == (self.reading, self.reading_of, self.limbs) and (
            now.pinned.keys() == self.pinned.keys()) and all(
            np.array_equal(p, self.pinned[n]) for n, p in now.pinned.items())

    def say_again(self, owner) -> None:
        """Have the character as it was; pins go along with what was applied to the object since."""
        change = change_since(owner, self.noted)
        pins.restore(owner, {name: moved_along(place, change) for name, place in self.pinned.items()})
        pins.choose_reading(owner, self.reading_of, self.reading)
        setattr(owner, names.LIMBS, self.limbs)
        armature = armature_of(owner)
        if armature is not None and self.bones is not None:
            armature.data[names.FITTED] = self.bones
