"""Whose motions actions are: those that Geppetto wrote know their armature, whatever it or they are called now."""

from __future__ import annotations

import re
from collections.abc import Mapping
from hashlib import sha256
from types import MappingProxyType

import bpy
import numpy as np
from mathutils import Matrix

from .. import names
from ..bridge.curves import curves_of
from .resting import hold_still, is_rest

# Our custom properties of actions.
OWN = {names.MOTIONS, names.WRITTEN, names.SWAYS, names.PLACED, names.BAKED, names.KEYED}
NUMBER = re.compile(r"\.\d{3,}$")  # that Blender puts behind a name that is taken


def played_by(armature: bpy.types.Object) -> set[bpy.types.Action]:
    """The action an armature does, and those in its NLA tracks."""
    data = armature.animation_data
    if data is None:
        return set()
    found = {data.action, *(strip.action for track in data.nla_tracks for strip in track.strips)}
    return found - {None}


def is_of(action: bpy.types.Action, armature: bpy.types.Object) -> bool:
    """Whether an action is marked as an armature's or, where nothing is said, called like it: as old files have it, and
    overrides of linked armatures, which Blender saves without a mark that the linked one lacks."""
    if names.MOTIONS in action and (names.MOTIONS in armature or armature.override_library is None):
        return armature.get(names.MOTIONS) in action[names.MOTIONS].split()
    called = [o.name for o in bpy.data.objects if o.type == "ARMATURE" and action.name.startswith(f"{o.name} ")]
    return max(called, key=len, default="") == armature.name


def without_twins(actions: set[bpy.types.Action], armature: bpy.types.Object) -> set[bpy.types.Action]:
    """Some actions of an armature without those that a copy of it plays, of which it plays one of its own: what is
    copied in the viewport gets a copy of the action it does."""
    own = played_by(armature)
    titles = {_title(action) for action in own if names.WRITTEN in action}
    others = {action for o in bpy.data.objects if o.type == "ARMATURE" and o != armature for action in played_by(o)}
    return {action for action in actions
            if action in own or not (action in others and names.WRITTEN in action and _title(action) in titles)}


def short_names(actions: list[bpy.types.Action], armature: bpy.types.Object) -> list[str]:
    """Some actions' names without that of their armature, no two the same: what was put on it, as long as they are
    called so but for a number."""
    short: list[str] = []
    for action in actions:
        name = action.name.removeprefix(f"{armature.name} ")
        if names.WRITTEN in action:
            written = action[names.WRITTEN]
            name = name.removeprefix(f"{written['by']} ")
            is_called_so = NUMBER.sub("", action.name) == NUMBER.sub("", written["as"])
            name = written["title"] if is_called_so and written["title"] not in short else name
        short.append(name if name not in short else action.name)
    return short


def keep(armature: bpy.types.Object, action: bpy.types.Action, motion: str, title: str,
         had: list[bpy.types.Action], did: set[bpy.types.Action],
         places: Mapping[str, Matrix] = MappingProxyType({}), how: str = "") -> None:
    """Mark an action that was just written as an armature's and let the file keep it; what it does not move is held
    at rest. The same motion's former action goes, unless it was changed or renamed meanwhile or something else uses it.

    motion, title : what was put on the armature, and what it is called;  had, did : the armature's motions before, and
    those of them that it played;  places : as for `hold_still`;  how : what puts it on again, "" if nothing does
    """
    own = _own_mark(armature, had, did)
    action[names.MOTIONS] = own
    action[names.WRITTEN] = {"of": motion, "title": title, "by": armature.name, "as": action.name,
                             "keys": _keys(action), **({"how": how} if how else {})}
    action.use_fake_user = True
    take_numbers(had)
    hold_still(armature, [*had, action], places)
    for former in [a for a in had if a.library is None and a not in played_by(armature) and _is_former(a, action)]:
        others = [mark for mark in former.get(names.MOTIONS, own).split() if mark != own]
        if others:  # a copy's too
            former[names.MOTIONS] = " ".join(others)
        elif former.users == int(former.use_fake_user):
            name = former.name
            bpy.data.actions.remove(former)
            action.name = action[names.WRITTEN]["as"] = name


def is_as_written(action: bpy.types.Action) -> bool:
    """Whether an action is as Geppetto wrote it, still called so, and nobody has added markers or properties to it or
    made it an asset."""
    written = action.get(names.WRITTEN)
    return (written is not None and written["as"] == action.name and written["keys"] == _keys(action)
            and action.asset_data is None and not len(action.pose_markers) and OWN.issuperset(action.keys()))


def take_numbers(motions: list[bpy.types.Action]) -> None:
    """Let actions of an armature be called with the number that Blender put behind their names when they were copied
    with the armature, or appended. An artist's own copy beside the action that it was made of stays renamed."""
    titles = [_title(action) for action in motions if names.WRITTEN in action]
    for action in [one for one in motions if names.WRITTEN in one and one.library is None]:
        written = action[names.WRITTEN]
        if titles.count(_title(action)) == 1 and NUMBER.sub("", action.name) == NUMBER.sub("", written["as"]):
            written["as"] = action.name


def _is_former(former, action) -> bool:
    """Whether an action is of the same motion as another, and as it was written."""
    return is_as_written(former) and _title(former) == _title(action)


def mark_called_so(armature: bpy.types.Object) -> None:
    """Mark the actions that are an armature's by their names alone, so that no other called like it takes them."""
    found = [action for action in bpy.data.actions if names.MOTIONS not in action and is_of(action, armature)]
    if found:
        _own_mark(armature, found, set())


def give_own_motions(armature: bpy.types.Object, had: list[bpy.types.Action]) -> None:
    """Copies, for an armature alone, of those of its motions that other armatures do or have as well.

    had : all its motions;  linked ones are left as they are
    """
    others = [o for o in bpy.data.objects if o.type == "ARMATURE" and o != armature]
    elsewhere, theirs = {action for o in others for action in played_by(o)}, {o.get(names.MOTIONS) for o in others}
    own = _own_mark(armature, had, played_by(armature)) if any(names.MOTIONS in action for action in had) else ""
    data = armature.animation_data
    for action in [one for one in had if one.library is None]:
        marks = [mark for mark in action.get(names.MOTIONS, "").split() if mark != own]
        if action not in elsewhere and theirs.isdisjoint(marks):
            continue
        copy = action.copy()
        copy.use_fake_user = action.use_fake_user
        if names.MOTIONS in action:
            copy[names.MOTIONS], action[names.MOTIONS] = own, " ".join(marks) or action[names.MOTIONS]
        strips = [strip for track in data.nla_tracks for strip in track.strips] if data is not None else []
        for user in [one for one in (data, *strips) if one is not None and one.action == action]:
            slot = getattr(user, "action_slot", None)
            user.action = copy
            if slot is not None:
                user.action_slot = copy.slots[slot.identifier]


def _own_mark(armature, had: list, did: set) -> str:
    """What marks an armature's motions, and those it has by their names from now on. Of two armatures with the same, as
    copies have, the one that is asked for gets a new one, and motions that neither alone plays are both's."""
    others = [o for o in bpy.data.objects if o.type == "ARMATURE" and o != armature and o.library is None]
    mine = [action for action in had if action.library is None and is_of(action, armature)]
    mark = armature.get(names.MOTIONS, "")
    is_shared = any(o.get(names.MOTIONS) == mark for o in others)
    own = mark if mark and not is_shared else _fresh_mark(armature)
    armature[names.MOTIONS] = own
    if armature.override_library is None:
        armature.property_overridable_library_set(f'["{names.MOTIONS}"]', True)
    elsewhere = {action for o in others for action in played_by(o)}
    for action in mine:
        if names.MOTIONS not in action or (own != mark and action in did - elsewhere):
            action[names.MOTIONS] = own
        elif own != mark:
            action[names.MOTIONS] += f" {own}"
    return own


def _fresh_mark(armature) -> str:
    """A mark that nothing in the file has; the same for the same rig in every run."""
    held = {mark for block in (*bpy.data.objects, *bpy.data.actions) for mark in block.get(names.MOTIONS, "").split()}
    heads = np.array([bone.head_local for bone in armature.data.bones], np.float32)
    number = 0
    while (mark := sha256(f"{armature.name} {number}".encode() + heads.tobytes()).hexdigest()[:16]) in held:
        number += 1
    return mark


def _title(action) -> tuple[str, str]:
    written = action[names.WRITTEN]
    return written["of"], written["title"]


def _keys(action) -> str:
    """What tells whether an artist changed keys of an action or its range: swinging chains, which are written anew at
    any time, and keys that hold a bone at rest are left out, and so are bones' names."""
    held = sha256(f"{action.frame_start} {action.frame_end} {action.use_frame_range} {action.use_cyclic}".encode())
    swings = tuple(f'pose.bones["{bpy.utils.escape_identifier(name)}"].' for name in action.get(names.SWAYS, ()))
    for curve in curves_of(action):
        if is_rest(curve) or (swings and curve.data_path.startswith(swings)):
            continue
        points = np.empty(2 * len(curve.keyframe_points), np.float32)
        curve.keyframe_points.foreach_get("co", points)
        between = np.empty(len(curve.keyframe_points), np.int32)
        curve.keyframe_points.foreach_get("interpolation", between)
        what = curve.data_path.rpartition(".")[2]
        held.update(f"{what} {curve.array_index} {curve.mute} {len(curve.modifiers)}".encode() + points.tobytes()
                    + between.tobytes())
    return held.hexdigest()
