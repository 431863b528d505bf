"""--for and --rest of the program."""

from __future__ import annotations

import json

import bpy
import numpy as np
import pytest

from geppetto.addon.batching.options import RigOptions, parse
from geppetto.addon.export.glb import read_glb
from geppetto.core.skeleton.engine import PRESETS
from tests.characters import quadruped

from .batches import QUICK, fresh, main, report_of, results_in, save
from .scenes import add_character, world_points


@pytest.mark.long
def test_a_file_for_each_engine_the_motion_in_it(person_blend, tmp_path):
    (tmp_path / "mine.json").write_text(json.dumps(json.loads((PRESETS / "godot.json").read_text()) | {"name": "mine"}))
    out = tmp_path / "out"
    assert main([str(person_blend), "--out", str(out), *QUICK, "--motion", "walk", "--for",
                 f"unreal,vrm,{tmp_path / 'mine.json'}"]) == 0
    entry, = report_of(out)
    assert [e["file"] for e in entry["engines"]] == ["person-unreal.fbx", "person-vrm.vrm", "person-mine.glb"]
    assert [e["motions"] for e in entry["engines"]] == [["walk"], [], ["walk"]]
    assert [text for text in entry["warnings"] if "motion" in text] == [
        "VRM knows no motions: 'person-vrm.vrm' holds the character without one."]
    assert results_in(out) == ["person-mine.glb", "person-unreal.fbx", "person-vrm.vrm", "person.blend"]
    assert set(entry["written"]) == set(results_in(out))
    assert {"Moving", "Writing the files"} <= set(entry["seconds"])
    tree, _ = read_glb((out / "person-vrm.vrm").read_bytes())
    assert tree["extensions"]["VRMC_vrm"]["meta"]["name"] == "person"
    assert main([str(person_blend), "--out", str(out), *QUICK, "--motion", "walk", "--resume", "--for",
                 f"unreal,vrm,{tmp_path / 'mine.json'}"]) == 0


@pytest.mark.slow
def test_motions_of_one_name_keep_a_picture_each_and_are_told_by_their_actions(person_blend, tmp_path):
    out = tmp_path / "out"
    assert main([str(person_blend), "--out", str(tmp_path / "walks"), "--format", "glb", "--no-picture", "--detail",
                 "body", "--motion", "walk"]) == 0
    (tmp_path / "walk.glb").write_bytes((tmp_path / "walks" / "person.glb").read_bytes())
    assert main([str(person_blend), "--out", str(out), "--format", "blend", "--motion", "walk", "--motion",
                 str(tmp_path / "walk.glb"), "--trim", "0:3"]) == 0
    entry, = report_of(out)
    assert set(entry["written"]) == set(results_in(out)), "nothing half written stays"
    assert {"person-walk.png", "person-walk-2.png"} <= set(entry["written"])
    bpy.ops.wm.open_mainfile(filepath=str(out / "person.blend"))
    assert sorted(one["name"] for one in entry["motions"]) == sorted(action.name for action in bpy.data.actions)


@pytest.mark.long
@pytest.mark.parametrize("pose", ["T", "A"])
def test_people_come_out_in_the_rest_pose_asked_for(person_blend, tmp_path, pose):
    assert main([str(person_blend), "--out", str(tmp_path), *QUICK, "--rest", pose]) == 0
    joints = report_of(tmp_path)[0]["joints"]
    fresh()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "person.blend"))
    armature, = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    start, end = (np.array(armature.data.bones[f"{n}.L"].head_local) for n in ("upper_arm", "hand"))
    slope = (start - end)[2] / np.linalg.norm(start - end)
    assert np.isclose(slope, {"T": 0.0, "A": np.sqrt(0.5)}[pose], atol=1e-4)
    body = next(o for o in bpy.data.objects if o.type == "MESH")
    assert np.ptp(world_points(body)[:, 0]) > 2 * abs(end[0])
    assert joints["hand.L"][2] < joints["upper_arm.L"][2], "the report tells of the character as it was"


@pytest.mark.slow
def test_an_animal_stays_as_modelled_and_all_people_of_its_file_come_into_the_rest_pose(person, tmp_path):
    fresh()
    animal = add_character(quadruped(vertices=6000))
    for o in animal:
        o.location.x = 3
    for x in (0, -3):
        for o in add_character(person):
            o.location.x = x
    before = world_points(animal[0]) + (3, 0, 0)
    name, path = animal[0].name, save(tmp_path / "zoo.blend")
    assert main([str(path), "--out", str(tmp_path / "out"), *QUICK, "--rest", "T"]) == 0
    entry, = report_of(tmp_path / "out")
    assert entry["preset"] == "quadruped" and any("zoo rig' was not brought into the T-pose" in w
                                                  for w in entry["warnings"])
    assert not [w for other in entry["others"] for w in other["warnings"] if "T-pose" in w]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "zoo.blend"))
    people = [o for o in bpy.data.objects if o.type == "ARMATURE" and "hand.L" in o.data.bones]
    assert len(people) == 2
    for armature in people:
        start, end = (np.array(armature.data.bones[f"{n}.L"].head_local) for n in ("upper_arm", "hand"))
        assert abs((start - end)[2]) < 1e-4 * np.linalg.norm(start - end)
    np.testing.assert_allclose(world_points(bpy.data.objects[name]), before, atol=1e-6)


@pytest.mark.long
def test_an_animal_for_a_vrm_is_told_so_and_keeps_its_other_files(tmp_path):
    fresh()
    add_character(quadruped())
    path = save(tmp_path / "rex.blend")
    out = tmp_path / "out"
    assert main([str(path), "--out", str(out), *QUICK, "--for", "vrm,godot"]) == 0
    entry, = report_of(out)
    said, = (text for text in entry["warnings"] if "'rex-vrm.vrm' was left out" in text)
    assert "VRM knows only people's skeletons" in said and "Unreal" in said
    assert results_in(out) == ["rex-godot.glb", "rex.blend"] == sorted(entry["written"])
    assert [(one["engine"], one["person"]) for one in entry["engines"]] == [("godot", False)]


def test_options_say_which_engines_there_are(tmp_path, capsys):
    config = tmp_path / "run.toml"
    config.write_text('files = ["a.glb"]\nfor = ["unity", "vrm"]\nrest = "T"\n')
    rig, _ = parse(["--config", str(config)])
    assert rig == RigOptions(for_=("unity", "vrm"), rest="T") == RigOptions.from_message(rig.as_message())
    with pytest.raises(SystemExit):
        parse(["a.glb", "--for", "doom"])
    assert "doom" in (said := capsys.readouterr().err) and "unreal" in said
