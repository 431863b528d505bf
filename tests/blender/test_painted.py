"""Weights that an artist changed are made anew by an update, which says so; locked ones stay."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon import names
from geppetto.addon.bridge.armature import read_warnings
from geppetto.addon.characters.rigged import armature_of

from .scenes import group_weights
from .test_situations import choose


@pytest.fixture
def painted(rigged):
    """A rigged person whose head was painted."""
    paint(rigged)
    return rigged


def paint(o) -> None:
    weights = group_weights(o)["head"]
    some = np.flatnonzero(weights > 0.5)[:20].tolist()
    o.vertex_groups["head"].add(some, 0.2, "REPLACE")
    o.vertex_groups["neck"].add(some, 0.8, "ADD")


def told(o) -> str:
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    return " ".join(text for text in read_warnings(armature_of(o)) if "by hand" in text)


def test_an_update_tells_whose_weights_it_made_anew(painted):
    said = told(painted)
    assert "'neck', 'head'" in said or "'head', 'neck'" in said
    assert told(painted) == "", "once"


@pytest.mark.long
def test_what_was_not_changed_is_not_told(painted):
    assert told(painted)
    settings = getattr(bpy.context.scene, names.SETTINGS)
    settings.method = "geodesic"
    assert told(painted) == ""
    before = group_weights(painted)["head"]
    settings.alpha = 0.2  # the slider gives weights of its own
    assert np.abs(group_weights(painted)["head"] - before).max() > 0.01
    assert told(painted) == ""
    assert bpy.ops.geppetto.rename_bones(engine="unity") == {"FINISHED"}
    assert told(painted) == ""
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    choose(painted)
    assert told(painted) == ""


def test_locked_groups_stay_and_are_not_told(painted):
    for name in ("head", "neck"):
        painted.vertex_groups[name].lock_weight = True
    before = group_weights(painted)
    assert told(painted) == ""
    for name in ("head", "neck"):
        np.testing.assert_array_equal(group_weights(painted)[name], before[name])


def test_a_mesh_with_other_vertices_is_not_compared(painted):
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")
    assert told(painted) == ""
