"""report.json: what became of every file of a run. The fields are described in README.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..manifest import VERSION as GEPPETTO
from ..whole import write_whole

VERSION = 1


def write_report(out: Path, entries: Iterable[dict], blender: str) -> None:
    """Write the report of the files done so far, in their order.  Raises BadFile."""
    write_whole(out / "report.json", report_json(entries, blender))


def report_json(entries: Iterable[dict], blender: str) -> Iterator[bytes]:
    """The pieces of report.json; one entry after another, so that a million of them need no memory."""
    head = json.dumps({"version": VERSION, "geppetto": GEPPETTO, "blender": blender, "files": []}, indent=1)
    yield head.removesuffix("]\n}").encode()
    separator = b"\n"
    for entry in entries:
        yield separator + _json(entry)
        separator = b",\n"
    yield b"\n ]\n}\n"


def _json(entry: dict) -> bytes:
    text = json.dumps(entry, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace")  # a file's name may hold what no Unicode text can
