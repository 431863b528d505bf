"""Generated characters as a folder that `tests.learning.penalties` reads: python -m tests.characters.folder FOLDER"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

from tests.learning.characters import LANDMARKS

from .animals import SPECIES, quadruped
from .character import Character
from .people import person


def write_character(folder, character: Character, *, set_name: str, name: str) -> Path:
    """Write <folder>/<set>/<name>/mesh.obj and truth.json; returns that folder. See presets/README.md."""
    path = Path(folder) / set_name / name
    path.mkdir(parents=True, exist_ok=True)
    mesh = character.mesh
    lines = [*(f"v {x:.7g} {y:.7g} {z:.7g}" for x, y, z in mesh.vertices.tolist()),
             *(f"f {a} {b} {c}" for a, b, c in (mesh.faces + 1).tolist())]
    (path / "mesh.obj").write_text("\n".join(lines) + "\n", encoding="utf-8")
    landmarks = {artist: character.joints[joint].tolist() for artist, joint in LANDMARKS[character.kind].items()
                 if joint in character.joints}
    truth = {"name": name, "set": set_name, "kind": character.kind, "height": character.height, "landmarks": landmarks}
    (path / "truth.json").write_text(json.dumps(truth, indent=1), encoding="utf-8")
    return path


def main(folder: str, people: int = 20, animals: int = 2) -> None:
    """Random people in one set and `animals` of every species in another."""
    for i in range(people):
        write_character(folder, person(np.random.default_rng(i)), set_name="people", name=f"person{i:02}")
    for species in SPECIES:
        for i in range(animals):
            write_character(folder, quadruped(np.random.default_rng(i), species=species), set_name="animals",
                            name=f"{species}{i}")


if __name__ == "__main__":
    main(sys.argv[1])
