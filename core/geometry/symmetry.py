"""Mirror symmetry of a solid between the character's left and right."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from ..arrays import argwhere
from .distance import DistanceField
from .voxels import grow

ONE_SIDED = 0.08  # unit frame: what lies so far from all that both sides have is a limb of one side


@dataclass(frozen=True)
class MirrorPlane:
    """The plane x = `x` (unit frame) about which a solid is most nearly its own mirror image.

    index : voxel column i mirrors to column index - i
    overlap : share of the solid that lies in its own mirror image, 0 to 1
    """

    x: float
    index: int
    overlap: float

    def reflect(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) mirror images of points."""
        return np.asarray(points, float) * [-1, 1, 1] + [2 * self.x, 0, 0]


def find_mirror_plane(field: DistanceField) -> MirrorPlane:
    """The mirror plane of best overlap among all half-voxel places.

    The middle of the bounding box is tried first; a sword in one hand moves the box off the body's own plane, and then
    the solid's correlation with its mirror image along x finds it. O(voxels log voxels).
    """
    solid = field.solid
    count, filled = solid.shape[0], solid.sum()
    index = count - 1
    overlap = np.count_nonzero(solid & solid[::-1]) / filled
    if overlap < 0.95:
        slices = solid.reshape(count, -1)
        slices = slices[:, slices.any(0)].astype(np.float32)  # whole numbers below 2^24: any order of sums is exact
        shared = slices @ slices.T
        match = np.bincount(np.add.outer(np.arange(count), np.arange(count)).ravel(), shared.ravel())
        best = int(match.argmax())
        if match[best] > match[index] * 1.001:
            index, overlap = best, match[best] / filled
    return MirrorPlane(float(field.grid.origin[0] + (index / 2 + 0.5) * field.grid.spacing), index, float(overlap))


def mirror_voxels(solid: np.ndarray, plane: MirrorPlane) -> np.ndarray:
    """(nx, ny, nz) bool: the mirror image of a solid; what falls off the grid is lost."""
    count = solid.shape[0]
    other = plane.index - np.arange(count)
    known = (other >= 0) & (other < count)
    image = np.zeros_like(solid)
    image[known] = solid[other[known]]
    return image


def likeness(solid: np.ndarray, plane: MirrorPlane) -> float:
    """How alike the two sides are, 0 to 1: the share of a solid but for what each side has alone, as far as the other
    has as much. What one hand holds has nothing on the other side and does not count; a bent arm leaves a gap there."""
    alone = (solid & ~mirror_voxels(solid, plane)).sum((1, 2))
    column = 2 * np.arange(len(alone))
    return float(1 - 2 * min(alone[column < plane.index].sum(), alone[column > plane.index].sum()) / solid.sum())


def has_unlike_limbs(field: DistanceField, plane: MirrorPlane, *, least: float = 0.15) -> bool:
    """Whether each side has a limb without a mirror image: one arm raised, the other down.

    Such is a piece of the solid beyond its mirror image that is `least` long, no larger than a rod so long and so
    thick, and either more than two voxels deep or, thin as it may be, half of `least` away from that image. A layer on
    a body whose sides differ a little is broader than it is deep, and stays near. A sword in one hand has nothing on
    the other side.
    """
    spacing = field.grid.spacing
    image = mirror_voxels(field.solid, plane)
    labels = ndimage.label(field.solid & ~image, np.ones((3, 3, 3)))[0]
    sides = set()
    for number, box in enumerate(ndimage.find_objects(labels), 1):
        length = float(np.linalg.norm([s.stop - s.start for s in box])) * spacing
        if length < least:
            continue
        piece = labels[box] == number
        depth = -float(field.values[box][piece].min())
        is_thin = depth <= 2 * spacing
        thick = depth + spacing / 2 if is_thin else depth  # between the middles of voxels a thin rod's axis is missed
        is_rod = np.count_nonzero(piece) * spacing**3 < np.pi * length * thick**2
        if is_rod and (not is_thin or _is_far(piece, box, image, least / 2 / spacing)):
            sides.add(box[0].start + box[0].stop - 1 > plane.index)
    return len(sides) == 2


def _is_far(piece: np.ndarray, box: tuple[slice, ...], others: np.ndarray, voxels: float) -> bool:
    """Whether a part of a piece, which lies in a box of the grid, is farther than so many voxels from all others."""
    low = np.array([max(0, s.start - int(voxels) - 1) for s in box])
    wide = tuple(slice(a, s.stop + int(voxels) + 1) for a, s in zip(low, box, strict=True))
    near = cKDTree(argwhere(others[wide]), balanced_tree=False, compact_nodes=False)
    places = argwhere(piece) + [s.start for s in box] - low
    return bool((near.query(places, distance_upper_bound=voxels)[0] > voxels).any())


def lopsided_sides(solid: np.ndarray, plane: MirrorPlane, spacing: float) -> int:
    """How many sides of a solid (nx, ny, nz) bool have what lies far from all that both sides have."""
    both = solid & mirror_voxels(solid, plane)
    alone, rim = argwhere(solid & ~both), argwhere(both & grow(~both))
    if not len(alone):
        return 0
    far = alone[cKDTree(rim).query(alone)[0] * spacing > ONE_SIDED]
    return len(np.unique(np.sign(2 * far[:, 0] - plane.index)))


def symmetric_field(field: DistanceField, plane: MirrorPlane, *, is_union: bool = False) -> DistanceField:
    """The field of the solid's intersection with its mirror image: exactly mirrored, one-sided accessories gone.

    If that tears the body apart (thin limbs that lie a voxel off their mirror image), of the union instead.
    is_union : of the union anyway, so that what one side alone has is on both
    """
    count = field.grid.shape[0]
    other = plane.index - np.arange(count)
    known = (other >= 0) & (other < count)
    values = np.full(field.values.shape, field.values.max(), np.float32)
    values[known] = field.values[other[known]]
    if not is_union:
        met = _either_side(field, values, other, np.maximum(field.values, values))
        if met.parts <= max(1, field.parts):
            return met
    return _either_side(field, values, other, np.minimum(field.values, values))


def _either_side(field: DistanceField, values: np.ndarray, other: np.ndarray, chosen: np.ndarray) -> DistanceField:
    """The field of the values chosen from a field and its mirror image, each with its own vector.

    values : the image's;  other : (nx,) the column each mirrors to
    """
    # Of two equal sides the lower one speaks for both, so that rounding cannot tell them apart.
    own = (field.values == chosen) & ((values != chosen) | (np.arange(len(other)) <= other)[:, None, None])
    to_surface = np.zeros_like(field.to_surface)
    is_near = chosen < field.values.max()  # further out there are no vectors
    vectors, size = field.to_surface.reshape(-1, 3), int(np.prod(own.shape[1:]))
    here = np.flatnonzero(is_near & own)
    to_surface.reshape(-1, 3)[here] = vectors.take(here, 0)
    here = np.flatnonzero(is_near & ~own)
    column = here // size
    image = vectors.take(here + (other[column] - column) * size, 0)
    image[:, 0] *= -1
    to_surface.reshape(-1, 3)[here] = image
    return DistanceField(field.grid, chosen, to_surface)
