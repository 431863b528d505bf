"""How an object's own points have changed as a whole since they were noted: a scale was applied, the origin was moved.

What is kept in an object's own coordinates, as pins are, goes along with such a change. Where single points were moved,
as by sculpting, the points have not changed as a whole.
"""

from __future__ import annotations

import json

import numpy as np

POINTS = 24  # noted, of the mesh's
OFF = 1e-4  # of the mesh's size: what a point may be off; Blender's rounding is 1e-6


def note_points(o) -> str:
    """Some of a mesh object's own points, to be known again."""
    points = o.data.vertices
    at = np.unique(np.linspace(0, len(points) - 1, POINTS).astype(int)) if len(points) else ()
    return json.dumps([len(points), *([round(x, 7) for x in points[int(k)].co] for k in at)])


def change_since(o, noted: str) -> np.ndarray | None:
    """(4, 4) what took the noted points to where they are now, the same for all: moved, turned, scaled, or left alone.

    None if they were changed in another way, if they lie in one plane, or if the mesh is another one.
    """
    if not noted:
        return None
    (count, *before), (count_now, *after) = json.loads(noted), json.loads(note_points(o))
    if count != count_now or not count:
        return None
    then, now = np.array(before), np.array(after)
    if not (np.isfinite(then).all() and np.isfinite(now).all()):
        return None
    size = float(np.ptp(now, axis=0).max())
    if np.abs(now - then).max() <= OFF * size:
        return np.eye(4)
    level = np.column_stack([then, np.full(len(then), max(float(np.abs(then).max()), 1e-30))])
    found, _, rank, _ = np.linalg.lstsq(level, now, rcond=1e-6)
    if rank < 4 or np.abs(level @ found - now).max() > OFF * size:
        return None
    change = np.eye(4)
    change[:3, :3], change[:3, 3] = found[:3].T, found[3] * level[0, 3]
    return change


def moved_along(place, change: np.ndarray | None) -> np.ndarray:
    """(3,) where a place in the object's coordinates has gone with its points."""
    place = np.array(place, float)
    return place if change is None else change[:3, :3] @ place + change[:3, 3]
