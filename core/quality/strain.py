"""What a pose does to a skin: how far its edges are drawn out, how much volume its joints keep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..geometry.links import linked_parts
from .skin import Skin

NOTHING = 0.0025  # sizes of the character; edges as short as this are drawn out without anyone seeing it
FLAT = 0.02  # a region whose volume is below this times its area ** 1.5 is a sheet; a ball has 0.094


class EdgeStretch:
    """Edges of a skin at rest, to be compared with poses."""

    def __init__(self, skin: Skin):
        self.edges = skin.edges
        self._nothing = NOTHING
        self._rest = self._lengths(skin.mesh.vertices)

    def of(self, vertices: np.ndarray) -> np.ndarray:
        """(E,) length in a pose over length at rest, both with the length nobody sees added.  vertices : (W, 3)"""
        return self._lengths(vertices) / self._rest

    def _lengths(self, vertices: np.ndarray) -> np.ndarray:
        along = vertices[self.edges[:, 1]] - vertices[self.edges[:, 0]]
        return np.sqrt(np.einsum("ei,ei->e", along, along)) + self._nothing


@dataclass(frozen=True, eq=False)
class Region:
    """The skin around a joint.

    faces : (F, 3);  rim : (R, 2) its border, wound against the faces;  loop : (R,) the number of the loop each is in
    """

    faces: np.ndarray
    rim: np.ndarray
    loop: np.ndarray

    def volume(self, vertices: np.ndarray) -> float:
        """What the region encloses, its open ends closed by cones to their middles."""
        corners, rim = vertices[self.faces], vertices[self.rim]
        middle = corners.mean((0, 1))
        inside = _volume(corners - middle)
        if not len(self.rim):
            return inside
        count = np.bincount(self.loop)
        tips = np.stack([np.bincount(self.loop, rim[:, :, k].mean(1)) for k in range(3)], 1) / count[:, None]
        return inside + _volume(np.stack([rim[:, 0], rim[:, 1], tips[self.loop]], 1) - middle)

    def area(self, vertices: np.ndarray) -> float:
        """Of its faces."""
        t = vertices[self.faces]
        return 0.5 * float(np.linalg.norm(np.cross(t[:, 1] - t[:, 0], t[:, 2] - t[:, 0]), axis=1).sum())

    def is_solid(self, vertices: np.ndarray) -> bool:
        """Whether it is a piece of flesh rather than of cloth, so that its volume means something."""
        return len(self.faces) > 0 and self.volume(vertices) > FLAT * self.area(vertices) ** 1.5


def joint_region(skin: Skin, bone: int, owner: np.ndarray) -> Region:
    """The skin in a ball around a bone's head, of the bone and those up to two joints away.

    owner : (W,) the bone whose skin each vertex is.  The ball reaches half along the bone, at least twice as far as
    the nearest skin.
    """
    rig = skin.rig
    near = {bone}
    for _ in range(2):
        near |= {int(rig.parents[b]) for b in near} | {b for b in range(len(rig.names)) if rig.parents[b] in near}
    away = np.linalg.norm(skin.mesh.vertices - rig.heads[bone], axis=1)
    mine = np.isin(owner, list(near)) & skin.used
    length = float(np.linalg.norm(skin.ends[bone] - rig.heads[bone]))
    reach = max(0.5 * length, 2.0 * float(away[mine].min(initial=np.inf))) if mine.any() else 0.0
    inside = mine & (away <= reach)
    faces = skin.mesh.faces[inside[skin.mesh.faces].all(1)]
    return Region(faces, *_rim(faces))


def _volume(triangles: np.ndarray) -> float:
    a, b, c = np.moveaxis(triangles, 1, 0)
    return float(np.einsum("fi,fi->", a, np.cross(b, c))) / 6.0


def _rim(faces: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(R, 2) sides no other face of the region meets the other way round, turned about, and the loop of each."""
    sides = faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2).astype(np.int64)
    if not len(sides):
        return sides, np.zeros(0, np.int64)
    scale = int(sides.max()) + 1
    there, back = sides @ [scale, 1], sides @ [1, scale]
    rim = sides[~np.isin(there, back)][:, ::-1]
    used, where = np.unique(rim, return_inverse=True)
    where = where.reshape(-1, 2)
    loop = linked_parts(len(used), *where.T)
    return rim, loop[where[:, 0]] if len(where) else np.zeros(0, np.int64)
