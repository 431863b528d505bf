"""Wheels of a mesh: loose parts that are round and flat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from .mesh import Mesh, vertex_components

LEAST = 0.05  # unit frame: a smaller radius is a button's
FLAT = 0.5  # variance of its surface along the axis against across it: a wheel as broad as its radius
# Where a body stands on SEVERAL or more, a lorry's are smaller, and a racing car's half as broad again; a ball has 1.
SMALL, BROAD, SEVERAL = 0.03, 0.8, 3
LIKE = 0.9  # of the two variances across
RIM = 0.86  # of the radius: further out only a square's corners lie
GAP = np.radians(61)  # between neighbours on the rim: a wheel has six corners at least
SKEW = 0.95  # cosine between the axes of a rim and its tyre; further apart they are two wheels
STANDS, LEVEL = 0.03, 0.3  # unit frame: how far above the ground one may end that stands; sine of its axis's rise
WITHIN = 1.02  # of the radius: what lies so near the axis belongs to the wheel


@dataclass(frozen=True, eq=False)
class Wheel:
    """centre : (3,);  axis : (3,) unit, either way;  radius, width : from the centre to the rim and to a side"""

    centre: np.ndarray
    axis: np.ndarray
    radius: float
    width: float

    def places(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(N,) how far along the axis from the centre points (N, 3) lie, and (N,) how far from the axis."""
        off = points - self.centre
        along = off @ self.axis
        return along, np.linalg.norm(off - along[:, None] * self.axis, axis=1)

    def stands(self, ground: float) -> bool:
        """Whether it is upright, and comes down to the ground."""
        return bool(abs(self.axis[2]) < LEVEL and self.centre[2] - self.radius < ground + STANDS)

    def lies(self, ground: float) -> bool:
        """Whether it lies flat on the ground, as the foot of a leg or a base does, which turn about no axle."""
        return bool(abs(self.axis[2]) > SKEW and self.centre[2] - self.width < ground + STANDS)

    def rows(self, mesh: Mesh, part: np.ndarray) -> np.ndarray:
        """The vertices of all parts that turn with it: tyre, rim, hub and spokes. What stands out of it, as a fork or
        an axle does, is none.  part : (V,) the part of each vertex"""
        along, away = self.places(mesh.vertices)
        count = int(part.max()) + 1
        ends = np.zeros((3, count))
        for end, value in zip(ends, (along, -along, away), strict=True):
            end[:] = -np.inf
            np.maximum.at(end, part, value)
        is_in = (ends[2] < WITHIN * self.radius) & (ends[:2].max(0) < max(self.width * WITHIN, self.radius))
        return np.flatnonzero((is_in & (np.abs(ends[0] - ends[1]) < 2 * self.width))[part])


def find_wheels(mesh: Mesh) -> list[Wheel]:
    """The wheels of a mesh in several parts, unit frame: a tyre and the rim in it are one."""
    part = vertex_components(mesh)
    if int(part.max()) == 0:
        return []
    ground = float(mesh.vertices[:, 2].min())
    found = {wheel: flat for wheel, flat in round_parts(mesh.triangles, part[mesh.faces[:, 0]], SMALL).values()
             if not wheel.lies(ground)}
    under = {wheel for wheel in found if wheel.stands(ground)}
    under = under if len(under) >= SEVERAL else set()
    return _whole([wheel for wheel, flat in found.items() if (wheel.radius > LEAST and flat < FLAT) or wheel in under])


def round_parts(corner: np.ndarray, of: np.ndarray, least: float) -> dict[int, tuple[Wheel, float]]:
    """{number: wheel, variance of its surface along the axis against across it} of the parts that may be one, or a
    piece of one.

    corner : (F, 3, 3) of the faces;  of : (F,) the part of each;  least : radius
    """
    count = int(of.max()) + 1
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
    is_round = is_small & (variance[:, 0] < BROAD * variance[:, 1]) & (variance[:, 1] > LIKE * variance[:, 2])
    order = np.argsort(of, kind="stable")
    found = np.flatnonzero(is_round)
    out = {}
    ends = (np.searchsorted(of[order], found, side) for side in ("left", "right"))
    for p, begin, end in zip(found, *ends, strict=True):
        own, frame = corner[order[begin:end]].reshape(-1, 3) - centre[p], axes[p]
        along, across = own @ frame[:, 0], own @ frame[:, 1:]
        far = np.linalg.norm(across, axis=1)
        rim = across[far > RIM * far.max()]
        angle = np.sort(np.arctan2(rim[:, 1], rim[:, 0]))
        if far.max() > least and np.diff(angle, append=angle[0] + 2 * np.pi).max() < GAP:
            out[int(p)] = (Wheel(centre[p], frame[:, 0], float(far.max()), float(np.ptp(along)) / 2),
                           float(variance[p, 0] / variance[p, 1]))
    return out


def _whole(found: list[Wheel]) -> list[Wheel]:
    """The wheels in their order without those that lie in the middle of larger ones."""
    gone: set[int] = set()
    for wheel in sorted(found, key=lambda wheel: -wheel.radius):
        if id(wheel) in gone:
            continue
        for other in found:
            if other is wheel or other.radius > wheel.radius or abs(other.axis @ wheel.axis) < SKEW:
                continue
            (along,), (away,) = wheel.places(other.centre[None])
            if abs(along) < max(wheel.width, other.width) and away + other.radius < WITHIN * wheel.radius:
                gone.add(id(other))
    return [wheel for wheel in found if id(wheel) not in gone]
