"""The program: files in, files out, a report, and a clear word for everything that cannot be rigged."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import bpy
import numpy as np
import pytest

from geppetto.addon.batching import one_file
from geppetto.addon.batching.inputs import Found, Job, jobs_of
from geppetto.addon.batching.one_file import attempt
from geppetto.addon.batching.options import parse
from geppetto.addon.bridge.files import call_first
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.export.glb import read_glb
from geppetto.addon.formats import READERS
from geppetto.core.fitting.fit import Fitter
from geppetto.core.skeleton.preset import load_template
from tests import characters

from .batches import HAS_USD, QUICK, fresh, main, report_of, results_in, save
from .readings import SAYS, STEP, UNSURE, steps_with_readings
from .scenes import add_character, add_cube, add_mesh, bind_to_old, deformed_points, group_weights, world_points

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("suffix", [".blend", ".glb", ".gltf", ".fbx", ".obj", ".ply", ".stl",
                                    *([".usdc"] if HAS_USD else [])])
def test_every_kind_of_file_is_rigged_alike(person, tmp_path, suffix):
    fresh()
    add_character(person)
    path = save(tmp_path / f"person{suffix}")
    assert main([str(path), "--out", str(tmp_path / "out"), "--no-picture"]) == 0
    entry, = report_of(tmp_path / "out")
    assert entry["status"] == "rigged" and entry["bare_vertices"] == 0
    for name, joint in entry["joints"].items():
        if name in person.joints and suffix not in {".ply", ".stl"}:  # those two do not say which way is up
            assert np.linalg.norm(np.array(joint) - person.joints[name]) < 0.15 * person.height, name
    for written in ("person.blend", "person.glb"):
        fresh()
        if written.endswith("blend"):
            bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / written))
        else:
            bpy.ops.import_scene.gltf(filepath=str(tmp_path / "out" / written))
        armature, = (o for o in bpy.data.objects if o.type == "ARMATURE")
        assert {b.name for b in armature.data.bones} == {b.name for b in load_template("biped").bones}
        body = next(o for o in bpy.data.objects if o.type == "MESH" and o.find_armature() is armature)
        np.testing.assert_allclose(sum(group_weights(body).values()), 1, atol=1e-4)
        np.testing.assert_allclose(deformed_points(body), world_points(body), atol=1e-3 * person.height)


@pytest.mark.long
def test_many_objects_keep_their_names_materials_and_places(dressed, tmp_path):
    fresh()
    names = {o.name for o in add_character(dressed)}
    path = save(tmp_path / "dressed.glb")
    assert main([str(path), "--out", str(tmp_path / "out"), "--no-picture"]) == 0
    fresh()
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "out" / "dressed.glb"))
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and o.find_armature()]
    assert {o.name for o in meshes} == names
    assert all(len(o.data.materials) == 1 for o in meshes)


@pytest.mark.long
def test_the_report_says_all_of_it(person_blend, tmp_path):
    assert main([str(person_blend), "--out", str(tmp_path)]) == 0
    entry, = report_of(tmp_path)
    assert entry["preset"] == "biped" and entry["file"] == str(person_blend)
    assert set(entry["joints"]) == set(load_template("biped").names)
    assert np.isfinite(list(entry["joints"].values())).all()
    assert entry["vertices"] > 1000 and entry["parts"] == 1 and 1 <= entry["influences"] <= 4
    assert entry["method"] in {"heat", "geodesic"} and entry["penalty"]
    assert all(s >= 0 for s in entry["seconds"].values()) and {"Opening", "Drawing"} <= set(entry["seconds"])
    assert sorted(entry["written"]) == ["person.blend", "person.glb", "person.png"]
    for name in entry["written"]:
        assert (tmp_path / name).stat().st_size > 1000
    assert results_in(tmp_path) == sorted(entry["written"])


@pytest.mark.long
def test_the_likeliest_readings_are_in_the_report_and_only_the_first_is_rigged(person_blend, tmp_path, monkeypatch):
    monkeypatch.setattr(Fitter, "steps", steps_with_readings)
    assert main([str(person_blend), "--out", str(tmp_path), "--readings", "2", "--format", "blend"]) == 0
    entry, = report_of(tmp_path)
    first, second = entry["readings"]
    assert [(r["number"], r["says"]) for r in (first, second)] == [(1, SAYS[0]), (2, SAYS[1])]
    assert first["joints"] == entry["joints"] and first["confidence"] == entry["confidence"]
    np.testing.assert_allclose(second["joints"]["hips"], np.subtract(first["joints"]["hips"], [0, 0, STEP]), atol=1e-6)
    assert entry["least_confidence"] == 0.2 and set(entry["doubtful"]) == set(UNSURE) and entry["says"] == SAYS[0]
    assert set(second) == {"number", "says", "joints", "confidence", "warnings"}
    assert "Looking for other readings" in entry["seconds"]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "person.blend"))
    armature, = (o for o in bpy.data.objects if o.type == "ARMATURE")
    np.testing.assert_allclose(armature.matrix_world @ armature.data.bones["hips"].head_local, entry["joints"]["hips"],
                               atol=1e-5)
    hips = second["joints"]["hips"]
    (tmp_path / "all").mkdir()
    assert main([str(person_blend), "--out", str(tmp_path / "all"), "--readings", "9", *QUICK]) == 0
    assert [r["number"] for r in report_of(tmp_path / "all")[0]["readings"]] == [1, 2, 3]
    hints = person_blend.with_name("person.hints.json")
    hints.write_text(json.dumps({"hips": hips}))
    try:
        assert main([str(person_blend), "--out", str(tmp_path / "pinned"), "--readings", "3", *QUICK]) == 0
    finally:
        hints.unlink()
    pinned, = report_of(tmp_path / "pinned")
    assert all(np.allclose(r["joints"]["hips"], hips) and r["confidence"]["hips"] == 1 for r in pinned["readings"])


@pytest.mark.long
def test_one_files_hints_choose_its_reading_and_its_skeleton(person_blend, tmp_path, monkeypatch):
    monkeypatch.setattr(Fitter, "steps", steps_with_readings)
    hints, heights = person_blend.with_name("person.hints.json"), []
    try:
        for said in ({}, {"reading": 2}, {"preset": "biped_paper", "front": "-Y"}, {"reading": 4}):
            hints.write_text(json.dumps(said))
            status = main([str(person_blend), "--out", str(tmp_path), "--readings", "3", *QUICK])
            entry, = report_of(tmp_path)
            assert status == (said == {"reading": 4})
            if status:
                assert "ask for reading 4, but there are only 3" in entry["error"]
            elif "preset" in said:
                assert entry["preset"] == "biped_paper"
            else:
                first = said.get("reading", 1)
                assert [r["number"] for r in entry["readings"]] == [first, *(k for k in (1, 2, 3) if k != first)]
                assert entry["says"] == SAYS[first - 1] and entry["readings"][0]["joints"] == entry["joints"]
                heights.append(entry["joints"]["hips"][2])
    finally:
        hints.unlink()
    assert heights[0] - heights[1] == pytest.approx(STEP, abs=1e-6)


@pytest.mark.parametrize("said", [{"leg_1_2.L": [0.3, 0, 0.5]}, {"reading": 2}])
def test_hints_for_a_creature_that_the_body_is_not_say_that_it_was_turned_down(person_blend, tmp_path, said):
    path = shutil.copy(person_blend, tmp_path / "person.blend")
    (tmp_path / "person.hints.json").write_text(json.dumps({"preset": "spider"} | said))
    assert main([str(path), "--out", str(tmp_path / "out"), *QUICK]) == 1
    entry, = report_of(tmp_path / "out")
    assert entry["kind"] == "BadHint" and "person.hints.json' " in entry["error"]
    assert "unlike the skeleton 'spider': it shows 2 of 8" in entry["error"]


@pytest.mark.long
def test_an_arm_that_is_not_seen_gets_bones_if_a_joint_of_it_is_pinned(tmp_path):
    fresh()
    add_character(characters.maimed(arms="L"))
    path = save(tmp_path / "one arm.blend")
    for pinned in (False, True):
        if pinned:
            (tmp_path / "one arm.hints.json").write_text('{"hand.R": [-0.4, 0, 0.8]}')
        assert main([str(path), "--out", str(tmp_path / "out"), *QUICK]) == 0
        entry, = report_of(tmp_path / "out")
        assert ("hand.R" in entry["joints"]) == pinned
        assert any("No bones are made" in text for text in entry["warnings"]) != pinned
    np.testing.assert_allclose(entry["joints"]["hand.R"], [-0.4, 0, 0.8], atol=1e-6)


@pytest.mark.long
def test_weights_are_checked_when_asked(person_blend, tmp_path):
    said = []
    options = parse([str(person_blend), "--weight-check", "--format", "blend"])[0]
    entry, _ = attempt(Job(0, str(person_blend), "person"), tmp_path, options, "1", lambda *one: said.append(one))
    stages, shares = zip(*said, strict=True)
    assert list(shares) == sorted(shares) and (shares[0], shares[-1]) == (0, 1)
    assert {"Opening", "Drawing", "Checking the weights", "Writing the files"} <= set(entry["seconds"]) <= set(stages)
    check = entry["weight_check"]
    assert check["verdict"] in {"good", "fair", "poor"} and check["bare"] == 0
    assert {"stretch", "bleed", "volume", "worst_stretch_pose", "volume_joint"} <= set(check)
    assert (tmp_path / "person-weights.png").stat().st_size > 1000
    assert "person-weights.png" in entry["written"]
    assert main([str(person_blend), "--out", str(tmp_path / "plain"), *QUICK]) == 0
    assert "weight_check" not in report_of(tmp_path / "plain")[0]


@pytest.mark.long
def test_a_skeleton_that_is_there_is_bound_to_when_asked(person, person_blend, tmp_path):
    fresh()
    body, = add_character(person)
    rigged = auto_rig(bpy.context, [body], load_template("biped"))
    rigged.armature.name = "Mine"
    body.vertex_groups.clear()
    path = save(tmp_path / "mine.blend")
    arguments = ["--rig", "existing", "--out", str(tmp_path / "out"), *QUICK]
    assert main([str(path), str(person_blend), *arguments]) == 0
    mine, none = report_of(tmp_path / "out")
    assert "readings" not in mine and mine["confidence"] == {} and len(none["readings"]) == 1
    assert mine["preset"] == "" and mine["bones"] == len(rigged.rig.names) and none["preset"] == "biped"
    np.testing.assert_allclose(mine["joints"]["forearm.L"], rigged.rig.joints["forearm.L"], atol=1e-5)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "mine.blend"))
    armature, = (o for o in bpy.data.objects if o.type == "ARMATURE")
    assert armature.name == "Mine"
    body = next(o for o in bpy.data.objects if o.type == "MESH")
    np.testing.assert_allclose(sum(group_weights(body).values()), 1, atol=1e-4)
    (tmp_path / "mine.hints.json").write_text('{"forearm.L": [0, 0, 1]}')
    assert main([str(path), *arguments]) == 1
    assert "skeleton of its own" in report_of(tmp_path / "out")[0]["error"]


@pytest.mark.long
def test_a_preset_for_another_kind_of_body_is_warned_about_and_auto_chooses(person_blend, tmp_path):
    for preset, used, word in (("quadruped", "quadruped", "'biped' suits it better"), ("auto", "biped", "")):
        assert main([str(person_blend), "--out", str(tmp_path), "--preset", preset, "--no-picture"]) == 0
        entry, = report_of(tmp_path)
        assert entry["preset"] == used
        assert word in " ".join(entry["warnings"]) and ("suits it better" in " ".join(entry["warnings"])) == bool(word)


@pytest.mark.long
def test_fbx_and_usd_can_be_written_too(person_blend, tmp_path):
    kinds = {"fbx": ("person.fbx", bpy.ops.import_scene.fbx)}
    if HAS_USD:
        kinds["usd"] = ("person.usdz", bpy.ops.wm.usd_import)
    assert main([str(person_blend), "--out", str(tmp_path), "--format", ",".join(kinds), "--no-picture"]) == 0
    for name, load in kinds.values():
        fresh()
        load(filepath=str(tmp_path / name))
        armature, = (o for o in bpy.data.objects if o.type == "ARMATURE")
        assert len(armature.data.bones) >= len(load_template("biped").bones)


@pytest.mark.long
@pytest.mark.skipif(not HAS_USD, reason="this Blender was built without USD")
def test_a_usd_file_holds_the_first_motion_and_says_what_it_lacks(person_blend, tmp_path):
    arguments = [str(person_blend), "--out", str(tmp_path), "--format", "blend,usd", "--no-picture", "--motion", "jump"]
    assert main([*arguments, "--motion", "wave"]) == 0
    entry, = report_of(tmp_path)
    assert [text for text in entry["warnings"] if "usdz" in text] == [
        f"A .usdz holds one motion: '{entry['motions'][0]['name']}'. Files of other formats have all 2."]
    seen = []
    for name, load in (("person.blend", bpy.ops.wm.open_mainfile), ("person.usdz", bpy.ops.wm.usd_import)):
        fresh()
        load(filepath=str(tmp_path / name))
        body = next(o for o in bpy.data.objects if o.type == "MESH")
        seen.append([])
        for frame in (1, 20, 40):
            bpy.context.scene.frame_set(frame)
            seen[-1].append(deformed_points(body))
    assert np.abs(seen[0][1] - seen[0][0]).max() > 0.1
    np.testing.assert_allclose(seen[1], seen[0], atol=1e-4)
    assert main(arguments) == 0 and not any("usdz" in text for text in report_of(tmp_path)[0]["warnings"])


@pytest.mark.long
def test_a_loop_in_a_glb_begins_at_once_and_lasts_one_round(person_blend, tmp_path):
    assert main([str(person_blend), "--out", str(tmp_path), "--format", "glb", "--no-picture", "--motion", "walk"]) == 0
    made, = report_of(tmp_path)[0]["motions"]
    tree, _ = read_glb((tmp_path / "person.glb").read_bytes())
    times = [tree["accessors"][one["input"]] for one in tree["animations"][0]["samplers"]]
    assert {time["min"][0] for time in times} == {0.0}
    assert max(time["max"][0] for time in times) == pytest.approx(made["frames"] / made["rate"])


@pytest.mark.long
def test_pictures_of_one_name_stay_apart(person, tmp_path):
    for folder, grey in (("one", 0.25), ("two", 0.75)):
        fresh()
        body, = add_character(person)
        body.data.uv_layers.new()
        image = bpy.data.images.new("skin", 4, 4)
        image.pixels = [grey, grey, grey, 1.0] * 16
        image.pack()
        material = body.data.materials[0]
        material.use_nodes = True
        nodes = material.node_tree.nodes
        picture = nodes.new("ShaderNodeTexImage")
        picture.image = image
        shader, = (node for node in nodes if node.type == "BSDF_PRINCIPLED")
        material.node_tree.links.new(picture.outputs["Color"], shader.inputs["Base Color"])
        (tmp_path / folder).mkdir()
        save(tmp_path / folder / "doll.blend")
    suffixes = {"blend": ".blend", "glb": ".glb", **({"usd": ".usdz"} if HAS_USD else {})}
    files = [str(tmp_path / folder / "doll.blend") for folder in ("one", "two")]
    assert main([*files, "--out", str(tmp_path / "out"), "--no-picture", "--format", ",".join(suffixes)]) == 0
    assert results_in(tmp_path / "out") == sorted(f"doll{n}{s}" for n in ("", "-2") for s in suffixes.values())
    for stem, grey in (("doll", 0.25), ("doll-2", 0.75)):
        for suffix in suffixes.values():
            fresh()
            call_first(*READERS[suffix], tmp_path / "out" / (stem + suffix))
            image = next(image for image in bpy.data.images if image.name.startswith("skin"))
            assert image.pixels[0] == pytest.approx(grey, abs=0.01), (stem, suffix)


def test_an_armature_in_the_file_is_kept_and_the_new_one_stands_beside_it(person, tmp_path):
    fresh()
    body, = add_character(person)
    bind_to_old(body, "head", [0, 1, 2])
    path = save(tmp_path / "old.blend")
    assert main([str(path), "--out", str(tmp_path / "out"), *QUICK]) == 0
    entry, = report_of(tmp_path / "out")
    assert any("'Old'" in warning for warning in entry["warnings"])
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "old.blend"))
    assert len(bpy.data.armatures) == 2 and bpy.data.objects["Old"].data.bones.keys() == ["head"]


@pytest.mark.long
def test_a_glb_holds_the_whole_of_what_modifiers_make_with_its_shape_keys(person, tmp_path):
    fresh()
    body, = add_character(person)
    points, faces = np.asarray(person.mesh.vertices), np.asarray(person.mesh.faces)
    used, half = np.unique(faces[(points[faces][:, :, 0] >= -1e-9).all(1)], return_inverse=True)
    body.data = add_mesh("half", points[used], half.reshape(-1, 3)).data
    bpy.data.objects.remove(bpy.data.objects["half"])
    body.modifiers.new("Mirror", "MIRROR").merge_threshold = 1e-4
    body.shape_key_add(name="Basis")
    body.shape_key_add(name="Smile").data[0].co.z += 0.01
    name = body.name
    path = save(tmp_path / "half.blend")
    assert main([str(path), "--out", str(tmp_path / "out"), "--no-picture"]) == 0
    entry, = report_of(tmp_path / "out")
    assert not any("shape keys" in warning for warning in entry["warnings"])
    fresh()
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "out" / "half.glb"))
    whole, = (o for o in bpy.data.objects if o.type == "MESH" and o.find_armature())
    x = world_points(whole)[:, 0]
    assert x.min() == pytest.approx(-x.max(), abs=1e-3 * person.height)
    assert "Smile" in whole.data.shape_keys.key_blocks
    weights = group_weights(whole)
    assert weights["hand.R"][x < 0.9 * x.min()].min() > 0.5 > weights["hand.L"][x < 0.9 * x.min()].max()
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "half.blend"))
    assert "Smile" in bpy.data.objects[name].data.shape_keys.key_blocks


@pytest.mark.long
def test_scripts_in_a_file_do_not_run(person, tmp_path):
    fresh()
    add_character(person)
    trace = tmp_path / "trace"
    text = bpy.data.texts.new("evil.py")
    text.write(f"open({str(trace)!r}, 'w').write('ran')\n")
    text.use_module = True
    driver = add_cube("driven").driver_add("location", 0).driver
    driver.expression = f"open({str(trace)!r}, 'w').write('ran')"
    bpy.data.objects["driven"].hide_set(True)
    path = save(tmp_path / "evil.blend")
    trace.unlink(missing_ok=True)  # the driver ran while this test built it
    main([str(path), "--out", str(tmp_path / "out"), *QUICK])
    assert not trace.exists()


def test_the_inputs_are_not_touched_even_in_their_own_folder(person_blend, tmp_path):
    path = tmp_path / "person.blend"
    path.write_bytes(person_blend.read_bytes())
    assert main([str(path), "--out", str(tmp_path), *QUICK]) == 0
    assert path.read_bytes() == person_blend.read_bytes()
    assert report_of(tmp_path)[0]["written"] == ["person-2.blend"]
    for name in (str(tmp_path), str(tmp_path / "*")):
        assert main([name, "--out", str(tmp_path), *QUICK, "--resume"]) == 0
        assert [entry["written"] for entry in report_of(tmp_path)] == [["person-2.blend"]], "results are no inputs"
    assert sorted(p.name for p in tmp_path.glob("*.blend")) == ["person-2.blend", "person.blend"]


def test_names_of_results_are_distinct_and_never_an_inputs():
    def names(files, formats):
        return [job.target for job in jobs_of(map(Found, files), Path("out"), formats)]

    assert names(["a/x.glb", "b/x.obj", "X.fbx", "y.v2.glb"], ["blend"]) == ["x", "x-2", "X-3", "y.v2"]
    assert names(["out/x.blend", "x-2.glb"], ["blend", "glb"]) == ["x-2", "x-2-2"]


def test_an_unknown_preset_names_those_there_are(person_blend, tmp_path, capsys):
    assert main([str(person_blend), "--out", str(tmp_path / "out"), "--preset", "teapot"]) == 2
    said = capsys.readouterr().err
    assert "'teapot'" in said and "quadruped" in said
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_named(person_blend, tmp_path, capsys):
    (tmp_path / "taken").write_text("a file")
    assert main([str(person_blend), "--out", str(tmp_path / "taken" / "out")]) == 2
    assert str(tmp_path / "taken" / "out") in capsys.readouterr().err


def test_no_file_and_a_wrong_option_end_with_the_usage(capsys):
    for arguments in ([], ["a.glb", "--format", "docx"], ["a.glb", "--method", "magic"]):
        with pytest.raises(SystemExit) as end:
            main(arguments)
        assert end.value.code == 2
    assert "FILE" in capsys.readouterr().err


@pytest.mark.long
def test_two_inputs_of_one_name_are_both_kept(person_blend, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    (other / "person.blend").write_bytes(person_blend.read_bytes())
    assert main([str(person_blend), str(other / "person.blend"), "--out", str(tmp_path / "out"), *QUICK]) == 0
    assert results_in(tmp_path / "out") == ["person-2.blend", "person.blend"]


def run_program(*arguments) -> subprocess.CompletedProcess:
    """The program as people start it."""
    program = str(ROOT / "addon" / "batch.py")
    start = ([bpy.app.binary_path, "--background", "--factory-startup", "--python", program, "--"]
             if bpy.app.binary_path else [sys.executable, program])
    return subprocess.run([*start, *map(str, arguments)], capture_output=True, text=True, check=False)


@pytest.mark.long
def test_the_program_runs_by_itself(person_blend, tmp_path):
    done = run_program(person_blend, "--out", tmp_path / "o ut")
    assert done.returncode == 0, done.stderr
    assert "1 of 1 rigged" in done.stdout and "[1/1] person.blend  rigged as biped: 2" in done.stdout
    assert (tmp_path / "o ut" / "person.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.long
def test_a_file_that_crashes_blender_is_an_entry_like_any_other(person_blend, tmp_path):
    deadly = tmp_path / "deadly.ply"
    deadly.write_bytes(b"ply\nformat ascii 1.0\nelement")  # Blender's importer aborts the whole process on it
    done = run_program(person_blend, deadly, person_blend, "--out", tmp_path / "out", *QUICK)
    assert done.returncode == 1
    first, crashed, last = report_of(tmp_path / "out")
    assert first["status"] == last["status"] == "rigged"
    assert crashed["kind"] == "Crash" and str(deadly) in crashed["error"] and crashed["error"] in done.stdout


@pytest.mark.long
@pytest.mark.parametrize(("how", "is_joined"), [("each", False), ("each", True), ("one", False)])
def test_a_crowd_on_a_floor_gets_a_rig_each_unless_it_is_said_to_be_one(person, tmp_path, monkeypatch, how, is_joined):
    monkeypatch.setattr(one_file, "MOST_BODIES", 3)
    fresh()
    for k in range(3):
        body, = add_character(person)
        body.name, body.location.x = f"person {k}", 2.5 * k
        body.scale = (1 - 0.2 * k,) * 3
    if is_joined:
        for o in bpy.data.objects:
            o.select_set(True)
        bpy.context.view_layer.objects.active = bpy.data.objects[0]
        bpy.ops.object.join()
    add_mesh("floor", [(-9, -9, 0), (9, -9, 0), (9, 9, 0), (-9, 9, 0)], [(0, 1, 2, 3)])
    path = save(tmp_path / "crowd.blend")
    assert main([str(path), "--out", str(tmp_path / "out"), "--no-picture", "--format", "blend", "--characters", how,
                 "--preset", "biped"]) == 0
    entry, = report_of(tmp_path / "out")
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "crowd.blend"))
    rigs = {o.find_armature() for o in bpy.data.objects if o.type == "MESH" and o.name != "floor"}
    floor = bpy.data.objects["floor"]
    if how == "one":
        assert len(rigs) == 1 and floor.find_armature() in rigs
        return
    assert len(rigs) == 3 and None not in rigs and floor.find_armature() is None
    told = " ".join(entry["warnings"])
    assert "3 characters stand apart" in told and "'floor' is ground" in told
    assert "left as they are" not in told
    others = entry["others"]
    assert [(other["preset"], other["joints"].keys()) for other in others] == [("biped", entry["joints"].keys())] * 2
    assert len({other["name"] for other in others}) == 2
    assert entry["seconds"]["Other characters"] > 0


@pytest.mark.long
def test_of_a_scene_full_of_bodies_the_largest_are_rigged(person, tmp_path, monkeypatch):
    monkeypatch.setattr(one_file, "MOST_BODIES", 2)
    fresh()
    body, = add_character(person)
    for k in range(1, 4):
        other = body.copy()  # of the same mesh
        other.name, other.location.x = f"person {k}", 2.5 * k
        bpy.context.scene.collection.objects.link(other)
    path = save(tmp_path / "crowd.blend")
    assert main([str(path), "--out", str(tmp_path / "out"), *QUICK, "--preset", "biped"]) == 0
    told = " ".join(report_of(tmp_path / "out")[0]["warnings"])
    assert "4 bodies stand apart in this file: the 2 largest got a rig" in told
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "crowd.blend"))
    assert sum(o.find_armature() is not None for o in bpy.data.objects if o.type == "MESH") == 2
    assert sum(o.type == "ARMATURE" for o in bpy.data.objects) == 2
