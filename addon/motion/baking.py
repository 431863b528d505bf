"""Motions on a control rig that Rigify made: the motion of the skeleton beneath, as keys on its controls.

The limbs follow their FK controls; the IK controls go along.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, replace

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ...core.errors import BadMotion
from ...core.geometry.rotation import continuous
from ...core.motion.clip import MotionClip
from ...core.motion.kinematics import Kinematics
from ..bridge.action import close_strip, write_action
from ..bridge.rigify import IK_FK
from .beneath import Beneath
from .posing import alone, in_turns

ROOT = "root"  # Rigify's control of the whole character
Keys = dict[str, tuple[np.ndarray, np.ndarray | None]]
AT_ONCE = 0.1  # seconds of posing before Esc is answered


@dataclass(frozen=True, eq=False)
class Follower:
    """A control and the bone of the skeleton beneath with which it turns.  moves : whether that takes it along too"""

    control: str
    source: int
    moves: bool = False


def followers_of(controls: bpy.types.Object, bones: tuple[str, ...], shares: dict[str, str]) -> list[list[Follower]]:
    """The controls to key, turn by turn.

    bones : of the skeleton beneath;  shares : {deform bone: the bone of the skeleton whose skin it moves}
    The controls of one turn do not hang on each other.
    """
    found: dict[str, Follower] = {}
    for part, source in shares.items():
        control = _control_of(controls, part.removeprefix("DEF-")) if source in bones else ""
        if control:
            found.setdefault(control, Follower(control, bones.index(source)))
    found |= _handles_of(controls, bones, shares, found)
    if "torso" in controls.pose.bones and "spine_fk" in found:
        found["torso"] = Follower("torso", found["spine_fk"].source, True)
    elif found:  # of a trunk of one bone its own control carries the way
        first = min(found.values(), key=lambda follower: follower.source)
        found[first.control] = replace(first, moves=not all(controls.pose.bones[first.control].lock_location))
    found |= _ik_of(controls, found)
    return [[found[control] for control in turn] for turn in in_turns(controls, found)]


def _handles_of(controls, bones: tuple[str, ...], shares: dict[str, str], found: dict[str, Follower]
                ) -> dict[str, Follower]:
    """The handles about which the parts of a spine turn about themselves, where a handle would turn as another bone
    does: a waist's hangs on the hips' control."""
    held, handles = controls.pose.bones, {}
    for part, source in shares.items():
        name = f"tweak_{part.removeprefix('DEF-')}"
        if part.startswith("DEF-spine") and source in bones and name in held and held[name].parent is not None:
            above = found.get(held[name].parent.name)
            if above is None or above.source != bones.index(source):
                handles[name] = Follower(name, bones.index(source))
    return handles


def _ik_of(controls, found: dict[str, Follower]) -> dict[str, Follower]:
    """The IK controls beside FK controls: they go along, so that a limb can be switched to IK at any frame."""
    pairs = ((name.replace("_fk", "_ik"), follower.source) for name, follower in found.items() if "_fk." in name)
    bones = controls.pose.bones
    return {ik: Follower(ik, source, not all(bones[ik].lock_location)) for ik, source in pairs
            if ik in bones and bones[ik].custom_shape is not None}


def _control_of(controls, part: str) -> str:
    """Rigify's control of a deform bone: its FK control, else one of its own name or its chain's."""
    stem, dot = part, ""
    for mark in (".L", ".R"):
        if mark in part:
            stem, dot, _ = part.partition(mark)
    first = f"{stem}_fk{dot}"
    chain = {"spine.004": "neck", "spine.006": "head"}.get(part, "")
    if stem.startswith("spine"):
        head, _, number = stem.partition(".")
        first = f"{head}_fk" + (f".{number}" if number else "")
    for name in (first, chain, f"{stem}{dot}"):
        if name and name in controls.pose.bones and controls.pose.bones[name].custom_shape is not None:
            return name
    return ""


def bake_steps(context, controls: bpy.types.Object, under: Beneath, clip: MotionClip, *, base: Matrix | None = None,
               up: np.ndarray | None = None) -> Generator[tuple[str, float], None, Keys]:
    """{control: (T, 4) its turns, and (T, 3) its places if it moves}, in its own channels, yielding (stage, fraction).

    clip : of the skeleton beneath, in its space;  a loop has its first frame once more at the end.
    base : where the root control takes what it carries at rest, in the control rig's space: all moves from there. None:
    the root stays as it is and all moves as if it were at rest
    up : (3,) in the clip's space: the root control carries the way over the ground; None: it stays
    Rigify's own constraints lie between the controls, so each frame is posed, turn by turn, and read back; the pose
    is then as it was.  Raises BadMotion.
    """
    order = followers_of(controls, clip.rig.names, under.shares)
    if not order:
        raise BadMotion(f"'{controls.name}' has no controls that Geppetto knows. Go back to the plain rig, then move "
                        "it.")
    name, found = controls.name, [f for turn in order for f in turn]
    ways = _Ways(clip, under.space.inverted_safe(), base, up)
    if up is not None and ROOT in controls.pose.bones:
        found.append(Follower(ROOT, -1, True))
    turns: dict[str, list] = {f.control: [] for f in found}
    places: dict[str, list] = {f.control: [] for f in found if f.moves}
    before = _State(controls, [f.control for f in found] + [ROOT] * (ROOT in controls.pose.bones))
    try:
        t, count = 0, len(ways.turns)
        while t < count:
            if name not in bpy.data.objects:
                raise BadMotion(f"'{name}' was changed meanwhile. Press the button again.")
            controls = bpy.data.objects[name]  # Blender went on since
            with alone(context, controls) as layer:
                until, begun = time.perf_counter() + AT_ONCE, t
                while t < count and (t == begun or time.perf_counter() < until):  # one at least, however slow it is
                    _pose(layer, controls, order, ways, t)
                    for control, held in turns.items():
                        held.append(controls.pose.bones[control].matrix_basis.to_quaternion())
                    for control, held in places.items():
                        held.append(controls.pose.bones[control].location.copy())
                    t += 1
            yield "Posing the controls", 0.9 + 0.1 * (t - 1) / count
    finally:
        before.restore(context, name)
    return {control: (continuous(np.array(held, float)),
                      np.array(places[control], float) if control in places else None)
            for control, held in turns.items()}


class _State:
    """How a control rig stands, to be put back: pose, limbs' ways, and its action and strips, which must not play
    meanwhile."""

    def __init__(self, controls, names_of_bones: list[str]):
        close_strip(controls)
        bones, data = controls.pose.bones, controls.animation_data
        self.poses = {name: bones[name].matrix_basis.copy() for name in names_of_bones}
        self.limbs = {b.name: b[IK_FK] for b in bones if IK_FK in b}
        self.action = data.action.name if data and data.action else ""
        self.slot = getattr(data, "action_slot", None).identifier if self.action and (
            getattr(data, "action_slot", None) is not None) else ""
        self.has_nla = data is not None and data.use_nla
        if self.action:
            data.action = None
        if self.has_nla:
            data.use_nla = False
        for name in self.limbs:
            bones[name][IK_FK] = 1.0

    def restore(self, context, name: str) -> None:
        """As it was, if it is still there."""
        controls = bpy.data.objects.get(name)
        if controls is None:
            return
        bones = controls.pose.bones
        for bone, basis in self.poses.items():
            bones[bone].matrix_basis = basis
        for bone, value in self.limbs.items():
            bones[bone][IK_FK] = value
        if self.has_nla and controls.animation_data is not None:
            controls.animation_data.use_nla = True
        if self.action in bpy.data.actions:
            controls.animation_data.action = bpy.data.actions[self.action]
            if self.slot:
                controls.animation_data.action_slot = bpy.data.actions[self.action].slots[self.slot]
        context.view_layer.update()


def _pose(layer, controls, order: list[list[Follower]], ways: _Ways, t: int) -> None:
    """Put the controls where the bones of the skeleton beneath would be."""
    bones = controls.pose.bones
    if ROOT in bones and ways.is_based:
        bones[ROOT].matrix = ways.of_root(t) @ bones[ROOT].bone.matrix_local
        layer.update()
    for turn in order:
        for follower in turn:
            bone = bones[follower.control]
            bone.matrix = ways.at(t, follower.source) @ bone.bone.matrix_local
            bone.location = bone.location if follower.moves else (0.0, 0.0, 0.0)
            bone.scale = (1.0, 1.0, 1.0)
        layer.update()
        if _take_copied_off(controls, turn):
            layer.update()
    torso = next((follower for turn in order for follower in turn if follower.control == "torso"), None)
    if torso is not None:
        _settle(controls, ways.at(t, torso.source))


def _take_copied_off(controls, turn: list[Follower]) -> bool:
    """Take off controls what Rigify lets them copy from the control above, in tails and tentacles, before their own
    turn. Whether any do."""
    copies = [bone for bone in (controls.pose.bones[follower.control] for follower in turn)
              if any(c.type == "COPY_ROTATION" and c.mix_mode == "BEFORE" for c in bone.constraints)]
    for bone in copies:
        own = bone.matrix_basis.to_quaternion()
        seen = controls.convert_space(pose_bone=bone, matrix=bone.matrix, from_space="POSE", to_space="LOCAL")
        bone.matrix_basis = Matrix.LocRotScale(bone.location, own @ seen.to_quaternion().inverted() @ own, None)
    return bool(copies)


def _settle(controls, way: Matrix) -> None:
    """Move the torso so that the hips lie where they ought to: Rigify turns them about the middle of the spine.

    way : where the hips' motion takes what they carry at rest
    """
    torso, hips = controls.pose.bones["torso"], controls.pose.bones["ORG-spine"]
    off = way @ hips.bone.head_local - hips.head
    torso.matrix = Matrix.Translation(off) @ torso.matrix
    torso.scale = (1.0, 1.0, 1.0)


class _Ways:
    """Where the bones' motion takes what they carry at rest, in the control rig's space."""

    def __init__(self, clip: MotionClip, space: Matrix, base: Matrix | None = None, up: np.ndarray | None = None):
        index = np.array([*range(len(clip.root)), *([0] if clip.loop else [])])
        root = clip.root[index]
        root[len(clip.root):] += clip.stride
        kinematics = Kinematics(clip.rig)
        self.turns = kinematics.turns(clip.rotations[index])
        self.heads, self.rest = kinematics.heads(self.turns, root), clip.rig.heads
        self.space, self.back = space, space.inverted_safe()
        self.base, self.is_based = base or Matrix.Identity(4), base is not None
        self.way = np.zeros_like(root) if up is None else root - np.outer(root @ up, up)

    def at(self, t: int, bone: int) -> Matrix:
        """(4, 4) of a bone at a frame."""
        turn = Quaternion(self.turns[t, bone]).to_matrix().to_4x4()
        way = Matrix.Translation(self.heads[t, bone]) @ turn @ Matrix.Translation(-self.rest[bone])
        return self.base @ self.space @ way @ self.back

    def of_root(self, t: int) -> Matrix:
        """(4, 4) of the root control at a frame."""
        return self.base @ self.space @ Matrix.Translation(self.way[t]) @ self.back


def write_controls(controls: bpy.types.Object, clip: MotionClip, fps: float, start: int,
                   keys: Keys, tolerance: float = 0.0) -> bpy.types.Action:
    """An action of baked keys, assigned to the control rig, whose limbs follow their FK controls in it.  tolerance : as
    in `write_action`"""
    action = write_action(controls, clip, fps, start=start, channels=[keys.get(b.name) for b in controls.pose.bones],
                          tolerance=tolerance)
    for bone in [b for b in controls.pose.bones if IK_FK in b]:
        bone[IK_FK] = 1.0
        bone.keyframe_insert(f'["{IK_FK}"]', frame=start, group=bone.name)
    return action
