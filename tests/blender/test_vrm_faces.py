"""Faces of a VRM: which shape keys make which of its expressions, whoever named them."""

from __future__ import annotations

import pytest

from geppetto.addon.export.exporting import export_for
from geppetto.addon.export.glb import read_glb
from geppetto.addon.export.vrm import _expressions
from geppetto.core.skeleton.engine import load_engine

from .test_export import walker


def binds(*meshes) -> dict[str, list]:
    """{expression: [(node, the key's name, weight), ...]} of meshes with these shape keys."""
    tree = {"nodes": [{"mesh": k} for k in range(len(meshes))],
            "meshes": [{"extras": {"targetNames": list(names)}} for names in meshes]}
    return {name: [(one["node"], meshes[one["node"]][one["index"]], one["weight"]) for one in made["morphTargetBinds"]]
            for name, made in _expressions(tree).items()}


@pytest.mark.parametrize(("left", "right"), [("eyeBlinkLeft", "eyeBlinkRight"), ("EyeBlink_L", "EyeBlink_R"),
                                             ("Fcl_EYE_Close_L", "Fcl_EYE_Close_R"), ("blink_l", "blink_r"),
                                             ("ウィンク", "ウィンク右")])
def test_two_lids_make_a_blink(left, right):
    """Programs blink by the expression "blink" alone; lashes of one side follow with theirs."""
    found = binds(["jawForward", left, right], [left])
    assert found["blink"] == [(0, left, 1.0), (0, right, 1.0), (1, left, 1.0)]
    assert found["blinkLeft"] == [(0, left, 1.0), (1, left, 1.0)] and found["blinkRight"] == [(0, right, 1.0)]


def test_a_key_for_both_lids_comes_first():
    found = binds(["Fcl_EYE_Close_R", "Fcl_EYE_Close", "Fcl_EYE_Close_L"], ["eyeBlinkLeft", "Blink"])
    assert found["blink"] == [(0, "Fcl_EYE_Close", 1.0), (1, "Blink", 1.0)]


def test_vowels_and_moods_of_other_programs():
    vowels = {"aa": "viseme_aa", "ee": "viseme_E", "ih": "viseme_I", "oh": "viseme_O", "ou": "viseme_U"}
    moods = {"happy": "Fcl_ALL_Joy", "relaxed": "Fcl_ALL_Fun", "sad": "Fcl_ALL_Sorrow", "angry": "Fcl_ALL_Angry"}
    assert binds([*vowels.values(), *moods.values()]) == {
        name: [(0, key, 1.0)] for name, key in (vowels | moods).items()}
    japanese = {"aa": "あ", "ih": "い", "ou": "う", "ee": "え", "oh": "お", "blink": "まばたき"}
    assert binds([*japanese.values()]) == {name: [(0, key, 1.0)] for name, key in japanese.items()}


def test_eyes_without_bones_look_by_their_shape_keys(context, person, tmp_path):
    (body,), armature = walker(context, person, motion="")
    for name in ("Basis", "eyeLookOutLeft", "eyeLookInRight", "eyeLookInLeft", "eyeLookOutRight", "eyeLookUpLeft"):
        body.shape_key_add(name=name, from_mix=False)
    export_for(context, armature, load_engine("vrm"), tmp_path / "out.vrm")
    tree, _ = read_glb((tmp_path / "out.vrm").read_bytes())
    vrm, names = tree["extensions"]["VRMC_vrm"], tree["meshes"][0]["extras"]["targetNames"]
    assert vrm["lookAt"]["type"] == "expression"
    assert vrm["lookAt"]["rangeMapVerticalUp"] == {"inputMaxValue": 90.0, "outputScale": 1.0}
    looks = {name: {names[one["index"]] for one in made["morphTargetBinds"]}
             for name, made in vrm["expressions"]["preset"].items()}
    assert looks == {"lookLeft": {"eyeLookOutLeft", "eyeLookInRight"}, "lookUp": {"eyeLookUpLeft"},
                     "lookRight": {"eyeLookInLeft", "eyeLookOutRight"}}
