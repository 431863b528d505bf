"""Other names for a rig's bones; all that refers to them goes along: vertex groups and their users, and motions."""

from __future__ import annotations

import re
from collections import Counter

import bpy

from ...core.errors import BadRig
from .. import names
from ..bridge.curves import curves_of, groups_of_curves
from ..bridge.following import follow, targets_in_file, uses_of
from ..bridge.held import (
    armature_modifiers,
    groups_of,
    groups_of_others,
    note_aside,
    note_held,
    note_renamed,
)
from ..bridge.weights import unmirrored
from ..motion.owning import give_own_motions
from ..motion.takes import actions_of
from .fitted import names_now
from .rigged import followers, give_own_meshes

OF_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)*)"\]')


def rename_bones(armature: bpy.types.Object, wanted: dict[str, str]) -> int:
    """Give bones the names in `wanted`, {own name: new one}, and the others their own.  Returns how many it names.

    Armatures and objects that share bones, meshes or motions with the character keep theirs. Raises BadRig, with
    nothing changed, if two bones would have one name, or a Mirror modifier could not tell left from right any more.
    """
    own = {now: name for name, now in names_now(armature).items()}
    goal = {bone.name: own.get(bone.name, bone.name) for bone in armature.data.bones}
    goal = {name: wanted.get(of, of) if name in own else name for name, of in goal.items()}
    twice = [name for name, count in Counter(goal.values()).items() if count > 1]
    if twice:
        raise BadRig(f"A bone of your own is called '{twice[0]}' already. Rename it first")
    renamed = {name: to for name, to in goal.items() if to != name}
    for o in followers(armature):
        if (bone := unmirrored(o, [*goal.values()])) and not unmirrored(o, [*goal]):
            raise BadRig(f"'{o.name}' has a Mirror modifier, and Blender would not know the other side of '{bone}'. "
                         "Apply the modifier first.")
    if armature.data.users > 1:
        armature.data = armature.data.copy()
    give_own_meshes(followers(armature))
    give_own_motions(armature, actions_of(armature))
    for o in [o for o in followers(armature) if o.data.library is not None]:
        o.data = o.data.copy()
    motions = [(action, [(curve, curve.data_path) for curve in curves_of(action)],
                [(group, group.name) for group in groups_of_curves(action)]) for action in _idle(armature)]
    constraints = targets_in_file()
    skins = [_Skin(o, armature, renamed, constraints) for o in followers(armature)]
    for skin in skins:
        skin.make_room()
    _rename(armature.data.bones, renamed)
    for skin in skins:
        skin.rename()
    for _, curves, groups in motions:
        for curve, path in curves:
            curve.data_path = _path(path, renamed)
        for group, name in groups:
            group.name = renamed.get(name, name)
    _rename_noted(armature, renamed)
    of_bone = {goal[name]: of for name, of in own.items()}
    for bone in armature.data.bones:
        if of_bone.get(bone.name) in wanted:
            bone[names.OWN_NAME] = of_bone[bone.name]
        elif names.OWN_NAME in bone:
            del bone[names.OWN_NAME]
    return sum(of in wanted for of in own.values())


def _rename(bones, renamed: dict[str, str]) -> None:
    """By way of names nobody has, where a new name is another bone's that has not left it yet."""
    free = dict(renamed)
    for k, name in enumerate([name for name, to in renamed.items() if to in bones]):
        bones[name].name = passing = f"geppetto {k}"
        free[passing] = free.pop(name)
    for name, to in free.items():
        bones[name].name = to


def _idle(armature) -> list:
    """The armature's motions that Blender does not look at when a bone is renamed: they are not in use."""
    used = set()
    for data in filter(None, (o.animation_data for o in bpy.data.objects)):
        used |= {data.action} | {strip.action for track in data.nla_tracks for strip in track.strips}
    return [action for action in actions_of(armature) if action not in used and action.library is None]


def _path(path: str, renamed: dict[str, str]) -> str:
    """A data path that goes to a bone by its new name."""
    found = OF_BONE.match(path)
    name = bpy.utils.unescape_identifier(found.group(1)) if found is not None else ""
    if found is None or name not in renamed:
        return path
    return f'pose.bones["{bpy.utils.escape_identifier(renamed[name])}"]{path[found.end():]}'


def _rename_noted(armature, renamed: dict[str, str]) -> None:
    """Bones' names in what is noted on an armature and its motions."""
    for action in actions_of(armature):
        if names.SWAYS in action and action.library is None:
            action[names.SWAYS] = [renamed.get(name, name) for name in action[names.SWAYS]]
    for key in (names.SWAYS, names.OWN_POSE):
        if key in armature:
            armature[key] = {renamed.get(name, name): list(held) for name, held in armature[key].items()}
    for role in getattr(armature.data, names.BONE_MAP).roles:
        role.bone = renamed.get(role.bone, role.bone)


class _Skin:
    """A mesh object that an armature moves, while the armature's bones are renamed."""

    def __init__(self, o, armature, renamed: dict[str, str], constraints):
        self._o, self._armature, self._bones = o, armature, renamed
        self._uses = uses_of(o, constraints)
        self._before = [group.name for group in o.vertex_groups]
        self._modifier = next(m for m in armature_modifiers(o) if m.object == armature)
        self._aside: dict[str, str] = {}  # {bone: its group} where another armature moves the object by one so called
        self._others: list[tuple] = []  # (modifier, its group) of other armatures that make room
        self._groups = self._renamed_groups()

    def _renamed_groups(self) -> dict[str, str]:
        """{group: its new name}: those of bones, and others that have to make room for these."""
        called = groups_of(self._o, self._modifier, self._bones)
        others = groups_of_others(self._o, self._armature, only_on=True)
        kept = set() if self._modifier.show_viewport else others  # by these another moves the object, not we
        groups = {bone: self._bones[bone] for bone, group in called.items()
                  if group == bone and bone in self._before and bone not in kept}
        self._aside = {name: f"{name} ({self._armature.name})" for name in groups.values() if name in kept}
        groups = {name: self._aside.get(to, to) for name, to in groups.items()}
        room = {name: f"{name} ({self._whose(name)})" for name in self._before
                if name in groups.values() and name not in groups}
        return groups | room

    def make_room(self) -> None:
        """Free the bones' new names: where one is taken Blender renames the bone alone."""
        for group, name in zip(self._o.vertex_groups, self._before, strict=True):
            if name in self._groups and name not in self._bones:
                group.name = self._groups[name]

    def rename(self) -> None:
        """Give groups their new names, whatever Blender has renamed, and let all that uses them go along."""
        changed = [(group, self._groups.get(name, name)) for group, name
                   in zip(self._o.vertex_groups, self._before, strict=True)]
        changed = [(group, to) for group, to in changed if group.name != to]
        for k, (group, _) in enumerate(changed):
            group.name = f"geppetto {k}"
        for group, to in changed:
            group.name = to
        follow(self._uses, self._groups)
        note_renamed(self._o, self._modifier, self._bones)
        note_aside(self._o, self._modifier, self._aside)
        for modifier, name in self._others:
            note_aside(self._o, modifier, {name: self._groups[name]})
        if names.HELD in self._o and self._o[names.HELD][0] == self._modifier.name:
            note_held(self._o, self._armature)

    def _whose(self, group: str) -> str:
        """The name of the armature that moves the object by a group, or would."""
        found = [m for m in armature_modifiers(self._o) if m.object != self._armature
                 and group in groups_of(self._o, m, m.object.data.bones.keys()).values()]
        self._others += [(modifier, group) for modifier in found]
        return found[0].object.name if found else "old"
