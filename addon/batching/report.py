"""The report of a run: report.json for programs, .csv for tables, .html for people; docs/batch.md has the fields."""

from __future__ import annotations

import csv
import io
import json
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..formats import BadFile
from ..manifest import VERSION as GEPPETTO
from ..whole import write_whole
from .html import page
from .inputs import Job
from .ledger import Ledger

VERSION = 1
COLUMNS = ("file", "status", "kind", "preset", "bones", "vertices", "faces", "parts", "method", "influences",
           "bare_vertices", "weights", "says", "notes", "least_confidence", "doubtful", "confidence", "memory", "cpu",
           "sha256", "seconds", "warnings", "warning", "error")
SHARE = 0.01  # of the time may go into keeping the report up to date

LOST = {"status": "failed", "preset": "", "kind": "Lost",
        "error": "What was known of this file was deleted while the run was going on. Rig it again."}


class Report:
    """What has become of the files so far; the entries themselves stay on disk."""

    def __init__(self, out: Path, ledger: Ledger):
        self._ledger = ledger
        self._jobs: dict[int, Job] = {}
        self._due = 0.0
        self._stale = True  # an empty run has a report too
        self._blender = ""
        self.rigged = 0
        number, stem = 1, "report"
        while not ledger.holds_report(stem):  # another run of now reports into this folder too
            number += 1
            stem = f"report-{number}"
        self.place = out / f"{stem}.json"

    def __enter__(self) -> Report:
        return self

    def __exit__(self, *error) -> None:
        if self._stale:
            self.write()

    def add(self, job: Job, entry: dict) -> None:
        """Note a file that is done; its record is written."""
        self._jobs[job.number] = job
        self.rigged += entry["status"] == "rigged"
        self._stale = True

    def keep_up(self, blender: str) -> None:
        """Write the report if something is new and it was not written just now."""
        self._blender = blender or self._blender
        if self._stale and self._jobs and time.monotonic() > self._due:
            since = time.monotonic()
            try:
                self.write()
            except BadFile:  # open in a spreadsheet, which locks it on Windows; the last report of the run must succeed
                self._stale = True
            self._due = time.monotonic() + (time.monotonic() - since) / SHARE

    def write(self) -> None:
        """Write the report of the files done so far, in their order.  Raises BadFile."""
        self._blender = self._blender or self._blender_of_records()
        write_whole(self.place, report_json(self._entries(), self._blender))
        write_whole(self.place.with_suffix(".csv"), report_csv(self._entries()))
        made_by = f"Geppetto {GEPPETTO}" + (f", Blender {self._blender}" if self._blender else "")
        write_whole(self.place.with_suffix(".html"), page(self._entries(), made_by))
        self._stale = False

    def _blender_of_records(self) -> str:
        """The version that rigged what was found done, where nothing was rigged now."""
        records = (self._ledger.read(job.target) for _, job in sorted(self._jobs.items()))
        return next((record["blender"] for record in records if record and record["blender"]), "")

    def _entries(self) -> Iterator[dict]:
        for _, job in sorted(self._jobs.items()):
            record = self._ledger.read(job.target) or {"entry": LOST}
            yield {"file": job.path, "name": job.name} | record["entry"] | {"file": job.path}


def report_json(entries: Iterable[dict], blender: str) -> Iterator[bytes]:
    """The pieces of report.json; one entry after another, so that a million of them need no memory."""
    head = json.dumps({"version": VERSION, "geppetto": GEPPETTO, "blender": blender, "files": []}, indent=1)
    yield head.removesuffix("]\n}").encode()
    separator = b"\n"
    for entry in entries:
        yield separator + _json(entry)
        separator = b",\n"
    yield b"\n ]\n}\n"


def report_csv(entries: Iterable[dict]) -> Iterator[bytes]:
    """The pieces of report.csv: a line for each file, without what needs more than a cell."""
    yield _line(COLUMNS)
    for entry in entries:
        warnings, seconds = entry.get("warnings", ()), sum(entry.get("seconds", {}).values())
        judged = entry | {"weights": entry.get("weight_check", {}).get("verdict", ""),
                          "notes": " ".join(entry.get("notes", ()))} | _doubts(entry)
        yield _line([*(_cell(judged.get(key, "")) for key in COLUMNS[:-4]), f"{seconds:.3f}", len(warnings),
                     _cell(" ".join(warnings)), _cell(entry.get("error", ""))])


def _doubts(entry: dict) -> dict[str, str]:
    """How sure each joint is, in a cell each: doubtful ones by name, all of them as name=0.98, the least of all."""
    confidence, least = entry.get("confidence", {}), entry.get("least_confidence")
    return {"least_confidence": "" if least is None else f"{least:.3f}",
            "doubtful": " ".join(entry.get("doubtful", ())),
            "confidence": " ".join(f"{name}={sure:.3f}" for name, sure in confidence.items())}


def _line(cells) -> bytes:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue().encode("utf-8", "replace")


def _cell(value):
    """Text that starts like a formula is not to be taken for one by a spreadsheet."""
    return f"'{value}" if isinstance(value, str) and value[:1] in {"=", "+", "@", "\t", "\r"} else value


def _json(entry: dict) -> bytes:
    text = json.dumps(entry, indent=1, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace")  # a file's name may hold what no Unicode text can
