"""Whose motions actions are, and what becomes of them: renamed, copied, rigged anew, applied again."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Vector

from geppetto.addon import names
from geppetto.addon.bridge.action import remove_keys
from geppetto.addon.bridge.curves import curves_of
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.motion.moving import MoveOptions, move
from geppetto.addon.motion.resting import is_rest
from geppetto.addon.motion.takes import actions_of, sample_takes
from geppetto.core.errors import BadMotion
from geppetto.core.motion.clip_file import load_motion
from tests.characters import beast, quadruped
from tests.motion_files import Convention, write_bvh

from .scenes import add_character
from .test_motion import add_rig

pytestmark = pytest.mark.usefixtures("rigged_once")


def called(armature) -> list[str]:
    return [action.name for action in actions_of(armature)]


def takes(context, armature) -> list[str]:
    bones = tuple(armature.data.bones.keys())
    return [t.name for t in sample_takes(context, context.scene, armature, bones, actions_of(armature))]


def choose(*objects) -> None:
    bpy.ops.object.select_all(action="DESELECT")
    for o in objects:
        o.select_set(True)
    bpy.context.view_layer.objects.active = objects[-1]


def rigged(extension, person):
    """A body and its rig, made by the button."""
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    return body, armature_of(body)


@pytest.mark.long
def test_motions_stay_their_armatures_whatever_it_is_called(context, person):
    armature = add_rig(context, person.joints)
    for motion in ("walk", "wave"):
        move(context, armature, motion)
    before = actions_of(armature)
    armature.name = "Hero"
    assert actions_of(armature) == before and takes(context, armature) == ["walk", "wave"]
    before[0].name = "Stroll"
    assert set(actions_of(armature)) == set(before) and takes(context, armature) == ["Stroll", "wave"]
    move(context, armature, "idle")
    assert takes(context, armature) == ["idle", "Stroll", "wave"]


@pytest.mark.long
def test_of_rigs_whose_names_begin_alike_each_has_its_own(context, person):
    orc, chief = (add_rig(context, person.joints, name=name) for name in ("Orc", "Orc Chief"))
    for armature in (orc, chief):
        for motion in ("walk", "wave"):
            move(context, armature, motion)
    assert called(orc) == ["Orc walk", "Orc wave"] and called(chief) == ["Orc Chief walk", "Orc Chief wave"]
    for action in bpy.data.actions:  # as a file of an older Geppetto has them
        for key in (names.MOTIONS, names.WRITTEN):
            del action[key]
    for armature in (orc, chief):
        del armature[names.MOTIONS]
    assert called(orc) == ["Orc walk", "Orc wave"] and called(chief) == ["Orc Chief walk", "Orc Chief wave"]
    move(context, orc, "idle")
    orc.name = "Grunt"
    assert called(orc) == ["Orc idle", "Orc walk", "Orc wave"] and called(chief) == ["Orc Chief walk", "Orc Chief wave"]


@pytest.mark.long
def test_a_copy_has_the_same_motions_until_either_gets_another(context, person):
    armature = add_rig(context, person.joints)
    for motion in ("walk", "wave"):
        move(context, armature, motion)
    choose(armature)
    bpy.ops.object.duplicate()
    copy = context.object
    wave = copy.animation_data.action
    assert copy != armature and wave != armature.animation_data.action
    assert takes(context, armature) == takes(context, copy) == ["walk", "wave"] and wave in actions_of(copy)
    move(context, copy, "idle")
    walk, = (action for action in actions_of(armature) if action.name.endswith("walk"))
    assert takes(context, armature) == ["walk", "wave"] and set(actions_of(copy)) & set(actions_of(armature)) == {walk}
    assert wave in actions_of(copy) and len(actions_of(copy)) == 3
    move(context, armature, "jump")
    assert takes(context, armature) == ["jump", "walk", "wave"] and len(actions_of(copy)) == 3


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="Blender counts one user too many of a copied action")
def test_the_motion_of_a_deleted_copy_is_no_take_of_the_original(context, person):
    armature = add_rig(context, person.joints)
    move(context, armature, "walk")
    bpy.ops.object.select_all(action="DESELECT")
    armature.select_set(True)
    bpy.ops.object.duplicate()
    assert len(bpy.data.actions) == 2
    bpy.ops.object.delete()
    assert takes(context, armature) == ["walk"]


@pytest.mark.long
@pytest.mark.parametrize("marked", [True, False])
def test_a_rig_made_anew_has_the_old_ones_motions_and_what_is_put_on_again_once(extension, person, marked):
    body, armature = rigged(extension, person)
    walk = move(extension, armature, "walk").action
    if not marked:
        del walk[names.MOTIONS], walk[names.WRITTEN], armature[names.MOTIONS]
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    armature = armature_of(body)
    again, = actions_of(armature)
    assert armature.animation_data.action == again and (again == walk) != marked
    move(extension, armature, "walk", MoveOptions(travel="hips"))
    assert len(takes(extension, armature)) == (1 if marked else 2) and (marked or walk in actions_of(armature))


def test_a_file_keeps_every_motion_whichever_is_chosen(context, person, tmp_path):
    armature = add_rig(context, person.joints)
    walk, *_ = [move(context, armature, motion).action for motion in ("walk", "wave", "jump")]
    armature.animation_data.action = walk
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rig.blend"))
    assert takes(context, bpy.data.objects["rig"]) == ["jump", "walk", "wave"]


def places(context, action, bones: list) -> np.ndarray:
    """(B, 4, 4) how bones are posed some frames into an action that is chosen in the Action Editor."""
    data = bones[0].id_data.animation_data
    data.action = action
    if hasattr(data, "action_slot") and data.action_slot is None:
        data.action_slot = data.action_suitable_slots[0]
    context.scene.frame_set(int(action.frame_start) + 8)
    return np.array([bone.matrix_basis for bone in bones])


@pytest.mark.long
def test_what_a_motion_does_not_move_rests_in_it_whatever_was_played_before(extension):
    """A dragon's wings stand still when it walks; what no motion moves stays as it is posed."""
    body, = add_character(beast())
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    armature = armature_of(body)
    bones = armature.pose.bones
    wings, head = [bone for bone in bones if "wing" in bone.name], bones["head"]
    head.scale.x = 1.5
    walk = move(extension, armature, "walk").action
    np.testing.assert_allclose(places(extension, walk, wings), np.tile(np.eye(4), (len(wings), 1, 1)), atol=1e-6)
    fly = move(extension, armature, "fly").action
    assert np.abs(places(extension, fly, wings) - np.eye(4)).max() > 0.1 and head.scale.x == 1.5
    np.testing.assert_allclose(places(extension, walk, wings), np.tile(np.eye(4), (len(wings), 1, 1)), atol=1e-6)
    places(extension, fly, wings)
    head.keyframe_insert("scale", frame=1)
    again = move(extension, armature, "walk", MoveOptions(travel="none")).action
    np.testing.assert_allclose(places(extension, again, wings), np.tile(np.eye(4), (len(wings), 1, 1)), atol=1e-6)
    assert head.scale.x == 1.0, "an artist's own keys too"


def test_a_retargeted_motion_leaves_no_pose_to_the_next(context, person):
    armature = add_rig(context, person.joints)
    hand = armature.pose.bones["hand.L"]
    hand.rotation_mode, hand.rotation_euler = "XYZ", (0.5, 0.0, 0.0)
    for frame in (1, 20):
        for what in ("rotation_euler", "location", "scale"):
            hand.keyframe_insert(what, frame=frame)
    own = armature.animation_data.action
    idle = move(context, armature, "idle").action
    keyed = {c.data_path: c for c in curves_of(idle) if '"hand.L"' in c.data_path}
    assert is_rest(keyed['pose.bones["hand.L"].scale']) and is_rest(keyed['pose.bones["hand.L"].location'])
    assert not is_rest(keyed['pose.bones["hand.L"].rotation_euler'])
    before = len(curves_of(own))
    move(context, armature, "wave")
    assert len(curves_of(own)) == before, "what Geppetto did not write stays"


@pytest.mark.long
def test_chains_that_are_held_at_rest_sway_and_rest_again(extension):
    """In a motion that moves no tail, beside one that does."""
    body, = add_character(quadruped(vertices=2000))
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="quadruped") == {"FINISHED"}
    armature = armature_of(body)
    trot = move(extension, armature, "quadruped_trot").action
    remove_keys(trot, ['pose.bones["tail'])
    move(extension, armature, "quadruped_walk")

    def tail() -> list[bool]:
        return [is_rest(c) for c in curves_of(trot) if '["tail_2"].rotation' in c.data_path]

    assert tail() == [True] * 4
    choose(armature)
    assert bpy.ops.geppetto.toggle_sway() == {"FINISHED"} and "tail_2" in trot[names.SWAYS]
    assert tail() == [False] * 4
    assert bpy.ops.geppetto.toggle_sway() == {"FINISHED"} and names.SWAYS not in trot
    assert tail() == [True] * 4


def test_a_motion_that_takes_the_object_along_begins_where_it_stood_before_the_first(context, person):
    armature = add_rig(context, person.joints)
    armature.location = (1.0, 2.0, 3.0)
    for motion in ("walk", "run", "walk"):
        start = move(context, armature, motion, MoveOptions(travel="root")).action.frame_start
        context.scene.frame_set(int(start))
        np.testing.assert_allclose(armature.location, (1, 2, 3), atol=0.2)
        context.scene.frame_set(60)
        assert (armature.location - Vector((1, 2, 3))).length > 1
    away = armature.location.copy()
    limit = armature.pose.bones["forearm.L"].constraints.new("LIMIT_ROTATION")
    limit.use_limit_x, limit.owner_space = True, "LOCAL"
    with pytest.raises(BadMotion):
        move(context, armature, "wave")
    assert armature.location == away and armature.animation_data.action.name.startswith("rig walk")
    limit.mute = True
    move(context, armature, "idle")
    np.testing.assert_allclose(armature.location, (1, 2, 3), atol=1e-6)
    armature.location = (5.0, 0.0, 0.0)
    move(context, armature, "walk", MoveOptions(travel="root"))
    context.scene.frame_set(1)
    np.testing.assert_allclose(armature.location, (5, 0, 0), atol=0.2)


CHANGES = {
    "nothing": lambda walk: None,
    "renamed": lambda walk: setattr(walk, "name", "Stroll"),
    "keys": lambda walk: curves_of(walk)[0].keyframe_points[3].co.__setitem__(1, 1.0),
    "between keys": lambda walk: setattr(curves_of(walk)[0].keyframe_points[3], "interpolation", "CONSTANT"),
    "range": lambda walk: setattr(walk, "frame_end", 12.0),
    "markers": lambda walk: walk.pose_markers.new("step"),
    "asset": lambda walk: walk.asset_mark(),
    "property": lambda walk: walk.__setitem__("event", "step"),
    "strip": lambda walk: bpy.data.objects["rig"].animation_data.nla_tracks.new().strips.new("walk", 1, walk),
}


@pytest.mark.long
@pytest.mark.parametrize("what", CHANGES)
def test_a_motion_applied_again_replaces_its_former_take_unless_that_is_the_artists(context, person, what):
    armature = add_rig(context, person.joints)
    move(context, armature, "wave")
    walk = move(context, armature, "walk").action
    CHANGES[what](walk)
    again = move(context, armature, "walk", MoveOptions(travel="hips")).action
    again = move(context, armature, "walk", MoveOptions(travel="none")).action
    assert armature.animation_data.action == again
    if what == "nothing":
        assert called(armature) == ["rig walk", "rig wave"] and again.name == "rig walk" and len(bpy.data.actions) == 2
        armature.name = "Hero"
        move(context, armature, "walk")
        assert called(armature) == ["rig walk", "rig wave"] and takes(context, armature) == ["walk", "wave"]
    else:
        assert set(actions_of(armature)) - {again} == {bpy.data.actions["rig wave"], walk}
        assert "walk" in takes(context, armature) and len(set(takes(context, armature))) == 3


def test_a_copys_motions_are_not_replaced_with_the_originals(context, person):
    armature = add_rig(context, person.joints)
    for motion in ("walk", "wave"):
        move(context, armature, motion)
    choose(armature)
    bpy.ops.object.duplicate()
    held = set(actions_of(context.object))
    for motion in ("wave", "walk", "wave"):
        move(context, armature, motion, MoveOptions(travel="none"))
    assert set(actions_of(context.object)) == held and takes(context, armature) == ["walk", "wave"]


def test_motions_of_one_name_from_two_files_stay_both(context, person, tmp_path):
    armature = add_rig(context, person.joints)
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        write_bvh(tmp_path / folder / "walk.bvh", load_motion("walk").changed(loop=False), Convention())
        for _ in range(2):
            move(context, armature, str(tmp_path / folder / "walk.bvh"))
    assert called(armature) == ["rig walk", "rig walk.001"] and takes(context, armature) == ["walk", "walk.001"]


@pytest.mark.parametrize("has_moved", [True, False])
def test_an_override_of_a_linked_rig_finds_its_motions_after_reloading(context, person, tmp_path, has_moved):
    armature = add_rig(context, person.joints)
    held = bpy.data.collections.new("held")
    context.scene.collection.children.link(held)
    held.objects.link(armature)
    if has_moved:
        move(context, armature, "idle")
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "rig.blend"), link=True) as (_, wanted):
        wanted.collections = ["held"]
    context.scene.collection.children.link(bpy.data.collections["held"])
    bpy.data.collections["held"].override_hierarchy_create(context.scene, context.view_layer)
    armature = next(o for o in bpy.data.objects if o.override_library)
    for motion in ("walk", "wave"):
        move(context, armature, motion)
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "scene.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "scene.blend"))
    armature = next(o for o in bpy.data.objects if o.override_library)
    assert takes(context, armature) == [*(["idle"] if has_moved else []), "walk", "wave"]


@pytest.mark.skipif(bpy.app.version < (4, 4, 0), reason="actions have no slots")
def test_an_action_that_merging_has_emptied_is_no_take_and_stops_no_motion(context, person):
    """Blender's Merge Animation moves an action's keys into another's slot, and leaves it without any."""
    first = add_rig(context, person.joints)
    second = first.copy()
    second.data = first.data.copy()
    context.scene.collection.objects.link(second)
    move(context, first, "walk")
    move(context, second, "wave")
    choose(second, first)
    assert bpy.ops.anim.merge_animation() == {"FINISHED"}
    both = first.animation_data.action
    assert second.animation_data.action == both and actions_of(second) == [both] == actions_of(first)
    dance = move(context, second, "dance").action
    assert dance in actions_of(second) and actions_of(first) == [both]
