"""Limbs that an artist adds to a skeleton made from a shape, or takes from it; all the rest keeps names and places."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..errors import BadTemplate
from ..geometry.shape import Shape
from ..geometry.symmetry import find_mirror_plane
from ..skeleton.preset import other_side
from ..skeleton.template import Bone
from .from_shape import (
    SAMPLES,
    THERE,
    ShapeTemplate,
    bend_of,
    bone_count,
    bone_length,
    cut,
    detail_of,
)
from .fronts import STEP
from .limbs import Interior, limb_profile
from .outline import Line, smoothed

ASIDE = 0.02  # unit frame: what ends nearer the mirror plane is of the middle
OUTSIDE = 3.0  # voxels: what is clicked further from the solid lies on a sheet, as a fin of one layer
SHORTEST = 0.02  # unit frame: a shorter limb is none
NO_ROOM = "There is no room for a limb here. Click on the tip of something that stands out."
BESIDE = 0.06  # unit frame: who clicks further from all bones means none of them


@dataclass(frozen=True)
class LimbEdit:
    """A click.  is_added : on the tip of a limb to add, or on one to take away;  place : (3,) unit frame
    is_both : the same on the other side"""

    is_added: bool
    place: tuple[float, float, float]
    is_both: bool = True


def edited(template: ShapeTemplate, shape: Shape, edits: Sequence[LimbEdit]) -> ShapeTemplate:
    """The template after the edits, one after the other.

    Raises BadTemplate where there is nothing to take away, and where there is no room for a limb.
    """
    for edit in edits:
        place = np.array(edit.place, float)
        template = _with(template, shape, place, edit.is_both) if edit.is_added else _without(template, place,
                                                                                             edit.is_both)
    return template


def _with(template: ShapeTemplate, shape: Shape, place: np.ndarray, is_both: bool) -> ShapeTemplate:
    interior = Interior(shape.body)
    tip = int(interior.nearest(place)[0])
    from_tip = interior.distances(np.array([tip]))[0]
    near = interior.nearest(template.positions)
    begins = np.array([any(b.head == n or b.tail == n for b in template.bones) for n in template.names])
    at = int(np.where(begins, from_tip[near], np.inf).argmin())
    line = _line(interior, tip, from_tip, int(near[at]), template.positions[at])
    if np.linalg.norm(place - interior.centres[tip]) > OUTSIDE * interior.grid.spacing:  # on a sheet without an inside
        straight = np.linspace(interior.centres[tip], place, SAMPLES)
        line = Line("limb", "", straight, np.full(SAMPLES, interior.grid.spacing), None, 1.0)
    if np.linalg.norm(line.points[-1] - line.points[0]) < SHORTEST:  # bones reach the place already
        raise BadTemplate(NO_ROOM)
    plane = find_mirror_plane(shape.body)
    aside = float(line.points[-1, 0]) - plane.x
    side = "" if abs(aside) < ASIDE else ".L" if aside > 0 else ".R"
    count = bone_count(line, bone_length(detail_of(template.name)))
    points, joints = cut(line, count)
    stem = _free_name(template, side, is_both)
    image = plane.reflect(points)
    is_there = (shape.body.sample(image) < shape.body.grid.spacing).mean() >= THERE
    try:
        out = _hung(template, stem, side, joints, at)
        if is_both and side and is_there:
            partner = int(template.mirror[at]) if template.mirror[at] >= 0 else at
            out = _hung(out, stem, other_side(side), plane.reflect(joints), partner)
    except BadTemplate as error:
        raise BadTemplate(NO_ROOM) from error
    return out


def _line(interior: Interior, tip: int, from_tip: np.ndarray, trunk: int, base: np.ndarray) -> Line:
    """The limb's centre line, from where it grows out of what it hangs on to its tip."""
    profile = limb_profile(interior, from_tip, trunk, step=STEP * interior.grid.spacing)
    points = smoothed(np.vstack([interior.centres[tip], profile.centres[:profile.root + 1]]))[::-1]
    radii = np.sqrt(profile.areas[:profile.root + 1] / np.pi)[::-1]
    if len(points) < 3:
        points, radii = np.linspace(base, interior.centres[tip], 5), np.full(4, interior.grid.spacing)
    return Line("limb", "", points, np.append(radii, radii[-1]), None, 1.0)


def _free_name(template: ShapeTemplate, side: str, is_both: bool) -> str:
    """limb_ and the number after the highest on the sides that it is for."""
    sides = {"", side, other_side(side) if is_both else side}
    numbers = [int(parts[1]) for name in template.names if name.startswith("limb_")
               and (parts := name.partition(".")[0].split("_"))[1].isdigit()
               and (not side or "." + name.partition(".")[2] in sides or "." not in name)]
    return f"limb_{max(numbers, default=0) + 1}"


def _hung(template: ShapeTemplate, stem: str, side: str, joints: np.ndarray, at: int) -> ShapeTemplate:
    """The template with a chain between joints (B + 1, 3) that hangs on its joint `at`."""
    count = len(joints) - 1
    own = [f"{stem}_{k + 1}{side}" for k in range(count)]
    names = (*template.names, *own, f"{stem}_tip{side}")
    first = len(template.names)
    carrier = next((b.name for b in template.bones if b.tail == template.names[at]), None) or next(
        b.parent or b.name for b in template.bones if b.head == template.names[at])
    bones = [Bone(name, name, names[first + k + 1], own[k - 1] if k else carrier, k > 0, bend=bend_of(joints, k))
             for k, name in enumerate(own)]
    parents = [*template.parents.tolist(), at, *range(first, first + count)]
    return _rebuilt(template, names, np.array(parents), np.vstack([template.positions, joints]),
                    (*template.bones, *bones), np.append(template.confidence, np.ones(count + 1)))


def _without(template: ShapeTemplate, place: np.ndarray, is_both: bool) -> ShapeTemplate:
    heads, tails = (template.positions[[template.index(getattr(b, end)) for b in template.bones]]
                    for end in ("head", "tail"))
    way = tails - heads
    share = np.clip(((place - heads) * way).sum(1) / np.maximum((way**2).sum(1), 1e-18), 0, 1)
    away = np.linalg.norm(heads + share[:, None] * way - place, axis=1)
    nearest = template.bones[int(away.argmin())]
    stem, trunk = _stem(nearest.name), _stem(template.bones[0].name)
    rear = {_stem(b.name) for b in template.bones if b.parent is not None and b.head == template.bones[0].head}
    if away.min() > BESIDE or stem in {trunk, *rear, ("neck", ""), ("head", "")}:
        raise BadTemplate("There is no limb here. Click on a limb to take it away.")
    gone = np.array([_stem(n) == stem for n in template.names])
    if is_both:
        gone[template.mirror[gone & (template.mirror >= 0)]] = True
    for j in range(1, len(gone)):
        gone[j] |= gone[template.parents[j]]
    kept = np.flatnonzero(~gone)
    number = {int(old): new for new, old in enumerate(kept)} | {-1: -1}
    names = tuple(template.names[j] for j in kept)
    bones = tuple(b for b in template.bones if b.head in names and b.tail in names)
    return _rebuilt(template, names, np.array([number[int(template.parents[j])] for j in kept]),
                    template.positions[kept], bones, template.confidence[kept])


def _stem(name: str) -> tuple[str, str]:
    """What the bones and joints of a chain have in common: name and side."""
    stem, _, side = name.partition(".")
    head, _, last = stem.rpartition("_")
    return (head if head and (last.isdigit() or last == "tip") else stem, side)


def _rebuilt(template: ShapeTemplate, names, parents, positions, bones, confidence) -> ShapeTemplate:
    mirror = [names.index(other_side(n)) if other_side(n) != n and other_side(n) in names else -1 for n in names]
    no = np.zeros(len(names), bool)
    return replace(template, names=tuple(names), parents=parents, positions=positions, mirror=np.array(mirror),
                   is_foot=no, is_fat=no, bones=tuple(bones), confidence=confidence)
