"""A character that stands on a base of one surface with it, in Blender."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.bridge.armature import read_warnings
from geppetto.addon.characters.rigged import armature_of
from tests.characters import on_base

from .scenes import add_character, deformed_points, group_weights, world_points
from .test_again import rig


@pytest.fixture
def body(extension):
    return add_character(on_base(vertices=2500))[0]


def below(body) -> np.ndarray:
    return world_points(body)[:, 2] < -0.03


def test_a_base_stays_where_it_is_while_the_figure_moves(extension, body):
    armature = rig(body)
    rest = deformed_points(body)
    armature.pose.bones["hips"].location = (0.0, 0.2, 0.0)
    armature.pose.bones["thigh.L"].rotation_mode = "XYZ"
    armature.pose.bones["thigh.L"].rotation_euler.x = 0.8
    extension.view_layer.update()
    moved = np.linalg.norm(deformed_points(body) - rest, axis=1)
    assert moved[below(body)].max() < 1e-6
    assert moved[rest[:, 2] > 0.08].min() > 0.1
    assert any("'base'" in text for text in read_warnings(armature))


def test_a_base_whose_bone_was_deleted_follows_the_body_when_the_rig_is_updated(extension, body):
    armature = rig(body)
    assert (np.array(group_weights(body)["base"])[below(body)] == 1.0).all()
    bpy.ops.object.select_all(action="DESELECT")
    armature.select_set(True)
    extension.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.remove(armature.data.edit_bones["base"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert "base" not in armature.data.bones and not any("base" in text for text in read_warnings(armature))
    assert (np.array(group_weights(body)["hips"])[below(body)] == 1.0).all()


def test_a_base_goes_to_a_control_rig_and_back(extension, body):
    rig(body)
    rest = deformed_points(body)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    extension.view_layer.update()
    np.testing.assert_allclose(deformed_points(body), rest, atol=2e-4)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    extension.view_layer.update()
    np.testing.assert_allclose(deformed_points(body), rest, atol=1e-5)
    assert "base" in armature_of(body).data.bones
