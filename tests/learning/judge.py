"""Fits of held-out characters by each fold's network and trees, against the artists' joints.

    python -m tests.learning.judge CHARACTERS DATA NET.pt [NET.pt ...]

Each net's checkpoint says which sources it never saw; those characters are fitted from their meshes, standing as they
stand, and judged as the score does: error over the height of a person and the longest side of an animal; right if no
limb joint is off by 0.10.
"""

from __future__ import annotations

import argparse
import json
import tempfile
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import numpy as np
import torch

from core.fitting.fit import FitOptions, Fitter
from core.fitting.joint_tree import ANATOMY, JointTree, read_tree
from core.geometry.mesh import Mesh
from core.pipeline import prepare
from core.seeing.landmarks import LANDMARKS
from core.seeing.network import LandmarkNetwork, read_network
from core.seeing.stance import UPRIGHT
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig

from .dataset import _BIPED_MARKS, _QUADRUPED_MARKS
from .export import read_trained, write_network
from .train import COUNTED, read_shards
from .trees import learn_tree, write_tree

MARKS = {"biped": _BIPED_MARKS, "quadruped": _QUADRUPED_MARKS}


def characters(folder: Path, sources: set[str]):
    """(name, truth, mesh) of the characters with landmarks of some sources."""
    for t in sorted(folder.rglob("truth.json")):
        truth = json.loads(t.read_text())
        if t.parent.parent.name in sources and truth["kind"] in COUNTED and truth.get("landmarks"):
            z = np.load(t.parent / "weights.npz", allow_pickle=True)
            yield f"{t.parent.parent.name}/{t.parent.name}", truth, Mesh(z["verts"], z["faces"])


def size_of(truth: dict, mesh: Mesh) -> float:
    """What errors are measured in."""
    return truth["height"] if truth["kind"] == "biped" else float(np.ptp(mesh.vertices, axis=0).max())


def errors_of(truth: dict, places: dict[str, np.ndarray], size: float) -> dict[str, float]:
    """{joint: error over the size} of the joints that the artist placed."""
    marks = truth["landmarks"]
    return {j: float(np.linalg.norm(np.subtract(places[j], marks[m])) / size)
            for j, m in MARKS[truth["kind"]].items() if m in marks and j in places}


def worst(errors: dict[str, float], kind: str) -> float:
    """The largest error of a limb joint."""
    return max(e for j, e in errors.items() if j.split(".")[0] in COUNTED[kind])


def fold_parts(net: Path, shards) -> tuple[set[str], LandmarkNetwork, dict[str, JointTree]]:
    """(sources held out, network, trees) of a checkpoint."""
    held = set(torch.load(net, weights_only=False)["held"])
    with tempfile.TemporaryDirectory() as folder:
        write_network(read_trained(net), Path(folder) / "network.npz")
        trees = {}
        for kind in LANDMARKS:
            path = Path(folder) / f"{kind}.json"
            path.write_text((ANATOMY / f"{kind}.json").read_text())
            write_tree(kind, learn_tree(kind, shards, held), path)
            trees[kind] = read_tree(path)
        return held, read_network(Path(folder) / "network.npz"), trees


@contextmanager
def using(network: LandmarkNetwork, trees: dict[str, JointTree]):
    """Fits inside are by these instead of the shipped ones."""
    with mock.patch("core.seeing.evidence.load_network", lambda: network), \
            mock.patch("core.fitting.fit.load_tree", trees.__getitem__):
        yield


def judge(folder: Path, held: set[str], network, trees: dict[str, JointTree]) -> list[dict]:
    """A row for each held-out character."""
    rows = []
    with using(network, trees):
        for name, truth, mesh in characters(folder, held):
            kind, size = truth["kind"], size_of(truth, mesh)
            shape = prepare(mesh, stance=UPRIGHT)
            rigs, number = [Fitter(shape, load_template(kind)).rig()], 1
            while number < rigs[0].readings:
                rigs.append(Fitter(shape, load_template(kind), FitOptions(reading=number)).rig())
                number += 1
            pinned = with_pins(Fitter(shape, load_template(kind)), truth, rigs[0], size)
            readings = [errors_of(truth, rig.joints, size) for rig in rigs]
            rows.append({"name": name, "kind": kind, "errors": readings[0], "readings": readings,
                         "worst": worst(readings[0], kind), "pinned": pinned, "confidence": rigs[0].confidence,
                         "warnings": rigs[0].warnings})
    return rows


def with_pins(fitter: Fitter, truth: dict, rig: Rig, size: float) -> list[float]:
    """The worst error as it is, with one correct pin on the worst limb joint, and with a second on the then worst."""
    kind, pins = truth["kind"], {}
    out = [worst(errors_of(truth, rig.joints, size), kind)]
    for _ in range(2):
        errors = {j: e for j, e in errors_of(truth, rig.joints, size).items() if j.split(".")[0] in COUNTED[kind]}
        joint = max(errors, key=lambda j: errors[j])
        pins[joint] = np.array(truth["landmarks"][MARKS[kind][joint]], float)
        rig = fitter.rig(pins)
        out.append(worst(errors_of(truth, rig.joints, size), kind))
    return out


def summary(rows: list[dict]) -> str:
    """Right and mean of each kind, and of the best of each character's readings."""
    lines = []
    for kind in COUNTED:
        own = [r for r in rows if r["kind"] == kind]
        if own:
            mean = np.mean([np.mean([e for j, e in r["errors"].items() if j.split(".")[0] in COUNTED[kind]])
                            for r in own])
            right = sum(r["worst"] < 0.1 for r in own)
            best = sum(min(worst(e, kind) for e in r["readings"]) < 0.1 for r in own)
            wrong = [r for r in own if r["worst"] >= 0.1]
            told = sum(bool(r["warnings"]) for r in wrong), sum(bool(r["warnings"]) for r in own if r["worst"] < 0.1)
            lines += [f"{kind}: right {right} of {len(own)} ({best} by the best of the readings), mean {mean:.4f}",
                      f"  of {len(wrong)} wrong ones {sum(r['pinned'][1] < 0.1 for r in wrong)} right with one pin, "
                      f"{sum(r['pinned'][2] < 0.1 for r in wrong)} with two; warned {told[0]}, "
                      f"of {right} right ones {told[1]}"]
    return "\n".join(lines)


def main() -> None:
    """The command line."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("characters", type=Path)
    ap.add_argument("data", type=Path)
    ap.add_argument("nets", type=Path, nargs="+")
    a = ap.parse_args()
    torch.set_num_threads(1)
    shards, rows = read_shards(a.data), []
    for net in a.nets:
        held, network, trees = fold_parts(net, shards)
        rows += judge(a.characters, held, network, trees)
    for r in sorted(rows, key=lambda r: -r["worst"]):
        own = sorted(r["errors"].items(), key=lambda x: -x[1])[:4]
        print(f"{r['name']:45s} {r['worst']:.3f}", " ".join(f"{j} {e:.3f} ({r['confidence'][j]:.2f})" for j, e in own))
        for said in r["warnings"]:
            print(f"    {said}")
    print(summary(rows))


if __name__ == "__main__":
    main()
