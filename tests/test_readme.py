"""What README.md and docs say can be typed works: their Python, make targets, files, options and links."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.characters import person
from tests.conftest import PACKAGE, ROOT

PAGES = {path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
         for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))}
TEXT = "\n".join(PAGES.values())
TARGETS = set(re.findall(r"^([a-z][a-z-]*):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
blocks = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)


@pytest.mark.long
@pytest.mark.parametrize("number", [n for n, code in enumerate(blocks) if "bpy" not in code])
def test_the_core_examples_run(number, tmp_path, monkeypatch):
    mesh = person(vertices=1500).mesh
    monkeypatch.chdir(tmp_path)
    exec(compile(blocks[number], f"docs, example {number}", "exec"),
         {"vertices": mesh.vertices, "faces": mesh.faces, "mesh": mesh})


def test_there_are_examples():
    assert blocks


@pytest.mark.parametrize("target", sorted(set(re.findall(r"`make ([a-z-]+)", TEXT)) | set(
    re.findall(r"^make ([a-z-]+)", TEXT, re.MULTILINE))))
def test_every_make_target_exists(target):
    assert target in TARGETS


def named_files() -> list[str]:
    """Paths of the project between backticks, from its root; links and pictures, from the page they are on."""
    words = set(re.findall(r"`([^`\s]+/[^`\s]*)`", TEXT))
    for page, text in PAGES.items():
        links = re.findall(r"\]\((?!http)([^)#]+)[^)]*\)", text)
        words |= {os.path.relpath(ROOT / Path(page).parent / link, ROOT) for link in links}
    tops = {p.name for p in ROOT.iterdir()}
    return sorted({w for w in words if w.split("/")[0] in tops - {"out", "dist", ".build", ".venv"} and "*" not in w})


@pytest.mark.parametrize("path", named_files())
def test_every_file_named_is_there(path):
    assert (ROOT / path).exists()


def test_the_readme_is_short_and_leads_to_all_pages():
    assert len(PAGES["README.md"].split()) < 900
    assert {page for page in PAGES if page.startswith("docs/")} <= set(re.findall(r"\]\(([^)#]+)", PAGES["README.md"]))


@pytest.mark.long
def test_every_option_named_is_known():
    """All of the program's options that its page mentions, against what the program itself says."""
    told = subprocess.run([sys.executable, str(PACKAGE / "addon" / "batch.py"), "--help"], capture_output=True,
                          text=True, check=True, env=os.environ | {"COLUMNS": "200"}).stdout
    program = re.sub(r"`blender (?!--command geppetto)[^`]*`", "", PAGES["docs/batch.md"])  # Blender's own options
    unknown = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", program)) - set(re.findall(r"--[a-z][a-z-]+", told))
    assert not unknown - {"--command"}


def test_no_section_is_linked_that_is_not_there():
    for page, text in PAGES.items():
        titles = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        anchors = {re.sub(r"[^a-z0-9 -]", "", title.lower()).replace(" ", "-") for title in titles}
        assert set(re.findall(r"\]\(#([^)]+)\)", text)) <= anchors, page
