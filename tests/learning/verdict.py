"""How well a learned kind's joints must be seen: EVEN and SLOPE of `core.fitting.verdict`.

    python -m tests.learning.verdict CHARACTERS DATA FOLD.pt [FOLD.pt ...]

Each fold's network looks at the characters of the sources it never saw, at those nobody has rigged, and at generated
bodies of no kind. The two are taken to be equally frequent.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from core.fitting.verdict import unseen
from core.geometry.frame import unit_frame
from core.geometry.mesh import Mesh, weld
from core.seeing.evidence import kind_odds
from tests import characters as grown
from tests.benchmarks.contact_sheet import read_mesh

from .judge import fold_parts, using
from .train import read_shards

RIDGE = 1e-4
STRANGE = (grown.many_legged, grown.snake, grown.fish, grown.octopus, grown.chair, grown.tree, grown.ghost, grown.star)
EACH = 2


def look_at(mesh: Mesh) -> float:
    """`unseen` of the kind it is likest."""
    frame = unit_frame(mesh)
    unit = weld(Mesh(frame.to_unit(mesh.vertices), mesh.faces, mesh.name)).mesh
    odds = kind_odds(unit)
    return unseen(unit, max(odds, key=lambda kind: odds[kind]))


def gather(folder: Path, held: set[str]) -> list[tuple[str, float, bool]]:
    """(name, how unseen, whether it is a person or an animal) for what a network never saw."""
    rows = []
    for truth in sorted(folder.rglob("truth.json")):
        if truth.parent.parent.name in {*held, "unrigged"}:
            told = json.loads(truth.read_text())
            is_known = told["kind"] != "other" or bool(told["landmarks"])  # beasts on two legs with tails are learned
            rows.append((truth.parent.name, look_at(read_mesh(truth.with_name("mesh.obj"))), is_known))
    for make in STRANGE:
        rows += [(f"{make.__name__} {k}", look_at(make(np.random.default_rng(k)).mesh), False) for k in range(EACH)]
    return rows


def fit_odds(values: np.ndarray, is_known: np.ndarray) -> tuple[float, float]:
    """(even, slope) of the logistic regression of being known on how unseen a body is."""
    weight = np.where(is_known, 1 / is_known.sum(), 1 / (~is_known).sum())
    weight /= weight.sum()

    def loss(x):
        z = x[1] * (x[0] - values)
        return (weight * np.logaddexp(0, np.where(is_known, -z, z))).sum() + RIDGE * x[1] ** 2
    even, slope = minimize(loss, [3.0, 5.0]).x
    return float(even), float(slope)


def main() -> None:
    """Look, fit, tell."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("characters", type=Path)
    parser.add_argument("data", type=Path)
    parser.add_argument("folds", type=Path, nargs="+")
    choice = parser.parse_args()
    rows, shards = [], read_shards(choice.data)
    for net in choice.folds:
        held, network, trees = fold_parts(net, shards)
        with using(network, trees):
            rows += gather(choice.characters, held)
    for name, value, is_known in sorted(rows, key=lambda row: row[1]):
        print(f"{value:.2f} {'known' if is_known else 'strange'} {name}")
    even, slope = fit_odds(np.array([r[1] for r in rows]), np.array([r[2] for r in rows]))
    print(f"even {even:.2f}, slope {slope:.1f}")


if __name__ == "__main__":
    main()
