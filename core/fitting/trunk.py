"""What of an outline an artist would not rig, and where the trunk of a body runs that stands on the ground."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import ndimage

from ..arrays import argwhere
from ..geometry.distance import DistanceField
from .creature import NEAR_GROUND, RAISED, ROUND, SHORT, SMALL, STEEP, Seen
from .limb_sorts import ALIKE, FLAT, alike_around
from .outline import ASIDE, Line, Outline

THIN = 0.125  # of the trunk's depth: a handle or a rail, not an arm
PLATE = 2 * FLAT  # of `Line.flat`: armour, not a finger
LEVELS = 24  # of a trunk's middle line
TOP = 0.85  # of the way to the top of the flesh a trunk's last bone ends
CORNER = 1.5  # of the flesh's depth: so near the end of a trunk its line runs into a corner
BAG = 0.6  # of an arm's length high at least is an octopus's bag; what is flatter is a star


def without_clutter(lines: list[Line], outline: Outline) -> list[Line]:
    """The lines without the halves of thin rings (handles, rails) and without short plates that lie on limbs.

    A ring is cut where waves meet; neither half ends in anything.
    """
    gone = {id(line) for line in lines if line.part == "limb" and line.parent.part == "limb" and line.flat > PLATE
            and line.parent.flat < PLATE and line.length < SHORT}
    low = float(outline.interior.centres[:, 2].min())
    thin = [line for line in lines if line.part == "limb" and line.points[-1, 2] - low > NEAR_GROUND
            and float(np.median(line.radii)) < THIN * float(outline.depth.max())]
    if len(thin) > 1:
        ends = np.array([line.points[-1] for line in thin])
        width = 2 * np.array([float(np.median(line.radii)) for line in thin]) + outline.interior.grid.spacing
        apart = np.linalg.norm(ends[:, None] - ends[None], axis=2) + 2 * np.eye(len(thin))
        meets = (apart < np.maximum(width[:, None], width[None])).any(1)
        gone |= {id(line) for line, is_half in zip(thin, meets, strict=True) if is_half}
    return [line for line in lines if not any(id(above) in gone for above in line.way())]


def standing(seen: Seen, body: DistanceField, least: float) -> list[Line]:
    """The lines, parents first, with the trunk as an artist draws it: from its hips, or from the ground, to its top.

    A trunk that is round, leaves the mirror plane or is shorter than `least` becomes a line through the middle of the
    flesh, from bottom to top; from rear to front, if the body has no legs and is clearly longer than tall. One that
    stands up begins at its lower end, one without a rear end between its legs.
    """
    spine, rear, hips = seen.lines[0], seen.rear, _hips(seen)
    ends = [spine.points[-1]] + ([] if rear is None else [rear.points[-1]])
    strays = seen.plane is not None and max(abs(end[0] - seen.plane) for end in ends) > ASIDE
    trunk = spine.points if rear is None else np.vstack([spine.points, rear.points])
    is_round = seen.length < ROUND * 2 * float(np.median(-body.sample(trunk)))
    if strays or is_round or seen.length < least:
        points = _lying(seen, body) if hips is None else None
        if points is None or _spans_air(points, body):
            points = _column(seen, body, hips)
    elif rear is None:
        points = _from_hips(spine, hips)
    elif seen.rise > STEEP and (hips is None or rear.points[-1, 2] > hips[2] - SMALL):
        points = np.vstack([rear.points[:0:-1], spine.points])
        points = _ahead(_ahead(points, body)[::-1], body)[::-1]
    else:
        return seen.lines
    if points is spine.points or _spans_air(points, body):
        return seen.lines
    return _with_spine(seen, points, body)


def out_of_wreath(seen: Seen, body: DistanceField) -> list[Line]:
    """The lines, parents first, where arms of a wreath that lie on the mirror plane were taken for the spine, the tail
    or both: they are limbs like the others, and the trunk goes up through the bag."""
    arms = [line for line in (seen.spine, seen.rear) if line is not None and line.flat < FLAT]
    around = alike_around([*seen.limbs, *arms])
    thick = float(np.median([np.median(line.radii) for line in around])) if around else 0.0
    arms = [arm for arm in arms if any(arm is line for line in around)
            and thick / ALIKE < float(np.median(arm.radii)) < thick * ALIKE]
    if not arms:
        return seen.lines
    column = _column(seen, body, np.median([line.points[0] for line in around], axis=0))
    if column[-1, 2] - seen.low < BAG * float(np.median([line.length for line in around])):
        return seen.lines
    middle, others = seen.spine.points[0], [line for line in around if not any(line is arm for arm in arms)]
    begins = float(np.median([np.linalg.norm(line.points[0] - middle) for line in others]))
    lines = _with_spine(seen, column, body)
    for arm in arms:
        own = np.linalg.norm(arm.points - middle, axis=1) > begins
        lines.append(replace(arm, part="limb", points=arm.points[own], radii=arm.radii[own], parent=lines[0]))
    return lines


def legs_off_wings(seen: Seen) -> bool:
    """Let legs that seem to grow out of a wing, as they touch it, begin where the wing does, in place: where two limbs
    touch, one is found as a branch of the other. Such a wing counts as a sheet, though the way to where they touch may
    be the leg's. Returns whether there are any.

    Only what stands has such legs: some others come down from its trunk. They are pairs: a staff is none.
    """
    touching = [line for line in seen.parts if line.twin is not None and line.side == line.parent.side
                and line.flat < FLAT
                and line.points[-1, 2] - seen.low < NEAR_GROUND and line.points[0, 2] - seen.low > RAISED
                and line.parent.points[-1, 2] - seen.low > RAISED]
    if not touching or sum("leg" in found for found in seen.sorts.values()) < 2:
        return False
    for line in touching:
        wing = line.parent
        leaves = int(np.linalg.norm(wing.points - line.points[0], axis=1).argmin())
        line.points = np.vstack([wing.points[:leaves], line.points])
        line.radii = np.concatenate([wing.radii[:leaves], line.radii])
        line.parent, wing.flat = wing.parent, max(wing.flat, 1.01 * FLAT)
    return True


def is_leg(line: Line, low: float) -> bool:
    """Whether a limb of one side comes down to the ground, at the height `low`, and is long enough for a foot."""
    return bool(line.side and line.points[-1, 2] - low < NEAR_GROUND and line.points[0, 2] - low > RAISED
                and line.length > 2 * SMALL)


def _hips(seen: Seen) -> np.ndarray | None:
    """(3,) between the bases of the longest leg of each side; None where a side has none."""
    legs = [[line for line in seen.lines if line.side == side and is_leg(line, seen.low)] for side in "LR"]
    if not all(legs):
        return None
    return np.mean([max(side, key=lambda line: line.length).points[0] for side in legs], axis=0)


def _from_hips(spine: Line, hips: np.ndarray | None) -> np.ndarray:
    """(K, 3) the spine from between the legs, where these hang below its beginning."""
    if hips is None or spine.points[0, 2] - hips[2] < SMALL / 2:
        return spine.points
    return np.vstack([[spine.points[0, 0], *hips[1:]], spine.points])


def _ahead(points: np.ndarray, body: DistanceField) -> np.ndarray:
    """(K, 3) a trunk's points with the last one straight ahead, where they run into a corner of a blunt end."""
    away = np.linalg.norm(points - points[-1], axis=1)
    k = int((away <= -CORNER * body.sample(points)).argmax())
    if k in {0, len(points) - 1}:
        return points
    way = points[k] - points[min(int((away < 2 * away[k]).argmax()), k - 1)]
    way /= max(float(np.linalg.norm(way)), 1e-12)
    end = points[k] + float((points[-1] - points[k]) @ way) * way
    return points if _spans_air(end[None], body) else np.vstack([points[:k + 1], end])


def _spans_air(points: np.ndarray, body: DistanceField) -> bool:
    """Whether points (K, 3) lie outside the flesh, by more than a voxel: no bone does."""
    return bool((body.sample(points) > body.grid.spacing).any())


def _column(seen: Seen, body: DistanceField, hips: np.ndarray | None) -> np.ndarray:
    """(K, 3) the middles of the flesh about the mirror plane, level by level, from hips or ground to the top."""
    places, weight = _flesh(seen, body)
    return _middles(places, weight, np.array([0.0, 0.0, 1.0]), body.grid.spacing, None if hips is None else hips[2])


def _lying(seen: Seen, body: DistanceField) -> np.ndarray | None:
    """(K, 3) the middles of the flesh about the mirror plane from rear to front, where that is the longest way by far
    and the body lies; None elsewhere."""
    places, weight = _flesh(seen, body)
    spread, axes = np.linalg.eigh(np.cov(places[:, 1:].T, aweights=weight))
    axis = np.array([0.0, *axes[:, 1]])
    if spread[1] < ROUND**2 * spread[0] or abs(axis[2]) > STEEP:
        return None
    axis *= -np.sign(axis[1])  # forward
    return _middles(places, weight, axis, body.grid.spacing, None)


def _flesh(seen: Seen, body: DistanceField) -> tuple[np.ndarray, np.ndarray]:
    """(N, 3) where flesh is about the mirror plane, on the plane, and (N,) the squares of how deep."""
    spine = seen.lines[0]
    places = body.grid.centres(argwhere(body.solid))
    depth = -body.sample(places)
    x = float(spine.points[0, 0]) if seen.plane is None else seen.plane
    wide = max(float(depth.max()), SMALL / 2)
    near = np.abs(places[:, 0] - x) < wide
    if seen.plane is None:
        near &= np.abs(places[:, 1] - spine.points[0, 1]) < wide
    weight = np.maximum(depth[near], 0.25 * body.grid.spacing) ** 2
    return np.stack([np.full(near.sum(), x), *places[near, 1:].T], 1), weight


def _middles(places: np.ndarray, weight: np.ndarray, axis: np.ndarray, spacing: float, begin: float | None
             ) -> np.ndarray:
    """(K, 3) the middles of weighted places (N, 3), slice by slice along an axis, smooth; the last TOP of the way.

    begin : where along the axis, None where the places begin
    """
    along = places @ axis
    low = float(along.min())
    level = np.floor((along - low) / spacing + 1e-6).astype(np.int64)
    total = np.bincount(level, weight)
    used = np.flatnonzero(total > 0)
    middles = np.stack([np.bincount(level, weight * places[:, d])[used] / total[used] for d in range(3)], 1)
    t = low + used * spacing
    begin = low if begin is None else float(begin)
    at = np.linspace(begin, begin + TOP * (float(t[-1]) - begin), LEVELS)
    aside = middles - np.outer(middles @ axis, axis)
    smooth = ndimage.gaussian_filter1d(aside, len(t) / LEVELS, axis=0, mode="nearest")
    return np.stack([np.interp(at, t, smooth[:, d]) for d in range(3)], 1) + np.outer(at, axis)


def _with_spine(seen: Seen, points: np.ndarray, body: DistanceField) -> list[Line]:
    """The lines with another spine, on which all hangs that hung on the trunk; no rear."""
    old, rear = seen.lines[0], seen.rear
    spine = replace(old, points=points, radii=np.maximum(-body.sample(points), 0.25 * body.grid.spacing))
    new = {id(old): spine} | {id(line): replace(line) for line in seen.lines[1:] if line is not rear}
    if rear is not None:
        new[id(rear)] = spine
    for line in new.values():
        line.parent = None if line is spine else new[id(line.parent)]
        line.twin = new.get(id(line.twin))
    return [new[id(line)] for line in seen.lines if line is not rear]
