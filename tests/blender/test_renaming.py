"""Rename Bones: all that refers to the names goes along, and what is the artist's stays theirs."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon import names
from geppetto.addon.characters.renaming import rename_bones
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.characters.test_poses import poses_of
from geppetto.addon.motion.bone_maps import guess, keep_map
from geppetto.addon.motion.takes import actions_of
from geppetto.core.errors import BadRig

from .scenes import add_character, add_cube, deformed_points, group_weights
from .test_again import rig
from .test_motion import curves_of
from .test_situations import choose
from .test_two_armatures import bound_to_own as bound_to_own
from .test_two_armatures import moved_by_head

pytestmark = pytest.mark.usefixtures("rigged_once")


@pytest.fixture
def body(extension, person):
    """A rigged person in one object."""
    o, = add_character(person)
    rig(o)
    return o


def nodding(body) -> np.ndarray:
    """Where the skin goes when the head, whatever it is called, is bent."""
    head, = (b for b in armature_of(body).pose.bones if b.bone.get(names.OWN_NAME, b.name) == "head")
    head.matrix_basis = Matrix.Rotation(0.5, 4, "X")
    points = deformed_points(body)
    head.matrix_basis = Matrix()
    return points


def bones_moved(action) -> set[str]:
    return {curve.data_path.split('"')[1] for curve in curves_of(action) if curve.data_path.startswith("pose.bones")}


@pytest.mark.long
def test_all_motions_of_the_character_follow_and_no_others(extension, body, person):
    armature = armature_of(body)
    other, = add_character(person)
    other.location.x = 3.0
    rig(other).name = f"{armature.name} of a friend"
    bpy.ops.object.geppetto_move(motion="walk")
    friend = armature_of(other)
    of_friend = friend.animation_data.action
    friend.animation_data.action = None
    choose(body)
    for motion in ("walk", "run", "idle"):
        bpy.ops.object.geppetto_move(motion=motion)
    motions = actions_of(armature)
    assert len(motions) == 3 and actions_of(friend) == [of_friend]
    for engine, head in (("unity", "Head"), ("mixamo", "mixamorig:Head"), ("geppetto", "head")):
        assert bpy.ops.geppetto.rename_bones(engine=engine) == {"FINISHED"}
        assert head in armature.data.bones and actions_of(armature) == motions
        for action in motions:
            assert bones_moved(action) <= set(armature.data.bones.keys())
            assert {curve.group.name for curve in curves_of(action)} >= bones_moved(action)
        assert bones_moved(of_friend) <= set(friend.data.bones.keys())


def test_what_uses_a_bones_group_uses_it_under_its_new_name(body):
    body.shape_key_add(name="Basis")
    uses = [(body.shape_key_add(name="key"), "vertex_group")]
    for kind, keys in (("SMOOTH", ["vertex_group"]), ("VERTEX_WEIGHT_EDIT", ["vertex_group", "mask_vertex_group"]),
                       ("VERTEX_WEIGHT_MIX", ["vertex_group_a", "vertex_group_b"]), ("HOOK", ["vertex_group"]),
                       ("SOLIDIFY", ["shell_vertex_group", "rim_vertex_group"])):
        modifier = body.modifiers.new(kind, kind)
        modifier.show_viewport = kind == "SMOOTH"
        uses += [(modifier, key) for key in keys]
    cloth = body.modifiers.new("cloth", "CLOTH")
    cloth.show_viewport = False
    uses += [(cloth.settings, "vertex_group_mass"), (cloth.collision_settings, "vertex_group_self_collisions")]
    uses.append((add_cube("halo").constraints.new("COPY_LOCATION"), "subtarget"))
    uses[-1][0].target = body
    for holder, key in uses:
        setattr(holder, key, "head")
    tree = bpy.data.node_groups.new("tree", "GeometryNodeTree")
    socket = tree.interface.new_socket("where", in_out="INPUT", socket_type="NodeSocketFloat").identifier
    tree.interface.new_socket("mesh", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    nodes = body.modifiers.new("nodes", "NODES")
    nodes.node_group, nodes.show_viewport = tree, False
    if hasattr(nodes, "properties"):  # since Blender 5.2
        uses.append((getattr(nodes.properties.inputs, socket), "attribute_name"))
        uses[-1][0].attribute_name = "head"
    else:
        nodes[f"{socket}_attribute_name"] = "head"
    shape = deformed_points(body)
    for engine, head in (("unity", "Head"), ("geppetto", "head")):
        assert bpy.ops.geppetto.rename_bones(engine=engine) == {"FINISHED"}
        assert [getattr(holder, key) for holder, key in uses] == [head] * len(uses)
        assert hasattr(nodes, "properties") or nodes[f"{socket}_attribute_name"] == head
        np.testing.assert_allclose(deformed_points(body), shape, atol=1e-6)


def test_a_group_of_the_artists_with_a_new_name_makes_room_and_is_theirs_still(body):
    body.vertex_groups.new(name="Head").add([0, 1, 2], 0.7, "REPLACE")
    own = group_weights(body)["Head"]
    mask = body.modifiers.new("mask", "MASK")
    mask.vertex_group, mask.show_viewport = "Head", False
    nods = nodding(body)
    weights = group_weights(body)["head"]
    assert bpy.ops.geppetto.rename_bones(engine="unity") == {"FINISHED"}
    np.testing.assert_array_equal(group_weights(body)["Head"], weights)
    np.testing.assert_allclose(nodding(body), nods, atol=1e-6)
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
    assert bpy.ops.geppetto.rename_bones(engine="geppetto") == {"FINISHED"}
    assert mask.vertex_group == "Head (old)" and "Head" not in body.vertex_groups
    np.testing.assert_array_equal(group_weights(body)["Head (old)"], own)


def test_a_linked_duplicate_keeps_its_names(body):
    armature = armature_of(body)
    choose(body, armature)
    bpy.ops.object.duplicate(linked=True)
    copy, = (o for o in bpy.context.selected_objects if o.type == "MESH")
    nods = nodding(copy)
    choose(body)
    assert bpy.ops.geppetto.rename_bones(engine="unity") == {"FINISHED"}
    assert "Head" in armature.data.bones and "Head" in body.vertex_groups
    assert "head" in armature_of(copy).data.bones and "head" in copy.vertex_groups
    np.testing.assert_allclose(nodding(copy), nods, atol=1e-6)


@pytest.mark.parametrize("has_strips", [False, True])
def test_who_shares_a_motion_goes_on_with_it(extension, body, has_strips):
    for motion in ("wave", "walk"):
        choose(body)
        assert bpy.ops.object.geppetto_move(motion=motion) == {"FINISHED"}
    armature = armature_of(body)
    if has_strips:
        data = armature.animation_data
        data.nla_tracks.new().strips.new("walk", 1, data.action)
        data.action = None
    choose(body, armature)
    bpy.ops.object.duplicate(linked=True)
    copy, = (o for o in bpy.context.selected_objects if o.type == "MESH")

    def seen() -> list[np.ndarray]:
        extension.scene.frame_set(9)
        return [deformed_points(o) for o in (body, copy)]

    before = seen()
    extension.scene.frame_set(1)
    choose(body)
    assert bpy.ops.geppetto.rename_bones(engine="unreal") == {"FINISHED"}
    np.testing.assert_allclose(seen(), before, atol=1e-5)
    for o, hips in ((body, "pelvis"), (copy, "hips")):
        found = actions_of(armature_of(o))
        assert len(found) == 2 and all(hips in bones_moved(action) for action in found)


def test_bones_may_exchange_their_names(body):
    armature, weights, nods = armature_of(body), group_weights(body), nodding(body)
    assert rename_bones(armature, {"head": "neck", "neck": "head"}) == 2
    now = group_weights(body)
    np.testing.assert_array_equal(now["neck"], weights["head"])
    np.testing.assert_array_equal(now["head"], weights["neck"])
    np.testing.assert_allclose(nodding(body), nods, atol=1e-6)
    assert rename_bones(armature, {}) == 0
    now = group_weights(body)
    assert all((now[name] == weights[name]).all() for name in weights)


def test_a_bone_of_the_artists_with_a_new_name_stops_it_before_anything_changes(body):
    armature = armature_of(body)
    assert bpy.ops.geppetto.rename_bones(engine="mixamo") == {"FINISHED"}
    choose(armature)
    bpy.ops.object.mode_set(mode="EDIT")
    armature.data.edit_bones.new("Head").tail.z = 1.0
    bpy.ops.object.mode_set(mode="OBJECT")
    before = set(armature.data.bones.keys()), {g.name for g in body.vertex_groups}
    with pytest.raises(BadRig, match="'Head'"):
        rename_bones(armature, {"head": "Head"})
    assert before == (set(armature.data.bones.keys()), {g.name for g in body.vertex_groups})


@pytest.mark.parametrize(("engine", "is_refused"), [("unity", False), ("unreal", False), ("mixamo", True),
                                                    ("vrm", True)])
def test_names_whose_other_side_a_mirror_modifier_does_not_know_are_refused(body, engine, is_refused):
    body.modifiers.new("Mirror", "MIRROR")
    before = armature_of(body).data.bones.keys()
    if is_refused:
        with pytest.raises(RuntimeError, match="'body' has a Mirror modifier"):
            bpy.ops.geppetto.rename_bones(engine=engine)
        assert armature_of(body).data.bones.keys() == before
    else:
        assert bpy.ops.geppetto.rename_bones(engine=engine) == {"FINISHED"}


@pytest.mark.parametrize("called", ["head", "Head"])
def test_another_armatures_group_keeps_its_name_while_ours_is_switched_off(bound_to_own, called):
    body, ours, own = bound_to_own
    own.data.bones["head"].name = called
    weights, of_ours = group_weights(body)[called], group_weights(body)["head (body rig)"]
    choose(ours)
    for engine in ("unity", "geppetto"):
        assert bpy.ops.geppetto.rename_bones(engine=engine) == {"FINISHED"}
        np.testing.assert_array_equal(group_weights(body)[called], weights)
        np.testing.assert_array_equal(group_weights(body)["head (body rig)"], of_ours)
    own.data.bones[called].name = "head"
    assert bpy.ops.geppetto.rename_bones(engine="unity") == bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    assert {g.name for g in body.vertex_groups} <= {"low", "head"} and moved_by_head(body, own) > 0.9


def test_what_is_noted_by_bones_goes_along(body):
    armature = armature_of(body)
    keep_map(armature, guess(armature))
    poses = len(poses_of(armature))
    armature.pose.bones["thigh.L"].location.x = 0.1
    own = {bone.name: np.array(bone.matrix_basis) for bone in armature.pose.bones}
    bend = next(k for k, pose in enumerate(poses_of(armature)) if "thigh.L" in pose.name or k == 0)
    setattr(armature, names.TEST_POSE, (bend + 0.5) / poses)
    assert bpy.ops.geppetto.rename_bones(engine="unity") == {"FINISHED"}
    roles = {role.bone for role in getattr(armature.data, names.BONE_MAP).roles} - {""}
    assert "Head" in roles and roles <= set(armature.data.bones.keys())
    setattr(armature, names.TEST_POSE, 0.0)
    assert bpy.ops.geppetto.rename_bones(engine="geppetto") == {"FINISHED"}
    for bone in armature.pose.bones:
        np.testing.assert_allclose(bone.matrix_basis, own[bone.name], atol=1e-6)
    bpy.data.objects.remove(armature)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert set(group_weights(body)) <= set(armature_of(body).data.bones.keys()), "nothing of the first rig is left"
