"""How fast it is in Blender's window. The numbers are told, not judged: machines and their other work differ."""

from __future__ import annotations

import time
from collections import defaultdict

import bpy
import numpy as np

import geppetto
from geppetto.addon import job, session
from geppetto.addon.editing import joints
from geppetto.addon.operators import joints as dragging
from geppetto.core import pipeline
from geppetto.core.fitting.check import check_character
from geppetto.core.fitting.from_shape import template_in
from geppetto.core.geometry.mesh import Mesh
from tests.blender.scenes import add_character, add_cube
from tests.characters import centaur, person
from tests.gui import scenarios


def rig_a_large_character(window):
    """From the click to the rig, against what the core needs by itself; the viewport is not drawn for the progress."""
    character, _ = yield from scenarios.one_person(window, vertices=30_000)
    mesh = Mesh(np.float32(character.mesh.vertices), character.mesh.faces)
    core, taken, seen, drawn = [], [], [], []
    for _ in range(3):
        window.do("mousemove", *scenarios.button_place(window))
        yield from window.still()
        core.append((_seconds(lambda: _core_alone(mesh)), _seconds(lambda: _core_alone(mesh), time.thread_time)))
        yield from window.still()
        ends, before = _when_jobs_end(window), window.drawn
        window.do("mousedown", 1)
        yield 0.05
        since, busy = time.perf_counter(), time.thread_time()
        window.do("mouseup", 1)
        yield from scenarios.wait_for(lambda ends=ends: ends)
        taken.append((ends[0][0] - since, ends[0][1] - busy))
        drawn.append(ends[0][2] - before)
        yield from scenarios.wait_for(lambda before=before: window.drawn > before)
        seen.append(time.perf_counter() - since)
        assert bpy.context.object.type == "ARMATURE"
        window.do("mousemove", 500, 400)
        yield from window.press("ctrl+z")
        session.clear()
    assert drawn == [0, 0, 0], f"the viewport was drawn {drawn} times while the job ran"
    wall, busy = (sorted(a[i] / b[i] for a, b in zip(taken, core, strict=True)) for i in range(2))
    return {"click to rig / core alone": wall, "the same in the main thread's own seconds": busy,
            "seconds, own seconds": taken, "core alone": core, "on the screen": seen}


def _core_alone(mesh: Mesh) -> None:
    """What Auto Rig asks of the core: the skeleton is chosen, fitted and bound."""
    shape = pipeline.prepare(mesh)
    rig = pipeline.fit(mesh, template_in(shape, check_character(shape).preset), shape=shape)
    pipeline.bind(mesh, rig, shape=shape)


def _when_jobs_end(window) -> list:
    """Becomes [(time, the main thread's own time, viewport draws so far)] when the next job ends."""
    ends, stop = [], job.stop

    def noting() -> None:
        ends.append((time.perf_counter(), time.thread_time(), window.drawn))
        job.stop = stop
        stop()

    job.stop = noting
    return ends


def _seconds(work, clock=time.perf_counter) -> float:
    since = clock()
    work()
    return clock() - since


def drag_joints_of_large_characters(window):
    """The main thread's own seconds that our code takes from one frame to the next while the mouse drags joints, dear
    ones among them; mean and most."""
    told, spent = {}, _time_of_joints(window)
    for name, character, dragged in (
            ("biped", person(vertices=30_000), ("forearm.L", "hips")),
            ("centaur", centaur(vertices=30_000), ("tail_tip", "chest"))):
        bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
        yield 0.5
        body, = add_character(character)
        body.name = "body"
        bpy.context.view_layer.objects.active = body
        body.select_set(True)
        bpy.context.scene.geppetto.preset = name
        with window.inside():
            bpy.ops.view3d.view_axis(type="FRONT" if name == "biped" else "LEFT")
            bpy.ops.view3d.view_selected()
        yield from window.still()
        yield from scenarios.show_the_joints(window)
        for joint in dragged:
            start = scenarios.joint_on_screen(window, joint)
            window.do("mousemove", *start)
            yield 0.5
            window.do("mousemove_relative", 1, 0)
            yield 0.5
            window.do("mousedown", 1)
            yield 0.3
            spent.clear()
            for k in range(2, 10):
                before = window.drawn
                window.do("mousemove", start[0] + 3 * k, start[1] + 4 * k)
                yield from scenarios.wait_for(lambda before=before: window.drawn > before)
            frames = list(spent.values())
            window.do("mouseup", 1)
            yield 0.5
            yield from scenarios.wait_for(lambda: not joints.shown().lags(bpy.context))
            assert scenarios.pinned(), "nothing was grasped"
            told[f"{name} {joint}"] = sum(frames) / len(frames), max(frames)
    return told


def _time_of_joints(window) -> dict[int, float]:
    """{frame: seconds spent before it on joints that are dragged} from now on."""
    spent: dict[int, float] = defaultdict(float)
    depth = [0]

    def timed(method):
        def around(*arguments):
            since = time.thread_time()
            depth[0] += 1
            try:
                return method(*arguments)
            finally:
                depth[0] -= 1
                if not depth[0] and arguments[0].dragging:
                    spent[window.drawn] += time.thread_time() - since
        return around

    of_joints = [(joints.ShownJoints, name) for name in ("pin", "places", "lags", "rig", "advance")]
    for owner, name in (*of_joints, (dragging, "middle_of")):
        setattr(owner, name, timed(getattr(owner, name)))
    return spent


def _frame(window) -> None:
    window.region().tag_redraw()
    with window.inside():
        bpy.ops.wm.redraw_timer(type="DRAW_WIN_SWAP", iterations=1)


def do_nothing(window):
    """What the extension costs while nothing of it is used: the main thread's own seconds, on and off."""
    yield from scenarios.one_person(window)
    for k in range(200):
        add_cube(f"cube {k}").location = (k % 20, k // 20, 0)
    window.area.spaces[0].show_region_ui = False
    yield from window.still()
    body, told = bpy.data.objects["body"], {"on": [], "off": []}

    def move() -> None:
        for k in range(200):
            body.location.x = 0.001 * k
            bpy.context.view_layer.update()

    for _ in range(2):
        for state, switch in (("on", lambda: None), ("off", geppetto.unregister)):
            switch()
            yield 2.0
            told[state].append((min(_seconds(lambda: _frame(window), time.thread_time) for _ in range(5)),
                                min(_seconds(move, time.thread_time) for _ in range(3))))
        geppetto.register()
    assert joints.shown() is None
    return {f"{what}, {state}": min(t[i] for t in told[state]) for state in told
            for i, what in enumerate(("a frame", "200 changes of the scene"))}
