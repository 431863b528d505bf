"""A motion as a program shows it, made ready for transfer: its up, its hips, and a rest pose that means something."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..errors import BadMotion
from ..geometry.rotation import (
    angle,
    between,
    conjugate,
    from_matrix,
    from_vector,
    multiply,
    normalized,
    rotate,
    swing_twist,
    to_matrix,
    to_vector,
)
from ..skeleton.bone_map import BoneMap, find_roles, has_limbs, named_roles
from ..skeleton.carried import ancestors, attached
from ..skeleton.rig import Rig
from .clip import MotionClip
from .contacts import slowest
from .kinematics import Kinematics
from .rest_pose import character_axes, turned_rig
from .shown import feet_as_shown

UPRIGHT = 0.7  # length of the mean direction from feet to head over a clip; above, that direction is up
BEST = 0.1  # of the frames: those that stand most upright are the neutral pose's
STILL = 0.15  # leg lengths a second, and TURNING radians a second: a foot that moves and turns less stands flat
TURNING = 0.6
LONG = 0.2  # seconds, in sum, that a foot must be seen to stand before its rest pose is put right
TIPPED, TIPPED_MOST = np.deg2rad(3), np.deg2rad(50)  # between these a foot's tip at rest is a fault of the rest pose
UP = np.array([0.0, 0.0, 1.0])


def read_motion(rig: Rig, turns: np.ndarray, heads: np.ndarray, rate: float, *, name: str = "motion",
                bone_map: BoneMap | None = None, is_up_known: bool = True,
                rest_frame: int | None = None) -> MotionClip:
    """The clip of what a program shows, its skeleton cut off above the hips.

    rig : at rest, in any axes;  turns : (T, B, 4) of each bone in the world since that rest pose;  heads : (T, B, 3)
    where the bones begin in the world, Z up
    is_up_known : False for files that do not tell which axis is up: then the rest pose does
    rest_frame : a frame, from 0, whose pose is taken for the rest pose; None takes the file's own
    A rest pose that no person takes is replaced by one built from the motion (see `neutral`), which the clip's
    warnings tell.  Raises BadMotion, BadRig.
    """
    warnings: list[str] = []
    roles, stands = _roles_at_rest(rig, heads, turns, bone_map)
    if has_limbs(roles) and not _has_two_legs(roles):
        rest_up = character_axes(rig, roles)[2]
        turn = between(rest_up, UP)
        rig = turned_rig(rig, to_matrix(turn))
        if is_up_known:
            turns = multiply(turns, conjugate(turn))
        else:
            turns, heads = multiply(multiply(turn, turns), conjugate(turn)), rotate(turn, heads)
    elif _has_two_legs(roles):
        rest_up = character_axes(rig, roles)[2] if stands else None
        shown_up = mean_up(heads, roles)
        if not is_up_known and rest_up is not None and not _is_up(shown_up):
            turn = between(rest_up, UP)  # the file's own up; rest pose and motion agree on it
            rig, heads = turned_rig(rig, to_matrix(turn)), rotate(turn, heads)
            turns = multiply(multiply(turn, turns), conjugate(turn))
        elif not is_up_known and rest_up is None and not _is_up(shown_up):
            turn = between(_axis(shown_up), UP)
            heads, turns = rotate(turn, heads), multiply(turn, turns)
        elif rest_up is not None:  # a rest pose that lies, or armatures turned as objects
            turn = between(rest_up, UP)
            rig, turns = turned_rig(rig, to_matrix(turn)), multiply(turns, conjugate(turn))
        if rest_frame is not None:
            if not 0 <= rest_frame < len(turns):
                raise BadMotion(f"The motion '{name}' has no frame {rest_frame}: its frames are 0 to {len(turns) - 1}.")
            rig, turn = posed_rest(rig, turns[rest_frame], heads[rest_frame], roles)
            turns = multiply(turns, conjugate(turn))
        elif not stands:
            rig, turn = neutral(rig, turns, heads, roles)
            turns = multiply(turns, conjugate(turn))
            warnings.append("The motion's rest pose is no pose of a person. One was built from the motion itself: look "
                            "whether arms, feet and head are turned as they should be.")
    roles = find_roles(rig, bone_map)
    rig = attached(rig, roles, feet_as_shown(rig, roles, turns, heads))
    rig, turns = with_flat_feet(rig, turns, heads, rate, roles)
    hips = roles.get("hips", -1)
    start = hips if hips >= 0 else int(np.argmax(rig.parents < 0))
    root = heads[:, start] - rig.heads[start]
    if hips >= 0 and rig.parents[hips] >= 0:
        below = [i for i in range(len(rig.names)) if i == hips or hips in ancestors(rig.parents, i)]
        number = {old: new for new, old in enumerate(below)}
        rig = Rig(tuple(rig.names[i] for i in below), np.array([number.get(int(rig.parents[i]), -1) for i in below]),
                  rig.heads[below], rig.tails[below], rig.x_axes[below])
        turns = turns[:, below]
    return MotionClip(rig, Kinematics(rig).local(turns), root, rate, name=name, warnings=tuple(warnings))


def from_where_it_stands(way: np.ndarray) -> np.ndarray:
    """The way of an object, counted from where it stands, and which way it is turned about the vertical, at first.

    way : (T, 4, 4) its places in the world, Z up.  Returns (T, 4, 4)
    """
    axes = way[0, :3, :3] / np.maximum(np.linalg.norm(way[0, :3, :3], axis=0), 1e-30)
    about_vertical = normalized(from_matrix(axes) * [1.0, 0.0, 0.0, 1.0])
    out = np.array(way, float)
    out[:, :3, 3] -= way[0, :3, 3]
    if about_vertical.any():
        out[:, :3] = to_matrix(conjugate(about_vertical)) @ out[:, :3]
    return out


def _roles_at_rest(rig: Rig, heads: np.ndarray, turns: np.ndarray, bone_map) -> tuple[dict[str, int], bool]:
    """Roles of a rig's bones, and whether its rest pose is one a body can take.

    Where it is not, shapes tell nothing at rest: names count, or shapes as the motion shows them.
    """
    roles = find_roles(rig, bone_map)
    if stands_at_rest(rig.heads, roles):
        return roles, True
    named = named_roles(rig, bone_map)
    if has_limbs(named):
        return named, not _has_two_legs(named) or stands_at_rest(rig.heads, named)
    tall = np.argsort(-np.ptp(heads[..., 2], axis=1), kind="stable")[:: max(1, len(heads) // 20)][:5]
    for frame in tall:
        ends = heads[frame] + rotate(turns[frame], rig.tails - rig.heads)
        found = find_roles(Rig(rig.names, rig.parents, heads[frame], ends), bone_map)
        if has_limbs(found):
            return found, False
    return roles, True


def _has_two_legs(roles) -> bool:
    return {"hips", "thigh.L", "thigh.R", "shin.L", "shin.R"} <= set(roles)


def _trunk_end(roles) -> int:
    return next((roles[r] for r in ("neck", "head", "chest", "upper_arm.L", "spine") if r in roles), roles["hips"])


def _middle(heads: np.ndarray, roles, part: str) -> np.ndarray:
    return (heads[..., roles[f"{part}.L"], :] + heads[..., roles[f"{part}.R"], :]) / 2


def stands_at_rest(heads: np.ndarray, roles: dict[str, int]) -> bool:
    """Whether a pose (B, 3) is one a person may rest in: head above, legs below and nearly straight, left arm on the
    left. Bodies on four legs, and what has none, are not judged."""
    if not _has_two_legs(roles):
        return True
    trunk = normalized(heads[_trunk_end(roles)] - _middle(heads, roles, "thigh"))
    across = heads[roles["thigh.L"]] - heads[roles["thigh.R"]]
    if np.linalg.norm(across) < 1e-9 or abs(normalized(across) @ trunk) > 0.6:
        return False
    for side in "LR":
        joints = [heads[roles[f"{n}.{side}"]] for n in ("thigh", "shin", "foot") if f"{n}.{side}" in roles]
        parts = normalized(np.diff(joints, axis=0))
        if (parts @ trunk > -0.5).any():
            return False
    if {"upper_arm.L", "upper_arm.R", "forearm.L", "forearm.R"} <= set(roles):
        arms = heads[roles["upper_arm.L"]] - heads[roles["upper_arm.R"]]
        if normalized(arms) @ normalized(across) < 0.5:
            return False
        for side, sign in (("L", 1.0), ("R", -1.0)):
            arm = normalized(heads[roles[f"forearm.{side}"]] - heads[roles[f"upper_arm.{side}"]])
            if sign * arm @ normalized(across) < -0.5 or arm @ trunk > 0.8:
                return False
    return True


def mean_up(heads: np.ndarray, roles: dict[str, int]) -> np.ndarray:
    """(3,) mean direction from feet over hips to head; its length says how steadily it points there."""
    hips = _middle(heads, roles, "thigh")
    end = "foot" if {"foot.L", "foot.R"} <= set(roles) else "shin"
    return (normalized(heads[:, _trunk_end(roles)] - hips) + normalized(hips - _middle(heads, roles, end))).mean(0) / 2


def _is_up(shown: np.ndarray) -> bool:
    return bool(shown @ UP > UPRIGHT)


def _axis(direction: np.ndarray) -> np.ndarray:
    """The axis a direction is nearest to."""
    best = int(np.abs(direction).argmax())
    return np.eye(3)[best] * (np.sign(direction[best]) or 1.0)


def neutral(rig: Rig, turns: np.ndarray, heads: np.ndarray, roles: dict[str, int]) -> tuple[Rig, np.ndarray]:
    """A rest pose built from a motion: the rig standing upright, facing -Y, and (B, 4) its turns since the old one.

    turns, heads : (T, B, 4), (T, B, 3) world, Z up
    The frames that stand most upright, turned to face one way, are averaged; then hips and shoulders are made level
    and parallel, the trunk upright, the legs straight and the feet as flat as they stand in the motion. Arms and head
    keep the average: which way palms and eyes point at rest nobody tells.
    """
    place = lambda role: heads[:, roles[role]]  # noqa: E731 - read as what it is
    trunk = normalized(place_end(heads, roles) - _middle(heads, roles, "thigh"))
    cost: np.ndarray = 2 * (1 - trunk[:, 2])
    for side in "LR":
        names = [n for n in ("thigh", "shin", "foot") if f"{n}.{side}" in roles]
        for a, b in pairwise(names):
            cost = cost + 1 + normalized(place(f"{b}.{side}") - place(f"{a}.{side}"))[:, 2]
        if {f"upper_arm.{side}", f"forearm.{side}"} <= set(roles):
            cost = cost + 0.3 * (1 + normalized(place(f"forearm.{side}") - place(f"upper_arm.{side}"))[:, 2])
    best = np.argsort(cost, kind="stable")[:max(1, round(BEST * len(cost)))]
    across = (place("thigh.L") - place("thigh.R"))[best]
    yaw = np.arctan2(across[:, 1], across[:, 0])
    level = np.stack([np.cos(yaw / 2), 0 * yaw, 0 * yaw, -np.sin(yaw / 2)], axis=1)
    posed = multiply(level[:, None], turns[best])
    posed = np.where(np.einsum("tbi,bi->tb", posed, posed[0])[..., None] < 0, -posed, posed)
    turn = normalized(posed.mean(0))
    for side in "LR":  # toes as a foot on the ground has them: a leg is straight as well where it leaves it
        if {f"foot.{side}", f"toe.{side}"} <= set(roles):
            foot, toe = roles[f"foot.{side}"], roles[f"toe.{side}"]
            flat = _flat(heads, foot, toe)
            bent = multiply(conjugate(turns[flat, foot]), turns[flat, toe])
            bent = normalized(np.where(bent @ bent[0] < 0, -1.0, 1.0) @ bent)
            moved = _anchored(rig, roles, (f"toe.{side}",))
            turn[moved] = multiply(multiply(multiply(turn[foot], bent), conjugate(turn[toe])), turn[moved])
    body = Kinematics(rig)
    for roles_of, wanted in _corrections(heads, roles):
        now = body.heads(turn, np.zeros(3))
        change = wanted(now)
        moved = _anchored(rig, roles, roles_of)
        turn[moved] = multiply(change, turn[moved])
    return _stood(rig, turn, body.heads(turn, np.zeros(3)), roles), turn


def posed_rest(rig: Rig, turns: np.ndarray, heads: np.ndarray, roles: dict[str, int]) -> tuple[Rig, np.ndarray]:
    """The rig as it stands in one frame, turned to face -Y, and (B, 4) its turns since the old rest pose.

    turns, heads : (B, 4), (B, 3) of that frame
    """
    across = heads[roles["thigh.L"]] - heads[roles["thigh.R"]]
    yaw = np.arctan2(across[1], across[0])
    level = np.array([np.cos(yaw / 2), 0.0, 0.0, -np.sin(yaw / 2)])
    turn = multiply(level, turns)
    return _stood(rig, turn, rotate(level, heads), roles), turn


def _stood(rig: Rig, turn: np.ndarray, now: np.ndarray, roles: dict[str, int]) -> Rig:
    """A rig whose bones were turned, its hips over the origin, its feet on the ground.  now : (B, 3) its heads"""
    feet = [b for r, b in roles.items() if r.split(".")[0] in ("shin", "foot", "toe")]
    hips = _middle(now, roles, "thigh")
    now = now - [hips[0], hips[1], now[feet][:, 2].min()]
    return Rig(rig.names, rig.parents, now, now + rotate(turn, rig.tails - rig.heads), rotate(turn, rig.x_axes))


def with_flat_feet(rig: Rig, turns: np.ndarray, heads: np.ndarray, rate: float, roles: dict[str, int]
                   ) -> tuple[Rig, np.ndarray]:
    """The rig and turns with feet that rest as they stand: many rest poses have them tipped.

    A foot stands flat in frames in which it neither moves nor turns, low under its hip; how it is tipped against the
    rest pose there, in the middle, the rest pose takes over. Where it is never seen to stand it stays as it is.
    """
    if not _has_two_legs(roles):
        return rig, turns
    heads_at_rest, tails, axes = np.array(rig.heads), np.array(rig.tails), np.array(rig.x_axes)
    turns = np.array(turns)
    for side in "LR":
        thigh, shin, foot = (roles.get(f"{n}.{side}", -1) for n in ("thigh", "shin", "foot"))
        if foot < 0:
            continue
        leg = float(np.linalg.norm(heads_at_rest[shin] - heads_at_rest[thigh])
                    + np.linalg.norm(heads_at_rest[foot] - heads_at_rest[shin]))
        ankle = heads[:, foot]
        still = slowest(ankle[:, None], rate)[:, 0] < STILL * leg
        still &= ankle[:, 2] < np.percentile(ankle[:, 2], 10) + 0.03 * leg
        still &= heads[:, thigh, 2] - ankle[:, 2] > 0.6 * leg
        still[1:] &= angle(multiply(turns[1:, foot], conjugate(turns[:-1, foot]))) * rate < TURNING
        if still.sum() < max(3, LONG * rate):
            continue
        # Level out the turn about the vertical: what is left is how the foot is tipped.
        tipped = swing_twist(turns[still, foot], UP)[0]
        vector = np.median(to_vector(tipped), axis=0)
        tip = from_vector(vector * [1, 1, 0])
        size = float(np.linalg.norm(vector))
        if not TIPPED < size < TIPPED_MOST:
            continue
        below = [i for i in range(len(rig.names)) if i == foot or foot in ancestors(rig.parents, i)]
        pivot = heads_at_rest[foot].copy()
        heads_at_rest[below] = pivot + rotate(tip, heads_at_rest[below] - pivot)
        tails[below] = pivot + rotate(tip, tails[below] - pivot)
        axes[below] = rotate(tip, axes[below])
        turns[:, below] = multiply(turns[:, below], conjugate(tip))
    return Rig(rig.names, rig.parents, heads_at_rest, tails, axes), turns


def place_end(heads: np.ndarray, roles) -> np.ndarray:
    """(T, 3) the trunk's upper end."""
    return heads[:, _trunk_end(roles)]


def _anchored(rig: Rig, roles: dict[str, int], parts) -> list[int]:
    """Bones of some roles and those without a role that hang on them."""
    role_of = {b: r for r, b in roles.items()}
    out = []
    for bone in range(len(rig.names)):
        near = next((b for b in (bone, *ancestors(rig.parents, bone)) if b in role_of), roles["hips"])
        if role_of[near].split(".")[0] in parts or role_of[near] in parts:
            out.append(bone)
    return out


def _corrections(heads: np.ndarray, roles: dict[str, int]):
    """(roles, function of the pose's places that gives their turn), from the hips outward."""
    left = np.array([1.0, 0.0, 0.0])

    def trunk(now):
        return _frame_turn(now[roles["thigh.L"]] - now[roles["thigh.R"]],
                           now[_trunk_end(roles)] - _middle(now, roles, "thigh"))

    yield ("hips", "spine", "chest", "neck", "head", "shoulder", "tail"), trunk
    if {"upper_arm.L", "upper_arm.R"} <= set(roles) and "chest" in roles:
        def shoulders(now):
            over = now[roles["upper_arm.L"]] - now[roles["upper_arm.R"]]
            return between(over * [1, 1, 0], left)

        yield ("chest", "neck", "head", "shoulder"), shoulders
    for side in "LR":
        for upper, lower in (("thigh", "shin"), ("shin", "foot")):
            if f"{lower}.{side}" in roles:
                yield (f"{upper}.{side}",), lambda now, a=roles[f"{upper}.{side}"], b=roles[f"{lower}.{side}"]: between(
                    now[b] - now[a], -UP)
        if {f"foot.{side}", f"toe.{side}"} <= set(roles):
            foot, toe = roles[f"foot.{side}"], roles[f"toe.{side}"]
            drop = float(np.median((heads[:, foot, 2] - heads[:, toe, 2])[_flat(heads, foot, toe)]))

            def flat(now, foot=foot, toe=toe, drop=drop):
                along = now[toe] - now[foot]
                size = float(np.linalg.norm(along))
                down = np.clip(drop / max(size, 1e-12), 0.0, 0.9)
                ahead = along * [1, 1, 0]
                ahead = normalized(ahead) if np.linalg.norm(ahead) > 0.2 * size else np.array([0.0, -1.0, 0.0])
                return between(along, np.sqrt(1 - down**2) * ahead - down * UP)

            yield (f"foot.{side}", f"toe.{side}"), flat


def _flat(heads: np.ndarray, foot: int, toe: int) -> np.ndarray:
    """(T,) in which frames a foot lies flattest: both ends are low together."""
    both = heads[:, foot, 2] + heads[:, toe, 2]
    return both <= np.percentile(both, 10)


def _frame_turn(across: np.ndarray, up: np.ndarray) -> np.ndarray:
    """The turn that brings an upright direction to Z and what goes across to the left."""
    z = normalized(up)
    x = normalized(across - (across @ z) * z)
    return conjugate(from_matrix(np.stack([x, np.cross(z, x), z], axis=1)))
