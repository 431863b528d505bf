"""A rig seen as a body: its bones by role, in the character's frame, with its legs and the ground under it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..skeleton.bone_map import BoneMap, find_roles
from ..skeleton.carried import attached
from ..skeleton.rig import Rig
from .kinematics import Kinematics
from .legs import Leg, find_legs, ground_height
from .rest_pose import character_axes, turned_rig
from .sole import Skin


@dataclass(frozen=True, eq=False)
class Body:
    """A rig seen in the character's frame.

    rig : every bone hung on what carries it;  own : the same in its own space;  axes : (3, 3) its space -> that frame
    roles : {role: bone};  kinematics : of `rig`;  ground : height of what it stands on, in that frame
    turning : the tree that the turns of a clip on it are measured along
    """

    rig: Rig
    own: Rig
    roles: dict[str, int]
    axes: np.ndarray
    kinematics: Kinematics
    turning: Kinematics
    legs: list[Leg]
    ground: float

    @property
    def pelvis(self) -> list[Leg]:
        """The legs whose hips carry the body's place: a person's, or an animal's hind legs."""
        behind = [leg for leg in self.legs if not leg.name.startswith("front")]
        return behind or self.legs


def body_of(rig: Rig, bone_map: BoneMap | None = None, ground: float | None = None, skin: Skin | None = None,
            carried: dict[str, str] | None = None) -> Body:
    """Recognise a rig's bones, turn it into the character's frame and find its legs."""
    roles = find_roles(rig, bone_map)
    axes = character_axes(rig, roles)
    own = attached(rig, roles, carried)
    turned = turned_rig(own, axes)
    kinematics = Kinematics(turned)
    low = ground_height(turned, roles) if ground is None else float(ground)
    legs = find_legs(turned, roles, low, None if skin is None else skin.turned(axes))
    soles = [turned_ankle(turned, leg)[2] + leg.sole.points[:, 2].min() for leg in legs if leg.sole is not None]
    if ground is None and soles:
        low = float(min(soles))
    return Body(turned, own, roles, axes, kinematics, kinematics if own is rig else Kinematics(turned_rig(rig, axes)),
                legs, low)


def turned_ankle(rig: Rig, leg: Leg) -> np.ndarray:
    """(3,) where a leg's chain ends at rest."""
    return rig.heads[leg.foot] if leg.foot >= 0 else rig.tails[leg.chain[-1]]
