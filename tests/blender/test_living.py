"""What shown joints, a drag and a job leave behind when something else ends them, and what they notice meanwhile."""

from __future__ import annotations

from types import SimpleNamespace
from unittest.mock import MagicMock

import bpy
import numpy as np
import pytest

import geppetto
from geppetto.addon import job
from geppetto.addon.editing import grasp, joints
from geppetto.addon.gizmos.joints import JointHandleGroup
from geppetto.addon.panels.joints import JointsPanel

from .scenes import add_character, add_cube
from .test_extension import traces


class Screen:
    """A window manager and workspace that keep count."""

    def __init__(self):
        self.timers, self.text = [], None

    def event_timer_add(self, step, window):
        self.timers.append(step)
        return step

    def event_timer_remove(self, timer):
        self.timers.remove(timer)

    def status_text_set(self, text):
        self.text = text

    def context(self):
        """What an operator is given."""
        return SimpleNamespace(window_manager=self, workspace=self, window=None, scene=bpy.context.scene,
                               view_layer=bpy.context.view_layer)


@pytest.fixture
def shown(context, person):
    """A person, selected, its joints shown."""
    geppetto.register()
    body, = add_character(person)
    body.select_set(True)
    context.view_layer.objects.active = body
    assert bpy.ops.geppetto.show_joints() == {"FINISHED"}
    yield body
    if hasattr(bpy.types, "GEPPETTO_PT_character"):
        geppetto.unregister()


def new_file():
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)


@pytest.mark.parametrize("ending", [geppetto.unregister, new_file], ids=["switched off", "another file"])
def test_a_drag_and_its_handles_end_with_the_extension_and_the_file(shown, ending):
    screen = Screen()
    grasp.take_hold(screen.context(), joints.shown(), "drag")
    assert screen.timers and screen.text == "drag" and grasp.held().what.dragging
    ending()
    assert screen.timers == [] and screen.text is None and grasp.held() is None and joints.shown() is None
    assert hasattr(bpy.types, "GEPPETTO_PT_character") or traces() == set()


def test_a_job_ends_with_the_extension(shown):
    screen = Screen()
    job._running = job.Job(screen.context(), (step for step in [("first", 0.0), ("second", 0.5)]))
    assert screen.timers and screen.text is not None
    geppetto.unregister()
    assert screen.timers == [] and screen.text is None and job.running() is None


def test_a_job_is_at_home_in_its_scene_and_view_layer_alone(shown):
    screen = Screen()
    work = job.Job(screen.context(), (step for step in [("first", 0.0)]))
    assert work.is_at_home(bpy.context)
    other = bpy.data.scenes.new("other")
    assert not work.is_at_home(SimpleNamespace(scene=other, view_layer=other.view_layers[0]))
    layer = bpy.context.scene.view_layers.new("other layer")
    assert not work.is_at_home(SimpleNamespace(scene=bpy.context.scene, view_layer=layer))
    work.close()


def test_handles_belong_to_the_scene_that_holds_the_character(shown):
    other = bpy.data.scenes.new("other")
    assert joints.shown_in(bpy.context) is joints.seen_in(bpy.context) is joints.shown()
    with bpy.context.temp_override(scene=other, view_layer=other.view_layers[0]):
        assert joints.shown_in(bpy.context) is None
        assert not bpy.ops.geppetto.pin_joint.poll() and not bpy.ops.geppetto.hide_joints.poll()


def test_hidden_characters_show_no_handles(shown):
    shown.hide_set(True)
    assert joints.seen_in(bpy.context) is None and joints.shown_in(bpy.context) is not None
    shown.hide_set(False)
    assert joints.seen_in(bpy.context) is not None


def test_handles_stay_on_a_character_that_is_renamed(shown):
    other = bpy.data.objects.new("other", bpy.data.meshes.new("other"))
    before = joints.shown().places(bpy.context)[1]
    name, shown.name = shown.name, "renamed"
    other.name = name  # which says nothing of the character any more
    np.testing.assert_array_equal(joints.shown().places(bpy.context)[1], before)
    assert joints.shown().owner_object() == shown and joints.seen_in(bpy.context) is joints.shown()
    assert not joints.shown().is_stale()
    bpy.data.objects.remove(shown)
    assert joints.shown() is None


def move_a_point(body):
    body.data.vertices[5].co.z += 0.01


def subdivide(body):
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.subdivide()
    bpy.ops.object.mode_set(mode="OBJECT")


def transform_all(body):
    body.location.x, body.rotation_euler.z = 4.0, 1.0
    bpy.context.view_layer.update()


@pytest.mark.parametrize(("change", "tells"), [(move_a_point, True), (subdivide, True), (transform_all, False),
                                               (lambda body: None, False)])
def test_a_mesh_edited_since_is_noticed_and_one_that_was_only_moved_is_not(shown, change, tells):
    assert not joints.shown().is_stale()
    change(shown)
    joints.shown()._looked = (-np.inf, 0.0, False)
    assert joints.shown().is_stale() is tells


@pytest.mark.long
def test_a_part_moved_beside_the_others_is_noticed(context, dressed):
    geppetto.register()
    parts = add_character(dressed)
    for o in parts:
        o.select_set(True)
    context.view_layer.objects.active = parts[0]
    bpy.ops.geppetto.show_joints()
    add_cube()
    assert not joints.shown().is_stale()
    parts[1].location.x += 0.5
    context.view_layer.update()
    joints.shown()._looked = (-np.inf, 0.0, False)
    assert joints.shown().is_stale()
    geppetto.unregister()


def test_while_a_joint_is_dragged_the_skeleton_follows_in_turns_and_ends_where_it_would(shown):
    what, context = joints.shown(), bpy.context
    start = np.array(what.rig(context).joints["shin.L"])
    what.dragging = True
    what.pin(context, "shin.L", start + [0.0, 0.0, 0.05])
    was = what.rig(context)
    assert what.lags(context) and was.joints["shin.L"][2] == pytest.approx(start[2])
    np.testing.assert_allclose(what.places(context)[1][what.template.index("shin.L")], start + [0, 0, 0.05], atol=1e-5)
    turns = 1
    while not what.advance(context, 0.0):
        turns += 1
    assert turns > 2 and not what.lags(context)
    followed = what.rig(context)
    what.dragging = False
    what._rigs = {}
    np.testing.assert_array_equal(what.rig(context).heads, followed.heads)


@pytest.mark.parametrize("mode", ["EDIT", "SCULPT", "WEIGHT_PAINT"])
def test_joints_are_grasped_in_object_mode_alone(shown, mode):
    assert JointHandleGroup.poll(bpy.context)
    bpy.ops.object.mode_set(mode=mode)
    assert not JointHandleGroup.poll(bpy.context), "the mouse is for vertices or the brush"
    bpy.ops.object.mode_set(mode="OBJECT")
    assert JointHandleGroup.poll(bpy.context)


def test_the_panel_says_why_no_joint_is_seen_or_caught(shown):
    def line():
        panel = MagicMock()
        JointsPanel.draw_state(panel, bpy.context, joints.shown())
        call, = panel.layout.mock_calls
        return call.kwargs["text"]

    area = next(a for a in bpy.data.screens["Layout"].areas if a.type == "VIEW_3D")
    space = area.spaces[0]
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area):
        assert line() == "Drag a joint to pin it. Esc discards"
        space.show_gizmo = False
        assert line() == "Switch Gizmos On to Drag Joints"
        shown.hide_set(True)
        assert line() == "The character is hidden here"
        space.overlay.show_overlays = False
        assert line() == "Switch Overlays On to See Joints"
        space.show_gizmo = space.overlay.show_overlays = True


def test_no_handle_is_grasped_where_overlays_are_switched_off(shown):
    area = next(a for a in bpy.data.screens["Layout"].areas if a.type == "VIEW_3D")
    with bpy.context.temp_override(window=bpy.context.window_manager.windows[0], area=area):
        assert JointHandleGroup.poll(bpy.context)
        area.spaces[0].overlay.show_overlays = False
        assert not JointHandleGroup.poll(bpy.context) and joints.seen_in(bpy.context) is None
        area.spaces[0].overlay.show_overlays = True
