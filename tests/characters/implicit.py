"""Implicit solids to grow characters from: round cones, ellipsoids, planes and their smooth combinations.

A solid answers `distance(points)`, negative inside, and `box()`, a box it lies in. Only the zero level must be right;
elsewhere the distance may be too small, never too large by much, so that a search for the surface can skip space.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

FAR = 1e9


@dataclass(frozen=True, eq=False)
class RoundCone:
    """Everything a ball sweeps whose centre goes straight from a to b while its radius goes from ra to rb."""

    a: tuple
    b: tuple
    ra: float
    rb: float

    def box(self) -> np.ndarray:
        a, b = np.asarray(self.a, float), np.asarray(self.b, float)
        return np.array([np.minimum(a - self.ra, b - self.rb), np.maximum(a + self.ra, b + self.rb)])

    def distance(self, points: np.ndarray) -> np.ndarray:
        a, axis = np.asarray(self.a, float), np.subtract(self.b, self.a)
        length = float(np.sqrt(axis @ axis))
        if length <= abs(self.ra - self.rb):  # one end ball holds the other
            centre = a if self.ra >= self.rb else np.asarray(self.b, float)
            return np.linalg.norm(points - centre, axis=1) - max(self.ra, self.rb)
        from_a = points - a
        along = from_a @ (axis / length)
        across = np.sqrt(np.maximum(np.einsum("ij,ij->i", from_a, from_a) - along**2, 0.0))
        slope = (self.ra - self.rb) / length
        foot = np.clip(along - across * (slope / np.sqrt(1 - slope**2)), 0.0, length)
        return np.hypot(along - foot, across) - (self.ra - slope * foot)


@dataclass(frozen=True, eq=False)
class Ellipsoid:
    """Centre, half axes, rotation whose columns are the axes. The distance is exact to first order at the surface."""

    centre: tuple
    radii: tuple
    rotation: np.ndarray | None = None

    def box(self) -> np.ndarray:
        turn = np.eye(3) if self.rotation is None else np.asarray(self.rotation)
        reach = np.sqrt(((turn * np.asarray(self.radii)) ** 2).sum(1))
        return np.array([np.subtract(self.centre, reach), np.add(self.centre, reach)])

    def distance(self, points: np.ndarray) -> np.ndarray:
        local = points - np.asarray(self.centre, float)
        if self.rotation is not None:
            local = local @ self.rotation
        radii = np.asarray(self.radii, float)
        level = np.linalg.norm(local / radii, axis=1)
        gradient = np.linalg.norm(local / radii**2, axis=1)
        first_order = np.divide(level * (level - 1), gradient, out=np.full(len(points), -radii.min()),
                                where=gradient > 0)
        return np.maximum(first_order, -radii.min())


@dataclass(frozen=True, eq=False)
class HalfSpace:
    """All points p with normal . p <= offset."""

    normal: tuple
    offset: float

    def box(self) -> np.ndarray:
        return np.array([[-FAR] * 3, [FAR] * 3])

    def distance(self, points: np.ndarray) -> np.ndarray:
        normal = np.asarray(self.normal, float)
        return (points @ normal - self.offset) / np.linalg.norm(normal)


@dataclass(frozen=True, eq=False)
class Slab:
    """A box with rounded edges: centre, half sizes (rounding included), rounding, rotation by columns."""

    centre: tuple
    half: tuple
    round: float = 0.0
    rotation: np.ndarray | None = None

    def box(self) -> np.ndarray:
        turn = np.eye(3) if self.rotation is None else np.asarray(self.rotation)
        reach = np.abs(turn) @ np.asarray(self.half, float)
        return np.array([np.subtract(self.centre, reach), np.add(self.centre, reach)])

    def distance(self, points: np.ndarray) -> np.ndarray:
        local = points - np.asarray(self.centre, float)
        if self.rotation is not None:
            local = local @ self.rotation
        q = np.abs(local) - (np.asarray(self.half, float) - self.round)
        return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(1), 0) - self.round


@dataclass(frozen=True, eq=False)
class Squashed:
    """A solid scaled per axis about a centre, after `rotation` (columns = the axes of the scaling)."""

    solid: object
    scale: tuple
    centre: tuple = (0.0, 0.0, 0.0)
    rotation: np.ndarray | None = None

    def box(self) -> np.ndarray:
        low, high = self.solid.box() - np.asarray(self.centre)
        corners = np.array([[(low, high)[i][0], (low, high)[j][1], (low, high)[k][2]]
                            for i in (0, 1) for j in (0, 1) for k in (0, 1)])
        turn = np.eye(3) if self.rotation is None else np.asarray(self.rotation)
        corners = (corners @ turn * np.asarray(self.scale)) @ turn.T + np.asarray(self.centre)
        return np.array([corners.min(0), corners.max(0)])

    def distance(self, points: np.ndarray) -> np.ndarray:
        turn = np.eye(3) if self.rotation is None else np.asarray(self.rotation)
        local = ((points - np.asarray(self.centre)) @ turn / np.asarray(self.scale)) @ turn.T
        return self.solid.distance(local + np.asarray(self.centre)) * min(self.scale)


@dataclass(frozen=True, eq=False)
class Blend:
    """Union whose seams are rounded over a width `k`."""

    parts: tuple
    k: float = 0.0

    @cached_property
    def boxes(self) -> np.ndarray:
        return np.array([p.box() for p in self.parts])

    def box(self) -> np.ndarray:
        return np.array([self.boxes[:, 0].min(0) - self.k / 4, self.boxes[:, 1].max(0) + self.k / 4])

    def distance(self, points: np.ndarray) -> np.ndarray:
        """A part is asked only where it can matter: elsewhere its distance is bounded by that to its box."""
        total, columns = np.full(len(points), FAR), points.T.copy()
        for part, (low, high) in zip(self.parts, self.boxes, strict=True):
            near = np.flatnonzero(_distance_to_box(columns, low, high) < total + self.k)
            if len(near):
                total[near] = smooth_min(total[near], part.distance(points[near]), self.k)
        return total


@dataclass(frozen=True, eq=False)
class Common:
    """What all parts have in common, its edges rounded over a width `k`."""

    parts: tuple
    k: float = 0.0

    def box(self) -> np.ndarray:
        boxes = np.array([p.box() for p in self.parts])
        return np.array([boxes[:, 0].max(0), boxes[:, 1].min(0)])

    def distance(self, points: np.ndarray) -> np.ndarray:
        total = self.parts[0].distance(points)
        for part in self.parts[1:]:
            total = -smooth_min(-total, -part.distance(points), self.k)
        return total


@dataclass(frozen=True, eq=False)
class Cut:
    """A solid less a tool, the edges rounded over a width `k`."""

    solid: object
    tool: object
    k: float = 0.0

    def box(self) -> np.ndarray:
        return self.solid.box()

    def distance(self, points: np.ndarray) -> np.ndarray:
        return -smooth_min(-self.solid.distance(points), self.tool.distance(points), self.k)


@dataclass(frozen=True, eq=False)
class Grown:
    """A solid thickened by a constant, or, where negative, thinned."""

    solid: object
    by: float

    def box(self) -> np.ndarray:
        low, high = self.solid.box()
        return np.array([low - self.by, high + self.by])

    def distance(self, points: np.ndarray) -> np.ndarray:
        return self.solid.distance(points) - self.by


def _distance_to_box(columns: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """(N,) distance from points (3, N) outside a box, 0 inside."""
    square = 0.0
    for x, a, b in zip(columns, low, high, strict=True):
        outside = np.maximum(a - x, x - b)
        np.maximum(outside, 0, out=outside)
        outside *= outside
        square = square + outside
    return np.sqrt(square)


def smooth_min(a: np.ndarray, b: np.ndarray, k: float) -> np.ndarray:
    """min(a, b), at most k/4 less where the two are closer than k."""
    least = np.minimum(a, b)
    if k <= 0:
        return least
    near = np.maximum(k - np.abs(a - b), 0.0)
    return least - near * near / (4 * k)


def strand(points, radii, k: float = 0.0) -> Blend:
    """Round cones along a polyline: `points` (N, 3), `radii` (N,)."""
    points = [tuple(float(x) for x in p) for p in points]
    return Blend(tuple(RoundCone(points[i], points[i + 1], float(radii[i]), float(radii[i + 1]))
                       for i in range(len(points) - 1)), k)


def turn(axis: str, degrees: float) -> np.ndarray:
    """(3, 3) right-handed rotation about a world axis."""
    c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
    i, j = {"x": (1, 2), "y": (2, 0), "z": (0, 1)}[axis]
    matrix = np.eye(3)
    matrix[i, i] = matrix[j, j] = c
    matrix[i, j], matrix[j, i] = -s, s
    return matrix


def frame_along(direction, hint) -> np.ndarray:
    """(3, 3) rotation whose columns are the unit direction, the part of `hint` across it, and their normal."""
    x = np.asarray(direction, float) / np.linalg.norm(direction)
    y = np.asarray(hint, float) - x * (x @ np.asarray(hint, float))
    y /= np.linalg.norm(y)
    return np.stack([x, y, np.cross(x, y)], axis=1)
