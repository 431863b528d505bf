"""What hangs follows the body: its swing is written as keys into the character's motions, and taken out again."""

from __future__ import annotations

from collections.abc import Iterable

import bpy
import numpy as np
from mathutils import Matrix

from ...core.geometry.rotation import conjugate, multiply
from ...core.hanging.thing import chain_kind, may_be_thing
from ...core.motion.rest_pose import character_axes
from ...core.motion.sway import Hanging, sway
from ...core.skeleton.bone_map import find_roles
from ...core.skeleton.chain import finger_of
from ...core.skeleton.twist import is_twist
from .. import names
from ..bridge.action import add_turns, read_skeleton, remove_keys, rest_turns
from ..bridge.curves import curves_of
from ..bridge.groups import read_groups
from ..bridge.mesh import read_character
from ..characters.rigged import followers
from ..export.exporting import root_of
from ..export.staging import stage
from .resting import bone_of, hold_still, is_rest
from .takes import Take, actions_of, sample_takes

# How stiff chains are, in their own weight: cloth and hair hang, tails and ears hold themselves up, skirts stay off the
# legs that carry them.
STIFFNESS = {"cape": 0.3, "skirt": 20.0, "hair": 0.6, "tail": 5.0, "ear": 8.0}


def chains_of(armature: bpy.types.Object) -> list[list[str]]:
    """The names of the bones of each chain of an armature that may sway, from the body outwards."""
    own = [bone for bone in armature.data.bones if _kind(bone) and bone.parent is not None]
    held = {bone.name for bone in own}
    chains = []
    for first in (bone for bone in own if bone.parent.name not in held):
        chain = [first]
        while len(below := [b for b in chain[-1].children if b.name in held]) == 1:
            chain.append(below[0])
        chains.append([bone.name for bone in chain])
    return chains


def _kind(bone: bpy.types.Bone) -> str:
    """What a bone of ours hangs in, whatever it is called now; "" for others."""
    return chain_kind(bone.get(names.OWN_NAME, bone.name))


def sways(armature: bpy.types.Object) -> bool:
    """Whether what hangs on an armature follows its motions."""
    return names.SWAYS in armature


def switch_sway(context, armature: bpy.types.Object, on: bool) -> int:
    """Let what hangs on an armature follow all its motions, or no longer.  Returns how many motions were changed.

    Chains that have keys, constraints or drivers of their own keep them. Switched off, each action, and the pose of the
    chains, is as it was before.  Raises RigError, with nothing changed.
    """
    if not on:
        return _taken_out(armature)
    bones = armature.pose.bones
    before = {name: [x for row in bones[name].matrix_basis for x in row]
              for chain in chains_of(armature) for name in chain}
    written = sway_in(context, armature, actions_of(armature))
    armature[names.SWAYS] = before
    return written


def sway_in(context, armature: bpy.types.Object, actions: list[bpy.types.Action]) -> int:
    """Write into some actions of an armature how what hangs on it swings.  Returns into how many.  Raises RigError."""
    free = {action.name: _free_chains(armature, action) for action in actions}
    actions = [action for action in actions if free[action.name] and curves_of(action) and action.library is None]
    if not actions:
        return 0
    skeleton = read_skeleton(armature)
    flesh = _flesh(context, armature, skeleton)
    with stage(context) as scene:
        takes = sample_takes(bpy.context, scene, armature, skeleton.names, actions, root_of(armature))
        rate = scene.render.fps / scene.render.fps_base
    swung = [_swung(armature, skeleton, flesh, free[action.name], take, rate)
             for action, take in zip(actions, takes, strict=True)]
    for action, turns in zip(actions, swung, strict=True):
        start = int(np.floor(action.frame_range[0]))
        _clear(action)
        _clear_turns(action, turns)  # keys at rest
        add_turns(armature, action, turns, start)
        action[names.SWAYS] = list(turns)
    return len(actions)


def _free_chains(armature, action) -> list[list[str]]:
    """Chains that nothing moves in an action but what this module wrote there."""
    keyed = {bone_of(curve.data_path) for curve in curves_of(action) if not is_rest(curve)}
    keyed -= set(action.get(names.SWAYS, ()))
    drivers = armature.animation_data.drivers if armature.animation_data else ()
    keyed |= {bone_of(curve.data_path) for curve in drivers}
    keyed |= {bone.name for bone in armature.pose.bones if any(not c.mute for c in bone.constraints)}
    return [chain for chain in chains_of(armature) if not keyed & set(chain)]


def _clear(action) -> None:
    if names.SWAYS in action:
        _clear_turns(action, action[names.SWAYS])
        del action[names.SWAYS]


def _clear_turns(action, bones: Iterable[str]) -> None:
    remove_keys(action, {f'pose.bones["{bpy.utils.escape_identifier(name)}"].rotation' for name in bones})


def _taken_out(armature) -> int:
    actions = actions_of(armature)
    changed = [action for action in actions if names.SWAYS in action]
    for action in changed:
        _clear(action)
    hold_still(armature, actions)
    for name, basis in dict(armature.get(names.SWAYS, {})).items():
        if name in armature.pose.bones:
            armature.pose.bones[name].matrix_basis = Matrix(np.array(list(basis)).reshape(4, 4).tolist())
    if sways(armature):
        del armature[names.SWAYS]
    return len(changed)


def _swung(armature, skeleton, flesh: np.ndarray, chains, take: Take, rate: float) -> dict[str, np.ndarray]:
    """{bone: (T, 4) its turns in its own channels} of a take."""
    number = {name: i for i, name in enumerate(skeleton.names)}
    rest = np.array([np.array(bone.matrix_local, float) for bone in armature.data.bones])
    axes = take.poses[..., :3, :3]
    turns = axes / np.linalg.norm(axes, axis=-2, keepdims=True) @ np.swapaxes(rest[:, :3, :3], 1, 2)
    up = character_axes(skeleton, find_roles(skeleton))[2]
    hanging = Hanging(tuple(tuple(number[name] for name in chain) for chain in chains),
                      tuple(STIFFNESS[_kind(armature.data.bones[chain[0]])] for chain in chains))
    height = float(np.ptp(np.concatenate([skeleton.heads, skeleton.tails]) @ up))
    swung = sway(skeleton, turns, take.poses[..., :3, 3], hanging, rate=rate, down=-up, height=height, flesh=flesh,
                 loop=take.loop)
    own = rest_turns(armature)
    return {skeleton.names[b]: multiply(conjugate(own[b]), multiply(turn, own[b])) for b, turn in swung.items()}


def _flesh(context, armature, skeleton) -> np.ndarray:
    """(B,) how thick the body is around each bone: the median distance of the skin that follows it most.

    What hangs has none, nor has what no skin follows.
    """
    objects = [o for o in followers(armature) if o.visible_get()]
    thick = np.zeros(len(skeleton.names))
    if not objects:
        return thick
    character = read_character(context, objects)
    weights = read_groups(context, character, skeleton.names)
    back = np.array(armature.matrix_world.inverted_safe(), float)
    points = character.mesh.vertices @ back[:3, :3].T + back[:3, 3]
    most = np.where(np.asarray(weights.sum(1)).ravel() > 0, np.asarray(weights.argmax(1)).ravel(), -1)
    for bone in np.unique(most[most >= 0]):
        name = armature.data.bones[skeleton.names[bone]].get(names.OWN_NAME, skeleton.names[bone])
        if may_be_thing(name) or chain_kind(name) or finger_of(name) or is_twist(name):
            continue
        start, along = skeleton.heads[bone], skeleton.tails[bone] - skeleton.heads[bone]
        own = points[most == bone] - start
        share = np.clip(own @ along / max(float(along @ along), 1e-18), 0.0, 1.0)
        thick[bone] = np.median(np.linalg.norm(own - share[:, None] * along, axis=1))
    return thick
