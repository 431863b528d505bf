"""Rig files without a window.

    blender -b --python addon/batch.py -- FILES --out DIR --preset biped
    python addon/batch.py FILES --out DIR --preset biped          (with the bpy wheel)

Each file is one character, whatever number of objects it has. DIR receives <name>.blend, .glb and .png for each, and
report.json for all. The exit status is 0 if every file was rigged, 1 if some were not, 2 if nothing could be started.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import logging
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
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

import bpy

from ..core.errors import RigError
from ..core.motion.choose import check_motion_name
from ..core.motion.clip_file import motion_names
from ..core.picture.png import encode_png
from ..core.skeleton.preset import load_template, preset_names
from .bridge.files import READERS, SUFFIX, WRITERS, BadFile, Outputs, lost_in_glb, open_file
from .journal import Journal
from .moving import move
from .portrait import portrait
from .preview import motion_strip
from .report import describe, report_json
from .rigging import auto_rig

# One file's fault must not cost the others theirs. RigError is about the file; these are faults of the program or the
# machine, and are reported as such with their traceback.
FAULTS = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError)


def main(arguments: list[str], *, isolate: bool = True) -> int:
    """Rig every file named.  Returns the exit status.

    isolate : do the work in another process, so that a file that crashes Blender is an entry in the report
    """
    options = parse(arguments)
    try:
        template = load_template(options.preset)
        if options.motion and not Path(options.motion).suffix:
            check_motion_name(options.motion)
        make_folder(Path(options.out))
        if options.journal:
            work(options, template, Journal(Path(options.journal)))
            return 0
        with tempfile.TemporaryDirectory(prefix="geppetto-") as folder:
            journal = Journal(Path(folder) / "journal")
            if isolate:
                supervise(options, journal, worker_command([*arguments, "--journal", str(journal.path)]))
            else:
                work(options, template, journal)
            entries, _ = journal.read()
        write_report(options, entries)
    except RigError as error:  # about the run as a whole: the preset, the folder, the report
        print(f"geppetto: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("geppetto: interrupted; report.json holds what was done", file=sys.stderr)
        return 130
    failed = sum(entry["status"] != "rigged" for entry in entries.values())
    print(f"{len(entries) - failed} of {len(entries)} rigged, report in {Path(options.out) / 'report.json'}")
    return 1 if failed else 0


def supervise(options, journal: Journal, command: list[str]) -> None:
    """Let another process do the work, and after a crash one more: damaged files can crash Blender's importers."""
    entries: dict[int, dict] = {}
    while len(entries) < len(options.files):
        status = subprocess.run(command, check=False).returncode
        entries, begun = journal.read()
        if begun is None and len(entries) < len(options.files):
            raise BadFile(f"The program stopped before its work was done (exit status {status}). See above for why.")
        if begun is not None:
            path = options.files[begun]
            entries[begun] = {"file": path, "status": "failed", "preset": options.preset, "kind": "Crash",
                              "error": f"'{path}' crashed Blender (exit status {status}). It is probably damaged: "
                                       "export it again, or convert it to .glb."}
            journal.end(begun, entries[begun])
            Progress(f"[{begun + 1}/{len(options.files)}] {Path(path).name}").done(f"failed: {entries[begun]['error']}")


def work(options, template, journal: Journal) -> None:
    """Rig the files the journal does not know yet."""
    logging.disable(logging.INFO)  # the glTF exporter tells of every mesh and would bury the progress
    files = [Path(f) for f in options.files]
    stems = output_names(files, Path(options.out), options.format)
    entries, _ = journal.read()
    for number in sorted(set(range(len(files))) - set(entries)):
        journal.begin(number)
        progress = Progress(f"[{number + 1}/{len(files)}] {files[number].name}")
        entries[number] = attempt(files[number], Path(options.out) / stems[number], template, options, progress)
        journal.end(number, entries[number])
        write_report(options, entries)  # after each file: an interrupted run still tells what it did


def worker_command(arguments: list[str]) -> list[str]:
    """How to start this program again, the way it was started."""
    if not bpy.app.binary_path:  # the bpy wheel
        return [sys.executable, __file__, *arguments]
    own = sys.argv[1:sys.argv.index("--")] if "--" in sys.argv else ["--background", "--python", __file__]
    return [bpy.app.binary_path, *own, "--", *arguments]


def write_report(options, entries: dict[int, dict]) -> None:
    """Write report.json.  Raises BadFile."""
    with Outputs() as outputs:
        outputs.data(Path(options.out) / "report.json", report_json([entries[n] for n in sorted(entries)]))


def attempt(path: Path, target: Path, template, options, progress: Progress) -> dict:
    """Rig one file.  Returns its entry in the report, whatever happened."""
    entry = {"file": str(path), "status": "failed", "preset": options.preset}
    try:
        entry |= rig_file(path, target, template, options, progress) | {"status": "rigged"}
        progress.done(f"rigged: {entry['bones']} bones, {entry['vertices']} vertices, {entry['method']} weights, "
                      f"{sum(entry['seconds'].values()):.1f} s")
        for warning in entry["warnings"]:
            progress.done(f"warning: {warning}")
    except RigError as error:
        message = str(error) if str(path) in str(error) else f"'{path}': {error}"
        entry |= {"error": message, "kind": type(error).__name__}
    except FAULTS as error:
        entry |= {"error": f"'{path}': a fault in Geppetto ({type(error).__name__}: {error}). Please report it with "
                           "the file.", "kind": type(error).__name__, "traceback": traceback.format_exc()}
    if "error" in entry:
        progress.done(f"failed: {entry['error']}")
    return entry


def rig_file(path: Path, target: Path, template, options, progress: Progress) -> dict:
    """Rig one file and write its results, all or none.  Returns what the report says of it.  Raises RigError."""
    seconds = {}
    clock = time.perf_counter()

    def lap(stage: str) -> None:
        nonlocal clock
        seconds[stage], clock = time.perf_counter() - clock, time.perf_counter()

    progress("Opening", 0.0)
    open_file(path)
    lap("Opening")
    rigged = auto_rig(bpy.context, bpy.context.scene.objects, template, method=options.method, name=path.stem,
                      tell=progress)
    seconds |= rigged.seconds
    clock = time.perf_counter()
    with Outputs() as outputs:
        if options.picture:
            progress("Drawing", 0.97)
            outputs.data(with_suffix(target, ".png"), encode_png(portrait(bpy.context, rigged)))
            lap("Drawing")
        moved = None
        if options.motion:
            progress("Moving", 0.975)
            if not bpy.data.actions:  # then nothing is at the scene's rate yet: whole frames make a loop without a seam
                bpy.context.scene.render.fps, bpy.context.scene.render.fps_base = 30, 1.0
            moved = move(bpy.context, rigged.armature, options.motion)
            bpy.context.scene.frame_start, bpy.context.scene.frame_end = (
                round(moved.action.frame_start), round(moved.action.frame_end))
            if options.picture:
                strip = motion_strip(bpy.context, rigged, moved)
                outputs.data(with_suffix(target, f"-{Path(options.motion).stem}.png"), encode_png(strip))
            lap("Moving")
        progress("Writing the files", 0.98)
        for kind in options.format:
            outputs.scene(kind, with_suffix(target, SUFFIX[kind]))
    lap("Writing the files")
    warnings = [*rigged.warnings, *([lost_in_glb()] if "glb" in options.format and lost_in_glb() else [])]
    motion = {"motion": {"name": moved.clip.name, "frames": len(moved.clip.root), "rate": moved.clip.rate,
                         "bones": moved.known}} if moved else {}
    return describe(rigged) | motion | {"seconds": seconds, "written": outputs.names, "warnings": warnings}


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line; ends the program with status 2 and a message if it makes no sense."""
    parser = argparse.ArgumentParser(prog="geppetto", description="Rig characters: a mesh in, bones and weights out.")
    parser.add_argument("files", nargs="+", metavar="FILE", help=f"a character: {' '.join(sorted(READERS))}")
    parser.add_argument("--out", default="out", help="folder for the results, made if missing (default: out)")
    parser.add_argument("--preset", default="biped",
                        help=f"{', '.join(preset_names())}, or a template's .json file (default: biped)")
    parser.add_argument("--method", default="auto", choices=["auto", "heat", "geodesic"], help="how weights are made")
    parser.add_argument(
        "--motion",
        help=f"let the character move: {', '.join(motion_names())}, or a .json, .bvh, .fbx, .glb "
        "file; the animation is in the files written, a strip of pictures beside them",
    )
    parser.add_argument("--format", default="blend,glb", type=_formats, metavar="LIST",
                        help=f"what to write, of {','.join(WRITERS)} (default: blend,glb)")
    parser.add_argument("--journal", help=argparse.SUPPRESS)  # makes this process the one that does the work
    parser.add_argument("--no-picture", dest="picture", action="store_false", help="leave out the .png")
    return parser.parse_args(arguments)


def make_folder(out: Path) -> None:
    """Make the folder for results.  Raises BadFile if it cannot be made or written to."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadFile(f"The folder '{out}' cannot be made: {error.strerror}. Choose another with --out.") from error
    if not os.access(out, os.W_OK | os.X_OK):
        raise BadFile(f"The folder '{out}' cannot be written to. Choose another with --out.")


def output_names(files: list[Path], out: Path, formats) -> list[str]:
    """A name for each file's results: its own, numbered where two are alike or an input would be overwritten."""
    inputs = {path.resolve() for path in files}
    names: list[str] = []
    for path in files:
        stem, number = path.stem, 1
        while (stem.lower() in {name.lower() for name in names}
               or any(with_suffix(out / stem, SUFFIX[kind]).resolve() in inputs for kind in formats)):
            number += 1
            stem = f"{path.stem}-{number}"
        names.append(stem)
    return names


def with_suffix(path: Path, suffix: str) -> Path:
    """The path with a suffix added; a dot in its name does not make the rest a suffix."""
    return path.with_name(path.name + suffix)


class Progress:
    """Tells on one line of a terminal, or line by line elsewhere, how far a file is."""

    def __init__(self, title: str):
        self._title = title
        self._live = sys.stdout.isatty()
        self._stage = ""

    def __call__(self, stage: str, fraction: float) -> None:
        if self._live:
            print(f"\r\033[K{self._title}  {fraction:4.0%}  {stage}", end="", flush=True)
        elif stage != self._stage:
            print(f"{self._title}  {fraction:4.0%}  {stage}", flush=True)
        self._stage = stage

    def done(self, message: str) -> None:
        """Close the line with a result that stays."""
        start = "\r\033[K" if self._live else ""
        print(f"{start}{self._title}  {message}", flush=True)


def _formats(text: str) -> list[str]:
    kinds = list(dict.fromkeys(kind.strip().lower() for kind in text.split(",") if kind.strip()))
    unknown = [kind for kind in kinds if kind not in WRITERS]
    if unknown or not kinds:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of {','.join(WRITERS)}")
    return kinds


def leave(status: int) -> None:
    """End the program; with the bpy wheel, without the destructors of its libraries.

    One of them waits for a thread that is still waiting, for ever, where scipy 1.15 was loaded beside bpy 4.5.
    """
    if bpy.app.binary_path:
        sys.exit(status)
    shutil.rmtree(bpy.app.tempdir)  # as Blender does when it ends
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(status)


if __name__ == "__main__":
    # Blender leaves its own arguments before "--"; its scripts see all of them.
    leave(main(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else sys.argv[1:]))
