"""What cannot be rigged, read or written is named, and the others are done all the same."""

from __future__ import annotations

import os
import re
from pathlib import Path

import bpy
import numpy as np
import pytest

from geppetto.addon.batching import one_file
from geppetto.addon.bridge import files

from .batches import HAS_USD, QUICK, main, report_of, results_in, save
from .scenes import add_mesh


def triangle():
    return add_mesh("triangle", [(0, 0, 0), (1, 0, 0), (0, 0, 1)], [(0, 1, 2)])


def sheet():
    steps = np.linspace(0, 1, 5)
    return add_mesh("sheet", [(x, 0, z) for x in steps for z in steps],
                    [(5 * i + j, 5 * i + j + 1, 5 * i + j + 6, 5 * i + j + 5) for i in range(4) for j in range(4)])


def not_finite(o):
    o.data.vertices[5].co = (float("nan"), 0, float("inf"))


def one_point(o):
    o.scale = (0, 0, 0)


def nothing(o):
    bpy.data.objects.remove(o)  # looked up late: bpy.data.objects of an earlier file would be a dangling pointer


BAD_SCENES = {  # what makes the character bad, and what the message must say
    "no mesh": (nothing, "no mesh"),
    "only a hidden mesh": (lambda o: o.hide_set(True), "hidden"),
    "no faces": (lambda o: o.data.clear_geometry() or o.data.vertices.add(3), "no mesh to rig.*without faces"),
    "one triangle": (lambda o: (triangle(), bpy.data.objects.remove(o)), "volume"),
    "a flat sheet": (lambda o: (sheet(), bpy.data.objects.remove(o)), "volume"),
    "not finite": (not_finite, "not finite"),
    "one point": (one_point, "one point"),
}


@pytest.mark.sweep(3)
@pytest.mark.parametrize("case", BAD_SCENES)
def test_a_scene_that_cannot_be_rigged_is_named_and_the_others_done(person_blend, tmp_path, case, capfd):
    spoil, says = BAD_SCENES[case]
    bpy.ops.wm.open_mainfile(filepath=str(person_blend))
    spoil(bpy.data.objects[0])
    bad = save(tmp_path / "bad.blend")
    assert main([str(bad), str(person_blend), "--out", str(tmp_path / "out"), *QUICK]) == 1
    failed, rigged = report_of(tmp_path / "out")
    assert failed["status"] == "failed" and "traceback" not in failed
    assert str(bad) in failed["error"]
    assert re.search(says, failed["error"]), failed["error"]
    assert failed["error"] in capfd.readouterr().out
    assert rigged["status"] == "rigged"
    assert results_in(tmp_path / "out") == ["person.blend"]


@pytest.mark.long
def test_a_file_with_a_name_that_is_no_text_is_broken(person_blend, tmp_path):
    bpy.ops.wm.open_mainfile(filepath=str(person_blend))
    bpy.data.objects[0].vertex_groups.new(name="misspelt")
    bad = tmp_path / "bad.blend"
    bpy.ops.wm.save_as_mainfile(filepath=str(bad), copy=True, compress=False)
    whole = bad.read_bytes()
    assert b"misspelt" in whole
    bad.write_bytes(whole.replace(b"misspelt", b"m\xc8sspelt"))
    assert main([str(bad), str(person_blend), "--out", str(tmp_path / "out"), *QUICK]) == 1
    failed, rigged = report_of(tmp_path / "out")
    assert failed["kind"] == "BadFile" and "traceback" not in failed and rigged["status"] == "rigged"
    assert re.search("bad.blend' is broken: .* no text", failed["error"])


BAD_FILES = {  # contents (None: no such file), name, what the message must say
    "missing": (None, "gone.glb", "does not exist"),
    "a folder": ("folder", "folder.obj", "not a file"),
    "of unknown kind": (b"hello", "notes.txt", "cannot be read. Use one of"),
    "empty": (b"", "empty.fbx", "is empty"),
    "a broken .blend": (b"BLENDER-v405 and then nothing", "broken.blend", "cannot be read"),
    "a broken .glb": (b"glTF\x02\0\0\0\xff\0\0\0junk", "broken.glb", "cannot be read"),
    "a broken .gltf": (b'{"asset": {"version": "2.0"', "broken.gltf", "cannot be read"),
    "a broken .fbx": (b"Kaydara FBX Binary  \0\x1a\0junk", "broken.fbx", "cannot be read"),
    "a broken .obj": (b"\x80\x81 nothing of an obj", "broken.obj", "no mesh to rig"),
    "a broken .ply": (b"ply\nformat foo", "broken.ply", "cannot be read"),
    "a broken .stl": (b"xx", "broken.stl", "cannot be read"),
    "a broken .usda": (b"#usda 1.0\ndef Mesh \"x\" {", "broken.usda", "cannot be read" if HAS_USD else "without"),
}


@pytest.mark.sweep(4)
@pytest.mark.parametrize("case", BAD_FILES)
def test_a_file_that_cannot_be_read_is_named_and_the_others_done(person_blend, tmp_path, case):
    contents, name, says = BAD_FILES[case]
    bad = tmp_path / name
    if contents == "folder":
        bad.mkdir()
    elif contents is not None:
        bad.write_bytes(contents)
    assert main([str(bad), str(person_blend), "--out", str(tmp_path / "out"), *QUICK]) == 1
    failed, rigged = report_of(tmp_path / "out")
    assert failed["status"] == "failed" and "traceback" not in failed
    assert str(bad) in failed["error"] and says in failed["error"]
    assert rigged["status"] == "rigged"
    assert results_in(tmp_path / "out") == ["person.blend"]


def test_a_folder_or_a_file_in_it_that_may_not_be_looked_at_is_no_fault_of_ours(tmp_path, monkeypatch):
    def closed(place):
        raise PermissionError(13, "Permission denied", str(place))

    for owner, name, place in ((os, "listdir", tmp_path), (Path, "exists", tmp_path / "king.glb")):
        with monkeypatch.context() as patched:
            patched.setattr(owner, name, closed)
            with pytest.raises(files.BadFile, match=f"{place.name}' cannot be read: Permission denied"):
                files.check_file(place)


@pytest.mark.long
def test_a_writer_that_fails_leaves_nothing_behind(person_blend, tmp_path, monkeypatch):

    def break_down(names, options, path):
        path.write_text("half a fi")
        if path.suffix == ".glb":
            raise RuntimeError("Error: the disk is full")  # Blender's writer of .usd says nothing

    monkeypatch.setattr(files, "call_first", break_down)
    monkeypatch.setattr(one_file, "open_file", lambda path: bpy.ops.wm.open_mainfile(filepath=str(path)))
    for formats, says in (("blend,glb", "person.glb"), ("blend,usd", "person.usdz")):
        assert main([str(person_blend), "--out", str(tmp_path), "--no-picture", "--format", formats]) == 1
        entry, = report_of(tmp_path)
        assert "disk" in entry["error"] and "full" in entry["error"] and says in entry["error"]
        assert results_in(tmp_path) == []


def test_a_fault_of_the_program_costs_only_its_own_file(person_blend, tmp_path, monkeypatch):
    real, calls = one_file.open_file, []

    def fail_once(path):
        calls.append(path)
        if len(calls) == 1:
            raise IndexError("out of range")
        assert len(report_of(tmp_path)) == 1, "what is done is told of before the next begins"
        real(path)

    monkeypatch.setattr(one_file, "open_file", fail_once)
    assert main([str(person_blend), str(person_blend), "--out", str(tmp_path), *QUICK]) == 1
    first, second = report_of(tmp_path)
    assert "fault in Geppetto" in first["error"] and "IndexError" in first["traceback"]
    assert second["status"] == "rigged"


@pytest.mark.parametrize(("error", "says"), [
    ("Error: the disk is full", "the disk is full."), ("Traceback:\n  line 3\nValueError: odd.\n", "ValueError: odd."),
    ("Error: no faces\nLocation: /bpy.py:3", "no faces."), ("", "Blender gave no reason."),
    ("a\nRecursionError: maximum depth", "Its objects hang below each other in a circle, or too many levels deep.")])
def test_of_an_operators_words_the_last_line_is_told(error, says):
    assert files.reason(RuntimeError(error)) == says
