"""Rig files without a window.

    blender -b --python addon/batch.py -- FILES --out DIR
    python addon/batch.py FILES --out DIR          (with the bpy wheel)
    blender --command geppetto rig FILES --out DIR          (with the extension installed)

Each file is one character, whatever number of objects it has. DIR receives <name>.blend, .glb and .png for each, and
report.html, .json and .csv for all. The exit status is 0 if every file was rigged, 1 if some were not, 2 if the run
could not begin or go on, 130 if it was interrupted. How it works: addon/batching/__init__.py.
"""

from __future__ import annotations

import importlib
import importlib.util
import io
import os
import shutil
import signal
import sys
import tempfile
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

if not __package__:  # started as a program: become part of the package, as the extension is when installed
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # while it loads: imports may swallow a KeyboardInterrupt
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
from .batching.contents import settings_key
from .batching.inputs import find_files, jobs_of
from .batching.ledger import Ledger, is_result
from .batching.motion_names import check_motion
from .batching.options import RigOptions, RunOptions, engine_suffix, parse
from .batching.progress import Progress, say, shown
from .batching.report import Report
from .batching.running import Inline, run_jobs
from .batching.workers import Pool
from .formats import BadFile
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
            if arguments[:1] == ["--part"]:
                from .batching.cluster import part

                return part()
            return run(*parse(arguments), isolate)
    except RigError as error:  # about the run as a whole: the preset, the folder, the report
        print(f"geppetto: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("geppetto: interrupted; the report holds what was done", file=sys.stderr)
        return 130


def run(rig: RigOptions, options: RunOptions, isolate: bool) -> int:
    """Rig the files and report.  Returns the exit status.  Raises RigError if the run as a whole cannot be."""
    if rig.preset != "auto":
        from ..core.fitting.from_shape import check_preset  # with all that finds bodies, which takes half a second

        check_preset(rig.preset)
    for motion in rig.motion:
        check_motion(motion)
    out = Path(options.out)
    files = find_files(options.files, options.out, recursive=options.recursive, base=options.base,
                       is_result=partial(is_result, out))
    make_folder(out)
    with ExitStack() as stack:
        ledger = stack.enter_context(Ledger(out, settings_key(rig)))
        jobs = jobs_of(files, out, (*rig.format, *map(engine_suffix, rig.for_)), ledger.owner)
        workers, work = _workers(rig, options, ledger, stack, isolate)
        report = stack.enter_context(Report(out, ledger))
        progress = stack.enter_context(Progress(len(jobs), quiet=options.quiet))
        for finished in work(jobs, resume=options.resume):
            for one in finished:
                report.add(one.job, one.entry)
                progress.done(one.job.name, one.entry, worked=one.worked)
            report.keep_up(workers.blender)
            progress.tick([(child.job.name, child.stage) for child in workers.working])
    say(shown(f"{report.rigged} of {len(jobs)} rigged, report in {report.place.with_suffix('.html')}"))
    return 0 if report.rigged == len(jobs) else 1


def _workers(rig: RigOptions, options: RunOptions, ledger: Ledger, stack: ExitStack, isolate: bool):
    """(who rigs the files, function of jobs that has them rigged)."""
    if options.scheduler:
        if not (Path(__file__).parent / "batching" / "cluster.py").exists():  # extensions may not use the network
            raise BadFile("The extension does not work over the network: for --scheduler, start addon/batch.py of "
                          "Geppetto's sources.")
        from .batching.cluster import Cluster

        cluster = stack.enter_context(Cluster(rig, options, ledger))
        return cluster, cluster.run_jobs
    if isolate:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="geppetto-")))
        pool = stack.enter_context(Pool(rig, options, folder))
        return pool, partial(run_jobs, workers=pool, ledger=ledger)
    inline = Inline(rig, ledger.out)
    return inline, partial(run_jobs, workers=inline, ledger=ledger)


@contextmanager
def interruptible():
    """Inside, Ctrl-C and a request to end raise KeyboardInterrupt; Blender's Python would not notice them.

    So does the end of the terminal, unless that is ignored already, as after `nohup`.
    """
    signals = [signal.SIGINT, signal.SIGTERM]
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is not signal.SIG_IGN:
        signals.append(signal.SIGHUP)
    before = {number: signal.signal(number, _interrupt) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)


def _interrupt(number, frame) -> None:
    signal.signal(number, signal.SIG_IGN)  # once is enough: what follows is clearing up
    raise KeyboardInterrupt


def leave(status: int) -> None:
    """End the program; with the bpy wheel, without the destructors of its libraries.

    One of them waits for a thread that is still waiting, for ever, where scipy 1.15 was loaded beside bpy 4.5.
    """
    bpy = sys.modules.get("bpy")
    if bpy is None or bpy.app.binary_path:
        sys.exit(status)
    shutil.rmtree(bpy.app.tempdir, ignore_errors=True)  # as Blender does when it ends; Windows keeps what is in use
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    sys.stdout = sys.stdout or io.StringIO()  # where it was closed there is none
    sys.stderr = sys.stderr or sys.stdout
    # Blender leaves its own arguments before "--"; its scripts see all of them.
    leave(main(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else sys.argv[1:]))
