"""Where artists put joints, as numbers: short linear formulas over lengths that the shape shows.

The formulas of each kind of body lie in presets/anatomy/<kind>.json, described in presets/README.md. A person chooses
which lengths a formula uses; `learning` finds the shares from characters rigged by artists.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from ..errors import BadTemplate

FORMAT = "geppetto-proportions"
VERSION = 1
ANATOMY = Path(__file__).resolve().parents[2] / "presets" / "anatomy"


@dataclass(frozen=True, eq=False)
class Proportions:
    """Formulas of one kind of body.

    kind : "biped", "quadruped";  formulas : {name: {length: share}}, the first length being the main one
    expected : {name: {length: share}} what anatomy says of some of them; learning weighs it against the artists
    """

    kind: str
    formulas: dict[str, dict[str, float]]
    expected: dict[str, dict[str, float]] = field(default_factory=dict)

    def __post_init__(self):
        for key in ("formulas", "expected"):
            shares = {name: {k: float(x) for k, x in of.items()} for name, of in getattr(self, key).items()}
            object.__setattr__(self, key, shares)

    def of(self, name: str, joint: str, lengths: dict[str, float]) -> float:
        """A formula's value for a joint: the sum of its shares of the lengths, in the lengths' unit."""
        return sum(share * lengths[length] for length, share in self.formulas[name].items())


def load_proportions(kind: str) -> Proportions:
    """The proportions that ship with Geppetto for a kind of body. Read once."""
    return _read_once(ANATOMY / f"{kind}.json")


def read_proportions(path) -> Proportions:
    """Proportions from a file. Raises BadTemplate, naming the file, if it is not sound."""
    try:
        data = json.loads(Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadTemplate(f"The proportions '{path}' cannot be read: {error.strerror}.") from error
    except ValueError as error:
        raise BadTemplate(f"The proportions '{path}' are not JSON: {error}.") from error
    if not isinstance(data, dict) or data.get("format") != FORMAT or data.get("version") != VERSION:
        raise BadTemplate(f"'{path}' is not a file of proportions: it needs \"format\": \"{FORMAT}\" and "
                          f"\"version\": {VERSION}.")
    try:
        tables = data["formulas"], data.get("expected", {})
        return Proportions(str(data["kind"]), *({str(n): dict(shares) for n, shares in t.items()} for t in tables))
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise BadTemplate(f"The proportions '{path}' are not sound: {error!r}.") from error


def write_proportions(path, proportions: Proportions, *, source: str) -> None:
    """Write a file that `read_proportions` reads back, shares to four decimals. source : the command that made them."""
    head = json.dumps({"format": FORMAT, "version": VERSION, "kind": proportions.kind, "source": source}, indent=2)
    parts = [head[:-2]]
    for key, table in (("formulas", proportions.formulas), ("expected", proportions.expected)):
        rounded = {name: {k: round(x, 4) for k, x in shares.items()} for name, shares in table.items()}
        lines = ",\n".join(f"    {json.dumps(n)}: {json.dumps(s)}" for n, s in rounded.items())
        if lines:
            parts.append(f"  \"{key}\": {{\n{lines}\n  }}")
    Path(path).write_text(",\n".join(parts) + "\n}\n", encoding="utf-8")


@lru_cache(maxsize=8)
def _read_once(path: Path) -> Proportions:
    return read_proportions(path)
