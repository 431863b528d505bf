"""Wave fronts through a solid: where they fall apart the body branches, where a piece of one dies something ends.

The pieces form a tree: a Reeb graph of the geodesic distance, without its loops.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage

from .limbs import Interior

STEP = 2.0  # voxels between fronts: more than the longest step of a wave, so that each front touches the next
# Times its radius long at least is what a spine goes on in past two limbs. Half a ball is 1.15; the heads of five
# generated bodies, of an ape, a frog, a toad and two walruses, 1.6 to 2.0, the back of a crab between its claws 0.7.
PAST = 1.2
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


def wave_fronts(interior: Interior, depth: np.ndarray, start: int) -> Fronts:
    """The fronts of the wave from a voxel, and from its image in a mirrored solid.

    depth : (voxels,)
    """
    spacing = interior.grid.spacing
    away = interior.distances_both(start)
    label, count = _pieces(interior, (away / (STEP * spacing)).astype(np.int64))
    upper, lower, contacts = _contacts(interior, label)
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
    last, furthest = np.flatnonzero(away == ends[label]), np.empty(count, np.int64)
    furthest[label[last]] = last  # of several the one with the highest number
    radii = np.sqrt(volumes * spacing**2 / (STEP * np.pi))
    return Fronts(parents, centres, radii, volumes, starts, ends, furthest, label)


def _pieces(interior: Interior, shell: np.ndarray) -> tuple[np.ndarray, int]:
    """(voxels,) the number of the connected piece of its shell that each voxel belongs to, and how many there are.

    Only shells that follow each other touch, so every other one is taken apart at once.
    """
    label, count = np.empty(len(shell), np.int64), 0
    place, shape = np.ravel_multi_index(tuple(interior.voxels.T), interior.numbers.shape), interior.numbers.shape
    is_odd = (shell & 1).astype(bool)
    for chosen in (~is_odd, is_odd):
        mask = np.zeros(interior.numbers.size, bool)
        mask[place] = chosen
        found, more = ndimage.label(mask.reshape(shape), np.ones((3, 3, 3)))
        np.copyto(label, found.ravel().take(place) + (count - 1), where=chosen)
        count += more
    first = np.empty(count, np.int64)
    first[label[::-1]] = np.arange(len(label))[::-1]
    rank = np.empty(count, np.int64)
    rank[np.lexsort((first, shell[first]))] = np.arange(count)
    return rank[label], count


def _contacts(interior: Interior, label: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(K,) pieces, (K,) those before them that they touch, and (K,) by how many pairs of voxels."""
    shape = np.array(interior.numbers.shape) + 2  # one wall around
    steps = np.array([shape[1] * shape[2], shape[2], 1])
    place, grid = (interior.voxels + 1) @ steps, np.full(int(shape.prod()), -1, np.int32)  # half as long to read
    label = label.astype(np.int32)
    grid[place] = label
    pairs = []
    for step in _HALF @ steps:
        other = grid.take(place + step)
        touching = ((other >= 0) & (other != label)).nonzero()[0]
        one, other = label.take(touching), other.take(touching)
        pairs.append((np.maximum(one, other), np.abs(one - other)))
    width = max(int(apart.max(initial=0)) for _, apart in pairs) + 1
    contacts = np.zeros((int(label.max()) + 1) * width, np.int64)
    for upper, apart in pairs:  # a step at a time they stay in the processor's cache
        contacts += np.bincount(upper.astype(np.int64) * width + apart, minlength=len(contacts))
    touching = np.flatnonzero(contacts)
    upper, apart = np.divmod(touching, width)
    return upper, upper - apart, contacts[touching]


def mass_middle(fronts: Fronts) -> int:
    """The piece behind each of whose neighbours lies at most half the body: the balance point of a tree."""
    behind = fronts.gathered(fronts.volumes)
    heavy = np.flatnonzero(2 * behind >= behind[0])
    return int(heavy[-1])  # they lie on one way, and pieces further out come later


def find_tips(fronts: Fronts, least: float, slender: float) -> tuple[np.ndarray, np.ndarray]:
    """(T,) the pieces in which something that stands out ends, and (T,) how far its branch goes on after it parted.

    Of two alike, such as both arms of a round body, the trunk goes on in one, and is too thick to stand out. That one
    is measured from where the last branch that stands out parted from it.

    least : so far at least, unit frame;  slender : and so many times as far as it is thick
    """
    reach = fronts.gathered(fronts.ends, np.maximum)
    count = len(reach)
    order = np.lexsort((-np.arange(count), reach))  # the furthest reaching child of each comes last
    goes_on = np.full(count, -1)
    order = order[order > 0]
    goes_on[fronts.parents[order]] = order
    begins = np.flatnonzero((fronts.parents < 0) | (goes_on[fronts.parents] != np.arange(count)))
    found: dict[int, float] = {}
    thick, forks = [], set()
    for c in begins:
        line = [int(c)]
        while goes_on[line[-1]] >= 0:
            line.append(int(goes_on[line[-1]]))
        if length := _length_out(fronts, line, least, slender):
            found[line[-1]] = length
            forks.add(int(fronts.parents[c]))
        else:
            thick.append(line)
    for line in thick:
        last = max((k for k, piece in enumerate(line[:-1]) if piece in forks), default=-1)
        if last >= 0 and (length := _length_out(fronts, line[last + 1:], least, slender)):
            found[line[-1]] = length
    return np.array(list(found), int), np.array(list(found.values()), float)


def _length_out(fronts: Fronts, line: list[int], least: float, slender: float) -> float:
    """How long a branch is that goes on in some pieces, 0 for one that is too short or too thick. See `find_tips`."""
    parent = int(fronts.parents[line[0]])
    length = float(fronts.ends[line[-1]] - (fronts.ends[parent] if parent >= 0 else 0.0))
    return length if length >= max(least, slender * 2 * float(np.median(fronts.radii[line]))) else 0.0


def way_past(fronts: Fronts, way: list[int], is_bare: np.ndarray, least: float) -> list[int]:
    """The way of a spine that ends between two limbs, with the flesh that goes on past them, if it does by `least` and
    by more than a body's round end: a head between the shoulders may be too thick for its length to stand out.

    is_bare : (C,) which pieces lie about the body's middle, in flesh, with nothing behind them that stands out
    """
    leaves = np.full(len(fronts.parents), -1)  # where a bare way to each piece leaves this one
    leaves[way] = np.arange(len(way))
    for piece in np.flatnonzero(is_bare):
        leaves[piece] = leaves[fronts.parents[piece]]
    end_of_way = fronts.ends[way[-1]]
    is_past = is_bare & (leaves >= 0) & (fronts.ends[way].take(leaves) > end_of_way - least)
    end = int(np.where(is_past, fronts.ends, -np.inf).argmax())
    if not is_past[end]:
        return way
    found, parts = fronts.way(end), int(leaves[end])
    past = found[found.index(way[parts]) + 1:]
    is_long = fronts.ends[end] - end_of_way >= max(least, PAST * float(np.median(fronts.radii[past])))
    return way[:parts + 1] + past if is_long else way


def smoothed(points: np.ndarray) -> np.ndarray:
    """(K, 3) a line without the grid's steps; its ends stay."""
    if len(points) < 3:
        return np.array(points)
    out = np.array(points)
    for _ in range(2):
        out[1:-1] = 0.25 * out[:-2] + 0.5 * out[1:-1] + 0.25 * out[2:]
    return out
