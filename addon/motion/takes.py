"""A character's motions as takes: sampled on a copy of its armature, constraints and drivers and all."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np

from ...core.errors import BadMotion
from .. import names
from ..bridge.action import LONGEST, close_strip
from ..bridge.curves import curves_of
from ..bridge.rigify import IK_FK
from ..current import evaluated_scene
from .owning import is_of, played_by, short_names, without_twins


@dataclass(frozen=True, eq=False)
class Take:
    """What the bones of a rig do, in the armature's space as it stands in the first frame.

    poses : (T, B, 4, 4) their places, a frame each
    ways : (T, 4, 4) where what carries the way, the root bone or the object, takes what it carries at rest
    """

    name: str
    poses: np.ndarray
    ways: np.ndarray
    loop: bool


def actions_of(armature: bpy.types.Object) -> list[bpy.types.Action]:
    """An armature's motions: the one it does, those in its NLA tracks, and those Geppetto made for it; by name. What
    nothing uses, as the action of a copy that was deleted, is none of them, as the file will not keep it, unless it was
    made for controls, which show another action now. Nor is one without keys, as Merge Animation leaves behind."""
    made = {action for action in bpy.data.actions
            if (action.users or names.BAKED in action) and is_of(action, armature) and moves(action, armature)}
    found = played_by(armature) | without_twins(made, armature)
    return sorted((action for action in found if curves_of(action)), key=lambda action: action.name)


def moves(action: bpy.types.Action, armature: bpy.types.Object) -> bool:
    """Whether most bones that an action moves are an armature's, and all limbs that it switches between IK and FK: what
    is left of a control rig moves its controls, of which some are called like bones."""
    paths = {curve.data_path for curve in curves_of(action) if curve.data_path.startswith('pose.bones["')}
    own, bones = set(armature.data.bones.keys()), {path.split('"')[1] for path in paths}
    switched = {path.split('"')[1] for path in paths if path.endswith(f'["{IK_FK}"]')}
    return switched <= own and 2 * len(bones & own) >= len(bones)


def sample_takes(context, scene, armature: bpy.types.Object, bones, actions, root: str = "") -> list[Take]:
    """What some bones do in each of the actions.  scene : the stage;  root : name of the bone on the ground, "" without

    Raises BadMotion for a range nobody can mean.
    """
    if not actions:
        return []
    actor = armature.copy()
    close_strip(actor)
    scene.collection.objects.link(actor)
    _act_for(actor, armature)
    actor.hide_viewport = False
    actor.data.pose_position, posed = "POSE", actor.data.pose_position
    try:
        return [_sample(context, scene, actor, bones, action, name, root)
                for action, name in zip(actions, short_names(actions, armature), strict=True)]
    finally:
        actor.data.pose_position = posed
        bpy.data.objects.remove(actor)


def _act_for(actor, armature) -> None:
    """Let constraints and drivers of a copy look at the copy where they looked at the armature."""
    holders = [actor, *actor.pose.bones]
    for constraint in [c for holder in holders for c in holder.constraints]:
        for key in ("target", "pole_target"):
            if getattr(constraint, key, None) == armature:
                setattr(constraint, key, actor)
        for target in getattr(constraint, "targets", ()):
            if target.target == armature:
                target.target = actor
    data = actor.animation_data_create()
    for curve in data.drivers:
        for target in [t for variable in curve.driver.variables for t in variable.targets]:
            if target.id == armature:
                target.id = actor
    for track in data.nla_tracks:
        track.mute = True


def _sample(context, scene, actor, bones, action, name: str, root: str) -> Take:
    first, last = (int(x) for x in (np.floor(action.frame_range[0]), np.ceil(action.frame_range[1])))
    if last - first >= LONGEST:
        raise BadMotion(f"The action '{action.name}' is {last - first} frames long. Shorten it to {LONGEST}.")
    for bone in actor.pose.bones:
        bone.matrix_basis.identity()
    data = actor.animation_data
    data.action = action
    if hasattr(data, "action_slot") and data.action_slot is None and len(data.action_suitable_slots):
        data.action_slot = data.action_suitable_slots[0]
    poses = np.empty((last - first + 1, len(bones), 4, 4))
    places, roots = np.empty((len(poses), 4, 4)), np.tile(np.eye(4), (len(poses), 1, 1))
    for frame in range(first, last + 1):
        scene.frame_set(frame)
        seen = actor.evaluated_get(evaluated_scene(context))
        held = seen.pose.bones
        poses[frame - first], places[frame - first] = [held[one].matrix for one in bones], seen.matrix_world
        if root:
            roots[frame - first] = held[root].matrix @ held[root].bone.matrix_local.inverted()
    ways = np.linalg.inv(places[0]) @ places if np.ptp(places, axis=0).max() > 0 else np.eye(4)
    return Take(name, np.reshape(ways, (-1, 1, 4, 4)) @ poses, ways @ roots, action.use_cyclic)
