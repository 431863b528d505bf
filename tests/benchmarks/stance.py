"""How often the stance of a character is recognised.

    python -m tests.benchmarks.stance FOLDER

FOLDER holds characters as `<family>/<name>/mesh.obj`, Z up, facing -Y. Each is turned about the vertical and laid on
every side, as it is and with something in one hand. What the network reaches on sources it has not learned from is
printed by `tests.learning.stance`.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np

from core.geometry.mesh import Mesh
from core.seeing.stance import AXES, detect_stance
from tests.characters import bird, blob, centaur, person, quadruped, robot, sample
from tests.shapes import box


def read_obj(path: Path) -> Mesh:
    """Vertices and triangles of an .obj file."""
    vertices, faces = [], []
    for line in path.read_text().splitlines():
        if line.startswith("v "):
            vertices.append([float(x) for x in line.split()[1:4]])
        elif line.startswith("f "):
            faces.append([int(t.split("/")[0]) - 1 for t in line.split()[1:4]])
    return Mesh(np.array(vertices), np.array(faces), path.parent.name)


def generated() -> list[Mesh]:
    """The project's own characters in all variety."""
    rng = np.random.default_rng
    out = [person(rng(i), vertices=2000) for i in range(70)]
    out += [quadruped(rng(100 + i), vertices=2000) for i in range(40)]
    out += [make(rng(i), vertices=1500) for make in (bird, centaur) for i in range(8)]
    out += [blob(rng(i), vertices=1500) for i in range(4)]
    return [c.mesh for c in [*out, robot(), sample()]]


def armed(path: Path, mesh: Mesh, rng: np.random.Generator, *, count: int = 3) -> list[Mesh]:
    """The character with a shield, sword, staff or club in one hand, in that many ways; none without known wrists."""
    truth = path.parent / "truth.json"
    marks = json.loads(truth.read_text()).get("landmarks", {}) if truth.is_file() else {}
    if "wrist_l" not in marks:
        return []
    out, height = [], np.ptp(mesh.vertices[:, 2])
    for k in range(count):
        wide, long, thick = rng.uniform(0.2, 0.44), rng.uniform(0.3, 0.6), rng.uniform(0.06, 0.13)
        size = [(rng.uniform(0.01, 0.04), wide, wide * rng.uniform(1.0, 1.5)), (0.02, long, 0.03),
                (0.03, 0.03, 2 * long), (thick, long, thick)][rng.integers(4)]
        size = height * (rng.permutation(size) if rng.random() < 0.3 else np.array(size))
        wrist = np.array(marks["wrist_" + "lr"[k % 2]])
        shift = rng.uniform([-0.3, -1.0, -0.6], [1.0, 0.2, 0.6]) * [np.sign(wrist[0]), 1, 1] * size / 2
        prop = box(size, wrist + shift, divisions=int(rng.choice([1, 4, 12]))).mesh
        out.append(Mesh(np.concatenate([mesh.vertices, prop.vertices]),
                        np.concatenate([mesh.faces, prop.faces + len(mesh.vertices)]), mesh.name))
    return out


def judge(meshes: list[tuple[str, Mesh]], rng: np.random.Generator) -> None:
    """Turn every character by a random angle about the vertical and lay it on every side; print how many are found."""
    up = front = given = count = 0
    times = []
    for name, mesh in meshes:
        if not detect_stance(mesh).is_given:
            print(f"  {name}: given upright, seen {detect_stance(mesh).up} up, facing {detect_stance(mesh).front}")
            given += 1
        for axis in AXES.values():
            side = np.eye(3)[np.abs(axis).argmin()]
            angle = rng.choice([0, 90, 180, 270, rng.uniform(0, 360)])
            forward = np.cos(np.radians(angle)) * side + np.sin(np.radians(angle)) * np.cross(axis, side)
            turn = np.stack([np.cross(-forward, axis), -forward, axis], axis=1)
            start = time.perf_counter()
            stance = detect_stance(Mesh(mesh.vertices @ turn.T, mesh.faces))
            times.append(time.perf_counter() - start)
            up += stance.up_vector @ axis > 0.99
            front += stance.up_vector @ axis > 0.99 and stance.front_vector @ forward > 0.99
            count += 1
    print(f"{len(meshes)} characters, {count} stances: up {up / count:.1%}, up and front {front / count:.1%}; "
          f"turned although upright: {given}; median {np.median(times) * 1e3:.0f} ms")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    files = sorted(parser.parse_args().folder.glob("*/*/mesh.obj"))
    real = [(f"{p.parent.parent.name}/{p.parent.name}", read_obj(p)) for p in files]
    judge(real, np.random.default_rng(0))
    draws = np.random.default_rng(7)
    judge([(f"{name}, armed", m) for p, (name, mesh) in zip(files, real, strict=True)
           for m in armed(p, mesh, draws, count=1)], np.random.default_rng(2))
    judge([(m.name, m) for m in generated()[::5]], np.random.default_rng(1))
