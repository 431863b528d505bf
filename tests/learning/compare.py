"""What networks make of generated bodies: how many are told for what they are, and how many are rigged right.

    python -m tests.learning.compare CHARACTERS TOOLS NETWORK.npz ... [--seed 1] [--each 30]

Right means that no limb joint is off by a tenth of the size. Seeds that a network has learned from tell nothing.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import numpy as np

from core.fitting.check import check_character
from core.fitting.fit import Fitter
from core.fitting.missing import find_missing
from core.geometry.mesh import Mesh
from core.pipeline import prepare
from core.seeing.network import read_network
from core.seeing.stance import UPRIGHT, detect_stance
from core.skeleton.preset import load_template
from tests.characters import beasts, crawlers, creatures

from .animal_poses import resting
from .clad import clad
from .cutting import ABSENT, cut
from .dataset import disturbed, grown, joints_of

OWN = ("toys", "plush", "teddies", "wild")
OTHERS = (crawlers.ghost, crawlers.chair, crawlers.tree, crawlers.octopus, crawlers.fish, crawlers.many_legged,
          beasts.hydra, beasts.whale, creatures.blob)
ON_A_SIDE = np.array([[0.0, 0, 1], [0, 1, 0], [-1, 0, 0]])
LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot",
         *(f"{end}_{joint}" for end in ("front", "hind") for joint in ("upper", "lower", "foot")))
UNLUCKY = (ValueError, IndexError, KeyError, FloatingPointError)  # of the programs that vary bodies, with some seeds

Body = tuple[str, str, np.ndarray, np.ndarray, dict[str, np.ndarray]]


def bodies(characters: Path, seed: int, each: int) -> Iterator[Body]:
    """(what, kind, vertices, faces, joints); joints that are cut off are ABSENT."""
    import people
    import vary

    def made(what: str, kind: str, rng: np.random.Generator, make) -> Iterator[Body]:
        try:
            got = make()
            joints = joints_of(got | {"kind": kind})
            vertices, faces = got["vertices"], got["faces"]
            held = clad(vertices, joints, rng, often=1.0) if what == "clad" else []
            if what == "cut":
                vertices, faces, joints = cut(got | {"kind": kind}, joints, rng)
            yield what, kind, *disturbed(kind, vertices, faces, joints, rng, held)
        except UNLUCKY:
            return

    for number in range(seed, seed + each):
        for what in ("clad", "cut"):
            rng = np.random.default_rng([number, zlib.crc32(what.encode())])
            yield from made(what, "biped", rng, lambda: people.make_person(number))  # noqa: B023
        for what in OWN:
            rng = np.random.default_rng([number, zlib.crc32(what.encode())])
            kind, *body = grown(what, rng)
            yield what, kind, *disturbed(kind, *body, rng)
    for path in sorted(characters.rglob("truth.json")):
        truth = json.loads(path.read_text())
        if truth["kind"] == "quadruped" and truth.get("landmarks"):
            source = vary.load(path.parent)
            for k, what in enumerate(("sit", "lie", "rear", "graze", "cut")):
                rng = np.random.default_rng([seed, k, zlib.crc32(path.parent.name.encode())])
                one = lambda: vary.vary(source, seed + k)  # noqa: B023, E731
                yield from made(what, "quadruped", rng,
                                one if what == "cut" else lambda: resting(one(), rng, what))  # noqa: B023


def judged(body: Body) -> tuple[bool, bool]:
    """Whether a body is told for what it is, and whether it is rigged right: of one that lacks something, whether just
    that is told."""
    what, kind, vertices, faces, joints = body
    shape = prepare(Mesh(vertices, faces), stance=UPRIGHT)
    told = check_character(shape).preset in ((kind, "biped_tail") if kind == "biped" else (kind,))
    if what == "cut":
        ends = ("hand", "foot", "front_foot", "hind_foot")
        lost = {n for n, p in joints.items() if p is ABSENT and n.split(".")[0] in ends}
        gone = find_missing(shape.mesh, load_template(kind)).joints
        return told, lost == {n for n in gone if n.split(".")[0] in ends}
    places, size = Fitter(shape, load_template(kind)).rig().joints, np.ptp(vertices, axis=0)
    off = [np.linalg.norm(places[n] - p) for n, p in joints.items()
           if n in places and n.split(".")[0] in LIMBS and np.isfinite(p).all()]
    return told, max(off) < 0.1 * (size[2] if kind == "biped" else size.max())


def main() -> None:
    """Print a table for each network."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("characters", type=Path)
    ap.add_argument("tools", type=Path)
    ap.add_argument("networks", type=Path, nargs="+")
    ap.add_argument("--seed", type=int, default=1)
    ap.add_argument("--each", type=int, default=30)
    a = ap.parse_args()
    sys.path.insert(0, str(a.tools))
    for path in a.networks:
        network = read_network(path)
        with mock.patch("core.seeing.evidence.load_network", lambda: network):  # noqa: B023
            rows = defaultdict(list)
            for body in bodies(a.characters, a.seed, a.each):
                rows[body[0]].append(judged(body))
            print(f"{path}\n{'':10} {'bodies':>7} {'told':>6} {'right':>6}")
            for what, row in rows.items():
                told, right = np.sum(row, 0)
                print(f"{what:10} {len(row):7} {told:6} {right:6}", flush=True)
            for make in OTHERS:
                meshes = [make(np.random.default_rng([a.seed, k])).mesh for k in range(a.each // 2)]
                kinds = Counter(check_character(prepare(mesh, stance=UPRIGHT)).preset for mesh in meshes)
                stay = sum(detect_stance(Mesh(m.vertices @ ON_A_SIDE.T, m.faces)).up == "Z" for m in meshes)
                print(f"{make.__name__:12} {dict(kinds)}, on a side {stay} stay", flush=True)


if __name__ == "__main__":
    main()
