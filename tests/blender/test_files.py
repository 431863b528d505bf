"""Files in and out: they appear together or not at all, nothing half written stays, and what is wrong is named."""

from __future__ import annotations

from pathlib import Path

import bpy
import numpy as np
import pytest

from geppetto.addon.bridge.files import Outputs, call_first, check_file, open_file, reason
from geppetto.addon.bridge.mesh import own_points
from geppetto.addon.formats import BadFile

from .batches import HAS_USD
from .digest import difference, digest
from .scenes import add_cube, array_of, bind_to_old

KINDS = {"blend": "a.blend", **({"usd": "a.usdz"} if HAS_USD else {})}


def write(outputs: Outputs, folder: Path) -> list[Path]:
    """A file of bytes, one that a function writes, and the scene."""
    places = [folder / "a.json", folder / "a.png", *(folder / name for name in KINDS.values())]
    outputs.data(places[0], b"1")
    outputs.beside(places[1]).write_bytes(b"2")
    for kind, name in KINDS.items():
        outputs.scene(kind, folder / name)
    assert outputs.paths == places
    return places


def test_files_appear_together_and_replace_what_was_there(context, tmp_path):
    add_cube()
    (tmp_path / "a.json").write_bytes(b"old")
    with Outputs("tag") as outputs:
        places = write(outputs, tmp_path)
        assert [p for p in places if p.exists()] == [tmp_path / "a.json"]
        assert (tmp_path / "a.json").read_bytes() == b"old"
        assert all("tag" in p.name for p in tmp_path.iterdir() if p not in places), "whoever clears up knows them"
    assert sorted(tmp_path.iterdir()) == sorted(places)
    assert (tmp_path / "a.json").read_bytes() == b"1" and (tmp_path / "a.png").read_bytes() == b"2"
    for name in KINDS.values():
        open_file(tmp_path / name)
        assert "MESH" in {o.type for o in bpy.data.objects}


def test_nothing_stays_of_files_that_an_error_ended(context, tmp_path):
    add_cube()
    with pytest.raises(KeyError), Outputs("tag") as outputs:
        write(outputs, tmp_path)
        raise KeyError
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(BadFile, match=r"b\.json' cannot be written"), Outputs("tag") as outputs:
        outputs.data(tmp_path / "a.json", b"1")
        (tmp_path / "b.json").mkdir()  # where a file is to appear
        outputs.data(tmp_path / "b.json", b"1")
    assert not [p for p in tmp_path.iterdir() if "tag" in p.name]
    for write_it in (lambda o, p: o.data(p, b"1"), lambda o, p: o.scene("blend", p)):
        with pytest.raises(BadFile, match=r"gone/a\.blend' cannot be written"), Outputs("tag") as outputs:
            write_it(outputs, tmp_path / "gone" / "a.blend")


def test_what_cannot_be_opened_is_named_with_the_reason(tmp_path):
    (tmp_path / "empty.glb").touch()
    (tmp_path / "folder.glb").mkdir()
    (tmp_path / "a.txt").write_text("x")
    for name, says in (("empty.glb", "is empty"), ("folder.glb", "is not a file"), ("gone.glb", "does not exist"),
                       ("gone", "does not exist"), (".", "is not a file, nor a folder with"),
                       ("a.txt", "of a kind"), ("\udcff.glb", "not valid Unicode")):
        with pytest.raises(BadFile, match=says):
            check_file(tmp_path / name)
    (tmp_path / "whole.GLB").write_bytes(b"1")
    check_file(tmp_path / "whole.GLB")


def test_the_first_operator_that_is_there_runs(tmp_path, context):
    add_cube()
    call_first(("wm.there_is_none", "wm.save_as_mainfile", "wm.quit_blender"), {}, tmp_path / "a.blend")
    assert (tmp_path / "a.blend").exists()
    with pytest.raises(BadFile, match=r"built without '\.x3d'"):
        call_first(("wm.there_is_none",), {}, tmp_path / "a.x3d")


def face(*modifiers: str):
    """A cube on an armature of one bone, with two shape keys, one of which a driver moves, and with modifiers."""
    cube = add_cube()
    bind_to_old(cube, "Bone", range(8))
    cube.shape_key_add(name="Basis")
    for name, value in (("tall", 0.5), ("wide", 0.0)):
        key = cube.shape_key_add(name=name)
        key.value = value
        for point in key.data:
            point.co[2 if name == "tall" else 0] *= 2.0
    cube.data.shape_keys.key_blocks["wide"].driver_add("value").driver.expression = "0.25"
    for kind in modifiers:
        cube.modifiers.new(kind, kind)
    return cube


def read_again(path):
    """The mesh of a file whose own shape keys move it."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    {".glb": bpy.ops.import_scene.gltf, ".fbx": bpy.ops.import_scene.fbx, ".usdz": bpy.ops.wm.usd_import}[
        path.suffix](filepath=str(path))
    return next(o for o in bpy.data.objects if o.type == "MESH" and o.vertex_groups)


@pytest.mark.parametrize("suffix", [".glb", ".fbx", pytest.param(".usdz", marks=pytest.mark.skipif(
    not HAS_USD, reason="this Blender was built without .usd"))])
@pytest.mark.parametrize(("modifiers", "corners"), [((), 8), (("TRIANGULATE",), 8), (("SUBSURF",), 26)])
def test_a_file_has_what_modifiers_make_and_the_shape_keys_of_it(context, tmp_path, suffix, modifiers, corners):
    face(*modifiers)
    context.view_layer.update()
    before = digest()
    with Outputs() as outputs:
        outputs.scene(suffix[1:4], tmp_path / f"face{suffix}")
    assert difference(before, digest()) == [] and outputs.warnings == []
    read = read_again(tmp_path / f"face{suffix}")
    assert len(np.unique(own_points(read).round(4), axis=0)) == corners
    keys = read.data.shape_keys.key_blocks
    assert keys.keys() == ["Basis", "tall", "wide"] and read.data.name.startswith("Cube")
    if suffix != ".usdz":  # which has the values of motions alone
        assert (keys["tall"].value, keys["wide"].value) == (pytest.approx(0.5), pytest.approx(0.25))
    heights = [np.ptp(array_of(keys[name].data, "co", 3)[:, 2]) for name in keys.keys()[:2]]
    assert heights[1] / heights[0] == pytest.approx(2.0, abs=0.01)


@pytest.mark.parametrize("overridden", [False, True])
def test_what_is_linked_from_another_file_is_written_whole_too(context, tmp_path, overridden):
    face("SUBSURF").data.materials.append(bpy.data.materials.new("paint"))
    bpy.ops.wm.save_as_mainfile(filepath=str(tmp_path / "library.blend"), copy=True)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    with bpy.data.libraries.load(str(tmp_path / "library.blend"), link=True) as (_, wanted):
        wanted.objects = ["Cube", "Old"]
    for o in wanted.objects:
        context.scene.collection.objects.link(o)
        if overridden:
            o.override_create(remap_local_usages=True)
    context.view_layer.update()
    with Outputs() as outputs:
        outputs.scene("glb", tmp_path / "face.glb")
    cube = next(o for o in context.scene.objects if o.type == "MESH")
    assert cube.data.library and len(cube.data.vertices) == 8 and cube.material_slots[0].material.name == "paint"
    assert len(read_again(tmp_path / "face.glb").data.shape_keys.key_blocks) == 3


def test_shape_keys_that_change_what_modifiers_build_are_told_and_their_shape_is_written(context, tmp_path):
    cube = face("WELD")
    for point in cube.data.shape_keys.key_blocks["wide"].data:
        point.co.x = 0.0
    before = digest()
    with Outputs() as outputs:
        for suffix in (".glb", ".fbx"):
            outputs.scene(suffix[1:], tmp_path / f"face{suffix}")
    assert difference(before, digest()) == []
    assert outputs.warnings == [
        "'Cube' has shape keys that change how many vertices its modifiers make: only the .blend has both, other "
        "files have the shape that they make now."]
    read = read_again(tmp_path / "face.glb")
    assert read.data.shape_keys is None and np.ptp(own_points(read)[:, 2]) == pytest.approx(1.5)


@pytest.mark.parametrize(("said", "told"), [
    ("Error: the disk is full\n", "the disk is full."), ("", "Blender gave no reason."),
    ('Traceback\n  File "x"\nValueError: odd.\nLocation: x.py:3\n', "ValueError: odd."),
    ("Error: PermissionError: [Errno 13] Permission denied: '/there/.geppetto-1.glb'", "Permission denied."),
    ("Error: RecursionError: too deep", "Its objects hang below each other in a circle, or too many levels deep.")])
def test_the_reason_is_the_last_line_that_an_operator_said(said, told):
    assert reason(RuntimeError(said)) == told
