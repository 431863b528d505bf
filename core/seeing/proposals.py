"""The ways a body might stand, and what it looks like in each: one half of it in a coarse grid.

Every coordinate axis is tried as the vertical; about each the best mirror planes are looked for at any angle, and in
each plane the body may stand either way up and face either way. What the plane does not mirror, a shield or a spear in
one hand, says nothing of how the body stands and is left out; the rest is folded along the plane.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..geometry.rotation import cross
from ..geometry.scatter import SurfaceScatter
from .mirror_search import Mirror, MirrorSearch

# Cells along the cube's sides; across only half of it, from the plane outwards.
CELLS = 32
# Blocks along the cube's sides in which vertices are counted.
BLOCKS = 8
# The body's longest side fills this share of the cube.
FILL = 0.97
# A plane that mirrors the body worse than the best one by more than this is looked at only if it lies along an axis.
WORSE = 0.02
# The four ways to stand in one plane, as signs of the first one's axes: upright, turned round, and on the head.
WAYS = np.array([[1, 1, 1], [-1, -1, 1], [1, -1, -1], [-1, 1, -1]], float)


@dataclass(frozen=True, eq=False)
class Proposals:
    """M mirror planes, four ways to stand in each.

    rotations : (M, 4, 3, 3) object axes to character axes, in the order of WAYS
    halves : (M, CELLS / 2, CELLS, CELLS) bool, the folded body in the first way's frame, x from the plane outwards
    fine : (M, BLOCKS, BLOCKS) float32, from the side (rows z, columns y): how finely the artist modelled there, the
    logarithm of the share of vertices over the share of surface
    unlike : (M, 2) how badly the plane mirrors, and the share of the body it mirrors not at all
    """

    rotations: np.ndarray
    halves: np.ndarray
    fine: np.ndarray
    unlike: np.ndarray

    def __post_init__(self):
        count = len(self.rotations)
        object.__setattr__(self, "rotations", frozen(self.rotations, np.float64, (count, 4, 3, 3), "rotations"))
        object.__setattr__(self, "halves", frozen(self.halves, bool, (count, CELLS // 2, CELLS, CELLS), "halves"))
        object.__setattr__(self, "fine", frozen(self.fine, np.float32, (count, BLOCKS, BLOCKS), "fine"))
        object.__setattr__(self, "unlike", frozen(self.unlike, np.float32, (count, 2), "unlike"))


def propose(body: SurfaceScatter, *, verticals: tuple[int, ...] = (0, 1, 2)) -> Proposals:
    """All the ways a body might stand with one of these coordinate axes vertical.

    The planes along the axes are always among them; others only if the body is not much less mirrored about them.
    """
    search = MirrorSearch(body.points, body.normals)
    found = [(axis, mirror) for axis in verticals for mirror in search.mirrors(axis)]
    worst = min(m.error for _, m in found) + WORSE
    rotations, halves, fine, unlike = [], [], [], []
    for axis, mirror in found:
        if mirror.error > worst and np.abs(mirror.normal).max() < 1 - 1e-9:
            continue
        rotation = rotation_to(np.eye(3)[axis], cross(np.eye(3)[axis], mirror.normal))
        points, details = search.kept(mirror, body.points), search.kept(mirror, body.details)
        unlike.append((mirror.error, 1 - points.mean()))
        if points.mean() <= 0.5:  # a plane that mirrors less than half a body leaves all of it
            points, details = np.ones(len(points), bool), np.ones(len(details), bool)
        half, blocks = _fold(body.points[points], body.details[details], mirror, rotation)
        rotations.append(WAYS[:, :, None] * rotation + 0.0)
        halves.append(half)
        fine.append(blocks)
    return Proposals(np.array(rotations), np.array(halves), np.array(fine), np.array(unlike))


def rotation_to(up: np.ndarray, front: np.ndarray) -> np.ndarray:
    """(3, 3) object axes to character axes for a body with these directions up and in front, square to each other."""
    left = cross(-front, up)
    return np.stack([left, -front, up]) + 0.0


def _fold(points: np.ndarray, details: np.ndarray, mirror: Mirror, rotation: np.ndarray) -> tuple:
    """A body folded along a plane, its longest side filling the cube: `Proposals.halves` and `fine` of it."""
    x, y, z = rotation @ (points - mirror.offset * mirror.normal).T
    x = np.abs(x)
    share = FILL * CELLS / max(2 * x.max(), np.ptp(y), np.ptp(z))
    middle = np.array([y.max() + y.min(), z.max() + z.min()]) / 2
    placed = (np.stack([y, z], 1) - middle) * share + CELLS / 2
    half = np.zeros((CELLS // 2, CELLS, CELLS), bool)
    half[tuple(t.astype(np.intp) for t in (x * share, *placed.T))] = True
    finely = (details @ rotation[1:].T - middle) * share + CELLS / 2
    surface = _count(placed) / len(points)
    # So many vertices as if spread like the surface are added: a few say little.
    vertices = (_count(finely) + 50 * surface) / (len(details) + 50)
    return half, np.log((vertices + 0.002) / (surface + 0.002))


def _count(places: np.ndarray) -> np.ndarray:
    """(BLOCKS, BLOCKS) how many of (N, 2) places y, z in cells lie in each block, rows z."""
    y, z = np.clip(places * BLOCKS / CELLS, 0, BLOCKS - 1).astype(np.intp).T
    return np.bincount(z * BLOCKS + y, minlength=BLOCKS**2).reshape(BLOCKS, BLOCKS)
