"""What is derived from meshes and can be dropped at any time: shapes and fits, found again by what the mesh was.

What was found about an object is kept by its `session_uid`, which no other has and which stays when it is renamed.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Generator
from hashlib import blake2b

import numpy as np

from ..core.detail.grow import DetailOptions, Grower
from ..core.fitting.options import FitOptions
from ..core.geometry.mesh import Mesh
from ..core.geometry.shape import Shape
from ..core.pipeline import prepare_shape_steps
from ..core.seeing.stance import Stance
from ..core.skeleton.template import SkeletonTemplate

KEPT = 2  # characters remembered; a shape of 100 000 vertices takes some 50 MB
TOLD = 100  # characters of which what was said is remembered

_shapes: OrderedDict[bytes, Shape] = OrderedDict()
_fitters: OrderedDict[tuple, Grower] = OrderedDict()
_checks: OrderedDict[int, object] = OrderedDict()
_outdated: set[int] = set()
_weights: OrderedDict[int, object] = OrderedDict()
_doubts: OrderedDict[int, tuple[str, ...]] = OrderedDict()
_motions: list = ["", ()]  # the last motion file's path, and its actions
_binding: list = [None, None]  # its key, and (character, geodesic binding)


def signature(mesh: Mesh, stance: Stance) -> bytes:
    """The same for the same mesh standing the same way."""
    digest = blake2b(digest_size=16)
    for array in (mesh.vertices, mesh.faces, np.round(stance.rotation, 9) + 0.0, np.array([stance.has_base])):
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.digest()


def shape_steps(mesh: Mesh, stance: Stance) -> Generator[tuple[str, float], None, Shape]:
    """`prepare_shape_steps`, or what it gave before for this mesh."""
    key = signature(mesh, stance)
    if key not in _shapes:
        _keep(_shapes, key, (yield from prepare_shape_steps(mesh, stance)))
    _shapes.move_to_end(key)
    return _shapes[key]


def fitter_of(shape: Shape, template: SkeletonTemplate, options: FitOptions = FitOptions(),
              detail: DetailOptions = DetailOptions()) -> Grower:
    """The kept fit of a template into a shape, for these options."""
    key = (id(shape), template.name, id(template), options, detail)
    known = _fitters.get(key)
    if known is None or known.shape is not shape or known.template is not template:
        _keep(_fitters, key, Grower(shape, template, options, detail))
    _fitters.move_to_end(key)
    return _fitters[key]


def binding(key):
    """What was kept under this key last, None if it was another."""
    return _binding[1] if _binding[0] == key else None


def keep_binding(key, value) -> None:
    """Keep a binding instead of the one before; they are large."""
    _binding[:] = [key, value]


def check_of(number: int):
    """What the check found about a character, by the number of the object that holds its pins."""
    return _checks.get(number)


def keep_check(number: int, found) -> None:
    """Remember what the check found; it is newer than what was said when the character was rigged."""
    _keep(_checks, number, found, TOLD)
    _outdated.discard(number)


def outdate_check(number: int) -> None:
    """The character was rigged or bound: what was said then is newer than what the check found before."""
    _outdated.add(number)


def is_check_newest(number: int) -> bool:
    """Whether the check found something about a character since it was rigged or bound."""
    return number in _checks and number not in _outdated


def drop_check(number: int) -> None:
    """Forget what the check found: the character is another one now."""
    _checks.pop(number, None)


def motions() -> tuple[str, tuple]:
    """(path, actions) of the motion file that was opened last."""
    return _motions[0], _motions[1]


def keep_motions(path: str, found) -> None:
    """Remember a motion file's actions, for the panel."""
    _motions[:] = [path, tuple(found)]


def doubts_of(number: int) -> tuple[str, ...]:
    """What is in doubt about the motion an armature was given last."""
    return _doubts.get(number, ())


def keep_doubts(number: int, warnings: tuple[str, ...]) -> None:
    """Remember it, for the panel."""
    _keep(_doubts, number, warnings)


def weights_of(number: int):
    """What the weight check found about what an armature moves, by the armature's number."""
    return _weights.get(number)


def has_weights() -> bool:
    """Whether the weight check found anything about any armature."""
    return bool(_weights)


def keep_weights(number: int, found) -> None:
    """Remember what the weight check found."""
    _keep(_weights, number, found)


def drop_weights(number: int) -> None:
    """Forget what the weight check found about what an armature moves: its weights are others now."""
    _weights.pop(number, None)


def clear() -> None:
    """Forget everything."""
    _shapes.clear()
    _fitters.clear()
    _checks.clear()
    _outdated.clear()
    _doubts.clear()
    _motions[:] = ["", ()]
    _weights.clear()
    _binding[:] = [None, None]


def _keep(known: OrderedDict, key, value, most: int = KEPT) -> None:
    known[key] = value
    known.move_to_end(key)
    while len(known) > most:
        known.popitem(last=False)
