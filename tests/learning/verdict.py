"""How well a learned kind's joints must be seen: EVEN and SLOPE of `core.fitting.verdict`.

    python -m tests.learning.verdict CHARACTERS DATA FOLD.pt [FOLD.pt ...]

Each fold's network looks at the characters of the sources it never saw, at those nobody has rigged, and at generated
bodies of no kind. The two are taken to be equally frequent. Whether a body shows as many legs as the likeliest kind has
counts too.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from core.fitting.verdict import LEG_PAIRS
from core.geometry.frame import unit_frame
from core.geometry.mesh import Mesh, weld
from core.seeing.evidence import kind_odds, unseen
from core.seeing.limb_census import count_limbs
from core.seeing.silhouette import slice_mesh
from tests import characters as grown
from tests.benchmarks.contact_sheet import read_mesh

from .judge import fold_parts, using
from .train import read_shards

RIDGE = 1e-4
STRANGE = (grown.many_legged, grown.snake, grown.fish, grown.octopus, grown.chair, grown.tree, grown.ghost, grown.star)
EACH = 2


def look_at(mesh: Mesh) -> tuple[float, bool]:
    """`unseen` of a body, and whether it shows as many legs as the likeliest kind has."""
    frame = unit_frame(mesh)
    unit = weld(Mesh(frame.to_unit(mesh.vertices), mesh.faces, mesh.name)).mesh
    odds = kind_odds(unit)
    return unseen(unit), count_limbs(slice_mesh(unit)).leg_pairs == LEG_PAIRS[max(odds, key=lambda kind: odds[kind])]


def gather(folder: Path, held: set[str]) -> list[tuple[str, bool, float, bool]]:
    """(name, whether it is a person or an animal, how unseen, whether its legs agree) of what a network never saw."""
    def row(name, mesh, is_known):
        return name, is_known, *look_at(mesh)

    rows = []
    for truth in sorted(folder.rglob("truth.json")):
        if truth.parent.parent.name in {*held, "unrigged"}:
            told = json.loads(truth.read_text())
            is_known = told["kind"] != "other" or bool(told["landmarks"])  # beasts on two legs with tails are learned
            rows.append(row(truth.parent.name, read_mesh(truth.with_name("mesh.obj")), is_known))
    for make in STRANGE:
        rows += [row(f"{make.__name__} {k}", make(np.random.default_rng(k)).mesh, False) for k in range(EACH)]
    return rows


def fit_odds(values: np.ndarray, groups: np.ndarray, is_known: np.ndarray) -> tuple[np.ndarray, float]:
    """(even of each group, slope) of the logistic regression of being known on how unseen a body is.

    groups : (N,) int, which even counts for each body.  The known and the others are taken to be equally frequent.
    """
    weight = np.where(is_known, 1 / is_known.sum(), 1 / (~is_known).sum()) / 2
    count = int(groups.max()) + 1

    def loss(x):
        z = x[-1] * (x[groups] - values)
        return (weight * np.logaddexp(0, np.where(is_known, -z, z))).sum() + RIDGE * x[-1] ** 2
    found = minimize(loss, [*[3.0] * count, 5.0]).x
    return found[:-1], float(found[-1])


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
    is_known, stands, legs = (np.array([row[k] for row in rows]) for k in (1, 2, 3))
    for name, known, *numbers in sorted(rows, key=lambda row: row[2]):
        print("known" if known else "strange", name, *numbers)
    (unlike, alike), slope = fit_odds(stands, legs.astype(int), is_known)
    print(f"kind: even {alike:.2f} where legs agree, {unlike:.2f} where not, slope {slope:.1f}")
    right = (slope * (np.where(legs, alike, unlike) - stands) > 0) == is_known
    print(f"known {right[is_known].mean():.1%} right, others {right[~is_known].mean():.1%}")


if __name__ == "__main__":
    main()
