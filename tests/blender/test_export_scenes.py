"""Scenes as artists have them, handed to engines: other units, poses without keys, things in hands, faces."""

from __future__ import annotations

import re
from pathlib import Path

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon.bridge.mesh import own_points
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.export import engine_files
from geppetto.addon.export.exporting import ExportOptions, export_for
from geppetto.addon.export.glb import read_glb
from geppetto.addon.formats import ENGINE_SUFFIX, BadFile
from geppetto.addon.motion.moving import move
from geppetto.core.skeleton.engine import load_engine
from geppetto.core.skeleton.preset import load_template

from .batches import main, report_of, save
from .scenes import add_character, add_cube, array_of, deformed_points
from .test_export import NEAR, new_bone, read_back, seen, walker
from .test_foreign_rigs import edited
from .test_situations import nodes


@pytest.mark.sweep(1, long=True)
@pytest.mark.parametrize("engine", ["unity", "godot"])
def test_a_scene_in_centimetres_comes_out_as_large_as_one_in_metres(context, person, tmp_path, engine):
    engine, found = load_engine(engine), []
    path = tmp_path / f"out{ENGINE_SUFFIX[engine.container]}"
    body, = add_character(person)
    for size in (1.0, 100.0):
        body.scale, context.scene.unit_settings.scale_length = (size,) * 3, 1.0 / size
        context.scene.render.fps = 30
        context.view_layer.update()
        armature = auto_rig(context, [body], load_template("biped")).armature
        move(context, armature, "walk")
        export_for(context, armature, engine, path)
        found.append(read_back(context, path, [body.name]))
        body, = add_character(person)
    for metres, centimetres in zip(*found, strict=True):
        np.testing.assert_allclose(centimetres, metres, atol=10 * NEAR * np.ptp(metres[:, 2]))


@pytest.mark.long
def test_what_was_moved_by_hand_and_has_no_keys_yet_stays(extension, person, tmp_path):
    (body,), armature = walker(extension, person)
    extension.scene.frame_set(7)
    body.shape_key_add(name="Basis")
    smile = body.shape_key_add(name="smile")
    smile.keyframe_insert("value", frame=1)
    smile.value = 0.5
    head = armature.pose.bones["head"]
    head.rotation_quaternion = (0.9, 0.3, 0.1, 0.2)
    armature.location.x = 2.0
    armature.keyframe_insert("location", frame=1)
    armature.location.x = 3.0
    extension.view_layer.update()
    posed = head.matrix.copy()
    for takes in ("all", "none"):
        assert bpy.ops.geppetto.export_for(engine="unity", takes=takes, filepath=str(tmp_path / "out.fbx")) == {
            "FINISHED"}
        extension.view_layer.update()
        assert head.matrix == posed and smile.value == 0.5 and armature.location.x == 3.0
    export_for(extension, armature, load_engine("godot"), tmp_path / "out.glb")
    assert armature.matrix_world.translation.x == 3.0, "at once"


@pytest.mark.long
def test_what_hangs_on_a_bone_by_way_of_others_comes_along_and_all_else_is_told(context, person, tmp_path):
    (body,), armature = walker(context, person)
    edited(context, armature, lambda bones: new_bone(bones, "hand.R", "socket", bones["hand.R"].head,
                                                     bones["hand.R"].tail))
    armature.data.bones["socket"].use_deform = False
    empty, rope = (bpy.data.objects.new(name, data) for name, data in (
        ("grip", None), ("rope", bpy.data.curves.new("rope", "CURVE"))))
    for o in (empty, rope):
        context.scene.collection.objects.link(o)
    sword, badge, hat = add_cube("sword", 0.1), add_cube("badge", 0.1), add_cube("hat", 0.1)
    for o, parent, bone in ((empty, armature, "socket"), (sword, empty, ""), (rope, armature, "head"),
                            (badge, body, "")):
        o.parent, o.parent_type, o.parent_bone = parent, "BONE" if bone else "OBJECT", bone
    tied = hat.constraints.new("CHILD_OF")
    tied.target, tied.subtarget = armature, "head"
    wanted = seen(context, [body, sword], armature)
    done = export_for(context, armature, load_engine("unity"), tmp_path / "out.fbx", ExportOptions(rest="modelled"))
    assert done.objects == 2 and done.warnings == (
        "'badge', 'rope', 'hat' is not in the file: only meshes that follow a bone are. Parent it to a bone, or turn "
        "it into a mesh with Object > Convert.",)
    for a, b in zip(read_back(context, tmp_path / "out.fbx", [body.name, "sword"]), wanted, strict=True):
        np.testing.assert_allclose(a, b, atol=NEAR * np.ptp(wanted[0][:, 2]))


@pytest.mark.long
def test_clothes_that_a_modifier_lays_on_the_body_are_at_rest_while_it_is_posed(context, person, tmp_path):
    (body,), armature = walker(context, person, motion="")
    shirt = body.copy()
    shirt.data = body.data.copy()
    context.scene.collection.objects.link(shirt)
    lies_on = shirt.modifiers.new("Shrinkwrap", "SHRINKWRAP")
    lies_on.target, lies_on.offset = body, 0.01
    found = []
    for angle in (0.0, 1.2):
        armature.pose.bones["upper_arm.L"].matrix_basis = Matrix.Rotation(angle, 4, "X")
        context.view_layer.update()
        posed = deformed_points(body)
        export_for(context, armature, load_engine("godot"), tmp_path / "out.glb", ExportOptions(rest="modelled"))
        np.testing.assert_array_equal(deformed_points(body), posed)
        found.append((tmp_path / "out.glb").read_bytes())
    assert found[0] == found[1]


def hair(body) -> None:
    """Hair of particles."""
    body.modifiers.new("Hair", "PARTICLE_SYSTEM")
    body.particle_systems[0].settings.type = "HAIR"


def studs(body) -> None:
    """A cube on each vertex, as instances that nodes make."""
    nodes(body, moves=False)
    group = body.modifiers[-1].node_group
    first, last = group.nodes["Group Input"], group.nodes["Group Output"]
    cube, put, join = (group.nodes.new(f"GeometryNode{kind}")
                       for kind in ("MeshCube", "InstanceOnPoints", "JoinGeometry"))
    for of, to in ((first.outputs[0], put.inputs["Points"]), (cube.outputs[0], put.inputs["Instance"]),
                   (first.outputs[0], join.inputs[0]), (put.outputs[0], join.inputs[0]),
                   (join.outputs[0], last.inputs[0])):
        group.links.new(of, to)


@pytest.mark.long
@pytest.mark.parametrize("shows", [hair, studs])
def test_hair_of_particles_and_instances_are_told_to_be_missing(context, person, tmp_path, shows):
    (body,), armature = walker(context, person, motion="")
    done = export_for(context, armature, load_engine("godot"), tmp_path / "out.glb")
    assert done.warnings == ()
    shows(body)
    done = export_for(context, armature, load_engine("godot"), tmp_path / "out.glb")
    assert [text.split(":")[0] for text in done.warnings] == ["'out.glb' lacks what 'body' shows besides a mesh"]
    bpy.data.objects.remove(armature)
    path = save(tmp_path / "body.blend")
    assert main([str(path), "--out", str(tmp_path / "out"), "--no-picture", "--format", "blend,glb"]) == 0
    entry, = report_of(tmp_path / "out")
    assert [text.split(":")[0] for text in entry["warnings"]] == ["A .glb lacks what 'body' shows besides a mesh"]


@pytest.mark.long
def test_muted_keyed_and_driven_shape_keys_are_at_zero_and_told(context, person, tmp_path):
    (body,), armature = walker(context, person, motion="")
    body.shape_key_add(name="Basis")
    off, keyed, driven, fat = (body.shape_key_add(name=name) for name in ("off", "keyed", "driven", "fat"))
    for key, value in ((off, 1.0), (keyed, 1.0), (fat, 0.5)):
        key.value = value
    off.mute = True
    keyed.keyframe_insert("value", frame=1)
    driven.driver_add("value").driver.expression = "1.0"
    context.view_layer.update()
    done = export_for(context, armature, load_engine("godot"), tmp_path / "out.glb")
    mesh, = read_glb((tmp_path / "out.glb").read_bytes())[0]["meshes"]
    assert dict(zip(mesh["extras"]["targetNames"], mesh["weights"], strict=True)) == {
        "off": 0, "keyed": 0, "driven": 0, "fat": 0.5}
    assert done.warnings == ("'out.glb' has shape keys of 'body' that keys or drivers move, such as 'driven', without "
                             "their motion and at 0.",)


@pytest.mark.long
def test_a_file_that_knows_no_shape_keys_has_the_shape_they_make(context, person, tmp_path):
    (body,), armature = walker(context, person, motion="")
    heights = []
    for value in (0.0, 0.5):
        if value:
            body.shape_key_add(name="Basis")
            fat = body.shape_key_add(name="fat")
            fat.data.foreach_set("co", (1.1 * own_points(body)).ravel())
            fat.value = value
        export_for(context, armature, load_engine("second-life"), tmp_path / "out.dae", ExportOptions(rest="modelled"))
        numbers = re.search(r"<float_array[^>]*>([^<]+)<", (tmp_path / "out.dae").read_text())[1]  # the first: points
        heights.append(np.ptp([float(x) for x in numbers.split()][2::3]))
    assert heights[1] == pytest.approx(1.05 * heights[0], rel=1e-3)


@pytest.mark.long
def test_a_rig_that_is_scaled_unevenly_is_told_as_long_as_it_moves(context, person, tmp_path):
    _, armature = walker(context, person)
    armature.scale = (1.0, 1.0, 1.3)
    context.view_layer.update()
    told, *_ = export_for(context, armature, load_engine("unity"), tmp_path / "out.fbx").warnings
    assert told == (f"'{armature.name}' is scaled unevenly: in motion the character looks different in 'out.fbx'. "
                    "Apply the scale of the rig and of its meshes first.")
    still = export_for(context, armature, load_engine("unity"), tmp_path / "out.fbx", ExportOptions(takes="none"))
    armature.scale = (1.3, 1.3, 1.3)
    context.view_layer.update()
    assert still.warnings == () == export_for(context, armature, load_engine("unity"), tmp_path / "out.fbx").warnings


@pytest.mark.parametrize("engine", ["unity", "godot"])
def test_a_folder_or_name_that_takes_no_file_is_told_by_the_files_own_name(context, person, tmp_path, engine,
                                                                           monkeypatch):
    _, armature = walker(context, person, motion="")
    engine = load_engine(engine)
    path = tmp_path / f"{'x' * 300}{ENGINE_SUFFIX[engine.container]}"
    with pytest.raises(BadFile, match=r"x{300}.* cannot be written: [^:]+[.]$"):
        export_for(context, armature, engine, path)
    assert list(tmp_path.iterdir()) == [], "nothing half written stays"

    def refuse(path, *args, **kwargs):
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    monkeypatch.setattr(engine_files, "_call", refuse)
    path = tmp_path / f"out{path.suffix}"
    with pytest.raises(BadFile, match=re.escape(f"'{path}' cannot be written: Permission denied.")):
        export_for(context, armature, engine, path)


@pytest.mark.long
def test_a_rig_that_its_scale_mirrors_faces_the_front_with_its_left_on_the_left(context, person, tmp_path):
    (body,), armature = walker(context, person)
    armature.scale.x = -1.0
    context.view_layer.update()
    wanted, name = seen(context, [body], armature), body.name
    export_for(context, armature, load_engine("unity"), tmp_path / "out.fbx", ExportOptions(rest="modelled"))
    for a, b in zip(read_back(context, tmp_path / "out.fbx", [name]), wanted, strict=True):
        np.testing.assert_allclose(a, b, atol=NEAR * np.ptp(wanted[0][:, 2]))
    read = next(o for o in bpy.data.objects if o.type == "ARMATURE")
    assert (read.matrix_world @ read.data.bones["LeftHand"].head_local).x > 0.1


def test_custom_normals_of_what_its_scale_mirrors_are_mirrored_too(context, person, tmp_path):
    body, = add_character(person)
    body.data.normals_split_custom_set([(0.6, 0.0, 0.8)] * len(body.data.loops))
    body.scale.x = -1.0
    context.view_layer.update()
    armature = auto_rig(context, [body], load_template("biped")).armature
    export_for(context, armature, load_engine("godot"), tmp_path / "out.glb", ExportOptions(rest="modelled"))
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.gltf(filepath=str(tmp_path / "out.glb"))
    read = next(o for o in bpy.data.objects if o.type == "MESH" and o.vertex_groups)
    normals = array_of(read.data.corner_normals, "vector", 3)
    np.testing.assert_allclose(normals, np.tile([-0.6, 0.0, 0.8], (len(normals), 1)), atol=0.02)
