"""Disks that are full, read-only or pulled away, files that change, links in circles, names nobody would choose."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
import time

import pytest

from .runs import PATIENCE, QUICK, command, digest, entries, left_behind, run

APART = ("unshare", "--mount", "--map-root-user")  # a mount namespace of its own, which needs no rights


def on_a_disk(options: str, folder, *arguments, after: str = "true") -> subprocess.CompletedProcess:
    """Run the program where `folder` is a small disk of its own.  after : a shell command there, its output last"""
    script = 'mount -t tmpfs -o "$1" none "$2" || exit 77; shift 2; "$@"; status=$?; ' + after + "; exit $status"
    done = run(*arguments, before=(*APART, "sh", "-c", script, "sh", options, str(folder)))
    assert done.returncode != 77, "no disk could be mounted: " + done.stderr
    return done


@pytest.mark.parametrize("size", ["4k", "40k", "250k"])
def test_a_full_disk_is_named_and_nothing_half_written_stays(crowd, tmp_path, size):
    inputs = digest(crowd)
    done = on_a_disk(f"size={size}", tmp_path, crowd, "--out", tmp_path, *QUICK,
                     after=f"find '{tmp_path}' -name '.geppetto-*' -o -name '*.glb' -size 0 | sed 's/^/LEFT /'")
    assert done.returncode in {1, 2} and "No space left" in done.stdout + done.stderr, done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
    assert "LEFT" not in done.stdout and digest(crowd) == inputs


def test_a_read_only_folder_is_named(crowd, tmp_path):
    done = on_a_disk("ro", tmp_path, crowd, "--out", tmp_path / "new", *QUICK)
    assert done.returncode == 2 and str(tmp_path) in done.stderr and "--out" in done.stderr


def test_results_deleted_underneath_cost_at_most_themselves(crowd, whole, tmp_path):
    out, inputs = tmp_path / "out", digest(crowd)
    began = subprocess.Popen(command(crowd, "--out", out, *QUICK, "--jobs", 1), stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    until = time.monotonic() + PATIENCE
    while not list(out.rglob("*.glb")) and began.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    shutil.rmtree(out, ignore_errors=True)
    said = began.communicate(timeout=PATIENCE)[0]
    assert began.returncode in {0, 1, 2} and "Traceback" not in said, said
    done = run(crowd, "--out", out, *QUICK, "--resume")
    assert done.returncode == 0, done.stdout + done.stderr
    assert {p.read_bytes() for p in out.rglob("*.glb")} == {p.read_bytes() for p in whole.rglob("*.glb")}
    assert digest(crowd) == inputs and left_behind(out) == []


def test_a_file_that_changes_while_it_is_read(crowd, tmp_path):
    changing = shutil.copytree(crowd, tmp_path / "in")
    text, stop = (changing / "person1.obj").read_text(), threading.Event()

    def change() -> None:
        while not stop.wait(0.01):
            (changing / "person1.obj").write_text(text[: len(text) * (time.monotonic_ns() % 97) // 97])

    other = threading.Thread(target=change)
    other.start()
    try:
        done = run(changing, "--out", tmp_path / "out", *QUICK)
    finally:
        stop.set()
        other.join()
    assert done.returncode in {0, 1}, done.stdout + done.stderr
    assert [e["status"] for e in entries(tmp_path / "out") if "person1" not in e["file"]] == ["rigged"] * 2
    (changing / "person1.obj").write_text(text)
    assert run(changing, "--out", tmp_path / "out", *QUICK, "--resume").returncode == 0


def test_links_in_circles_and_to_nowhere(crowd, tmp_path):
    folder = shutil.copytree(crowd, tmp_path / "in")
    (folder / "again").symlink_to(folder)
    (folder / "itself.obj").symlink_to(folder / "itself.obj")
    (folder / "nowhere.glb").symlink_to(tmp_path / "nothing")
    done = run(folder, "--out", tmp_path / "out", *QUICK)
    found = entries(tmp_path / "out")
    assert done.returncode == 1 and sorted(e["status"] for e in found) == ["failed"] * 2 + ["rigged"] * 3


NAMES = ["two words", "it's \"quoted\"", "new\nline", "tab\there", "-o", "--out", "dot.", "a.b.c", "Ünï çödé 猫",
         "e\u0301", "percent%20", "$(touch hacked)", "`touch hacked`", "semi;colon", "star*", "q?", "[a]", "@list",
         "#hash", "{x}", "back\\slash", "x" * 240, "ж" * 115, "con", " lead", "trail "]


def test_names_nobody_would_choose(crowd, tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    for name in NAMES:
        shutil.copy(crowd / "person0.obj", folder / f"{name}.obj")
    done = run(folder, "--out", tmp_path / "out", *QUICK, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(entries(tmp_path / "out")) == len(NAMES) == len(list((tmp_path / "out").glob("*.glb")))
    assert not list(tmp_path.rglob("hacked"))


def test_a_name_that_is_no_text(crowd, tmp_path):
    odd = os.fsencode(tmp_path) + b"/caf\xe9.obj"
    shutil.copy(crowd / "person0.obj", odd)
    done = run(os.fsdecode(odd), crowd / "person1.obj", "--out", tmp_path / "out", *QUICK)
    named, rigged = entries(tmp_path / "out")
    assert done.returncode == 1 and "Rename" in named["error"] and rigged["status"] == "rigged"
