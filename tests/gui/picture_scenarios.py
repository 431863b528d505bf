"""Pictures of the window for people who have not installed it yet: the one of the README, and those of a listing."""

from __future__ import annotations

import math
import subprocess

import bpy
from mathutils import Euler, Vector

from geppetto.addon import session
from tests.blender.scenes import add_character, add_mesh
from tests.characters import many_legged, sample
from tests.gui import scenarios
from tests.gui.panel_scenarios import choose_theme

SIDE = 0.22  # of the height: how far from the middle a character stands, as the sidebar covers one side


def picture_for_the_readme(window):
    """The sample character after one press of the button, the sidebar beside it: FOLDER/panel.png, small."""
    yield from _sample(window)
    yield from _wave(window)
    path = window.folder / "panel.png"
    _take(window, "-dither", "None", "-colors", "224", f"PNG8:{path}")
    assert 20_000 < path.stat().st_size < 250_000, path.stat().st_size


def pictures_for_the_listing(window):
    """FOLDER/1.png to 4.png: rigged, joints to be dragged, weights checked in a pose, a creature that walks."""
    yield from _sample(window)
    yield from scenarios.show_the_joints(window)
    yield from _shown(window, "2")
    with window.inside():
        bpy.ops.geppetto.hide_joints()
    yield from _wave(window)
    yield from _shown(window, "1")
    with window.inside():
        bpy.ops.geppetto.check_weights("INVOKE_DEFAULT")
    yield from scenarios.wait_for(lambda: session.weights_of(bpy.context.object.session_uid) is not None)
    yield from _shown(window, "3")
    yield from _spider(window)
    yield from _shown(window, "4")


def _sample(window):
    """The sample character checked and rigged, seen as on a photograph."""
    yield from scenarios.one_person(window)
    bpy.data.objects.remove(bpy.data.objects["body"])
    choose_theme("dark")
    objects = add_character(sample())
    for o in objects:
        o.select_set(True)
        for material in o.data.materials:
            material.diffuse_color = material.node_tree.nodes["Principled BSDF"].inputs["Base Color"].default_value
    yield from _rigged(window, objects[0], (82, 14), SIDE * objects[0].dimensions.z)


def _spider(window):
    """A spider that walks."""
    for o in list(bpy.data.objects):
        bpy.data.objects.remove(o)
    mesh = many_legged(vertices=6000).mesh
    spider = add_mesh("spider", mesh.vertices, mesh.faces)
    spider.select_set(True)
    yield from _rigged(window, spider, (60, 25), SIDE * max(spider.dimensions))
    assert bpy.ops.object.geppetto_move(motion="walk", travel="none") == {"FINISHED"}
    bpy.context.scene.frame_set(8)


def _rigged(window, first, turned: tuple[float, float], beside: float):
    """Check and rig what is selected.  turned : the view's, in degrees;  beside : how far from the view's middle"""
    bpy.context.view_layer.objects.active = first
    with window.inside():
        bpy.ops.geppetto.check("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    with window.inside():
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    view = window.area.spaces[0]
    view.shading.type, view.shading.color_type = "SOLID", "MATERIAL"
    view.overlay.show_cursor = view.overlay.show_outline_selected = view.overlay.show_relationship_lines = False
    view.overlay.show_text = view.show_gizmo_navigate = view.show_region_toolbar = False
    view.lens = 80
    turn = Euler((math.radians(turned[0]), 0.0, math.radians(turned[1]))).to_quaternion()
    region = view.region_3d
    region.view_rotation, region.view_perspective = turn, "PERSP"
    with window.inside():
        bpy.ops.view3d.view_selected()
    yield 1.0
    region.view_location = region.view_location + turn @ Vector((beside, 0.0, 0.0))


def _wave(window):
    """The character waves."""
    bpy.context.scene.geppetto.motion = "wave"
    bpy.context.view_layer.objects.active = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    assert bpy.ops.object.geppetto_move(motion="wave") == {"FINISHED"}
    bpy.context.scene.frame_set(24)
    yield 1.0


def _shown(window, name: str):
    yield 1.0  # while a motion plays the view is never still
    window.picture(name)


def _take(window, *how: str) -> None:
    """A picture of the viewport with its sidebar, written as ImageMagick's words say."""
    area = window.area
    left, top = window.on_screen(area, 0, area.height - 1)
    subprocess.run(["import", "-window", "root", "-crop", f"{area.width}x{area.height}+{left}+{top}", "+repage", *how],
                   check=True)
