"""The joints that the landmark network knows, named as in the presets."""

from __future__ import annotations


def _both(*names: str) -> tuple[str, ...]:
    return tuple(f"{n}.{side}" for n in names for side in "LR")


BIPED = ("hips", "neck", "head", "head_top",
         *_both("shoulder", "upper_arm", "forearm", "hand", "hand_tip", "thigh", "shin", "foot", "toe", "toe_tip"))
QUADRUPED = ("hips", "neck", "head", "head_top", "tail", "tail_tip",
             *_both("front_shoulder", "front_upper", "front_lower", "front_foot", "front_toe",
                    "hind_hip", "hind_upper", "hind_lower", "hind_heel", "hind_foot", "hind_toe"))

# The network's outputs of each kind of body, in order.
LANDMARKS = {"biped": BIPED, "quadruped": QUADRUPED}


def mirrored(names: tuple[str, ...]) -> list[int]:
    """Index of each name's mirror image: .L for .R, its own where there is none."""
    other = {"L": "R", "R": "L"}
    return [names.index(n[:-1] + other[n[-1]]) if n[-2:] in (".L", ".R") else i for i, n in enumerate(names)]
