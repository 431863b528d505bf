"""Control rigs of animals: their legs bend at rest and under IK as they did on the plain rig."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector

from geppetto.addon import names
from geppetto.addon.characters import control_rig
from geppetto.addon.motion import moving
from tests.characters import beast, bird, centaur, fish, many_legged, mermaid, quadruped, snake

from .scenes import add_character, deformed_points, group_weights
from .test_control_motion import skin_at
from .test_control_rig import move, rig

pytestmark = pytest.mark.usefixtures("rigged_once")


@pytest.mark.long
@pytest.mark.parametrize(("grow", "preset"), [(quadruped, "quadruped"), (centaur, "centaur")])
def test_front_elbows_stay_behind_the_leg_when_its_foot_is_lifted(extension, grow, preset):
    objects, plain = rig(extension, grow(vertices=2000), preset)
    size = max(o.dimensions.z for o in objects)
    elbow = np.array(plain.matrix_world @ plain.data.bones["front_lower.L"].head_local)
    controls = control_rig.make_control_rig(extension, plain)
    upper, lower = (controls.pose.bones[f"ORG-front_{part}.L"] for part in ("upper", "lower"))
    np.testing.assert_allclose(controls.matrix_world @ lower.bone.head_local, elbow, atol=1e-3 * size)
    move(controls, "front_foot_ik.L", (0.0, 0.0, 0.1 * size))
    assert lower.head.y > max(upper.head.y, lower.tail.y) + 0.02 * size


def test_front_legs_rest_as_they_did_when_their_poles_are_turned_on(extension):
    (body,), plain = rig(extension, quadruped(vertices=2000), "quadruped")
    before = deformed_points(body)
    controls = control_rig.make_control_rig(extension, plain)
    for side in "LR":
        controls.pose.bones[f"front_upper_parent.{side}"]["pole_vector"] = True
    controls.update_tag()
    extension.view_layer.update()
    np.testing.assert_allclose(deformed_points(body), before, atol=1e-4 * max(body.dimensions))


@pytest.mark.slow
def test_front_legs_are_not_wrung_by_what_moves_their_skin(extension):
    _, plain = rig(extension, quadruped(vertices=2000), "quadruped")
    moving.move(extension, plain, "walk", moving.MoveOptions(travel="none"))
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    for frame in (1, 9, 17):
        extension.scene.frame_set(frame)
        turns = [(bone.matrix @ bone.bone.matrix_local.inverted()).to_quaternion() for bone in
                 (extension.object.pose.bones[f"{name}front_lower.L{end}"] for name, end in
                  (("ORG-", ""), ("DEF-", ""), ("DEF-", ".001")))]
        assert max(turns[0].rotation_difference(turn).angle for turn in turns[1:]) < np.radians(10)


@pytest.mark.long
def test_a_spider_travels_on_its_controls_as_it_does_without(extension):
    """Its trunk is a single bone, for which Rigify makes no torso."""
    spider, plain = grown_and_rigged(extension, many_legged())
    moving.move(extension, plain, "walk", moving.MoveOptions(travel="hips"))
    extension.scene.frame_set(15)
    there = deformed_points(spider)
    extension.view_layer.objects.active = plain
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    size = max(spider.dimensions)
    assert np.linalg.norm(deformed_points(spider) - there, axis=1).max() < 0.01 * size
    extension.scene.frame_set(1)
    assert np.linalg.norm(deformed_points(spider).mean(0) - there.mean(0)) > 0.1 * size


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("grow", "preset", "part"), [(quadruped, "quadruped", "tail"), (bird, "bird", "wing")])
def test_wings_and_tails_move_as_without_controls_though_rigify_lets_their_bones_copy_turns(extension, grow, preset,
                                                                                             part):
    (body,), plain = rig(extension, grow(vertices=2000), preset)
    moving.move(extension, plain, "walk", moving.MoveOptions(travel="none"))
    held = sum(w for name, w in group_weights(body).items() if name.startswith(part)) > 0.5
    frames = (4, 10)
    wanted = skin_at(body, frames)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    for got, want in zip(skin_at(body, frames), wanted, strict=True):
        assert np.linalg.norm(got - want, axis=1)[held].max() < 0.015 * np.ptp(want, axis=0).max()


def test_a_curled_tail_rests_as_it_did(extension):
    (body,), plain = rig(extension, quadruped(vertices=2000), "quadruped")
    bpy.ops.object.mode_set(mode="EDIT")
    bones = plain.data.edit_bones
    for name, way in (("tail_2", (0.7, 0.7, 0.0)), ("tail_3", (0.3, 0.2, 0.9)), ("tail_4", (-0.8, 0.5, 0.3))):
        bones[name].tail = bones[name].head + Vector(way) * bones[name].length
    bpy.ops.object.mode_set(mode="OBJECT")
    before = deformed_points(body)
    control_rig.make_control_rig(extension, plain)
    np.testing.assert_allclose(deformed_points(body), before, atol=1e-4)


def grown_and_rigged(context, character):
    """(mesh object, plain rig) of a creature, as the button rigs it; the rig is active."""
    body, = add_character(character)
    body.select_set(True)
    context.view_layer.objects.active = body
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    return body, context.object


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("grow", "legs"), [(many_legged, 8), (beast, 4)])
def test_every_leg_of_a_creature_follows_its_ik_control_to_the_tip(extension, grow, legs):
    body, plain = grown_and_rigged(extension, grow())
    before, height = deformed_points(body), body.dimensions.z
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    np.testing.assert_allclose(deformed_points(body), before, atol=1e-4)
    np.testing.assert_allclose(controls.matrix_world.col[2][:3], (0.0, 0.0, 1.0), atol=1e-4)
    tips = [max((b for b in plain.data.bones if b.name.startswith(stem[:-3]) and b.name.endswith(stem[-2:])),
                key=lambda b: b.name) for stem in (bone.name.replace("_parent", "") for bone in controls.pose.bones
                                                   if "IK_FK" in bone)]
    assert len(tips) == legs and all(tip.name.startswith("leg_") for tip in tips)
    names_of_sides = [b.name for b in controls.pose.bones if ".L" in b.name and b.custom_shape is not None]
    assert all(bpy.utils.flip_name(name) in controls.pose.bones for name in names_of_sides)
    for tip in (t for t in tips if t.name.endswith(".L")):
        third = f"{tip.name[:-3]}3_ik.L" if f"{tip.name[:-3]}3_ik.L" in controls.pose.bones else f"{tip.name[:-2]}_ik.L"
        part = controls.pose.bones[controls[names.SHARES][tip.name][-1]]
        at = controls.matrix_world @ part.tail
        move(controls, third, (0.0, 0.0, 0.1 * height))
        assert (controls.matrix_world @ part.tail - at).z == pytest.approx(0.1 * height, abs=0.01 * height)


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize(("grow", "control"), [(snake, "torso"), (fish, "torso"), (mermaid, "arm_3_ik.L")])
def test_creatures_without_legs_get_controls_and_go_on_with_what_they_do(extension, grow, control):
    body, plain = grown_and_rigged(extension, grow())
    moving.move(extension, plain, "walk", moving.MoveOptions(travel="hips"))
    wanted = skin_at(body, (1, 9, 17))
    extension.view_layer.objects.active = plain
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    for got, want in zip(skin_at(body, (1, 9, 17)), wanted, strict=True):
        assert np.linalg.norm(got - want, axis=1).max() < 0.015 * max(body.dimensions)
    assert {control, "root", "tail_master"} <= set(extension.object.pose.bones.keys())


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("travel", ["hips", "root", "none"])
def test_the_motions_of_creatures_are_put_on_their_controls(extension, travel):
    body, plain = grown_and_rigged(extension, many_legged())
    options, frames, at_rest = moving.MoveOptions(travel=travel), (1, 9, 17), plain.matrix_basis.copy()
    moving.move(extension, plain, "walk", options)
    wanted = skin_at(body, frames)
    plain.animation_data_clear()
    plain.matrix_basis = at_rest
    for bone in plain.pose.bones:
        bone.matrix_basis.identity()
    extension.scene.frame_set(1)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    moved = moving.move(extension, extension.object, "walk", options)
    assert moved.action.use_cyclic and "controls" in moved.action.name
    for got, want in zip(skin_at(body, frames), wanted, strict=True):
        assert np.linalg.norm(got - want, axis=1).max() < 0.01 * max(body.dimensions)
