"""What the README says can be typed works: its Python, its make targets, its files, its options."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest

from tests.characters import person
from tests.conftest import PACKAGE, ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
blocks = re.findall(r"```python\n(.*?)```", README, re.DOTALL)


@pytest.mark.parametrize("number", [n for n, code in enumerate(blocks) if "bpy" not in code])
def test_the_core_examples_run(number, tmp_path, monkeypatch):
    mesh = person(vertices=1500).mesh
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks[number], f"README.md, example {number}", "exec"),
         {"vertices": mesh.vertices, "faces": mesh.faces, "mesh": mesh})


def test_there_are_examples():
    assert blocks


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z-]+)", README)) | set(
    re.findall(r"^make ([a-z-]+)", README, re.MULTILINE))))
def test_every_make_target_exists(target):
    assert target in TARGETS


def named_files() -> list[str]:
    """Paths of the project between backticks or as pictures."""
    words = re.findall(r"`([^`\s]+/[^`\s]*)`", README) + re.findall(r"\]\((?!http)([^)#]+)\)", README)
    tops = {p.name for p in ROOT.iterdir()}
    return sorted({w for w in words if w.split("/")[0] in tops - {"out", "dist", ".build", ".venv"} and "*" not in w})


@pytest.mark.parametrize("path", named_files())
def test_every_file_named_is_there(path):
    assert (ROOT / path).exists()


def test_every_option_named_is_known():
    """All of the program's options that the README mentions, against what the program itself says."""
    told = subprocess.run([sys.executable, str(PACKAGE / "addon" / "batch.py"), "--help"], capture_output=True,
                          text=True, check=True, env=os.environ | {"COLUMNS": "200"}).stdout
    program = README[README.index("## The program"):README.index("## The core alone")]
    program = re.sub(r"`blender (?!--command geppetto)[^`]*`", "", program)  # Blender's own options
    unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", program)) - set(re.findall(r"--[a-z][a-z-]+", told))
    assert not unknown - {"--command"}


def test_no_section_is_linked_that_is_not_there():
    anchors = {re.sub(r"[^a-z0-9 -]", "", h.lower()).replace(" ", "-") for h in re.findall(r"^#+ (.+)$", README, re.M)}
    assert set(re.findall(r"\]\(#([^)]+)\)", README)) <= anchors
