"""Motion on rigs as artists build them: feet on the ground, controls, bones that inherit nothing, constraints."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix, Vector

from geppetto.addon.bridge.action import read_action_steps, read_skeleton
from geppetto.addon.bridge.pose import poles
from geppetto.addon.motion.moving import MoveOptions, move
from geppetto.core.errors import BadMotion
from geppetto.core.motion.kinematics import Kinematics
from geppetto.core.pipeline import bind, run
from geppetto.core.skeleton.bone_map import load_bone_map
from geppetto.core.skeleton.preset import load_template
from geppetto.core.skeleton.template import rig_from_joints

from .scenes import add_character, deformed_points
from .test_motion import add_rig, curves_of, frame_of, heads_at


def edited(context, armature, change) -> None:
    """The armature after `change(edit_bones)`."""
    context.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode="EDIT")
    change(armature.data.edit_bones)
    bpy.ops.object.mode_set(mode="OBJECT")


def on_the_ground(bones) -> None:
    """Hips and feet hung on a bone on the ground, poles before the knees."""
    ground = bones.new("ground")
    ground.head, ground.tail = (0, 0, 0), (0, 0.3, 0)
    bones["hips"].parent = ground
    for side in "LR":
        foot = bones[f"foot.{side}"]
        foot.use_connect, foot.parent = False, ground
        pole = bones.new(f"pole.{side}")
        pole.head = bones[f"shin.{side}"].head + Vector((0, -0.6, 0))
        pole.tail, pole.parent = pole.head + Vector((0, -0.1, 0)), ground


def assert_plays(context, armature, moved, atol: float) -> None:
    """Blender's bones are where the clip says, in several frames; a bone on the ground stays if the hips travel."""
    kinematics = Kinematics(moved.clip.rig)
    for index in (0, 5, 12, 21, 30):
        wanted = kinematics.heads(kinematics.turns(moved.clip.rotations[index]), moved.clip.root[index])
        found = heads_at(context, armature, frame_of(context, moved.clip, index))
        limbs = [i for i, n in enumerate(moved.clip.rig.names) if not n.startswith(("pole", "ground"))]
        np.testing.assert_allclose(found[limbs], wanted[limbs], atol=atol)
        if "ground" in moved.clip.rig.names:
            assert not found[moved.clip.rig.names.index("ground")].any()


@pytest.mark.parametrize("change", ["ground", "no rotation", "no local location", "root not local", "euler",
                                    "axis angle"])
def test_bones_hung_and_set_otherwise_play_what_the_core_says(context, person, change):
    armature = add_rig(context, person.joints)
    context.scene.render.fps = 30
    if change == "ground":
        edited(context, armature, on_the_ground)
    elif change == "no rotation":
        for name in ("thigh.L", "shin.L", "upper_arm.R", "head", "chest"):
            armature.data.bones[name].use_inherit_rotation = False
    elif change == "root not local":
        armature.data.bones["hips"].use_local_location = False
    elif change == "no local location":
        edited(context, armature, on_the_ground)
        for name in ("ground", "hips", "foot.L", "foot.R"):
            armature.data.bones[name].use_local_location = False
    else:
        for bone in armature.pose.bones:
            bone.rotation_mode = "AXIS_ANGLE" if "axis" in change else "ZXY"
    modes = [b.rotation_mode for b in armature.pose.bones]
    moved = move(context, armature, "walk", MoveOptions(travel="hips"))
    assert [b.rotation_mode for b in armature.pose.bones] == modes, "the artist's other actions need their modes"
    assert_plays(context, armature, moved, 3e-5)
    again = run(read_action_steps(context, armature))
    names = [n for n in again.rig.names if n in moved.clip.rig.names]
    mine, theirs = ([c.rig.names.index(n) for n in names] for c in (again, moved.clip))
    turns = [Kinematics(c.rig).turns(c.rotations[:len(moved.clip.root)])[:, i]
             for c, i in ((again, mine), (moved.clip, theirs))]
    np.testing.assert_allclose(np.abs(np.einsum("tbi,tbi->tb", *turns)), 1, atol=1e-5)


def test_inverse_kinematics_follow(context, person):
    """Legs held by constraints: the controls they reach for are moved, so the motion is what it should be."""
    armature = add_rig(context, person.joints)
    context.scene.render.fps = 30
    edited(context, armature, on_the_ground)
    for side in "LR":
        reach = armature.pose.bones[f"shin.{side}"].constraints.new("IK")
        reach.target, reach.subtarget, reach.chain_count = armature, f"foot.{side}", 2
    moved = move(context, armature, "walk", MoveOptions(travel="hips"))
    assert_plays(context, armature, moved, 0.012 * person.height)


@pytest.mark.parametrize(("setting", "carrier"), [
    ({}, "thigh.L"), ({"chain_count": 0}, "thigh.L"), ({"chain_count": 1}, "shin.L"), ({"chain_count": 3}, "hips"),
    ({"chain_count": 99}, "hips"), ({"mute": True}, None), ({"pole_target": None}, None),
    ({"pole_subtarget": ""}, None)])
def test_a_pole_is_carried_by_the_bone_where_its_chain_begins(context, person, setting, carrier):
    armature = add_rig(context, person.joints)
    edited(context, armature, on_the_ground)
    edited(context, armature, lambda bones: setattr(bones["hips"], "parent", None))
    reach = armature.pose.bones["shin.L"].constraints.new("IK")
    armature.pose.bones["shin.R"].constraints.new("COPY_LOCATION")
    reach.chain_count, reach.pole_target, reach.pole_subtarget = 2, armature, "pole.L"
    for key, value in setting.items():
        setattr(reach, key, value)
    assert poles(armature) == ({} if carrier is None else {"pole.L": carrier})


def test_a_bone_that_something_holds_is_named_and_all_is_as_it_was(context, person):
    armature = add_rig(context, person.joints)
    first = move(context, armature, "idle").action
    first.use_fake_user = False
    armature.pose.bones["hand.L"].rotation_quaternion = (0.9, 0.1, 0, 0)
    held = armature.pose.bones["forearm.R"].constraints.new("LIMIT_ROTATION")
    held.name, held.use_limit_x, held.use_limit_z, held.owner_space = "Stiff", True, True, "LOCAL"
    context.scene.frame_set(7)
    pose = [b.matrix_basis.copy() for b in armature.pose.bones]
    with pytest.raises(BadMotion, match=r"'forearm.R'.*'Stiff'"):
        move(context, armature, "run")
    assert list(bpy.data.actions) == [first] and armature.animation_data.action == first and not first.use_fake_user
    assert context.scene.frame_current == 7
    for bone, before in zip(armature.pose.bones, pose, strict=True):
        np.testing.assert_allclose(bone.matrix_basis, before, atol=1e-6)
    held.mute = True
    assert move(context, armature, "run").known == 21


def test_a_bone_that_is_stretched_aside_follows_its_keys(context, person):
    armature = add_rig(context, person.joints)
    armature.pose.bones["forearm.L"].constraints.new("LIMIT_DISTANCE").name = "Idle"
    for name in ("upper_arm.R", "thigh.L"):
        armature.pose.bones[name].scale = (1.0, 1.0, 3.0)
        for below in armature.data.bones[name].children:
            below.inherit_scale = "NONE"
    assert move(context, armature, "run").known == 21


@pytest.mark.skipif(not hasattr(bpy.types, "ActionSlot"), reason="actions have slots since Blender 4.4")
def test_the_slot_of_the_action_before_is_taken_up_again(context, person):
    armature = add_rig(context, person.joints)
    first = move(context, armature, "idle").action
    other = first.slots.new("OBJECT", "other")
    armature.animation_data.action_slot = other
    held = armature.pose.bones["forearm.R"].constraints.new("LIMIT_ROTATION")
    held.use_limit_x, held.use_limit_z, held.owner_space = True, True, "LOCAL"
    with pytest.raises(BadMotion, match=r"'forearm.R'"):
        move(context, armature, "run")
    assert armature.animation_data.action == first and armature.animation_data.action_slot == other


@pytest.mark.parametrize(("kind", "away", "is_held"), [
    ("COPY_ROTATION", np.deg2rad(6), False), ("COPY_ROTATION", np.deg2rad(10), True),
    ("COPY_LOCATION", 0.015, False), ("COPY_LOCATION", 0.025, True)])
def test_how_far_a_bone_may_be_from_where_its_keys_put_it(context, person, kind, away, is_held):
    armature, bone = add_rig(context, person.joints), "hand.L" if kind == "COPY_ROTATION" else "hips"
    rig = read_skeleton(armature)
    other = bpy.data.objects.new("other", None)
    context.scene.collection.objects.link(other)
    shift = armature.pose.bones[bone].constraints.new(kind)
    shift.name, shift.target = "Shift", other
    if kind == "COPY_ROTATION":
        shift.mix_mode, shift.owner_space, other.rotation_euler.y = "ADD", "LOCAL", away
    else:
        shift.use_offset, other.location.x = True, away * np.ptp([rig.heads, rig.tails], axis=(0, 1)).max()
    if not is_held:
        assert move(context, armature, "walk").known == 21
        return
    with pytest.raises(BadMotion, match=f"'{bone}'.*'Shift'"):
        move(context, armature, "walk")


def test_a_foot_connected_to_something_else_is_named(context, person):
    armature = add_rig(context, person.joints)

    def connect(bones) -> None:
        stand = bones.new("stand")
        foot = bones["foot.L"]
        stand.head, stand.tail = foot.head + Vector((0, 0.3, 0)), foot.head
        foot.parent, foot.use_connect = stand, True

    edited(context, armature, connect)
    with pytest.raises(BadMotion, match=r"'foot.L'.*connected to 'stand'"):
        move(context, armature, "walk")
    assert armature.animation_data is None and not bpy.data.actions


def test_a_bone_that_says_it_is_connected_but_hangs_on_none_moves(context, person):
    armature = add_rig(context, person.joints)
    edited(context, armature, lambda bones: setattr(bones["hips"], "use_connect", True))
    assert armature.data.bones["hips"].use_connect
    assert move(context, armature, "walk").known == 21


def test_what_a_motion_drives_is_keyed_though_it_rests(context, person):
    """A pose left over from before does not shine through."""
    armature = add_rig(context, person.joints)
    armature.pose.bones["toe.L"].rotation_quaternion = (0.9, 0.3, 0, 0)
    moved = move(context, armature, "idle")
    assert any("toe.L" in c.data_path for c in curves_of(moved.action))
    context.scene.frame_set(1)
    assert_plays(context, armature, moved, 3e-5)


def bound(context, person) -> tuple:
    """A person that follows a rig on its joints, and the rig."""
    body, = add_character(person)
    armature = add_rig(context, person.joints)
    template = load_template("biped")
    rig = rig_from_joints(template, np.array([person.joints[n] for n in template.names]))
    weights = bind(person.mesh, rig, "heat").matrix
    for k, name in enumerate(rig.names):
        group = body.vertex_groups.new(name=name)
        column = weights[:, k].tocoo()
        for v, w in zip(column.row.tolist(), column.data.tolist(), strict=True):
            group.add([v], w, "REPLACE")
    body.modifiers.new("rig", "ARMATURE").object = armature
    return body, armature


def test_who_lies_or_rolls_on_the_back_neither_sinks_nor_floats(context, person):
    """Whatever lies lowest then: back, shoulders or head, far from the feet."""
    body, armature = bound(context, person)
    source = add_rig(context, person.joints, name="source")
    hips = source.pose.bones["hips"]
    hips.rotation_mode = "XYZ"
    rest = hips.bone.matrix_local.to_3x3().inverted()
    for frame, height, turn in ((1, 0.0, 0), (20, 0.0, 0), (40, -0.8, -90), (60, -0.8, -90), (80, -0.3, -130),
                                (100, -0.3, -130)):
        hips.location = rest @ Vector((0.0, 0.0, height * person.joints["hips"][2]))
        hips.rotation_euler = (rest @ Matrix.Rotation(np.deg2rad(turn), 3, "X") @ rest.inverted()).to_euler()
        for channel in ("location", "rotation_euler"):
            hips.keyframe_insert(channel, frame=frame)
    context.scene.render.fps = 30
    move(context, armature, source, MoveOptions(travel="hips"))
    for frame in (10, 50, 60, 90, 100):
        context.scene.frame_set(frame)
        low = (deformed_points(body)[:, 2].min() - person.mesh.vertices[:, 2].min()) / (0.5 * person.height)
        assert abs(low) < 0.02, frame


@pytest.mark.parametrize("motion", ["walk", "idle"])
def test_soles_as_seen_neither_sink_nor_float(context, person, motion):
    body, armature = bound(context, person)
    context.scene.render.fps = 30
    moved = move(context, armature, motion, MoveOptions(travel="hips"))
    leg = 0.5 * person.height
    floor = person.mesh.vertices[:, 2].min()
    lows = []
    for index in range(0, len(moved.clip.root), 3):
        context.scene.frame_set(1 + index)
        mesh = body.evaluated_get(context.evaluated_depsgraph_get()).to_mesh()
        points = np.empty(3 * len(mesh.vertices), np.float32)
        mesh.vertices.foreach_get("co", points)
        lows.append(points[2::3].min() - floor)
    assert min(lows) > -0.005 * leg and max(lows) < 0.005 * leg, "the lower foot is on the ground in every frame"


def renamed(armature, naming: str) -> None:
    """The armature's bones called as elsewhere: by the shipped map's first names, or numbered."""
    known = load_bone_map(naming).bones if naming != "nameless" else {}
    for i, bone in enumerate(list(armature.data.bones)):
        spellings = known.get(bone.name)
        if naming == "nameless":
            bone.name = f"Bone.{i:03d}"
        elif spellings:
            bone.name = f"mixamorig:{spellings[0]}" if naming == "mixamo" else spellings[0]


@pytest.mark.sweep(3)
@pytest.mark.parametrize("naming", ["cmu", "mixamo", "unreal", "unity", "vrm", "rigify", "nameless"])
def test_motions_of_every_naming_are_understood(context, person, tmp_path, naming):
    """Through a BVH file, which keeps nothing but names, offsets and turns."""
    source = add_rig(context, person.joints, name="source")
    context.scene.render.fps = 30
    wanted = move(context, source, "walk", MoveOptions(travel="hips")).clip
    renamed(source, naming)
    for o in context.selected_objects:
        o.select_set(False)
    context.view_layer.objects.active = source
    source.select_set(True)
    path = str(tmp_path / "walk.bvh")
    bpy.ops.export_anim.bvh(filepath=path, frame_start=1, frame_end=len(wanted.root), root_transform_only=True)
    other = add_rig(context, person.joints, name="other")
    moved = move(context, other, path, MoveOptions(travel="hips"))
    assert moved.known >= 17
    count = min(len(moved.clip.root), len(wanted.root))
    for bone in ("thigh.L", "shin.R", "forearm.L", "upper_arm.R"):
        i = moved.clip.rig.names.index(bone)
        turns = [Kinematics(c.rig).turns(c.rotations[:count])[:, i] for c in (moved.clip, wanted)]
        apart = 2 * np.degrees(np.arccos(np.clip(np.abs(np.einsum("ti,ti->t", *turns)), 0, 1)))
        assert np.median(apart) < 6, (naming, bone)
