"""What uses an object's vertex groups by their names: modifiers, shape keys, constraints of others."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

import bpy

Use = tuple[str, Callable[[str], None]]  # a group's name, and what makes its user use another

APART = ("settings", "collision_settings", "flow_settings", "particle_system")  # where modifiers keep settings


def uses_of(o, constraints: dict[tuple, list]) -> list[Use]:
    """All that uses one of an object's vertex groups.  constraints : `targets_in_file`"""
    found: list[Use] = []
    for modifier in o.modifiers:
        for holder in (modifier, *(getattr(modifier, key, None) for key in APART)):
            found += [(getattr(holder, prop.identifier), partial(setattr, holder, prop.identifier))
                      for prop in (holder.bl_rna.properties if holder is not None else ())
                      if prop.type == "STRING" and "vertex_group" in prop.identifier]
        found += _uses_of_nodes(modifier) if modifier.type == "NODES" else []
    found += [(block.vertex_group, partial(setattr, block, "vertex_group"))
              for block in (o.data.shape_keys.key_blocks if o.data.shape_keys is not None else ())]
    found += [(group, partial(setattr, constraint, "subtarget"))
              for (target, group), of in constraints.items() if target == o for constraint in of]
    return [(name, use) for name, use in found if name]


def _uses_of_nodes(modifier) -> list[Use]:
    """The attributes that sockets of a node group take; up to Blender 5.1 these were custom properties."""
    if not hasattr(modifier, "properties"):
        return [(modifier[key], partial(modifier.__setitem__, key))
                for key in modifier.keys() if key.endswith("_attribute_name")]  # noqa: SIM118 - no dictionary
    held = [getattr(sockets, prop.identifier) for sockets in (modifier.properties.inputs, modifier.properties.outputs)
            for prop in sockets.bl_rna.properties if prop.type == "POINTER"]
    return [(socket.attribute_name, partial(setattr, socket, "attribute_name"))
            for socket in held if hasattr(socket, "attribute_name")]


def follow(uses: Iterable[Use], renamed: dict[str, str]) -> None:
    """Let all that used a vertex group use it under its new name.  renamed : {old name: new name}"""
    for name, use in uses:
        if name in renamed:
            use(renamed[name])


def targets_in_file() -> dict[tuple, list]:
    """{(target, bone or vertex group there): the constraints of this file that follow it}"""
    found: dict[tuple, list] = {}
    for o in bpy.data.objects:
        for owner in (o, *(o.pose.bones if o.pose is not None else ())):
            for constraint in owner.constraints:
                if getattr(constraint, "subtarget", ""):
                    found.setdefault((constraint.target, constraint.subtarget), []).append(constraint)
    return found
