"""From a character to its joints, ready to be shown for editing."""

from __future__ import annotations

from collections.abc import Callable, Generator

import numpy as np

from ...core.detail.grow import DetailOptions
from ...core.fitting.check import stand_steps
from ...core.geometry.mesh import Mesh
from ...core.geometry.shape import Shape
from ...core.seeing.stance import Stance, detect_stance
from ...core.skeleton.template import SkeletonTemplate
from .. import session
from ..bridge.mesh import read_character
from . import pins
from .joints import ShownJoints
from .unchanged import seen_as


def show_steps(context, objects, template: Callable[[Shape], SkeletonTemplate],
               stance: Callable[[Mesh], Stance] = detect_stance, detail: DetailOptions = DetailOptions()
               ) -> Generator[tuple[str, float], None, ShownJoints]:
    """Read a character and fit its joints, yielding (stage, fraction).  Raises RigError.

    template, stance : functions of the prepared shape and of the mesh
    """
    yield "Reading the mesh", 0.0
    character = read_character(context, objects)
    owner = pins.owner_of(part.object for part in character.parts)
    place = np.array(owner.matrix_world, float)
    name, numbers = owner.name, {part.name: part.object.session_uid for part in character.parts}
    read = {part.name: seen_as(part.object, owner) for part in character.parts}
    yield "Seeing how it stands", 0.05
    _, shape = yield from stand_steps(character.mesh, stance(character.mesh), session.shape_steps)
    yield "Finding the middle", 0.8
    result = ShownJoints(name, numbers, place, template(shape), shape, read, detail)
    if result.owner_object() is not None:
        result.settle()
        result.rig(context)
        yield "Refining the joints", 0.9
        result.prepare(context)
    return result
