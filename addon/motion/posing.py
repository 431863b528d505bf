"""Posing a rig frame after frame: in a scene where nothing else moves along, and in as few turns as its bones allow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import bpy

OF_BONE = re.compile(r'pose\.bones\["((?:[^"\\]|\\.)+)"\](?!\[)')  # a value of a bone; its own properties stay


@contextmanager
def alone(context, rig: bpy.types.Object) -> Iterator[bpy.types.ViewLayer]:
    """Inside, the view layer of a scene that holds a rig and nothing that follows it, at the frame of now.

    What follows, a mesh of a million vertices say, is brought after the rig once, when its own scene is drawn.
    """
    here, scene, was_hidden = context.scene, bpy.data.scenes.new("Geppetto"), rig.hide_viewport
    try:
        if was_hidden:  # what is switched off is not brought up to date
            rig.hide_viewport = False
        scene.collection.objects.link(rig)
        scene.frame_current, scene.frame_subframe = here.frame_current, here.frame_subframe
        yield scene.view_layers[0]
    finally:
        if was_hidden:
            rig.hide_viewport = True
        bpy.data.scenes.remove(scene)


def in_turns(rig: bpy.types.Object, bones: Iterable[str]) -> list[list[str]]:
    """Some bones of a rig in the order in which they can be put to places in its space, turn by turn.

    Where a bone lies is known once that which it hangs on does, and all that this one depends on, by parents,
    constraints and drivers: one update after each turn does. Bones that wait for each other come in the order of depth.
    """
    needs = _needs(rig)
    left = {bone: _depth(rig, bone) for bone in bones}
    waits = {bone: _behind(needs, rig.pose.bones[bone].parent) & left.keys() - {bone} for bone in left}
    turns: list[list[str]] = []
    while left:
        ready = [bone for bone in left if not waits[bone] & left.keys()] or [min(left, key=left.__getitem__)]
        turns.append(ready)
        for bone in ready:
            del left[bone]
    return turns


def _depth(rig, bone: str) -> int:
    return len(rig.pose.bones[bone].parent_recursive)


def _behind(needs: dict[str, set[str]], bone) -> set[str]:
    """A bone and all it depends on."""
    found: set[str] = set()
    more = {bone.name} if bone is not None else set()
    while more:
        found |= more
        more = set().union(*(needs[name] for name in more)) - found
    return found


def _needs(rig: bpy.types.Object) -> dict[str, set[str]]:
    """{bone: the bones of the same rig of which its place is made}."""
    bones = rig.pose.bones
    needs: dict[str, set[str]] = {bone.name: {bone.parent.name} if bone.parent is not None else set() for bone in bones}
    for bone in bones:
        for constraint in bone.constraints:
            targets = {getattr(constraint, key, "") for key in ("subtarget", "pole_subtarget")}
            targets |= {target.subtarget for target in getattr(constraint, "targets", ())}
            chain = [bone]
            if constraint.type in {"IK", "SPLINE_IK"}:  # it moves the bones above too
                above = bone.parent_recursive
                chain += above[:constraint.chain_count - 1] if constraint.chain_count else above
            for moved in chain:
                needs[moved.name] |= targets & set(bones.keys()) | {other.name for other in chain} - {moved.name}
    for curve in rig.animation_data.drivers if rig.animation_data is not None else ():
        driven = OF_BONE.match(curve.data_path)
        if driven is not None:
            needs[_name(driven)] |= set(_read_by(curve.driver)) & needs.keys()
    return needs


def _read_by(driver) -> Iterator[str]:
    for variable in driver.variables:
        for target in variable.targets:
            read = OF_BONE.match(target.data_path) if variable.type == "SINGLE_PROP" else None
            yield _name(read) if read is not None else target.bone_target


def _name(found: re.Match) -> str:
    return bpy.utils.unescape_identifier(found[1])
