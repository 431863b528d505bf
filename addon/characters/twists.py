"""Twist bones in Blender: a constraint on each lets it do its share of what the limb, the hand or the foot turns."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.skeleton.rig import Rig
from ...core.skeleton.twist import twist_groups

NAME = "Twist"


def write_twists(armature: bpy.types.Object, rig: Rig) -> None:
    """Let the twist bones of a new armature follow. They are hidden, for they lie on the bones that people pose.

    A Transformation constraint: it knows the turn about a bone apart from its swing. Copy Rotation takes one of three
    Euler angles instead, and finds up to 45 degrees of twist in an arm that is raised aslant by 90 and not twisted.
    """
    for group in twist_groups(rig):
        for bone, factor in zip(group.bones, group.factors, strict=True):
            _follow(armature, rig.names[bone], rig.names[group.source], float(factor))
    for collection in armature.data.collections:
        if collection.name == NAME:
            collection.is_visible = False


def _follow(armature, bone: str, source: str, factor: float) -> None:
    """Let a bone turn about its Y by so much of what another turns about the same direction."""
    constraint = armature.pose.bones[bone].constraints.new("TRANSFORM")
    constraint.name = NAME
    constraint.target, constraint.subtarget = armature, source
    constraint.owner_space = "LOCAL"
    constraint.target_space = "LOCAL_OWNER_ORIENT"  # hands do not lie in line with their forearms
    constraint.map_from = constraint.map_to = "ROTATION"
    constraint.from_rotation_mode = "SWING_TWIST_Y"
    constraint.from_min_y_rot, constraint.from_max_y_rot = -np.pi, np.pi
    constraint.map_to_x_from = constraint.map_to_y_from = constraint.map_to_z_from = "Y"
    constraint.to_min_y_rot, constraint.to_max_y_rot = -factor * np.pi, factor * np.pi
    constraint.mix_mode_rot = "AFTER"
