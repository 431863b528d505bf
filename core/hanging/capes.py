"""Capes that are one surface with the body: what is thin, wide, lies behind the body and hangs from its shoulders."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from ..arrays import argwhere
from ..geometry.grid import Grid
from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..skeleton.rig import Rig
from .fused import Strand, about, pieces_of_vertices, skin_of
from .loose import SPACING

# Unit frame, where a person is 1 high.
THIN = 0.03  # what a ball of so much radius fits into is of the body
CLEAR = 0.05  # what lies so near to a bone is of the body
OUT, PAST = 0.03, 0.01  # so far from the trunk it begins, and so far from limbs: it hangs past them
FAR = 0.1  # from all bones: some of it is
BEHIND = 0.8  # share of it that lies behind the trunk's and the legs' bones: skirts and coats lie around them
HIGH, WIDE = 0.2, 0.15  # how high and how wide it is at least
END, ON_TRUNK = 0.12, 0.8  # of its height that is its upper end; share of that which the trunk is nearest to
LOOKED_AT = 2000  # of the mesh's vertices, before more is done
LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toe")
HANGS_ON = ("spine", "chest", "neck", "shoulder", "upper_arm")


@dataclass(frozen=True, eq=False)
class Sheet:
    """skin : samples of it;  rows : (M,) its vertices;  own : (M,) 1 on it, less near the body"""

    skin: Strand
    rows: np.ndarray
    own: np.ndarray


def fused_capes(shape: Shape, body: Rig) -> list[Sheet]:
    """What of a body is a cape in one surface with it.  body : unit frame, with hips and arms"""
    if not {"hips", "upper_arm.L", "upper_arm.R"} <= set(body.names):
        return []
    every = 1 + len(shape.mesh.vertices) // LOOKED_AT
    some = shape.mesh.vertices[::every]
    some = some[_is_behind(some, body)]
    off = some[segment_distances(some, body.heads, body.tails).min(1) > FAR]
    if not len(off) or np.ptp(off[:, 0]) < WIDE or np.ptp(off[:, 2]) < HIGH / 2:
        return []
    grid, values = shape.field.grid, shape.field.values
    inside = values < 0
    core = inside & about(values <= -THIN, THIN / grid.spacing)
    thin = argwhere(inside & ~core)
    core[tuple(thin[segment_distances(grid.centres(thin), body.heads, body.tails).min(1) <= CLEAR].T)] = True
    trunk, limbs = _rinds(core, grid, body)
    near = core | about(trunk, OUT / grid.spacing) | about(limbs, PAST / grid.spacing)
    label, _ = ndimage.label(inside & ~near, np.ones((3, 3, 3)))
    trees = [(cKDTree(grid.centres(argwhere(rind))), off) for rind, off in ((trunk, OUT), (limbs, PAST)) if rind.any()]
    found = []
    for one, box in enumerate(ndimage.find_objects(label), 1):
        wide, _, high = ((s.stop - s.start) * grid.spacing for s in box)
        if wide >= WIDE and high >= HIGH:
            voxels = grid.centres(argwhere(label[box] == one) + [s.start for s in box])
            skin = skin_of(shape, voxels, voxels[:1], 1.2 * grid.spacing, SPACING)
            if skin is not None and _is_cape(voxels, np.concatenate([tree.data for tree, _ in trees]), body):
                whole = ndimage.binary_dilation(label == one, iterations=round(OUT / grid.spacing), mask=inside & ~core)
                rows = np.flatnonzero(pieces_of_vertices(shape, grid, inside, whole))
                points = shape.mesh.vertices[rows]
                share = np.clip(np.min([tree.query(points)[0] / off for tree, off in trees], axis=0) - 1.0, 0.0, 1.0)
                found.append(Sheet(skin, rows, share * share * (3 - 2 * share)))
    return found


def _rinds(core: np.ndarray, grid: Grid, body: Rig) -> tuple[np.ndarray, np.ndarray]:
    """The outermost voxels of the body: the trunk's and the head's, the limbs'."""
    trunk, limbs = np.zeros((2, *core.shape), bool)
    rind = argwhere(core & ~ndimage.binary_erosion(core))
    nearest = segment_distances(grid.centres(rind), body.heads, body.tails).argmin(1)
    on_limb = np.array([name.split(".")[0] in LIMBS for name in body.names])[nearest]
    trunk[tuple(rind[~on_limb].T)] = True
    limbs[tuple(rind[on_limb].T)] = True
    return trunk, limbs


def _is_cape(voxels: np.ndarray, rind: np.ndarray, body: Rig) -> bool:
    """Whether a piece of the solid (N, 3) lies behind the body and hangs from its shoulders.  rind : (M, 3)"""
    if _is_behind(voxels, body).mean() < BEHIND:
        return False
    upper = voxels[voxels[:, 2] > voxels[:, 2].max() - END * np.ptp(voxels[:, 2])]
    bone = segment_distances(rind[cKDTree(rind).query(upper)[1]], body.heads, body.tails).argmin(1)
    return bool(np.mean([body.names[b].split(".")[0] in HANGS_ON for b in bone]) >= ON_TRUNK)


def _is_behind(points: np.ndarray, body: Rig) -> np.ndarray:
    """(N,) bool: which points lie behind the line of the trunk's and, further down, the legs' joints."""
    joints = np.array([np.mean([head for name, head in zip(body.names, body.heads, strict=True)
                                if name.split(".")[0] == stem], axis=0)
                       for stem in ("foot", "shin", "hips", "spine", "chest", "neck")
                       if any(name.split(".")[0] == stem for name in body.names)])
    joints = joints[np.argsort(joints[:, 2], kind="stable")]
    return points[:, 1] > np.interp(points[:, 2], joints[:, 2], joints[:, 1])
