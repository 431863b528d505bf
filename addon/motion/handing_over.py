"""What a character does, taken along when another rig takes it over: its pose, or its action frame by frame."""

from __future__ import annotations

from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ...core.geometry.rotation import angle, from_matrix
from ...core.motion.clip import MotionClip
from ...core.motion.kinematics import Kinematics
from ...core.skeleton.bone_map import find_roles
from ...core.skeleton.carried import ancestors
from ...core.skeleton.rig import Rig
from ...core.steps import run
from ..bridge.action import LONGEST, bone_channels, read_skeleton, write_action
from ..current import evaluated_scene
from .baking import bake_steps, write_controls
from .beneath import skeleton_beneath

STILL = 1e-4  # radians, and a share of the skeleton's size: what moves less is at rest


@dataclass(frozen=True)
class Doing:
    """What a character does.  clip : on the plain rig's bones, in its space

    start : the action's first frame in the scene, None if it is a pose
    """

    clip: MotionClip
    start: int | None


def doing_of_plain(context, plain: bpy.types.Object) -> Doing | None:
    """What a plain rig does; None at rest."""
    rig = read_skeleton(plain)
    return _sampled(context, plain, plain, rig, {name: name for name in rig.names}, Matrix.Identity(4))


def doing_of_controls(context, controls: bpy.types.Object) -> Doing | None:
    """What a control rig does, for its plain rig; None at rest."""
    under, bones = skeleton_beneath(controls), controls.pose.bones
    table = {source: _whole(bones, part) for part, source in reversed(under.shares.items())}
    return _sampled(context, controls, under.body, under.rig, table, under.space)


def _whole(bones, part: str) -> str:
    """The bone of a control rig that goes as a whole bone does of which a part is named: that which limbs bend by; but
    in a spine, where that hangs on a handle and turns as the handle does, the part itself."""
    name = part.replace("DEF-", "ORG-", 1)
    if name not in bones:
        return part
    above = bones[name].parent
    return part if above is not None and above.name.startswith("tweak") else name


def put_on_controls(context, controls: bpy.types.Object, doing: Doing | None) -> None:
    """Let a control rig do what its plain rig did: its action as keys on the controls, or its pose.

    Raises BadMotion.
    """
    if doing is None:
        return
    keys = run(bake_steps(context, controls, skeleton_beneath(controls), doing.clip))
    if doing.start is not None:
        write_controls(controls, doing.clip, doing.clip.rate, doing.start, keys)
    else:
        _pose(context, controls, keys)


def put_on_plain(context, plain: bpy.types.Object, doing: Doing | None) -> None:
    """Let a plain rig do what its control rig did: the action as keys on its bones, the pose, or rest."""
    for bone in plain.pose.bones:  # what does not turn gets no keys
        bone.matrix_basis.identity()
    hips = find_roles(doing.clip.rig).get("hips", -1) if doing is not None else -1
    if doing is not None and doing.start is not None:
        write_action(plain, doing.clip, doing.clip.rate, start=doing.start, hips=hips)
        return
    if plain.animation_data is not None and plain.animation_data.action is not None:
        plain.animation_data.action.use_fake_user = True
        plain.animation_data.action = None
    if doing is not None:
        found = bone_channels(plain, doing.clip, hips=hips, way=np.zeros((1, 3)))
        _pose(context, plain, {bone.name: keys for bone, keys in zip(plain.pose.bones, found, strict=True)})


def _sampled(context, shown, plain, rig: Rig, table: dict[str, str], space: Matrix) -> Doing | None:
    """What an armature shows, on the bones of `rig`, in the space of `plain`: each frame of its action, or without one
    the pose of now; None for a rest pose, and for more frames than anybody can mean.

    table : {bone of the rig: the shown bone that it goes with}; all others go along with what carries them
    space : takes the shown armature's axes to the plain rig's
    """
    action = shown.animation_data.action if shown.animation_data is not None else None
    scene, before = context.scene, (context.scene.frame_current, context.scene.frame_subframe)
    first, last = (round(x) for x in action.frame_range) if action is not None else (before[0], before[0])
    if last - first >= LONGEST:
        return None
    ways = np.empty((last - first + 1, len(rig.names), 4, 4))
    try:
        for frame in range(first, last + 1):
            if action is not None:
                scene.frame_set(frame)
            ways[frame - first] = _ways(context, shown, space, rig, table)
    finally:
        if action is not None:
            scene.frame_set(before[0], subframe=before[1])
    clip = _clip(rig, ways, scene.render.fps / scene.render.fps_base, f"{plain.name} {_short(action, plain, shown)}",
                 loop=action is not None and action.use_cyclic and len(ways) > 2)
    size = float(np.ptp(rig.heads, axis=0).max())
    is_still = np.abs(clip.root).max() < STILL * size and angle(clip.rotations).max() < STILL
    if action is None:
        return None if is_still else Doing(clip, None)
    return Doing(clip, first)


def _short(action, plain, shown) -> str:
    """An action's name without those of the rigs."""
    name = action.name if action is not None else "pose"
    for rig in (shown, plain):
        name = name.removeprefix(f"{rig.name} ")
    return name


def _ways(context, shown, space: Matrix, rig: Rig, table: dict[str, str]) -> np.ndarray:
    """(B, 4, 4) where a pose takes what each bone carries at rest, in the plain rig's space."""
    seen = shown.evaluated_get(evaluated_scene(context)).pose.bones
    back, out = space.inverted_safe(), np.empty((len(rig.names), 4, 4))
    for i, name in enumerate(rig.names):  # parents come first
        if name in table:
            bone = seen[table[name]]
            out[i] = space @ bone.matrix @ bone.bone.matrix_local.inverted_safe() @ back
        else:
            out[i] = out[rig.parents[i]] if rig.parents[i] >= 0 else np.eye(4)
    return out


def _clip(rig: Rig, ways: np.ndarray, rate: float, name: str, *, loop: bool) -> MotionClip:
    """The clip of such places.  The hips carry the way, whatever they hang on."""
    hips = find_roles(rig).get("hips", -1)
    above = ancestors(rig.parents, hips) if hips >= 0 else []
    parents = np.array(rig.parents)
    parents[[hips, *above] if hips >= 0 else []] = -1
    free = Rig(rig.names, parents, rig.heads, rig.tails, rig.x_axes)
    axes = ways[..., :3, :3]
    turns = from_matrix(axes / np.maximum(np.linalg.norm(axes, axis=-2, keepdims=True), 1e-12))
    lead = hips if hips >= 0 else int(np.flatnonzero(parents < 0)[0])
    root = np.einsum("tij,j->ti", ways[:, lead], [*rig.heads[lead], 1.0])[:, :3] - rig.heads[lead]
    rounds = slice(None, -1 if loop else None)
    return MotionClip(free, Kinematics(free).local(turns)[rounds], root[rounds], rate, name=name, loop=loop,
                      stride=root[-1] - root[0] if loop else (0.0, 0.0, 0.0))


def _pose(context, armature, keys: dict[str, tuple[np.ndarray, np.ndarray | None]]) -> None:
    """Put bones as the first frame of their channels has them."""
    for name, (turns, places) in keys.items():
        bone = armature.pose.bones[name]
        place = bone.location.copy() if places is None else places[0]
        bone.matrix_basis = Matrix.LocRotScale(place, Quaternion(turns[0]), None)
    context.view_layer.update()
