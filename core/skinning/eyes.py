"""Eyes' weights: a ball, and what lies in and on it, follows its bone wholly."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from ..geometry.mesh import vertex_components
from ..geometry.shape import Shape
from ..skeleton.eye import EYES
from ..skeleton.rig import Rig

# Radii from the middle: pupils, corneas, lashes' roots lie within, lids do not. Both eyes' bones are as long as their
# mean radius, of which the larger of two unlike ones has up to 1.35.
REACH = 1.4


@dataclass(frozen=True, eq=False)
class EyeBall:
    """bone : the eye's number in the rig;  rows : (N,) vertices of the welded mesh that are its ball"""

    bone: int
    rows: np.ndarray


def eye_balls(shape: Shape, rig: Rig) -> list[EyeBall]:
    """The eyes of a rig, `eye.L` and `eye.R`, around whose heads loose parts lie no further away than they are long."""
    bones = [rig.names.index(name) for name in EYES if name in rig.names]
    bones = [bone for bone in bones if rig.deform[bone]]
    if not bones:
        return []
    part = vertex_components(shape.mesh)
    found = []
    for bone in bones:
        head, tail = shape.frame.to_unit(np.stack([rig.heads[bone], rig.tails[bone]]))
        furthest = np.zeros(int(part.max()) + 1)
        np.maximum.at(furthest, part, np.linalg.norm(shape.mesh.vertices - head, axis=1))
        rows = np.flatnonzero((furthest <= REACH * np.linalg.norm(tail - head))[part])
        if len(rows):
            found.append(EyeBall(bone, rows))
    return found


def without_eyes(rig: Rig, balls: Sequence[EyeBall]) -> Rig:
    """The rig in which eyes move no skin."""
    deform = rig.deform.copy()
    deform[[ball.bone for ball in balls]] = False
    return replace(rig, deform=deform)


def give_eyes(shape: Shape, balls: Sequence[EyeBall], weights: sparse.csr_matrix) -> sparse.csr_matrix:
    """(V, B) weights of the original vertices in which each ball follows its eye alone."""
    for ball in balls:
        inside = np.zeros(len(shape.mesh.vertices), bool)
        inside[ball.rows] = True
        rows = np.flatnonzero(inside[shape.welded_of_vertex])
        own = sparse.csr_matrix((np.ones(len(rows)), (rows, np.full(len(rows), ball.bone))), shape=weights.shape)
        stays = np.ones(weights.shape[0])
        stays[rows] = 0.0
        weights = sparse.csr_matrix(sparse.diags(stays) @ weights + own)
        weights.eliminate_zeros()
    return weights
