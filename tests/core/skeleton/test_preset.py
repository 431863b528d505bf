"""Presets load, are mirrored, and come back as they were written; anything else names the file and the field."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

from core.errors import BadTemplate
from core.skeleton.preset import PRESETS, load_template, other_side, preset_names, template_data, template_from_data

BIPED = json.loads((PRESETS / "biped.json").read_text(encoding="utf-8"))
PRESET = pytest.mark.parametrize("name", preset_names())


def test_the_papers_skeletons_ship():
    assert {"biped", "biped_paper", "quadruped", "horse", "centaur"} <= set(preset_names())


@PRESET
def test_every_preset_has_a_sound_body(name):
    template = load_template(name)
    assert template.name == name
    assert template.is_fat.any() and template.is_foot.any()
    height = np.ptp(template.positions[:, 2])
    assert 0.4 < np.ptp(template.positions, axis=0).max() < 1.3, "about one unit"
    assert template.positions[template.is_foot, 2].max() < template.positions[:, 2].min() + 0.15 * height
    used = {j for b in template.bones for j in (b.head, b.tail)}
    assert used == set(template.names), "every joint ends or begins a bone"
    assert sum(b.parent is None for b in template.bones) == 1, "one root bone"


@PRESET
def test_both_sides_are_mirror_images(name):
    template = load_template(name)
    for i, joint in enumerate(template.names):
        partner = template.mirror[i]
        if joint[-2:] in (".L", ".R"):
            assert template.names[partner] == other_side(joint)
            np.testing.assert_array_equal(template.positions[partner], template.positions[i] * [-1, 1, 1])
            assert template.is_foot[partner] == template.is_foot[i] and template.is_fat[partner] == template.is_fat[i]
            parents = [template.names[template.parents[k]] for k in (i, partner)]
            assert parents[1] == other_side(parents[0])
            assert (template.positions[i, 0] > 0) == (joint[-1] == "L"), "the character's left is +X"
        else:
            assert partner == -1 and template.positions[i, 0] == 0
    bones = {b.name: b for b in template.bones}
    for bone in template.bones:
        twin = bones[other_side(bone.name)]
        assert (twin.head, twin.tail) == (other_side(bone.head), other_side(bone.tail))
        assert twin.parent == (bone.parent and other_side(bone.parent))
        assert twin.collection == other_side(bone.collection)
        np.testing.assert_array_equal(twin.bend, np.array(bone.bend) * [-1, 1, 1] if twin is not bone else bone.bend)


@PRESET
def test_a_template_written_and_read_is_the_same(name):
    template = load_template(name)
    again = template_from_data(json.loads(json.dumps(template_data(template))))
    for key in ("name", "kind", "names"):
        assert getattr(again, key) == getattr(template, key)
    for key in ("parents", "positions", "mirror", "is_foot", "is_fat"):
        np.testing.assert_allclose(getattr(again, key), getattr(template, key), atol=1e-6)
    assert [vars(b) for b in again.bones] == [vars(b) for b in template.bones]


def test_a_path_is_read_like_a_name(tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(BIPED), encoding="utf-8")
    assert load_template(path).names == load_template(str(path)).names == load_template("biped").names


def test_what_may_be_left_out():
    data = {"format": "geppetto-skeleton", "version": 1, "name": "tail",
            "joints": [{"name": "a", "position": [0, 0, 0]}, {"name": "b", "parent": "a", "position": [0, 0, 1]}],
            "bones": [{"name": "bone", "head": "a", "tail": "b"}]}
    template = template_from_data(data)
    assert template.kind == "other" and not template.is_foot.any() and not template.is_fat.any()
    bone = template.bones[0]
    assert bone.deform and not bone.connected and bone.parent is None and bone.collection == "Deform"
    assert not any(bone.bend)


def test_a_right_side_of_its_own_is_kept():
    data = copy.deepcopy(BIPED)
    hand = next(j for j in data["joints"] if j["name"] == "hand_tip.L")
    data["joints"].append(hand | {"name": "hand_tip.R", "parent": "hand.R", "position": [-0.5, 0, 0.6]})
    template = template_from_data(data)
    assert template.names.count("hand_tip.R") == 1
    assert template.positions[template.index("hand_tip.R")].tolist() == [-0.5, 0, 0.6]
    assert template.mirror[template.index("hand_tip.L")] == template.index("hand_tip.R")


def without(where, key):
    def change(data):
        del (data if where is None else data[where[0]][where[1]])[key]
    return change


def with_(where, **fields):
    def change(data):
        (data if where is None else data[where[0]][where[1]]).update(fields)
    return change


@pytest.mark.parametrize("change, words", [
    (with_(None, format="rig"), ['"format"']), (with_(None, version=2), ["version 2", "version 1"]),
    (without(None, "name"), ['"name" is missing']), (without(None, "joints"), ['"joints" is missing']),
    (with_(None, joints={"a": 1}), ['"joints"', "list"]), (with_(None, bones="none"), ['"bones"', "list"]),
    (with_(None, joints=[]), ["two joints"]), (with_(None, bones=[]), ["no bones"]),
    (with_(None, kind="fish"), ["fish"]), (with_(None, kind=3), ['"kind"']),
    (lambda d: d["joints"].__setitem__(2, "chest"), ["joint 2", "object"]),
    (without(("joints", 1), "name"), ["joint 1", '"name"']), (with_(("joints", 1), name=5), ['"name"', "text"]),
    (without(("joints", 1), "position"), ["'spine'", '"position" is missing']),
    *[(with_(("joints", 1), position=p), ["'spine'", '"position"', "three numbers"]) for p in (
        [1, 2], "abc", None, [1, 2, "3"], [0, 0, float("nan")], [0, 0, float("inf")], [0, 0, 1e300], [True, 0, 0])],
    (with_(("joints", 6), position=[1]), ["'shoulder.L'", '"position"']),
    (with_(("joints", 3), parent="tail"), ["'neck'", '"parent"', "'tail'"]),
    (with_(("joints", 3), parent=["chest"]), ["'neck'", '"parent"', "text"]),
    (with_(("joints", 3), parent=None), ["joint 'neck'", "first joint is the root"]),
    (with_(("joints", 1), foot="no"), ["'spine'", '"foot"', "true or false"]),
    (with_(("joints", 1), fat=1), ["'spine'", '"fat"']),
    (with_(("joints", 5), name="head"), ["joint 'head' twice"]),
    (without(("bones", 3), "tail"), ["bone 'neck'", '"tail" is missing']),
    (with_(("bones", 3), head="knee"), ["'neck'", "unknown joint 'knee'"]),
    (with_(("bones", 3), bend=[0, 1]), ["bone 'neck'", '"bend"']),
    (with_(None, may_lack="hips"), ['"may_lack"', "list of texts"]),
    (with_(None, jonts=[]), ['no field "jonts"', "joints"]), (with_(("joints", 1), Foot=True), ["'spine'", '"Foot"']),
    (with_(("bones", 3), deforms=False), ["bone 'neck'", '"deforms"', "deform,"]),
    (with_(None, may_lack=["hips", 3]), ['"may_lack"', "list of texts"]),
    (with_(("bones", 3), connected="false"), ["bone 'neck'", '"connected"']),
    (with_(("bones", 3), deform=0), ["bone 'neck'", '"deform"']),
    (with_(("bones", 3), collection=""), ["bone 'neck'", '"collection"']),
    (with_(("bones", 3), parent=4), ["bone 'neck'", '"parent"']),
    (lambda d: d["bones"].reverse(), ["does not come before"])])
def test_malformed_files_are_refused_naming_file_and_field(change, words, tmp_path):
    data = copy.deepcopy(BIPED)
    change(data)
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(BadTemplate) as caught:
        load_template(path)
    assert "mine.json" in str(caught.value)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[1, 2]", "null", "\"biped\"", "{\"format\": \"geppetto-skeleton\"}"])
def test_other_files_are_no_templates(text, tmp_path):
    path = tmp_path / "mine.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadTemplate, match=r"mine\.json"):
        load_template(path)


def test_what_cannot_be_read_is_said(tmp_path):
    (tmp_path / "binary.json").write_bytes(b"\xff\xfe\x00")
    (tmp_path / "folder.json").mkdir()
    for name in ("binary", "folder", "absent"):
        with pytest.raises(BadTemplate, match=rf"{name}\.json"):
            load_template(tmp_path / f"{name}.json")
    with pytest.raises(BadTemplate, match=r"'dragon'.*biped"):
        load_template("dragon")


def test_the_other_side():
    assert [other_side(n) for n in ("hand.L", "hand.R", "hips", "", ".L")] == ["hand.R", "hand.L", "hips", "", ".R"]


def test_the_documents_example_is_a_template_and_every_preset_is_listed():
    text = (PRESETS.parent / "README.md").read_text(encoding="utf-8")
    example = template_from_data(json.loads(text.split("```json\n")[1].split("```")[0]))
    assert "hand.R" in example.names
    for name in preset_names():
        assert f"| `{name}` | {len(load_template(name).names)} |" in text
