"""Biovision files (.bvh): a skeleton of joints with offsets, and a line of angles for each frame."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from ..errors import BadMotion
from ..geometry.rotation import from_axis_angle, identity, multiply, rotate
from ..skeleton.bone_map import BoneMap
from ..skeleton.rig import Rig
from .clip import MotionClip
from .source import read_motion

Y_UP = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # most files' axes -> Z up; which axis is up no file tells
TURN = np.array([np.sqrt(0.5), np.sqrt(0.5), 0, 0])  # the same as a turn
TIP = 0.1  # of a joint's distance from its parent: the length of a bone that has neither child nor end


@dataclass
class _Joint:
    """What a file says of a joint.  places, angles : (axis, column) of its channels, in their order"""

    name: str
    parent: int
    offset: list[float] = field(default_factory=lambda: [0.0, 0.0, 0.0])
    end: list[float] | None = None
    places: list[tuple[int, int]] = field(default_factory=list)
    angles: list[tuple[int, int]] = field(default_factory=list)


def load_bvh(path: Path, bone_map: BoneMap | None = None, rest_frame: int | None = None) -> MotionClip:
    """A .bvh file's motion.  rest_frame : as in `read_motion`.

    Raises BadMotion, naming the file, for all that is not whole.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise BadMotion(f"'{path}' cannot be read: {error.strerror}.") from error
    head, mark, tail = text.partition("MOTION")
    if not mark or "HIERARCHY" not in head.upper():
        raise BadMotion(f"'{path}' is no BVH motion: it has no HIERARCHY or no MOTION. Export it again.")
    joints, channels = _skeleton(path, head)
    values, rate = _frames(path, tail, channels)
    rig, turns, heads = _posed(joints, values)
    return read_motion(rig, turns, heads, rate, name=path.stem, bone_map=bone_map, is_up_known=False,
                       rest_frame=rest_frame)


def _skeleton(path: Path, text: str) -> tuple[list[_Joint], int]:
    """The joints in the file's order, and how many channels they have."""
    if text.count("{") != text.count("}"):
        raise BadMotion(f"'{path}' is broken: its skeleton's braces do not match. Export it again.")
    joints: list[_Joint] = []
    stack: list[int] = []
    column, at_end = 0, False
    for line in text.replace("{", "\n{\n").replace("}", "\n}\n").splitlines():
        words = line.split()
        key = words[0].upper() if words else ""
        try:
            if key in {"ROOT", "JOINT"}:
                joints.append(_Joint(" ".join(words[1:]) or f"joint {len(joints)}", stack[-1] if stack else -1))
            elif key == "END":
                at_end = True
            elif key == "{":
                stack.append(stack[-1] if at_end else len(joints) - 1)
            elif key == "}":
                stack.pop()
                at_end = False
            elif key == "OFFSET":
                place = [float(x) for x in words[1:4]]
                if at_end:
                    joints[stack[-1]].end = place
                else:
                    joints[stack[-1]].offset = place
            elif key == "CHANNELS":
                for word in words[2:2 + int(words[1])]:
                    kind = joints[stack[-1]].places if word[1:].lower() == "position" else joints[stack[-1]].angles
                    kind.append(("XYZ".index(word[0].upper()), column))
                    column += 1
        except (ValueError, IndexError) as error:
            raise BadMotion(f"'{path}' is broken: its skeleton's braces do not match. Export it again.") from error
    return joints, column


def _frames(path: Path, text: str, channels: int) -> tuple[np.ndarray, float]:
    """(T, channels) of the file's numbers, and its frames a second."""
    head = text.split(maxsplit=5)
    count = int(head[1]) if len(head) > 4 and head[1].isdigit() else 0
    if count == 0:
        raise BadMotion(f"'{path}' has no frames. Export it with its animation.")
    try:
        time = float(head[4])
    except ValueError:
        time = 0.0
    if not 0 < time < 10:
        raise BadMotion(f"'{path}' has a frame time of {head[4]} s. Set it to the time between two frames, like "
                        "0.0333.")
    words = head[5].split() if len(head) > 5 else []
    if len(words) < count * channels:
        raise BadMotion(f"'{path}' is cut off: {count} frames of {channels} channels are announced, "
                        f"{len(words) // max(channels, 1)} are there. Download or export it again.")
    try:
        values = np.array(words[:count * channels], float).reshape(count, channels)
    except ValueError as error:
        raise BadMotion(f"'{path}' holds words where numbers should be. Export it again.") from error
    if not np.isfinite(values).all():
        frame = int(np.argmin(np.isfinite(values).all(1)))
        raise BadMotion(f"'{path}' holds what is no number in frame {frame}. Export it again, or delete that frame.")
    return values, 1.0 / time


def _posed(joints: list[_Joint], values: np.ndarray) -> tuple[Rig, np.ndarray, np.ndarray]:
    """The rig at rest, and its (T, B, 4) turns and (T, B, 3) heads, Z up if Y is up in the file."""
    parents = np.array([j.parent for j in joints], int)
    offsets = np.array([j.offset for j in joints], float).reshape(-1, 3)
    frames = len(values)
    local = identity(frames, len(joints))
    steps = np.broadcast_to(offsets, (frames, *offsets.shape)).copy()
    for i, joint in enumerate(joints):
        for axis, column in joint.angles:
            local[:, i] = multiply(local[:, i], from_axis_angle(np.eye(3)[axis], np.deg2rad(values[:, column])))
        for axis, column in joint.places:
            steps[:, i, axis] = values[:, column]
    rest = np.array(offsets)
    turns, heads = local, steps
    for i, above in enumerate(parents):  # parents come first in the file
        if above >= 0:
            rest[i] += rest[above]
            turns[:, i] = multiply(turns[:, above], local[:, i])
            heads[:, i] = heads[:, above] + rotate(turns[:, above], steps[:, i])
    tails = np.array([_tail(i, joint, joints, parents, rest) for i, joint in enumerate(joints)]).reshape(-1, 3)
    rig = Rig(_unlike([j.name for j in joints]), parents, rest @ Y_UP.T, tails @ Y_UP.T)
    around = multiply(multiply(TURN, turns), TURN * [1, -1, -1, -1])
    return rig, around, heads @ Y_UP.T


def _tail(i: int, joint: _Joint, joints, parents, rest: np.ndarray) -> np.ndarray:
    """Where a bone ends: at its child that goes farthest, its end, or a little on."""
    below = [k for k in range(len(joints)) if parents[k] == i]
    far = max(below, key=lambda k: float(np.linalg.norm(rest[k] - rest[i])), default=-1)
    end = rest[far] if far >= 0 else rest[i] + (joint.end or [0.0, 0.0, 0.0])
    if np.linalg.norm(end - rest[i]) < 1e-9:
        size = float(np.abs(rest[i] - rest[parents[i]]).max()) if parents[i] >= 0 else 0.0
        end = rest[i] + [0.0, TIP * (size or 1.0), 0.0]
    return end


def _unlike(names: list[str]) -> tuple[str, ...]:
    """Names of which no two are the same."""
    seen: set[str] = set()
    for k, name in enumerate(names):
        number = 1
        while names[k] in seen:
            names[k] = f"{name}.{number:03d}"
            number += 1
        seen.add(names[k])
    return tuple(names)
