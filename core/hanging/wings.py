"""Wings on the back of a body whose skeleton has none: an angel's, a fairy's, a winged horse's, as loose parts.

A wing is flat and broad, hangs on the back of the trunk by little and reaches out to one side, and the other side has
another like it. Of fairies' wings, which are four, each pair gets bones.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..skeleton.rig import Rig
from .loose import SPACING, Parts, around_bones, loose_parts
from .strips import carried_over, joints, shares_along, ways
from .thing import Thing

# Lengths in the unit frame, where a person is 1 high; set by reasoning and looked at on generated people.
SPAN = 0.2  # how long a wing is at least, from where it hangs
FAR = 0.15  # from all bones: some of a wing is
BEGINS = 0.07  # from the body: a wing may float
TOUCHES = 0.02  # what lies nearest to the body, within so much
OUT, MOST = 0.03, 0.6  # so much of a wing stands so far out from the body
BROAD, FLAT = 0.025, 0.35  # half of its breadth, standard deviation, swords have 0.02; its thickness at most, of that
AWAY = 0.5  # of its length: how far it reaches to the side, or up from where it hangs
ONE_SIDE = 0.9  # share of a part on one side: what has less lies on both, a wing on each
ALIKE = (0.08, 0.25)  # how far the roots of a pair lie apart in the mirror; by how much their lengths differ
BONES = 3
LOOKED_AT = 4000  # of the mesh's vertices, before more is done
# bones at which a wing hangs
HOLDS = ("spine", "chest", "neck", "shoulder", "upper_arm", "torso", "upper_torso", "upper_chest", "front_shoulder",
         "front_upper")
CARRIES = ("upper_chest", "chest", "spine")  # which of them carries it



@dataclass(frozen=True, eq=False)
class _Wing:
    """A candidate as samples of its surface.

    points : (N, 3);  along : (N,) from where it hangs, 1 at its end;  length : of it;  places : (BONES + 1, 3)
    rows : of the welded mesh
    """

    side: str
    points: np.ndarray
    along: np.ndarray
    length: float
    places: np.ndarray
    rows: np.ndarray


def find_wings(shape: Shape, body: Rig) -> list[Thing]:
    """The wings of a body, each with a chain of bones on its chest.

    body : the bones it was fitted with, unit frame, without wings of its own
    """
    carrier = next((bone for bone in CARRIES if bone in body.names), None)
    if carrier is None or not {"upper_arm.L", "front_upper.L"} & set(body.names):
        return []
    middle = float(body.heads[body.names.index(carrier), 0])
    points = shape.mesh.vertices[::1 + len(shape.mesh.vertices) // LOOKED_AT]
    far = points[segment_distances(points, body.heads, body.tails).min(1) > FAR, 0] > middle
    parts = loose_parts(shape) if far.any() and not far.all() else None
    if parts is None:
        return []
    flesh = around_bones(shape, body, parts)
    core = parts.points[flesh[parts.of_point]]
    if not len(core):
        return []
    tree = cKDTree(core)
    found = [wing for part in np.flatnonzero(~flesh & (parts.extents >= SPAN / 2))
             for wing in _wings_of(shape, parts, int(part), body, tree, carrier)]
    pairs = _pairs([w for w in found if w.side == "L"], [w for w in found if w.side == "R"], middle)
    things = [(number, _thing(shape, wing, carrier)) for number, pair in enumerate(pairs, 1) for wing in pair]
    return [thing if number == 1 else thing.numbered(number) for number, thing in things]


def _thing(shape: Shape, wing: _Wing, carrier: str) -> Thing:
    along = carried_over(wing.along, wing.points, shape.mesh.vertices[wing.rows])[:, None]
    return Thing(f"wing.{wing.side}", carrier, tuple(f"wing_{k + 1}.{wing.side}" for k in range(BONES)),
                 np.arange(BONES) - 1, wing.places[:-1], wing.places[1:], wing.rows,
                 shares_along(along, np.ones_like(along), BONES))


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
            wing = _wing(parts.points[mine], parts.areas[mine], side, body, tree, carrier,
                         rows if whole else rows[aside == (side == "L")])
            wings += [wing] if wing is not None else []
    return wings


def _wing(points: np.ndarray, areas: np.ndarray, side: str, body: Rig, tree: cKDTree, carrier: str, rows: np.ndarray
          ) -> _Wing | None:
    """A wing of samples of a surface (N, 3), None if they are none."""
    away, near = tree.query(points)
    fast = away <= away.min() + TOUCHES
    if away.min() > BEGINS or areas[away > OUT].sum() < MOST * areas.sum():
        return None
    bone = segment_distances(tree.data[near[fast]], body.heads, body.tails).argmin(1)
    holds = np.array([name.split(".")[0] in HOLDS for name in body.names])
    root = np.average(points[fast], axis=0, weights=areas[fast])
    centre = np.average(points, axis=0, weights=areas)
    on_legs = "front_upper.L" in body.names and "upper_arm.L" not in body.names  # an animal's back is above
    back, trunk = 2 if on_legs else 1, body.heads[body.names.index(carrier)]
    spread = np.linalg.svd((points - centre) * np.sqrt(areas / areas.sum())[:, None], compute_uv=False)
    if areas[fast][holds[bone]].sum() < 0.8 * areas[fast].sum() or min(root[back], centre[back]) < trunk[back] or (
            spread[1] < BROAD or spread[2] > FLAT * spread[1]):
        return None
    along = ways(points, fast, SPACING)
    length = float(np.quantile(along, 0.95))
    reach = max(float(np.abs(points[:, 0] - trunk[0]).max()), float(points[:, 2].max() - root[2]))
    if length < SPAN or reach < AWAY * length:
        return None
    along = np.minimum(along / length, 1.0)
    places = joints(points, along[:, None], np.ones((len(points), 1)), areas, BONES)[0]
    return _Wing(side, points, along, length, np.vstack([root, places[1:]]), rows)


def _pairs(left: list[_Wing], right: list[_Wing], middle: float) -> list[tuple[_Wing, _Wing]]:
    """Wings that are like each other in the mirror, the highest first."""
    pairs = []
    for wing in sorted(left, key=lambda w: -w.length):
        image = wing.places * [-1, 1, 1] + [2 * middle, 0, 0]
        alike = [(float(np.linalg.norm(other.places - image, axis=1).mean()), k) for k, other in enumerate(right)
                 if np.linalg.norm(other.places[0] - image[0]) < ALIKE[0] and (
                     abs(other.length - wing.length) < ALIKE[1] * wing.length)]
        if alike:
            pairs.append((wing, right.pop(min(alike)[1])))
    return sorted(pairs, key=lambda pair: -float(pair[0].places[:, 2].mean()))
