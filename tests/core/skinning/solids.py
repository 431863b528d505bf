"""Closed meshes with known insides, and the simplest skeletons to put in them."""

from __future__ import annotations

import numpy as np

from core.geometry.mesh import Mesh
from core.geometry.shape import Shape, prepare_steps
from core.skeleton.rig import Rig


def prepare(mesh: Mesh, resolution: int = 64) -> Shape:
    """Drain the stages of preparing a mesh."""
    steps = prepare_steps(mesh, resolution=resolution)
    while True:
        try:
            next(steps)
        except StopIteration as done:
            return done.value


def tube(radius: float = 0.1, length: float = 1.0, around: int = 24, along: int = 41, axis: int = 0) -> Mesh:
    """A closed cylinder about a coordinate axis from 0 to `length`; rings of `around` vertices, two end points."""
    turn = 2 * np.pi * np.arange(around) / around
    where = np.linspace(0, length, along)
    ring = np.stack([np.zeros(around), radius * np.cos(turn), radius * np.sin(turn)], 1)
    body = (ring[None] + where[:, None, None] * np.array([1.0, 0, 0])).reshape(-1, 3)
    vertices = np.concatenate([body, [[0.0, 0, 0], [length, 0, 0]]])
    i, j = np.meshgrid(np.arange(along - 1), np.arange(around), indexing="ij")
    a, b = (i * around + j).ravel(), (i * around + (j + 1) % around).ravel()
    c, d = a + around, b + around
    k = np.arange(around)
    first, last = len(body), len(body) + 1
    end = (along - 1) * around
    faces = np.concatenate([np.stack([a, b, d], 1), np.stack([a, d, c], 1),
                            np.stack([np.full(around, first), (k + 1) % around, k], 1),
                            np.stack([np.full(around, last), end + k, end + (k + 1) % around], 1)])
    return Mesh(np.roll(vertices, axis, axis=1), faces)


def box(low, high, cells: int = 8) -> Mesh:
    """The surface of a box, each side a grid of `cells` squares cut into triangles; sides share no vertices."""
    low, high = np.asarray(low, float), np.asarray(high, float)
    step = np.linspace(0, 1, cells + 1)
    u, v = (x.ravel() for x in np.meshgrid(step, step, indexing="ij"))
    i, j = (x.ravel() for x in np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij"))
    a = i * (cells + 1) + j
    b, c, d = a + cells + 1, a + cells + 2, a + 1
    square = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    vertices, faces = [], []
    for axis in range(3):
        for side in (0.0, 1.0):
            unit = np.stack([np.full(len(u), side), u, v], 1)
            faces.append((square if side else square[:, ::-1]) + sum(map(len, vertices)))
            vertices.append(low + np.roll(unit, axis, axis=1) * (high - low))
    return Mesh(np.concatenate(vertices), np.concatenate(faces))


def joined(*meshes: Mesh) -> Mesh:
    """Several meshes as one, nothing welded."""
    counts = np.cumsum([0, *(len(m.vertices) for m in meshes)])
    return Mesh(np.concatenate([m.vertices for m in meshes]),
                np.concatenate([m.faces + n for m, n in zip(meshes, counts[:-1], strict=True)]))


def bones(*segments, parents=None, names=None, **rest) -> Rig:
    """A rig of (head, tail) pairs, a chain unless told otherwise."""
    heads, tails = (np.array(x, float) for x in zip(*segments, strict=True))
    names = tuple(f"bone{i}" for i in range(len(segments))) if names is None else names
    return Rig(names, np.arange(-1, len(segments) - 1) if parents is None else parents, heads, tails, **rest)


def two_bones(length: float = 1.0) -> Rig:
    """Two equal bones end to end along x."""
    return bones(((0.0, 0, 0), (length / 2, 0, 0)), ((length / 2, 0, 0), (length, 0, 0)))
