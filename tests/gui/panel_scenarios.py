"""Every panel as a person sees it, on both of Blender's own themes: pictures for looking at."""

from __future__ import annotations

import os

import bpy

import geppetto
from geppetto.addon import joints, registration
from tests.gui import scenarios

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


def pictures_of_all_panels(window):
    """Before rigging, checked, with joints, cut open, rigged, with a control rig; on a dark and a light theme."""
    open_all_panels()
    for theme in THEMES:
        choose_theme(theme)
        yield from scenarios.one_person(window)
        window.picture(f"{theme} 1 before")
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
        window.picture(f"{theme} 2 checked, joints")
        bpy.context.scene.geppetto_joints.show_slice = True
        joints.redraw()
        yield 0.5
        window.picture(f"{theme} 2b cut open")
        bpy.context.scene.geppetto_joints.show_slice = False
        with window.inside():
            bpy.ops.geppetto.hide_joints()
            bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
        yield from scenarios.finish_job()
        yield 0.5
        window.picture(f"{theme} 3 rigged")
        yield from scroll_to_end(window)
        window.picture(f"{theme} 4 rigged, below")
        with window.inside():
            assert bpy.ops.geppetto.make_control_rig("INVOKE_DEFAULT") == {"FINISHED"}
        yield 1.0
        window.picture(f"{theme} 5 control rig")
