"""A few thousand points spread evenly over a mesh: enough to see a body's pose and its symmetry at a glance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..errors import BadMesh
from .mesh import Mesh, box, cross, dot, used_vertices

_SOME = 16_384  # faces at a time: what they need stays in the processor's cache
# The plastic number's powers spread two coordinates evenly (Roberts 2018, the R2 sequence).
_R2 = np.array([0.7548776662466927, 0.5698402909980532])


@dataclass(frozen=True, eq=False)
class SurfaceScatter:
    """A mesh in brief, centred on its box and scaled so that the longest side is 1; axes as given.

    points, normals : (N, 3) evenly spread by area, and the faces' normals there, outwards on the whole
    details : (M, 3) some of the vertices: they crowd where the artist modelled finely, as in a face
    """

    points: np.ndarray
    normals: np.ndarray
    details: np.ndarray

    def __post_init__(self):
        for name in ("points", "normals", "details"):
            object.__setattr__(self, name, frozen(getattr(self, name), np.float64, (None, 3), name))

    def turned(self, rotation: np.ndarray) -> SurfaceScatter:
        """The same in other axes: rotation (3, 3) applied to every point."""
        return SurfaceScatter(self.points @ rotation.T, self.normals @ rotation.T, self.details @ rotation.T)


def scatter_surface(mesh: Mesh, *, count: int = 4000) -> SurfaceScatter:
    """Spread `count` points over the faces by area, the same ones however the mesh is turned. O(F). Raises BadMesh."""
    vertices = used_vertices(mesh)
    low, high = box(vertices)
    middle, scale = (low + high) / 2, float((high - low).max())
    at = np.stack([(x - m) / scale for x, m in zip(mesh.vertices.T, middle, strict=True)])  # look-ups go along rows
    doubled = np.concatenate([_normals(at, mesh.faces[start:start + _SOME])[4]
                              for start in range(0, len(mesh.faces), _SOME)])
    reached = np.cumsum(doubled)
    if not reached[-1] > 0:
        raise BadMesh(f"No face of '{mesh.name}' has an area. Check its scale, or select the character's mesh.")
    face = np.searchsorted(reached, (np.arange(count) + 0.5) / count * reached[-1])
    u, v = ((np.arange(count)[:, None] * _R2) % 1.0).T
    u, v = np.where(u + v > 1, 1 - u, u), np.where(u + v > 1, 1 - v, v)
    stride = max(len(vertices) // count, 1)
    a, ab, ac, normal, _ = _normals(at, mesh.faces[face])
    points, normals = (a + u * ab + v * ac).T, (normal / doubled[face]).T
    is_inside_out = (points * normals).sum() < 0  # six times the volume, for what is closed
    return SurfaceScatter(points, -normals if is_inside_out else normals, (vertices[::stride] - middle) / scale)


def _normals(at: np.ndarray, faces: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Of faces (N, 3) over vertices (3, V) the first corner, the ways to the others, and the normal, each (3, N), as
    long as twice the area, and that (N,)."""
    a, b, c = (at.take(corner, 1) for corner in faces.T)
    ab, ac = b - a, c - a
    with np.errstate(under="ignore"):  # exporters write 1e-170 where they mean 0
        normal = cross(ab, ac)
        return a, ab, ac, normal, np.sqrt(dot(normal, normal))

