"""Runs of the program as people start it, and what must hold after every one of them."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

from core.geometry.mesh import Mesh
from tests.conftest import PACKAGE

PROGRAM = PACKAGE / "addon" / "batch.py"
QUICK = ("--no-picture", "--format", "glb", "--preset", "biped")
PATIENCE = 600  # seconds after which a run counts as hanging


def command(*arguments) -> list[str]:
    """The program's command line."""
    return [sys.executable, str(PROGRAM), *map(str, arguments)]


def run(*arguments, before: tuple = (), patience: float = PATIENCE, **more) -> subprocess.CompletedProcess:
    """Run it to its end.  before : words in front of the command line"""
    return subprocess.run([*before, *command(*arguments)], capture_output=True, text=True, errors="replace",
                          check=False, timeout=patience, **more)


def entries(out: Path) -> list[dict]:
    """What report.json says of each file; every failure has a kind and a sentence."""
    files = json.loads((out / "report.json").read_text(encoding="utf-8"))["files"]
    for entry in files:
        if entry["status"] == "failed":
            assert entry["kind"] and len(entry["error"]) > 20, entry
            assert "traceback" not in entry, entry
        else:
            assert entry["status"] == "rigged" and entry["bare_vertices"] == 0, entry
            assert np.isfinite(np.array(list(entry["joints"].values()))).all()
    return files


def digest(folder: Path) -> dict[str, str]:
    """The contents of every file in a folder."""
    return {str(p): hashlib.sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


def left_behind(out: Path) -> list[str]:
    """What must not be there when nothing runs any more."""
    return [str(p) for p in out.rglob(".geppetto-*")] + [str(p) for p in (out / ".geppetto" / "begun").glob("*")]


def children_in(folder: Path) -> list[int]:
    """Processes that work for a run started in a folder."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes().split(b"\0")
            if b"--child" in words and os.path.realpath(line.parent / "cwd") == str(folder):
                found.append(int(line.parent.name))
        except OSError:  # it ended meanwhile
            continue
    return found


def write_obj(path: Path, mesh: Mesh) -> Path:
    """A mesh as a file, Y up as the format has it."""
    lines = [f"v {x!r} {z!r} {-y!r}" for x, y, z in mesh.vertices.tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in mesh.faces.tolist()]
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_ply(path: Path, mesh: Mesh) -> Path:
    """A mesh as a binary file, quick to write and read at any size."""
    header = (f"ply\nformat binary_little_endian 1.0\nelement vertex {len(mesh.vertices)}\nproperty float x\n"
              f"property float y\nproperty float z\nelement face {len(mesh.faces)}\n"
              "property list uchar int vertex_indices\nend_header\n")
    faces = np.empty(len(mesh.faces), [("n", "u1"), ("v", "<i4", 3)])
    faces["n"], faces["v"] = 3, mesh.faces
    path.write_bytes(header.encode() + mesh.vertices.astype("<f4").tobytes() + faces.tobytes())
    return path
