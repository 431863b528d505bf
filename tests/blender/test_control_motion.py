"""Motions on Rigify's controls: the character does what its plain rig would do, the pose and undo are the artist's."""

from __future__ import annotations

from functools import partial

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

from geppetto.addon import names
from geppetto.addon.bridge import rigify
from geppetto.addon.bridge.curves import curves_of
from geppetto.addon.motion import baking, beneath, handing_over, moving
from geppetto.addon.motion.takes import actions_of
from geppetto.core.geometry.rotation import angle, conjugate, multiply
from geppetto.core.motion.edit import trimmed
from geppetto.core.motion.kinematics import Kinematics
from geppetto.core.steps import run

from .scenes import add_character, deformed_points

pytestmark = pytest.mark.usefixtures("rigged_once")


def skin_at(body, frames) -> list[np.ndarray]:
    """The deformed points of a body at some frames."""
    found = []
    for frame in frames:
        bpy.context.scene.frame_set(frame)
        found.append(deformed_points(body))
    return found


def points_at(body, action, parts) -> list[np.ndarray]:
    """The character at some parts of an action."""
    found = []
    for part in parts:
        frame = action.frame_start + part * (action.frame_end - action.frame_start)
        bpy.context.scene.frame_set(int(frame), subframe=frame % 1.0)
        found.append(deformed_points(body))
    return found


def rigged(context, person, *, lies: bool = False, **options):
    """A person, upright or on its back, with a plain rig, which is active."""
    body, = add_character(person)
    body.rotation_euler.x = np.pi / 2 if lies else 0.0
    body.select_set(True)
    context.view_layer.objects.active = body
    context.view_layer.update()
    assert bpy.ops.object.geppetto_auto_rig(preset="biped", **options) == {"FINISHED"}
    return body


@pytest.mark.long
def test_a_control_rig_walks_as_its_plain_rig_does(extension, person):
    body = rigged(extension, person)
    plain = extension.object
    parts = (0.0, 0.25, 0.5, 0.875)
    options = moving.MoveOptions(travel="hips")
    wanted = points_at(body, moving.move(extension, plain, "walk", options).action, parts)
    plain.animation_data_clear()
    for bone in plain.pose.bones:
        bone.matrix_basis.identity()
    extension.view_layer.update()
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    controls.pose.bones["hand_ik.L"].location.x = 0.1
    steps = moving.move_steps(extension, controls, "walk", options)
    while next(steps)[1] < 0.95:
        continue
    steps.close()
    limbs = [b for b in controls.pose.bones if "IK_FK" in b]
    assert controls.pose.bones["hand_ik.L"].location.x == pytest.approx(0.1)
    assert controls.pose.bones["torso"].location.length == 0 and {b["IK_FK"] for b in limbs} == {0.0}, "stopped"
    assert controls.animation_data.action is None
    moved = moving.move(extension, controls, "walk", options)
    assert moved.action.name.startswith("body rig controls walk") and len(limbs) == 4
    assert {b["IK_FK"] for b in limbs} == {1.0}
    for got, want in zip(points_at(body, moved.action, parts), wanted, strict=True):
        apart = np.linalg.norm(got - want, axis=1) / np.ptp(want, axis=0).max()
        assert apart.mean() < 0.004 and apart.max() < 0.02
        assert apart[want[:, 2] < want[:, 2].min() + 0.05].max() < 0.003, "feet stand where they ought to"
    first = moved.action
    assert bpy.ops.object.geppetto_move(motion="wave") == {"FINISHED"}
    assert controls.animation_data.action is not first and first.use_fake_user


def one_by_one(context, controls, under, clip) -> dict:
    """What `bake_steps` finds, with each control put to its place after all that it hangs on, and all brought along."""
    bones, held = controls.pose.bones, {}
    order = sorted((f for turn in baking.followers_of(controls, clip.rig.names, under.shares) for f in turn),
                   key=lambda f: ("_ik" in f.control, f.control != "torso", len(bones[f.control].parent_recursive)))
    for limb in [b for b in bones if "IK_FK" in b]:
        limb["IK_FK"] = 1.0
    ways = baking._Ways(clip, under.space.inverted_safe())
    for frame in range(len(clip.root)):
        for f in order:
            bone = bones[f.control]
            bone.matrix = ways.at(frame, f.source) @ bone.bone.matrix_local
            bone.location = bone.location if f.moves else (0.0, 0.0, 0.0)
            bone.scale = (1.0, 1.0, 1.0)
            context.view_layer.update()
        hips = bones["ORG-spine"]
        off = ways.at(frame, order[0].source) @ hips.bone.head_local - hips.head
        bones["torso"].matrix = Matrix.Translation(off) @ bones["torso"].matrix
        for f in order:
            held.setdefault(f.control, []).append(np.array(bones[f.control].matrix_basis))
    return held


@pytest.mark.slow
def test_keys_on_controls_are_those_of_one_control_after_the_other_and_no_skin_is_moved_for_them(extension, person):
    body = rigged(extension, person, detail="full")
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls, scenes, skinned = extension.object, list(bpy.data.scenes), []
    under = beneath.skeleton_beneath(controls)
    order = baking.followers_of(controls, under.rig.names, under.shares)
    assert len({f.control for turn in order for f in turn}) == sum(map(len, order)) > 30 and len(order) < 12
    clip = moving.move(extension, controls, "dance").clip
    clip = trimmed(clip, 60, 63)
    controls.animation_data_clear()
    extension.view_layer.update()

    def note(scene, graph):
        skinned.extend(u for u in graph.updates if u.id.original == body and u.is_updated_geometry)

    bpy.app.handlers.depsgraph_update_post.append(note)
    try:
        keys = run(baking.bake_steps(extension, controls, under, clip))
    finally:
        bpy.app.handlers.depsgraph_update_post.remove(note)
    assert len(skinned) <= 1 and list(bpy.data.scenes) == scenes and controls.users_scene == (extension.scene,)
    for control, held in one_by_one(extension, controls, under, clip).items():
        turns, places = keys[control]
        for frame, basis in enumerate(map(Matrix, held)):
            assert basis.to_quaternion().rotation_difference(Quaternion(turns[frame])).angle % (2 * np.pi) < 1e-3
            if places is not None:
                np.testing.assert_allclose(places[frame], basis.translation, atol=1e-5)


@pytest.mark.long
def test_a_motion_is_put_on_a_rig_that_rigify_generated_for_somebody_else(extension):
    rigify.enable_rigify()
    bpy.ops.object.armature_human_metarig_add()
    metarig = extension.object
    bpy.ops.object.mode_set(mode="EDIT")
    bones = metarig.data.edit_bones
    for bone in [b for b in bones if b.name == "face" or "face" in {p.name for p in b.parent_recursive}]:
        bones.remove(bone)
    bpy.ops.object.mode_set(mode="OBJECT")
    metarig.location, metarig.rotation_euler.z = (1.0, 2.0, 0.0), 0.5
    assert bpy.ops.pose.rigify_generate() == {"FINISHED"}
    controls = extension.object
    assert names.PLAIN_RIG not in controls
    under = beneath.skeleton_beneath(controls)
    assert {"shin.L", "hand.R", "f_index.02.L", "spine.006"} <= set(under.rig.names)
    parent = {n: under.rig.names[p] for n, p in zip(under.rig.names, under.rig.parents, strict=True) if p >= 0}
    assert parent["spine.001"] == "spine" and parent["spine.004"] == "spine.003" and parent["hand.L"] == "forearm.L"
    assert under.shares["DEF-shin.L.001"] == "shin.L"
    moved = moving.move(extension, controls, "walk", moving.MoveOptions(travel="hips"))
    kinematics = Kinematics(moved.clip.rig)
    heads = kinematics.heads(kinematics.turns(moved.clip.rotations), moved.clip.root)
    limbs = ["hand.L", "foot.R", "shin.L", "forearm.R", "spine.006"]
    size = np.ptp(under.rig.heads, axis=0).max()
    rounds = len(heads) if moved.clip.loop else len(heads) - 1
    length = moved.action.frame_end - moved.action.frame_start
    for way in ("FK", "IK"):
        for frame in (0, len(heads) // 3, len(heads) // 2):
            at = moved.action.frame_start + length * frame / rounds
            extension.scene.frame_set(int(at), subframe=float(at) % 1.0)
            for limb in limbs:
                off = np.array(controls.pose.bones[f"DEF-{limb}"].head) - heads[frame, under.rig.names.index(limb)]
                assert np.linalg.norm(off) < 0.01 * size, (way, frame, limb)
        for bone in [b for b in controls.pose.bones if "IK_FK" in b and way == "FK"]:  # then by its IK controls
            controls.keyframe_delete(f'pose.bones["{bone.name}"]["IK_FK"]', frame=moved.action.frame_start)
            bone["IK_FK"] = 0.0
    assert np.ptp(heads[:, under.rig.names.index("hand.L")], axis=0).max() > 0.1 * size


def apart(got, want) -> float:
    """The mean distance of points, of the body's size."""
    return float(np.linalg.norm(got - want, axis=1).mean() / np.ptp(want, axis=0).max())


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("detail", ["body", "full"])
def test_a_character_goes_on_with_what_it_does_when_it_gets_controls_and_when_it_loses_them(extension, person, detail):
    body = rigged(extension, person, detail=detail)
    plain, parts = extension.object, (0.0, 0.25, 0.875)
    walk = moving.move(extension, plain, "walk", moving.MoveOptions(travel="hips")).action
    wanted = points_at(body, walk, parts)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    action = extension.object.animation_data.action
    assert action.use_cyclic and tuple(action.frame_range) == pytest.approx(tuple(walk.frame_range), abs=1)
    shown = points_at(body, action, parts)
    for got, want in zip(shown, wanted, strict=True):
        assert apart(got, want) < 0.006
    for curve in curves_of(action)[:1]:
        curve.keyframe_points[1].co.y += 1e-4  # an artist's change: what comes back is a motion of its own
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    again = extension.object.animation_data.action
    assert extension.object is plain and again is not walk
    assert {walk, again} <= set(actions_of(plain)) and action not in actions_of(plain)
    for got, want in zip(points_at(body, again, parts), wanted, strict=True):
        assert apart(got, want) < 0.008
    for got, want in zip(points_at(body, again, parts), shown, strict=True):
        assert apart(got, want) < 0.003  # twice as much where a spine was read off what its handles carry


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("motion", ["walk", "dance"])
def test_bones_turn_as_they_did_with_controls_and_after_them(extension, person, motion):
    """About themselves too, where Rigify spreads a spine's twist over its handles."""
    rigged(extension, person)
    plain = extension.object
    moving.move(extension, plain, motion, moving.MoveOptions(travel="hips"))
    doings = [handing_over.doing_of_plain(extension, plain)]
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    doings.append(handing_over.doing_of_controls(extension, controls))
    curves_of(controls.animation_data.action)[0].keyframe_points[1].co.y += 1e-4  # no longer the motion it was made of
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    doings.append(handing_over.doing_of_plain(extension, plain))
    turns = [Kinematics(d.clip.rig).turns(d.clip.rotations) for d in doings]
    heads = [Kinematics(d.clip.rig).heads(t, d.clip.root) for d, t in zip(doings, turns, strict=True)]
    for turn, head in zip(turns[1:], heads[1:], strict=True):
        assert np.degrees(angle(multiply(conjugate(turns[0]), turn))).max() < 0.1
        np.testing.assert_allclose(head, heads[0], atol=1e-3)


def test_a_pose_goes_to_the_controls_and_back(extension, person):
    body = rigged(extension, person)
    plain, rest = extension.object, deformed_points(body)
    arm = plain.pose.bones["upper_arm.L"]
    arm.rotation_mode = "QUATERNION"
    arm.rotation_quaternion = (0.9, 0.3, 0.2, 0.1)
    extension.view_layer.update()
    wanted = deformed_points(body)
    assert apart(wanted, rest) > 0.005
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    assert controls.animation_data is None or controls.animation_data.action is None
    assert apart(deformed_points(body), wanted) < 0.003
    controls.pose.bones["torso"].location.z += 0.1
    extension.view_layer.update()
    wanted = deformed_points(body)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert apart(deformed_points(body), wanted) < 0.02


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("lies", [False, True])
def test_the_plain_rig_comes_to_stand_where_the_controls_were_moved(extension, person, lies):
    body = rigged(extension, person, lies=lies)
    plain = extension.object
    walk = moving.move(extension, plain, "walk", moving.MoveOptions(travel="hips")).action
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls, before = extension.object, deformed_points(body)
    place = Matrix.LocRotScale((1, -2, 0.5), Matrix.Rotation(0.7, 3, "Y").to_quaternion(), (2, 2, 2))
    controls.matrix_world = place @ controls.matrix_world
    extension.view_layer.update()
    parts = (0.0, 0.25, 0.875)
    moved = points_at(body, controls.animation_data.action, parts)
    assert apart(deformed_points(body), before) > 0.1
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    np.testing.assert_allclose(plain.matrix_world.to_scale(), [2, 2, 2], atol=1e-5)
    for got, want in zip(points_at(body, walk, parts), moved, strict=True):
        assert apart(got, want) < 0.008
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    for got, want in zip(points_at(body, walk, parts), moved, strict=True):
        assert apart(got, want) < 0.012


@pytest.mark.slow
def test_a_motion_is_put_on_controls_where_they_were_moved(extension, person):
    body = rigged(extension, person)
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls, parts, options = extension.object, (0.0, 0.25, 0.875), moving.MoveOptions(travel="hips")
    here = points_at(body, moving.move(extension, controls, "walk", options).action, parts)
    controls.animation_data.action = None
    controls.location.x += 1.0
    extension.view_layer.update()
    there = points_at(body, moving.move(extension, controls, "walk", options).action, parts)
    for got, want in zip(there, here, strict=True):
        np.testing.assert_allclose(got, want + [1.0, 0.0, 0.0], atol=1e-3)


@pytest.mark.slow
@pytest.mark.sweep(1)
@pytest.mark.parametrize("detail", ["body", "full"])
def test_a_motion_that_was_not_changed_comes_back_as_itself_and_controls_leave_no_takes(extension, person, detail):
    body = rigged(extension, person, detail=detail)
    plain = extension.object
    walk = moving.move(extension, plain, "walk", moving.MoveOptions(travel="hips")).action
    extension.scene.frame_set(int(walk.frame_start) + 5)
    wanted = deformed_points(body)
    for _ in range(2):
        assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
        assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
        assert plain.animation_data.action is walk and list(bpy.data.actions) == [walk]
        assert apart(deformed_points(body), wanted) < (1e-5 if detail == "body" else 1e-3)  # twist bones dealt anew
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    bpy.ops.object.geppetto_move(motion="wave")
    wave = extension.object.animation_data.action
    wave.name = f"{plain.name} like a finger"
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert actions_of(plain) == sorted([walk, plain.animation_data.action], key=lambda a: a.name)
    assert wave in list(bpy.data.actions)


@pytest.mark.long
def test_what_is_posed_on_controls_beside_their_keys_is_a_change(extension, person):
    body = rigged(extension, person)
    plain = extension.object
    walk = moving.move(extension, plain, "walk", moving.MoveOptions(travel="hips")).action
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    root = extension.object.pose.bones["root"]
    root.location.y = 0.3
    extension.view_layer.update()
    extension.scene.frame_set(int(walk.frame_start) + 5)
    wanted = deformed_points(body)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert plain.animation_data.action is not walk
    assert apart(deformed_points(body), wanted) < 0.008


@pytest.mark.slow
@pytest.mark.parametrize(("lies", "mode", "edited"), [
    (False, "XYZ", False), (False, "XYZ", True), (True, "XYZ", True), (True, "QUATERNION", True)])
def test_the_way_of_the_object_itself_goes_along_to_the_controls_and_back(extension, person, lies, mode, edited):
    body = rigged(extension, person, lies=lies)
    plain, frames = extension.object, (1, 13, 25)
    plain.rotation_mode = mode
    for frame, x in ((1, 0.0), (25, 4.0)):
        plain.matrix_basis = Matrix.LocRotScale((x, 0, 0), Matrix.Rotation(x / 3, 3, "Z").to_quaternion(),
                                                (1 + x / 8,) * 3)
        for what in ("location", "rotation_euler" if mode == "XYZ" else "rotation_quaternion", "scale"):
            plain.keyframe_insert(what, frame=frame)

    shown = partial(skin_at, body, frames)
    wanted = shown()
    assert apart(wanted[-1], wanted[0]) > 0.5
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    for got, want in zip(shown(), wanted, strict=True):
        assert apart(got, want) < 0.003
    if edited:
        curve = next(c for c in curves_of(extension.object.animation_data.action) if c.data_path == "location")
        for point in curve.keyframe_points:
            point.co.y += 1.0
        wanted = shown()
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    for got, want in zip(shown(), wanted, strict=True):
        assert apart(got, want) < 0.003


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("is_changed", [False, True])
def test_what_strips_of_the_nla_editor_do_goes_to_the_controls_and_comes_back(extension, person, is_changed):
    body = rigged(extension, person)
    plain = extension.object
    walk = moving.move(extension, plain, "walk", moving.MoveOptions(travel="hips")).action
    data = plain.animation_data
    data.action = None
    track, silent = data.nla_tracks.new(), data.nla_tracks.new()
    track.strips.new("late", 21, walk)
    silent.strips.new("silent", 100, walk)
    silent.mute = True
    frames = (21, 30, 40)

    shown = partial(skin_at, body, frames)
    wanted = shown()
    assert apart(wanted[1], wanted[0]) > 0.01
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls = extension.object
    action = controls.animation_data.action
    assert action.frame_range[:] == (21, pytest.approx(21 + walk.frame_range[1] - walk.frame_range[0], abs=1))
    for got, want in zip(shown(), wanted, strict=True):
        assert apart(got, want) < 0.006
    for curve in curves_of(action)[:1] if is_changed else ():
        curve.keyframe_points[1].co.y += 1e-4
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert [t.mute for t in data.nla_tracks] == [is_changed, True] and (data.action is None) is not is_changed
    for got, want in zip(shown(), wanted, strict=True):
        assert apart(got, want) < 0.008


@pytest.mark.long
@pytest.mark.parametrize("is_changed", [False, True])
def test_what_was_keyed_on_controls_is_there_again_on_the_next_control_rig(extension, person, is_changed):
    body = rigged(extension, person)
    plain = extension.object
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    controls, frames = extension.object, (1, 6, 11)
    for frame, z in ((1, 0.0), (11, 0.2)):
        hand = controls.pose.bones["hand_ik.L"]
        hand.location.z = z
        hand.keyframe_insert("location", frame=frame)
    keyed, wanted = controls.animation_data.action, skin_at(body, frames)
    assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
    assert keyed.use_fake_user, "it is saved with the file"
    baked = plain.animation_data.action
    if is_changed:
        curves_of(baked)[0].keyframe_points[1].co.y += 1e-4
    for _ in range(2):
        assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
        controls = extension.object
        assert (controls.animation_data.action is keyed) is not is_changed
        assert controls.pose.bones["upper_arm_parent.L"]["IK_FK"] == float(is_changed)
        for got, want in zip(skin_at(body, frames), wanted, strict=True):
            assert apart(got, want) < (0.01 if is_changed else 1e-6)
        assert bpy.ops.geppetto.plain_rig_again() == {"FINISHED"}
        assert plain.animation_data.action is baked and keyed in list(bpy.data.actions)


@pytest.mark.long
def test_strips_that_play_on_beyond_an_action_are_taken_over_whole(extension, person):
    body = rigged(extension, person)
    plain, frames = extension.object, (1, 5, 20)
    walk = moving.move(extension, plain, "walk", moving.MoveOptions(travel="hips")).action
    data = plain.animation_data
    data.action = None
    data.nla_tracks.new().strips.new("walk", 1, walk)
    data.action, data.action_blend_type = bpy.data.actions.new("arm"), "COMBINE"
    arm = plain.pose.bones["upper_arm.L"]
    for frame, turn in ((1, (1, 0, 0, 0)), (5, (0.9, 0.4, 0, 0))):
        arm.rotation_quaternion = turn
        arm.keyframe_insert("rotation_quaternion", frame=frame)
    wanted = skin_at(body, frames)
    assert apart(wanted[2], wanted[1]) > 0.1
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    for got, want in zip(skin_at(body, frames), wanted, strict=True):
        assert apart(got, want) < 0.006
