"""Doubt in the window: amber handles, a click on Other Reading; and bodies of no known kind."""

from __future__ import annotations

import bpy
import numpy as np
from bpy_extras.view3d_utils import location_3d_to_region_2d
from mathutils import Matrix, Vector

from geppetto.addon import job, names, session
from geppetto.addon.bridge.armature import read_reading
from geppetto.addon.editing import joints, pins
from geppetto.addon.editing.reading import reading_of
from geppetto.core.fitting import verdict
from geppetto.core.fitting.fit import Fitter
from geppetto.core.fitting.missing import Missing
from tests.blender.readings import SAYS, STEP, steps_with_readings
from tests.blender.scenes import add_character, add_mesh, deformed_points, fingerprint
from tests.characters import many_armed, many_legged, octopus
from tests.gui import scenarios

BUTTON = 190, 514  # pixels of Other Reading from the sidebar's top left corner, whatever there is to tell


def place(window) -> tuple[int, int]:
    """Where Other Reading is on the screen."""
    region = window.region("UI")
    return window.on_screen(region, BUTTON[0], region.height - BUTTON[1])


def hips() -> np.ndarray:
    """Where the rig's first bone begins."""
    armature, = (o for o in bpy.data.objects if o.type == "ARMATURE")
    return np.array(armature.data.bones["hips"].head_local)


def press_again(window):
    """Click the button once more, with no more than the tremble of a hand in between."""
    window.do("mousemove_relative", 1, 0)
    yield 0.3
    window.do("click", 1)
    yield 0.3
    yield from scenarios.finish_job()


def other_reading(window):
    """A click on the button shows the next reading and leaves the pins; Ctrl-Z takes it back, Esc changes nothing."""
    Fitter.steps = steps_with_readings  # this Blender is the scenario's alone
    yield from scenarios.one_person(window)
    yield from scenarios.show_the_joints(window)
    window.picture("1 amber joints")
    first = scenarios.joint("hips").copy()
    assert set(joints.shown().doubtful()) == {"head", "forearm.L", "forearm.R"}
    yield from window.click(place(window))
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("2 the next reading")
    assert reading_of(bpy.context) == (1, 3, SAYS[1]), "was the button hit?"
    np.testing.assert_allclose(scenarios.joint("hips"), first - [0, 0, STEP], atol=1e-6)
    for reading in (2, 0, 1):
        yield from press_again(window)
        yield 0.5
        assert reading_of(bpy.context)[0] == reading, "the button does not click again"
    for _ in range(3):
        window.do("mousemove", 500, 400)
        yield from window.press("ctrl+z")
        yield 0.8
    yield from window.press("ctrl+z")
    yield 0.8
    np.testing.assert_allclose(scenarios.joint("hips"), first, atol=1e-6)
    yield from window.press("ctrl+shift+z")
    yield 0.8
    assert reading_of(bpy.context)[0] == 1 and pins.readings_of(bpy.data.objects["body"]) == {"biped": 1}
    with window.inside():
        bpy.ops.geppetto.hide_joints()
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("3 rigged")
    armature, before = bpy.context.object, fingerprint(bpy.data.objects["body"])
    assert read_reading(armature) == (1, 3, SAYS[1]), "Auto Rig forgot the reading"
    np.testing.assert_allclose(hips(), first - [0, 0, STEP], atol=1e-4)
    turn, drawing = job.TURN, job.DRAWING
    job.TURN = job.DRAWING = 0.0  # a turn is one stage, so that there is time to cancel
    window.do("mousemove", *place(window))
    yield 0.3
    window.do("click", 1)
    yield from scenarios.wait_for(lambda: job.running() is not None)
    window.do("key", "Escape")
    yield from scenarios.finish_job()
    yield 0.5
    assert read_reading(armature) == (1, 3, SAYS[1]) and fingerprint(bpy.data.objects["body"]) == before
    np.testing.assert_allclose(hips(), first - [0, 0, STEP], atol=1e-4)
    job.TURN, job.DRAWING = turn, drawing
    yield from press_again(window)
    yield 0.5
    window.picture("4 rigged as the last reading")
    assert read_reading(bpy.context.object) == (2, 3, SAYS[2])
    np.testing.assert_allclose(hips(), first - [0, 0, 2 * STEP], atol=1e-4)
    assert fingerprint(bpy.data.objects["body"]) == before
    window.do("mousemove", 500, 400)
    yield from window.press("ctrl+z")
    yield 0.8
    assert read_reading(bpy.context.object)[0] == 1 and len(bpy.data.armatures) == 1
    np.testing.assert_allclose(hips(), first - [0, 0, STEP], atol=1e-4)
    assert getattr(bpy.data.objects["body"], names.READING) == 1


def _a_spider(window):
    """A spider, rigged by the button."""
    yield from scenarios.one_person(window)
    bpy.data.objects.remove(bpy.data.objects["body"])
    mesh = many_legged(vertices=2500).mesh
    spider = add_mesh("spider", mesh.vertices, mesh.faces)
    spider.select_set(True)
    bpy.context.view_layer.objects.active = spider
    bpy.ops.ed.undo_push(message="spider")
    with window.inside():
        bpy.ops.view3d.view_axis(type="TOP")
        bpy.ops.view3d.view_selected()
    yield 0.5
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.finish_job()
    yield 0.3
    window.picture("1 a spider")
    armature, = bpy.data.armatures
    assert sum("leg" not in b.parent.name for b in armature.bones if "leg" in b.name) == 8


def rig_as_the_other(window):
    """Where the kind is in doubt, the other one stands beside it, and one click rigs the body as that."""
    verdict.unseen = lambda mesh, kind="": verdict.EVEN[False] + 0.02  # this Blender is the scenario's alone
    verdict.find_missing = lambda mesh, template: Missing()
    verdict.SHOWN, verdict.LEG_PAIRS["centaur"] = 1.0, 4
    yield from _a_spider(window)
    found = session.check_of(bpy.data.objects["spider"].session_uid)
    assert found.preset == "spider" and found.other_preset
    region = window.region("UI")
    yield from window.click(window.on_screen(region, 190, region.height - 168))
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("2 as the other")
    assert bpy.context.scene.geppetto.preset == found.other_preset, "was the button hit?"
    assert bpy.data.objects["spider"].find_armature().data[names.MADE_BY] == found.other_preset


def stand_up_at_a_click(window):
    """A body that lies because Up and Front were set wrongly is told, and stands after one click."""
    _, body = yield from scenarios.one_person(window)
    bpy.context.scene.geppetto.up, bpy.context.scene.geppetto.front = "Y", "Z"
    yield 0.3
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("1 laid down")
    assert session.check_of(body.session_uid).other_stance == ("Z", "-Y")
    yield from _stand_up(window)
    assert (bpy.context.scene.geppetto.up, bpy.context.scene.geppetto.front) == ("Z", "-Y"), "was the button hit?"
    assert body.find_armature().data[names.MADE_BY] == "biped"


def _stand_up(window, line: int = 168):
    """Open the warnings, or what is told in another line, and take the other way to stand."""
    region = window.region("UI")
    yield from window.click(window.on_screen(region, 120, region.height - line))
    yield 0.5
    window.picture("2 what there is to tell")
    window.do("mousemove_relative", 0, 65)
    yield 0.5
    window.do("click", 1)
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("3 stood up")


def stand_up_a_creature(window):
    """An octopus that lies on its side, as its file has another axis up, stands up, and lies again after one click."""
    yield from scenarios.one_person(window)
    bpy.data.objects.remove(bpy.data.objects["body"])
    mesh = octopus(np.random.default_rng(1400001)).mesh
    lying = add_mesh("octopus", mesh.vertices @ [[1.0, 0, 0], [0, 0, 1], [0, -1, 0]], mesh.faces)
    lying.select_set(True)
    bpy.context.view_layer.objects.active = lying
    yield 0.5
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("1 it stands")
    assert lying.find_armature().data[names.MADE_BY] == "octopus"
    assert session.check_of(lying.session_uid).other_stance == ("Z", "-Y")
    yield from _stand_up(window, 143)
    assert bpy.context.scene.geppetto.up == "Z", "was the button hit?"
    assert lying.find_armature().data[names.MADE_BY] == "shape"


def drag_a_third_arm(window):
    """Its joint goes where the mouse takes it, its end stays where it is, its partner mirrors it; the test pose bends
    it."""
    yield from scenarios.one_person(window)
    bpy.data.objects.remove(bpy.data.objects["body"])
    body, = add_character(many_armed(pairs=1))
    body.select_set(True)
    bpy.context.view_layer.objects.active = body
    with window.inside():
        bpy.ops.view3d.view_selected()
        bpy.ops.object.geppetto_auto_rig()
    yield from scenarios.show_the_joints(window)
    tip, elbow = scenarios.joint("limb_1_tip.L").copy(), scenarios.joint("limb_1_2.L").copy()
    at = scenarios.joint_on_screen(window, "limb_1_2.L")
    yield from window.drag(at, (at[0] + 4, at[1] + 12))
    window.picture("1 dragged")
    moved = scenarios.joint("limb_1_2.L").copy()
    assert scenarios.pinned() == ["limb_1_2.L"] and moved[2] < elbow[2] - 0.01
    np.testing.assert_allclose(scenarios.joint("limb_1_tip.L"), tip, atol=1e-5)
    np.testing.assert_allclose(scenarios.joint("limb_1_2.R"), moved * [-1, 1, 1], atol=1e-3)
    with window.inside():
        bpy.ops.geppetto.hide_joints("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    armature = body.find_armature()
    np.testing.assert_allclose(armature.data.bones["limb_1_2.L"].head_local, moved, atol=1e-4)
    setattr(armature, names.TEST_POSE, 0.99)
    yield 0.5
    window.picture("2 bent")
    bent = {b.name for b in armature.pose.bones if not np.allclose(b.matrix_basis, np.eye(4), atol=1e-3)}
    assert bent and all(name.startswith("limb_1") for name in bent), bent


def limb_by_click(window):
    """A leg goes by a click on its tip and its partner with it, Ctrl-Z brings both back, another click adds one."""
    yield from _a_spider(window)
    armature, = bpy.data.armatures
    before = {b.name for b in armature.bones}
    with window.inside():
        bpy.ops.geppetto.show_joints("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    yield 0.5
    tip = scenarios.joint_on_screen(window, "leg_2_tip.L")
    with window.inside():
        bpy.ops.geppetto.remove_limb("INVOKE_DEFAULT")
    yield from window.click(tip)
    yield 0.5
    window.picture("2 two legs less")
    lost = {f"leg_2_{k}.{s}" for k in (1, 2, 3, 4, "tip") for s in "LR"}
    assert not lost & set(joints.shown().template.names)
    yield from window.press("ctrl+z")
    yield 0.8
    assert lost <= set(joints.shown().template.names)
    for operator in (bpy.ops.geppetto.remove_limb, bpy.ops.geppetto.add_limb):
        with window.inside():
            operator("INVOKE_DEFAULT")
        yield from window.click(tip)
        yield 0.5
    window.picture("3 new legs")
    assert {"limb_1_1.L", "limb_1_1.R"} <= set(joints.shown().template.names)
    with window.inside():
        bpy.ops.geppetto.hide_joints("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("4 rigged")
    now = {b.name for b in bpy.data.armatures[0].bones}
    assert before - now == {n for n in lost if "tip" not in n} and {n.split("_")[0] for n in now - before} == {"limb"}


def limbs_in_a_quad_view(window):
    """A leg goes by a click in each of the four views, and headers answer while a click is waited for."""
    yield from _a_spider(window)
    yield from scenarios.show_the_joints(window)
    window.area.spaces[0].show_region_ui = window.area.spaces[0].show_region_toolbar = False
    with window.inside():
        bpy.ops.screen.region_quadview()
    yield 1.0
    for number, region in enumerate([r for r in window.area.regions if r.type == "WINDOW"]):
        with window.inside():
            bpy.ops.geppetto.remove_limb("INVOKE_DEFAULT")
        shin = (scenarios.joint("leg_2_4.L") + scenarios.joint("leg_2_tip.L")) / 2
        at = location_3d_to_region_2d(region, region.data, Vector(shin))
        yield from window.click(window.on_screen(region, *at))
        yield 0.5
        window.picture(f"2 clicked in view {number}")
        assert "leg_2_tip.L" not in joints.shown().template.names, f"view {number}"
        bpy.ops.geppetto.clear_limbs()
        yield 0.5
    with window.inside():
        bpy.ops.geppetto.remove_limb("INVOKE_DEFAULT")
    header = window.region("HEADER")
    yield from window.click(window.on_screen(header, 340, header.height / 2))
    yield 0.5
    window.picture("3 the menu Object")
    yield from window.press("Escape")
    yield from window.press("Escape")
    assert joints.shown() is not None, "the first Esc closes the menu, the second ends the waiting"


def skeleton_from_shape(window):
    """A spider gets legs from its shape by the button; with the slider at its end, more bones in the same place."""
    yield from _a_spider(window)
    armature, = bpy.data.armatures
    few = len(armature.bones)
    settings = bpy.context.scene.geppetto
    settings.preset = "shape"
    yield 0.3
    region = window.region("UI")
    x, y = window.on_screen(region, region.width // 2 + 40, region.height - 66)
    window.do("mousemove", x, y)
    yield 0.3
    window.do("mousedown", 1)
    for step in range(6):
        window.do("mousemove", x + 25 * (step + 1), y)
        yield 0.1
    window.do("mouseup", 1)
    yield 0.3
    window.picture("2 the slider")
    assert settings.shape_detail > 0.8
    place = scenarios.button_place(window)
    yield from window.click((place[0], place[1] + 47))  # below the slider and what is told of it
    yield from scenarios.finish_job()
    yield 0.3
    window.picture("3 more bones")
    armature, = bpy.data.armatures
    assert len(armature.bones) > few and "limb_1_1.L" in bpy.data.objects["spider"].vertex_groups


def control_a_spider(window):
    """Each of a spider's eight legs follows a control at its tip, which stands where the foot stood."""
    yield from _a_spider(window)
    with window.inside():
        bpy.ops.geppetto.make_control_rig("INVOKE_DEFAULT", True)
    yield 0.5
    yield from window.press("Return")
    yield 2.0
    controls, body = bpy.context.object, bpy.data.objects["spider"]
    with window.inside():
        bpy.ops.view3d.view_axis(type="FRONT")
    yield 0.5
    window.picture("0 controls")
    before = deformed_points(body)
    for leg in range(1, 5):
        control = controls.pose.bones[f"leg_{leg}_3_ik.L"]
        control.matrix = Matrix.Translation((0.0, 0.0, 0.2)) @ control.matrix
    yield 0.5
    window.picture("1 left feet lifted")
    moved = np.linalg.norm(deformed_points(body) - before, axis=1)
    low = before[:, 2] < before[:, 2].min() + 0.02
    assert moved[low & (before[:, 0] > 0)].min() > 0.1 and moved[before[:, 0] < 0].max() < 0.01
