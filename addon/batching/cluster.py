"""Past one machine: the same jobs, by the workers of a Dask cluster.

What a Dask worker is asked to do is to start this program on a part of the files (`part`), which starts the same child
process, keeps the same records and takes the same locks as a run on one machine. So a part that is done twice, because
its worker was lost in the middle, finds done what the first try did. The folders of files and of results, Geppetto and
its Blender must be at the same place on every machine.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from ..formats import BadFile
from .contents import settings_key
from .inputs import Job
from .ledger import HOME, Ledger
from .options import RigOptions, RunOptions
from .progress import say
from .running import Finished, run_jobs
from .workers import Pool, child_command, failed

LONGEST_PART = 32  # files: starting Blender for them is then no matter, doing them again neither
AHEAD = 3  # parts for each thread of the cluster that are under way at a time
DONE_AGAIN = {"lost", "pending"}  # what Dask says of a part whose result was lost with its worker before it was fetched
LOOK = 0.2  # seconds between two looks at what is done
LEFT_ALONE = 1.0  # seconds between two looks at whether anybody still waits for a part


class Cluster:
    """A Dask scheduler's workers, for one run.  blender : the version they have"""

    def __init__(self, rig: RigOptions, run: RunOptions, ledger: Ledger):
        if importlib.util.find_spec("distributed") is None:
            raise BadFile("--scheduler needs the package distributed in the Python that runs Geppetto: "
                          f"{sys.executable} -m pip install distributed")
        self._dask = importlib.import_module("distributed")
        self._rig, self._run, self._ledger = _at_home(rig), replace(run, out=os.path.abspath(run.out), jobs=1), ledger
        self._same = settings_key(self._rig)  # on every machine, or there is another Geppetto
        self.blender = ""
        self.working: list = []
        self._is_told = False  # that there are no workers
        try:
            self._client = self._dask.Client(run.scheduler, timeout=10, set_as_default=False)
        except (OSError, ValueError) as error:
            raise BadFile(f"No Dask scheduler answers at '{run.scheduler}': {error}. Start one with: dask scheduler"
                          ) from error

    def __enter__(self) -> Cluster:
        handle, name = tempfile.mkstemp(prefix="run-", dir=self._ledger.out / HOME)
        os.close(handle)
        self._alive = Path(name).resolve()
        return self

    def __exit__(self, *error) -> None:
        self._alive.unlink(missing_ok=True)  # parts that are under way end when they see that
        self._client.close()

    def run_jobs(self, jobs: list[Job], *, resume: bool = False) -> Iterator[list[Finished]]:
        """Have every file rigged, yielding at every look those finished since the last.  Raises BadFile."""
        waiting = deque(jobs)
        parts: dict[str, _Part] = {}
        done = self._dask.as_completed([], loop=self._client.loop)
        looked, threads = 0.0, 1
        while waiting or parts:
            if time.monotonic() > looked + 5:
                looked, threads = time.monotonic(), self._threads()
            while waiting and len(parts) < AHEAD * threads:
                size = max(1, min(LONGEST_PART, len(waiting) // (AHEAD * threads)))
                part = self._submit([waiting.popleft() for _ in range(size)], resume)
                parts[part.future.key] = part
                done.add(part.future)
            time.sleep(LOOK)
            finished: list[Finished] = []
            for future in done.next_batch(block=False) if done.has_ready() else []:
                if future.status in DONE_AGAIN:
                    done.add(future)
                else:
                    finished += self._finished(parts.pop(future.key))
            yield finished

    def _threads(self) -> int:
        """How many the cluster has, at least one; who waits for the first is told so, once.  Raises BadFile."""
        try:
            count = sum(self._client.nthreads().values())
        except OSError as error:
            raise self._gone() from error
        if not count and not self._is_told:
            self._is_told = True
            say(f"The Dask scheduler at '{self._run.scheduler}' has no workers yet, and the files wait for them. Start "
                f"some with: dask worker {self._run.scheduler}")
        return count or 1

    def _gone(self) -> BadFile:
        return BadFile(f"The Dask scheduler at '{self._run.scheduler}' has ended. Start it again, and then this run "
                       "with --resume.")

    def _submit(self, jobs: list[Job], resume: bool) -> _Part:
        message = {"rig": self._rig.as_message(), "run": asdict(self._run), "alive": str(self._alive),
                   "settings": self._ledger.settings, "same": self._same, "resume": resume,
                   "jobs": [[job.number, os.path.abspath(job.path), job.target] for job in jobs]}
        command = [*child_command()[:-1], "--part"]
        future = self._client.submit(subprocess.run, command, input=json.dumps(message).encode(), capture_output=True,
                                     pure=False)
        return _Part(future, {job.number: job for job in jobs})

    def _finished(self, part: _Part) -> list[Finished]:
        if part.future.status == "cancelled":  # not by us
            raise self._gone()
        if part.future.status != "finished":
            return self._lost(part, list(part.jobs), str(part.future.exception()))
        try:
            done = part.future.result()
        except (OSError, self._dask.CancelledError) as error:
            raise self._gone() from error
        if done.returncode == 2:
            raise BadFile(f"On the cluster: {_last_line(done.stderr)}")
        finished = []
        for line in done.stdout.splitlines():
            if line.startswith(b'{"number"'):
                word = json.loads(line)
                self.blender = word["blender"] or self.blender
                job = replace(part.jobs.pop(word["number"]), target=word["target"])
                finished.append(Finished(job, word["entry"], word["worked"]))
        return finished + self._lost(part, list(part.jobs), f"exit status {done.returncode}: {_last_line(done.stderr)}")

    def _lost(self, part: _Part, numbers: list[int], why: str) -> list[Finished]:
        """Files whose part did not come to its end, as failures with a record like any other."""
        finished = []
        for number in numbers:
            job = part.jobs[number]
            entry = failed(job, self._rig, "Cluster", f"'{job.path}' was not done: the cluster lost it ({why}). Run it "
                                                      "again with --resume.")
            if (taken := self._ledger.begin(job)) is not None:
                job, tag = taken
                self._ledger.end(tag, entry, [], self.blender)
            finished.append(Finished(job, entry))
        return finished


@dataclass
class _Part:
    """Files that one task of the cluster does.  future : Dask's;  jobs : by number, those not yet known to be done"""

    future: Any
    jobs: dict[int, Job]


def part() -> int:
    """On a worker of the cluster: rig the files that standard input tells of, a line of JSON on standard output for
    each.  Returns the exit status.  Raises BadFile."""
    message = json.loads(sys.stdin.buffer.read())
    rig, run = RigOptions.from_message(message["rig"]), RunOptions(**message["run"])
    alive, parent, host = Path(message["alive"]), os.getppid(), os.uname().nodename if hasattr(os, "uname") else ""
    if not alive.parent.exists():
        raise BadFile(f"'{run.out}' is not there on '{host}'. The folder for results must be shared by all machines.")
    if settings_key(rig) != message["same"]:
        raise BadFile(f"'{host}' has another Geppetto at '{Path(__file__).parents[2]}'. Install the same everywhere.")
    jobs = [Job(*words) for words in message["jobs"]]
    with (tempfile.TemporaryDirectory(prefix="geppetto-") as folder,
          Ledger(Path(run.out), message["settings"]) as ledger, Pool(rig, run, Path(folder)) as pool):
        looked = time.monotonic()
        for finished in run_jobs(jobs, pool, ledger, resume=message["resume"]):
            for one in finished:
                word = {"number": one.job.number, "target": one.job.target, "worked": one.worked,
                        "blender": pool.blender, "entry": {**one.entry, "joints": {}}}
                print(json.dumps(word), flush=True)
            if time.monotonic() > looked + LEFT_ALONE:
                looked = time.monotonic()
                if os.getppid() != parent or not alive.exists():
                    return 1
    return 0


def _at_home(rig: RigOptions) -> RigOptions:
    """The options with full paths, for programs that are started in other folders."""
    def full(name: str, is_file: bool) -> str:
        return os.path.abspath(name) if is_file else name

    return replace(rig, preset=full(rig.preset, Path(rig.preset).suffix.lower() == ".json"),
                   for_=tuple(full(name, Path(name).suffix.lower() == ".json") for name in rig.for_),
                   motion=tuple(full(name, bool(Path(name).suffix) or os.path.isdir(name)) for name in rig.motion))


def _last_line(text: bytes) -> str:
    lines = text.decode(errors="replace").strip().splitlines()
    return lines[-1] if lines else "no word of why"
