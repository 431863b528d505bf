"""A run's memory on disk: which file was begun and what became of it, so that it survives a crash of Blender."""

from __future__ import annotations

import json
from pathlib import Path


class Journal:
    """Lines of JSON: a file's number when it is begun, its entry when it is done."""

    def __init__(self, path: Path):
        self.path = path

    def begin(self, number: int) -> None:
        """Note that work on a file starts."""
        self._append({"begin": number})

    def end(self, number: int, entry: dict) -> None:
        """Note what became of a file."""
        self._append({"end": number, "entry": entry})

    def read(self) -> tuple[dict[int, dict], int | None]:
        """Entries by file number, and the number of the file that was begun but not ended."""
        entries: dict[int, dict] = {}
        begun = None
        for line in self.path.read_text(encoding="utf-8").splitlines() if self.path.exists() else ():
            try:
                note = json.loads(line)
            except ValueError:  # the process died while writing its last line
                break
            if "begin" in note:
                begun = note["begin"]
            else:
                entries[note["end"]], begun = note["entry"], None
        return entries, begun

    def _append(self, note: dict) -> None:
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(note) + "\n")
