"""Limbs that a skeleton does not know: a third arm, a second tail, a tentacle on the back.

What stands out of a body is known from its shape (`fitting.from_shape`). What of it no bone runs through and is long
and round is a limb, whatever the skeleton says. Flat things are clothes and wings; what grows out of the head is hair,
an ear or a horn, but for what hangs from an animal's in the middle, an elephant's trunk; what begins in a hand or
touches one is held by it, even if it is one line with the arm; what is a loose part with no bone in it hangs there.
"""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
from scipy.spatial import cKDTree

from ..arrays import argwhere
from ..fitting.from_shape import DETAIL, bend_of, bone_count, bone_length, cut, seen_in
from ..fitting.limb_sorts import FLAT
from ..fitting.outline import Line
from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..hanging.find import plaits_on_arms
from ..hanging.loose import around_bones, loose_parts
from ..skeleton.bone_map import find_roles
from ..skeleton.chain import Chain
from ..skeleton.preset import other_side
from ..skeleton.rig import Rig

# Unit frame: how long a limb is at least, how far its middle line lies from all bones in the mean, and how far some of
# its flesh does; nearer than ALONG a line has bones. Chosen on 21 generated people with such limbs and on 108
# characters in view, of which none gets one.
LONG, AWAY, FAR, ALONG = 0.2, 0.12, 0.18, 0.06
ENDS = ("head", "neck", "forearm", "hand", "foot", "toe")
FOUR_LEGS = {"front_foot.L", "front_foot.R", "hind_foot.L", "hind_foot.R"}
SURE = 0.7  # of joints that only the shape tells
# So little of a ball of so much radius, unit frame, about a limb's end is flesh: 0.02 to 0.05 about the ends of five
# grown limbs, 0.25 and more about fat bellies.
AROUND, BARE = 0.12, 0.2
LOOKED_AT = 4000  # of the solid's voxels, before more is done
_LIMB = re.compile(r"limb_\d+_(\d+|tip)(\.[LR])?")


def is_limb_joint(name: str) -> bool:
    """Whether a joint of this name may be one of such a limb: "limb_1_2.L", "limb_1_tip"."""
    return _LIMB.fullmatch(name) is not None


def find_limbs(shape: Shape, rig: Rig) -> list[Chain]:
    """The limbs of a body that no bone runs through, each as a chain on the bone it grows out of.

    rig : fitted to it, object space
    """
    unit = replace(rig, heads=shape.frame.to_unit(rig.heads), tails=shape.frame.to_unit(rig.tails))
    roles = find_roles(rig)
    ends = [bone for role, bone in roles.items() if role.split(".")[0] in ENDS]
    head = roles.get("head") if roles.keys() >= FOUR_LEGS else None
    if not _has_far_end(shape, unit, ends, head):
        return []
    hands = [bone for role, bone in roles.items() if role.startswith("hand")]
    found = _without_bones(shape, unit, ends, hands) + ([] if head is None else _trunk(shape, unit, head))
    limbs = [limb for limb in found if _is_flesh(limb, shape, unit)]
    return _chains(limbs, shape, unit, [bone for role, bone in roles.items() if role.startswith("tail")])


def without_bones(chains: list[Chain], shape: Shape, rig: Rig) -> list[Chain]:
    """Those of the chains that no bone of a rig, object space, runs along, and on which no tail ends: pins may have led
    one there."""
    to_unit = shape.frame.to_unit
    heads, tails = to_unit(rig.heads), to_unit(rig.tails)
    roles = find_roles(rig) if chains else {}
    last = [bone for role, bone in roles.items() if role.startswith("tail") and bone not in rig.parents]

    def is_free(places: np.ndarray) -> bool:
        on = segment_distances(tails[last], places[:-1], places[1:])
        return segment_distances(places, heads, tails).min(1).mean() > ALONG and not (on < ALONG).any()

    return [chain for chain in chains if is_free(to_unit(chain.places))]


def _has_far_end(shape: Shape, unit: Rig, ends: list[int], head: int | None = None) -> bool:
    """Whether some flesh far from all bones has little flesh around it, as the end of a limb has: a belly has much.

    Cheap: only what passes is looked at more closely.  unit, ends : see `_without_bones`
    head : an animal's, for what is nearest to it and hangs below counts too
    """
    grid, flesh = shape.body.grid, argwhere(shape.body.solid)
    every = 1 + len(flesh) // LOOKED_AT
    some = grid.centres(flesh[::every])
    away = segment_distances(some, unit.heads, unit.tails)
    nearest = away.argmin(1)
    counts = ~np.isin(nearest, ends)
    if head is not None:
        counts |= (nearest == head) & (some[:, 2] < unit.heads[head, 2])
    far = some[(away.min(1) >= FAR) & counts]
    around = cKDTree(some).query_ball_point(far, AROUND, return_length=True) * every * grid.spacing**3
    return bool((around < BARE * 4 / 3 * np.pi * AROUND**3).any())


def _without_bones(shape: Shape, unit: Rig, ends: list[int], hands: list[int]) -> list[Line]:
    """The lines of such limbs, from where they leave the bones to their ends; of one that forks the longest way.

    unit : the rig, unit frame;  ends : bones out of which none grows;  hands : bones that none touches
    """
    lines = [line for line in seen_in(shape).lines if line.part == "limb"]
    away = {id(line): segment_distances(line.points, unit.heads, unit.tails) for line in lines}
    free = [line for line in lines if away[id(line)].min(1).mean() > ALONG]
    stems = {line.parent for line in free}
    ways = []
    for line in (line for line in free if line not in stems):
        ways.append(way := [line])
        while way[0].parent in free:
            way.insert(0, way[0].parent)
    found: list[Line] = []
    taken: set[Line] = set()
    for way in sorted(ways, key=lambda way: -sum(line.length for line in way)):
        whole, off = _joined(way), np.concatenate([away[id(line)] for line in way])
        first, is_held = _leaves(off.min(1)), (off[:, hands] < ALONG).any()
        limb, off = replace(whole, points=whole.points[first:], radii=whole.radii[first:]), off[first:]
        is_limb = limb.length > LONG and limb.flat < FLAT and off.min(1).mean() > AWAY
        if is_limb and not is_held and int(off[0].argmin()) not in ends and not taken & set(way):
            found.append(limb)
            taken |= set(way)
    return found


def _leaves(away: np.ndarray) -> int:
    """Where the longest part of a line without bones begins: its last point before that along a bone, or the first.

    away : (N,) from each point to the nearest bone
    """
    edges = np.flatnonzero(np.diff(np.r_[True, away < ALONG, True]))
    begin, end = edges[::2], edges[1::2]
    return max(0, int(begin[(end - begin).argmax()]) - 1)


def _trunk(shape: Shape, unit: Rig, head: int) -> list[Line]:
    """The line of an elephant's trunk: the body's own, which goes on past the head's bone and hangs down."""
    spine = seen_in(shape).lines[0]
    away = segment_distances(spine.points, unit.heads, unit.tails)
    along = np.flatnonzero(away.min(1) < ALONG)
    if not len(along) or int(away[along[-1]].argmin()) != head:
        return []
    way, radii = spine.points[along[-1]:], spine.radii[along[-1]:]
    length = float(np.linalg.norm(np.diff(way, axis=0), axis=1).sum())
    hangs = way[0, 2] - way[-1, 2] > length / 2
    return [replace(spine, part="limb", points=way, radii=radii, parent=spine)] if length > LONG and hangs else []


def _joined(way: list[Line]) -> Line:
    """One line from the beginning of the first of some lines to the end of the last."""
    lengths = np.array([line.length for line in way])
    return replace(way[-1], points=np.concatenate([line.points for line in way]), parent=way[0].parent,
                   radii=np.concatenate([line.radii for line in way]),
                   flat=float(np.average([line.flat for line in way], weights=lengths)))


def _is_flesh(limb: Line, shape: Shape, unit: Rig) -> bool:
    """Whether most of the skin along a limb belongs to parts that lie around bones."""
    parts = loose_parts(shape)
    if parts is None:
        return True
    nearest = parts.of_point[cKDTree(parts.points).query(limb.points)[1]]
    flesh = around_bones(shape, unit, parts) & ~plaits_on_arms(shape, unit, parts)
    return bool(flesh[nearest].mean() > 0.5)


def _chains(limbs: list[Line], shape: Shape, unit: Rig, tails: list[int]) -> list[Chain]:
    """Limbs as chains on the bones they grow out of, numbered from front to back, pairs as one.

    tails : bones of a tail, on which none grows
    """
    on = [b for b, name in enumerate(unit.names) if unit.deform[b] and b not in tails]
    middle = [b for b in on if other_side(unit.names[b]) == unit.names[b]]
    limbs = sorted(limbs, key=lambda limb: (round(float(limb.points[0, 1]), 2), -float(limb.points[0, 2]), limb.side))
    stems: list[str] = []
    out = []
    for k, limb in enumerate(limbs):
        partner = next((i for i in range(k) if limb.twin is not None and limb.twin.tip == limbs[i].tip), k)
        stems.append(stems[partner] if partner < k else f"limb_{1 + len(set(stems))}")
        count = bone_count(limbs[partner], bone_length(DETAIL))
        places = cut(limb, count)[1]
        side = f".{limb.side}" if limb.side else ""
        joints = tuple(f"{stems[k]}_{n}{side}" for n in (*range(1, count + 1), "tip"))
        hangs = on if limb.parent.part == "limb" else middle
        nearest = hangs[int(segment_distances(places[:1], unit.heads[hangs], unit.tails[hangs]).argmin())]
        out.append(Chain(stems[k] + side, unit.names[nearest], joints, shape.frame.to_object(places),
                         shape.frame.turn_to_object(np.array(bend_of(places, 0))), SURE))
    return [chain for chain in out if not set(chain.joints) & set(unit.names)]
