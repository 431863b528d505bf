"""Frame rates that are no whole numbers: Blender's glTF scripts multiply by the base that Blender divides by."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.bridge.files import Outputs
from geppetto.addon.bridge.motion_file import motions_in
from geppetto.addon.export.exporting import export_for
from geppetto.addon.export.glb import read_glb
from geppetto.core.skeleton.engine import load_engine

from .test_export import walker

pytestmark = pytest.mark.usefixtures("rigged_once")


def seconds_of(path) -> float:
    """How long the first animation of a file takes."""
    tree, _ = read_glb(path.read_bytes())
    inputs = [tree["accessors"][one["input"]] for one in tree["animations"][0]["samplers"]]
    return max(one["max"][0] for one in inputs)


@pytest.mark.long
@pytest.mark.parametrize(("fps", "base"), [(30, 1.001), (60, 2.5), (24, 1.0)])
def test_a_motion_takes_as_long_in_a_glb_as_in_the_scene_and_as_long_again_read_back(context, person, tmp_path, fps,
                                                                                    base):
    _, armature = walker(context, person)
    action = armature.animation_data.action
    frames = np.ptp(action.frame_range)
    render = context.scene.render
    render.fps, render.fps_base = fps, base
    export_for(context, armature, load_engine("godot"), tmp_path / "out.glb")
    with Outputs() as outputs:
        outputs.scene("glb", tmp_path / "plain.glb")
    assert (render.fps, render.fps_base) == (fps, pytest.approx(base))
    for name in ("out.glb", "plain.glb"):
        assert seconds_of(tmp_path / name) == pytest.approx(frames * base / fps, rel=1e-5)
        assert motions_in(context, tmp_path / name)[0].seconds == pytest.approx(frames * base / fps, rel=1e-4)
    assert len(bpy.data.armatures) == 1
