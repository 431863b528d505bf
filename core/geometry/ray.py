"""Looking into a solid along a ray: where it is entered and left again, and where a ray meets the skin."""

from __future__ import annotations

import numpy as np

from .distance import DistanceField
from .mesh import Mesh


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


def _inside_box(field: DistanceField, origin: np.ndarray, direction: np.ndarray) -> tuple[float, float]:
    """Where a ray is inside the grid's box, between two distances; an empty span if it misses."""
    low = field.grid.origin
    high = low + field.grid.spacing * np.array(field.grid.shape)
    slope = np.where(np.abs(direction) < 1e-12, 1e-12, direction)
    walls = np.stack([(low - origin) / slope, (high - origin) / slope])
    return max(float(walls.min(0).max()), 0.0), float(walls.max(0).min())
