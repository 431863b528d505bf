"""report.json: what became of every file of a run. The fields are described in README.md."""

from __future__ import annotations

import json

import bpy
import numpy as np

from .manifest import VERSION as GEPPETTO
from .rigging import Rigged

VERSION = 1


def describe(rigged: Rigged) -> dict:
    """The report's entry for a rigged character: joints in the world, and the numbers that tell whether it is good."""
    matrix = rigged.weights.matrix
    return {
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


def report_json(entries: list[dict]) -> bytes:
    """All entries as JSON, in the order of the files."""
    report = {"version": VERSION, "geppetto": GEPPETTO, "blender": bpy.app.version_string, "files": entries}
    return json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"
