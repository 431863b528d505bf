"""Wave fronts through a solid: where they fall apart the body branches, where a piece of one dies something ends.

The pieces form a tree: a Reeb graph of the geodesic distance, without its loops.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from .limbs import Interior

STEP = 2.0  # voxels between fronts: more than the longest step of a wave, so that each front touches the next
# Steps to half the voxels around; those to the others are the same backwards.
_HALF = np.array([(i, j, k) for i in (-1, 0, 1) for j in (-1, 0, 1) for k in (-1, 0, 1) if (i, j, k) > (0, 0, 0)])


@dataclass(frozen=True, eq=False)
class Fronts:
    """The pieces of the wave fronts from one voxel, unit frame; C pieces, those further out later.

    parents : (C,) the piece before each that it touches most, -1 for the first
    centres : (C, 3) their middles, thick flesh counting more;  radii : (C,) of discs as large
    volumes : (C,) voxels;  starts, ends : (C,) the least and the most way to their voxels
    voxel : (C,) the furthest voxel of each;  piece_of_voxel : (voxels,)
    """

    parents: np.ndarray
    centres: np.ndarray
    radii: np.ndarray
    volumes: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    voxel: np.ndarray
    piece_of_voxel: np.ndarray

    def gathered(self, values: np.ndarray, gather=np.add) -> np.ndarray:
        """(C,) values summed (or otherwise gathered) over each piece and all behind it."""
        total = np.array(values, float)
        for c in range(len(total) - 1, 0, -1):
            total[self.parents[c]] = gather(total[self.parents[c]], total[c])
        return total

    def way(self, piece: int) -> list[int]:
        """The pieces from the first to one."""
        line = [piece]
        while self.parents[line[-1]] >= 0:
            line.append(int(self.parents[line[-1]]))
        return line[::-1]


def neighbours(interior: Interior) -> tuple[np.ndarray, np.ndarray]:
    """Two (E,) arrays: the voxels of a solid that touch, each pair once."""
    number = interior.numbers
    first, second = [], []
    for step in _HALF:
        here = tuple(slice(max(-s, 0), n - max(s, 0)) for s, n in zip(step, number.shape, strict=True))
        there = tuple(slice(max(s, 0), n - max(-s, 0)) for s, n in zip(step, number.shape, strict=True))
        a, b = number[here].ravel(), number[there].ravel()
        both = (a >= 0) & (b >= 0)
        first.append(a[both])
        second.append(b[both])
    return np.concatenate(first), np.concatenate(second)


def wave_fronts(interior: Interior, depth: np.ndarray, start: int, pairs: tuple[np.ndarray, np.ndarray]) -> Fronts:
    """The fronts of the wave from a voxel, and from its image in a mirrored solid.

    depth : (voxels,);  pairs : `neighbours`
    """
    spacing = interior.grid.spacing
    sources = [start] if interior.image is None else [start, int(interior.image[start])]
    away = interior.distances(np.array(sources)).min(0)
    shell = (away / (STEP * spacing)).astype(np.int64)
    one, other = pairs
    same = shell[one] == shell[other]
    graph = sparse.coo_matrix((np.ones(np.count_nonzero(same), bool), (one[same], other[same])), shape=(len(away),) * 2)
    count, label = connected_components(graph, directed=False)
    first = np.full(count, len(away))
    np.minimum.at(first, label, np.arange(len(away)))
    order = np.argsort(shell[first], kind="stable")
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    label = rank[label]
    gap = ~same
    lower, upper = label[one[gap]], label[other[gap]]
    lower, upper = np.minimum(lower, upper), np.maximum(lower, upper)
    touching, contacts = np.unique(upper * count + lower, return_counts=True)
    upper, lower = np.divmod(touching, count)
    best = np.lexsort((lower, -contacts, upper))
    upper, first_of = np.unique(upper[best], return_index=True)
    parents = np.full(count, -1)
    parents[upper] = lower[best][first_of]
    weight = depth**2
    heavy = np.bincount(label, weight, count)
    centres = np.stack([np.bincount(label, weight * x, count) for x in interior.centres.T], 1) / heavy[:, None]
    volumes = np.bincount(label, minlength=count).astype(float)
    starts, ends = np.full(count, np.inf), np.zeros(count)
    np.minimum.at(starts, label, away)
    np.maximum.at(ends, label, away)
    furthest = np.lexsort((np.arange(len(away)), away, label))
    last = np.flatnonzero(np.diff(label[furthest], append=count))
    radii = np.sqrt(volumes * spacing**2 / (STEP * np.pi))
    return Fronts(parents, centres, radii, volumes, starts, ends, furthest[last], label)


def mass_middle(fronts: Fronts) -> int:
    """The piece behind each of whose neighbours lies at most half the body: the balance point of a tree."""
    behind = fronts.gathered(fronts.volumes)
    heavy = np.flatnonzero(2 * behind >= behind[0])
    return int(heavy[-1])  # they lie on one way, and pieces further out come later


def find_tips(fronts: Fronts, least: float, slender: float) -> tuple[np.ndarray, np.ndarray]:
    """(T,) the pieces in which something that stands out ends, and (T,) how far its branch goes on after it parted.

    least : so far at least, unit frame;  slender : and so many times as far as it is thick
    """
    reach = fronts.gathered(fronts.ends, np.maximum)
    count = len(reach)
    order = np.lexsort((-np.arange(count), reach))  # the furthest reaching child of each comes last
    goes_on = np.full(count, -1)
    order = order[order > 0]
    goes_on[fronts.parents[order]] = order
    begins = np.flatnonzero((fronts.parents < 0) | (goes_on[fronts.parents] != np.arange(count)))
    tips, lengths = [], []
    for c in begins:
        line = [int(c)]
        while goes_on[line[-1]] >= 0:
            line.append(int(goes_on[line[-1]]))
        parent = int(fronts.parents[c])
        length = reach[c] - (fronts.ends[parent] if parent >= 0 else 0.0)
        if length >= max(least, slender * 2 * float(np.median(fronts.radii[line]))):
            tips.append(line[-1])
            lengths.append(float(length))
    return np.array(tips, int), np.array(lengths)
