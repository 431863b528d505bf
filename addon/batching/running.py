"""The work itself: jobs into children, entries into records, until all are done."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from .inputs import Job
from .ledger import Ledger
from .options import RigOptions

LOOKS = 100  # files begun or found done between two looks at the workers
OTHERS = 0.25  # seconds until files that other runs are at are asked for again, which may cost a server's answer each


class Working(Protocol):
    """A file on its way: what it is and how far."""

    job: Job | None
    stage: str


class Workers(Protocol):
    """Whatever rigs files: `workers.Pool`, or `Inline`."""

    blender: str

    @property
    def free(self) -> int:
        """How many more files can be begun."""

    @property
    def working(self) -> Sequence[Working]:
        """What is being worked on."""

    def begin(self, job: Job, tag: str) -> None:
        """Take a file."""

    def collect(self) -> list[tuple[str, dict, list]]:
        """The files finished since: tag, entry, sources."""


class Inline:
    """Rigs files in this very process, for those who look after themselves: scripts and tests."""

    def __init__(self, rig: RigOptions, out: Path):
        import bpy

        self.blender = bpy.app.version_string
        self.working: Sequence[Working] = ()
        self._rig, self._out = rig, out
        self._finished: list[tuple[str, dict, list]] = []

    @property
    def free(self) -> int:
        """One file at a time."""
        return 1 - len(self._finished)

    def begin(self, job: Job, tag: str) -> None:
        """Rig it now."""
        from .one_file import attempt

        self._finished.append((tag, *attempt(job, self._out, self._rig, tag, lambda stage, fraction: None)))

    def collect(self) -> list[tuple[str, dict, list]]:
        """What was rigged."""
        finished, self._finished = self._finished, []
        return finished


@dataclass(frozen=True)
class Finished:
    """A file of a run that is done.  worked : rigged now, not found done"""

    job: Job
    entry: dict
    worked: bool = True


def run_jobs(jobs: Iterable[Job], workers: Workers, ledger: Ledger, *, resume: bool = False
             ) -> Iterator[list[Finished]]:
    """Have every file rigged and keep a record of each, yielding at every look those finished since the last.

    resume : leave out what is done.  A file that another run is at waits until that is through with it.
    """
    waiting = deque(jobs)
    begun: dict[str, Job] = {}
    held, later = 0, 0.0  # how many files in a row others are at
    while waiting or begun:
        finished = []
        for _ in range(min(len(waiting), LOOKS)):
            if not workers.free or time.monotonic() < later:
                break
            job = waiting.popleft()
            if (taken := ledger.begin(job)) is None:
                waiting.append(job)
                held += 1
                if held >= len(waiting):
                    held, later = 0, time.monotonic() + OTHERS
                continue
            held = 0
            job, tag = taken
            if resume and (entry := ledger.done(job)) is not None:
                ledger.leave(tag)
                finished.append(Finished(job, entry, worked=False))
            else:
                ledger.note(tag)
                begun[tag] = job
                workers.begin(job, tag)
        for tag, entry, sources in workers.collect():
            ledger.end(tag, entry, sources, workers.blender)
            finished.append(Finished(begun.pop(tag), entry))
        yield finished
