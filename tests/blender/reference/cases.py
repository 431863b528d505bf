"""All cases of what is between the core and Blender, and where their results are kept."""

from __future__ import annotations

import logging
from pathlib import Path

import bpy
import mathutils
import numpy as np

import geppetto
from geppetto.addon.bridge.mesh import Part
from geppetto.addon.current import renew_context
from tests.blender.reference import batches, bindings, meshes, motions, rigs, state
from tests.keeping.record import READS
from tests.keeping.results import ARE_PINNED, PINNED, Results

ADDON = Path(geppetto.__file__).parent / "addon"
IS_OURS = Path(__file__).parents[3] == ADDON.parent and not bpy.app.binary_path  # no zip, and Blender's wheel
HOLDS = ARE_PINNED and IS_OURS and f"bpy=={bpy.app.version[0]}.{bpy.app.version[1]}.*" in PINNED

# What these say differs from run to run, from one state of the sources to the next, or is kept from an earlier case.
APART = ("batching/contents:program_key", "batching/contents:settings_key", "bridge/mesh:_stamp", "meshes:grown")
WATCHED = {ADDON / "bridge": "bridge/", ADDON / "batching": "batching/",
           **{Path(part.__file__): "" for part in (batches, bindings, meshes, motions, rigs, state)}}

READS.update({Part: lambda part: [part.object.name, part.source, part.name],
              bpy.types.bpy_struct: lambda one: getattr(one, "name", ""),
              **dict.fromkeys((mathutils.Matrix, mathutils.Vector, mathutils.Quaternion, mathutils.Euler), np.array)})


def fresh() -> None:
    """An empty scene, and a Blender that tells nothing."""
    logging.disable(logging.INFO)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    renew_context()


RESULTS = Results("tests.blender.reference", Path(__file__).parent / "kept",
                  meshes.CASES | bindings.CASES | rigs.CASES | motions.CASES | batches.CASES,
                  WATCHED, APART, before=fresh, numerics="warn")
