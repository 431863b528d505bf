"""Bodies with known joints, as the landmark network sees them: shards of views and joints, made once for all folds.

    python -m tests.learning.dataset CHARACTERS TOOLS OUT [--processes 2]

CHARACTERS holds rigged characters (<set>/<name>/truth.json, weights.npz), TOOLS the programs vary.py and people.py that
make more of them. A shard is one character's variations; what is already in OUT is not made again.
"""

from __future__ import annotations

import argparse
import json
import sys
import zlib
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from core.seeing.landmarks import LANDMARKS
from core.seeing.views import MAPS, draw_views, see

from .animal_poses import resting
from .clad import clad
from .cutting import ABSENT, cut
from .posing import reaching, stepping
from .touching import touching
from .wearing import wearing

# Stored views are whole numbers: value * factor + shift.
FACTORS = np.array([1, 64, 64, 64, 6, 240], np.float32)[:, None, None]
SHIFTS = np.array([0, 32, 32, 0, 0, 0], np.float32)[:, None, None]
assert len(FACTORS) == MAPS

_BIPED_MARKS = {"hips": "hips", "neck": "neck", "head": "head"} | {
    f"{joint}.{s.upper()}": f"{mark}_{s}" for s in "lr" for joint, mark in
    {"shoulder": "clavicle", "upper_arm": "shoulder", "forearm": "elbow", "hand": "wrist", "thigh": "hip",
     "shin": "knee",
         "foot": "ankle", "toe": "toe"}.items()}
_QUADRUPED_MARKS = {"hips": "hips", "neck": "neck", "head": "head", "tail": "tail", "tail_tip": "tail_tip"} | {
    f"{end}_{joint}.{s.upper()}": f"{end}_{s}_{mark}" for s in "lr" for end, joint, mark in (
        ("front", "shoulder", "girdle"), ("front", "upper", "upper"), ("front", "lower", "knee"),
        ("front", "foot", "foot"), ("hind", "hip", "girdle"), ("hind", "upper", "upper"), ("hind", "lower", "knee"),
        ("hind", "heel", "hock"), ("hind", "foot", "foot"))}


def joints_of(character: dict) -> dict[str, np.ndarray]:
    """{preset joint: (3,)} of a character as vary.py and people.py give it; ends of limbs are read off its weights."""
    table = _BIPED_MARKS if character["kind"] == "biped" else _QUADRUPED_MARKS
    marks = character["landmarks"]
    joints = {joint: np.asarray(marks[m], float) for joint, m in table.items() if m in marks}
    parents = {j["name"]: j["parent"] for j in character["joints"]}
    bones = list(character["bones"])

    def flesh(mark: str) -> np.ndarray:
        top = str(character["landmark_bones"].get(mark, "")).split(" (")[0]
        if top not in parents:
            return np.zeros((0, 3))
        below = set()
        for bone in parents:
            at: str | None = bone
            for _ in range(len(parents)):
                if at == top or at is None:
                    break
                at = parents.get(at)
            if at == top:
                below.add(bone)
        columns = [i for i, b in enumerate(bones) if b in below]
        return np.asarray(character["vertices"])[np.asarray(character["weights"])[:, columns].sum(1) > 0.5]

    head = flesh("head")
    if len(head) and "head" in joints:
        if character["kind"] == "biped":
            joints["head_top"] = np.array([*np.median(head[:, :2], 0), np.quantile(head[:, 2], 0.99)])
        else:
            joints["head_top"] = head[head[:, 1].argmin()]
    for s in "lr":
        if character["kind"] == "biped":
            hand = flesh(f"wrist_{s}")
            wrist, elbow = (joints.get(f"{n}.{s.upper()}") for n in ("hand", "forearm"))
            if len(hand) and wrist is not None and elbow is not None:
                away = np.linalg.norm(hand - wrist, axis=1)
                if 0.1 < away.max() / max(np.linalg.norm(wrist - elbow), 1e-9) < 1.3:
                    joints[f"hand_tip.{s.upper()}"] = hand[away.argmax()]
            ends = (("toe_tip", "ankle_" + s),)
        else:
            ends = (("front_toe", f"front_{s}_foot"), ("hind_toe", f"hind_{s}_foot"))
        for joint, mark in ends:
            foot = flesh(mark)
            if len(foot):
                joints[f"{joint}.{s.upper()}"] = foot[foot[:, 1].argmin()]
    return joints


def _turn(axis: int, angle: float) -> np.ndarray:
    c, s = np.cos(angle), np.sin(angle)
    i, j = [(1, 2), (2, 0), (0, 1)][axis]
    m = np.eye(3)
    m[i, i] = m[j, j] = c
    m[i, j], m[j, i] = -s, s
    return m


def _box(center, half, turn) -> tuple[np.ndarray, np.ndarray]:
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)], float)
    faces = np.array([[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6],
                      [0, 2, 6], [0, 6, 4], [1, 5, 7], [1, 7, 3]])
    return corners * half @ turn.T + center, faces


def props(kind: str, vertices: np.ndarray, joints: dict, rng: np.random.Generator) -> list:
    """Boxes as things held, carried and stood upon: [(vertices, faces)]."""
    size = float(np.ptp(vertices, axis=0).max())
    u, out = rng.uniform, []
    free = _turn(2, u(0, 7)) @ _turn(0, rng.normal(0, 0.5)) @ _turn(1, rng.normal(0, 0.5))
    if rng.random() < 0.12:
        low = vertices.min(0)
        middle = np.array([*vertices[:, :2].mean(0), low[2]])
        half = np.array([u(0.15, 0.4), u(0.15, 0.4), u(0.01, 0.06)]) * size
        out.append(_box(middle - [0, 0, half[2]], half, np.eye(3)))
    if kind == "biped":
        for s in "LR":
            wrist = joints.get(f"hand.{s}")
            if wrist is None or wrist is ABSENT or rng.random() > 0.12:
                continue
            shape = rng.integers(3)
            half = size * np.array([[u(0.005, 0.03), u(0.01, 0.03), u(0.15, 0.6)],
                                    [u(0.01, 0.03), u(0.08, 0.25), u(0.08, 0.3)], [u(0.03, 0.1)] * 3][shape])
            out.append(_box(wrist + free @ (half * [0, 0, u(-0.8, 0.8)]), half, free))
        if rng.random() < 0.1 and "neck" in joints and "hips" in joints:
            half = size * np.array([u(0.05, 0.15), u(0.03, 0.1), u(0.06, 0.2)])
            at = (joints["neck"] + joints["hips"]) / 2 + [0, size * u(0.06, 0.12) + half[1], size * u(0, 0.1)]
            out.append(_box(at, half, np.eye(3)))
    elif rng.random() < 0.1 and "neck" in joints and "hips" in joints:
        half = size * np.array([u(0.05, 0.12), u(0.06, 0.15), u(0.02, 0.1)])
        out.append(_box((joints["neck"] + joints["hips"]) / 2 + [0, 0, size * u(0.08, 0.15)], half, np.eye(3)))
    return out


def disturbed(kind: str, vertices, faces, joints: dict, rng: np.random.Generator, held: list | tuple = ()):
    """The body a little turned, stretched along the axes and sometimes with props: (vertices, faces, joints).

    held : [(vertices, faces)] of what it holds already
    """
    vertices = np.asarray(vertices, float)
    added = [*held, *(props(kind, vertices, joints, rng) if rng.random() < 0.45 and not held else ())]
    yaw = rng.normal(0, 0.1) if rng.random() < 0.85 else rng.uniform(-0.5, 0.5)
    m = _turn(2, yaw) @ _turn(0, rng.normal(0, 0.05)) @ _turn(1, rng.normal(0, 0.03))
    m = m @ np.diag(np.exp(rng.normal(0, 0.08, 3)))
    parts = [(vertices, np.asarray(faces)), *added]
    starts = np.cumsum([0] + [len(v) for v, _ in parts])
    vertices = np.concatenate([v for v, _ in parts]) @ m.T
    faces = np.concatenate([f + at for (_, f), at in zip(parts, starts[:-1], strict=True)])
    return vertices, faces, {n: p if p is ABSENT else m @ p for n, p in joints.items()}


def sample(kind: str, vertices, faces, joints: dict) -> tuple[np.ndarray, np.ndarray]:
    """Views (3, MAPS, CELLS, CELLS) uint8 and the kind's joints (J, 3) in the cube, NaN where unknown, infinite where
    they are cut off."""
    sight = see(vertices, faces)
    views = np.rint(draw_views(sight.solid) * FACTORS + SHIFTS).astype(np.uint8)
    truth = np.full((len(LANDMARKS[kind]), 3), np.nan, np.float32)
    for i, name in enumerate(LANDMARKS[kind]):
        if name in joints:
            truth[i] = sight.to_cube(joints[name])
    return views, truth


# A dinosaur's arms are called front legs where it is described; these are its joints as those of a person with a tail.
_UPRIGHT = {"hips": "hips", "neck": "neck", "head": "head", "head_top": "head_top", "tail": "tail",
            "tail_tip": "tail_tip"} | {
    f"{theirs}.{s}": f"{ours}.{s}" for s in "LR" for theirs, ours in (
        ("front_shoulder", "shoulder"), ("front_upper", "upper_arm"), ("front_lower", "forearm"),
        ("front_foot", "hand"),
        ("hind_upper", "thigh"), ("hind_lower", "shin"), ("hind_foot", "foot"), ("hind_toe", "toe_tip"))}


def grown(what: str, rng: np.random.Generator):
    """(kind, vertices, faces, joints) of a body of the project's own generator."""
    from tests.characters import animals, crawlers, creatures, loose, people, poses, toys
    from tests.characters.plush import POSES, plush, teddy

    if what in ("animals", "wild"):
        species = str(rng.choice(sorted(animals.WILD))) if what == "wild" else None
        made = animals.quadruped(rng, species=species, vertices=1200,
                                 pose=poses.striding if rng.random() < 0.25 else None)
    elif what == "centaurs":
        made = creatures.centaur(rng, vertices=1500, arm_angle=float(rng.uniform(5, 70)))
    elif what == "toys":
        made = toys.toy(rng, vertices=1200)
    elif what == "loose":
        made = loose.loose(rng)
    elif what == "plush":
        made = plush(rng, pose=str(rng.choice(POSES, p=(0.45, 0.3, 0.25))), vertices=1200)
    elif what == "teddies":
        made = teddy(rng, vertices=1200)
    elif what in ("no_person", "no_animal"):
        make = NOTHING[rng.integers(len(NOTHING))]
        made = getattr(crawlers, make)(rng)
        turn = CUBE[rng.integers(len(CUBE))] if rng.random() < 0.6 else np.eye(3)
        kind = "biped" if what == "no_person" else "quadruped"
        return kind, made.mesh.vertices @ turn.T, made.mesh.faces, dict.fromkeys(LANDMARKS[kind], ABSENT)
    else:
        tail = float(rng.uniform(0.2, 0.7)) if what == "tailed" else 0.0
        pose = (poses.walking, poses.waving, None, None, None)[rng.integers(5)]
        made = people.person(rng, vertices=1200, tail=tail, pose=pose)
    joints = {n: np.asarray(p, float) for n, p in made.joints.items()}
    kind = made.kind
    if what in ("wild", "plush") and np.linalg.norm(joints["tail_tip"] - joints["tail"]) < STUB * made.height:
        joints |= {n: ABSENT for n in joints if n.startswith("tail")}
    if what == "tailed":
        kind, size = "biped_tail", made.height / 1.7
        unit = people.unit_of({n: p / size for n, p in joints.items()})
        joints["tail"] = joints["hips"] + size * np.array([0, 0.09 * unit, -0.02 * unit])
        joints["tail_tip"] = joints["hips"] + size * np.array([0, 0.06 * unit + 0.75 * tail, -0.03 * unit + 0.2 * tail])
    return kind, made.mesh.vertices, made.mesh.faces, joints


STUB = 0.11  # of the height of an animal: a shorter tail is none

# Bodies of the project's own generator, and how many of each.
OWN = {"animals": 500, "wild": 800, "centaurs": 400, "toys": 400, "loose": 400, "persons": 500, "tailed": 400,
       "plush": 1200, "teddies": 500, "no_person": 220, "no_animal": 220}
# What has no joint of a person and none of an animal, by how often; some of it lies on a side. As many are learned as
# people of whom all is cut off, and as animals.
NOTHING = ("chair", "chair", "chair", "chair", "ghost", "ghost", "tree", "tree", "star", "octopus", "fish")
CUBE = Rotation.create_group("O").as_matrix()

# Shares of the people whose legs step, whose hands are put before their bodies, and whose hands lie on their bodies or
# are anywhere; of the animals in a pose; of what lacks a limb.
STEPPING, REACHING, TOUCHING, RESTING, CUT = 0.35, 0.25, 0.4, 0.45, {"biped": 0.18, "quadruped": 0.2}


def posed(made: dict, rng: np.random.Generator) -> tuple[dict, list]:
    """A body, perhaps in a pose of games, and what it holds; as it is where no pose is found."""
    held: list = []
    try:
        if made["kind"] == "quadruped":
            return (resting(made, rng) if rng.random() < RESTING else made), held
        if rng.random() < STEPPING:
            made = stepping(made, rng)
        arms = rng.random()
        if arms < REACHING:
            made, held = reaching(made, rng)
        elif arms < REACHING + TOUCHING:
            made = touching(made, rng)
    except ValueError:
        pass
    return made, held


def _shard(job) -> str:
    """One shard: `job` is (path, tools, what, seeds)."""
    path, tools, what, seeds = job
    if path.exists():
        return f"{path.name} stands"
    sys.path.insert(0, str(tools))
    import people
    import vary

    source = vary.load(what) if isinstance(what, Path) else None
    if source is not None and source["truth"]["kind"] == "other":
        source["truth"]["kind"] = "quadruped"
        upright = True
    else:
        upright = False
    kind = "quadruped"
    views, truths, failures = [], [], 0
    for seed in seeds:
        rng, held = np.random.default_rng([seed, zlib.crc32(str(path.name).encode())]), []
        if what in OWN:
            kind, *body = grown(what, rng)
        else:
            try:
                got = people.make_person(seed) if source is None else (
                    vary.vary(source, seed) if seed else as_given(source))
            except (ValueError, FloatingPointError, IndexError, KeyError):
                failures += 1
                continue
            if (seed or source is None) and not upright:
                got, held = posed(got, rng)
            kind, body = got["kind"], (got["vertices"], got["faces"], joints_of(got))
            if (seed or source is None) and rng.random() < CUT[kind]:
                with suppress(ValueError):  # a limb without weights of its own stays
                    body = cut(got, body[2], rng)
            if upright:
                kind = "biped_tail"
                body = (*body[:2], {ours: body[2][n] for n, ours in _UPRIGHT.items() if n in body[2]})
        if kind in ("biped", "biped_tail") and (seed or source is None) and not upright:
            worn = np.asarray(body[0])
            held = [*held, *wearing(worn, body[2], rng), *clad(worn, body[2], rng)]
        if seed or source is None:
            body = disturbed(kind, *body, rng, held)
        view, truth = sample(kind, *body)
        views.append(view), truths.append(truth)
    half = path.with_suffix(".part.npz")
    np.savez(half, views=np.array(views), truths=np.array(truths), kind=kind)
    half.rename(path)
    return f"{path.name}: {len(views)}, {failures} could not be made"


def as_given(source: dict) -> dict:
    """A character of `vary.load` itself, in the form of its variations."""
    truth = source["truth"]
    return {"kind": truth["kind"], "vertices": source["vertices"], "faces": source["faces"],
            "landmarks": truth["landmarks"], "landmark_bones": truth["landmark_bones"], "joints": truth["joints"],
            "bones": source["bones"], "weights": source["weights"]}


def main() -> None:
    """The command line."""
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("characters", type=Path)
    ap.add_argument("tools", type=Path)
    ap.add_argument("out", type=Path)
    ap.add_argument("--processes", type=int, default=2)
    ap.add_argument("--each", type=int, default=130, help="variations of a person; of an animal twice as many")
    ap.add_argument("--people", type=int, default=3200)
    ap.add_argument("--own", type=float, default=1.0, help="share of the bodies of the project's own generator")
    ap.add_argument("--seed", type=int, default=1, help="the first variation's and the first parametric person's")
    a = ap.parse_args()
    a.out.mkdir(parents=True, exist_ok=True)
    jobs = []
    for t in sorted(a.characters.rglob("truth.json")):
        truth = json.loads(t.read_text())
        if truth["kind"] not in ("biped", "quadruped", "other") or not truth.get("landmarks"):
            continue
        each = a.each * (1 if truth["kind"] == "biped" else 2)
        if t.parent.parent.name == "makehuman":
            each //= 3
        jobs.append((a.out / f"{t.parent.parent.name}--{t.parent.name}.npz", a.tools, t.parent,
                     (0, *range(a.seed, a.seed + each - 1))))
    for what, count in {"people": a.people, **{what: round(a.own * count) for what, count in OWN.items()}}.items():
        jobs += [(a.out / f"{what}--{i:05d}.npz", a.tools, what,
                  range(a.seed - 1 + i, a.seed - 1 + min(i + 100, count))) for i in range(0, count, 100)]
    order = np.random.default_rng(0).permutation(len(jobs))
    with ProcessPoolExecutor(a.processes) as pool:
        for line in pool.map(_shard, [jobs[i] for i in order]):
            print(line, flush=True)


if __name__ == "__main__":
    main()
