"""Inside Blender: install a zip as a person does, use it, take it out again, and find nothing left.

    blender -b --factory-startup --python-exit-code 1 --python tests/packaging/smoke.py -- ZIP [--expect-scipy-inside]
    python tests/packaging/smoke.py ZIP [--then-over-it ZIP] [--expect-scipy-inside] [--keep]

The exit status is 0 only if everything held. Everything goes to $BLENDER_USER_RESOURCES, which must be an empty folder
of its own.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from pathlib import Path

import bpy
import numpy as np

ROOT = Path(__file__).resolve().parents[2]
MODULE = "bl_ext.user_default.geppetto"


def main(arguments: list[str]) -> None:
    """The whole life of an installed extension."""
    parser = argparse.ArgumentParser()
    parser.add_argument("zip")
    parser.add_argument("--then-over-it", help="the first zip finds no scipy; this one is installed over it")
    parser.add_argument("--expect-scipy-inside", action="store_true", help="scipy must come from the extension")
    parser.add_argument("--keep", action="store_true", help="end with the extension installed and enabled")
    options = parser.parse_args(arguments)
    home = Path(os.environ["BLENDER_USER_RESOURCES"])
    assert traces() == set() and not (home / "extensions" / "user_default").exists()
    folder = install(options.zip)
    if options.then_over_it:
        assert {"GEPPETTO_PT_remedy"} == traces(), traces()
        print("ok: without scipy it is enabled, and its panel says:", *remedy_texts())
        folder = install(options.then_over_it)
    assert folder.is_relative_to(home), folder
    import scipy

    print(f"ok: enabled, Blender {bpy.app.version_string}, Python {sys.version.split()[0]}, numpy {np.__version__}, "
          f"scipy {scipy.__version__} from {Path(scipy.__file__).parent}")
    assert Path(scipy.__file__).is_relative_to(home) is options.expect_scipy_inside
    rig_a_character()
    use_preferences_and_help()
    for _ in range(2):
        bpy.ops.preferences.addon_disable(module=MODULE)
        assert traces() == set(), traces()
        bpy.ops.preferences.addon_enable(module=MODULE)
        assert "GEPPETTO_PT_character" in traces()
    print("ok: disabled and enabled again, twice")
    if not options.keep:
        remove(folder)
    print("the installed extension works", flush=True)


def install(zip_file: str) -> Path:
    """Install from disk and enable.  Returns the extension's folder."""
    import addon_utils  # the wheel finds it only once bpy is loaded

    assert "FINISHED" in bpy.ops.extensions.package_install_files(
        filepath=str(Path(zip_file).resolve()), repo="user_default", enable_on_install=True)
    assert MODULE in bpy.context.preferences.addons and addon_utils.check(MODULE)[1], "it is not enabled"
    return Path(importlib.import_module(MODULE).__file__).parent


def rig_a_character() -> None:
    """A generated person, by the button, with the installed core."""
    sys.path.insert(0, str(ROOT))
    sys.modules["core"] = importlib.import_module(f"{MODULE}.core")  # what grows people uses the installed core too
    from tests.blender.scenes import add_character, deformed_points, group_weights
    from tests.characters import person

    bpy.ops.wm.read_homefile(use_empty=True)
    body, = add_character(person(vertices=2000))
    body.select_set(True)
    bpy.context.view_layer.objects.active = body
    before = deformed_points(body)
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    armature = bpy.context.object
    assert armature.type == "ARMATURE" and body.parent is armature and len(armature.data.bones) > 15
    weights = np.stack(list(group_weights(body).values()), 1)
    np.testing.assert_allclose(weights.sum(1), 1, atol=1e-5)
    np.testing.assert_allclose(deformed_points(body), before, atol=1e-5)
    arm = armature.pose.bones["upper_arm.L"]
    arm.rotation_mode = "XYZ"
    arm.rotation_euler.x = 0.8
    moved = np.linalg.norm(deformed_points(body) - before, axis=1)
    assert moved.max() > 0.05 and np.median(moved) < 1e-3, (moved.max(), np.median(moved))
    print(f"ok: a person of {len(before)} vertices has {len(armature.data.bones)} bones, and its arm moves")


def use_preferences_and_help() -> None:
    """The preferences are Blender's own for this package, and the text that ships becomes the manual."""
    wanted = bpy.context.preferences.addons[MODULE].preferences
    wanted.influences = 6
    assert importlib.import_module(f"{MODULE}.addon.preferences").preferences().influences == 6
    bpy.ops.wm.read_homefile(use_empty=True)
    assert bpy.context.scene.geppetto.influences == 6, "new files begin with what is preferred"
    assert bpy.ops.geppetto.reset_preferences() == {"FINISHED"} and wanted.influences == 4
    importlib.import_module(f"{MODULE}.addon.manual").address("Skin")
    page = (Path(bpy.app.tempdir) / "geppetto.html").read_text(encoding="utf-8")
    assert 'id="in-blender"' in page and 'id="skin"' in page
    print("ok: preferences are kept and the manual is there")


def remove(folder: Path) -> None:
    """Uninstall as a person does: its folder goes, and what it registered."""
    repos = bpy.context.preferences.extensions.repos
    assert "FINISHED" in bpy.ops.extensions.package_uninstall(
        repo_index=[r.module for r in repos].index("user_default"), pkg_id="geppetto")
    assert not folder.exists(), list(folder.rglob("*"))
    assert MODULE not in bpy.context.preferences.addons and traces() == set(), traces()
    assert not list(folder.parents[1].glob(".local/**/scipy*")), "its wheels are still there"
    print("ok: uninstalled, nothing is left")


def traces() -> set[str]:
    """Everything of Geppetto's that Blender knows."""
    found = {n for n in dir(bpy.types) if "geppetto" in n.lower()}
    found |= {n for n in bpy.types.Scene.bl_rna.properties.keys() if "geppetto" in n.lower()}  # noqa: SIM118
    for menu in ("VIEW3D_MT_object", "TOPBAR_MT_file_import", "TOPBAR_MT_file_export"):
        functions = getattr(getattr(bpy.types, menu).draw, "_draw_funcs", ())
        found |= {f"{menu}: {f.__module__}" for f in functions if "geppetto" in f.__module__}
    for name in dir(bpy.app.handlers):
        handlers = getattr(bpy.app.handlers, name)
        if isinstance(handlers, list):
            found |= {f"{name}: {f.__module__}" for f in handlers if "geppetto" in str(getattr(f, "__module__", ""))}
    return found


def remedy_texts() -> list[str]:
    return list(importlib.import_module(f"{MODULE}.addon.requirements").RemedyPanel.texts)


if __name__ == "__main__":
    main(sys.argv[sys.argv.index("--") + 1:] if "--" in sys.argv else sys.argv[1:])
    if not bpy.app.binary_path:  # the wheel's own teardown can wait for ever (see addon/batch.py, leave)
        os._exit(0)
