"""The extension in a real window: each scenario in a Blender of its own.  `make test-window BLENDER=path`."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SCENARIOS = ["press_the_button", "adjust_the_last_operation", "cancel_the_job", "rig_a_large_character",
             "rig_and_move", "move_together", "cancel_a_motion",
             "drag_joints", "click_cancel_and_free_joints", "drag_joints_of_large_characters", "do_nothing",
             "readable_on_a_light_theme", "open_files_and_switch_off", "slide_the_sharpness",
             "press_anything", "change_a_finished_rig", "other_reading", "skeleton_from_shape", "limb_by_click",
             "limbs_in_a_quad_view", "drag_a_third_arm",
             "rig_as_the_other", "stand_up_at_a_click", "stand_up_a_creature",
             "two_characters", "undo_strokes_after_the_rig",
             "rig_and_walk_asks", "apply_and_discard", "joints_of_a_walker",
             "buttons_in_pose_mode", "handles_from_the_side", "fly_to_doubts", "make_a_control_rig", "control_a_spider",
             "export_for_engines", "clothes_follow", "chains_follow",
             "check_the_weights", "search_finds_it", "views_and_scenes", "scenes_while_it_works", "read_scripts_anew",
             "panels_on_a_dark_theme", "panels_on_a_light_theme", "panels_in_german", "picture_for_the_readme"]

SIZE = os.environ.get("WINDOW_SIZE", "1400x900")  # where people click is known for this size


@pytest.mark.parametrize("scenario", os.environ.get("WINDOW_SCENARIOS", ",".join(SCENARIOS)).split(","))
def test_scenario(scenario):
    folder = ROOT / ".build" / "window" / os.environ.get("WINDOW_PICTURES", "") / scenario
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "result.json").unlink(missing_ok=True)
    home = {"BLENDER_USER_RESOURCES": tempfile.mkdtemp(dir=folder)}
    run = subprocess.run([os.environ["BLENDER"], "--factory-startup", "--window-geometry", "0", "0", *SIZE.split("x"),
                          "--python-exit-code", "3", "--python", str(HERE / "window.py"), "--", scenario, str(folder)],
                         capture_output=True, text=True, timeout=300, check=False,
                         env=os.environ | home)
    assert (folder / "result.json").exists(), f"Blender ended with {run.returncode}:\n{run.stdout}\n{run.stderr}"
    result = json.loads((folder / "result.json").read_text(encoding="utf-8"))
    assert result["passed"], f"{result.get('why')}\n{run.stdout[-3000:]}\n{run.stderr[-3000:]}"
    told = run.stdout + run.stderr  # Blender's own scripts may complain, ours may not
    assert f'File "{ROOT}' not in told, told
    print(scenario, result["measured"])
