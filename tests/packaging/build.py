"""Build and validate the extension's zips with Blender's own builder.

    python tests/packaging/build.py [--out dist] [--wheels .build/wheels] [PLATFORM ...]

One zip for each platform, with scipy's wheels for the Pythons that official Blenders bring, and one without wheels
(PLATFORM `system_python`) for Blenders that run on the system's Python. The same source gives the same bits.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = "blender_manifest.toml"
OF_SCIPY = {"license": ["SPDX:BSD-3-Clause"], "copyright": ["2001-2002 Enthought, Inc.", "2003 SciPy Developers"]}
PYTHONS = ("3.11", "3.13")
# Blender's name of a platform -> the oldest system its Blender runs on, as pip names it. macOS on Apple chips starts
# with 11, scipy's wheels with 12.
PLATFORMS = {"linux-x64": "manylinux2014_x86_64", "windows-x64": "win_amd64",
             "macos-x64": "macosx_10_15_x86_64", "macos-arm64": "macosx_12_0_arm64"}
WITHOUT_WHEELS = "system_python"
NEVER_COPIED = {"out", "dist", "__pycache__"}


def main(arguments: list[str]) -> None:
    """Build what is asked for, or everything, and say what was made."""
    parser = argparse.ArgumentParser(description="Build the extension's zips.")
    parser.add_argument("platforms", nargs="*", metavar="PLATFORM",
                        help=f"of {', '.join((*PLATFORMS, WITHOUT_WHEELS))} (default: all)")
    parser.add_argument("--out", type=Path, default=ROOT / "dist")
    parser.add_argument("--wheels", type=Path, default=ROOT / ".build" / "wheels", help="where downloads are kept")
    options = parser.parse_args(arguments)
    for platform in options.platforms or (*PLATFORMS, WITHOUT_WHEELS):
        if platform == WITHOUT_WHEELS:
            made = build(options.out)
        elif platform in PLATFORMS:
            made = build(options.out, platform, download(platform, options.wheels))
        else:
            parser.error(f"there is no platform {platform!r}")
        print(f"{made}  {made.stat().st_size / 1e6:.1f} MB")


def download(platform: str, folder: Path) -> list[Path]:
    """The platform's wheels, from the package index or an earlier download; pip compares their hashes either way."""
    wheels = []
    for python in PYTHONS:
        place = folder / platform / python
        subprocess.run([sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps",
                        "--only-binary=:all:", "--platform", PLATFORMS[platform], "--implementation", "cp",
                        "--python-version", python, "--dest", str(place), "--require-hashes",
                        "--requirement", str(Path(__file__).with_name("wheels.txt"))], check=True)
        wheel, = place.glob("*.whl")
        wheels.append(wheel)
    return wheels


def build(out: Path, platform: str = "", wheels=(), *, source: Path = ROOT) -> Path:
    """Make one zip in `out` and have Blender's validator look at it.  Returns its path.

    platform : Blender's name; empty for the zip without wheels
    """
    version = tomllib.loads((source / MANIFEST).read_text(encoding="utf-8"))["version"]
    suffix = platform.replace("-", "_") or WITHOUT_WHEELS
    out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=out, prefix=".building-") as folder:
        tree = Path(folder) / "source"
        stage(source, tree, platform, wheels)
        raw = Path(folder) / "raw.zip"
        split = ["--split-platforms"] if platform else []
        blender_ext("build", *split, "--source-dir", str(tree), "--output-filepath", str(raw))
        if platform:
            raw = raw.with_name(f"raw-{suffix}.zip")
        ready = Path(folder) / f"geppetto-{version}-{suffix}.zip"
        repack(raw, ready)
        blender_ext("validate", str(ready))
        made = out / ready.name
        ready.replace(made)
    return made


def stage(source: Path, tree: Path, platform: str, wheels) -> None:
    """Copy the source, with the wheels and a manifest that names them; its [build] table leaves the rest out.

    The source's manifest names no wheels: a source tree linked into Blender must not ask for what is not there.
    """
    def ignored(folder: str, names: list[str]) -> set[str]:
        return {n for n in names if n in NEVER_COPIED or (Path(folder) == source and n.startswith("."))}

    shutil.copytree(source, tree, ignore=ignored)
    if platform:
        (tree / "wheels").mkdir()
        for wheel in wheels:
            shutil.copyfile(wheel, tree / "wheels" / wheel.name)
        names = [f"./wheels/{wheel.name}" for wheel in sorted(wheels)]
        text = (source / MANIFEST).read_text(encoding="utf-8")
        for key, more in OF_SCIPY.items():
            text = re.sub(rf'^({key} = \[.*)\]$', rf"\1, {_toml(more)[1:-1]}]", text, flags=re.MULTILINE)
        lines = f"platforms = {_toml([platform])}\nwheels = {_toml(names)}\n\n"
        first_table = re.search(r"^\[", text, re.MULTILINE).start()
        (tree / MANIFEST).write_text(text[:first_table] + lines + text[first_table:], encoding="utf-8", newline="\n")


def repack(raw: Path, ready: Path) -> None:
    """The same files in a zip whose bits depend on nothing else: sorted, one date, one mode, not compressed.

    Different versions of zlib make different bits, and next to the wheels, which do not shrink, the rest is small.
    """
    with zipfile.ZipFile(raw) as source, zipfile.ZipFile(ready, "w", zipfile.ZIP_STORED) as target:
        for name in sorted(source.namelist()):
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.create_system, entry.external_attr = 3, 0o100644 << 16
            target.writestr(entry, source.read(name))


def blender_ext(command: str, *arguments: str) -> None:
    """Run a command of Blender's extension builder, of the installed bpy wheel; its word is shown if it objects."""
    home = Path(importlib.util.find_spec("bpy").origin).parent
    program, = home.glob("*/scripts/addons_core/bl_pkg/cli/blender_ext.py")
    tags, = home.glob("*/scripts/modules/_bpy_internal/extensions/tags.py")
    done = subprocess.run([sys.executable, str(program), command, "--valid-tags", str(tags), *arguments],
                          capture_output=True, text=True, check=False, env={**os.environ, "PYTHONUTF8": "1"})
    if done.returncode or "error" in done.stdout.lower():
        sys.exit(f"Blender's builder refuses to {command}:\n{done.stdout}{done.stderr}")


def _toml(strings: list[str]) -> str:
    return "[{}]".format(", ".join(f'"{s}"' for s in strings))


if __name__ == "__main__":
    main(sys.argv[1:])
