"""What a full skeleton gains and costs: volume that twisted limbs keep, eyes, things, processor time.

    python -m tests.benchmarks.full FOLDER [FOLDER ...] [--list]

FOLDER holds <set>/<name>/mesh.obj (presets/README.md). Each character is rigged with `--detail` body, hands and full,
its weights are checked, and the time of all three, the look at the mesh included, is compared. Whether balls are eyes
nobody tells but a look at a picture, nor what is a thing: --list names each character's numbers, eyes and things.
"""

from __future__ import annotations

import argparse
import time
from collections import Counter
from pathlib import Path

import numpy as np

from core.detail.grow import LEVELS, DetailOptions
from core.errors import RigError
from core.fitting.check import check_character
from core.fitting.from_shape import template_in
from core.geometry.mesh import Mesh
from core.pipeline import bind, fit, prepare
from core.quality.weight_check import check_weights
from core.skeleton.eye import EYES
from tests.benchmarks.stance import read_obj

POSES = ("Hands twisted 90°", "Arms twisted 90°")


def measure(mesh: Mesh) -> dict:
    """{level: seconds}, and of body and full the volume kept in each of POSES, None where nothing solid is there."""
    since = time.process_time()
    shape = prepare(mesh)
    template = template_in(shape, check_character(shape).preset)
    looked = time.process_time() - since
    told: dict = {"seconds": {}, "kept": {}, "stretch": {}}
    for level in LEVELS:
        since = time.process_time()
        rig = fit(mesh, template, shape=shape, detail=DetailOptions(level))
        weights = bind(mesh, rig, shape=shape)
        told["seconds"][level] = looked + time.process_time() - since
        if level != "hands":
            check = check_weights(mesh, rig, weights.matrix, rotation=shape.frame.rotation)
            kept = {strain.pose.name: strain.volume for strain in check.strains}
            told["kept"][level] = [kept.get(pose) for pose in POSES]
            told["stretch"][level] = check.finding("stretch").value
        told["eyes"], told["things"] = len(set(EYES) & set(rig.names)), rig.things
    return told


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--list", action="store_true", help="a line for each character")
    given = parser.parse_args()
    found = []
    for path in sorted(p for folder in given.folders for p in folder.glob("*/*/mesh.obj")):
        try:
            found.append(measure(read_obj(path)))
        except RigError as error:
            print(f"{path.parent}: {error}")
            continue
        if given.list:
            print(path.parent.parent.name, path.parent.name, found[-1])
    total = {level: sum(f["seconds"][level] for f in found) for level in LEVELS}
    print(f"{len(found)} characters, {sum(f['eyes'] == 2 for f in found)} with eyes; processor time as shares of body: "
          + ", ".join(f"{level} {total[level] / total['body']:.2f}" for level in LEVELS))
    things = Counter(thing for f in found for thing in f["things"])
    print(f"{sum(bool(f['things']) for f in found)} with things: {dict(things)}")
    for k, pose in enumerate(POSES):
        kept = np.array([[f["kept"][level][k] for level in ("body", "full")] for f in found
                         if all(f["kept"][level][k] is not None for level in ("body", "full"))], float)
        if not len(kept):
            continue
        print(f"{pose}: {len(kept)} characters keep, in the median, {np.median(kept[:, 0]):.2f} of their volume with "
              f"body, {np.median(kept[:, 1]):.2f} with full; 0.95 or more {(kept[:, 0] >= 0.95).mean():.0%} and "
              f"{(kept[:, 1] >= 0.95).mean():.0%}")
    stretch = np.array([[f["stretch"][level] for level in ("body", "full")] for f in found])
    print(f"The worst hundredth of the skin is drawn out {np.median(stretch[:, 0]):.2f} times with body, "
          f"{np.median(stretch[:, 1]):.2f} with full, in the median")


if __name__ == "__main__":
    main()
