"""Skin of the body that follows a hand beside it.

Where a hand hangs close to the thigh, the solid closes the gap, and skin that bulges towards the hand sees the hand's
bone nearest. Such skin is known by what lies around it: an arm's skin meets the trunk at the shoulder. A patch of it
that meets the body elsewhere, near the arm through the air and far from it along the skin, is no part of the arm. Nor
is the flank beside a hanging arm: it has the arm's bones before it and the trunk's behind it. The other way round, the
fingers on a thigh see the thigh's bone nearest, and are known by the hand that alone joins them to the rest.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra
from scipy.spatial import cKDTree

from ..geometry.links import linked_parts
from ..geometry.mesh import dot
from .handles import Handles

LOST = 4  # what `stray_skin` says of an arm's skin that bones elsewhere warm
FAR = 4.0  # times as far along the skin as through the air: such a patch does not belong to the arm
MOST = 0.5  # a patch with more than this share of a loose part, a glove, keeps its arm
# The arm has at least so much other skin of the patch's bones, as a share of the patch: else the patch is the hand.
OTHER = 0.03
# Skin lies on a bone if the way out from the bone has at least this cosine with its normal. It is hardly nearer to one
# bone than to another, if it reaches the one at more than this share of the other's.
ON, HARDLY = 0.3, 0.5


class _Skin:
    """A skin's vertices (V, 3), and ways along its edges (2, E)."""

    def __init__(self, vertices: np.ndarray, edges: np.ndarray):
        self.vertices, self.edges = vertices, edges

    @cached_property
    def _lengths(self) -> sparse.csr_matrix:
        at = self.vertices.T.copy()
        apart = at.take(self.edges[0], 1) - at.take(self.edges[1], 1)
        length = np.maximum(np.sqrt(dot(apart, apart)), 1e-9)
        return sparse.coo_matrix((length, tuple(self.edges)), (len(self.vertices),) * 2).tocsr()

    def ways(self, start: np.ndarray) -> np.ndarray:
        """(V,) how far each vertex is along edges from the nearest of some (V,) bool."""
        return dijkstra(self._lengths, directed=False, indices=np.flatnonzero(start), min_only=True)


def stray_skin(vertices: np.ndarray, normals: np.ndarray, targets: np.ndarray, handles: Handles,
               stiffness: sparse.spmatrix, mass: np.ndarray) -> np.ndarray:
    """(V,) 1, 2 or 3 where skin is warmed by the bones of the left arm, the right arm or both and is no part of it,
    `LOST` where it is part of one and warmed by others, else 0.

    targets : (V, K) share of each handle in the heat;  stiffness : (V, V), what heat passes between;  mass : (V,) areas
    """
    found = np.zeros(len(targets), np.int64)
    if not (handles.limb > 0).any():
        return found
    own = targets.argmax(1)
    limb = np.where(targets.any(1), handles.limb[own], -2)  # what sees no bone belongs to nothing
    up = np.where(handles.parent < 0, 0, handles.limb[handles.parent])
    is_first = (handles.limb > 0) & (up <= 0)
    is_upper = is_first | ((handles.limb > 0) & is_first[handles.parent])
    of_hand = (handles.limb > 0) & ~is_upper
    kind = np.where(of_hand, len(of_hand), np.arange(len(of_hand)))[own]  # a last finger bone may have hardly any skin
    links = sparse.coo_matrix(stiffness)
    edges = np.stack([links.row, links.col]).compress(links.row != links.col, 1)
    skin = _Skin(vertices, edges)
    for arm in (1, 2):
        inside = limb == arm
        starts, ends = inside.take(edges)
        here, there = edges.compress(starts & ~ends & (limb > -2).take(edges[1]), 1)
        piece = linked_parts(len(own), *edges.compress(starts & ends, 1))
        begins = is_first[own[here]] | (is_upper[own[here]] & (limb[there] == -1))
        at_shoulder = np.isin(piece, piece[here[begins]])
        doubtful = np.isin(piece, piece[here]) & ~at_shoulder
        doubtful &= ~_is_only(kind, piece, inside & ~doubtful, doubtful, mass)
        sure = inside & ~doubtful
        if sure.any() and doubtful.any():
            found[doubtful & _is_far(skin, piece, sure, doubtful, mass)] |= arm
        own_skin = inside & (found & arm == 0)
        found[_beside_arm(skin, normals, handles, limb, own_skin, own_skin & is_upper[own], arm)] |= arm
        own_skin &= found & arm == 0
        if own_skin.any():
            found[_is_apart(edges, own_skin | (limb == -1), targets[:, handles.limb == arm].any(1))] |= arm
            found[_is_lost(edges, own_skin, own_skin & ~is_first[own], mass)] = LOST
    return found


def _is_lost(edges: np.ndarray, arm: np.ndarray, lower: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """(V,) bool: skin that the arm has lost to other bones. Only the skin of its forearm and hand joins such a patch to
    the rest, and the patch is smaller than what the arm has of that loose part.

    arm : (V,) bool, the arm's skin;  lower : (V,) bool, that of its forearm and hand;  mass : (V,) areas
    """
    starts, ends = arm.take(edges)
    piece = linked_parts(len(arm), *edges.compress(~starts & ~ends, 1))
    here, there = edges.compress(~starts & ends, 1)
    lost = np.isin(piece, piece[here]) & ~np.isin(piece, piece[here[~lower[there]]]) & ~arm
    if not lost.any():
        return lost
    part = linked_parts(len(arm), *edges)
    return lost & (np.bincount(piece, mass)[piece] < np.bincount(part, mass * arm)[part])


def _beside_arm(skin: _Skin, normals: np.ndarray, handles: Handles, limb: np.ndarray, own: np.ndarray,
                upper: np.ndarray, arm: int) -> np.ndarray:
    """(V,) bool: skin of an arm's first two bones, `upper` (V,) among its `own` (V,), that is hardly nearer to its
    bones than to the trunk's or a leg's, and does not lie on them: if it faces them, or if the skin of trunk and legs
    is nearer along the skin than what is the arm's for sure. So is the flank beside a hanging arm.

    limb : (V,) as of the nearest handle
    """
    some, vertices = np.flatnonzero(upper), skin.vertices
    of = handles.limb[handles.owner]
    bones, others = np.flatnonzero(of == arm), np.flatnonzero(of == 0)
    found = np.zeros(len(vertices), bool)
    if len(some) == 0 or len(others) == 0:
        return found
    _, where, reach = handles.nearest(vertices[some], normals[some])
    nearest = bones[reach[:, bones].argmin(1)]
    row = np.arange(len(some))
    out = vertices[some] - handles.points(nearest, where[row, nearest])
    cosine = (out * normals[some]).sum(1) / np.maximum(np.linalg.norm(out, axis=1), 1e-9)
    hardly = reach[row, nearest] > HARDLY * reach[:, others].min(1)
    found[some] = hardly & (cosine < 0)
    doubtful = some[hardly & (cosine >= 0) & (cosine < ON)]
    sure = own & ~found
    sure[doubtful] = False
    if len(doubtful) and sure.any():
        found[doubtful] = (skin.ways(found | (limb == 0)) < skin.ways(sure))[doubtful]
    return found


def _is_apart(edges: np.ndarray, arm: np.ndarray, warmed: np.ndarray) -> np.ndarray:
    """(V,) bool: skin that an arm warms a little, `warmed` (V,), and that neither touches the arm or shoulder (V,) nor
    other such skin that does."""
    warmed = warmed & ~arm
    starts, ends = warmed.take(edges)
    piece = linked_parts(len(arm), *edges.compress(starts & ends, 1))
    beside = edges[1].compress(arm.take(edges[0]) & ends)
    return warmed & ~np.isin(piece, piece[beside])


def _is_only(kind: np.ndarray, piece: np.ndarray, arm: np.ndarray, doubtful: np.ndarray, mass: np.ndarray
             ) -> np.ndarray:
    """(V,) bool: of a doubtful patch that holds nearly all the skin of one of its bones, or of the hand, kind (V,)."""
    rest = np.bincount(kind[arm], mass[arm], kind.max() + 1)
    pair, of_pair = np.unique(np.stack([piece[doubtful], kind[doubtful]]), axis=1, return_inverse=True)
    is_main = OTHER * np.bincount(of_pair.ravel(), mass[doubtful]) > rest[pair[1]]
    return np.isin(piece, pair[0, is_main])


def _is_far(skin: _Skin, piece: np.ndarray, arm: np.ndarray, doubtful: np.ndarray, mass: np.ndarray) -> np.ndarray:
    """(V,) bool: of a doubtful patch that no skin joins to the arm, or only a long way round."""
    vertices = skin.vertices
    along = skin.ways(arm)[doubtful]
    air = cKDTree(vertices[arm]).query(vertices[doubtful])[0]
    ways = np.full((2, len(vertices)), np.inf)
    for nearest, way in zip(ways, (along, air), strict=True):
        np.minimum.at(nearest, piece[doubtful], way)
    part = linked_parts(len(vertices), *skin.edges)
    is_small = np.bincount(piece, mass)[piece] < MOST * np.bincount(part, mass)[part]
    return is_small & (ways[0] > FAR * ways[1])[piece]
