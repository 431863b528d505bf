"""Keys of an action: which bones and frames have some, and that they do what the clip says."""

from __future__ import annotations

from dataclasses import replace

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Quaternion

from geppetto.addon.bridge.action import add_places, add_rests, bone_channels, read_skeleton, write_action
from geppetto.addon.motion.moving import MoveOptions, move
from geppetto.core.errors import BadMotion
from geppetto.core.geometry.rotation import from_vector
from geppetto.core.motion.clip import MotionClip
from geppetto.core.motion.clip_file import load_motion

from .test_motion import add_rig, curves_of, heads_at, read


@pytest.mark.parametrize("broken", ["bone", "object"])
def test_keys_that_take_a_bone_to_no_place_are_told(context, person, broken):
    armature = add_rig(context, person.joints)
    bone = armature.pose.bones["hand.L"]
    bone.keyframe_insert("location", frame=1)
    bone.keyframe_insert("location", frame=5)
    assert read(context, armature).rate > 0
    holder = bone if broken == "bone" else armature
    holder.scale = (0, 0, 0)
    holder.keyframe_insert("scale", frame=3)
    with pytest.raises(BadMotion, match="to no place"):
        read(context, armature)


def test_a_clip_is_written_at_the_scenes_start(context, person):
    armature = add_rig(context, person.joints)
    walk = load_motion("walk")
    clip = walk.changed(rig=read_skeleton(armature))
    action = write_action(armature, clip, 24.0, start=100)
    assert (action.frame_start, action.frame_end) == (100, 126)  # 25.6 frames made whole
    assert action.use_frame_range and action.use_cyclic and tuple(action.frame_range) == (100, 126)
    assert {len(c.keyframe_points) for c in curves_of(action)} == {33}, "a key for each frame, the first once more"
    still = MotionClip(clip.rig, clip.rotations[:1], clip.root[:1], 24.0)
    action = write_action(armature, still, 24.0, start=7)
    assert (action.frame_start, action.frame_end) == (7, 8) and not action.use_cyclic, "a frame is seen for a frame"


def test_what_a_motion_leaves_alone_gets_a_key_where_it_is(context, person):
    armature = add_rig(context, person.joints)
    action = write_action(armature, load_motion("walk").changed(rig=read_skeleton(armature)), 24.0, start=1)
    before = {(c.data_path, c.array_index) for c in curves_of(action)}
    held = Matrix.LocRotScale((1, 2, 3), Quaternion((0, 0, 1), 0.5), (4, 5, 6))
    add_rests(armature, action, [(bone, what) for bone in ("head", "hand.L") for what in ("location", "scale")],
              {"head": held})
    keys = {(c.data_path, c.array_index): [p.co[:] for p in c.keyframe_points] for c in curves_of(action)}
    for bone, what, values in (("head", "location", (1, 2, 3)), ("head", "scale", (4, 5, 6)),
                               ("hand.L", "location", (0, 0, 0)), ("hand.L", "scale", (1, 1, 1))):
        for k, value in enumerate(values):
            (at, found), = keys.pop((f'pose.bones["{bone}"].{what}', k))
            assert at == action.frame_range[0] and found == pytest.approx(value)
    assert set(keys) == before


@pytest.mark.parametrize("mode", ["QUATERNION", "XYZ"])
def test_a_bone_that_turns_round_and_round_goes_on_turning(context, person, mode):
    armature = add_rig(context, person.joints)
    rig = read_skeleton(armature)
    head = rig.names.index("head")
    armature.pose.bones[head].rotation_mode = mode
    rotations = np.tile([1.0, 0, 0, 0], (24, len(rig.names), 1))
    rotations[:, head] = from_vector(np.outer(np.arange(24) / 24 * 2 * np.pi, rig.tails[head] - rig.heads[head])
                                     / np.linalg.norm(rig.tails[head] - rig.heads[head]))
    write_action(armature, MotionClip(rig, rotations, np.zeros((24, 3)), 24.0, loop=True), 24.0, start=1)
    seen = []
    for frame in (6, 30, 54):
        context.scene.frame_set(frame, subframe=0.5)
        seen.append(np.array(armature.evaluated_get(context.evaluated_depsgraph_get()).pose.bones[head].matrix))
    np.testing.assert_allclose(seen[1:], [seen[0]] * 2, atol=1e-4)


def test_only_bones_that_turn_or_are_driven_get_keys_unless_their_channels_are_given(context, person):
    armature = add_rig(context, person.joints)
    rig = read_skeleton(armature)
    rotations = np.tile([1.0, 0, 0, 0], (9, len(rig.names), 1))
    hand = rig.names.index("hand.L")
    rotations[:, hand] = from_vector(np.linspace(0, 0.002, 9)[:, None] * rig.x_axes[hand])  # little, about one axis
    clip = MotionClip(rig, rotations, np.zeros((9, 3)), 24.0)

    def keyed(**more) -> set[str]:
        action = write_action(armature, clip, 24.0, start=1, **more)
        return {c.data_path.split('"')[1] for c in curves_of(action) if "rotation" in c.data_path}

    assert keyed() == {rig.names[0], "hand.L"}
    assert keyed(driven=[rig.names.index("head")]) == {rig.names[0], "hand.L", "head"}
    assert keyed(channels=bone_channels(armature, clip)) == set(rig.names)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_bone_that_hangs_on_another_than_in_the_clip_moves_itself_whatever_the_size(context, person, size):
    armature = add_rig(context, {name: size * np.asarray(place) for name, place in person.joints.items()})
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones["hand.L"].use_connect = False
    bpy.ops.object.mode_set(mode="OBJECT")
    rig = read_skeleton(armature)
    hand, chest = rig.names.index("hand.L"), rig.names.index("chest")
    rotations = np.tile([1.0, 0, 0, 0], (2, len(rig.names), 1))
    rotations[1, rig.names.index("forearm.L")] = from_vector(np.array([0.0, 0.004, 0.0]))
    assert all(location is None for _, location in bone_channels(armature, MotionClip(
        rig, rotations, np.zeros((2, 3)), 24.0))[1:])
    parents = np.array(rig.parents)
    parents[hand] = chest  # it stays where it is when the forearm turns
    channels = bone_channels(armature, MotionClip(replace(rig, parents=parents), rotations, np.zeros((2, 3)), 24.0))
    moved = [name for name, (_, location) in zip(rig.names[1:], channels[1:], strict=True) if location is not None]
    assert moved == ["hand.L"]


@pytest.mark.parametrize(("moves", "keyed"), [
    (lambda k: Matrix.Rotation(0.2 * k, 4, "Z"), {"rotation_quaternion"}),
    (lambda k: Matrix.Translation((0.1 * k, 0, 0)), {"location"}),
    (lambda k: Matrix.Diagonal((1 + k, 1, 1, 1)), {"scale"}), (lambda k: Matrix(), set())])
def test_only_what_changes_of_an_objects_place_gets_keys(context, person, moves, keyed):
    """Wherever it stands, however it is turned and scaled."""
    armature = add_rig(context, person.joints)
    armature.rotation_mode = "QUATERNION"
    action = write_action(armature, load_motion("walk").changed(rig=read_skeleton(armature)), 24.0, start=1)
    stands = Matrix.LocRotScale((1, 2, 3), Quaternion((0, 0, 1), 0.5), (2, 2, 2))
    add_places(armature, action, np.array([stands @ moves(k) for k in range(4)]), 1)
    found = {c.data_path for c in curves_of(action) if not c.data_path.startswith("pose.")}
    assert found == keyed and armature.matrix_basis.to_translation()[:] == pytest.approx((1, 2, 3))


def test_fewer_keys_do_the_same_motion(context, person):
    armature = add_rig(context, person.joints)
    context.scene.render.fps = 30
    full = move(context, armature, "walk", MoveOptions(travel="hips"))
    count = sum(len(c.keyframe_points) for c in curves_of(full.action))
    wanted = {f: heads_at(context, armature, f) for f in range(1, 33, 3)}
    few = move(context, armature, "walk", MoveOptions(travel="hips", reduce=0.5))
    assert sum(len(c.keyframe_points) for c in curves_of(few.action)) < 0.55 * count
    for frame, places in wanted.items():
        assert np.linalg.norm(heads_at(context, armature, frame) - places, axis=1).max() < 0.02 * person.height


def test_fewer_keys_of_the_object_still_take_it_along_its_way(context, person):
    """Within a tenth of the tolerance, of the skeleton's size: half a degree is 0.0009 of it."""
    armature = add_rig(context, person.joints)
    context.scene.render.fps = 30

    def ways(reduce: float) -> tuple[int, np.ndarray]:
        moved = move(context, armature, "walk", MoveOptions(travel="root", reduce=reduce))
        curves = [c for c in curves_of(moved.action) if c.data_path == "location"]
        assert len(curves) == 3
        places = np.array([[c.evaluate(f) for c in curves] for f in range(1, 65)])
        np.testing.assert_allclose(places[32:], places[:32] + moved.clip.stride, atol=1e-5)  # it travels on
        return len(curves[1].keyframe_points), places[:32]

    (many, full), (few, kept), (fewer, far) = (ways(reduce) for reduce in (0.0, 0.5, 20.0))
    assert fewer < few < many
    assert np.abs(kept - full).max() < 1.01 * 0.1 * np.deg2rad(0.5) * person.height
    assert np.abs(far - full).max() < 1.01 * 0.1 * np.deg2rad(20) * person.height


def test_bones_stay_within_the_tolerance_and_sizes_play_no_part_in_which_keys_are_left_out(context, person):
    context.scene.render.fps = 30
    counts, shown = [], []
    for size, reduce in ((1.0, 0.0), (1.0, 3.0), (10.0, 3.0)):
        armature = add_rig(context, {name: size * place for name, place in person.joints.items()})
        action = move(context, armature, "walk", MoveOptions(travel="hips", reduce=reduce)).action
        counts.append([len(c.keyframe_points) for c in curves_of(action)])
        shown.append([])
        for frame in range(1, 33, 2):
            context.scene.frame_set(frame)
            posed = armature.evaluated_get(context.evaluated_depsgraph_get()).pose.bones
            shown[-1].append([b.matrix_basis.to_quaternion() for b in posed])
    assert counts[1] == counts[2] and sum(counts[1]) < 0.5 * sum(counts[0])
    apart = 2 * np.arccos(np.clip(np.abs(np.einsum("tbi,tbi->tb", shown[0], shown[1])), 0, 1))
    assert 2.0 < np.rad2deg(apart).max() < 3.05
