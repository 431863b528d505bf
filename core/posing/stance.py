"""T-pose and A-pose of people, from what their bones are: how far each bone is turned and moved."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..errors import BadRig
from ..geometry.rotation import between, from_axis_angle, identity, multiply, normalized, rotate, to_matrix
from ..motion.kinematics import Kinematics
from ..skeleton.rig import Rig

POSES = ("T", "A")
LOWERED = np.deg2rad(45)  # arms of an A-pose below level: half way between level and hanging
NEEDED = ("upper_arm", "forearm", "thigh", "shin")
UP = np.array([0.0, 0.0, 1.0])


def rest_matrices(rig: Rig, roles: dict[str, int], pose: str, *, palms: dict[str, np.ndarray] | None = None
                  ) -> np.ndarray:
    """(B, 4, 4) the rigid motion of each bone that brings a person from the pose it was modelled in to T or A.

    Upper arm, forearm and hand lie in one line, level along X for T, 45 degrees below it for A, palms down (for A
    turned with the arm); each leg stands upright from hip to ankle and keeps its knee's own bend; soles keep their
    slope, trunk, head and fingers their shape. The lower of the two ankles stays at its height.

    rig : the character's frame (Z up, facing -Y, left = +X);  roles : {role: bone}
    palms : {"L" or "R": (3,)} where the palms look now, where that is known without fingers
    Raises BadRig for bodies without arms and legs like a person's.
    """
    missing = [f"{part}.{side}" for part in NEEDED for side in "LR" if f"{part}.{side}" not in roles]
    if missing:
        raise BadRig(f"Only people have a T-pose or A-pose: this skeleton has no '{missing[0]}'. Keep it as modelled.")
    turns: dict[int, np.ndarray] = {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        _turn_arm(rig, roles, side, np.array([sign, 0.0, 0.0]), (palms or {}).get(side), turns)
        if pose == "A":
            lower = from_axis_angle(np.array([0.0, sign, 0.0]), LOWERED)
            for part in ("upper_arm", "forearm", "hand"):
                if (bone := roles.get(f"{part}.{side}", -1)) in turns:
                    turns[bone] = multiply(lower, turns[bone])
        _turn_leg(rig, roles, side, turns)
    kinematics = Kinematics(rig)
    all_turns = identity(len(rig.names))
    for level in kinematics.levels:
        for bone in level:
            above = int(rig.parents[bone])
            all_turns[bone] = turns.get(int(bone), all_turns[above] if above >= 0 else identity())
    heads = kinematics.heads(all_turns, np.zeros(3))
    ankles = [roles.get(f"foot.{side}", roles[f"shin.{side}"]) for side in "LR"]
    heads[:, 2] += rig.heads[ankles, 2].min() - heads[ankles, 2].min()
    out = np.tile(np.eye(4), (len(rig.names), 1, 1))
    out[:, :3, :3] = to_matrix(all_turns)
    out[:, :3, 3] = heads - np.einsum("bij,bj->bi", out[:, :3, :3], rig.heads)
    return out


def palms_of(rig: Rig, roles: dict[str, int]) -> dict[str, np.ndarray]:
    """{"L" or "R": (3,) unit} where the palms look, for hands whose fingers have bones: across them, away from their
    backs."""
    found = {}
    for side, sign in (("L", 1.0), ("R", -1.0)):
        knuckles = [roles[f"{finger}_1.{side}"] for finger in ("index", "middle", "ring", "pinky")
                    if f"{finger}_1.{side}" in roles]
        hand = roles.get(f"hand.{side}", -1)
        if hand < 0 or len(knuckles) < 2:
            continue
        across = rig.heads[knuckles[-1]] - rig.heads[knuckles[0]]
        normal = -sign * np.cross(rig.heads[knuckles].mean(0) - rig.heads[hand], across)
        if np.linalg.norm(normal) > 0:
            found[side] = normalized(normal)
    return found


def posed_rig(rig: Rig, matrices: np.ndarray) -> Rig:
    """The rig where the matrices (B, 4, 4) take its bones; joints go with the bone that begins or ends there."""
    turn, shift = matrices[:, :3, :3], matrices[:, :3, 3]
    go = lambda points: np.einsum("bij,bj->bi", turn, points) + shift  # noqa: E731 - one line, used twice
    heads, tails = go(rig.heads), go(rig.tails)
    before, after = np.concatenate([rig.heads, rig.tails]), np.concatenate([heads, tails])
    joints = {name: after[np.abs(before - place).max(1).argmin()] if len(before) else place
              for name, place in rig.joints.items()}
    return replace(rig, heads=heads, tails=tails, x_axes=normalized(np.einsum("bij,bj->bi", turn, rig.x_axes)),
                   joints=joints)


def _turn_arm(rig: Rig, roles: dict[str, int], side: str, level: np.ndarray, palm, turns: dict[int, np.ndarray]
              ) -> None:
    """Each bone of the arm turned on from where the one above has taken it, along `level`."""
    chain = [roles[f"{part}.{side}"] for part in ("upper_arm", "forearm", "hand") if f"{part}.{side}" in roles]
    held = identity()
    for bone, end in zip(chain, [*rig.heads[chain[1:]], rig.tails[chain[-1]]], strict=True):
        held = turns[bone] = multiply(between(rotate(held, end - rig.heads[bone]), level), held)
    if palm is None or len(chain) < 3:
        return
    looks = rotate(held, palm)
    looks = looks - level * (looks @ level)
    roll = float(np.arctan2(np.cross(looks, -UP) @ level, looks @ -UP))
    half = from_axis_angle(level, np.array(roll / 2))  # the forearm's two bones share a turn of the hand
    turns[chain[1]] = multiply(half, turns[chain[1]])
    turns[chain[2]] = multiply(multiply(half, half), turns[chain[2]])


def _turn_leg(rig: Rig, roles: dict[str, int], side: str, turns: dict[int, np.ndarray]) -> None:
    thigh, shin = roles[f"thigh.{side}"], roles[f"shin.{side}"]
    foot = roles.get(f"foot.{side}", -1)
    end = rig.heads[foot] if foot >= 0 else rig.tails[shin]
    turns[thigh] = turns[shin] = between(end - rig.heads[thigh], -UP)
    if foot >= 0:
        turns[foot] = identity()
