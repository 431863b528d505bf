"""What the report says of a rigged character. The fields are described in README.md."""

from __future__ import annotations

import numpy as np

from .rigging import Rigged


def describe(rigged: Rigged) -> dict:
    """The report's entry for a rigged character: joints in the world, and the numbers that tell whether it is good."""
    matrix = rigged.weights.matrix
    return {
        "preset": rigged.preset,
        "joints": {name: [float(x) for x in place] for name, place in rigged.rig.joints.items()},
        "bones": len(rigged.rig.names),
        "vertices": len(rigged.character.mesh.vertices),
        "faces": len(rigged.character.mesh.faces),
        "parts": len(rigged.character.parts),
        "method": rigged.weights.method,
        "reason": rigged.weights.reason,
        "influences": int(np.diff(matrix.indptr).max(initial=0)),
        "bare_vertices": int((np.asarray(matrix.sum(1)).ravel() <= 0).sum()),
        "penalty": {name: float(value) for name, value in rigged.rig.penalty.items()},
        "binding": {name: float(value) for name, value in rigged.weights.report.items()},
    }
