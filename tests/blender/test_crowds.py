"""Crowds: one press moves all characters that are selected, and one that cannot be moved stops none of the others."""

from __future__ import annotations

import bpy
import pytest

from geppetto.addon import names
from geppetto.addon.motion import moving
from geppetto.addon.operators import motion as buttons
from geppetto.core.errors import BadMotion
from geppetto.core.steps import each
from tests.characters import quadruped

from .scenes import add_character
from .test_motion import add_rig
from .test_situations import choose


@pytest.fixture
def crowd(extension, person):
    """The armatures of two people and a horse, side by side, all selected, a person's active."""
    rigs = [add_rig(extension, person.joints, name="Ann"), add_rig(extension, person.joints, name="Bob"),
            add_rig(extension, quadruped(vertices=500).joints, "quadruped", name="Horse")]
    for place, rig in enumerate(rigs):
        rig.location.x = 2.0 * place
    choose(*reversed(rigs))
    return rigs


def doing(rig) -> str:
    data = rig.animation_data
    return data.action.name if data is not None and data.action is not None else ""


def test_one_press_moves_all_that_are_selected_each_where_it_stands(crowd, extension):
    assert bpy.ops.object.geppetto_move(motion="walk") == {"FINISHED"}
    assert [doing(rig) for rig in crowd] == ["Ann walk", "Bob walk", "Horse quadruped_walk"]
    extension.scene.frame_set(1)
    for place, rig in enumerate(crowd):
        hips = rig.matrix_world @ rig.pose.bones["hips"].head
        assert abs(hips.x - 2.0 * place) < 0.1


def test_of_an_armature_that_is_not_geppettos_only_the_active_one_is_moved(crowd, person):
    ann, bob, _ = crowd
    del bob.data[names.MADE_BY]
    assert bpy.ops.object.geppetto_move(motion="walk") == {"FINISHED"}
    assert doing(ann) and not doing(bob), "it may be selected as the source of a motion"
    choose(ann, bob)
    assert bpy.ops.object.geppetto_move(motion="wave") == {"FINISHED"}
    assert doing(bob) == "Bob wave" and doing(ann) == "Ann wave"


def test_one_that_cannot_be_moved_is_told_and_stops_no_other(crowd, capfd):
    assert bpy.ops.object.geppetto_move(motion="dance") == {"FINISHED"}
    assert "Warning: 'Horse' was left out: " in capfd.readouterr().out
    assert [doing(rig) for rig in crowd] == ["Ann dance", "Bob dance", ""]
    choose(crowd[2])
    with pytest.raises(RuntimeError, match="another kind of body"):
        bpy.ops.object.geppetto_move(motion="dance")


def test_a_file_is_read_once_for_all(crowd, extension, tmp_path, monkeypatch):
    path = tmp_path / "walk.bvh"
    moving.move(extension, crowd[0], "walk")
    choose(crowd[0])
    bpy.ops.export_anim.bvh(filepath=str(path), frame_start=1, frame_end=20)
    read, opened = [], moving.opened_motion
    monkeypatch.setattr(moving, "opened_motion", lambda *args: read.append(args) or opened(*args))
    choose(*reversed(crowd[:2]))
    assert bpy.ops.object.geppetto_move_from_file(filepath=str(path)) == {"FINISHED"}
    assert len(read) == 1 and [doing(rig) for rig in crowd] == ["Ann walk.001", "Bob walk", ""]


def test_without_a_file_or_on_an_instance_the_way_out_is_told(crowd, extension, tmp_path):
    for path in ("", str(tmp_path)):
        with pytest.raises(RuntimeError, match="No file was chosen"):
            bpy.ops.object.geppetto_move_from_file(filepath=path)
    instance = bpy.data.objects.new("instance", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", bpy.data.collections.new("crowd")
    extension.scene.collection.objects.link(instance)
    choose(instance)
    with pytest.raises(RuntimeError, match="Make Instances Real"):
        bpy.ops.object.geppetto_move(motion="walk")


@pytest.mark.long
@pytest.mark.parametrize("has_controls", [False, True])
def test_nothing_is_written_before_all_is_computed(crowd, extension, person, has_controls):
    rigs = list(crowd)
    if has_controls:
        body, = add_character(person)
        choose(body, crowd[0])
        assert bpy.ops.geppetto.bind() == {"FINISHED"} and bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
        rigs[0] = extension.object
    steps = each([moving.move_steps(extension, rig, "walk") for rig in rigs], moving.WRITING)
    while next(steps) != (moving.WRITING, 1.0):
        continue
    steps.close()  # as Esc does
    assert [doing(rig) for rig in rigs] == ["", "", ""] and not bpy.data.actions


@pytest.mark.long
def test_rig_and_walk_tells_of_each(extension, person):
    for place in range(2):
        body, = add_character(person)
        body.location.x = 3.0 * place
    choose(*extension.scene.objects)
    assert bpy.ops.object.geppetto_rig_and_move() == {"FINISHED"}
    assert [doing(o) for o in extension.scene.objects if o.type == "ARMATURE"] == ["body rig walk", "body.001 rig walk"]


def test_rigs_stay_when_no_motion_can_be_put_on_them(extension, person, monkeypatch):
    def refuse(*_):
        raise BadMotion("no")
        yield

    monkeypatch.setattr(buttons, "move_steps", refuse)
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_rig_and_move() == {"FINISHED"}, "a step of undo"
    assert body.find_armature() is not None and not bpy.data.actions
