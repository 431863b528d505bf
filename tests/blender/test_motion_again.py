"""Motions follow when joints are moved: they are put on the character again, with the choices they were made with."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import bpy
import numpy as np
import pytest

from geppetto.addon.bridge.armature import read_warnings
from geppetto.addon.bridge.curves import curves_of
from geppetto.addon.characters.rigged import armature_of

from .test_pins_kept import pin, place
from .test_situations import choose

pytestmark = pytest.mark.usefixtures("rigged_once")

ROOT = Path(__file__).parents[2]


def move(o, motion: str = "walk", **choices) -> bpy.types.Action:
    choose(o)
    assert bpy.ops.object.geppetto_move(motion=motion, **choices) == {"FINISHED"}
    return armature_of(o).animation_data.action


def lift_knees(o, by: float = 0.06) -> None:
    """Pin the left knee higher, and let the rig follow."""
    choose(o)
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    knee = place("shin.L") + [0, -by / 3, by]
    assert bpy.ops.geppetto.hide_joints() == {"FINISHED"}
    pin(shin_L=knee)


def keys(action) -> dict:
    out = {}
    for curve in curves_of(action):
        points = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", points)
        out[curve.data_path, curve.array_index] = points
    return out


def assert_same(one: dict, other: dict) -> None:
    assert one.keys() == other.keys()
    for key, points in one.items():
        np.testing.assert_allclose(points, other[key], atol=1e-4, err_msg=str(key))


def differ(one: dict, other: dict) -> bool:
    return any(len(points) != len(other[key]) or np.abs(points - other[key]).max() > 1e-3
               for key, points in one.items())


def warnings(o) -> str:
    return "\n".join(read_warnings(armature_of(o)))


@pytest.mark.long
def test_a_motion_is_made_for_the_joints_as_they_are_now(rigged):
    action = move(rigged, energy=0.5)
    before, name = keys(action), action.name
    lift_knees(rigged)
    again = armature_of(rigged).animation_data.action
    assert again.name == name and differ(keys(again), before)
    followed = keys(again)
    assert_same(followed, keys(move(rigged, energy=0.5)))
    assert "as they were" not in warnings(rigged)


def test_nothing_is_put_on_again_where_no_bone_moved(rigged):
    action = move(rigged)
    before = action.session_uid, keys(action)
    choose(rigged)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert armature_of(rigged).animation_data.action.session_uid == before[0]
    assert_same(keys(armature_of(rigged).animation_data.action), before[1])


@pytest.mark.long
def test_a_motion_begins_where_it_began_and_what_is_done_now_is_done_after(rigged, context):
    context.scene.frame_start = 11
    wave, walk = move(rigged, "wave").name, move(rigged).name
    before = {name: keys(bpy.data.actions[name]) for name in (wave, walk)}
    context.scene.frame_start = 1
    lift_knees(rigged)
    assert armature_of(rigged).animation_data.action.name == walk
    assert {action.name for action in bpy.data.actions} == {wave, walk}
    for name in (wave, walk):
        assert differ(keys(bpy.data.actions[name]), before[name])
        assert bpy.data.actions[name].frame_range[0] == 11


@pytest.mark.long
@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="Blender counts one user too many of a copied action")
@pytest.mark.parametrize("pressed_on", ["copy", "original"])
def test_a_copy_of_a_character_has_its_motion_made_anew_too(rigged, pressed_on):
    move(rigged)
    choose(rigged, armature_of(rigged))
    bpy.ops.object.duplicate()
    copy, = (o for o in bpy.context.selected_objects if o.type == "MESH")
    one, other = (copy, rigged) if pressed_on == "copy" else (rigged, copy)
    before, left = (keys(armature_of(o).animation_data.action) for o in (one, other))
    lift_knees(one)
    assert differ(keys(armature_of(one).animation_data.action), before) and "as they were" not in warnings(one)
    assert_same(keys(armature_of(other).animation_data.action), left)
    move(one, energy=0.5)
    assert len(bpy.data.actions) == 2, "the motion applied again takes the place of its former take"


def test_an_artists_copy_of_a_motion_stays_when_that_is_applied_again(rigged):
    action = move(rigged)
    kept = action.copy()
    kept.use_fake_user = True
    move(rigged, energy=0.5)
    move(rigged)
    assert kept.name == "body rig walk.001" and len(bpy.data.actions) == 2


def test_what_was_changed_by_hand_stays_and_is_told(rigged):
    action = move(rigged)
    curve = next(c for c in curves_of(action) if "forearm.L" in c.data_path)
    curve.keyframe_points[3].co.y += 0.2
    before = keys(action)
    lift_knees(rigged)
    assert armature_of(rigged).animation_data.action == action
    assert_same(keys(action), before)
    assert f"'{action.name}' still suits the joints as they were" in warnings(rigged)


def test_what_plays_in_a_strip_stays_and_is_told(rigged):
    action = move(rigged)
    data = armature_of(rigged).animation_data
    data.nla_tracks.new().strips.new("walk", 1, action)
    data.action = None
    before = keys(action)
    lift_knees(rigged)
    assert data.action is None
    assert_same(keys(action), before)
    assert "still suits the joints as they were" in warnings(rigged)


@pytest.mark.parametrize("is_there", [True, False])
def test_a_files_motion_is_read_again_and_told_if_it_is_gone(rigged, tmp_path, is_there):
    path = Path(tmp_path) / "steps.json"
    copy(ROOT / "presets" / "motions" / "walk.json", path)
    choose(rigged)
    assert bpy.ops.object.geppetto_move_from_file(filepath=str(path)) == {"FINISHED"}
    before = keys(armature_of(rigged).animation_data.action)
    if not is_there:
        path.unlink()
    lift_knees(rigged)
    action = armature_of(rigged).animation_data.action
    assert differ(keys(action), before) == is_there
    assert ("still suits" in warnings(rigged)) != is_there


@pytest.mark.long
def test_who_is_rigged_anew_goes_on_moving(rigged):
    wave, walk = move(rigged, "wave").name, move(rigged, energy=0.5).name
    choose(rigged)
    assert bpy.ops.object.geppetto_auto_rig(root=True) == {"FINISHED"}
    armature = armature_of(rigged)
    assert "root" in armature.data.bones
    assert armature.animation_data.action.name == walk
    assert {action.name for action in bpy.data.actions} == {wave, walk}
    followed = keys(armature.animation_data.action)
    assert_same(followed, keys(move(rigged, energy=0.5)))


def test_an_artists_action_goes_on_when_a_character_is_rigged_anew(rigged):
    armature = armature_of(rigged)
    own = bpy.data.actions.new("hello")
    armature.animation_data_create().action = own
    armature.pose.bones["forearm.L"].rotation_quaternion = (0.9, 0.4, 0, 0)
    armature.pose.bones["forearm.L"].keyframe_insert("rotation_quaternion", frame=5)
    before = keys(own)
    choose(rigged)
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    assert armature_of(rigged).animation_data.action == own
    assert_same(keys(own), before)
    assert "'hello' still suits the joints as they were" in warnings(rigged)


def test_who_is_rigged_as_something_else_does_not_do_what_its_bones_cannot(rigged):
    walk = move(rigged)
    choose(rigged)
    assert bpy.ops.object.geppetto_auto_rig(preset="spider") == {"FINISHED"}
    armature = armature_of(rigged)
    assert armature.animation_data is None or armature.animation_data.action is None
    assert walk.name in bpy.data.actions


def test_a_test_pose_ends_when_a_motion_is_applied(rigged, context):
    def arms() -> list:
        context.scene.frame_set(9)
        bones = armature_of(rigged).evaluated_get(context.evaluated_depsgraph_get()).pose.bones
        return [np.array(bones[name].matrix) for name in ("upper_arm.L", "forearm.L", "head")]

    move(rigged)
    walks = arms()
    armature = armature_of(rigged)
    armature.animation_data.action = None
    armature.geppetto_test_pose = 0.4
    move(rigged)
    assert armature.geppetto_test_pose == 0.0
    np.testing.assert_allclose(arms(), walks, atol=1e-5)
    assert not any("geppetto_own_pose" in bone for bone in armature.pose.bones)
