"""A cape and a braid that follow a walk at one click, and keep still again at the next."""

from __future__ import annotations

import bpy
import numpy as np

from geppetto.addon import names
from geppetto.addon.bridge.curves import curves_of
from geppetto.addon.characters.rigged import armature_of
from tests.blender.scenes import add_character
from tests.characters import dressed
from tests.gui import scenarios

ARROW, SWITCH = (244, 71), (231, 236)  # pixels from the sidebar's top left corner: the popover's button, what it holds


def chains_follow(window):
    """The switch below the list of things: on, capes and hair swing in the walk; off, nothing is left."""
    yield from scenarios.one_person(window)
    bpy.data.objects.remove(bpy.data.objects["body"])
    objects = add_character(dressed("cape", "braid"))
    for o in objects:
        o.select_set(True)
    bpy.context.view_layer.objects.active = objects[0]
    with window.inside():
        bpy.ops.view3d.view_selected()
        bpy.ops.object.geppetto_auto_rig(detail="full")
        bpy.ops.object.geppetto_move(motion="walk")
        bpy.ops.screen.animation_cancel()
    armature = armature_of(bpy.data.objects["cape"])
    count = len(curves_of(armature.animation_data.action))
    yield 0.5
    yield from press_switch(window, "1 off")
    walk = armature.animation_data.action
    assert names.SWAYS in armature and len(curves_of(walk)) > count
    with window.inside():
        bpy.ops.view3d.view_axis(type="RIGHT")
    held = []
    for k, frame in enumerate(np.linspace(walk.frame_start, walk.frame_end, 4, endpoint=False)):
        bpy.context.scene.frame_set(int(frame))
        yield 0.5
        window.picture(f"2 walk {k}")
        held.append(np.array(armature.pose.bones["cape_4.L"].matrix_basis))
    assert np.ptp(held, axis=0).max() > 0.05
    yield from press_switch(window, "3 on")
    assert names.SWAYS not in armature and len(curves_of(walk)) == count
    window.do("mousemove", 500, 400)
    yield from window.press("ctrl+z")
    yield 0.6
    armature = armature_of(bpy.data.objects["cape"])
    assert names.SWAYS in armature and len(curves_of(armature.animation_data.action)) > count, "Ctrl-Z brings it back"


def press_switch(window, name: str):
    """Open the popover beside the level of detail, and click the switch in it."""
    region = window.region("UI")
    yield from window.click(window.on_screen(region, ARROW[0], region.height - ARROW[1]))
    yield 0.6
    window.picture(name)
    yield from window.click(window.on_screen(region, SWITCH[0], region.height - SWITCH[1]))
    yield 0.8
    window.picture(f"{name} pressed")
    yield from window.press("Escape")  # a popover stays open over its button
    window.do("mousemove", 300, 700)
    yield 0.3
    window.do("mousemove", 310, 690)
    yield 0.5
