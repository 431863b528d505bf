"""Fingers' weights: the hand's share of the skin, dealt among the hand and its fingers.

At the body's resolution fingers melt together. So a hand and its fingers are bound as one bone first, and what it got
is dealt in a second step by heat within the hand alone, where every vertex is warmed by the bone nearest to it: heat
runs along the skin, and the skin of two fingers meets at the knuckles only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from ..geometry.coarsen import coarsen
from ..geometry.laplacian import cotangent_laplacian, laplacian_and_mass, lumped_mass
from ..geometry.mesh import Mesh, vertex_components
from ..geometry.normals import vertex_normals
from ..geometry.shape import Shape
from ..skeleton.chain import finger_of
from ..skeleton.rig import Rig
from .handles import Handles, skin_handles
from .heat import CONDUCTANCE, HeatSources, heat_equilibrium
from .mirror import mirror_partners, mirrored
from .weights import limit_influences

_MOST, _COARSE = 12_000, 6_000  # vertices of a hand's skin; above the first it is solved on clusters
_FADE = 1e-3  # weights below this are rounding


@dataclass(frozen=True, eq=False)
class FingerGroup:
    """A hand and the bones of its fingers, by number.

    hand : the bone they hang on;  fingers : (K,) their bones, parents first
    """

    hand: int
    fingers: np.ndarray


def finger_groups(rig: Rig) -> list[FingerGroup]:
    """The hands of a rig that have fingers of ours: hand.L with thumb_1.L, index_1.L and so on."""
    groups = []
    for side in "LR":
        name = f"hand.{side}"
        if name not in rig.names or not rig.deform[rig.names.index(name)]:
            continue
        hand, own = rig.names.index(name), set()
        for i, bone in enumerate(rig.names):
            is_own = rig.parents[i] == hand or int(rig.parents[i]) in own
            if is_own and rig.deform[i] and (finger_of(bone) or ("",) * 3)[2] == side:
                own.add(i)
        if own:
            groups.append(FingerGroup(hand, np.array(sorted(own))))
    return groups


def without_fingers(rig: Rig, groups: list[FingerGroup]) -> Rig:
    """The rig in which each hand moves what its fingers move: its bone reaches to the furthest fingertip."""
    deform, tails = rig.deform.copy(), rig.tails.copy()
    for group in groups:
        deform[group.fingers] = False
        away = np.linalg.norm(rig.tails[group.fingers] - rig.heads[group.hand], axis=1)
        tails[group.hand] = rig.tails[group.fingers[away.argmax()]]
    return replace(rig, deform=deform, tails=tails)


def deal_fingers(shape: Shape, rig: Rig, groups: list[FingerGroup], weights: sparse.csr_matrix, influences: int,
                 least: float) -> sparse.csr_matrix:
    """(V, B) weights in which what each hand had is dealt among it and its fingers.

    weights : (V, B) of the original vertices, bound without fingers.  Rows keep their sums and at most `influences`.
    """
    if not groups:
        return weights
    first = np.zeros(len(shape.mesh.vertices), np.int64)
    first[shape.welded_of_vertex[::-1]] = np.arange(len(shape.welded_of_vertex))[::-1]
    dealt = weights[first].toarray()
    part, normals = vertex_components(shape.mesh), vertex_normals(shape.mesh)
    heads, tails = shape.frame.to_unit(rig.heads), shape.frame.to_unit(rig.tails)
    changed = np.zeros(len(dealt), bool)
    for group in groups:
        rows = np.flatnonzero(dealt[:, group.hand] > 0)
        if not len(rows):
            continue
        bones = np.concatenate([[group.hand], group.fingers])
        shares = _shares(shape.mesh, rows, _handles(rig, group, heads, tails), part, normals[rows])
        whole = dealt[rows, group.hand].copy()
        dealt[rows[:, None], bones] = whole[:, None] * shares
        changed[rows] = True
    if len(groups) == 2:
        handles = skin_handles(shape, rig)
        dealt[:, handles.bones] = mirrored(dealt[:, handles.bones], mirror_partners(shape.mesh, handles))
    dealt[changed] = limit_influences(dealt[changed], influences, least=least).toarray()
    return sparse.csr_matrix(dealt)[shape.welded_of_vertex]


def _handles(rig: Rig, group: FingerGroup, heads: np.ndarray, tails: np.ndarray) -> Handles:
    """The hand as rays from the wrist to every knuckle, and each bone of a finger."""
    knuckles = group.fingers[rig.parents[group.fingers] == group.hand]
    count = len(knuckles)
    owner = np.concatenate([np.zeros(count, np.int64), 1 + np.arange(len(group.fingers))])
    starts = np.concatenate([np.repeat(heads[group.hand][None], count, 0), heads[group.fingers]])
    ends = np.concatenate([heads[knuckles], tails[group.fingers]])
    return Handles(np.concatenate([[group.hand], group.fingers]), owner, starts, ends)


def _shares(mesh: Mesh, rows: np.ndarray, handles: Handles, part: np.ndarray, normals: np.ndarray) -> np.ndarray:
    """(N, K) how the skin of a hand, vertices `rows` (N,), is dealt among its handles; rows sum to 1.

    part : (V,) connected part of each vertex;  normals : (N, 3)
    """
    number = np.full(len(mesh.vertices), -1)
    number[rows] = np.arange(len(rows))
    faces = number[mesh.faces]
    skin = Mesh(mesh.vertices[rows], faces[(faces >= 0).all(1)])
    if len(rows) <= _MOST:
        shares = _equilibrium(skin, *laplacian_and_mass(skin, least=1e-3), normals, handles)
    else:
        coarse = coarsen(skin, _COARSE)
        mass = lumped_mass(coarse.mesh)
        shares = coarse.interpolate(_equilibrium(coarse.mesh, cotangent_laplacian(coarse.mesh, least=1e-3), mass,
                                                 vertex_normals(coarse.mesh), handles))
    shares = np.where(shares < _FADE, 0.0, shares)
    shares /= shares.sum(1, keepdims=True)
    return _stiffened(shares, skin.vertices, part[rows], handles)


def _equilibrium(skin: Mesh, stiffness, mass: np.ndarray, normals: np.ndarray, handles: Handles) -> np.ndarray:
    distance, _, reach = handles.nearest(skin.vertices, normals)
    nearest = reach.argmin(1)
    targets = np.eye(len(handles.bones))[handles.owner[nearest]]
    conductance = CONDUCTANCE / np.maximum(distance[np.arange(len(nearest)), nearest], 1e-3) ** 2
    mass = np.maximum(mass, 1e-3 * max(float(mass.mean()), 1e-12))
    known = np.ones(len(mass))
    return heat_equilibrium(stiffness, mass, HeatSources(targets, conductance, known, known))


def _stiffened(shares: np.ndarray, vertices: np.ndarray, part: np.ndarray, handles: Handles) -> np.ndarray:
    """Shares in which loose parts do not bend: a nail and a robot's phalanx follow the bone they lie on, a sword the
    whole hand.

    The part, or parts, in which most of the fingers lie are the hand itself and stay as they are.
    """
    _, part = np.unique(part, return_inverse=True)
    size = np.bincount(part)
    if len(size) == 1:
        return shares
    ends = (handles.heads + handles.tails) / 2
    near = part[cKDTree(vertices).query(ends[handles.owner > 0])[1]]
    flesh = np.bincount(near, minlength=len(size)) >= 3
    middle = np.stack([np.bincount(part, x) for x in vertices.T], 1) / size[:, None]
    order = np.argsort(part, kind="stable")
    first = np.cumsum(size) - size
    extent = np.linalg.norm(np.maximum.reduceat(vertices[order], first) - np.minimum.reduceat(vertices[order], first),
                            axis=1)
    palm = np.linalg.norm(handles.tails - handles.heads, axis=1)[handles.owner == 0].max()
    leader = np.where(extent < palm, handles.owner[handles.nearest(middle)[0].argmin(1)], 0)
    loose = ~flesh[part]
    out = shares.copy()
    out[loose] = np.eye(shares.shape[1])[leader[part[loose]]]
    return out
