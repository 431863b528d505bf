"""What is on the stage, written by Blender's own exporters with the settings that keep it as it is."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import bpy
import numpy as np
from scipy import sparse

from ...core.skeleton.engine import Engine
from ...core.skeleton.engine_rig import EngineRig
from ..bridge.fbx import fit_for_fbx
from ..bridge.gltf import fit_for_gltf
from ..bridge.mesh import read_triangles
from ..bridge.weights import read_groups
from ..current import renew_context
from .collada import Surface, collada
from .glb import pack_glb, painted, read_glb, skins_at_root
from .vrm import as_vrm
from .vrm_springs import with_springs

FBX = {"use_selection": False, "object_types": {"ARMATURE", "MESH"}, "global_scale": 1.0, "apply_unit_scale": True,
       "apply_scale_options": "FBX_SCALE_NONE", "use_space_transform": True, "bake_space_transform": False,
       "add_leaf_bones": False, "primary_bone_axis": "Y", "secondary_bone_axis": "X", "armature_nodetype": "NULL",
       "use_armature_deform_only": False, "mesh_smooth_type": "FACE", "use_tspace": False, "use_mesh_modifiers": False,
       "bake_anim_use_all_bones": True, "bake_anim_use_nla_strips": True, "bake_anim_use_all_actions": False,
       "bake_anim_force_startend_keying": True, "bake_anim_step": 1.0, "bake_anim_simplify_factor": 0.0,
       "path_mode": "COPY", "embed_textures": True}
FBX_AXES = {"Y": {"axis_up": "Y", "axis_forward": "-Z"}, "Z": {"axis_up": "Z", "axis_forward": "Y"}}
GLTF = {"export_format": "GLB", "use_active_scene": True, "export_yup": True, "export_apply": False,
        "export_skins": True, "export_all_influences": False, "export_def_bones": False, "export_leaf_bone": False,
        "export_rest_position_armature": True, "export_morph": True, "export_animation_mode": "NLA_TRACKS",
        "export_force_sampling": True, "export_frame_range": False, "export_anim_slide_to_zero": True,
        "export_optimize_animation_size": False, "export_optimize_animation_keep_anim_armature": True,
        "export_extras": False, "export_cameras": False, "export_lights": False}


def write_file(context, engine: Engine, plan: EngineRig, meta: dict, path: Path, has_takes: bool) -> None:
    """Write the scene of the context as the engine's kind of file.  Raises RuntimeError or OSError if that fails."""
    if engine.container == "fbx":
        context.scene.unit_settings.system = "METRIC"
        context.scene.unit_settings.scale_length = engine.unit
        with fit_for_fbx():
            _call(bpy.ops.export_scene.fbx, path, FBX | FBX_AXES[engine.up] | {"bake_anim": has_takes})
    elif engine.container in {"glb", "vrm"}:
        tree, binary = _gltf(path, has_takes)
        if engine.container == "vrm":
            tree = with_springs(as_vrm(tree, engine, plan, meta), binary, plan)
        path.write_bytes(pack_glb(tree, binary))
    elif engine.container == "dae":
        _write_collada(context, engine, path)


def _gltf(path: Path, has_takes: bool) -> tuple[dict, bytes]:
    """What Blender's exporter writes, by way of a .glb beside the path: it writes no other name."""
    glb = path.with_name(f"{path.name}.glb")
    for mesh in {o.data for o in bpy.context.scene.objects if o.type == "MESH"}:
        if not mesh.uv_layers and any(_has_picture(m) for m in mesh.materials):  # glTF 2.0 section 3.9.2 wants places
            mesh.uv_layers.new(name="UVMap", do_init=False)  # at 0, as Blender shows such a mesh
    try:
        with fit_for_gltf():
            _call(bpy.ops.export_scene.gltf, glb, GLTF | {"export_animations": has_takes})
        tree, binary = read_glb(glb.read_bytes())
        for scene in tree["scenes"]:  # the stage's name, by which Godot would call the character
            scene.pop("name", None)
        return painted(skins_at_root(tree)), binary
    finally:
        glb.unlink(missing_ok=True)


def _write_collada(context, engine: Engine, path: Path) -> None:
    armature = next(o for o in context.scene.objects if o.type == "ARMATURE")
    bones = armature.data.bones
    number = {bone.name: i for i, bone in enumerate(bones)}
    parents = np.array([number[b.parent.name] if b.parent else -1 for b in bones], int)
    rest = np.array([np.array(bone.matrix_local, float) for bone in bones])
    surfaces = [_surface(o, tuple(number)) for o in context.scene.objects if o.type == "MESH"]
    path.write_bytes(collada(surfaces, tuple(number), parents, rest, unit=engine.unit, up=engine.up[-1],
                             written=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")))


def _surface(o, bones: tuple[str, ...]) -> Surface:
    """A mesh object on the stage as COLLADA wants it."""
    mesh = o.data
    points, triangles = read_triangles(mesh)
    count = len(mesh.loop_triangles)
    corners, slots = np.empty(3 * count, np.int32), np.empty(count, np.int32)
    mesh.loop_triangles.foreach_get("loops", corners)
    mesh.loop_triangles.foreach_get("material_index", slots)
    normals = np.empty(9 * count, np.float32)
    mesh.loop_triangles.foreach_get("split_normals", normals)
    uvs = np.zeros((len(mesh.loops), 2), np.float32)
    if mesh.uv_layers.active is not None:
        flat = np.empty(2 * len(mesh.loops), np.float32)
        mesh.uv_layers.active.data.foreach_get("uv", flat)
        uvs = flat.reshape(-1, 2)
    materials = tuple((m.name, _colour(m)) if m is not None else ("plain", np.ones(4))
                      for m in mesh.materials) or (("plain", np.ones(4)),)
    groups, weights = read_groups(o)
    pick = sparse.csr_matrix((np.ones(len(groups)), (np.arange(len(groups)), [bones.index(g) for g in groups])),
                             shape=(len(groups), len(bones)))
    return Surface(o.name, points, triangles, normals.reshape(-1, 3, 3), uvs[corners].reshape(-1, 3, 2),
                   np.clip(slots, 0, len(materials) - 1), materials, (weights @ pick).tocsr())


def _call(operator, path: Path, options: dict) -> None:
    """Run an exporter with those of the options that this Blender's has."""
    known = operator.get_rna_type().properties.keys()
    renew_context()
    operator(filepath=str(path), check_existing=False, **{key: value for key, value in options.items() if key in known})


def _has_picture(material) -> bool:
    return material is not None and material.node_tree is not None and any(
        node.type == "TEX_IMAGE" for node in material.node_tree.nodes)


def _colour(material) -> np.ndarray:
    """(4,) the colour of a material without its pictures."""
    nodes = material.node_tree.nodes if material.node_tree else ()
    shader = next((node for node in nodes if node.type == "BSDF_PRINCIPLED"), None)
    return np.array(shader.inputs["Base Color"].default_value if shader else material.diffuse_color, float)
