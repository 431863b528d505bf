"""Long beards follow the head: their ends lie on the chest, and would follow that and the shoulders."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from ..geometry.shape import Shape
from ..skeleton.rig import Rig
from .weights import with_rows

FACE, SEAT = 0.9, 0.7  # share of the head's weights: of skin of the face; of what lies beneath a beard's upper end
END, TOUCHES = 0.15, 0.03  # of a beard's height that is its upper end; unit frame: how near skin is beneath it
ASTRAY = 0.5  # less than this of a beard's weights is the head's and the neck's
ASIDE = 0.5  # how far to the side of the face's middle a part's may lie, of half of the face's width
LONGEST, FEWEST = 0.45, 5  # unit frame; vertices


def follow_chin(shape: Shape, rig: Rig, weights: sparse.csr_matrix, part: np.ndarray) -> sparse.csr_matrix:
    """(V, B) weights of the original vertices in which loose parts that hang from the face down follow the head alone.

    part : (W,) connected part of each vertex of the welded mesh, seams sewn up
    """
    count = int(part.max(initial=0)) + 1
    if count == 1 or "head" not in rig.names:
        return weights
    bone = rig.names.index("head")
    head, neck = np.zeros((2, len(part)))
    head[shape.welded_of_vertex] = weights[:, [bone]].toarray().ravel()
    neck[shape.welded_of_vertex] = weights[:, [max(rig.parents[bone], 0)]].toarray().ravel()
    points, face = shape.mesh.vertices, head >= FACE
    if not face.any():
        return weights
    size = np.bincount(part)
    low, high = np.full((count, 3), np.inf), np.full((count, 3), -np.inf)
    np.minimum.at(low, part, points)
    np.maximum.at(high, part, points)
    middle, chin = (low + high) / 2, points[face].min(0)
    wide = np.ptp(points[face, 0])
    hangs = (size >= FEWEST) & ((high - low).max(1) <= LONGEST) & (low[:, 2] < chin[2])
    hangs &= np.bincount(part, head + neck) < ASTRAY * size  # else it is a neck, or right as it is
    hangs &= middle[:, 1] < points[face, 1].mean()
    hangs &= np.abs(middle[:, 0] - chin[0] - wide / 2) <= ASIDE * wide / 2
    if not hangs.any() or hangs.all():
        return weights
    upper = hangs[part] & (points[:, 2] >= (high[:, 2] - END * (high - low)[:, 2])[part])
    rest = np.flatnonzero(~hangs[part])
    away, near = cKDTree(points[rest]).query(points[upper])
    ends = np.maximum(np.bincount(part[upper], minlength=count), 1)
    hangs &= np.bincount(part[upper], head[rest[near]] * (away <= TOUCHES), count) >= SEAT * ends
    rows = np.flatnonzero(hangs[part][shape.welded_of_vertex])
    return with_rows(weights, rows, np.eye(weights.shape[1])[np.full(len(rows), bone)]) if len(rows) else weights
