"""Loose parts that are not the body: no bone runs through them, and they stand out from what bones run through."""

from __future__ import annotations

from dataclasses import dataclass
from weakref import WeakKeyDictionary

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import boxes
from ..geometry.links import linked_parts
from ..geometry.mesh import Mesh, vertex_components
from ..geometry.rims import part_extents
from ..geometry.seams import join_parts, seam_edges
from ..geometry.shape import Shape
from ..geometry.voxels import sample_surface
from ..geometry.winding import winding_numbers
from ..skeleton.rig import Rig

# Unit frame.
SPACING = 0.015  # between samples of the surface
HOLDS = 0.03  # from a hand's bone to what it holds
TOUCHING = 0.012  # pieces of one thing lie so near each other
SMALLEST = 0.1  # extent of a thing
SMALLEST_AREA = 1e-15  # what faces without an area count as
_ALONG = np.array([0.15, 0.5, 0.85])  # places on a bone
LONGER = 2.5  # hands long is no glove
# Of all directions from a bone's place: a part that fills more of them is the body there, unless another is closed.
_AROUND, _CLOSED = 0.45, 0.97
_FEW = 2  # places on bones
_ARM = ("shoulder", "upper_arm", "forearm", "hand")


@dataclass(frozen=True, eq=False)
class Parts:
    """The loose parts of a mesh, their seams sewn up, as samples of their surface.

    of_vertex : (V,) part of each vertex of the welded mesh;  extents : (P,)
    points : (N, 3);  normals : (N, 3);  of_point : (N,) part of each;  areas : (N,) each stands for
    """

    of_vertex: np.ndarray
    extents: np.ndarray
    points: np.ndarray
    normals: np.ndarray
    of_point: np.ndarray
    areas: np.ndarray


_known: WeakKeyDictionary[Shape, Parts | None] = WeakKeyDictionary()
_held: WeakKeyDictionary[Shape, tuple[bytes, np.ndarray]] = WeakKeyDictionary()


def loose_parts(shape: Shape) -> Parts | None:
    """The parts of a character, None if it is in one piece. They are looked at once."""
    if shape not in _known:
        _known[shape] = _look(shape)
    return _known[shape]


def _look(shape: Shape) -> Parts | None:
    mesh = shape.mesh
    part = vertex_components(mesh)
    if part.max(initial=0) == 0:
        return None
    part = join_parts(part, seam_edges(mesh, part))
    extents = part_extents(mesh, part)
    if np.count_nonzero(extents >= SMALLEST) < 2:
        return None
    points, face = sample_surface(mesh, SPACING)
    corner = mesh.triangles
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]) / 2
    area = np.linalg.norm(normal, axis=1)
    areas = (np.maximum(area, SMALLEST_AREA) / np.maximum(np.bincount(face, minlength=len(area)), 1))[face]
    of_point = part[mesh.faces[face, 0]]
    kept, areas = _thinned(points, of_point, areas)
    return Parts(part, extents, points[kept], (normal / np.maximum(area, 1e-300)[:, None])[face[kept]],
                 of_point[kept], areas)


def _thinned(points: np.ndarray, of_point: np.ndarray, areas: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of samples (N, 3) the first of each part in each cell of half a step, and the areas they stand for then."""
    cell = np.floor(points * (2 / SPACING)).astype(np.int64)
    cell -= cell.min(0)
    count = cell.max(0) + 1
    key = ((of_point * count[0] + cell[:, 0]) * count[1] + cell[:, 1]) * count[2] + cell[:, 2]
    _, first, which = np.unique(key, return_index=True, return_inverse=True)
    return first, np.bincount(which.ravel(), areas)


def around_bones(shape: Shape, rig: Rig, parts: Parts) -> np.ndarray:
    """(P,) bool: parts that lie around a bone, as flesh, sleeves, boots and helmets do; open ones over a closed one
    do not count, as capes do.

    rig : unit frame.  The share of directions from a place on a bone in which a part lies is its solid angle.
    """
    return _places_held(shape, rig, parts).any(0)


def on_arms(shape: Shape, rig: Rig, parts: Parts) -> np.ndarray:
    """The parts that lie around bones of arms alone, and around few of their places or none that no other part has:
    a plait that an arm runs through."""
    held = _places_held(shape, rig, parts)
    is_arm = np.repeat([rig.names[bone].split(".")[0] in _ARM for bone in np.flatnonzero(rig.deform)], len(_ALONG))
    alone = (held & (held.sum(1) == 1)[:, None]).sum(0)
    return np.flatnonzero(held.any(0) & ~held[~is_arm].any(0) & (alone <= _FEW))


def _places_held(shape: Shape, rig: Rig, parts: Parts) -> np.ndarray:
    """(N, P) bool: which places on the bones that move skin each part lies around. What was found last is kept."""
    key = repr(rig.names).encode() + rig.heads.tobytes() + rig.tails.tobytes() + rig.deform.tobytes()
    if shape not in _held or _held[shape][0] != key:
        _held[shape] = key, _look_around(shape, rig, parts)
    return _held[shape][1]


def _look_around(shape: Shape, rig: Rig, parts: Parts) -> np.ndarray:
    moving = np.flatnonzero(rig.deform)
    way = (rig.tails - rig.heads)[moving]
    places = (rig.heads[moving][:, None] + _ALONG[:, None] * way[:, None]).reshape(-1, 3)
    mesh, of_face = shape.mesh, parts.of_vertex[shape.mesh.faces[:, 0]]
    count = len(parts.extents)
    low, high = boxes(mesh.triangles, np.repeat(of_face[:, None], 3, 1), count)
    held = ((places[:, None] > low) & (places[:, None] < high)).all(2)  # (P bones' places, parts)
    held &= ~np.repeat(_hands(rig, moving), len(_ALONG))[:, None] | (parts.extents < LONGER * _hand_length(rig))
    share = np.zeros(held.shape)
    order = np.argsort(of_face, kind="stable")
    first = np.searchsorted(of_face[order], np.arange(count + 1))
    for part in np.flatnonzero(held.any(0)):
        own = Mesh(mesh.vertices, mesh.faces[order[first[part]:first[part + 1]]])
        share[held[:, part], part] = np.abs(winding_numbers(own, places[held[:, part]]))
    return share > np.where(share.max(1, keepdims=True) > _CLOSED, _CLOSED, _AROUND)


def _hands(rig: Rig, bones: np.ndarray) -> np.ndarray:
    """Which of some bones are hands: what is much longer and lies around a hand alone is held by it."""
    return np.array([rig.names[b][:-2] == "hand" for b in bones])


def _hand_length(rig: Rig) -> float:
    own = np.flatnonzero(_hands(rig, np.arange(len(rig.names))))
    return float(np.linalg.norm(rig.tails[own] - rig.heads[own], axis=1).max(initial=0.0))


def clusters(parts: Parts, body: np.ndarray) -> list[np.ndarray]:
    """The parts that are not the body (P,), in groups that touch: a blade and its hilt.  Large ones only."""
    loose = np.flatnonzero(~body[parts.of_point])
    if not len(loose):
        return []
    pairs = cKDTree(parts.points[loose]).query_pairs(TOUCHING, output_type="ndarray")
    ends = parts.of_point[loose][pairs]
    ends = ends[ends[:, 0] != ends[:, 1]]
    count = len(body)
    label = linked_parts(count, *ends.T)
    groups = [np.flatnonzero(~body & (label == g)) for g in np.unique(label[~body])]
    return [g for g in groups if parts.extents[g].max() >= SMALLEST]
