"""Limbs that a skeleton does not know, in Blender: kept, dropped, exported, moved by walks and by control rigs."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon import names
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.export.exporting import export_for
from geppetto.addon.export.glb import read_glb
from geppetto.core.detail.limbs import is_limb_joint
from geppetto.core.skeleton.engine import load_engine
from tests.characters import many_armed

from .scenes import add_character, deformed_points, group_weights
from .test_situations import choose


@pytest.fixture
def four_arms(extension):
    """(mesh object, armature) of a person with four arms, rigged by the button."""
    o, = add_character(many_armed(pairs=1))
    choose(o)
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    return o, armature_of(o)


def limbs(armature) -> list[str]:
    return [b.name for b in armature.data.bones if is_limb_joint(b.get(names.OWN_NAME, b.name))]


def test_they_move_their_flesh_and_walks_move_them_along(context, four_arms):
    o, armature = four_arms
    assert armature.data[names.MADE_BY] == "biped" and {"limb_1_1.L", "limb_1_1.R"} <= set(limbs(armature))
    rest = deformed_points(o)
    armature.pose.bones["limb_1_1.L"].rotation_mode = "XYZ"
    armature.pose.bones["limb_1_1.L"].rotation_euler = 0.5, 0, 0
    context.view_layer.update()
    moved = np.linalg.norm(deformed_points(o) - rest, axis=1) > 0.02
    owned = sum(group_weights(o)[name] for name in limbs(armature) if name.endswith(".L"))
    assert moved.any() and owned[moved].min() > 0.0
    armature.pose.bones["limb_1_1.L"].rotation_euler = 0, 0, 0
    assert bpy.ops.object.geppetto_move(motion="walk") == {"FINISHED"}
    context.scene.frame_set(10)
    assert np.linalg.norm(deformed_points(o) - rest, axis=1).max() > 0.02


def test_deleted_ones_stay_away_when_the_rig_is_updated(context, four_arms):
    o, armature = four_arms
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    for name in limbs(armature):
        armature.data.edit_bones.remove(armature.data.edit_bones[name])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert not limbs(armature) and not [g.name for g in o.vertex_groups if g.name.startswith("limb")]


@pytest.mark.long
def test_a_control_rig_has_them_and_gives_them_back(context, four_arms, tmp_path):
    o, armature = four_arms
    bones, weights = [b.name for b in armature.data.bones], group_weights(o)
    path = tmp_path / "four.glb"
    export_for(context, armature, load_engine("godot"), path)
    nodes = read_glb(path.read_bytes())[0]["nodes"]
    assert sum("limb" in node["name"].lower() for node in nodes) == len(limbs(armature))
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = armature_of(o) or o.find_armature()
    owned = {g.name for g in o.vertex_groups}
    assert any("limb_1_1" in name for name in owned), "the flesh of the limb follows a bone of its own"
    assert any("limb_1_1" in b.name for b in controls.data.bones)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert [b.name for b in armature_of(o).data.bones] == bones
    now = group_weights(o)
    np.testing.assert_allclose(now["limb_1_1.L"], weights["limb_1_1.L"], atol=1e-6)
