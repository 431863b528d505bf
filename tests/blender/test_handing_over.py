"""What a character does, taken to controls and back where the file is not as tidy as one hopes: strips that play along,
tracks with a star, actions deleted by hand, rigs switched off."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.bridge.curves import curves_of
from geppetto.addon.motion import baking, beneath, handing_over, moving, other_motions
from geppetto.addon.motion.takes import actions_of

from .scenes import deformed_points
from .test_control_motion import apart, points_at, rigged, skin_at

pytestmark = pytest.mark.usefixtures("rigged_once")

PARTS = (0.0, 0.25, 0.875)
IN_PLACE = moving.MoveOptions(travel="none")


def pushed_down(rig, action, name: str):
    """The new NLA track of a rig's action, which no longer plays as such."""
    track = rig.animation_data.nla_tracks.new()
    track.name = name
    track.strips.new(name, int(action.frame_range[0]), action)
    rig.animation_data.action = None
    return track


def to_rest(rig) -> None:
    for bone in rig.pose.bones:
        bone.matrix_basis.identity()
    bpy.context.view_layer.update()


def keys_of(action) -> dict:
    return {(c.data_path, c.array_index): [k.co.y for k in c.keyframe_points] for c in curves_of(action)}


@pytest.mark.long
def test_a_motion_whose_own_action_was_deleted_comes_back_as_keys(extension, person):
    body = rigged(extension, person)
    plain = extension.object
    walk = moving.move(extension, plain, "walk", IN_PLACE).action
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    action = extension.object.animation_data.action
    wanted = points_at(body, action, PARTS)
    bpy.data.actions.remove(walk)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    again = plain.animation_data.action
    assert again is not None and action in list(bpy.data.actions)
    for got, want in zip(points_at(body, again, PARTS), wanted, strict=True):
        assert apart(got, want) < 0.008


@pytest.mark.slow
def test_controls_switched_off_or_with_strips_get_the_keys_they_would_get_without(extension, person, monkeypatch):
    """Strips play neither while keys are made nor between the slices in which they are."""
    monkeypatch.setattr(baking, "AT_ONCE", 0.05)
    rigged(extension, person)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    wanted = keys_of(moving.move(extension, controls, "walk", IN_PLACE).action)
    controls.animation_data.action = None
    to_rest(controls)
    controls.hide_viewport = True
    got = keys_of(moving.move(extension, controls, "walk", IN_PLACE).action)
    assert controls.hide_viewport
    assert_alike(got, wanted)
    controls.hide_viewport = False
    track = pushed_down(controls, moving.move(extension, controls, "jump", IN_PLACE).action, "jump")
    extension.scene.frame_set(10)
    got = keys_of(moving.move(extension, controls, "walk", IN_PLACE).action)
    assert controls.animation_data.use_nla and not track.mute
    assert_alike(got, wanted)


def assert_alike(got: dict, wanted: dict) -> None:
    assert got.keys() == wanted.keys()
    for path, values in wanted.items():
        np.testing.assert_allclose(got[path], values, atol=1e-3, err_msg=str(path))


@pytest.mark.long
def test_strips_play_again_as_far_as_they_did_when_making_keys_is_stopped(extension, person, monkeypatch):
    monkeypatch.setattr(baking, "AT_ONCE", 0.05)
    rigged(extension, person)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    found = moving.move(extension, controls, "walk", IN_PLACE)
    pushed_down(controls, found.action, "walk")
    for plays in (True, False):
        controls.animation_data.use_nla = plays
        steps = baking.bake_steps(extension, controls, beneath.skeleton_beneath(controls), found.clip)
        next(steps)
        assert not controls.animation_data.use_nla
        steps.close()
        assert controls.animation_data.use_nla == plays


@pytest.mark.slow
def test_a_machine_too_slow_for_a_pose_in_a_turn_makes_keys_all_the_same(extension, person, monkeypatch):
    monkeypatch.setattr(baking, "AT_ONCE", 0.0)
    rigged(extension, person)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    clip = moving.move(extension, controls, "walk", IN_PLACE).clip
    steps = baking.bake_steps(extension, controls, beneath.skeleton_beneath(controls), clip)
    assert len(list(zip(steps, range(2 * len(clip.root)), strict=False))) == len(clip.root) + clip.loop


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("exchanged", [False, True])
def test_keys_made_of_strips_stay_when_these_were_exchanged_meanwhile(extension, person, exchanged):
    body = rigged(extension, person)
    plain = extension.object
    track = pushed_down(plain, moving.move(extension, plain, "walk", IN_PLACE).action, "walk")
    to_rest(plain)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    action = extension.object.animation_data.action
    wanted = points_at(body, action, PARTS)
    if exchanged:
        strip = track.strips[0]
        strip.action = moving.move(extension, rigged_again(extension, person), "jump", IN_PLACE).action
        extension.view_layer.objects.active = body
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    own = plain.animation_data.action
    assert (own is None, track.mute) == (not exchanged, exchanged)
    for got, want in zip(points_at(body, own or track.strips[0].action, PARTS), wanted, strict=True):
        assert apart(got, want) < 0.008


@pytest.mark.long
def test_a_copy_that_something_else_uses_stays_when_the_own_action_is_done_again(extension, person):
    rigged(extension, person)
    plain = extension.object
    walk = moving.move(extension, plain, "walk", IN_PLACE).action
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    action = extension.object.animation_data.action
    action.use_fake_user = True
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert plain.animation_data.action == walk and action in list(bpy.data.actions)


def rigged_again(extension, person):
    """Another rig of the same bones."""
    rigged(extension, person)
    return extension.object


@pytest.mark.long
def test_what_a_star_silenced_stays_silent_on_the_plain_rig(extension, person):
    body = rigged(extension, person)
    plain = extension.object
    pushed_down(plain, moving.move(extension, plain, "walk", IN_PLACE).action, "walk")
    to_rest(plain)
    arm = plain.pose.bones["upper_arm.L"]
    arm.rotation_mode = "QUATERNION"
    for frame, x in ((1, 0.0), (20, 0.5)):
        arm.rotation_quaternion = (1.0, x, 0.0, 0.0)
        arm.keyframe_insert("rotation_quaternion", frame=frame)
    pushed_down(plain, plain.animation_data.action, "arm").is_solo = True
    to_rest(plain)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    action = extension.object.animation_data.action
    curves_of(action)[0].keyframe_points[-1].co.y += 1e-4  # an artist's change
    wanted = points_at(body, action, PARTS)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert [(t.mute, t.is_solo) for t in plain.animation_data.nla_tracks] == [(True, False)] * 2
    for got, want in zip(points_at(body, plain.animation_data.action, PARTS), wanted, strict=True):
        assert apart(got, want) < 0.003


@pytest.mark.long
def test_controls_put_to_rest_come_back_at_rest_whatever_strips_the_plain_rig_has(extension, person):
    body = rigged(extension, person)
    plain, rest = extension.object, deformed_points(body)
    track = pushed_down(plain, moving.move(extension, plain, "run", IN_PLACE).action, "run")
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    extension.object.animation_data.action = None
    to_rest(extension.object)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    extension.scene.frame_set(8)
    assert track.mute and apart(deformed_points(body), rest) < 1e-4


def shown(rig, body, action) -> list[np.ndarray]:
    """The character in some frames of an action, which its rig does from now on."""
    rig.animation_data.action = action
    return skin_at(body, (1, 9, 20))


@pytest.mark.slow
def test_all_motions_that_controls_learned_come_to_the_plain_rig(extension, person):
    body = rigged(extension, person)
    plain = extension.object
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    made = {motion: moving.move(extension, controls, motion, IN_PLACE).action for motion in ("walk", "wave", "jump")}
    wanted = {motion: shown(controls, body, action) for motion, action in made.items()}
    controls.animation_data.action = made["wave"]
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    again = {action.name.removeprefix(f"{plain.name} "): action for action in actions_of(plain)}
    assert again.keys() == made.keys() and plain.animation_data.action == again["wave"]
    assert all(action.users for action in again.values())
    for motion, action in again.items():
        for got, want in zip(shown(plain, body, action), wanted[motion], strict=True):
            assert apart(got, want) < 0.008


@pytest.mark.slow
@pytest.mark.parametrize("is_shown", [pytest.param(False, marks=pytest.mark.slow), True])
def test_all_motions_of_a_plain_rig_come_to_controls_and_what_was_changed_comes_back(extension, person, is_shown):
    body = rigged(extension, person)
    plain = extension.object
    walk, wave = (moving.move(extension, plain, motion, IN_PLACE).action for motion in ("walk", "wave"))
    wanted = {a: shown(plain, body, a) for a in (walk, wave)}
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    copies = {a: next(c for c in actions_of(controls) if c.name.endswith(a.name.split()[-1])) for a in (walk, wave)}
    assert controls.animation_data.action == copies[wave] and len(actions_of(controls)) == 2
    for action, copy in copies.items():
        for got, want in zip(shown(controls, body, copy), wanted[action], strict=True):
            assert apart(got, want) < 0.008
    arm = next(c for c in curves_of(copies[walk]) if c.data_path.startswith('pose.bones["upper_arm_fk.L"].rotation'))
    for key in arm.keyframe_points:
        key.co.y += 0.3
    changed = shown(controls, body, copies[walk])
    controls.animation_data.action = copies[walk if is_shown else wave]
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    new, = set(actions_of(plain)) - {walk, wave}
    assert plain.animation_data.action == (new if is_shown else wave)
    for action, points in ((walk, wanted[walk]), (wave, wanted[wave]), (new, changed)):
        for got, want in zip(shown(plain, body, action), points, strict=True):
            assert apart(got, want) < 0.008


@pytest.mark.slow
def test_motions_that_nobody_changed_leave_no_copies_whichever_is_shown(extension, person):
    rigged(extension, person)
    plain = extension.object
    walk, wave = (moving.move(extension, plain, motion, IN_PLACE).action for motion in ("walk", "wave"))
    for shown in (walk, wave, walk):
        assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
        controls = extension.object
        called = shown.name.split()[-1]
        controls.animation_data.action = next(c for c in actions_of(controls) if c.name.endswith(called))
        assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
        assert plain.animation_data.action == shown and actions_of(plain) == [walk, wave]


@pytest.mark.long
def test_what_controls_show_stays_when_other_motions_are_read(extension, person):
    """What only the other motion moves, and the limbs' switches, are as they were."""
    rigged(extension, person)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    moving.move(extension, controls, "walk", IN_PLACE)
    controls.animation_data.action = None
    to_rest(controls)
    limb = controls.pose.bones["thigh_parent.L"]
    limb["IK_FK"] = 0.0
    controls.pose.bones["torso"].location.z = -0.1
    extension.view_layer.update()
    before = [bone.matrix.copy() for bone in controls.pose.bones]
    found = other_motions.other_doings(extension, controls, handing_over.doing_of_controls)
    assert [doing.action for doing in found] == [f"{controls.name} walk"] and limb["IK_FK"] == 0.0
    for bone, matrix in zip(controls.pose.bones, before, strict=True):
        np.testing.assert_allclose(bone.matrix, matrix, atol=1e-5)
