"""What of an object's binding is a rig's of ours, noted on the object.

Where the armature is deleted by hand, its modifier and vertex groups stay behind, and nothing else tells whose they
are.
"""

from __future__ import annotations

import bpy
from mathutils import Matrix

from ..names import HELD, HUNG, MADE_BY, RELEASED


def note_held(o, armature) -> None:
    """Note that an armature of ours moves an object: the modifier's name, and the bones'."""
    own = next((m.name for m in o.modifiers if m.type == "ARMATURE" and m.object == armature), None)
    if own is not None:
        o[HELD] = [own, *(bone.name for bone in armature.data.bones)]


def forget_held(o) -> None:
    """The rig is taken away: nothing of it stays."""
    if HELD in o:
        del o[HELD]


def note_released(o, modifiers: list[str]) -> None:
    """Note which Armature modifiers of an object were switched off for a rig of ours."""
    if modifiers:
        o[RELEASED] = modifiers


def note_hung(o) -> None:
    """Note on what armature of the artist's an object hangs before a rig of ours takes it over."""
    if o.parent is not None and o.parent.type == "ARMATURE" and MADE_BY not in o.parent.data:
        o[HUNG] = {"on": o.parent.name, "bones": "\n".join(o.parent.data.bones.keys()), "how": o.parent_type,
                   "bone": o.parent_bone, "inverse": [x for row in o.matrix_parent_inverse for x in row]}


def hang_as_before(o, armature) -> None:
    """Hang an object that hangs on an armature of ours on what it hung on before, unless that or its bone is gone."""
    if HUNG not in o:
        return
    held = o[HUNG]
    rig = _hung_on(held["on"], set(filter(None, held["bones"].split("\n"))))
    is_there = rig is not None and (not held["bone"] or held["bone"] in rig.data.bones)
    if is_there and o.parent == armature:  # and nobody hung it elsewhere since
        o.parent, o.parent_type, o.parent_bone = rig, held["how"], held["bone"]
        o.matrix_parent_inverse = Matrix([list(held["inverse"])[4 * k:4 * k + 4] for k in range(4)])
    del o[HUNG]


def _hung_on(name: str, bones: set[str]) -> bpy.types.Object | None:
    """The artist's armature that had a name and bones: of those with all of these bones and no others the one of that
    name, or the only one; otherwise one of that name with any of them.

    It is not held by the note itself, or what an artist deletes would stay in the file for ever.
    """
    rigs = [o for o in bpy.data.objects if o.type == "ARMATURE" and o.users_scene and MADE_BY not in o.data]
    alike = [o for o in rigs if bones and bones == set(o.data.bones.keys())]
    named = [o for o in alike or rigs if o.name == name and (not bones or bones & set(o.data.bones.keys()))]
    found = named or alike
    return found[0] if len(found) == 1 else None


def bind_as_before(o) -> None:
    """Switch on again what was switched off for a rig of ours that is taken away; its groups get their names back."""
    for name in o.get(RELEASED, ()):
        modifier = o.modifiers.get(name)
        if modifier is None or modifier.type != "ARMATURE" or modifier.object is None:
            continue
        modifier.show_viewport = modifier.show_render = True
        suffix = f" ({modifier.object.name})"
        for group in [g for g in o.vertex_groups if g.name.endswith(suffix)]:
            if group.name.removesuffix(suffix) not in o.vertex_groups:
                group.name = group.name.removesuffix(suffix)
    if RELEASED in o:
        del o[RELEASED]


def let_go(o) -> set[str]:
    """Take away the modifier of a rig of ours that was deleted by hand.  Returns the names of its vertex groups, unless
    another armature moves the object by them."""
    own, *bones = o.get(HELD, [""])
    dead = o.modifiers.get(own)
    if dead is None or dead.type != "ARMATURE" or dead.object is not None:
        return set()
    o.modifiers.remove(dead)
    forget_held(o)
    return set() if any(m.type == "ARMATURE" and m.object is not None for m in o.modifiers) else set(bones)
