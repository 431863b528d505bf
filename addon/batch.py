"""Rig files without a window.

    blender -b --python addon/batch.py -- FILES --out DIR --preset biped
    python addon/batch.py FILES --out DIR --preset biped          (with the bpy wheel)

Each file is one character, whatever number of objects it has. DIR receives <name>.blend, .glb and .png for each, and
report.json for all. The exit status is 0 if every file was rigged, 1 if some were not, 2 if nothing could be started.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import sys
import time
import traceback
from pathlib import Path

if not __package__:  # started as a program: become part of the package, as the extension is when installed
    _root = Path(__file__).resolve().parents[1]
    _spec = importlib.util.spec_from_file_location("geppetto", _root / "__init__.py",
                                                   submodule_search_locations=[str(_root)])
    if "geppetto" not in sys.modules:
        sys.modules["geppetto"] = importlib.util.module_from_spec(_spec)
    __package__ = "geppetto.addon"
    import geppetto.addon  # noqa: F401 - the parent must be loaded before a relative import

import bpy
import numpy as np

from ..core.errors import RigError
from ..core.picture.png import encode_png
from ..core.skeleton.preset import load_template, preset_names
from .bridge.files import READERS, SUFFIX, WRITERS, BadFile, Outputs, lost_in_glb, open_file
from .portrait import portrait
from .rigging import Rigged, auto_rig

# One file's fault must not cost the others theirs. RigError is about the file; these are faults of the program or the
# machine, and are reported as such with their traceback.
FAULTS = (ArithmeticError, AttributeError, LookupError, MemoryError, OSError, RuntimeError, TypeError, ValueError)


def main(arguments: list[str]) -> int:
    """Rig every file named.  Returns the exit status."""
    options = parse(arguments)
    out = Path(options.out)
    try:
        template = load_template(options.preset)
        make_folder(out)
    except RigError as error:
        print(f"geppetto: {error}", file=sys.stderr)
        return 2
    files = [Path(f) for f in options.files]
    entries: list[dict] = []
    for number, (path, stem) in enumerate(zip(files, output_names(files, out, options.format), strict=True), 1):
        progress = Progress(f"[{number}/{len(files)}] {path.name}")
        entry = {"file": str(path), "status": "failed", "preset": options.preset}
        try:
            entry |= rig_file(path, out / stem, template, options, progress) | {"status": "rigged"}
            progress.done(f"rigged: {entry['bones']} bones, {entry['vertices']} vertices, weights by {entry['method']}, "
                          f"{sum(entry['seconds'].values()):.1f} s")
            for warning in entry["warnings"]:
                progress.done(f"warning: {warning}")
        except RigError as error:
            message = str(error) if str(path) in str(error) else f"'{path}': {error}"
            entry |= {"error": message, "kind": type(error).__name__}
            progress.done(f"failed: {message}")
        except FAULTS as error:
            traceback.print_exc()
            message = f"'{path}': a fault in Geppetto ({type(error).__name__}: {error}). Please report it with the file."
            entry |= {"error": message, "kind": type(error).__name__, "traceback": traceback.format_exc()}
            progress.done(f"failed: {message}")
        entries.append(entry)
        with Outputs() as outputs:  # after each file: an interrupted run still tells what it did
            outputs.data(out / "report.json", report_json(entries))
    failed = sum(e["status"] != "rigged" for e in entries)
    print(f"{len(entries) - failed} of {len(entries)} rigged, report in {out / 'report.json'}")
    return 1 if failed else 0


def parse(arguments: list[str]) -> argparse.Namespace:
    """The command line; ends the program with status 2 and a message if it makes no sense."""
    parser = argparse.ArgumentParser(prog="geppetto", description="Rig characters: a mesh in, bones and weights out.")
    parser.add_argument("files", nargs="+", metavar="FILE", help=f"a character: {' '.join(sorted(READERS))}")
    parser.add_argument("--out", default="out", help="folder for the results, made if missing (default: out)")
    parser.add_argument("--preset", default="biped",
                        help=f"{', '.join(preset_names())}, or a template's .json file (default: biped)")
    parser.add_argument("--method", default="auto", choices=["auto", "heat", "geodesic"], help="how weights are made")
    parser.add_argument("--format", default="blend,glb", type=_formats, metavar="LIST",
                        help=f"what to write, of {','.join(WRITERS)} (default: blend,glb)")
    parser.add_argument("--no-picture", dest="picture", action="store_false", help="leave out the .png")
    return parser.parse_args(arguments)


def rig_file(path: Path, target: Path, template, options, progress: Progress) -> dict:
    """Rig one file and write its results.  Returns its entry in the report.  Raises RigError."""
    clock = time.perf_counter()
    progress("Opening", 0.0)
    open_file(path)
    opening = time.perf_counter() - clock
    rigged = auto_rig(bpy.context, bpy.context.scene.objects, template, method=options.method, name=path.stem,
                      tell=progress)
    warnings = list(rigged.warnings)
    clock = time.perf_counter()
    written = []
    with Outputs() as outputs:
        if options.picture:
            progress("Drawing", 0.97)
            outputs.data(_with_suffix(target, ".png"), encode_png(portrait(bpy.context, rigged)))
            written.append(_with_suffix(target, ".png").name)
        drawing = time.perf_counter() - clock
        clock = time.perf_counter()
        progress("Writing the files", 0.98)
        for kind in options.format:
            outputs.scene(kind, _with_suffix(target, SUFFIX[kind]))
            written.append(_with_suffix(target, SUFFIX[kind]).name)
    if "glb" in options.format and lost_in_glb():
        warnings.append(lost_in_glb())
    seconds = {"Opening": opening, **rigged.seconds, "Drawing": drawing, "Writing the files": time.perf_counter() - clock}
    return describe(rigged) | {"seconds": seconds, "written": written, "warnings": warnings}


def describe(rigged: Rigged) -> dict:
    """What report.json says of a rigged character."""
    matrix = rigged.weights.matrix
    total = np.asarray(matrix.sum(1)).ravel()
    return {
        "joints": {name: [float(x) for x in place] for name, place in rigged.rig.joints.items()},
        "bones": len(rigged.rig.names),
        "vertices": len(rigged.character.mesh.vertices),
        "faces": len(rigged.character.mesh.faces),
        "parts": len(rigged.character.parts),
        "method": rigged.weights.method,
        "reason": rigged.weights.reason,
        "influences": int(np.diff(matrix.indptr).max(initial=0)),
        "bare_vertices": int((total <= 0).sum()),
        "penalty": {name: float(value) for name, value in rigged.rig.penalty.items()},
        "binding": {name: float(value) for name, value in rigged.weights.report.items()},
    }


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
        while (stem.lower() in {n.lower() for n in names}
               or any(_with_suffix(out / stem, SUFFIX[kind]).resolve() in inputs for kind in formats)):
            number += 1
            stem = f"{path.stem}-{number}"
        names.append(stem)
    return names


def report_json(entries: list[dict]) -> bytes:
    """The report as JSON. The fields are described in README.md."""
    report = {"version": 1, "blender": bpy.app.version_string, "files": entries}
    return json.dumps(report, indent=1, ensure_ascii=False, allow_nan=False).encode() + b"\n"


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


def _with_suffix(path: Path, suffix: str) -> Path:
    return path.with_name(path.name + suffix)


def _formats(text: str) -> list[str]:
    kinds = [kind.strip().lower() for kind in text.split(",") if kind.strip()]
    unknown = [kind for kind in kinds if kind not in WRITERS]
    if unknown or not kinds:
        raise argparse.ArgumentTypeError(f"{text!r} is not a list of {','.join(WRITERS)}")
    return kinds


if __name__ == "__main__":
    # Blender leaves its own arguments before "--"; its scripts see all of them.
    sys.exit(main(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else sys.argv[1:]))
