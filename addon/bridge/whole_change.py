"""How an object's own points have changed as a whole since they were noted: a scale was applied, the origin was moved.

What is kept in an object's own coordinates, as pins are, goes along with such a change. Where single points were moved,
as by sculpting, or the mesh has got others, as by subdividing, the box around them tells whether one was applied.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy as np

POINTS = 24  # noted, of the mesh's
OFF = 1e-4  # of the mesh's size: what a point may be off; Blender's rounding is 1e-6
# Of its size, a box so far off is another one; its sides may be so unlike in what they have grown.
SAME, EVENLY = 0.2, 0.02
BOXED = 1 << 15  # points at most are looked at for a box
MOST = 0.5  # of many points: how many must have changed alike
ROUNDS = 20  # of leaving out the worse half
NEAR = 0.05  # of the points' size: how far these are off in the mean that were changed by hand all over
STEEP = 1e5  # how uneven a scale may be


def note_points(o, noted: str = "") -> str:
    """Some of a mesh object's own points, to be known again, with the box around all and the object's place.

    noted : what was noted before, kept where it holds still: a drag notes at every move, and boxes take a while
    """
    points = o.data.vertices
    at = np.unique(np.linspace(0, len(points) - 1, POINTS).astype(int)) if len(points) else ()
    now = {"count": len(points), "points": [[round(x, 7) for x in points[int(k)].co] for k in at],
           "matrix": np.array(o.matrix_world, float).tolist()}
    then = json.loads(noted) if noted else None
    if isinstance(then, dict) and now == {key: then.get(key) for key in now}:
        return noted
    return json.dumps(now | {"box": [box.tolist() for box in _boxes(o)]})


def change_since(o, noted: str) -> np.ndarray | None:
    """(4, 4) what took the noted points to where they are now, the same for all: moved, turned, scaled, or left alone.

    None if they were changed in another way, if they lie in one plane, or if the mesh is another one.
    """
    if not noted:
        return None
    then = json.loads(noted)
    if isinstance(then, list):  # as versions before this one noted them
        then = {"count": then[0], "points": then[1:]}
    points = o.data.vertices
    if then["count"] == len(points) and then["points"]:
        at = np.unique(np.linspace(0, len(points) - 1, POINTS).astype(int))
        found = _between(np.array(then["points"]), np.array([points[int(k)].co for k in at], float))
        if found is not None:
            return found
    return _between_boxes(o, then) if "box" in then and len(points) else None


def _between(then: np.ndarray, now: np.ndarray) -> np.ndarray | None:
    if not (np.isfinite(then).all() and np.isfinite(now).all()):
        return None
    size = float(np.ptp(now, axis=0).max())
    if np.abs(now - then).max() <= OFF * size:
        return np.eye(4)
    change = _fitted(then, now)
    return None if change is None or _off(then, now, change).max() > OFF * size else change


def common_change(then: np.ndarray, now: np.ndarray) -> np.ndarray | None:
    """(4, 4) what took at least half of some points to where they are now: moved, turned, scaled, or left alone.

    then, now : (N, 3), N > 0.  None if they have no such change in common, or lie in one plane and did not stay.
    """
    near = OFF * max(float(np.ptp(now, axis=0).max()), 1e-30)
    if np.mean(np.abs(now - then).max(1) <= near) >= MOST:
        return np.eye(4)
    kept = np.full(len(then), True)
    for _ in range(ROUNDS):
        change = _fitted(then[kept], now[kept])
        if change is None:
            return None
        off = _off(then, now, change)
        fits = off <= near
        if fits.mean() >= MOST:
            return _fitted(then[fits], now[fits])
        kept = off <= np.median(off)
    return None


def likeliest_change(then: np.ndarray, now: np.ndarray, others: Iterable[np.ndarray]) -> np.ndarray | None:
    """`common_change`; without one that of some others, or being left alone, which is nearest.

    None if none is near, or if it has no way back.
    """
    change = common_change(then, now)
    if change is None:
        change = min((np.eye(4), *others), key=lambda other: float(_off(then, now, other).mean()))
        if _off(then, now, change).mean() > NEAR * np.ptp(now, axis=0).max():
            return None
    return change if np.linalg.cond(change[:3, :3]) < STEEP else None


def _fitted(then: np.ndarray, now: np.ndarray) -> np.ndarray | None:
    """(4, 4) what takes the points nearest to where they are now; None if they lie in one plane."""
    level = np.column_stack([then, np.full(len(then), max(float(np.abs(then).max()), 1e-30))])
    found, _, rank, _ = np.linalg.lstsq(level, now, rcond=1e-6)
    if rank < 4:
        return None
    change = np.eye(4)
    change[:3, :3], change[:3, 3] = found[:3].T, found[3] * level[0, 3]
    return change


def _between_boxes(o, then: dict) -> np.ndarray | None:
    """Of points that are others now: what was applied to the object, by the box around them. None if nothing was."""
    (before, stood), (after, stands) = np.array(then["box"]), _boxes(o)
    if not (np.isfinite([before, stood]).all() and np.isfinite([after, stands]).all()):
        return None
    off, off_in_world = _apart(before, after), _apart(stood, stands)
    was, now = np.array(then["matrix"]), np.array(o.matrix_world, float)
    if off_in_world < min(SAME, off - OFF) and abs(np.linalg.det(now)) > 0:
        return np.linalg.inv(now) @ was  # an applied transform leaves all where it is in the world
    grown = np.ptp(after, axis=0) / np.maximum(np.ptp(before, axis=0), 1e-30)
    if off <= SAME or np.ptp(grown) > EVENLY * grown.max():
        return None
    change = np.diag([*np.full(3, grown.mean()), 1.0])
    change[:3, 3] = after.mean(0) - grown.mean() * before.mean(0)
    return change


def _boxes(o) -> np.ndarray:
    """(2, 2, 3) the corners of the boxes around an object's own points, in its coordinates and in the world."""
    points = np.empty(3 * len(o.data.vertices), np.float32)
    o.data.vertices.foreach_get("co", points)
    points = points.reshape(-1, 3)[::max(len(points) // (3 * BOXED), 1)].astype(float)
    matrix = np.array(o.matrix_world, float)
    both = points, points @ matrix[:3, :3].T + matrix[:3, 3]
    return np.array([[at.min(0), at.max(0)] for at in both]) if len(points) else np.zeros((2, 2, 3))


def _apart(box: np.ndarray, other: np.ndarray) -> float:
    """How far a box is off another one, as a share of its size."""
    return float(np.abs(box - other).max() / max(np.ptp(box, axis=0).max(), 1e-30))


def _off(then: np.ndarray, now: np.ndarray, change: np.ndarray) -> np.ndarray:
    return np.abs(then @ change[:3, :3].T + change[:3, 3] - now).max(1)


def moved_along(place, change: np.ndarray | None) -> np.ndarray:
    """(3,) where a place in the object's coordinates has gone with its points."""
    place = np.array(place, float)
    return place if change is None else change[:3, :3] @ place + change[:3, 3]
