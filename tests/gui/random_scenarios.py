"""A random user at Blender's window: keys, clicks and drags in any order; nothing crashes, hangs or stays behind."""

from __future__ import annotations

import bpy
import numpy as np

import geppetto
from geppetto.addon import job
from geppetto.addon.editing import joints
from tests.blender.monkey import check
from tests.gui import scenarios

KEYS = ("ctrl+z", "ctrl+shift+z", "Tab", "Escape", "h", "alt+h", "a", "x Return", "shift+d Escape", "ctrl+Tab Escape",
        "KP_Divide", "KP_1", "F9 Escape")


def press_anything(window, steps: int = 40):
    """Our buttons while Blender's own keys are struck, work that is cancelled or not, handles that are dragged."""
    yield from scenarios.one_person(window)
    random = np.random.default_rng(5)
    left, top, right, bottom = 200, 150, 900, 750
    for _ in range(steps):
        at = int(random.integers(left, right)), int(random.integers(top, bottom))
        kind = random.integers(10)
        if kind < 5:
            window.do("mousemove", *at)
            for key in str(random.choice(KEYS)).split():
                yield from window.press(key)
        elif kind < 7:
            yield from window.click(scenarios.button_place(window))
        elif kind == 7:
            with window.inside():
                if bpy.ops.geppetto.show_joints.poll():
                    bpy.ops.geppetto.show_joints("INVOKE_DEFAULT")
        elif joints.shown_in(bpy.context) is not None:
            start = scenarios.joint_on_screen(window, "shin.L")
            yield from window.drag(start, at, steps=3)
        if random.random() < 0.4:
            yield from window.press("Escape")
        yield from scenarios.wait_for(lambda: job.running() is None)
        check()
    yield from window.press("Escape")
    for switch in geppetto.unregister, geppetto.register:
        switch()
        yield 0.3
    assert joints.shown() is None and job.running() is None
    window.picture("still there")
