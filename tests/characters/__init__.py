"""The project's own characters, grown from implicit solids, each with joints known by construction.

sample() is the one strangers see; person() and quadruped() vary at will; the rest are bodies nobody expects.
"""

from .animals import SPECIES, QuadrupedOptions, quadruped
from .based import BASES, LOW, low_body, on_base, on_mound
from .beasts import beast, flyer, hydra, mermaid, whale
from .character import Character, merge
from .crawlers import chair, fish, ghost, many_legged, octopus, six_legged_beast, snake, star, tree, wheeled
from .creatures import bird, blob, centaur, hen, robot
from .damage import DAMAGES, damage
from .dolls import doll, gloved, gowned, maimed, many_armed
from .dressed import dressed
from .people import PersonOptions, person
from .plush import plush, teddy
from .showcase import sample
from .toys import ToyOptions, toy

__all__ = ["BASES", "DAMAGES", "LOW", "SPECIES", "Character", "PersonOptions", "QuadrupedOptions", "ToyOptions",
           "beast", "bird", "blob", "centaur", "chair", "damage", "doll", "dressed", "fish", "flyer", "ghost",
           "gloved", "gowned", "hen", "hydra", "low_body", "maimed", "many_armed", "many_legged", "merge", "mermaid",
           "octopus", "on_base", "on_mound", "person", "plush", "quadruped", "robot", "sample", "six_legged_beast",
           "snake", "star", "teddy", "toy", "tree", "whale", "wheeled"]
