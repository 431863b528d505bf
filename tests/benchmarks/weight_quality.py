"""What the weight check says of artists' weights, of ours, of Blender's bone heat, and of bad ones: the limits' origin.

    python tests/benchmarks/weight_quality.py FOLDER [--only REGEX] [--kinds artist,auto,...] [--json FILE]

FOLDER holds <set>/<name>/truth.json (`height`, `joints` with name, head, tail, parent) and weights.npz (verts, faces,
weights, bones). Bad weights are made of the artist's: `rigid` nearest bone, `air` by distance through the air, `stray`
1 % of the vertices on a random bone, `spread` 10 % of all weight at random. Without bpy, `blender` is left out.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import re
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.errors import RigError
from core.geometry.mesh import Mesh
from core.pipeline import bind
from core.quality.findings import ORDER
from core.quality.hanging import bone_ends
from core.quality.weight_check import WeightCheck, check_weights
from core.skeleton.rig import Rig
from core.skinning.bind import METHODS

KINDS = ("artist", "auto", *METHODS[1:], "blender", "rigid", "air", "stray", "spread")


def read_character(folder: Path) -> tuple[Mesh, Rig, np.ndarray] | None:
    """Mesh, the artist's skeleton and weights of a folder; None if its weights name no joint."""
    truth, data = json.loads((folder / "truth.json").read_text()), np.load(folder / "weights.npz", allow_pickle=True)
    joints, bones = {j["name"]: j for j in truth["joints"]}, [str(b) for b in data["bones"]]
    names = [b for b in bones if b in joints]
    if not names:
        return None
    heads = np.array([joints[n]["head"] for n in names], float)
    tails, parents = [], []
    for i, name in enumerate(names):
        kids = [heads[k] for k, n in enumerate(names) if joints[n]["parent"] == name]
        tail = np.mean(kids, axis=0) if kids else np.array(joints[name]["tail"], float)
        far = np.linalg.norm(tail - heads[i]) > 1e-4 * truth["height"]
        tails.append(tail if far else heads[i] + [0, 0, 0.01 * truth["height"]])
        parent = joints[name]["parent"]
        while parent is not None and parent not in names:
            parent = joints[parent]["parent"] if parent in joints else None
        parents.append(names.index(parent) if parent is not None else -1)
    rig = Rig(tuple(names), np.array(parents), heads, np.array(tails))
    return Mesh(data["verts"], data["faces"], folder.name), rig, data["weights"][:, [bones.index(n) for n in names]]


def weights_of(kind: str, mesh: Mesh, rig: Rig, artist: np.ndarray):
    """(V, B) weights of one kind.  Raises RigError."""
    rng = np.random.default_rng(0)
    used = np.flatnonzero(artist.sum(0) > 0)
    if kind == "artist":
        return artist
    if kind == "blender":
        return bone_heat(mesh, rig)
    if kind in METHODS:
        return bind(mesh, rig, kind).matrix
    if kind == "stray":
        weights, some = artist.copy(), rng.choice(len(artist), max(len(artist) // 100, 1), replace=False)
        weights[some] = np.eye(len(rig.names))[rng.choice(used, len(some))]
        return weights
    if kind == "spread":
        noise = rng.random(artist.shape) * (artist.sum(0) > 0)
        return 0.9 * artist + 0.1 * noise / noise.sum(1, keepdims=True)
    along = (bone_ends(rig) - rig.heads)[used]
    gap = mesh.vertices[:, None] - rig.heads[used]
    where = np.clip((gap * along).sum(2) / np.maximum((along**2).sum(1), 1e-30), 0, 1)
    away = np.maximum(np.linalg.norm(gap - where[..., None] * along, axis=2), 1e-9)
    weights = np.zeros_like(artist)
    near = (away.min(1, keepdims=True) / away) ** 4
    near[near < np.sort(near, axis=1)[:, [-1 if kind == "rigid" else -min(4, len(used))]]] = 0.0
    weights[:, used] = near / near.sum(1, keepdims=True)
    return weights


def bone_heat(mesh: Mesh, rig: Rig) -> np.ndarray:
    """Blender's automatic weights; vertices it gives up on stay bare."""
    import bpy

    bpy.ops.wm.read_factory_settings(use_empty=True)
    data = bpy.data.meshes.new("mesh")
    data.from_pydata(mesh.vertices.tolist(), [], mesh.faces.tolist())
    body, skeleton = bpy.data.objects.new("mesh", data), bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    for o in (body, skeleton):
        bpy.context.collection.objects.link(o)
        o.select_set(True)
    bpy.context.view_layer.objects.active = skeleton
    bpy.ops.object.mode_set(mode="EDIT")
    for name, head, tail in zip(rig.names, rig.heads, rig.tails, strict=True):
        bone = skeleton.data.edit_bones.new(name)
        bone.head, bone.tail = head, tail
    bpy.ops.object.mode_set(mode="OBJECT")
    bpy.ops.object.parent_set(type="ARMATURE_AUTO")
    weights, number = np.zeros((len(mesh.vertices), len(rig.names))), {n: i for i, n in enumerate(rig.names)}
    column = {g.index: number[g.name] for g in body.vertex_groups}
    for v in body.data.vertices:
        for g in v.groups:
            weights[v.index, column[g.group]] = g.weight
    return weights


def numbers(check: WeightCheck) -> dict:
    """What is tabled: findings' values, and of each pose the volume kept both ways and the stretch."""
    return {f.key: f.value for f in check.findings} | {"verdict": check.verdict, "poses": {
        s.pose.name: (s.volume, s.preserved, s.stretch) for s in check.strains if not s.pose.is_general}}


def difference(weights, artist: np.ndarray) -> float:
    """L1: the mean over the vertices an artist has weighted of the summed |difference|, 0 the same, 2 all wrong."""
    dense = weights.toarray() if hasattr(weights, "toarray") else np.asarray(weights)
    held = artist.sum(1) > 0.5
    return float(np.abs(dense[held] - artist[held] / artist[held].sum(1, keepdims=True)).sum(1).mean())


def table(found: dict[str, list[dict]]) -> None:
    """Mean L1 to the artist, median [1st decile, 9th decile] over the characters, then volume kept linear / preserving
    and stretch."""
    print("\nL1 to the artist: " + ", ".join(f"{kind} {np.mean([row['l1'] for row in rows]):.3f} ({len(rows)})"
                                            for kind, rows in found.items()))
    print(f"\n{'':10}" + "".join(f"{key:>24}" for key in ORDER) + "   good fair poor")
    for kind, rows in found.items():
        cells = []
        for key in ORDER:
            values = [row[key] for row in rows if key in row]
            low, middle, high = np.quantile(values, [0.1, 0.5, 0.9]) if values else [np.nan] * 3
            cells.append(f"{f'{middle:.4g} [{low:.3g}, {high:.3g}]':>24}")
        verdicts = [row["verdict"] for row in rows]
        print(f"{kind:10}" + "".join(cells) + "".join(f"{verdicts.count(v):5}" for v in ("good", "fair", "poor")))
    poses = dict.fromkeys(name for rows in found.values() for row in rows for name in row["poses"])
    print(f"\n{'volume linear/preserving, stretch':34}" + "".join(f"{kind:>18}" for kind in found))
    for name in poses:
        cells = []
        for rows in found.values():
            seen = [row["poses"][name] for row in rows if row["poses"].get(name, [None])[0] is not None]
            cells.append("{:.2f}/{:.2f} {:.2f}".format(*np.median(seen, axis=0)) if seen else "")
        print(f"{name:34}" + "".join(f"{cell:>18}" for cell in cells))


def main(arguments=None) -> None:
    """Check every character's weights of every kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="", help="regular expression on <set>/<name>")
    parser.add_argument("--kinds", default=",".join(KINDS))
    parser.add_argument("--json", type=Path, help="write all numbers there too")
    choice = parser.parse_args(arguments)
    kinds = [k for k in choice.kinds.split(",") if k != "blender" or importlib.util.find_spec("bpy")]
    found: dict[str, list[dict]] = defaultdict(list)
    for truth in sorted(choice.folder.rglob("truth.json")):
        name = f"{truth.parent.parent.name}/{truth.parent.name}"
        character = read_character(truth.parent) if re.search(choice.only, name) else None
        for kind in kinds if character else ():
            try:
                weights = weights_of(kind, *character)
                found[kind].append({"name": name, "l1": difference(weights, character[2])}
                                   | numbers(check_weights(*character[:2], weights)))
            except RigError as error:
                print(f"{name} {kind}: {error}", file=sys.stderr)
        of_this = {kind: rows[-1]["verdict"] for kind, rows in found.items() if rows and rows[-1]["name"] == name}
        print(name, of_this, flush=True)
    table(found)
    if choice.json:
        choice.json.write_text(json.dumps(found))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
    os._exit(0)  # bpy's own libraries may wait for ever when they are taken down
