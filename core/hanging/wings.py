"""Wings on the back of a body whose skeleton has none: an angel's, a fairy's, a winged horse's.

A wing is flat and broad, hangs on the back of the trunk by little and reaches out to one side, and the other side has
another like it. Of fairies' wings, which are four, each pair gets bones. Wings are loose parts, or one surface with the
body, or of many parts: then what is thin and off all bones is looked at.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage
from scipy.spatial import cKDTree

from ..arrays import argwhere
from ..geometry.grid import Grid
from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..skeleton.rig import Rig
from .fused import about, pieces_of_vertices, skin_of
from .loose import SPACING, Parts, around_bones, loose_parts
from .strips import carried_over, joints, shares_along, ways
from .thing import Thing

# Lengths in the unit frame, where a person is 1 high; set by reasoning and looked at on generated people.
SPAN = 0.2  # how long a wing is at least, from where it hangs
FAR = 0.15  # from all bones: some of a wing is
BEGINS = 0.07  # from the body: a wing may float
TOUCHES = 0.02  # what lies nearest to the body, within so much
OUT, MOST = 0.03, 0.6  # so much of a wing stands so far out from the body
BROAD, FLAT = 0.025, 0.45  # half of its breadth, standard deviation, swords have 0.02; its thickness at most, of that
AWAY = 0.5  # of its length: how far it reaches to the side, or up or back from where it hangs
ONE_SIDE = 0.9  # share of a part on one side: what has less lies on both, a wing on each
SEAM = (0.03, 0.6)  # so near the middle a cape's half is so high as a share of its height, and a wing is less
ALIKE = (0.08, 0.2)  # how far the roots of a pair lie apart in the mirror; their joints in the mean, of its length
BONES = 3
# of one surface with the body: no ball of so much radius fits in; so far from all bones; such a share is so far off
THIN, CLEAR, FAR_OFF, OFF = 0.03, 0.05, 0.4, 0.1
LOOKED_AT = 4000  # of the mesh's vertices, before more is done
# bones at which a wing hangs
TRUNK = ("spine", "chest", "neck", "shoulder", "torso", "upper_torso", "upper_chest", "front_shoulder", "front_upper")
ARMS = ("upper_arm", "forearm", "hand")
HOLDS = (*TRUNK, "upper_arm")
HELD, ON_TRUNK = 0.5, (0.08, 0.25)  # share of what touches that these hold; of one surface: of all, of all but the arms
CARRIES = ("upper_chest", "chest", "spine")  # which of them carries it


@dataclass(frozen=True, eq=False)
class _Wing:
    """A candidate as samples of its surface.

    points : (N, 3);  along : (N,) from where it hangs, 1 at its end;  length : of it;  places : (BONES + 1, 3)
    rows : (M,) of the welded mesh;  own : (M,) 1 where nothing else holds them, less near a body of the same surface
    is_fused : whether it is one surface with the body
    """

    side: str
    points: np.ndarray
    along: np.ndarray
    length: float
    places: np.ndarray
    rows: np.ndarray
    own: np.ndarray
    is_fused: bool


def find_wings(shape: Shape, body: Rig) -> list[Thing]:
    """The wings of a body, each with a chain of bones on its chest.

    body : the bones it was fitted with, unit frame, without wings of its own
    """
    carrier = next((bone for bone in CARRIES if bone in body.names), None)
    if carrier is None or not {"upper_arm.L", "front_upper.L"} & set(body.names):
        return []
    trunk = body.heads[body.names.index(carrier)]
    every = 1 + len(shape.mesh.vertices) // LOOKED_AT
    points = shape.mesh.vertices[::every]
    off = segment_distances(points, body.heads, body.tails).min(1)
    if not _on_both_sides(points[off > FAR], trunk):
        return []
    parts, pairs = loose_parts(shape), []
    flesh = None if parts is None else around_bones(shape, body, parts)
    if parts is not None:
        pairs = _pairs(_loose(shape, parts, flesh, body, carrier), trunk[0])
    if not pairs and _on_both_sides(points[(points[:, _back(body)] > trunk[_back(body)]) & (off > SPAN)], trunk):
        on_flesh = np.ones(len(shape.mesh.vertices), bool) if parts is None else flesh[parts.of_vertex]
        pairs = _pairs(_apart(shape, body, carrier, on_flesh), trunk[0])
    things = [(number, _thing(shape, wing, carrier)) for number, pair in enumerate(pairs, 1) for wing in pair]
    return [thing if number == 1 else thing.numbered(number) for number, thing in things]


def _on_both_sides(points: np.ndarray, trunk: np.ndarray) -> bool:
    left = points[:, 0] > trunk[0]
    return bool(left.any() and not left.all())


def _back(body: Rig) -> int:
    """The axis along which the back looks: an animal's looks up."""
    return 2 if "front_upper.L" in body.names and "upper_arm.L" not in body.names else 1


def _thing(shape: Shape, wing: _Wing, carrier: str) -> Thing:
    along = carried_over(wing.along, wing.points, shape.mesh.vertices[wing.rows])[:, None]
    return Thing(f"wing.{wing.side}", carrier, tuple(f"wing_{k + 1}.{wing.side}" for k in range(BONES)),
                 np.arange(BONES) - 1, wing.places[:-1], wing.places[1:], wing.rows,
                 shares_along(along, wing.own[:, None], BONES), is_fused=wing.is_fused)


def _loose(shape: Shape, parts: Parts, flesh: np.ndarray, body: Rig, carrier: str) -> list[_Wing]:
    """What may be a wing of the loose parts.  flesh : (P,) bool, which lie around bones"""
    core = parts.points[flesh[parts.of_point]]
    if not len(core):
        return []
    tree = cKDTree(core)
    return [wing for part in np.flatnonzero(~flesh & (parts.extents >= SPAN / 2))
            for wing in _wings_of(shape, parts, int(part), body, tree, carrier)]


def _apart(shape: Shape, body: Rig, carrier: str, on_flesh: np.ndarray) -> list[_Wing]:
    """What may be a wing of all that stands out from what is thick or near bones, of one surface with the body or of
    many parts: feathers.  on_flesh : (V,) bool, vertices of parts that lie around bones"""
    back, trunk = _back(body), body.heads[body.names.index(carrier)]
    grid, behind = _behind(shape.field.grid, back, trunk[back] - OUT)
    values = shape.field.values[behind]
    inside = values < 0
    core = inside & about(values <= -THIN, THIN / grid.spacing)
    thin = argwhere(inside & ~core)
    near = segment_distances(grid.centres(thin), body.heads, body.tails).min(1) <= CLEAR
    core[tuple(thin[near].T)] = True
    label, _ = ndimage.label(inside & ~about(core, OUT / grid.spacing), np.ones((3, 3, 3)))
    large = [(one, box) for one, box in enumerate(ndimage.find_objects(label), 1)
             if max(s.stop - s.start for s in box) * grid.spacing >= SPAN / 2]
    if not large or not core.any():
        return []
    tree = cKDTree(grid.centres(argwhere(core & ~ndimage.binary_erosion(core))))
    wings, piece = [], None
    for one, box in large:
        voxels = grid.centres(argwhere(label[box] == one) + [s.start for s in box])
        skin = skin_of(shape, voxels, voxels[:1], 1.2 * grid.spacing, SPACING)
        left = None if skin is None else skin.points[:, 0] > trunk[0]
        for side, mine in () if skin is None else (("L", left), ("R", ~left)):
            some = skin.areas[mine].sum() / skin.areas.sum()
            if some > ONE_SIDE or (some > 1 - ONE_SIDE and not _in_middle(skin.points[mine], trunk[0])):
                every = 1 + int(mine.sum()) // LOOKED_AT
                wing = _wing(skin.points[mine][::every], skin.areas[mine][::every], side, body, tree, carrier,
                             is_fused=True)
                if wing is not None:
                    piece = pieces_of_vertices(shape, grid, inside, label) if piece is None else piece
                    rows = np.flatnonzero((piece == one) & ((shape.mesh.vertices[:, 0] > trunk[0]) == (side == "L")))
                    own = _smooth(tree.query(shape.mesh.vertices[rows])[0] / OUT - 1.4)
                    wings.append(replace(wing, rows=rows, own=own, is_fused=bool(on_flesh[rows].any())))
    return wings


def _behind(grid: Grid, axis: int, least: float) -> tuple[Grid, tuple[slice, ...]]:
    """The part of a grid from a place on one axis on, and where it lies."""
    first = int(np.clip((least - grid.origin[axis]) / grid.spacing, 0, grid.shape[axis] - 2))
    step = first * np.eye(3, dtype=int)[axis]
    part = tuple(slice(int(s), None) for s in step)
    return replace(grid, origin=grid.origin + grid.spacing * step, shape=tuple(np.array(grid.shape) - step)), part


def _in_middle(points: np.ndarray, middle: float) -> bool:
    """Whether a half of a piece begins in the middle all along, as a cape's does, and a wing's does not."""
    high = points[np.abs(points[:, 0] - middle) < SEAM[0], 2]
    return len(high) > 0 and float(np.ptp(high)) > SEAM[1] * float(np.ptp(points[:, 2]))


def _smooth(share: np.ndarray) -> np.ndarray:
    share = np.clip(share, 0.0, 1.0)
    return share * share * (3 - 2 * share)


def _wings_of(shape: Shape, parts: Parts, part: int, body: Rig, tree: cKDTree, carrier: str) -> list[_Wing]:
    """What of a loose part may be a wing: all of it, or what lies to the left and what lies to the right."""
    own, rows = np.flatnonzero(parts.of_point == part), np.flatnonzero(parts.of_vertex == part)
    middle = float(body.heads[body.names.index(carrier), 0])
    is_left = parts.points[own, 0] > middle
    share = float(parts.areas[own][is_left].sum() / max(parts.areas[own].sum(), 1e-300))
    wings = []
    for side, some, of_side in (("L", share, is_left), ("R", 1 - share, ~is_left)):
        whole = some > ONE_SIDE
        if whole or some > 1 - ONE_SIDE:
            aside = shape.mesh.vertices[rows, 0] > middle
            mine = own if whole else own[of_side]
            if not whole and _in_middle(parts.points[mine], middle):
                continue
            wing = _wing(parts.points[mine], parts.areas[mine], side, body, tree, carrier)
            if wing is not None:
                its = rows if whole else rows[aside == (side == "L")]
                wings.append(replace(wing, rows=its, own=np.ones(len(its))))
    return wings


def _wing(points: np.ndarray, areas: np.ndarray, side: str, body: Rig, tree: cKDTree, carrier: str,
          *, is_fused: bool = False) -> _Wing | None:
    """A wing of samples of a surface (N, 3), None if they are none. It has no rows yet."""
    away, near = tree.query(points)
    fast = away <= away.min() + TOUCHES
    if away.min() > BEGINS or areas[away > OUT].sum() < MOST * areas.sum():
        return None
    bone = segment_distances(tree.data[near[fast]], body.heads, body.tails).argmin(1)
    stems = np.array([name.split(".")[0] for name in body.names])[bone]
    if f"forearm.{side}" not in body.names:  # what looks like an arm's beginning is the wing's
        stems = np.where(stems == "upper_arm", "shoulder", stems)
    votes = [float(areas[fast][np.isin(stems, names)].sum()) for names in (stems, HOLDS, TRUNK, ARMS)]
    if is_fused and areas[away > OFF].sum() < FAR_OFF * areas.sum():
        return None
    if is_fused:  # an arm that hangs or is raised may touch it
        fast[fast] = np.isin(stems, TRUNK)
        is_held = votes[2] >= max(ON_TRUNK[0] * votes[0], ON_TRUNK[1] * (votes[0] - votes[3])) > 0
    else:
        is_held = votes[1] >= HELD * votes[0]
    if not is_held:
        return None
    root = np.average(points[fast], axis=0, weights=areas[fast])
    centre = np.average(points, axis=0, weights=areas)
    back, trunk = _back(body), body.heads[body.names.index(carrier)]
    spread = np.linalg.svd((points - centre) * np.sqrt(areas / areas.sum())[:, None], compute_uv=False)
    if min(root[back], centre[back]) < trunk[back] or spread[1] < BROAD or spread[2] > FLAT * spread[1]:
        return None
    starts = fast | (np.abs(points[:, 0] - trunk[0]) < TOUCHES) if is_fused else fast  # two may meet in the middle
    along = ways(points, starts, SPACING)
    length = float(np.quantile(along, 0.95))
    up_or_back = points[:, [2, back]].max(0) - root[[2, back]]
    reach = max(float(np.abs(points[:, 0] - trunk[0]).max()), *up_or_back.tolist())
    if length < SPAN or reach < AWAY * length:
        return None
    along = np.minimum(along / length, 1.0)
    places = joints(points, along[:, None], np.ones((len(points), 1)), areas, BONES)[0]
    return _Wing(side, points, along, length, np.vstack([root, places[1:]]), np.zeros(0, int), np.zeros(0), is_fused)


def _pairs(wings: list[_Wing], middle: float) -> list[tuple[_Wing, _Wing]]:
    """Wings that are like each other in the mirror, the highest first."""
    pairs, right = [], [w for w in wings if w.side == "R"]
    for wing in sorted((w for w in wings if w.side == "L"), key=lambda w: -w.length):
        image = wing.places * [-1, 1, 1] + [2 * middle, 0, 0]
        alike = [(apart.mean(), k) for k, other in enumerate(right)
                 for apart in [np.linalg.norm(other.places - image, axis=1)]
                 if apart[0] < ALIKE[0] and apart.mean() < ALIKE[1] * wing.length]
        if alike:
            pairs.append((wing, right.pop(min(alike)[1])))
    return sorted(pairs, key=lambda pair: -float(pair[0].places[:, 2].mean()))
