"""Which motions the words of a command line stand for."""

from __future__ import annotations

import pytest

from geppetto.addon.batching.motion_names import check_motion, files_in, labels
from geppetto.addon.formats import BadFile
from geppetto.core.errors import BadMotion


@pytest.fixture
def moves(tmp_path):
    """A folder of motions, among other things."""
    for name in ("b.bvh", "a.GLB", "notes.txt", "none/readme.md"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("x")
    (tmp_path / "folder.glb").mkdir()
    return tmp_path


def test_a_folder_stands_for_the_motions_in_it_by_name(moves):
    assert [path.name for path in files_in(moves)] == ["a.GLB", "b.bvh"]


def test_what_could_be_a_motion_is_taken(moves):
    for word in ("walk", moves, moves / "b.bvh", f"{moves / 'b.bvh'}:*", f"{moves / 'a.GLB'}:Walk"):
        check_motion(str(word))


def test_what_can_be_none_is_named(moves):
    for word, error, says in ((moves / "none", BadFile, "holds no motion"), (moves / "c.bvh", BadFile, "c.bvh"),
                              (f"{moves / 'b.bvh'}:Walk", BadMotion, "':Walk' out"),
                              ("moonwalk", BadMotion, "moonwalk")):
        with pytest.raises(error, match=says):
            check_motion(str(word))


def test_pictures_are_called_as_the_file_and_its_action_and_no_two_alike():
    assert labels(["walk", "moves/b.bvh", "a.glb:Take 1|run!.2"]) == ["walk", "b", "a-Take_1_run_.2"]
    assert labels(["one/walk.bvh", "two/Walk.fbx", "walk", "walk-2.bvh", "weights.bvh"]) == [
        "walk", "Walk-2", "walk-3", "walk-2-2", "weights-2"]
