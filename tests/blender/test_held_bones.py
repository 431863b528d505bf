"""Bones that constraints or drivers hold against their keys: which they are, and what a motion says of them."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.bridge.pose import held_bones, unless_it_fails
from geppetto.addon.motion.moving import MoveOptions, move
from geppetto.core.errors import BadMotion

from .test_foreign_rigs import edited, on_the_ground
from .test_motion import add_rig


def drive(bone, channel: str, index: int, value: float) -> None:
    bone.driver_add(channel, index).driver.expression = str(value)


def names(bones) -> set[str]:
    return {bone.name for bone in bones}


def test_only_what_is_on_holds_a_bone_and_it_holds_no_other(context, person):
    armature = add_rig(context, person.joints)
    assert not held_bones(armature)
    armature.data.bones["hand.L"].name = 'the "left" hand'
    bones = armature.pose.bones
    for bone, setting in (("head", {}), ("neck", {"mute": True}), ("chest", {"influence": 0.0})):
        held = bones[bone].constraints.new("LIMIT_ROTATION")
        for key, value in setting.items():
            setattr(held, key, value)
    assert names(held_bones(armature)) == {"head"}
    drive(bones['the "left" hand'], "rotation_quaternion", 1, 0.5)
    assert names(held_bones(armature)) == {"head", 'the "left" hand'}
    armature.driver_add("location", 0)
    assert names(held_bones(armature)) == {"head", 'the "left" hand'}, "what moves the object holds no bone"


def test_a_driver_that_holds_a_bone_is_told(context, person):
    armature = add_rig(context, person.joints)
    for axis, value in enumerate((0.5, 0.5, 0.5, 0.5)):
        drive(armature.pose.bones["forearm.R"], "rotation_quaternion", axis, value)
    with pytest.raises(BadMotion, match=r"'forearm.R' of 'rig'.*a driver of 'forearm.R' holds it"):
        move(context, armature, "walk")


def test_a_root_that_turns_all_away_is_named_with_a_bone_that_it_carries(context, person):
    """A root above the hips may stay behind, so that it is not at fault itself."""
    armature = add_rig(context, person.joints)
    edited(context, armature, on_the_ground)
    other = bpy.data.objects.new("other", None)
    context.scene.collection.objects.link(other)
    other.rotation_euler.z = 1.0
    armature.pose.bones["ground"].constraints.new("LIMIT_SCALE").mute = True
    turn = armature.pose.bones["ground"].constraints.new("COPY_ROTATION")
    turn.name, turn.target = "Sway", other
    with pytest.raises(BadMotion, match=r"'(?!ground).*' of 'rig'.*the constraint 'Sway' of 'ground' holds it"):
        move(context, armature, "walk", MoveOptions(travel="hips"))


def twisted(bones) -> None:
    """A bone beside the thigh that carries no other."""
    thigh, twist = bones["thigh.L"], bones.new("twist")
    twist.head, twist.tail, twist.parent = thigh.head, thigh.tail, thigh


@pytest.mark.parametrize(("bone", "looks"), [("twist", False), ("thigh.L", True)])
def test_a_scene_is_played_for_a_look_only_if_bones_of_the_motion_could_be_held(context, person, bone, looks):
    """In a crowd each look moves all others too."""
    armature = add_rig(context, person.joints)
    edited(context, armature, twisted)
    armature.pose.bones[bone].constraints.new("LIMIT_SCALE")
    played = []
    bpy.app.handlers.frame_change_post.append(lambda *_: played.append(1))
    move(context, armature, "walk")
    bpy.app.handlers.frame_change_post.pop()
    assert bool(played) == looks


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ", "AXIS_ANGLE"])
@pytest.mark.parametrize("acted", [False, True])
def test_what_fails_leaves_pose_and_actions_as_they_were_in_every_mode(context, person, mode, acted):
    armature = add_rig(context, person.joints)
    before = bpy.data.actions.new("mine") if acted else None
    if acted:
        armature.animation_data_create().action = before
    bone = armature.pose.bones["hand.L"]
    bone.rotation_mode = mode
    bone.location, bone.rotation_quaternion = (0.1, 0.2, 0.3), (0.8, 0.6, 0, 0)
    bone.rotation_euler, bone.rotation_axis_angle = (0.3, 0.2, 0.1), (0.5, 0, 0, 1)
    was = np.array(bone.matrix_basis)
    with pytest.raises(BadMotion), unless_it_fails(context, armature):
        data = armature.animation_data_create()
        data.action = bpy.data.actions.new("half done")
        for channel in ("location", "rotation_quaternion", "rotation_euler", "rotation_axis_angle"):
            setattr(bone, channel, np.zeros(len(getattr(bone, channel))))
        raise BadMotion("broken off")
    np.testing.assert_allclose(bone.matrix_basis, was, atol=1e-6)
    assert list(bpy.data.actions) == [one for one in [before] if one]
    assert (armature.animation_data.action == before) if acted else (armature.animation_data is None)
