"""What is derived from meshes and can be dropped at any time: shapes and fits, found again by what the mesh was."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator
from hashlib import blake2b

import numpy as np

from ..core.fitting.fit import FitOptions, Fitter
from ..core.fitting.stance import Stance
from ..core.geometry.mesh import Mesh
from ..core.geometry.shape import Shape
from ..core.pipeline import prepare_shape_steps
from ..core.skeleton.template import SkeletonTemplate

KEPT = 2  # characters remembered; a shape of 100 000 vertices takes some 50 MB

_shapes: OrderedDict[bytes, Shape] = OrderedDict()
_fitters: OrderedDict[tuple, Fitter] = OrderedDict()


def signature(mesh: Mesh, stance: Stance) -> bytes:
    """The same for the same mesh standing the same way."""
    digest = blake2b(digest_size=16)
    for array in (mesh.vertices, mesh.faces, np.round(stance.rotation, 9) + 0.0):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()


def shape_steps(mesh: Mesh, stance: Stance) -> Generator[tuple[str, float], None, Shape]:
    """`prepare_shape_steps`, or what it gave before for this mesh."""
    key = signature(mesh, stance)
    if key not in _shapes:
        _keep(_shapes, key, (yield from prepare_shape_steps(mesh, stance)))
    _shapes.move_to_end(key)
    return _shapes[key]


def fitter_of(shape: Shape, template: SkeletonTemplate, options: FitOptions = FitOptions()) -> Fitter:
    """The kept fit of a template into a shape."""
    key = (id(shape), template.name, id(template), options.mirror_pins)
    known = _fitters.get(key)
    if known is None or known.shape is not shape or known.template is not template:
        _keep(_fitters, key, Fitter(shape, template, options))
    return _fitters[key]


def clear() -> None:
    """Forget everything."""
    _shapes.clear()
    _fitters.clear()


def _keep(known: OrderedDict, key, value) -> None:
    known[key] = value
    known.move_to_end(key)
    while len(known) > KEPT:
        known.popitem(last=False)
