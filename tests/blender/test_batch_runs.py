"""Runs of the program as people start it: several processes, resumed, interrupted, killed, two at once."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import bpy
import numpy as np
import pytest

from .scenes import add_character

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(sys.modules["geppetto"].__path__[0]) / "addon" / "batch.py"
QUICK = ["--no-picture", "--format", "glb"]


def command(*arguments) -> list[str]:
    """The program's command line in this Blender."""
    start = ([bpy.app.binary_path, "--background", "--factory-startup", "--python", str(PROGRAM), "--"]
             if bpy.app.binary_path else [sys.executable, str(PROGRAM)])
    return [*start, *map(str, arguments)]


def run(*arguments, **more) -> subprocess.CompletedProcess:
    return subprocess.run(command(*arguments), capture_output=True, text=True, check=False, **more)


def report_of(folder: Path, name: str = "report.json") -> dict:
    return json.loads((folder / name).read_text(encoding="utf-8"))


def half_done(folder: Path) -> list[str]:
    """What must not be left when nothing runs any more."""
    return [str(p) for p in folder.rglob(".geppetto-*")] + [str(p) for p in (folder / ".geppetto" / "begun").glob("*")]


def others_of(folder: Path) -> list[str]:
    """Processes that still work for a folder of results."""
    found = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = line.read_bytes().decode(errors="replace").split("\0")
        except OSError:  # it ended meanwhile
            words = []
        if "--child" in words and os.path.realpath(line.parent / "cwd") == str(folder):
            found.append(line.parent.name)
    return found


@pytest.fixture(scope="session")
def crowd(person, tmp_path_factory) -> Path:
    """A folder of characters of one name, which is in their results too: those must be the same to the bit."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    add_character(person)
    folder = tmp_path_factory.mktemp("crowd")
    bpy.ops.export_scene.gltf(filepath=str(folder / "a.glb"))
    for name in ("b/a.glb", "c c/a.glb", "sub/ä/a.glb"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes((folder / "a.glb").read_bytes())
    return folder


@pytest.fixture(scope="session")
def whole(crowd, tmp_path_factory) -> Path:
    """The results of one of them."""
    out = tmp_path_factory.mktemp("whole")
    assert run(crowd / "a.glb", "--out", out, *QUICK).returncode == 0
    return out


@pytest.mark.slow
def test_two_processes_do_a_folder_and_a_second_run_has_nothing_left_to_do(crowd, tmp_path):
    out = tmp_path / "out"
    done = run(crowd, "--out", out, *QUICK, "--jobs", 2)
    assert done.returncode == 0, done.stdout + done.stderr
    written = {p.relative_to(out).as_posix(): p.read_bytes() for p in out.rglob("*.glb")}
    assert set(written) == {"a.glb", "b/a.glb", "c c/a.glb", "sub/ä/a.glb"} and len(set(written.values())) == 1
    assert [Path(e["file"]).parent.name for e in report_of(out)["files"]][1:] == ["b", "c c", "ä"]
    assert report_of(out)["blender"] == bpy.app.version_string and half_done(out) == []
    before = {p: p.stat().st_mtime_ns for p in out.rglob("*.glb")}
    (out / "b" / "a.glb").unlink()
    again = run(crowd, "--out", out, *QUICK, "--jobs", 2, "--resume")
    assert again.returncode == 0 and again.stdout.count("done before") == 3
    assert (out / "b" / "a.glb").read_bytes() == written["a.glb"]
    assert all(p.stat().st_mtime_ns == time for p, time in before.items() if p.parent.name != "b")
    assert len(report_of(out)["files"]) == 4
    changed = run(crowd, "--out", out, *QUICK, "--resume", "--method", "geodesic")
    assert "done before" not in changed.stdout and changed.returncode == 0


@pytest.mark.slow
def test_time_and_memory_have_an_end(crowd, tmp_path):
    late = run(crowd / "a.glb", "--out", tmp_path, *QUICK, "--timeout", "0.01")
    entry, = report_of(tmp_path)["files"]
    assert late.returncode == 1 and entry["kind"] == "Timeout" and "--timeout" in entry["error"]
    large = run(crowd / "a.glb", "--out", tmp_path, *QUICK, "--memory", "0.01")
    entry, = report_of(tmp_path)["files"]
    assert large.returncode == 1 and entry["kind"] == "OutOfMemory" and "--memory" in entry["error"]
    assert half_done(tmp_path) == []
    assert run(crowd / "a.glb", "--out", tmp_path, *QUICK, "--memory", "8").returncode == 0
    assert 0.05 < report_of(tmp_path)["files"][0]["memory"] < 8


@pytest.mark.slow
def test_a_crash_costs_its_file_alone_with_one_process_for_each_file_too(crowd, tmp_path):
    deadly = tmp_path / "deadly.ply"
    deadly.write_bytes(b"ply\nformat ascii 1.0\nelement")  # Blender's importer aborts the whole process on it
    for more in (["--jobs", 2], ["--jobs", 1, "--recycle", 1]):
        done = run(crowd / "a.glb", deadly, crowd / "b" / "a.glb", "--out", tmp_path / "out", *QUICK, *more)
        assert done.returncode == 1
        first, crashed, last = report_of(tmp_path / "out")["files"]
        assert first["status"] == last["status"] == "rigged" and crashed["kind"] == "Crash" and crashed["log"]


@pytest.mark.parametrize(("number", "moments"), [(signal.SIGINT, (0.3, 3.5)), (signal.SIGTERM, (2.5,)),
                                                 (signal.SIGKILL, (0.3, 3.0))], ids=["Ctrl-C", "end", "kill"])
@pytest.mark.slow
def test_an_end_at_any_moment_leaves_whole_results_and_a_second_run_continues(crowd, whole, tmp_path, number, moments):
    out, quiet = tmp_path / "out", {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    for moment in moments:
        began = subprocess.Popen(command(crowd, "--out", out, *QUICK, "--jobs", 2, "--resume"), cwd=tmp_path, **quiet)
        time.sleep(moment)
        began.send_signal(number)
        assert began.wait(120) in {130, 0, -number}
        until = time.monotonic() + 30  # killed, it cannot end its children: they notice by themselves
        while others_of(tmp_path):
            assert number == signal.SIGKILL and time.monotonic() < until
            time.sleep(0.1)
        if number != signal.SIGKILL:
            assert half_done(out) == []
    assert run(crowd, "--out", out, *QUICK, "--resume").returncode == 0
    assert half_done(out) == [] and len(report_of(out)["files"]) == 4
    assert {p.read_bytes() for p in out.rglob("*.glb")} == {(whole / "a.glb").read_bytes()}


@pytest.mark.slow
def test_two_runs_into_one_folder_at_once_share_the_work_and_report_apart(crowd, tmp_path):
    out = tmp_path / "out"
    twice = [subprocess.Popen(command(crowd, "--out", out, *QUICK, "--jobs", 1, "--resume"), stdout=subprocess.PIPE)
             for _ in range(2)]
    said = [one.communicate()[0].decode() for one in twice]
    assert [one.returncode for one in twice] == [0, 0], said
    assert sum(text.count("done before") for text in said) == 4
    assert sorted(p.name for p in out.glob("report*.json")) == ["report-2.json", "report.json"]
    assert all(len(report_of(out, name)["files"]) == 4 for name in ("report.json", "report-2.json"))
    assert len({p.read_bytes() for p in out.rglob("*.glb")}) == 1 and half_done(out) == []


@pytest.mark.long
def test_hints_beside_a_file_pin_its_joints(crowd, whole, tmp_path):
    pin = [*report_of(whole)["files"][0]["joints"]["forearm.L"]]
    pin[0] += 0.02
    wrong = {"{": "not JSON", "[1]": "joint", '{"forearm.L": [1, 2]}': "three numbers",
             '{"forearm.L": [1, 2, NaN]}': "three numbers", '{"forearm.L": [40, 0, 110]}': "Check the unit",
             '{"forearm.L": [1, 2, 1e300]}': "three numbers", "[" * 200_000: "nested", '{"wing": [0, 0, 1]}': "wing"}
    for number, text in enumerate([json.dumps({"forearm.L": pin}), *wrong]):
        (tmp_path / f"{number}.glb").write_bytes((crowd / "a.glb").read_bytes())
        (tmp_path / f"{number}.hints.json").write_text(text)
    assert run(tmp_path, "--out", tmp_path / "out", *QUICK).returncode == 1
    pinned, *failed = report_of(tmp_path / "out")["files"]
    np.testing.assert_allclose(pinned["joints"]["forearm.L"], pin, atol=1e-9)
    assert pinned["hints"] == ["forearm.L"]
    for entry, says in zip(failed, wrong.values(), strict=True):
        assert entry["kind"] == "BadHint" and says in entry["error"]


@pytest.mark.slow
def test_lists_and_a_config_file_say_the_same(crowd, tmp_path):
    (tmp_path / "list.txt").write_text(f"{crowd / 'a.glb'}\n{crowd / 'sub' / 'ä'}\n")
    (tmp_path / "run.toml").write_text(f"files = ['@{tmp_path / 'list.txt'}']\nout = '{tmp_path / 'one'}'\n"
                                       "format = 'glb'\npicture = false\n")
    assert run("--config", tmp_path / "run.toml").returncode == 0
    listed = run("-", "--out", tmp_path / "two", *QUICK, input=(tmp_path / "list.txt").read_text())
    assert listed.returncode == 0
    for out in (tmp_path / "one", tmp_path / "two"):
        assert sorted(p.name for p in out.glob("*.glb")) == ["a-2.glb", "a.glb"]
