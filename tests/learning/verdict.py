"""How well a learned kind's joints must be seen: EVEN and SLOPE of `core.fitting.verdict` and of `core.seeing.stance`.

    python -m tests.learning.verdict CHARACTERS DATA FOLD.pt [FOLD.pt ...]

Each fold's network looks at the characters of the sources it never saw, at those nobody has rigged, and at generated
bodies of no kind. The two are taken to be equally frequent.

For the stance, bodies of no kind are looked at in the likeliest way to stand but the given one, those of a kind as they
stand: that is what a turned one is turned to. Here bodies of no kind are taken to be RARE times as frequent, for most
files of people and animals stand as they say.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from core.geometry.frame import unit_frame
from core.geometry.mesh import Mesh, weld
from core.geometry.scatter import scatter_surface
from core.seeing.evidence import unseen
from core.seeing.stance import UPRIGHT, look, look_tilted
from tests import characters as grown
from tests.benchmarks.contact_sheet import read_mesh

from .judge import fold_parts, using
from .train import read_shards

RIDGE = 1e-4
STRANGE = (grown.many_legged, grown.snake, grown.fish, grown.octopus, grown.chair, grown.tree, grown.ghost, grown.star)
EACH = 2
RARE = 3.0


def look_at(mesh: Mesh, rotation: np.ndarray = UPRIGHT.rotation) -> float:
    """`unseen` of a body turned."""
    frame = unit_frame(mesh, rotation)
    return unseen(weld(Mesh(frame.to_unit(mesh.vertices), mesh.faces, mesh.name)).mesh)


def best_turned(mesh: Mesh) -> np.ndarray:
    """(3, 3) the likeliest way to stand but the given one."""
    body = scatter_surface(mesh)
    ways = look(body).joined(look_tilted(body))
    return ways.where((np.abs(ways.rotations - np.eye(3)) > 1e-6).any((1, 2))).looked_at_again(mesh).best


def gather(folder: Path, held: set[str]) -> list[tuple[str, bool, float, float]]:
    """(name, whether it is a person or an animal, how unseen as it stands and turned) of what a network never saw."""
    def row(name, mesh, is_known):
        as_given = look_at(mesh)
        return name, is_known, as_given, as_given if is_known else look_at(mesh, best_turned(mesh))

    rows = []
    for truth in sorted(folder.rglob("truth.json")):
        if truth.parent.parent.name in {*held, "unrigged"}:
            told = json.loads(truth.read_text())
            is_known = told["kind"] != "other" or bool(told["landmarks"])  # beasts on two legs with tails are learned
            rows.append(row(truth.parent.name, read_mesh(truth.with_name("mesh.obj")), is_known))
    for make in STRANGE:
        rows += [row(f"{make.__name__} {k}", make(np.random.default_rng(k)).mesh, False) for k in range(EACH)]
    return rows


def fit_odds(values: np.ndarray, is_known: np.ndarray, rare: float) -> tuple[float, float]:
    """(even, slope) of the logistic regression of being known on how unseen a body is.

    rare : how many times as frequent bodies of no kind are
    """
    weight = np.where(is_known, 1 / is_known.sum(), rare / (~is_known).sum())
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
    is_known = np.array([row[1] for row in rows])
    for what, k, rare in (("as it stands", 2, 1.0), ("turned", 3, RARE)):
        for row in sorted(rows, key=lambda row: row[k]):
            print(f"{row[k]:.2f} {'known' if row[1] else 'strange'} {row[0]}")
        even, slope = fit_odds(np.array([row[k] for row in rows]), is_known, rare)
        print(f"{what}: even {even:.2f}, slope {slope:.1f}")


if __name__ == "__main__":
    main()
