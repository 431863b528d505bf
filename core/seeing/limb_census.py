"""How many legs, arms, wings and tails a body has, read off its level slices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .silhouette import Slices

# Wings are a mirrored pair: how much of the broader one's breadth the other has, and how much of its own breadth each
# has nearer to the trunk.
ALIKE, SPRUNG = 0.75, 0.5
MANY = 3  # pairs of legs: more are not told apart


@dataclass(frozen=True)
class LimbCensus:
    """The limbs that show.

    leg_pairs : 0, 1, 2, or 3 for three and more
    arms : on both sides;  armpit : share of the height up to which the arms hang apart, 0 for held out or touching arms
    touch : share of the height at which hanging arms touch the body, 0 for nowhere
    reach : (left, right) how far the body reaches to the sides above the legs, unit frame
    upright : taller than long;  wings : broad sheets to both sides;  tail : something thin behind the legs
    """

    leg_pairs: int
    arms: bool
    armpit: float
    touch: float
    reach: tuple[float, float]
    upright: bool
    wings: bool
    tail: bool


def count_limbs(slices: Slices) -> LimbCensus:
    """The census of a body in the character's frame."""
    leg_pairs, crotch = _legs(slices)
    above = slices.pieces(max(crotch, 0.3), 1.0)
    height = _heights(slices, above)
    bridged = _counts(slices, _across(slices))[_numbers(slices, above)] > 0
    hanging = height[(_pairs(slices, above, far=0.07) >= 1) & bridged & (height < 0.82)]
    armpit = float(hanging.max()) if len(hanging) and len(hanging) >= 0.04 * len(above) else 0.0
    half = _half_widths(slices, above)
    reach = tuple(float(side.max()) if len(side) else 0.0 for side in half)
    trunk = float(np.median(np.minimum(*half))) if above else 0.0
    wide = min(reach) > 1.6 * trunk + 0.02
    size = slices.size
    return LimbCensus(leg_pairs, bool(armpit > 0 or wide), armpit, _touch(hanging), (reach[0], reach[1]),
                      bool(size[2] > 0.9 * size[1]), _wings(slices), _tail(slices, crotch))


def _touch(hanging: np.ndarray, *, gap: float = 0.025) -> float:
    """The middle of the longest stretch without hanging arms between heights with them, 0 if none exceeds `gap`."""
    if len(hanging) < 2:
        return 0.0
    steps = np.diff(hanging)
    widest = int(steps.argmax())
    return float(hanging[widest : widest + 2].mean()) if steps[widest] > gap else 0.0


def _numbers(slices: Slices, slabs: list[np.ndarray]) -> np.ndarray:
    """(S,) the numbers of slices that are given by their pieces."""
    return slices.slice_of[np.array([pieces[0] for pieces in slabs], int)]


def _heights(slices: Slices, slabs: list[np.ndarray]) -> np.ndarray:
    """(S,) shares of the body's height."""
    return slices.z[np.array([pieces[0] for pieces in slabs], int)]


def _counts(slices: Slices, pieces: np.ndarray) -> np.ndarray:
    """For each of all slices how many of some pieces (P,) bool it has."""
    return np.bincount(slices.slice_of[pieces], minlength=int(slices.slice_of.max(initial=-1)) + 1)


def _each(slices: Slices, values: np.ndarray, pieces: np.ndarray) -> np.ndarray:
    """For each of all slices the largest value (P,) of some of its pieces (P,) bool; minus infinity without any."""
    out = np.full(int(slices.slice_of.max(initial=-1)) + 1, -np.inf)
    np.maximum.at(out, slices.slice_of[pieces], values[pieces])
    return out


def _sides(slices: Slices, far: float) -> tuple[np.ndarray, np.ndarray]:
    """(P,) bool: pieces wholly to the left of the mirror plane, or wholly to the right, whose middles lie `far` from
    it."""
    x = slices.middle[:, 0] - slices.centre
    left = (slices.low[:, 0] > slices.centre - 0.01) & (x > far)
    return left, (slices.high[:, 0] < slices.centre + 0.01) & (x < -far)


def _pairs(slices: Slices, slabs: list[np.ndarray], far: float = 0.015) -> np.ndarray:
    """(S,) how many pairs of mirrored pieces slices have, told apart by where they are along y; three at most count."""
    sides, of = _sides(slices, far), _numbers(slices, slabs)
    left, right = (_counts(slices, side)[of] for side in sides)
    out = np.minimum(np.minimum(left, right), 1)
    for s in np.flatnonzero((left > 1) & (right > 1)):
        y = [np.sort(slices.middle[slabs[s][side[slabs[s]]], 1]) for side in sides]
        many = min(_far_apart(at, 0.1 * slices.size[1]) for at in y)
        out[s] = 3 if many == MANY else 2 if min(at[-1] - at[0] for at in y) > 0.2 * slices.size[1] else 1
    return out


def _far_apart(places: np.ndarray, gap: float) -> int:
    """How many of some ascending places, up to MANY, lie further than a gap beyond the last one counted: toes beside
    each other are one foot, a centipede's legs are many, however near each is to the next."""
    count, beyond = 1, places[places - places[0] > gap]
    while len(beyond) and count < MANY:
        count, beyond = count + 1, beyond[beyond - beyond[0] > gap]
    return count


def _legs(slices: Slices) -> tuple[int, float]:
    """Pairs of legs, and the share of the height up to which at least one pair is parted."""
    low = slices.pieces(0.02, 0.6)
    pairs, z = _pairs(slices, low), _heights(slices, low)
    zone = (z > 0.03) & (z < 0.3)
    if not zone.any() or (pairs[zone] > 0).mean() < 0.25:
        return 0, 0.0
    shares = [(pairs[zone] >= many).mean() for many in (2, 3)]
    count = 1 + sum(share > 0.3 for share in shares) if slices.size[1] > 0.45 * slices.size[2] else 1
    parted = np.flatnonzero((pairs > 0) & _unbridged(slices, low))
    return count, float(z[parted].max()) if len(parted) else 0.0


def _unbridged(slices: Slices, slabs: list[np.ndarray]) -> np.ndarray:
    """(S,) bool: no piece crosses the mirror plane that is larger than the largest beside it: a trunk would."""
    across, of = _across(slices), _numbers(slices, slabs)
    largest = _each(slices, slices.area, across)[of]
    return (largest < 0) | (largest < _each(slices, slices.area, ~across)[of])


def _across(slices: Slices) -> np.ndarray:
    """(P,) bool: which pieces lie across the mirror plane."""
    return (slices.low[:, 0] < slices.centre - 0.01) & (slices.high[:, 0] > slices.centre + 0.01)


def _half_widths(slices: Slices, slabs: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """For each slice how far it reaches to the left and to the right of the mirror plane."""
    of, every = _numbers(slices, slabs), np.ones(len(slices.z), bool)
    left, right = (_each(slices, x, every)[of] for x in (slices.high[:, 0], -slices.low[:, 0]))
    return left - slices.centre, right + slices.centre


def _wings(slices: Slices) -> bool:
    """Whether what reaches out furthest is broad from front to back and thin from top to bottom, on both sides.

    Wings are a pair, alike in breadth, and broad all the way out from the trunk: a shield or a sword at the end of a
    level arm is neither. And the body is long, by beak and tail: cartoon hands are flat and broad as well.
    """
    deep, tall = slices.outer.T
    is_pair = deep.min() > ALIKE * deep.max() and (slices.inner > SPRUNG * deep).all()
    is_sheet = (deep > 0.14).all() and (deep > 2.2 * tall).all()
    return bool(slices.size[0] > 0.6 and slices.size[1] > 0.5 and is_sheet and is_pair)


def _tail(slices: Slices, crotch: float) -> bool:
    """Whether something on the mirror plane, and narrow, lies well behind the trunk."""
    trunk = slices.pieces(max(crotch, 0.4), 0.75)
    back = float(np.median([slices.high[p, 1][slices.area[p].argmax()] for p in trunk])) if trunk else 0.0
    on_plane = (slices.low[:, 0] < slices.centre) & (slices.high[:, 0] > slices.centre) & (slices.z < 0.8)
    narrow = slices.high[:, 0] - slices.low[:, 0] < 0.15
    behind = on_plane & narrow & (slices.low[:, 1] > back - 0.02) & (slices.high[:, 1] > back + 0.03)
    count = len(np.unique(slices.slice_of))
    return bool(len(np.unique(slices.slice_of[behind])) > 0.04 * count
                and float(slices.high[behind, 1].max()) > back + 0.1)
