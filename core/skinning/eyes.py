"""Eyes' weights: a ball, and what lies in and on it, follows its bone wholly; lids that lie over it do not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from ..geometry.mesh import vertex_components
from ..geometry.shape import Shape
from ..skeleton.eye import EYES
from ..skeleton.rig import Rig

# Radii from the middle: pupils, corneas, lashes' roots lie within. Both eyes' bones are as long as their mean radius,
# of which the larger of two unlike ones has up to 1.35.
REACH = 1.4
# Lids lie over a ball from one corner of the eye to the other. The mean way from the middle to a ball, a cornea or a
# pupil goes where it looks, or nowhere; to an upper lid that is half a ball it goes up by 0.5, to a thinner one more.
ASIDE = 0.25
ACROSS = 0.5  # sine of how far they reach to both sides: lights painted on an eye reach less
FRONT = 0.8  # cosine with the way the eye looks: a ball reaches so far in front
OPEN, BACK = 0.7, -0.3  # the same: one part for both lids is open in front and reaches behind


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
        near = np.flatnonzero(furthest <= REACH * np.linalg.norm(tail - head))
        rows = np.flatnonzero(np.isin(part, near))
        rows = rows[~_are_lids(shape.mesh.vertices[rows] - head, np.searchsorted(near, part[rows]), tail - head)]
        if len(rows):
            found.append(EyeBall(bone, rows))
    return found


def _are_lids(points: np.ndarray, of: np.ndarray, ahead: np.ndarray) -> np.ndarray:
    """(N,) whether vertices belong to parts that lie over a ball and are none: lids, or lashes from corner to corner.

    points : (N, 3) from the middle of the eye;  of : (N,) their part, from 0;  ahead : where it looks
    """
    if not len(points):
        return np.zeros(0, bool)
    count, away = int(of.max()) + 1, np.linalg.norm(points, axis=1)
    ways, ahead = points / np.maximum(away, 1e-12)[:, None], ahead / np.linalg.norm(ahead)
    aside = np.cross(ahead, (0.0, 0.0, 1.0))
    size = np.bincount(of, minlength=count)
    mean = np.stack([np.bincount(of, way, count) for way in ways.T], 1) / size[:, None]
    off = np.linalg.norm(mean - (mean @ ahead)[:, None] * ahead, axis=1)
    low, high = np.full((2, count), np.inf), np.full((2, count), -np.inf)
    for k, axis in enumerate((ahead, aside)):
        np.minimum.at(low[k], of, ways @ axis)
        np.maximum.at(high[k], of, ways @ axis)
    reach = (low[1] < -ACROSS) & (high[1] > ACROSS)
    radius = np.bincount(of, away, count) / size
    balls = reach & (off < ASIDE) & (high[0] > FRONT)
    within = radius[balls].min(initial=np.inf)
    lids = reach & (radius > within) & ((off > ASIDE) | ((high[0] < OPEN) & (low[0] < BACK)))
    return lids[of]


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
