"""Reading and writing skeleton templates as versioned JSON. The format is described in presets/README.md."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np

from ..errors import BadTemplate
from ..json_file import check_fields, read_json
from .template import Bone, SkeletonTemplate

FORMAT = "geppetto-skeleton"
VERSION = 1
PRESETS = Path(__file__).resolve().parents[2] / "presets" / "skeletons"
FIELDS = ("format", "version", "name", "kind", "description", "may_lack", "joints", "bones")
OF_JOINTS = ("name", "parent", "position", "foot", "fat")
OF_BONES = ("name", "head", "tail", "parent", "connected", "deform", "bend", "collection")


def preset_names() -> list[str]:
    """The names of the templates that ship with Geppetto."""
    return sorted(p.stem for p in PRESETS.glob("*.json"))


def load_template(name_or_path) -> SkeletonTemplate:
    """Load a shipped template by name, or any template file by path.

    Raises BadTemplate, naming the file and the field, if there is no such template or it is not sound.
    """
    path = Path(name_or_path)
    if path.suffix.lower() != ".json":
        path = PRESETS / f"{name_or_path}.json"
        if not path.is_file():
            raise BadTemplate(f"There is no preset '{name_or_path}'. Choose one of: {', '.join(preset_names())}, "
                              "shape; or give the path of a template's .json file.")
    try:
        return _template_of(path.read_bytes(), str(path))
    except OSError as error:
        raise BadTemplate(f"The template '{path}' cannot be read: {error.strerror}.") from error


@lru_cache(maxsize=32)
def _template_of(text: bytes, source: str) -> SkeletonTemplate:
    """The template in a file's bytes: the same bytes are understood once."""
    return template_from_data(read_json(text, f"The template '{source}'", BadTemplate), source=source)


def template_from_data(data, *, source: str = "template") -> SkeletonTemplate:
    """A template from the contents of its JSON file. Joints and bones in .L are given their mirror image in .R.

    Raises BadTemplate, naming `source` and the field.
    """
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadTemplate(f"'{source}' is not a skeleton template: its \"format\" is not \"{FORMAT}\".")
    if data.get("version") != VERSION:
        raise BadTemplate(f"'{source}' has version {data.get('version')!r}; this Geppetto reads version {VERSION}.")
    whole = _Entry(data, f"'{source}'", FIELDS)
    joints = _both_sides([_read_joint(e) for e in whole.entries("joints", OF_JOINTS)], _mirrored_joint)
    bones = _both_sides([_read_bone(e) for e in whole.entries("bones", OF_BONES)], _mirrored_bone)
    number = {j["name"]: i for i, j in reversed(list(enumerate(joints)))}
    for joint in joints:
        if joint["parent"] is not None and joint["parent"] not in number:
            raise BadTemplate(f"'{source}', joint '{joint['name']}': its \"parent\" '{joint['parent']}' is no joint.")
    name, kind, may_lack = whole.text("name"), whole.text("kind", "other"), _lacking(whole)
    try:
        return SkeletonTemplate(
            name=name, kind=kind, names=tuple(j["name"] for j in joints),
            parents=np.array([-1 if j["parent"] is None else number[j["parent"]] for j in joints]),
            positions=np.array([j["position"] for j in joints]).reshape(-1, 3),
            mirror=np.array([-1 if other_side(n) == n else number.get(other_side(n), -1)
                             for n in (j["name"] for j in joints)]),
            is_foot=np.array([j["foot"] for j in joints]), is_fat=np.array([j["fat"] for j in joints]),
            bones=tuple(Bone(**b) for b in bones), may_lack=may_lack)
    except BadTemplate as error:
        raise BadTemplate(f"'{source}': {error}") from error


class _Entry:
    """One {...} of a template file, its fields read with their types. `where` names file and entry in complaints."""

    def __init__(self, data, where: str, known: tuple[str, ...]):
        if not isinstance(data, dict):
            raise BadTemplate(f"{where}: it must be an object {{...}}, not {data!r}.")
        check_fields(data, known, where, BadTemplate)
        self.data, self.where = data, where

    def _complaint(self, key: str, wanted: str) -> BadTemplate:
        if key not in self.data:
            return BadTemplate(f"{self.where}: the field \"{key}\" is missing.")
        return BadTemplate(f"{self.where}: the field \"{key}\" must be {wanted}, not {self.data[key]!r}.")

    def text(self, key: str, default: str | None = None) -> str:
        value = self.data.get(key, default)
        if not isinstance(value, str) or not value:
            raise self._complaint(key, "a text")
        return value

    def optional_text(self, key: str) -> str | None:
        return None if self.data.get(key) is None else self.text(key)

    def texts(self, key: str) -> list[str]:
        value = self.data.get(key, [])
        if not isinstance(value, list) or not all(isinstance(x, str) and x for x in value):
            raise self._complaint(key, "a list of texts")
        return value

    def flag(self, key: str, default: bool) -> bool:
        value = self.data.get(key, default)
        if not isinstance(value, bool):
            raise self._complaint(key, "true or false")
        return value

    def vector(self, key: str, default: tuple | None = None) -> tuple[float, float, float]:
        value = self.data.get(key, default)
        is_vector = isinstance(value, list | tuple) and len(value) == 3 and all(
            isinstance(x, int | float) and not isinstance(x, bool) and abs(x) <= 1e6 for x in value)
        if not is_vector:
            raise self._complaint(key, "three numbers [x, y, z]")
        x, y, z = value
        return float(x), float(y), float(z)

    def entries(self, key: str, known: tuple[str, ...]) -> list[_Entry]:
        value = self.data.get(key)
        if not isinstance(value, list):
            raise self._complaint(key, "a list [...]")
        named = [e["name"] if isinstance(e, dict) and "name" in e else i for i, e in enumerate(value)]
        return [_Entry(e, f"{self.where}, {key[:-1]} {n!r}", known) for n, e in zip(named, value, strict=True)]


def _lacking(whole: _Entry) -> tuple[str, ...]:
    """The joints below which all may be missing; those in .L stand for both sides."""
    found = whole.texts("may_lack")
    return tuple(dict.fromkeys(n for name in found for n in (name, other_side(name) if name.endswith(".L") else name)))


def _read_joint(entry: _Entry) -> dict:
    return {"name": entry.text("name"), "parent": entry.optional_text("parent"), "position": entry.vector("position"),
            "foot": entry.flag("foot", False), "fat": entry.flag("fat", False)}


def _read_bone(entry: _Entry) -> dict:
    return {"name": entry.text("name"), "head": entry.text("head"), "tail": entry.text("tail"),
            "parent": entry.optional_text("parent"), "connected": entry.flag("connected", False),
            "deform": entry.flag("deform", True), "bend": entry.vector("bend", (0.0, 0.0, 0.0)),
            "collection": entry.text("collection", "Deform")}


def template_data(template: SkeletonTemplate) -> dict:
    """The contents of the JSON file that `template_from_data` reads back."""
    joints = [{"name": n, "parent": None if p < 0 else template.names[p],
               "position": [round(float(x), 6) for x in xyz], "foot": bool(foot), "fat": bool(fat)}
              for n, p, xyz, foot, fat in zip(template.names, template.parents, template.positions, template.is_foot,
                                              template.is_fat, strict=True)]
    bones = [{"name": b.name, "head": b.head, "tail": b.tail, "parent": b.parent, "connected": b.connected,
              "deform": b.deform, "bend": list(b.bend), "collection": b.collection} for b in template.bones]
    return {"format": FORMAT, "version": VERSION, "name": template.name, "kind": template.kind, "joints": joints,
            "bones": bones} | ({"may_lack": list(template.may_lack)} if template.may_lack else {})


def other_side(name: str) -> str:
    """The name on the other side: .L for .R and back; a name without a side is its own."""
    return {".L": name[:-2] + ".R", ".R": name[:-2] + ".L"}.get(name[-2:], name)


def _both_sides(entries: list[dict], mirrored) -> list[dict]:
    """Insert the .R twin after each .L entry that has none of its own."""
    own = {e["name"] for e in entries}
    out = []
    for entry in entries:
        out.append(entry)
        if entry["name"].endswith(".L") and other_side(entry["name"]) not in own:
            out.append(mirrored(entry))
    return out


def _mirrored_joint(joint: dict) -> dict:
    x, y, z = joint["position"]
    return joint | {"name": other_side(joint["name"]), "position": (-x, y, z),
                    "parent": joint["parent"] and other_side(joint["parent"])}


def _mirrored_bone(bone: dict) -> dict:
    x, y, z = bone["bend"]
    sides = {k: other_side(bone[k]) for k in ("name", "head", "tail", "collection")}
    return bone | sides | {"bend": (-x, y, z), "parent": bone["parent"] and other_side(bone["parent"])}
