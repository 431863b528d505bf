"""Which files a run is about, and where their results go."""

from __future__ import annotations

import io
import ntpath
import os
import posixpath
from pathlib import Path

import pytest

from geppetto.addon.batching.inputs import LONGEST_STEM, Found, _matcher, find_files, jobs_of
from geppetto.addon.formats import BadFile


def test_patterns_with_folders_fit_on_windows_too():
    fits = _matcher("\\**\\*.FBX", ntpath)
    assert fits("king.fbx") and fits("men\\old\\King.fbx") and not fits("men\\king.glb")
    fits = _matcher("men/**/*.fbx", posixpath)
    assert fits("men/king.fbx") and fits("men/old/king.fbx") and not fits("men/old/King.FBX") and not fits("king.fbx")


@pytest.fixture
def tree(tmp_path, monkeypatch) -> Path:
    """A folder of characters to stand in, among other things."""
    for name in ("b.glb", "a.OBJ", "men/king.glb", "men/old/king.fbx", "notes.txt", ".hidden/x.glb", ".y.glb",
                 "out/b.glb", "out/.geppetto/z.glb", "odd [1].glb", "new\nline.glb", "Grün 'q\".glb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def paths(names, **options) -> list[str]:
    return [one.path for one in find_files(names, "out", **options)]


def test_a_folder_stands_for_what_can_be_read_in_it(tree):
    above = ["./Grün 'q\".glb", "./a.OBJ", "./b.glb", "./new\nline.glb", "./odd [1].glb"]
    assert sorted(paths(["."])) == sorted([*above, "./men/king.glb", "./men/old/king.fbx"])
    assert sorted(paths(["."], recursive=False)) == sorted(above)


def test_links_that_lead_in_circles_are_not_followed(tree):
    (tree / "men" / "again").symlink_to(tree)
    (tree / "men" / "old" / "again").symlink_to(tree / "men")
    assert paths(["men"]) == paths(["men/**"]) == paths(["men/**/*.*"]) == ["men/king.glb", "men/old/king.fbx"]


def test_a_folder_that_cannot_be_looked_into_is_not_passed_over(tree, monkeypatch):
    scan = os.scandir

    def closed(place):
        if os.fspath(place).endswith("men"):
            raise PermissionError(13, "Permission denied", place)
        return scan(place)

    monkeypatch.setattr(os, "scandir", closed)
    assert paths(["."])[-1] == "./men" and paths(["./**/*.fbx"]) == ["./men"] and paths(["men"]) == ["men"]


def test_patterns(tree):
    assert paths(["*.glb"]) == ["Grün 'q\".glb", "b.glb", "new\nline.glb", "odd [1].glb"]
    assert paths(["**/king.*"]) == ["./men/king.glb", "./men/old/king.fbx"]
    assert paths(["odd [1].glb"]) == ["odd [1].glb"]  # a file of that very name
    assert paths(["m*"]) == ["men/king.glb", "men/old/king.fbx"]
    assert paths(["nothing*"]) == ["nothing*"]  # to be named in the report


def test_patterns_take_only_what_can_be_read_and_not_the_folder_for_results(tree):
    (tree / "b.hints.json").write_text("{}")
    assert paths(["b*"]) == ["b.glb"]
    assert paths(["n*"]) == ["new\nline.glb"] and paths(["notes.*"]) == ["notes.*"]
    assert not [path for path in paths(["*"]) if path.startswith("out")]
    assert paths(["notes.txt"]) == ["notes.txt"]  # what is named is named in the report, too


def test_results_among_the_inputs_are_taken_only_where_they_are_named(tree):
    ours = {str(tree / name) for name in ("b.glb", "men/king.glb")}
    found = paths([".", "*.glb", "**/*.glb", "men"], is_result=ours.__contains__)
    assert found and not ours & set(map(os.path.realpath, found)) and "./men/old/king.fbx" in found
    assert paths(["b.glb"], is_result=ours.__contains__) == ["b.glb"]


def test_lists(tree, monkeypatch):
    (tree / "list.txt").write_bytes(b"\xef\xbb\xbfb.glb\r\n\n# a remark\nmen\nodd [1].glb\n@list.txt\n-\n")
    listed = ["b.glb", "men/king.glb", "men/old/king.fbx", "odd [1].glb", "@list.txt", "-"]
    assert paths(["@list.txt"]) == listed
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"new\nline.glb\0b.glb\0")))
    assert paths(["-"]) == ["new\nline.glb", "b.glb"]
    with pytest.raises(BadFile, match=r"'gone\.txt' cannot be read"):
        paths(["@gone.txt"])


def test_a_file_found_twice_is_done_once_but_one_named_twice_is_done_twice(tree):
    assert paths(["men", "men/*.glb", "."]) == [*paths(["men"]), *(p for p in paths(["."]) if "men" not in p)]
    assert paths(["b.glb", "b.glb"]) == ["b.glb", "b.glb"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16"])
def test_a_list_is_read_as_shells_of_windows_write_it(tree, encoding, end):
    (tree / "list.txt").write_bytes(f"b.glb{end}men/Jürg.glb{end}".encode(encoding))
    assert paths(["@list.txt"]) == ["b.glb", "men/Jürg.glb"]


def targets(found, formats=("blend", "glb"), **options) -> list[str]:
    return [job.target for job in jobs_of(found, Path("out"), formats, **options)]


def test_places_below_a_folder_are_kept(tree):
    assert targets(find_files(["men"], "out")) == ["king", "old/king"]
    assert targets(find_files(["men/old/king.fbx", "b.glb"], "out", base="men")) == ["old/king", "b"]
    assert targets(find_files(["m*/*/*.fbx"], "out")) == ["men/old/king"]


def test_names_are_distinct_whatever_their_case_and_never_an_inputs(tree):
    assert targets(map(Found, ["a/x.glb", "b/x.obj", "X.fbx", "y.v2.glb", "x-2.glb"])) == [
        "x", "x-2", "X-3", "y.v2", "x-2-2"]
    assert targets(map(Found, ["out/b.glb"])) == ["b-2"]


def test_a_result_and_a_folder_of_results_never_have_one_name(tmp_path):
    names = ["Knight.GLB/scene.obj", "knight.obj", "king.json/a/b.obj", "king.obj", "queen.obj", "queen.json.obj",
             "page/x.obj", "page.obj"]
    files = [Found(str(tmp_path / name), str(tmp_path)) for name in names]
    assert [job.target for job in jobs_of(files, tmp_path / "out", ["glb"])] == [
        "Knight.GLB/scene", "knight-2", "king.json/a/b", "king-2", "queen", "queen.json", "page/x", "page"]


def test_the_file_for_an_engine_is_no_other_characters(tree):
    both = list(map(Found, ["a/hero.glb", "b/hero-unity.glb"]))
    assert targets(both, ("glb", "fbx", "-unity.fbx")) == ["hero", "hero-unity-2"]
    assert targets(both[::-1], ("fbx", "-unity.fbx")) == ["hero-unity", "hero-2"]
    assert targets(both, ("glb", "-unity.fbx")) == ["hero", "hero-unity"]


def test_a_name_that_belongs_to_another_file_is_left_to_it(tree):
    owners = {"king": os.path.abspath("men/king.glb")}
    assert targets(map(Found, ["men/king.glb"]), owner_of=lambda t: owners.get(t, "")) == ["king"]
    assert targets(map(Found, ["men/old/king.fbx"]), owner_of=lambda t: owners.get(t, "")) == ["king-2"]


def test_long_names_leave_room_and_stay_distinct(tree):
    first, second = targets(map(Found, ["ü" * 120 + "a.glb", "ü" * 120 + "b.glb"]))
    assert first != second and max(len(os.fsencode(first)), len(os.fsencode(second))) <= LONGEST_STEM
    fits, cut = targets(map(Found, ["a" * LONGEST_STEM + ".glb", "a" * (LONGEST_STEM + 1) + ".glb"]))
    assert fits == "a" * LONGEST_STEM and fits[:100] == cut[:100] and len(cut) == LONGEST_STEM


@pytest.mark.long
def test_many_files_of_one_name_take_no_time(tree):
    assert targets([Found(f"{n}/mesh.glb") for n in range(10000)])[-1] == "mesh-10000"
