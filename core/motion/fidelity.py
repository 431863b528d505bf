"""How sure a transfer is: what it has kept of the source, judged by other means than those that made it."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise

import numpy as np
from scipy.ndimage import maximum_filter1d, uniform_filter1d

from ..geometry.rotation import normalized, rotate
from .contacts import ankle_of, pivot_places, runs
from .legs import Leg

SLOW, LOW, LASTS = 0.3, 0.05, 0.06  # leg lengths a second; leg lengths; seconds: a point that stands, to the eye
EDGE = 1 / 30  # seconds at a contact's ends that nobody knows: one frame of most files
DOWN = 0.4  # of their highest place over the feet: hips that are lower sit, kneel or lie, and no foot carries them
ARMS = ("upper_arm", "forearm", "hand")
LEGS = ("thigh", "shin", "foot")
POP = 10.0  # degrees from one frame to the next, and
MORE = 4.0  # so many more than the source's in that frame and its neighbours: a knee may swing fast, not jump
STILL = 0.02  # leg lengths: hips whose ways up and down differ by less go alike
UNEVEN = 0.15  # leg lengths a second: feet on the spot that slide more against the ground they make do not agree on it


@dataclass(frozen=True)
class Fidelity:
    """What a transfer kept of its source.

    recall, precision : of the contacts, against those that the points of the source's feet show by themselves, but for
    a thirtieth of a second at their ends, while the body is on its feet
    slide, source_slide : leg lengths a second of feet while those of the source stand, mean
    float_ : percent of the leg, mean height of the soles over the ground then
    arm, leg : degrees between the bones' directions and the source's, 95th percentile;  leg_middle : the median
    pops : turns of a knee by more than 10 degrees from frame to frame, and by 4 more than the source's there, per 1000
    frames
    rise : range of the hips' height in leg lengths, over the source's
    uneven : on the spot, whether the source's feet do not all go back with one ground
    """

    recall: float = 1.0
    precision: float = 1.0
    slide: float = 0.0
    source_slide: float = 0.0
    float_: float = 0.0
    arm: float = 0.0
    leg: float = 0.0
    leg_middle: float = 0.0
    pops: float = 0.0
    rise: float = 1.0
    uneven: bool = False

    def numbers(self) -> dict[str, float]:
        """For reports."""
        return {one.name.rstrip("_"): round(float(getattr(self, one.name)), 3) for one in fields(self)}

    def warnings(self) -> list[str]:
        """What to look at, in the artist's words; nothing where all is near the source."""
        said = []
        if self.recall < 0.95 or self.precision < 0.95:
            said.append(f"Feet may stand at wrong times: they do in {100 * self.recall:.0f} % of the frames in which "
                        f"they should, and {100 * self.precision:.0f} % of the frames in which they do are right. Look "
                        "at the feet.")
        if self.uneven:
            said.append("The motion goes on the spot, and its feet do not slide back evenly: where they stand is a "
                        "guess. Look at the feet.")
        if self.slide > max(0.03, self.source_slide):
            said.append(f"Feet slide while they should stand, by {100 * self.slide:.0f} % of a leg's length a second.")
        if self.float_ > 1.0:
            said.append(f"Feet are off the ground while they should stand, by {self.float_:.1f} % of a leg's length.")
        if self.arm > 3.0:
            said.append(f"Arms differ from the motion's by up to {self.arm:.0f} degrees.")
        if self.leg_middle > 3.0 or self.leg > 12.0:
            said.append(f"Legs differ from the motion's by up to {self.leg:.0f} degrees, so that the feet "
                        "reach the ground.")
        if self.pops > 5.0:
            said.append(f"Knees bend faster than the motion's in {self.pops / 10:.0f} % of the frames. Look at them "
                        "where feet land.")
        if not 0.95 <= self.rise <= 1.10:
            said.append(f"The hips go up and down {self.rise:.2f} times as far as those of the motion.")
        return said


def fidelity(source, target, seen: tuple[np.ndarray, np.ndarray], made: tuple[np.ndarray, np.ndarray],
             contacts: np.ndarray, rate: float, belt: np.ndarray) -> Fidelity:
    """Compare a target with its source.

    source, target : Body;  seen, made : (turns (T, B, 4), heads (T, B, 3)) of each, character's frame
    contacts : (T, P) of the target's pivots;  rate : frames a second
    belt : (3,) that was taken off the source, units a second
    """
    pairs = [(a, b) for b in target.legs for a in source.legs if a.name == b.name]
    found: dict[str, float] = {}
    is_uneven = False
    if pairs:
        found |= _feet(pairs, target, seen, made, contacts, rate, float(np.linalg.norm(belt)))
        is_uneven = bool(belt.any()) and found["source_slide"] > UNEVEN
        own = np.mean([made[1][:, b.chain[0], 2] / b.reach for _, b in pairs], axis=0)
        rises = [_rise(np.mean([height(a, b, seen) for a, b in pairs], axis=0), own)
                 for height in (_hip_height, _divided_height)]
        found["rise"] = min(rises, key=lambda r: abs(r - 1))
    for name, parts in (("arm", ARMS), ("leg", LEGS)):
        known = [(f"{a}.{s}", f"{b}.{s}") for s in "LR" for a, b in pairwise(parts)
                 if all(f"{x}.{s}" in body.roles for x in (a, b) for body in (source, target))]
        if known:
            ways = [np.stack([normalized(heads[:, body.roles[b]] - heads[:, body.roles[a]]) for a, b in known], 1)
                    for body, heads in ((source, seen[1]), (target, made[1]))]
            apart = np.rad2deg(2 * np.arcsin(np.minimum(np.linalg.norm(ways[0] - ways[1], axis=-1) / 2, 1.0)))
            found[name] = float(np.percentile(apart, 95))
            if name == "leg":
                found["leg_middle"] = float(np.median(apart))
                knees = [_flexion(way, known) for way in ways]
                steps = [np.abs(np.diff(knee, axis=0)) for knee in knees]
                fast = maximum_filter1d(steps[0], 3, axis=0, mode="nearest") if len(steps[0]) else steps[0]
                found["pops"] = 1000 * int(((steps[1] > POP) & (steps[1] > fast + MORE)).sum()) / max(1, len(apart))
    return Fidelity(**found, uneven=is_uneven)


def _rise(source: np.ndarray, target: np.ndarray) -> float:
    """Range of a target's hips (T,) over that of a source's; 1 where they differ by next to nothing."""
    spans = [float(np.subtract(*np.percentile(h, (99, 1)))) for h in (source, target)]
    return spans[1] / spans[0] if abs(spans[1] - spans[0]) > STILL else 1.0


def _hip_height(theirs: Leg, leg: Leg, seen: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """(T,) height of a source's hip in leg lengths."""
    return seen[1][:, theirs.chain[0], 2] / theirs.reach


def _divided_height(theirs: Leg, leg: Leg, seen: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
    """(T,) the same, were its leg divided as the target's: who has long thighs sits lower."""
    down = -rotate(seen[0][:, list(theirs.chain)], theirs.vectors)[..., 2]
    if len(theirs.vectors) == len(leg.vectors):
        sizes = [np.linalg.norm(x.vectors, axis=1) / x.reach for x in (theirs, leg)]
        down = down * sizes[1] / np.maximum(sizes[0], 1e-12)
    return (ankle_of(theirs, *seen)[:, 2] + down.sum(1)) / theirs.reach


def _flexion(ways: np.ndarray, known) -> np.ndarray:
    """(T, K) degrees that knees are bent by.  ways : (T, 2 K, 3) upper and lower bones in turn"""
    upper = [i for i, (a, _) in enumerate(known) if a.startswith("thigh") and i + 1 < len(known)
             and known[i + 1][0].startswith("shin")]
    cos = np.einsum("tki,tki->tk", ways[:, upper], ways[:, [i + 1 for i in upper]])
    return np.rad2deg(np.arccos(np.clip(cos, -1, 1)))


def _feet(pairs, target, seen, made, contacts, rate: float, belt: float) -> dict[str, float]:
    slides, slides_in, heights = [], [], []
    hits = kept = held = true = 0
    edge = 2 * max(1, round(EDGE * rate)) + 1
    column: dict[str, list[int]] = {leg.name: [] for leg in target.legs}
    pivots = [(leg.name, bone) for leg in target.legs for bone in leg.pivots]
    for k, (name, _) in enumerate(pivots):
        column[name].append(k)
    for theirs, leg in pairs:
        stands, slow = standing(theirs, seen, rate, belt)
        over = seen[1][:, theirs.chain[0], 2] - ankle_of(theirs, *seen)[:, 2]
        up = over > DOWN * np.percentile(over, 99)
        mine, stands = contacts[:, column[leg.name]].any(1) & up, stands & up
        hits, true = hits + int((maximum_filter1d(mine, edge) & stands).sum()), true + int(stands.sum())
        kept, held = kept + int((maximum_filter1d(stands, edge) & mine).sum()), held + int(mine.sum())
        inner = stands.copy()
        inner[1:] &= stands[:-1]
        inner[:-1] &= stands[1:]
        inner[[0, -1]] = False
        places = pivot_places([leg], *made)
        step = np.linalg.norm(np.diff(places[..., :2], axis=0), axis=-1).min(1) * rate / leg.reach
        slides.append(np.append(step, 0.0)[inner])
        slides_in.append(slow[inner])
        if leg.sole is not None:
            ankle = ankle_of(leg, *made)
            foot = made[0][:, leg.foot] if leg.foot >= 0 else None
            low = ankle[:, 2] + leg.lowest(foot, made[0][:, leg.toe] if leg.toe >= 0 else None,
                                           made[0][:, leg.chain[-1]]) - target.ground
            heights.append(np.abs(low[stands & mine]) / leg.reach)
    mean = lambda rows: float(np.concatenate(rows).mean()) if sum(map(len, rows)) else 0.0  # noqa: E731
    return {"recall": hits / true if true else 1.0, "precision": kept / held if held else float(true == 0),
            "slide": mean(slides), "source_slide": mean(slides_in), "float_": 100 * mean(heights)}


def standing(leg: Leg, seen, rate: float, belt: float) -> tuple[np.ndarray, np.ndarray]:
    """(T,) whether a foot stands as its ankle, heel and ball show it, and their least speed, leg lengths a second."""
    turns, heads = seen
    points = [ankle_of(leg, turns, heads), *np.moveaxis(pivot_places([leg], turns, heads), 1, 0)]
    best, least = np.zeros(len(heads), bool), np.full(len(heads), np.inf)
    for point in points:
        if len(point) < 2:
            break
        step = np.linalg.norm(np.diff(point, axis=0), axis=1) * rate / leg.reach
        speed = np.minimum(np.append(step, step[-1]), np.insert(step, 0, step[0]))
        speed = uniform_filter1d(speed, max(1, round(rate / 40)))
        low = point[:, 2] < np.percentile(point[:, 2], 5) + LOW * leg.reach
        best |= low & (speed < SLOW + 0.15 * belt / leg.reach)
        least = np.minimum(least, speed)
    out = np.zeros(len(heads), bool)
    for first, last in runs(best):
        out[first:last] = last - first >= max(2, round(LASTS * rate))
    return out, least
