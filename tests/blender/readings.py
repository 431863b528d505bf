"""Bodies that can be read in several ways, whatever the core makes of them: fits with readings made by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from geppetto.core.fitting.fit import Fitter
from geppetto.core.skeleton.template import rig_from_joints

SAYS = ("two legs under an upright body with two arms", "two broad wings and two legs", "four legs of like length")
STEP = 0.04  # how much lower a reading lies than the one before
UNSURE = ("forearm.L", "forearm.R", "head")
_fit = Fitter.steps


def steps_with_readings(fitter: Fitter, hints):
    """`Fitter.steps` for a body that three readings suit, each lying lower than the one before, but for its pins."""
    plain = Fitter(fitter.shape, fitter.template, replace(fitter.options, reading=0))
    plain.skeletal = fitter.skeletal
    rig = yield from _fit(plain, hints)
    reading = fitter.options.reading % len(SAYS)
    joints = {name: np.asarray(place) - [0.0, 0.0, 0.0 if name in hints else STEP * reading]
              for name, place in rig.joints.items()}
    confidence = {name: 1.0 if name in hints else 0.2 if name in UNSURE else 0.9 for name in joints}
    moved = rig_from_joints(fitter.template, np.array([joints[n] for n in fitter.template.names]))
    return replace(moved, x_axes=rig.x_axes, penalty=rig.penalty, warnings=rig.warnings, confidence=confidence,
                   reading=reading, readings=len(SAYS), says=SAYS[reading])
