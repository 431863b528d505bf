"""Normals of vertices."""

from __future__ import annotations

import numpy as np

from .mesh import Mesh

_SLIVER = 0.01  # height over longest side, below which a face counts less, since its direction means little
_CANCELLED = 0.2  # of what the faces would sum up to if they all looked one way


def vertex_normals(mesh: Mesh) -> np.ndarray:
    """(V, 3) unit normals: mean of the faces around each vertex, weighted by their angle there.

    Zero for vertices without faces, and where faces cancel out; shorter than 1 where they nearly do, since the
    direction of what is left means little. Triangulation does not change them: the angle, unlike
    the area, is the same however a flat polygon is cut.
    """
    corners = mesh.triangles
    ahead = corners[:, [1, 2, 0]] - corners
    length = np.linalg.norm(ahead, axis=2, keepdims=True)
    longest = length.max(1)
    height = np.linalg.norm(np.cross(ahead[:, 0], ahead[:, 1]), axis=1, keepdims=True)
    sound = np.divide(height, _SLIVER * longest**2, out=np.zeros_like(height), where=longest > 0)
    ahead = np.divide(ahead, length, out=np.zeros_like(ahead), where=length > 0)
    back = -ahead[:, [2, 0, 1]]
    across = np.cross(ahead[:, 0], back[:, 0])
    size = np.linalg.norm(across, axis=1, keepdims=True)
    across = np.divide(across, size, out=np.zeros_like(across), where=size > 0)
    angle = np.arccos(np.clip((ahead * back).sum(2), -1.0, 1.0)) * np.minimum(sound, 1.0)
    count = len(mesh.vertices)
    summed = np.stack([np.bincount(mesh.faces.ravel(), (angle * across[:, [axis]]).ravel(), count)
                       for axis in range(3)], 1)
    around = np.bincount(mesh.faces.ravel(), angle.ravel(), count)[:, None]
    length = np.maximum(np.linalg.norm(summed, axis=1, keepdims=True), _CANCELLED * around)
    return np.divide(summed, length, out=np.zeros_like(summed), where=length > 1e-9)
