"""Handing a character over to a control rig that Rigify generates, and taking it back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import bpy
import numpy as np
from mathutils import Matrix, Vector

from ...core.errors import BadRig
from ...core.skeleton.bone_map import BoneMap, find_roles, has_limbs
from ...core.skeleton.control_rig import heel_of, plan_controls
from ...core.skeleton.numbered import numbered_limbs, numbered_trunk
from ...core.skeleton.preset import preset_names
from ...core.skeleton.rig import Rig
from ...core.skeleton.twist import twist_groups
from .. import names
from ..bridge.armature import check_there, read_rig, write_warnings
from ..bridge.rigify import applied_to, deform_bones, enable_rigify, generate, to_plain, write_metarig
from ..bridge.weights import read_groups
from ..current import chosen_in, set_mode
from .hung import hang_on_controls, hang_on_plain
from .rigged import followers, give_own_meshes
from .rigging import Rigged
from .segments import hand_over, take_back_weights, world_points

EVEN = 1e-4  # scales that differ by less are the same
APPLIED = 1e-3  # scales that differ by less were not applied
DATA = ("objects", "armatures", "meshes", "collections", "texts", "actions")  # what generating may add to a file


def check_controls(context, armature: bpy.types.Object) -> None:
    """Raise BadRig if a rig has nothing that Rigify could control, or is not to be had in the view layer."""
    check_there(context, armature)
    _roles(read_rig(armature), armature)


def make_control_rig(context, armature: bpy.types.Object) -> bpy.types.Object:
    """Let Rigify generate a control rig for a rig's character and bind the character to it with the weights it has.

    The plain rig and Rigify's metarig stay in the file, hidden. Returns the control rig, active, in Object mode.
    Raises BadRig, with the scene as it was.
    """
    check_there(context, armature)
    enable_rigify()
    objects = followers(armature)
    if not objects:
        raise BadRig(f"'{armature.name}' moves no mesh. Bind one to it first.")
    whole = read_rig(armature)
    twists = twist_groups(whole)  # Rigify cuts limbs into segments instead
    rig = whole.only(set(whole.names) - {whole.names[bone] for group in twists for bone in group.bones})
    if armature.matrix_world.is_negative:  # a mirror turns the way in which a turn about X goes
        rig = replace(rig, x_axes=-rig.x_axes)
    roles = _roles(rig, armature)
    place = _even(armature.matrix_world @ _upright(rig, roles, armature))
    upright = armature.matrix_world.inverted_safe() @ place
    plan = plan_controls(rig, roles, {rig.names[foot]: _heel(rig, foot, objects, np.array(place, float))
                                      for foot in _feet(rig, roles)})
    with undone_on_failure(context):
        metarig = write_metarig(context, plan, f"{armature.name} metarig", armature.users_collection[0],
                                place)
        metarig.data.rigify_rig_basename = f"{armature.name} controls"
        known = set(bpy.data.armatures)
        controls = generate(context, metarig)
        bpy.data.batch_remove({data for data in set(bpy.data.armatures) - known if not data.users})  # Rigify's own copy
        _stand_at(context, controls, armature, place)
        controls.show_in_front = armature.show_in_front  # some controls lie in the flesh
        table = deform_bones(controls, plan)
        controls[names.PLAIN_RIG], controls[names.METARIG] = armature, metarig
        controls[names.UPRIGHT] = [x for row in upright for x in row]
        controls[names.SHARES] = {source: [bone for bone, _ in parts] for source, parts in table.items()}
        give_own_meshes(objects)
        for bone in hand_over(objects, whole, twists, table):
            controls.data.bones[bone].bbone_segments = 1  # a robot's plates do not bend
        for o in objects:
            _follow(context, o, armature, controls)
        hang_on_controls(armature, controls, table)
        metarig.hide_set(True)
        armature.hide_set(True)
    _select(context, controls)
    return controls


def take_back(context, controls: bpy.types.Object) -> bpy.types.Object:
    """Bind a control rig's character to its plain rig again and delete the control rig and its metarig.

    Returns the plain rig, where the controls stood, active, in Object mode.  Raises BadRig, with nothing changed.
    """
    armature = plain_rig_of(context, controls)
    enable_rigify()
    place = controls.matrix_world @ to_plain(controls, armature).inverted_safe()
    if armature.parent != controls.parent or not np.allclose(place, armature.matrix_world, atol=1e-6):
        _stand_at(context, armature, controls, place)
    rig = read_rig(armature)
    twists = twist_groups(rig)
    give_own_meshes(followers(controls))
    objects = followers(controls)
    take_back_weights(objects, rig, twists, controls[names.SHARES].to_dict())
    for o in objects:
        _follow(context, o, controls, armature)
    hang_on_plain(controls, armature)
    armature.hide_set(False)
    _delete(controls)
    _select(context, armature)
    return armature


def leave_to_copies(controls: bpy.types.Object, plain: bpy.types.Object) -> None:
    """Give the copies of a control rig, which point at its plain rig, a hidden copy of that: it is their way back."""
    copies = _copies(controls, names.PLAIN_RIG)
    if not copies:
        return
    theirs = plain.copy()
    theirs.data = plain.data.copy()
    for home in plain.users_collection:
        home.objects.link(theirs)
    theirs.hide_set(True)
    for copy in copies:
        copy[names.PLAIN_RIG] = theirs


def _copies(controls, key: str) -> list[bpy.types.Object]:
    """The other armatures that have the same plain rig or metarig, as copies of a control rig do."""
    return [o for o in bpy.data.objects if o.type == "ARMATURE" and o != controls and o.users_scene
            and o.library is None and key in o and o[key] == controls.get(key)]


def plain_rig_of(context, controls: bpy.types.Object) -> bpy.types.Object:
    """The rig that a control rig was made of.  Raises BadRig if it is gone or not to be had, or if the controls
    are out of order."""
    armature = controls.get(names.PLAIN_RIG)
    if armature is None or armature.name not in context.scene.objects:
        raise BadRig(f"The plain rig of '{controls.name}' is gone. Press Auto Rig for a new one.")
    check_there(context, armature)
    sizes = np.linalg.norm(applied_to(controls, armature)[:3, :3], axis=0)
    if np.abs(sizes - 1.0).max() > APPLIED and _is_stale(controls):
        told = ", ".join(f"{size:.4g}" for size in 1.0 / sizes)
        raise BadRig(f"A scale was applied to '{controls.name}', and Rigify's controls work no more after that. "
                     f"Undo it, or scale controls and meshes by {told} along X, Y, Z and apply that too.")
    return armature


def _is_stale(controls) -> bool:
    """Whether controls stretch at rest: they know lengths that their bones no longer have."""
    known = [constraint.rest_length / bone.bone.length for bone in controls.pose.bones
             for constraint in bone.constraints if constraint.type == "STRETCH_TO"]
    return bool(np.abs(np.array(known) - 1.0).max(initial=0.0) > APPLIED)


def controls_of(o) -> bpy.types.Object | None:
    """The control rig of ours that moves a mesh object and can be taken back; for such a rig itself."""
    controls = any_controls_of(o)
    return controls if controls is not None and not _is_dead(controls) else None


def any_controls_of(o) -> bpy.types.Object | None:
    """As `controls_of`, but the plain rig of the controls may be gone."""
    if o is None or o.type not in {"MESH", "ARMATURE"}:
        return None
    rigs = [m.object for m in o.modifiers if m.type == "ARMATURE" and m.show_viewport] if o.type == "MESH" else [o]
    return next((rig for rig in rigs if rig is not None and names.PLAIN_RIG in rig), None)


def _is_dead(controls) -> bool:
    plain = controls[names.PLAIN_RIG]
    return plain is None or not plain.users_scene  # what is deleted by hand may stay in the file, in no scene


def clear_dead_controls(context, rigged: Rigged) -> Rigged:
    """Take what was rigged anew from control rigs whose plain rig is gone, and delete those that move nothing more."""
    objects = [part.object for part in rigged.character.parts]
    bound = {o: [m for m in o.modifiers if m.type == "ARMATURE" and m.object is not None
                 and names.PLAIN_RIG in m.object and _is_dead(m.object)] for o in objects}
    dead = {m.object for modifiers in bound.values() for m in modifiers}
    if not dead:
        return rigged
    told = tuple(w for w in rigged.warnings if not any(f"bound to '{controls.name}'" in w for controls in dead))
    for o, modifiers in bound.items():
        for modifier in modifiers:
            parts = {bone.name for bone in modifier.object.data.bones if bone.use_deform}
            for group in [g for g in o.vertex_groups if g.name in parts]:
                o.vertex_groups.remove(group)
            o.modifiers.remove(modifier)
    for controls in [c for c in dead if not followers(c)]:
        bpy.data.batch_remove([o for o in bpy.data.objects if o.parent == controls and names.STANDS_FOR in o])
        for child in [o for o in bpy.data.objects if o.parent == controls]:
            place = child.matrix_world.copy()
            child.parent = None
            child.matrix_world = place
        _delete(controls)
    write_warnings(rigged.armature, told)
    return replace(rigged, warnings=told)


@contextmanager
def undone_on_failure(context) -> Iterator[None]:
    """Inside, new data may be made; if an error comes out, all of it goes and the selection is as it was."""
    before = {kind: set(getattr(bpy.data, kind)) for kind in DATA}
    objects = context.view_layer.objects
    active, selected = objects.active, chosen_in(context)
    layer = context.view_layer.active_layer_collection
    succeeded = False
    try:
        yield
        succeeded = True
    finally:
        if not succeeded:
            if objects.active is not None and objects.active.mode != "OBJECT":
                set_mode(context, "OBJECT")
            for kind in DATA:
                bpy.data.batch_remove(set(getattr(bpy.data, kind)) - before[kind])
            context.view_layer.update()  # what was deleted is no longer among its objects
            for o in context.view_layer.objects:
                o.select_set(o in selected)
            context.view_layer.objects.active = active
            context.view_layer.active_layer_collection = layer


def _roles(rig: Rig, armature) -> dict[str, int]:
    """Roles by the names the bones had when they were ours, else by any names or by shape.  Raises BadRig."""
    own = [armature.data.bones[name].get(names.OWN_NAME, name) for name in rig.names]
    number = {name: i for i, name in enumerate(own)}
    ours = BoneMap("geppetto", {name: (name,) for name in own}).roles(own) if _is_preset(armature) else {}
    roles = {role: number[bone] for role, bone in ours.items()} if has_limbs(ours) else find_roles(rig)
    if not has_limbs(roles):
        roles = numbered_trunk(rig)
    if not roles:
        raise BadRig(f"'{armature.name}' has no legs or arms that could be recognised, so there is nothing to control.")
    return roles


def _is_preset(armature) -> bool:
    return armature.data.get(names.MADE_BY) in preset_names()


def _upright(rig: Rig, roles: dict[str, int], armature) -> Matrix:
    """(4, 4) from axes whose Z is the character's up to the armature's: Rigify's feet stand across their Z."""
    feet = _feet(rig, roles)
    if not feet or "hips" not in roles:
        return Matrix.Identity(4)
    rise = rig.heads[roles["hips"]] - rig.tails[feet].mean(0)
    up = np.linalg.inv(np.array(armature.matrix_world.to_3x3(), float)) @ rise
    axis = np.zeros(3)
    axis[np.abs(up).argmax()] = np.sign(up[np.abs(up).argmax()])
    return Vector((0.0, 0.0, 1.0)).rotation_difference(Vector(axis)).to_matrix().to_4x4()


def _feet(rig: Rig, roles: dict[str, int]) -> list[int]:
    """The bones of a character's feet: of a creature of many legs the last of each."""
    own = [bones[-1] for limb, bones in numbered_limbs(rig).items() if limb.startswith("leg")]
    return own or [bone for role, bone in roles.items() if "foot" in role]


def _even(place: Matrix) -> Matrix:
    """A place without a mirror and uneven scale, in which Rigify's constraints would bend a rig even at rest."""
    if place.is_negative:
        place = place @ Matrix.Diagonal((-1.0, 1.0, 1.0, 1.0))
    size = np.linalg.norm(np.array(place.to_3x3(), float), axis=0)
    if np.ptp(size) < EVEN * size.max():
        return place
    middle = float(np.cbrt(np.prod(size)))
    return Matrix.LocRotScale(place.translation, place.to_quaternion(), (middle, middle, middle))


def _heel(rig: Rig, bone: int, objects, place: np.ndarray) -> np.ndarray:
    """(2, 3) the back edge of a foot's sole in the world.  place : (4, 4) from axes with Z up to the world"""
    back = np.linalg.inv(place)
    foot, skin = (p @ back[:3, :3].T + back[:3, 3] for p in _foot(rig, bone, objects))
    return heel_of(foot, skin) @ place[:3, :3].T + place[:3, 3]


def _foot(rig: Rig, bone: int, objects) -> tuple[np.ndarray, np.ndarray]:
    """(2, 3) from ankle to toes, and (N, 3) the skin that foot and toes move, in the world."""
    below = [i for i in range(len(rig.names)) if i == bone or rig.parents[i] == bone]
    points = []
    for o in objects:
        groups, weights = read_groups(o)
        held = [groups.index(rig.names[i]) for i in below if rig.names[i] in groups]
        if held:
            points.append(world_points(o)[np.asarray(weights[:, held].sum(1)).ravel() > 0.5])
    skin = np.concatenate(points) if points else np.empty((0, 3))
    return np.array([rig.heads[bone], rig.tails[bone]]), skin


def _follow(context, o, old, new) -> None:
    """Let an object follow another armature, in the same modifier, standing where it stands."""
    for modifier in o.modifiers:
        if modifier.type == "ARMATURE" and modifier.object == old:
            modifier.object, modifier.name = new, new.name
    if o.parent == old and o.parent_type != "BONE":
        place: Matrix = o.matrix_parent_inverse.copy()
        o.parent = new
        o.matrix_parent_inverse = new.matrix_world.inverted() @ old.matrix_world @ place


def _stand_at(context, o, other, place: Matrix) -> None:
    """Put an object at a place in the world, under the parent of another."""
    o.parent, o.parent_type, o.parent_bone = other.parent, other.parent_type, other.parent_bone
    o.matrix_parent_inverse = other.matrix_parent_inverse.copy()
    o.matrix_world = place
    context.view_layer.update()


def _delete(controls) -> None:
    """Take away a control rig, its metarig, its controls' shapes and its script, as far as nothing else uses them."""
    metarig = None if _copies(controls, names.METARIG) else controls.get(names.METARIG)
    shapes = {bone.custom_shape for bone in controls.pose.bones if bone.custom_shape is not None}
    homes = {home for shape in shapes for home in shape.users_collection}
    scripts = {metarig.data.rigify_rig_ui} - {None} if metarig is not None else set()
    rigs = {rig for rig in (controls, metarig) if rig is not None}
    data = {rig.data for rig in rigs}
    bpy.data.batch_remove(rigs | scripts)
    idle = {shape for shape in shapes if shape.users <= len(shape.users_collection)}
    data |= {shape.data for shape in idle}
    bpy.data.batch_remove(idle)
    bpy.data.batch_remove({thing for thing in data if not thing.users})
    bpy.data.batch_remove({home for home in homes if not home.objects and not home.children})


def _select(context, o) -> None:
    context.view_layer.update()  # what was deleted is no longer among the selected
    for other in context.view_layer.objects.selected:
        other.select_set(False)
    context.view_layer.objects.active = o
    o.select_set(True)
