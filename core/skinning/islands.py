"""Loose parts of a mesh: those no bone reaches, and those that move as one piece."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.spatial import ConvexHull, cKDTree

from ..geometry.mesh import Mesh
from ..geometry.rims import part_extents, rim_edges
from ..geometry.winding import winding_numbers
from .handles import SHOULDER, Handles
from .hard import hard_parts

_RIGID_SHARE, _MOST = 0.75, 0.5  # of the vertices, and of the area
_DIGITS = 3  # of the shares: parts that are each other's image choose alike
_ALIKE = 0.1  # shares of two bones that hang from one differ by less: the part lies between them
# A part bends where its bone begins if the one above lies in it this far, of its extent, and its own for this share.
_FAR, _ALONG, _INSIDE = 0.15, 0.75, 0.5  # the last a winding number
_SIDES = 6  # of a block
_BESIDE = 0.02  # of the middle, unit frame: bones of limbs lie further from it
_HALF = 0.5  # of a bone, and more, is most of it: a foot holds less of a shin
_FLAT = 0.5  # share of a block's area in its largest sides; fists and boots have below 0.45
_CONVEX = 0.75  # volume over the hull's; a body of blocks that spreads its arms has below 0.5
_STEPS = np.linspace(0.0, 1.0, 17)  # along a bone
_SMALL = 0.05  # unit frame: extent of a button or a buckle
# A part that no bone runs through, no longer than this, unit frame, follows the bone that most of the skin follows
# where it sits, if there is one: horns, antlers, ears. Of 133 such parts of artists' characters 107 follow one bone.
_LONGEST, _SEAT, _TOUCHES = 0.45, 0.7, 4

Box = tuple[np.ndarray, np.ndarray]


def fill_bare(mesh: Mesh, weights: np.ndarray, handles: Handles) -> np.ndarray:
    """(V, K) weights in which no row is bare.

    A part no heat reached (a floating button, a cape, a vertex without faces) follows the warmed surface next to it and
    the bone below, by what heat would come over from each: the 4 nearest warmed vertices and the nearest bone, over
    their squared distances, evened out over the part. If nothing is warm the nearest bones share each vertex by
    distance.
    """
    bare = weights.sum(1) < 0.5
    if not bare.any():
        return weights
    weights = weights.copy()
    if bare.all():
        near = np.maximum(handles.nearest(mesh.vertices)[0], 1e-4)
        falloff = np.zeros_like(weights)
        for segment, handle in enumerate(handles.owner):
            np.maximum(falloff[:, handle], (near.min(1) / near[:, segment]) ** 6, out=falloff[:, handle])
        return falloff / falloff.sum(1, keepdims=True)
    warm = np.flatnonzero(~bare)
    distance, index = cKDTree(mesh.vertices[warm]).query(mesh.vertices[bare], k=min(4, len(warm)))
    distance, index = distance.reshape(bare.sum(), -1), index.reshape(bare.sum(), -1)
    share = 1.0 / np.maximum(distance, 1e-6) ** 2
    came = np.einsum("nk,nkb->nb", share, weights[warm[index]])
    axis, _, reach = handles.nearest(mesh.vertices[bare])
    row, segment = np.arange(len(reach)), reach.argmin(1)
    came[row, handles.owner[segment]] += 1.0 / np.maximum(axis[row, segment], 0.003) ** 2
    weights[bare] = came / came.sum(1, keepdims=True)
    return _even_out(mesh, weights, bare)


def _even_out(mesh: Mesh, weights: np.ndarray, where: np.ndarray, sweeps: int = 10) -> np.ndarray:
    """Average each vertex of `where` with its neighbours in `where`, a few times."""
    edges = mesh.faces[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
    edges = edges[where[edges].all(1)]
    both = np.concatenate([edges, edges[:, ::-1], np.repeat(np.flatnonzero(where)[:, None], 2, 1)])
    graph = sparse.coo_matrix((np.ones(len(both)), both.T), shape=(len(where),) * 2).tocsr()[where][:, where]
    graph.data[:] = 1.0
    graph = sparse.diags(1.0 / np.asarray(graph.sum(1)).ravel()) @ graph
    part = weights[where]
    for _ in range(sweeps):
        part = graph @ part
    weights[where] = part
    return weights


def stiffen_parts(mesh: Mesh, part: np.ndarray, weights: np.ndarray, handles: Handles) -> np.ndarray:
    """(V, K) weights in which a loose part that mostly follows one bone follows it wholly; buttons move as one.

    Helmets, eyes, plates and shoes are modelled as pieces of their own and do not bend; artists give 9 of 10 such parts
    to one bone. So are horns, screws and shoulder pads, which follow what they sit on, or else the bone that they
    mostly follow; a ball in a joint follows the lower bone. A robot's blocks follow that next to their middle, though
    their corners are nearer to others; a whole limb in one block follows its upper bone. A mesh in one piece is left as
    it is, and so is a lone vertex, an arm whose hand has most of its vertices but not most of its skin, and a head with
    the whole neck in it.

    part : (V,) the connected part of each vertex
    """
    parts = int(part.max()) + 1
    if parts == 1:
        return weights
    size = np.bincount(part)
    share = np.stack([np.bincount(part, w, parts) for w in weights.T], 1) / size[:, None]
    leader = _leaders(share, handles)
    stiff = (share.max(1) >= _RIGID_SHARE) & (size > 1)
    stiff &= _skin_of(mesh, part, weights, leader) >= _MOST
    box, extent = _boxes(mesh, part, parts), part_extents(mesh, part)
    stiff &= ~_holds_the_bone_above(mesh, part, handles, leader, stiff & (share.max(1) < 1), box)
    blocks, middles = _blocks(mesh, part, extent >= _SMALL)
    bends = ~stiff[blocks]
    leader[blocks[bends]] = handles.owner[handles.nearest(middles[bends])[0].argmin(1)]
    leader[blocks], whole = _up_the_limb(handles, leader[blocks], (box[0][blocks], box[1][blocks]))
    hard = hard_parts(mesh, part, handles, ~stiff & (size > _TOUCHES))
    balls = hard.joint >= 0
    leader[hard.parts[balls]] = hard.joint[balls]
    floats = np.isin(np.arange(parts), hard.parts[hard.floats])
    stiff[blocks] = True
    stiff[hard.parts[~hard.floats | (extent[hard.parts] >= _SMALL)]] = True  # buttons stay on the skin of two bones
    if whole.any():
        area = np.bincount(part[mesh.faces[:, 0]], mesh.areas, parts)
        leader = _with_the_limb(handles, leader, stiff, area, blocks[whole])
    waits = _free(handles, (floats | ~stiff) & (size > _TOUCHES), box)
    weights = _as_one(part, weights, leader, stiff & ~np.isin(np.arange(parts), waits))
    for some in (waits[extent[waits] >= _SMALL], waits[extent[waits] < _SMALL]):  # screws sit on plates
        seated, seat = _seated(mesh, part, weights, some, waits)
        leader[seated], stiff[seated] = seat, True
        weights = _as_one(part, weights, leader, stiff & np.isin(np.arange(parts), some))
        waits = np.setdiff1d(waits, some)
    even = _is_button(mesh, part, handles, ~stiff)[part]
    weights[even] = share[part[even]]
    return weights


def _leaders(share: np.ndarray, handles: Handles) -> np.ndarray:
    """(P,) the handle that parts mostly follow by their shares (P, K): a plate that two thighs pull alike, the hips."""
    first, second = np.argsort(-np.round(share, _DIGITS), axis=1, kind="stable").T[[0, min(1, share.shape[1] - 1)]]
    row, above = np.arange(len(share)), handles.parent[first]
    alike = (first != second) & (above >= 0) & (above == handles.parent[second])
    return np.where(alike & (share[row, first] - share[row, second] < _ALIKE), above, first)


def _as_one(part: np.ndarray, weights: np.ndarray, leader: np.ndarray, among: np.ndarray) -> np.ndarray:
    """(V, K) weights in which parts `among` (P,) bool follow their leaders (P,) wholly."""
    weights, rows = weights.copy(), among[part]
    weights[rows] = np.eye(weights.shape[1])[leader[part[rows]]]
    return weights


def _skin_of(mesh: Mesh, part: np.ndarray, weights: np.ndarray, leader: np.ndarray) -> np.ndarray:
    """(P,) share of each part's area that follows its leader (P,), 1 for what has none."""
    a, b, c = mesh.faces.T
    own, size = part[a], mesh.areas
    follows = weights[np.arange(len(part)), leader[part]]
    area, led = (np.bincount(own, w, len(leader)) for w in (size, size * (follows[a] + follows[b] + follows[c]) / 3))
    return np.divide(led, area, out=np.ones(len(area)), where=area > 0)


def _holds_the_bone_above(mesh: Mesh, part: np.ndarray, handles: Handles, leader: np.ndarray, among: np.ndarray,
                          box: Box) -> np.ndarray:
    """(P,) bool: parts `among` (P,) that bend at the joint where their leader (P,) begins: the bone that it hangs from
    runs inside them from end to end, as a neck's in a head that ends in a collar, or far, as a thigh's in a bare leg
    that ends in shorts and has its shin in it, too."""
    low, high = box
    along = handles.heads + _STEPS[:, None, None] * (handles.tails - handles.heads)
    length = np.linalg.norm(handles.tails - handles.heads, axis=1)
    holds = np.zeros(len(among), bool)
    for one in np.flatnonzero(among):
        above, own = (handles.owner == handle for handle in (handles.parent[leader[one]], leader[one]))
        reach = _FAR * (high[one] - low[one]).max()
        inside = ((along >= low[one]) & (along <= high[one])).all(2) & (above | own)
        if _runs_on(inside, length, above, own, reach):
            surface = Mesh(mesh.vertices, mesh.faces[part[mesh.faces[:, 0]] == one])
            inside[inside] = np.abs(winding_numbers(surface, along[inside])) > _INSIDE
            holds[one] = _runs_on(inside, length, above, own, reach)
    return holds


def _runs_on(inside: np.ndarray, length: np.ndarray, above: np.ndarray, own: np.ndarray, reach: float) -> bool:
    """Whether segments `above` (S,) bool, of which places (N, S) bool are inside, lie there whole or, with those that
    are a part's `own` (S,) bool, further than `reach`."""
    share = inside.mean(0)
    far = (share * length)[above].max(initial=0.0) > reach and share[own].max() > _ALONG
    return bool(far or (share[above] == 1).any())


def _boxes(mesh: Mesh, part: np.ndarray, parts: int) -> Box:
    """(P, 3) lowest and (P, 3) highest corners of the boxes around parts."""
    used = np.unique(mesh.faces)
    low, high = np.full((parts, 3), np.inf), np.full((parts, 3), -np.inf)
    np.minimum.at(low, part[used], mesh.vertices[used])
    np.maximum.at(high, part[used], mesh.vertices[used])
    return low, high


def _blocks(mesh: Mesh, part: np.ndarray, among: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(B,) closed, convex parts with flat sides, `among` (P,): nobody models them to be bent; (B, 3) middles."""
    rim, _ = rim_edges(mesh)
    among = among.copy()
    among[part[rim]] = False
    face = np.flatnonzero(among[part[mesh.faces[:, 0]]])
    face = face[np.argsort(part[mesh.faces[face, 0]], kind="stable")]
    corner, of_face = mesh.triangles[face], part[mesh.faces[face, 0]]
    normal = np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]) / 2
    area = np.linalg.norm(normal, axis=1)
    total = np.bincount(of_face, area, len(among))
    sides, side = np.unique(np.column_stack([of_face, np.round(normal / np.maximum(area, 1e-30)[:, None], 1) + 0.0]),
                            axis=0, return_inverse=True)
    size, owner = np.bincount(side.ravel(), area, len(sides)), sides[:, 0].astype(np.int64)
    order = np.lexsort([-size, owner])
    size, owner = size[order], owner[order]
    is_large = np.arange(len(owner)) - np.searchsorted(owner, owner) < _SIDES
    flat = np.bincount(owner[is_large], size[is_large], len(among)) > _FLAT * total
    found, middles = [], []
    for one in np.flatnonzero(flat & among):
        mine = slice(*np.searchsorted(of_face, [one, one + 1]))
        if _fullness(corner[mine], normal[mine]) > _CONVEX:
            found.append(one)
            middles.append((corner[mine].mean(1) * area[mine, None]).sum(0) / total[one])
    return np.array(found, np.int64), np.reshape(middles, (-1, 3))


def _up_the_limb(handles: Handles, leader: np.ndarray, box: Box) -> tuple[np.ndarray, np.ndarray]:
    """(B,) the handles that blocks follow; (B,) bool, which blocks are whole limbs.

    A block that holds most of a bone and of the one above has a joint in it that cannot bend. It would come off where
    it begins if it followed the lower bone, so it hangs on the upper one, and so on up to where the limb begins, which
    is no shoulder. Trunks and heads, whose bones lie in the middle, are no limbs and go up by one bone at most.

    leader : (B,) the handle next to the middle of each;  box : around it
    """
    low, high = box
    along = handles.heads + _STEPS[:, None, None] * (handles.tails - handles.heads)
    length = np.linalg.norm(handles.tails - handles.heads, axis=1)
    child, parent = _only_children(handles), handles.parent
    beside = np.maximum(np.abs(handles.heads[:, 0]), np.abs(handles.tails[:, 0])) > _BESIDE
    beside = np.bincount(handles.owner, beside, len(child)) > 0
    lifts = (parent >= 0) & (child[parent] >= 0) & (handles.limb[parent] != SHOULDER)
    out, whole = leader.copy(), np.zeros(len(leader), bool)
    for row in np.flatnonzero(lifts[leader] | (child[leader] >= 0)):
        held = ((along >= low[row]) & (along <= high[row])).all(2).mean(0) * length
        held, size = (np.bincount(handles.owner, each, len(child)) for each in (held, length))
        most = held > _HALF * size
        lifted = lifts & most & most[parent]
        lifted &= (child >= 0) | lifted[parent]  # what ends in its bone holds three: a hand lies around the wrist
        while lifted[out[row]]:
            out[row] = parent[out[row]]
            if not beside[out[row]]:
                break
        whole[row] = beside[out[row]] and child[out[row]] >= 0 and most[child[out[row]]]
    return out, whole


def _only_children(handles: Handles) -> np.ndarray:
    """(K,) the handle that hangs on each, -1 where none or several do."""
    hangs = np.flatnonzero(handles.parent >= 0)
    child = np.full(len(handles.parent), -1)
    child[handles.parent[hangs]] = hangs
    child[np.bincount(handles.parent[hangs], minlength=len(child)) > 1] = -1
    return child


def _with_the_limb(handles: Handles, leader: np.ndarray, stiff: np.ndarray, area: np.ndarray, whole: np.ndarray
                   ) -> np.ndarray:
    """(P,) the handles that parts follow. Where a block is a whole limb, a foot, a hand or a boot on it goes with it:
    it would come off where a bone bends that the block does not follow.

    leader : (P,);  stiff : (P,) bool, what may go;  area : (P,) of parts;  whole : (N,) blocks that are whole limbs
    What follows the lower bones of a limb must be less than its block: else that is but a plate on it.
    """
    out, child = leader.copy(), _only_children(handles)
    for top in np.unique(leader[whole]):
        below = [int(child[top])]
        while child[below[-1]] >= 0:
            below.append(int(child[below[-1]]))
        rest = np.isin(leader, below)
        if area[rest].sum() < area[whole[leader[whole] == top]].sum():
            out[rest & stiff] = top
    return out


def _free(handles: Handles, among: np.ndarray, box: Box) -> np.ndarray:
    """(N,) parts, `among` (P,) bool, not too long and with no bone in their boxes."""
    low, high = box
    ask = np.flatnonzero(among & ((high - low).max(1) < _LONGEST))
    points = handles.heads + _STEPS[:, None, None] * (handles.tails - handles.heads)
    holds = [((points >= low[p]) & (points <= high[p])).all(-1).any() for p in ask]
    return ask[~np.array(holds, bool)]


def _seated(mesh: Mesh, part: np.ndarray, weights: np.ndarray, some: np.ndarray, waits: np.ndarray
            ) -> tuple[np.ndarray, np.ndarray]:
    """(N,) which of some parts (S,) sit on skin of one bone, (N,) its handle. Nothing sits on those that wait (W,)."""
    rest, own = np.flatnonzero(~np.isin(part, waits)), np.flatnonzero(np.isin(part, some))
    if len(some) == 0 or len(rest) == 0:
        return np.zeros(0, np.int64), np.zeros(0, np.int64)
    away, nearest = cKDTree(mesh.vertices[rest]).query(mesh.vertices[own])
    order = np.lexsort((away, part[own]))
    first = np.searchsorted(part[own][order], some)
    touching = order[first[:, None] + np.arange(_TOUCHES)]  # the places of each part nearest to the others
    below = weights[rest[nearest[touching]]].mean(1)
    sits = below.max(1) >= _SEAT
    return some[sits], below.argmax(1)[sits]


def _fullness(corner: np.ndarray, normal: np.ndarray) -> float:
    """The volume of a closed surface, (F, 3, 3) and (F, 3), over that of its convex hull; 0 for a flat one."""
    points = corner.reshape(-1, 3) - corner[0, 0]
    volume = abs(((corner.mean(1) - corner[0, 0]) * normal).sum() / 3)
    if volume < 1e-4 * np.linalg.norm(np.ptp(points, axis=0)) ** 3:
        return 0.0
    return volume / ConvexHull(np.unique(points, axis=0)).volume


def _is_button(mesh: Mesh, part: np.ndarray, handles: Handles, among: np.ndarray) -> np.ndarray:
    """(P,) bool: small closed parts of those `among` (P,) that sit off the bones; a ball in a joint does not."""
    extent = part_extents(mesh, part)
    small = among & (extent < _SMALL)
    rim, _ = rim_edges(Mesh(mesh.vertices, mesh.faces[small[part[mesh.faces[:, 0]]]]))
    small[part[rim]] = False
    found = np.flatnonzero(small)
    middle = np.stack([np.bincount(part, x)[found] for x in mesh.vertices.T], 1) / np.bincount(part)[found, None]
    found = found[handles.nearest(middle)[0].min(1) > extent[found]]
    return np.isin(np.arange(len(among)), found)
