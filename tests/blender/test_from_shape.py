"""From Shape in Blender: chosen, rigged, updated after a pin; in doubt the other thing is a click away."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import geppetto
from geppetto.addon import names, pins, session
from geppetto.addon.choices import template_for
from geppetto.core.fitting.check import check_character
from geppetto.core.fitting.verdict import EVEN
from geppetto.core.pipeline import prepare
from geppetto.core.seeing.stance import UPRIGHT, Stance, stance_facing
from tests import characters

from .scenes import add_mesh


@pytest.fixture
def spider(context):
    geppetto.register()
    mesh = characters.many_legged(vertices=2500).mesh
    o = add_mesh("spider", mesh.vertices, mesh.faces)
    o.select_set(True)
    context.view_layer.objects.active = o
    yield o
    geppetto.unregister()


def test_a_spider_is_rigged_from_its_shape(context, spider):
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    armature = spider.find_armature()
    assert armature.data[names.MADE_BY] == "shape"
    assert sum(b.name.startswith("limb_") and b.name.split(".")[0].endswith("_1") for b in armature.data.bones) == 8
    assert {g.name for g in spider.vertex_groups} >= {"limb_1_1.L", "limb_1_1.R", "spine_1"}


def test_detail_is_kept_with_the_rig_and_pins_move_it(context, spider):
    bpy.ops.object.geppetto_auto_rig(preset="shape", shape_detail=0.2)
    armature = spider.find_armature()
    assert armature.data[names.MADE_BY] == "shape 0.2"
    place = np.array(armature.matrix_world @ armature.data.bones["limb_1_2.L"].head_local) + [0, 0, 0.03]
    pins.set_pin(spider, "limb_1_2.L", place)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(armature.data.bones["limb_1_2.L"].head_local, place, atol=1e-5)


def test_in_doubt_the_other_thing_is_a_click_away(context, spider, monkeypatch):
    monkeypatch.setattr("geppetto.core.fitting.verdict.unseen", lambda mesh: EVEN[False])
    bpy.ops.object.geppetto_auto_rig()
    found = session.check_of(spider.name)
    assert found.preset == "shape" and found.other_preset
    assert bpy.ops.object.geppetto_take_other(preset="biped") == {"FINISHED"}
    assert context.scene.geppetto.preset == "biped"
    assert spider.find_armature().data[names.MADE_BY] == "biped"


def test_a_stance_that_was_taken_is_in_doubt_no_more(context, spider, monkeypatch):
    doubtful = Stance(np.eye(3), 0.5, other=("Z", "Y"))
    monkeypatch.setattr("geppetto.addon.choices.detect_stance", lambda mesh, up, front: (
        doubtful if up == "auto" else stance_facing(up, front)))
    bpy.ops.object.geppetto_auto_rig()
    assert session.check_of(spider.name).other_stance == ("Z", "Y")
    assert bpy.ops.object.geppetto_take_other(up="Z", front="Y") == {"FINISHED"}
    assert (context.scene.geppetto.up, context.scene.geppetto.front) == ("Z", "Y")
    assert session.check_of(spider.name).front == "Y" and session.check_of(spider.name).other_stance == ()


def test_joints_and_weights_of_a_creature_are_checked(context, spider):
    bpy.ops.object.geppetto_auto_rig()
    context.view_layer.objects.active = spider.find_armature()
    assert bpy.ops.geppetto.check_weights() == {"FINISHED"}


def test_the_menu_and_the_command_line_mean_the_same():
    mesh = characters.many_legged(vertices=2500).mesh
    shape = prepare(mesh, stance=UPRIGHT)
    assert check_character(shape).preset == "shape"
    assert template_for("auto")(shape) is template_for("shape")(shape)
    assert len(template_for("shape 0.9")(shape).bones) > len(template_for("shape")(shape).bones)
