"""Each part of reading a body switched off, on held-out characters: what a part does not earn is deleted.

    python -m tests.learning.ablate CHARACTERS DATA NET.pt [NET.pt ...]

Prints, for every part off, how many people and animals are right and their mean errors, as `judge` measures them.
"""

from __future__ import annotations

import argparse
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from unittest import mock

import numpy as np
import torch

from core.fitting import fit, readings
from core.fitting.fit import Fitter
from core.fitting.joint_tree import JointTree
from core.pipeline import prepare
from core.seeing import evidence
from core.seeing.stance import UPRIGHT
from core.skeleton.preset import load_template

from .judge import characters, errors_of, fold_parts, size_of, using, worst
from .train import COUNTED, read_shards


def _blind(axis: int):
    """Evidence without what one view says."""
    whole = evidence.Evidence.at

    def at(self, points):
        heat = self.heat.copy()
        heat[axis] = 0
        return whole(replace(self, heat=heat), points)
    return mock.patch.object(evidence.Evidence, "at", at)


PARTS = {
    "all": [],
    "no view from the side": [_blind(0)], "no view from the front": [_blind(1)], "no view from above": [_blind(2)],
    "ways between joints do not count": [
        mock.patch.object(JointTree, "ways", lambda self, j, a, b: np.zeros((len(a), len(b))))],
    "joints of mirrored bodies one by one": [
        mock.patch.object(fit.Fitter, "_reader", lambda self, plane: readings.BodyReader(
            self.evidence, fit.load_tree(str(self.kind))))],
    "joints stay at the likeliest cell": [mock.patch.object(readings.BodyReader, "_middle", lambda self, i, at: at)],
    "joints stay outside the body": [mock.patch.object(fit, "pull_inside", lambda joints, field, free: joints)],
    "no joints between others": ["between"],
}


def main() -> None:
    """The command line."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("characters", type=Path)
    ap.add_argument("data", type=Path)
    ap.add_argument("nets", type=Path, nargs="+")
    a = ap.parse_args()
    torch.set_num_threads(1)
    shards = read_shards(a.data)
    found: dict[str, dict[str, list]] = {part: {kind: [] for kind in COUNTED} for part in PARTS}
    for net in a.nets:
        held, network, trees = fold_parts(net, shards)
        bare = {kind: replace(t, between={j: row for j, row in t.between.items() if j not in t.names})
                for kind, t in trees.items()}
        for _, truth, mesh in characters(a.characters, held):
            shape, kind = prepare(mesh, stance=UPRIGHT), truth["kind"]
            for part, patches in PARTS.items():
                with ExitStack() as stack:
                    stack.enter_context(using(network, bare if "between" in patches else trees))
                    for patch in patches:
                        if patch != "between":
                            stack.enter_context(patch)
                    rig = Fitter(shape, load_template(kind)).rig()
                errors = errors_of(truth, rig.joints, size_of(truth, mesh))
                mean = np.mean([e for j, e in errors.items() if j.split(".")[0] in COUNTED[kind]])
                found[part][kind].append((worst(errors, kind) < 0.1, mean))
    for part, kinds in found.items():
        told = [f"{kind} {sum(r for r, _ in rows)} of {len(rows)}, {np.mean([m for _, m in rows]):.4f}"
                for kind, rows in kinds.items()]
        print(f"{part:40s}", "   ".join(told))


if __name__ == "__main__":
    main()
