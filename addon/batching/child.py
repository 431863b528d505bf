"""Inside a child: jobs in by standard input, what becomes of them out by a file. See workers.py."""

from __future__ import annotations

import gc
import json
import os
import re
import sys
import time
from contextlib import suppress
from pathlib import Path

import bpy

from ..libraries import fault_of_scipy
from . import clock
from .inputs import Job
from .one_file import attempt
from .options import RigOptions


def work() -> None:
    """Rig the files that are asked for until there are no more."""
    if fault := fault_of_scipy():
        sys.exit(fault)
    volunteer()
    greeting = json.loads(sys.stdin.readline())
    rig, out, parent = RigOptions.from_message(greeting["rig"]), Path(greeting["out"]), os.getppid()
    with open(greeting["said"], "ab", buffering=0) as said:
        def say(**word) -> None:
            said.write(json.dumps(word).encode() + b"\n")

        def tell(stage: str, fraction: float) -> None:
            if os.getppid() != parent:  # killed: nobody waits for this any more
                os._exit(1)
            say(stage=stage)

        say(blender=bpy.app.version_string)
        gc.freeze()  # the modules stay: looking for what can go need not pass over them
        for line in sys.stdin:
            job = json.loads(line)
            clock.start(greeting["timeout"])
            forget_peak()
            since = time.process_time()
            entry, sources = attempt(Job(0, job["path"], job["target"]), out, rig, job["tag"], tell)
            say(entry=entry | {"cpu": round(time.process_time() - since, 3)} | peak(), sources=sources)
            if greeting["bell"] >= 0:
                with suppress(BrokenPipeError):  # nobody waits for this any more, as is seen at the next line
                    os.write(greeting["bell"], b".")
            clock.start(0)
            gc.collect()  # arrays in circles of references would stay for many files, up to 300 MiB of them


def volunteer() -> None:
    """Where memory runs out, Linux is to take it from this process, not from the one that watches."""
    score = Path("/proc/self/oom_score_adj")
    if score.exists():
        score.write_text("800")


def forget_peak() -> None:
    """From now on `peak` counts anew; on Linux."""
    refs = Path("/proc/self/clear_refs")
    if refs.exists():
        refs.write_text("5")


def peak() -> dict:
    """The most memory this process took, for the report; on Linux."""
    state = Path("/proc/self/status")
    if not state.exists():
        return {}
    kibibytes = re.search(r"^VmHWM:\s*(\d+)", state.read_text(), re.MULTILINE)
    return {"memory": round(int(kibibytes[1]) / (1 << 20), 3)} if kibibytes else {}
