"""Feet that stay where they are put: the whole clip at once, looking both ways in time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from ..geometry.rotation import (
    between,
    conjugate,
    cross,
    from_axis_angle,
    multiply,
    normalized,
    rotate,
    slerp,
    swing_twist,
)
from .contacts import ankle_of, pivots_of, runs
from .kinematics import Kinematics
from .legs import ALMOST, Leg, reach_for

ROUNDS = 8  # at most, of settling soles on the ground
ON_BALL = 0.1  # of a foot's say in where the pelvis goes, while it stands on its ball
LOOSE = 0.005  # of the leg: how much further than the motion has it a leg reaches before its heel lifts
HIGHER = np.deg2rad(20)  # how much further than the source's a heel may come up, so that the hips need not come down
FLATTER = np.deg2rad(30)  # how much flatter than the source's a foot may swing, so that its leg need not be lifted
GRAZES = 1e-3  # of the leg: a foot no deeper under the ground than this is left to its leg
TINY = 3e-4  # of a leg: soles this near the ground are on it


@dataclass(frozen=True)
class HoldOptions:
    """How feet are held.

    blend : seconds a foot takes to leave its hold or come to it;  follow : seconds over which the pelvis evens out its
    own way;  give : seconds over which it comes down, or up, to where a leg reaches
    stretch : how straight a leg that must reach may become, as a part of its length; the pelvis gives way beyond
    """

    blend: float = 0.15
    follow: float = 0.15
    give: float = 0.3
    stretch: float = 0.997


@dataclass(frozen=True, eq=False)
class Placed:
    """What a leg is to do.  ankle : (T, 3);  foot : (T, 4) turns of what stands on the ground, None without a foot
    correction : (T, 3) how far the ankle was moved;  weight : (T,) 1 while held, 0 while free
    is_long : whether the foot is longer than the source's, measured by the leg
    """

    ankle: np.ndarray
    foot: np.ndarray | None
    correction: np.ndarray
    weight: np.ndarray
    is_long: bool


def hold_feet(
    kinematics: Kinematics,
    legs: list[Leg],
    turns: np.ndarray,
    root: np.ndarray,
    contacts: np.ndarray,
    rate: float,
    ground: float | np.ndarray,
    options: HoldOptions = HoldOptions(),
    rolls: list[float] | None = None,
) -> tuple[np.ndarray, np.ndarray]:
    """New turns (T, B, 4) and root (T, 3) whose feet neither slide while in contact, nor sink, nor float.

    turns, root : the motion, character's frame;  contacts : (T, P) in the order of `pivots_of`
    ground : its height, or (T, L) under each leg
    rolls : of each leg, how much of its foot's tilt it keeps while it stands; None keeps all
    The pelvis takes what the standing legs' corrections have in common, and comes down where a leg would not reach;
    a foot that stands on its ball alone lifts its heel before that; the legs do the rest (`reach_for`). Bones that are
    not part of a leg keep their turns.
    """
    heads = kinematics.heads(turns, root)
    columns = [[k for k, p in enumerate(pivots_of(legs)) if p.leg == i] for i in range(len(legs))]
    blend = max(1, round(options.blend * rate))
    grounds = np.broadcast_to(ground, (len(turns), len(legs))).T
    placed = [_place(leg, turns, heads, contacts[:, mine], blend, under, roll)
              for leg, mine, under, roll in zip(legs, columns, grounds, rolls or [1.0] * len(legs), strict=True)]
    if not placed:
        return turns, root
    common = _shared([p.correction for p in placed], [p.weight for p in placed],
                     [_leads(contacts[:, mine], blend) for mine in columns],
                     2 * round(options.follow * rate) + 1)
    placed = [_tiptoed(leg, p, heads[:, leg.chain[0]] + common, contacts[:, mine], blend, LOOSE * leg.reach
                       + np.linalg.norm(ankle_of(leg, turns, heads) - heads[:, leg.chain[0]], axis=1))
              for leg, p, mine in zip(legs, placed, columns, strict=True)]
    ankles = [p.ankle + (1 - p.weight)[:, None] * common for p in placed]
    standing = [contacts[:, mine].any(1) for mine in columns]
    placed = [replace(p, foot=_flatter(leg, p, ankle, turns, under))
              for leg, p, ankle, under in zip(legs, placed, ankles, grounds, strict=True)]
    out, move = turns, common
    for turn in range(ROUNDS):  # what the leg's last bone carries of a sole is known only when the leg is posed
        lifts = [settled(leg, ankle, p.foot, turns[:, leg.toe], out[:, leg.chain[-1]], stands, blend, under)
                 for leg, p, ankle, stands, under in zip(legs, placed, ankles, standing, grounds, strict=True)]
        most = max(float(np.abs(lift).max()) / leg.length for leg, lift in zip(legs, lifts, strict=True))
        if out is not turns and most < TINY:
            break
        for ankle, lift in zip(ankles, lifts, strict=True):
            ankle[:, 2] += lift * (1.0 if turn < 3 else 0.6)  # a nearly straight leg answers more than it should
        give = _give_way(legs, placed, ankles, heads, turns, common, 2 * round(options.give * rate) + 1,
                         options.stretch)
        move, posed = common + give, np.array(turns)
        for leg, p, ankle, under in zip(legs, placed, ankles, grounds, strict=True):
            free = ankle + (1 - p.weight)[:, None] * give  # a swinging leg goes with the pelvis, as high as it must
            over = clearance(leg, free, p.foot, turns[:, leg.toe], out[:, leg.chain[-1]], under)
            free[:, 2] -= np.minimum(over, 0.0)
            pose_leg(leg, posed, heads[:, leg.chain[0]] + move, free, p.foot, under)
        out = posed
        if not any(leg.sole is not None and (leg.foot < 0 or leg.sole.has_leg) for leg in legs):
            break
    return out, root + move


def _leads(contacts: np.ndarray, blend: int) -> np.ndarray:
    """(T,) how much a foot's correction moves the pelvis: one that stands on its ball alone lifts its heel instead.

    contacts : (T, P) of its pivots
    """
    standing = contacts.any(1)
    on_ball = standing & ~contacts[:, 0] if contacts.shape[1] == 2 else ~standing
    return fade(np.where(on_ball, ON_BALL, 1.0)[:, None], standing, blend)[:, 0]


def _shared(corrections, weights, leads, reach: int) -> np.ndarray:
    """(T, 3) what the legs' corrections have in common over `reach` frames and the like around them, as far as feet
    stand.  corrections : of each leg (T, 3);  weights, leads : (T,)"""
    even = lambda values: uniform_filter1d(  # noqa: E731 - used three times, here only
        uniform_filter1d(values, reach, axis=0, mode="nearest"), reach, axis=0, mode="nearest")
    moved = even(sum(lead[:, None] * c for lead, c in zip(leads, corrections, strict=True)))
    led, standing = even(sum(leads)), even(np.minimum(sum(weights), 1.0))
    return moved * (standing / np.maximum(led, 1e-9))[:, None]


def _give_way(legs, placed, ankles, heads, turns, common, reach: int, stretch: float) -> np.ndarray:
    """(T, 3) how the pelvis comes down where a leg would not reach its ankle, and up where it could not fold."""
    hips = [heads[:, leg.chain[0]] + common for leg in legs]
    apart = [np.linalg.norm(ankle_of(leg, turns, heads) - heads[:, leg.chain[0]], axis=1) for leg in legs]
    given = list(zip(legs, hips, ankles, apart, placed, strict=True))
    ease = lambda need: uniform_filter1d(  # noqa: E731 - never less than needed: the mean of what is at least that
        maximum_filter1d(np.max(need, axis=0), reach, mode="nearest"), reach, mode="nearest")
    drop = ease([too_high(leg, hip, ankle, free, stretch) * p.weight for leg, hip, ankle, free, p in given])
    rise = ease([too_low(leg, hip, ankle, free) * p.weight for leg, hip, ankle, free, p in given])
    return np.stack([0 * drop, 0 * drop, rise - drop], axis=1)


def pose_leg(leg: Leg, turns: np.ndarray, hip: np.ndarray, ankle: np.ndarray, foot: np.ndarray | None,
             ground: float | np.ndarray) -> None:
    """Bring a leg's ankle (T, 3) to its place and its foot's turns to (T, 4), written into turns (T, B, 4)."""
    chain = list(leg.chain)
    turns[:, chain] = reach_for(leg, turns[:, chain], hip, ankle)
    if foot is None:
        return
    reached = hip + rotate(turns[:, chain], leg.vectors).sum(1)
    short = np.flatnonzero(reached[:, 2] < ankle[:, 2] - 1e-5 * leg.length)  # the leg cannot fold as far as it should
    if len(short):
        foot = np.array(foot)
        last = turns[short, chain[-1]]
        foot[short] = level_foot(leg, reached[short], foot[short], turns[short, leg.toe], last,
                                 np.broadcast_to(ground, len(turns))[short])
    turns[:, leg.foot] = foot
    if leg.toe >= 0:
        turns[:, leg.toe] = level_toe(leg, reached, foot, turns[:, leg.toe], ground)


def _place(leg: Leg, turns, heads, contacts, blend: int, ground: np.ndarray, roll: float) -> Placed:
    """Where a leg's ankle must be so that its pivots stand still while in contact."""
    ankle = ankle_of(leg, turns, heads)
    foot = turns[:, leg.foot] if leg.foot >= 0 else None
    if foot is not None and roll < 1:
        near = fade(np.ones((len(foot), 1)), contacts.any(1), blend)[:, 0]
        foot = slerp(swing_twist(foot, np.array([0.0, 0.0, 1.0]))[1], foot, 1 - (1 - roll) * near)
    if foot is not None and contacts.shape[1] == 2:
        foot = _flattened(foot, contacts.all(1), blend)
    holder = foot if foot is not None else turns[:, leg.chain[-1]]
    raw = ankle[:, None] + rotate(holder[:, None], leg.held) - leg.rises[:, None] * [0.0, 0.0, 1.0]
    correction = np.zeros_like(ankle)
    for first, last in runs(contacts.any(1)):
        correction[first:last] = _step(raw[first:last], contacts[first:last], ground[first])
    standing = contacts.any(1)
    weight = fade(standing.astype(float)[:, None], standing, blend)[:, 0]
    correction = fade(correction, standing, blend)
    return Placed(ankle + correction, foot, correction, weight, roll < 1)


def _step(raw: np.ndarray, contacts: np.ndarray, ground: float) -> np.ndarray:
    """(S, 3) corrections during one step of a foot: S frames in which at least one of its pivots stands.

    raw : (S, P, 3) pivots.  The first pivot to stand is held at its mean place; one that takes over is held where it
    then is.
    """
    events = sorted(
        (first, -last, pivot) for pivot in range(contacts.shape[1]) for first, last in runs(contacts[:, pivot])
    )
    out = np.zeros((len(raw), 3))
    done = 0
    for first, minus_last, pivot in events:
        last = -minus_last
        if last <= done:
            continue
        if done == 0:
            lock = raw[first:last, pivot].mean(0)
        else:
            seam = min(first, done - 1)
            lock = raw[seam, pivot] + out[seam]
        lock[2] = ground
        own = lock - raw[first:last, pivot]
        overlap = max(done - first, 0)
        share = _smooth((np.arange(overlap) + 1) / (overlap + 1))[:, None]
        out[first:first + overlap] += share * (own[:overlap] - out[first:first + overlap])
        out[first + overlap:last] = own[overlap:]
        done = last
    return out


def _tiptoed(leg: Leg, placed: Placed, hip: np.ndarray, contacts: np.ndarray, blend: int, reach: np.ndarray) -> Placed:
    """The same with the heel lifted where the foot stands on its ball and the leg would have to reach further than the
    motion has it: a foot that is shorter than the source's rolls further over its ball to push off as high, and the
    knee bends as it should.

    hip : (T, 3);  reach : (T,) how far its ankle may be
    """
    if placed.foot is None or leg.toe_at is None or contacts.shape[1] != 2:
        return placed
    ball = contacts[:, 1] & ~contacts[:, 0]
    some = np.flatnonzero(ball & (np.linalg.norm(placed.ankle - hip, axis=1) > reach + ALMOST * leg.reach))
    if not len(some):
        return placed
    back = -rotate(placed.foot, leg.toe_at)
    axis = normalized(cross(np.array([0.0, 0.0, 1.0]), -back))
    toe = placed.ankle - back
    low, high = np.zeros(len(some)), np.full(len(some), HIGHER)
    for _ in range(12):  # halving: how much further is just enough
        middle = (low + high) / 2
        ankle = toe[some] + rotate(from_axis_angle(axis[some], middle), back[some])
        far = np.linalg.norm(ankle - hip[some], axis=1) > reach[some]
        low, high = np.where(far, middle, low), np.where(far, high, middle)
    lift = np.zeros((len(ball), 1))
    lift[some, 0] = high
    even = uniform_filter1d(lift, 2 * (blend // 3) + 1, axis=0, mode="nearest")
    for first, last in runs(ball):  # from where the heel stood, and to where it will, by and by
        count = min(2 * blend, last - first)
        share = _smooth((np.arange(count) + 1) / (count + 1))[:, None]
        even[first:first + count] *= share if first > 0 and contacts[first - 1, 0] else 1.0
        even[last - count:last] *= share[::-1] if last < len(ball) and contacts[last, 0] else 1.0
    lift = np.where(contacts[:, :1], 0.0, fade(even, ball, blend))[:, 0]
    turn = from_axis_angle(axis, lift)
    return replace(placed, ankle=toe + rotate(turn, back), foot=multiply(turn, placed.foot))


def _flattened(foot: np.ndarray, flat: np.ndarray, blend: int) -> np.ndarray:
    """Turns of a foot that lies as it lies at rest, turned about the vertical only and evenly, while both its pivots
    stand."""
    wanted = np.array(foot)
    up = np.array([0.0, 0.0, 1.0])
    for first, last in runs(flat):
        yaw = swing_twist(foot[first:last], up)[1]
        yaw = np.where(np.einsum("ti,i->t", yaw, yaw[0])[:, None] < 0, -yaw, yaw)
        wanted[first:last] = normalized(yaw.mean(0))
    change = multiply(wanted, conjugate(foot))
    change = np.where(change[:, :1] < 0, -change, change)
    change = normalized(fade(change - [1, 0, 0, 0], flat, blend) + [1, 0, 0, 0])
    return np.where((np.abs(change[:, 1:]).max(1) == 0)[:, None], foot, multiply(change, foot))


def fade(values: np.ndarray, mask: np.ndarray, blend: int) -> np.ndarray:
    """(T, K) the values where the mask is true; beyond, those at its edges, fading to nothing within `blend` frames."""
    out = np.where(mask[:, None], values, 0.0)
    for first, last in runs(~mask):
        count = min(blend, last - first)
        share = _smooth(1 - (np.arange(count) + 1) / (count + 1))[:, None]
        if first > 0:
            out[first:first + count] += share * values[first - 1]
        if last < len(mask):
            out[last - count:last] += share[::-1] * values[last]
    return out


def settled(leg: Leg, ankle: np.ndarray, foot: np.ndarray | None, toe: np.ndarray, last: np.ndarray,
            standing: np.ndarray, blend: int, ground: float | np.ndarray) -> np.ndarray:
    """(T,) how far up an ankle must go so that nothing is under the ground and, while it stands, its sole is on it.

    foot, toe, last : (T, 4) turns of foot, toe and the leg's last bone; the toe's are not looked at without a toe
    """
    lift = np.zeros(len(ankle))
    if leg.sole is not None:
        over = clearance(leg, ankle, foot, toe, last, ground)
        lift = fade(-over[:, None], standing, blend)[:, 0]
    return lift + np.maximum(-clearance(leg, ankle + lift[:, None] * [0, 0, 1], foot, toe, last, ground), 0.0)


def clearance(leg: Leg, ankle: np.ndarray, foot: np.ndarray | None, toe: np.ndarray, last: np.ndarray,
              ground: float | np.ndarray) -> np.ndarray:
    """(T,) height over the ground of what touches it first."""
    bent = None
    if foot is not None and leg.toe >= 0:
        bent = toe if leg.sole is None else level_toe(leg, ankle, foot, toe, ground)
    return ankle[:, 2] + leg.lowest(foot, bent, last) - ground


def too_high(leg: Leg, hip, ankle, free, stretch: float) -> np.ndarray:
    """(T,) how far the hip must come down for the leg to reach.

    free : (T,) hip to ankle as the motion had it;  stretch : see `HoldOptions`
    """
    reach = np.maximum(stretch * leg.reach, free)
    aside = np.sum((ankle - hip)[:, :2]**2, axis=1)
    allowed = ankle[:, 2] + np.sqrt(np.maximum(reach**2 - aside, (0.3 * reach)**2))
    return np.maximum(hip[:, 2] - allowed, 0.0)


def too_low(leg: Leg, hip, ankle, free) -> np.ndarray:
    """(T,) how far the hip must come up for the leg to fold under it."""
    least = np.minimum(1.02 * leg.shortest, free)
    aside = np.sum((ankle - hip)[:, :2]**2, axis=1)
    needed = ankle[:, 2] + np.sqrt(np.maximum(least**2 - aside, 0.0))
    return np.where(aside < least**2, np.maximum(needed - hip[:, 2], 0.0), 0.0)


def _flatter(leg: Leg, placed: Placed, ankle: np.ndarray, turns: np.ndarray, ground: np.ndarray) -> np.ndarray | None:
    """(T, 4) turns of a swinging foot laid flatter where it would go through the ground, as far as it may be: a foot
    longer than the source's need not lift its leg."""
    if placed.foot is None or not placed.is_long:
        return placed.foot
    flatter = level_foot(leg, ankle, placed.foot, turns[:, leg.toe], turns[:, leg.chain[-1]],
                         ground - GRAZES * leg.length, FLATTER)
    return slerp(flatter, placed.foot, placed.weight)


def level_foot(leg: Leg, ankle: np.ndarray, foot: np.ndarray, toe: np.ndarray, last: np.ndarray,
               ground: float | np.ndarray, most: float = np.pi) -> np.ndarray:
    """(T, 4) turns of a foot laid flatter, by `most` radians at most, where it would go through the ground."""
    sinks = np.flatnonzero(clearance(leg, ankle, foot, toe, last, ground) < -1e-6 * leg.length)
    if not len(sinks):
        return foot
    flat = swing_twist(foot[sinks], np.array([0.0, 0.0, 1.0]))[1]
    tipped = np.arccos(np.clip(rotate(foot[sinks], np.array([0.0, 0.0, 1.0]))[:, 2], -1.0, 1.0))
    low, high = np.zeros(len(sinks)), np.minimum(1.0, most / np.maximum(tipped, 1e-9))
    for _ in range(14):  # halving: how much flatter is just enough
        middle = (low + high) / 2
        still = clearance(leg, ankle[sinks], slerp(foot[sinks], flat, middle), toe[sinks], last[sinks],
                          np.broadcast_to(ground, len(foot))[sinks]) < 0
        low, high = np.where(still, middle, low), np.where(still, high, middle)
    out = np.array(foot)
    out[sinks] = slerp(foot[sinks], flat, high)
    return out


def level_toe(leg: Leg, ankle: np.ndarray, foot: np.ndarray, toe: np.ndarray, ground: float | np.ndarray) -> np.ndarray:
    """(T, 4) turns of a toe bent up where its end would be under the ground."""
    at = ankle + rotate(foot, leg.toe_at)
    along = rotate(toe, leg.toe_tip)
    length = np.linalg.norm(leg.toe_tip)
    rise = np.clip(ground - at[:, 2], -length, length)
    sinks = along[:, 2] < rise - 1e-9 * length
    if length < 1e-12 or not sinks.any():
        return toe
    up = np.array([0.0, 0.0, 1.0])
    ahead = normalized(cross(rotate(toe, cross(up, leg.toe_tip)), up))  # a toe that hangs straight down points ahead
    own = np.clip(5 * np.einsum("ti,ti->t", along, ahead) / length, 0.0, 1.0)[:, None]
    flat = normalized(own * normalized(along * [1, 1, 0]) + (1 - own) * ahead)
    flat *= np.sqrt(np.maximum(length**2 - rise**2, 0.0))[:, None]
    wanted = np.stack([flat[:, 0], flat[:, 1], rise], axis=1)
    return np.where(sinks[:, None], multiply(between(along, wanted), toe), toe)


def _smooth(x):
    return x * x * (3 - 2 * x)

