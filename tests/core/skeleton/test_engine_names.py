"""Engines' bone names are complete for people, distinct, and recognised again by the bone maps."""

from __future__ import annotations

import json

import pytest

from core.errors import BadBoneMap
from core.skeleton.bone_map import find_roles
from core.skeleton.engine_names import engines, load_engine_names
from core.skeleton.preset import load_template
from core.skeleton.rig import Rig
from core.skeleton.template import rig_from_joints


@pytest.mark.parametrize("engine", engines())
def test_a_renamed_person_is_recognised_again(engine):
    template = load_template("biped")
    rig, names = rig_from_joints(template, template.positions), load_engine_names(engine).bones
    assert set(names) == set(rig.names), "every bone of the biped has a name"
    renamed = Rig(tuple(names[n] for n in rig.names), rig.parents, rig.heads, rig.tails)
    roles = find_roles(renamed)
    for role in ("hips", "head", "upper_arm.L", "forearm.R", "hand.L", "thigh.R", "shin.L", "foot.R"):
        assert renamed.names[roles[role]] == names[role]


@pytest.mark.parametrize("content, complaint", [
    ("{", "not JSON"), ("{}", "version 1"),
    (json.dumps({"format": "geppetto-engine-names", "version": 1, "bones": {"a": "x", "b": "x"}}), "two bones one"),
    (json.dumps({"format": "geppetto-engine-names", "version": 1, "bones": [1]}), "by role")])
def test_unsound_files_are_named(tmp_path, content, complaint):
    path = tmp_path / "names.json"
    path.write_text(content)
    with pytest.raises(BadBoneMap, match=complaint):
        load_engine_names(path)
    with pytest.raises(BadBoneMap, match="cannot be read"):
        load_engine_names("no such engine")
