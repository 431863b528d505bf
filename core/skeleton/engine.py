"""What game engines and other programs expect of a character, as data: a file of presets/engines describes each."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field, fields
from pathlib import Path

import numpy as np

from ..errors import BadBoneMap
from ..json_file import check_fields, read_json

FORMAT = "geppetto-engine"
VERSION = 2
PRESETS = Path(__file__).resolve().parents[2] / "presets" / "engines"
CONTAINERS = ("fbx", "glb", "vrm", "dae")
RESTS = ("modelled", "T", "A")


@dataclass(frozen=True, eq=False)
class Engine:
    """How an engine wants a character; presets/README.md tells each field. Roles are the bone names of our presets.

    bones : {role: the engine's name}, no two alike;  endings : what becomes of ".L" and ".R" in names it leaves out
    chains : ((roles in a row, the engine's names for that stretch of the body), ...)
    aliases : {role: the role it is taken for where that one is missing}
    inserted : {name: (role it hangs on, role that hangs on it, where between their heads, 0 to 1)}
    root : the root's name, "" for none
    helpers : ((name, the engine's name it hangs on, role whose place it copies or ""), ...)
    needed : roles without which a body is no person;  people_only : other bodies are refused
    rest : "modelled", "T" or "A";  unit : metres in one unit of the file;  up, front : axes of the file
    axes : {the engine's name: (2, 3) its X and Y at rest, in the character's frame}; others point along the bone
    along : {the engine's name: (its axis that points along the bone, its axis about which the bone bends)}, "-X" too
        In both, "*" stands for all others.
    influences : the most bones on one vertex
    only : bones without a name join the nearest one above that has a name;  takes : whether motions are written
    human : {role: what the format itself calls that bone};  armature : the armature object's name
    """

    name: str
    label: str
    bones: dict[str, str]
    container: str = "fbx"
    endings: dict[str, str] = field(default_factory=dict)
    chains: tuple[tuple[tuple[str, ...], tuple[str, ...]], ...] = ()
    aliases: dict[str, str] = field(default_factory=dict)
    inserted: dict[str, tuple[str, str, float]] = field(default_factory=dict)
    root: str = ""
    helpers: tuple[tuple[str, str, str], ...] = ()
    needed: tuple[str, ...] = ()
    people_only: bool = True
    rest: str = "modelled"
    unit: float = 1.0
    up: str = "Z"
    front: str = "-Y"
    axes: dict[str, np.ndarray] = field(default_factory=dict)
    along: dict[str, tuple[str, str]] = field(default_factory=dict)
    only: bool = False
    takes: bool = True
    influences: int = 4
    human: dict[str, str] = field(default_factory=dict)
    armature: str = "Armature"


def engines() -> list[str]:
    """The engines Geppetto knows."""
    return sorted(path.stem for path in PRESETS.glob("*.json"))


def load_engine(name_or_path) -> Engine:
    """An engine by its name, or from any such file.  Raises BadBoneMap, naming the file and the field."""
    path = Path(name_or_path)
    if path.suffix.lower() != ".json":
        path = PRESETS / f"{name_or_path}.json"
        if not path.is_file():
            raise BadBoneMap(f"There is no engine '{name_or_path}'. Choose one of: {', '.join(engines())}; or give the "
                             "path of an engine's .json file.")
    try:
        data = read_json(path.read_bytes(), f"The engine '{path}'", BadBoneMap)
    except OSError as error:
        raise BadBoneMap(f"The engine '{path}' cannot be read: {error.strerror}.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise BadBoneMap(f"'{path}' does not describe an engine in version {VERSION}.")
    check_fields(data, ("format", "version", *(one.name for one in fields(Engine))), f"'{path}'", BadBoneMap)
    return _engine(data, path)


def _engine(data: dict, path: Path) -> Engine:
    def wrong(key: str) -> BadBoneMap:
        return BadBoneMap(f"'{path}': the field \"{key}\" is missing or not as presets/README.md describes it.")

    def texts(key: str, value) -> dict[str, str]:
        if not isinstance(value, dict) or not all(isinstance(v, str) and v for v in value.values()):
            raise wrong(key)
        return dict(value)

    found: dict = {}
    readers: dict[str, Callable] = {
        "endings": _endings,
        "aliases": lambda v: texts("aliases", v),
        "chains": lambda v: tuple((_texts(c["of"]), _texts(c["bones"])) for c in v),
        "inserted": lambda v: {k: (str(i["below"]), str(i["above"]), _within(i["at"], 0, 1)) for k, i in v.items()},
        "helpers": lambda v: tuple((str(h["name"]), str(h["parent"]), str(h.get("copies", ""))) for h in v),
        "needed": _texts,
        "axes": lambda v: {k: _apart(a) for k, a in v.items()},
        "along": lambda v: {k: _axes(*a) for k, a in v.items()},
        "human": lambda v: texts("human", v),
        "up": _axis, "front": _axis, "unit": lambda v: _within(v, 1e-9, 1e9),
        "influences": _whole,
    }
    for key, read in readers.items():
        if key in data:
            try:
                found[key] = read(data[key])
            except (AttributeError, KeyError, TypeError, ValueError, IndexError) as error:
                raise wrong(key) from error
    for key, kind in {"root": str, "people_only": bool, "only": bool, "takes": bool, "armature": str}.items():
        if key in data:
            if not isinstance(data[key], kind):
                raise wrong(key)
            found[key] = data[key]
    for key, allowed in {"container": CONTAINERS, "rest": RESTS}.items():
        if data.get(key) not in allowed:
            raise wrong(key)
        found[key] = data[key]
    bones = texts("bones", data.get("bones"))
    if len(set(bones.values())) != len(bones):
        raise BadBoneMap(f"'{path}' gives two bones one name.")
    if found.get("up", "Z")[-1] == found.get("front", "-Y")[-1]:
        raise wrong("front")
    name, label = data.get("name", path.stem), data.get("label", path.stem)
    if not isinstance(name, str) or not re.fullmatch(r"\w[\w .-]*", name):  # it is in the names of files
        raise wrong("name")
    if not isinstance(label, str):
        raise wrong("label")
    return Engine(name, label, bones, **found)


def _texts(value) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise ValueError(value)
    return tuple(value)


def _endings(value) -> dict[str, str]:
    if not set(value) <= {".L", ".R"} or not all(isinstance(v, str) for v in value.values()):
        raise ValueError(value)
    return dict(value)


def _within(value, least: float, most: float) -> float:
    if isinstance(value, bool) or not least <= value <= most:
        raise ValueError(value)
    return float(value)


def _whole(value) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError(value)
    return value


def _apart(value) -> np.ndarray:
    """(2, 3) directions that are not one line."""
    rows = np.array(value, float).reshape(2, 3)
    if np.linalg.matrix_rank(rows) < 2:
        raise ValueError(value)
    return rows


def _axes(along, bend) -> tuple[str, str]:
    if _axis(along)[-1] == _axis(bend)[-1]:
        raise ValueError(along)
    return along, bend


def _axis(name) -> str:
    if name not in ("X", "Y", "Z", "-X", "-Y", "-Z"):
        raise ValueError(name)
    return str(name)
