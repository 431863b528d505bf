"""Rigs become armatures an artist can use, and armatures become rigs."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon import names
from geppetto.addon.bridge.action import read_skeleton
from geppetto.addon.bridge.armature import (
    MADE_BY,
    change_bones,
    move_bones,
    posed_rig,
    read_detail,
    read_reading,
    read_rig,
    read_up,
    write_armature,
    write_detail,
    write_up,
)
from geppetto.core.detail.grow import DetailOptions
from geppetto.core.errors import BadRig
from geppetto.core.skeleton.preset import load_template, preset_names
from geppetto.core.skeleton.rig import Rig
from geppetto.core.skeleton.template import rig_from_joints

from .scenes import add_cube


def rig_of(preset: str) -> Rig:
    template = load_template(preset)
    return rig_from_joints(template, template.positions)


def put(context, rig, matrix=None, preset="biped"):
    return write_armature(context, rig, "Test rig", context.scene.collection, matrix or Matrix.Identity(4), preset)


@pytest.mark.parametrize("preset", preset_names())
def test_bones_are_what_the_rig_says(context, preset):
    rig = rig_of(preset)
    armature = put(context, rig, Matrix.Translation((3, -4, 1)))
    bones = armature.data.bones
    assert {b.name for b in bones} == set(rig.names)
    for i, name in enumerate(rig.names):
        bone = bones[name]
        np.testing.assert_allclose(armature.matrix_world @ bone.head_local, rig.heads[i], atol=1e-5)
        np.testing.assert_allclose(armature.matrix_world @ bone.tail_local, rig.tails[i], atol=1e-5)
        np.testing.assert_allclose(bone.matrix_local.col[0][:3], rig.x_axes[i], atol=2e-3)
        parent = rig.names[rig.parents[i]] if rig.parents[i] >= 0 else None
        assert (bone.parent.name if bone.parent else None) == parent
        assert bone.use_connect == bool(rig.connected[i])
        assert bone.use_deform == bool(rig.deform[i])
        assert [c.name for c in bone.collections] == [rig.collections[i]]


def test_the_new_armature_alone_is_selected(context):
    first, second = (put(context, rig_of("biped")) for _ in range(2))
    assert list(context.view_layer.objects.selected) == [second] and context.view_layer.objects.active is second
    assert len(first.data.bones) == len(second.data.bones)


def test_the_armature_is_ready_to_pose(context):
    armature = put(context, rig_of("biped"))
    assert armature.show_in_front and armature.data.display_type == "OCTAHEDRAL"
    assert context.mode == "OBJECT" and context.view_layer.objects.active is armature
    assert context.selected_objects == [armature]
    assert armature.data[MADE_BY] == "biped"


@pytest.mark.parametrize("joint", ["forearm", "shin", "upper_arm", "thigh", "hand", "foot"])
def test_a_turn_about_local_x_bends_both_sides_alike(context, joint):
    rig = rig_of("biped")
    armature = put(context, rig)
    for side in ".L", ".R":
        bone = armature.pose.bones[joint + side]
        bone.rotation_mode = "XYZ"
        bone.rotation_euler.x = 1.0
    context.view_layer.update()
    posed = posed_rig(rig, armature)
    for k, name in enumerate(rig.names):  # pictures mark doubtful joints where the pose has taken them
        np.testing.assert_allclose(posed.heads[k], posed.joints[name], atol=1e-5)
    left, right = (rig.names.index(joint + side) for side in (".L", ".R"))
    np.testing.assert_allclose(posed.tails[left] * [-1, 1, 1], posed.tails[right], atol=1e-4)
    assert np.linalg.norm(posed.tails[left] - rig.tails[left]) > 0.5 * np.linalg.norm(rig.tails[left] - rig.heads[left])


def test_elbows_bend_forward_and_knees_backward(context):
    rig = rig_of("biped")
    armature = put(context, rig)
    np.testing.assert_allclose(posed_rig(rig, armature).x_axes, rig.x_axes, atol=2e-3)
    for name in "forearm.L", "shin.R":
        armature.pose.bones[name].rotation_mode = "XYZ"
        armature.pose.bones[name].rotation_euler.x = np.pi / 2
    context.view_layer.update()
    moved = posed_rig(rig, armature).tails - rig.tails
    forearm, shin = moved[rig.names.index("forearm.L")], moved[rig.names.index("shin.R")]
    assert forearm[1] < -0.5 * np.linalg.norm(forearm)
    assert shin[1] > 0.5 * np.linalg.norm(shin)


@pytest.mark.parametrize("preset", preset_names())
def test_reading_gives_back_what_was_written(context, preset):
    rig = rig_of(preset)
    read = read_rig(put(context, rig, Matrix.Translation((1, 2, 3))))
    order = [read.names.index(name) for name in rig.names]
    np.testing.assert_allclose(read.heads[order], rig.heads, atol=1e-5)
    np.testing.assert_allclose(read.tails[order], rig.tails, atol=1e-5)
    np.testing.assert_allclose(read.x_axes[order], rig.x_axes, atol=2e-3)
    np.testing.assert_array_equal(read.connected[order], rig.connected)
    assert [read.collections[i] for i in order] == list(rig.collections)
    parent = {n: (rig.names[p] if p >= 0 else None) for n, p in zip(rig.names, rig.parents, strict=True)}
    assert {n: (read.names[p] if p >= 0 else None) for n, p in zip(read.names, read.parents, strict=True)} == parent


def test_only_deforming_bones_are_read_and_keep_their_ancestry(context):
    armature = put(context, Rig(("root", "control", "arm"), (-1, 0, 1), [[0, 0, 0], [0, 0, 1], [0, 0, 2]],
                                [[0, 0, 1], [0, 0, 2], [0, 0, 3]], deform=[True, False, True]))
    read = read_rig(armature)
    assert read.names == ("root", "arm")
    assert read.parents.tolist() == [-1, 0]
    for bone in armature.data.bones:
        bone.use_deform = False
    with pytest.raises(BadRig, match="Turn on Deform"):
        read_rig(armature)


def test_an_unevenly_scaled_armature_reads_with_sound_axes(context):
    armature = put(context, rig_of("biped"))
    armature.scale = (1, -2, 0.5)
    context.view_layer.update()
    read = read_rig(armature)
    along = read.tails - read.heads
    np.testing.assert_allclose(np.linalg.norm(read.x_axes, axis=1), 1, atol=1e-6)
    np.testing.assert_allclose((read.x_axes * along).sum(1), 0, atol=1e-6)


def test_bones_blender_would_drop_or_rename_are_errors_and_leave_nothing(context):
    with pytest.raises(BadRig, match="'short' is too short"):
        put(context, Rig(("long", "short"), (-1, 0), [[0, 0, 0], [0, 0, 1]], [[0, 0, 1], [0, 0, 1 + 1e-9]]))
    with pytest.raises(BadRig, match="63 bytes"):
        put(context, Rig(("x" * 64,), (-1,), [[0, 0, 0]], [[0, 0, 1]]))
    assert not bpy.data.armatures and not bpy.data.objects
    longest = put(context, Rig(("x" * 63,), (-1,), [[0, 0, 0]], [[0, 0, 1]]))
    assert longest.data.bones.keys() == ["x" * 63]


@pytest.mark.parametrize("size", [0.01, 1.0, 100.0])
@pytest.mark.parametrize(("gap", "connected"), [(0.8e-4, True), (1.2e-4, False)])
def test_a_bone_is_connected_if_it_begins_at_its_parents_end(context, size, gap, connected):
    rig = Rig(("root", "arm"), (-1, 0), size * np.array([[0, 0, 0], [gap, 0, 1]]),
              size * np.array([[0, 0, 1], [0.5, 0, 1]]), connected=[False, True])
    bone = put(context, rig).data.bones["arm"]
    assert bone.use_connect == connected
    np.testing.assert_allclose(bone.head_local, size * np.array([0.0 if connected else gap, 0, 1]), atol=1e-6 * size)


@pytest.mark.parametrize("scale", [1.0, 0.1, 10.0])
@pytest.mark.parametrize(("length", "kept"), [(1.7e-6, False), (2.3e-6, True)])
def test_how_short_a_bone_may_be_counts_in_the_armatures_own_units(context, scale, length, kept):
    rig = Rig(("root", "tip"), (-1, 0), [[0, 0, 0], [0, 0, -scale * length]], [[0, 0, 1], [0, 0, 0]])
    if kept:
        bones = put(context, rig, Matrix.Scale(scale, 4)).data.bones
        assert [bone.name for bone in bones] == ["root", "tip"]
    else:
        with pytest.raises(BadRig, match="'tip' is too short"):
            put(context, rig, Matrix.Scale(scale, 4))


def ends(armature) -> dict[str, list]:
    """The bones' heads and tails in the world."""
    matrix = armature.matrix_world
    return {b.name: [*(matrix @ b.head_local), *(matrix @ b.tail_local)] for b in armature.data.bones}


def test_bones_the_rig_does_not_know_go_along_with_their_parents_ends(context):
    rig = Rig(("root", "arm"), (-1, 0), [[0, 0, 0], [0, 0, 1]], [[0, 0, 1], [1, 0, 1]], connected=[False, True],
              reading=2, readings=3)
    armature = put(context, rig, Matrix.LocRotScale((1, 2, 3), Matrix.Rotation(0.5, 3, "Z").to_quaternion(), (2, 2, 2)))
    bpy.ops.object.mode_set(mode="EDIT")
    bones = armature.data.edit_bones
    armature.data.use_mirror_x = True
    places = {"tip": ("arm", True), "loose": ("arm", False), "on loose": ("loose", False), "alone": (None, False)}
    for name, (parent, connected) in places.items():
        bone = bones.new(name)
        bone.head = bones["arm"].tail if name == "tip" else (3, 3, 3)
        bone.tail, bone.parent, bone.use_connect = (3, 3, 4), bones.get(parent or ""), connected
    bpy.ops.object.mode_set(mode="OBJECT")
    before = ends(armature)
    heads, tails = np.array([[0, 0, 0.5], [0, 0.5, 1]]), np.array([[0, 0.5, 1], [2, 1, 1]])
    add_cube().select_set(True)
    moved = Rig(("root", "gone", "arm"), (-1, 0, 0), heads[[0, 0, 1]], tails[[0, 0, 1]], reading=2, readings=3)
    assert move_bones(context, armature, moved) == ["root", "arm"]
    after, shift = ends(armature), tails[1] - [1, 0, 1]
    for i, name in enumerate(("root", "arm")):
        np.testing.assert_allclose(after[name], [*heads[i], *tails[i]], atol=1e-5)
    for name in ("tip", "loose", "on loose"):
        np.testing.assert_allclose(after[name], np.add(before[name], [*shift, *shift]), atol=1e-5)
    np.testing.assert_allclose(after["alone"], before["alone"], atol=1e-6)
    assert armature.data.use_mirror_x and read_reading(armature)[:2] == (2, 3)
    assert context.selected_objects == [armature] and context.mode == "OBJECT"
    np.testing.assert_allclose(read_rig(armature).only({"root", "arm"}).x_axes, Rig(
        ("root", "arm"), (-1, 0), heads, tails).x_axes, atol=1e-4)


def test_bones_are_taken_out_and_put_in_and_the_others_stay(context):
    armature = put(context, Rig(("root", "arm", "old"), (-1, 0, 0), [[0, 0, 0], [0, 0, 1], [0, 0, 1]],
                                [[0, 0, 1], [1, 0, 1], [0, 1, 1]], collections=("Deform", "Deform", "Deform")),
                   Matrix.LocRotScale((1, 2, 3), None, (2, 2, 2)))
    before = ends(armature)
    rig = Rig(("root", "arm", "hand", "extra", "tail"), (-1, 0, 1, -1, 0),
              [[9, 9, 9], [9, 9, 9], [1, 0, 1], [5, 5, 5], [0, 1, 0]],
              [[9, 9, 8], [9, 9, 8], [2, 0, 1], [5, 5, 6], [0, 2, 0]], deform=[True, True, True, False, True],
              collections=("Deform", "Deform", "Deform", "Extra", "Deform"))
    change_bones(context, armature, rig, ["old"])
    after, bones = ends(armature), armature.data.bones
    assert set(after) == {"root", "arm", "hand", "extra", "tail"} and context.mode == "OBJECT"
    for name in ("root", "arm"):
        np.testing.assert_allclose(after[name], before[name], atol=1e-6)
    np.testing.assert_allclose([after["hand"], after["extra"]], [[1, 0, 1, 2, 0, 1], [5, 5, 5, 5, 5, 6]], atol=1e-5)
    assert bones["hand"].parent == bones["arm"] and not bones["hand"].use_connect and bones["extra"].parent is None
    assert bones["tail"].parent == bones["root"] and not bones["tail"].use_connect
    assert bones["hand"].use_deform and not bones["extra"].use_deform
    assert {b.name: [c.name for c in b.collections] for b in bones} == {
        "root": ["Deform"], "arm": ["Deform"], "hand": ["Deform"], "extra": ["Extra"], "tail": ["Deform"]}


def test_what_lies_is_told_from_what_stands_in_its_own_space_until_it_is_stood_up(context):
    armature = put(context, rig_of("biped"), Matrix.Rotation(np.pi / 2, 4, "Z"))
    write_up(armature, np.array([1.0, 0, 0]))
    np.testing.assert_allclose(read_up(armature), [0, -1, 0], atol=1e-6)
    write_up(armature, np.array([0, 0, 1.0]))
    armature.matrix_world = Matrix.Rotation(np.pi / 2, 4, "X")
    np.testing.assert_allclose(read_up(armature), [0, 1, 0], atol=1e-6)


@pytest.mark.parametrize("scale", [0.1, 1.0, 10.0])
@pytest.mark.parametrize(("lean", "lies"), [(0.0, False), (40.0, False), (50.0, True), (120.0, True)])
def test_a_body_that_leans_by_more_than_half_a_right_angle_lies_however_large_it_is(context, lean, lies, scale):
    armature = put(context, rig_of("biped"), Matrix.Rotation(np.radians(lean), 4, "X") @ Matrix.Scale(scale, 4))
    assert read_skeleton(armature).up is None, "nobody said where its up is"
    armature.data[names.UP] = [0.0, 0.0, 2.0]
    up = read_skeleton(armature).up
    assert up.tolist() == [0, 0, 1] if lies else up is None


@pytest.mark.parametrize("detail", [
    DetailOptions("body"), DetailOptions("hands", 0), DetailOptions("hands", 5, 0, True),
    DetailOptions("full", None, 3, False, ("cape", "prop_hand.R")), DetailOptions("full", 4, 1, True, ("hair",))])
def test_how_far_an_armature_goes_into_detail_is_noted_on_it(context, detail):
    armature = bpy.data.objects.new("rig", bpy.data.armatures.new("rig"))
    assert read_detail(armature) == DetailOptions("body")
    write_detail(armature, detail)
    assert read_detail(armature) == detail
