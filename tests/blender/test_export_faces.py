"""Faces handed to engines: shape keys whatever makes them, what they do in motions, and names that bones have, too."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.export.exporting import ExportOptions, export_for
from geppetto.addon.export.glb import read_glb
from geppetto.addon.export.staging import unlike_bones
from geppetto.core.errors import BadMesh
from geppetto.core.skeleton.engine import load_engine

from .scenes import add_cube, array_of
from .test_export import walker
from .test_skinned_glb import values

pytestmark = pytest.mark.usefixtures("rigged_once")


def with_key(o, name: str = "jawOpen", push: float = 0.05) -> np.ndarray:
    """Give an object a shape key that pushes its front, the more the higher; (V, 3) its moves."""
    points = array_of(o.data.vertices, "co", 3)
    if o.data.shape_keys is None:
        o.shape_key_add(name="Basis", from_mix=False)
    moves = np.zeros_like(points)
    moves[:, 1] = -push * np.clip(points[:, 2] / points[:, 2].max(), 0, 1) ** 4
    o.shape_key_add(name=name, from_mix=False).data.foreach_set("co", (points + moves).ravel())
    return moves


def targets(path) -> tuple[np.ndarray, np.ndarray]:
    """(points, moves of the first target) of the first mesh of a file, in its axes."""
    tree, binary = read_glb(path.read_bytes())
    one = tree["meshes"][0]["primitives"][0]
    return tuple(values((tree, binary), k) for k in (one["attributes"]["POSITION"], one["targets"][0]["POSITION"]))


@pytest.mark.long
def test_a_motion_of_an_fbx_leaves_the_face_free(context, person, tmp_path):
    """An engine that plays a walk would hold every shape key at its value of now."""
    (body,), armature = walker(context, person)
    with_key(body)
    with_key(body, "blink")
    keys = body.data.shape_keys
    export_for(context, armature, load_engine("unity"), tmp_path / "out.fbx")
    assert keys.use_relative
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.fbx(filepath=str(tmp_path / "out.fbx"))
    key, = bpy.data.shape_keys
    assert [block.name for block in key.key_blocks] == ["Basis", "jawOpen", "blink"]
    assert key.animation_data is None and len(bpy.data.actions) == 1


def test_shape_keys_go_with_what_decimate_makes_of_a_mesh(context, person, tmp_path):
    """With a key at 1 it makes other faces of as many vertices: these have nothing to do with each other."""
    (body,), armature = walker(context, person, motion="")
    with_key(body)
    body.modifiers.new("Fewer", "DECIMATE").ratio = 0.4
    export_for(context, armature, load_engine("godot"), tmp_path / "out.glb", ExportOptions("modelled"))
    points, moves = targets(tmp_path / "out.glb")
    height = points[:, 1] / points[:, 1].max()
    wanted = 0.05 * np.clip(height, 0, 1) ** 4  # forward is Z there
    assert len(points) < 0.6 * len(body.data.vertices)
    assert np.abs(moves[:, :2]).max() < 1e-6 and np.abs(moves[:, 2] - wanted).max() < 0.005


def test_shape_keys_that_cannot_be_carried_over_are_refused_by_the_artists_name(context, person, tmp_path):
    (body,), armature = walker(context, person, motion="")
    with_key(body)
    body.modifiers.new("Anew", "REMESH").voxel_size = 0.04
    with pytest.raises(BadMesh, match=f"Shape keys of '{body.name}' change which vertices"):
        export_for(context, armature, load_engine("godot"), tmp_path / "out.glb")


def test_absolute_shape_keys_are_shapes_in_a_file(context, person, tmp_path):
    (body,), armature = walker(context, person, motion="")
    moves = with_key(body)
    body.data.shape_keys.use_relative = False
    export_for(context, armature, load_engine("godot"), tmp_path / "out.glb", ExportOptions("modelled"))
    assert abs(np.abs(targets(tmp_path / "out.glb")[1]).max() - np.abs(moves).max()) < 1e-5
    assert not body.data.shape_keys.use_relative


@pytest.mark.parametrize("engine", ["unity", "godot"])
def test_objects_called_like_bones_have_other_names_in_the_file(context, person, tmp_path, engine):
    """Unity makes no humanoid of what has two things called Head."""
    (body,), armature = walker(context, person, motion="")
    hat = add_cube("Head", 0.1)
    hat.parent, hat.parent_type, hat.parent_bone = armature, "BONE", "head"
    path = tmp_path / f"out.{'fbx' if engine == 'unity' else 'glb'}"
    done = export_for(context, armature, load_engine(engine), path)
    own = body.name
    assert hat.name == "Head" and any("'Head' is called 'Head mesh' in" in said for said in done.warnings)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    if engine == "unity":
        bpy.ops.import_scene.fbx(filepath=str(path))
    else:
        bpy.ops.import_scene.gltf(filepath=str(path))
    assert {"Head mesh", own} <= set(bpy.data.objects.keys()) and "Head" not in bpy.data.objects


def test_names_are_told_apart_without_case_and_never_twice():
    bones = {"Head", "Hips"}
    assert unlike_bones(["body", "head", "Head", "Head mesh"], bones) == ["body", "head mesh 2", "Head mesh 3",
                                                                          "Head mesh"]


def test_a_person_that_lacks_a_bone_by_its_name_is_told(context, person, tmp_path):
    _, armature = walker(context, person, motion="")
    assert not export_for(context, armature, load_engine("unity"), tmp_path / "out.fbx").warnings
    armature.data.bones["hand.L"].name = "Hand links"
    done = export_for(context, armature, load_engine("unity"), tmp_path / "out.fbx")
    assert not done.is_person and any("has no bone 'hand.L'" in said for said in done.warnings)


def test_programs_that_follow_a_face_find_each_shape_key_in_a_vrm(context, person, tmp_path):
    (body,), armature = walker(context, person, motion="")
    for name in ("mouthSmileLeft", "mouthSmileRight", "cheekPuff", "aa"):
        with_key(body, name)
    export_for(context, armature, load_engine("vrm"), tmp_path / "out.vrm")
    tree, _ = read_glb((tmp_path / "out.vrm").read_bytes())
    made = tree["extensions"]["VRMC_vrm"]["expressions"]
    assert list(made["custom"]) == ["mouthSmileLeft", "mouthSmileRight", "cheekPuff"]  # the others are presets
    assert [one["index"] for one in made["custom"]["cheekPuff"]["morphTargetBinds"]] == [2]
    assert [one["index"] for one in made["preset"]["happy"]["morphTargetBinds"]] == [0, 1]
    assert list(made["preset"]) == ["happy", "aa"]


def test_a_mesh_without_places_for_the_picture_of_its_material_is_valid_gltf(context, person, tmp_path):
    (body,), armature = walker(context, person, motion="")
    tree = body.data.materials[0].node_tree
    node = tree.nodes.new("ShaderNodeTexImage")
    node.image = bpy.data.images.new("skin", 4, 4)
    tree.links.new(node.outputs["Color"], tree.nodes["Principled BSDF"].inputs["Base Color"])
    assert not body.data.uv_layers
    export_for(context, armature, load_engine("godot"), tmp_path / "out.glb")
    one = read_glb((tmp_path / "out.glb").read_bytes())[0]
    assert "baseColorTexture" in one["materials"][0]["pbrMetallicRoughness"]
    assert "TEXCOORD_0" in one["meshes"][0]["primitives"][0]["attributes"] and not body.data.uv_layers


def test_shape_keys_that_move_are_told_once_and_those_that_rest_are_not(context, person, tmp_path):
    """Files of other programs have keys at 0 for each shape key, and faces are of many objects."""
    (body,), armature = walker(context, person, motion="")
    lid = add_cube("Lid", 0.1)
    lid.parent, lid.parent_type, lid.parent_bone = armature, "BONE", "head"
    for o in (body, lid):
        with_key(o, "blink")
        o.data.shape_keys.key_blocks["blink"].value = 0.0  # new ones are at 1 since Blender 5
        for frame in (1, 20):
            o.data.shape_keys.key_blocks["blink"].keyframe_insert("value", frame=frame)
    engine, path = load_engine("unity"), tmp_path / "out.fbx"
    assert not export_for(context, armature, engine, path).warnings
    for o in (body, lid):
        o.data.shape_keys.key_blocks["blink"].value = 1.0
        o.data.shape_keys.key_blocks["blink"].keyframe_insert("value", frame=10)
    told, = export_for(context, armature, engine, path).warnings
    assert told.startswith(f"'out.fbx' has shape keys of '{body.name}', 'Lid' that keys or drivers move, such as 'blin")
