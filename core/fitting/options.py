"""What a caller may choose about a fit."""

from __future__ import annotations

from dataclasses import dataclass, field
from numbers import Integral

from .density import DensityOptions


@dataclass(frozen=True)
class FitOptions:
    """What a caller may choose about a fit.

    spheres : most spheres packed;  fat : candidates for the thickest joints. Both from [BP07] section 3
    mirror : treat a body as mirrored if at least this share of it is; above 1 never
    mirror_pins : a pin on one side of a mirrored body holds for both
    paper_ends : limbs end where [BP07] says, which is nearly everywhere, not where `limb_ends` finds them
    density : which ends are no hands or feet, and the steps of [W12]
    reading : which of the body's readings, 0 the likeliest; past the last it begins anew
    Raises ValueError for what is no such number.
    """

    spheres: int = 1000
    fat: int = 50
    mirror: float = 0.9
    mirror_pins: bool = True
    paper_ends: bool = False
    density: DensityOptions = field(default_factory=DensityOptions)
    reading: int = 0

    def __post_init__(self):
        if not all(isinstance(n, Integral) for n in (self.spheres, self.fat, self.reading)):
            raise ValueError("spheres, fat and reading are whole numbers")
        if self.spheres < 1 or self.fat < 1 or not self.mirror >= 0:
            raise ValueError("spheres and fat are at least 1, mirror at least 0")
