"""What a person does to hand a character to an engine, and what must lie on the disk then."""

from __future__ import annotations

import bpy
import numpy as np

from geppetto.addon import names, registration
from geppetto.addon.formats import ENGINE_SUFFIX
from geppetto.core.skeleton.engine import load_engine
from tests.blender.scenes import add_mesh, fingerprint, group_weights, world_points
from tests.gui import scenarios

PLACES = {"godot": (61, 125), "unity": (61, 170), "unreal": (179, 170), "vrm": (61, 193)}  # below the sidebar's top


def only_the_panel(name: str) -> None:
    """Take all other panels away, subpanels first: buttons then lie where they always do."""
    panels = [cls for module in registration.MODULES for cls in getattr(module, "CLASSES", ())
              if issubclass(cls, bpy.types.Panel)]
    for cls in sorted(panels, key=lambda cls: not hasattr(cls, "bl_parent_id")):
        if cls.bl_idname != name:
            bpy.utils.unregister_class(cls)


def export_for_engines(window):
    """A click on the engine's button, a click in the file dialog: the file is there, the scene untouched, the folder
    remembered. Esc in the dialog writes nothing."""
    _, body = yield from scenarios.one_person(window)
    with window.inside():
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    body = bpy.data.objects[body.name]
    only_the_panel(names.PANEL_EXPORT)
    bpy.context.scene.geppetto.export_folder = str(window.folder)
    yield 0.5
    before, objects = fingerprint(body), {o.name for o in bpy.data.objects}
    for path in window.folder.glob("body.*"):
        path.unlink()
    for engine, place in PLACES.items():
        suffix = ENGINE_SUFFIX[load_engine(engine).container]
        path = window.folder / f"body{suffix}"
        path.unlink(missing_ok=True)
        yield from open_dialog(window, place)
        window.picture(f"dialog {engine}")
        yield from window.click(export_button())
        yield from scenarios.wait_for(path.exists)
        yield 0.7
        assert len(bpy.context.window_manager.windows) == 1, "the dialog is closed"
        assert bpy.context.scene.geppetto.export_folder == str(window.folder)
        assert fingerprint(body) == before and {o.name for o in bpy.data.objects} == objects
        assert bpy.context.scene.name == "Scene" and len(bpy.data.scenes) == 1
    window.picture("exported")
    path.unlink()
    yield from open_dialog(window, PLACES["vrm"])
    yield from window.press("Escape")
    yield 0.7
    assert not path.exists() and len(bpy.context.window_manager.windows) == 1
    return {"files": sorted(p.name for p in window.folder.glob("body.*"))}


def open_dialog(window, place: tuple[int, int]):
    """Click a button of the panel and wait for the window that asks for the file."""
    region = window.region("UI")
    yield from window.click(window.on_screen(region, place[0], region.height - place[1]))
    yield from scenarios.wait_for(lambda: len(bpy.context.window_manager.windows) == 2)
    yield 1.0


def export_button() -> tuple[int, int]:
    """Where the dialog's own button is: at its lower right."""
    main, dialog = bpy.context.window_manager.windows
    return dialog.x + dialog.width - 72, main.height - dialog.y - 20


COPY, SYMMETRISE = (120, 341), (120, 367)  # below the sidebar's top, with the panel of the skin alone and open


def clothes_follow(window):
    """A shirt and the rigged body selected, a click on *Copy Weights to Selected*: the shirt follows; a click on
    *Symmetrise Weights* mends what was spoiled."""
    _, body = yield from scenarios.one_person(window)
    with window.inside():
        bpy.ops.object.geppetto_auto_rig("INVOKE_DEFAULT")
    yield from scenarios.finish_job()
    body = bpy.data.objects[body.name]
    shirt = add_mesh("shirt", world_points(body) * [1.02, 1.04, 1], [tuple(p.vertices) for p in body.data.polygons])
    for o in bpy.context.view_layer.objects:
        o.select_set(o in (body, shirt))
    bpy.context.view_layer.objects.active = body
    with window.inside():
        bpy.ops.ed.undo_push(message="a shirt")
    only_the_panel(names.PANEL_SKIN)
    yield 0.5
    yield from press(window, (40, 10))
    window.picture("1 before")
    yield from press(window, COPY)
    window.picture("2 copied")
    shirt, body = bpy.data.objects["shirt"], bpy.data.objects[body.name]
    assert shirt.find_armature() == body.find_armature() is not None
    good = group_weights(body)["hand.R"]
    spoiled = [v.index for v in body.data.vertices if v.co.x < -0.02]
    body.vertex_groups["chest"].add(spoiled, 1.0, "REPLACE")
    with window.inside():
        bpy.ops.ed.undo_push(message="spoiled")
    yield from press(window, SYMMETRISE)
    yield 0.4
    yield from window.press("Return")
    yield 0.6
    window.picture("3 symmetrised")
    np.testing.assert_allclose(group_weights(bpy.data.objects["body"])["hand.R"], good, atol=0.02)


def press(window, place: tuple[int, int]):
    """Click at a place below the sidebar's top."""
    region = window.region("UI")
    yield from window.click(window.on_screen(region, place[0], region.height - place[1]))
    yield 0.6
