"""Joints of bodies made of loose parts: a skeleton's bones, a robot's plates, hands that float.

Where one part of a limb ends and the next begins, it turns. A gap in the solid is such a place; in a body that is loose
all over, so is every place where the limb's middle passes from one part of the mesh to another.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.mesh import vertex_components
from ..geometry.shape import Shape
from ..geometry.voxels import sample_surface
from .limbs import Interior, Limb

# A loose body has this many gaps or more, and this share of its solid in other pieces than the largest.
GAPS, SCATTERED = 4, 0.2
# A part shorter than this along a limb, unit frame, is a knob. Surface samples this far apart tell the parts.
KNOB, SPACING = 0.02, 0.01
# Of a limb's length: a joint goes no further than this to the seam it belongs to; each further seam makes others doubt.
REACH, FEW = 0.3, 3
# A gap further in than this share of the way to the joint at the trunk is where the limb ends.
HANGS = 0.6
# More changes along a limb are knobs and plates.
MANY = 4
# What a joint without a seam costs: at the trunk, the middle one, the last; and where the body is cut at its joints.
MISSING, MISSING_CUT = (1.0, 1.0, 1.0), (1.5, 1.6, 0.5)
# What a joint costs more at a change of parts than at a gap.
CHANGE = 0.3
# A limb's line is followed so far into the trunk, in its lengths: hips hide between thigh and pelvis.
BEYOND = 1.25
# A gap over this share of a limb leaves out a whole bone or more.
WIDE = 0.35
# A limb's lower part with a hand is at least so many times as long as the upper; of its own, a forearm is this long.
WITH_HAND, FOREARM = 1.15, 0.9
# Unit frame: least distance between joints.
APART = 0.02


@dataclass(frozen=True, eq=False)
class Seams:
    """Of a limb, distances from its tip. gaps : (K, 2) both sides of each gap;  changes : (N,) of the mesh's part
    is_cut : the body is of loose parts, so that no elbow is without a seam
    """

    gaps: np.ndarray
    changes: np.ndarray
    is_cut: bool = False


@dataclass(frozen=True, eq=False)
class LooseParts:
    """What a shape's parts say. ends : (G, 2, 3) both sides of every gap, unit frame

    tree, part : surface samples, and the part of the mesh each is of; None in a body that is not loose all over
    """

    ends: np.ndarray
    tree: cKDTree | None = None
    part: np.ndarray | None = None

    def seams(self, interior: Interior, limb: Limb, limbs: Iterable[Limb]) -> Seams:
        """Where one of a body's limbs passes from part to part, in distances from its tip."""
        gaps = self._gaps(interior, limb, limbs)
        if self.tree is None or self.part is None:
            return Seams(gaps, np.zeros(0))
        distances, points = limb.profile.line()
        seen = distances < BEYOND * limb.profile.length
        part = self.part[self.tree.query(points[seen])[1]]
        begin = np.flatnonzero(np.diff(part, prepend=-1))
        begin = begin[np.diff(np.append(distances[begin], distances[seen][-1])) > KNOB]
        change = distances[begin[1:][part[begin[1:]] != part[begin[:-1]]]]
        return Seams(gaps, change if len(change) <= MANY else np.zeros(0), True)

    def _gaps(self, interior: Interior, limb: Limb, limbs: Iterable[Limb]) -> np.ndarray:
        """The gaps on the limb's way to the trunk."""
        if not len(self.ends):
            return np.zeros((0, 2))
        voxels = interior.nearest(self.ends.reshape(-1, 3))
        along = limb.from_tip[voxels].reshape(-1, 2)
        nearest = np.min([other.from_tip[voxels] for other in limbs], axis=0).reshape(-1, 2).min(1)
        order = along.argsort(1)
        along = np.take_along_axis(along, order, 1)
        near = np.take_along_axis(self.ends, order[:, :1, None], 1)[:, 0]
        width = np.linalg.norm(self.ends[:, 0] - self.ends[:, 1], axis=1)
        crossed = np.diff(along, axis=1)[:, 0] > 0.8 * width - 2 * interior.grid.spacing
        line = np.array([limb.profile.at(d) for d in along[:, 0]])
        on_way = (np.linalg.norm(line - near, axis=1) < 0.06) & (along[:, 0] <= nearest + 1e-9)
        return along[crossed & on_way & (along[:, 0] < limb.from_tip[limb.trunk])]


def find_loose_parts(shape: Shape) -> LooseParts | None:
    """The parts of a shape with gaps; None if it has none."""
    gaps = shape.gaps
    if not len(gaps.ends):
        return None
    if len(gaps.ends) < GAPS or gaps.scattered < SCATTERED:
        return LooseParts(gaps.ends)
    points, faces = sample_surface(shape.mesh, SPACING)
    return LooseParts(gaps.ends, cKDTree(points), vertex_components(shape.mesh)[shape.mesh.faces[faces, 0]])


def wide_gap(length: float, seams: Seams) -> np.ndarray | None:
    """(2,) the gap that leaves out the inner bones of a limb so long, None if there is none."""
    if not len(seams.gaps):
        return None
    widest = seams.gaps[np.diff(seams.gaps, axis=1)[:, 0].argmax()]
    return widest if widest[1] - widest[0] > WIDE * length and widest[1] > 0.6 * length else None


def snap_joints(wanted: np.ndarray, seams: Seams) -> np.ndarray:
    """(3,) joints of a limb, those that have a seam moved there, the others in proportion.

    wanted : (3,) where they are expected, the one at the trunk first, falling to 0 at the limb's end
    A forearm no longer than the upper arm has no hand on it: the wrist is at its end.
    """
    known = _settle(wanted, seams)
    if not known:
        return wanted
    at = sorted(known, reverse=True)
    out = np.interp(wanted, [0.0, *wanted[at]], [0.0, *(known[j] for j in at)])
    out[: at[-1]] = wanted[: at[-1]] * np.sqrt(known[at[-1]] / max(wanted[at[-1]], 1e-9))
    for j in range(len(out) - 2, -1, -1):
        out[j] = max(out[j], out[j + 1] + APART)
    upper = out[0] - out[1]
    if {0, 1} <= set(known) and 2 not in known and out[1] < WITH_HAND * upper:
        out[2] = np.clip(out[1] - FOREARM * upper, min(APART, 0.5 * out[1]), out[2])
    return out


def _settle(wanted: np.ndarray, seams: Seams) -> dict[int, float]:
    """{joint: place} of the joints that have a seam: the cheapest way to deal them out.

    The others are expected in proportion to the joint at the trunk. Between joints a limb of many parts has seams as
    well, so the more there are the nearer they must be.
    """
    gaps, changes = seams.gaps[:, 0], seams.changes
    # Beyond the gap it hangs on there is no limb.
    changes = changes[changes < max(gaps[gaps > HANGS * wanted[0]], default=np.inf)]
    kinds = ((gaps, 0.0), (changes, CHANGE))
    options = []
    for places, dear in kinds:
        reach = REACH * wanted[0] / max(1.0, len(places) / FEW)
        options += [(float(x), dear, reach) for x in places]
    missing = MISSING_CUT if seams.is_cut else MISSING
    best: tuple[float, dict[int, float]] = (sum(missing), {})
    pick = [[None, *(o for o in options if abs(o[0] - want) < 2 * o[2])] for want in wanted]
    for chosen in product(*pick):
        cost, scale, above = 0.0, 1.0, np.inf
        for j, (want, option) in enumerate(zip(wanted.tolist(), chosen, strict=True)):
            if option is None:
                cost += missing[j]
                continue
            place, dear, reach = option
            cost += dear + ((place - want * scale) / (reach * scale)) ** 2 + (place > above - APART) * len(wanted)
            above = place
            scale = place / want if j == 0 else scale
        if cost < best[0]:
            best = cost, {j: o[0] for j, o in enumerate(chosen) if o is not None}
    return best[1]
