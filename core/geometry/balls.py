"""Loose parts of a mesh that are balls, or enough of one to tell: eyes, rivets, beads."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import frozen
from .mesh import Mesh

FEWEST = 12  # vertices: an icosahedron has so many
ROUND = 0.04  # how far vertices lie off the ball, standard deviation in radii: modelled balls 0.03, lumps above 0.06
ROUGH, FULL = 0.075, 1.75  # the same of a whole ball with a rough surface; its sides in radii
OUTWARD = 0.9  # mean cosine of its faces with the way out of the middle: balls 0.97 and more, short cylinders less
LONG = 1.7  # times as long as thick: heads, and the eyes in them, are stretched
# Of a radius, the least, middle and largest side of the box around it: half a ball is enough, a lid or a coin is not.
SIDES, WHOLE = (0.8, 1.5, 1.7), 2.2


@dataclass(frozen=True, eq=False)
class Balls:
    """N loose parts that are balls.

    parts : (N,) their numbers;  centres : (N, 3);  radii : (N,) the longest half axes
    """

    parts: np.ndarray
    centres: np.ndarray
    radii: np.ndarray

    def __post_init__(self):
        object.__setattr__(self, "parts", frozen(self.parts, np.int64, (None,), "parts"))
        object.__setattr__(self, "centres", frozen(self.centres, float, (None, 3), "centres"))
        object.__setattr__(self, "radii", frozen(self.radii, float, (None,), "radii"))


def loose_balls(mesh: Mesh, part: np.ndarray) -> Balls:
    """The parts whose vertices lie on a ball, or one stretched along x, y or z, and whose faces look out of it.

    mesh : welded;  part : (V,) connected part of each vertex, as `vertex_components` gives it
    Fitted to each part by least squares: a x^2 + b y^2 + c z^2 + d x + e y + f z = 1.
    """
    size = np.bincount(part)
    own = np.flatnonzero(size >= FEWEST)
    if not len(own):
        return Balls(own, np.zeros((0, 3)), np.zeros(0))
    number = np.full(len(size), -1)
    number[own] = np.arange(len(own))
    rows = np.flatnonzero(number[part] >= 0)
    of, points = number[part[rows]], mesh.vertices[rows]
    order = np.argsort(of, kind="stable")
    first = np.searchsorted(of[order], np.arange(len(own)))
    low, high = (f.reduceat(points[order], first) for f in (np.minimum, np.maximum))
    middle, scale = (low + high) / 2, np.maximum((high - low).max(1), 1e-300)
    local = (points - middle[of]) / scale[of, None]
    fitted = _fit_boxes(local, of, len(own))
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        centre = -fitted[:, 3:] / (2 * fitted[:, :3])
        axes = np.sqrt((1 + (fitted[:, :3] * centre**2).sum(1))[:, None] / fitted[:, :3])
        good = np.isfinite(axes).all(1) & (axes.max(1) <= LONG * axes.min(1))
        sides = np.sort((high - low) / scale[:, None] / axes, axis=1)
    good &= (sides > SIDES).all(1) & (sides < WHOLE).all(1)
    centre, axes = np.where(good[:, None], centre, 0.0), np.where(good[:, None], axes, 1.0)
    unit = (local - centre[of]) / axes[of]
    away = np.linalg.norm(unit, axis=1) - 1.0
    good &= np.sqrt(np.bincount(of, away**2, len(own)) / size[own]) < np.where(sides[:, 0] > FULL, ROUGH, ROUND)
    place = np.full(len(mesh.vertices), -1)
    place[rows] = np.arange(len(rows))
    faces = place[mesh.faces[number[part[mesh.faces[:, 0]]] >= 0]]
    good &= _outwardness(unit[faces], of[faces[:, 0]], len(own)) > OUTWARD
    return Balls(own[good], (middle + centre * scale[:, None])[good], (axes.max(1) * scale)[good])


def _fit_boxes(points: np.ndarray, of: np.ndarray, count: int) -> np.ndarray:
    """(count, 6) a to f of each group's best quadric without mixed terms.  of : (N,) the group of each point"""
    row = np.concatenate([points**2, points], axis=1)
    products = (row[:, :, None] * row[:, None, :]).reshape(len(row), 36)
    normal = np.stack([np.bincount(of, x, count) for x in products.T], 1).reshape(count, 6, 6)
    right = np.stack([np.bincount(of, x, count) for x in row.T], 1)
    return (np.linalg.pinv(normal, rcond=1e-9, hermitian=True) @ right[:, :, None])[:, :, 0]


def _outwardness(triangles: np.ndarray, of: np.ndarray, count: int) -> np.ndarray:
    """(count,) mean cosine between faces' normals and the way to them from the origin, by area; turned faces count
    alike."""
    normal = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    area, middle = np.linalg.norm(normal, axis=1), triangles.mean(1)
    out = np.abs((normal * middle).sum(1)) / np.maximum(np.linalg.norm(middle, axis=1), 1e-300)
    return np.bincount(of, out, count) / np.maximum(np.bincount(of, area, count), 1e-300)
