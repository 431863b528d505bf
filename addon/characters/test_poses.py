"""A slider through the range of motion: the character bends every joint in turn, and has its own pose back at 0."""

from __future__ import annotations

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ...core.geometry.rotation import identity, slerp
from ...core.motion.kinematics import Kinematics
from ...core.quality.range_of_motion import Pose, range_of_motion
from ...core.skeleton.rig import Rig
from .. import names, props
from ..bridge.armature import read_rig


def poses_of(armature) -> list[Pose]:
    """The poses of the range of motion that an armature has the bones for; those of bones that no living body has, a
    fish's, a third arm's, come last."""
    rig = read_rig(armature)
    return range_of_motion(rig, moving=rig.deform)


def _shown(armature, count: int) -> tuple[int, float]:
    """(number of the pose, how far into it) where an armature's slider stands.  count : of its poses"""
    at = getattr(armature, names.TEST_POSE) * count
    number = min(int(at), count - 1)
    return number, float(np.sin(np.pi * (at - number)))  # into the pose and out again


def show_pose(armature, context) -> None:
    """Bend the armature as its slider says; called by Blender when it moves."""
    if armature.type != "ARMATURE" or not any(bone.use_deform for bone in armature.data.bones):
        return
    rig, poses = read_rig(armature), poses_of(armature)
    if not poses:
        return
    _give_back(armature)
    if not getattr(armature, names.TEST_POSE):
        return
    number, share = _shown(armature, len(poses))
    turns = _turns(rig, poses[number], share)
    held = armature.pose.bones
    armature[names.POSE_TOLD] = poses[number].name
    for name, turn in turns.items():
        held[name][names.OWN_POSE] = [x for row in held[name].matrix_basis for x in row]
        rest = (armature.matrix_world @ armature.data.bones[name].matrix_local).to_quaternion()
        held[name].matrix_basis = (rest.inverted() @ Quaternion(turn) @ rest).to_matrix().to_4x4()


def _turns(rig: Rig, pose: Pose, share: float) -> dict[str, np.ndarray]:
    """{bone: quaternion in the world against its parent} so far into a pose."""
    local = Kinematics(rig).local(np.array(pose.turns))
    return {rig.names[b]: slerp(identity(), local[b], share) for b in pose.bones}


def _give_back(armature) -> None:
    for bone in armature.pose.bones:  # on themselves, since a bone may be renamed meanwhile
        if names.OWN_POSE in bone:
            bone.matrix_basis = Matrix(np.reshape(bone[names.OWN_POSE], (4, 4)).tolist())
            del bone[names.OWN_POSE]
    armature.pop(names.POSE_TOLD, None)


CLASSES = ()
PROPERTIES = ((bpy.types.Object, names.TEST_POSE, lambda: props.FloatProperty(
    name="Test Pose", description="Bend one joint after another and look at the skin. At 0 the character has its own "
    "pose again", min=0.0, max=1.0, subtype="FACTOR", update=show_pose, options={"SKIP_SAVE"})),)
