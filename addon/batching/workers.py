"""Processes that rig files one by one, watched from outside: one that crashes, hangs or takes too much costs its file.

A child reads jobs from its standard input and writes what it has to say into a file, a line of JSON each; whoever
watches reads that file. That works alike on every system, needs neither threads nor sockets, and what was said before a
crash is there after it. Where systems can wait for it, a child rings a bell, a pipe, when it is through with a file:
looking for that 125 times a second took 1 % of a core. Whatever Blender and its importers print goes to the child's
log.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from ..formats import BadFile
from .clock import GRACE, MOVING
from .inputs import Job
from .options import RigOptions, RunOptions, job_count

TICK = 0.008  # seconds between two looks whether a child has finished, or whether there is more to begin
WATCH = 0.2  # seconds between two looks at the time and the memory that a child takes
GIB = 1 << 30
STARTS = 3  # times in a row that Blender may fail to start
START = 180.0  # seconds Blender may take to start
# One thread each: many children use the cores better, and sums come out the same whatever the number of cores.
ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
# What arrays free stays with the process for the next ones. By itself the C library of Linux gives it back and takes it
# anew page by page: 2.5 times as many pages, 2 % of the time. Other systems do not know these names.
HEAP = {"MALLOC_MMAP_THRESHOLD_": str(32 << 20), "MALLOC_TRIM_THRESHOLD_": str(256 << 20)}
# Where Blender has its folder for a while, which one that is killed leaves behind: here it goes with the run's own.
SCRATCH = ("TMPDIR", "TEMP", "TMP")
HAS_BELLS = os.name == "posix"  # Windows cannot wait for pipes
PROGRAM = Path(__file__).resolve().parents[1] / "batch.py"


def child_command() -> list[str]:
    """How to start this program again as a child, in the Blender or Python that runs it."""
    bpy = sys.modules.get("bpy")
    if bpy is None or not bpy.app.binary_path:  # plain Python with the bpy wheel
        return [sys.executable, str(PROGRAM), "--child"]
    own = sys.argv[1:]
    for end in ("--", "--command", "-c"):
        own = own[:own.index(end)] if end in own else own
    for script in ("--python", "-P"):
        if script in own:
            del own[own.index(script):own.index(script) + 2]
    return [bpy.app.binary_path, *own, "--background", "--python", str(PROGRAM), "--", "--child"]


class Child:
    """One process.  job : what it works on;  done : how many files it has finished"""

    def __init__(self, folder: Path, greeting: dict):
        self.job: Job | None = None
        self.done = 0
        self.stage = "Starting Blender"
        self.blender = ""
        self.since = time.monotonic()
        self.tag = ""
        handle, said = tempfile.mkstemp(dir=folder, suffix=".said")
        os.close(handle)
        self._said = Path(said)
        self._log = self._said.with_suffix(".log")
        self._read = self._said.open("rb")
        self.bell, rings = os.pipe() if HAS_BELLS else (-1, -1)
        with self._log.open("wb") as log:
            apart = {"start_new_session": True, "pass_fds": (rings,)} if HAS_BELLS else {
                "creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}  # Ctrl-C is the parent's
            environment = HEAP | os.environ | ALONE | dict.fromkeys(SCRATCH, str(folder))
            self.process = subprocess.Popen(child_command(), stdin=subprocess.PIPE, stdout=log,
                                            stderr=subprocess.STDOUT, env=environment, **apart)
        if HAS_BELLS:
            os.close(rings)
        self._tell(greeting | {"said": str(self._said), "bell": rings})

    def begin(self, job: Job, tag: str) -> None:
        """Give it a file.  tag : part of the names of its unfinished results"""
        self.job, self.tag, self.since = job, tag, time.monotonic()
        self.stage = "Opening" if self.blender else "Starting Blender"
        self._tell({"path": job.path, "target": job.target, "tag": tag})

    def listen(self) -> dict | None:
        """What became of its file, `entry` and `sources`, if it is finished; notes everything else it has said."""
        place = self._read.tell()
        for line in self._read.read().splitlines(keepends=True):
            if not line.endswith(b"\n"):  # still being written
                break
            place += len(line)
            word = json.loads(line)
            if "blender" in word:
                self.since = time.monotonic()
                self.blender = word["blender"]
            elif "stage" in word:
                if word["stage"] != self.stage and MOVING in word["stage"] + self.stage:
                    self.since = time.monotonic()  # each motion has a time of its own, and what comes after them
                self.stage = word["stage"]
            elif "entry" in word:
                self._read.seek(place)
                self.done += 1
                return word
        self._read.seek(place)
        return None

    @property
    def log(self) -> str:
        """The end of what it printed."""
        with self._log.open("rb") as file:
            file.seek(max(0, self._log.stat().st_size - 2000))
            return file.read().decode(errors="replace").strip()

    def end(self) -> None:
        """Let it go when idle, kill it when not, and take its files away."""
        with suppress(BrokenPipeError):  # it ended before it read all that it was told
            self.process.stdin.close()
        if self.job is not None:
            self.process.kill()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self._read.close()
        if HAS_BELLS:
            os.close(self.bell)
        self._said.unlink()
        self._log.unlink()

    def _tell(self, message: dict) -> None:
        try:
            self.process.stdin.write(json.dumps(message).encode() + b"\n")
            self.process.stdin.flush()
        except OSError:  # it has ended; `Pool` sees that at its next look
            self.stage = "Gone"


class Pool:
    """As many children as files are worked on at a time."""

    def __init__(self, rig: RigOptions, run: RunOptions, folder: Path):
        self._greeting = {"rig": rig.as_message(), "out": os.path.abspath(run.out), "timeout": run.timeout}
        self._rig, self._run, self._folder = rig, run, folder
        self._size = job_count(run)
        self._children: list[Child] = []
        self._false_starts = 0
        self.blender = ""
        self._memory = run.memory or share_of_memory(self._size)
        self._watched = 0.0
        if run.memory:
            resident(os.getpid())  # says at once if it cannot

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error) -> None:
        for child in self._children:
            child.end()
        self._children.clear()

    @property
    def free(self) -> int:
        """How many more files can be begun."""
        return self._size - len(self.working)

    @property
    def working(self) -> list[Child]:
        """The children that have a file."""
        return [child for child in self._children if child.job is not None]

    def begin(self, job: Job, tag: str) -> None:
        """Give a file to a free child, or to a new one.  tag : part of the names of its unfinished results"""
        for worn in [child for child in self._children if child.job is None and self._is_worn(child)]:
            self._children.remove(worn)
            worn.end()
        idle = [child for child in self._children if child.job is None]
        (idle[0] if idle else self._new()).begin(job, tag)

    def collect(self) -> list[tuple[str, dict, list]]:
        """The tags of the files that are finished, one way or the other, each with its entry in the report and the
        sources it was made of, after a short wait.

        Raises BadFile if no child can be started.
        """
        self._wait()
        finished = []
        is_watched = time.monotonic() > self._watched + WATCH
        if is_watched:
            self._watched = time.monotonic()
        for child in self.working:
            ended = child.process.poll() is not None  # asked before listening: nothing more will be said
            word = child.listen()
            self.blender = child.blender or self.blender
            if word is None:
                word = self._lost(child) if ended else self._given_up(child) if is_watched else None
            else:
                self._false_starts = 0
            if word is not None:
                finished.append((child.tag, word["entry"], word["sources"]))
                child.job = None
        return finished

    def _wait(self) -> None:
        """Until a child is through with a file or has ended, or all are to be watched; a moment if more may begin."""
        bells = [child.bell for child in self.working]
        if not HAS_BELLS or not bells:
            time.sleep(TICK)
            return
        for bell in select.select(bells, [], [], TICK if self.free else WATCH)[0]:
            if not os.read(bell, 4096):  # it is ending
                time.sleep(TICK)

    def _new(self) -> Child:
        self._children.append(Child(self._folder, self._greeting))
        return self._children[-1]

    def _is_worn(self, child: Child) -> bool:
        return child.process.poll() is not None or 0 < self._run.recycle <= child.done

    def _lost(self, child: Child) -> dict | None:
        status = child.process.returncode
        if not child.blender:
            self._false_starts += 1
            if self._false_starts >= STARTS:
                raise BadFile(f"Blender could not be started for the work (exit status {status}): {child.log}")
            self._again(child)
            return None
        if status == -9:
            return self._replaced(child, "Crash", "was ended by the system, most likely for want of memory. Run fewer "
                                                  "--jobs at a time, or simplify the mesh.")
        return self._replaced(child, "Crash", f"crashed Blender (exit status {status}). It is probably damaged: export "
                                              "it again, or convert it to .glb.")

    def _given_up(self, child: Child) -> dict | None:
        taken = time.monotonic() - child.since
        if not child.blender:
            if taken > START:
                raise BadFile(f"Blender did not start within {START:.0f} s: {child.log}")
            return None
        grace = GRACE if child.stage.startswith(MOVING) else 0.0  # it sees to that itself, and goes on
        if self._run.timeout and taken > self._run.timeout + grace:
            child.done = 0  # it would only take as long again
            return self._replaced(child, "Timeout", f"took longer than {self._run.timeout:g} s and was given up while "
                                                    f"at '{child.stage}'. Allow more with --timeout, or simplify "
                                                    "the mesh.")
        if self._memory and (taken_up := resident(child.process.pid) / GIB) > self._memory:
            return self._replaced(child, "OutOfMemory", f"took {taken_up:.2f} GiB of memory and was given up while at "
                                                        f"'{child.stage}'. Allow more than "
                                                        f"{self._memory:.4g} with --memory, or simplify the mesh.")
        return None

    def _replaced(self, child: Child, kind: str, what: str) -> dict | None:
        """What became of a file that cost a child its life; nothing yet where earlier files may be to blame: then it
        gets another try in a new one."""
        if child.done:
            self._again(child)
            return None
        entry = failed(child.job, self._rig, kind, f"'{child.job.path}' {what}") | {"log": child.log}
        self._children.remove(child)
        child.end()
        return {"entry": entry, "sources": []}

    def _again(self, child: Child) -> None:
        """Give a child's file to a new one."""
        self._children.remove(child)
        child.end()
        self._new().begin(child.job, child.tag)


def share_of_memory(processes: int) -> float:
    """GiB that each of so many processes may take of nine tenths of the machine's or container's memory.

    0 where that or what a process takes cannot be known.
    """
    if not Path("/proc/self/statm").exists():
        return 0.0
    sizes = [os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")]
    for limit in map(Path, ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")):
        text = limit.read_text().strip() if limit.is_file() else "max"
        sizes += [int(text)] if text.isdigit() else []
    return 0.9 * min(sizes) / GIB / processes


def resident(process: int) -> int:
    """Bytes of memory a process takes, 0 if it has ended.  Raises BadFile if that cannot be known here."""
    state = Path(f"/proc/{process}/statm")
    if state.parent.parent.joinpath("self/statm").exists():
        try:
            return int(state.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
        except OSError:
            return 0
    if importlib.util.find_spec("psutil") is None:
        raise BadFile("--memory needs the package psutil on this system: pip install psutil.")
    psutil = importlib.import_module("psutil")
    try:
        return psutil.Process(process).memory_info().rss
    except psutil.NoSuchProcess:
        return 0


def failed(job: Job, rig: RigOptions, kind: str, error: str) -> dict:
    """The report's entry for a file that could not be rigged."""
    return {"file": job.path, "status": "failed", "preset": rig.preset, "error": error, "kind": kind}
