"""Joints that came out of the body, brought back into it."""

from __future__ import annotations

import numpy as np

from ..geometry.distance import DistanceField
from .graph import SphereGraph

# Of the radius of the sphere a joint is brought into, how far from its middle it stays: half way is well inside.
REST = 0.5


def pull_inside(joints: np.ndarray, field: DistanceField, graph: SphereGraph, free: np.ndarray,
                single: np.ndarray) -> np.ndarray:
    """(J, 3) joints, those outside the solid moved towards the middle of the nearest sphere packed into it.

    joints : (J, 3) unit frame;  free : (J,) bool, which may move
    single : (J,) bool, without a partner; in a mirrored body these go to spheres on the mirror plane
    """
    outside = np.flatnonzero(free & (field.sample(joints) > 0))
    if not len(outside):
        return joints
    out = joints.copy()
    away = joints[outside, None] - graph.points
    distance = np.sqrt((away**2).sum(2))
    if graph.twins is not None:
        on_plane = graph.twins == np.arange(len(graph.points))
        if on_plane.any():
            distance[np.ix_(single[outside], ~on_plane)] = np.inf
    nearest = (distance - graph.radii).argmin(1)
    rows = np.arange(len(outside))
    reach = np.minimum(REST * graph.radii[nearest] / np.maximum(distance[rows, nearest], 1e-12), 1.0)
    out[outside] = graph.points[nearest] + away[rows, nearest] * reach[:, None]
    return out
