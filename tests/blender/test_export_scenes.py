"""Scenes as artists have them, handed to engines: other units."""

from __future__ import annotations

import numpy as np
import pytest

from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.export.exporting import export_for
from geppetto.addon.formats import ENGINE_SUFFIX
from geppetto.addon.motion.moving import move
from geppetto.core.skeleton.engine import load_engine
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character
from .test_export import NEAR, read_back


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
