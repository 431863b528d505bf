"""What the report says of a rigged character. The fields are described in docs/batch.md."""

from __future__ import annotations

import numpy as np

from ..core.detail.grow import finger_counts
from ..core.skeleton.eye import EYES
from ..core.skeleton.rig import Rig, doubtful
from .characters.rigging import Rigged


def describe(rigged: Rigged) -> dict:
    """The report's entry for a rigged character: joints in the world, and the numbers that tell whether it is good.

    What the fit does not know of a joint's confidence is left out; `least_confidence` is None if it knows of none.
    """
    matrix = rigged.weights.matrix
    return {
        "preset": rigged.preset,
        "odds": {} if rigged.found is None else {k: round(p, 4) for k, p in rigged.found.odds.items() if p >= 1e-4},
        "joints": _places(rigged.rig),
        "says": rigged.rig.says,
        "notes": list(rigged.notes),
        "confidence": _confidence(rigged.rig),
        "least_confidence": min(_confidence(rigged.rig).values(), default=None),
        "doubtful": list(doubtful(rigged.rig)),
        "fingers": finger_counts(rigged.rig),
        "eyes": len(set(EYES) & set(rigged.rig.names)),
        "things": list(rigged.rig.things),
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


def describe_reading(rig: Rig) -> dict:
    """What a body may be taken for: its number among the readings, from 1, what it says, and where its joints are."""
    return {"number": rig.reading + 1, "says": rig.says, "joints": _places(rig), "confidence": _confidence(rig),
            "warnings": list(rig.warnings)}


def _places(rig: Rig) -> dict[str, list[float]]:
    return {name: [float(x) for x in place] for name, place in rig.joints.items()}


def _confidence(rig: Rig) -> dict[str, float]:
    return {name: float(rig.confidence[name]) for name in rig.joints if name in rig.confidence}
