"""What of an object's binding is a rig's of ours, noted on the object.

Where the armature is deleted by hand, its modifier and vertex groups stay behind, and nothing else tells whose they
are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable

import bpy
import numpy as np
from mathutils import Matrix

from ..names import HELD, HUNG, RELEASED
from .armature import is_marked
from .following import follow, targets_in_file, uses_of


def note_held(o, armature) -> None:
    """Note that an armature of ours moves an object: the modifier's name, and the bones'."""
    own = next((m.name for m in o.modifiers if m.type == "ARMATURE" and m.object == armature), None)
    if own is not None:
        o[HELD] = [own, *(bone.name for bone in armature.data.bones)]


def forget_held(o) -> None:
    """The rig is taken away: nothing of it stays."""
    if HELD in o:
        del o[HELD]


def armature_modifiers(o) -> list:
    """The Armature modifiers of an object that have an armature."""
    return [m for m in o.modifiers if m.type == "ARMATURE" and m.object is not None]


def note_released(o, bound: list[tuple], renamed: dict[str, str], bones: Iterable[str] = ()) -> None:
    """Note which Armature modifiers of an object make room for another, and what their vertex groups are called now.

    bound : (modifier, whether it was on);  renamed : {group: its new name};  bones : those of the other armature whose
    names were made free
    """
    notes = dict(_released(o))
    if any(was_on for _, was_on in bound):
        for note in notes.values():
            note["on"] = False
    for modifier, was_on in bound:
        note = notes.setdefault(modifier, {"on": False, "groups": {}})
        note["on"] |= was_on
        own = modifier.object.data.bones
        note["groups"] = {bone: renamed.get(bone, "") for bone in bones if bone in own} | note["groups"]
    _keep(o, notes)


def note_aside(o, modifier, groups: dict[str, str]) -> None:
    """Note what the vertex groups of a modifier that is switched off are called now.  groups : {bone: group}"""
    if groups:
        notes = dict(_released(o))
        notes.setdefault(modifier, {"on": False, "groups": {}})["groups"] |= groups
        _keep(o, notes)


def note_renamed(o, modifier, bones: dict[str, str]) -> None:
    """Note that bones of a modifier's armature were renamed; the groups that made room have their names still."""
    notes = dict(_released(o))
    if modifier in notes:
        held = notes[modifier]["groups"]
        notes[modifier]["groups"] = {bones.get(bone, bone): group for bone, group in held.items()}
        _keep(o, notes)


def groups_of(o, modifier, bones: Iterable[str]) -> dict[str, str]:
    """{bone: the vertex group by which a modifier's armature moves the object}, without those that have none since they
    made room."""
    aside: dict[str, str] = next((note["groups"] for own, note in _released(o) if own == modifier), {})
    return {bone: aside.get(bone, bone) for bone in bones if bone not in aside or aside[bone] in o.vertex_groups}


def groups_of_others(o, armature, *, only_on: bool = False) -> set[str]:
    """The names by which other armatures move an object, or would if they were switched on."""
    return {group for m in armature_modifiers(o) if m.object != armature and (m.show_viewport or not only_on)
            for group in groups_of(o, m, m.object.data.bones.keys()).values()}


def _released(o) -> list[tuple]:
    """(modifier, what is noted about it) of those that were switched off, found again though they were renamed."""
    bound, found = armature_modifiers(o), []
    for note in json.loads(o.get(RELEASED, "[]")):
        own = next((m for m in bound if _number(m) == note["number"] != 0), None)
        own = own or next((m for m in bound if m.name == note["name"]), None)
        if own is not None:
            found.append((own, {"on": note["on"], "groups": note["groups"]}))
    return found


def _keep(o, notes: dict) -> None:
    noted = [{"name": m.name, "number": _number(m), **note} for m, note in notes.items() if any(note.values())]
    if noted:
        o[RELEASED] = json.dumps(noted)
    elif RELEASED in o:
        del o[RELEASED]


def _number(modifier) -> int:
    """What a modifier keeps though it is renamed; 0 where Blender has no such number."""
    return getattr(modifier, "persistent_uid", 0)


def note_hung(o, armature) -> None:
    """Note on what an object hangs before an armature of ours takes it over, unless that is one of ours, too, or what
    the armature hangs on itself."""
    on = o.parent
    if on is None or is_marked(on.data) or (on == armature.parent and o.parent_type == "OBJECT"):
        return
    is_rig = on.type == "ARMATURE"
    more = {} if is_rig else {"type": on.type, "corners": list(o.parent_vertices)}
    o[HUNG] = {"on": on.name, "bones": "\n".join(on.data.bones.keys() if is_rig else ()), "how": o.parent_type,
               "bone": o.parent_bone, "inverse": [x for row in o.matrix_parent_inverse for x in row], **more}


def hang_as_before(o, armature) -> None:
    """Hang an object that hangs on an armature of ours on what it hung on before, unless that or its bone is gone."""
    if HUNG not in o:
        return
    held = {} if isinstance(o[HUNG], str) else o[HUNG].to_dict()  # text is from an .fbx file, with other objects
    del o[HUNG]
    if not held:
        return
    if held.get("type", "ARMATURE") == "ARMATURE":
        on = _hung_on(held["on"], set(filter(None, held["bones"].split("\n"))))
        is_there = on is not None and (not held["bone"] or held["bone"] in on.data.bones)
    else:
        on = bpy.data.objects.get(held["on"])
        is_there = on is not None and on.type == held["type"] and on.users_scene and not _hangs_below(on, o)
    if not is_there or o.parent != armature:  # or somebody hung it elsewhere since
        return
    inverse, place = Matrix([list(held["inverse"])[4 * k:4 * k + 4] for k in range(4)]), o.matrix_world.copy()
    if on.type != "ARMATURE" and held["how"] == o.parent_type == "OBJECT":
        stays = on.matrix_world.inverted_safe() @ armature.matrix_world @ o.matrix_parent_inverse
        if not np.allclose(stays, inverse, atol=1e-5 * float(np.abs(inverse).max())):  # the armature has been moved
            inverse = stays
    o.parent, o.parent_type, o.parent_bone = on, held["how"], held["bone"]
    o.parent_vertices = held.get("corners", (0, 0, 0))
    o.matrix_parent_inverse = inverse
    if held["how"].startswith("VERTEX"):
        bpy.context.view_layer.update()
        if not np.allclose(o.matrix_world, place, atol=1e-5 * float(np.abs(place).max())):
            o.matrix_basis = o.matrix_basis @ o.matrix_world.inverted_safe() @ place


def _hangs_below(o, other) -> bool:
    """Whether an object is another one, or hangs on it by way of others or not."""
    while o is not None and o != other:
        o = o.parent
    return o is not None


def _hung_on(name: str, bones: set[str]) -> bpy.types.Object | None:
    """The artist's armature that had a name and bones: of those with all of these bones and no others the one of that
    name, or the only one; otherwise one of that name with any of them.

    It is not held by the note itself, or what an artist deletes would stay in the file for ever.
    """
    rigs = [o for o in bpy.data.objects if o.type == "ARMATURE" and o.users_scene and not is_marked(o.data)]
    alike = [o for o in rigs if bones and bones == set(o.data.bones.keys())]
    named = [o for o in alike or rigs if o.name == name and (not bones or bones & set(o.data.bones.keys()))]
    found = named or alike
    return found[0] if len(found) == 1 else None


def bind_as_before(o, *, was_on: bool = True) -> None:
    """Switch on again what was switched off for a rig of ours that is taken away; its groups get their names back.

    was_on : whether that rig moved the object; otherwise what another one was switched off for stays so
    """
    notes = dict(_released(o))
    if was_on or not any(m.show_viewport and not notes.get(m, {"on": False})["on"] for m in armature_modifiers(o)):
        _switch_on(o, {m: notes.pop(m)["groups"] for m in [m for m, note in notes.items() if note["on"]]})
    _keep(o, notes)


def bind_instead(o, modifier) -> None:
    """Switch on an Armature modifier that was off, whose bones' names no other group has now; its own get them back."""
    notes = dict(_released(o))
    _switch_on(o, {modifier: notes.pop(modifier, {"groups": {}})["groups"]})
    _keep(o, notes)


def _switch_on(o, groups: dict) -> None:
    """groups : {modifier: {bone: what its group is called now}}"""
    renamed: dict[str, str] = {}
    for modifier, called in groups.items():
        modifier.show_viewport = modifier.show_render = True
        renamed |= {group: bone for bone, group in called.items()
                    if group in o.vertex_groups and bone not in o.vertex_groups}
    uses = uses_of(o, targets_in_file()) if renamed else []
    for group, bone in renamed.items():
        o.vertex_groups[group].name = bone
    follow(uses, renamed)


def let_go(o) -> set[str]:
    """Take away the modifier of a rig of ours that was deleted by hand.  Returns the names of its vertex groups, unless
    another armature moves the object by them."""
    own, *bones = o.get(HELD, [""])
    dead = o.modifiers.get(own)
    if dead is None or dead.type != "ARMATURE" or dead.object is not None:
        return set()
    o.modifiers.remove(dead)
    forget_held(o)
    is_moved = any(m.show_viewport for m in armature_modifiers(o))
    return set() if is_moved else set(bones) - groups_of_others(o, None)
