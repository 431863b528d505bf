"""Normals of vertices."""

from __future__ import annotations

import numpy as np

from .mesh import Mesh


def vertex_normals(mesh: Mesh) -> np.ndarray:
    """(V, 3) unit normals: mean of the faces around each vertex, weighted by their angle there.

    Zero for vertices without faces, and where faces cancel out. Triangulation does not change them: the angle, unlike
    the area, is the same however a flat polygon is cut.
    """
    corners = mesh.triangles
    ahead = corners[:, [1, 2, 0]] - corners
    length = np.linalg.norm(ahead, axis=2, keepdims=True)
    ahead = np.divide(ahead, length, out=np.zeros_like(ahead), where=length > 0)
    back = -ahead[:, [2, 0, 1]]
    across = np.cross(ahead[:, 0], back[:, 0])
    size = np.linalg.norm(across, axis=1, keepdims=True)
    across = np.divide(across, size, out=np.zeros_like(across), where=size > 0)
    angle = np.arccos(np.clip((ahead * back).sum(2), -1.0, 1.0))
    count = len(mesh.vertices)
    summed = np.stack([np.bincount(mesh.faces.ravel(), (angle * across[:, [axis]]).ravel(), count)
                       for axis in range(3)], 1)
    length = np.linalg.norm(summed, axis=1, keepdims=True)
    return np.divide(summed, length, out=np.zeros_like(summed), where=length > 1e-9)
