"""Two bodies in one surface: two figures who touch, a rider on a mount. And a centaur, which is one.

Figures are told by the upright plane that parts them: little flesh crosses it, and that lower than both heads; each
side of it is looked at as a body of its own. A rider is told by what stands on an animal's back and looks like the top
of a person, a centaur by a person's head above the forelegs where no animal's head is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import argwhere
from ..errors import RigError
from ..geometry.distance import DistanceField
from ..geometry.frame import unit_frame
from ..geometry.mesh import Mesh
from ..geometry.pieces import label_pieces
from ..geometry.shape import Shape
from ..seeing.evidence import Evidence, kind_odds, look
from ..seeing.limb_census import LimbCensus
from ..seeing.stance import detect_stance
from ..seeing.views import Sight
from .creature import creature_names

# What lies below GROUND, a share of the height, parts no bodies: a ground they share. Each of two reaches down into the
# next tenth, is HIGH of the height, and has LEAST of the flesh; the plane between them is as deep as WIDE cells.
GROUND, STEP, HIGH, LEAST, WIDE = 0.15, 0.1, 0.4, 0.12, 1.5
# The flesh that crosses the plane is so small a share of the thickest on the thinner side, and so much of the lower
# one's height below its top. Planes stand in so many directions; the two best are tried that are so far apart.
BRIDGE, BELOW, DIRECTIONS, TRIED, APART = 0.45, 0.1, 12, 2, 0.45
SPARSE = 3  # of so many cells one is enough to find them
# Both sides are looked at: all joints, and those of the head, are seen at least so well. Of 160 real and generated
# characters 10 have such a plane, and a side of each, as of a rider's, is seen worse than 3.16, its head than 2.79; of
# 24 melted pairs 23 have two such sides, the joints of all but one seen better than 2.82, the heads than 2.66.
BODY, HEADS = 3.5, 2.72
# Neither side is seen worse than the whole by so much: a dog's hind part whose curled tail looks like a head is by 0.8;
# of nine pairs of people and animals whose sides look like bodies the worse side is by at most 0.2.
WORSE = 0.5

FUSED = ("there seem to be two characters in one surface: in Edit Mode select the faces of one of them and press P, "
         "then rig each")
RIDDEN = ("someone seems to sit on the animal, in one surface with it: in Edit Mode select the rider's faces and press "
          "P, then rig each")

HEAD = ("neck", "head", "head_top")
_ARMS = tuple(f"{name}.{side}" for name in ("shoulder", "upper_arm", "forearm", "hand", "hand_tip") for side in "LR")
_LEGS = {"biped": ("thigh", "shin", "foot", "toe"), "quadruped": ("front", "hind")}
# Log odds that a head over the withers, at most OVER behind or ahead of them, a share of the cube, is a person's: SURE
# times how much better it is seen as one than as an animal's, from LEAD on. Of 33 centaurs it is seen worse by up to
# 0.3, of 11 animals with packs by 0.8 and more; other animals' heads lie farther ahead.
LEAD, SURE, OVER = -0.45, 12.0, 0.06
# In the mirror plane an animal's neck and head cover so much of the square below its trunk ahead of its forefeet, an
# upright body with arms less: 15 of 15 centaurs up to 0.083, 19 mounts with riders from 0.098 on.
AHEAD = 0.09
# What stands on a back rises so high above the hips, in lengths of the trunk, from LIFT on, and lies so far behind the
# shoulders, where an animal's own neck does not. It looks like the head and the shoulders of a person, seen at least so
# well: of 18 riders 15; 40 animals, half of them with packs, are seen worse than 4.3.
LIFT, TALL, SEAT, TORSO = 0.15, 0.3, 0.2, 3.8
MIDDLE = 1.5  # cells on either side of the mirror plane


def forewarn_grown(shape: Shape, census: LimbCensus, preset: str) -> list[str]:
    """A warning, if a prepared body is two in one surface.  preset : what it is taken for; no creature is ridden"""
    if two_figures(shape):
        return [FUSED]
    may_be_ridden = census.leg_pairs >= 2 and preset not in creature_names()
    return [RIDDEN] if may_be_ridden and person_on_four_legs(shape.mesh).rides else []


def two_figures(shape: Shape) -> bool:
    """Whether an upright plane parts a body, which stands Z up, into two."""
    return any(_are_bodies(_sides(shape.mesh, normal, place, above), shape.mesh)
               for normal, place, floor in _planes(shape.body) for above in dict.fromkeys((-np.inf, floor)))


def _planes(body: DistanceField) -> list[tuple[np.ndarray, float, float]]:
    """[(normal (2,), place along it, top of the ground that both sides share)] of upright planes that may part two
    bodies, in the mesh's frame, the one with the least flesh first."""
    every, spacing = argwhere(body.solid), body.grid.spacing
    cells = every[::SPARSE].astype(float)
    z = cells[:, 2] - cells[:, 2].min()
    tall = z.max() + 1
    above = z > GROUND * tall
    level, z = cells[above, :2] + 0.5, z[above]
    first = np.flatnonzero(np.diff(level, axis=0, prepend=-1.0).any(1))  # cells on each other follow each other
    low, size = z[first], np.diff(first, append=len(z))
    level, top = level[first], z[first + size - 1]
    found = []
    for angle in np.linspace(0, np.pi, DIRECTIONS, endpoint=False):
        normal = np.array([np.cos(angle), np.sin(angle)])
        bridge, place = _thinnest(level @ normal, low, top, size, tall)
        if bridge < BRIDGE:
            found.append((bridge, angle, normal, place))
    found.sort(key=lambda plane: plane[0])
    kept: list[float] = []
    out = []
    for _, angle, normal, place in found:
        if len(kept) < TRIED and all(abs(np.sin(angle - other)) > APART for other in kept):
            kept.append(angle)
            low = every[every[:, 2] - cells[:, 2].min() <= GROUND * tall]  # all: of a thin floor cells may miss the top
            ground = low[abs((low[:, :2] + 0.5) @ normal - place) < WIDE, 2]
            floor = (ground.max() + WIDE + 1) * spacing + body.grid.origin[2] if len(ground) else -np.inf
            out.append((normal, float(place * spacing + body.grid.origin[:2] @ normal), float(floor)))
    return out


def _thinnest(along: np.ndarray, lows: np.ndarray, tops: np.ndarray, size: np.ndarray, tall: float
              ) -> tuple[float, float]:
    """(share, place) of the layer across an axis that is thinnest between two bodies; infinity where none is.

    along : (N,) where columns of flesh lie along the axis;  lows, tops : (N,) their lowest and their highest cell above
    the ground;  size : (N,) how many cells each has
    """
    layer = np.floor((along - along.min()) / WIDE + 1e-6).astype(int)
    count = int(layer.max()) + 1
    area = np.bincount(layer, size, count)
    flesh = float(size.sum())
    top, low = np.zeros(count), np.full(count, np.inf)
    np.maximum.at(top, layer, tops)
    np.minimum.at(low, layer, lows)

    def both(values, ufunc, choose):
        return choose(ufunc.accumulate(values), ufunc.accumulate(values[::-1])[::-1])
    thick = both(area, np.maximum, np.minimum)
    high, deep = both(top, np.maximum, np.minimum), both(low, np.minimum, np.maximum)
    thinner = np.minimum(np.cumsum(area), flesh - np.cumsum(area))
    may = (thinner > LEAST * flesh) & (high > HIGH * tall) & (deep < (GROUND + STEP) * tall)
    may &= top < (1 - BELOW) * high
    share = np.where(may, area / thick, np.inf)
    best = int(share.argmin())
    return float(share[best]), float(along.min() + WIDE * (best + 0.5))


def _sides(mesh: Mesh, normal: np.ndarray, place: float, floor: float) -> list[Mesh]:
    """The faces on either side of an upright plane and above a floor."""
    right, high = mesh.triangles.mean(1)[:, :2] @ normal > place, mesh.triangles[:, :, 2].max(1) > floor
    return [_only(mesh, side & high) for side in (right, ~right)]


def _only(mesh: Mesh, faces: np.ndarray) -> Mesh:
    used, own = np.unique(mesh.faces[faces], return_inverse=True)
    return Mesh(mesh.vertices[used], own.reshape(-1, 3), mesh.name)


def _are_bodies(sides: list[Mesh], whole: Mesh) -> bool:
    """Whether both sides of a body look like bodies, and the whole not much more so.  whole : unit frame"""
    worst = -np.inf
    for side in sides:
        worst = max(worst, _unseen_body(side))
        if worst == np.inf:
            return False
    return worst < -_likeliest(whole).seen.mean() + WORSE


def _unseen_body(mesh: Mesh) -> float:
    """How little is seen of a person or an animal in a mesh that stands Z up, facing anywhere; infinity if it looks
    like none."""
    if not len(mesh.faces):
        return np.inf
    try:
        stance = detect_stance(mesh, up="Z")
    except RigError:  # half a mesh may be a bare sheet, which is none
        return np.inf
    frame = unit_frame(mesh, stance.rotation)
    found = _likeliest(Mesh(frame.to_unit(mesh.vertices), mesh.faces))
    unseen = -float(found.seen.mean())
    return unseen if unseen < BODY and -_seen(found, HEAD) < HEADS else np.inf


def _likeliest(mesh: Mesh) -> Evidence:
    """What is seen of a mesh as the likelier of person and animal.  mesh : unit frame"""
    odds = kind_odds(mesh)
    return look(mesh, max(odds, key=lambda kind: odds[kind]))


@dataclass(frozen=True)
class Rider:
    """The top of a person on four legs.

    centaur : log odds that it belongs to the legs, as a centaur's does;  rides : whether it sits on an animal
    """

    centaur: float
    rides: bool


def person_on_four_legs(mesh: Mesh) -> Rider:
    """What of a person is on an animal's body.  mesh : unit frame, Z up, facing -Y, with two pairs of legs, or three if
    a rider's are counted, too"""
    person, animal = look(mesh, "biped"), look(mesh, "quadruped")
    lead = _seen(person, HEAD) - _seen(animal, HEAD)
    legs = _seen(animal, _of_legs(animal))
    if legs < max(_seen(person, _of_legs(person)), -BODY):
        return Rider(-np.inf, False)
    behind = _place(person, "head")[1] - _place(look(mesh, "centaur"), "withers")[1]
    if abs(behind) <= OVER and _ahead(person.sight) <= AHEAD:
        return Rider(SURE * (lead - LEAD), False)
    return Rider(-np.inf, behind > -OVER if lead > 0 else _carries_person(mesh, animal))


def _seen(evidence: Evidence, names: tuple[str, ...]) -> float:
    """How well some joints are seen."""
    return float(np.mean([evidence.seen[evidence.names.index(name)] for name in names]))


def _of_legs(evidence: Evidence) -> tuple[str, ...]:
    return tuple(name for name in evidence.names if name.startswith(_LEGS[evidence.kind]))


def _place(evidence: Evidence, name: str) -> np.ndarray:
    """(3,) the likeliest place of a joint in the cube."""
    return evidence.places[evidence.likeliest[evidence.names.index(name)]]


def _ahead(sight: Sight) -> float:
    """How much of the mirror plane is flesh ahead of the forefeet, above the legs' lower third, in squares of the
    distance between fore and hind feet."""
    cells = argwhere(sight.solid)
    z = (cells[:, 2] - cells[:, 2].min()) / max(np.ptp(cells[:, 2]), 1)
    toe, heel = cells[z < 0.1, 1].min(), cells[z < 0.1, 1].max()
    middle = abs(cells[:, 0] - np.median(cells[:, 0])) <= MIDDLE
    return float((middle & (z > 0.3) & (cells[:, 1] < toe)).sum() / (2 * MIDDLE) / (heel - toe + 1) ** 2)


def _carries_person(mesh: Mesh, animal: Evidence) -> bool:
    """Whether what stands on an animal's back looks like the top of a person."""
    sight, hips = animal.sight, _place(animal, "hips")
    fore = (_place(animal, "front_shoulder.L") + _place(animal, "front_shoulder.R")) / 2
    trunk = hips[1] - fore[1]
    if trunk <= 0:
        return False
    back = max(hips[2], fore[2]) + LIFT * trunk
    rows = [slice(*np.clip(np.round(np.array(ends) * len(sight.solid)).astype(int), 0, None))
            for ends in ((fore[1], hips[1] + 0.1 * trunk), (back, 1.0))]
    piece, count = label_pieces(sight.solid[:, rows[0], rows[1]], corners=True)
    if not count:
        return False
    own = argwhere(piece == np.bincount(piece.ravel())[1:].argmax() + 1) + [0, rows[0].start, rows[1].start]
    if np.ptp(own[:, 2]) + 1 < TALL * trunk * len(sight.solid) or (
            np.median(own[:, 1]) + 0.5 < (fore[1] + SEAT * trunk) * len(sight.solid)):
        return False
    low, high = (sight.from_cube((end / len(sight.solid))[None])[0] for end in (own.min(0) - 0.5, own.max(0) + 1.5))
    middle = mesh.triangles.mean(1)
    top = _only(mesh, ((middle > low) & (middle < high)).all(1))
    if not len(top.faces):
        return False
    frame = unit_frame(top)
    torso = look(Mesh(frame.to_unit(top.vertices), top.faces), "biped")
    return -_seen(torso, (*HEAD, *_ARMS[:4])) < TORSO


def upper_body_unseen(mesh: Mesh) -> float:
    """How little is seen of a person's head and arms, as `seeing.evidence.unseen` is of all."""
    person = look(mesh, "biped")
    return -(_seen(person, HEAD) + _seen(person, _ARMS)) / 2
