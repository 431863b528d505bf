"""Rig files without a window.

    blender -b --python addon/batch.py -- FILES --out DIR
    python addon/batch.py FILES --out DIR          (with the bpy wheel)

Each file is one character, whatever number of objects it has. DIR receives <name>.blend, .glb and .png for each, and
report.json for all. The exit status is 0 if every file was rigged, 1 if some were not, 2 if nothing could be started,
130 if it was interrupted. How it works: addon/batching/__init__.py.
"""

from __future__ import annotations

import importlib
import importlib.util
import os
import shutil
import signal
import sys
import tempfile
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path

if not __package__:  # started as a program: become part of the package, as the extension is when installed
    for _module, _remedy in (("bpy", "run `blender -b --python addon/batch.py -- FILES`, or install the bpy wheel"),
                             ("scipy", "install scipy into the Python that Blender runs on")):
        if importlib.util.find_spec(_module) is None:
            sys.exit(f"geppetto: this Python has no {_module}: {_remedy}. `make rig` does it all.")
    _root = Path(__file__).resolve().parents[1]
    _spec = importlib.util.spec_from_file_location("geppetto", _root / "__init__.py",
                                                   submodule_search_locations=[str(_root)])
    sys.modules["geppetto"] = importlib.util.module_from_spec(_spec)
    __package__ = importlib.import_module("geppetto.addon").__name__

from ..core.errors import RigError
from ..core.motion.choose import check_motion_name
from .batching.inputs import jobs_of
from .batching.ledger import Ledger
from .batching.options import RigOptions, RunOptions, parse
from .batching.progress import Progress
from .batching.report import write_report
from .batching.running import Inline, run_jobs
from .batching.workers import Pool
from .choices import template_for
from .whole import make_folder


def main(arguments: list[str], *, isolate: bool = True) -> int:
    """Rig every file named.  Returns the exit status.

    isolate : do the work in other processes, so that a file that crashes Blender is an entry in the report
    """
    if arguments[:1] == ["--child"]:
        from .batching.child import work

        work()
        return 0
    try:
        with interruptible():
            return run(*parse(arguments), isolate)
    except RigError as error:  # about the run as a whole: the preset, the folder, the report
        print(f"geppetto: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("geppetto: interrupted; report.json holds what was done", file=sys.stderr)
        return 130


def run(rig: RigOptions, options: RunOptions, isolate: bool) -> int:
    """Rig the files and report.  Returns the exit status.  Raises RigError if the run as a whole cannot be."""
    template_for(rig.preset)
    if rig.motion and not Path(rig.motion).suffix:
        check_motion_name(rig.motion)
    out = Path(options.out)
    make_folder(out)
    ledger = Ledger(out)
    jobs = jobs_of(options.files, out, rig.format, ledger.owner)
    progress = Progress(len(jobs))
    statuses: dict[int, str] = {}

    def report() -> float:
        since = time.monotonic()
        records = (ledger.read(jobs[number].target) for number in sorted(statuses))
        write_report(out, (record["entry"] for record in records if record), workers.blender)
        return time.monotonic() + 20 * (time.monotonic() - since)  # not more than a twentieth of the time

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="geppetto-")))
        workers = stack.enter_context(Pool(rig, options, folder)) if isolate else Inline(rig, out)
        stack.callback(report)
        stack.callback(progress.end)
        due = 0.0
        for finished in run_jobs(jobs, workers, ledger):
            for job, entry in finished:
                statuses[job.number] = entry["status"]
                progress.done(Path(job.path).name, entry)
            if finished and time.monotonic() > due:
                due = report()
            progress.tick([(Path(child.job.path).name, child.stage[0]) for child in workers.working])
    rigged = sum(status == "rigged" for status in statuses.values())
    print(f"{rigged} of {len(jobs)} rigged, report in {out / 'report.json'}")
    return 0 if rigged == len(jobs) else 1


@contextmanager
def interruptible():
    """Inside, Ctrl-C and a request to end raise KeyboardInterrupt; Blender's Python would not notice them."""
    signals = [signal.SIGINT, signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    before = {number: signal.signal(number, _interrupt) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _interrupt(number, frame) -> None:
    raise KeyboardInterrupt


def leave(status: int) -> None:
    """End the program; with the bpy wheel, without the destructors of its libraries.

    One of them waits for a thread that is still waiting, for ever, where scipy 1.15 was loaded beside bpy 4.5.
    """
    bpy = sys.modules.get("bpy")
    if bpy is None or bpy.app.binary_path:
        sys.exit(status)
    shutil.rmtree(bpy.app.tempdir)  # as Blender does when it ends
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    # Blender leaves its own arguments before "--"; its scripts see all of them.
    leave(main(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else sys.argv[1:]))
