"""What a character does, taken along when another rig takes it over: its pose, or its action frame by frame."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Matrix, Quaternion

from ...core.geometry.rotation import angle, conjugate, from_matrix, multiply
from ...core.motion.clip import MotionClip
from ...core.motion.kinematics import Kinematics
from ...core.skeleton.bone_map import find_roles
from ...core.skeleton.carried import ancestors
from ...core.skeleton.rig import Rig
from ...core.steps import run
from .. import names
from ..bridge.action import (
    LONGEST,
    add_places,
    bone_channels,
    close_strip,
    playing_tracks,
    read_skeleton,
    strips_range,
    write_action,
)
from ..bridge.curves import curves_of
from ..bridge.rigify import whole_bone
from ..current import evaluated_scene
from .baking import bake_steps, write_controls
from .beneath import skeleton_beneath
from .takes import moves

NLA = "NLA"  # stands for an action where strips of the NLA editor play without one
STILL = 1e-4  # radians, and a share of the skeleton's size: what moves less is at rest


@dataclass(frozen=True)
class Doing:
    """What a character does.  clip : on the plain rig's bones, in its space

    start : the action's first frame in the scene, None if it is a pose;  action : its name, "" for a pose and for what
    strips of the NLA editor do without one
    places : (T, 4, 4) the plain rig's `matrix_basis` in each frame, if the action moves the object itself
    is_mixed : whether strips of the NLA editor play along with the action
    """

    clip: MotionClip
    start: int | None
    action: str = ""
    places: np.ndarray | None = None
    is_mixed: bool = False


def doing_of_plain(context, plain: bpy.types.Object) -> Doing | None:
    """What a plain rig does; None at rest."""
    rig = read_skeleton(plain)
    return _sampled(context, plain, plain, rig, {name: name for name in rig.names}, Matrix.Identity(4))


def doing_of_controls(context, controls: bpy.types.Object, *, only_first: bool = False) -> Doing | None:
    """What a control rig does, for its plain rig; None at rest.  only_first : of an action the first frame alone"""
    under, bones = skeleton_beneath(controls), controls.pose.bones
    table = {source: whole_bone(bones, part) for part, source in reversed(under.shares.items())}
    return _sampled(context, controls, under.body, under.rig, table, under.space, only_first=only_first)


def put_on_controls(context, controls: bpy.types.Object, doing: Doing | None) -> None:
    """Let a control rig do what its plain rig did: its action as keys on the controls, or its pose. An action that was
    made of one on controls, and has not been changed since, gives that one back.

    Raises BadMotion.
    """
    if doing is None:
        return
    keyed = _keyed_on_controls(controls, doing)
    if keyed is not None:
        let_act(controls, keyed)
        _note_baked(context, controls, keyed, doing.action)
        return
    under = skeleton_beneath(controls)
    keys = run(bake_steps(context, controls, under, doing.clip))
    if doing.start is not None:
        clip = doing.clip.changed(name=f"{controls.name} {doing.clip.name.removeprefix(f'{under.body.name} ')}")
        action = write_controls(controls, clip, clip.rate, doing.start, keys)
        if doing.places is not None:
            add_places(controls, action, doing.places @ np.array(under.space), doing.start)
        _note_baked(context, controls, action, doing.action)
    else:
        _pose(context, controls, keys)


def put_on_plain(context, plain: bpy.types.Object, doing: Doing | None) -> None:
    """Let a plain rig do what its control rig did: the action as keys on its bones, the pose, or rest.

    An action that was made of one of the plain rig's, or of its strips, and has not been changed since goes: that one
    is done again, those play again. Otherwise strips that would play along, or at rest, are muted.
    """
    close_strip(plain)
    if doing is not None and _back_to_own(plain, doing):
        return
    playing = playing_tracks(plain.animation_data)
    if any(track.is_solo for track in playing):  # without the star the others would play
        playing = list(plain.animation_data.nla_tracks)
    for track in playing:
        track.mute, track.is_solo = True, False
    for bone in plain.pose.bones:  # what does not turn gets no keys
        bone.matrix_basis.identity()
    if doing is not None and doing.start is not None:
        write_on_plain(plain, doing)
        return
    if plain.animation_data is not None and plain.animation_data.action is not None:
        plain.animation_data.action.use_fake_user = True
        plain.animation_data.action = None
    if doing is not None:
        hips = find_roles(doing.clip.rig).get("hips", -1)
        found = bone_channels(plain, doing.clip, hips=hips, way=np.zeros((1, 3)))
        _pose(context, plain, {bone.name: keys for bone, keys in zip(plain.pose.bones, found, strict=True)})


def write_on_plain(plain: bpy.types.Object, doing: Doing) -> bpy.types.Action:
    """An action of what a control rig did, assigned to its plain rig.

    Trunk and limbs get keys even if they never turn: they must not stand as another action left them.
    """
    roles = find_roles(doing.clip.rig)
    action = write_action(plain, doing.clip, doing.clip.rate, start=doing.start or 0, driven=roles.values(),
                          hips=roles.get("hips", -1))
    if doing.places is not None:
        add_places(plain, action, doing.places, doing.start or 0)
    keyed = bpy.data.actions.get(doing.action)
    if keyed is not None:
        keyed.use_fake_user = True  # without the controls it would not be saved
        if not doing.is_mixed:
            action[names.KEYED] = {"on": keyed, "curves": _digest(action)}
    return action


def _keyed_on_controls(controls, doing: Doing) -> bpy.types.Action | None:
    """The action on controls of which one of the plain rig was made, if that one plays alone and is as it was then."""
    action = bpy.data.actions.get(doing.action)
    note = action.get(names.KEYED) if action is not None and not doing.is_mixed else None
    if note is None or note["on"] is None or note["curves"] != _digest(action) or not moves(note["on"], controls):
        return None
    return note["on"]


def _note_baked(context, controls, action, source: str) -> None:
    """Note with an action on controls of which action of the plain rig it was made, and how it is now."""
    first = doing_of_controls(context, controls, only_first=True)
    if first is not None and (source in bpy.data.actions or not source):
        data = skeleton_beneath(controls).body.animation_data
        action[names.BAKED] = {"of": bpy.data.actions.get(source) or NLA, "curves": _digest(action),
                               "strips": "" if source else _strips(data),
                               "turns": first.clip.rotations[0].ravel().tolist(), "root": first.clip.root[0].tolist()}


def _strips(data) -> str:
    """What tells whether the strips that play were exchanged or moved."""
    keys = ("frame_start", "frame_end", "action_frame_start", "action_frame_end", "scale", "repeat", "influence",
            "blend_type", "extrapolation", "use_reverse", "mute")
    return str([(strip.action.name if strip.action is not None else "", *(getattr(strip, key) for key in keys))
                for track in playing_tracks(data) for strip in track.strips])


def _digest(action) -> str:
    """What tells whether any key of an action was changed."""
    held = hashlib.sha256(str(tuple(action.frame_range)).encode())
    for curve in curves_of(action):
        points = np.empty((3, 2 * len(curve.keyframe_points)), np.float32)
        for row, what in zip(points, ("co", "handle_left", "handle_right"), strict=True):
            curve.keyframe_points.foreach_get(what, row)
        held.update(f"{curve.data_path} {curve.array_index} {curve.mute} {len(curve.modifiers)}".encode())
        held.update(points.tobytes())
    return held.hexdigest()


def _back_to_own(plain, doing: Doing) -> bool:
    """Whether what controls did was made of an action of their plain rig, or of its strips, and is as it was then.

    The plain rig then does its own again, and the copy goes, unless something else uses it.
    """
    data = plain.animation_data
    playing = data is not None and data.action is None and strips_range(data)
    own = forget_copy(doing, _strips(data) if playing else "")
    if isinstance(own, bpy.types.Action):
        let_act(plain, own)
    return own is not None


def let_act(o: bpy.types.Object, action: bpy.types.Action) -> None:
    """Give an armature an action. The one before stays in the file."""
    data = o.animation_data_create()
    if data.action == action:
        return
    if data.action is not None:
        data.action.use_fake_user = True
    data.action = action
    if hasattr(data, "action_slot") and data.action_slot is None and len(data.action_suitable_slots):
        data.action_slot = data.action_suitable_slots[0]


def forget_copy(doing: Doing, strips: str = "") -> bpy.types.Action | str | None:
    """Of which action, or of strips, what controls did was made, if it is as it was then: the copy goes, unless
    something else uses it. None if it was changed, or made on the controls.

    strips : what `_strips` tells of those that play
    """
    action = bpy.data.actions.get(doing.action)
    note = action.get(names.BAKED) if action is not None else None
    of = note["of"] if note is not None else None  # None too if that action was deleted
    if of is None or (of == NLA and (not strips or note.get("strips") != strips)):
        return None
    size = float(np.ptp(doing.clip.rig.heads, axis=0).max())
    turns = np.reshape(note["turns"], (-1, 4))
    if len(turns) != len(doing.clip.rig.names) or _digest(action) != note["curves"]:
        return None
    off = np.abs(np.array(note["root"]) - doing.clip.root[0]).max()
    if off > STILL * size or angle(multiply(conjugate(turns), doing.clip.rotations[0])).max() > 10 * STILL:
        return None
    if action.users <= 1:
        bpy.data.actions.remove(action)
    return of


def _sampled(context, shown, plain, rig: Rig, table: dict[str, str], space: Matrix, *, only_first: bool = False
             ) -> Doing | None:
    """What an armature shows, on the bones of `rig`, in the space of `plain`: each frame of its action, or without one
    the pose of now; None for a rest pose, and for more frames than anybody can mean.

    table : {bone of the rig: the shown bone that it goes with}; all others go along with what carries them
    space : takes the shown armature's axes to the plain rig's;  only_first : of an action the first frame alone
    """
    close_strip(shown)
    action = shown.animation_data.action if shown.animation_data is not None else None
    strips = strips_range(shown.animation_data)
    scene, before = context.scene, (context.scene.frame_current, context.scene.frame_subframe)
    ranges = np.array([tuple(lasts) for lasts in (action.frame_range if action is not None else None, strips) if lasts])
    lasts = (ranges[:, 0].min(), ranges[:, 1].max()) if len(ranges) else None
    first, last = (round(x) for x in lasts or (before[0], before[0]))
    last = first if only_first else last
    if last - first >= LONGEST:
        return None
    ways = np.empty((last - first + 1, len(rig.names), 4, 4))
    places, back = np.empty((len(ways), 4, 4)), np.array(space.inverted_safe())
    try:
        for frame in range(first, last + 1):
            if lasts is not None:
                scene.frame_set(frame)
            ways[frame - first] = _ways(context, shown, space, rig, table)
            places[frame - first] = np.array(shown.evaluated_get(evaluated_scene(context)).matrix_basis) @ back
    finally:
        if lasts is not None:
            scene.frame_set(before[0], subframe=before[1])
    title = "NLA" if strips is not None and action is None else _short(action, plain, shown)
    clip = _clip(rig, ways, scene.render.fps / scene.render.fps_base, f"{plain.name} {title}",
                 loop=action is not None and action.use_cyclic and strips is None and len(ways) > 2)
    size = float(np.ptp(rig.heads, axis=0).max())
    is_still = np.abs(clip.root).max() < STILL * size and angle(clip.rotations).max() < STILL
    if lasts is None:
        return None if is_still else Doing(clip, None)
    has_way = np.ptp(places, axis=0).max() > 1e-6
    return Doing(clip, first, action.name if action is not None else "", places if has_way else None,
                 action is not None and strips is not None)


def _short(action, plain, shown) -> str:
    """An action's name without those of the rigs."""
    name = action.name if action is not None else "pose"
    for rig in (shown, plain):
        name = name.removeprefix(f"{rig.name} ")
    return name


def _ways(context, shown, space: Matrix, rig: Rig, table: dict[str, str]) -> np.ndarray:
    """(B, 4, 4) where a pose takes what each bone carries at rest, in the plain rig's space."""
    seen = shown.evaluated_get(evaluated_scene(context)).pose.bones
    back, out = space.inverted_safe(), np.empty((len(rig.names), 4, 4))
    for i, name in enumerate(rig.names):  # parents come first
        if name in table:
            bone = seen[table[name]]
            out[i] = space @ bone.matrix @ bone.bone.matrix_local.inverted_safe() @ back
        else:
            out[i] = out[rig.parents[i]] if rig.parents[i] >= 0 else np.eye(4)
    return out


def _clip(rig: Rig, ways: np.ndarray, rate: float, name: str, *, loop: bool) -> MotionClip:
    """The clip of such places.  The hips carry the way, whatever they hang on."""
    hips = find_roles(rig).get("hips", -1)
    above = ancestors(rig.parents, hips) if hips >= 0 else []
    parents = np.array(rig.parents)
    parents[[hips, *above] if hips >= 0 else []] = -1
    free = Rig(rig.names, parents, rig.heads, rig.tails, rig.x_axes)
    axes = ways[..., :3, :3]
    turns = from_matrix(axes / np.maximum(np.linalg.norm(axes, axis=-2, keepdims=True), 1e-12))
    lead = hips if hips >= 0 else int(np.flatnonzero(parents < 0)[0])
    root = np.einsum("tij,j->ti", ways[:, lead], [*rig.heads[lead], 1.0])[:, :3] - rig.heads[lead]
    rounds = slice(None, -1 if loop else None)
    return MotionClip(free, Kinematics(free).local(turns)[rounds], root[rounds], rate, name=name, loop=loop,
                      stride=root[-1] - root[0] if loop else (0.0, 0.0, 0.0))


def _pose(context, armature, keys: dict[str, tuple[np.ndarray, np.ndarray | None]]) -> None:
    """Put bones as the first frame of their channels has them."""
    for name, (turns, places) in keys.items():
        bone = armature.pose.bones[name]
        place = bone.location.copy() if places is None else places[0]
        bone.matrix_basis = Matrix.LocRotScale(place, Quaternion(turns[0]), None)
    context.view_layer.update()
