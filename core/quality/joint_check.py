"""Whether the joints of a skeleton, whoever made it, lie where the body has them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..skeleton.bone_map import find_roles
from ..skeleton.rig import DOUBTFUL, Rig

# Shares of the skeleton's longest side. Artists put one joint 0.02 apart, habits of others (hind knee or hock) 0.11.
FAR = 0.15
# Nearer than this to where another joint is, a joint is said to lie there.
AT = 0.06
# Joints of limbs: those of the trunk lie where the artist wants to bend it.
LIMBS = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot", "front_upper", "front_lower", "hind_upper",
         "hind_lower")


@dataclass(frozen=True)
class MisplacedJoint:
    """A joint that lies far from where the body has it.

    bone : of the skeleton that begins there;  joint : which joint it should be, as our presets name it
    off : how far, by the skeleton's longest side;  at : the joint it lies at instead, empty if at none
    """

    bone: str
    joint: str
    off: float
    at: str = ""


def check_joints(rig: Rig, seen: Rig) -> tuple[MisplacedJoint, ...]:
    """The joints of a rig that lie elsewhere than where they were seen, the worst first.

    rig : as it is;  seen : what was fitted to the same body without asking, both in one space.  Joints that are
    doubtful there are not judged, nor those whose role nobody knows.
    """
    roles = find_roles(rig)
    places = {name: np.array(place, float) for name, place in seen.joints.items()}
    size = max(float(np.ptp(np.array(list(places.values())), axis=0).max()), 1e-30)
    sure = {n for n in places if seen.confidence.get(n, 0.0) >= DOUBTFUL}
    found = []
    for role, bone in roles.items():
        if role.split(".")[0] not in LIMBS or role not in sure:
            continue
        off = float(np.linalg.norm(rig.heads[bone] - places[role])) / size
        if off < FAR:
            continue
        away = {n: float(np.linalg.norm(rig.heads[bone] - places[n])) / size for n in sure if n != role}
        nearest = min(away, key=lambda n: away[n], default="")
        found.append(MisplacedJoint(rig.names[bone], role, off, nearest if nearest and away[nearest] < AT else ""))
    return tuple(sorted(found, key=lambda f: -f.off))
