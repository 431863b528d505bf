"""Control rigs of animals: their legs bend at rest and under IK as they did on the plain rig."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.characters import control_rig
from geppetto.addon.motion import moving
from tests.characters import bird, centaur, many_legged, quadruped

from .scenes import add_character, deformed_points, group_weights
from .test_control_motion import skin_at
from .test_control_rig import move, rig

pytestmark = pytest.mark.usefixtures("rigged_once")


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


def test_a_spider_travels_on_its_controls_as_it_does_without(extension):
    """Its trunk is a single bone, for which Rigify makes no torso."""
    spider, = add_character(many_legged())
    spider.select_set(True)
    extension.view_layer.objects.active = spider
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    plain = spider.find_armature()
    moving.move(extension, plain, "walk", moving.MoveOptions(travel="hips"))
    extension.scene.frame_set(15)
    there = deformed_points(spider)
    extension.view_layer.objects.active = plain
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    size = max(spider.dimensions)
    assert np.linalg.norm(deformed_points(spider) - there, axis=1).max() < 0.01 * size
    extension.scene.frame_set(1)
    assert np.linalg.norm(deformed_points(spider).mean(0) - there.mean(0)) > 0.1 * size


@pytest.mark.sweep(1)
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
