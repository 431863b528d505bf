"""Which loose things of a character get bones of their own, and which."""

from __future__ import annotations

from dataclasses import replace
from weakref import WeakKeyDictionary

import numpy as np
from scipy.spatial import cKDTree

from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..skeleton.chain import finger_of
from ..skeleton.eye import EYES
from ..skeleton.rig import Rig
from ..skeleton.root import ROOT
from ..skeleton.twist import is_twist
from .capes import Sheet, fused_capes
from .fused import LONG, Strand, thin_strands
from .girdle import girded
from .loose import HOLDS, SPACING, Parts, around_bones, clusters, loose_parts, on_arms
from .piece import Piece
from .skirt import skirts
from .strips import carried_over, column_lengths, columns_of, joints, shares_along, ways
from .thing import Thing, may_be_thing
from .wings import find_wings
from .worn import worn

# Chosen on 120 characters by many artists, judged by eye; lengths in the unit frame, where a person is 1 high.
OFF = 0.03  # so far from the body a surface stands out from it
OUT = 0.4  # share of a thing that does
TOUCHES = 0.02  # what begins further from the body hangs on nothing
HELD = (0.15, 0.3)  # how large a thing in a hand is at least, and one that lies along the body
SHEET, THIN = 0.35, 0.02  # share of a sheet's surface that has air on both sides, so far off it
TOP, BOTTOM = 0.7, 0.3  # of a thing's height: what hangs is fastened above, what stands below
BOTH_LEGS = 0.1  # share that lies at each leg: no hand holds what hangs around them
ON_HEAD, END = 0.6, 0.15  # share of what is fast that lies at the head; of a thing's height that is its upper end
ASIDE = 0.03  # from the middle of the head: what lies there belongs to a side
CAPE, NARROW = 0.2, 0.05  # how long a cape is at least; half of its width, standard deviation: swords have 0.02
BY_LITTLE = 0.2  # share of a wing by which it hangs
COLUMN, BONE = 0.13, 0.11  # how wide a column of a sheet is, how long its bones
STRAND, SLENDER = 0.15, 1.5  # how long an ear or a strand is at least; times as long as wide, standard deviations
FEW_CARDS, FLAT = 4, 0.5  # fewer cards than this are no ponytail; how far a card's faces look one way, 0 to 1
HUGS = 0.2  # share of a plait that stands out from the body
BLUNT = 0.42  # how far out its surface lies in the mean, of its length: a cone's, a horn's, 0.33; a leaf's 0.5
ON_TRUNK = 0.8  # share of what is fast that lies at the trunk
TRUNK = ("hips", "spine", "chest", "neck", "shoulder", "upper_arm")


def plain_body(rig: Rig) -> Rig:
    """The bones of a rig that its body was fitted with."""
    return rig.only([n for i, n in enumerate(rig.names) if rig.deform[i] and finger_of(n) is None and not is_twist(n)
                     and n not in (*EYES, ROOT) and not may_be_thing(n)])


_known: WeakKeyDictionary[Shape, tuple[bytes, list[Thing]]] = WeakKeyDictionary()


def find_things(shape: Shape, rig: Rig) -> list[Thing]:
    """The things of a character that hang on its body or are held by it, each with its bones.

    rig : fitted to it, object space.  What is uncertain is no thing. What was found last for a shape is kept.
    """
    body = plain_body(rig)
    key = repr(body.names).encode() + body.heads.tobytes() + body.tails.tobytes()
    if shape not in _known or _known[shape][0] != key:
        _known[shape] = key, _look(shape, body)
    return _known[shape][1]


def wings_of(shape: Shape, rig: Rig) -> list[Thing]:
    """Of `find_things` the wings alone, which is quicker."""
    return find_wings(shape, _in_unit(shape, plain_body(rig)))


def _in_unit(shape: Shape, body: Rig) -> Rig:
    return replace(body, heads=shape.frame.to_unit(body.heads), tails=shape.frame.to_unit(body.tails))


def _look(shape: Shape, body: Rig) -> list[Thing]:
    if "head" not in body.names or "hips" not in body.names:
        return []
    body = _in_unit(shape, body)
    wings = find_wings(shape, body)
    loose = [*wings, *_loose_things(shape, body, [wing for wing in wings if not wing.is_fused])]
    taken = np.concatenate([thing.rows for thing in loose]) if loose else np.zeros(0, np.int64)
    strands = [s for s in thin_strands(shape, body, SPACING) if not np.isin(s.rows, taken).any()]
    sheets = [s for s in fused_capes(shape, body) if not np.isin(s.rows, taken).any()]
    return _named([*loose, *_fused_things(shape, body, strands), *[_fused_cape(shape, body, s) for s in sheets]])


def _loose_things(shape: Shape, body: Rig, wings: list[Thing]) -> list[Thing]:
    """Things that are loose parts, but for wings, which are known."""
    parts = loose_parts(shape)
    if parts is None:
        return []
    flesh = around_bones(shape, body, parts) & ~plaits_on_arms(shape, body, parts)
    for _, group in girded(shape, body, parts):
        flesh[group] = True
    hung = skirts(shape, body, parts)
    for thing in hung:
        flesh[parts.of_vertex[thing.rows]] = True
    core = parts.points[flesh[parts.of_point]]
    if not len(core):
        return hung
    tree = cKDTree(core)
    for thing in wings:
        flesh[parts.of_vertex[thing.rows]] = True
    found: list[Thing | None] = [*hung]
    for group in _groups(shape, body, parts, flesh, tree):
        piece = _piece(shape, body, parts, group, tree)
        thing = _thing(shape, body, piece)
        found.append(thing)
        for part in group[parts.extents[group] >= STRAND] if thing is None and len(group) > 1 else []:
            rest = np.isin(parts.of_point, group) & (parts.of_point != part) & (piece.voted("head") > ON_HEAD)
            on = cKDTree(np.concatenate([core, parts.points[rest]])) if rest.any() else tree  # a plait on loose hair
            found.append(_thing(shape, body, _piece(shape, body, parts, np.array([part]), on)))
    return _alike(body, parts, flesh, [thing for thing in found if thing is not None])


def _groups(shape: Shape, body: Rig, parts: Parts, flesh: np.ndarray, tree: cKDTree) -> list[np.ndarray]:
    """The parts that are no flesh (P,) bool, in groups that touch.  tree : of the flesh

    Of a group that would be a prop or a cape as one, what does not belong counts for itself: a sleeve that the staff
    touches, a hood that touches the sleeve, a plait on a pack, the breastplate under a cape. What is worn on one limb
    is no thing.
    """
    groups, (cloth, sleeves) = [], worn(body, parts)
    for part in np.flatnonzero(sleeves & ~flesh):  # a plait may run through an arm
        sleeves[part] = not _piece(shape, body, parts, np.array([part]), tree).upper.any()
    for group in clusters(parts, flesh | sleeves):
        alien, whole = np.zeros(len(group), bool), _piece(shape, body, parts, group, tree)
        thing = _thing(shape, body, whole) if len(group) > 1 else None
        if thing is not None and thing.name.startswith(("cape", "prop")):
            lone = [_piece(shape, body, parts, np.array([part]), tree) for part in group]
            if thing.name.startswith("prop"):
                alien = cloth[group] | [bool(one.upper.any()) for one in lone]
            else:
                alien |= [one.away.min() <= TOUCHES and not _hangs_on_trunk(one) for one in lone]
        for some in (group,) if alien.all() or not alien.any() else (group[~alien], group[alien]):
            groups += clusters(parts, ~np.isin(np.arange(len(flesh)), some))
    return groups


def _alike(body: Rig, parts: Parts, flesh: np.ndarray, found: list[Thing]) -> list[Thing]:
    """The things without single cards of hair that is made of many, if most of its cards are no strands: one mass."""
    count = len(parts.extents)
    looks = np.stack([np.bincount(parts.of_point, parts.areas * n, count) for n in parts.normals.T], 1)
    high = np.full(count, -np.inf)
    np.maximum.at(high, parts.of_point, parts.points[:, 2])
    cards = ~flesh & (parts.extents >= STRAND) & (high > body.heads[body.names.index("head"), 2])
    cards &= np.linalg.norm(looks, axis=1) > FLAT * np.bincount(parts.of_point, parts.areas, count)
    own = [np.unique(parts.of_vertex[t.rows]) if t.name.startswith("hair") else np.zeros(0, np.int64) for t in found]
    single = [0 < len(of) < FEW_CARDS and bool(cards[of].all()) for of in own]
    if 2 * sum(len(of) for of, alone in zip(own, single, strict=True) if alone) >= cards.sum():
        return found
    return [thing for thing, alone in zip(found, single, strict=True) if not alone]


def plaits_on_arms(shape: Shape, body: Rig, parts: Parts) -> np.ndarray:
    """(P,) bool: hair that hangs through an arm.  body : unit frame"""
    flesh = around_bones(shape, body, parts)
    found = np.zeros(len(flesh), bool)
    for part in on_arms(shape, body, parts) if "head" in body.names else ():
        core = parts.points[flesh[parts.of_point] & (parts.of_point != part)]
        if parts.extents[part] >= STRAND and len(core):
            thing = _thing(shape, body, _piece(shape, body, parts, np.array([part]), cKDTree(core)))
            found[part] = thing is not None and thing.name.startswith("hair")
    return found


def _fused_things(shape: Shape, body: Rig, strands: list[Strand]) -> list[Thing]:
    """Strands of hair behind the head, and ears. One beside the head alone may be a hand raised to it: none."""
    found, head = [], body.heads[body.names.index("head")]
    for strand in strands:
        piece = Piece(strand.points, strand.normals, strand.areas, strand.rows, shape.mesh.vertices[strand.rows],
                      strand.root, strand.root <= strand.root.min() + TOUCHES, {"head": 1.0}, {})
        thing = _on_head(shape, body, piece, LONG)
        if thing is not None and (thing.name.startswith("ear") or piece.middle[1] > head[1]):
            found.append(thing)
    names = {thing.name for thing in found}
    return [thing for thing in found if thing.name == "hair" or {f"{thing.name[:-1]}{side}" for side in "LR"} <= names]


def _fused_cape(shape: Shape, body: Rig, sheet: Sheet) -> Thing:
    """A cape that keeps of the body's weights what lies near the body."""
    skin = sheet.skin
    cape = _cape(body, Piece(skin.points, skin.normals, skin.areas, sheet.rows, shape.mesh.vertices[sheet.rows],
                             skin.root, np.ones(len(skin.points), bool), {}, {}))
    shares = cape.shares * sheet.own[:, None]
    shares[:, 0] = 1 - shares[:, 1:].sum(1)
    return replace(cape, shares=shares, is_fused=True)


def _piece(shape: Shape, body: Rig, parts: Parts, group: np.ndarray, tree: cKDTree) -> Piece:
    own = np.isin(parts.of_point, group)
    points, areas = parts.points[own], parts.areas[own]
    away, near = tree.query(points)
    fast = away <= away.min() + TOUCHES
    bone = segment_distances(tree.data[near[fast]], body.heads, body.tails).argmin(1)
    votes = np.bincount(bone, areas[fast], len(body.names)) / max(areas[fast].sum(), 1e-300)
    hands = [i for i, n in enumerate(body.names) if n[:-2] == "hand"]
    reach = segment_distances(points, body.heads[hands], body.tails[hands]).min(0)
    rows = np.flatnonzero(np.isin(parts.of_vertex, group))
    high = points[fast, 2] > points[:, 2].max() - END * np.ptp(points[:, 2])
    at_head = areas[fast][high & (bone == body.names.index("head"))].sum() > ON_HEAD * areas[fast][high].sum()
    upper = fast.copy()
    upper[fast] = high & at_head & (len(group) == 1)
    return Piece(points, parts.normals[own], areas, rows, shape.mesh.vertices[rows], away, fast,
                 {body.names[b]: float(votes[b]) for b in np.flatnonzero(votes)},
                 {body.names[b]: float(r) for b, r in zip(hands, reach, strict=True)}, upper)


def _thing(shape: Shape, body: Rig, piece: Piece) -> Thing | None:
    """What a piece is, None if that is uncertain."""
    is_out = piece.share(piece.away > OFF) >= OUT
    touches = piece.away.min() <= TOUCHES
    if is_out and touches and _is_cape(shape, piece):
        return _cape(body, piece)
    holder = _holder(piece, is_out)
    if holder is not None:
        return _prop(body, piece, holder)
    if not touches:
        return None
    if piece.upper.any() and piece.share(piece.away > OFF) >= HUGS:  # what else it lies on does not matter
        return _on_head(shape, body, replace(piece, fast=piece.upper))
    if not is_out:
        return None
    if piece.voted("head") > ON_HEAD:
        return _on_head(shape, body, piece)
    if _is_on_back(body, piece):
        return _prop(body, piece, "hips" if piece.voted("hips") > 0.5 else "chest")
    return None


def _hangs_on_trunk(piece: Piece) -> bool:
    """Whether what a piece is fastened to is the trunk, from which it stands out."""
    return piece.share(piece.away > OFF) >= OUT and piece.voted(*TRUNK) >= ON_TRUNK


def _is_cape(shape: Shape, piece: Piece) -> bool:
    """A wide sheet that hangs down from the trunk."""
    if piece.height < CAPE or piece.held_at < TOP or piece.spread[1] < NARROW or piece.voted(*TRUNK) < ON_TRUNK:
        return False
    air = [shape.field.sample(piece.points + side * THIN * piece.normals) > 0 for side in (-1, 1)]
    return piece.share(air[0] & air[1]) >= SHEET


def _holder(piece: Piece, is_out: bool) -> str | None:
    """The hand that holds a piece: the one it lies in, or of the arms it is fastened on alone the one with most of it.

    What lies close along the body, a shield on a hanging arm, is held if it is both and large. No hand holds a plait.
    """
    if not piece.hands or piece.extent < HELD[0] or min(piece.legs(side) for side in "LR") > BOTH_LEGS:
        return None
    if piece.voted("head") > ON_HEAD or piece.upper.any():
        return None
    nearest = min(piece.hands, key=lambda hand: (piece.hands[hand], hand))
    lies_in, on_arms = piece.hands[nearest] <= HOLDS, piece.voted("hand", "forearm") > 0.8
    if not ((is_out and (lies_in or on_arms)) or (lies_in and on_arms and piece.extent > HELD[1])):
        return None
    arm = {hand: piece.votes.get(hand, 0.0) + piece.votes.get(f"forearm{hand[-2:]}", 0.0) for hand in piece.hands}
    return nearest if lies_in else max(sorted(arm), key=lambda hand: arm[hand])


def _is_on_back(body: Rig, piece: Piece) -> bool:
    """Something thick on the back, or something flat that hangs on it by little: a pack, a wing."""
    back = body.heads[body.names.index("chest")] if "chest" in body.names else None
    if back is None or piece.voted(*TRUNK) < ON_TRUNK or piece.extent < 0.15:
        return False
    off = piece.middle - back
    if piece.spread[2] > 0.015:
        fits = abs(off[0]) < 0.1 and piece.extent <= 0.5
    else:
        fits = piece.share(piece.fast) < BY_LITTLE
    return bool(fits and off[1] > OFF and piece.share(piece.away > OFF) > 0.5)


def _on_head(shape: Shape, body: Rig, piece: Piece, shortest: float = STRAND) -> Thing | None:
    """An ear or a lock of hair: long, slender, in one strand; no horn and no antler."""
    away = ways(piece.points, piece.fast, SPACING)
    length = float(away.max())
    mean = float(np.average(away, weights=piece.areas)) / max(length, 1e-12)
    if piece.extent < shortest or piece.spread[0] < SLENDER * piece.spread[1]:
        return None
    bones = int(np.clip(round(length / BONE), 2, 5))
    aside = piece.middle[0] - body.heads[body.names.index("head"), 0]
    side = "" if abs(aside) < ASIDE else ".L" if aside > 0 else ".R"
    if piece.held_at >= TOP:
        return _chain(piece, away, f"hair{side}", "head", bones)
    if not side or mean < BLUNT or piece.held_at > BOTTOM or not _is_whole(shape, piece):
        return None
    return _chain(piece, away, f"ear{side}", "head", bones)


def _is_whole(shape: Shape, piece: Piece) -> bool:
    """Whether what lies between two places of a piece is mostly in it, as in an ear; between antlers' points is air."""
    turned = np.roll(piece.points, len(piece.points) // 2, axis=0)
    return piece.share(shape.field.sample(0.5 * (piece.points + turned)) < SPACING) >= 0.7


def _cape(body: Rig, piece: Piece) -> Thing:
    top = piece.points[:, 2] > piece.points[:, 2].max() - 0.12 * piece.height
    away = ways(piece.points, top, SPACING)
    parent = next(bone for bone in ("chest", "spine", "hips") if bone in body.names)
    if piece.middle[2] < body.heads[body.names.index("hips"), 2] and piece.voted("hips", "spine") > 0.6:
        parent = "hips"
    wide = float(np.ptp(piece.points[:, 0]))
    return _chain(piece, away, "cape", parent, int(np.clip(round(float(away.max()) / BONE), 2, 5)),
                  int(np.clip(round(wide / COLUMN), 1, 3)))


SIDES = {1: ("",), 2: (".R", ".L"), 3: (".R", "", ".L")}


def _chain(piece: Piece, away: np.ndarray, name: str, parent: str, bones: int, count: int = 1) -> Thing:
    """A thing with `count` chains side by side, of so many bones each."""
    low, wide = float(piece.points[:, 0].min()), float(np.ptp(piece.points[:, 0]))
    across = lambda points: columns_of((points[:, 0] - low) / max(wide, 1e-12), count)  # noqa: E731 - used twice
    columns = across(piece.points)
    lengths = np.maximum(column_lengths(away, columns, piece.areas), 1e-9)
    places = joints(piece.points, away[:, None] / lengths, columns, piece.areas, bones)
    shares = shares_along(carried_over(away, piece.points, piece.corners)[:, None] / lengths, across(piece.corners),
                          bones)
    stem, side = (name[:-2], name[-2:]) if name[-2:] in (".L", ".R") else (name, "")
    names = [f"{stem}_{k + 1}{side or own}" for own in SIDES[count] for k in range(bones)]
    above = [c * bones + k - 1 if k else -1 for c in range(count) for k in range(bones)]
    return Thing(name, parent, tuple(names), np.array(above), places[:, :-1].reshape(-1, 3),
                 places[:, 1:].reshape(-1, 3), piece.rows, shares)


def _prop(body: Rig, piece: Piece, parent: str) -> Thing:
    """A stiff thing: a bone from where it is held to its furthest end."""
    bone = body.names.index(parent)
    start = np.average(piece.points[piece.fast], axis=0, weights=piece.areas[piece.fast])
    if piece.hands.get(parent, np.inf) <= HOLDS:
        start = 0.5 * (body.heads[bone] + body.tails[bone])
    end = start + 2 * (piece.middle - start)
    if piece.spread[0] > 2 * piece.spread[1] or np.linalg.norm(end - start) < OFF:
        end = piece.points[int(np.linalg.norm(piece.points - start, axis=1).argmax())]
    name, shares = f"prop_{parent}", np.tile([0.0, 1.0], (len(piece.rows), 1))
    return Thing(name, parent, (name,), np.array([-1]), start[None], end[None], piece.rows, shares)


def _named(things: list[Thing]) -> list[Thing]:
    """The things with names of their own: of several that are alike the smaller ones are numbered."""
    out: list[Thing] = []
    seen: dict[str, int] = {}
    for thing in sorted(things, key=lambda t: (t.name, -len(t.rows), int(t.rows[0]))):
        seen[thing.name] = number = seen.get(thing.name, 0) + 1
        out.append(thing if number == 1 else thing.numbered(number))
    return out
