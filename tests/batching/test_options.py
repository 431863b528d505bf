"""The command line and its twin, the config file."""

from __future__ import annotations

import json
import os

import pytest

from geppetto.addon.batching.options import RigOptions, RunOptions, ends_of, job_count, parse
from geppetto.addon.formats import BadFile
from geppetto.core.errors import BadTemplate
from geppetto.core.fitting.from_shape import check_preset


def test_a_config_file_says_what_the_command_line_says(tmp_path):
    told = ["a.glb", "--preset", "quadruped", "--format", "glb,fbx", "--no-picture", "--jobs", "3", "--resume"]
    toml = tmp_path / "run.toml"
    toml.write_text('files = ["a.glb"]\npreset = "quadruped"\nformat = ["glb", "fbx"]\npicture = false\njobs = 3\n'
                    "resume = true\n")
    as_json = tmp_path / "run.json"
    as_json.write_text("\ufeff" + json.dumps({  # which some editors of Windows put in front
        "files": ["a.glb"], "preset": "quadruped", "format": "glb,fbx", "picture": False, "jobs": 3, "resume": True}),
                       encoding="utf-8")
    rig, run = parse(told)
    for config in (toml, as_json):
        again_rig, again_run = parse(["--config", str(config)])
        assert again_rig == rig == RigOptions(preset="quadruped", format=("glb", "fbx"), picture=False)
        assert again_run == RunOptions(**{**vars(run), "config": str(config)})


def test_the_command_line_counts_more(tmp_path):
    config = tmp_path / "run.toml"
    config.write_text('files = ["a.glb"]\njobs = 3\nresume = true\nout = "there"\n')
    _, run = parse(["b.glb", "--config", str(config), "--jobs", "1", "--no-resume"])
    assert (run.files, run.jobs, run.resume, run.out) == (("b.glb",), 1, False, "there")


def test_a_list_is_named_as_among_the_files_and_one_from_standard_input_by_a_dash():
    for given, files in ((["--list", "all.txt"], ("@all.txt",)), (["a.glb", "--list", "-"], ("a.glb", "-"))):
        assert parse(given)[1].files == files


@pytest.mark.parametrize(("text", "says"), [
    ("prest = 'horse'\n", "'prest', which is no option"), ("config = 'x.toml'\n", "no option"), ("= 3", "not TOML"),
    ("resume = 'yes'\n", "'resume' as true or false"), ("twists = true\n", "'twists' as a text or a number"),
    ("preset = {a = 1}\n", "'preset' as a text"), ("motion = ['walk', true]\n", "'motion' as a text"),
    ("files = 'a.glb'\n", "list of names")])
def test_a_config_file_that_makes_no_sense_is_named(tmp_path, text, says):
    config = tmp_path / "run.toml"
    config.write_text(text)
    with pytest.raises(BadFile, match=says):
        parse(["a.glb", "--config", str(config)])
    with pytest.raises(BadFile, match=r"gone\.toml"):
        parse(["--config", str(tmp_path / "gone.toml")])


@pytest.mark.parametrize("wrong", [["--jobs", "-1"], ["--jobs", "1.5"], ["--readings", "0"],
                                   ["--readings", "many"], ["--timeout", "nan"], ["--memory", "much"],
                                   ["--format", "docx"], ["--format", ""], ["--method", "magic"], ["--what"],
                                   ["--style", "joy=1"], ["--style", "energy=3"], ["--jobs", "0"],
                                   ["--up", "Z", "--front=-Z"], ["--speed", "1.4"], ["--trim", "1:5"], ["--no-drift"],
                                   ["--travel", "root"], ["--fps", "24"], ["--rest-frame", "0"],
                                   ["--fingers", "6"], ["--twists", "4"], ["--without", "base,haird"],
                                   ["--without", "prop"], ["--without", "cape.X"], ["--out", ""],
                                   ["--trim", "10:5", "--motion", "walk"]])
def test_a_wrong_option_ends_with_the_usage(wrong, capsys):
    with pytest.raises(SystemExit) as end:
        parse(["a.glb", *wrong])
    assert end.value.code == 2 and wrong[0] in capsys.readouterr().err


@pytest.mark.parametrize(("switch", "text", "says"), [
    ("jobs", "1.5", "invalid whole number value: '1.5'"), ("timeout", "soon", "invalid number value: 'soon'"),
    ("timeout", "inf", "inf is not a number from 0 up"), ("readings", "0", "0 is not a number from 1 up")])
def test_what_a_number_should_be_is_told(switch, text, says, capsys):
    with pytest.raises(SystemExit):
        parse(["a.glb", f"--{switch}", text])
    assert capsys.readouterr().err.endswith(f"argument --{switch}: {says}\n")


def test_a_value_that_a_config_file_gets_wrong_is_told_with_the_files_name(tmp_path, capsys):
    config = tmp_path / "run.toml"
    config.write_text("up = 'z'\n")
    with pytest.raises(SystemExit) as end:
        parse(["a.glb", "--config", str(config)])
    said = capsys.readouterr().err
    assert end.value.code == 2 and said.startswith("usage: geppetto [") and f"'{config}': error: argument --up" in said


@pytest.mark.parametrize("given", [[], ["--jobs", "3"]])
def test_a_run_without_files_asks_which(given, capsys):
    with pytest.raises(SystemExit) as end:
        parse(given)
    assert end.value.code == 2 and "which files?" in capsys.readouterr().err


@pytest.mark.parametrize(("switch", "least"), [("jobs", 1), ("readings", 1), ("timeout", 0), ("memory", 0),
                                               ("recycle", 0), ("fps", 0), ("reduce", 0), ("twists", 0)])
def test_the_least_that_an_option_takes(switch, least):
    rig, run = parse(["a.glb", f"--{switch}", str(least)])
    assert (vars(rig) | vars(run))[switch] == least


def test_every_name_of_a_thing_can_be_left_out():
    said = ("base, cape hair,hair_2 ear.L ear_2.R skirt wing.L wing_2.R prop_hand.R prop_hand_2.L prop_upper_arm.L "
            "prop_chest")
    assert parse(["a.glb", "--without", said])[0].without == said


def test_the_ends_of_a_motion():
    said = {"10:120": (10, 120), "0:0": (0, 0), ":5": (0, 5), "3:": (3, -1), "3:-1": (3, -1), "": (0, -1)}
    assert {text: ends_of(text) for text in said} == said
    for wrong in ("-1:5", "1:-2", "a:b", "1:2:3"):
        with pytest.raises(ValueError):
            ends_of(wrong)


def test_help_tells_what_holds_if_nothing_is_said(capsys):
    with pytest.raises(SystemExit):
        parse(["--help"])
    said = " ".join(capsys.readouterr().out.split())
    for word in ("(default: auto)", "(default: blend,glb)", "(default: 900)", "(default: out)", "--no-picture"):
        assert word in said, word
    assert not any(f"(default: {nothing})" in said for nothing in ("", "0", "()", "True", "False"))


def test_readings_are_counted_from_one_and_change_what_is_made(tmp_path):
    config = tmp_path / "run.toml"
    config.write_text("readings = 2\n")
    assert parse(["a.glb"])[0].readings == 1
    assert parse(["a.glb", "--readings", "3"])[0] == RigOptions(readings=3) != RigOptions()
    assert parse(["a.glb", "--config", str(config)])[0].readings == 2
    config.write_text("readings = 0\n")
    with pytest.raises(SystemExit):
        parse(["a.glb", "--config", str(config)])


def test_motions_add_up_and_the_command_line_counts_more_than_a_config_file(tmp_path):
    config = tmp_path / "run.toml"
    config.write_text('motion = ["swim", "a,b.bvh"]\n')
    assert parse(["a.glb"])[0].motion == ()
    assert parse(["a.glb", "--motion", "walk", "--motion", "run", "--motion", "walk"])[0].motion == ("walk", "run")
    assert parse(["a.glb", "--config", str(config), "--speed", "1.4"])[0].motion == ("swim", "a,b.bvh")
    assert parse(["a.glb", "--config", str(config), "--motion", "walk"])[0].motion == ("walk",)
    rig = RigOptions(motion=("walk", "run"))
    assert RigOptions.from_message(json.loads(json.dumps(rig.as_message()))) == rig


def test_an_unknown_engine_or_preset_names_those_there_are(capsys):
    with pytest.raises(SystemExit):
        parse(["a.glb", "--for", "unrael"])
    said = capsys.readouterr().err
    assert "no engine 'unrael'. Choose one of: godot," in said and ".json'" not in said
    with pytest.raises(BadTemplate, match=r"'dragn'\. Choose one of: biped,.* dragon,.*shape"):
        check_preset("dragn")


def test_two_engines_that_would_write_one_file_are_named(tmp_path, capsys):
    mine = tmp_path / "mine.json"
    data = {"format": "geppetto-engine", "version": 2, "container": "fbx", "rest": "T", "bones": {"hips": "Hips"}}
    mine.write_text(json.dumps(data | {"name": "unity"}))
    with pytest.raises(SystemExit):
        parse(["a.glb", "--for", f"unity,{mine}"])
    assert f"'unity' and '{mine}' would write one file" in capsys.readouterr().err
    mine.write_text(json.dumps(data | {"name": "own"}))
    assert parse(["a.glb", "--for", f"unity,{mine}"])[0].for_ == ("unity", str(mine))


def test_options_go_to_the_processes_and_back():
    rig = RigOptions(preset="horse", format=("usd",), picture=False, readings=3)
    assert RigOptions.from_message(json.loads(json.dumps(rig.as_message()))) == rig


@pytest.mark.parametrize("words", [["--front", "-Y", "--up", "Z"], ["--front=-Y", "--up=Z"]])
def test_directions_may_begin_with_a_minus(words):
    rig, run = parse([*words, "a.glb"])
    assert (rig.front, rig.up, run.files) == ("-Y", "Z", ("a.glb",))


@pytest.mark.parametrize(("quota", "count"), [("max 100000", 4), ("200000 100000", 2), ("150000 100000", 2),
                                              ("10000 100000", 1), ("900000 100000", 4)])
def test_a_container_that_is_granted_less_time_works_on_fewer_files_at_a_time(monkeypatch, tmp_path, quota, count):
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 1, 2, 3}, raising=False)
    (tmp_path / "cpu.max").write_text(f"{quota}\n")
    monkeypatch.setattr("geppetto.addon.batching.options.QUOTA", tmp_path / "cpu.max")
    assert job_count(RunOptions()) == count


def test_as_many_files_are_worked_on_at_a_time_as_asked_or_as_this_process_has_cores(monkeypatch, tmp_path):
    monkeypatch.setattr("geppetto.addon.batching.options.QUOTA", tmp_path / "none")
    assert job_count(RunOptions(jobs=3)) == 3
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: {0, 2, 5, 7}, raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 64)
    assert job_count(RunOptions()) == 4
    monkeypatch.delattr(os, "sched_getaffinity")  # as on Windows and macOS
    assert job_count(RunOptions()) == 64
    monkeypatch.setattr(os, "cpu_count", lambda: None)  # unknown
    assert job_count(RunOptions()) == 1
