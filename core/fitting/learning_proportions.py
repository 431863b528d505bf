"""Learning the proportions: what artists' joints say about each formula, the best shares, and what they are worth.

Formulas are fitted one by one: robust against the odd artist, and held near the main length's own best share, so that
a length that explains nothing gets nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from types import ModuleType

import numpy as np

from . import biped, posed, quadruped
from .anatomy import Body
from .learning_characters import TOLD, Character, by_set
from .proportions import Proportions

PLACES: dict[str, tuple[ModuleType, Callable]] = {"biped": (biped, biped.place_biped),
                                                  "quadruped": (quadruped, quadruped.place_quadruped),
                                                  "posed": (posed, posed.place_posed)}
RIDGE = 1e-4      # on shares; lengths are about 0.3, so this matters only where characters do not decide
ROUNDS = 2        # a knee hangs on the hip above it: learn, place again, learn again
TRUST = 3.0       # families of characters that an expected share counts as
MISPLACED = 0.07  # mean error beyond which a limb was taken for another; its joints teach nothing


@dataclass(frozen=True, eq=False)
class Measured:
    """A character, the limbs found on it, and whether they are the right ones."""

    character: Character
    body: Body


@dataclass(frozen=True, eq=False)
class Observation:
    """What one artist's joint asks of a formula: sum of shares * lengths = value. Lengths in the character's sizes."""

    formula: str
    lengths: dict[str, float]
    value: float


class Tracer(Proportions):
    """Proportions that remember what they were asked."""

    calls: list[tuple[str, str, dict[str, float], float]]

    def __init__(self, proportions: Proportions):
        super().__init__(proportions.kind, proportions.formulas, proportions.expected)
        object.__setattr__(self, "calls", [])

    def of(self, name: str, joint: str, lengths: dict[str, float]) -> float:
        """See `Proportions.of`; the call is kept as (name, joint, lengths, value)."""
        value = super().of(name, joint, lengths)
        self.calls.append((name, joint, {n: lengths[n] for n in self.formulas[name]}, value))
        return value


def measure(character: Character) -> Measured:
    """Search a character with the shipped weights and measure its limbs."""
    return Measured(character, character.body(character.embed()))


def place(measured: Measured, proportions: Proportions) -> dict[str, np.ndarray]:
    """{joint: (3,)} of a measured character, unit frame."""
    return PLACES[proportions.kind][1](measured.body, proportions)


def observe(measured: Measured, proportions: Proportions) -> list[Observation]:
    """What the artist's joints ask of every formula, other formulas being as they are."""
    character, body = measured.character, measured.body
    module, place_body = PLACES[proportions.kind]
    tracer = Tracer(proportions)
    placed = place_body(body, tracer)
    found = []
    for name, joint, lengths, value in tracer.calls:
        if joint in character.truth:
            true, here, axis = character.truth[joint], placed[joint], module.AXES[name]
            if axis == "limb":
                distances, points = module.centre_line(body, joint, placed)
                value = distance_along(distances, points, true)
            elif axis == "out":
                value += (true[0] - here[0]) * (1.0 if joint.endswith(".L") else -1.0)
            else:
                value += float(true[{"back": 1, "up": 2}[axis]] - here[{"back": 1, "up": 2}[axis]])
            found.append(Observation(name, {n: x / character.size for n, x in lengths.items()}, value / character.size))
    return found


def distance_along(distances: np.ndarray, points: np.ndarray, place: np.ndarray) -> float:
    """How far along a polyline the place nearest to a point is. distances : (N,) of the (N, 3) points."""
    start, step = points[:-1], np.diff(points, axis=0)
    length = np.maximum((step**2).sum(1), 1e-18)
    share = np.clip(((place - start) * step).sum(1) / length, 0.0, 1.0)
    nearest = int(((start + share[:, None] * step - place) ** 2).sum(1).argmin())
    return float(distances[nearest] + share[nearest] * (distances[nearest + 1] - distances[nearest]))


def learn_proportions(characters: list[Measured], start: Proportions, *, ridge: float = RIDGE) -> Proportions:
    """The shares that fit the artists' joints best. Formulas nobody's joints speak about stay as they start.

    characters : of one kind.  start : gives each formula its lengths, and the first round its other formulas
    """
    proportions = start
    for _ in range(ROUNDS):
        asked: dict[str, list[Observation]] = {}
        for measured in characters:
            if mean_error(measured, place(measured, proportions)) < MISPLACED:
                for observation in observe(measured, proportions):
                    asked.setdefault(observation.formula, []).append(observation)
        formulas = {name: fit_shares(list(shares), asked[name], ridge) if shares and name in asked else shares
                    for name, shares in proportions.formulas.items()}
        proportions = replace(proportions, formulas=formulas)
    families = len({by_set(m.character.name) for m in characters})
    return replace(proportions, formulas={name: shrink(shares, proportions.expected.get(name, {}), families)
                                          for name, shares in proportions.formulas.items()})


def shrink(shares: dict[str, float], expected: dict[str, float], families: int) -> dict[str, float]:
    """Learned shares drawn to the expected ones, the more the fewer families of characters they were learned from.

    Artists of one family mean the same by a joint, others may not: what all characters of one say counts once.
    """
    own = families / (families + TRUST)
    return {n: own * x + (1 - own) * expected[n] if n in expected else x for n, x in shares.items()}


def fit_shares(names: list[str], observations: list[Observation], ridge: float = RIDGE) -> dict[str, float]:
    """{length: share} : from the weighted median of value / main length, by Huber's loss.

    Misses beyond three times the median one (two standard deviations) count linearly: where artists agree an odd one
    is ignored, where they form two schools the place is between them.
    """
    lengths = np.array([[o.lengths[n] for n in names] for o in observations])
    values = np.array([o.value for o in observations])
    prior = np.zeros(len(names))
    prior[0] = weighted_median(values, lengths[:, 0])
    shares = prior
    for _ in range(20):
        miss = np.abs(values - lengths @ shares)
        weight = 1.0 / np.maximum(miss / max(3.0 * float(np.median(miss)), 0.004), 1.0)
        weighted = lengths * weight[:, None]
        normal = weighted.T @ lengths + ridge * len(values) * np.eye(len(names))
        shares = prior + np.linalg.solve(normal, weighted.T @ (values - lengths @ prior))
    return {n: float(s) for n, s in zip(names, shares, strict=True)}


def weighted_median(values: np.ndarray, lengths: np.ndarray) -> float:
    """The share s of least sum |values - s lengths|. Lengths that are 0 say nothing; 0 if all are."""
    said = np.abs(lengths) > 1e-9
    if not said.any():
        return 0.0
    ratio, weight = values[said] / lengths[said], np.abs(lengths[said])
    order = np.argsort(ratio, kind="stable")
    summed = np.cumsum(weight[order])
    return float(ratio[order][np.searchsorted(summed, 0.5 * summed[-1])])


def hold_out(names: list[str], family: Callable[[str], str]) -> list[tuple[list[int], list[int]]]:
    """(others, held) numbers for every family in turn; no family is on both sides."""
    families = [family(n) for n in names]
    return [([i for i, f in enumerate(families) if f != one], [i for i, f in enumerate(families) if f == one])
            for one in sorted(set(families))]


def cross_validate(characters: list[Measured], start: Proportions,
                   family: Callable[[str], str]) -> list[dict[str, float]]:
    """{joint: error} of every character, its joints placed by proportions learned from all other families."""
    errors: list[dict[str, float]] = [{} for _ in characters]
    for others, held in hold_out([m.character.name for m in characters], family):
        learned = learn_proportions([characters[i] for i in others], start)
        for i in held:
            errors[i] = characters[i].character.errors(place(characters[i], learned))
    return errors


def mean_error(measured: Measured, joints: dict[str, np.ndarray]) -> float:
    """The mean over the joints on which artists agree, in the character's sizes."""
    return told_errors(measured.character.kind, measured.character.errors(joints))[0]


def told_errors(kind: str, errors: dict[str, float]) -> tuple[float, float]:
    """Mean and largest error over the joints on which artists agree."""
    told = [e for joint, e in errors.items() if joint.split(".")[0] in TOLD[kind]]
    return float(np.mean(told)), max(told)
