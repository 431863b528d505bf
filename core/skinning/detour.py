"""Contacts the skeleton knows nothing of: a hanging or melted arm beside the flank.

Heat blends two bones over a stretch as wide as the body is thick. At a joint that is right: along the bones it is no
further from one to the other than across the skin. Where an arm hangs, the way along the bones goes up to the shoulder
and down again; skin there belongs to the arm or to the trunk, and the blend must be narrow, or the flank follows the
arm.
"""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from ..geometry.distance import DistanceField
from .handles import Handles
from .visibility import visibility

# Heat from the bone is up to this many times stronger there; the blend is narrower by the square root.
STRONGER = 20.0
# Way along the bones over way across the skin, from which on it is a detour, and from which on surely.
_DETOUR, _SURELY = 1.3, 2.3
# How much further an arm reaches for skin that it shares with the body there. Of 29 people posed with their hands on
# themselves, melted into one surface, 0.70 % of the body's weight goes to hands and forearms with 1.5, 1.23 % without;
# 1.8 and 2.5 leave less, but give the body more of the arms' skin than that is worth.
_LEAN = 1.5
_NEAR = 2.5  # the other bone counts up to this many times as far as the nearest
_TOUCH = 0.02  # unit frame: joints this close to a bone lie on it


def stray_contacts(handles: Handles, field: DistanceField, vertices: np.ndarray, order: np.ndarray,
                   distance: np.ndarray, where: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """(V,) 0 to 1, how surely skin lies where an arm merely touches the body.

    order : (V, C) segments by rising reach;  distance, where, reach : (V, S) from `Handles.nearest`
    The nearest bone is compared with the nearest one of another limb; shoulders belong to arm and trunk alike.
    """
    found = np.zeros(len(vertices))
    limb = handles.limb[handles.owner]
    nearest = limb[order[:, :1]]
    other = (limb[order] != nearest) & (limb[order] >= 0) & (nearest >= 0)
    rank = other.argmax(1)
    row = np.flatnonzero(other.any(1))
    one, two = order[row, 0], order[row, rank[row]]
    fade = np.clip(_NEAR - reach[row, two] / reach[row, one], 0.0, 1.0)
    row, one, two, fade = (x[fade > 0] for x in (row, one, two, fade))
    if len(row) == 0:
        return found
    share = fade * _detour(handles, row, one, two, distance, where)
    row, two, share = (x[share > 0] for x in (row, two, share))
    found[row] = share * visibility(field, vertices[row], handles.points(two, where[row, two]))
    return found


def lean_to_body(handles: Handles, distance: np.ndarray, where: np.ndarray, reach: np.ndarray) -> np.ndarray:
    """(V, S) reach in which an arm that merely touches the body has to be clearly nearer than the body's own bones.

    distance, where, reach : (V, S) from `Handles.nearest`
    Arms are thinner than what they rest on: skin half way between the two bones is the body's. The reach of the arm's
    bones grows by up to `_LEAN`, as surely as the way along the bones is a detour; beside the shoulder it is none.
    """
    limb = handles.limb[handles.owner]
    body, reach = np.flatnonzero(limb == 0), reach.copy()
    for bones in (np.flatnonzero(limb == arm) for arm in (1, 2)):
        if len(body) == 0 or len(bones) == 0:
            continue
        own, other = reach[:, bones].min(1), reach[:, body].min(1)
        row = np.flatnonzero((own < other) & (other < _LEAN * own))
        if len(row) == 0:
            continue
        one, two = bones[reach[row][:, bones].argmin(1)], body[reach[row][:, body].argmin(1)]
        reach[np.ix_(row, bones)] *= 1 + (_LEAN - 1) * _detour(handles, row, one, two, distance, where)[:, None]
    return reach


def _detour(handles: Handles, row: np.ndarray, one: np.ndarray, two: np.ndarray, distance: np.ndarray,
            where: np.ndarray) -> np.ndarray:
    """(N,) 0 to 1, how surely the way along the bones from segment `one` (N,) to `two` (N,) is a detour, seen from
    vertices `row` (N,) of those that distance and where (V, S) are of."""
    across = distance[row, one] + distance[row, two]
    along = _way_along_bones(handles, one, where[row, one], two, where[row, two])
    return np.clip((along / np.maximum(across, 1e-9) - _DETOUR) / (_SURELY - _DETOUR), 0.0, 1.0)


def _way_along_bones(handles: Handles, one: np.ndarray, at_one: np.ndarray, two: np.ndarray, at_two: np.ndarray
                     ) -> np.ndarray:
    """(N,) length of the way along the bones between points of two segments each, given by fractions."""
    count = len(handles.owner)
    sources, place = np.unique(np.concatenate([one, one + count]), return_inverse=True)
    place = place.reshape(2, -1)
    between = _ways_between_ends(handles, sources)
    length = np.linalg.norm(handles.tails - handles.heads, axis=1)
    way = np.full(len(one), np.inf)
    for first, to_first in ((place[0], at_one), (place[1], 1 - at_one)):
        for second, to_second in ((two, at_two), (two + count, 1 - at_two)):
            way = np.minimum(way, to_first * length[one] + between[first, second] + to_second * length[two])
    return way


def _ways_between_ends(handles: Handles, sources: np.ndarray) -> np.ndarray:
    """(N, 2 S) ways along the bones from the ends `sources` (N,) to all; ends are the heads, then the tails.

    A bone hangs on the nearest place of its parent, or of any bone if it has none and is not the first. Ends that lie
    on a bone touch it.
    """
    count = len(handles.owner)
    ends = np.concatenate([handles.heads, handles.tails])
    plain = Handles(handles.bones, handles.owner, handles.heads, handles.tails)
    gap, where, _ = plain.nearest(ends)
    length = np.linalg.norm(handles.tails - handles.heads, axis=1)
    joined = gap < _TOUCH
    segment = np.arange(count)
    up = handles.parent[handles.owner]
    own = handles.owner == handles.owner[:, None]
    carries = np.where((up >= 0)[:, None], handles.owner == up[:, None], ~own)
    carries[handles.owner == np.flatnonzero(handles.parent < 0)[0]] = False
    first = np.unique(handles.owner, return_index=True)[1]
    joined[segment, first[handles.owner]] = True  # a bone's further segments begin at its head
    head = np.where(carries, gap[:count], np.inf)
    hung = np.flatnonzero(np.isfinite(head).any(1))
    joined[hung, head[hung].argmin(1)] = True
    end, on = np.nonzero(joined)
    rows, columns = np.tile(end, 2), np.concatenate([on, on + count])
    steps = np.concatenate([gap[end, on] + where[end, on] * length[on],
                            gap[end, on] + (1 - where[end, on]) * length[on]])
    shortest = np.full((2 * count, 2 * count), np.inf)
    np.minimum.at(shortest, (rows, columns), np.maximum(steps, 1e-9))
    shortest = np.minimum(shortest, shortest.T)
    np.fill_diagonal(shortest, 0.0)
    return dijkstra(sparse.csr_matrix(np.where(np.isfinite(shortest), shortest, 0.0)), directed=False,
                    indices=sources)
