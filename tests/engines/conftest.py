"""What others make of our files. A tool that is not there is told at the end, and its checks are left out.

    assimp           assimp-utils                         of Debian
    Godot 4          godot, or GODOT=command              of Debian sid; godotengine.org
    glTF's own       npm install gltf-validator           into TOOLS, see the Makefile
    three-vrm        npm install @pixiv/three-vrm three esbuild; and chromium
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.characters.dressed import dressed
from tests.characters.folder import write_character

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TOOLS = Path(os.environ.get("TOOLS", ROOT / ".build" / "engines"))
ENGINES = "unreal,unity,godot,vrm,roblox,mixamo,second-life"
absent: set[str] = set()


def need(name: str, *, command: str = "", package: str = "") -> None:
    """Leave the test out where a tool is missing, and remember which."""
    is_there = (not command or shutil.which(command) is not None) and (
        not package or (TOOLS / "node_modules" / package).is_dir())
    if not is_there:
        absent.add(name)
        pytest.skip(f"{name} is not installed here")


def godot() -> list[str]:
    """The command that starts Godot 4."""
    command = shlex.split(os.environ.get("GODOT", "godot"))
    if shutil.which(command[0]) is None:
        absent.add("Godot 4")
        pytest.skip("Godot 4 is not installed here")
    return command


def pytest_terminal_summary(terminalreporter) -> None:
    """Say which parties were not asked."""
    missing = ", ".join(sorted(absent))
    terminalreporter.write_line(f"not asked, not installed: {missing}" if absent else "all were asked")


@pytest.fixture(scope="session")
def files() -> Path:
    """The sample character walking, for every engine; a folder below the project that Godot may also see."""
    return _written(ROOT / ".build" / "Pip.blend", "files", ENGINES)


@pytest.fixture(scope="session")
def full(tmp_path_factory) -> Path:
    """A person with fingers, twist bones, a cape, a braid, a sword and a pack, without materials, walking."""
    worn = dressed("cape", "sword", "braid", "pack", vertices=5000, digits=5)
    made = write_character(tmp_path_factory.mktemp("dressed"), worn, set_name="people", name="dressed")
    return _written(made / "mesh.obj", "full", "unreal,unity,godot,vrm", "--detail", "full")


def _written(source: Path, name: str, engines: str, *more: str) -> Path:
    out = ROOT / ".build" / "engines" / name
    shutil.rmtree(out, ignore_errors=True)
    subprocess.run([sys.executable, str(ROOT / "addon" / "batch.py"), str(source), "--out", str(out), "--motion",
                    "walk", "--no-picture", "--format", "glb", "--for", engines, *more], check=True)
    return out
