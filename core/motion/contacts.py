"""When feet stand: low and slow, with hysteresis."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.rotation import rotate
from .legs import Leg


@dataclass(frozen=True)
class ContactOptions:
    """What counts as standing, in leg lengths.

    height : above the floor, or above the lowest place the pivot comes to (its third percentile: stray frames sink
    no floor)
    speed : a second.  A planted foot in a good recording stays below 0.2; a walking foot swings at 3
    release : a contact once begun holds up to this many times both thresholds: no flicker at the limit
    shortest : seconds; shorter contacts are chance, shorter gaps are noise
    settled : above the middle height of a contact; frames at its ends that are higher land or leave
    heel : the same for the heel of a foot that also has a ball to stand on: held flat too long, it draws the hips down
    support : how high above a foot that stands on a stair or a box its hip is at least
    tipped : radians; a foot that is always tipped further hangs in the air, where another would stand on a box
    """

    height: float = 0.04
    speed: float = 0.3
    release: float = 1.3
    shortest: float = 0.05
    settled: float = 0.02
    heel: float = 0.01
    support: float = 0.65
    tipped: float = np.deg2rad(12)


@dataclass(frozen=True, eq=False)
class Pivot:
    """A point a foot can stand on.  leg : its number;  bone : heel or paw -> the foot, ball -> the toe;  offset : from
    the ankle"""

    leg: int
    bone: int
    offset: np.ndarray


def pivots_of(legs: list[Leg]) -> list[Pivot]:
    """All pivots, leg by leg, the heel before the ball."""
    return [Pivot(i, bone, offset) for i, leg in enumerate(legs) for bone, offset in leg.pivots.items()]


def ankle_of(leg: Leg, turns: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """(..., 3) the end of a leg's chain."""
    if leg.foot >= 0:
        return heads[..., leg.foot, :]
    return heads[..., leg.chain[-1], :] + rotate(turns[..., leg.chain[-1], :], leg.vectors[-1])


def pivot_places(legs: list[Leg], turns: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """(..., P, 3) where the pivots are, in the order of `pivots_of`: under the heel, and under the joint of the toes
    however the foot is turned."""
    places = []
    for leg in legs:
        ankle = ankle_of(leg, turns, heads)
        holder = leg.foot if leg.foot >= 0 else leg.chain[-1]
        held = ankle[..., None, :] + rotate(turns[..., holder, None, :], leg.held)
        places.append(held - leg.rises[:, None] * [0.0, 0.0, 1.0])
    return np.concatenate(places, axis=-2) if places else np.zeros((*heads.shape[:-2], 0, 3))


def detect_contacts(places: np.ndarray, rate: float, leg_length: float, options: ContactOptions = ContactOptions(), *,
                    loop: bool = False, stride=(0.0, 0.0, 0.0), floor: float | None = None, heels=()) -> np.ndarray:
    """(T, P) which pivots stand in which frames.

    places : (T, P, 3) character's frame;  loop, stride : as in MotionClip, so that the seam is like any other frame
    floor : its height; None takes the lowest place of each pivot;  heels : numbers of pivots that are heels of feet
    with a ball
    """
    places = np.asarray(places, float)
    frames, count = places.shape[:2]
    if frames == 0 or count == 0:
        return np.zeros((frames, count), bool)
    low = np.percentile(places[..., 2], 3, axis=0)
    if floor is not None:  # a pivot's own lowest place, unless it never comes down
        low = np.where(np.abs(low - floor) < 2 * options.height * leg_length, low, floor)
    height = (places[..., 2] - low) / leg_length
    speed = slowest(places, rate, loop, stride) / leg_length
    level = np.maximum(height / options.height, speed / options.speed)
    shortest = round(options.shortest * rate)
    times, middle = (3, slice(frames, 2 * frames)) if loop else (1, slice(frames))
    found = [_settled(stands(np.tile(level[:, p], times), options.release, shortest), np.tile(height[:, p], times),
                      options.heel if p in heels else options.settled, shortest)[middle] for p in range(count)]
    return np.stack(found, axis=1)


def _settled(standing: np.ndarray, height: np.ndarray, most: float, shortest: int) -> np.ndarray:
    """Contacts without the frames at their ends in which the foot is still coming down or already leaving."""
    out = np.zeros_like(standing)
    for first, last in runs(standing):
        low = np.flatnonzero(height[first:last] < np.median(height[first:last]) + most)
        if low[-1] - low[0] >= shortest - 1:
            out[first + low[0]:first + low[-1] + 1] = True
    return out


def raised_contacts(places: np.ndarray, hips: np.ndarray, level: np.ndarray, contacts: np.ndarray, leg_of, rate: float,
                    leg_length: float, options: ContactOptions = ContactOptions()) -> np.ndarray:
    """(T, P) which pivots stand on something higher than the floor: a stair, a box.

    places, hips : (T, P, 3) pivots and the hips of their legs;  level : (T, P) whether their feet are flat
    contacts : those on the floor;  leg_of : (P,) their legs
    A foot stands there if it keeps still under its hip, flat for some of that time, while for some no other foot
    carries the body.
    """
    out = np.zeros_like(contacts)
    slow = (slowest(places, rate) < options.speed / 2 * leg_length) & ~contacts
    slow &= hips[..., 2] - places[..., 2] > options.support * leg_length
    leg_of = np.asarray(leg_of)
    for pivot in range(places.shape[1]):
        others = leg_of != leg_of[pivot]
        alone = ~(contacts[:, others] | slow[:, others]).any(1)
        for first, last in runs(slow[:, pivot]):
            known = min(last - first, alone[first:last].sum(), level[first:last, pivot].sum())
            if known >= 2 * options.shortest * rate:
                out[first:last, pivot] = True
    return out


def slowest(places: np.ndarray, rate: float, loop: bool = False, stride=(0.0, 0.0, 0.0)) -> np.ndarray:
    """(T, P) speeds over the frames before or those after, whichever is less: a foot that has just landed stands.

    Over a thirtieth of a second, so that the noise of fast recordings is no speed.
    """
    step = max(1, round(rate / 30))
    if len(places) <= step:
        return np.zeros(places.shape[:2])
    if loop:
        places = np.concatenate([places, places[:step] + stride])
    moved = np.linalg.norm(places[step:] - places[:-step], axis=-1) * (rate / step)
    if loop:
        return np.minimum(moved, np.roll(moved, step, axis=0))
    ahead = np.concatenate([moved, np.full((step, places.shape[1]), np.inf)])
    return np.minimum(ahead, np.concatenate([np.full((step, places.shape[1]), np.inf), moved]))


def speeds(places: np.ndarray, rate: float, loop: bool, stride) -> np.ndarray:
    """(T, P, 3) velocities by central differences, one-sided at the ends of a motion that is no loop."""
    if loop:
        padded = np.concatenate([places[-1:] - stride, places, places[:1] + stride])
        return (padded[2:] - padded[:-2]) * (rate / 2)
    return np.gradient(places, axis=0) * rate if len(places) > 1 else np.zeros_like(places)


def runs(mask: np.ndarray) -> list[tuple[int, int]]:
    """(first, one past the last) frame of each stretch that is true."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], np.asarray(mask, np.int8), [0]])))
    return [(int(a), int(b)) for a, b in edges.reshape(-1, 2)]


def stands(level: np.ndarray, release: float, shortest: int) -> np.ndarray:
    """Below 1 begins a contact, above `release` ends it; then gaps and contacts that are too short are closed."""
    loose = level <= release
    standing = np.zeros(len(level), bool)
    for first, last in runs(loose):
        inside = np.flatnonzero(level[first:last] <= 1.0)
        if len(inside):
            standing[first + inside[0]:last] = True
    for first, last in runs(~standing):
        if last - first < shortest and first > 0 and last < len(level):
            standing[first:last] = True
    for first, last in runs(standing):
        if last - first < shortest:
            standing[first:last] = False
    return standing
