"""Whose motions actions are, and what becomes of them: renamed, copied, rigged anew, applied again."""

from __future__ import annotations

import bpy
import pytest

from geppetto.addon import names
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.motion.moving import MoveOptions, move
from geppetto.addon.motion.takes import actions_of, sample_takes

from .scenes import add_character
from .test_motion import add_rig


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


@pytest.mark.parametrize("marked", [True, False])
def test_a_rig_made_anew_has_none_of_the_old_ones_motions(extension, person, marked):
    body, armature = rigged(extension, person)
    walk = move(extension, armature, "walk").action
    if not marked:
        del walk[names.MOTIONS], walk[names.WRITTEN], armature[names.MOTIONS]
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    armature = armature_of(body)
    assert actions_of(armature) == [] and walk in list(bpy.data.actions)
    assert bpy.ops.geppetto.rest_pose(pose="T") == {"FINISHED"}
    move(extension, armature, "walk", MoveOptions(travel="hips"))
    assert takes(extension, armature) == ["walk"] and walk not in actions_of(armature)


def test_a_file_keeps_every_motion_whichever_is_chosen(context, person, tmp_path):
    armature = add_rig(context, person.joints)
    walk, *_ = [move(context, armature, motion).action for motion in ("walk", "wave", "jump")]
    armature.animation_data.action = walk
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "rig.blend"))
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "rig.blend"))
    assert takes(context, bpy.data.objects["rig"]) == ["jump", "walk", "wave"]
