"""Every panel as a person sees it, on both of Blender's own themes: pictures for looking at."""

from __future__ import annotations

import os
import subprocess

import bpy
import numpy as np
from mathutils import Vector

import geppetto
from geppetto.addon import registration, session
from geppetto.addon.editing import joints
from geppetto.addon.words import translations
from tests.blender.scenes import deformed_points
from tests.blender.wording import texts
from tests.gui import scenarios

JOINTS, CHECK = 318, 378  # pixels below the sidebar's top: the panel of joints, and the check's button below it folded
THEMES = {"dark": "Blender_Dark", "light": "Blender_Light"}


def choose_theme(name: str) -> None:
    """One of the themes that come with Blender."""
    for folder in bpy.utils.preset_paths("interface_theme"):
        path = os.path.join(folder, f"{THEMES[name]}.xml")
        if os.path.exists(path):
            bpy.ops.script.execute_preset(filepath=path, menu_idname="USERPREF_MT_interface_theme_presets")


def open_all_panels() -> None:
    """Register again with every panel unfolded."""
    geppetto.unregister()
    for cls in [c for module in registration.MODULES for c in getattr(module, "CLASSES", ())]:
        if issubclass(cls, bpy.types.Panel) and hasattr(cls, "bl_options"):
            cls.bl_options = set(cls.bl_options) - {"DEFAULT_CLOSED"}
    geppetto.register()


def scroll_to_end(window):
    """The lower end of the sidebar."""
    with bpy.context.temp_override(window=window._window, area=window.area, region=window.region("UI")):
        for _ in range(60):
            bpy.ops.view2d.scroll_down()
    window.region("UI").tag_redraw()
    yield 0.5


def panels_on_a_dark_theme(window):
    """Pictures, see `_pictures`."""
    yield from _pictures(window, "dark")


def panels_on_a_light_theme(window):
    """Pictures, see `_pictures`."""
    yield from _pictures(window, "light")


def panels_in_german(window):
    """The interface speaks German, the check's findings too."""
    view = bpy.context.preferences.view
    view.language = "de_DE"
    shown, german = texts(), translations.german()
    wrong = {(text, got) for (context, text), meaning in german.items() if (context, text) in shown
             if (got := bpy.app.translations.pgettext(text, context)) != meaning}
    assert not wrong, f"Blender's own words for something else: {wrong}"
    yield from _pictures(window, "dark")


def _pictures(window, theme: str):
    """Before rigging, checked, with joints, cut open, rigged, with a control rig."""
    open_all_panels()
    choose_theme(theme)
    yield from scenarios.one_person(window)
    window.picture("1 before")
    with window.inside():
        bpy.ops.geppetto.check("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    yield from scenarios.show_the_joints(window)
    for name in ("forearm.L", "shin.R"):
        joints.shown().pin(bpy.context, name, scenarios.joint(name))
    joints.redraw()
    yield 0.5
    joints.redraw()
    yield 0.5
    window.picture("2 checked, joints")
    bpy.context.scene.geppetto_joints.show_slice = True
    joints.redraw()
    yield 0.5
    window.picture("2b cut open")
    bpy.context.scene.geppetto_joints.show_slice = False
    with window.inside():
        bpy.ops.geppetto.hide_joints()
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("3 rigged")
    yield from scroll_to_end(window)
    window.picture("4 rigged, below")
    with window.inside():
        assert bpy.ops.geppetto.make_control_rig(True) == {"FINISHED"}
    yield 1.0
    window.picture("5 control rig")


def change_a_finished_rig(window):
    """A dragged joint, then Update: the bone lies there, what the person added stays; undo takes back one at a time."""
    yield from scenarios.one_person(window)
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.finish_job()
    armature = bpy.context.object
    with window.inside():
        bpy.ops.object.mode_set(mode="EDIT")
        lantern = armature.data.edit_bones.new("lantern")
        lantern.parent, lantern.head = armature.data.edit_bones["hand.L"], armature.data.edit_bones["hand.L"].tail
        lantern.tail = lantern.head + Vector((0.0, 0.0, -0.1))
        bpy.ops.object.mode_set(mode="OBJECT")
        armature.pose.bones["head"].constraints.new("LIMIT_ROTATION").name = "stiff neck"
        bpy.ops.ed.undo_push(message="a lantern")
    yield from scenarios.show_the_joints(window)
    knee = np.array(armature.data.bones["shin.L"].head_local)
    start = scenarios.joint_on_screen(window, "shin.L")
    yield from window.drag(start, (start[0] + 6, start[1] - 34))
    wanted = scenarios.joint("shin.L").copy()
    assert np.linalg.norm(wanted - knee) > 0.03
    with window.inside():
        bpy.ops.geppetto.update_rig("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    yield 0.5
    window.picture("1 updated")
    armature = bpy.context.object
    np.testing.assert_allclose(armature.data.bones["shin.L"].head_local, wanted, atol=1e-4)
    assert "lantern" in armature.data.bones and "stiff neck" in armature.pose.bones["head"].constraints
    window.do("mousemove", 500, 400)
    yield from window.press("ctrl+z")
    yield 0.5
    armature, = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    np.testing.assert_allclose(armature.data.bones["shin.L"].head_local, knee, atol=1e-4)
    assert scenarios.pinned() == ["shin.L"] and "lantern" in armature.data.bones
    yield from window.press("ctrl+z")
    yield 0.5
    assert scenarios.pinned() == [], "the drag is a step of its own"


def make_a_control_rig(window):
    """Rigify is turned on only when asked; its controls move the character; Ctrl-Z gives the plain rig back."""
    yield from scenarios.one_person(window)
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.finish_job()
    with window.inside():
        bpy.ops.geppetto.make_control_rig("INVOKE_DEFAULT", True)
    yield 0.5
    assert "rigify" not in bpy.context.preferences.addons
    window.picture("0 the question")
    yield from window.press("Return")
    yield 1.0
    controls, body = bpy.context.object, bpy.data.objects["body"]
    before = deformed_points(body)
    controls.pose.bones["foot_ik.L"].location.y += 0.3
    yield 0.3
    window.picture("1 a foot lifted")
    moved = np.linalg.norm(deformed_points(body) - before, axis=1)
    assert moved[before[:, 2] < 0.1].max() > 0.25 and moved[before[:, 2] > 1.5].max() < 0.01
    window.do("mousemove", 500, 400)
    yield from window.press("ctrl+z")
    yield 0.8
    assert len(bpy.data.armatures) == 1 and "hand.L" in bpy.data.objects["body"].vertex_groups
    yield from window.press("ctrl+shift+z")
    yield 0.8
    assert "DEF-hand.L" in bpy.data.objects["body"].vertex_groups
    window.picture("2 redone")


def different_pixels(window, one: str, other: str) -> int:
    """In how many pixels of the viewport two pictures differ."""
    region = window.region()
    left, top = window.on_screen(region, 0, region.height - 1)
    crop = ["-crop", f"{region.width - 400}x{region.height}+{left}+{top}", "+repage"]  # without the sidebar
    found = subprocess.run(["compare", "-metric", "AE", "-fuzz", "3%", *(
        part for name in (one, other) for part in ("(", str(window.folder / f"{name}.png"), *crop, ")")), "null:"],
        capture_output=True, text=True, check=False)  # its status tells whether they differ
    return int(float(found.stderr.split()[0]))


def check_the_weights(window):
    """Pressed in its panel, the check draws the worst places over the character as it moves; the switch hides them."""
    yield from scenarios.one_person(window)
    with window.inside():
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    body, armature = bpy.data.objects["body"], bpy.context.object
    near = [v.index for v in body.data.vertices if v.co.x > 0.5]
    for group in body.vertex_groups:
        group.remove(near)
    body.vertex_groups["head"].add(near, 1.0, "REPLACE")
    armature.hide_set(True)
    body.select_set(True)
    bpy.context.view_layer.objects.active = body
    yield 0.5
    region = window.region("UI")
    yield from window.click(window.on_screen(region, 60, region.height - JOINTS))
    yield 0.7
    window.picture("1 before")
    yield from window.click(window.on_screen(region, 130, region.height - CHECK))
    yield from scenarios.wait_for(lambda: session.weights_of(armature.session_uid) is not None)
    yield 0.5
    window.picture("2 checked")
    assert session.weights_of(armature.session_uid).verdict == "poor"
    assert different_pixels(window, "1 before", "2 checked") > 300, "nothing is coloured"
    armature.pose.bones["upper_arm.L"].rotation_mode = "XYZ"
    armature.pose.bones["upper_arm.L"].rotation_euler.x = 0.9
    yield 0.5
    window.picture("3 posed")
    settings = bpy.context.scene.geppetto
    settings.show_weights = False
    yield 0.5
    window.picture("4 posed, without")
    assert different_pixels(window, "3 posed", "4 posed, without") > 300
