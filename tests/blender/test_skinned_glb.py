"""A .glb with its skin added by arrays is the one Blender's exporter writes alone; unclear scenes stay its own."""

from __future__ import annotations

import bpy
import numpy as np
import pytest

from geppetto.addon.bridge.files import Outputs
from geppetto.addon.bridge.skinned_glb import write_skinned_glb
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.export.glb import read_glb
from geppetto.core.skeleton.preset import load_template

from .scenes import add_character, add_cube, deformed_points

WIDTH = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
KIND = {5121: np.uint8, 5123: np.uint16, 5125: np.uint32, 5126: np.float32}


@pytest.fixture(params=["where it was made", "elsewhere"])
def rigged(context, dressed, request):
    """A rigged person of several objects with UVs and colours, the body turned and of another size, the skirt not."""
    objects = add_character(dressed)
    body = objects[0]
    body.rotation_euler, body.scale = (0.3, -0.2, 0.5), (1.2, 1.2, 1.2)
    bpy.context.view_layer.update()
    body.data.transform(body.matrix_world.inverted())  # it stands where it stood
    uv = body.data.uv_layers.new(name="UVMap")
    rng = np.random.default_rng(0)
    uv.uv.foreach_set("vector", rng.random(2 * len(body.data.loops)).astype(np.float32))
    body.data.polygons.foreach_set("use_smooth", rng.random(len(body.data.polygons)) < 0.5)  # corners with two normals
    skirt = objects[-1]
    skirt.shape_key_add(name="Basis")
    skirt.shape_key_add(name="Wide").data[0].co.x += 0.1
    made = auto_rig(context, objects, load_template("biped"))
    if request.param == "elsewhere":
        skirt.shape_key_clear()  # a mesh with keys is the exporter's alone unless it is where it was made
        armature = objects[0].parent
        armature.location, armature.rotation_euler, armature.scale = (1, -2, 3), (0.2, 0.1, -0.4), (0.8, 0.8, 0.8)
        context.view_layer.update()
    return made


def values(file, accessor: int) -> np.ndarray:
    """An accessor's values as the file has them."""
    tree, binary = file
    one = tree["accessors"][accessor]
    start = tree["bufferViews"][one["bufferView"]]["byteOffset"] + one.get("byteOffset", 0)
    flat = np.frombuffer(binary, KIND[one["componentType"]], one["count"] * WIDTH[one["type"]], start)
    return flat.reshape(one["count"], -1).astype(float)


def export(path, more) -> None:
    bpy.ops.export_scene.gltf(filepath=str(path), export_format="GLB", **more)


def meshes_of(tree) -> dict:
    return {node["name"]: (node, tree["meshes"][node["mesh"]]) for node in tree["nodes"] if "mesh" in node}


def test_it_holds_what_blenders_exporter_writes(rigged, tmp_path):
    export(tmp_path / "whole.glb", {})
    assert write_skinned_glb(tmp_path / "ours.glb", lambda more: export(tmp_path / "ours.glb", more))
    whole, ours = (read_glb((tmp_path / name).read_bytes()) for name in ("whole.glb", "ours.glb"))
    assert ours[0]["materials"] == whole[0]["materials"] and len(ours[0]["nodes"]) == len(whole[0]["nodes"])
    assert ours[0]["buffers"][0]["byteLength"] <= len(ours[1])

    def joint_names(file, skin):
        return [file[0]["nodes"][k]["name"] for k in file[0]["skins"][skin]["joints"]]

    theirs = meshes_of(whole[0])
    assert set(meshes_of(ours[0])) == set(theirs)
    for name, (node, mesh) in meshes_of(ours[0]).items():
        other, its_mesh = theirs[name]
        assert not {"translation", "rotation", "scale"} & node.keys()
        assert joint_names(ours, node["skin"]) == joint_names(whole, other["skin"])
        matrices = [values(file, file[0]["skins"][one["skin"]]["inverseBindMatrices"])
                    for file, one in ((ours, node), (whole, other))]
        np.testing.assert_allclose(*matrices, atol=1e-5)
        for primitive, its in zip(mesh["primitives"], its_mesh["primitives"], strict=True):
            assert primitive["attributes"].keys() == its["attributes"].keys()
            assert len(primitive.get("targets", ())) == len(its.get("targets", ()))
            for what in primitive["attributes"]:
                here, there = (values(file, one["attributes"][what])[values(file, one["indices"])[:, 0].astype(int)]
                               for file, one in ((ours, primitive), (whole, its)))
                np.testing.assert_allclose(here, there, atol=1e-6 if what != "POSITION" else 1e-5, err_msg=what)
            place = ours[0]["accessors"][primitive["attributes"]["POSITION"]]
            points = values(ours, primitive["attributes"]["POSITION"])
            np.testing.assert_allclose([place["min"], place["max"]], [points.min(0), points.max(0)], atol=1e-6)


def test_what_does_not_follow_the_rig_by_weights_is_in_it_as_the_exporter_writes_it(rigged, tmp_path):
    add_cube("floor").location = (1, 2, 3)
    data = bpy.data.curves.new("rope", "CURVE")
    data.dimensions, data.bevel_depth = "3D", 0.1
    data.splines.new("POLY").points.add(1)
    data.splines[0].points.foreach_set("co", [0, 0, 0, 1, 0, 0, 2, 1])
    rope = bpy.data.objects.new("rope", data)
    bpy.context.scene.collection.objects.link(rope)
    rope.modifiers.new("Armature", "ARMATURE").object = rigged.armature
    export(tmp_path / "whole.glb", {})
    assert write_skinned_glb(tmp_path / "ours.glb", lambda more: export(tmp_path / "ours.glb", more))
    whole, ours = (read_glb((tmp_path / name).read_bytes()) for name in ("whole.glb", "ours.glb"))
    for name in ("floor", "rope"):
        (node, mesh), (other, its_mesh) = (meshes_of(file[0])[name] for file in (ours, whole))
        assert {**node, "mesh": 0} == {**other, "mesh": 0} and "skin" not in node
        for what in mesh["primitives"][0]["attributes"]:
            np.testing.assert_array_equal(*(values(file, one["primitives"][0]["attributes"][what])
                                            for file, one in ((ours, mesh), (whole, its_mesh))))


def test_blender_reads_it_and_bends_it_alike(rigged, tmp_path):
    arm = rigged.armature.name
    with Outputs() as outputs:
        outputs.scene("glb", tmp_path / "ours.glb")

    def bent() -> dict[str, np.ndarray]:
        bpy.data.objects[arm].pose.bones["forearm.L"].rotation_mode = "XYZ"
        bpy.data.objects[arm].pose.bones["forearm.L"].rotation_euler.x = 1.0
        return {o.name: np.unique(np.round(deformed_points(o), 3), axis=0) for o in bpy.data.objects
                if o.type == "MESH" and o.find_armature()}

    before = bent()
    assert not any(a.name.startswith("_") for o in bpy.data.objects if o.type == "MESH" for a in o.data.attributes)
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "ours.glb"), bone_heuristic="BLENDER")
    after = bent()
    assert after.keys() == before.keys()
    for name, points in before.items():
        np.testing.assert_allclose([after[name].min(0), after[name].max(0)], [points.min(0), points.max(0)], atol=3e-3)


def pose(o, armature):
    armature.pose.bones["hips"].location.x = 1.0


def refine(o, armature):
    o.modifiers.new("Mirror", "MIRROR")


def key_turned(o, armature):
    o.shape_key_add(name="Basis")


def strip(o, armature):
    for group in o.vertex_groups:
        group.remove([0])


def share(o, armature):
    twin = o.copy()
    bpy.context.scene.collection.objects.link(twin)


def own(o, armature):
    o.data.attributes.new("_mine", "FLOAT", "POINT")


def move(o, armature):
    armature.animation_data_create().action = bpy.data.actions.new("wave")


def another_of_its_name(o, armature):
    armature.data.bones["hips"].name = armature.name


@pytest.mark.long
@pytest.mark.parametrize("change", [pose, refine, key_turned, strip, share, own, move, another_of_its_name])
def test_what_is_not_plain_is_left_to_blender(rigged, tmp_path, change):
    change(rigged.character.parts[0].object, rigged.armature)
    bpy.context.view_layer.update()
    path = tmp_path / "out.glb"
    assert not write_skinned_glb(path, lambda more: export(path, more))
    with Outputs() as outputs:
        outputs.scene("glb", path)
    assert read_glb(path.read_bytes())[0]["skins"]
