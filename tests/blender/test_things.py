"""What hangs or is held, in Blender: its bones follow, are switched off, updated, exported, and sway in VRM."""

from __future__ import annotations

from itertools import pairwise

import bpy
import numpy as np
import pytest
from mathutils import Quaternion

import geppetto
from geppetto.addon import names
from geppetto.addon.bridge.armature import read_detail, read_things
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.export.exporting import ExportOptions, export_for
from geppetto.addon.export.glb import read_glb
from geppetto.core.hanging.thing import may_be_thing
from geppetto.core.skeleton.engine import load_engine
from tests.characters import dressed

from .batches import QUICK, fresh, main, report_of, save
from .scenes import add_character, deformed_points, group_weights, world_points

RIG = {"preset": "biped", "detail": "full"}


@pytest.fixture
def worn(context):
    """({name: object}, armature) of a person with a cape, a sword and a braid; the extension is on."""
    geppetto.register()
    objects = add_character(dressed("cape", "sword", "braid"))
    for o in objects:
        o.select_set(True)
    context.view_layer.objects.active = objects[0]
    assert bpy.ops.object.geppetto_auto_rig(**RIG) == {"FINISHED"}
    yield {o.name: o for o in objects}, armature_of(objects[0])
    geppetto.unregister()


def things(armature) -> set[str]:
    return {b.name for b in armature.data.bones if may_be_thing(b.name)}


def test_things_follow_their_bones(worn):
    objects, armature = worn
    assert read_things(armature) == ("cape", "hair", "prop_hand.R")
    assert {c.name for c in armature.data.bones["cape_1.L"].collections} == {"Things"}
    armature.pose.bones["prop_hand.R"].rotation_quaternion = Quaternion((1, 0, 0), 0.5)
    sword, cape, braid = (objects[n] for n in ("sword", "cape", "braid"))
    moved = deformed_points(sword)
    apart = lambda p: np.linalg.norm(p - p[0], axis=1)  # noqa: E731 - used twice
    np.testing.assert_allclose(apart(moved), apart(world_points(sword)), atol=1e-5)
    assert np.abs(moved - world_points(sword)).max() > 0.1
    for o in (cape, braid):
        np.testing.assert_allclose(deformed_points(o), world_points(o), atol=1e-6)
    armature.pose.bones["cape_3.L"].rotation_quaternion = Quaternion((1, 0, 0), 0.5)
    off = np.linalg.norm(deformed_points(cape) - world_points(cape), axis=1)
    height = world_points(cape)[:, 2]
    assert off[height > np.quantile(height, 0.8)].max() < 1e-6 < 0.05 < off.max()


def test_a_thing_is_switched_off_and_on_again(worn):
    objects, armature = worn
    settings = getattr(bpy.context.scene, names.SETTINGS)
    settings.preset, settings.detail = "biped", "full"
    assert bpy.ops.geppetto.toggle_thing(thing="cape") == {"FINISHED"}
    assert settings.without == "cape"
    assert bpy.ops.object.geppetto_auto_rig(**RIG, without=settings.without) == {"FINISHED"}
    armature = armature_of(objects["cape"])
    assert read_things(armature) == ("cape", "hair", "prop_hand.R") and read_detail(armature).without == ("cape",)
    assert not [name for name in things(armature) if name.startswith("cape")] and "hair_1" in things(armature)
    weights = group_weights(objects["cape"])
    np.testing.assert_allclose(sum(weights.values()), 1, atol=1e-5)
    bpy.ops.geppetto.toggle_thing(thing="cape")
    assert settings.without == ""
    assert bpy.ops.object.geppetto_auto_rig(**RIG) == {"FINISHED"}
    assert "cape_1.L" in things(armature_of(objects["cape"]))


def test_update_rig_puts_things_back_and_leaves_out_those_that_were_deleted(worn):
    objects, armature = worn
    before = {b.name: np.array(b.head_local) for b in armature.data.bones}
    bpy.context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["cape_2.L"].head.x += 0.2
    armature.data.edit_bones.remove(armature.data.edit_bones["prop_hand.R"])
    bpy.ops.object.mode_set(mode="OBJECT")
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    np.testing.assert_allclose(armature.data.bones["cape_2.L"].head_local, before["cape_2.L"], atol=1e-5)
    assert "prop_hand.R" not in armature.data.bones
    for o in objects.values():
        np.testing.assert_allclose(sum(group_weights(o).values()), 1, atol=1e-5)
    assert "prop_hand.R" not in group_weights(objects["sword"])
    assert group_weights(objects["cape"])["cape_4.L"].max() > 0.9


def test_vrm_gets_a_spring_for_each_chain(worn, tmp_path):
    """Each bone of a chain, then a node at its end, so that the last bone sways too; a sword does not."""
    export_for(bpy.context, worn[1], load_engine("vrm"), tmp_path / "worn.vrm", ExportOptions(takes="none"))
    tree, _ = read_glb((tmp_path / "worn.vrm").read_bytes())
    springs = tree["extensions"]["VRMC_springBone"]["springs"]
    nodes = tree["nodes"]
    assert {s["name"] for s in springs} == {"cape_1_L", "cape_1_R", "hair_1"}
    assert "VRMC_springBone" in tree["extensionsUsed"] and "prop_hand_R" in {n["name"] for n in nodes}
    for spring in springs:
        chain = [joint["node"] for joint in spring["joints"]]
        assert all(below in nodes[above]["children"] for above, below in pairwise(chain))
        assert nodes[chain[-1]]["name"].endswith("_end") and nodes[chain[-1]]["translation"][1] > 0.02
        for joint in spring["joints"]:
            assert 0 <= joint["dragForce"] <= 1 and 0 <= joint["stiffness"] <= 4 and joint["hitRadius"] > 0


@pytest.mark.parametrize("engine", ["unreal", "unity", "godot", "roblox"])
def test_engines_take_things(worn, tmp_path, engine):
    described = load_engine(engine)
    path = tmp_path / f"worn.{described.container}"
    export_for(bpy.context, worn[1], described, path, ExportOptions(takes="none"))
    assert path.stat().st_size > 10_000


def test_a_control_rig_keeps_things(worn):
    if bpy.ops.geppetto.make_control_rig() != {"FINISHED"}:
        pytest.fail("no control rig")
    np.testing.assert_allclose(deformed_points(worn[0]["cape"]), world_points(worn[0]["cape"]), atol=1e-4)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    weights = group_weights(worn[0]["cape"])
    np.testing.assert_allclose(sum(weights.values()), 1, atol=1e-4)
    assert weights["cape_4.L"].max() > 0.9


def test_the_batch_leaves_things_out(tmp_path):
    fresh()
    add_character(dressed("cape", "sword"))
    path = save(tmp_path / "worn.blend")
    assert main([str(path), "--out", str(tmp_path / "out"), *QUICK, "--detail", "full", "--without", "cape"]) == 0
    entry, = report_of(tmp_path / "out")
    assert entry["things"] == ["cape", "prop_hand.R"]
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "out" / "worn.blend"))
    armature, = (o for o in bpy.data.objects if o.type == "ARMATURE")
    assert things(armature) == {"prop_hand.R"}
