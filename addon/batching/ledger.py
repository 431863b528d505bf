"""What is known of every file that was worked on: a record each, on disk beside the results."""

from __future__ import annotations

import json
from pathlib import Path

from ..whole import write_whole

HOME = ".geppetto"  # the folder for records inside the folder for results


class Ledger:
    """The records of one folder of results, by the results' names."""

    def __init__(self, out: Path):
        self.out = out
        self._records = out / HOME / "records"

    def read(self, target: str) -> dict | None:
        """A record: `entry` is the report's, `input` the file's absolute path. None if there is none."""
        try:
            record = json.loads(self._place(target).read_bytes())
        except (OSError, ValueError):
            return None
        return record if isinstance(record, dict) and isinstance(record.get("entry"), dict) else None

    def write(self, target: str, record: dict) -> None:
        """Keep a record.  Raises BadFile."""
        place = self._place(target)
        place.parent.mkdir(parents=True, exist_ok=True)
        write_whole(place, [json.dumps(record).encode()])

    def owner(self, target: str) -> str:
        """The file whose results have that name, empty if there are none or the file is gone."""
        record = self.read(target)
        return record["input"] if record and Path(record["input"]).exists() else ""

    def _place(self, target: str) -> Path:
        return self._records / f"{target}.json"
