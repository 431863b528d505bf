"""Looking into a solid along a ray: where it is entered and left again, where a ray meets the skin, and how far it runs
outside between leaving the skin's own part and coming back into it."""

from __future__ import annotations

import numpy as np
from scipy.spatial import cKDTree

from .distance import DistanceField
from .mesh import Mesh, dot

_TOGETHER = 32  # segments that lie close side by side and are held against the faces around them at once
_ON_EDGE, _ALONG_FACE = 1e-9, 1e-12  # shares; rounding, so that a way through an edge meets one of its faces
_AT_START = 1e-6  # share: faces around the vertex that a way begins at are not on it
_SAME_SHARE = 9  # digits of a share: what is met together is left before it is entered


def solid_stretches(field: DistanceField, origin: np.ndarray, direction: np.ndarray) -> np.ndarray:
    """(K, 2) distances from the origin at which a ray enters and leaves the solid, nearest first.

    origin, direction : (3,) unit frame; the direction of any length but zero.  A gap thinner than a voxel is none.
    The field is read every half voxel; between two readings the surface is where a straight line says.
    """
    direction = np.asarray(direction, float) / np.linalg.norm(direction)
    near, far = _inside_box(field, np.asarray(origin, float), direction)
    if near >= far:
        return np.zeros((0, 2))
    step = 0.5 * field.grid.spacing
    at = near + step * np.arange(int((far - near) / step) + 2)
    depth = field.sample(origin + at[:, None] * direction)
    depth[[0, -1]] = np.maximum(depth[[0, -1]], step)  # the grid's border is empty
    inside = depth < 0
    enters, leaves = (np.flatnonzero(a & b) for a, b in ((~inside[:-1], inside[1:]), (inside[:-1], ~inside[1:])))
    cross = lambda i: at[i] + step * depth[i] / (depth[i] - depth[i + 1])  # noqa: E731 - used twice in one line
    enter, leave = cross(enters), cross(leaves)
    thick = enter[1:] - leave[:-1] >= field.grid.spacing
    return np.stack([enter[np.append(True, thick)[:len(enter)]], leave[np.append(thick, True)[:len(leave)]]], axis=1)


def middle_along_ray(field: DistanceField, origin: np.ndarray, direction: np.ndarray, towards: np.ndarray
                     ) -> np.ndarray | None:
    """(3,) the middle of the limb a ray goes through: of several, the one nearest in depth to the point `towards`.

    All in the unit frame.  None if the ray misses the solid.
    """
    direction = np.asarray(direction, float) / np.linalg.norm(direction)
    middles = solid_stretches(field, origin, direction).mean(1)
    if not len(middles):
        return None
    depth = float((np.asarray(towards, float) - origin) @ direction)
    return np.asarray(origin, float) + direction * middles[np.abs(middles - depth).argmin()]


def skin_along_ray(mesh: Mesh, origin: np.ndarray, direction: np.ndarray) -> np.ndarray | None:
    """(3,) where a ray first meets a mesh, thin sheets too, from either side; None if it misses.

    origin, direction : (3,) the mesh's frame.  Every triangle is tried, by the plane it lies in and by its sides.
    """
    origin, direction = np.asarray(origin, float), np.asarray(direction, float)
    first, second, third = (mesh.vertices[mesh.faces[:, k]] - origin for k in range(3))
    sides = np.stack([np.cross(a, b) @ direction
                      for a, b in ((second, third), (third, first), (first, second))], axis=1)
    total = sides.sum(1)
    met = ((sides >= 0).all(1) | (sides <= 0).all(1)) & (total != 0.0)
    share = sides[met] / total[met, None]
    at = np.einsum("ij,ijk->ik", share, np.stack([first[met], second[met], third[met]], axis=1))
    ahead = at @ direction
    at, ahead = at[ahead > 0], ahead[ahead > 0]
    return origin + at[ahead.argmin()] if len(at) else None


def way_outside(mesh: Mesh, part: np.ndarray, starts: np.ndarray, ends: np.ndarray, own: np.ndarray) -> np.ndarray:
    """(N,) how far each segment runs outside a connected part of the mesh before it comes back into that part.

    starts, ends : (N, 3) the mesh's frame;  part : (V,) part of each vertex;  own : (N,) the part that is looked at
    Exact, however thin a gap is. What leaves the part and does not come back has not crossed a gap: 0. Other parts do
    not count: clothes lie over skin, and horns stand in it.
    """
    if len(starts) == 0 or len(mesh.faces) == 0:
        return np.zeros(len(starts))
    way = ends - starts
    ray, face = _boxes_met(mesh, part[mesh.faces[:, 0]], starts, ends, own)
    met, share, enters = _met(mesh.triangles, face, starts[ray], way[ray])
    ray, share, enters = ray[met], share[met], enters[met]
    place = np.lexsort((enters, np.round(share, _SAME_SHARE), ray))
    ray, share, enters = ray[place], share[place], enters[place]
    follows = np.append(False, ray[1:] == ray[:-1])[:len(ray)]
    comes_back = enters & ~(follows & np.append(False, enters[:-1])[:len(ray)])
    left = np.where(follows, np.append(0.0, share[:-1])[:len(ray)], 0.0)
    outside = np.bincount(ray, comes_back * np.maximum(share - left, 0.0), len(starts))
    return outside * np.linalg.norm(way, axis=1)


def _boxes_met(mesh: Mesh, of_face: np.ndarray, starts: np.ndarray, ends: np.ndarray, own: np.ndarray
               ) -> tuple[np.ndarray, np.ndarray]:
    """(K,) segment and (K,) face of its own part whose boxes along the axes meet."""
    corners = mesh.vertices.T.take(mesh.faces.T, 1)  # (3, 3, F): long inner loops
    low, high = corners.min(1), corners.max(1)
    low_way, high_way = np.minimum(starts, ends).T.copy(), np.maximum(starts, ends).T.copy()
    order = cKDTree(np.column_stack([own * 4.0 * np.abs(mesh.vertices).max(), starts, ends]), _TOGETHER).indices
    rays, faces = [], []
    for begin in range(0, len(order), _TOGETHER):
        some = order[begin:begin + _TOGETHER]
        near = np.flatnonzero((low[0] <= high_way[0, some].max()) & (high[0] >= low_way[0, some].min()))
        for x in (1, 2):
            near = near[(low[x, near] <= high_way[x, some].max()) & (high[x, near] >= low_way[x, some].min())]
        meet = of_face[near] == own[some, None]
        for x in range(3):
            meet &= low[x, near] <= high_way[x, some, None]
            meet &= high[x, near] >= low_way[x, some, None]
        one, other = meet.nonzero()
        rays.append(some[one])
        faces.append(near[other])
    return np.concatenate(rays), np.concatenate(faces)


def _met(corner: np.ndarray, face: np.ndarray, starts: np.ndarray, way: np.ndarray
         ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(K,) whether segments (K, 3) meet each its face (K,) of (F, 3, 3), the share of the segment up to there, and
    whether it comes from the face's front."""
    first, one, two = corner[:, 0], corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]
    normal = np.cross(one, two)
    squared = np.maximum((normal**2).sum(1), np.finfo(float).tiny)
    axes = [axis / squared[:, None] for axis in (np.cross(two, normal), np.cross(normal, one))]
    steep, begin = dot(way.T, normal[face].T), starts - first[face]
    is_along = np.abs(steep) <= _ALONG_FACE * np.sqrt(dot(way.T, way.T) * squared[face])
    share = -dot(begin.T, normal[face].T) / np.where(is_along, 1.0, steep)
    places = [dot(begin.T, axis[face].T) + share * dot(way.T, axis[face].T) for axis in axes]
    is_on = (places[0] >= -_ON_EDGE) & (places[1] >= -_ON_EDGE) & (places[0] + places[1] <= 1 + _ON_EDGE)
    return ~is_along & (share > _AT_START) & (share <= 1) & is_on, share, steep < 0


def _inside_box(field: DistanceField, origin: np.ndarray, direction: np.ndarray) -> tuple[float, float]:
    """Where a ray is inside the grid's box, between two distances; an empty span if it misses."""
    low = field.grid.origin
    high = low + field.grid.spacing * np.array(field.grid.shape)
    slope = np.where(np.abs(direction) < 1e-12, 1e-12, direction)
    walls = np.stack([(low - origin) / slope, (high - origin) / slope])
    return max(float(walls.min(0).max()), 0.0), float(walls.max(0).min())
