"""Characters rigged by artists, read from folders and prepared up to the search. presets/README.md has the format."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from core.errors import BadTemplate
from core.fitting.embedding import Embedding
from core.fitting.search import Skeletal, find_middle, search, template_scale
from core.geometry.mesh import Mesh
from core.geometry.shape import Shape, prepare_steps
from core.pipeline import run
from core.skeleton.preset import load_template
from core.skeleton.reduce import ReducedTemplate, reduce_template

# The artist's landmarks and the joints of the presets that stand for them.
LANDMARKS = {
    "biped": {"hips": "hips", "neck": "neck", "head": "head"} | {
        f"{a}_{s}": f"{b}.{s.upper()}" for s in "lr" for a, b in (
            ("shoulder", "upper_arm"), ("elbow", "forearm"), ("wrist", "hand"), ("hip", "thigh"), ("knee", "shin"),
            ("ankle", "foot"), ("toe", "toe"))},
    "quadruped": {"neck": "neck", "head": "head", "tail": "tail", "tail_tip": "tail_tip"} | {
        f"{end}_{s}_{a}": f"{end}_{b}.{s.upper()}" for end in ("front", "hind") for s in "lr"
        for a, b in (("upper", "upper"), ("knee", "lower"), ("foot", "foot"))} | {
        f"hind_{s}_hock": f"hind_heel.{s.upper()}" for s in "lr"},
}


@dataclass(frozen=True, eq=False)
class Character:
    """A character with known joints, prepared up to the search.

    name : "set/name";  size : what distances are measured in, unit frame: a biped's height, an animal's longest side
    truth : {joint: (3,)} the artist's, unit frame;  scale : template units to unit frame
    """

    name: str
    kind: str
    size: float
    truth: dict[str, np.ndarray]
    shape: Shape
    skeletal: Skeletal
    reduced: ReducedTemplate
    scale: float

    def embed(self) -> Embedding:
        """The embedding with the shipped penalty weights."""
        return search(self.skeletal.graph, self.reduced, {}, scale=self.scale, sheets=self.skeletal.sheets)[0]


def by_set(name: str) -> str:
    """The family of a character "set/name": its set."""
    return name.split("/")[0]


def by_author(name: str) -> str:
    """The stricter family: sets of one author, whose names start alike up to "_", are one."""
    return by_set(name).split("_")[0]


def hold_out(names: list[str], family: Callable[[str], str]) -> list[tuple[list[int], list[int]]]:
    """(others, held) numbers for every family in turn; no family is on both sides."""
    families = [family(n) for n in names]
    return [([i for i, f in enumerate(families) if f != one], [i for i, f in enumerate(families) if f == one])
            for one in sorted(set(families))]


def read_characters(folder, *, kinds: tuple[str, ...] = tuple(LANDMARKS),
                    progress: Callable[[str], None] = lambda line: None) -> list[Character]:
    """All characters below a folder whose kind is asked for and whose landmarks are known, by name.

    Raises BadTemplate, naming the file, for a truth.json or mesh.obj that cannot be read.
    """
    found = []
    for path in sorted(Path(folder).rglob("truth.json")):
        try:
            truth = json.loads(path.read_text(encoding="utf-8"))
            kind, landmarks = truth["kind"], truth.get("landmarks", {})
        except (OSError, ValueError, KeyError) as error:
            raise BadTemplate(f"The character '{path}' cannot be read: {error}.") from error
        known = {joint: landmarks[a] for a, joint in LANDMARKS.get(kind, {}).items() if a in landmarks}
        if kind in kinds and known:
            name = f"{path.parent.parent.name}/{path.parent.name}"
            progress(f"measuring {name}")
            found.append(prepare_character(name, kind, read_obj(path.with_name("mesh.obj")), known))
    return found


def prepare_character(name: str, kind: str, mesh: Mesh, truth: dict) -> Character:
    """A character ready to be searched. truth : {joint of the kind's preset: (3,)} object space."""
    shape = run(prepare_steps(mesh))
    template = load_template(kind)
    places = shape.frame.to_unit(np.array([truth[n] for n in truth], float))
    corners = shape.frame.to_unit(mesh.vertices[np.unique(mesh.faces)])
    extent = np.ptp(corners, axis=0)
    return Character(name, kind, float(extent[2] if kind == "biped" else extent.max()),
                     dict(zip(truth, places, strict=True)), shape, find_middle(shape), reduce_template(template),
                     template_scale(shape, template))


def read_obj(path) -> Mesh:
    """The vertices and triangles of a Wavefront file, as they are; nothing else is read."""
    vertices, faces = [], []
    for line in Path(path).read_text(encoding="utf-8").splitlines():
        if line.startswith("v "):
            vertices.append([float(x) for x in line.split()[1:4]])
        elif line.startswith("f "):
            faces.append([int(x.split("/")[0]) - 1 for x in line.split()[1:4]])
    if not vertices or not faces:
        raise BadTemplate(f"'{path}' holds no triangles.")
    return Mesh(np.array(vertices), np.array(faces, np.int32))
