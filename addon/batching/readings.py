"""What else a character may be taken for."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ...core import pipeline
from ...core.errors import RigError
from ...core.fitting.fit import FitOptions
from ...core.geometry.shape import Shape
from ...core.skeleton.rig import Rig
from ...core.skeleton.template import SkeletonTemplate
from ..bridge.armature import read_detail
from ..characters.rigging import Rigged


def likeliest_readings(rigged: Rigged, template: Callable[[Shape], SkeletonTemplate], *, hints=(), most: int
                       ) -> list[Rig]:
    """What else a character may be taken for: its rig, then the likeliest other readings, `most` at most in all.

    template : the function of the prepared shape it was rigged with;  hints : the pins.  Returns rigs in the world,
    as far into detail as the first; one that could not be fitted has no bones and says why in its warnings.
    """
    rigs = [rigged.rig]
    for reading in [k for k in range(rigged.rig.readings) if k != rigged.rig.reading][:most - 1]:
        try:
            rigs.append(pipeline.fit(rigged.character.mesh, template(rigged.shape), hints, shape=rigged.shape,
                                     options=FitOptions(reading=reading), detail=read_detail(rigged.armature)))
        except RigError as error:
            nothing = np.zeros((0, 3))
            rigs.append(Rig((), np.zeros(0, int), nothing, nothing, warnings=(str(error),), reading=reading,
                            readings=rigged.rig.readings))
    return rigs
