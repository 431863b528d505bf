"""Which bone of an armature is what, as the artist says: a list kept with the armature."""

from __future__ import annotations

import bpy

from ...core.skeleton.bone_map import ROLES, BoneMap, find_roles
from .. import names, props
from ..bridge.action import read_skeleton


class RoleBone(bpy.types.PropertyGroup):
    """One part of a body and the bone that is it; `name` is the part."""

    bone: props.StringProperty(name="Bone", description="The bone that is this part of the body; empty: none is")


class ArmatureRoles(bpy.types.PropertyGroup):
    """All parts of a body. Empty: Geppetto finds out by itself."""

    roles: bpy.props.CollectionProperty(type=RoleBone)


def map_of(armature: bpy.types.Object) -> BoneMap | None:
    """The artist's own map of an armature, None if there is none."""
    held = getattr(armature.data, names.BONE_MAP, None)
    if held is None or not len(held.roles):
        return None
    return BoneMap(armature.name, {item.name: (item.bone,) for item in held.roles if item.bone})


def keep_map(armature: bpy.types.Object, roles: dict[str, str]) -> None:
    """Keep a map with an armature: all parts of its kind of body, with a bone or without, and any others given."""
    held = getattr(armature.data, names.BONE_MAP)
    held.roles.clear()
    for group in groups_of(roles):
        for role in ROLES[group]:
            for side in (".L", ".R") if group != "Trunk" else ("",):
                item = held.roles.add()
                item.name, item.bone = role + side, roles.get(role + side, "")
    for role in sorted(set(roles) - {item.name for item in held.roles}):
        item = held.roles.add()
        item.name, item.bone = role, roles[role]


def guess(armature: bpy.types.Object) -> dict[str, str]:
    """{part: bone} as Geppetto finds it, by names or by shape."""
    rig = read_skeleton(armature)
    return {role: rig.names[bone] for role, bone in find_roles(rig).items()}


def groups_of(roles) -> list[str]:
    """The parts a kind of body has: an animal's four legs, or arms and legs; whatever else is known too."""
    parts = {role.partition(".")[0] for role in roles}
    has_four = bool(parts & {*ROLES["Front Legs"], *ROLES["Hind Legs"]})
    usual = {"Trunk", "Front Legs", "Hind Legs"} if has_four else {"Trunk", "Arms", "Legs"}
    return [group for group, of_group in ROLES.items() if group in usual or parts & set(of_group)]


CLASSES = (RoleBone, ArmatureRoles)
PROPERTIES = ((bpy.types.Armature, names.BONE_MAP, lambda: bpy.props.PointerProperty(type=ArmatureRoles)),)
