"""SkinWeights -> vertex groups, Armature modifiers and parenting; everything else on the objects stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import cache
from types import MappingProxyType

import bpy
import numpy as np
from mathutils import Matrix
from scipy import sparse

from ...core.skeleton.sides import pairs_by_name
from ...core.skinning.weights import SkinWeights
from .armature import is_marked
from .following import follow, targets_in_file, uses_of
from .held import (
    armature_modifiers,
    bind_instead,
    groups_of,
    groups_of_others,
    let_go,
    note_aside,
    note_hung,
    note_released,
)
from .mesh import Character, Part, at_rest
from .node_shapes import carry_nodes
from .own_moves import told_of_own_moves

# Modifiers that build the shape the bones move; the Armature modifier comes right after the last of them, so that
# Mirror makes both halves first, what bends the body bends it as it stands, and Subdivision, smoothing and cloth work
# on the moved mesh. Some of them keep no vertex groups: it comes before these.
BUILDS_SHAPE = {"MIRROR", "ARRAY", "BOOLEAN", "SCREW", "SKIN", "WELD", "BUILD", "DECIMATE", "BEVEL", "SIMPLE_DEFORM",
                "CAST", "CURVE", "LATTICE", "WARP", "MESH_DEFORM", "SURFACE_DEFORM"}
LOSES_GROUPS = frozenset({"REMESH", "VOLUME_TO_MESH"})


def write_weights(context, character: Character, armature: bpy.types.Object, weights: SkinWeights) -> list[str]:
    """Bind every object of a character to an armature.  Returns warnings about what had to be changed.

    Objects keep their place, other vertex groups and other modifiers. An earlier binding to another armature is
    switched off, not removed; its groups that share a name with a new bone get the old armature's name added. What a
    deleted rig of ours has left behind is removed.
    """
    released = []
    matrices = [weights.matrix[part.source] for part in character.parts]
    written, constraints, is_ours = [], cache(targets_in_file), is_marked(armature.data)
    renamed: dict[bpy.types.Mesh, dict[str, str]] = {}
    for part, matrix, is_written in zip(character.parts, matrices, separate(character.parts, matrices), strict=True):
        o = part.object
        dead, bound = let_go(o), _release(o)
        if bound:
            released.append((o, bound[0][0].object))
        if not is_written:
            for group in [g for g in o.vertex_groups if g.name in dead]:
                o.vertex_groups.remove(group)
            renamed[o.data] = _make_room(o, set(weights.bones), [m for m, _ in bound], is_ours)
            written.append((o, matrix))
        if renamed[o.data]:
            follow(uses_of(o, constraints()), renamed[o.data])
        note_released(o, bound, renamed[o.data], weights.bones)
    write_groups(written, weights.bones)
    objects = [part.object for part in character.parts]
    for o in objects:
        _add_modifier(o, armature, objects)
    told = [*carry_nodes(context, character, armature, weights, LOSES_GROUPS), *_parent(context, objects, armature)]
    one_sided = [(part.object, bone) for part in character.parts if (bone := unmirrored(part.object, weights.bones))]
    told += [f"'{o.name}' has a Mirror modifier, and Blender does not know the other side of '{bone}': both halves "
             "follow the bones of one side. Apply the modifier, then bind again." for o, bone in one_sided[:1]]
    return [*_switched_off(released), *told, *told_of_own_moves(objects, armature)]


def unmirrored(o, bones) -> str:
    """A bone with a partner on the other side to whose group an object's Mirror modifier gives no weights, as Blender
    does not turn its name into the partner's; empty if there is none."""
    if not any(m.type == "MIRROR" and m.use_mirror_vertex_groups for m in o.modifiers):
        return ""
    return next((bone for bone, partner in zip(bones, pairs_by_name(bones), strict=True)
                 if partner >= 0 and bpy.utils.flip_name(bone) != bones[partner]), "")


def attach(context, character: Character, armature: bpy.types.Object) -> list[str]:
    """Let the objects that do not follow an armature yet do so, their groups as they are.  Returns warnings."""
    loose = [part.object for part in character.parts
             if not any(m.type == "ARMATURE" and m.object == armature for m in part.object.modifiers)]
    released = []
    for o in loose:
        bound = _release(o)
        note_released(o, bound, {})
        released += [(o, modifier.object) for modifier, _ in bound[:1]]
        _add_modifier(o, armature, loose)
    told = _parent(context, loose, armature)
    return [*_switched_off(released), *told]


def bind_instead_of_others(objects, armature) -> list[str]:
    """Where an armature is switched off on an object that it once moved, let it move that again, and switch off what
    did meanwhile; that keeps its groups, under names of their own.  Returns warnings.
    """
    released, bones = [], {bone.name for bone in armature.data.bones}
    for o in objects:
        own = next((m for m in armature_modifiers(o) if m.object == armature), None)
        if own is not None:
            own.use_vertex_groups = True  # it may have followed the bones' envelopes alone
        if own is None or own.show_viewport:
            continue
        if o.data.users > 1 or o.data.library is not None:
            o.data = o.data.copy()
        others = [(m, was_on) for m, was_on in _release(o) if m != own]
        called = groups_of(o, own, bones)
        aside = {bone for bone in bones if called.get(bone) != bone}
        uses = uses_of(o, targets_in_file())
        renamed = _make_room(o, aside, [m for m, _ in others], is_marked(armature.data))
        follow(uses, renamed)
        note_released(o, others, renamed, aside)
        bind_instead(o, own)
        released += [(o, modifier.object) for modifier, was_on in others[:1] if was_on]
    return _switched_off(released)


def rewrite_weights(character: Character, weights: SkinWeights, ours: set[str], armature) -> None:
    """Replace the weights of objects that an armature moves already; groups, modifiers and parents of the artist's own
    stay, and groups stay locked and active. Where the armature is switched off, groups that another moves the object by
    stay too.

    ours : names of the bones whose vertex groups may be removed
    """
    matrices = [weights.matrix[part.source] for part in character.parts]
    separated = separate(character.parts, matrices)
    called = {part.object: _called(part.object, armature, [*weights.bones, *ours]) for part in character.parts}
    written = [(part.object, matrix) for part, matrix, is_written
               in zip(character.parts, matrices, separated, strict=True) if not is_written]
    were = [(o, [g.name for g in o.vertex_groups if g.lock_weight], getattr(o.vertex_groups.active, "name", ""))
            for o, _ in written]
    for o, _ in written:
        for name in {called[o][bone] for bone in ours} & set(o.vertex_groups.keys()):
            o.vertex_groups.remove(o.vertex_groups[name])
    write_groups(written, weights.bones, called)
    for o, locked, active in were:
        for name in {*locked} & set(o.vertex_groups.keys()):
            o.vertex_groups[name].lock_weight = True
        if active in o.vertex_groups:
            o.vertex_groups.active_index = o.vertex_groups[active].index


def _called(o, armature, bones) -> dict[str, str]:
    """{bone: its vertex group on an object}; where the armature is switched off, none that another moves it by."""
    own = next((m for m in armature_modifiers(o) if m.object == armature), None)
    if own is None:
        return {bone: bone for bone in bones}
    called = {bone: bone for bone in bones} | groups_of(o, own, bones)
    taken = set() if own.show_viewport else groups_of_others(o, armature, only_on=True)
    aside = {bone: f"{bone} ({armature.name})" for bone, group in called.items() if group in taken}
    note_aside(o, own, aside)
    return called | aside


def bind_parts(context, character: Character, armature: bpy.types.Object, weights: SkinWeights, following) -> list[str]:
    """Weights for a character of which some objects follow the armature already: these are rewritten, the others bound.

    following : the mesh objects that do.  Returns warnings.
    """
    bound = tuple(part for part in character.parts if part.object in following)
    new = tuple(part for part in character.parts if part.object not in following)
    if bound:
        rewrite_weights(replace(character, parts=bound), weights, set(weights.bones), armature)
    return write_weights(context, replace(character, parts=new), armature, weights) if new else []


def separate(parts: tuple[Part, ...], matrices) -> list[bool]:
    """Let objects share a mesh only where they share its weights; vertex groups live on the mesh.

    Objects outside the character keep the mesh as it was.  Returns, for each part, whether an earlier part has the same
    mesh with the same weights.
    """
    inside = {part.object for part in parts}
    outside = {o.data for o in bpy.data.objects if o.type == "MESH" and o not in inside}
    versions: dict = {}
    is_written = []
    for part, matrix in zip(parts, matrices, strict=True):
        mesh, same = part.object.data, _bits(matrix)
        known = versions.setdefault(mesh, {})
        is_written.append(same in known)
        if same in known:
            part.object.data = known[same]
        elif known or mesh.library is not None or mesh in outside:
            part.object.data = mesh.copy()
        known.setdefault(same, part.object.data)
    return is_written


def _bits(matrix: sparse.csr_matrix) -> bytes:
    """The same for equal matrices: thousands of objects may share a mesh, too many to compare each with each."""
    matrix = matrix.copy()
    matrix.eliminate_zeros()
    matrix.sort_indices()
    return b"".join(array.tobytes() for array in (matrix.indptr, matrix.indices, matrix.data))


def write_groups(weights, bones, called: Mapping = MappingProxyType({})) -> None:
    """One vertex group for each bone that moves an object, exact to the last bit of a float.

    weights : for each object (o, (V, B) matrix);  called : {o: {bone: group}} where groups have not the bones' names
    Blender turns whole attributes into groups ten times as fast as it adds vertices to them.
    """
    with _aside() as carrier:
        for o, matrix in weights:
            carrier.data = o.data
            groups = called.get(o, {})
            _write_own_groups(o, [groups.get(bone, bone) for bone in bones], matrix)


def _write_own_groups(o, bones, matrix: sparse.csr_matrix) -> None:
    columns = sparse.csc_matrix(matrix, dtype=np.float32)
    columns.eliminate_zeros()
    names = {bones[j] for j in np.flatnonzero(np.diff(columns.indptr))}
    if any(m.type == "MIRROR" and m.use_mirror_vertex_groups for m in o.modifiers):
        # Blender moves the mirrored half's weights to the other side's groups, but only to those that exist.
        names |= {bpy.utils.flip_name(name) for name in names} & set(bones)
    attributes = o.data.attributes
    active, weight = attributes.active_index, np.zeros(len(o.data.vertices), np.float32)
    for j, bone in enumerate(bones):
        column = slice(columns.indptr[j], columns.indptr[j + 1])
        if bone not in names:
            continue
        if column.start == column.stop:
            o.vertex_groups.new(name=bone)
            continue
        weight[:] = 0.0
        weight[columns.indices[column]] = columns.data[column]
        passing = attributes.new("geppetto", "FLOAT", "POINT")
        passing.data.foreach_set("value", weight)
        attributes.active = passing
        bpy.ops.geometry.attribute_convert(mode="VERTEX_GROUP")
        o.vertex_groups[-1].name = bone
    attributes.active_index = active


@contextmanager
def _aside():
    """Inside, operators work on a mesh in an empty scene: else each would have Blender evaluate the character.

    Yields the object that is to hold the mesh: its own may be an override that Blender's operators refuse.
    """
    empty, mesh = bpy.data.scenes.new("Geppetto"), bpy.data.meshes.new("Geppetto")
    carrier = bpy.data.objects.new("Geppetto", mesh)
    try:
        with bpy.context.temp_override(scene=empty, view_layer=empty.view_layers[0], object=carrier,
                                       active_object=carrier):
            yield carrier
    finally:
        bpy.data.objects.remove(carrier)
        bpy.data.meshes.remove(mesh)
        bpy.data.scenes.remove(empty)


def read_groups(o) -> tuple[list[str], sparse.csr_matrix]:
    """The object's vertex groups and (V, G) the weights of its own vertices in them."""
    held = [(v.index, g.group, g.weight) for v in o.data.vertices for g in v.groups]
    vertex, group, weight = np.array(held, float).reshape(-1, 3).T
    shape = (len(o.data.vertices), len(o.vertex_groups))
    table = sparse.csr_matrix((weight, (vertex.astype(int), group.astype(int))), shape)
    return [g.name for g in o.vertex_groups], table


def _switched_off(released: list[tuple]) -> list[str]:
    """A warning for each armature of (object, armature it was bound to): how many objects, and the first names."""
    of: dict[str, list[str]] = {}
    for o, old in released:
        of.setdefault(old.name, []).append(o.name)
    warnings = []
    for old, objects in of.items():
        named = ", ".join(f"'{name}'" for name in objects[:3])
        if len(objects) == 1:
            warnings.append(f"{named} was bound to '{old}': that binding is kept but switched off.")
        else:
            more = "" if len(objects) <= 3 else f" and {len(objects) - 3} more"
            warnings.append(f"{named}{more} were bound to '{old}': those bindings are kept but switched off.")
    return warnings


def _release(o) -> list[tuple]:
    """Switch off the object's Armature modifiers.  Returns (modifier, whether it was on), those first that were."""
    bound = sorted(((m, m.show_viewport) for m in armature_modifiers(o)), key=lambda of: not of[1])
    for modifier, _ in bound:
        modifier.show_viewport = modifier.show_render = False
    return bound


def _make_room(o, bones: set[str], bound: list, is_ours: bool) -> dict[str, str]:
    """Free the new bones' names.  Returns {group: what it is called now}.

    bound : the modifiers whose armatures may move the object by these groups, the likeliest first. A rig of ours that
    makes room for another of ours leaves its groups to it;  is_ours : whether the new one is
    """
    own: dict[str, bpy.types.Object] = {}  # whose a group is, those of the artist's before ours
    for modifier in sorted(bound, key=lambda m: is_marked(m.object.data)):
        for group in groups_of(o, modifier, modifier.object.data.bones.keys()).values():
            own.setdefault(group, modifier.object)
    renamed = {}
    for name in [g.name for g in o.vertex_groups if g.name in bones]:
        group, of = o.vertex_groups[name], own.get(name)
        if is_ours and of is not None and is_marked(of.data):
            o.vertex_groups.remove(group)
            continue
        of = of or (bound[0].object if bound else None)
        group.name = f"{name} ({of.name if of is not None else 'old'})"
        renamed[name] = group.name
    return renamed


def _add_modifier(o, armature, together) -> None:
    """Let an armature move an object.  together : the objects that it is to move from now on"""
    modifier = o.modifiers.new(armature.name, "ARMATURE")
    modifier.object = armature
    own = o.modifiers.find(modifier.name)  # before what is pinned to stay the last, as Smooth by Angle is
    others = [m for m in o.modifiers if m != modifier]
    end = min((i for i, m in enumerate(others) if m.type in LOSES_GROUPS), default=len(others))
    builds = [i + 1 for i, m in enumerate(others[:end])
              if (m.type in BUILDS_SHAPE or _lies_in_space(m)) and not _lies_on_moved(m, armature, together)]
    o.modifiers.move(own, min(max(builds, default=0), own))


def _lies_in_space(modifier) -> bool:
    """Whether a Displace modifier's texture stays where it is in space: on a moved mesh it would swim."""
    return modifier.type == "DISPLACE" and modifier.texture is not None and modifier.texture_coords != "UV"


def _lies_on_moved(modifier, armature, together) -> bool:
    """Whether a Surface Deform modifier lays an object on another that the armature moves: it takes the place of what
    comes before it, so that the two do not add up, and the bones move what it leaves out."""
    target = modifier.target if modifier.type == "SURFACE_DEFORM" else None
    return target is not None and (target in together or any(m.object == armature for m in armature_modifiers(target)))


def _parent(context, objects, armature) -> list[str]:
    """Hang objects on the armature without moving them, and without touching their own location, rotation and scale.

    The armature takes their place on the object they hung on, if that is one and no skeleton. On one that is sheared it
    does not hang: a place against that one is more than location, rotation and scale, all that files hold.
    Returns a warning of that.
    """
    context.view_layer.update()
    inside, told = set(objects), []
    above = {o.parent if o.parent_type == "OBJECT" else None for o in objects if o.parent not in inside}
    if len(above) == 1 and (parent := above.pop()) is not None and parent.type != "ARMATURE":
        if _is_sheared(parent.matrix_world.inverted_safe() @ armature.matrix_world):
            told.append(f"'{parent.name}' is sheared by the scale of what it hangs on: the rig does not hang on it.")
        else:
            armature.parent = parent
            armature.matrix_parent_inverse = parent.matrix_world.inverted_safe()
            context.view_layer.update()
    rode = [o for o in objects if o.parent not in (None, armature, *inside) and o.parent.type == "ARMATURE"
            and not any(m.type == "ARMATURE" and m.object == o.parent for m in o.modifiers)]
    if rode:
        told.append(f"'{rode[0].name}' hung on the skeleton '{rode[0].parent.name}': the rig does not. Parent it to "
                    "the bone on which it should ride.")
    to_armature = armature.matrix_world.inverted()
    with at_rest(context, []) if any(map(_hangs_on_bone, objects)) else nullcontext():  # as the skin was read
        places = [(o, o.matrix_world.copy(), _parent_space(o)) for o in objects]
    for o, _, space in places:
        note_hung(o, armature)
        o.parent = armature
        o.parent_type = "OBJECT"
        o.matrix_parent_inverse = to_armature @ space
    context.view_layer.update()
    for o, world, _ in places:
        if np.abs(np.array(o.matrix_world) - np.array(world)).max() > 1e-4 * max(1.0, *np.abs(np.array(world)).ravel()):
            o.matrix_world = world  # moved by delta transforms or constraints that looked at the old parent
    return told


def _hangs_on_bone(o) -> bool:
    """Whether an object is carried by a bone."""
    while o is not None and o.parent_type != "BONE":
        o = o.parent
    return o is not None


def _is_sheared(matrix: Matrix) -> bool:
    """Whether a matrix is more than a location, a rotation and a scale."""
    axes = np.array(matrix.to_3x3(), float)
    size = np.linalg.norm(axes, axis=0)
    angles = axes.T @ axes / np.outer(size, size)
    return bool(np.abs(angles - np.eye(3)).max() > 1e-4)


def _parent_space(o) -> Matrix:
    """The frame in which the object's own location, rotation and scale are meant."""
    if o.parent is None:
        return Matrix.Identity(4)
    if o.parent_type == "OBJECT":
        return o.parent.matrix_world @ o.matrix_parent_inverse
    return o.matrix_world @ o.matrix_basis.inverted_safe()
