"""Loose parts that are hard: plates, shells, balls in joints, screws. They move as one, whatever bones lie around."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

from ..geometry.mesh import Mesh
from ..geometry.rims import part_extents, rim_edges
from .handles import Handles

# Of 838 loose parts of 56 characters that artists did not bend 804 are stiff by these and the rules of `islands`, 710
# without these; of 196 that they bent 43 are, and 39. Lengths without a unit are shares of a part's own extent.
_STEPS = np.linspace(0.0, 1.0, 33)  # along a bone
_JOINT, _TRACE = 0.1, 0.02  # a joint lies in a part if this much of two bones does; less than the last is none
_SHEET = 0.05  # thickness over width: capes and loincloths have 0.04, the ribs of a skeleton 0.06
_BOWL = 0.5  # height over length of a thin shell that is no cloth: shoulder pads and knee caps
_BULKY = 0.7  # area over the hull's, of what is open: a helmet has more, a sheet about half
_FULL, _RING = 0.45, 0.25  # volume over the hull's, also of what goes around a bone; a hose has 0.2
_SHELL = 0.8  # area over the hull's: curved plates
# Unit frame; width over length; share of its extent in which a bone runs: braids are longer, slender, and beside bones.
_LONG, _SLENDER, _OWN = 0.25, 0.3, 0.3
_ROUND, _BALL = 0.55, 0.85  # thinnest over longest side, volume and area over the hull's, of a ball in a joint
_LEAST = 0.02  # unit frame: extent of a ball whose bending shows; those in fingers are smaller
_WITHIN = 0.8  # of a bone: one that lies further in a ball is the ball's own
_THIN = 0.005  # thickness over extent: less is no solid


@dataclass(frozen=True, eq=False)
class HardParts:
    """N loose parts that move as one piece.

    parts : (N,) their numbers;  floats : (N,) bool, no bone runs through them
    joint : (N,) the handle that begins in a ball, else -1
    """

    parts: np.ndarray
    floats: np.ndarray
    joint: np.ndarray


@dataclass(frozen=True)
class _Form:
    """How thick a part is, its volume and area over its convex hull's, and its length, width and height."""

    thick: float
    full: float
    skin: float
    length: float
    width: float
    height: float


def hard_parts(mesh: Mesh, part: np.ndarray, handles: Handles, among: np.ndarray) -> HardParts:
    """The hard parts `among` (P,) bool: solid, not thin as cloth, and with no joint in them but that of a ball.

    mesh : unit frame, welded;  part : (V,) the loose part of each vertex
    A trouser leg, a boot, a glove or a trunk has a joint in it, of which both bones lie in its convex hull; a shin
    plate, a rib, a helmet or a screw has none.
    """
    faces = mesh.faces[np.argsort(part[mesh.faces[:, 0]], kind="stable")]
    of_face = part[faces[:, 0]]
    is_open, volume, area = _solids(mesh, part, faces, len(among))
    thick = np.divide(2 * volume, area, out=np.zeros(len(among)), where=area > 0)
    ask = np.flatnonzero(among & (thick > _THIN * part_extents(mesh, part)))
    along = handles.heads + _STEPS[:, None, None] * (handles.tails - handles.heads)
    found = []
    for one in ask:
        points = mesh.vertices[np.unique(faces[slice(*np.searchsorted(of_face, [one, one + 1]))])]
        hull = ConvexHull(points)
        if is_open[one] and area[one] < _BULKY * hull.area:
            continue
        form = _Form(thick[one], volume[one] / hull.volume, area[one] / hull.area, *_sides(points[hull.vertices]))
        kind = _kind(form, float(np.ptp(points, axis=0).max()), _lies(along, hull, handles), handles)
        if kind is not None:
            found.append((one, *kind))
    parts, floats, joint = (np.array(column) for column in zip(*found, strict=True)) if found else np.zeros((3, 0))
    return HardParts(parts.astype(int), floats.astype(bool), joint.astype(int))


def _solids(mesh: Mesh, part: np.ndarray, faces: np.ndarray, number: int
            ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(P,) bool whether parts are open, (P,) their volumes, as if flat lids closed them, and (P,) areas."""
    rim, corner, of_face = rim_edges(mesh)[0].ravel(), mesh.vertices[faces], part[faces[:, 0]]
    first = np.zeros((number, 3))
    first[of_face[::-1]] = corner[::-1, 0]
    edges = np.bincount(part[rim], minlength=number)
    middle = np.stack([np.bincount(part[rim], x, number) for x in mesh.vertices[rim].T], 1)
    middle = np.where(edges[:, None] > 0, middle / np.maximum(edges, 1)[:, None], first)
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]) / 2
    pyramids = ((corner[:, 0] - middle[of_face]) * normal).sum(1) / 3
    return (edges > 0, np.abs(np.bincount(of_face, pyramids, number)),
            np.bincount(of_face, np.linalg.norm(normal, axis=1), number))


def _sides(points: np.ndarray) -> np.ndarray:
    """(3,) length, width and height of points (N, 3), along their main axes."""
    axes = np.linalg.svd(points - points.mean(0), full_matrices=False)[2]
    return np.sort(np.ptp(points @ axes.T, axis=0))[::-1]


def _lies(along: np.ndarray, hull: ConvexHull, handles: Handles) -> np.ndarray:
    """(2, K) how long a way of each handle lies in a hull, and what share of its longest segment."""
    low, high = hull.min_bound, hull.max_bound
    inside = ((along >= low) & (along <= high)).all(-1)
    normal, offset = hull.equations[:, :3], hull.equations[:, 3]
    inside[inside] = (along[inside] @ normal.T + offset <= 0).all(1)
    share = inside.mean(0)
    out = np.zeros((2, len(handles.bones)))
    np.maximum.at(out[0], handles.owner, share * np.linalg.norm(handles.tails - handles.heads, axis=1))
    np.maximum.at(out[1], handles.owner, share)
    return out


def _kind(form: _Form, extent: float, lies: np.ndarray, handles: Handles) -> tuple[bool, int] | None:
    """Whether a hard part floats, and the handle that begins in it if it is a ball, else -1; None if it bends."""
    run, share = lies[0] / extent, lies[1]
    most = np.argsort(-run, kind="stable")[:3]
    first, second, third = np.append(run[most], [0.0, 0.0])[:3]
    is_cloth = form.thick < _SHEET * form.width and form.height < _BOWL * form.length
    if third > _TRACE or is_cloth:
        return None
    if second > _JOINT:
        is_ball = form.height >= _ROUND * form.length and min(form.full, form.skin) >= _BALL
        is_ball &= extent >= _LEAST and share[most[:2]].max() < _WITHIN
        return (False, _lower(most[:2], handles)) if is_ball else None
    floats = bool(first <= _TRACE)
    is_braid = extent >= _LONG and form.width < _SLENDER * form.length and first < _OWN
    is_solid = form.full >= (_FULL if floats else _RING) or form.skin >= _SHELL
    return (floats, -1) if is_solid and not is_braid else None


def _lower(two: np.ndarray, handles: Handles) -> int:
    """Of two handles the one that hangs from the other, else the first."""
    return int(two[1] if handles.parent[two[1]] == two[0] else two[0])
