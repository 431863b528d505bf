"""The poses that show what weights are worth: each joint goes as far as a living one does.

Bones are known by the roles of core.skeleton.bone_map, so the poses are the same for everybody's rigs; all bones that
play no role are bent a little in two more poses.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..arrays import frozen
from ..geometry.rotation import between, conjugate, from_axis_angle, identity, limited, multiply, normalized, slerp
from ..motion.blend import bone_moves
from ..motion.kinematics import Kinematics
from ..skeleton.bone_map import find_roles
from ..skeleton.chain import finger_of
from ..skeleton.rig import Rig, bend_axes
from ..skeleton.twist import TwistGroup, turned_twists, twist_groups
from .hanging import bone_ends

LEAST, MOST = np.deg2rad(20), np.deg2rad(135)  # of a turn towards a direction; smaller ones show nothing
STRAIGHT = 0.3  # a limb bent less than this (17 degrees) at rest bends as its kind does, not as it happens to lie
OTHERS = np.deg2rad(30)
FIST, THUMB = np.deg2rad(75), np.deg2rad(35)  # every joint of a finger in a fist, and of a thumb
OTHER_NAMES = "Other joints bent 30°", "Other joints bent 30°, next"
LEFT, BACK, UP = np.eye(3)


@dataclass(frozen=True)
class Exercise:
    """What some roles do in one pose; in the character's axes: x its left, y behind it, z up.

    fold : the joint is bent until the limb's angle is `degrees`, towards `direction` if it is straight at rest
    aim : the bone is turned until it points in `direction`, mirrored for the right side; of a rise the shoulder blade
        takes its third, as in living bodies
    twist : the bone is turned by `degrees` about its parent's direction
    turn : `degrees` about `direction`, in equal shares for all the roles there are
    """

    name: str
    kind: str
    roles: tuple[str, ...]
    degrees: float = 0.0
    direction: tuple[float, float, float] = (0.0, 0.0, 0.0)


EXERCISES = (
    Exercise("Elbows bent 120°", "fold", ("forearm",), 120, (0, -1, 0)),
    Exercise("Knees bent 120°", "fold", ("shin",), 120, (0, 1, 0)),
    Exercise("Arms up", "aim", ("upper_arm",), direction=(0.35, 0, 0.94)),
    Exercise("Arms down", "aim", ("upper_arm",), direction=(0.2, 0, -0.98)),
    Exercise("Arms forward", "aim", ("upper_arm",), direction=(0.1, -1, 0)),
    Exercise("Arms twisted 90°", "twist", ("upper_arm",), 90),
    Exercise("Hands twisted 90°", "twist", ("hand",), 90),
    Exercise("Hips bent 90°", "aim", ("thigh",), direction=(0.1, -1, 0)),
    Exercise("Legs apart", "aim", ("thigh",), direction=(0.7, 0, -0.7)),
    Exercise("Feet bent 40°", "turn", ("foot",), 40, (1, 0, 0)),
    Exercise("Front legs bent 90°", "fold", ("front_lower",), 90, (0, -1, 0)),
    Exercise("Hind knees bent 90°", "fold", ("hind_lower",), 90, (0, 1, 0)),
    Exercise("Front legs forward 45°", "turn", ("front_upper",), 45, (-1, 0, 0)),
    Exercise("Front legs back 45°", "turn", ("front_upper",), 45, (1, 0, 0)),
    Exercise("Hind legs forward 45°", "turn", ("hind_upper",), 45, (-1, 0, 0)),
    Exercise("Hind legs back 45°", "turn", ("hind_upper",), 45, (1, 0, 0)),
    Exercise("Head turned 70°", "turn", ("neck", "head"), 70, (0, 0, 1)),
    Exercise("Head down 45°", "turn", ("neck", "head"), 45, (1, 0, 0)),
    Exercise("Body twisted 45°", "turn", ("spine", "chest"), 45, (0, 0, 1)),
    Exercise("Body bent 45°", "turn", ("spine", "chest"), 45, (1, 0, 0)),
    Exercise("Tail aside 60°", "turn", ("tail",), 60, (0, 0, 1)),
    Exercise("Tail up 60°", "turn", ("tail",), 60, (1, 0, 0)),
)


@dataclass(frozen=True, eq=False)
class Pose:
    """One pose of a rig.

    turns, shifts : (B, 4), (B, 3) what it does to the skin of every bone, p -> turn p + shift
    bones : indices of the bones that are turned;  joints : those whose heads are the joints this is about
    is_general : bends bones that play no role, whatever they are
    """

    name: str
    turns: np.ndarray
    shifts: np.ndarray
    bones: tuple[int, ...]
    joints: tuple[int, ...]
    is_general: bool = False

    def __post_init__(self):
        object.__setattr__(self, "turns", frozen(self.turns, np.float64, (None, 4), "turns"))
        object.__setattr__(self, "shifts", frozen(self.shifts, np.float64, (None, 3), "shifts"))


def range_of_motion(rig: Rig, *, rotation: np.ndarray | None = None, moving: np.ndarray | None = None,
                    only: tuple[str, ...] = ()) -> list[Pose]:
    """The poses of every exercise that the rig has the bones for.

    rotation : (3, 3) object axes to the character's; None reads them off the rig
    only : names of exercises; empty is all, and fists and the other bones
    moving : (B,) bool, bones without skin are left alone; None is all
    Twist bones do their share of what their limbs do, as constraints and engines drive them.
    """
    roles = find_roles(rig)
    twists = twist_groups(rig, roles)
    axes = character_axes(rig) if rotation is None else np.asarray(rotation, float)
    kinematics = Kinematics(rig)
    moving = np.ones(len(rig.names), bool) if moving is None else np.asarray(moving, bool)
    poses = []
    for exercise in [e for e in EXERCISES if not only or e.name in only]:
        local = _perform(rig, roles, axes, exercise)
        if local:
            wanted = {roles.get(role + side) for role in exercise.roles for side in ("", ".L", ".R")}
            poses.append(_pose(kinematics, twists, exercise.name, local, wanted))
    if only:
        return poses
    fists = {b: from_axis_angle(rig.x_axes[b], THUMB if finger[0] == "thumb" else FIST)
             for b, name in enumerate(rig.names) if moving[b] and (finger := finger_of(name))}
    if fists:
        poses.append(_pose(kinematics, twists, "Fists", fists, fists))
    posed = {bone for pose in poses for bone in pose.bones} | set(roles.values())
    posed |= {int(bone) for group in twists for bone in group.bones}
    others = [b for b in range(len(rig.names)) if rig.parents[b] >= 0 and b not in posed and moving[b]]
    for number, bones in enumerate(_apart(kinematics, others)):
        if bones:
            turned = {b: from_axis_angle(rig.x_axes[b], OTHERS) for b in bones}
            poses.append(replace(_pose(kinematics, twists, OTHER_NAMES[number], turned, turned), is_general=True))
    return poses


def character_axes(rig: Rig) -> np.ndarray:
    """(3, 3) object axes to the character's, rows its left, behind it, and up, as its limbs tell.

    The identity if it has no pair of limbs.
    """
    roles = find_roles(rig)
    heads = rig.heads
    left = sum((heads[bone] - heads[roles[role[:-1] + "R"]] for role, bone in roles.items()
                if role.endswith(".L") and role[:-1] + "R" in roles), np.zeros(3))
    up = np.zeros(3)
    for above, below in (("thigh", "shin"), ("front_upper", "front_lower"), ("hind_upper", "hind_lower")):
        for side in ".L", ".R":
            if above + side in roles and below + side in roles:
                up = up + heads[roles[above + side]] - heads[roles[below + side]]
    if not up.any() and "hips" in roles and "head" in roles:
        up = heads[roles["head"]] - heads[roles["hips"]]
    left = normalized(left)
    up = up - (up @ left) * left
    if np.linalg.norm(left) < 0.5 or np.linalg.norm(up) < 1e-9 * max(float(np.abs(heads).max()), 1e-30):
        return np.eye(3)
    up = normalized(up)
    return np.stack([left, np.cross(up, left), up])


def _pose(kinematics: Kinematics, twists: list[TwistGroup], name: str, local: dict[int, np.ndarray], joints) -> Pose:
    turns = identity(len(kinematics.rig.names))
    for bone, turn in local.items():
        turns[bone] = turn
    turns = turned_twists(kinematics.rig, twists, turns)
    return Pose(name, *bone_moves(kinematics, turns), tuple(local), tuple(b for b in local if b in joints))


def _perform(rig: Rig, roles: dict[str, int], axes: np.ndarray, exercise: Exercise) -> dict[int, np.ndarray]:
    """{bone: its turn} in an exercise, both sides at once; empty if the rig lacks the bones."""
    direction = np.array(exercise.direction, float)
    angle = np.deg2rad(exercise.degrees)
    if exercise.kind == "turn":
        bones = [roles[r + side] for r in exercise.roles for side in ("", ".L", ".R") if r + side in roles]
        shares = len({r for r in exercise.roles for side in ("", ".L", ".R") if r + side in roles})
        return {b: from_axis_angle(axes.T @ direction, angle / shares) for b in bones}
    found = {}
    for side, mirror in ((".L", 1.0), (".R", -1.0)):
        bone = roles.get(exercise.roles[0] + side)
        if bone is None or rig.parents[bone] < 0:
            continue
        wanted = axes.T @ (direction * [mirror, 1, 1])
        own, above = _limb(rig, roles, exercise.roles[0], side)
        if exercise.kind == "aim":
            turn = limited(between(own, wanted), MOST)
            if 2 * np.arccos(min(abs(turn[0]), 1.0)) < LEAST:
                continue
            blade = roles.get(f"shoulder{side}", -1)
            if exercise.roles[0] == "upper_arm" and blade == rig.parents[bone] and axes[2] @ (wanted - own) > 0.5:
                found[blade] = slerp(identity(), turn, 1 / 3)
                turn = multiply(conjugate(found[blade]), turn)
        elif exercise.kind == "twist":
            turn = from_axis_angle(above if exercise.roles[0] == "hand" else own, mirror * angle)
        else:
            fold = own - above
            rest = float(np.arccos(np.clip(own @ above, -1, 1)))
            axis = bend_axes(own[None], (fold + STRAIGHT * wanted)[None])[0]
            turn = from_axis_angle(axis, max(angle - rest, np.deg2rad(30)))
        found[bone] = turn
    return found


def _limb(rig: Rig, roles: dict[str, int], role: str, side: str) -> tuple[np.ndarray, np.ndarray]:
    """Unit directions of a role's bone and of the one above it, from joint to joint."""
    chain = {"forearm": ("upper_arm", "hand"), "hand": ("forearm", ""), "upper_arm": ("shoulder", "forearm"),
             "thigh": ("", "shin"), "shin": ("thigh", "foot"), "front_lower": ("front_upper", "front_foot"),
             "hind_lower": ("hind_upper", "hind_foot")}
    above, below = chain[role]
    bone = roles[role + side]
    end = rig.heads[roles[below + side]] if below and below + side in roles else bone_ends(rig)[bone]
    start = roles.get(above + side, int(rig.parents[bone])) if above else int(rig.parents[bone])
    own, over = normalized(end - rig.heads[bone]), normalized(rig.heads[bone] - rig.heads[start])
    return own, over if over.any() else own


def _apart(kinematics: Kinematics, bones: list[int]) -> tuple[list[int], list[int]]:
    """Two sets such that neither parent and child nor neighbours among siblings move together: fingers come apart."""
    rig = kinematics.rig
    colour: dict[int, int] = {}
    for level in kinematics.levels:
        for parent in dict.fromkeys(rig.parents[level].tolist()):
            children = [b for b in level if rig.parents[b] == parent]
            at = rig.heads[children] - rig.heads[children].mean(0)
            across = np.linalg.svd(at, full_matrices=False)[2][0] if len(children) > 1 else LEFT
            for place, child in enumerate(np.argsort(at @ across, kind="stable")):
                colour[int(children[child])] = (colour.get(parent, 1) + 1 + place) % 2
    return [b for b in bones if colour[b] == 0], [b for b in bones if colour[b] == 1]
