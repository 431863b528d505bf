"""Bodies with known truth: a mesh whose vertices lie exactly on the surface, and the exact signed distance."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from core.geometry.mesh import Mesh


@dataclass(frozen=True, eq=False)
class Shape:
    """mesh : closed, faces outwards;  distance : (N, 3) -> (N,) exact, negative inside;  volume : of the ideal body."""

    name: str
    mesh: Mesh
    distance: Callable[[np.ndarray], np.ndarray]
    volume: float


def ball(radius: float = 0.5, centre=(0.0, 0.0, 0.0), *, segments: int = 48) -> Shape:
    """A ball, meshed in longitudes and latitudes."""
    angle = np.linspace(-np.pi / 2, np.pi / 2, segments // 2 + 1)
    mesh = revolve(radius * np.stack([np.cos(angle), np.sin(angle)], axis=1), segments, centre, "ball")
    return Shape("ball", mesh, lambda p: np.linalg.norm(p - np.asarray(centre), axis=1) - radius,
                 4 / 3 * np.pi * radius**3)


def box(size=(1.0, 0.6, 0.8), centre=(0.0, 0.0, 0.0), *, divisions: int = 8) -> Shape:
    """An axis-aligned box, each side a grid of divisions x divisions quads."""
    half = np.asarray(size, float) / 2

    def distance(p):
        q = np.abs(p - np.asarray(centre)) - half
        return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(1), 0)
    return Shape("box", _box_mesh(half, centre, divisions), distance, float(np.prod(size)))


def capsule(radius: float = 0.2, length: float = 1.0, centre=(0.0, 0.0, 0.0), *, segments: int = 32) -> Shape:
    """A cylinder along z with round ends; `length` lies between the centres of the end balls."""
    cap = np.linspace(0, np.pi / 2, segments // 4 + 1)
    top = np.stack([radius * np.cos(cap), length / 2 + radius * np.sin(cap)], axis=1)
    side = np.linspace(-length / 2, length / 2, max(int(length / radius * 4), 2) + 1)[1:-1]
    profile = np.concatenate([top[::-1] * [1, -1], np.stack([0 * side + radius, side], axis=1), top])

    def distance(p):
        p = p - np.asarray(centre)
        along = np.clip(p[:, 2], -length / 2, length / 2)
        return np.sqrt(p[:, 0] ** 2 + p[:, 1] ** 2 + (p[:, 2] - along) ** 2) - radius
    return Shape("capsule", revolve(profile, segments, centre, "capsule"), distance,
                 np.pi * radius**2 * (length + 4 / 3 * radius))


def cylinder(radius: float = 0.3, length: float = 1.0, centre=(0.0, 0.0, 0.0), *, segments: int = 48) -> Shape:
    """A cylinder along z with flat ends."""
    across = np.linspace(0, radius, 7)[:, None]
    flat = np.concatenate([across, 0 * across + length / 2], axis=1)
    side = np.linspace(-length / 2, length / 2, 17)[1:-1]
    profile = np.concatenate([flat * [1, -1], np.stack([0 * side + radius, side], axis=1), flat[::-1]])

    def distance(p):
        p = p - np.asarray(centre)
        q = np.stack([np.hypot(p[:, 0], p[:, 1]) - radius, np.abs(p[:, 2]) - length / 2], axis=1)
        return np.linalg.norm(np.maximum(q, 0), axis=1) + np.minimum(q.max(1), 0)
    return Shape("cylinder", revolve(profile, segments, centre, "cylinder"), distance, np.pi * radius**2 * length)


def torus(ring: float = 0.5, tube: float = 0.15, centre=(0.0, 0.0, 0.0), *, segments: int = 64) -> Shape:
    """A ring around z."""
    turn = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    out = np.stack([np.cos(turn), np.sin(turn), 0 * turn], axis=1)
    mesh = _tube(ring * out, out, np.array([0.0, 0.0, 1.0]), np.full(segments, tube), segments // 2, True, centre,
                 "torus")

    def distance(p):
        p = p - np.asarray(centre)
        return np.hypot(np.hypot(p[:, 0], p[:, 1]) - ring, p[:, 2]) - tube
    return Shape("torus", mesh, distance, 2 * np.pi**2 * ring * tube**2)


def bent_capsule(radius: float = 0.12, bend: float = 0.5, angle: float = 1.8, centre=(0.0, 0.0, 0.0), *,
                 segments: int = 32) -> Shape:
    """A round-ended tube around an arc of radius `bend` in the xz plane, from the x axis through `angle` < pi."""
    turn = np.linspace(0, angle, int(angle * bend / radius * 6) + 2)
    cap = np.linspace(0, np.pi / 2, segments // 4 + 1)[1:]
    out = lambda t: np.stack([np.cos(t), 0 * t, np.sin(t)], axis=-1)  # noqa: E731
    along = lambda t: np.stack([-np.sin(t), 0 * t, np.cos(t)], axis=-1)  # noqa: E731
    begin, end = np.zeros_like(cap), np.full_like(cap, angle)
    points = np.concatenate([(bend * out(begin) - radius * np.sin(cap)[:, None] * along(begin))[::-1], bend * out(turn),
                             bend * out(end) + radius * np.sin(cap)[:, None] * along(end)])
    radii = radius * np.concatenate([np.cos(cap)[::-1], np.ones_like(turn), np.cos(cap)])
    turns = np.concatenate([begin, turn, end])
    mesh = _tube(points, out(turns), np.array([0.0, -1.0, 0.0]), radii, segments, False, centre, "bent_capsule")

    def distance(p):
        p = p - np.asarray(centre)
        middle = angle / 2
        off = np.arctan2(p[:, 2], p[:, 0]) - middle
        off = (off + np.pi) % (2 * np.pi) - np.pi
        at = bend * out(middle + np.clip(off, -middle, middle))
        return np.linalg.norm(p - at, axis=1) - radius
    return Shape("bent_capsule", mesh, distance, np.pi * radius**2 * (bend * angle + 4 / 3 * radius))


def dumbbell(radius: float = 0.25, bar: float = 0.1, length: float = 1.0, centre=(0.0, 0.0, 0.0), *,
             segments: int = 40) -> Shape:
    """Two balls, their centres `length` apart along z, joined by a thinner round bar."""
    neck = np.sqrt(radius**2 - bar**2)
    low, rim = length / 2 - neck, np.arctan2(-neck, bar)
    arc = np.linspace(rim, np.pi / 2, segments // 2)
    top = np.stack([radius * np.cos(arc), length / 2 + radius * np.sin(arc)], axis=1)
    side = np.linspace(-low, low, max(int(low / bar * 8), 2) + 1)[1:-1]
    profile = np.concatenate([top[::-1] * [1, -1], np.stack([0 * side + bar, side], axis=1), top])

    def distance(p):
        p = p - np.asarray(centre)
        r, z = np.hypot(p[:, 0], p[:, 1]), np.abs(p[:, 2])
        turn = np.arctan2(z - length / 2, r)
        to_arc = np.where(turn >= rim, np.abs(np.hypot(r, z - length / 2) - radius), np.inf)
        to_bar = np.hypot(r - bar, np.maximum(z - low, 0))  # its end is the rim where ball and bar meet
        inside = (np.hypot(r, z - length / 2) < radius) | ((r < bar) & (z < length / 2))
        return np.where(inside, -1.0, 1.0) * np.minimum(to_arc, to_bar)
    height = radius + neck
    volume = 2 * np.pi * height**2 * (3 * radius - height) / 3 + np.pi * bar**2 * 2 * low
    return Shape("dumbbell", revolve(profile, segments, centre, "dumbbell"), distance, float(volume))


def zoo() -> list[Shape]:
    """One of each, away from the origin."""
    makers = (ball, box, capsule, cylinder, torus, bent_capsule, dumbbell)
    return [make(centre=(0.1, -0.2, 0.7)) for make in makers]


def revolve(profile: np.ndarray, segments: int, centre=(0.0, 0.0, 0.0), name: str = "mesh") -> Mesh:
    """A profile of (radius, z) points, bottom to top, first and last on the axis, turned around z."""
    inner = np.asarray(profile, float)[1:-1]
    turn = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    rings = np.stack([inner[:, :1] * np.cos(turn), inner[:, :1] * np.sin(turn),
                      np.repeat(inner[:, 1:], segments, axis=1)], axis=-1)
    poles = np.array([[0, 0, profile[0][1]], [0, 0, profile[-1][1]]])
    return Mesh(np.concatenate([rings.reshape(-1, 3), poles]) + np.asarray(centre, float),
                _ring_faces(len(inner), segments, closed=False), name)


def _tube(points, outward, binormal, radii, segments, closed, centre, name) -> Mesh:
    """Circles around a curve in a plane; an open tube's first and last circle have radius 0 and become its ends."""
    turn = np.linspace(0, 2 * np.pi, segments, endpoint=False)
    circle = np.cos(turn)[:, None] * outward[:, None] + np.sin(turn)[:, None] * binormal
    rings = points[:, None] + radii[:, None, None] * circle
    if closed:
        vertices, count = rings.reshape(-1, 3), len(points)
    else:
        vertices = np.concatenate([rings[1:-1].reshape(-1, 3), points[:1], points[-1:]])
        count = len(points) - 2
    return Mesh(vertices + np.asarray(centre, float), _ring_faces(count, segments, closed)[:, ::-1], name)


def _ring_faces(rings: int, segments: int, closed: bool) -> np.ndarray:
    """Faces between consecutive rings of vertices; then fans to two poles, or the last ring joined to the first."""
    i, j = np.meshgrid(np.arange(rings if closed else rings - 1), np.arange(segments), indexing="ij")
    here, there = i * segments, (i + 1) % rings * segments
    a, b = here + j, here + (j + 1) % segments
    c, d = there + (j + 1) % segments, there + j
    faces = [np.stack([a, b, c], -1).reshape(-1, 3), np.stack([a, c, d], -1).reshape(-1, 3)]
    if not closed:
        j = np.arange(segments)
        following, last = (j + 1) % segments, (rings - 1) * segments
        faces += [np.stack([following, j, np.full(segments, rings * segments)], -1),
                  np.stack([last + j, last + following, np.full(segments, rings * segments + 1)], -1)]
    return np.concatenate(faces)


def _box_mesh(half, centre, divisions: int) -> Mesh:
    """The surface of an integer lattice of divisions^3 cells, its vertices shared, scaled to the box."""
    n = divisions
    u, v = (g.ravel() for g in np.meshgrid(np.arange(n), np.arange(n), indexing="ij"))
    quads = []
    for axis in range(3):
        for side in (0, n):
            corner = np.zeros((n * n, 4, 3), int)
            corner[:, :, axis] = side
            corner[:, :, (axis + 1) % 3] = u[:, None] + [0, 1, 1, 0]
            corner[:, :, (axis + 2) % 3] = v[:, None] + [0, 0, 1, 1]
            quads.append(corner if side else corner[:, ::-1])
    corners = np.concatenate(quads).reshape(-1, 3)
    lattice, index = np.unique(corners, axis=0, return_inverse=True)
    quad = index.reshape(-1, 4)
    faces = np.concatenate([quad[:, [0, 1, 2]], quad[:, [0, 2, 3]]])
    return Mesh((lattice / n * 2 - 1) * half + np.asarray(centre, float), faces, "box")
