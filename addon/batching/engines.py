"""What a run writes for engines, `--for`, and how its characters stand at rest, `--rest`."""

from __future__ import annotations

from pathlib import Path

import bpy

from ...core.errors import BadRig, RigError
from ...core.skeleton.engine import load_engine
from ..bridge.files import Outputs
from ..characters.rest_poses import take_rest_pose
from ..characters.rigging import Rigged
from ..export.exporting import ExportOptions, export_into
from .options import RigOptions, engine_suffix


def rest(armature: bpy.types.Object, options: RigOptions) -> list[str]:
    """Bring a character to the rest pose that was asked for.  Returns a warning if it stays as it was modelled."""
    if options.rest != "modelled":
        try:
            take_rest_pose(bpy.context, armature, options.rest)
        except RigError as error:
            return [f"'{armature.name}' was not brought into the {options.rest}-pose. {error}"]
    return []


def write_engines(rigged: Rigged, target: Path, options: RigOptions, outputs: Outputs) -> tuple[dict, list[str]]:
    """Write the character for each engine, among the outputs.

    Returns what the report says of it, and warnings.  One that does not take such a body is left out with a warning.
    Raises RigError.
    """
    made = []
    warnings = []
    for name in options.for_:
        engine = load_engine(name)
        path = target.with_name(target.name + engine_suffix(name))
        wanted = ExportOptions(meta={"name": target.name})
        try:
            done = export_into(bpy.context, rigged.armature, engine, path, wanted, outputs)
        except BadRig as error:
            warnings.append(f"'{path.name}' was left out: {error}")
            continue
        made.append({"engine": engine.name, "file": path.name, "bones": done.bones, "objects": done.objects,
                     "motions": list(done.takes), "person": done.is_person})
        warnings += done.warnings
    return {"engines": made} if made else {}, warnings
