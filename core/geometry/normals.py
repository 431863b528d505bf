"""Normals of vertices."""

from __future__ import annotations

import numpy as np

from .mesh import Mesh, cross, dot

_SLIVER = 0.01  # height over longest side, below which a face counts less, since its direction means little
_CANCELLED = 0.2  # of what the faces would sum up to if they all looked one way


def vertex_normals(mesh: Mesh) -> np.ndarray:
    """(V, 3) unit normals: mean of the faces around each vertex, weighted by their angle there.

    Zero for vertices without faces, and where faces cancel out; shorter than 1 where they nearly do, since the
    direction of what is left means little. Triangulation does not change them: the angle, unlike
    the area, is the same however a flat polygon is cut.
    """
    count = len(mesh.vertices)
    at = mesh.vertices.T.copy()
    corners = [at.take(corner, 1) for corner in mesh.faces.T]
    ahead = [corners[k - 2] - corners[k] for k in range(3)]
    length = [np.sqrt(dot(way, way)) for way in ahead]
    longest = np.maximum(np.maximum(*length[:2]), length[2])
    across = cross(ahead[0], ahead[1])
    height = np.sqrt(dot(across, across))
    sound = np.divide(height, _SLIVER * longest**2, out=np.zeros_like(height), where=longest > 0)
    ahead = [_unit(way, size) for way, size in zip(ahead, length, strict=True)]
    across = cross(ahead[0], -ahead[2])
    across = _unit(across, np.sqrt(dot(across, across)))
    summed = np.zeros((4, count))
    for k, corner in enumerate(mesh.faces.T):
        angle = np.arccos(np.clip(-dot(ahead[k], ahead[k - 1]), -1.0, 1.0)) * np.minimum(sound, 1.0)
        for total, row in zip(summed, (*(angle * across), angle), strict=True):
            total += np.bincount(corner, row, count)
    whole = np.maximum(np.sqrt(dot(summed, summed)), _CANCELLED * summed[3])
    return np.divide(summed[:3], whole, out=np.zeros((3, count)), where=whole > 1e-9).T.copy()


def _unit(ways: np.ndarray, length: np.ndarray) -> np.ndarray:
    """(3, F) columns over their length (F,), zero where that is."""
    return np.divide(ways, length, out=np.zeros_like(ways), where=length > 0)
