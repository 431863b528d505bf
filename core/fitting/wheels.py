"""Wheels: loose parts that are round and flat. Each turns about its own axis, on a bone that lies along it."""

from __future__ import annotations

import numpy as np

from ..geometry.mesh import Mesh, vertex_components
from .outline import ASIDE, Line

LEAST = 0.05  # unit frame: a smaller radius is a button's
FLAT = 0.5  # variance of its surface along the axis against across it: a wheel as broad as its radius
LIKE = 0.9  # of the two variances across
RIM = 0.86  # of the radius: further out only a square's corners lie
GAP = np.radians(61)  # between neighbours on the rim: a wheel has six corners at least
STANDS, LEVEL = 0.03, 0.3  # unit frame: how far above the ground it may end; sine of its axis's rise
WITHIN = 0.5  # of a limb's line that lies in a wheel: it is no limb


def with_wheels(lines: list[Line], mesh: Mesh) -> list[Line]:
    """The lines of a body and those of its wheels, in place of limbs that they were taken for. mesh : unit frame"""
    found = find_wheels(mesh)
    if not found:
        return lines
    inside = {id(line) for line in lines if line.part == "limb"
              and any(_holds(wheel, line.points).mean() > WITHIN for wheel in found)}
    kept = [line for line in lines if not any(id(above) in inside for above in line.way())]
    middle = float(np.mean([centre[0] for centre, _, _, _ in found]))
    wheels = []
    for centre, axis, radius, width in found:
        off = float(centre[0]) - middle
        side = "" if abs(off) < ASIDE else "L" if off > 0 else "R"
        if axis @ (centre - kept[0].points.mean(0)) < 0:
            axis = -axis
        end = centre + axis * max(width, radius / 2)
        wheels.append(Line("limb", side, np.array([centre, end]), np.full(2, radius), kept[0], 2.0, sort="wheel"))
    for line in wheels:
        other = [w for w in wheels if {w.side, line.side} == {"L", "R"}
                 and np.linalg.norm((w.points[0] - line.points[0])[1:]) < ASIDE]
        line.twin = other[0] if len(other) == 1 else None
    return [*kept, *wheels]


def find_wheels(mesh: Mesh) -> list[tuple[np.ndarray, np.ndarray, float, float]]:
    """(centre (3,), axis (3,), radius, half of the width) of each wheel of a mesh in several parts, unit frame."""
    part = vertex_components(mesh)
    count = int(part.max()) + 1
    if count == 1:
        return []
    corner, of = mesh.triangles, part[mesh.faces[:, 0]]
    area = np.linalg.norm(np.cross(corner[:, 1] - corner[:, 0], corner[:, 2] - corner[:, 0]), axis=1)
    total = np.maximum(np.bincount(of, area, count), 1e-15)
    is_small = total < 0.5 * total.sum()
    some = is_small[of]
    corner, of, area = corner[some], of[some], area[some]
    middle = corner.mean(1)
    centre = np.stack([np.bincount(of, area * x, count) for x in middle.T], 1) / total[:, None]
    points = np.concatenate([corner, middle[:, None]], 1) - centre[of][:, None]
    weight = area[:, None] * np.array([1, 1, 1, 9]) / 12  # exact for the second moment of a triangle
    moment = np.einsum("fk,fki,fkj->fij", weight, points, points).reshape(-1, 9)
    spread = np.stack([np.bincount(of, x, count) for x in moment.T], 1).reshape(-1, 3, 3) / total[:, None, None]
    variance, axes = np.linalg.eigh(spread)
    is_round = is_small & (variance[:, 0] < FLAT * variance[:, 1]) & (variance[:, 1] > LIKE * variance[:, 2])
    out = []
    for p in np.flatnonzero(is_round):
        own, frame = mesh.vertices[part == p] - centre[p], axes[p]
        along, across = own @ frame[:, 0], own @ frame[:, 1:]
        far = np.linalg.norm(across, axis=1)
        rim = across[far > RIM * far.max()]
        angle = np.sort(np.arctan2(rim[:, 1], rim[:, 0]))
        if far.max() > LEAST and np.diff(angle, append=angle[0] + 2 * np.pi).max() < GAP:
            out.append((centre[p], frame[:, 0], float(far.max()), float(np.ptp(along)) / 2))
    return out


def wheels_under(mesh: Mesh) -> int:
    """How many wheels a mesh in several parts stands on: upright, and down to the ground. mesh : unit frame"""
    ground = mesh.vertices[:, 2].min() + STANDS
    return sum(abs(axis[2]) < LEVEL and centre[2] - radius < ground for centre, axis, radius, _ in find_wheels(mesh))


def _holds(wheel: tuple[np.ndarray, np.ndarray, float, float], points: np.ndarray) -> np.ndarray:
    """(K,) bool: which points lie in a wheel."""
    centre, axis, radius, width = wheel
    off = points - centre
    along = off @ axis
    return (np.abs(along) < width) & (np.linalg.norm(off - along[:, None] * axis, axis=1) < radius)
