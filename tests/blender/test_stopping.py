"""Work that is stopped after any of its stages leaves everything in the file bit for bit."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

import geppetto
from geppetto.addon import names
from geppetto.addon.characters.rigging import auto_rig, auto_rig_steps, bind_steps, update_rig_steps
from geppetto.addon.choices import template_for
from geppetto.addon.editing import joints
from geppetto.addon.editing.showing import show_steps
from geppetto.addon.motion.moving import move_steps
from geppetto.core.errors import RigError
from geppetto.core.skeleton.preset import load_template

from .digest import difference, digest
from .scenes import add_character
from .test_situations import choose, keys

BIPED = load_template("biped")


@pytest.fixture
def scene(context, person):
    """A person of whom everything could be lost: keys, modifiers, groups, another armature; our own rig, with a pin."""
    geppetto.register()
    body, = add_character(person)
    keys(body)
    body.modifiers.new("Subdivision", "SUBSURF")
    body.vertex_groups.new(name="cloth").add([0, 5], 0.5, "REPLACE")
    other = bpy.data.objects.new("other", body.data)
    context.scene.collection.objects.link(other)
    choose(body)
    rig = auto_rig(context, [body], BIPED).armature
    rig.pose.bones["head"].rotation_mode = "XYZ"
    rig.pose.bones["head"].rotation_euler.x = 0.3
    choose(body, rig)
    yield context
    geppetto.unregister()


WORK = {
    "Auto Rig": lambda c: auto_rig_steps(c, [bpy.data.objects["body"]], template_for("auto"), replaced=["body rig"]),
    "Update Rig": lambda c: update_rig_steps(c, bpy.data.objects["body rig"], template_for("biped")),
    "Bind": lambda c: bind_steps(c, [bpy.data.objects["body"]], bpy.data.objects["body rig"]),
    "Edit Joints": lambda c: show_steps(c, [bpy.data.objects["body"]], template_for("biped")),
    "Move": lambda c: move_steps(c, bpy.data.objects["body rig"], "walk"),
}


@pytest.mark.sweep(2, long=True)
@pytest.mark.parametrize("work", WORK)
def test_stopping_after_any_stage_changes_nothing(scene, work):
    before, stage, ended = digest(), 0, False
    while not ended:
        steps = WORK[work](scene)
        for _ in range(stage + 1):
            ended = next(steps, None) is None
            if ended:
                break
        if not ended:
            steps.close()
            assert difference(before, digest()) == [], f"stopped after {stage + 1} stages"
        stage += 1
    assert stage > 2


@pytest.mark.long
@pytest.mark.parametrize("work", ["Auto Rig", "Update Rig", "Bind"])
def test_a_fault_of_the_core_changes_nothing(scene, work, monkeypatch):
    from geppetto.addon.characters import rigging

    def fails(*arguments, **options):
        yield "Warming the skin", 0.5
        raise RigError("It does not work.")

    monkeypatch.setattr(rigging.pipeline, "bind_steps", fails)
    before, steps = digest(), WORK[work](scene)
    with pytest.raises(RigError):
        while True:
            next(steps)
    assert difference(before, digest()) == []


@pytest.mark.slow
def test_everything_is_undone_and_redone_one_by_one(context, person):
    geppetto.register()
    try:
        body, = add_character(person)
        choose(body)
        bpy.ops.ed.undo_push(message="start")
        seen = [digest()]
        for what in (bpy.ops.geppetto.show_joints,
                     lambda: bpy.ops.geppetto.pin_joint(joint="shin.L", position=(0.1, 0.0, 0.5)),
                     lambda: bpy.ops.object.geppetto_auto_rig(preset="biped"),
                     lambda: bpy.ops.object.geppetto_move(motion="walk"),
                     lambda: bpy.ops.geppetto.rename_bones(engine="unity"),
                     bpy.ops.geppetto.remove_rig):
            assert what() == {"FINISHED"}
            bpy.ops.ed.undo_push(message="step")
            seen.append(digest())
        for what, states, step in (("undo", seen[-2::-1], bpy.ops.ed.undo), ("redo", seen[1:], bpy.ops.ed.redo)):
            for state in states:
                step()
                assert [p for p in difference(state, digest()) if not p.endswith(TIME)] == [], what
        assert joints.shown() is not None and getattr(bpy.context.scene, names.SETTINGS).preset == "auto"
        assert np.isfinite(joints.shown().places(bpy.context)[1]).all()
    finally:
        geppetto.unregister()


TIME = ("frame_current_final", ".users")  # what undo does not keep for itself
