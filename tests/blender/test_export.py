"""Characters handed to engines: what is read back is what was there, and the artist's scene notices nothing."""

from __future__ import annotations

import json
import shutil

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon.characters.rest_poses import take_rest_pose
from geppetto.addon.characters.rigging import auto_rig
from geppetto.addon.export import engine_files, exporting
from geppetto.addon.export.exporting import ExportOptions, export_for
from geppetto.addon.export.glb import painted, read_glb
from geppetto.addon.formats import ENGINE_SUFFIX, BadFile
from geppetto.addon.motion.moving import move
from geppetto.core.errors import BadBoneMap, BadRig
from geppetto.core.skeleton.engine import engines, load_engine
from geppetto.core.skeleton.preset import load_template
from tests.characters import quadruped

from .scenes import add_character, array_of, deformed_points, fingerprint, group_weights, world_points
from .test_foreign_rigs import edited

pytestmark = pytest.mark.usefixtures("rigged_once")

NEAR = 1e-5  # of the height
FRAMES = (0, 9, 20)


def walker(context, character, preset: str = "biped", motion: str = "walk"):
    """(objects, armature) of a rigged character that walks."""
    objects = add_character(character)
    armature = auto_rig(context, objects, load_template(preset)).armature
    context.scene.render.fps = 30
    if motion:
        move(context, armature, motion)
    return objects, armature


def state(context) -> dict:
    """What an export must leave alone."""
    return {"objects": {o.name: fingerprint(o) if o.type == "MESH" else np.array(o.matrix_world).tobytes()
                        for o in bpy.data.objects},
            "groups": {o.name: [g.name for g in o.vertex_groups] for o in bpy.data.objects if o.type == "MESH"},
            "data": {kind: sorted(d.name for d in getattr(bpy.data, kind)) for kind in (
                "objects", "meshes", "armatures", "actions", "scenes", "collections", "shape_keys", "materials")},
            "bones": {a.name: [(b.name, np.array(b.matrix_local).tobytes()) for b in a.bones]
                      for a in bpy.data.armatures},
            "actions": {o.name: o.animation_data.action.name for o in bpy.data.objects
                        if o.animation_data and o.animation_data.action},
            "selected": sorted(o.name for o in context.selected_objects), "active": context.view_layer.objects.active,
            "scene": context.scene, "frame": context.scene.frame_current, "mode": context.mode}


def seen(context, objects, armature) -> list[np.ndarray]:
    """(V, 3) all skin in some frames of the walk, the ground under the hips at the origin, and at rest before these."""
    armature.data.pose_position = "REST"
    rest = np.concatenate([deformed_points(o) for o in objects])
    hips = np.array(armature.matrix_world @ armature.data.bones["hips"].head_local)
    origin = np.array([hips[0], hips[1], rest[:, 2].min()])
    armature.data.pose_position = "POSE"
    out = [rest - origin]
    for frame in FRAMES:
        context.scene.frame_set(context.scene.frame_start + frame)
        out.append(np.concatenate([deformed_points(o) for o in objects]) - origin)
    return out


def read_back(context, path, names_of_objects) -> list[np.ndarray]:
    """The same of a file, by Blender's importer."""
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    context.scene.render.fps = 30
    if path.suffix == ".fbx":
        bpy.ops.import_scene.fbx(filepath=str(path))
    elif path.suffix == ".dae":
        bpy.ops.wm.collada_import(filepath=str(path))
    else:
        shutil.copy(path, path.with_suffix(".glb")) if path.suffix == ".vrm" else None
        bpy.ops.import_scene.gltf(filepath=str(path.with_suffix(".glb")))
    armature, = [o for o in bpy.data.objects if o.type == "ARMATURE"]
    objects = [bpy.data.objects[name] for name in names_of_objects]
    armature.data.pose_position = "REST"
    out = [np.concatenate([deformed_points(o) for o in objects])]
    armature.data.pose_position = "POSE"
    if bpy.data.actions:
        action, = bpy.data.actions
        assert "walk" in action.name
        data = armature.animation_data_create()
        for track in data.nla_tracks:
            track.mute = True
        data.action = action
        for frame in FRAMES:
            context.scene.frame_set(int(action.frame_range[0]) + frame)
            out.append(np.concatenate([deformed_points(o) for o in objects]))
    return out


@pytest.mark.long
@pytest.mark.parametrize("engine", ["unreal", "unity", "godot", "mixamo"])
def test_a_file_shows_what_the_scene_showed(context, person, tmp_path, engine):
    (body,), armature = walker(context, person)
    engine = load_engine(engine)
    path = tmp_path / f"out{ENGINE_SUFFIX[engine.container]}"
    before, wanted, name = state(context), seen(context, [body], armature), body.name
    context.scene.frame_set(before["frame"])
    done = export_for(context, armature, engine, path, ExportOptions(rest="modelled"))
    assert state(context) == before and done.takes == ("walk",)
    found = read_back(context, path, [name])
    height = np.ptp(wanted[0][:, 2])
    assert len(found) == len(wanted)
    for a, b in zip(found, wanted, strict=True):
        assert np.abs(a - b).max() < NEAR * height


@pytest.mark.parametrize("engine", ["unity", "unreal"])
def test_an_fbx_with_motions_rests_without_them(context, person, tmp_path, engine):
    """Unity takes the places of the file's nodes for the rest pose, not those that the skin is bound in."""
    (body,), armature = walker(context, person)
    name = body.name
    export_for(context, armature, load_engine(engine), tmp_path / "out.fbx")
    assert b"geppetto_" not in (tmp_path / "out.fbx").read_bytes()
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.fbx(filepath=str(tmp_path / "out.fbx"), use_anim=False)
    posed = deformed_points(bpy.data.objects[name])
    next(o for o in bpy.data.objects if o.type == "ARMATURE").data.pose_position = "REST"
    np.testing.assert_allclose(posed, deformed_points(bpy.data.objects[name]), atol=1e-4 * np.ptp(posed[:, 2]))


@pytest.mark.sweep(3)
@pytest.mark.parametrize("engine", engines())
def test_people_rest_as_the_engine_wants_and_stand_on_its_origin(context, person, tmp_path, engine):
    (body,), armature = walker(context, person, motion="")
    engine, name = load_engine(engine), body.name
    path = tmp_path / f"out{ENGINE_SUFFIX[engine.container]}"
    done = export_for(context, armature, engine, path)
    assert done.is_person and [p.name for p in tmp_path.iterdir()] == [path.name], "nothing else is written"
    if engine.rest != "modelled":
        take_rest_pose(context, armature, engine.rest)
    wanted = seen(context, [body], armature)[0]
    if path.suffix == ".dae" and "collada_import" not in dir(bpy.ops.wm):
        pytest.skip("this Blender reads no COLLADA")
    found = read_back(context, path, [name])[0]
    assert abs(found[:, 2].min()) < 1e-2 * np.ptp(wanted[:, 2])
    if engine.front == "X":
        found = found @ np.array([[0, -1, 0], [1, 0, 0], [0, 0, 1.0]])
    wanted[:, 2] += found[:, 2].min() - wanted[:, 2].min()  # the ground is the modelled mesh's
    order = [np.lexsort(np.round(p, 4).T) for p in (found, wanted)] if len(found) != len(wanted) else [slice(None)] * 2
    np.testing.assert_allclose(found[order[0]], wanted[order[1]], atol=NEAR * np.ptp(wanted[:, 2]))


@pytest.mark.long
def test_turned_scaled_mirrored_keyed_and_carried_things_come_along(context, person, tmp_path):
    objects = add_character(person)
    body = objects[0]
    body.shape_key_add(name="Basis")
    key = body.shape_key_add(name="blink")
    points = array_of(body.data.vertices, "co", 3).copy()
    points[:, 1] -= 0.1
    key.data.foreach_set("co", points.ravel())
    key.value = 0.25
    body.modifiers.new("Subdivision", "SUBSURF").levels = 1
    armature = auto_rig(context, objects, load_template("biped")).armature
    hat = bpy.data.objects.new("hat", bpy.data.meshes.new("hat"))
    hat.data.from_pydata([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0)], [], [(0, 1, 2)])
    context.scene.collection.objects.link(hat)
    hat.parent, hat.parent_type, hat.parent_bone = armature, "BONE", "head"
    armature.matrix_world = Matrix.Translation((3, 2, 1)) @ Matrix.Rotation(1.2, 4, "Z") @ Matrix.Scale(2.0, 4)
    context.view_layer.update()
    before = state(context)
    done = export_for(context, armature, load_engine("vrm"), tmp_path / "out.vrm")
    assert state(context) == before and done.objects == 2
    tree, _ = read_glb((tmp_path / "out.vrm").read_bytes())
    mesh = next(m for m in tree["meshes"] if m["name"] == body.data.name)
    assert mesh["extras"]["targetNames"] == ["blink"] and mesh["weights"] == [0.25]
    at = tree["accessors"][mesh["primitives"][0]["attributes"]["POSITION"]]
    size = np.array(at["max"]) - at["min"]
    wanted = np.ptp(world_points(body)[:, 2])
    assert abs(size[1] - wanted) < 0.03 * wanted and size[0] > 0.8 * wanted, "upright, arms wide, twice as large"
    shifts = tree["accessors"][mesh["primitives"][0]["targets"][0]["POSITION"]]
    np.testing.assert_allclose(shifts["max"], [0, 0, 0.2], atol=0.05)  # to the front


def test_names_are_given_back_where_objects_share_a_mesh(context, person, tmp_path):
    objects = add_character(person)
    twin = objects[0].copy()
    context.scene.collection.objects.link(twin)
    armature = auto_rig(context, [*objects, twin], load_template("biped")).armature
    assert twin.data == objects[0].data
    before = state(context)
    assert export_for(context, armature, load_engine("godot"), tmp_path / "out.glb").objects == 2
    assert state(context) == before
    tree, _ = read_glb((tmp_path / "out.glb").read_bytes())
    assert {objects[0].name, twin.name, "Armature"} <= {node["name"] for node in tree["nodes"]}


@pytest.mark.long
def test_what_is_hidden_is_left_out_and_named(context, dressed, tmp_path):
    objects = add_character(dressed)
    armature = auto_rig(context, objects, load_template("biped")).armature
    assert export_for(context, armature, load_engine("unity"), tmp_path / "all.fbx").warnings == ()
    objects[-1].hide_set(True)
    done = export_for(context, armature, load_engine("unity"), tmp_path / "some.fbx")
    assert done.objects == len(objects) - 1 and done.warnings == (
        f"'{objects[-1].name}' is not in the file: what is hidden is left out. Show it to export it.",)


def test_what_has_no_material_is_no_metal():
    tree = {"meshes": [{"primitives": [{"material": 0}, {"mode": 4}]}], "materials": [{"name": "cloth"}]}
    got = painted(tree)
    assert [one["material"] for one in got["meshes"][0]["primitives"]] == [0, 1]
    assert [m["name"] for m in got["materials"]] == ["cloth", "plain"]
    assert got["materials"][1]["pbrMetallicRoughness"]["metallicFactor"] == 0
    assert painted(got) is got


def test_a_vrm_says_what_the_specification_asks_for(context, person, tmp_path):
    _, armature = walker(context, person)
    path = tmp_path / "out.vrm"
    export_for(context, armature, load_engine("vrm"), path, ExportOptions(meta={"name": "Pip", "authors": ["Ada"]}))
    tree, _ = read_glb(path.read_bytes())
    vrm = tree["extensions"]["VRMC_vrm"]
    assert "VRMC_vrm" in tree["extensionsUsed"] and vrm["specVersion"] == "1.0" and "animations" not in tree
    assert vrm["meta"]["name"] == "Pip" and vrm["meta"]["authors"] == ["Ada"] and vrm["meta"]["licenseUrl"]
    nodes = tree["nodes"]
    bones = {bone: nodes[held["node"]]["name"] for bone, held in vrm["humanoid"]["humanBones"].items()}
    required = {"hips", "spine", "head", *(f"{s}{p}" for s in ("left", "right") for p in (
        "UpperLeg", "LowerLeg", "Foot", "UpperArm", "LowerArm", "Hand"))}
    assert required <= set(bones) and len(set(bones.values())) == len(bones)
    assert bones["upperChest"] == "J_Bip_C_UpperChest" and bones["leftToes"] == "J_Bip_L_ToeBase"


def test_eyes_look_and_a_jaw_speaks(context, person, tmp_path):
    (body,), armature = walker(context, person, motion="")
    top = max(world_points(body)[:, 2])
    ends = {"eye.L": ((0.03, -0.1, top - 0.1), (0.03, -0.15, top - 0.1)),
            "eye.R": ((-0.03, -0.1, top - 0.1), (-0.03, -0.15, top - 0.1)),
            "jaw": ((0, 0.02, top - 0.17), (0, -0.1, top - 0.2))}
    edited(context, armature, lambda bones: [new_bone(bones, "head", name, *at) for name, at in ends.items()])
    chin = [v.index for v in body.data.vertices if top - 0.25 < v.co.z < top - 0.2 and v.co.y < 0]
    body.vertex_groups.new(name="jaw").add(chin, 1.0, "REPLACE")
    body.vertex_groups["head"].remove(chin)
    export_for(context, armature, load_engine("vrm"), tmp_path / "out.vrm")
    tree, _ = read_glb((tmp_path / "out.vrm").read_bytes())
    vrm = tree["extensions"]["VRMC_vrm"]
    assert {"leftEye", "rightEye", "jaw"} <= set(vrm["humanoid"]["humanBones"]) and vrm["lookAt"]["type"] == "bone"
    x, y, z = vrm["lookAt"]["offsetFromHeadBone"]
    assert abs(x) < 1e-3 and y > 0 and z > 0.05
    binds = {name: e["morphTargetBinds"][0]["weight"] for name, e in vrm["expressions"]["preset"].items()}
    assert binds == {"aa": 1.0, "oh": 0.7, "ih": 0.4, "ou": 0.4, "ee": 0.4}
    mesh = tree["meshes"][0]
    shift = tree["accessors"][mesh["primitives"][0]["targets"][0]["POSITION"]]
    assert shift["min"][1] < -0.005 and shift["max"][1] < 0.01, "the chin goes down"
    assert "jaw" in armature.data.bones and body.data.shape_keys is None


def new_bone(bones, parent: str, name: str, head, tail) -> None:
    bone = bones.new(name)
    bone.head, bone.tail, bone.parent = head, tail, bones[parent]


@pytest.mark.long
def test_what_constraints_do_to_twist_bones_is_in_the_take(context, person, tmp_path):
    (body,), armature = walker(context, person)
    arm = armature.data.bones["upper_arm.L"]
    middle = (arm.head_local + arm.tail_local) / 2
    edited(context, armature, lambda bones: new_bone(bones, "upper_arm.L", "upper_arm_twist_1.L", middle,
                                                     bones["upper_arm.L"].tail))
    twist = armature.pose.bones["upper_arm_twist_1.L"].constraints.new("COPY_ROTATION")
    twist.target, twist.subtarget, twist.influence = armature, "forearm.L", 0.5
    held = group_weights(body)["upper_arm.L"]
    group = body.vertex_groups.new(name="upper_arm_twist_1.L")
    for v in np.flatnonzero(held > 0).tolist():
        group.add([v], held[v] / 2, "REPLACE")
        body.vertex_groups["upper_arm.L"].add([v], held[v] / 2, "REPLACE")
    wanted, before = seen(context, [body], armature), state(context)
    export_for(context, armature, load_engine("unreal"), tmp_path / "out.fbx")
    assert state(context) == before and twist.target == armature
    found = read_back(context, tmp_path / "out.fbx", ["body"])
    assert "upperarm_twist_01_l" in next(o for o in bpy.data.objects if o.type == "ARMATURE").data.bones
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(a, b, atol=NEAR * np.ptp(wanted[0][:, 2]))


@pytest.mark.long
def test_what_a_file_lacks_of_the_motions_is_told(extension, person, tmp_path):
    _, armature = walker(extension, person)
    head, walk = armature.pose.bones["head"], armature.animation_data.action

    def told(engine: str, takes: str) -> tuple:
        path = tmp_path / f"told{ENGINE_SUFFIX[load_engine(engine).container]}"
        return export_for(extension, armature, load_engine(engine), path, ExportOptions(takes=takes)).warnings

    assert [told("unity", takes) for takes in ("all", "active", "none")] == [()] * 3
    assert told("vrm", "none") == ()
    assert told("second-life", "all") == (
        "Second Life knows no motions: 'told.dae' holds the character without one.",)
    armature.animation_data.nla_tracks.new().strips.new("walk", 1, walk)
    armature.animation_data.action = None
    text, = told("unity", "active")
    assert "'told.fbx' holds the character without one. Choose one in the Action Editor" in text
    assert told("unity", "all") == ()
    armature.animation_data.action = walk
    for frame, size in ((1, 1.0), (9, 1.6)):
        head.scale = (size,) * 3
        head.keyframe_insert("scale", frame=frame)
    assert told("godot", "active") == ("The motion 'walk' scales bones, 'told.glb' does not: there they keep their "
                                       "size.",)
    for o in extension.selected_objects:
        o.select_set(False)
    extension.view_layer.objects.active = armature
    assert bpy.ops.geppetto.export_for(engine="second-life", filepath=str(tmp_path / "sl.dae")) == {"FINISHED"}


@pytest.mark.long
def test_animals_go_where_any_body_may_and_are_refused_elsewhere(context, tmp_path):
    _, armature = walker(context, quadruped(), "quadruped", "")
    before = state(context)
    done = export_for(context, armature, load_engine("unreal"), tmp_path / "out.fbx")
    assert not done.is_person and done.bones == len(armature.data.bones) + 1
    with pytest.raises(BadRig, match=f"'{armature.name}' has no 'upper_arm.L'.*Unreal"):
        export_for(context, armature, load_engine("vrm"), tmp_path / "out.vrm")
    with pytest.raises(BadRig, match="Only people"):
        export_for(context, armature, load_engine("unreal"), tmp_path / "T.fbx", ExportOptions(rest="T"))
    assert state(context) == before and [p.name for p in tmp_path.iterdir()] == ["out.fbx"]


@pytest.mark.long
def test_a_failure_leaves_scene_and_folder_as_they_were(context, person, tmp_path, monkeypatch):
    _, armature = walker(context, person)
    path = tmp_path / "out.fbx"
    path.write_text("yesterday's")
    before = state(context)

    def half(operator, place, options):
        place.write_text("half")
        raise RuntimeError("Error: no space left")

    monkeypatch.setattr(engine_files, "_call", half)
    for engine, name in (("unreal", "out.fbx"), ("vrm", "out.vrm")):
        with pytest.raises(BadFile, match="no space left"):
            export_for(context, armature, load_engine(engine), tmp_path / name)
    with monkeypatch.context() as patched:
        patched.setattr(exporting, "write_file", lambda *a: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            export_for(context, armature, load_engine("unity"), path)
    assert state(context) == before
    assert [p.name for p in tmp_path.iterdir()] == ["out.fbx"] and path.read_text() == "yesterday's"
    with pytest.raises(BadFile, match="nowhere"):
        export_for(context, armature, load_engine("godot"), tmp_path / "nowhere" / "out.glb")
    assert state(context) == before


def test_an_engine_of_ones_own_needs_no_code(context, person, tmp_path):
    _, armature = walker(context, person, motion="")
    data = json.loads((engine_files.__file__ and load_engine_path("unity")).read_text())
    data |= {"name": "mine", "root": "Base", "bones": {"hips": "Becken", "head": "Kopf"}, "chains": [], "unit": 1.0}
    (tmp_path / "mine.json").write_text(json.dumps(data))
    path = tmp_path / "out.fbx"
    assert export_for(context, armature, load_engine(tmp_path / "mine.json"), path).is_person
    bpy.ops.wm.read_homefile(use_empty=True, use_factory_startup=True)
    bpy.ops.import_scene.fbx(filepath=str(path))
    bones = next(o for o in bpy.data.objects if o.type == "ARMATURE").data.bones
    assert {"Base", "Becken", "Kopf", "upper_arm_L"} <= set(bones.keys()) and bones["Becken"].parent == bones["Base"]
    with pytest.raises(BadBoneMap):
        load_engine(tmp_path / "other.json")


def load_engine_path(name: str):
    from geppetto.core.skeleton.engine import PRESETS

    return PRESETS / f"{name}.json"


@pytest.mark.long
def test_the_button_writes_and_remembers(extension, person, tmp_path):
    walker(extension, person)
    path = tmp_path / "out.glb"
    assert bpy.ops.geppetto.export_for(engine="godot", filepath=str(path.with_suffix(""))) == {"FINISHED"}
    assert path.exists() and extension.scene.geppetto.export_folder == str(tmp_path)
    tree, _ = read_glb(path.read_bytes())
    assert [a["name"] for a in tree["animations"]] == ["walk"] and "Geppetto Export" not in str(tree)
    assert bpy.ops.geppetto.export_for(engine="godot", filepath=str(path), takes="none") == {"FINISHED"}
    assert "animations" not in read_glb(path.read_bytes())[0]
    with pytest.raises(RuntimeError, match="cannot be written"):
        bpy.ops.geppetto.export_for(engine="godot", filepath=str(tmp_path / "no" / "out.glb"))
    with pytest.raises(RuntimeError, match="has no name"):
        bpy.ops.geppetto.export_for(engine="unity", filepath=f"{tmp_path}/")


@pytest.mark.parametrize(("mode", "after"), [("POSE", "POSE"), ("EDIT", "OBJECT")])
def test_the_button_leaves_the_mode_itself(extension, person, tmp_path, mode, after):
    armature = auto_rig(extension, add_character(person), load_template("biped")).armature
    extension.view_layer.objects.active = armature
    bpy.ops.object.mode_set(mode=mode)
    path = tmp_path / "out.glb"
    assert bpy.ops.geppetto.export_for(engine="godot", filepath=str(path)) == {"FINISHED"}
    assert path.stat().st_size and armature.mode == after and extension.view_layer.objects.active == armature


def test_the_button_refuses_controls(extension, person):
    """The last test here: once Rigify has made controls, Blender 4.3 crashes when scenes are switched in a new file."""
    auto_rig(extension, add_character(person), load_template("biped"))
    assert bpy.ops.geppetto.export_for.poll()
    assert bpy.ops.geppetto.make_control_rig() == {"FINISHED"}
    assert not bpy.ops.geppetto.export_for.poll()
