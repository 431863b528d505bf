"""Wheels: loose parts that are round and flat. Each turns about its own axis, on a bone that lies along it."""

from __future__ import annotations

import numpy as np

from ..geometry.mesh import Mesh, vertex_components
from ..geometry.wheels import SEVERAL, STANDS, Wheel, find_wheels
from .outline import ASIDE, Line

WITHIN = 0.5  # of a limb's line that lies in a wheel: it is no limb


def with_wheels(lines: list[Line], mesh: Mesh) -> list[Line]:
    """The lines of a body and those of its wheels, in place of limbs that they were taken for. mesh : unit frame"""
    found = find_wheels(mesh)
    if not found:
        return lines
    inside = {id(line) for line in lines if line.part == "limb"
              and any(_holds(wheel, line.points).mean() > WITHIN for wheel in found)}
    kept = [line for line in lines if not any(id(above) in inside for above in line.way())]
    middle = float(np.mean([wheel.centre[0] for wheel in found]))
    wheels = []
    for wheel in found:
        off = float(wheel.centre[0]) - middle
        side = "" if abs(off) < ASIDE else "L" if off > 0 else "R"
        away = np.array([off, 0.0, 0.0]) if side else wheel.centre - kept[0].points.mean(0)
        out = float(wheel.axis @ away)
        if abs(out) < ASIDE:  # as of a bicycle's: all to the same side
            out = float(wheel.axis[np.abs(wheel.axis).argmax()])
        end = wheel.centre + np.copysign(max(wheel.width, wheel.radius / 2), out) * wheel.axis
        wheels.append(Line("limb", side, np.array([wheel.centre, end]), np.full(2, wheel.radius), kept[0], 2.0,
                           sort="wheel"))
    for line in wheels:
        other = [w for w in wheels if {w.side, line.side} == {"L", "R"}
                 and np.linalg.norm((w.points[0] - line.points[0])[1:]) < ASIDE]
        line.twin = other[0] if len(other) == 1 else None
    return [*kept, *wheels]


def wheels_under(mesh: Mesh) -> int:
    """How many wheels a mesh in several parts stands on: upright, and down to the ground. mesh : unit frame"""
    ground = float(mesh.vertices[:, 2].min())
    return sum(wheel.stands(ground) for wheel in find_wheels(mesh))


def is_on_wheels(mesh: Mesh) -> bool:
    """Whether a mesh stands on several wheels, or on fewer and on nothing else. mesh : unit frame"""
    count = wheels_under(mesh)
    if count == 0 or count >= SEVERAL:
        return count >= SEVERAL
    ground, part = float(mesh.vertices[:, 2].min()), vertex_components(mesh)
    low = np.flatnonzero(mesh.vertices[:, 2] < ground + STANDS)
    turning = [wheel.rows(mesh, part) for wheel in find_wheels(mesh) if wheel.stands(ground)]
    return bool(np.isin(low, np.concatenate(turning)).all())


def _holds(wheel: Wheel, points: np.ndarray) -> np.ndarray:
    """(K,) bool: which points lie in a wheel."""
    along, away = wheel.places(points)
    return (np.abs(along) < wheel.width) & (away < wheel.radius)
