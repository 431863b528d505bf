"""Which bone can warm which vertex: the straight way there must stay inside the body."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.distance import DistanceField
from ..geometry.mesh import Mesh, vertex_components
from ..geometry.ray import way_outside

_SOFT = 0.003  # less than half a voxel of the field: what lies that close to the limit is seen in part
_CROSSED = 0.001  # a way that is outside for this long has crossed a gap; one shorter in part, by how long it is


def visibility(field: DistanceField, starts: np.ndarray, ends: np.ndarray, *, slack: float = 0.02,
               samples: int = 12) -> np.ndarray:
    """(N,) 1 where the segment from `starts` (N, 3) to `ends` (N, 3), unit frame, stays inside the solid, 0 where it
    leaves it, and a share between where it comes within `_SOFT` of leaving.

    slack : how far outside still counts as inside; more than a voxel's error at the surface, less than the gaps between
    limbs. Skin further out, where the solid lost a finger's end, may look as far out as it lies itself.
    samples : points tested along each segment, at the middles of equal pieces. [BP07] section 4 decides yes or
    no; then the last bit of a coordinate would decide which bone warms a vertex.
    """
    own = field.sample(starts)
    own *= np.clip(2 * own / slack - 1, 0.0, 1.0)
    furthest, left = np.full(len(starts), -np.inf), np.arange(len(starts))
    start, way, seen = starts.T.copy(), (ends - starts).T.copy(), furthest.copy()
    for fraction in (np.arange(samples) + 0.5) / samples:
        seen = np.maximum(seen, field.sample((start + fraction * way).T) - own)
        furthest[left] = seen
        kept = np.flatnonzero(seen < slack + _SOFT)
        if len(kept) < 0.9 * len(left):
            left, own, seen, start, way = left[kept], own[kept], seen[kept], start.take(kept, 1), way.take(kept, 1)
    return np.clip(0.5 + (slack - furthest) / (2 * _SOFT), 0.0, 1.0)


@dataclass(frozen=True, eq=False)
class Folds:
    """Gaps between skin and skin of one surface, however thin: the mouth between jaw and skull, a tail on a rump.

    mesh : unit frame;  part : (V,) connected part of each vertex;  rows : (N,) the vertices that look at bones

    The solid closes what is thinner than its cells, and slack bridges a little more. A mouth stays a gap all the same:
    the jaw lies behind it, however near the skull's bone is.
    """

    mesh: Mesh
    part: np.ndarray
    rows: np.ndarray

    @classmethod
    def of(cls, mesh: Mesh) -> Folds:
        """Of a mesh all of whose vertices look at bones."""
        return cls(mesh, vertex_components(mesh), np.arange(len(mesh.vertices)))

    def only(self, some: np.ndarray) -> Folds:
        """The same for some (M,) of those that look."""
        return Folds(self.mesh, self.part, self.rows[some])

    def between(self, some: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """(M,) 1 where the straight way of some (M,) of those that look to `ends` (M, 3) crosses a gap, 0 where it does
        not, and a share between where it is outside for less than `_CROSSED`."""
        rows = self.rows[some]
        outside = way_outside(self.mesh, self.part, self.mesh.vertices[rows], ends, self.part[rows])
        return np.minimum(outside / _CROSSED, 1.0)


def is_visible(field: DistanceField, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """(N,) bool: more is seen than not."""
    return visibility(field, starts, ends) >= 0.5
