"""Reading and writing skeleton templates as versioned JSON. The format is described in presets/README.md."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ..errors import BadTemplate
from .template import Bone, SkeletonTemplate

FORMAT = "geppetto-skeleton"
VERSION = 1
PRESETS = Path(__file__).resolve().parents[2] / "presets" / "skeletons"


def preset_names() -> list[str]:
    """The names of the templates that ship with Geppetto."""
    return sorted(p.stem for p in PRESETS.glob("*.json"))


def load_template(name_or_path) -> SkeletonTemplate:
    """Load a shipped template by name, or any template file by path.

    Raises BadTemplate, naming the file and the field, if there is no such template or it is not sound.
    """
    path = Path(name_or_path)
    if path.suffix != ".json":
        path = PRESETS / f"{name_or_path}.json"
        if not path.is_file():
            raise BadTemplate(f"There is no preset '{name_or_path}'. Choose one of: {', '.join(preset_names())}; or "
                              "give the path of a template's .json file.")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadTemplate(f"The template '{path}' cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadTemplate(f"The template '{path}' is not JSON: {error}.") from error
    return template_from_data(data, source=str(path))


def template_from_data(data, *, source: str = "template") -> SkeletonTemplate:
    """A template from the contents of its JSON file. Joints and bones in .L are given their mirror image in .R."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadTemplate(f"'{source}' is not a skeleton template: its \"format\" is not \"{FORMAT}\".")
    if data.get("version") != VERSION:
        raise BadTemplate(f"'{source}' has version {data.get('version')!r}; this Geppetto reads version {VERSION}.")
    try:
        joints = _both_sides(data["joints"], _mirrored_joint)
        bones = _both_sides(data["bones"], _mirrored_bone)
        names = [str(j["name"]) for j in joints]
        parents = [-1 if j.get("parent") is None else names.index(j["parent"]) for j in joints]
        return SkeletonTemplate(
            name=str(data["name"]), kind=str(data.get("kind", "other")), names=tuple(names), parents=np.array(parents),
            positions=np.array([[float(x) for x in j["position"]] for j in joints]),
            mirror=np.array([names.index(other_side(n)) if other_side(n) in names and other_side(n) != n else -1
                             for n in names]),
            is_foot=np.array([bool(j.get("foot", False)) for j in joints]),
            is_fat=np.array([bool(j.get("fat", False)) for j in joints]),
            bones=tuple(Bone(str(b["name"]), b["head"], b["tail"], b.get("parent"), bool(b.get("connected", False)),
                             bool(b.get("deform", True)), tuple(float(x) for x in b.get("bend", (0, 0, 0))),
                             str(b.get("collection", "Deform"))) for b in bones))
    except KeyError as error:
        raise BadTemplate(f"'{source}': the field {error} is missing.") from error
    except (TypeError, ValueError) as error:
        raise BadTemplate(f"'{source}': {error}.") from error


def template_data(template: SkeletonTemplate) -> dict:
    """The contents of the JSON file that `template_from_data` reads back."""
    joints = [{"name": n, "parent": None if p < 0 else template.names[p],
               "position": [round(float(x), 6) for x in xyz], "foot": bool(foot), "fat": bool(fat)}
              for n, p, xyz, foot, fat in zip(template.names, template.parents, template.positions, template.is_foot,
                                              template.is_fat, strict=True)]
    bones = [{"name": b.name, "head": b.head, "tail": b.tail, "parent": b.parent, "connected": b.connected,
              "deform": b.deform, "bend": list(b.bend), "collection": b.collection} for b in template.bones]
    return {"format": FORMAT, "version": VERSION, "name": template.name, "kind": template.kind, "joints": joints,
            "bones": bones}


def other_side(name: str) -> str:
    """The name on the other side: .L for .R and back; a name without a side is its own."""
    return {".L": name[:-2] + ".R", ".R": name[:-2] + ".L"}.get(name[-2:], name)


def _both_sides(entries, mirrored) -> list[dict]:
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
    return joint | {"name": other_side(joint["name"]), "position": [-x, y, z],
                    "parent": joint["parent"] and other_side(joint["parent"])}


def _mirrored_bone(bone: dict) -> dict:
    x, y, z = bone.get("bend", (0, 0, 0))
    sides = {k: other_side(bone[k]) for k in ("name", "head", "tail", "collection") if k in bone}
    return bone | sides | {"bend": [-x, y, z], "parent": bone.get("parent") and other_side(bone["parent"])}
