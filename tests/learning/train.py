"""Train the landmark network on the shards of `dataset`, with some sources held out.

    python -m tests.learning.train DATA OUT [--hold quaternius_fbx,kaykit] [--steps 6000] [--seed 0]

OUT.pt is written every few hundred steps and taken up again; it ends with the running mean of the weights. The
held-out characters themselves (not their variations) are scored at the end. One thread each: folds run side by side.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch.nn import functional as F

from core.seeing.landmarks import LANDMARKS, OUTPUTS, OUTPUTS_OF, mirrored
from core.seeing.views import CELLS, IMAGE_AXES

from .dataset import FACTORS, OWN, SHIFTS
from .network import LandmarkNet
from .resume import unfold

# Share of the batches' bodies: artists' people, animals and upright dinosaurs, parametric people, our own generator's.
SHARES = {"biped": 0.34, "quadruped": 0.25, "biped_tail": 0.02, "people": 0.18, "animals": 0.03, "wild": 0.07,
          "centaurs": 0.02, "toys": 0.02, "loose": 0.03, "persons": 0.02, "tailed": 0.02, "plush": 0.1, "teddies": 0.04,
          "no_person": 0.04, "no_animal": 0.04}
GENERATED = ("people", *OWN)
SPREAD = 1.2 / CELLS
BEHIND = 0.03
KINDS = tuple(LANDMARKS)
FLIP = np.array(mirrored(OUTPUTS))


@dataclass
class Shard:
    """One character and its variations, the character itself first (none is first of what was generated).

    views : (N, 3, MAPS, CELLS, CELLS) as stored;  truths : (N, J, 3) of the kind's joints
    """

    name: str
    source: str
    kind: str
    views: np.ndarray
    truths: np.ndarray


def read_shards(folder: Path) -> list[Shard]:
    """All shards of a folder, by name."""
    out = []
    for path in sorted(folder.glob("*--*.npz")):
        if path.name.endswith(".part.npz"):
            continue
        z = np.load(path)
        if len(z["views"]):
            kind, truths = str(z["kind"]), z["truths"]
            if truths.shape[1] == 52:
                truths = truths[:, :24] if kind == "biped" else truths[:, 24:]
            if kind == "quadruped":
                truths = with_hocks(truths)
            out.append(Shard(path.stem, path.stem.split("--")[0], kind, z["views"], truths))
    return out


def with_hocks(truths: np.ndarray) -> np.ndarray:
    """An animal's joints in its variations, each called what it is.

    Where its artist's hind leg has one joint between hip and foot, it is the hock if it lies behind the hip, as it does
    on hoofed animals; between stifle and hock it is neither.
    """
    at, out = LANDMARKS["quadruped"].index, truths.copy()
    for side in "LR":
        upper, lower, heel = (at(f"hind_{n}.{side}") for n in ("upper", "lower", "heel"))
        if np.isnan(truths[:, heel]).all():
            if np.nanmedian(truths[:, lower, 1] - truths[:, upper, 1]) > BEHIND:
                out[:, heel] = truths[:, lower]
            out[:, lower] = np.nan
    return out


def read_groups(shards: list[Shard], held: set[str]) -> list[tuple[float, list[Shard], np.ndarray]]:
    """(share, shards, chance of each) to draw from; a source counts by the root of its size."""
    groups = []
    for group, share in SHARES.items():
        members = [s for s in shards if s.source not in held and
                   (s.source == group if group in GENERATED else s.kind == group and s.source not in GENERATED)]
        if members:
            count = {s.source: sum(m.source == s.source for m in members) for s in members}
            chance = np.array([1 / count[s.source] ** 0.5 if group not in GENERATED else len(s.views)
                               for s in members])
            groups.append((share, members, chance / chance.sum()))
    return groups


def varied(view: np.ndarray, truth: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Stored views shifted by whole cells and perhaps mirrored: float32 maps and joints."""
    maps, truth = (view - SHIFTS) / FACTORS, truth.copy()
    if rng.random() < 0.5:
        for axis, (_, column) in enumerate(IMAGE_AXES):
            if column == 0:
                maps[axis] = maps[axis, :, :, ::-1].copy()
            else:
                maps[axis, [1, 2]] = -maps[axis, [2, 1]]
        truth = truth[FLIP]
        truth[:, 0] = 1 - truth[:, 0]
    shift = rng.integers(-2, 3, 3)
    for axis, (row, column) in enumerate(IMAGE_AXES):
        maps[axis] = np.roll(maps[axis], (shift[row], shift[column]), (1, 2))
        maps[axis, 1:3] += shift[axis] / CELLS * (maps[axis, :1] > 0)
    return maps.astype(np.float32), truth + (shift / CELLS).astype(np.float32)


def batch(groups, size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(views, joints, kinds) of `size` bodies."""
    shares = np.array([g[0] for g in groups])
    views, truths, kinds = [], [], []
    for _ in range(size):
        _, members, chance = groups[rng.choice(len(groups), p=shares / shares.sum())]
        shard = members[rng.choice(len(members), p=chance)]
        k = rng.integers(len(shard.views))
        whole = np.full((len(OUTPUTS), 3), np.nan, np.float32)
        whole[OUTPUTS_OF[shard.kind]] = shard.truths[k]
        view, truth = varied(shard.views[k], whole, rng)
        views.append(view), truths.append(truth), kinds.append(KINDS.index(shard.kind))
    return np.array(views), np.array(truths), np.array(kinds)


def heat_loss(logits: torch.Tensor, truth: torch.Tensor) -> torch.Tensor:
    """Cross entropy of each joint's map with a Gaussian at the joint, with an even map for what is cut off.

    logits (N, 3, J, S, S), truth (N, J, 3)
    """
    known = torch.isfinite(truth).all(-1) & (truth > 0).all(-1) & (truth < 1).all(-1)
    absent = torch.isinf(truth).any(-1)
    count = known.sum() + absent.sum()
    at = torch.nan_to_num(truth)
    cells = (torch.arange(CELLS) + 0.5) / CELLS
    total = 0.0
    for axis, (row, column) in enumerate(IMAGE_AXES):
        goal = [torch.softmax(-(cells - at[..., k, None]) ** 2 / (2 * SPREAD**2), -1)[known] for k in (row, column)]
        own = logits[:, axis][known].float()
        inner = torch.einsum("krc,kr,kc->k", own, goal[0], goal[1])
        total = total + (torch.logsumexp(own.flatten(1), 1) - inner).sum() / count
        even = logits[:, axis][absent].float().flatten(1)
        total = total + (torch.logsumexp(even, 1) - even.mean(1)).sum() / count
    return total / 3


def decode(logits: np.ndarray, sharp: float = 0.5) -> np.ndarray:
    """(J, 3) places in the cube where the three views (3, J, S, S) together see the joints best."""
    out = []
    near = np.arange(-4, 5)
    for j in range(logits.shape[1]):
        x, y, z = (logits[a, j] for a in range(3))                   # rows, columns: (z, y), (z, x), (y, x)
        volume = sharp * (x.T[None] + y.T[:, None] + z.T[:, :, None])   # x y z
        peak = np.unravel_index(volume.argmax(), volume.shape)
        box = [np.clip(p + near, 0, CELLS - 1) for p in peak]
        v = volume[np.ix_(*box)]
        w = np.exp(v - v.max())
        out.append([((box[k] + 0.5) / CELLS * w.sum(tuple({0, 1, 2} - {k}))).sum() / w.sum() for k in range(3)])
    return np.array(out)


def evaluate(net: LandmarkNet, shards: list[Shard]) -> list[dict]:
    """Errors of each shard's first body, in parts of its size, mirrored views averaged."""
    rows = []
    net.eval()
    flip = torch.tensor(FLIP)
    with torch.no_grad():
        for s in shards:
            maps = ((s.views[:1] - SHIFTS) / FACTORS).astype(np.float32)
            other = maps.copy()
            for axis, (_, column) in enumerate(IMAGE_AXES):
                if column == 0:
                    other[:, axis] = maps[:, axis, :, :, ::-1]
                else:
                    other[:, axis, 1], other[:, axis, 2] = -maps[:, axis, 2], -maps[:, axis, 1]
            logits, kind = net(torch.from_numpy(np.concatenate([maps, other])))
            back = logits[1:, :, flip].clone()
            for axis, (_, column) in enumerate(IMAGE_AXES):
                if column == 0:
                    back[:, axis] = back[:, axis].flip(-1)
            both = ((logits[:1] + back) / 2)[0].float()
            both = torch.log_softmax(both.flatten(2), -1).view_as(both).numpy()
            names = LANDMARKS[s.kind]
            at, truth = decode(both[:, OUTPUTS_OF[s.kind]]), s.truths[0]
            mask = maps[0, 1, 0]
            size = np.ptp(np.flatnonzero(mask.any(1))) / CELLS if s.kind == "biped" else 0.92
            error = np.linalg.norm(at - truth, axis=1) / size
            rows.append({"name": s.name, "kind": s.kind, "kind_logits": kind[0].tolist(),
                             "errors": {n: float(e) for n, e in zip(names, error, strict=True) if np.isfinite(e)}})
    return rows


COUNTED = {"biped": ("hips", "upper_arm", "forearm", "hand", "thigh", "shin", "foot"),
           "quadruped": ("neck", "head", "tail", "front_upper", "front_lower", "front_foot", "hind_upper", "hind_lower",
                         "hind_foot")}


def tell(rows: list[dict]) -> str:
    """Share right and mean of each kind."""
    lines = []
    for kind in KINDS:
        if kind not in COUNTED:
            continue
        got = [[e for n, e in r["errors"].items() if n.split(".")[0] in COUNTED[kind]]
               for r in rows if r["kind"] == kind]
        if got:
            lines.append(f"{kind}: right {sum(max(g) < 0.1 for g in got)} of {len(got)}, "
                         f"mean {np.mean([np.mean(g) for g in got]):.4f}")
    return "; ".join(lines)


def main() -> None:
    """The command line."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("data", type=Path)
    ap.add_argument("out", type=Path)
    ap.add_argument("--hold", default="")
    ap.add_argument("--steps", type=int, default=6000)
    ap.add_argument("--size", type=int, default=16)
    ap.add_argument("--rate", type=float, default=2e-3)
    ap.add_argument("--seed", type=int, default=0)
    ap.add_argument("--begin", type=Path, help="a network that ships, to go on from")
    a = ap.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(a.seed)
    held = set(a.hold.split(",")) - {""}
    shards = read_shards(a.data)
    groups = read_groups(shards, held)
    tests = [s for s in shards if s.source in held]
    some = torch.from_numpy(batch(groups, 4 * a.size, np.random.default_rng(a.seed))[0]) if a.begin else None
    net = (LandmarkNet(len(OUTPUTS), len(KINDS)) if a.begin is None else unfold(a.begin, some)).to(
        memory_format=torch.channels_last)
    mean = LandmarkNet(len(OUTPUTS), len(KINDS))
    mean.load_state_dict(net.state_dict())
    best = torch.optim.AdamW(net.parameters(), a.rate, weight_decay=0.02)
    plan = torch.optim.lr_scheduler.OneCycleLR(best, a.rate, a.steps, pct_start=0.08)
    first = 0
    if a.out.exists():
        state = torch.load(a.out, weights_only=False)
        net.load_state_dict(state["net"]), mean.load_state_dict(state["mean"]), best.load_state_dict(state["best"])
        plan.load_state_dict(state["plan"])
        first = state["step"]
    print(f"{sum(p.numel() for p in net.parameters())} numbers, {len(shards)} shards, held out {sorted(held)}, "
          f"from step {first}", flush=True)
    begun, running = time.time(), None
    for step in range(first, a.steps):
        if step % 500 == 0 and len(list(a.data.glob("*--*.npz"))) > len(shards):
            shards = read_shards(a.data)          # the data may still be growing
            groups, tests = read_groups(shards, held), [s for s in shards if s.source in held]
        rng = np.random.default_rng([a.seed, step])
        views, truths, kinds = batch(groups, a.size, rng)
        net.train()
        with torch.autocast("cpu", torch.bfloat16):
            logits, kind = net(torch.from_numpy(views).contiguous())
        loss = heat_loss(logits, torch.from_numpy(truths))
        loss = loss + 0.1 * F.cross_entropy(kind.float(), torch.from_numpy(kinds))
        best.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(net.parameters(), 5.0)
        best.step()
        plan.step()
        keep = min(0.998, (step + 1) / (step + 10))
        with torch.no_grad():
            for m, n in zip(mean.state_dict().values(), net.state_dict().values(), strict=True):
                m.copy_(m * keep + n * (1 - keep) if m.dtype.is_floating_point else n)
        running = loss.item() if running is None else 0.98 * running + 0.02 * loss.item()
        if step % 100 == 0:
            print(step, round(running, 4), round(time.time() - begun), flush=True)
        if (step + 1) % 500 == 0 or step + 1 == a.steps:
            state = {"net": net.state_dict(), "mean": mean.state_dict(), "best": best.state_dict(),
                     "plan": plan.state_dict(), "step": step + 1, "held": sorted(held)}
            torch.save(state, a.out.with_suffix(".half"))
            a.out.with_suffix(".half").rename(a.out)
            if tests:
                print("HELD OUT", step + 1, tell(evaluate(mean, tests)), flush=True)
    if tests:
        for r in evaluate(mean, tests):
            worst = sorted(r["errors"], key=lambda n: -r["errors"][n])[:4]
            print(r["name"], {n: round(r["errors"][n], 3) for n in worst}, np.round(r["kind_logits"], 1).tolist())


if __name__ == "__main__":
    main()
