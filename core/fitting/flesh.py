"""The flesh of a body that is nearer to some bones than to others, on ways through it."""

from __future__ import annotations

import numpy as np

from ..geometry.waves import geodesic_distances
from ..seeing.views import CELLS

STEP = 0.5 / CELLS  # between the points of a bone, in the cube
RING = 0.04  # unit frame: over how much of its length a limb's width is measured


def along_bone(start: np.ndarray, end: np.ndarray) -> np.ndarray:
    """(N, 3) points from one joint to another, both included. All in the cube."""
    return np.linspace(start, end, 2 + int(np.linalg.norm(end - start) / STEP))


def ways_from(voxels: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(V,) how far voxels are, on ways through the flesh, from the nearest of those that hold points.

    voxels : (V, 3) of the solid in the cube's grid;  points : (N, 3) in the cube
    """
    number = np.full((CELLS,) * 3, -1)
    number[tuple(voxels.T)] = np.arange(len(voxels))
    held = number[tuple(np.clip((points * CELLS).astype(int), 0, CELLS - 1).T)]
    held = np.unique(held[held >= 0])
    if not len(held):
        return np.full(len(voxels), np.inf)
    return geodesic_distances((CELLS,) * 3, voxels, 1 / CELLS, held, together=True)[0]


def width_of(centres: np.ndarray, reach: np.ndarray) -> float:
    """How wide a limb is in the median of its rings, in the cube.

    centres : (V, 3) of its voxels;  reach : (V,) how far along it they lie, unit frame
    """
    ring = np.unique((reach / RING).astype(int), return_inverse=True)[1]
    order = np.argsort(ring, kind="stable")
    starts = np.flatnonzero(np.diff(ring[order], prepend=-1))
    size = np.maximum.reduceat(centres[order], starts) - np.minimum.reduceat(centres[order], starts)
    return float(np.median(np.linalg.norm(size + 1 / CELLS, axis=1)))
