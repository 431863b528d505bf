"""Prepared bodies for the tests of fitting, each prepared once."""

from __future__ import annotations

from functools import cache
from weakref import WeakValueDictionary

import numpy as np

from core.geometry.mesh import Mesh
from core.geometry.shape import Shape, prepare_steps
from core.pipeline import run
from tests import characters, shapes
from tests.characters.implicit import Blend, Ellipsoid, RoundCone
from tests.characters.surface_nets import grow

_prepared: WeakValueDictionary[tuple, Shape] = WeakValueDictionary()


def prepared(mesh: Mesh, resolution: int = 128) -> Shape:
    """The stages of `prepare`. While some test file keeps a shape the others get the same one: what stands out of it
    is looked at once as well."""
    key = (mesh.vertices.tobytes(), mesh.faces.tobytes(), mesh.name, resolution)
    shape = _prepared.get(key)
    if shape is None:
        shape = _prepared[key] = run(prepare_steps(mesh, resolution=resolution))
    return shape


@cache
def solid(name: str, resolution: int = 128) -> tuple[shapes.Shape, Shape]:
    """A body of known distance, and the same prepared."""
    ideal = {"ball": lambda: shapes.ball(0.5), "box": lambda: shapes.box((1.0, 0.5, 0.7)),
             "capsule": lambda: shapes.capsule(0.15, 0.7), "dumbbell": shapes.dumbbell, "torus": shapes.torus,
             "bent": shapes.bent_capsule}[name]()
    return ideal, prepared(ideal.mesh, resolution)


@cache
def star(arms: int = 5) -> tuple[np.ndarray, Shape]:
    """Arms of unlike lengths around a ball, in the plane y = 0: their tips in object space, and the body prepared."""
    angle = 0.3 + 2 * np.pi * np.arange(arms) / arms
    tips = np.stack([np.cos(angle), 0 * angle, np.sin(angle)], 1) * (0.6 + 0.08 * np.arange(arms))[:, None]
    parts = (Ellipsoid((0, 0, 0), (0.2, 0.2, 0.2)), *(RoundCone((0, 0, 0), tuple(t), 0.1, 0.06) for t in tips))
    return tips, prepared(grow(Blend(parts, 0.03), 0.04, mirrored=False))


@cache
def body(name: str) -> Shape:
    """A generated character, prepared."""
    return prepared(getattr(characters, name)().mesh)
