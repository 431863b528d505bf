"""Motions begin where a person put the character by its root, on plain rigs and on control rigs."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from geppetto.addon.bridge.curves import curves_of
from geppetto.addon.motion import moving
from tests import characters

from .scenes import add_mesh
from .test_control_motion import apart, rigged, skin_at
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")

FRAMES = (1, 9, 20)
PLACE = Matrix.Translation((1.0, 2.0, 0.0)) @ Matrix.Rotation(1.0, 4, "Z")


def rig_with_root(context, person, with_controls: bool):
    """(its body, the rig)"""
    body = rigged(context, person, root=True)
    if with_controls:
        assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    return body, context.object


def put(rig, way: Matrix) -> None:
    """Move a rig's root by hand, without a key."""
    root = rig.pose.bones["root"]
    root.rotation_mode = "QUATERNION"
    root.matrix = way @ root.matrix


def seen(context, rig, body, motion: str, travel: str) -> list[np.ndarray]:
    moving.move(context, rig, motion, moving.MoveOptions(travel=travel))
    return skin_at(body, FRAMES)


def taken(points: list[np.ndarray], way: Matrix) -> list[np.ndarray]:
    return [np.array([way @ Vector(point) for point in one]) for one in points]


def assert_alike(got, wanted) -> None:
    for one, other in zip(got, wanted, strict=True):
        assert apart(one, other) < 2e-3


@pytest.mark.parametrize("travel", ["none", "hips", "root"])
@pytest.mark.parametrize("with_controls", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_a_motion_begins_where_the_root_was_put_however_often_it_is_applied(extension, person, with_controls, travel):
    body, rig = rig_with_root(extension, person, with_controls)
    wanted = taken(seen(extension, rig, body, "walk", travel), PLACE)
    extension.scene.frame_set(14)
    put(rig, PLACE)  # although the action before has keys for it
    for _ in range(2):
        assert_alike(seen(extension, rig, body, "walk", travel), wanted)
        extension.scene.frame_set(14)


@pytest.mark.parametrize("with_controls", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_who_has_walked_away_stands_where_the_walk_began(extension, person, with_controls):
    body, rig = rig_with_root(extension, person, with_controls)
    wanted = taken(seen(extension, rig, body, "idle", "none"), PLACE)
    put(rig, PLACE)
    seen(extension, rig, body, "walk", "root")
    extension.scene.frame_set(20)
    assert_alike(seen(extension, rig, body, "idle", "none"), wanted)


@pytest.mark.slow
def test_the_root_control_carries_the_way(extension, person):
    body, rig = rig_with_root(extension, person, True)
    wanted = seen(extension, rig, body, "walk", "hips")
    action = moving.move(extension, rig, "walk", moving.MoveOptions(travel="root")).action
    assert_alike(skin_at(body, FRAMES), wanted)
    keys = {curve.data_path.split('"')[1]: [key.co.y for key in curve.keyframe_points] for curve in curves_of(action)
            if curve.data_path.endswith("location") and curve.array_index == 1}
    way = np.linalg.norm(np.ptp([points.mean(0) for points in skin_at(body, (1, 27))], axis=0))
    assert np.ptp(keys["root"]) == pytest.approx(way, rel=0.1)
    assert np.ptp(keys["torso"]) < 0.1 * way
    assert abs(keys["foot_ik.L"][-1] - keys["foot_ik.L"][0]) < 0.1 * way, "it goes with the root"


@pytest.mark.long
@pytest.mark.parametrize("travel", ["none", "hips", "root"])
def test_a_motion_made_to_measure_begins_where_the_root_was_put(extension, travel):
    mesh = characters.many_legged(vertices=2500).mesh
    body = add_mesh("spider", mesh.vertices, mesh.faces)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(root=True) == {"FINISHED"}
    rig = body.find_armature()
    wanted = taken(seen(extension, rig, body, "walk", travel), PLACE)
    extension.scene.frame_set(14)
    put(rig, PLACE)
    for _ in range(2):
        assert_alike(seen(extension, rig, body, "walk", travel), wanted)
        extension.scene.frame_set(14)
