"""The signed distance field of a solid. [BP07] section 3.1.

The paper samples the field adaptively. Here voxels are regular and few (only the inside and a thin layer around it are
computed). Each value is the distance to one triangle: the one whose surface sample is nearest, as far as handing
samples from voxel to voxel can tell. Every tie is broken by geometry, so a mirrored mesh has a mirrored field.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import argwhere, frozen
from .gaps import count_parts
from .grid import Grid
from .mesh import Mesh, dot
from .voxels import dilate, grow

_FAR = np.float32(1e12)  # squared distance in voxels, where there is no sample yet
_FINEST = 2.0**16
_ASIDE = np.array([0.0041, 0.0023, 0.0031])  # voxels; or meshes of round numbers would be full of ties
_TIE = np.float32(1 - 1e-6)  # what is nearer by less is rounding


@dataclass(frozen=True, eq=False)
class DistanceField:
    """Signed distance to the surface of a solid on a grid of voxel centres, unit frame, negative inside.

    values : (nx, ny, nz) float32; measured inside, in the layer around and in the voxels that share a face with that; a
        constant further out
    to_surface : (nx, ny, nz, 3) float32 vector from each such centre to its nearest surface point, zero elsewhere
    """

    grid: Grid
    values: np.ndarray
    to_surface: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "values", frozen(self.values, np.float32, self.grid.shape, "values"))
        object.__setattr__(self, "to_surface", frozen(self.to_surface, np.float32, (*self.grid.shape, 3), "to_surface"))

    @property
    def solid(self) -> np.ndarray:
        """(nx, ny, nz) bool: centres inside."""
        return self.values < 0

    @cached_property
    def parts(self) -> int:
        """The number of pieces of the solid that touch nowhere, not even at corners."""
        return count_parts(self.solid)

    def sample(self, points: np.ndarray) -> np.ndarray:
        """(N,) signed distance at (N, 3) unit-frame points, trilinear between centres; outside the grid a constant."""
        return _trilinear(self.values, [(x - low) / self.grid.spacing - 0.5 for x, low in
                                        zip(np.asarray(points, float).T, self.grid.origin, strict=True)])

    def gradient(self, points: np.ndarray) -> np.ndarray:
        """(N, 3) gradient of the trilinear field: points away from the middle of the solid."""
        step = 0.5 * self.grid.spacing
        points = np.asarray(points, float)
        return np.stack([(self.sample(points + d) - self.sample(points - d)) / (2 * step)
                         for d in step * np.eye(3)], axis=1)


def _trilinear(values: np.ndarray, at: list[np.ndarray]) -> np.ndarray:
    """Trilinear interpolation of (nx, ny, nz) values at fractional indices, three (N,), clamped to the border."""
    at = [np.minimum(np.maximum(x, 0), n - 1.000001) for x, n in zip(at, values.shape, strict=True)]
    low = [x.astype(np.int64) for x in at]
    fx, fy, fz = (x - i for x, i in zip(at, low, strict=True))
    ny, nz = values.shape[1:]
    base = (low[0] * ny + low[1]) * nz + low[2]
    flat = values.ravel()
    gz = 1 - fz
    edge = [gz * flat[step:].take(base) + fz * flat[step + 1:].take(base) for step in (0, nz, ny * nz, ny * nz + nz)]
    gy = 1 - fy
    return (1 - fx) * (gy * edge[0] + fy * edge[1]) + fx * (gy * edge[2] + fy * edge[3])


def distance_field(mesh: Mesh, grid: Grid, solid: np.ndarray, points: np.ndarray, faces: np.ndarray) -> DistanceField:
    """Signed distance to the outer surface of `solid`, within 0.003 at 128 voxels along the longest side.

    mesh : unit frame;  points (N, 3), faces (N,) : surface samples and the face of each, about half a voxel apart
    Faces buried in the solid (overlapping parts) do not count; a face of which a part is buried counts whole, so deep
    inside such solids distances are up to 0.08 too short (nothing that was measured gains from longer ones). Where the
    solid's border has no face near (a bridged hole) the border of its voxels stands in. O(voxels + N).
    """
    centre = grid.origin + 0.5 * grid.spacing * np.array(grid.shape)
    voxel = np.ravel_multi_index(tuple(grid.index_of(points).T), grid.shape)
    near = dilate(solid)
    outer = (near & dilate(~solid)).ravel()[voxel]
    points, faces = points[outer], faces[outer]
    bare = _bare_border(grid, solid, voxel[outer])
    anchors = (np.concatenate([points, bare]) - centre) / grid.spacing
    anchors += _ASIDE * np.stack([np.sign(anchors[:, 0]), *np.ones((2, len(anchors)))], 1)
    anchors = _snap(anchors).T.copy()
    where = np.flatnonzero(grow(near))
    anchor = _nearest_anchors(grid.shape, anchors, where)
    at = _centred(grid.shape, where)
    vector = anchors.take(anchor, 1) - at
    on_face = np.flatnonzero(anchor < len(points))
    face = faces.take(anchor.take(on_face))
    corners = _snap((mesh.vertices - centre) / grid.spacing).T.copy()
    own = at.take(on_face, 1)
    vector[:, on_face] = _closest(own, *(corners.take(corner.take(face), 1) for corner in mesh.faces.T)) - own
    length = np.maximum(np.sqrt((vector * vector).sum(0)), np.float32(1e-6)) * np.float32(grid.spacing)
    values = np.full(grid.shape, 3.0 * grid.spacing, np.float32)
    values.ravel()[where] = np.where(solid.ravel()[where], -length, length)
    to_surface = np.zeros((*grid.shape, 3), np.float32)
    to_surface.reshape(-1, 3)[where] = vector.T * np.float32(grid.spacing)
    values.flags.writeable = to_surface.flags.writeable = False
    return DistanceField(grid, values, to_surface)


def _snap(points: np.ndarray) -> np.ndarray:
    """Single precision, on a lattice of 2^-16 voxels about the middle: differences are exact, the two halves of a
    mirrored mesh round alike, and no product is too small for a number."""
    return (np.round(points * _FINEST) / _FINEST).astype(np.float32)


def _centred(shape: tuple[int, int, int], flat: np.ndarray) -> np.ndarray:
    """(3, N) float32 centres of voxels given by flat index, measured in voxels from the middle of the grid."""
    _, ny, nz = shape
    row = flat // nz  # quicker than np.unravel_index
    x = row // ny
    return np.stack([i.astype(np.float32) - np.float32((n - 1) / 2)
                     for i, n in zip((x, row - x * ny, flat - row * nz), shape, strict=True)])


def _nearest_anchors(shape: tuple[int, int, int], anchors: np.ndarray, where: np.ndarray) -> np.ndarray:
    """(N,) for each voxel its nearest anchor, or one about as near.

    anchors : (3, A) in voxels from the middle of the grid;  where : (N,) flat voxel indices.
    Every anchor offers itself to the eight voxels around it, which is exact within 1 of the surface. Then voxels offer
    theirs to the neighbours that share a face, nearest to the surface first; one that improves later offers again.
    Only voxels `where` take part: the straight way to the nearest surface stays inside.
    """
    _, ny, nz = shape
    plane = ny * nz  # one empty plane before and one behind, so that every voxel has neighbours
    least = np.full(int(np.prod(shape)) + 2 * plane, np.float32(-1))
    anchor_of_voxel = np.full(len(least), anchors.shape[1], np.int32)
    least[where + plane] = _FAR
    _offer_around(shape, anchors, least[plane:-plane], anchor_of_voxel[plane:-plane])
    queue = where[anchor_of_voxel[where + plane] < anchors.shape[1]] + plane
    is_queued = np.zeros(len(least), bool)
    reach = np.float32(0)
    while len(queue):
        distance = least[queue]
        reach = max(reach + 1, np.sqrt(distance.min()) + 1)
        is_next = distance < reach * reach
        front, queue = queue[is_next], [queue[~is_next]]
        is_queued[front] = False
        anchor = anchor_of_voxel[front]
        apart = _centred(shape, front - plane) - anchors.take(anchor, 1)
        square = dot(apart, apart) + 1
        for offset, along in ((plane, apart[0]), (nz, apart[1]), (1, apart[2])):
            along = 2 * along
            for target, offered in ((front + offset, square + along), (front - offset, square - along)):
                closer = (offered < _TIE * least.take(target)).nonzero()[0]
                target = target.take(closer)
                least[target], anchor_of_voxel[target] = offered.take(closer), anchor.take(closer)
                target = target[~is_queued.take(target)]
                is_queued[target] = True
                queue.append(target)
        queue = np.concatenate(queue)
    return anchor_of_voxel[where + plane]


def _offer_around(shape: tuple[int, int, int], anchors: np.ndarray, least: np.ndarray, anchor_of_voxel: np.ndarray):
    """Give each voxel the nearest of the anchors within one voxel along each axis, in place; least : (voxels,) squared
    distances, negative where a voxel takes none."""
    middle = (np.array(shape)[:, None] - 1) / 2
    # An anchor in the plane of some centres reaches those next to it on the side of the grid's middle.
    low = np.floor(anchors + (middle - 0.5 / _FINEST * np.sign(anchors))).astype(np.int32)
    most = np.array(shape, np.int32)[:, None] - 1
    ends = [np.clip(low + end, 0, most) for end in (np.int32(0), np.int32(1))]
    apart = [(index - middle).astype(np.float32) - anchors for index in ends]
    squared = [a * a for a in apart]
    voxels, squares = [], []
    for i, j, k in np.ndindex(2, 2, 2):
        voxels.append((ends[i][0] * shape[1] + ends[j][1]) * shape[2] + ends[k][2])
        squares.append(squared[i][0] + squared[j][1] + squared[k][2])
    voxel, square = np.concatenate(voxels), np.concatenate(squares)
    np.minimum.at(least, voxel, square)
    best = np.flatnonzero(square == least[voxel])
    anchor_of_voxel[voxel[best]] = best % anchors.shape[1]


def _bare_border(grid: Grid, solid: np.ndarray, covered_voxels: np.ndarray) -> np.ndarray:
    """(K, 3) middles of faces between solid and empty voxels that have no surface sample in the voxels around."""
    covered = np.zeros(grid.shape, bool)
    covered.ravel()[covered_voxels] = True
    bare = argwhere(solid & ~dilate(covered))
    middles = []
    for axis in range(3):
        for sign in (1, -1):
            step = sign * np.eye(3, dtype=int)[axis]
            here = bare[~solid[tuple(np.clip(bare + step, 0, np.array(solid.shape) - 1).T)]]
            middles.append(grid.centres(here) + 0.5 * grid.spacing * step)
    return np.concatenate(middles)


def closest_on_triangles(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(N, 3) the closest point of each triangle (N, 3, 3) to its point (N, 3).

    The foot of the perpendicular if it falls inside, else the closest point of the three edges.
    """
    return _closest(points.T, *(triangles[:, k].T for k in range(3))).T


def _closest(p: np.ndarray, a: np.ndarray, b: np.ndarray, c: np.ndarray) -> np.ndarray:
    """(3, N) `closest_on_triangles` for coordinates in rows."""
    ab, ac, ap = b - a, c - a, p - a
    d11, d12, d22 = dot(ab, ab), dot(ab, ac), dot(ac, ac)
    d1, d2 = dot(ap, ab), dot(ap, ac)
    area = d11 * d22 - d12 * d12
    flat = area <= 1e-6 * d11 * d22  # the foot of a needle is noise; its edges are not
    area[flat] = 1
    v, w = (d22 * d1 - d12 * d2) / area, (d11 * d2 - d12 * d1) / area
    foot = a + v * ab + w * ac
    edge = np.flatnonzero(flat | (v < 0) | (w < 0) | (v + w > 1))
    if len(edge):
        p, a, b, c = (x.take(edge, 1) for x in (p, a, b, c))
        best = _closest_on_segments(p, a, b)
        least = dot(best - p, best - p)
        for start, end in ((b, c), (c, a)):
            other = _closest_on_segments(p, start, end)
            square = dot(other - p, other - p)
            closer = square < least
            least = np.where(closer, square, least)
            best = np.where(closer, other, best)
        foot[:, edge] = best
    return foot


def _closest_on_segments(p: np.ndarray, start: np.ndarray, end: np.ndarray) -> np.ndarray:
    along = end - start
    length = dot(along, along)
    length[length == 0] = 1
    return start + np.clip(dot(p - start, along) / length, 0, 1) * along
