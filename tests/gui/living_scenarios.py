"""What Blender does around the extension: windows, scenes, local view, scripts read anew, in the middle of work."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import addon_utils
import bpy

import geppetto
from geppetto.addon import job
from geppetto.addon.editing import joints
from geppetto.addon.overlay import draw
from tests.blender.scenes import add_cube, fingerprint
from tests.gui import scenarios

INSTALLED = "bl_ext.user_default.geppetto"


def drawn_scenes(window):
    """The names of the scenes in whose viewports joints are drawn within a moment."""
    seen, fill = set(), draw._fill

    def noting(*arguments) -> None:
        seen.add(bpy.context.scene.name)
        fill(*arguments)

    draw._fill = noting
    joints.redraw()
    yield 0.4
    draw._fill = fill
    return seen


def choose(o) -> None:
    """Select it alone."""
    bpy.context.view_layer.update()
    for other in bpy.context.view_layer.objects:
        other.select_set(other is o)
    bpy.context.view_layer.objects.active = o


def start(window, operator) -> None:
    """Press a button whose work can be interrupted."""
    job.TURN = job.DRAWING = 0.0
    with window.inside():
        operator("INVOKE_DEFAULT")
    yield from scenarios.wait_for(lambda: job.running() is not None and job.running().fraction > 0.1)


def views_and_scenes(window):
    """Handles are drawn where the character is seen: not in another scene's window, not beside a local view, not
    hidden; and a changed mesh is told."""
    _, body = yield from scenarios.one_person(window)
    home = bpy.context.scene.name
    yield from scenarios.show_the_joints(window)
    assert (yield from drawn_scenes(window)) == {home}
    cube = add_cube("cube")
    choose(cube)
    with window.inside():
        bpy.ops.view3d.localview(frame_selected=False)
    assert (yield from drawn_scenes(window)) == set(), "drawn over another local view"
    window.picture("1 local view")
    with window.inside():
        bpy.ops.view3d.localview(frame_selected=False)
    body.hide_set(True)
    assert (yield from drawn_scenes(window)) == set(), "drawn though hidden"
    body.hide_set(False)
    bpy.data.objects.remove(cube)
    with window.inside():
        bpy.ops.wm.window_new_main()
    yield 1.0
    second = bpy.context.window_manager.windows[-1]
    other = bpy.data.scenes.new("other")
    second.scene = other
    yield 0.5
    assert (yield from drawn_scenes(window)) == {home}
    with bpy.context.temp_override(window=second):
        assert not bpy.ops.geppetto.pin_joint.poll() and joints.shown_in(bpy.context) is None
        bpy.ops.wm.window_close()
    yield 0.5
    choose(body)
    body.data.vertices[0].co.x += 0.1
    body.data.update()
    joints.redraw()
    yield 0.5
    window.picture("2 a changed mesh")
    assert joints.shown().is_stale()
    yield from scenarios.show_the_joints(window)
    assert not joints.shown().is_stale()


def scenes_while_it_works(window):
    """A job whose window shows another scene in the end, or is closed, changes nothing and leaves nothing behind."""
    _, body = yield from scenarios.one_person(window, vertices=2000)
    before = fingerprint(body)
    home, other = bpy.context.scene, bpy.data.scenes.new("other")
    yield from start(window, bpy.ops.object.geppetto_auto_rig)
    window._window.scene = other
    yield from scenarios.finish_job()
    yield 0.3
    window.picture("1 another scene")
    assert not bpy.data.armatures and fingerprint(body) == before
    window._window.scene = home
    yield 0.3
    choose(body)
    with window.inside():
        bpy.ops.wm.window_new_main()
    yield 1.0
    second = bpy.context.window_manager.windows[-1]
    second.scene = other
    yield from start(window, bpy.ops.object.geppetto_auto_rig)
    with bpy.context.temp_override(window=second):
        bpy.ops.wm.window_close()
    yield from scenarios.finish_job()
    assert len(bpy.data.armatures) == 1, "another window's end is not this one's"
    with window.inside():
        bpy.ops.ed.undo_push(message="rigged")
        bpy.ops.ed.undo()
    yield 0.3
    yield from closed_while_it_works(window)


def closed_while_it_works(window):
    """The window with the button is closed: the job with it."""
    with window.inside():
        bpy.ops.wm.window_new_main()
    yield 1.0
    second = bpy.context.window_manager.windows[-1]
    area = next(a for a in second.screen.areas if a.type == "VIEW_3D")
    region = next(r for r in area.regions if r.type == "WINDOW")
    choose(bpy.data.objects["body"])
    job.TURN = job.DRAWING = 0.0
    with bpy.context.temp_override(window=second, area=area, region=region):
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT", preset="biped_paper")
    yield from scenarios.wait_for(lambda: job.running() is not None and job.running().fraction > 0.1)
    with bpy.context.temp_override(window=second):
        bpy.ops.wm.window_close()
    yield 0.5
    assert job.running() is None, "a job without a window"


def held_by_blender() -> list[str]:
    """What Blender holds of the extension's, each as often as it is held."""
    kinds = [c.__name__ for base in (bpy.types.Operator, bpy.types.Panel, bpy.types.PropertyGroup, bpy.types.Gizmo,
                                     bpy.types.GizmoGroup, bpy.types.UIList, bpy.types.AddonPreferences)
             for c in all_below(base) if "geppetto" in c.__module__ and "bl_rna" in vars(c)]
    handlers = [f.__name__ for event in dir(bpy.app.handlers)
                if isinstance(getattr(bpy.app.handlers, event), list)
                for f in getattr(bpy.app.handlers, event) if "geppetto" in f.__module__]
    menu = [f.__name__ for f in bpy.types.VIEW3D_MT_object.draw._draw_funcs if "geppetto" in f.__module__]
    keys = [item.idname for config in bpy.context.window_manager.keyconfigs for keymap in config.keymaps
            for item in keymap.keymap_items if "geppetto" in item.idname]
    return sorted([*kinds, *handlers, *menu, *keys])


def all_below(base) -> list[type]:
    """The classes derived from one, and those from them."""
    return [c for below in base.__subclasses__() for c in (below, *all_below(below))]


def install_the_source() -> None:
    """The extension as Blender knows extensions, in place of the package that the scenarios use."""
    geppetto.unregister()
    assert held_by_blender() == []
    home = Path(bpy.utils.user_resource("EXTENSIONS", path="user_default", create=True))
    (home / "geppetto").symlink_to(Path(geppetto.__file__).parent, target_is_directory=True)
    addon_utils.enable(INSTALLED, default_set=True)
    assert INSTALLED in bpy.context.preferences.addons


def module(name: str):
    """A module of the installed extension as it is now."""
    return sys.modules[f"{INSTALLED}.addon.{name}"]


def take_a_joint(window):
    """The mouse goes to a joint of the installed extension's, presses and moves; the button stays down."""
    with window.inside():
        bpy.ops.geppetto.show_joints()
    yield 0.5
    with window.inside():
        pixels, _ = module("overlay.draw").on_screen(bpy.context)
    at = window.on_screen(window.region(), *pixels[module("editing.joints").shown().template.index("head")])
    window.do("mousemove", *at)
    yield 0.4
    window.do("mousedown", 1)
    yield 0.3
    window.do("mousemove_relative", 20, 20)
    yield 0.3
    assert module("editing.grasp").held() is not None


def search_finds_it(window):
    """Search, its name, Enter: the character is rigged; and it stands in the Object menu."""
    yield from scenarios.one_person(window)
    menu, drawn = bpy.types.VIEW3D_MT_object, []
    entry = next(f for f in menu.draw._draw_funcs if "geppetto" in f.__module__)
    layout = SimpleNamespace(separator=lambda: None, operator=lambda name, **_: drawn.append(name))
    entry(SimpleNamespace(layout=layout), bpy.context)
    assert drawn == ["object.geppetto_auto_rig"]
    window.do("mousemove", 390, 440)
    yield 0.5
    window.do("mousemove", 400, 450)
    yield 0.5
    with window.inside():
        bpy.ops.wm.search_menu("INVOKE_DEFAULT")  # what F3 calls
    yield 2.5  # it looks through all menus first
    window.do("type", "--delay", "40", "auto rig")
    yield 1.0
    window.picture("1 found")
    yield from window.press("Return")
    yield from scenarios.wait_for(lambda: len(bpy.data.armatures) == 1)
    window.picture("2 rigged")


def read_scripts_anew(window):
    """Reload Scripts with handles shown; switched off with a joint in the hand and with a job at work: nothing of ours
    doubles or stays, and it works again."""
    install_the_source()
    ours = held_by_blender()
    yield from scenarios.one_person(window)
    with window.inside():
        bpy.ops.geppetto.show_joints()
        bpy.ops.script.reload()  # Blender does it when the script that asks for it has ended
    yield from scenarios.wait_for(lambda: module("editing.joints").shown() is None)
    yield 0.3
    assert held_by_blender() == ours, sorted(Counter(held_by_blender()) - Counter(ours))
    yield from take_a_joint(window)
    window.picture("1 in the hand")
    yield from switch_off_and_on(window, ours)
    window.do("mouseup", 1)
    yield 0.2
    window.picture("2 let go")
    module("job").TURN = module("job").DRAWING = 0.0
    choose(bpy.data.objects["body"])
    with window.inside():
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from scenarios.wait_for(lambda: module("job").running() is not None)
    yield from switch_off_and_on(window, ours)
    window.picture("3 the job gone")
    assert not bpy.data.armatures
    yield from window.click(scenarios.button_place(window))
    yield from scenarios.wait_for(lambda: len(bpy.data.armatures) == 1)
    addon_utils.disable(INSTALLED, default_set=True)
    assert held_by_blender() == []


def switch_off_and_on(window, ours: list[str]):
    """In the middle of what is done; Blender itself refuses to read scripts anew then."""
    with window.inside():
        try:
            bpy.ops.script.reload()
        except RuntimeError as error:
            assert "running modal operators" in str(error)
    addon_utils.disable(INSTALLED, default_set=True)
    assert held_by_blender() == []
    yield 0.3
    addon_utils.enable(INSTALLED, default_set=True)
    assert held_by_blender() == ours and module("editing.grasp").held() is None and module("job").running() is None
    yield from window.open_tab()
