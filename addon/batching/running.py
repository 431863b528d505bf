"""The work itself: jobs into children, entries into records, until all are done."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

from .inputs import Job
from .ledger import Ledger
from .options import RigOptions


class Workers(Protocol):
    """Whatever rigs files: `workers.Pool`, or `Inline`."""

    blender: str
    free: int
    working: list

    def begin(self, job: Job) -> None:
        """Take a file."""

    def collect(self) -> list[tuple[Job, dict]]:
        """The files finished since, with their entries."""


class Inline:
    """Rigs files in this very process, for those who look after themselves: scripts and tests."""

    def __init__(self, rig: RigOptions, out: Path):
        import bpy

        self.blender = bpy.app.version_string
        self.working: list = []
        self._rig, self._out = rig, out
        self._finished: list[tuple[Job, dict]] = []

    @property
    def free(self) -> int:
        """One file at a time."""
        return 1 - len(self._finished)

    def begin(self, job: Job) -> None:
        """Rig it now."""
        from .one_file import attempt

        entry = attempt(job, self._out, self._rig, f"{os.getpid()}-{job.number}", lambda stage, fraction: None)
        self._finished.append((job, entry))

    def collect(self) -> list[tuple[Job, dict]]:
        """What was rigged."""
        finished, self._finished = self._finished, []
        return finished


def run_jobs(jobs: list[Job], workers: Workers, ledger: Ledger) -> Iterator[list[tuple[Job, dict]]]:
    """Have every file rigged and keep a record of each, yielding at every look those finished since the last."""
    waiting = iter(jobs)
    left = len(jobs)
    while left:
        while workers.free and (job := next(waiting, None)) is not None:
            workers.begin(job)
        finished = workers.collect()
        for job, entry in finished:
            ledger.write(job.target, {"input": os.path.abspath(job.path), "entry": entry, "blender": workers.blender})
        left -= len(finished)
        yield finished
