"""What damage costs: skin weights on the artists' own skeletons, from whole meshes and from broken ones.

    python tests/benchmarks/damage.py FOLDER [--only REGEX] [--kinds NAME ...] [--seeds 1]

FOLDER holds characters: folders with truth.json (joints with head, tail and parent) and weights.npz (verts, faces,
weights (V, B), bones). L1 is the mean over vertices of the summed difference to the artist's weights (0 same, 2 all
wrong); damage should cost none of them more than 0.03 and leave no vertex without a bone.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.geometry.mesh import Mesh
from core.pipeline import bind
from core.skeleton.rig import Rig
from tests.characters import damage

KINDS = {"duplicate, flip": ("duplicate", "flip"), "holes": ("holes",), "pepper": ("pepper",),
         "shatter": ("shatter",), "shatter, loosen": ("shatter", "loosen"), "intersect": ("intersect",) * 3,
         "crumple": ("crumple",), "all": ("duplicate", "flip", "holes", "pepper", "shatter", "loosen", "intersect")}
ALLOWED = 0.03


def has_bones(folder: Path) -> bool:
    """Whether any bone has both a place and weights."""
    placed = {j["name"] for j in json.loads((folder / "truth.json").read_text(encoding="utf-8"))["joints"]}
    return not placed.isdisjoint(np.load(folder / "weights.npz", allow_pickle=True)["bones"].tolist())


def read_character(folder: Path) -> tuple[Mesh, Rig, np.ndarray]:
    """Mesh, the artist's skeleton with bones that end where their children begin, and the artist's weights (V, B)."""
    truth = json.loads((folder / "truth.json").read_text(encoding="utf-8"))
    stored = np.load(folder / "weights.npz", allow_pickle=True)
    joints = {j["name"]: j for j in truth["joints"]}
    bones = [str(b) for b in stored["bones"]]
    names = [b for b in bones if b in joints]
    parents, heads, tails = [], [], []
    for name in names:
        head = np.array(joints[name]["head"], float)
        children = [joints[m]["head"] for m in names if joints[m]["parent"] == name]
        tail = np.mean(children, 0) if children else np.array(joints[name]["tail"], float)
        if np.linalg.norm(tail - head) < 1e-4 * truth["height"]:
            tail = head + [0, 0, 0.01 * truth["height"]]
        parent = joints[name]["parent"]
        while parent is not None and parent not in names:
            parent = joints[parent]["parent"] if parent in joints else None
        parents.append(-1 if parent is None else names.index(parent))
        heads.append(head)
        tails.append(tail)
    wanted = stored["weights"][:, [bones.index(n) for n in names]]
    return (Mesh(stored["verts"], stored["faces"], folder.name), Rig(tuple(names), parents, heads, tails), wanted)


def broken(mesh: Mesh, kinds, seed: int) -> tuple[Mesh, np.ndarray]:
    """A damaged copy, and for each of its vertices the vertex it was before, -1 for those that were none."""
    rng = np.random.default_rng(seed)
    hurt = Mesh(mesh.vertices, mesh.faces, mesh.name, np.arange(len(mesh.vertices)))
    for kind in kinds:
        count = len(hurt.vertices)
        hurt = damage(hurt, rng, kind)
        if kind == "intersect":
            hurt = Mesh(hurt.vertices, hurt.faces, hurt.name, np.append(
                hurt.part_of_vertex[:count], np.full(len(hurt.vertices) - count, -1)))
    return Mesh(hurt.vertices, hurt.faces, hurt.name), hurt.part_of_vertex


def error_of(mesh: Mesh, rig: Rig, wanted: np.ndarray, before: np.ndarray) -> tuple[float, float]:
    """L1 over the artist's vertices that have weights, the copies of each averaged; and the share of bare vertices."""
    found = bind(mesh, rig).matrix.toarray()
    known = np.flatnonzero((before >= 0) & (wanted.sum(1) > 0.5)[before])
    off = np.abs(found[known] - wanted[before[known]]).sum(1)
    copies = np.bincount(before[known], minlength=len(wanted))
    mean = np.bincount(before[known], off, len(wanted))[copies > 0] / copies[copies > 0]
    return float(mean.mean()), float((found.sum(1) < 0.5).mean())


def measure(folder: Path, kinds: list[str], seeds: int) -> dict[str, float]:
    """One line of the table; returns {kind: what it costs in L1} with the worst seed."""
    mesh, rig, wanted = read_character(folder)
    whole, bare = error_of(mesh, rig, wanted, np.arange(len(wanted)))
    costs = {}
    for kind in kinds:
        costs[kind] = -np.inf
        for seed in range(seeds):
            hurt, before = broken(mesh, KINDS[kind], seed)
            error, left = error_of(hurt, rig, wanted, before)
            costs[kind], bare = max(costs[kind], error - whole), max(bare, left)
    print(f"{folder.parent.name + '/' + folder.name:40}{whole:7.3f}"
          + "".join(f"{c:+{max(len(k), 7) + 2}.3f}" for k, c in costs.items()) + f"{bare:8.4f}", flush=True)
    return {**costs, "bare": bare}


def main() -> None:
    """Print the table, means, worst cases and how many characters keep within what is allowed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--kinds", nargs="+", default=list(KINDS), choices=list(KINDS))
    parser.add_argument("--seeds", type=int, default=1)
    options = parser.parse_args()
    folders = [f.parent for f in sorted(options.folder.rglob("weights.npz"))
               if re.search(options.only, f"{f.parent.parent.name}/{f.parent.name}") and has_bones(f.parent)]
    wide = {kind: max(len(kind), 7) + 2 for kind in options.kinds}
    print(f"{'character':40}{'whole':>7}" + "".join(f"{k:>{n}}" for k, n in wide.items()) + f"{'bare':>8}")
    rows = [measure(folder, options.kinds, options.seeds) for folder in folders]
    beyond = lambda costs: (np.array(costs) > ALLOWED).sum()  # noqa: E731 - one of three
    for title, of in (("mean", np.mean), ("worst", np.max), (f"beyond {ALLOWED}", beyond)):
        print(f"{title:47}" + "".join(f"{of([r[k] for r in rows]):{n}.3g}" for k, n in wide.items()))
    print(f"characters with bare vertices: {sum(r['bare'] > 0 for r in rows)} of {len(rows)}")


if __name__ == "__main__":
    main()
