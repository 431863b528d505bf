"""The bones that move skin, as segments in the body with the body's thickness around them."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from ..errors import BadRig
from ..geometry.distance import DistanceField
from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..skeleton.bone_map import find_roles
from ..skeleton.rig import Rig

# What exporters append to mark where the last bone of a chain ends (head_end, HeadTop_End, Finger3Nub).
_END_MARK = re.compile(r"(_end|\.end|nub)([._][lr])?$", re.IGNORECASE)
# Places to hang props from (handslot.l, WeaponSocket).
_SOCKET = re.compile(r"(slot|socket)([._][lr])?$", re.IGNORECASE)
_ALONG = np.linspace(0.0, 1.0, 17)
# How much of its thickness shortens a round end's distance; 0.4 to 0.8 fit artists' weights alike.
_THICKNESS = 0.5
# A bone that branches off beside its parent counts the way behind its own head this much longer.
_BEHIND = 1.5
# Skin that turns its back on a bone is this many times further from it, at most.
_TURNED_AWAY = 5.0
_BESIDE = 0.03
_SURROUNDINGS = 4.0  # sizes from the middle of the ground on; what bones do further off says nothing about the skin
_SAME_PLACE = 0.01
_ROWS = 4096  # points at a time: what they need stays in the processor's cache

SHOULDER = -1  # among the numbers of `Handles.limb`


@dataclass(frozen=True, eq=False)
class Handles:
    """K handles made of S segments in the unit frame that pull skin along.

    bones : (K,) the rig's bone each handle stands for;  owner : (S,) the handle of each segment
    heads, tails : (S, 3); a point handle has head = tail
    radii : (S, 17) thickness of the body at equal steps from head to tail
    rounding : (S,) thickness by which a round end, a head on a neck, reaches further along all its length
    behind : (S,) factor on the way behind the head
    parent : (K,) the handle each hangs from, -1 for none
    limb : (K,) 1 and 2 for the bones of the left and of the right arm, -1 for shoulders, 0 for all others
    """

    bones: np.ndarray
    owner: np.ndarray
    heads: np.ndarray
    tails: np.ndarray
    radii: np.ndarray | None = None
    rounding: np.ndarray | None = None
    behind: np.ndarray | None = None
    parent: np.ndarray | None = None
    limb: np.ndarray | None = None

    def __post_init__(self):
        count, kinds = len(self.owner), len(self.bones)
        radii = np.zeros((count, len(_ALONG))) if self.radii is None else self.radii
        rounding = np.zeros(count) if self.rounding is None else self.rounding
        behind = np.ones(count) if self.behind is None else self.behind
        parent = np.full(kinds, -1) if self.parent is None else self.parent
        limb = np.zeros(kinds) if self.limb is None else self.limb
        for name, value, dtype, shape in (
            ("bones", self.bones, np.int64, (len(self.bones),)), ("owner", self.owner, np.int64, (count,)),
            ("heads", self.heads, float, (count, 3)), ("tails", self.tails, float, (count, 3)),
            ("radii", radii, float, (count, len(_ALONG))), ("rounding", rounding, float, (count,)),
            ("behind", behind, float, (count,)), ("parent", parent, np.int64, (kinds,)),
            ("limb", limb, np.int64, (kinds,)),
        ):
            object.__setattr__(self, name, frozen(value, dtype, shape, name))

    def nearest(self, points: np.ndarray, normals: np.ndarray | None = None
                ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """From N points to every segment: distance (N, S), where on it from 0 head to 1 tail (N, S), reach (N, S).

        With outward unit `normals`, both grow as the skin turns away from the bone: by 2 / (1 + cos), at most fivefold,
        the angle being between the normal and the way from the bone. The bone a piece of skin lies on is the one behind
        it, not one that happens to pass close by.
        Reach is the distance by which handles compete for a vertex: shortened by the thickness of round ends, longer
        behind the head of a side branch.
        """
        out = np.empty((3, len(points), len(self.owner)))
        for start in range(0, len(points), _ROWS):
            some = slice(start, start + _ROWS)
            out[:, some] = self._nearest(points[some], None if normals is None else normals[some])
        return out[0], out[1], out[2]

    def _nearest(self, points: np.ndarray, normals: np.ndarray | None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        along = self.tails - self.heads
        squared = np.maximum((along**2).sum(1), 1e-18)
        project = points @ along.T - (self.heads * along).sum(1)
        raw = project / squared
        where = np.clip(raw, 0.0, 1.0)
        # |p - h - w a|^2 expanded: three (N, S) products instead of an (N, S, 3) difference
        gap = (points**2).sum(1)[:, None] - 2 * points @ self.heads.T + (self.heads**2).sum(1)
        gap = np.maximum(gap + where * (where * squared - 2 * project), 0.0)
        distance = np.sqrt(gap)
        turned = np.ones_like(gap) if normals is None else self._turned(points, normals, where, distance)
        back = np.minimum(raw, 0.0) ** 2 * squared
        reach = turned * np.sqrt(gap + (self.behind**2 - 1) * back)
        reach = np.maximum(reach - _THICKNESS * self.rounding, 0.1 * reach + 1e-6)
        return turned * distance, where, reach

    def _turned(self, points, normals, where, distance) -> np.ndarray:
        """(N, S) how much further skin with these normals is from each segment."""
        outward = (points * normals).sum(1)[:, None] - normals @ self.heads.T
        outward -= where * (normals @ (self.tails - self.heads).T)
        cosine = np.clip(outward / np.maximum(distance, 1e-9), -1.0, 1.0)
        return np.minimum(2.0 / np.maximum(1.0 + cosine, 1e-6), _TURNED_AWAY)

    def points(self, segment: np.ndarray, where: np.ndarray) -> np.ndarray:
        """(N, 3) points on segments `segment` (N,) at fractions `where` (N,)."""
        return self.heads[segment] + where[:, None] * (self.tails - self.heads)[segment]

    def thinnest(self, field: DistanceField) -> float:
        """What voxels must resolve: the thickness of the thinnest tenth of handles, or half the narrowest gap of air
        between two of them; infinite if nothing is known."""
        points = self.heads[:, None] + _ALONG[:, None] * (self.tails - self.heads)[:, None]
        gap = np.inf
        for i in range(len(self.owner) - 1):
            apart = np.linalg.norm(points[i][None, :, None] - points[i + 1:, None], axis=-1)
            free = (apart - self.radii[i][:, None] - self.radii[i + 1:, None]).reshape(len(apart), -1)
            nearest = free.argmin(1)
            middle = 0.5 * (points[i][nearest // len(_ALONG)]
                            + points[i + 1 + np.arange(len(free)), nearest % len(_ALONG)])
            free = free.min(1)
            gap = min(gap, float(free[(free > 0) & (field.sample(middle) > 0)].min(initial=np.inf)))
        thick = np.zeros(len(self.bones))
        np.maximum.at(thick, self.owner, self.radii.max(1))
        thick = thick[thick > 0]
        return min(gap / 2, float(np.quantile(thick, 0.1))) if len(thick) else gap / 2


def skin_handles(shape: Shape, rig: Rig) -> Handles:
    """The deforming bones of a rig that stand for a part of the body.

    Left out, since artists give them no skin: markers of a chain's end and sockets for props (by name), control
    roots, which begin outside the body and carry it, and controls hung from them that double a bone of the body or
    float far off.
    Where a bone stops short of the child that carries it on, a second segment fills the gap.
    Raises BadRig if no bone deforms. If the rules leave nothing, all are kept.
    """
    deform = np.asarray(rig.deform)
    if not deform.any():
        raise BadRig("No bone of the skeleton deforms. Tick Deform on the bones that should move the mesh.")
    heads, tails = _near_the_body(shape.frame.to_unit(rig.heads), shape.frame.to_unit(rig.tails))
    marks = _marks(rig)
    root = _is_control_root(rig, shape.field, heads)
    used = deform & ~marks & ~root
    used &= ~_is_control(rig, shape.field, heads, tails, used, root)
    if not used.any():
        used = deform
    bones = np.flatnonzero(used)
    links = _links(rig, shape.field, heads, tails, used, marks)
    owner = np.searchsorted(bones, np.concatenate([bones, links[:, 0]]))
    tails = np.concatenate([tails[bones], heads[links[:, 1]]])
    heads = np.concatenate([heads[bones], heads[links[:, 0]]])
    points = heads[:, None] + _ALONG[:, None] * (tails - heads)[:, None]
    radii = np.maximum(-shape.field.sample(points.reshape(-1, 3)), 0.0).reshape(len(heads), -1)
    parent = _parent_handle(rig, bones)
    rounding = np.zeros(len(owner))
    rounding[: len(bones)] = _round_ends(radii[: len(bones)], parent)
    return Handles(bones, owner, heads, tails, radii, rounding, _behind(heads, tails, owner, parent), parent,
                   _arms(rig)[bones])


def _marks(rig: Rig) -> np.ndarray:
    """(B,) bool: marks a chain's end or hangs props up, by name. An end from which a bone goes on, a Tail_End that
    carries a Tail_Tip, is a bone like others."""
    ends, sockets = (np.array([bool(mark.search(name)) for name in rig.names], bool) for mark in (_END_MARK, _SOCKET))
    goes_on = np.isin(np.arange(len(rig.names)), rig.parents[~ends & ~sockets])
    return sockets | (ends & ~goes_on)


def _near_the_body(heads: np.ndarray, tails: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Segments (B, 3), (B, 3) cut to a box some sizes around the body; one that misses it becomes its nearest place.

    A bone a thousand sizes long would be walked along voxel by voxel, and its distances would lose their digits.
    """
    far = (np.maximum(np.abs(heads), np.abs(tails)) > _SURROUNDINGS).any(1)
    if not far.any():
        return heads, tails
    head, tail = np.clip(heads[far], -1e100, 1e100), np.clip(tails[far], -1e100, 1e100)  # squares stay numbers
    along = tail - head
    still = along == 0
    step = np.where(still, 1.0, along)
    walls = np.stack([(-_SURROUNDINGS - head) / step, (_SURROUNDINGS - head) / step])
    outside = np.abs(head) > _SURROUNDINGS
    first = np.where(still, np.where(outside, np.inf, -np.inf), walls.min(0)).max(1)
    last = np.where(still, np.where(outside, -np.inf, np.inf), walls.max(0)).min(1)
    nearest = -(head * along).sum(1) / np.maximum((along**2).sum(1), 1e-18)
    misses = first > last
    ends = [np.clip(np.where(misses, nearest, end), 0.0, 1.0)[:, None] for end in (first, last)]
    heads, tails = heads.copy(), tails.copy()
    for kept, end in zip((heads, tails), ends, strict=True):
        kept[far] = np.clip(head + end * along, -_SURROUNDINGS, _SURROUNDINGS)
    return heads, tails


def _is_control_root(rig: Rig, field: DistanceField, heads: np.ndarray) -> np.ndarray:
    """(B,) bool: has no parent, has children, and begins outside the solid."""
    has_children = np.isin(np.arange(len(rig.names)), rig.parents)
    return (rig.parents < 0) & has_children & (field.sample(heads) > 0.005)


def _is_control(rig: Rig, field: DistanceField, heads: np.ndarray, tails: np.ndarray, used: np.ndarray,
                root: np.ndarray) -> np.ndarray:
    """(B,) bool: in a tree beside the body's own that doubles one of its bones, more than by where it begins, or hangs
    far off a control root."""
    up = np.where((rig.parents >= 0) & ~root[rig.parents], rig.parents, np.arange(len(rig.names)))
    for _ in range(len(up).bit_length()):
        up = up[up]
    tree, size = np.unique(up[used], return_counts=True)
    control = np.zeros(len(up), bool)
    if len(tree) < 2:
        return control
    body = heads[used & (up == tree[size.argmax()])]
    for top in np.delete(tree, size.argmax()):
        members = used & (up == top)
        below = members & (np.arange(len(up)) != top)  # a neck of its own may begin where the spine does
        own = heads[below if below.any() else members]
        doubles = np.linalg.norm(own[:, None] - body, axis=2).min() < _SAME_PLACE
        hung = rig.parents[top] >= 0
        along = heads[members, None] + _ALONG[:, None] * (tails - heads)[members, None]
        inside = (field.sample(along.reshape(-1, 3)).reshape(len(along), -1) < 0).mean(1)
        if doubles or (hung and (inside < 0.5).all() and (field.sample(heads[members]) > 0.02).all()):
            control |= members
    return control


def _links(rig: Rig, field: DistanceField, heads, tails, used, marks) -> np.ndarray:
    """(L, 2) bone and child: the child goes on in the bone's direction but begins away from its tail, through flesh.

    Tails of imported bones are guesses; where the next bone begins is known.
    """
    links = []
    for bone in np.flatnonzero(used):
        child = np.flatnonzero((rig.parents == bone) & (used | marks))
        way = heads[child] - heads[bone]
        length = np.linalg.norm(way, axis=1)
        child, way, length = child[length > 1e-3], way[length > 1e-3], length[length > 1e-3]
        come = heads[bone] - heads[rig.parents[bone]] if rig.parents[bone] >= 0 else tails[bone] - heads[bone]
        if np.linalg.norm(come) < 1e-3:
            come = tails[bone] - heads[bone]
        straight = way @ come / np.maximum(length * np.linalg.norm(come), 1e-12)
        on = straight > max(0.8, straight.max(initial=0.0) - 1e-3)
        on &= np.linalg.norm(heads[child] - tails[bone], axis=1) > 0.02
        for each in child[on]:
            way = heads[bone] + _ALONG[:, None] * (heads[each] - heads[bone])
            others = np.setdiff1d(np.flatnonzero(used), [bone, each])
            gap = way[np.linalg.norm(way - heads[bone], axis=1) > np.linalg.norm(tails[bone] - heads[bone])]
            is_filled = len(gap) and len(others) and np.median(
                segment_distances(gap, heads[others], tails[others]).min(1)) < _BESIDE
            if (field.sample(way) < 0.005).all() and not is_filled:
                links.append((bone, each))
    return np.array(links, np.int64).reshape(-1, 2)


def _parent_handle(rig: Rig, bones: np.ndarray) -> np.ndarray:
    """(K,) the handle of each handle's parent bone, -1 if it has none."""
    place = np.full(len(rig.names) + 1, -1)
    place[bones] = np.arange(len(bones))
    return place[rig.parents[bones]]


def _arms(rig: Rig) -> np.ndarray:
    """(B,) 1 and 2 for the bones of the left and of the right arm, -1 for shoulders, 0 for all others."""
    limb, roles = np.zeros(len(rig.names), np.int64), find_roles(rig)
    for role, number in (("shoulder.L", SHOULDER), ("shoulder.R", SHOULDER), ("upper_arm.L", 1), ("upper_arm.R", 2)):
        if role in roles:
            limb[roles[role]] = number
    while (hung := (limb == 0) & (rig.parents >= 0) & (limb[rig.parents] > 0)).any():
        limb[hung] = limb[rig.parents[hung]]  # a parent may stand after its child
    return limb


def _round_ends(radii: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """(K,) thickness of last bones much thicker than their parents, a head on a neck; 0 for others.

    Chin and jaw lie nearer to the neck than to the skull's axis, yet move with the head.
    """
    last = ~np.isin(np.arange(len(radii)), parent)
    thick = radii.max(1)
    bulges = last & (parent >= 0) & (thick > 0.015) & (thick > 1.5 * np.median(radii[parent], axis=1))
    return np.where(bulges, 0.5 * (radii.mean(1) + thick), 0.0)


def _behind(heads: np.ndarray, tails: np.ndarray, owner: np.ndarray, parent: np.ndarray) -> np.ndarray:
    """(S,) factor on the way behind each head: more than 1 where it lies off all segments of its parent."""
    factor = np.ones(len(owner))
    for segment in range(len(parent)):
        of_parent = np.flatnonzero(owner == parent[segment])
        if len(of_parent):
            along = tails[of_parent] - heads[of_parent]
            offset = heads[segment] - heads[of_parent]
            where = np.clip((offset * along).sum(1) / np.maximum((along**2).sum(1), 1e-18), 0.0, 1.0)
            if np.linalg.norm(offset - where[:, None] * along, axis=1).min() > _BESIDE:
                factor[segment] = _BEHIND
    return factor
