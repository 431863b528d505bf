"""Triangle soups with known insides."""

from __future__ import annotations

import numpy as np

from core.geometry.mesh import Mesh


def ball(centre=(0, 0, 0), radius=1.0, fineness=3) -> Mesh:
    """An octahedron split `fineness` times and pushed onto the sphere; faces outward."""
    vertices = np.vstack([np.eye(3), -np.eye(3)])
    faces = np.array([(0, 1, 2), (1, 3, 2), (3, 4, 2), (4, 0, 2), (1, 0, 5), (3, 1, 5), (4, 3, 5), (0, 4, 5)])
    for _ in range(fineness):
        a, b, c = vertices[faces].transpose(1, 0, 2)
        middles = np.concatenate([a + b, b + c, c + a])
        vertices, index = np.unique(np.round(np.concatenate([vertices[faces].reshape(-1, 3), middles / 2]), 12), axis=0,
                                    return_inverse=True)
        index = index.reshape(-1)
        (a, b, c), (ab, bc, ca) = index[:3 * len(faces)].reshape(-1, 3).T, index[3 * len(faces):].reshape(3, -1)
        faces = np.concatenate([np.stack(t, 1) for t in ((a, ab, ca), (b, bc, ab), (c, ca, bc), (ab, bc, ca))])
        vertices = vertices / np.linalg.norm(vertices, axis=1, keepdims=True)
    return Mesh(vertices * radius + np.asarray(centre, float), faces)


def cube(low=(0, 0, 0), high=(1, 1, 1)) -> Mesh:
    """Twelve triangles, outward."""
    corners = np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    quads = np.array([(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])
    low, high = np.asarray(low, float), np.asarray(high, float)
    return Mesh(low + corners * (high - low), np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]]))


def join(*meshes: Mesh) -> Mesh:
    """One mesh of several, nothing welded."""
    starts = np.cumsum([0] + [len(m.vertices) for m in meshes[:-1]])
    return Mesh(np.concatenate([m.vertices for m in meshes]),
                np.concatenate([m.faces + start for m, start in zip(meshes, starts, strict=True)]))


def keep_faces(mesh: Mesh, which) -> Mesh:
    """The mesh with some of its faces."""
    return Mesh(mesh.vertices, mesh.faces[which])


def turn_faces(mesh: Mesh, which) -> Mesh:
    """The mesh with the winding of some faces reversed."""
    return Mesh(mesh.vertices, np.where(np.asarray(which)[:, None], mesh.faces[:, [0, 2, 1]], mesh.faces))


def signed_volume(mesh: Mesh) -> float:
    """Positive if the faces of a closed mesh look outward."""
    a, b, c = mesh.triangles.transpose(1, 0, 2)
    return float((a * np.cross(b, c)).sum() / 6)
