"""What is on the stage, written by Blender's own exporters with the settings that keep it as it is."""

from __future__ import annotations

from pathlib import Path

import bpy

from ..core.skeleton.engine import Engine
from ..core.skeleton.engine_rig import EngineRig
from .bridge.files import reason
from .formats import BadFile
from .glb import pack_glb, read_glb
from .vrm import as_vrm

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
    """Write the scene of the context as the engine's kind of file.  Raises BadFile."""
    try:
        if engine.container == "fbx":
            context.scene.unit_settings.system = "METRIC"
            context.scene.unit_settings.scale_length = engine.unit
            _call(bpy.ops.export_scene.fbx, path, FBX | FBX_AXES[engine.up] | {"bake_anim": has_takes})
        elif engine.container == "glb":
            _call(bpy.ops.export_scene.gltf, path, GLTF | {"export_animations": has_takes})
        elif engine.container == "vrm":
            _write_vrm(engine, plan, meta, path)
    except RuntimeError as error:
        raise BadFile(f"'{path.name}' cannot be written: {reason(error)}") from error
    except OSError as error:
        raise BadFile(f"'{path.name}' cannot be written: {error.strerror}.") from error


def _write_vrm(engine: Engine, plan: EngineRig, meta: dict, path: Path) -> None:
    """By way of a .glb beside it: Blender's exporter writes no other name."""
    glb = path.with_name(f"{path.name}.glb")
    try:
        _call(bpy.ops.export_scene.gltf, glb, GLTF | {"export_animations": False})
        tree, binary = read_glb(glb.read_bytes())
        path.write_bytes(pack_glb(as_vrm(tree, engine, plan, meta), binary))
    finally:
        glb.unlink(missing_ok=True)


def _call(operator, path: Path, options: dict) -> None:
    """Run an exporter with those of the options that this Blender's has."""
    known = operator.get_rna_type().properties.keys()
    operator(filepath=str(path), check_existing=False, **{key: value for key, value in options.items() if key in known})
