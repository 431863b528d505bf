"""How often the stance of a character is recognised, and the weights that do it.

    python -m tests.benchmarks.stance FOLDER [--learn]

FOLDER holds characters as `<family>/<name>/mesh.obj`, Z up, facing -Y. Each is turned about the vertical and laid on
every side. With --learn the weights of `core/fitting/stance_score.py` are learned from them and from the generated
characters, each family is judged by weights that never saw it, and the final weights are printed.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from core.fitting import stance_score
from core.fitting.stance import AXES, detect_stance, hypotheses
from core.geometry.mesh import Mesh
from core.geometry.scatter import scatter_surface
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


def example(mesh: Mesh) -> tuple[np.ndarray, np.ndarray]:
    """Signs (K, N) of a mesh's hypotheses, and which of them are right: Z up, facing -Y."""
    rotations, signs = hypotheses(scatter_surface(mesh))
    return signs, (np.abs(rotations - np.eye(3)) < 0.3).all((1, 2))


def learn(examples: list, importance: np.ndarray, *, decay: float = 1.0) -> np.ndarray:
    """Weights that make the right hypotheses likeliest: softmax regression with weight decay on standardised signs."""
    scale = np.concatenate([x for x, _ in examples]).std(0) + 1e-3
    most, size = max(len(x) for x, _ in examples), len(scale)
    signs, absent = np.zeros((len(examples), most, size)), np.full((len(examples), most), -1e9)
    right = np.zeros((len(examples), most), bool)
    for i, (x, y) in enumerate(examples):
        signs[i, : len(x)], absent[i, : len(x)], right[i, : len(x)] = x / scale, 0.0, y

    def loss(weights):
        score = signs @ weights + absent
        score = np.exp(score - score.max(1, keepdims=True))
        likely, good = score.sum(1), (score * right).sum(1) + 1e-300
        slope = score / likely[:, None] - score * right / good[:, None]
        gradient = ((importance[:, None] * slope)[..., None] * signs).sum((0, 1))
        return importance @ (np.log(likely) - np.log(good)) + decay * weights @ weights, gradient + 2 * decay * weights
    return minimize(loss, np.zeros(size), jac=True, method="L-BFGS-B", options={"maxiter": 500}).x / scale


def importance(own: list, names: list[str]) -> np.ndarray:
    """What each counts in learning: the generated ones little, those with something in hand half as much as others."""
    return np.r_[np.full(len(own), 0.4), [1.5 if n.endswith("+") else 3.0 for n in names]]


def cross_validate(families: dict, own: list) -> int:
    """How many characters are recognised by weights learned without their family; names the others."""
    good = 0
    for family, members in families.items():
        others = [x for f, m in families.items() if f != family for _, x in m]
        weights = learn(own + others, importance(own, [n for f, m in families.items() if f != family for n, _ in m]))
        for name, (signs, right) in members:
            score = signs @ weights
            good += right[score.argmax()]
            if not right[score.argmax()]:
                print(f"  wrong without its family: {family}/{name}, by {score.max() - score[right].max():.2f}")
    return good


def print_weights(weights: np.ndarray) -> None:
    """As they stand in the source."""
    for name in ("EVEN", "TALL", "LONG"):
        signs = list(getattr(stance_score, name))
        print(name, "=", {n: round(float(w), 3) for n, w in zip(signs, weights, strict=False)})
        weights = weights[len(signs):]


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
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--learn", action="store_true")
    arguments = parser.parse_args()
    files = sorted(arguments.folder.glob("*/*/mesh.obj"))
    real = [(f"{p.parent.parent.name}/{p.parent.name}", read_obj(p)) for p in files]
    own = generated()
    if arguments.learn:
        families: dict = {}
        for name, mesh in real:
            families.setdefault(name.split("/")[0], []).append((name.split("/")[1], example(mesh)))
        rng = np.random.default_rng(7)
        for path, (name, mesh) in zip(files, real, strict=True):
            with_props = [(name.split("/")[1] + "+", example(m)) for m in armed(path, mesh, rng)]
            families[name.split("/")[0]] += with_props
        mine = [example(m) for m in own]
        print(f"families held out: {cross_validate(families, mine)} of {sum(map(len, families.values()))} right")
        theirs = [x for m in families.values() for _, x in m]
        names = [n for m in families.values() for n, _ in m]
        print_weights(learn(mine + theirs, importance(mine, names)))
    else:
        judge(real, np.random.default_rng(0))
        judge([(m.name, m) for m in own[::5]], np.random.default_rng(1))
