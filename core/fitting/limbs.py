"""Limbs as the shape shows them: how long, how thick along the way, and where they grow out of the trunk.

From a limb's tip, level sets of the geodesic distance inside the solid sweep along it. While they cross only the limb
their area is the limb's cross-section; where the limb enters the trunk (or its twin at the crotch) the area jumps. The
middles of the level sets are the limb's centre line, whatever its pose.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from ..arrays import argwhere, frozen
from ..geometry.distance import DistanceField
from ..geometry.gaps import connect_parts
from ..geometry.grid import Grid
from ..geometry.symmetry import MirrorPlane, mirror_voxels
from ..geometry.waves import geodesic_distances

MOST_KEPT = 32  # distances from so many voxels
_ASIDE = 1e-5  # voxels; more than rounding


@dataclass(frozen=True, eq=False)
class LimbProfile:
    """A limb from its tip inwards in K equal steps of geodesic distance, unit frame.

    distances : (K,) from the tip;  centres : (K, 3) middles of the level sets;  areas : (K,) their areas
    root : index of the last level set before the limb enters the trunk
    """

    distances: np.ndarray
    centres: np.ndarray
    areas: np.ndarray
    root: int

    def __post_init__(self):
        count = len(self.distances)
        object.__setattr__(self, "distances", frozen(self.distances, np.float64, (count,), "distances"))
        object.__setattr__(self, "centres", frozen(self.centres, np.float64, (count, 3), "centres"))
        object.__setattr__(self, "areas", frozen(self.areas, np.float64, (count,), "areas"))


@dataclass(frozen=True, eq=False)
class Limb:
    """One embedded limb as measured, unit frame.

    joint : reduced joint of its end;  tip : (3,)
    own : (voxels,) bool, nearer to this tip than to its twin's, or None;  trunk : voxel of the joint it hangs on
    """

    joint: int
    tip: np.ndarray
    own: np.ndarray | None
    trunk: int
    profile: LimbProfile


class Interior:
    """The solid's voxels, and geodesic distances between them.

    numbers : (nx, ny, nz) the number of each voxel, -1 outside
    image : (voxels,) each voxel's mirror image, or None if the solid is not exactly mirrored. Distances from one side's
    tips are then those from the other's.
    """

    def __init__(self, field: DistanceField, *, coarsen: int = 1, plane: MirrorPlane | None = None):
        solid, spacing = field.solid, field.grid.spacing
        if field.parts > 1:
            solid = connect_parts(solid)
            if plane is not None:
                solid = solid | mirror_voxels(solid, plane)
        if coarsen > 1:
            pad = [(0, -n % coarsen) for n in solid.shape]
            padded = np.pad(solid, pad)
            nx, ny, nz = (n // coarsen for n in padded.shape)
            share = padded.reshape(nx, coarsen, ny, coarsen, nz, coarsen).mean((1, 3, 5))
            solid, spacing = share >= 0.5, spacing * coarsen
        nx, ny, nz = solid.shape
        self.grid = Grid(field.grid.origin, spacing, (nx, ny, nz))
        if coarsen > 1:
            labels, count = ndimage.label(solid, np.ones((3, 3, 3)))
            if count > 1:
                # Averaging may cut what hangs by a thread; the largest piece is the body.
                solid = labels == 1 + np.bincount(labels.ravel())[1:].argmax()
        self.voxels = argwhere(solid)
        self.centres = self.grid.centres(self.voxels)
        self.numbers = np.full(solid.shape, -1)
        self.numbers[solid] = np.arange(len(self.voxels))
        self.image = None if plane is None or coarsen > 1 else _mirror_numbers(self.voxels, self.numbers, plane)
        self._distances: dict[int, np.ndarray] = {}

    def nearest(self, points: np.ndarray) -> np.ndarray:
        """(N,) the voxel nearest to each point; of two equally near, as beside the mirror plane, the lower."""
        points = np.atleast_2d(points)
        index = self.grid.index_of(points - _ASIDE * self.grid.spacing)
        held = self.numbers[tuple(index.T)]
        away = np.flatnonzero((held < 0) | (np.abs(points - self.grid.centres(index)).max(1) > self.grid.spacing))
        if len(away):
            held[away] = self._tree.query(points[away])[1]
        return held

    def near(self, point: np.ndarray, reach: float) -> list[int]:
        """The voxels of the interior within a distance of a point (3,), ascending."""
        return sorted(self._tree.query_ball_point(point, reach))

    @cached_property
    def _tree(self) -> cKDTree:
        return cKDTree(self.centres)

    def distances(self, sources: np.ndarray, limit: float = np.inf) -> np.ndarray:
        """(N, voxels) geodesic distance from each source voxel, infinite beyond `limit`.

        Distances without limit are kept: while a joint is dragged all other limbs are asked for again and again.
        """
        if np.isfinite(limit):
            return self._measure(sources, limit)
        wanted = [int(v) for v in sources]
        new: list[int] = []
        for v in dict.fromkeys(wanted):
            if v not in self._distances and (self.image is None or self.image[v] not in new):
                new.append(v)
        if new:
            self._distances |= zip(new, self._measure(new, np.inf), strict=True)
        for v in wanted:
            if v not in self._distances:
                self._distances[v] = self._distances[int(self.image[v])][self.image]
        found = np.stack([self._distances[v] for v in wanted])
        for oldest in list(self._distances)[:-MOST_KEPT]:
            del self._distances[oldest]
        return found

    def distances_both(self, source: int) -> np.ndarray:
        """(voxels,) geodesic distance from a voxel or, of a mirrored solid, from the nearer of it and its image.

        The way to either of two images is the same, and one of the shortest ways never leaves its half.
        """
        if self.image is None:
            return self.distances(np.array([source]))[0]
        half, image = np.flatnonzero(self.image >= np.arange(len(self.image))), self.image[source]
        start = np.searchsorted(half, [min(source, int(image))])
        away = np.empty(len(self.image))
        away[half] = geodesic_distances(self.grid.shape, self.voxels[half], self.grid.spacing, start)[0]
        away[self.image[half]] = away[half]
        return away

    def distances_up_to(self, source: int, goal: int, beyond: float) -> np.ndarray:
        """(voxels,) geodesic distance from a voxel, infinite where it is longer than that to another and `beyond`.

        The same numbers for a voxel and its mirror image.
        """
        image = self.image
        if image is not None and image[source] < source:
            return self.distances_up_to(int(image[source]), int(image[goal]), beyond)[image]
        return geodesic_distances(self.grid.shape, self.voxels, self.grid.spacing, np.array([source]), np.inf, goal,
                                  beyond)[0]

    def _measure(self, sources: np.ndarray | list[int], limit: float) -> np.ndarray:
        return geodesic_distances(self.grid.shape, self.voxels, self.grid.spacing, np.asarray(sources), limit)


def _mirror_numbers(voxels: np.ndarray, number: np.ndarray, plane: MirrorPlane) -> np.ndarray | None:
    """(voxels,) the number of each voxel's mirror image; None if one has none."""
    x = plane.index - voxels[:, 0]
    if x.min() < 0 or x.max() >= number.shape[0]:
        return None
    image = number[x, voxels[:, 1], voxels[:, 2]]
    return None if (image < 0).any() else image


def limb_tip(interior: Interior, start: np.ndarray, from_trunk: np.ndarray, reach: float) -> int:
    """The voxel furthest from the trunk within `reach` of a limb's embedded end.

    start : (3,) unit frame;  from_trunk : (voxels,) geodesic distance from the trunk
    """
    near = ((interior.centres - start) ** 2).sum(1) <= reach**2
    if not near.any():
        return int(interior.nearest(start)[0])
    candidates = np.flatnonzero(near)
    return int(candidates[from_trunk[candidates].argmax()])


def follow_out(interior: Interior, start: int, from_trunk: np.ndarray, *, reach: float = 0.06) -> int:
    """The voxel where one ends up by going on to the one furthest from the trunk within `reach` until none is further.

    start : a voxel;  from_trunk : (voxels,) geodesic distance
    """
    while True:
        near = np.array(interior.near(interior.centres[start], reach))
        furthest = int(near[from_trunk[near].argmax()])
        if from_trunk[furthest] <= from_trunk[start]:
            return start
        start = furthest


def limb_profile(interior: Interior, from_tip: np.ndarray, trunk: int, *, step: float,
                 own: np.ndarray | None = None) -> LimbProfile:
    """Sweep a limb from its tip to the trunk.

    from_tip : (voxels,) geodesic distance from the tip, at least so far as two steps beyond the trunk
    trunk : voxel of the joint the limb hangs on
    own : (voxels,) bool, the limb's side of the body; None for a limb without a twin. Only these count
    The root is the corner of the area's curve: the point furthest below the chord from the limb's first fifth to the
    largest level set before the trunk joint.
    """
    count = int(from_tip[trunk] / step) + 2
    shell = np.minimum(from_tip / step, count).astype(np.int64)
    if own is not None:
        shell = np.where(own, shell, count)
    size = np.bincount(shell, minlength=count)[:count]
    centres = np.stack([np.bincount(shell, weights=interior.centres[:, d], minlength=count)[:count]
                        for d in range(3)], 1) / np.maximum(size, 1)[:, None]
    areas = size * interior.grid.spacing**3 / step
    distances = (np.arange(count) + 0.5) * step
    centres = centres[np.maximum.accumulate(np.where(size > 0, np.arange(count), 0))]
    smooth = ndimage.uniform_filter1d(areas, 3, mode="nearest")
    first = count // 5
    peak = first + int(smooth[first:].argmax())
    if peak - first < 2:
        return LimbProfile(distances, centres, areas, max(peak, 0))
    along = np.arange(first, peak + 1)
    chord = np.interp(along, [first, peak], [smooth[first], smooth[peak]])
    return LimbProfile(distances, centres, areas, first + int((chord - smooth[along]).argmax()))


def sheet_likeness(field: DistanceField, points: np.ndarray, *, reach: float = 0.25) -> np.ndarray:
    """(N,) how much wider than a round limb the solid is around each limb end: about 1 for tubes, many for a brim.

    points : (N, 3) ends of limbs, unit frame.  The median over level sets from 0.05 to `reach` away of their area
    against that of a disc as thick as the level set's deepest point. Measured on a grid of half the resolution.
    """
    interior = Interior(field, coarsen=2)
    step = 1.5 * interior.grid.spacing
    first, count = int(np.ceil(0.05 / step)), int(reach / step) + 1
    distances = interior.distances(interior.nearest(points), limit=count * step)
    depth = np.maximum(-field.sample(interior.centres), 0.75 * interior.grid.spacing)
    end, voxel = np.nonzero(distances < count * step)
    at = end * count + (distances[end, voxel] / step).astype(np.int64)
    area = np.bincount(at, minlength=len(points) * count) * interior.grid.spacing**3 / step
    deepest = np.full(len(points) * count, 1e-6)
    np.maximum.at(deepest, at, depth[voxel])
    ratio = (area / (np.pi * deepest**2)).reshape(len(points), count)
    return np.median(ratio[:, first:], axis=1)
