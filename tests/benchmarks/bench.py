"""How fast Geppetto is, as ratios to Blender's own bone heat on the same mesh and skeleton, and how it grows with size.

    python tests/benchmarks/bench.py [FOLDER ...] [--runs 3] [--growth 1000000] [--preset biped]

Without folders the project's own people are measured at 6 000, 30 000 and 100 000 vertices. A folder is one with
mesh.obj (triangles, Z up, facing -Y), or holds such folders. Medians of `--runs` runs; ratios below 1 are faster. The
ratios of the last release are kept beside this file, in bench.json, and printed for comparison; `--keep` writes them.
"""

from __future__ import annotations

import argparse
import json
import re
import statistics
import sys
import time
import tomllib
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.fitting.fit import Fitter
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape
from core.pipeline import bind, fit, prepare, run
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skinning.bind import BindOptions, geodesic_binding_steps
from tests.characters import person

ROOT = Path(__file__).resolve().parents[2]
KEPT = Path(__file__).with_name("bench.json")


def read_obj(path: Path) -> Mesh:
    """A mesh from an .obj file of triangles."""
    vertices, faces = [], []
    with path.open() as lines:
        for line in lines:
            if line.startswith("v "):
                vertices.append([float(x) for x in line.split()[1:4]])
            elif line.startswith("f "):
                faces.append([int(x.split("/")[0]) - 1 for x in line.split()[1:4]])
    return Mesh(np.array(vertices), np.array(faces), path.parent.name)


def timed(work, runs: int):
    """(median seconds, last result) of a call."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        result = work()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds), result


def bone_heat_seconds(mesh: Mesh, rig: Rig, runs: int) -> float:
    """Median seconds of Blender's automatic weights for this mesh and skeleton."""
    import bpy

    seconds = []
    for _ in range(runs):
        bpy.ops.wm.read_factory_settings(use_empty=True)
        data = bpy.data.meshes.new("body")
        data.from_pydata(mesh.vertices.tolist(), [], mesh.faces.tolist())
        body = bpy.data.objects.new("body", data)
        armature = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
        for thing in (body, armature):
            bpy.context.scene.collection.objects.link(thing)
        bpy.context.view_layer.objects.active = armature
        bpy.ops.object.mode_set(mode="EDIT")
        for name, head, tail in zip(rig.names, rig.heads, rig.tails, strict=True):
            bone = armature.data.edit_bones.new(name)
            bone.head, bone.tail = head, tail
        bpy.ops.object.mode_set(mode="OBJECT")
        body.select_set(True)
        armature.select_set(True)
        start = time.perf_counter()
        bpy.ops.object.parent_set(type="ARMATURE_AUTO")
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def refit_seconds(shape: Shape, template, rig: Rig, runs: int) -> float:
    """Median seconds of a fit with a changed pin when everything before the search is kept: one step of a drag.

    Joints at the end and in the middle of a limb and of the trunk are dragged in turn.
    """
    fitter, rng = Fitter(shape, template), np.random.default_rng(0)
    fitter.rig()
    dragged = [n for n in rig.joints if n.startswith(("forearm.L", "front_lower.L", "hand_tip.L", "front_toe_tip.L",
                                                      "neck"))]
    steps = iter([{name: rig.joints[name] + 0.02 * shape.frame.scale * k / 4 * rng.normal(size=3)}
                  for name in dragged for k in range(1, 5)] * runs)
    return timed(lambda: fitter.rig(next(steps)), 4 * len(dragged) * runs)[0]


def measure(mesh: Mesh, preset: str, runs: int) -> dict[str, float]:
    """One line of the first table; its ratios under what they are called."""
    template = load_template(preset)
    prepared, shape = timed(lambda: prepare(mesh), runs)
    fitted, rig = timed(lambda: fit(mesh, template, shape=shape), runs)
    heat = timed(lambda: bind(mesh, rig, "heat", shape=shape), runs)[0]
    auto = timed(lambda: bind(mesh, rig, "auto", shape=shape), runs)[0]
    refit = refit_seconds(shape, template, rig, runs)
    blender = bone_heat_seconds(mesh, rig, runs)
    total = prepared + fitted + heat
    print(f"{mesh.name:22} {len(mesh.vertices):9,} {prepared:8.3f} {fitted:7.3f} {heat:7.3f} {auto:7.3f} "
          f"{blender:9.3f} {total / blender:12.2f} {heat / blender:9.2f} {1e3 * refit:8.0f}", flush=True)
    size = f"at {len(mesh.vertices):,} vertices, against Blender's bone heat"
    return {f"prepare + fit + bind {size}": total / blender, f"heat {size}": heat / blender,
            f"a drag at {len(mesh.vertices):,} vertices, against prepare + fit": refit / (prepared + fitted)}


def measure_sharpness(runs: int) -> dict[str, float]:
    """Other weights from the same distances, 30 000 vertices to 22 bones, against what the distances took."""
    mesh, template = person(vertices=30_000).mesh, load_template("biped")
    shape = prepare(mesh)
    rig = fit(mesh, template, shape=shape)
    rig = rig.only(rig.names[:22])
    whole, binding = timed(lambda: run(geodesic_binding_steps(shape, rig, BindOptions())), runs)
    again = timed(lambda: binding.distances.weights(0.7), 3 * runs)[0]
    print(f"\nAnother sharpness: {1e3 * again:.0f} ms, {again / whole:.2f} of the geodesic bind before it", flush=True)
    return {"another sharpness, against the geodesic bind before it": again / whole}


def once(mesh: Mesh) -> tuple[float, float, float, float]:
    """Seconds to prepare, fit and bind a person by heat, and the most memory that this process took, GiB."""
    prepared, shape = timed(lambda: prepare(mesh), 1)
    fitted, rig = timed(lambda: fit(mesh, load_template("biped"), shape=shape), 1)
    heat = timed(lambda: bind(mesh, rig, "heat", shape=shape), 1)[0]
    state = Path("/proc/self/status").read_text(encoding="utf-8")  # getrusage would tell the parent's
    return prepared, fitted, heat, int(re.search(r"VmHWM:\s*(\d+)", state)[1]) / 2**20


def measure_growth(largest: int) -> dict[str, float]:
    """The second table: one run each, since the large ones take long; how time grows from 30 000 vertices on."""
    print("\nGrowth, one run each in a process of its own, which is given the mesh; memory is its peak")
    print(f"{'vertices':>10} {'prepare':>8} {'fit':>7} {'heat':>7} {'us/vertex':>10} {'peak GiB':>9}")
    sizes, times = [], []
    for count in (10_000, 30_000, 100_000, 300_000, 1_000_000):
        if count > largest:
            break
        mesh = person(vertices=count).mesh
        with ProcessPoolExecutor(1, get_context("spawn")) as alone:
            prepared, fitted, heat, peak = alone.submit(once, mesh).result()
        total = prepared + fitted + heat
        if count >= 30_000:
            sizes.append(len(mesh.vertices))
            times.append(total)
        print(f"{len(mesh.vertices):10,} {prepared:8.3f} {fitted:7.3f} {heat:7.3f} "
              f"{1e6 * total / len(mesh.vertices):10.2f} "
              f"{peak:9.2f}", flush=True)
    if len(sizes) < 2:
        return {}
    exponent = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
    print(f"From 30 000 vertices on, time grows with their number to the power of {exponent:.2f}", flush=True)
    return {"growth exponent from 30 000 vertices on": exponent}


def compare(found: dict[str, float], *, keep: bool) -> None:
    """Print what was found beside what the last release kept, or keep it."""
    if keep:
        version = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
        rounded = {what: float(f"{value:.2g}") for what, value in found.items()}
        KEPT.write_text(json.dumps({"release": version, "found": rounded}, indent=1) + "\n", encoding="utf-8")
        return
    kept = json.loads(KEPT.read_text(encoding="utf-8"))
    print(f"\nNow, and in release {kept['release']}")
    for what in (what for what in found if what in kept["found"]):
        print(f"{found[what]:8.2g} {kept['found'][what]:8.2g}  {what}")


def main() -> None:
    """Print both tables and the comparison."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--growth", type=int, default=1_000_000)
    parser.add_argument("--preset", default="biped")
    parser.add_argument("--keep", action="store_true", help="keep these ratios as the release's")
    options = parser.parse_args()
    files = sorted(f for folder in options.folders for f in folder.rglob("mesh.obj"))
    meshes = [read_obj(f) for f in files] or [person(vertices=n).mesh for n in (6_000, 30_000, 100_000)]
    prepare(meshes[0])
    print("Seconds, and ratios to Blender's bone heat (ours: prepare + fit + heat against its binding alone)")
    print(f"{'character':22} {'vertices':>9} {'prepare':>8} {'fit':>7} {'heat':>7} {'auto':>7} {'Blender':>9} "
          f"{'all/Blender':>12} {'heat/B.':>9} {'refit ms':>8}")
    found = {}
    for mesh in meshes:
        found |= measure(mesh, options.preset, options.runs)
    found |= measure_sharpness(options.runs)
    if not options.folders:
        found |= measure_growth(options.growth)
        compare(found, keep=options.keep)


if __name__ == "__main__":
    main()
