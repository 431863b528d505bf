"""How far joints and bones lie from an artist's, where bones have no names in common: J2J, J2B, B2B.

    python -m tests.benchmarks.chamfer FOLDER [FOLDER ...] [--kind other] [--preset shape] [--list]

FOLDER holds <set>/<name>/mesh.obj with truth.json (presets/README.md). Each character of the kind is rigged, and the
Chamfer distances of joints to joints, joints to bones and bones to bones, half of both ways each, are printed in
percent of its largest extent, as RigNet [XZKLS20] and UniRig report them. Of the artist's bones those that move skin
count. One source counts as one in the mean of sources, however many characters it has.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.spatial.distance import cdist

from core.errors import RigError
from core.fitting.check import check_character
from core.fitting.from_shape import template_in
from core.geometry.mesh import Mesh
from core.pipeline import fit, prepare
from tests.benchmarks.stance import read_obj

STEP = 0.01  # of the size: between the points that stand for a bone


def artists(path: Path) -> tuple[np.ndarray, np.ndarray]:
    """(J, 3) joints and (B, 2, 3) bones of truth.json: from each joint that moves skin to those that hang on it."""
    told = {j["name"]: j for j in json.loads(path.read_text())["joints"]}
    used = {name: j for name, j in told.items() if j.get("has_weights")}
    bones = []
    for j in used.values():
        above = j["parent"]
        while above in told and above not in used:
            above = told[above]["parent"]
        if above in used:
            bones.append((used[above]["head"], j["head"]))
    joints = np.array([j["head"] for j in used.values()], float).reshape(-1, 3)
    return joints, np.array(bones, float).reshape(-1, 2, 3)


def along(bones: np.ndarray, step: float) -> np.ndarray:
    """(N, 3) points on bones (B, 2, 3), no farther apart than a step."""
    counts = np.maximum(np.ceil(np.linalg.norm(bones[:, 1] - bones[:, 0], axis=1) / step), 1).astype(int) + 1
    which = np.repeat(np.arange(len(bones)), counts)
    share = np.concatenate([np.linspace(0, 1, n) for n in counts])[:, None]
    return bones[which, 0] * (1 - share) + bones[which, 1] * share


def chamfer(one: np.ndarray, other: np.ndarray) -> float:
    """Half of the mean distances both ways."""
    apart = cdist(one, other)
    return float(apart.min(1).mean() + apart.min(0).mean()) / 2


def distances(joints: np.ndarray, bones: np.ndarray, true_joints: np.ndarray, true_bones: np.ndarray, size: float
              ) -> np.ndarray:
    """(3,) J2J, J2B and B2B in percent of the size."""
    mine, theirs = along(bones, STEP * size), along(true_bones, STEP * size)
    j2b = (cdist(joints, theirs).min(1).mean() + cdist(true_joints, mine).min(1).mean()) / 2
    return 100 * np.array([chamfer(joints, true_joints), j2b, chamfer(mine, theirs)]) / size


def measure(mesh: Mesh, truth: Path, preset: str) -> tuple[np.ndarray, str]:
    """J2J, J2B, B2B of a character, and what it was rigged as.  Raises RigError."""
    shape = prepare(mesh)
    template = template_in(shape, check_character(shape).preset if preset == "auto" else preset)
    rig = fit(mesh, template, shape=shape)
    ends = np.stack([rig.heads, rig.tails], 1)
    size = float(np.ptp(mesh.vertices, axis=0).max())
    return distances(rig.heads, ends, *artists(truth), size), template.name


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--kind", default="other", help="as in truth.json")
    parser.add_argument("--preset", default="auto")
    parser.add_argument("--list", action="store_true", help="a line for each character")
    given = parser.parse_args()
    found: dict[str, list[np.ndarray]] = {}
    for path in sorted(p for folder in given.folders for p in folder.glob("*/*/mesh.obj")):
        truth = path.with_name("truth.json")
        if not truth.exists() or json.loads(truth.read_text())["kind"] != given.kind or len(artists(truth)[1]) < 2:
            continue
        try:
            measured, name = measure(read_obj(path), truth, given.preset)
        except RigError as error:
            print(f"{path.parent}: {error}")
            continue
        found.setdefault(path.parent.parent.name, []).append(measured)
        if given.list:
            told = "".join(f"{x:7.2f}" for x in measured)
            print(f"{path.parent.parent.name:20}{path.parent.name:28}{name:14}{told}")
    for source, rows in found.items():
        print(f"{source:20}{len(rows):4} characters" + " " * 27 + "".join(f"{x:7.2f}" for x in np.mean(rows, axis=0)))
    every = [row for rows in found.values() for row in rows]
    means = [np.mean(rows, axis=0) for rows in found.values()]
    for label, values in (("all characters", every), ("mean of sources", means)):
        print(f"{label:20}  J2J {np.mean(values, 0)[0]:.2f} %  J2B {np.mean(values, 0)[1]:.2f} %  "
              f"B2B {np.mean(values, 0)[2]:.2f} %")


if __name__ == "__main__":
    main()
