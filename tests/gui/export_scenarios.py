"""What a person does to hand a character to an engine, and what must lie on the disk then."""

from __future__ import annotations

import bpy

from geppetto.addon import names, registration
from geppetto.addon.formats import ENGINE_SUFFIX
from geppetto.core.skeleton.engine import load_engine
from tests.blender.scenes import fingerprint
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
