"""What a hand holds and is one surface with: a sword, a staff, a shield. It stands out from the hand and hangs on
nothing else."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from ..arrays import argwhere
from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..skeleton.chain import finger_of
from ..skeleton.rig import Rig
from .fused import about, skin_of
from .loose import SPACING

# Unit frame, where a person is 1 high. Set on 100 melted people, most of whom hold swords, staffs or shields; of 120
# characters in view one is said to hold something.
LONG = 0.15  # how long a thing in a hand is at least
FAR = 0.12  # from all bones: some of it is
CLEAR = 0.05  # what lies so near to a bone is of the body
THIN = 0.03  # what a ball of so much radius fits into is of the body, if it reaches a bone
OUT = 0.03  # so far from the body it begins
IN_HAND = 0.12  # from the hand's bone: where it begins
TOUCHES = 0.02  # what lies nearest to the body, within so much
MOST = 0.8  # of what touches lies at the arm's end, and near the hand
LOOKED_AT = 2000  # of the mesh's vertices, before more is done


@dataclass(frozen=True, eq=False)
class Held:
    """hand : the bone that holds it;  rows : (M,) of the welded mesh;  own : (M,) 1 on it, less near the hand"""

    hand: str
    rows: np.ndarray
    own: np.ndarray


def held_in_hands(shape: Shape, rig: Rig) -> list[Held]:
    """What the hands of a body hold in one surface with them.

    rig : unit frame, with finger bones if it has some, so that long fingers are no thing
    """
    ends = np.array([name.split(".")[0] in ("hand", "forearm") or finger_of(name) is not None for name in rig.names])
    hands = [bone for bone, name in enumerate(rig.names) if name.split(".")[0] == "hand"]
    every = 1 + len(shape.mesh.vertices) // LOOKED_AT
    away = segment_distances(shape.mesh.vertices[::every], rig.heads, rig.tails)
    if not hands or not (ends[away.argmin(1)] & (away.min(1) > FAR)).any():
        return []
    grid, values = shape.field.grid, shape.field.values
    inside = values < 0
    body = _body(inside, values, grid, rig)
    if not body.any():  # bones that somebody drew far away
        return []
    label, _ = ndimage.label(inside & ~about(body, OUT / grid.spacing), np.ones((3, 3, 3)))
    tree = cKDTree(grid.centres(argwhere(body & ~ndimage.binary_erosion(body))))
    held = []
    for one, box in enumerate(ndimage.find_objects(label), 1):
        if max(s.stop - s.start for s in box) * grid.spacing >= LONG:
            voxels = grid.centres(argwhere(label[box] == one) + [s.start for s in box])
            hand = _hand_of(voxels, tree, rig, hands, ends)
            skin = None if hand is None else skin_of(shape, voxels, voxels[:1], 1.2 * grid.spacing, SPACING)
            if skin is not None:
                share = np.clip(tree.query(shape.mesh.vertices[skin.rows])[0] / OUT - 1.4, 0.0, 1.0)
                held.append(Held(rig.names[hand], skin.rows, share * share * (3 - 2 * share)))
    return held


def _body(inside: np.ndarray, values: np.ndarray, grid, rig: Rig) -> np.ndarray:
    """The voxels of the body: near bones, and what is thick and reaches them. A staff's ball is thick and far."""
    core = inside & about(values <= -THIN, THIN / grid.spacing)
    near = np.zeros_like(core)
    for head, tail in zip(rig.heads, rig.tails, strict=True):
        ends = np.array([head, tail])
        low, high = grid.index_of(np.array([ends.min(0), ends.max(0)]) + [[-CLEAR], [CLEAR]])
        box = tuple(slice(a, b + 1) for a, b in zip(low, high, strict=True))
        flesh = argwhere(inside[box] & ~near[box]) + low
        near[tuple(flesh[segment_distances(grid.centres(flesh), head[None], tail[None])[:, 0] <= CLEAR].T)] = True
    label, _ = ndimage.label(core)
    return near | np.isin(label, np.unique(label[near])) & core


def _hand_of(voxels: np.ndarray, tree: cKDTree, rig: Rig, hands: list[int], ends: np.ndarray) -> int | None:
    """The hand that holds a piece of the solid (N, 3), None if it is held by none, or by more of the body."""
    if segment_distances(voxels, rig.heads, rig.tails).min(1).max() < FAR:
        return None
    away, near = tree.query(voxels)
    at = tree.data[near[away <= away.min() + TOUCHES]]
    bone = segment_distances(at, rig.heads, rig.tails).argmin(1)
    reach = segment_distances(voxels, rig.heads[hands], rig.tails[hands]).min(0)
    hand = hands[int(reach.argmin())]
    at_hand = segment_distances(at, rig.heads[[hand]], rig.tails[[hand]])[:, 0] <= IN_HAND
    if reach.min() > IN_HAND or min(ends[bone].mean(), at_hand.mean()) < MOST:
        return None
    return hand
