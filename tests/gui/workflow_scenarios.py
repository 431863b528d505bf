"""An artist's way through the steps, by mouse and keyboard: two characters, joints applied and discarded, Pose mode."""

from __future__ import annotations

import itertools

import bpy
import numpy as np

from geppetto.addon import job, names
from geppetto.addon.characters.rigged import armature_of
from geppetto.addon.editing import joints, pins
from geppetto.addon.overlay import draw
from geppetto.core.fitting.fit import Fitter
from tests.blender.readings import steps_with_readings
from tests.blender.scenes import add_character, array_of, deformed_points
from tests.gui import scenarios

# Pixels from the sidebar's top left corner, whatever there is to tell.
EDIT, UPDATE, DOUBT, POSE, REST = (130, 353), (190, 540), (80, 514), (130, 285), (215, 380)


def press_in_sidebar(window, at: tuple[int, int]):
    """Click a button of the sidebar and wait for its work to end."""
    region = window.region("UI")
    yield from window.click(window.on_screen(region, at[0], region.height - at[1]))
    yield from scenarios.finish_job()
    yield 0.4


def select_alone(o) -> None:
    """Select an object alone, and make it active."""
    for other in bpy.context.view_layer.objects:
        other.select_set(other == o)
    bpy.context.view_layer.objects.active = o


def bone(name: str, of: str) -> np.ndarray:
    """Where a bone of a character's rig begins, in the world."""
    armature = armature_of(bpy.data.objects[name])
    return np.array(armature.matrix_world @ armature.data.bones[of].head_local)


def rig_and_walk_asks(window):
    """Rig and Walk asks what becomes of two characters too; its first answer gives both a rig, and both walk."""
    character, _ = yield from scenarios.one_person(window)
    other, = add_character(character)
    other.name, other.location.x = "other", 2.2
    other.select_set(True)
    bpy.ops.ed.undo_push(message="two")
    window.do("mousemove", 500, 400)
    yield 0.3
    with window.inside():
        bpy.ops.object.geppetto_rig_and_move("INVOKE_DEFAULT")
    yield 0.7
    window.picture("1 asked")
    assert not bpy.data.armatures and job.running() is None, "it did not ask"
    yield from window.press("Return")
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("2 both walk")
    assert len(bpy.data.armatures) == 2 and len(bpy.data.actions) == 2


def two_characters(window):
    """Auto Rig asks what becomes of two characters, and gives each its own rig; Update Rig is about the one whose
    joints are shown though the other is active; one Ctrl-Z takes both rigs away."""
    character, _ = yield from scenarios.one_person(window)
    other, = add_character(character)
    other.name, other.location.x = "other", 2.2
    other.select_set(True)
    bpy.ops.ed.undo_push(message="two")
    with window.inside():
        bpy.ops.view3d.view_selected()
    yield 0.5
    yield from window.click(scenarios.button_place(window))
    yield 0.7
    window.picture("1 asked")
    assert not bpy.data.armatures and job.running() is None, "it did not ask"
    yield from window.press("Return")
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("2 two rigs")
    assert len(bpy.data.armatures) == 2
    assert armature_of(bpy.data.objects["body"]) != armature_of(bpy.data.objects["other"])
    window.do("mousemove", 500, 400)
    yield from window.press("ctrl+z")
    yield 0.6
    assert not bpy.data.armatures, "one step takes both back"
    yield from window.press("ctrl+shift+z")
    yield 0.6
    assert len(bpy.data.armatures) == 2
    select_alone(armature_of(bpy.data.objects["body"]))
    yield from press_in_sidebar(window, EDIT)
    assert joints.shown() is not None and joints.shown().owner == "body"
    select_alone(armature_of(bpy.data.objects["other"]))
    untouched = bone("other", "forearm.L")
    start = scenarios.joint_on_screen(window, "forearm.L")
    yield from window.drag(start, np.add(start, (-22, -18)))
    window.picture("3 dragged")
    wanted = scenarios.joint("forearm.L").copy()
    yield from press_in_sidebar(window, UPDATE)
    window.picture("4 updated")
    np.testing.assert_allclose(bone("body", "forearm.L"), wanted, atol=1e-4)
    np.testing.assert_array_equal(bone("other", "forearm.L"), untouched)
    assert bpy.context.object == armature_of(bpy.data.objects["other"])


def joints_of_a_walker(window):
    """A walk is stopped, the panel shows Pose and Rest; at rest a joint is dragged, and the walk follows it."""
    yield from scenarios.one_person(window)
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.finish_job()
    with window.inside():
        bpy.ops.object.geppetto_move(motion="walk")
        bpy.context.scene.frame_set(8)
        bpy.ops.ed.undo_push(message="a walk")
    yield 0.5
    action = bpy.data.objects["body"].find_armature().animation_data.action
    name, before = action.name, action["geppetto_written"]["keys"]
    yield from press_in_sidebar(window, EDIT)
    window.picture("0 while it plays")
    window.do("mousemove", 400, 600)
    yield from window.press("Escape")
    yield 0.5
    assert not bpy.context.screen.is_animation_playing and joints.shown() is not None
    window.picture("1 handles at rest")
    yield from press_in_sidebar(window, REST)
    window.picture("2 shown at rest")
    assert bpy.data.objects["body"].find_armature().data.pose_position == "REST"
    start = scenarios.joint_on_screen(window, "shin.L")
    yield from window.drag(start, np.add(start, (4, -34)))
    yield from press_in_sidebar(window, EDIT)
    armature = bpy.data.objects["body"].find_armature()
    armature.data.pose_position = "POSE"
    yield 0.5
    window.picture("3 the walk has followed")
    assert armature.animation_data.action.name == name
    assert armature.animation_data.action["geppetto_written"]["keys"] != before


def apply_and_discard(window):
    """Done brings the rig after the joints in one step of undo; Esc goes back to what was pinned before."""
    yield from scenarios.one_person(window)
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.finish_job()
    yield 0.5
    knee = bone("body", "shin.L")
    yield from press_in_sidebar(window, EDIT)
    start = scenarios.joint_on_screen(window, "shin.L")
    yield from window.drag(start, np.add(start, (4, -34)))
    wanted = scenarios.joint("shin.L").copy()
    window.picture("1 dragged")
    yield from press_in_sidebar(window, EDIT)
    window.picture("2 done")
    assert joints.shown() is None
    np.testing.assert_allclose(bone("body", "shin.L"), wanted, atol=1e-4)
    window.do("mousemove", 500, 400)
    yield from window.press("ctrl+z")
    yield 0.6
    np.testing.assert_allclose(bone("body", "shin.L"), knee, atol=1e-5)
    assert scenarios.pinned() == ["shin.L"], "the drag is a step of its own"
    yield from window.press("ctrl+shift+z")
    yield 0.6
    np.testing.assert_allclose(bone("body", "shin.L"), wanted, atol=1e-4)
    yield from press_in_sidebar(window, EDIT)
    start = scenarios.joint_on_screen(window, "forearm.L")
    yield from window.drag(start, np.add(start, (-10, -10)))
    assert scenarios.pinned() == ["forearm.L", "shin.L"]
    window.do("mousemove", 400, 600)
    yield 0.3
    yield from window.press("space")
    yield 0.5
    assert bpy.context.screen.is_animation_playing
    yield from window.press("Escape")
    yield 0.5
    assert not bpy.context.screen.is_animation_playing and scenarios.pinned() == ["forearm.L", "shin.L"]
    yield from window.press("Escape")
    yield 0.4
    window.picture("3 discarded")
    assert joints.shown() is None and scenarios.pinned() == ["shin.L"]
    yield from window.press("ctrl+z")
    yield 0.6
    assert scenarios.pinned() == ["forearm.L", "shin.L"], "what was discarded comes back"


def buttons_in_pose_mode(window):
    """In Pose mode the handles step back, Update Rig and Auto Rig work and the mode stays; the slider bends the rig
    and gives the pose back; undo takes back one at a time."""
    yield from scenarios.one_person(window)
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.finish_job()
    yield 0.5
    armature = bpy.context.object
    with window.inside():
        bpy.ops.object.mode_set(mode="POSE")
        bpy.ops.ed.undo_push(message="Pose mode")
    yield from press_in_sidebar(window, EDIT)
    body = bpy.data.objects["body"]
    pins.set_pin(body, "shin.L", bone("body", "shin.L") + [0.0, 0.0, 0.05])
    bpy.ops.ed.undo_push(message="Pin")
    joints.redraw()
    yield 0.5
    window.picture("1 handles step back")
    start = scenarios.joint_on_screen(window, "forearm.L")
    yield from window.drag(start, np.add(start, (-10, -10)))
    assert scenarios.pinned() == ["shin.L"], "in Pose mode the mouse is for bones"
    with window.inside():
        bpy.ops.pose.select_all(action="DESELECT")
    knee = bone("body", "shin.L")
    yield from press_in_sidebar(window, UPDATE)
    assert bpy.context.mode == "POSE" and bone("body", "shin.L")[2] - knee[2] > 0.04
    window.do("mousemove", 500, 600)
    yield from window.press("ctrl+z")
    yield 0.6
    np.testing.assert_allclose(bone("body", "shin.L"), knee, atol=1e-5)
    yield from window.press("ctrl+shift+z")
    yield 0.6
    assert bone("body", "shin.L")[2] - knee[2] > 0.04
    yield from press_in_sidebar(window, scenarios.BUTTON)
    assert bpy.context.mode == "POSE" and len(bpy.data.armatures) == 1
    rest = deformed_points(bpy.data.objects["body"])
    region = window.region("UI")
    window.do("keydown", "ctrl")  # a drag would take the mouse away from xdotool
    yield from window.click(window.on_screen(region, POSE[0], region.height - POSE[1]))
    window.do("keyup", "ctrl")
    yield from window.press("ctrl+a")
    window.do("type", "0.04")
    yield from window.press("Return")
    yield 0.4
    window.picture("2 test pose")
    armature = bpy.context.object
    assert abs(getattr(armature, names.TEST_POSE) - 0.04) < 1e-6
    assert np.abs(deformed_points(bpy.data.objects["body"]) - rest).max() > 0.05
    setattr(armature, names.TEST_POSE, 0.0)
    yield 0.3
    np.testing.assert_allclose(deformed_points(bpy.data.objects["body"]), rest, atol=1e-5)


def handles_from_the_side(window):
    """From the side the nearer of two handles on one spot is taken, and a near miss takes the handle too."""
    yield from scenarios.one_person(window)
    yield from scenarios.show_the_joints(window)
    settings = getattr(bpy.context.scene, names.JOINTS)
    settings.mirror = False
    settings.show_names = True
    for side, near in (("LEFT", ".R"), ("RIGHT", ".L")):  # Blender's views are named by where one stands
        with window.inside():
            bpy.ops.view3d.view_axis(type=side)
        yield 1.0
        window.picture(f"from the {side.lower()}")
        start = scenarios.joint_on_screen(window, f"shin{near}")
        yield from window.drag(np.add(start, (13, 0)), np.add(start, (13, -25)))
        assert scenarios.pinned() == [f"shin{near}"], (side, scenarios.pinned())
        bpy.ops.geppetto.unpin_all()


def fly_to_doubts(window):
    """Next Doubt has the view at one doubtful joint after another, the worst first, and names it."""
    Fitter.steps = steps_with_readings  # this Blender is the scenario's alone
    yield from scenarios.one_person(window)
    yield from scenarios.show_the_joints(window)
    doubts = joints.shown().doubtful()
    assert len(doubts) > 1
    for k in range(len(doubts) + 1):
        yield from press_in_sidebar(window, DOUBT)
        yield 0.5
        name = doubts[k % len(doubts)]
        window.picture(f"{k + 1} {name}")
        view = window.area.spaces[0].region_3d
        np.testing.assert_allclose(view.view_location, scenarios.joint(name), atol=1e-4)
        assert draw.asked == name


def undo_strokes_after_the_rig(window):
    """After Auto Rig in Sculpt mode each Ctrl-Z takes one thing back: the rig, the mode, a stroke, the other one."""
    yield from scenarios.one_person(window)
    points = lambda: array_of(bpy.data.objects["body"].data.vertices, "co", 3)  # noqa: E731 - asked for five times
    with window.inside():
        bpy.ops.object.mode_set(mode="SCULPT")
        bpy.ops.ed.undo_push(message="Sculpt Mode")
    yield 0.5
    if bpy.context.tool_settings.sculpt.brush is None:  # a Blender installed without its brushes
        return {"strokes": "no brush"}
    shapes = [points()]
    for height in (300, 420):
        yield from window.drag((620, height), (680, height + 20))
        yield 0.5
        shapes.append(points())
    assert all((a != b).any() for a, b in itertools.pairwise(shapes)), "no strokes"
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.finish_job()
    yield 0.5
    assert len(bpy.data.armatures) == 1
    window.do("mousemove", 500, 400)
    for mode, shape in (("OBJECT", shapes[2]), ("SCULPT", shapes[2]), ("SCULPT", shapes[1]), ("SCULPT", shapes[0])):
        yield from window.press("ctrl+z")
        yield 0.6
        assert not bpy.data.armatures and bpy.context.mode == mode
        np.testing.assert_array_equal(points(), shape)
    return {}
