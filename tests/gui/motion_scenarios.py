"""What a person does with motions in Blender's window, and what must have become of it."""

from __future__ import annotations

import bpy
import numpy as np

from geppetto.addon import job
from geppetto.addon.characters.rigged import armature_of
from tests.blender.scenes import add_character
from tests.characters import hen
from tests.gui import scenarios


def armature():
    """The one armature object."""
    found, = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    return found


def action_of(o):
    return o.animation_data.action if o.animation_data else None


def invoke(window, name: str):
    """Press an operator's button, from the sidebar's place in the window, and wait for its work to end."""
    with window.inside():
        getattr(bpy.ops.object, name)("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    yield 0.3


def rig_and_move(window):
    """One press rigs and walks; the next motion is one step more; undo takes back one at a time; it plays."""
    yield from scenarios.one_person(window)
    window.picture("1 before")
    yield from invoke(window, "geppetto_rig_and_move")
    assert "walk" in action_of(armature()).name
    assert window._window.screen.is_animation_playing, "pressing it should play it"
    heads = []
    for _ in range(3):
        yield 0.25
        heads.append(np.array([b.head for b in armature().pose.bones]))
    assert max(np.abs(heads[0] - h).max() for h in heads[1:]) > 0.01, "it stands still"
    window.picture("2 walking")
    bpy.ops.screen.animation_cancel(restore_frame=False)
    bpy.context.scene.geppetto.motion = "dance"
    yield from invoke(window, "geppetto_move")
    assert "dance" in action_of(armature()).name
    bpy.ops.screen.animation_cancel(restore_frame=False)
    window.picture("3 dancing")
    window.do("mousemove", 500, 400)
    yield from window.press("ctrl+z")
    yield 0.5
    assert "walk" in action_of(armature()).name, "one undo takes back one motion"
    yield from window.press("ctrl+z")
    yield 0.5
    assert not bpy.data.armatures, "and the next one the rig"


def move_together(window):
    """A person and a bird that are selected walk at one press; one undo takes both walks back; rigged anew, the bird
    goes on walking."""
    yield from scenarios.one_person(window)
    bird, = add_character(hen())
    bird.name, bird.location.x = "hen", 1.2
    bird.select_set(True)
    with window.inside():
        bpy.ops.object.geppetto_auto_rig(bodies="EACH")
        bpy.ops.view3d.view_selected()
    bpy.context.scene.geppetto.motion = "walk"
    bpy.ops.ed.undo_push(message="two rigs")
    yield 0.5
    yield from invoke(window, "geppetto_move")
    actions = {name: action_of(armature_of(bpy.data.objects[name])) for name in ("body", "hen")}
    assert all("walk" in action.name for action in actions.values()), actions
    yield 0.3
    bpy.ops.screen.animation_cancel(restore_frame=False)
    bpy.context.scene.frame_set(9)
    yield 0.3
    window.picture("1 both walk")
    window.do("mousemove", 500, 400)
    yield from window.press("ctrl+z")
    yield 0.5
    assert not any(action_of(armature_of(bpy.data.objects[name])) for name in ("body", "hen"))
    yield from window.press("ctrl+shift+z")
    yield 0.5
    for o in bpy.context.view_layer.objects:
        o.select_set(o.name == "hen")
    bpy.context.view_layer.objects.active = bpy.data.objects["hen"]
    yield from invoke(window, "geppetto_auto_rig")
    bpy.context.scene.frame_set(9)
    yield 0.3
    window.picture("2 rigged anew")
    assert "walk" in action_of(armature_of(bpy.data.objects["hen"])).name


def cancel_a_motion(window):
    """Esc while a motion is read from another armature leaves the character without an action, the time where it
    was."""
    yield from scenarios.one_person(window)
    yield from invoke(window, "geppetto_rig_and_move")
    bpy.ops.screen.animation_cancel(restore_frame=False)
    source = armature()
    other = source.copy()
    other.data = source.data.copy()
    other.animation_data_clear()
    bpy.context.scene.collection.objects.link(other)
    action_of(source).use_frame_range = True
    action_of(source).frame_end = 4000  # long enough to be stopped
    for o in bpy.context.selected_objects:
        o.select_set(False)
    source.select_set(True)
    other.select_set(True)
    bpy.context.view_layer.objects.active = other
    bpy.context.scene.frame_set(7)
    count = len(bpy.data.actions)
    job.TURN = job.DRAWING = 0.0
    with window.inside():
        bpy.ops.object.geppetto_move_from_armature("INVOKE_DEFAULT")
    yield 0.3
    assert job.running() is not None, "it was over before it could be stopped"
    window.picture("reading")
    yield from window.press("Escape")
    yield 0.3
    assert job.running() is None and action_of(bpy.context.object) is None
    assert len(bpy.data.actions) == count and bpy.context.scene.frame_current == 7
