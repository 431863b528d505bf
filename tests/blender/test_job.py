"""Work that can be stopped on the way, and rigs that are made anew or taken away."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import geppetto
from geppetto.addon import job
from geppetto.addon.characters.rigged import armature_of, followers, remove_rig, selected_character
from geppetto.addon.characters.rigging import auto_rig, auto_rig_steps
from geppetto.core.errors import BadMesh
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, fingerprint, world_points

BIPED = load_template("biped")


def advance(steps, to: float) -> None:
    """Tick a job until it has come so far."""
    while next(steps)[1] < to:
        continue


@pytest.mark.parametrize("to", [0.0, 0.1, 0.5, 0.9, 0.95])
def test_stopping_on_the_way_leaves_the_scene_as_it_was(context, person, to):
    body, = add_character(person)
    body.modifiers.new("Subdivision", "SUBSURF")
    body.select_set(True)
    before = fingerprint(body)
    steps = auto_rig_steps(context, [body], BIPED)
    advance(steps, to)
    steps.close()
    assert fingerprint(body) == before and not body.vertex_groups and body.parent is None
    assert list(bpy.data.objects) == [body] and not bpy.data.armatures and body.select_get()


def test_a_stage_is_told_before_it_is_worked_on_and_the_fractions_rise(context, person):
    body, = add_character(person)
    steps = auto_rig_steps(context, [body], BIPED)
    told = []
    while True:
        try:
            told.append(next(steps))
        except StopIteration as done:
            rigged = done.value
            break
    fractions = [fraction for _, fraction in told]
    assert fractions == sorted(fractions) and fractions[0] == 0.0 and fractions[-1] < 1.0
    assert set(rigged.seconds) == {stage for stage, _ in told} and min(rigged.seconds.values()) >= 0


def delete(o) -> None:
    bpy.data.objects.remove(o)  # looked up now: a new file has a new bpy.data


@pytest.mark.long
def test_a_character_edited_meanwhile_is_not_written_to(context, person):
    for change in (lambda o: o.data.clear_geometry(), lambda o: setattr(o, "name", "other"),
                   delete, lambda o: setattr(o, "data", o.data.copy())):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        body, = add_character(person)
        steps = auto_rig_steps(bpy.context, [body], BIPED)
        advance(steps, 0.5)
        change(body)
        with pytest.raises(BadMesh, match="'body' was changed"):
            advance(steps, 2.0)
        assert not bpy.data.armatures


def test_an_undo_meanwhile_is_noticed(context, person):
    body, = add_character(person)
    bpy.ops.ed.undo_push(message="body")
    body.location.x = 1.0
    bpy.ops.ed.undo_push(message="moved")
    steps = auto_rig_steps(context, [body], BIPED)
    advance(steps, 0.5)
    bpy.ops.ed.undo()
    try:
        advance(steps, 2.0)
    except BadMesh as error:
        assert "was changed" in str(error)
    except StopIteration:  # the undo left the object where it was in memory
        assert bpy.data.objects["body"].parent is not None


def test_a_removed_rig_leaves_the_character_as_it_was(context, dressed):
    objects = add_character(dressed)
    objects[0].vertex_groups.new(name="cloth").add([0, 1], 0.5, "REPLACE")
    before, points = [fingerprint(o) for o in objects], [world_points(o) for o in objects]
    armature = auto_rig(context, objects, BIPED).armature
    assert followers(armature) == sorted(objects, key=lambda o: o.name)
    assert {armature_of(o) for o in [*objects, armature]} == {armature}
    remove_rig(context, armature)
    context.view_layer.update()
    assert not bpy.data.armatures and not any(m.type == "ARMATURE" for o in objects for m in o.modifiers)
    assert [g.name for o in objects for g in o.vertex_groups] == ["cloth"]
    assert [fingerprint(o) for o in objects] == before
    for o, place in zip(objects, points, strict=True):
        np.testing.assert_array_equal(world_points(o), place)


@pytest.mark.long
def test_rigging_from_the_armature_replaces_it(context, person):
    geppetto.register()
    try:
        body, = add_character(person)
        body.select_set(True)
        assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
        first = context.object.name
        assert selected_character(context) == ([body], [context.object])
        assert bpy.ops.object.geppetto_auto_rig(preset="biped_paper") == {"FINISHED"}
        assert len(bpy.data.armatures) == 1 and context.object.name == first
        assert [m.object for m in body.modifiers] == [context.object]
        assert {g.name for g in body.vertex_groups} <= {b.name for b in load_template("biped_paper").bones}
        assert job.running() is None
    finally:
        geppetto.unregister()
