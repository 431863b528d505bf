"""Armature and action -> MotionClip, and back. Everything here is in the armature's own space."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping

import bpy
import numpy as np
from mathutils import Euler, Matrix, Quaternion

from ...core.errors import BadMotion
from ...core.geometry.rotation import (
    between,
    conjugate,
    continuous,
    from_matrix,
    multiply,
    normalized,
    rotate,
    to_vector,
)
from ...core.motion.clip import MotionClip
from ...core.motion.edit import kept_keys
from ...core.motion.kinematics import Kinematics
from ...core.motion.source import from_where_it_stands, read_motion
from ...core.skeleton.bone_map import BoneMap
from ...core.skeleton.rig import Rig
from .. import names
from ..current import evaluated_scene
from .curves import holders_of_curves

LINEAR = 1  # of a key's interpolation, as foreach_set wants it
NEAR = 0.1  # of a skeleton's size, what a radian of tolerance is for places: feet must not slide
STILL = 1e-6  # units and radians: an object that changes by less stays
LYING = 0.7  # cosine: a body whose up leans by more than 45 degrees lies in the world
LONGEST = 200_000  # frames that are read from one action; more is a mistake in its range


def read_skeleton(armature: bpy.types.Object) -> Rig:
    """All bones of an armature at rest, deforming or not, in its own space. It knows its body's up if that one lies."""
    bones = armature.data.bones
    noted = armature.data.get(names.UP, "")
    up = np.zeros(3) if isinstance(noted, str) else np.array(noted, float)  # .fbx files turn it to text
    world = np.array(armature.matrix_world.to_3x3(), float) @ up
    lies = bool(world.any()) and world[2] < LYING * np.linalg.norm(world)
    number = {b.name: i for i, b in enumerate(bones)}
    return Rig(tuple(number), np.array([number[b.parent.name] if b.parent else -1 for b in bones], int),
               np.array([b.head_local for b in bones], float).reshape(-1, 3),
               np.array([b.tail_local for b in bones], float).reshape(-1, 3),
               np.array([b.matrix_local.col[0][:3] for b in bones], float).reshape(-1, 3),
               up=up / np.linalg.norm(up) if lies else None)


def rest_turns(armature: bpy.types.Object) -> np.ndarray:
    """(B, 4) how each bone's own axes stand at rest."""
    return from_matrix(np.array([b.matrix_local.to_3x3() for b in armature.data.bones], float).reshape(-1, 3, 3))


def read_action_steps(context, armature: bpy.types.Object, bone_map: BoneMap | None = None, *,
                      frames: tuple[float, float] | None = None, rest_frame: int | None = None,
                      is_placed: bool = False) -> Generator[tuple[str, float], None, MotionClip]:
    """What an armature shows, as a clip, yielding (stage, fraction): its action, its own way as an object and that of
    its parents, constraints and all, frame by frame in the world.

    frames : first and last; None takes those of its action, of its strips, or of what carries it;  rest_frame : as
    in `read_motion`;  is_placed : somebody put it where it stands in the first frame, so that place is left out
    Raises BadMotion if it has no action or no bones.
    """
    action = armature.animation_data.action if armature.animation_data else None
    frames = frames or _frames(armature)
    if frames is None or not len(armature.data.bones):
        raise BadMotion(f"'{armature.name}' has no motion. Choose an armature with an action.")
    title = action.name if action is not None else armature.name
    span = float(frames[1] - frames[0])
    if span >= LONGEST:
        raise BadMotion(f"The action '{title}' is {span:.0f} frames long. Shorten it to {LONGEST}.")
    count_of = max(1, round(span)) + 1 if span > 0 else 1
    times = np.linspace(frames[0], frames[1], count_of)  # even, and from the first key to the last
    scene = context.scene
    before = scene.frame_current, scene.frame_subframe
    rig = read_skeleton(armature)
    matrices = np.empty((len(times), len(rig.names), 4, 4))
    world = np.empty((len(times), 4, 4))
    try:
        for i, time in enumerate(times):
            scene.frame_set(int(np.floor(time)), subframe=float(time - np.floor(time)))
            seen = armature.evaluated_get(evaluated_scene(context))
            matrices[i] = [b.matrix for b in seen.pose.bones]
            world[i] = seen.matrix_world
            if i % 50 == 0:
                yield "Reading the motion", i / len(times)
    finally:
        scene.frame_set(before[0], subframe=before[1])
    rate = scene.render.fps / scene.render.fps_base * (max(1, len(times) - 1) / span if span > 0 else 1.0)
    world = from_where_it_stands(world) if is_placed else world
    return _clip(rig, rest_turns(armature), matrices, world, rate, title, bone_map, rest_frame)


def _frames(o) -> tuple[float, float] | None:
    """First and last frame of what moves an object: its action, else its strips, else what carries it."""
    while o is not None:
        data = o.animation_data
        if data is not None and data.action is not None:
            return float(data.action.frame_range[0]), float(data.action.frame_range[1])
        if (strips := strips_range(data)) is not None:
            return strips
        o = o.parent
    return None


def playing_tracks(data: bpy.types.AnimData | None) -> list[bpy.types.NlaTrack]:
    """The tracks of the NLA editor that play: only those with a star, if any has one."""
    if data is None or not data.use_nla:
        return []
    has_solo = any(track.is_solo for track in data.nla_tracks)
    return [track for track in data.nla_tracks if (track.is_solo if has_solo else not track.mute)]


def close_strip(o: bpy.types.Object) -> None:
    """Close the strip of an object that is open for tweaking in the NLA editor: Blender lets nobody give the object an
    action meanwhile, and what it does is what the strips do. The strip and its keys stay as they are."""
    if o.animation_data is not None and o.animation_data.use_tweak_mode:
        o.animation_data.use_tweak_mode = False


def strips_range(data: bpy.types.AnimData | None) -> tuple[float, float] | None:
    """The first and last frame of the strips that play in an object's tracks, None without any."""
    strips = [strip for track in playing_tracks(data) for strip in track.strips if not strip.mute]
    return (min(s.frame_start for s in strips), max(s.frame_end for s in strips)) if strips else None


def _clip(rig: Rig, rest: np.ndarray, matrices: np.ndarray, world: np.ndarray, rate: float, name: str, bone_map,
          rest_frame: int | None) -> MotionClip:
    size = float(np.cbrt(abs(np.linalg.det(world[0, :3, :3]))))
    posed = world[:, None] @ matrices
    axes = posed[..., :3, :3]
    lengths = np.linalg.norm(axes, axis=-2, keepdims=True)
    if not np.isfinite(posed).all() or size < 1e-12 or (lengths < 1e-12).any():
        raise BadMotion(f"The action '{name}' takes a bone to no place. Look for broken keys or scales of 0.")
    upward = world[0, 2, :3]  # which of the armature's axes the world's up is: its conversion, whatever the way
    stood = between(np.eye(3)[np.abs(upward).argmax()] * np.sign(upward[np.abs(upward).argmax()]), [0.0, 0.0, 1.0])
    turns = multiply(from_matrix(axes / lengths), conjugate(multiply(stood, rest)))
    rig = Rig(rig.names, rig.parents, size * rotate(stood, rig.heads), size * rotate(stood, rig.tails),
              rotate(stood, rig.x_axes))
    return read_motion(rig, turns, posed[..., :3, 3], rate, name=name, bone_map=bone_map,
                       rest_frame=rest_frame)


def write_action(armature: bpy.types.Object, clip: MotionClip, fps: float, *, start: int,
                 driven: Iterable[int] = (), channels: list | None = None, up: np.ndarray | None = None,
                 hips: int = -1, tolerance: float = 0.0, begin: Mapping[str, Matrix] | None = None
                 ) -> bpy.types.Action:
    """An action that does the clip, assigned to the armature.

    clip : on the bones of `read_skeleton(armature)`; those hung elsewhere (`core.skeleton.carried`) follow by keys on
    their location;  fps : of the scene;  driven : bones that get keys even if they never turn
    channels : what `bone_channels` gives, or for each bone its own turns and places, None for no keys
    up : (3,) in the armature's space: the way over the ground goes to the bone above the hips, or, without one, to the
    object; None: to the hips, and bones above them stay;  hips : the bone's number
    tolerance : radians; keys are left out while no bone turns by more from where it should be, nor moves by a tenth of
    that of the skeleton's size
    start : the action's first frame;  begin : {bone: its `matrix_basis` from which its motion begins}
    A loop gets its first frame once more at the end and repeats for ever, travelling on; it may run a little slower or
    faster to end on a whole frame. The action before stays in the file, and bones keep their rotation modes.
    Raises BadMotion for a bone that must move but cannot.
    """
    close_strip(armature)
    way, is_own = None, channels is None
    if up is not None:
        way, channels = _rooted(armature, clip, up, hips)
    elif channels is None:
        channels = bone_channels(armature, clip, hips=hips, way=np.zeros((1, 3)))
    old = armature.animation_data.action if armature.animation_data else None
    if old is not None:
        old.use_fake_user = True
    action = bpy.data.actions.new(clip.name)
    curves, slot = _channels(action, armature)
    pace = fps / clip.rate
    if clip.loop:  # a whole number of the scene's frames, or playback would stumble at the seam
        pace = max(1, round(len(clip.root) * pace)) / len(clip.root)
    times = start + np.arange(len(clip.root) + bool(clip.loop)) * pace
    keyed = set(driven)
    near = NEAR * tolerance * float(np.ptp(clip.rig.heads, axis=0).max())
    few = lambda values, off: kept_keys(times, values, off) if tolerance else slice(None)  # noqa: E731 - used thrice
    for i, bone in enumerate(armature.pose.bones):
        if channels[i] is None:
            continue
        turns, places = _begun(channels[i], begin[bone.name]) if begin and bone.name in begin else channels[i]
        if not is_own or bone.parent is None or i in keyed or np.abs(turns[:, 1:]).max() > 1e-7:
            what, values = _in_mode(bone, turns)
            kept = few(turns, tolerance / 2)
            _write(curves, bone, what, times[kept], values[kept], clip.loop)
        if places is not None:
            kept = few(places, near)
            _write(curves, bone, "location", times[kept], places[kept], clip.loop)
    if way is not None:
        kept = few(way, near)
        _write(curves, None, "location", times[kept], way[kept], clip.loop)
    data = armature.animation_data_create()
    data.action = action
    if slot is not None:
        data.action_slot = slot
    action.use_frame_range = True
    action.frame_start, action.frame_end = times[0], max(times[-1], times[0] + 1)
    action.use_cyclic = clip.loop
    return action


def add_turns(armature: bpy.types.Object, action: bpy.types.Action, turns: dict[str, np.ndarray], start: int) -> None:
    """Keys for bones that an action has none of, one each frame.

    turns : {bone: (T, 4) in its own channels' axes};  start : the first frame. A looping action's keys repeat.
    """
    curves = _channels_of(action)
    for name, own in turns.items():
        bone = armature.pose.bones[name]
        what, values = _in_mode(bone, own)
        _write(curves, bone, what, start + np.arange(len(own)), values, action.use_cyclic)


def add_rests(armature: bpy.types.Object, action: bpy.types.Action, channels: Iterable[tuple[str, str]],
              places: Mapping[str, Matrix]) -> None:
    """One key at rest, where an action begins, for what it has none of.

    channels : (bone, "rotation", "location" or "scale");  places : {bone: its `matrix_basis`} of those that do not rest
    """
    curves = _channels_of(action)
    for name, what in channels:
        bone, (location, turn, scale) = armature.pose.bones[name], places.get(name, Matrix()).decompose()
        values = np.array([location if what == "location" else scale])
        if what == "rotation":
            what, values = _in_mode(bone, np.array([turn]))
        _write(curves, bone, what, np.array([action.frame_range[0]]), values, False)


def add_places(o: bpy.types.Object, action: bpy.types.Action, places: np.ndarray, start: int) -> None:
    """Keys for the way of the object itself, on what changes of its location, rotation and scale.

    places : (T, 4, 4) as its `matrix_basis`, one a frame from `start`. A looping action's keys repeat. The object is
    left as the first has it.
    """
    turn = {"QUATERNION": "rotation_quaternion", "AXIS_ANGLE": "rotation_axis_angle"}.get(o.rotation_mode,
                                                                                         "rotation_euler")
    values: dict[str, list] = {"location": [], turn: [], "scale": []}
    for place in places:
        o.matrix_basis = Matrix(place)
        for what, held in values.items():
            value = getattr(o, what)[:] if what == "rotation_axis_angle" else getattr(o, what).copy()
            if held and what == "rotation_euler":
                value.make_compatible(held[-1])
            held.append(value)
    o.matrix_basis = Matrix(places[0])
    curves = _channels_of(action)
    for what, held in values.items():
        way = np.array(held, float)
        way = continuous(way) if what == "rotation_quaternion" else way
        if np.ptp(way, axis=0).max() > STILL:
            _write(curves, None, what, start + np.arange(len(way)), way, action.use_cyclic)


def remove_keys(action: bpy.types.Action, beginnings: Iterable[str]) -> None:
    """Take out of an action the F-curves whose data paths begin so, and groups that are empty then."""
    starts = tuple(beginnings)
    for holder in holders_of_curves(action):
        for curve in [c for c in holder.fcurves if c.data_path.startswith(starts)]:
            holder.fcurves.remove(curve)
        for group in [g for g in holder.groups if not len(g.channels)]:
            holder.groups.remove(group)


def bone_channels(armature: bpy.types.Object, clip: MotionClip, *, hips: int = -1, way: np.ndarray | None = None
                  ) -> list[tuple[np.ndarray, np.ndarray | None]]:
    """For each bone its rotation (T, 4) and, if it must move in itself, its location (T, 3), in its own channels' axes.

    hips, way : a bone's number, and (T, 3) how far the bones above it move; the hips, and whatever else hangs on those,
    move the rest of the clip's way themselves. None, or one of them connected: those above carry them all the way
    A loop has its first frame once more at the end. Bones may hang on others than in the clip's rig, inherit no
    rotation, or measure their location in the armature's axes.
    """
    index = np.array([*range(len(clip.root)), *([0] if clip.loop else [])])
    root = clip.root[index]
    root[len(clip.root):] += clip.stride
    kinematics = Kinematics(clip.rig)
    turns = kinematics.turns(clip.rotations[index])
    heads = kinematics.heads(turns, root)
    rest = rest_turns(armature)
    number = {name: i for i, name in enumerate(clip.rig.names)}
    carriers = _bones_above(armature, hips)
    held = [b for b in armature.data.bones if b.parent is not None and number[b.parent.name] in carriers
            and number[b.name] not in carriers]
    if way is not None and carriers and not any(b.use_connect for b in held):
        heads[:, carriers] += (way - root)[:, None]
    size = float(np.ptp(np.concatenate([clip.rig.heads, clip.rig.tails]), axis=0).max()) if len(number) else 1.0
    out: list[tuple[np.ndarray, np.ndarray | None]] = []
    for i, bone in enumerate(armature.data.bones):
        above = number[bone.parent.name] if bone.parent else -1
        own = turns[:, i]
        if above >= 0 and bone.use_inherit_rotation:
            same = clip.rig.parents[i] == above
            own = clip.rotations[index][:, i] if same else multiply(conjugate(turns[:, above]), own)
        basis = continuous(multiply(conjugate(rest[i]), multiply(own, rest[i])))
        off, frame = heads[:, i] - clip.rig.heads[i], rest[i]
        if above >= 0:
            carried = heads[:, above] + rotate(turns[:, above], clip.rig.heads[i] - clip.rig.heads[above])
            off, frame = heads[:, i] - carried, multiply(turns[:, above], rest[i if bone.use_local_location else above])
        elif not bone.use_local_location:
            frame = np.array([1.0, 0, 0, 0])
        moves = above < 0 or np.abs(off).max() > 1e-5 * size
        if moves and bone.parent and bone.use_connect:
            raise BadMotion(f"The bone '{bone.name}' belongs to a limb but is connected to '{bone.parent.name}': it "
                            "cannot follow. Disconnect it in Edit mode, or choose other bones in the bone map.")
        out.append((basis, rotate(conjugate(frame), off) if moves else None))
    return out


def _rooted(armature, clip: MotionClip, up: np.ndarray, hips: int):
    """(places of the object (T, 3) or None, channels) with the way over the ground on what carries the hips."""
    index = np.array([*range(len(clip.root)), *([0] if clip.loop else [])])
    root = clip.root[index]
    root[len(clip.root):] += clip.stride
    way = root - np.outer(root @ up, up)
    if _bones_above(armature, hips):
        return None, bone_channels(armature, clip, hips=hips, way=way)
    rest, out = rest_turns(armature), bone_channels(armature, clip)
    for i, bone in enumerate(armature.data.bones):
        if bone.parent is None and out[i] is not None:
            out[i] = (out[i][0], rotate(conjugate(rest[i]), root - way))
    basis = np.array(armature.matrix_basis)
    return basis[:3, 3] + way @ basis[:3, :3].T, out


def _begun(channel: tuple, start: Matrix) -> tuple[np.ndarray, np.ndarray | None]:
    turn = np.array(start.to_quaternion())
    places = np.zeros((1, 3)) if channel[1] is None else channel[1]
    return continuous(multiply(turn, channel[0])), np.broadcast_to(
        np.array(start.translation) + places @ np.array(start.to_3x3()).T, (len(channel[0]), 3))


def _bones_above(armature, bone: int) -> list[int]:
    """The numbers of the bones above one, the nearest first."""
    bones = armature.data.bones
    return [bones.find(b.name) for b in bones[bone].parent_recursive] if bone >= 0 else []


def _in_mode(bone, turns: np.ndarray) -> tuple[str, np.ndarray]:
    """The channel of a bone's rotation mode, and the turns (T, 4) as its values."""
    if bone.rotation_mode == "QUATERNION":
        return "rotation_quaternion", turns
    if bone.rotation_mode == "AXIS_ANGLE":
        vectors = to_vector(turns)
        angle = np.linalg.norm(vectors, axis=1)
        axis = np.where(angle[:, None] > 1e-9, vectors, [0, 1, 0])
        return "rotation_axis_angle", np.concatenate([angle[:, None], normalized(axis)], axis=1)
    values, before = [], Euler((0, 0, 0), bone.rotation_mode)
    for turn in turns:
        before = Quaternion(turn).to_euler(bone.rotation_mode, before)
        values.append(tuple(before))
    return "rotation_euler", np.array(values)


class _Channels:
    """Where F-curves and their groups are made: in a slot's channel bag since Blender 4.4, in the action before."""

    def __init__(self, holder):
        self._holder = holder

    def add(self, path: str, index: int, group: str):
        curve = self._holder.fcurves.new(path, index=index)
        curve.group = self._holder.groups.get(group) or self._holder.groups.new(group)
        return curve


def _channels_of(action) -> _Channels:
    """Where an action that has keys moves bones."""
    holders = holders_of_curves(action)
    return _Channels(next((h for h in holders if any(c.data_path.startswith("pose.") for c in h.fcurves)), holders[0]))


def _channels(action, armature):
    if not hasattr(action, "slots"):
        return _Channels(action), None
    slot = action.slots.new(id_type="OBJECT", name=armature.name)
    strip = action.layers.new("Layer").strips.new(type="KEYFRAME")
    return _Channels(strip.channelbag(slot, ensure=True)), slot


def _write(curves: _Channels, bone, what: str, times, values, loop: bool) -> None:
    """Keys of a bone, or with None of the object itself. In a loop, places travel on and angles turn on; quaternions,
    which say the same with either sign, begin anew."""
    path = what if bone is None else f'pose.bones["{bpy.utils.escape_identifier(bone.name)}"].{what}'
    for axis in range(values.shape[1]):
        curve = curves.add(path, axis, "Object" if bone is None else bone.name)
        curve.keyframe_points.add(len(times))
        curve.keyframe_points.foreach_set("co", np.stack([times, values[:, axis]], axis=1).ravel())
        curve.keyframe_points.foreach_set("interpolation", np.full(len(times), LINEAR))
        if loop:
            cycles = curve.modifiers.new("CYCLES")
            cycles.mode_before = cycles.mode_after = (
                "REPEAT_OFFSET" if what in ("location", "rotation_euler") else "REPEAT")
        curve.update()
