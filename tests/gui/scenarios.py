"""What a person does in Blender's window, and what must have become of it."""

from __future__ import annotations

import time

import bpy
import numpy as np

import geppetto
from geppetto.addon import job
from geppetto.addon.editing import joints, pins
from geppetto.addon.overlay import draw
from geppetto.core import pipeline
from geppetto.core.geometry.mesh import Mesh
from geppetto.core.skeleton.preset import load_template
from tests.blender.scenes import add_character, fingerprint, group_weights
from tests.characters import person
from tests.gui.export_scenarios import clothes_follow, export_for_engines  # noqa: F401
from tests.gui.living_scenarios import (  # noqa: F401
    read_scripts_anew,
    scenes_while_it_works,
    search_finds_it,
    views_and_scenes,
)
from tests.gui.measures import do_nothing, drag_joints_of_large_characters, rig_a_large_character  # noqa: F401
from tests.gui.motion_scenarios import cancel_a_motion, move_together, rig_and_move  # noqa: F401 - all played by name
from tests.gui.panel_scenarios import (  # noqa: F401
    change_a_finished_rig,
    check_the_weights,
    make_a_control_rig,
    panels_in_german,
    panels_on_a_dark_theme,
    panels_on_a_light_theme,
)
from tests.gui.picture_scenarios import picture_for_the_readme, pictures_for_the_listing  # noqa: F401
from tests.gui.random_scenarios import press_anything  # noqa: F401
from tests.gui.reading_scenarios import (  # noqa: F401
    control_a_spider,
    drag_a_third_arm,
    limb_by_click,
    limbs_in_a_quad_view,
    other_reading,
    rig_as_the_other,
    skeleton_from_shape,
    stand_up_a_creature,
    stand_up_at_a_click,
)
from tests.gui.thing_scenarios import chains_follow  # noqa: F401
from tests.gui.workflow_scenarios import (  # noqa: F401
    apply_and_discard,
    buttons_in_pose_mode,
    fly_to_doubts,
    handles_from_the_side,
    joints_of_a_walker,
    rig_and_walk_asks,
    two_characters,
    undo_strokes_after_the_rig,
)

BUTTON = (130, 248)  # pixels of the Auto Rig button's middle from the sidebar's top left corner


def one_person(window, vertices: int = 2000):
    """An empty scene with a person, selected and seen from the front."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    yield 0.5
    character = person(vertices=vertices)
    body, = add_character(character)
    body.select_set(True)
    bpy.context.view_layer.objects.active = body
    bpy.ops.ed.undo_push(message="start")
    with window.inside():
        bpy.ops.view3d.view_axis(type="FRONT")
        bpy.ops.view3d.view_selected()
    yield from window.open_tab()
    yield 0.5
    return character, body


def button_place(window) -> tuple[int, int]:
    region = window.region("UI")
    return window.on_screen(region, BUTTON[0], region.height - BUTTON[1])


def wait_for(condition, seconds: float = 30.0):
    """Let Blender work until a condition holds."""
    end = time.perf_counter() + seconds
    while not condition():
        assert time.perf_counter() < end, "it does not come to pass"
        yield 0.005


def finish_job():
    """Wait until the job has begun and ended."""
    yield 0.1
    yield from wait_for(lambda: job.running() is None)


def press_the_button(window):
    """The large button rigs; one Ctrl-Z takes all of it back, redo gives it again."""
    character, body = yield from one_person(window)
    before = fingerprint(body)
    window.picture("1 before")
    yield from window.click(button_place(window))
    yield from finish_job()
    yield 0.5
    window.picture("2 rigged")
    body, armature = bpy.data.objects["body"], bpy.context.object
    assert armature is not None and armature.type == "ARMATURE", "no armature: was the button hit?"
    rig, weights = pipeline.auto_rig(Mesh(np.float32(character.mesh.vertices), character.mesh.faces),
                                     load_template("biped"))
    heads = np.array([armature.data.bones[n].head_local for n in rig.names])
    np.testing.assert_allclose(heads, rig.heads, atol=1e-4)
    groups = group_weights(body)
    np.testing.assert_allclose(np.stack([groups.get(n, np.zeros(len(body.data.vertices))) for n in rig.names], 1),
                               weights.matrix.toarray(), atol=1e-6)
    window.do("mousemove", 500, 400)
    yield from window.press("ctrl+z")
    yield 0.5
    body = bpy.data.objects["body"]
    assert not bpy.data.armatures and not body.vertex_groups and body.parent is None, "undo left something"
    assert fingerprint(body) == before
    yield from window.press("ctrl+shift+z")
    yield 0.5
    assert len(bpy.data.armatures) == 1 and bpy.data.objects["body"].parent is not None


def adjust_the_last_operation(window):
    """F9 offers the choices after a modal run too, and a changed choice rigs anew instead of once more."""
    yield from one_person(window)
    yield from window.click(button_place(window))
    yield from finish_job()
    window.do("mousemove", 310, 510)
    yield 0.5
    window.do("mousemove", 300, 500)
    yield 0.5
    yield from window.press("F9")
    yield 0.5
    menu = (522, 552)  # the skeleton's menu in the popup under the mouse
    if bpy.app.version >= (5, 0, 0):  # F9 shows the viewport's own panel, folded
        menu = (269, 469)
        yield from window.click((150, 796))
        yield 0.5
    window.picture("adjust last operation")
    yield from window.click(menu)
    yield 0.3
    window.picture("adjusting")
    yield from window.press("q")  # the letter that is underlined in Quadruped, wherever the menu has it
    yield 1.5
    window.picture("adjusted")
    armature, = bpy.data.armatures
    chosen = bpy.context.window_manager.operators[-1].preset
    assert chosen == "quadruped"
    own = {b.name for b in armature.bones if not b.name.startswith("limb_")}  # a person's limbs may be odd on an animal
    assert own == {b.name for b in load_template(chosen).bones}


def cancel_the_job(window):
    """Esc and right click in the middle of the work leave everything as it was, ready for another try."""
    _, body = yield from one_person(window, vertices=30_000)
    before, undo = fingerprint(body), len(bpy.data.objects)
    job.TURN = job.DRAWING = 0.0  # a turn is one stage, so that there is time to cancel
    for how in ("Escape", "right click"):
        window.do("mousemove", *button_place(window))
        yield 0.3
        window.do("click", 1)
        yield from wait_for(lambda: job.running() is not None and job.running().fraction > 0.1)
        window.picture(f"running, then {how}")
        window.do(*(("key", "Escape") if how == "Escape" else ("click", 3)))
        yield from finish_job()
        yield 0.5
        window.picture(f"after {how}")
        assert fingerprint(bpy.data.objects["body"]) == before and len(bpy.data.objects) == undo
        assert not bpy.data.armatures and not body.vertex_groups and bpy.context.object is body and body.select_get()
    yield from window.click(button_place(window))
    yield from finish_job()
    assert bpy.context.object.type == "ARMATURE"


def show_the_joints(window):
    """Press Edit Joints from a script, as the button does, and wait for the handles."""
    with window.inside():
        bpy.ops.geppetto.show_joints("INVOKE_DEFAULT")
    yield from finish_job()
    assert joints.shown() is not None
    yield 0.5


def joint_on_screen(window, name: str) -> tuple[int, int]:
    """Screen pixels of a joint's handle."""
    with window.inside():
        pixels, _ = draw.on_screen(bpy.context)
    return window.on_screen(window.region(), *pixels[joints.shown().template.index(name)])


def joint(name: str) -> np.ndarray:
    """Where a joint lies in the world."""
    what = joints.shown()
    return what.places(bpy.context)[1][what.template.index(name)]


def pinned() -> list[str]:
    return sorted(pins.pins_of(bpy.data.objects["body"]))


def drag_joints(window):
    """A dragged joint is pinned in the middle of the limb, its partner mirrors it, each drag is one undo step."""
    character, _ = yield from one_person(window, vertices=8000)
    yield from show_the_joints(window)
    window.picture("1 joints")
    elbow = joint("forearm.L").copy()
    start = joint_on_screen(window, "forearm.L")
    shoulder = joint_on_screen(window, "upper_arm.L")
    end = tuple(round(0.65 * a + 0.35 * b) for a, b in zip(start, shoulder, strict=True))
    yield from window.drag(start, (end[0], end[1] + 6))
    window.picture("2 dragged")
    assert pinned() == ["forearm.L"], pinned()
    moved = joint("forearm.L").copy()
    assert np.linalg.norm(moved - elbow) > 0.03, "the joint did not follow the mouse"
    np.testing.assert_allclose(joint("forearm.R"), moved * [-1, 1, 1], atol=0.02)
    around = character.mesh.vertices[np.abs(character.mesh.vertices[:, [0, 2]] - moved[[0, 2]]).max(1) < 0.02]
    assert abs(moved[1] - around[:, 1].mean()) < 0.01, "not in the middle of the arm"
    at = joint_on_screen(window, "forearm.L")
    assert np.abs(np.subtract(at, (end[0], end[1] + 6))).max() <= 3, "the handle is not under the mouse"
    yield from window.drag(joint_on_screen(window, "shin.R"), np.add(joint_on_screen(window, "shin.R"), (8, 30)))
    assert pinned() == ["forearm.L", "shin.R"]
    yield from window.press("ctrl+z")
    yield 0.5
    assert pinned() == ["forearm.L"], "a drag is one undo step"
    np.testing.assert_allclose(joint("forearm.L"), moved, atol=1e-5)
    yield from window.press("ctrl+z")
    yield 0.5
    assert pinned() == []
    np.testing.assert_allclose(joint("forearm.L"), elbow, atol=1e-5)
    window.picture("3 undone")
    yield from window.press("ctrl+shift+z")
    yield 0.5
    assert pinned() == ["forearm.L"]
    np.testing.assert_allclose(joint("forearm.L"), moved, atol=1e-5)
    start = np.array(joint_on_screen(window, "shin.L"))
    window.do("mousemove", *start)
    yield 0.3
    window.do("mousedown", 1, "mousemove", *(start + (10, 30)), "mouseup", 1)  # at once, while Blender waits for it
    yield 0.5
    assert np.abs(joint_on_screen(window, "shin.L") - start - (10, 30)).max() <= 8, "a quick drag is no click"


def click_cancel_and_free_joints(window):
    """A click pins and unpins, though the hand trembles, Esc takes a drag back, Ctrl moves freely, from any view."""
    yield from one_person(window)
    yield from show_the_joints(window)
    yield from window.click(joint_on_screen(window, "head"))
    assert pinned() == ["head"]
    bpy.context.preferences.view.ui_scale = 2.0  # as on a screen of small pixels
    window.area.spaces[0].show_region_ui = False
    yield 1.0
    window.do("mousemove", *joint_on_screen(window, "head"))
    yield 0.3
    window.do("mousedown", 1)
    yield 0.2
    window.do("mousemove_relative", 0, 6)
    yield 0.3
    window.do("mouseup", 1)
    yield 0.3
    assert pinned() == []
    bpy.context.preferences.view.ui_scale = 1.0
    yield 1.0
    knee = joint("shin.L").copy()
    start = joint_on_screen(window, "shin.L")
    window.do("mousemove", *start)
    yield 0.3
    window.do("mousedown", 1)
    yield 0.2
    window.do("mousemove_relative", 0, 30)
    yield 0.3
    assert pinned() == ["shin.L"]
    yield from window.press("Escape")
    window.do("mouseup", 1)
    yield 0.3
    assert pinned() == []
    np.testing.assert_allclose(joint("shin.L"), knee, atol=1e-6)
    with window.inside():
        bpy.ops.view3d.view_axis(type="LEFT")
    yield 1.0
    other, start = joint("shin.R").copy(), joint_on_screen(window, "shin.R")  # the nearer one
    window.picture("1 from the side")
    yield from window.drag(start, (start[0] + 70, start[1] + 5), keys=("ctrl",))
    window.picture("2 free")
    assert pinned() == ["shin.R"]
    assert abs(joint("shin.R")[1] - other[1]) > 0.1, "Ctrl must leave the body"
    assert abs(joint("shin.R")[0] - other[0]) < 1e-3, "the depth stays where nothing is under the mouse"


def readable_on_a_light_theme(window):
    """Handles and what the fit looks at, on a bright background; the pictures are for looking at."""
    theme = bpy.context.preferences.themes[0].view_3d.space.gradients
    yield from one_person(window)
    yield from show_the_joints(window)
    settings = bpy.context.scene.geppetto_joints
    settings.show_samples = settings.show_spheres = settings.show_graph = True
    joints.redraw()
    yield 0.5
    window.picture("1 how it fits")
    settings.show_samples = settings.show_spheres = settings.show_graph = False
    settings.show_names = True
    theme.high_gradient = (0.9, 0.9, 0.9)
    joints.shown().pin(bpy.context, "shin.L", joint("shin.L"))
    joints.redraw()
    yield 0.5
    window.picture("2 light")


def open_files_and_switch_off(window):
    """Opening a file, switching the extension off and on, undo after all of it: no handle, no job, no error remains."""
    yield from one_person(window)
    yield from show_the_joints(window)
    saved = str(window.folder / "shown.blend")
    joints.shown().pin(bpy.context, "shin.L", joint("shin.L"))
    bpy.ops.wm.save_as_mainfile(filepath=saved)
    bpy.ops.wm.open_mainfile(filepath=saved)
    yield 0.5
    assert joints.shown() is None and pinned() == ["shin.L"]
    bpy.context.view_layer.objects.active = bpy.data.objects["body"]
    bpy.data.objects["body"].select_set(True)
    yield from show_the_joints(window)
    geppetto.unregister()
    yield 0.5
    window.picture("1 switched off")
    assert joints.shown() is None and not hasattr(bpy.context.scene, "geppetto_joints")
    window.do("mousemove", 500, 400)
    yield 0.5
    geppetto.register()
    yield 0.5
    assert pinned() == ["shin.L"], "pins are kept while the extension is off"
    yield from show_the_joints(window)
    yield from window.click(joint_on_screen(window, "head"))
    assert pinned() == ["head", "shin.L"]
    job.TURN = job.DRAWING = 0.0
    with window.inside():
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from wait_for(lambda: job.running() is not None and job.running().fraction > 0.1)
    bpy.ops.wm.open_mainfile(filepath=saved)  # under a running job
    yield 0.5
    assert job.running() is None and not bpy.data.armatures and joints.shown() is None
    bpy.data.objects["body"].select_set(True)
    bpy.context.view_layer.objects.active = bpy.data.objects["body"]
    with window.inside():
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from wait_for(lambda: job.running() is not None and job.running().fraction > 0.1)
    geppetto.unregister()
    yield 0.5
    geppetto.register()
    yield 0.5
    assert job.running() is None and not bpy.data.armatures
    window.picture("2 still there")


def slide_the_sharpness(window):
    """Geodesic weights follow the slider while it moves."""
    yield from one_person(window)
    settings = bpy.context.scene.geppetto
    settings.method = "geodesic"
    with window.inside():
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from finish_job()
    body = bpy.data.objects["body"]
    settings.alpha = 0.31  # the first touch measures the ways through the body
    mixed, taken = [], []
    for alpha in (0.0, 0.25, 0.5, 0.75, 1.0):
        since = time.perf_counter()
        settings.alpha = alpha
        taken.append(time.perf_counter() - since)
        yield 0.1
        weights = np.stack(list(group_weights(body).values()))
        mixed.append(float((weights.max(0) < 0.95).mean()))
    assert mixed == sorted(mixed, reverse=True) and mixed[0] > 2 * mixed[-1], mixed
    window.picture("sharp")
    return {"seconds a step": max(taken)}
