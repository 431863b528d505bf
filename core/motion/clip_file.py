"""Motions as versioned JSON. The format is described field by field in presets/README.md."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from ..errors import BadMotion, BadRig
from ..json_file import check_fields, read_json
from ..skeleton.rig import Rig
from .clip import MotionClip

FORMAT = "geppetto-motion"
VERSION = 1
FIELDS = ("format", "version", "name", "rate", "loop", "stride", "bones", "root", "rotations", "contacts")
PRESETS = Path(__file__).resolve().parents[2] / "presets" / "motions"
DIGITS = 7  # of a rotation or a place: 1e-7 of a character one unit tall


def motion_names() -> list[str]:
    """The names of the motions that ship with Geppetto."""
    return sorted(p.stem for p in PRESETS.glob("*.json"))


def load_motion(name_or_path) -> MotionClip:
    """Load a shipped motion by name, or any motion file by path.  Raises BadMotion, naming the file and the field."""
    path = Path(name_or_path)
    if path.suffix.lower() != ".json":
        path = PRESETS / f"{name_or_path}.json"
        if not path.is_file():
            raise BadMotion(
                f"There is no motion '{name_or_path}'. Choose one of: {', '.join(motion_names())}; or give the "
                "path of a motion's .json file."
            )
    try:
        data = read_json(path.read_bytes(), f"The motion '{path}'", BadMotion)
    except OSError as error:
        raise BadMotion(f"The motion '{path}' cannot be read: {error.strerror}.") from error
    return motion_from_data(data, source=str(path))


def motion_from_data(data, *, source: str = "motion") -> MotionClip:
    """A clip from the contents of its JSON file.  Raises BadMotion, naming `source` and the field."""
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise BadMotion(f"'{source}' is not a motion: its \"format\" is not \"{FORMAT}\".")
    if data.get("version") != VERSION:
        raise BadMotion(f"'{source}' has version {data.get('version')!r}; this Geppetto reads version {VERSION}.")
    check_fields(data, FIELDS, f"'{source}'", BadMotion)
    field = ""
    try:
        field = "bones"
        rig = _rig(data["bones"])
        field = "root"
        root = np.array(data["root"], float).reshape(-1, 3)
        field = "rotations"
        rotations = np.zeros((len(root), len(rig.names), 4))
        rotations[..., 0] = 1.0
        for bone, keys in data["rotations"].items():
            rotations[:, rig.names.index(bone)] = np.array(keys, float).reshape(len(root), 4)
        field = "contacts"
        feet = tuple(data.get("contacts", {}))
        signs = [[("0", "1").index(sign) for sign in data["contacts"][foot]] for foot in feet]
        contacts = np.array(signs, bool).reshape(-1, len(root)).T
        field = "rate"
        rate = float(data["rate"])
        field = "stride"
        stride = np.array(data.get("stride", (0, 0, 0)), float).reshape(3)
        field = "loop"
        loop = (False, True).index(data.get("loop", False))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise BadMotion(
            f"'{source}': the field \"{field}\" is missing or not as presets/README.md describes it."
        ) from error
    except BadRig as error:
        raise BadMotion(f"'{source}': {error}") from error
    return MotionClip(rig, rotations, root, rate, contacts, feet, bool(loop), stride,
                      str(data.get("name", source)))


def motion_data(clip: MotionClip) -> dict:
    """The contents of the JSON file that `motion_from_data` reads back; bones that never turn are left out."""
    rig = clip.rig
    bones = [{"name": n, "parent": None if p < 0 else rig.names[p], "head": _short(head), "tail": _short(tail),
              "x_axis": _short(x)}
             for n, p, head, tail, x in zip(rig.names, rig.parents, rig.heads, rig.tails, rig.x_axes, strict=True)]
    turning = np.abs(clip.rotations[..., 1:]).max((0, 2)) > 10.0**-DIGITS
    return {"format": FORMAT, "version": VERSION, "name": clip.name, "rate": clip.rate, "loop": clip.loop,
            "stride": _short(clip.stride), "bones": bones, "root": [_short(x) for x in clip.root],
            "contacts": {foot: "".join("01"[int(c)] for c in clip.contacts[:, i]) for i, foot in enumerate(clip.feet)},
            "rotations": {n: [_short(q) for q in clip.rotations[:, i]] for i, n in enumerate(rig.names) if turning[i]}}


def motion_json(clip: MotionClip) -> str:
    """The file's text: one line for each bone, so that changes can be read."""
    data = motion_data(clip)
    lines = []
    for key, value in data.items():
        if key in ("bones", "rotations", "contacts"):
            parts = [f"  {json.dumps(k)}: {_compact(v)}" for k, v in value.items()] if isinstance(value, dict) else [
                f"  {_compact(v)}" for v in value]
            ends = "{}" if isinstance(value, dict) else "[]"
            lines.append(f" {json.dumps(key)}: {ends[0]}\n" + ",\n".join(parts) + f"\n {ends[1]}")
        else:
            lines.append(f" {json.dumps(key)}: {_compact(value)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def _compact(value) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def _short(values) -> list[float]:
    return [round(float(x), DIGITS) + 0.0 for x in values]


def _rig(bones) -> Rig:
    names = [str(b["name"]) for b in bones]
    parents = [-1 if b.get("parent") is None else names[:i].index(b["parent"]) for i, b in enumerate(bones)]
    axes = np.array([b["x_axis"] for b in bones], float) if all("x_axis" in b for b in bones) else None
    return Rig(tuple(names), np.array(parents, int), np.array([b["head"] for b in bones], float).reshape(-1, 3),
               np.array([b["tail"] for b in bones], float).reshape(-1, 3), axes)
