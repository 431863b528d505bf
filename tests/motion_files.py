"""Motion files as the world's programs write them: one motion, many names, rest poses, roots, axes and units."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy.spatial.transform import Rotation

from core.motion.clip import MotionClip
from core.motion.kinematics import Kinematics

ROLES = ("hips", "spine", "chest", "neck", "head", "shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot",
         "toe")
Y_UP = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]])  # the character's frame -> a file's: Y up, facing +Z


def _named(hips, spine, chest, neck, head, *limbs) -> dict[str, str]:
    """{role: name}; of limbs @S stands for Left, @s for left, @1 for L, @l for l."""
    out = {"hips": hips, "spine": spine, "chest": chest, "neck": neck, "head": head}
    for role, name in zip(ROLES[5:], limbs, strict=True):
        for side, word in (("L", "Left"), ("R", "Right")):
            out[f"{role}.{side}"] = (name.replace("@S", word).replace("@s", word.lower()).replace("@1", side)
                                     .replace("@l", side.lower()))
    return out


NAMES = {
    "mocap": _named("Hips", "Spine", "Spine1", "Neck", "Head", "@SShoulder", "@SArm", "@SForeArm", "@SHand", "@SUpLeg",
                    "@SLeg", "@SFoot", "@SToe"),
    "collar": _named("Hips", "Chest", "Chest2", "Neck", "Head", "@SCollar", "@SShoulder", "@SElbow", "@SWrist", "@SHip",
                     "@SKnee", "@SAnkle", "@SToe"),
    "poser": _named("hip", "abdomen", "chest", "neck", "head", "@lCollar", "@lShldr", "@lForeArm", "@lHand", "@lThigh",
                    "@lShin", "@lFoot", "@lToe"),
    "short": _named("hip", "abdomen", "chest", "neck", "head", "@lcollar", "@lshoulder", "@lelbow", "@lhand", "@lhip",
                    "@lknee", "@lfoot", "@ltoe"),
    "asf": _named("root", "lowerback", "thorax", "lowerneck", "head", "@lclavicle", "@lhumerus", "@lradius", "@lhand",
                  "@lfemur", "@ltibia", "@lfoot", "@ltoes"),
    "bandai": _named("Hips", "Spine", "Chest", "Neck", "Head", "Shoulder_@1", "UpperArm_@1", "LowerArm_@1", "Hand_@1",
                     "UpperLeg_@1", "LowerLeg_@1", "Foot_@1", "Toes_@1"),
    "suit": _named("Hips", "Spine1", "Spine4", "Neck", "Head", "@SShoulder", "@SArm", "@SForeArm", "@SHand", "@SThigh",
                   "@SShin", "@SFoot", "@SToe"),
    "mvn": _named("Pelvis", "L5", "T8", "Neck", "Head", "@SShoulder", "@SUpperArm", "@SForeArm", "@SHand",
                  "@SUpperLeg", "@SLowerLeg", "@SFoot", "@SToe"),
    "optitrack": _named("Skeleton_001:Hip", "Skeleton_001:Ab", "Skeleton_001:Chest", "Skeleton_001:Neck",
                        "Skeleton_001:Head", "Skeleton_001:@1Shoulder", "Skeleton_001:@1UArm", "Skeleton_001:@1FArm",
                        "Skeleton_001:@1Hand", "Skeleton_001:@1Thigh", "Skeleton_001:@1Shin", "Skeleton_001:@1Foot",
                        "Skeleton_001:@1Toe"),
    "biped": _named("Bip01 Pelvis", "Bip01 Spine", "Bip01 Spine2", "Bip01 Neck", "Bip01 Head", "Bip01 @1 Clavicle",
                    "Bip01 @1 UpperArm", "Bip01 @1 Forearm", "Bip01 @1 Hand", "Bip01 @1 Thigh", "Bip01 @1 Calf",
                    "Bip01 @1 Foot", "Bip01 @1 Toe0"),
    "character_creator": _named("CC_Base_Hip", "CC_Base_Waist", "CC_Base_Spine02", "CC_Base_NeckTwist01",
                                "CC_Base_Head", "CC_Base_@1_Clavicle", "CC_Base_@1_Upperarm", "CC_Base_@1_Forearm",
                                "CC_Base_@1_Hand", "CC_Base_@1_Thigh", "CC_Base_@1_Calf", "CC_Base_@1_Foot",
                                "CC_Base_@1_ToeBase"),
    "daz": _named("hip", "abdomenLower", "chestUpper", "neckLower", "head", "@lCollar", "@lShldrBend",
                  "@lForearmBend", "@lHand", "@lThighBend", "@lShin", "@lFoot", "@lToe"),
    "smpl": _named("Pelvis", "Spine1", "Spine3", "Neck", "Head", "@1_Collar", "@1_Shoulder", "@1_Elbow", "@1_Wrist",
                   "@1_Hip", "@1_Knee", "@1_Ankle", "@1_Foot"),
    "deep": _named("root", "spine", "chest", "neck", "head", "@s_clavicle", "@s_shoulder", "@s_elbow", "@s_wrist",
                   "@s_hip", "@s_knee", "@s_ankle", "@s_toe"),
    "arkit": _named("hips_joint", "spine_1_joint", "spine_7_joint", "neck_1_joint", "head_joint",
                    "@s_shoulder_1_joint", "@s_arm_joint", "@s_forearm_joint", "@s_hand_joint", "@s_upLeg_joint",
                    "@s_leg_joint", "@s_foot_joint", "@s_toes_joint"),
    "vicon": _named("Solving:Hips", "Solving:Spine", "Solving:Spine3", "Solving:Neck", "Solving:Head",
                    "Solving:@SShoulder", "Solving:@SArm", "Solving:@SForeArm", "Solving:@SHand", "Solving:@SUpLeg",
                    "Solving:@SLeg", "Solving:@SFoot", "Solving:@SToeBase"),
    "vroid": _named("J_Bip_C_Hips", "J_Bip_C_Spine", "J_Bip_C_UpperChest", "J_Bip_C_Neck", "J_Bip_C_Head",
                    "J_Bip_@1_Shoulder", "J_Bip_@1_UpperArm", "J_Bip_@1_LowerArm", "J_Bip_@1_Hand",
                    "J_Bip_@1_UpperLeg", "J_Bip_@1_LowerLeg", "J_Bip_@1_Foot", "J_Bip_@1_ToeBase"),
}


@dataclass(frozen=True)
class Convention:
    """How a program writes a motion.

    names : key of NAMES;  rest : "own", "line" (all offsets along X, zero rotations no human pose), "away" (each bone
    turned at random)
    root : "rest" (its OFFSET is where the hips rest), "zero" (OFFSET 0), "reference" (an extra bone above carries the
    way)
    up : the file's axis;  turned : the rest pose has Z up though the motion has Y up
    unit : lengths of the file for one of ours;  order : of Euler angles;  rate : frames a second
    """

    names: str = "mocap"
    rest: str = "own"
    root: str = "rest"
    up: str = "Y"
    unit: float = 100.0
    order: str = "ZXY"
    rate: float = 0.0
    bom: bool = False
    faces: bool = False
    spaces: dict = field(default_factory=dict)


CONVENTIONS = {
    "tidy": Convention(),
    "root at 0": Convention(root="zero", names="mocap"),
    "collars": Convention(root="zero", names="collar", unit=2.5),
    "short names": Convention(root="zero", names="short", faces=True),
    "poser": Convention(root="zero", names="poser", order="XYZ"),
    "asf": Convention(root="zero", names="asf", unit=17.0),
    "line (LAFAN1)": Convention(rest="line", root="rest", names="mocap", order="ZYX"),
    "line (Bandai)": Convention(rest="line", root="reference", names="bandai", order="ZXY"),
    "line (Rokoko)": Convention(rest="away", root="zero", names="suit", order="YXZ"),
    "MVN": Convention(names="mvn", root="zero", order="YXZ", rate=60.0),
    "OptiTrack": Convention(names="optitrack", root="zero", order="XYZ", rate=120.0),
    "Biped": Convention(names="biped", root="reference", up="Z", order="XYZ"),
    "Character Creator": Convention(names="character_creator", root="reference", order="XYZ"),
    "Daz": Convention(names="daz", root="rest", order="YZX", bom=True),
    "SMPL": Convention(names="smpl", root="zero", order="ZYX", unit=1.0),
    "DeepMimic": Convention(names="deep", root="zero", order="XYZ", rate=60.0),
    "ARKit": Convention(names="arkit", root="zero", rest="line", unit=1.0),
    "Vicon": Convention(names="vicon", root="zero", rate=120.0),
    "VRoid": Convention(names="vroid", root="reference", unit=1.0),
    "Z up": Convention(names="mocap", up="Z"),
}


def write_bvh(path: Path, clip: MotionClip, kind: Convention) -> Path:
    """The clip, on a rig with our names and in the character's frame, as a .bvh of some convention."""
    clip = at_rate(clip, kind.rate)
    rig, names = clip.rig, NAMES[kind.names]
    body = Kinematics(rig)
    turns = body.turns(clip.rotations)
    ours = Rotation.from_quat(turns[..., [1, 2, 3, 0]].reshape(-1, 4)).as_matrix().reshape(*turns.shape[:2], 3, 3)
    frame = Y_UP if kind.up == "Y" else np.eye(3)
    world = frame @ ours @ frame.T
    heads, tails, rest = rig.heads @ frame.T * kind.unit, rig.tails @ frame.T * kind.unit, own_rest(rig, kind, frame)
    world = world @ rest
    root = (body.heads(turns, clip.root)[:, 0] @ frame.T) * kind.unit
    lines, order = ["HIERARCHY"], []

    def joint(bone: int, depth: int) -> None:
        pad, above = "  " * depth, int(rig.parents[bone])
        offset = rest[above].T @ (heads[bone] - heads[above]) if above >= 0 else root_offset
        lines.append(f"{pad}{'ROOT' if depth == 0 else 'JOINT'} {names.get(rig.names[bone], rig.names[bone])}")
        lines.append(f"{pad}{{\n{pad}  OFFSET {_numbers(offset)}")
        places = "Xposition Yposition Zposition " if above < 0 else ""
        lines.append(f"{pad}  CHANNELS {6 if above < 0 else 3} {places}{' '.join(f'{a}rotation' for a in kind.order)}")
        order.append(bone)
        below = [b for b in range(len(rig.names)) if rig.parents[b] == bone]
        for child in below:
            joint(child, depth + 1)
        if kind.faces and rig.names[bone] == "head":
            _leaves(lines, pad, [("jaw", (0, 2, 8)), ("tongue.l", (2, 2, 8)), ("tongue.r", (-2, 2, 8))], kind, order)
        if kind.faces and rig.names[bone].startswith("hand"):
            side = rig.names[bone][-1].lower()
            _leaves(lines, pad, [(f"finger{i}-1.{side}", (i - 2.0, -6, 1)) for i in range(1, 6)], kind, order)
        if not below:
            end = rest[bone].T @ (tails[bone] - heads[bone])
            lines.append(f"{pad}  End Site\n{pad}  {{\n{pad}    OFFSET {_numbers(end)}\n{pad}  }}")
        lines.append(f"{pad}}}")

    first = int(np.flatnonzero(np.asarray(rig.parents) < 0)[0])
    root_offset = heads[first] if kind.root == "rest" else np.zeros(3)
    joint(first, 0)
    if kind.root == "reference":
        inner = [line.replace("ROOT", "JOINT") for line in lines[1:]]
        inner = [line.replace("CHANNELS 6 Xposition Yposition Zposition ", "CHANNELS 3 ") for line in inner]
        lines = ["HIERARCHY", "ROOT reference", "{\nOFFSET 0 0 0", "CHANNELS 6 Xposition Yposition Zposition Zrotation "
                 "Xrotation Yrotation", *inner, "}"]
    relative = np.array([world[:, b] if rig.parents[b] < 0 else
                         np.swapaxes(world[:, rig.parents[b]], -1, -2) @ world[:, b] if b >= 0 else
                         np.broadcast_to(np.eye(3), (len(root), 3, 3)) for b in order])
    angles = np.concatenate([np.zeros((len(root), 3)) if b < 0 else
                             Rotation.from_matrix(relative[i]).as_euler(kind.order, degrees=True)
                             for i, b in enumerate(order)], axis=1)
    way = root - (heads[first] if kind.root == "rest" else 0) if kind.root != "reference" else root
    if kind.root == "rest":
        way = root  # Blender, as most programs, takes the channels for the place itself
    rows = np.concatenate([way, np.zeros((len(root), 3 if kind.root == "reference" else 0)), angles], axis=1)
    lines += ["MOTION", f"Frames: {len(rows)}", f"Frame Time: {1 / clip.rate:.8f}"]
    lines += [" ".join(f"{x:.6f}" for x in row) for row in rows]
    path.write_text(("\ufeff" if kind.bom else "") + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def own_rest(rig, kind: Convention, frame: np.ndarray) -> np.ndarray:
    """(B, 3, 3) what is turned in the file's zero pose: rest axes of each bone in a pose of people."""
    count = len(rig.names)
    if kind.rest == "own":
        return np.tile(np.eye(3), (count, 1, 1))
    if kind.rest == "away":
        return Rotation.random(count, random_state=3).as_matrix()
    out = []
    for bone in range(count):
        below = [b for b in range(count) if rig.parents[b] == bone]
        middle = next((b for b in below if abs(rig.heads[b][0] - rig.heads[bone][0]) < 1e-6), below[0] if below else -1)
        end = rig.tails[bone] if middle < 0 else rig.heads[middle]
        along = frame @ (end - rig.heads[bone])
        x = along / np.linalg.norm(along)
        z = frame @ np.array([1.0, 0, 0]) - (frame @ [1.0, 0, 0]) @ x * x
        z = frame @ np.array([0, -1.0, 0]) if np.linalg.norm(z) < 0.3 else z
        z = z - (z @ x) * x
        z /= np.linalg.norm(z)
        out.append(np.stack([x, np.cross(z, x), z], axis=1))
    return np.array(out)


def repeated(clip: MotionClip, times: int) -> MotionClip:
    """A loop played `times` times in a row, travelling on; still a loop."""
    rounds = np.repeat(np.arange(times), len(clip.root))[:, None] * clip.stride
    return clip.changed(rotations=np.tile(clip.rotations, (times, 1, 1)), root=np.tile(clip.root, (times, 1)) + rounds,
                        contacts=np.tile(clip.contacts, (times, 1)), stride=clip.stride * times)


def at_rate(clip: MotionClip, rate: float) -> MotionClip:
    """The clip with frames in between."""
    if not rate or rate == clip.rate:
        return clip
    times = np.arange(0, (len(clip.root) - 1) / clip.rate + 1e-9, 1 / rate) * clip.rate
    low = np.minimum(times.astype(int), len(clip.root) - 2)
    part = (times - low)[:, None]
    mixed = (1 - part[..., None]) * clip.rotations[low] + part[..., None] * clip.rotations[low + 1]
    return clip.changed(rotations=mixed, root=(1 - part) * clip.root[low] + part * clip.root[low + 1], rate=rate,
                        contacts=clip.contacts[np.round(times).astype(int)])


def _leaves(lines, pad, named, kind: Convention, order) -> None:
    for name, offset in named:
        place = np.array(offset) * kind.unit / 100
        lines.append(f"{pad}  JOINT {name}\n{pad}  {{\n{pad}    OFFSET {_numbers(place)}")
        lines.append(f"{pad}    CHANNELS 3 {' '.join(f'{a}rotation' for a in kind.order)}")
        lines.append(f"{pad}    End Site\n{pad}    {{\n{pad}      OFFSET {_numbers(place)}\n{pad}    }}\n{pad}  }}")
        order.append(-1)


def _numbers(values) -> str:
    return " ".join(f"{x:.6f}" for x in values)
