"""How far off a joint is likely to be when it is doubtful, from held-out characters.

    python -m tests.learning.doubt DATA presets/anatomy FOLD.pt [FOLD.pt ...]

Each fold's network reads the variations of the sources it never saw, in the cells that their views allow. A joint is
doubted where it is likely to be further off than all but few of the right ones; how few is chosen so that at most FALSE
of the artists' own bodies without a wrong limb joint have a doubtful one. The slope is the likeliest one.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from scipy import optimize

from core.fitting.readings import BodyReader
from core.seeing.evidence import Evidence, log_sum
from core.seeing.landmarks import LANDMARKS, OUTPUTS_OF, mirrored
from core.seeing.views import CELLS, IMAGE_AXES, Sight

from .dataset import FACTORS, SHIFTS
from .judge import fold_parts
from .train import COUNTED, read_shards
from .trees import write_tree

FALSE, EACH = 0.05, 10
# Joints at the ends of limbs and girdles are doubted when they are so many times as far off: artists agree least there.
LENIENT = 1.3


def allowed_cells(view: np.ndarray) -> np.ndarray:
    """(CELLS, CELLS, CELLS) bool: the cells between the nearest and the farthest surface of all three stored views."""
    out, depth = np.ones((CELLS,) * 3, bool), np.arange(CELLS)[:, None, None]
    for axis, (row, column) in enumerate(IMAGE_AXES):
        near, far = view[axis, 1].astype(int), view[axis, 2].astype(int)
        block = (view[axis, 0] > 0)[None] & (depth >= near) & (depth < far)
        out &= np.transpose(block, np.argsort((axis, row, column)))
    return out


def flipped(maps: np.ndarray) -> np.ndarray:
    """The views of the mirror image."""
    out = maps.copy()
    for axis, (_, column) in enumerate(IMAGE_AXES):
        if column == 0:
            out[axis] = maps[axis, :, :, ::-1]
        else:
            out[axis, 1], out[axis, 2] = -maps[axis, 2], -maps[axis, 1]
    return out


def evidence_of(network, view: np.ndarray, kind: str) -> Evidence:
    """What the network sees in stored views."""
    maps, names = ((view - SHIFTS) / FACTORS).astype(np.float32), LANDMARKS[kind]
    own = network(np.stack([maps, flipped(maps)]))[0][:, :, OUTPUTS_OF[kind]]
    image = own[1][:, mirrored(names)]
    for axis, (_, column) in enumerate(IMAGE_AXES):
        if column == 0:
            image[axis] = image[axis, :, :, ::-1].copy()
    flat = ((own[0] + image) / 2).reshape(3, len(names), -1)
    heat = (flat - log_sum(flat)[..., None]).reshape(3, len(names), CELLS, CELLS)
    solid = allowed_cells(view)
    return Evidence(kind, names, heat, Sight(solid, 1.0, np.zeros(3)), (np.argwhere(solid) + 0.5) / CELLS)


def gather(nets: list[Path], shards) -> dict[str, list[tuple[np.ndarray, np.ndarray, bool]]]:
    """{kind: [(spread, error, whether it is the artist's own) of a held-out body]}, errors as the score has them."""
    out: dict[str, list] = {kind: [] for kind in COUNTED}
    for net in nets:
        held, network, trees = fold_parts(net, shards)
        for shard in shards:
            if shard.source not in held or shard.kind not in COUNTED:
                continue
            for n, (view, truth) in enumerate(zip(shard.views[:EACH], shard.truths[:EACH], strict=True)):
                reading = BodyReader(evidence_of(network, view, shard.kind), trees[shard.kind]).read(count=1)[0]
                tall = np.ptp(np.flatnonzero(view[1, 0].any(1))) / CELLS
                size = tall if shard.kind == "biped" else 0.92
                error = np.linalg.norm(reading.places - truth, axis=1) / size
                out[shard.kind].append((reading.spread, error, n == 0))
    return out


def doubtful_spread(kind: str, bodies) -> tuple[dict[str, float], float, str]:
    """{joint without side: spread above which it is doubtful}, the slope, and what that catches."""
    names = np.array([n.split(".")[0] for n in LANDMARKS[kind]])
    spread, error, own = (np.array([b[k] for b in bodies]) for k in range(3))
    counted = np.isin(names, COUNTED[kind])
    worst = np.nanmax(np.where(counted, error, np.nan), 1)
    right = ~(error >= 0.1)
    usual = {n: float(np.quantile(spread[:, names == n][right[:, names == n]], 0.95))
             * (1 if n in COUNTED[kind] else LENIENT) for n in dict.fromkeys(names)}
    times = spread / [usual[n] for n in names]
    limit = float(np.quantile(times.max(1)[own & (worst < 0.1)], 1 - FALSE))
    told = ", ".join(f"{np.mean(times.max(1)[worst >= e] > limit):.2f} of {np.sum(worst >= e)} off by {e}"
                     for e in (0.1, 0.15, 0.2))
    known = np.isfinite(error) & counted
    log, wrong = np.log(times[known] / limit), error[known] >= 0.1

    def unlikely(slope: float) -> float:
        return float(np.logaddexp(0, np.where(wrong, -slope, slope) * log).sum())

    slope = float(optimize.minimize_scalar(unlikely, (0.1, 20.0), bounds=(0.1, 20.0), method="bounded").x)
    return {n: u * limit for n, u in usual.items()}, slope, f"{kind}: {len(bodies)} bodies, doubted {told}"


def main() -> None:
    """The command line."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data", type=Path)
    ap.add_argument("out", type=Path)
    ap.add_argument("nets", type=Path, nargs="+")
    a = ap.parse_args()
    torch.set_num_threads(1)
    found, slopes = {}, {}
    for kind, bodies in gather(a.nets, read_shards(a.data)).items():
        found[kind], slopes[kind], told = doubtful_spread(kind, bodies)
        print(told)
    for kind in LANDMARKS:
        path = a.out / f"{kind}.json"
        joints = json.loads(path.read_text(encoding="utf-8"))["joints"]
        first, second = ("quadruped", "biped") if kind in ("quadruped", "centaur") else ("biped", "quadruped")
        usual = found[second] | found[first]
        for name, joint in joints.items():
            joint["spread"] = round(usual.get(name.split(".")[0], usual["hips"]), 4)
        write_tree(kind, joints, path, {"slope": round(slopes[first], 2)})


if __name__ == "__main__":
    main()
