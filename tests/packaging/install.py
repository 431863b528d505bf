"""Test what ships: install the zips of `make extension` into Blenders and use them there.

    python tests/packaging/install.py [--dist dist] [--briefly] [--blender "/path/to/blender"] ...

Always: the linux zip in this environment's bpy wheel, seeing neither its scipy nor this tree's code, then, unless
--briefly, the tests of the add-on against the installed package. For each --blender (a command, run with -b): the zip
without wheels.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SMOKE = "tests/packaging/smoke.py"
# Ends without the destructors of the wheel's libraries, which can wait for ever (see addon/batch.py, leave).
PYTEST = "import os, sys, pytest; s = pytest.main(sys.argv[1:]); sys.stdout.flush(); os._exit(s)"


def main(arguments: list[str]) -> None:
    """Every installation, each in a folder of its own; ends with status 1 at the first that fails."""
    parser = argparse.ArgumentParser(description="Install the zips into Blenders and use them there.")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--blender", action="append", default=[], help="a Blender that runs on a Python with scipy")
    parser.add_argument("--no-wheel", dest="wheel", action="store_false", help="leave the bpy wheel out")
    parser.add_argument("--briefly", action="store_true", help="without the tests of the add-on")
    options = parser.parse_args(arguments)
    version = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))["version"]
    system, linux = (options.dist / f"geppetto-{version}-{kind}.zip" for kind in ("system_python", "linux_x64"))
    place = ROOT / ".build" / "installed"  # inside the tree: a Blender in a container or chroot sees it too
    place.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=place) as folder:
        for command in options.blender:
            run([*shlex.split(command), "-b", "--factory-startup", "--python-exit-code", "1", "--python", SMOKE, "--",
                 relative(system)], {"BLENDER_USER_RESOURCES": tempfile.mkdtemp(dir=folder)})
            rig_by_command(shlex.split(command), system, Path(tempfile.mkdtemp(dir=folder)))
        if options.wheel:
            test_in_wheel(Path(folder), system, linux, briefly=options.briefly)
    print("all installations work")


def rig_by_command(blender: list[str], zip_file: Path, home: Path) -> None:
    """Installed by Blender's own command, the extension rigs files by its own."""
    place = {"BLENDER_USER_RESOURCES": str(home)}
    sample, out = ROOT / ".build" / "Pip.blend", home / "rigged"
    run([*blender, "--command", "extension", "install-file", "--repo", "user_default", "--enable", relative(zip_file)],
        place)
    run([*blender, "--command", "geppetto", "rig", relative(sample), relative(sample), "--jobs", "2", "--out",
         relative(out)], place)
    made = {path.name for path in out.iterdir() if path.stat().st_size}
    assert made >= {"Pip.blend", "Pip.glb", "Pip.png", "Pip-2.blend", "report.html"}, made
    print("ok: blender --command geppetto rig")


def test_in_wheel(folder: Path, system: Path, linux: Path, *, briefly: bool) -> None:
    """The bpy wheel without scipy: each zip alone, one over the other, then the add-on's tests on what is installed."""
    site = folder / "site"
    site.mkdir()
    library = Path(importlib.util.find_spec("bpy").origin).parents[1]
    for installed in library.iterdir():
        if not installed.name.startswith("scipy"):
            (site / installed.name).symlink_to(installed)
    bare = [sys.executable, "-S"]
    home = {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": str(folder)}
    run([*bare, SMOKE, relative(linux), "--expect-scipy-inside"],
        home | {"BLENDER_USER_RESOURCES": tempfile.mkdtemp(dir=folder)})
    kept = Path(tempfile.mkdtemp(dir=folder))
    run([*bare, SMOKE, relative(system), "--then-over-it", relative(linux), "--expect-scipy-inside", "--keep"],
        home | {"BLENDER_USER_RESOURCES": str(kept)})
    if briefly:
        return
    wheels, = kept.glob("extensions/.local/lib/python*/site-packages")
    installed = home | {"PYTHONPATH": os.pathsep.join([str(site), str(wheels)]),
                        "GEPPETTO_INSTALLED": str(kept / "extensions" / "user_default" / "geppetto")}
    with ThreadPoolExecutor(os.cpu_count()) as pool:  # a process for each file; the longest files first
        files = sorted((ROOT / "tests" / "blender").glob("test_*.py"), key=lambda f: -f.stat().st_size)
        ends = [pool.submit(run, [*bare, "-c", PYTEST, "-p", "no:cacheprovider", "-m", "not slow", relative(f)],
                            installed | {"BLENDER_USER_RESOURCES": tempfile.mkdtemp(dir=folder)}, together=True)
                for f in files]
        for end in ends:
            end.result()


def run(command: list[str], environment: dict[str, str], *, together: bool = False) -> None:
    """Run a program from the project's root; its failure is ours.

    together : what it says is kept until it ends, as others run at the same time

    Blender 4.2 and 4.3 sometimes end with a segmentation fault in their own dependency graph: a program that ends so is
    run again, twice at most, and the last end counts.
    """
    said = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True} if together else {}
    for _ in range(3):
        told = " ".join(["$", *(f"{k}={v}" for k, v in environment.items()), shlex.join(command)])
        if not together:
            print(told, flush=True)
        done = subprocess.run(command, cwd=ROOT, env=os.environ | environment, check=False, **said)
        if together:
            print(told, done.stdout, sep="\n", flush=True)
        if done.returncode != -signal.SIGSEGV:
            break
        print("It ended with a segmentation fault.", flush=True)
    if done.returncode:
        sys.exit(f"failed with status {done.returncode}: {shlex.join(command)}")


def relative(path: Path) -> str:
    """A path as seen from the root, where every program is started."""
    return os.path.relpath(path, ROOT)


if __name__ == "__main__":
    main(sys.argv[1:])
