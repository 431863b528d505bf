"""Where a person's tail ends: the network has learned few of them, but flesh that no bone reaches is easily found."""

from __future__ import annotations

import numpy as np

from ..arrays import argwhere
from ..geometry.waves import geodesic_distances
from ..seeing.views import CELLS, Sight
from .joint_tree import JointTree

ROOT, TIP = "tail", "tail_tip"
# Unit frame, on ways through the flesh: what lies behind a tail's root and so far from the trunk is a tail. Of 40
# generated people without one none has any beyond 0.2.
BEYOND = 0.22
# A tip that is less of the way there is not the tail's: of five real dinosaurs, whose tails are seen well, none is,
# as artists do not go to the very end either.
SHORT = 0.75
SURE = 0.7  # of a tail's end that the flesh alone tells
SWINGS = 0.05  # unit frame: a joint so far beside the mirror plane is not seen so by chance
STEP = 0.5 / CELLS  # between the points of a bone, in the cube


def tail_end(tree: JointTree, places: np.ndarray, sight: Sight) -> np.ndarray | None:
    """(3,) in the cube, the end of the flesh of a tail whose bones do not reach it; None if they do.

    places : (tree's joints, 3) in the cube.  The furthest from the belly on ways through the flesh, of what is nearer
    to it than to all other bones.
    """
    voxels = argwhere(sight.solid)
    centres = (voxels + 0.5) / CELLS
    own, others = [], []
    for joint, name in enumerate(tree.names[1:], 1):
        above, place = places[tree.parents[joint]], places[joint]
        way = np.linspace(above, place, 2 + int(np.linalg.norm(place - above) / STEP))
        half = len(way) // 2
        if name == ROOT:
            own.append(way)
        elif tree.parents[joint] == 0:  # limbs begin beside the hips
            own.append(way[:half])
            others.append(way[half:])
        elif name != TIP:
            others.append(way)
    reach, beside = (_away(voxels, np.concatenate(ways)) for ways in (own, others))
    is_tails = np.isfinite(reach) & (reach < beside) & (centres[:, 1] > places[tree.names.index(ROOT), 1])
    if not is_tails.any():
        return None
    end = int(np.where(is_tails, reach, -1.0).argmax())
    tip = int(((centres - places[tree.names.index(TIP)]) ** 2).sum(1).argmin())
    known = reach[tip] if is_tails[tip] else 0.0
    return centres[end] if reach[end] > BEYOND * sight.scale and known < SHORT * reach[end] else None


def _away(voxels: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(V,) from the nearest of the voxels that hold points (N, 3) in the cube."""
    number = np.full((CELLS,) * 3, -1)
    number[tuple(voxels.T)] = np.arange(len(voxels))
    held = number[tuple(np.clip((points * CELLS).astype(int), 0, CELLS - 1).T)]
    held = np.unique(held[held >= 0])
    if not len(held):
        return np.full(len(voxels), np.inf)
    return geodesic_distances((CELLS,) * 3, voxels, 1 / CELLS, held, together=True)[0]
