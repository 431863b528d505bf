"""What is known of a character before it is rigged: knight.hints.json beside knight.glb; its words: docs/batch.md."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from ...core.errors import BadHint, BadTemplate
from ...core.fitting.from_shape import check_preset
from ...core.geometry.axes import AXES
from ...core.json_file import read_json
from .options import RigOptions

READING, PRESET, AXIS = "reading", "preset", ("up", "front")  # no joint is called so


@dataclass(frozen=True)
class Hints:
    """joints : {name: [x, y, z]} pinned, in the world, as report.json gives joints;  reading : 0 is the likeliest

    instead : options that this file has others of
    """

    joints: dict[str, list[float]] = field(default_factory=dict)
    reading: int = 0
    instead: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.joints or self.reading or self.instead)

    def within(self, options: RigOptions) -> RigOptions:
        """The options of a run, for this file."""
        return RigOptions.from_message(options.as_message() | self.instead)


def read_hints(path: Path) -> Hints:
    """None are known if there is no such file.  Raises BadHint."""
    try:
        said = read_json(path.read_bytes(), f"The file of hints '{path}'", BadHint) if path.exists() else {}
    except OSError as error:
        raise BadHint(f"The file of hints '{path}' cannot be read: {error.strerror}.") from error
    if not isinstance(said, dict):
        raise BadHint(f"The hints '{path}' must be {{\"joint\": [x, y, z], ...}}.")
    reading = said.pop(READING, 1)
    if not isinstance(reading, int) or isinstance(reading, bool) or reading < 1:
        raise BadHint(f"The hints '{path}' must give '{READING}' as the number of a reading in the report, from 1.")
    instead = {key: said.pop(key) for key in (PRESET, *AXIS) if key in said}
    _check(path, instead)
    for name, place in said.items():
        if not (isinstance(place, list) and len(place) == 3 and all(
                isinstance(x, int | float) and not isinstance(x, bool) and abs(x) < 1e12 for x in place)):
            raise BadHint(f"The hints '{path}' must give '{name}' as three numbers, [x, y, z], if it is a joint. What "
                          f"is no joint is one of {', '.join((PRESET, *AXIS, READING))}.")
    return Hints(said, reading - 1, instead)


def _check(path: Path, instead: dict) -> None:
    for key in AXIS:
        if key in instead and instead[key] not in ["auto", *AXES]:  # which may be anything
            raise BadHint(f"The hints '{path}' must give '{key}' as one of auto, {', '.join(AXES)}.")
    preset = instead.get(PRESET, "auto")
    if not isinstance(preset, str) or preset.lower().endswith(".json"):  # nobody would know whether a file has changed
        raise BadHint(f"The hints '{path}' must give '{PRESET}' as the name of a skeleton.")
    if preset != "auto":
        try:
            check_preset(preset)
        except BadTemplate as error:
            raise BadHint(f"The hints '{path}': {error}") from error
