"""Weights carried over a surface: from a rigged body to clothes and other versions of it, and from side to side.

A vertex takes the weights of the nearest place of the surface where that is close and looks the same way. What has no
such place, a hem that stands off, the inside of a pocket, is filled in as smoothly as can be from what has. What
nobody bends, an eye, a button, teeth, moves as one piece.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import splu
from scipy.spatial import cKDTree

from ..errors import BadMesh
from ..geometry.distance import closest_on_triangles
from ..geometry.laplacian import cotangent_laplacian, lumped_mass
from ..geometry.mesh import Mesh, face_normals, is_used, vertex_components, weld
from ..geometry.normals import vertex_normals
from ..geometry.rims import part_extents
from .weights import limit_influences

# What counts as close, of the size of what is copied from, and as looking the same way.
CLOSE, ALIKE = 0.05, float(np.cos(np.radians(30)))
ON = 1e-5  # of the size: a vertex so near lies on the surface itself, an edge of the same body, and looks as it may
# A loose part up to SMALL, of the size, does not bend. It follows one bone wholly if that has WHOLLY of its weights, or
# if what it lies on moves APART, as that between chin and throat, where a tongue lies. So does a larger part, such as
# glasses and a cartoon's eyes, if that bone has NEARLY all, and HALF of every vertex.
SMALL, WHOLLY, APART, NEARLY, HALF = 0.05, 0.75, 0.25, 0.9, 0.5
IN_PLANE, IMAGE = 1e-5, 0.02  # of the size: a vertex lies in the mirror plane; has an image on the other side
_SAMPLES = 200_000  # about so many places of a surface are compared before the exact distance is taken
_CANDIDATES = 6
_AT_ONCE = 50_000


@dataclass(frozen=True, eq=False)
class OnSurface:
    """The nearest places of a surface.

    corners : (N, 3) the vertices of the face;  shares : (N, 3) barycentric coordinates, each row sums to 1
    distance : (N,);  normals : (N, 3) the face's unit normal
    """

    corners: np.ndarray
    shares: np.ndarray
    distance: np.ndarray
    normals: np.ndarray

    def values(self, held: sparse.csr_matrix) -> sparse.csr_matrix:
        """(N, B) values there of what the vertices hold, (V, B)."""
        count = len(self.corners)
        row = np.repeat(np.arange(count), 3)
        spread = sparse.csr_matrix((self.shares.ravel(), (row, self.corners.ravel())), shape=(count, held.shape[0]))
        return spread @ held


def nearest_on_surface(mesh: Mesh, points: np.ndarray) -> OnSurface:
    """The nearest place of a mesh's faces to each of (N, 3) points.  Raises BadMesh if the mesh has no area."""
    area = 0.5 * np.linalg.norm(np.cross(*np.moveaxis(mesh.triangles[:, 1:] - mesh.triangles[:, :1], 1, 0)), axis=1)
    faces = np.flatnonzero(area > 0)
    if not len(faces):
        raise BadMesh(f"'{mesh.name}' has no faces with an area. Weights can be copied from a surface only.")
    triangles, normals = mesh.triangles[faces], face_normals(mesh)[faces]
    samples, owner = _samples(triangles, area[faces])
    tree = cKDTree(samples)
    count = len(points)
    corners, shares = np.zeros((count, 3), np.int64), np.zeros((count, 3))
    distance, looks = np.zeros(count), np.zeros((count, 3))
    for start in range(0, count, _AT_ONCE):
        part = slice(start, start + _AT_ONCE)
        some = points[part]
        near = owner[tree.query(some, min(_CANDIDATES, len(samples)))[1].reshape(len(some), -1)]
        at = closest_on_triangles(np.repeat(some, near.shape[1], 0), triangles[near.ravel()]).reshape(*near.shape, 3)
        best = np.linalg.norm(at - some[:, None], axis=2).argmin(1)
        row = np.arange(len(some))
        face, place = near[row, best], at[row, best]
        corners[part], shares[part] = mesh.faces[faces[face]], _barycentric(place, triangles[face])
        distance[part], looks[part] = np.linalg.norm(place - some, axis=1), normals[face]
    return OnSurface(corners, shares, distance, looks)


def copied_weights(source: Mesh, held: sparse.spmatrix, target: Mesh, *, most: int = 4) -> sparse.csr_matrix:
    """(W, B) weights of a target's vertices, from those of a source it was made for or of.

    source, target : at rest, in the same frame;  held : (V, B) the source's weights;  most : influences of a vertex
    Rows sum to 1. A row is bare only where the nearest place of the source is.
    """
    held = sparse.csr_matrix(held, dtype=float)
    welded = weld(target)
    skin = welded.mesh
    place = nearest_on_surface(source, np.nan_to_num(skin.vertices))  # loose vertices may be no numbers
    found = place.values(held).toarray()
    size = float(np.ptp(source.vertices[is_used(source)], axis=0).max())
    alike = np.einsum("ij,ij->i", vertex_normals(skin), place.normals) >= ALIKE
    known = (place.distance <= CLOSE * size) & (alike | (place.distance <= ON * size)) & (found.sum(1) > 0)
    filled = np.clip(_filled(skin, found, known), 0, 1)
    _stiffen(skin, filled, found, place.distance <= ON * size, SMALL * size)
    return limit_influences(filled, most)[welded.welded_of_vertex]


def _stiffen(mesh: Mesh, weights: np.ndarray, below: np.ndarray, on: np.ndarray, small: float) -> None:
    """Let loose parts that nobody bends move as one, in place.

    weights : (V, B) of the mesh;  below : (V, B) those of the nearest places of the source
    on : (V,) bool, what lies on the source itself: parts that do keep their weights
    small : extent up to which a part does not bend
    """
    part = vertex_components(mesh)
    count = np.bincount(part)
    share = np.stack([np.bincount(part, column, len(count)) for column in weights.T], 1) / count[:, None]
    share /= np.maximum(share.sum(1, keepdims=True), np.finfo(float).tiny)
    leader, row = share.argmax(1), np.arange(len(part))
    least, low, high = np.ones((3, len(count)))
    np.minimum.at(least, part, weights[row, leader[part]])
    np.minimum.at(low, part, below[row, leader[part]])
    np.minimum.at(high, part, 1 - below[row, leader[part]])
    free = (count > 1) & (np.bincount(part, on, len(count)) < count) & (share.sum(1) > 0)
    is_small = free & (part_extents(mesh, part) <= small)
    wholly = is_small & ((share.max(1) >= WHOLLY) | (1 - high - low > APART))
    wholly |= free & (share.max(1) >= NEARLY) & (least >= HALF)
    share[wholly] = np.eye(share.shape[1])[leader[wholly]]
    rows = (is_small | wholly)[part]
    weights[rows] = share[part[rows]]


def _filled(mesh: Mesh, values: np.ndarray, known: np.ndarray) -> np.ndarray:
    """(V, B) values, those not known as smooth over the surface as can be; parts where nothing is known stay."""
    laplacian = cotangent_laplacian(mesh, least=1e-6)
    part = connected_components(laplacian, directed=False)[1]
    has_known = np.bincount(part, known) > 0
    free = np.flatnonzero(~known & has_known[part])
    if not len(free):
        return values
    mass = lumped_mass(mesh)
    mass = np.maximum(mass, 1e-9 * mass.max())
    energy = (laplacian @ sparse.diags(1 / mass) @ laplacian).tocsc()
    fixed = np.flatnonzero(known)
    scale = 1e-12 * float(np.abs(energy.diagonal()).max())
    solve = splu((energy[free][:, free] + scale * sparse.eye(len(free))).tocsc())
    filled = values.copy()
    filled[free] = solve.solve(np.asarray(-(energy[free][:, fixed] @ values[fixed])))
    return filled


def _samples(triangles: np.ndarray, area: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(S, 3) places spread over triangles, each with at least its middle, and (S,) the triangle of each."""
    step = np.sqrt(2 * area.sum() / _SAMPLES)
    longest = np.linalg.norm(triangles - np.roll(triangles, 1, axis=1), axis=2).max(1)
    parts = np.ceil(longest / step).astype(int).clip(1, 400)
    while (parts * (parts + 1) // 2).sum() > 10 * _SAMPLES and parts.max() > 1:  # needles: many for little area
        step *= 1.5
        parts = np.ceil(longest / step).astype(int).clip(1, 400)
    points, owner = [], []
    for n in np.unique(parts):
        some = np.flatnonzero(parts == n)
        i, j = np.nonzero(np.add.outer(np.arange(n), np.arange(n)) < n)
        share = (np.stack([i, j, n - 1 - i - j], 1) + 1 / 3) / n
        points.append(np.einsum("sk,nkd->nsd", share, triangles[some]).reshape(-1, 3))
        owner.append(np.repeat(some, len(share)))
    return np.concatenate(points), np.concatenate(owner)


def _barycentric(points: np.ndarray, triangles: np.ndarray) -> np.ndarray:
    """(N, 3) shares of the corners in places on triangles (N, 3, 3), clipped to be none below 0."""
    ab, ac, ap = triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0], points - triangles[:, 0]
    normal = np.cross(ab, ac)
    square = np.einsum("ij,ij->i", normal, normal)
    v = np.einsum("ij,ij->i", np.cross(ap, ac), normal) / square
    w = np.einsum("ij,ij->i", np.cross(ab, ap), normal) / square
    shares = np.stack([1 - v - w, v, w], 1).clip(0, 1)
    return shares / shares.sum(1, keepdims=True)


def mirror_plane_of(heads: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, float]:
    """(3,) unit normal and offset of the plane between pairs of bones; the normal looks to the side of `first`.

    heads : (B, 3);  first, second : (P,) the bones of each pair.  Raises BadMesh if they do not lie on two sides.
    """
    apart, between = heads[first] - heads[second], 0.5 * (heads[first] + heads[second])
    normal = apart.sum(0)
    length = float(np.linalg.norm(normal))
    if not len(first) or length <= 1e-6 * np.abs(apart).sum():
        raise BadMesh("No bones lie on two sides: their names must end in .L and .R, or be told apart in another way "
                      "that Blender knows.")
    return normal / length, float(np.median(between @ normal) / length)


def symmetrised_weights(mesh: Mesh, held: sparse.spmatrix, partners: np.ndarray, normal: np.ndarray, offset: float
                        ) -> tuple[sparse.csr_matrix, np.ndarray]:
    """Weights whose side against the normal is the mirror image of the side along it.

    held : (V, B);  partners : (B,) the bone on the other side, itself or -1 where there is none
    normal, offset : the mirror plane, x @ normal == offset
    Returns (V, B), and (V,) bool, vertices of the other side that have no image, as a sword in one hand: they stay.
    Vertices in the plane take the mean of both sides.
    """
    held = sparse.csr_matrix(held, dtype=float)
    other = np.where(partners < 0, np.arange(len(partners)), partners)
    size = float(np.ptp(mesh.vertices[is_used(mesh)], axis=0).max())
    side = mesh.vertices @ normal - offset
    in_plane = np.abs(side) <= IN_PLANE * size
    changing = np.flatnonzero((side < 0) & ~in_plane)
    kept = Mesh(mesh.vertices, mesh.faces[(side[mesh.faces] > IN_PLANE * size).any(1)], mesh.name)
    if not len(changing) or not len(kept.faces):
        return held, (side < 0) & ~in_plane
    image = mesh.vertices[changing] - 2 * side[changing, None] * normal
    place = nearest_on_surface(kept, image)
    taken = place.distance <= IMAGE * size
    even = sparse.csr_matrix(sparse.diags(1.0 * ~in_plane) @ held
                             + sparse.diags(0.5 * in_plane) @ (held + held[:, other]))
    stays = np.ones(len(side))
    stays[changing[taken]] = 0.0
    spread = sparse.csr_matrix((np.ones(int(taken.sum())), (changing[taken], np.flatnonzero(taken))),
                               shape=(len(side), len(changing)))
    result = even
    for _ in range(2):  # a face across the plane has corners on the changing side: they are right from now on
        result = sparse.csr_matrix(sparse.diags(stays) @ even + spread @ place.values(result)[:, other])
    left = np.zeros(len(side), bool)
    left[changing[~taken]] = True
    return result, left
