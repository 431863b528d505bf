"""JSON files as people write them."""

from __future__ import annotations

import pytest

from core.errors import BadTemplate
from core.json_file import check_fields, read_json
from core.motion import clip_file
from core.motion.clip_file import load_motion
from core.skeleton import bone_map, engine, preset
from core.skeleton.bone_map import load_bone_map
from core.skeleton.engine import load_engine
from core.skeleton.preset import load_template

SAID = '{"name": "Möwe"}'


@pytest.mark.parametrize("contents", [SAID.encode(), SAID.encode("utf-8-sig"), SAID.encode("utf-16"),
                                      SAID.replace(" ", "\r\n").encode()])
def test_a_file_is_read_as_editors_save_it(contents):
    assert read_json(contents, "'gull.json'", BadTemplate) == {"name": "Möwe"}


@pytest.mark.parametrize("contents, says", [
    (b"", "is not JSON"), (b"{,}", "is not JSON.*line 1"), (SAID.encode("latin-1"), "Save it as UTF-8"),
    (b"[" * 200_000, "nested"), (b'{"a": {"b": 1, "b": 2}}', '"b" is given twice'), (b"9" * 5000, "is not JSON")])
def test_what_is_wrong_with_a_file_is_said_and_the_file_named(contents, says):
    with pytest.raises(BadTemplate, match=f"'gull.json' .*{says}"):
        read_json(contents, "'gull.json'", BadTemplate)


def test_a_field_that_nothing_reads_is_named_with_those_there_are():
    check_fields({"b": 1}, ("a", "b"), "'gull.json'", BadTemplate)
    with pytest.raises(BadTemplate, match=r"'gull.json': there is no field \"c\"\. Use: a, b\."):
        check_fields({"b": 1, "c": 2}, ("a", "b"), "'gull.json'", BadTemplate)


@pytest.mark.parametrize(("load", "shipped"), [
    (load_template, preset.PRESETS / "horse.json"), (load_bone_map, bone_map.PRESETS / "vrm.json"),
    (load_motion, clip_file.PRESETS / "idle.json"), (load_engine, engine.PRESETS / "unity.json")])
def test_a_suffix_in_capitals_is_a_files_too(load, shipped, tmp_path):
    path = tmp_path / "MINE.JSON"
    path.write_bytes(shipped.read_bytes())
    assert load(path).name == load(shipped.stem).name
