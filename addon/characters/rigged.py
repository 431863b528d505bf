"""Characters that are already rigged: which meshes follow an armature, and taking a rig away again."""

from __future__ import annotations

import bpy
import numpy as np

from ..bridge.armature import is_marked
from ..bridge.held import bind_as_before, forget_held, groups_of, groups_of_others, hang_as_before
from ..current import selected_in
from ..motion.owning import mark_called_so


def is_ours(o) -> bool:
    """Whether an object is an armature made by Geppetto."""
    return o is not None and o.type == "ARMATURE" and is_marked(o.data)


def followers(armature) -> list[bpy.types.Object]:
    """The mesh objects an armature moves, by name."""
    return followers_of([armature])[armature]


def followers_of(armatures) -> dict[bpy.types.Object, list[bpy.types.Object]]:
    """{armature: the mesh objects it moves, by name}, in one look through the file however many there are."""
    found: dict = {armature: set() for armature in armatures}
    for o in (o for o in bpy.data.objects if o.type == "MESH"):
        for m in o.modifiers:
            if m.type == "ARMATURE" and m.object in found:
                found[m.object].add(o)
    return {armature: sorted(objects, key=lambda o: o.name) for armature, objects in found.items()}


def armature_of(o) -> bpy.types.Object | None:
    """Geppetto's armature that moves a mesh object; for such an armature itself."""
    if is_ours(o):
        return o
    if o is None or o.type != "MESH":
        return None
    return next((m.object for m in o.modifiers if m.type == "ARMATURE" and m.show_viewport and is_ours(m.object)), None)


def selected_character(context) -> tuple[list, list]:
    """(mesh objects, Geppetto's armatures) of the selection; a selected armature stands for the meshes it moves."""
    armatures = [o for o in selected_in(context) if is_ours(o)]
    meshes = {o: None for o in selected_in(context) if o.type == "MESH"}
    for moved in followers_of(armatures).values() if armatures else ():
        meshes |= dict.fromkeys(seen_of(moved))
    return list(meshes), armatures


def seen_of(objects: list) -> list:
    """The objects that are visible; all if none is, for the artist to be told that they are hidden."""
    return [o for o in objects if o.visible_get()] or objects


def remove_rig(context, armature, *, for_another: bool = False) -> None:
    """Delete an armature with its modifiers and vertex groups; the meshes stay where they are, its motions in the
    file, and what moved the meshes before does so again. Groups that another armature moves a mesh by stay.

    Meshes that hung on another armature before go back to where they were on it, unless the rig makes room for another.
    """
    mark_called_so(armature)
    keep_motions(armature)
    let_loose(followers(armature), armature, for_another=for_another)
    for o in [o for o in bpy.data.objects if o.parent == armature]:
        _set_free(o)
    data = armature.data
    bpy.data.objects.remove(armature)
    if data.users == 0:
        bpy.data.armatures.remove(data)


def let_loose(objects, armature, *, for_another: bool) -> None:
    """Take an armature's modifiers and vertex groups from some objects that it moves: see `remove_rig`."""
    give_own_meshes(objects)
    bones = armature.data.bones.keys()
    for o in objects:
        groups: set[str] = set()
        was_on = any(modifier.show_viewport for modifier in _modifiers(o, armature))
        for modifier in _modifiers(o, armature):
            groups |= set(groups_of(o, modifier, bones).values())
            o.modifiers.remove(modifier)
        forget_held(o)
        for name in (groups - groups_of_others(o, armature)) & set(o.vertex_groups.keys()):
            o.vertex_groups.remove(o.vertex_groups[name])
        bind_as_before(o, was_on=was_on)
        if not (for_another and o.parent == armature):
            hang_as_before(o, armature)
        if o.parent == armature:
            _set_free(o)


def leave_rigs(objects) -> None:
    """Take objects from the rigs of ours that move them: they stand apart from the rest, and get one of their own."""
    for o in objects:
        if (rig := armature_of(o)) is not None:
            let_loose([o], rig, for_another=True)


def give_own_meshes(objects) -> None:
    """A mesh of their own for those of some objects that share one with others: vertex groups live on the mesh."""
    inside = set(objects)
    shared = {o.data for o in bpy.data.objects if o.type == "MESH" and o not in inside}
    own = {data: data.copy() for data in dict.fromkeys(o.data for o in objects)
           if data in shared and data.library is None and data.override_library is None}
    for o in objects:
        o.data = own.get(o.data, o.data)


def keep_motions(armature) -> None:
    """Let the file keep the actions that an armature has, when nothing uses them any more."""
    data = armature.animation_data
    if data is not None:
        for action in (data.action, *(strip.action for track in data.nla_tracks for strip in track.strips)):
            if action is not None and action.library is None:
                action.use_fake_user = True


def _set_free(o) -> None:
    """Hang an object of the armature's where the armature hangs, its own location, rotation and scale as they are.

    Where there is nothing to hang it on and the armature has been moved, they change so that the object does not.
    """
    above = o.parent.parent if o.parent.parent_type == "OBJECT" else None
    space = o.parent.matrix_world @ o.matrix_parent_inverse if o.parent_type == "OBJECT" else None
    place, basis = o.matrix_world.copy(), o.matrix_basis.copy()
    o.parent, o.parent_type = above, "OBJECT"
    if above is not None and space is not None:
        o.matrix_parent_inverse = above.matrix_world.inverted_safe() @ space
        return
    o.matrix_parent_inverse.identity()
    if space is None or above is not None:
        o.matrix_world = place
    elif np.abs(np.array(space) - np.eye(4)).max() > 1e-5 * max(1.0, float(np.abs(np.array(place)).max())):
        o.matrix_basis = space @ basis


def _modifiers(o, armature) -> list:
    return [m for m in o.modifiers if m.type == "ARMATURE" and m.object == armature]
