"""Files in and out: they appear together or not at all, nothing half written stays, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import bpy
import pytest

from geppetto.addon.bridge.files import Outputs, call_first, check_file, lost_in_glb, open_file, reason
from geppetto.addon.formats import BadFile

from .batches import HAS_USD
from .scenes import add_cube

KINDS = {"blend": "a.blend", **({"usd": "a.usdz"} if HAS_USD else {})}


def write(outputs: Outputs, folder: Path) -> list[Path]:
    """A file of bytes, one that a function writes, and the scene."""
    places = [folder / "a.json", folder / "a.png", *(folder / name for name in KINDS.values())]
    outputs.data(places[0], b"1")
    outputs.beside(places[1]).write_bytes(b"2")
    for kind, name in KINDS.items():
        outputs.scene(kind, folder / name)
    assert outputs.paths == places
    return places


def test_files_appear_together_and_replace_what_was_there(context, tmp_path):
    add_cube()
    (tmp_path / "a.json").write_bytes(b"old")
    with Outputs("tag") as outputs:
        places = write(outputs, tmp_path)
        assert [p for p in places if p.exists()] == [tmp_path / "a.json"]
        assert (tmp_path / "a.json").read_bytes() == b"old"
        assert all("tag" in p.name for p in tmp_path.iterdir() if p not in places), "whoever clears up knows them"
    assert sorted(tmp_path.iterdir()) == sorted(places)
    assert (tmp_path / "a.json").read_bytes() == b"1" and (tmp_path / "a.png").read_bytes() == b"2"
    for name in KINDS.values():
        open_file(tmp_path / name)
        assert "MESH" in {o.type for o in bpy.data.objects}


def test_nothing_stays_of_files_that_an_error_ended(context, tmp_path):
    add_cube()
    with pytest.raises(KeyError), Outputs("tag") as outputs:
        write(outputs, tmp_path)
        raise KeyError
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadFile, match=r"b\.json' cannot be written"), Outputs("tag") as outputs:
        outputs.data(tmp_path / "a.json", b"1")
        (tmp_path / "b.json").mkdir()  # where a file is to appear
        outputs.data(tmp_path / "b.json", b"1")
    assert not [p for p in tmp_path.iterdir() if "tag" in p.name]
    for write_it in (lambda o, p: o.data(p, b"1"), lambda o, p: o.scene("blend", p)):
        with pytest.raises(BadFile, match=r"gone/a\.blend' cannot be written"), Outputs("tag") as outputs:
            write_it(outputs, tmp_path / "gone" / "a.blend")


def test_what_cannot_be_opened_is_named_with_the_reason(tmp_path):
    (tmp_path / "empty.glb").touch()
    (tmp_path / "folder.glb").mkdir()
    (tmp_path / "a.txt").write_text("x")
    for name, says in (("empty.glb", "is empty"), ("folder.glb", "is not a file"), ("gone.glb", "does not exist"),
                       ("gone", "does not exist"), (".", "is not a file, nor a folder with"),
                       ("a.txt", "of a kind"), ("\udcff.glb", "not valid Unicode")):
        with pytest.raises(BadFile, match=says):
            check_file(tmp_path / name)
    (tmp_path / "whole.GLB").write_bytes(b"1")
    check_file(tmp_path / "whole.GLB")


def test_the_first_operator_that_is_there_runs(tmp_path, context):
    add_cube()
    call_first(("wm.there_is_none", "wm.save_as_mainfile", "wm.quit_blender"), {}, tmp_path / "a.blend")
    assert (tmp_path / "a.blend").exists()
    with pytest.raises(BadFile, match=r"built without '\.x3d'"):
        call_first(("wm.there_is_none",), {}, tmp_path / "a.x3d")


@pytest.mark.parametrize(("has_keys", "modifier", "is_shown", "loses"), [
    (True, "SUBSURF", True, True), (True, "SUBSURF", False, False), (True, "ARMATURE", True, False),
    (True, "", True, False), (False, "SUBSURF", True, False)])
def test_a_glb_loses_shape_keys_only_where_modifiers_build_the_shape(context, has_keys, modifier, is_shown, loses):
    cube = add_cube()
    context.scene.collection.objects.link(bpy.data.objects.new("none", None))
    if has_keys:
        cube.shape_key_add(name="Basis")
    if modifier:
        cube.modifiers.new("one", modifier).show_viewport = is_shown
    assert lost_in_glb().startswith(f"'{cube.name}' has shape keys") if loses else lost_in_glb() == ""


@pytest.mark.parametrize(("said", "told"), [
    ("Error: the disk is full\n", "the disk is full."), ("", "Blender gave no reason."),
    ('Traceback\n  File "x"\nValueError: odd.\nLocation: x.py:3\n', "ValueError: odd."),
    ("Error: PermissionError: [Errno 13] Permission denied: '/there/.geppetto-1.glb'", "Permission denied."),
    ("Error: RecursionError: too deep", "Its objects hang below each other in a circle, or too many levels deep.")])
def test_the_reason_is_the_last_line_that_an_operator_said(said, told):
    assert reason(RuntimeError(said)) == told
