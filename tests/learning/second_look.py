"""What the second look at doubtful stances reaches on held-out characters, and what chose its numbers.

    python -m tests.learning.second_look CHARACTERS TOOLS DATA STANCE FOLD.pt [FOLD.pt ...]

STANCE is the folder of `stance` with its folds, FOLD.pt are the landmark networks of the same folds. Every character
and four variations of it with props are put in all 24 axis turns; each way to stand is weighed by networks that know
nothing of its source.
"""

from __future__ import annotations

import argparse
import sys
import zlib
from pathlib import Path
from unittest import mock

import numpy as np
import torch

from core.geometry.mesh import Mesh
from core.geometry.scatter import scatter_surface
from core.seeing import evidence
from core.seeing.proposals import propose
from core.seeing.stance import EVEN, MOST, SLOPE, prior
from core.seeing.stance_network import StanceNetwork, load_stance_network

from .dataset import joints_of
from .judge import characters, fold_parts
from .stance import AXIS_TURNS, FOLDS, GIVEN, RIGHT, StanceNet, numbers_of, restyled, turned_a_little
from .train import read_shards

TRIED = [(close, vague) for close in (0.0, 1.0, 2.0, 4.0) for vague in (1.0, 2.0, 4.0, 8.0) if close or vague == 1.0]
LIKELIEST = 10


def bodies(folder: Path, held: set[str]):
    """(character, kind, how, mesh, turn) of the characters of some sources and of their variations."""
    import vary
    for name, truth, mesh in characters(folder, held):
        yield name, truth["kind"], "plain", mesh, np.eye(3)
        source = vary.load(folder / name)
        for n in range(1, 5):
            rng = np.random.default_rng([n, zlib.crc32(name.encode())])
            try:
                got = vary.vary(source, n)
            except (ValueError, FloatingPointError, IndexError, KeyError):
                continue
            styled = restyled(truth["kind"], got["vertices"], got["faces"], joints_of(got), rng)
            *at, turn = turned_a_little(truth["kind"], *styled, rng)
            yield name, truth["kind"], "props", Mesh(*at), turn


def ways_of(mesh: Mesh, network: StanceNetwork, turn: np.ndarray) -> dict:
    """The likeliest ways to stand and what both networks say of them."""
    proposals = propose(scatter_surface(mesh))
    odds = network(proposals)[0].ravel()
    best = np.argsort(-odds)[:LIKELIEST]
    rotations = proposals.rotations.reshape(-1, 3, 3)[best]
    vague = np.array([evidence.vagueness(mesh.vertices @ r.T, mesh.faces) for r in rotations])
    unseen = np.array([evidence.unseen(Mesh(mesh.vertices @ r.T, mesh.faces)) for r in rotations])
    cosine = (np.einsum("kij,ij->k", rotations, turn.T) - 1) / 2
    right = np.stack([rotations[:, 2] @ turn.T[2] > np.cos(RIGHT), np.arccos(np.clip(cosine, -1, 1)) < RIGHT], 1)
    return {"odds": odds[best], "rotations": rotations, "vague": vague, "unseen": unseen, "right": right}


def outcomes(row: dict, close: float, weight: float, calibration: tuple) -> tuple[np.ndarray, float]:
    """(24, 2) whether up, and whether up and front, are right in each axis turn, and the share of second looks."""
    temperature, *leads = calibration
    out, looks = [], 0
    for turn in AXIS_TURNS:
        rotations = row["rotations"] @ turn.T
        score = row["odds"] / temperature + prior(rotations, rotations, *leads)
        best = np.argsort(-score, kind="stable")[:MOST]
        best = best[score[best] > score.max() - close]
        if len(best) > 1:
            looks += 1
            vague = np.full(len(score), np.ptp(row["vague"][best]))
            vague[best] = row["vague"][best] - row["vague"][best].min()
            score = score - weight * vague
        out.append(row["right"][score.argmax()] & ~_stays(row, rotations, score))
    return np.array(out), looks / len(AXIS_TURNS)


def _stays(row: dict, rotations: np.ndarray, score: np.ndarray) -> bool:
    """Whether a body lying on its side stays so, for it may be of no known kind: `Ways.if_known`."""
    best, given = int(score.argmax()), rotations[:, 2, 2] > 1 - 1e-9
    if given[best]:
        return False
    strange = np.logaddexp.reduce(score) - SLOPE * (EVEN - row["unseen"][best])
    return bool(np.logaddexp.reduce([strange, *score[given]]) > score[best])


def main() -> None:
    """The command line."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("characters", "tools", "data", "stance"):
        ap.add_argument(name, type=Path)
    ap.add_argument("nets", type=Path, nargs="+")
    a = ap.parse_args()
    torch.set_num_threads(1)
    ships = load_stance_network()
    calibration = (ships.temperature, ships.given_up, ships.given_front, ships.tilted)
    sys.path.insert(0, str(a.tools))
    shards, rows = read_shards(a.data), []
    for path in a.nets:
        held, landmarks, _ = fold_parts(path, shards)
        number, = (i for i, fold in enumerate(FOLDS) if set(fold) & held)
        net = StanceNet()
        net.load_state_dict(torch.load(a.stance / f"fold{number}.pt"))
        network = StanceNetwork(numbers_of(net.eval(), (1, 0, 0, 0)))
        with mock.patch("core.seeing.evidence.load_network", lambda n=landmarks: n):
            rows += [{"name": n, "kind": k, "how": h} | ways_of(m, network, t) for n, k, h, m, t in
                     bodies(a.characters, held)]
    print("| held out | close | vague | upright: stays up | and front | turned: up found | and front | looked again |")
    print("|---|---|---|---|---|---|---|---|")
    for kind, how in (("biped", "plain"), ("biped", "props"), ("quadruped", "plain"), ("quadruped", "props")):
        own = [r for r in rows if (r["kind"], r["how"]) == (kind, how)]
        names = [r["name"] for r in own]
        weights = np.array([1 / names.count(n) for n in names])
        for close, vague in TRIED:
            got, looks = zip(*(outcomes(r, close, vague, calibration) for r in own), strict=True)
            given, turned = (np.average(x, 0, weights) for x in
                             (np.array(got)[:, GIVEN], np.delete(np.array(got), GIVEN, 1).mean(1)))
            shown = [f"{100 * x:.1f}" for x in (*given, *turned, np.average(looks, weights=weights))]
            print(f"| {kind}, {how} | {close} | {vague} | " + " | ".join(shown) + " |")


if __name__ == "__main__":
    main()
