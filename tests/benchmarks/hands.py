"""How well fingers are found: on characters whose artists gave them finger bones.

    python -m tests.benchmarks.hands FOLDER [FOLDER ...] [--rigs FILE] [--list]

FOLDER holds <set>/<name>/mesh.obj and truth.json (presets/README.md); each set is reported on its own. A hand counts as
separated if there is air between the ends of all its fingers, as a mitten if its artist gave it at most a thumb and one
other finger; of the rest (fused fingers) nothing is expected. Errors are shares of the character's height.
--rigs keeps the bodies' rigs in a file, read if it is there.  --list names what is not right.
"""

from __future__ import annotations

import argparse
import json
import pickle
import re
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from core.detail.hands import Hand, find_fingers
from core.errors import RigError
from core.geometry.mesh import Mesh
from core.geometry.segments import segment_distances
from core.geometry.winding import winding_numbers
from core.pipeline import fit, prepare
from core.skeleton.preset import load_template
from tests.benchmarks.stance import read_obj

FINGERS = {"thumb": r"thumb", "index": r"index", "middle": r"middle(?!hand)", "ring": r"(^|[^a-z])f?_?ring|leftring|"
           r"rightring", "pinky": r"pinky|pinkie|little", "fingers": r"fingers(?!_)"}
NO_JOINT = re.compile(r"_end$|\.[lr]_end$|leaf|_tip|nub|metacarp|handthumb4|handindex4", re.IGNORECASE)
NEAR = 0.12  # a finger that passes the truth's last joint this near is that finger; share of the size of all fingers


@dataclass
class Score:
    """Sums over the hands of one set."""

    separated: int = 0
    counted: int = 0
    fingers: int = 0
    found: int = 0
    named: int = 0
    mittens: int = 0
    invented: int = 0
    fused: int = 0
    errors: list = field(default_factory=list)


def side_of(name: str) -> str:
    """"L", "R" or "" by a bone's name."""
    if word := re.match(r"(left|right)", name, re.IGNORECASE):
        return word[1][0].upper()
    mark = re.search(r"[._]([lr])(_end)?$", name, re.IGNORECASE)
    return mark[1].upper() if mark else ""


def true_fingers(truth: dict, side: str) -> dict[str, np.ndarray]:
    """{finger: (K, 3)} joints that move skin, from the knuckle outwards; metacarpals are left out."""
    chains: dict[str, list] = {}
    for joint in truth["joints"]:
        name = joint["name"]
        if side_of(name) != side or NO_JOINT.search(name) or not joint.get("has_weights", True):
            continue
        finger = next((f for f, pattern in FINGERS.items() if re.search(pattern, name, re.IGNORECASE)), None)
        if finger:
            chains.setdefault(finger, []).append(joint["head"])
    wrist = np.array(truth["landmarks"].get(f"wrist_{side.lower()}", (np.nan,) * 3))
    out = {}
    for finger, joints in chains.items():
        at = np.array(joints, float)
        reach = np.linalg.norm(at - wrist, axis=1)
        if len(at) > 3 or (len(at) > 1 and reach[0] < (0.1 if finger == "thumb" else 0.35) * reach[-1]):
            at = at[1:]
        out[finger] = at
    return out


def are_apart(mesh: Mesh, fingers: dict[str, np.ndarray]) -> bool:
    """Whether the last joints of fingers lie in flesh, and air between those side by side."""
    row = np.array([fingers[f][-1] for f in FINGERS if f in fingers and f != "thumb"])
    inside = np.abs(winding_numbers(mesh, np.concatenate([row, (row[:-1] + row[1:]) / 2]))) > 0.5
    return bool(inside[:len(row)].all() and not inside[len(row):].any())


def judge(score: Score, mesh: Mesh, height: float, truth: dict[str, np.ndarray], hand: Hand, to_object) -> str:
    """Add one hand to the score. Returns what is not right about it."""
    others = [f for f in truth if f != "thumb"]
    count = len([f for f in hand.fingers if f.name != "thumb"])
    if len(others) <= 1:
        score.mittens += 1
        score.invented += count > 1
        return f"{count} fingers on a mitten" if count > 1 else ""
    if not are_apart(mesh, truth):
        score.fused += 1
        return ""
    score.separated += 1
    score.counted += len(hand.fingers) == len(truth)
    wrong = [] if len(hand.fingers) == len(truth) else [f"{len(hand.fingers)} of {len(truth)}"]
    found = {f.name: to_object(f.joints) for f in hand.fingers}
    size = max(float(np.ptp(np.concatenate(list(truth.values())), axis=0).max()), 1e-9)
    for name, joints in truth.items():
        score.fingers += 1
        off = {n: segment_distances(joints[-1:], at[:-1], at[1:]).min() for n, at in found.items()}
        best = min(off, key=off.__getitem__, default=None)
        if best is None or off[best] > NEAR * size:
            wrong.append(f"no {name}")
            continue
        score.found += 1
        score.named += best == name
        if best != name:
            wrong.append(f"{name} called {best}")
        score.errors += (_apart(joints, found[best][:-1], name == "thumb") / height).tolist()
    return ", ".join(wrong)


def _apart(joints: np.ndarray, found: np.ndarray, is_thumb: bool) -> np.ndarray:
    """Distances of joints that stand for each other: thumbs are compared from the tip, fingers from the knuckle."""
    k = min(len(joints), len(found))
    return np.linalg.norm(joints[-k:] - found[-k:] if is_thumb else joints[:k] - found[:k], axis=1)


def main(arguments=None) -> None:
    """Find and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--rigs", type=Path)
    parser.add_argument("--list", action="store_true")
    choice = parser.parse_args(arguments)
    rigs = pickle.loads(choice.rigs.read_bytes()) if choice.rigs and choice.rigs.exists() else {}
    scores: dict[str, Score] = {}
    for path in sorted(p for folder in choice.folders for p in folder.glob("*/*/truth.json")):
        truth = json.loads(path.read_text())
        if truth["kind"] != "biped" or not truth.get("joints"):
            continue
        mesh, name = read_obj(path.with_name("mesh.obj")), f"{path.parent.parent.name}/{path.parent.name}"
        try:
            shape = prepare(mesh)
            rig = rigs[name] = rigs.get(name) or fit(mesh, load_template("biped"), shape=shape)
        except RigError as error:
            print(f"{name}: {error}")
            continue
        for side in "LR":
            hand = find_fingers(shape, rig, side)
            wrong = judge(scores.setdefault(path.parent.parent.name, Score()), mesh, truth["height"],
                          true_fingers(truth, side), hand, shape.frame.to_object)
            if wrong and choice.list:
                print(f"{name} {side}: {wrong}")
    if choice.rigs:
        choice.rigs.write_bytes(pickle.dumps(rigs))
    share = lambda a, b: f"{a / b:7.1%}" if b else "      -"  # noqa: E731
    print(f"{'':24}hands   found  named  count    error  | mittens invented | fused")
    for name, s in scores.items():
        error = f"{np.mean(s.errors):8.4f}" if s.errors else "       -"
        print(f"{name:24}{s.separated:5} {share(s.found, s.fingers)}{share(s.named, s.found)}"
              f"{share(s.counted, s.separated)} {error}  |  {s.mittens:4} {share(s.invented, s.mittens)} | {s.fused:4}")


if __name__ == "__main__":
    main()
