"""A rigged mesh made ready to be judged: one vertex for each place, faces turned outwards, weights beside them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse

from ..errors import BadMesh
from ..geometry.mesh import Mesh, check_mesh, is_used, weld
from ..geometry.orientation import orient_faces
from ..motion.blend import BARE, shares
from ..skeleton.rig import Rig
from .hanging import bone_ends, hang_together


@dataclass(frozen=True, eq=False)
class Skin:
    """What all checks look at.

    mesh : welded within each object, faces outwards, scaled so that the longest side of the box around its faces is 1
    weights : (W, B) csr of its vertices; rows sum to 1, or are empty
    of_vertex : (V,) the welded vertex each original vertex became
    used : (W,) bool, the vertex has a face;  rig : in the same space, its loose limbs hung where they
        belong;  ends : (B, 3) where its bones end
    """

    mesh: Mesh
    weights: sparse.csr_matrix
    of_vertex: np.ndarray
    used: np.ndarray
    rig: Rig
    ends: np.ndarray

    @property
    def edges(self) -> np.ndarray:
        """(E, 2) edges between vertices, lower index first."""
        ends = np.sort(self.mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64), axis=1)
        code = np.unique(ends[:, 0] * len(self.mesh.vertices) + ends[:, 1])
        return np.stack([code // len(self.mesh.vertices), code % len(self.mesh.vertices)], 1)


def read_skin(mesh: Mesh, rig: Rig, weights) -> Skin:
    """Weld a mesh and its weights.

    mesh : object space;  weights : (V, B) sparse or dense, as the artist left them
    Raises BadMesh if nothing can be judged, ValueError if the weights do not fit mesh and rig.
    """
    weights = sparse.csr_matrix(weights, dtype=float)
    if weights.shape != (len(mesh.vertices), len(rig.names)):
        raise ValueError(f"weights are {weights.shape}, not ({len(mesh.vertices)}, {len(rig.names)})")
    check_mesh(mesh)
    if weights.nnz == 0 or not (weights.data > BARE).any():
        raise BadMesh(f"'{mesh.name}' has no weights for the bones of its skeleton. Bind it first.")
    place = weld(mesh).welded_of_vertex.astype(np.int64) * (int(mesh.part_of_vertex.max(initial=0)) + 1)
    _, first, of_vertex = np.unique(place + mesh.part_of_vertex, return_index=True, return_inverse=True)
    of_vertex = of_vertex.reshape(-1)
    faces = of_vertex[mesh.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    if len(faces) == 0:
        raise BadMesh(f"No face of '{mesh.name}' has an area. Check its scale, or select the character's mesh.")
    welded = Mesh(mesh.vertices[first], faces, mesh.name, mesh.part_of_vertex[first])
    used = is_used(welded)
    low, high = welded.vertices[used].min(0), welded.vertices[used].max(0)
    middle, size = (low + high) / 2, float((high - low).max())
    points = np.where(used[:, None], welded.vertices - middle, 0.0) / size  # a loose vertex may be anywhere
    rig = replace(rig, heads=(rig.heads - middle) / size, tails=(rig.tails - middle) / size)
    rig = hang_together(rig, np.asarray((weights > BARE).sum(0)).ravel() > 0)
    plain = orient_faces(Mesh(points, faces, mesh.name, welded.part_of_vertex))
    return Skin(plain, shares(weights)[first], of_vertex, used, rig, bone_ends(rig))
