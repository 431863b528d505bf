"""The joints that the landmark network knows, named as in the presets, and the kinds of bodies that have them."""

from __future__ import annotations


def _both(*names: str) -> tuple[str, ...]:
    return tuple(f"{n}.{side}" for n in names for side in "LR")


_ARMS = _both("shoulder", "upper_arm", "forearm", "hand", "hand_tip")
_LEGS = _both("thigh", "shin", "foot", "toe", "toe_tip")
_FOUR_LEGS = _both("front_shoulder", "front_upper", "front_lower", "front_foot", "front_toe",
                   "hind_hip", "hind_upper", "hind_lower", "hind_heel", "hind_foot", "hind_toe")

# The joints of each kind of body, parents first. A preset of a kind has all of them.
LANDMARKS = {
    "biped": ("hips", "neck", "head", "head_top", *_ARMS, *_LEGS),
    "biped_tail": ("hips", "neck", "head", "head_top", *_ARMS, *_LEGS, "tail", "tail_tip"),
    "quadruped": ("hips", "neck", "head", "head_top", "tail", "tail_tip", *_FOUR_LEGS),
    "centaur": ("hips", "withers", "neck", "head", "head_top", *_ARMS, "tail", "tail_tip", *_FOUR_LEGS),
}

# Which heat map a kind's joint is: limbs alike are learned as one, whatever body they are on.
_PERSON = ("neck", "head", "head_top", *_ARMS)


def _output(kind: str, joint: str) -> str:
    person = kind in ("biped", "biped_tail") or (kind == "centaur" and joint in _PERSON)
    return f"{'person' if person else 'animal'} {joint}"


# The network's heat maps, in order, and for each kind the numbers of its joints' maps.
OUTPUTS = tuple(dict.fromkeys(_output(kind, joint) for kind, joints in LANDMARKS.items() for joint in joints))
OUTPUTS_OF = {kind: [OUTPUTS.index(_output(kind, j)) for j in joints] for kind, joints in LANDMARKS.items()}


def mirrored(names: tuple[str, ...]) -> list[int]:
    """Index of each name's mirror image: .L for .R, its own where there is none."""
    other, number = {".L": ".R", ".R": ".L"}, {n: i for i, n in enumerate(names)}
    return [number.get(n[:-2] + other.get(n[-2:], n[-2:]), i) for i, n in enumerate(names)]
