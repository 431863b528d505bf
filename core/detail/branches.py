"""What sticks out of a solid: branches of its geodesic distance from a place, however they are bent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..arrays import argwhere
from ..geometry.links import linked_parts
from ..geometry.pieces import touching_runs
from ..geometry.waves import geodesic_distances

_BAND = 1.5  # voxels; narrower rings fall apart on slanted fingers


@dataclass(frozen=True, eq=False)
class Rings:
    """A solid cut into R rings: pieces between one distance from its beginning and the next. A Reeb graph.

    voxels : (V, 3) indices;  away : (V,) way from the beginning;  ring : (V,) of each voxel, -1 where none leads
    band : (R,) which distance, 0 first;  edges : (E, 2) rings that touch
    middles : (R, 3) in voxels;  sizes : (R,) voxels
    step : from one distance to the next;  spacing : of the voxels, in the unit of `away` and `step`
    """

    voxels: np.ndarray
    away: np.ndarray
    ring: np.ndarray
    band: np.ndarray
    edges: np.ndarray
    middles: np.ndarray
    sizes: np.ndarray
    step: float
    spacing: float

    def thickness(self, branch: Branch) -> float:
        """The diameter of a round limb as thick as the branch is halfway."""
        return self._thickness(branch.rings)

    def _thickness(self, rings) -> float:
        volume = float(np.median(self.sizes[np.asarray(rings)])) * self.spacing**3
        return float(np.sqrt(4 / np.pi * volume / self.step))


@dataclass(frozen=True, eq=False)
class Branch:
    """One branch of a solid: from where it leaves the rest to its tip.

    tip : (3,) voxels, the furthest place;  start, end : distances from the beginning at which it leaves and ends
    rings : its rings, from the end to the start;  stem : the ring it leaves from
    """

    tip: np.ndarray
    start: float
    end: float
    rings: np.ndarray
    stem: int

    @property
    def length(self) -> float:
        """How far it sticks out."""
        return self.end - self.start


def cut_rings(solid: np.ndarray, sources: np.ndarray, spacing: float, *, start: float = 0.0) -> Rings | None:
    """Cut the part of a solid that hangs together with the sources into rings; None if the sources are not in it.

    sources : (nx, ny, nz) bool, where the ways begin;  start : how far they have come there
    """
    voxels = argwhere(solid)
    starts = np.flatnonzero(sources[solid])
    if not len(starts):
        return None
    away = start + geodesic_distances(solid.shape, voxels, spacing, starts, together=True)[0]
    reached = np.flatnonzero(np.isfinite(away))
    band = np.full(solid.shape, -1, np.int32)
    band[solid] = np.where(np.isfinite(away), away / (_BAND * spacing), -1)
    number, length, one, other = touching_runs(band)
    is_same = number.take(one) == number.take(other)
    hangs = linked_parts(len(number), one[is_same], other[is_same])
    ring = np.full(len(voxels), -1)
    ring[reached] = ring_of = hangs.repeat(length)
    sizes = np.bincount(ring_of)
    middles = np.stack([np.bincount(ring_of, voxels[reached, d]) for d in range(3)], 1) / sizes[:, None]
    ring_band = np.zeros(len(sizes), int)
    ring_band[hangs] = number
    one, other = hangs.take(one[~is_same]), hangs.take(other[~is_same])
    pairs = sparse.coo_matrix((np.ones(len(one), bool), (np.minimum(one, other), np.maximum(one, other))),
                              shape=(len(sizes), len(sizes))).tocsr()  # each once
    edges = np.stack([np.repeat(np.arange(len(sizes)), np.diff(pairs.indptr)), pairs.indices], 1)
    return Rings(voxels, away, ring, ring_band, edges, middles, sizes, _BAND * spacing, spacing)


def branches(rings: Rings, counts: Callable[[float, float], bool]) -> list[Branch]:
    """The branches that count, the longest way first; the first leads to the furthest place and always counts.

    counts : of a branch's length and thickness

    Rings are taken from the furthest inwards; where two branches meet, the shorter ends ("elder rule" of persistence).
    A branch that others join leaves the rest where the first of them that counts does.  O(rings).
    """
    count = len(rings.band)
    neighbours: list[list[int]] = [[] for _ in range(count)]
    for a, b in rings.edges.tolist():
        neighbours[a].append(b)
        neighbours[b].append(a)
    far = np.full(count, -np.inf)
    inside = rings.ring >= 0
    np.maximum.at(far, rings.ring[inside], rings.away[inside])
    order = np.lexsort((np.arange(count), -far, -rings.band))
    group = np.full(count, -1)
    members: dict[int, list[int]] = {}
    tip: dict[int, int] = {}
    first: dict[int, tuple[float, int, int]] = {}  # of a branch: where the first that counts joined it
    found = []

    def close(g: int, at: float, stem: int, upto: int) -> None:
        own = np.array(members[g][:upto])
        t = tip[g]
        voxels = np.flatnonzero(rings.ring == t)
        place = rings.voxels[voxels[rings.away[voxels].argmax()]]
        found.append(Branch(place, at, float(far[t]), own, stem))

    for ring in order.tolist():
        groups = sorted({int(group[n]) for n in neighbours[ring] if group[n] >= 0},
                        key=lambda g: (-far[tip[g]], tip[g]))
        at = (rings.band[ring] + 1) * rings.step
        if not groups:
            group[ring], members[ring], tip[ring] = ring, [ring], ring
            continue
        elder = groups[0]
        for g in groups[1:]:
            start, stem, upto = first.get(g, (at, ring, len(members[g])))
            if g in first or counts(far[tip[g]] - start, rings._thickness(members[g][:upto])):
                close(g, start, stem, upto)
                first.setdefault(elder, (at, ring, len(members[elder])))
            for member in members[g]:
                group[member] = elder
            members[elder] = members[elder] + members[g] if g not in first else members[elder]
        group[ring] = elder
        members[elder] = [*members[elder], ring]
    for g in {int(g) for g in group if g >= 0}:
        start, stem, upto = first.get(g, (0.0, -1, len(members[g])))
        close(g, start, stem, upto)
    return sorted(found, key=lambda b: (-b.end, *b.tip))
