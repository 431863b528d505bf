"""Open sheets worn over a closed body: a skirt is not a cone of flesh."""

from __future__ import annotations

import numpy as np

from ..arrays import argwhere, boxes
from .grid import Grid
from .mesh import Mesh, face_components, vertex_components
from .voxels import vote_inside

_SLIMMEST = 8  # voxels; a sheet less wide along two axes hides no limb
_MOST = 32  # the largest sheets are looked at, so that a head of hair strips costs no more
_DIRECTIONS = np.array([d for d in np.ndindex(3, 3, 3) if d > (1, 1, 1)]).T - 1  # 13, one of each opposite pair


def is_worn(mesh: Mesh, grid: Grid, *, body: float = 0.25, wrapped: float = 0.7) -> np.ndarray:
    """(F,) bool: faces of open parts whose inside belongs to closed parts, as legs stand in a skirt.

    mesh : unit frame, welded.  An open part is worn if closed parts take up the share `body` of what it fills, and
    the share `wrapped` of the rest lies within the limits of these along 13 directions: the air between two legs does,
    the toes of a boot over a closed shin do not. Then the closed parts are the limbs, and the part is cloth.
    """
    worn = np.zeros(len(mesh.faces), bool)
    if len(worn) == 0 or np.ptp(vertex_components(mesh)[mesh.faces[:, 0]]) == 0:
        return worn
    part, is_open = face_components(mesh.faces)
    if not (is_open.any() and np.bincount(part)[~is_open].any()):
        return worn
    closed = vote_inside(Mesh(mesh.vertices, mesh.faces[~is_open[part]]), grid) >= 2
    for which, low, high in _sheets(mesh, grid, part, is_open):
        faces = part == which
        near = Grid(grid.origin + low * grid.spacing, grid.spacing, tuple(high - low))
        filled = vote_inside(Mesh(mesh.vertices, mesh.faces[faces]), near) >= 2
        limbs = closed[tuple(slice(a, b) for a, b in zip(low, high, strict=True))] & filled
        if limbs.sum() > body * filled.sum() and _share_between(limbs, filled & ~limbs) > wrapped:
            worn |= faces
    return worn


def _sheets(mesh: Mesh, grid: Grid, part: np.ndarray, is_open: np.ndarray) -> list[tuple[int, np.ndarray, np.ndarray]]:
    """Open parts that could hide a limb, the largest first: their number and the box of voxels around them."""
    low, high = boxes(mesh.triangles, np.repeat(part[:, None], 3, 1), len(is_open))
    numbers = np.flatnonzero(is_open)
    size = np.sort((high - low)[numbers] / grid.spacing, axis=1)
    wide = np.flatnonzero(size[:, 1] >= _SLIMMEST)
    wide = wide[np.argsort(-size[wide].prod(1), kind="stable")][:_MOST]
    return [(int(p), grid.index_of(low[p]) - 1, grid.index_of(high[p]) + 2) for p in numbers[wide]]


def _share_between(limbs: np.ndarray, rest: np.ndarray) -> float:
    """The share of the rest's voxels that lie between the outermost limb voxels along every direction."""
    if not rest.any():
        return 1.0
    limits = argwhere(limbs) @ _DIRECTIONS
    at = argwhere(rest) @ _DIRECTIONS
    return float(((at >= limits.min(0)) & (at <= limits.max(0))).all(1).mean())
