"""A generated character: its objects, their colours, and where its joints truly are."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache, wraps

import numpy as np

from core.arrays import frozen
from core.geometry.mesh import Mesh

from .implicit import Blend
from .surface_nets import cell_for, grow


@dataclass(frozen=True, eq=False)
class Character:
    """Objects of one character with known joints, Z up, facing -Y, its left = +X, standing on z = 0.

    meshes : the objects, named;  colors : per object (V, 3) red, green, blue in 0 to 1 (sRGB)
    joints : {joint name: (3,)} where an artist would put the joints of the preset
    kind : "biped", "quadruped", "centaur", "bird", "robot"
    """

    name: str
    meshes: tuple[Mesh, ...]
    colors: tuple[np.ndarray, ...]
    joints: dict = field(default_factory=dict)
    kind: str = "biped"

    def __post_init__(self):
        colors = tuple(frozen(np.broadcast_to(c, (len(m.vertices), 3)), np.float64, (None, 3), "colors")
                       for c, m in zip(self.colors, self.meshes, strict=True))
        joints = {name: frozen(p, np.float64, (3,), name) for name, p in self.joints.items()}
        object.__setattr__(self, "meshes", tuple(self.meshes))
        object.__setattr__(self, "colors", colors)
        object.__setattr__(self, "joints", joints)

    @property
    def mesh(self) -> Mesh:
        """All objects as one mesh; `part_of_vertex` says which object a vertex came from."""
        return merge(self.meshes, self.name)

    @property
    def height(self) -> float:
        """From the lowest to the highest vertex."""
        z = np.concatenate([m.vertices[:, 2] for m in self.meshes])
        return float(z.max() - z.min())

    def moved(self, matrix, offset=(0.0, 0.0, 0.0)) -> Character:
        """The character under p -> matrix @ p + offset; a reflection turns the faces, so outside stays outside."""
        matrix, offset = np.asarray(matrix, float), np.asarray(offset, float)
        flip = np.linalg.det(matrix) < 0
        meshes = tuple(Mesh(m.vertices @ matrix.T + offset, m.faces[:, ::-1] if flip else m.faces, m.name,
                            m.part_of_vertex) for m in self.meshes)
        return replace(self, meshes=meshes, joints={n: matrix @ p + offset for n, p in self.joints.items()})


@dataclass(frozen=True, eq=False)
class Piece:
    """One object to grow: an implicit solid and its paint, a colour or a function of (N, 3) points."""

    name: str
    solid: object
    paint: object
    fineness: float = 1.0


def grown_once(make: Callable[..., Character]) -> Callable[..., Character]:
    """A generator that gives back the same character whenever it is asked for the same, and grows it only once.

    Anew where chance or a list is among what it is given, and where calls are recorded: their number must not depend
    on what was grown before.
    """
    known = lru_cache(maxsize=32)(make)

    @wraps(make)
    def made(*args, **options) -> Character:
        given = (*args, *options.values())
        if sys.getprofile() or any(isinstance(x, np.random.Generator) or x.__hash__ is None for x in given):
            return make(*args, **options)
        return known(*args, **options)

    return made


def merge(meshes, name: str = "mesh") -> Mesh:
    """Several objects as one mesh, vertices and faces in order, `part_of_vertex` numbering the objects."""
    starts = np.cumsum([0] + [len(m.vertices) for m in meshes])
    return Mesh(np.concatenate([m.vertices for m in meshes]),
                np.concatenate([m.faces + start for m, start in zip(meshes, starts[:-1], strict=True)]), name,
                np.concatenate([np.full(len(m.vertices), i) for i, m in enumerate(meshes)]))


def grow_pieces(name, pieces, joints, kind, cell, *, mirrored=True, scale=1.0) -> Character:
    """Extract each piece at `cell` / its fineness, and enlarge everything by `scale`."""
    meshes, colors = [], []
    for piece in pieces:
        mesh = grow(piece.solid, cell / piece.fineness, mirrored=mirrored, name=piece.name)
        paint = piece.paint(mesh.vertices) if callable(piece.paint) else piece.paint
        meshes.append(Mesh(mesh.vertices * scale, mesh.faces, mesh.name))
        colors.append(np.broadcast_to(np.asarray(paint, float), mesh.vertices.shape))
    return Character(name, tuple(meshes), tuple(colors), {n: np.asarray(p, float) * scale for n, p in joints.items()},
                     kind)


def fuse(pieces, k: float, name: str = "body") -> Piece:
    """One object made of all pieces, seams rounded over `k`, painted like the nearest piece."""
    def paint(points):
        depth = np.array([p.solid.distance(points) for p in pieces])
        colours = np.array([np.broadcast_to(np.asarray(p.paint(points) if callable(p.paint) else p.paint, float),
                                            points.shape) for p in pieces])
        return colours[depth.argmin(0), np.arange(len(points))]
    return Piece(name, Blend(tuple(p.solid for p in pieces), k), paint)


def cell_of_pieces(pieces, vertices: int, *, mirrored: bool = True) -> float:
    """The cell at which all pieces together have about `vertices` vertices."""
    return float(np.sqrt(sum((cell_for(p.solid, vertices, mirrored=mirrored) * p.fineness)**2 for p in pieces)))


def thicker(radius, cell: float):
    """A radius, or one large enough for the lattice to see."""
    return np.maximum(radius, 0.92 * cell)
