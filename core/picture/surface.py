"""What a picture shows: coloured triangles with normals."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import frozen
from ..geometry.mesh import Mesh, face_normals, weld

CLAY = (0.52, 0.43, 0.36)


@dataclass(frozen=True, eq=False)
class Surface:
    """Triangles as they are drawn, in any one frame.

    vertices : (V, 3);  faces : (F, 3)
    normals : (F, 3, 3) unit normal at each face's corners;  colors : (F, 3, 3) linear red, green, blue in [0, 1]
    uvs : (F, 3, 2) place of the corners in their texture, the image repeating beyond [0, 1];  zeros if not given
    textures : images (H, W, 3) of linear colours, first row at the bottom, which replace `colors`
    texture_of_face : (F,) index into textures, -1 = none
    """

    vertices: np.ndarray
    faces: np.ndarray
    normals: np.ndarray
    colors: np.ndarray
    uvs: np.ndarray | None = None
    textures: tuple[np.ndarray, ...] = ()
    texture_of_face: np.ndarray | None = None

    def __post_init__(self):
        faces = frozen(self.faces, np.int32, (None, 3), "faces")
        object.__setattr__(self, "vertices", frozen(self.vertices, np.float64, (None, 3), "vertices"))
        object.__setattr__(self, "faces", faces)
        for key in ("normals", "colors"):
            object.__setattr__(self, key, frozen(getattr(self, key), np.float32, (len(faces), 3, 3), key))
        uvs = np.zeros((len(faces), 3, 2)) if self.uvs is None else self.uvs
        textures = np.full(len(faces), -1) if self.texture_of_face is None else self.texture_of_face
        object.__setattr__(self, "uvs", frozen(uvs, np.float32, (len(faces), 3, 2), "uvs"))
        object.__setattr__(self, "texture_of_face", frozen(textures, np.int32, (len(faces),), "texture_of_face"))

    def colors_at(self, faces: np.ndarray, barycentric: np.ndarray) -> np.ndarray:
        """(N, 3) linear colours at places (N, 3) inside faces (N,)."""
        color = np.einsum("nc,ncd->nd", barycentric, self.colors[faces])
        for number, image in enumerate(self.textures):
            seen = np.flatnonzero(self.texture_of_face[faces] == number)
            place = np.einsum("nc,ncd->nd", barycentric[seen], self.uvs[faces[seen]]) % 1.0
            row, column = (np.minimum((place[:, axis] * size).astype(int), size - 1)
                           for axis, size in ((1, image.shape[0]), (0, image.shape[1])))
            color[seen] = image[row, column]
        return color

    @cached_property
    def seen_points(self) -> np.ndarray:
        """(N, 3) the finite vertices that belong to faces."""
        used = self.vertices[np.unique(self.faces)]
        return used[np.isfinite(used).all(1)]


def smooth_surface(mesh: Mesh, colors=None, *, crease: float = np.deg2rad(60)) -> Surface:
    """A mesh with normals smoothed by area over welded vertices, except where a face bends away by more than `crease`.

    colors : one (3,) colour, (V, 3) of the vertices or (F, 3) of the faces, linear; None is clay.
    """
    whole = Mesh(np.where(np.isfinite(mesh.vertices), mesh.vertices, 0.0), mesh.faces, mesh.name)
    joined = weld(whole).welded_of_vertex[whole.faces]
    normal = face_normals(whole)
    corner = whole.triangles
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    total = np.stack([np.bincount(joined.ravel(), np.repeat(area * normal[:, k], 3)) for k in range(3)], 1)
    length = np.linalg.norm(total, axis=1, keepdims=True)
    smooth = np.divide(total, length, out=np.zeros_like(total), where=length > 0)[joined]
    hard = np.einsum("fci,fi->fc", smooth, normal) < np.cos(crease)
    normals = np.where(hard[..., None], normal[:, None], smooth)
    return Surface(whole.vertices, whole.faces, normals, corner_colors(whole, CLAY if colors is None else colors))


def corner_colors(mesh: Mesh, colors) -> np.ndarray:
    """(F, 3, 3) colours of face corners from one colour, (V, 3) or (F, 3) colours."""
    colors = np.asarray(colors, float)
    if colors.shape == (3,):
        return np.broadcast_to(colors, (len(mesh.faces), 3, 3))
    if colors.shape == mesh.vertices.shape:
        return colors[mesh.faces]
    if colors.shape == mesh.faces.shape:
        return np.repeat(colors[:, None], 3, 1)
    raise ValueError(f"colors must be (3,), {mesh.vertices.shape} or {mesh.faces.shape}, not {colors.shape}")


def join_surfaces(surfaces) -> Surface:
    """One surface of several."""
    surfaces = list(surfaces)
    start = np.cumsum([0] + [len(s.vertices) for s in surfaces])
    image = np.cumsum([0] + [len(s.textures) for s in surfaces])
    together = {key: np.concatenate([getattr(s, key) for s in surfaces]) for key in ("normals", "colors", "uvs")}
    return Surface(np.concatenate([s.vertices for s in surfaces]),
                   np.concatenate([s.faces + i for s, i in zip(surfaces, start, strict=False)]), **together,
                   textures=tuple(t for s in surfaces for t in s.textures),
                   texture_of_face=np.concatenate([np.where(s.texture_of_face < 0, -1, s.texture_of_face + i)
                                                   for s, i in zip(surfaces, image, strict=False)]))
