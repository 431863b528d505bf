"""Scenes as artists have them, handed to engines: other units, poses that have no keys yet."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.export.exporting import export_for
from geppetto.addon.formats import ENGINE_SUFFIX
from geppetto.addon.motion.moving import move
from geppetto.core.skeleton.engine import load_engine
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character
from .test_export import NEAR, read_back, walker


@pytest.mark.parametrize("engine", ["unity", "godot"])
def test_a_scene_in_centimetres_comes_out_as_large_as_one_in_metres(context, person, tmp_path, engine):
    engine, found = load_engine(engine), []
    path = tmp_path / f"out{ENGINE_SUFFIX[engine.container]}"
    body, = add_character(person)
    for size in (1.0, 100.0):
        body.scale, context.scene.unit_settings.scale_length = (size,) * 3, 1.0 / size
        context.scene.render.fps = 30
        context.view_layer.update()
        armature = auto_rig(context, [body], load_template("biped")).armature
        move(context, armature, "walk")
        export_for(context, armature, engine, path)
        found.append(read_back(context, path, [body.name]))
        body, = add_character(person)
    for metres, centimetres in zip(*found, strict=True):
        np.testing.assert_allclose(centimetres, metres, atol=10 * NEAR * np.ptp(metres[:, 2]))


def test_what_was_moved_by_hand_and_has_no_keys_yet_stays(extension, person, tmp_path):
    (body,), armature = walker(extension, person)
    extension.scene.frame_set(7)
    body.shape_key_add(name="Basis")
    smile = body.shape_key_add(name="smile")
    smile.keyframe_insert("value", frame=1)
    smile.value = 0.5
    head = armature.pose.bones["head"]
    head.rotation_quaternion = (0.9, 0.3, 0.1, 0.2)
    armature.location.x = 2.0
    armature.keyframe_insert("location", frame=1)
    armature.location.x = 3.0
    extension.view_layer.update()
    posed = head.matrix.copy()
    for takes in ("all", "none"):
        assert bpy.ops.geppetto.export_for(engine="unity", takes=takes, filepath=str(tmp_path / "out.fbx")) == {
            "FINISHED"}
        extension.view_layer.update()
        assert head.matrix == posed and smile.value == 0.5 and armature.location.x == 3.0
