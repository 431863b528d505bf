"""Whether an armature does what its keys say: artists' constraints and drivers may hold a bone."""

from __future__ import annotations

from contextlib import contextmanager

import bpy
import numpy as np
from mathutils import Matrix

from ...core.errors import BadMotion, RigError
from ...core.geometry.rotation import angle, conjugate, from_matrix, multiply
from ...core.motion.clip import MotionClip
from ...core.motion.kinematics import Kinematics
from ..current import evaluated_scene
from .action import close_strip, rest_turns, strips_range

LOOKS = 7  # moments of a motion at which the pose is compared
OFF, TURNED = 0.02, np.deg2rad(8)  # of the skeleton's size; how far a bone may be from where its keys put it

SEEN = 1e-4  # what turns and, as a share of the skeleton, moves less looks as at rest


def held_bones(armature: bpy.types.Object) -> list[bpy.types.PoseBone]:
    """Bones with a constraint that is on, or a driver on their channels."""
    paths = [d.data_path for d in armature.animation_data.drivers] if armature.animation_data else []
    return [b for b in armature.pose.bones if any(not c.mute and c.influence > 0 for c in b.constraints)
            or any(f'"{bpy.utils.escape_identifier(b.name)}"]' in p for p in paths)]


def poles(armature: bpy.types.Object) -> dict[str, str]:
    """{bone: the bone that carries it} for what inverse kinematics of this armature points its knees and elbows at."""
    out: dict[str, str] = {}
    for bone in armature.pose.bones if armature.pose else ():  # none as long as it has no bones
        for c in bone.constraints:
            if c.type != "IK" or c.mute or c.pole_target != armature or not c.pole_subtarget:
                continue
            top = bone
            for _ in range((c.chain_count or 2) - 1):
                top = top.parent or top
            out[c.pole_subtarget] = top.name
    return out


def check_pose(context, armature: bpy.types.Object, clip: MotionClip, action: bpy.types.Action, bones: list[int],
               base: Matrix | None = None) -> None:
    """Raise BadMotion, naming the bone and what holds it, if the armature does not do what was written.

    base : takes the clip to where the character was put
    Looked at only where something could hold one of these; at some moments of the action. Twist bones hold none.
    """
    wanted = [armature.pose.bones[clip.rig.names[bone]] for bone in bones]
    above = {one.name for bone in wanted for one in (bone, *bone.parent_recursive)}
    held = [bone for bone in held_bones(armature) if bone.name in above
            or any(c.type in {"IK", "SPLINE_IK"} for c in bone.constraints)]
    if not held:
        return
    kinematics = Kinematics(clip.rig)
    turns = kinematics.turns(clip.rotations)
    heads = kinematics.heads(turns, clip.root)
    rest, back = rest_turns(armature), np.array((base or Matrix.Identity(4)).inverted_safe())
    size = float(np.ptp(np.concatenate([clip.rig.heads, clip.rig.tails]), axis=0).max())
    scene, before = context.scene, (context.scene.frame_current, context.scene.frame_subframe)
    worst = np.zeros(len(rest))
    rounds = len(clip.root) if clip.loop else max(len(clip.root) - 1, 1)
    try:
        for frame in np.unique(np.linspace(0, len(clip.root) - 1, LOOKS).astype(int)):
            time = action.frame_start + (action.frame_end - action.frame_start) * frame / rounds
            scene.frame_set(int(time), subframe=float(time) % 1.0)
            pose = armature.evaluated_get(evaluated_scene(context)).pose.bones
            matrices = back @ np.array([b.matrix for b in pose], float)
            found = multiply(from_matrix(matrices[:, :3, :3] / np.linalg.norm(matrices[:, :3, :3], axis=1)[:, None]),
                             conjugate(rest))
            apart = np.linalg.norm(matrices[:, :3, 3] - heads[frame], axis=1) / (OFF * size)
            apart = np.maximum(apart, angle(multiply(found, conjugate(turns[frame]))) / TURNED)
            worst = np.maximum(worst, apart)
    finally:
        scene.frame_set(before[0], subframe=before[1])
    wrong = [b for b in bones if worst[b] > 1]
    if wrong:
        raise BadMotion(_what_holds(armature, held, [clip.rig.names[b] for b in wrong]))


def _what_holds(armature, held, wrong: list[str]) -> str:
    names = {b.name for b in held}
    bone = next((n for n in wrong if n in names), wrong[0])
    above = [armature.pose.bones[bone], *armature.pose.bones[bone].parent_recursive]
    holder = next((b for b in above if b.name in names), armature.pose.bones[bone])
    live = [c for c in holder.constraints if not c.mute and c.influence > 0]
    by = f"the constraint '{live[0].name}'" if live else "a driver"
    return (f"The bone '{bone}' of '{armature.name}' does not follow its keys: {by} of '{holder.name}' holds it. Mute "
            "it while the motion plays, or give in the bone map the controls that move this bone.")


def told_of_strips(armature: bpy.types.Object) -> tuple[str, ...]:
    """What keeps an armature's action from being seen as it is: a star in the NLA editor, or a mix with strips."""
    data = armature.animation_data
    starred = [track.name for track in data.nla_tracks if track.is_solo]
    if starred and data.use_nla:
        return (f"The star of the NLA track '{starred[0]}' keeps this motion from being seen. Click the star off.",)
    if strips_range(data) and (data.action_blend_type != "REPLACE" or data.action_influence < 1.0):
        return ("The NLA editor mixes this motion with its strips. Set the action's Blending to Replace and its "
                "Influence to 1 there.",)
    return ()


@contextmanager
def unless_it_fails(context, armature: bpy.types.Object):
    """What is written inside is taken back if it raises: actions, and the pose as it was."""
    close_strip(armature)
    data = armature.animation_data
    before = {*bpy.data.actions}
    had, action = data is not None, data.action if data else None
    slot = getattr(data, "action_slot", None) if data else None
    fake = action.use_fake_user if action else False
    pose = [(b, b.location.copy(), b.rotation_quaternion.copy(), b.rotation_euler.copy(), tuple(b.rotation_axis_angle))
            for b in armature.pose.bones]
    try:
        yield
    except (RigError, RuntimeError):
        if not had:
            armature.animation_data_clear()
        else:
            armature.animation_data.action = action
            if slot is not None:
                armature.animation_data.action_slot = slot
        if action is not None:
            action.use_fake_user = fake
        for new in {*bpy.data.actions} - before:
            bpy.data.actions.remove(new)
        for bone, location, quaternion, euler, axis_angle in pose:
            bone.location, bone.rotation_quaternion, bone.rotation_euler = location, quaternion, euler
            bone.rotation_axis_angle = axis_angle
        context.view_layer.update()
        raise


def is_posed(armature: bpy.types.Object) -> bool:
    """Whether an armature shows another pose than its rest pose, or would if it were not shown at rest."""
    if armature.data.pose_position == "REST":
        return True
    posed, rest = (np.empty(16 * len(armature.data.bones), np.float32) for _ in range(2))
    armature.pose.bones.foreach_get("matrix", posed)
    armature.data.bones.foreach_get("matrix_local", rest)
    off = np.abs(posed - rest).reshape(-1, 4, 4)
    size = np.abs(rest).max(initial=1.0)
    return bool(off[:, :3, :3].max(initial=0.0) > SEEN or off.max(initial=0.0) > SEEN * size)
