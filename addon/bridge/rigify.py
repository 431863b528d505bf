"""A plan of controls -> Rigify's metarig -> the control rig that Rigify generates from it."""

from __future__ import annotations

from collections.abc import Sequence

import addon_utils
import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.errors import BadRig
from ...core.skeleton.control_rig import LEG, SINGLE, SPINE, ControlBone
from .. import names
from ..current import set_mode
from .whole_change import common_change

NAME = "rigify"
IK_FK = "IK_FK"  # its property of a limb: 1 follows its FK controls
ROOT, CHIEF, TWEAK, FK, EXTRA, IK = 1, 3, 4, 5, 6, 2  # Rigify's colour sets in its own metarigs
CHAIN_LAYERS = (("", CHIEF), (" (Tweak)", TWEAK))
LAYERS = dict.fromkeys(("Torso", "Tail", "Wing", "Tentacle", "Fingers"), CHAIN_LAYERS) | {"Extra": (("", EXTRA),)}
LIMB_LAYERS = ((" (IK)", IK), (" (FK)", FK), (" (Tweak)", TWEAK))


def is_rigify_on() -> bool:
    """Whether Rigify is turned on in the preferences."""
    return NAME in bpy.context.preferences.addons and hasattr(bpy.types.PoseBone, "rigify_type")


def enable_rigify() -> None:
    """Turn Rigify on if it is off.  Raises BadRig where it does not come with Blender."""
    if is_rigify_on():
        return
    if not any(module.__name__ == NAME for module in addon_utils.modules()):
        raise BadRig("Rigify is missing. It comes with Blender: install Blender completely, or without it keep the "
                     "plain rig.")
    addon_utils.enable(NAME, default_set=True)
    if not hasattr(bpy.types.PoseBone, "rigify_type"):
        raise BadRig("Rigify cannot be turned on. Turn it on by hand in Edit > Preferences > Add-ons.")


def write_metarig(context, plan: Sequence[ControlBone], name: str, collection, matrix: Matrix) -> bpy.types.Object:
    """A metarig object with the plan's bones, active and alone selected, in Object mode.

    plan : in world space;  matrix : the object's place in the world
    It begins as Rigify's own metarig of a person, for its colours; bones and collections are the plan's.
    """
    bpy.ops.object.armature_basic_human_metarig_add()
    metarig = context.view_layer.objects.active
    metarig.name = metarig.data.name = name
    for home in list(metarig.users_collection):
        home.objects.unlink(metarig)
    collection.objects.link(metarig)
    metarig.matrix_world = matrix
    context.view_layer.update()
    if not metarig.visible_get():
        collection.objects.unlink(metarig)
        context.scene.collection.objects.link(metarig)
    context.view_layer.objects.active = metarig
    metarig.select_set(True)
    for group in list(metarig.data.collections_all):
        metarig.data.collections.remove(group)
    set_mode(context, "EDIT")
    for bone in list(metarig.data.edit_bones):
        metarig.data.edit_bones.remove(bone)
    set_mode(context, "OBJECT")  # what Rigify knew about those bones goes with them
    set_mode(context, "EDIT")
    _write_bones(metarig.data.edit_bones, plan, matrix.inverted())
    set_mode(context, "OBJECT")
    groups = _write_layers(metarig.data, list(dict.fromkeys(bone.part for bone in plan)))
    for bone in plan:
        posed = metarig.pose.bones[bone.name]
        _layers_of(groups, bone.part)[0].assign(posed)
        posed.rotation_mode = "QUATERNION" if bone.kind != SINGLE else "YXZ"
        if bone.kind:
            _set_type(posed, bone, groups)
    return metarig


def generate(context, metarig: bpy.types.Object) -> bpy.types.Object:
    """What Rigify generates from the active metarig.  Raises BadRig with Rigify's own words."""
    try:
        bpy.ops.pose.rigify_generate()
    except RuntimeError as error:
        why = str(error).removeprefix("Error: ").strip()
        raise BadRig(f"Rigify could not generate a control rig: {why}") from error
    made = metarig.data.rigify_target_rig
    if made is None:
        raise BadRig("Rigify generated no control rig. Press the button again, or keep the plain rig.")
    return made


def deform_bones(rig: bpy.types.Object, plan: Sequence[ControlBone]) -> dict[str, list[tuple[str, float]]]:
    """{bone of the skeleton: [(Rigify's deform bone, where on the bone it begins), ...]}, from head to tail.

    Rigify cuts a limb's bones into segments: "DEF-thigh.L", "DEF-thigh.L.001". Raises BadRig if a bone has none.
    """
    bones = rig.data.bones
    planned = {f"DEF-{bone.name}" for bone in plan}
    table: dict[str, list[tuple[str, float]]] = {}
    whole: dict[str, list[ControlBone]] = {}
    for bone in plan:
        if bone.source:
            whole.setdefault(bone.source, []).append(bone)
    for source, pieces in whole.items():
        head, along = pieces[0].head, pieces[-1].tail - pieces[0].head
        for piece in pieces:
            chief = f"DEF-{piece.name}"
            segments = [chief, *sorted(b.name for b in bones if b.name.startswith(chief + ".")
                                       and b.name[len(chief) + 1:].isdigit() and b.name not in planned)]
            for name in segments:
                if name not in bones:
                    raise BadRig(f"Rigify made no bone '{name}' for '{source}'. Keep the plain rig.")
                place = np.array(rig.matrix_world @ bones[name].head_local, float)
                table.setdefault(source, []).append((name, float((place - head) @ along / (along @ along))))
    return table


def to_plain(controls: bpy.types.Object, plain: bpy.types.Object) -> Matrix:
    """(4, 4) from the axes of a control rig of ours to those of its plain rig, which stays where it was when the
    controls are moved, and when that is applied. For any other armature: to those of the rig as both stand now."""
    if names.UPRIGHT not in controls:
        return plain.matrix_world.inverted_safe() @ controls.matrix_world
    return Matrix(np.reshape(controls[names.UPRIGHT], (4, 4)) @ np.linalg.inv(applied_to(controls, plain)))


def applied_to(controls: bpy.types.Object, plain: bpy.types.Object) -> np.ndarray:
    """(4, 4) how the bones of a control rig of ours have changed as a whole since it was made of the plain rig's: a
    transform was applied."""
    bones = [(plain.data.bones[source].head_local, controls.data.bones[parts[0]].head_local)
             for source, parts in controls[names.SHARES].to_dict().items()
             if source in plain.data.bones and parts[0] in controls.data.bones]
    change = None
    if bones:
        back = np.linalg.inv(np.reshape(controls[names.UPRIGHT], (4, 4)))
        then, now = np.moveaxis(np.array(bones, float), 1, 0)
        change = common_change(then @ back[:3, :3].T + back[:3, 3], now)
    return np.eye(4) if change is None else change


def whole_bone(bones, part: str) -> str:
    """The bone of a control rig that goes as a whole bone does of which a part is named: that which limbs bend by; but
    in a spine, where that hangs on a handle and turns as the handle does, the part itself."""
    name = part.replace("DEF-", "ORG-", 1)
    if name not in bones:
        return part
    above = bones[name].parent
    return part if above is not None and above.name.startswith("tweak") else name


def _write_bones(bones, plan: Sequence[ControlBone], to_local: Matrix) -> None:
    turn = to_local.to_3x3()
    for bone in plan:
        made = bones.new(bone.name)
        made.head, made.tail = to_local @ Vector(bone.head), to_local @ Vector(bone.tail)
        made.align_roll((turn @ Vector(np.cross(bone.x_axis, bone.tail - bone.head))).normalized())
        if bone.parent:
            made.parent = bones[bone.parent]
            made.use_connect = bone.connected


def _write_layers(armature, parts: Sequence[str]) -> dict:
    """{name: bone collection}, with a row of buttons each; left and right stand side by side."""
    groups, row = {}, 1
    for part in dict.fromkeys(p.removesuffix(".L").removesuffix(".R") for p in parts):
        layers = _kinds_of(part)
        for side in (".L", ".R") if part + ".L" in parts or part + ".R" in parts else ("",):
            for k, (suffix, color) in enumerate(layers):
                group = armature.collections.new(part + side + suffix)
                group.rigify_ui_row, group.rigify_color_set_id = row + k, color
                group.rigify_ui_title = suffix.strip()
                if not suffix or suffix == " (IK)":
                    group.rigify_ui_title = ""
                groups[part + side + suffix] = group
        row += len(layers) + 1
    root = armature.collections.new("Root")
    root.rigify_ui_row, root.rigify_color_set_id = row, ROOT
    return groups


def _layers_of(groups: dict, part: str) -> list:
    """The part's collections: controls, FK, tweaks."""
    return [groups[part + suffix] for suffix, _ in _kinds_of(part.removesuffix(".L").removesuffix(".R"))]


def _kinds_of(part: str):
    """The layers of a part without its side: "Arm", "Tentacle 2"."""
    return LAYERS.get(part.rstrip(" 0123456789"), LIMB_LAYERS)


def _set_type(posed, bone: ControlBone, groups: dict) -> None:
    posed.rigify_type = bone.kind
    settings = posed.rigify_parameters
    for key, value in bone.settings.items():
        setattr(settings, key, value)
    if bone.kind == LEG:
        settings.extra_ik_toe = True
    if bone.kind == SINGLE:
        return
    layers = _layers_of(groups, bone.part)
    for key, group in (("fk", layers[-1] if bone.kind == SPINE else layers[-2]), ("tweak", layers[-1])):
        shown = getattr(settings, f"{key}_coll_refs", None)  # not every type has both
        if shown is not None:
            shown.add().set_collection(group)
