"""What .fbx files hold: each picture under its own name, no skeleton that was switched off; and what comes back."""

from __future__ import annotations

import re

import bpy
import pytest

from geppetto.addon import names
from geppetto.addon.bridge.fbx import fit_for_fbx
from geppetto.addon.bridge.files import Outputs, open_file
from geppetto.addon.characters.rigged import armature_of, followers, is_ours

from .batches import fresh, main, save
from .scenes import add_character, add_cube, bind_to_old, deformed_points, group_weights, world_points
from .test_situations import choose

GREYS = {"first": 0.25, "second": 0.75}


def paint(o, name: str, grey: float) -> bpy.types.Image:
    """A material with a picture of one grey, for all of an object."""
    o.data.uv_layers.new()
    image = bpy.data.images.new(name, 4, 4)
    image.pixels = [grey, grey, grey, 1.0] * 16
    material = bpy.data.materials.new(o.name)
    material.use_nodes = True
    nodes = material.node_tree.nodes
    picture = nodes.new("ShaderNodeTexImage")
    picture.image = image
    material.node_tree.links.new(picture.outputs["Color"], nodes["Principled BSDF"].inputs["Base Color"])
    o.data.materials.append(material)
    return image


@pytest.mark.parametrize("kind", ["packed without a file", "files of one name"])
def test_pictures_stay_apart_and_have_their_own_names(context, tmp_path, kind):
    images = {name: paint(add_cube(name), name, grey) for name, grey in GREYS.items()}
    for name, image in images.items():
        if kind == "files of one name":
            (tmp_path / name).mkdir()
            image.filepath_raw, image.file_format = str(tmp_path / name / "skin.png"), "PNG"
            image.save()
            image.source = "FILE"
        else:
            image.pack()
    before = {name: (image.filepath, image.packed_file is None) for name, image in images.items()}
    with Outputs("tag") as outputs:
        outputs.scene("fbx", tmp_path / "cubes.fbx")
    assert {name: (image.filepath, image.packed_file is None) for name, image in images.items()} == before
    named = set(re.findall(rb"[-\w./ ]*cubes\.fbm[/\\][-\w]+\.png", (tmp_path / "cubes.fbx").read_bytes()))
    assert {name.rpartition(b"/")[2] for name in named} == (
        {b"skin.png", b"skin-2.png"} if kind == "files of one name" else {b"first.png", b"second.png"})
    for folder in GREYS if kind == "files of one name" else ():
        (tmp_path / folder / "skin.png").unlink()
    open_file(tmp_path / "cubes.fbx")
    for name, grey in GREYS.items():
        nodes = bpy.data.objects[name].active_material.node_tree.nodes
        image, = (node.image for node in nodes if node.type == "TEX_IMAGE")
        assert image.pixels[0] == pytest.approx(grey, abs=0.01), name


@pytest.mark.parametrize("has_file", [False, True])
def test_what_is_painted_and_not_saved_is_in_the_file_and_stays_unsaved(context, tmp_path, has_file):
    image = paint(add_cube("Cube"), "skin", 0.25)
    if has_file:
        image.filepath_raw, image.file_format = str(tmp_path / "skin.png"), "PNG"
        image.save()
        image.source = "FILE"
        image.pixels = [0.75, 0.75, 0.75, 1.0] * 16
    old = (tmp_path / "skin.png").read_bytes() if has_file else b""
    before = image.filepath, image.source, image.is_dirty, image.packed_file
    with Outputs("tag") as outputs:
        outputs.scene("fbx", tmp_path / "cube.fbx")
    assert (image.filepath, image.source, image.is_dirty, image.packed_file) == before and image.is_dirty
    assert not has_file or (tmp_path / "skin.png").read_bytes() == old
    (tmp_path / "skin.png").unlink(missing_ok=True)
    open_file(tmp_path / "cube.fbx")
    nodes = bpy.data.objects["Cube"].active_material.node_tree.nodes
    greys = [node.image.pixels[0] for node in nodes if node.type == "TEX_IMAGE"]  # Blender 4.2 opens it twice
    assert greys and greys == pytest.approx([0.75 if has_file else 0.25] * len(greys), abs=0.01)


def test_what_the_writer_is_lent_is_given_back_after_a_failure(context):
    image, o = paint(add_cube(), "skin", 0.5), add_cube("Moved")
    image.pack()
    modifier = o.modifiers.new("Old", "ARMATURE")
    modifier.show_viewport = modifier.show_render = False
    with pytest.raises(KeyError), fit_for_fbx():
        assert image.filepath == "//skin.png" and not modifier.use_vertex_groups
        raise KeyError
    assert image.filepath == "" and modifier.use_vertex_groups


def test_a_character_rigged_anew_follows_its_new_skeleton_alone(person, tmp_path):
    fresh()
    body, = add_character(person)
    old = bind_to_old(body, "Bip01", range(len(body.data.vertices)))
    old.pose.bones["Bip01"].location = (0, 5, 0)
    name = body.name
    path = save(tmp_path / "old.blend")
    assert main([str(path), "--out", str(tmp_path / "out"), "--no-picture", "--format", "fbx"]) == 0
    open_file(tmp_path / "out" / "old.fbx")
    body = bpy.data.objects[name]
    assert [m.object.name for m in body.modifiers] == ["old rig"] and "Old" in bpy.data.objects
    assert sum(group_weights(body).values()) == pytest.approx(1.0, abs=1e-4)
    assert deformed_points(body) == pytest.approx(world_points(body), abs=1e-3)


@pytest.mark.long
@pytest.mark.parametrize("has_properties", [False, True])
def test_what_comes_back_from_blenders_own_fbx_is_a_rig_like_any_other(extension, person, tmp_path, has_properties):
    """Blender writes our notes into .fbx files as text: no button stumbles over them, and the character is rigged anew
    beside its old binding."""
    body, = add_character(person)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    file, bones = str(tmp_path / "body.fbx"), set(armature_of(body).data.bones.keys())
    bpy.ops.export_scene.fbx(filepath=file, use_custom_props=has_properties)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.fbx(filepath=file)
    came = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    body, = followers(came)
    assert names.MADE_BY in came.data and not is_ours(came) and bones < set(came.data.bones.keys())
    choose(body, came)
    assert bpy.ops.object.geppetto_move(motion="walk") == {"FINISHED"}
    assert bpy.ops.geppetto.check_weights() == {"FINISHED"}
    assert not bpy.ops.geppetto.update_rig.poll()
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert armature_of(body) not in (came, None) and came.name in bpy.data.objects
    assert bpy.ops.geppetto.update_rig() == {"FINISHED"}
