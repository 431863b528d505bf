"""How well motions are transferred, as a table: `python tests/benchmarks/bench_motion.py [FOLDER] [--quick]`.

Every motion goes to every generated character of its kind, and to every rig in a folder of truth.json files if one is
named. Slide is in leg lengths a second, without holding (free) and with it, mean and worst; sink and float are the
feet's skin, in percent of the leg: what is deepest under the ground, and highest above it while it should stand; angle
in degrees, away from contacts; hem is how deep anything that follows a leg sinks, trousers and gowns too, without a
limit. A line that keeps not all limits is marked; then the exit status is 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from core.errors import RigError
from core.motion.clip_file import load_motion, motion_names
from core.motion.retarget import RetargetOptions, Transfer, retarget
from core.motion.sole import Skin
from core.pipeline import bind
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints
from tests.characters import SPECIES, bird, centaur, person, quadruped
from tests.core.motion.measures import measure
from tests.motion_files import repeated


def generated(count: int):
    """(name, kind, rig, skin) of generated characters: the preset's bones on their true joints, heat weights."""
    rng = np.random.default_rng(6)
    for i in range(count):
        yield f"person {i}", "biped", *_grown(person(rng, vertices=4000), "biped")
    yield "person with a tail", "biped", *_grown(person(rng, vertices=4000), "biped", tail=True)
    for species in SPECIES:
        grown = quadruped(rng, species=species, vertices=4000)
        yield species, "quadruped", *_grown(grown, "quadruped")
        if species == "horse":
            yield "horse (hocks)", "horse", *_grown(grown, "horse")
    yield "centaur", "centaur", *_grown(centaur(rng, vertices=4000), "centaur")
    yield "bird", "bird", *_grown(bird(rng, vertices=4000), "biped")


def _grown(character, preset: str, *, tail: bool = False) -> tuple[Rig, Skin]:
    template = load_template(preset)
    rig = rig_from_joints(template, np.array([character.joints[n] for n in template.names]))
    if tail:
        hips, back = rig.names.index("hips"), np.array([0.0, 0.12, 0.0])
        places = rig.heads[hips] + np.outer([0.5, 1, 2, 3], back)
        count = len(rig.names)
        rig = Rig((*rig.names, "tail", "tail.001", "tail.002"), [*rig.parents, hips, count, count + 1],
                  np.vstack([rig.heads, places[:3]]), np.vstack([rig.tails, places[1:]]))
    return rig, Skin(character.mesh.vertices, bind(character.mesh, rig, "heat").matrix)


def from_folder(folder: Path):
    """(name, kind, rig, skin) of characters described by truth.json and weights.npz files, as artists rigged them."""
    for path in sorted(folder.rglob("truth.json")):
        truth = json.loads(path.read_text(encoding="utf-8"))
        rows = truth.get("joints", [])
        if not rows:
            continue
        names = [r["name"] for r in rows]
        parents = np.array([names.index(r["parent"]) if r.get("parent") in names else -1 for r in rows])
        heads = np.array([r["head"] for r in rows], float)
        tails = np.array([r.get("tail") or r["head"] for r in rows], float)
        held = np.load(path.with_name("weights.npz"))
        weights = np.zeros((len(held["verts"]), len(names)))
        weights[:, [names.index(b) for b in held["bones"]]] = held["weights"]
        yield (
            f"{path.parent.parent.name}/{path.parent.name}",
            truth.get("kind", "biped"),
            Rig(tuple(names), parents, heads, tails),
            Skin(held["verts"], weights),
        )


def fits(motion: str, kind: str) -> bool:
    """Whether a motion is for a kind of body."""
    if motion.startswith("bird"):
        return kind in ("bird", "other")
    if motion.startswith("centaur"):
        return kind == "centaur"
    if motion.startswith(("quadruped", "horse")):
        return kind in ("quadruped", "horse", "centaur")
    return kind == "biped"


LIMITS = {"held": 0.01, "worst": 0.01, "sink %": 0.5, "float %": 0.5, "angle": 10.0, "flips": 0}


def table(characters, motions, only: str) -> int:
    """One line for each motion and character, the worst of each column, and how many lines keep all limits."""
    print(f"{'motion':18s}{'character':40s}{'bones':>6s}{'free':>9s}{'held':>9s}{'worst':>9s}{'sink %':>8s}"
          f"{'float %':>8s}{'angle':>7s}{'flips':>6s}{'hem %':>8s}")
    rows, bad = [], 0
    for name, kind, rig, skin in characters:
        for motion in motions:
            if not fits(motion, kind) or only not in f"{motion} {name}":
                continue
            clip = load_motion(motion)
            try:
                transfer = Transfer(clip.rig, rig, RetargetOptions(skin=skin), name=motion)
            except RigError as error:
                print(f"{motion:18s}{name:40s}{error}")
                bad += 1
                continue
            loose = RetargetOptions(skin=skin, hold=False)
            free = measure(retarget(clip, rig, loose, transfer=transfer), clip, transfer)
            held = measure(retarget(clip, rig, transfer.options, transfer=transfer), clip, transfer)
            row = [held.slide, held.worst_slide, 100 * held.sink, 100 * held.hover, held.angle, held.flips]
            beyond = [key for key, value in zip(LIMITS, row, strict=True) if value > LIMITS[key]]
            bad += bool(beyond)
            rows.append([free.slide, *row, 100 * held.hem])
            print(f"{motion:18s}{name:40s}{len(transfer.bones_to):6d}"
                  + "{:9.4f}{:9.4f}{:9.4f}{:8.3f}{:8.3f}{:7.1f}{:6d}{:8.2f}".format(*rows[-1])
                  + ("  beyond: " + ", ".join(beyond) if beyond else ""), flush=True)
    if rows:
        print(f"{'worst':64s}"
              + "{:9.4f}{:9.4f}{:9.4f}{:8.3f}{:8.3f}{:7.1f}{:6.0f}{:8.2f}".format(*np.max(rows, axis=0)))
        print(f"{len(rows)} lines, {bad} beyond a limit")
    return bad


def identity() -> None:
    """How far a motion is from itself on its own skeleton."""
    worst = max(float(np.abs(retarget(clip, clip.rig).rotations - clip.rotations).max())
                for clip in map(load_motion, motion_names()))
    print(f"identity: {worst:.1e}")


def speed() -> None:
    """10 000 frames of 21 bones."""
    walk = load_motion("walk")
    _, _, rig, skin = next(generated(1))
    options = RetargetOptions(skin=skin)
    long = repeated(walk, -(-10_000 // len(walk.root))).changed(loop=False)
    offline = np.inf
    for _ in range(3):  # processor time, the best of some runs: other programs may be at work
        clock = time.process_time()
        retarget(long, rig, options)
        offline = min(offline, time.process_time() - clock)
    print(f"{len(long.root)} frames x {len(rig.names)} bones in {offline:.2f} s")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--quick", action="store_true", help="fewer characters")
    parser.add_argument("--only", default="", help="only lines that contain this text")
    parser.add_argument("--no-generated", dest="generated", action="store_false", help="only the folder's characters")
    choice = parser.parse_args()
    bad = 0
    if choice.generated:
        bad += table(generated(2 if choice.quick else 6), motion_names(), choice.only)
    if choice.folder:
        bad += table(from_folder(choice.folder), motion_names(), choice.only)
    if not choice.only:
        identity()
        speed()
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
