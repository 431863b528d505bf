"""The extension inside Blender: it comes and goes without a trace, and its button is the core's numbers."""

from __future__ import annotations

import tomllib
from pathlib import Path
from types import SimpleNamespace

import bpy
import numpy as np
import pytest

import geppetto
from geppetto.addon import names, registration
from geppetto.addon.panels import menu
from geppetto.core import pipeline
from geppetto.core.geometry.mesh import Mesh
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, add_cube, group_weights

MANIFEST = tomllib.loads((Path(__file__).resolve().parents[2] / "blender_manifest.toml").read_text(encoding="utf-8"))


def _functions(handlers) -> list:
    return list(handlers) if isinstance(handlers, list) else []


def traces() -> set[str]:
    """Everything of Geppetto's that Blender knows."""
    menu = getattr(bpy.types.VIEW3D_MT_object.draw, "_draw_funcs", ())
    handlers = [f for event in dir(bpy.app.handlers) for f in _functions(getattr(bpy.app.handlers, event))]
    return {*(n for n in dir(bpy.types) if "geppetto" in n.lower()),
            *(n for n in bpy.types.Object.bl_rna.properties.keys() if "geppetto" in n.lower()),  # noqa: SIM118
            *(n for kind, n in ((bpy.types.Gizmo, names.HANDLES), (bpy.types.GizmoGroup, names.HANDLE_GROUP))
              if kind.bl_rna_get_subclass_py(n)),
            *(n for n in dir(bpy.ops.geppetto)), *(f.__name__ for f in handlers if "geppetto.addon" in f.__module__),
            *(n for n in bpy.types.Scene.bl_rna.properties.keys() if "geppetto" in n.lower()),  # noqa: SIM118
            *(n for n in dir(bpy.ops.object) if "geppetto" in n.lower()),
            *(f.__module__ for f in menu if "geppetto" in f.__module__)}


def test_it_comes_and_goes_twice_without_a_trace(context):
    for _ in range(2):
        assert traces() == set()
        geppetto.register()
        assert {"GEPPETTO_PT_character", "GEPPETTO_GGT_joints", "geppetto", "geppetto_joints", "geppetto_auto_rig",
                "pin_joint", "forget"} <= traces()
        geppetto.unregister()
    assert traces() == set()


def test_the_command_comes_and_goes_and_says_what_it_knows(context, monkeypatch, capsys):
    commands = {}
    monkeypatch.setattr(bpy.utils, "register_cli_command", lambda name, run: commands.setdefault(name, run) and name)
    monkeypatch.setattr(bpy.utils, "unregister_cli_command", commands.pop)
    geppetto.register()
    assert list(commands) == ["geppetto"]
    assert [commands["geppetto"](words) for words in (["--help"], ["wash"], ["rig"], ["rig", "--help"])] == [0, 2, 2, 0]
    said = capsys.readouterr()
    assert "blender --command geppetto rig FILES" in said.out and "'wash'" in said.out and "--resume" in said.out
    geppetto.unregister()
    assert commands == {}


def test_a_failing_registration_leaves_nothing(context, monkeypatch):
    broken = SimpleNamespace(CLASSES=(), MENUS=(("NO_MENU", print),))
    monkeypatch.setattr(registration, "MODULES", (*registration.MODULES, broken))
    with pytest.raises(AttributeError):
        geppetto.register()
    assert traces() == set()


@pytest.mark.parametrize("mode", ["object", "pose", "paint_weight"])
def test_the_search_finds_the_steps_in_each_mode(extension, mode):
    """It looks through the menus of the 3D viewport."""
    opened, shown = [], []
    layout = SimpleNamespace(separator=lambda: None, menu=opened.append,
                             operator=lambda name, **_: shown.append(name) or SimpleNamespace())
    for entry in getattr(bpy.types, f"VIEW3D_MT_{mode}").draw._draw_funcs:
        if "geppetto" in entry.__module__:
            entry(SimpleNamespace(layout=layout), extension)
    assert opened == [names.STEPS_MENU]
    menu.StepsMenu.draw(SimpleNamespace(layout=layout), extension)
    buttons = {name for name in shown if name.split(".")[1] in dir(getattr(bpy.ops, name.split(".")[0]))}
    assert buttons == {*shown} >= {names.CHECK, names.AUTO_RIG, names.SHOW_JOINTS, names.UPDATE_RIG,
                                   names.CHECK_WEIGHTS, names.CONTROL_RIG, names.MOVE, names.EXPORT_FOR}


@pytest.mark.long
def test_the_button_gives_the_cores_numbers(extension, person):
    body, = add_character(person)
    body.select_set(True)
    extension.view_layer.objects.active = body
    assert bpy.ops.object.geppetto_auto_rig() == {"FINISHED"}
    armature = extension.object
    assert armature.type == "ARMATURE" and body.parent is armature
    single = Mesh(np.float32(person.mesh.vertices), person.mesh.faces)  # Blender's precision
    rig, weights = pipeline.auto_rig(single, load_template("biped"))
    heads = np.array([armature.data.bones[n].head_local for n in rig.names])
    np.testing.assert_allclose(heads, rig.heads, atol=1e-4)
    groups = group_weights(body)
    dense = np.stack([groups.get(n, np.zeros(len(body.data.vertices))) for n in rig.names], 1)
    np.testing.assert_allclose(dense, weights.matrix.toarray(), atol=1e-6)


def test_the_preset_is_a_choice(extension, person):
    body, = add_character(person)
    body.select_set(True)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped_paper") == {"FINISHED"}
    assert {b.name for b in extension.object.data.bones} == {b.name for b in load_template("biped_paper").bones}


def test_what_cannot_be_rigged_is_reported_not_thrown(extension):
    sheet = add_cube("sheet")
    sheet.scale.z = 0
    sheet.select_set(True)
    extension.view_layer.update()
    with pytest.raises(RuntimeError, match="'sheet' is a flat sheet"):  # how an ERROR report reaches a script
        bpy.ops.object.geppetto_auto_rig()
    assert not bpy.data.armatures


def test_the_button_is_grey_without_a_mesh(extension):
    assert not bpy.ops.object.geppetto_auto_rig.poll()
    cube = add_cube()
    cube.select_set(True)
    extension.view_layer.objects.active = cube
    assert bpy.ops.object.geppetto_auto_rig.poll()


def test_it_is_in_the_object_menu_which_search_reads_and_on_no_key_but_escape(extension):
    from geppetto.addon.operators import auto_rig

    assert auto_rig.menu_entry in bpy.types.VIEW3D_MT_object.draw._draw_funcs
    shown = []
    layout = SimpleNamespace(separator=lambda: None, operator=lambda name, **_: shown.append(name))
    auto_rig.menu_entry(SimpleNamespace(layout=layout), extension)
    assert shown == [names.AUTO_RIG]
    taken = [item.idname for configuration in extension.window_manager.keyconfigs for keymap in configuration.keymaps
             for item in keymap.keymap_items if "geppetto" in item.idname]
    assert set(taken) <= {names.DISCARD_JOINTS}


def test_the_choices_are_saved_with_the_scene(extension, tmp_path):
    settings = getattr(extension.scene, names.SETTINGS)
    settings.preset, settings.method = "quadruped", "heat"
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "choices.blend"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.wm.open_mainfile(filepath=str(tmp_path / "choices.blend"))
    settings = getattr(bpy.context.scene, names.SETTINGS)
    assert (settings.preset, settings.method) == ("quadruped", "heat")


def test_the_manifest_keeps_the_platforms_rules():
    assert MANIFEST["schema_version"] == "1.0.0" and MANIFEST["id"] == "geppetto" and MANIFEST["type"] == "add-on"
    assert len(MANIFEST["tagline"]) <= 64 and MANIFEST["tagline"][-1].isalnum()
    assert set(MANIFEST["tags"]) <= {"Rigging", "Animation"}
    assert MANIFEST["license"] == ["SPDX:GPL-3.0-or-later"]
    assert tuple(map(int, MANIFEST["blender_version_min"].split("."))) == (4, 2, 0)
