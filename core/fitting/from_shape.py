"""Skeleton from Shape: a template made for one body, whatever it is, from what stands out of it.

Joints lie along the outline's centre lines: where a line bends, where the flesh is narrow, else evenly. Bones are named
by place, or, where a creature of presets/creatures is chosen, as its limbs are called.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from pathlib import Path
from weakref import WeakKeyDictionary

import numpy as np

from ..arrays import frozen
from ..errors import BadTemplate
from ..geometry.shape import Shape
from ..geometry.symmetry import find_mirror_plane, lopsided_sides, symmetric_field
from ..skeleton.preset import load_template, other_side, preset_names
from ..skeleton.template import Bone, SkeletonTemplate
from .creature import Match, Seen, creature_names, load_creature, look_at, match
from .jointed import StiffParts
from .missing import find_missing, part_template
from .outline import Line, Outline
from .search import body_plane
from .touching import with_feet_apart
from .trunk import is_leg, legs_off_wings, out_of_wreath, standing, without_clutter
from .wheels import with_wheels

NAME, DETAIL = "shape", 0.5
# What a bend, an uneven step and a thick place cost a joint line, per bone.
BEND, UNEVEN, THICK = 40.0, 1.0, 0.5
KINK = 0.8  # cosine of the turn of a joint; less is a kink
CLOSE = 0.35  # of the flesh's radius: so near, bones follow a line
SHIN, FOOT = 0.3, 0.1  # of a leg's length: a last bone that is longer is a shin; a foot's own
ROOM = 0.6  # of the usual bone's length: the shortest bone of a creature's limb
SAMPLES, MOST_BONES = 40, 32  # of a line: points that may become joints; bones
NECKED = 4  # bones of a spine at least that is as long as these: a trunk, a neck of two, a head
ALIKE = 0.6  # of a body that lies in its mirror image: enough for its limbs to be pairs
STANDS_OUT = 1.2  # widths long is what stands out
THERE = 0.5  # of a limb lies in the body itself, which was made like on both sides; less is the image of a lost limb


@dataclass(frozen=True, eq=False)
class ShapeTemplate(SkeletonTemplate):
    """A template whose positions are already those of one body's joints, in its unit frame.

    confidence : (J,) how clearly what a joint belongs to stands out, 0 to 1;  warnings : for the artist
    """

    confidence: np.ndarray = field(default_factory=lambda: np.zeros(0))
    warnings: tuple[str, ...] = ()

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "confidence", frozen(self.confidence, np.float64, (len(self.names),), "confidence"))


def is_shape(name: str) -> bool:
    """Whether a preset's name means a skeleton made from the shape: "shape", a creature, or with its detail
    "shape 0.8". A template of the artist's own may be called "dragon rig"."""
    return what_of(name) in {NAME, *creature_names()} and re.fullmatch(r"\S+( *-?[\d.]+)?", name) is not None


def what_of(name: str) -> str:
    """A preset's name without its detail."""
    return name.split(" ")[0]


def detail_of(name: str) -> float:
    """The detail in such a name.  Raises BadTemplate if it is no number from 0 to 1."""
    what, _, word = name.partition(" ")
    try:
        detail = float(word.strip() or DETAIL)
    except ValueError:
        detail = -1.0
    if not 0 <= detail <= 1:
        raise BadTemplate(f"There is no preset '{name}'. The detail of '{what}' is a number from 0 to 1.")
    return detail


def shape_name(detail: float, what: str = NAME) -> str:
    """The name of the preset with a detail, to two digits."""
    return what if round(detail, 2) == DETAIL else f"{what} {round(detail, 2):g}"


def check_preset(name: str) -> None:
    """Raise BadTemplate unless there is a preset, or a template's file, of this name."""
    if is_shape(name):
        detail_of(name)
    elif Path(name).suffix.lower() != ".json" and name not in preset_names():
        known = ", ".join((*preset_names(), *creature_names()))
        raise BadTemplate(f"There is no preset '{name}'. Choose one of: {known}, shape; or give the path of a "
                          "template's .json file.")
    else:
        load_template(name)


def template_in(shape: Shape, name: str) -> SkeletonTemplate:
    """The template with a name, for a shape: one made from the shape, or a preset without limbs that the shape lacks.

    The same one whenever it is asked for.  Raises BadTemplate.
    """
    if is_shape(name):
        return shape_template(shape, detail_of(name), what_of(name))
    known = _known.setdefault(shape, _Made()).presets
    if name not in known:
        whole = load_template(name)
        known[name] = part_template(whole, find_missing(shape.mesh, whole))
    return known[name]


@dataclass(frozen=True, eq=False)
class _Made:
    """What was made of a shape."""

    templates: dict[str, ShapeTemplate] = field(default_factory=dict)
    presets: dict[str, SkeletonTemplate] = field(default_factory=dict)
    seen: dict[float, Seen] = field(default_factory=dict)


_known: WeakKeyDictionary[Shape, _Made] = WeakKeyDictionary()


def shape_template(shape: Shape, detail: float = DETAIL, what: str = NAME) -> ShapeTemplate:
    """The template for a shape, the same one whenever it is asked for.

    detail : 0 few bones to 1 many;  what : the creature whose names its bones get. Where the body is unlike it the
    template is that of the shape alone, and its warnings say so.
    """
    known, name = _known.setdefault(shape, _Made()).templates, f"{what} {detail}"
    if name not in known:
        seen, spacing = seen_in(shape, detail), bone_length(detail)
        found = None if what == NAME else match(seen, load_creature(what))
        if found is not None and not found.fits:
            warning = (f"The body is unlike the skeleton '{what}': {found.wrong[0]}. It was rigged from its shape; "
                       "choose another skeleton, or From Shape.")
            plain = shape_template(shape, detail)
            known[name] = replace(plain, warnings=(*plain.warnings, warning))
        else:
            lines = seen.lines if found else with_wheels(standing(seen, shape.body, spacing), shape.mesh)
            known[name] = _template(lines, spacing, shape_name(detail, what), found, seen.low, StiffParts(shape.mesh))
    return known[name]


def seen_in(shape: Shape, detail: float = DETAIL) -> Seen:
    """What stands out of a shape, looked at once."""
    known = _known.setdefault(shape, _Made()).seen
    if detail not in known:
        known[detail] = _look(shape, detail)
    return known[detail]


def bone_length(detail: float) -> float:
    """How long bones are, unit frame: 0.24 to 0.06."""
    return 0.24 * 0.25**detail


def _look(shape: Shape, detail: float) -> Seen:
    exact, spacing = body_plane(shape), bone_length(detail)
    body, plane = shape.body, exact
    if exact is not None:
        sides = lopsided_sides(body.solid, exact, body.grid.spacing)
        if sides < 2:
            body = symmetric_field(body, exact, is_union=sides == 1)
        else:  # limbs in another pose on either side: both at once would be twice as many
            exact = None
    else:
        rough = find_mirror_plane(body)
        plane = rough if rough.overlap > ALIKE else None
    body = body if plane is None else with_feet_apart(body, plane)
    outline = Outline(body, plane, is_exact=exact is not None, least=0.75 * spacing, slender=STANDS_OUT)
    if outline.is_rope:
        outline = Outline(shape.body, None, is_exact=False, least=0.75 * spacing, slender=STANDS_OUT)
        outline.begin_thick()
    elif exact is not None:
        outline.add_images()
    lost = {id(line) for line in outline.lines if line.part == "limb"
            and (shape.body.sample(line.points) < shape.body.grid.spacing).mean() < THERE}
    lines = [line for line in outline.lines if not any(id(above) in lost for above in line.way())]
    seen = look_at(outline, without_clutter(lines, outline))
    parted = out_of_wreath(seen, body)
    return seen if parted is seen.lines and not legs_off_wings(seen) else look_at(outline, parted)


def _template(lines: list[Line], spacing: float, name: str, found: Match | None, low: float,
              parts: StiffParts) -> ShapeTemplate:
    places: dict[str, np.ndarray] = {}
    parents: dict[str, str | None] = {}
    sure: dict[str, float] = {}
    bones: list[Bone] = []
    hangs: dict[int, dict[str, str]] = {}  # for each line {joint: bone that moves what hangs there}
    for line, (stem, side, wanted) in zip(lines, _name_lines(lines, found), strict=True):
        count = bone_count(line if line.twin is None or line.side == "L" else line.twin, spacing)
        if wanted:  # of what is too short for so many, no more than it has room for
            count = max(1, min(round(wanted * bone_length(DETAIL) / spacing), round(line.length / (ROOM * spacing))))
        has_neck = found is not None and line.part == "spine" and found.creature.has_neck
        if has_neck:
            count = max(count, min(round(line.length / spacing), NECKED))
        points = None if has_neck or line.sort else parts.joints(line)
        if points is None:
            points = cut(line, count)[1]
            points = with_foot(points) if not wanted and is_leg(line, low) else points
        count = len(points) - 1
        own = [f"{stem}_{k + 1}{side}" for k in range(count)]
        if has_neck:
            own = _with_neck(points, lines, found)
        joints, joint, bone = [*own, f"{own[-1] if own[-1] == 'head' else stem}_tip{side}"], None, None
        if line.parent is not None:
            carrier = line.parent
            while carrier.part == "limb" and _is_behind(points[0], [places[j] for j in hangs[id(carrier)]]):
                carrier = carrier.parent
            on = hangs[id(carrier)]
            if carrier.part != "limb":  # of the whole trunk the nearest
                on = {j: b for other in lines if other.part != "limb" for j, b in hangs.get(id(other), {}).items()}
            joint = min(on, key=lambda j: (float(np.linalg.norm(places[j] - points[0])), j))
            if line.part == "tail":  # begins where the spine does
                joint = joints[0] = next(iter(on))
            bone = on[joint]
        for k, at in enumerate(joints):
            if at not in places:
                places[at], parents[at] = points[k], joints[k - 1] if k else joint
                sure[at] = line.clear / (line.clear + 0.5 * STANDS_OUT)
        bones += [Bone(own[k], joints[k], joints[k + 1], own[k - 1] if k else bone, k > 0, bend=bend_of(points, k))
                  for k in range(count)]
        hangs[id(line)] = dict(zip(joints, [bone or own[0] if line.part == "tail" else own[0], *own], strict=True))
    names = tuple(places)
    above = np.array([-1 if p is None else names.index(p) for p in parents.values()])
    mirror = [names.index(other_side(n)) if other_side(n) != n and other_side(n) in places else -1 for n in names]
    no = np.zeros(len(names), bool)
    return ShapeTemplate(name, names, above, _apart(np.array(list(places.values())), above), np.array(mirror), no, no,
                         tuple(bones), "other", confidence=np.array(list(sure.values())))


def _is_behind(place: np.ndarray, joints: list[np.ndarray]) -> bool:
    """Whether a place lies before a limb begins, in what this grows out of."""
    return bool((place - joints[0]) @ (joints[1] - joints[0]) < 0)


def _apart(places: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """Joints that lie on their parents are moved off by a hair: a bone has a length."""
    for j in range(1, len(places)):
        if np.linalg.norm(places[j] - places[parents[j]]) < 1e-4:
            places[j] = places[parents[j]] + [0.0, 0.0, 1e-3]
    return places


def _with_neck(points: np.ndarray, lines: list[Line], found: Match) -> list[str]:
    """The names of a spine's bones between joints (B + 1, 3): from the foremost limb on a neck, its end a head; but
    where it ends in several necks it has none."""
    nearest = {i: int(np.linalg.norm(points - line.points[0], axis=1).argmin()) for i, line in enumerate(lines)
               if line.parent is lines[0] and (line.side or found.is_called(i, "neck"))}
    foremost, count = max(nearest.values(), default=1), len(points) - 1
    if any(k == count and found.is_called(i, "neck") for i, k in nearest.items()):
        return [f"spine_{k + 1}" for k in range(count)]
    trunk = max(min(foremost, count - 1), 1)
    neck = max(count - 1 - trunk, 0)
    return [*(f"spine_{k + 1}" for k in range(trunk)), *(f"neck_{k + 1}" for k in range(neck)),
            *["head"] * (count > 1)]


def _name_lines(lines: list[Line], found: Match | None) -> list[tuple[str, str, int]]:
    """(name, side with a dot, number of bones or 0) of each line: limbs of a sort are numbered from front to back,
    pairs as one, and not at all where there is but one; what grows out of a limb is its finger."""
    sorts: dict[str, list[Line]] = {}
    bones: dict[int, int] = {}
    for i, line in enumerate(lines):
        if line.part == "limb" and (line.side != "R" or line.twin is None or line.twin not in lines):
            kind = -1 if found is None else found.limbs[i]
            sorts.setdefault(line.sort or ("limb" if kind < 0 else found.creature.limbs[kind].name), []).append(line)
            bones[id(line)] = int(line.sort != "") if kind < 0 else found.creature.limbs[kind].bones
    if found is not None:
        _name_fingers(lines, sorts)
    stem: dict[int, str] = {}
    for sort, limbs in sorts.items():
        limbs.sort(key=lambda line: (round(float(line.points[0, 1]), 2), -float(line.points[0, 2])))
        taken = {"tail", "neck"} if found is not None else set()
        alone = len(limbs) == 1 and sort != "limb" and sort not in taken
        stem |= {id(line): sort if alone else f"{sort}_{i + 1 + (sort in taken)}" for i, line in enumerate(limbs)}
    rear = "tail" if found is None else found.creature.rear
    for line in lines:
        if line.twin is not None and id(line.twin) in stem and id(line) not in stem:
            stem[id(line)], bones[id(line)] = stem[id(line.twin)], bones[id(line.twin)]
    return [(stem.get(id(line), rear if line.part == "tail" else line.part), f".{line.side}" if line.side else "",
             bones.get(id(line), 0)) for line in lines]


def _name_fingers(lines: list[Line], sorts: dict[str, list[Line]]) -> None:
    """Put what grows out of a named limb under that limb's name, in place."""
    of = {id(line): sort for sort, limbs in sorts.items() for line in limbs}
    for line in list(sorts.get("limb", [])):
        sort = of.get(id(line.parent), of.get(id(line.parent.twin)))
        if sort is not None and sort != "limb":
            sorts["limb"].remove(line)
            sorts.setdefault(f"{sort}_finger", []).append(line)


def evenly(points: np.ndarray, radii: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(count, 3) points and (count,) radii at equal steps along a line (K, 3), (K,)."""
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    at = np.linspace(0.0, along[-1], count)
    return np.stack([np.interp(at, along, points[:, d]) for d in range(3)], 1), np.interp(at, along, radii)


def cut(line: Line, bones: int) -> tuple[np.ndarray, np.ndarray]:
    """(K, 3) points at equal steps along a line, and (bones + 1, 3) those of them that become its joints."""
    points, radii = evenly(line.points, line.radii, max(SAMPLES, 3 * bones))
    return points, points[joints_along(points, radii, bones)]


def bone_count(line: Line, spacing: float) -> int:
    """How many bones a line has: as many as of one length fit into it, or as few as follow it where it has kinks.

    A leg of straight pieces is jointed between them; what is straight or curls evenly bends anywhere. Where bones are
    shorter than usual, each piece has more of them.
    """
    count = int(np.clip(round(line.length / spacing), 1, MOST_BONES))
    points, radii = evenly(line.points, line.radii, SAMPLES)
    for fewer in range(2, max(count, 3)):
        joints = points[joints_along(points, radii, fewer)]
        bones = np.diff(joints, axis=0)
        bones /= np.maximum(np.linalg.norm(bones, axis=1, keepdims=True), 1e-12)
        is_kinked = (np.einsum("bd,bd->b", bones[:-1], bones[1:]) < KINK).any()
        if is_kinked and _away(points, joints) < CLOSE * float(np.median(radii)):
            return max(fewer, min(round(fewer * bone_length(DETAIL) / spacing), count))
    return count


def with_foot(joints: np.ndarray) -> np.ndarray:
    """The joints (B + 1, 3) of a leg with an ankle as well, unless its last bone is short enough for a foot."""
    sizes = np.linalg.norm(np.diff(joints, axis=0), axis=1)
    if len(sizes) > 1 and sizes[-1] < SHIN * sizes.sum():
        return joints
    share = min(FOOT * float(sizes.sum() / sizes[-1]), 0.5)
    return np.vstack([joints[:-1], joints[-1] + share * (joints[-2] - joints[-1]), joints[-1]])


def _away(points: np.ndarray, joints: np.ndarray) -> float:
    """How far the points (K, 3) of a line lie from the bones between joints (B, 3), root of the mean square."""
    start, bone = joints[:-1], np.diff(joints, axis=0)
    share = np.einsum("kbd,bd->kb", points[:, None] - start, bone) / np.maximum((bone**2).sum(1), 1e-18)
    foot = start + np.clip(share, 0, 1)[:, :, None] * bone
    return float(np.sqrt((((points[:, None] - foot) ** 2).sum(2)).min(1).mean()))


def joints_along(points: np.ndarray, radii: np.ndarray, bones: int) -> np.ndarray:
    """(bones + 1,) the numbers of the points of a line (K, 3) that become joints, both ends among them.

    Of all ways to cut the line into so many bones the one with the least cost: what the line strays from the bones,
    how uneven they are, how thick the flesh is at the joints. O(K^2 (K + bones)).
    """
    along = np.concatenate([[0.0], np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))])
    cost = _bone_costs(points, along, along[-1] / bones)
    thick = THICK * radii / max(float(np.median(radii)), 1e-12)
    total, before = cost[0], []
    for _ in range(bones - 1):
        through = (total + thick)[:, None] + cost
        before.append(through.argmin(0))
        total = through.min(0)
    line = [len(points) - 1]
    for back in reversed(before):
        line.append(int(back[line[-1]]))
    return np.array([0, *line[::-1]])


def _bone_costs(points: np.ndarray, along: np.ndarray, usual: float) -> np.ndarray:
    """(K, K) what a bone from one point of a line to a later one costs, infinite backwards."""
    count = len(points)
    i, k, j = np.ogrid[:count, :count, :count]
    chord = points[None, :] - points[:, None]
    length = np.maximum(np.linalg.norm(chord, axis=2), 1e-12)
    way = points[None, :, :] - points[:, None, :]  # from i to k
    share = np.einsum("ikd,ijd->ikj", way, chord) / length[:, None, :]
    off = np.maximum((way**2).sum(2)[:, :, None] - share**2, 0.0)
    inside = (k > i) & (k < j)
    stray = np.where(inside, off, 0.0).sum(1) / np.maximum(inside.sum(1), 1)
    span = along[None, :] - along[:, None]
    cost = BEND * stray / usual**2 + UNEVEN * (span / usual - 1) ** 2
    return np.where(span > 0, cost, np.inf)


def bend_of(points: np.ndarray, k: int) -> tuple[float, float, float]:
    """Where the tail of a line's k-th bone goes when it bends further: the way its line is bent, else up."""
    bones = np.diff(points, axis=0)
    bones /= np.maximum(np.linalg.norm(bones, axis=1, keepdims=True), 1e-12)
    axis = np.cross(bones[:-1], bones[1:]).sum(0)
    if np.linalg.norm(axis) < 0.1:
        axis = np.cross(bones[k], [0.0, 0.0, 1.0])
    if np.linalg.norm(axis) < 0.1:
        axis = np.array([1.0, 0.0, 0.0])
    bend = np.cross(axis, bones[k])
    return tuple(float(x) for x in np.round(bend / max(float(np.linalg.norm(bend)), 1e-12), 6))  # type: ignore[return-value]
