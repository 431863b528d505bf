"""The same input gives the same results: to the bit where a format holds no times and addresses, else by contents."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import bpy
import numpy as np
import pytest

from .batches import HAS_USD, main, results_in
from .scenes import group_weights

pytestmark = pytest.mark.slow

KINDS = ("blend", "glb", "fbx", *(("usd",) if HAS_USD else ()))


@pytest.fixture(scope="module")
def twice(person_blend, tmp_path_factory) -> list[Path]:
    """Two folders of results of one file."""
    folders = [tmp_path_factory.mktemp("same") for _ in range(2)]
    for folder in folders:
        assert main([str(person_blend), "--out", str(folder), "--format", ",".join(KINDS), "--motion", "walk"]) == 0
    return folders


def test_pictures_and_glb_are_the_same_to_the_bit(twice):
    first, second = twice
    alike = [name for name in results_in(first) if name.endswith((".glb", ".png"))]
    assert len(alike) == 3 and results_in(first) == results_in(second)
    assert [name for name in alike if (first / name).read_bytes() != (second / name).read_bytes()] == []


@pytest.mark.parametrize("suffix", [".blend", ".fbx", *([".usdz"] if HAS_USD else [])])
def test_what_the_other_files_hold_is_the_same(twice, suffix):
    first, second = (contents(next(folder.glob(f"*{suffix}"))) for folder in twice)
    assert len(first) > 20 and first == second


def contents(path: Path) -> dict[str, object]:
    """Everything that was made, under names; numbers as digests of their bits."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    {".blend": lambda: bpy.ops.wm.open_mainfile(filepath=str(path)),
     ".fbx": lambda: bpy.ops.import_scene.fbx(filepath=str(path)),
     ".usdz": lambda: bpy.ops.wm.usd_import(filepath=str(path))}[path.suffix]()
    found: dict[str, object] = {}
    for o in bpy.data.objects:
        found[o.name] = o.type, o.parent.name if o.parent else "", bits(o.matrix_world)
        if o.type == "MESH":
            mesh = o.data
            found[f"{o.name} mesh"] = bits([v.co for v in mesh.vertices]), [tuple(p.vertices) for p in mesh.polygons]
            found[f"{o.name} weights"] = {name: bits(weights) for name, weights in group_weights(o).items()}
            found[f"{o.name} layers"] = sorted(mesh.uv_layers.keys()), sorted(mesh.color_attributes.keys())
            found[f"{o.name} materials"] = [m.name for m in mesh.materials]
        if o.type == "ARMATURE":
            for bone in o.data.bones:
                found[f"{o.name} {bone.name}"] = bits(bone.matrix_local), bone.length, bone.use_deform
            for frame in (1, 10):
                bpy.context.scene.frame_set(frame)
                found[f"{o.name} at {frame}"] = bits([bone.matrix for bone in o.pose.bones])
    return found


def bits(values) -> str:
    """A digest of numbers."""
    return sha256(np.array(values, dtype=float).tobytes()).hexdigest()
