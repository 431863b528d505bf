"""Rest poses compared: which way a character faces, and how its limbs at rest differ from another's."""

from __future__ import annotations

import numpy as np

from ..geometry.rotation import between, identity
from ..skeleton.rig import Rig

ARMS = ("upper_arm", "forearm", "hand")
LEGS = ("thigh", "shin", "foot")
SNAP = np.cos(np.deg2rad(15))  # a character that faces this near to an axis faces along it


def character_axes(rig: Rig, roles: dict[str, int]) -> np.ndarray:
    """(3, 3) the space a rig stands in -> the character's frame: Z up, facing -Y, left = +X.

    Up is the rig's own where that is known, or the axis that its hips lie above its feet on; left is where its left
    bones are. A rig without legs or sides is taken to stand in the character's frame already.
    """
    place = lambda *names: [rig.heads[roles[f"{n}.{s}"]] for n in names for s in "LR" if f"{n}.{s}" in roles]  # noqa: E731
    hips, feet = place("thigh", "hind_upper", "front_upper"), place("foot", "hind_foot", "front_foot", "shin")
    up = np.array([0.0, 0.0, 1.0])
    if rig.up is not None:
        up = np.asarray(rig.up, float)
    elif hips and feet:
        rise = np.mean(hips, axis=0) - np.mean(feet, axis=0)
        axis = int(np.abs(rise).argmax())
        up = np.eye(3)[axis] * (np.sign(rise[axis]) or 1.0)
    sides = [rig.heads[b] - rig.heads[roles[r[:-2] + ".R"]] for r, b in roles.items() if r.endswith(".L")
             and r[:-2] + ".R" in roles]
    left = np.sum(sides, axis=0) if sides else np.zeros(3)
    left = left - up * (left @ up)
    length = np.linalg.norm(left)
    if length < 1e-9:
        left = np.eye(3)[np.abs(up).argmin()]
        left = (left - up * (left @ up)) / np.linalg.norm(left - up * (left @ up))
    else:
        left /= length
        best = int(np.abs(left).argmax())
        if abs(left[best]) > SNAP and abs(up[best]) < 1e-6:
            left = np.sign(left[best]) * np.eye(3)[best]
    return np.stack([left, np.cross(up, left), up])


def turned_rig(rig: Rig, axes: np.ndarray) -> Rig:
    """The rig in the character's frame."""
    return Rig(rig.names, rig.parents, rig.heads @ axes.T, rig.tails @ axes.T, rig.x_axes @ axes.T, rig.connected,
               rig.deform, rig.collections)


def align(source: Rig, source_roles: dict[str, int], target: Rig, target_roles: dict[str, int]) -> np.ndarray:
    """(B, 4) for each of the target's bones: the turn from its rest direction to the source's.

    Arms and legs are aligned bone by bone, so an A-pose and a T-pose agree, a wide stance comes together, and knees
    bend as the source's do; hands follow. The trunk, feet and everything on four legs keep their rest pose: there it
    is the character's own shape. Bones without length turn nothing. Both rigs in the character's frame.
    """
    out = identity(len(target.names))
    for side in "LR":
        for limb in (ARMS, LEGS):
            shared = [f"{n}.{side}" for n in limb if f"{n}.{side}" in source_roles and f"{n}.{side}" in target_roles]
            for role, after in zip(shared, [*shared, ""][1:], strict=True):
                if role.startswith("foot"):
                    continue
                if role.startswith("hand"):  # its rest direction is rarely measured well; it follows the forearm
                    if f"forearm.{side}" in shared:
                        out[target_roles[role]] = out[target_roles[f"forearm.{side}"]]
                    continue
                out[target_roles[role]] = between(_direction(target, target_roles, role, after),
                                                  _direction(source, source_roles, role, after))
    return out


def _direction(rig: Rig, roles: dict[str, int], role: str, after: str) -> np.ndarray:
    bone = roles[role]
    return (rig.heads[roles[after]] if after else rig.tails[bone]) - rig.heads[bone]
