"""Bones as solids: the octahedra artists know, and balls for the joints."""

from __future__ import annotations

import numpy as np

from ..skeleton.rig import Rig, doubtful

LEFT, RIGHT, MIDDLE = (0.05, 0.38, 0.95), (0.95, 0.20, 0.08), (0.98, 0.66, 0.05)
BALL = (0.98, 0.97, 0.94)
AMBER = (1.0, 0.55, 0.0)  # screen values, of a doubtful joint in pictures and in the viewport, on any theme


def bone_colors(rig: Rig) -> np.ndarray:
    """(B, 3) linear colour of each bone by side: left blue, right red, middle yellow."""
    side = [LEFT if n.endswith(".L") else RIGHT if n.endswith(".R") else MIDDLE for n in rig.names]
    return np.array(side, float).reshape(-1, 3)


def bone_octahedra(rig: Rig, *, slender: float = 0.1, most: float = np.inf) -> tuple[np.ndarray, np.ndarray]:
    """Vertices (6 B, 3) and faces (8 B, 3) of one octahedron a bone; face i belongs to bone i // 8.

    slender : half width as a fraction of the length;  most : limit of the half width
    """
    along = rig.tails - rig.heads
    length = np.linalg.norm(along, axis=1, keepdims=True)
    x = rig.x_axes
    z = np.cross(x, np.divide(along, length, out=np.zeros_like(along), where=length > 0))
    wide = np.minimum(slender * length, most)
    ring = rig.heads + along * np.minimum(0.12, wide / np.maximum(length, 1e-300))
    points = np.stack([rig.heads, ring + wide * x, ring + wide * z, ring - wide * x, ring - wide * z, rig.tails], 1)
    one = np.array([[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1], [5, 2, 1], [5, 3, 2], [5, 4, 3], [5, 1, 4]])
    return points.reshape(-1, 3), (np.arange(len(rig.names))[:, None, None] * 6 + one).reshape(-1, 3)


def joint_points(rig: Rig) -> tuple[np.ndarray, np.ndarray]:
    """(J, 3) distinct ends of bones, and (J,) whether it is only a tip, where no other bone begins."""
    points = np.concatenate([rig.heads, rig.tails])
    size = max(float(np.ptp(points, axis=0).max()), 1e-300) if len(points) else 1.0
    key = np.round(points / size * 1e5).astype(np.int64)
    _, first = np.unique(key, axis=0, return_index=True)
    return points[first], first >= len(rig.heads)


def room_around(rig: Rig, points: np.ndarray) -> np.ndarray:
    """(N,) length of the shortest bone that begins or ends at each of the points (N, 3)."""
    away = np.minimum(*(((points[:, None] - ends[None]) ** 2).sum(2) for ends in (rig.heads, rig.tails)))
    length = np.linalg.norm(rig.tails - rig.heads, axis=1)
    return np.where(away <= away.min(1, keepdims=True) + 1e-12, length, np.inf).min(1)


def lie_at_doubtful(rig: Rig, points: np.ndarray) -> np.ndarray:
    """(N,) whether a doubtful joint of the rig lies at each of the points (N, 3)."""
    places = np.array([rig.joints[name] for name in doubtful(rig)], float).reshape(-1, 3)
    size = max(float(np.ptp(points, axis=0).max()), 1e-300) if len(points) else 1.0
    away = np.abs(points[:, None] - places[None]).max(2, initial=0.0)
    return (away <= 1e-5 * size).any(1)
