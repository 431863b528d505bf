"""How joints lie to each other, from the shards of `dataset`: the means and covariances of `fitting.joint_tree`.

    python -m tests.learning.trees DATA presets/anatomy [--hold SOURCES]
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np

from core.fitting.joint_tree import FORMAT, VERSION
from core.seeing.landmarks import LANDMARKS, mirrored

from .train import read_groups, read_shards

_PERSON = {"neck": "hips", "head": "neck", "head_top": "head", "shoulder": "neck", "upper_arm": "neck",
           "forearm": "upper_arm", "hand": "forearm", "hand_tip": "hand", "thigh": "hips", "shin": "thigh",
           "foot": "shin", "toe": "foot", "toe_tip": "foot"}
_ANIMAL = {"neck": "hips", "head": "neck", "head_top": "head", "tail": "hips", "tail_tip": "tail",
           "front_shoulder": "neck", "front_upper": "neck", "front_lower": "front_upper",
           "front_foot": "front_lower", "front_toe": "front_foot", "hind_hip": "hips", "hind_upper": "hips",
           "hind_lower": "hind_upper", "hind_heel": "hind_lower", "hind_foot": "hind_lower", "hind_toe": "hind_foot"}
_ABOVE = {"biped": _PERSON, "biped_tail": _PERSON | {"tail": "hips", "tail_tip": "tail"}, "quadruped": _ANIMAL,
          "centaur": _PERSON | _ANIMAL | {"withers": "hips", "neck": "withers", "front_shoulder": "withers",
                                          "front_upper": "withers"}}
# Of a new file: see `JointTree`. The shipped ones were chosen on held-out sources by `judge`.
SETTINGS = {"weight": 0.3, "floor": -12.0, "slope": 2.0, "odd": -6.5}
# Added to every spread: bodies of a handful of sources are more alike than those to come.
LEAST = 0.012


def parent_of(kind: str, name: str) -> str | None:
    """The joint that a joint hangs on."""
    base, _, side = name.partition(".")
    above = _ABOVE[kind].get(base)
    if above is None:
        return None
    return above if above in LANDMARKS[kind] else f"{above}.{side}"


def learn_tree(kind: str, shards, held: set[str]) -> dict:
    """{joint: parent, mean, covariance}. A group of bodies counts as much as in training, left and right together.

    A joint that no body of the kind tells of is as it is in other kinds.
    """
    groups, joints = read_groups(shards, held), {}
    for name in LANDMARKS[kind]:
        above = parent_of(kind, name)
        way, weight = _ways(groups, (kind,), name, above)
        if not weight.any():
            way, weight = _ways(groups, tuple(LANDMARKS), name, above)
        mean = np.average(way, axis=0, weights=weight)
        covariance = np.cov(way.T, aweights=weight, bias=True) + np.eye(3) * LEAST**2
        joints[name] = {"parent": above, "mean": np.round(mean, 4).tolist(),
                        "covariance": np.round(covariance, 6).tolist()}
    return joints


def _ways(groups, kinds: tuple[str, ...], name: str, above: str | None) -> tuple[np.ndarray, np.ndarray]:
    """(N, 3) the ways from a joint's parent to it in bodies of some kinds and their mirror images, (N,) weights."""
    ways, weights = [np.zeros((0, 3))], [np.zeros(0)]
    for share, members, chance in groups:
        for shard, p in zip(members, chance, strict=True):
            names = LANDMARKS[shard.kind]
            if shard.kind not in kinds or name not in names or (above and above not in names):
                continue
            own = shard.truths.astype(float)
            for at in (own, own[:, mirrored(names)] * [-1, 1, 1] + [1, 0, 0]):
                way = at[:, names.index(name)] - (at[:, names.index(above)] if above else 0.0)
                known = np.isfinite(way).all(1)
                ways.append(way[known])
                weights.append(np.full(known.sum(), share * p / len(own)))
    return np.concatenate(ways), np.concatenate(weights)


def write_tree(kind: str, joints: dict, path: Path, settings: dict | None = None) -> None:
    """A joint a line; the other entries of a file that stands stay."""
    data = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    data = {"format": FORMAT, "version": VERSION, **SETTINGS, "between": {}, "along": {}} | data | (settings or {})
    doubtful = {n: j["spread"] for n, j in data.pop("joints", {}).items() if "spread" in j}
    joints = {n: {"spread": doubtful.get(n, 0.1)} | j for n, j in joints.items()}
    data.pop("start", None)
    path.parent.mkdir(parents=True, exist_ok=True)
    head = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in data.items())
    lines = ",\n".join(f"    {json.dumps(n)}: {json.dumps(j)}" for n, j in joints.items())
    path.write_text("{\n" + head + ",\n  \"joints\": {\n" + lines + "\n  }\n}\n", encoding="utf-8")


if __name__ == "__main__":
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data", type=Path)
    ap.add_argument("out", type=Path)
    ap.add_argument("--hold", default="")
    a = ap.parse_args()
    shards, held = read_shards(a.data), set(a.hold.split(",")) - {""}
    for kind in LANDMARKS:
        write_tree(kind, learn_tree(kind, shards, held), a.out / f"{kind}.json")
