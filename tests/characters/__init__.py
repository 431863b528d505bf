"""The project's own characters, grown from implicit solids, each with joints known by construction."""

from .animals import SPECIES, QuadrupedOptions, quadruped
from .character import Character, merge
from .people import PersonOptions, person
from .showcase import sample

__all__ = ["SPECIES", "Character", "PersonOptions", "QuadrupedOptions", "merge", "person", "quadruped", "sample"]
