"""The zips: what is in them, the same bits each time, and accepted by Blender's validator (which build() asks)."""

from __future__ import annotations

import ast
import os
import re
import shutil
import tomllib
import zipfile
from pathlib import Path

import pytest

from tests.packaging import build as packaging

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = tomllib.loads((ROOT / "blender_manifest.toml").read_text(encoding="utf-8"))
WHEELS = {"linux-x64": "manylinux_2_17_x86_64.manylinux2014_x86_64", "windows-x64": "win_amd64",
          "macos-x64": "macosx_10_13_x86_64", "macos-arm64": "macosx_12_0_arm64"}


def copy(source: Path, target: Path) -> Path:
    """A tree of its own, without what using it leaves behind."""
    shutil.copytree(source, target, ignore=shutil.ignore_patterns(".*", "__pycache__", "out", "dist"))
    return target


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> Path:
    """The project as it is now."""
    return copy(ROOT, tmp_path_factory.mktemp("source") / "geppetto")


@pytest.fixture(scope="module")
def made(source, tmp_path_factory) -> Path:
    """The zip without wheels."""
    return packaging.build(tmp_path_factory.mktemp("dist"), source=source)


@pytest.fixture
def wheels(tmp_path) -> list[Path]:
    """Two files named as one platform's wheels; the builder looks at names only."""
    def stand_ins(platform):
        paths = [tmp_path / f"scipy-1.15.3-{tag}-{tag}-{WHEELS[platform]}.whl" for tag in ("cp311", "cp313")]
        for path in paths:
            path.write_bytes(path.name.encode())
        return paths
    return stand_ins


def names_in(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return archive.namelist()


def manifest_in(path: Path) -> dict:
    with zipfile.ZipFile(path) as archive:
        return tomllib.loads(archive.read("blender_manifest.toml").decode())


def test_only_what_blender_and_people_need_is_inside(made):
    names = names_in(made)
    assert {name.split("/")[0] for name in names} == {"__init__.py", "blender_manifest.toml", "addon", "core",
                                                      "presets", "docs", "LICENSE", "README.md", "CHANGELOG.md"}
    assert {Path(name).suffix for name in names} <= {".py", ".json", ".md", ".toml", ".png", ".npz", ".html", ""}
    assert not [name for name in names if "__pycache__" in name or "/." in name or "numpy" in name]


def test_every_module_and_preset_is_inside(source, made):
    wanted = [p.relative_to(source).as_posix() for folder in ("addon", "core", "presets")
              for suffix in ("*.py", "*.json", "*.npz") for p in (source / folder).rglob(suffix)]
    assert len(wanted) > 50
    assert set(wanted) - set(names_in(made)) == {"addon/batching/cluster.py"}


def test_no_module_inside_opens_a_connection(made, tmp_path):
    with zipfile.ZipFile(made) as archive:
        archive.extractall(tmp_path)
    used = {name for path in tmp_path.rglob("*.py") for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])}
    assert "urllib.parse" in used  # names are seen
    assert not used & {"socket", "ssl", "http.client", "http.server", "urllib.request", "requests", "distributed"}


def test_the_same_source_gives_the_same_bits(source, made, tmp_path):
    """Also from another folder, with other dates and modes, and with the rubbish that using a tree leaves in it."""
    other = copy(source, tmp_path / "elsewhere")
    for path in other.rglob("*"):
        os.utime(path, (1e9, 1e9))
        path.chmod(0o700)
    for rubbish in (".venv/lib", ".build", ".ci", "core/__pycache__", "addon/bridge/__pycache__", "out", "dist"):
        (other / rubbish).mkdir(parents=True)
        (other / rubbish / "mesh.cpython-311.pyc").write_bytes(b"rubbish")
    assert packaging.build(tmp_path / "dist", source=other).read_bytes() == made.read_bytes()


def test_a_change_changes_the_bits(source, made, tmp_path):
    other = copy(source, tmp_path / "changed")
    with (other / "core" / "errors.py").open("a") as file:
        file.write("\n")
    assert packaging.build(tmp_path / "dist", source=other).read_bytes() != made.read_bytes()


def test_nothing_stays_beside_the_zip(made):
    assert list(made.parent.iterdir()) == [made]


@pytest.mark.parametrize("platform", packaging.PLATFORMS)
def test_a_platforms_zip_names_the_wheels_it_carries(platform, wheels, source, made, tmp_path):
    given = wheels(platform)
    path = packaging.build(tmp_path / "dist", platform, given, source=source)
    assert path.name == f"geppetto-{MANIFEST['version']}-{platform.replace('-', '_')}.zip"
    inside = manifest_in(path)
    carried = sorted(f"./{name}" for name in names_in(path) if name.startswith("wheels/"))
    assert carried == sorted(f"./wheels/{wheel.name}" for wheel in given)
    assert inside["platforms"] == inside["build"]["generated"]["platforms"] == [platform]
    assert inside["wheels"] == inside["build"]["generated"]["wheels"] == carried
    assert set(names_in(path)) - {name[2:] for name in carried} == set(names_in(made))
    if platform == "linux-x64":  # the order in which wheels are named plays no part
        again = packaging.build(tmp_path / "again", platform, given[::-1], source=source)
        assert again.read_bytes() == path.read_bytes()


def test_wheels_are_left_out_of_the_source_and_of_the_zip_for_the_systems_python(made):
    for manifest in (MANIFEST, manifest_in(made)):
        assert not {"wheels", "platforms"} & set(manifest)


def test_the_builders_objection_ends_the_build(source, tmp_path):
    other = copy(source, tmp_path / "bad")
    manifest = other / "blender_manifest.toml"
    manifest.write_text(manifest.read_text(encoding="utf-8").replace('"Rigging"', '"Puppets"'), encoding="utf-8")
    with pytest.raises(SystemExit, match="Puppets"):
        packaging.build(tmp_path / "dist", source=other)
    assert list((tmp_path / "dist").iterdir()) == []


def test_every_wheel_is_pinned_by_hash():
    lines = (Path(packaging.__file__).with_name("wheels.txt")).read_text(encoding="utf-8")
    hashes = re.findall(r"--hash=sha256:([0-9a-f]{64})\b", lines)
    assert len(set(hashes)) == len(hashes) == len(packaging.PLATFORMS) * len(packaging.PYTHONS)
    assert re.findall(r"^(\w+)==", lines, re.MULTILINE) == ["scipy"]  # numpy is Blender's own


def test_permissions_and_tagline_are_as_the_platform_wants():
    for text in (MANIFEST["tagline"], *MANIFEST["permissions"].values()):
        assert len(text) <= 64 and text[-1].isalnum()
    assert set(MANIFEST["permissions"]) == {"files"}


def test_the_version_is_written_in_one_place():
    from geppetto.addon.manifest import VERSION

    assert MANIFEST["version"] == VERSION
    assert re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.]+)?", VERSION)
    files = [*(ROOT / "addon").rglob("*.py"), *(ROOT / "core").rglob("*.py"),
             *(ROOT / n for n in ("__init__.py", "pyproject.toml", "Makefile", "README.md"))]
    assert [p.name for p in files if f'"{VERSION}"' in p.read_text(encoding="utf-8")] == []
    newest = re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest.group(1) == VERSION, "the changelog's first entry is about another version"
