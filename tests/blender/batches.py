"""The program for tests: started in this process or by itself, and what it leaves."""

from __future__ import annotations

import json
from pathlib import Path

import bpy

from geppetto.addon import batch

HAS_USD = "usd_import" in dir(bpy.ops.wm)  # some Linux distributions build Blender without it
QUICK = ["--no-picture", "--format", "blend"]


def main(arguments) -> int:
    """The program without its second process: the same work, and monkeypatches reach it."""
    return batch.main(arguments, isolate=False)


def fresh() -> None:
    """An empty scene."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


def save(path: Path) -> Path:
    """The scene as a file of the kind its name says."""
    name = str(path)
    {".blend": lambda: bpy.ops.wm.save_as_mainfile(filepath=name, copy=True),
     ".glb": lambda: bpy.ops.export_scene.gltf(filepath=name),
     ".gltf": lambda: bpy.ops.export_scene.gltf(filepath=name, export_format="GLTF_SEPARATE"),
     ".fbx": lambda: bpy.ops.export_scene.fbx(filepath=name),
     ".obj": lambda: bpy.ops.wm.obj_export(filepath=name),
     ".ply": lambda: bpy.ops.wm.ply_export(filepath=name),
     ".stl": lambda: bpy.ops.wm.stl_export(filepath=name),
     ".usdc": lambda: bpy.ops.wm.usd_export(filepath=name)}[path.suffix]()
    return path


def results_in(folder: Path) -> list[str]:
    """The names of what a run leaves, besides its reports."""
    return sorted(p.name for p in folder.iterdir() if p.name != ".geppetto" and p.stem != "report")


def report_of(folder: Path) -> list[dict]:
    """The report's entries."""
    return json.loads((folder / "report.json").read_text(encoding="utf-8"))["files"]
