"""What is known of every file that was worked on: a record each, on disk beside the results.

A record is written after the results it tells of, so where there is a record the results are whole. Everything lies
in the folder `.geppetto` inside the folder for results:

    records/<target>.json     what became of a file, of which contents, with which options
    begun/<tag>               the target of a file being worked on; left behind, it says what a killed run left undone
    locks                     see locks.py: targets, runs
"""

from __future__ import annotations

import json
import os
import secrets
import shutil
from dataclasses import replace
from pathlib import Path

from ..formats import BadFile
from ..whole import MARK, write_whole
from .contents import sources_again
from .inputs import Job
from .locks import Locks

HOME = ".geppetto"  # the folder for records inside the folder for results
BROKEN_OFF = {"Crash", "Timeout", "OutOfMemory", "Cluster"}  # kinds of failure that leave no time to clear up


class Ledger:
    """The records of one folder of results, by the results' names.

    settings : a name for the options and the program, as contents.settings_key gives it
    """

    def __init__(self, out: Path, settings: str = ""):
        self.out, self.settings = out, settings
        self._records, self._begun = out / HOME / "records", out / HOME / "begun"
        self._run = secrets.token_hex(4)
        self._count = 0
        self._working: dict[str, Job] = {}
        try:
            for folder in (self._records, self._begun):
                folder.mkdir(parents=True, exist_ok=True)
            self._locks = Locks(out / HOME / "locks")
        except OSError as error:
            raise BadFile(f"'{out / HOME}' cannot be written to: {error.strerror}. Choose another folder with --out."
                          ) from error

    def __enter__(self) -> Ledger:
        self._locks.hold(f"run {self._run}")
        self._clear_up()
        return self

    def __exit__(self, *error) -> None:
        for tag, job in list(self._working.items()):
            self._undo(tag, job.target)
        self._locks.close()

    def begin(self, job: Job) -> tuple[Job, str] | None:
        """Take a file, or return None if another run is at it.

        Returns the job, renamed if its results' name was taken meanwhile, and a tag for its unfinished results.
        """
        own, number = job.target, 1
        while True:
            if job.target not in (other.target for other in self._working.values()):
                if not self._locks.hold(f"target {job.target}"):
                    return None
                if self.owner(job.target) in ("", os.path.abspath(job.path)):
                    break
                self._locks.release(f"target {job.target}")
            number += 1
            job = replace(job, target=f"{own}-{number}")
        self._count += 1
        tag = f"{self._run}-{self._count}"
        self._working[tag] = job
        return job, tag

    def note(self, tag: str) -> None:
        """Write down that a file that was taken is worked on, for whoever clears up after a run that is killed."""
        write_whole(self._begun / tag, [self._working[tag].target.encode("utf-8", "surrogateescape")])

    def end(self, tag: str, entry: dict, sources: list, blender: str) -> None:
        """Note what became of a file, its results being written.  Raises BadFile."""
        job = self._working[tag]
        if entry.get("kind") in BROKEN_OFF:
            remove_unfinished(self.out / job.target, tag)
        places = {name: self.out / name for name in entry.get("written", ())}
        sizes = {name: place.stat().st_size if place.exists() else -1 for name, place in places.items()}
        record = {"version": 1, "input": os.path.abspath(job.path), "settings": self.settings, "sources": sources,
                  "sizes": sizes, "blender": blender, "entry": entry}
        write_whole(self._place(job.target), [json.dumps(record).encode()])
        self.leave(tag)

    def leave(self, tag: str) -> None:
        """Put a file back, done or found done."""
        job = self._working.pop(tag)
        (self._begun / tag).unlink(missing_ok=True)
        self._locks.release(f"target {job.target}")

    def done(self, job: Job) -> dict | None:
        """The entry of a file whose results are there, made from the same contents by the same program and options."""
        record = self.read(job.target)
        if not record or record["entry"]["status"] != "rigged" or record["settings"] != self.settings:
            return None
        try:
            now = sources_again(job.path, record["sources"])
            whole = all((self.out / name).stat().st_size == size for name, size in record["sizes"].items())
        except OSError:
            return None
        if not whole or [one[3] for one in now] != [one[3] for one in record["sources"]]:
            return None
        return record["entry"] | {"file": job.path}

    def read(self, target: str) -> dict | None:
        """A record: `entry` is the report's, `input` the file's absolute path. None if there is none."""
        return _read(self._place(target))

    def owner(self, target: str) -> str:
        """The file whose results have that name, empty if there are none or the file is gone."""
        record = self.read(target)
        return record["input"] if record and os.path.exists(record["input"]) else ""

    def holds_report(self, name: str) -> bool:
        """Whether the report of that name is this run's to write: no other run of now has it."""
        return self._locks.hold(f"report {name}")

    def _place(self, target: str) -> Path:
        return self._records / f"{target}.json"

    def _clear_up(self) -> None:
        """Take away what runs left that were killed."""
        for left in self._begun.iterdir():
            run = left.name.partition("-")[0]
            if self._locks.hold(f"run {run}") and left.exists() and not left.name.startswith(MARK):
                self._undo(left.name, left.read_text(encoding="utf-8", errors="surrogateescape"))

    def _undo(self, tag: str, target: str) -> None:
        remove_unfinished(self.out / target, tag)
        (self._begun / tag).unlink(missing_ok=True)


def is_result(out: Path, place: str) -> bool:
    """Whether the file at a real path is as a run wrote it into this folder, by the folder's records."""
    home = os.path.join(os.path.realpath(out), "")
    if not (place.startswith(home) and os.path.isfile(place)):
        return False
    name, size = Path(place.removeprefix(home)).as_posix(), os.path.getsize(place)
    target = os.path.splitext(name)[0]
    while target:  # "king-2-unity" may be a result of "king-2", or of "king"
        record = _read(out / HOME / "records" / f"{target}.json")
        if record is not None and record["sizes"].get(name) == size:
            return True
        target = target.rpartition("-")[0]
    return False


def _read(place: Path) -> dict | None:
    try:
        record = json.loads(place.read_bytes())
    except (OSError, ValueError):
        return None
    return record if isinstance(record, dict) and record.get("version") == 1 else None


def remove_unfinished(target: Path, tag: str) -> None:
    """Take away what a child left half written."""
    for partial in target.parent.glob(f"{MARK}{tag}-*"):
        if partial.is_dir():
            shutil.rmtree(partial, ignore_errors=True)
        else:
            partial.unlink(missing_ok=True)
