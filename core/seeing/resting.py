"""How a tilted body would stand: on the plane its soles lie in.

Leaning statues and oblique scans are tilted as a whole. Whatever stands touches the ground with flat soles around the
point under its weight; the body's convex hull has a face there, however it is turned.
"""

from __future__ import annotations

import numpy as np
from scipy.spatial import ConvexHull, QhullError
from scipy.spatial.transform import Rotation

from ..geometry.scatter import SurfaceScatter

# A point within this share of the body's size of a plane touches it, if its normal is that near to the plane's.
TOUCH, FLAT = 0.012, 0.9
# The same of soles that lie on the ground all over.
THIN = 0.005
# Degrees: faces of the hull that near to each other are one; a body tilted by less stands as given; most it is tilted.
ALIKE, LEAST, MOST = 7.0, 6.0, 50.0
# Least share of the surface that touches the ground; and how many times more than on the ground as given.
CONTACT, MORE = 0.004, 1.7
# Ends looked at, and those tried.
CANDIDATES, TRIED = 24, 3
# How far the weight may lie outside what touches.
SLACK = 0.02


def resting_turns(body: SurfaceScatter) -> list[tuple[np.ndarray, np.ndarray]]:
    """Rotations (3, 3) that stand a tilted body on one of its flat ends, and the coordinate axis (3,) that is up then;
    each the least turn there is. Empty for a body that stands along the axes, or on nothing flat.
    O(points log points).
    """
    found: list[tuple[float, np.ndarray, np.ndarray]] = []
    for up in _hull_ups(body):
        up = _levelled(body, up)
        share, touching = _contact(body, up)
        most = int(np.abs(up).argmax())
        axis = np.eye(3)[most] * np.sign(up[most])
        tilt = np.degrees(np.arccos(np.clip(up @ axis, -1, 1)))
        if not LEAST < tilt < MOST or share < max(CONTACT, MORE * _contact(body, axis)[0]):
            continue
        known = any(up @ other > np.cos(np.radians(ALIKE)) for _, other, _ in found)
        if not known and _carries(body, up, touching):
            found.append((share * float(np.ptp(body.points @ up)) ** 2, up, axis))
    found.sort(key=lambda f: -f[0])
    return [(_turn_between(up, axis), axis) for _, up, axis in found[:TRIED]]


def stands_flat(body: SurfaceScatter, up: np.ndarray) -> bool:
    """Whether what lies lowest lies at one height, as soles do; of soles on edge only the edge does."""
    height, rise = body.points @ up, body.normals @ up
    above = height - height.min()
    low = np.count_nonzero((above < 4 * THIN) & (rise < -0.3))
    return bool(np.count_nonzero((above < THIN) & (rise < -0.8)) > 0.5 * low)


def _turn_between(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(3, 3) the least rotation from one direction to another."""
    turn = np.cross(start, end)
    size = float(np.linalg.norm(turn))
    return Rotation.from_rotvec(turn / size * np.arctan2(size, float(start @ end))).as_matrix()


def _hull_ups(body: SurfaceScatter) -> list[np.ndarray]:
    """Opposite to those faces of the convex hull that most of the surface touches: (3,) each."""
    try:
        hull = ConvexHull(body.points)
    except (QhullError, ValueError):
        return []
    normals, offsets = hull.equations[:, :3], hull.equations[:, 3]
    share = np.zeros(len(normals))
    for some in np.array_split(np.arange(len(normals)), len(normals) // 200 + 1):
        near = body.points @ normals[some].T > -offsets[some] - TOUCH
        share[some] = (near & (body.normals @ normals[some].T > FLAT)).mean(0)
    found: list[np.ndarray] = []
    for face in np.argsort(-np.round(share, 9), kind="stable"):
        if len(found) == CANDIDATES or share[face] < 0.5 * CONTACT:
            break
        if all(normals[face] @ -up < np.cos(np.radians(2 * ALIKE)) for up in found):
            found.append(-normals[face])
    return found


def _contact(body: SurfaceScatter, up: np.ndarray) -> tuple[float, np.ndarray]:
    """Share of the points that touch the ground below, and which do."""
    height = body.points @ up
    touching = (height < height.min() + TOUCH) & (body.normals @ up < -FLAT)
    return float(touching.mean()), touching


def _levelled(body: SurfaceScatter, up: np.ndarray) -> np.ndarray:
    """Up, turned to the plane through what touches the ground."""
    for _ in range(3):
        height = body.points @ up
        sole = body.points[(height < height.min() + 2 * TOUCH) & (body.normals @ up < -FLAT)]
        if len(sole) < 12:
            return up
        values, axes = np.linalg.eigh(np.cov(sole.T))
        if values[1] < 4 * values[0]:
            return up
        normal = axes[:, 0] * np.sign(axes[:, 0] @ up)
        if normal @ up < np.cos(np.radians(2 * ALIKE)):
            return up
        up = normal
    return up


def _carries(body: SurfaceScatter, up: np.ndarray, touching: np.ndarray) -> bool:
    """Whether the weight lies over what touches the ground."""
    side = np.cross(up, np.eye(3)[np.abs(up).argmin()])
    side /= np.linalg.norm(side)
    turns = np.linspace(0, 2 * np.pi, 24, endpoint=False)[:, None]
    ways = np.cos(turns) * side + np.sin(turns) * np.cross(up, side)
    reach = (body.points[touching] @ ways.T).max(0)
    return bool((body.points.mean(0) @ ways.T <= reach + SLACK).all())
