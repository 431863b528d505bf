"""What game engines and other programs call the bones of our presets: data that renames a finished rig."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from ..errors import BadBoneMap

FORMAT = "geppetto-engine-names"
VERSION = 1
PRESETS = Path(__file__).resolve().parents[2] / "presets" / "engines"


@dataclass(frozen=True, eq=False)
class EngineNames:
    """bones : {role: the engine's name}, no two alike; roles are the bone names of our presets."""

    name: str
    label: str
    bones: dict[str, str]


def engines() -> list[str]:
    """The engines Geppetto knows the names of."""
    return sorted(path.stem for path in PRESETS.glob("*.json"))


def load_engine_names(name_or_path) -> EngineNames:
    """An engine's names, by its name or from any such file.  Raises BadBoneMap, naming the file."""
    path = Path(name_or_path)
    if path.suffix != ".json":
        path = PRESETS / f"{name_or_path}.json"
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise BadBoneMap(f"The names '{path}' cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadBoneMap(f"The names '{path}' are not JSON: {error}.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise BadBoneMap(f"'{path}' does not hold engine names of version {VERSION}.")
    bones = data.get("bones")
    if not isinstance(bones, dict) or not all(isinstance(n, str) and n for n in bones.values()):
        raise BadBoneMap(f"'{path}': \"bones\" must be names by role.")
    if len(set(bones.values())) != len(bones):
        raise BadBoneMap(f"'{path}' gives two bones one name.")
    return EngineNames(str(data.get("name", path.stem)), str(data.get("label", path.stem)), dict(bones))
