"""From a motion to an action on a character: read, one core call, write. Buttons and programs share it."""

from __future__ import annotations

import json
from collections.abc import Generator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import bpy
import numpy as np
from mathutils import Matrix

from ...core.errors import BadMotion
from ...core.motion.authoring.library import ANIMALS, GAITS, author, gait, rig_like, styled
from ...core.motion.authoring.pace import AS_IT_SHIPS, GroundSpeed
from ...core.motion.authoring.style import PLAIN, Style
from ...core.motion.choose import check_legs, suited_motion, with_the_arm_there
from ...core.motion.clip import MotionClip, as_loop, in_place
from ...core.motion.clip_file import load_motion
from ...core.motion.edit import resampled, trimmed
from ...core.motion.fidelity import Fidelity
from ...core.motion.made import made_motion, made_names
from ...core.motion.retarget import RetargetOptions, Transfer, retarget_told
from ...core.motion.shape_body import ShapeBody
from ...core.motion.transfer import leg_length
from ...core.skeleton.bone_map import BoneMap, find_roles
from ...core.skeleton.carried import ancestors
from ...core.steps import run
from .. import names
from ..bridge.action import read_action_steps, read_skeleton, write_action
from ..bridge.armature import read_up
from ..bridge.motion_file import opened_motion
from ..bridge.pose import check_pose, poles, unless_it_fails
from ..bridge.skin import read_skin
from ..characters.fitted import has_all_bones
from ..characters.templates import is_as_from_shape
from ..formats import split_motion
from .baking import ROOT, bake_steps, write_controls
from .beneath import Beneath, skeleton_beneath
from .bone_maps import map_of
from .home import at_home
from .owning import keep, played_by
from .placing import base_of, moved_places, note_places, places_of
from .swaying import sway_in, sways
from .takes import actions_of

WRITING = "Writing the action"  # the stage whose work changes the scene
NO_PACE = "It goes as it ships: only gaits on legs go at a ground speed."
SLOWEST = 12.0  # frames a second at least, of a motion that is made to measure
TRAVEL = {"source": None, "hips": True, "root": True, "none": False}  # as the core has it

Steps = Generator[tuple[str, float], None, "Moved"]


@dataclass(frozen=True)
class MoveOptions:
    """How a motion is put on a character.

    speed : 2 is twice as fast;  hold : feet stand still while they stand
    travel : "source" goes over the ground where the source does; "hips" always, as far as feet tell; "root" likewise,
    the way on the bone above the hips or, without one, on the object; "none" stays on the spot
    source_map, target_map : whose bone is what; None takes what is kept with the armature, or finds out
    no_drift : a motion that goes nowhere ends where it began;  style : how a motion of the library is done
    ground : how fast a gait that ships goes over the ground; walk or run, walk, trot, canter or gallop follows from it
    rest_frame : frame of the motion, from 0, whose pose is taken for its rest pose; None takes its own
    trim : first and last frame of the motion that are taken, from 0; -1 is the end;  fps : frames a second that it is
    brought to, 0 keeps its own;  reduce : degrees; keys are left out while no bone is turned by more from where it
    should be, 0 keeps all;  start : the action's first frame, None takes the scene's
    """

    speed: float = 1.0
    travel: str = "source"
    hold: bool = True
    source_map: BoneMap | None = None
    target_map: BoneMap | None = None
    rest_frame: int | None = None
    trim: tuple[int, int] = (0, -1)
    fps: float = 0.0
    reduce: float = 0.0
    no_drift: bool = False
    style: Style = PLAIN
    ground: GroundSpeed = AS_IT_SHIPS
    start: int | None = None


@dataclass(frozen=True, eq=False)
class Moved:
    """What became of a motion.  clip : in the armature's space;  known, bones : how many bones move, of how many"""

    armature: bpy.types.Object
    action: bpy.types.Action
    clip: MotionClip
    known: int
    bones: int
    fidelity: Fidelity


def move_steps(context, armature: bpy.types.Object, motion, options: MoveOptions = MoveOptions(),
               heard: dict[str, MotionClip] | None = None) -> Steps:
    """Let an armature do a motion, yielding (stage, fraction) on the way; nothing is written before the last step.

    motion : a name of the library, which is taken as it suits the body; the path of a .json, .bvh, .fbx, .glb or .gltf
    file, of one with several actions perhaps with ":" and the action's name; or another armature object with an action.
    heard : {path: what was read of it with the same options} for several characters, filled here.  Raises RigError.
    """
    under = skeleton_beneath(armature)
    body, skeleton = (under.body, under.rig) if under else (armature, read_skeleton(armature))
    how = json.dumps(asdict(options)) if isinstance(motion, str) and options.target_map is None else ""
    options = replace(options, target_map=options.target_map or map_of(body))
    is_ours = isinstance(motion, str) and not Path(split_motion(motion)[0]).suffix
    made = is_made(body, motion)
    if not is_ours and not options.style.is_plain:
        raise BadMotion("Only the motions that ship have styles. Leave the style at 0.")
    if not is_ours and not options.ground.is_plain:
        raise BadMotion("Only the gaits that ship go at a ground speed. Leave Ground Speed at As It Ships.")
    _check_speed(options.speed)
    if made:
        return (yield from _made_steps(context, armature, under, motion, options, how))
    is_guessed = options.target_map is None and _is_as_from_shape(body)
    shape = ShapeBody(skeleton, read_up(body)) if is_guessed else None
    wanted = RetargetOptions(hold=options.hold, no_drift=options.no_drift, travel=TRAVEL[options.travel],
                             target_map=options.target_map,
                             known=options.target_map is None and has_all_bones(body),
                             carried=poles(body) if under is None else {},
                             skin=read_skin(body, skeleton, options.target_map, mover=armature,
                                            shares=under.shares if under else {}))
    if isinstance(motion, bpy.types.Object):
        options = replace(options, source_map=options.source_map or map_of(motion))
        clip = as_loop(trimmed((yield from read_action_steps(context, motion, options.source_map, is_placed=True,
                                                               rest_frame=options.rest_frame)), *options.trim))
    elif Path(split_motion(motion)[0]).suffix.lower() == ".json":
        clip = trimmed(load_motion(motion), *options.trim)
    elif Path(motion).suffix:
        clip = yield from _heard_steps(context, motion, options, {} if heard is None else heard)
    else:
        clip = trimmed(_library_motion(context, armature, motion, skeleton, options, wanted, shape), *options.trim)
    if shape is not None:
        check_legs(clip, skeleton, shape, options.source_map)
    clip = resampled(clip, options.fps) if options.fps and clip.rate != options.fps else clip
    yield "Moving the character", 0.6
    wanted = replace(wanted, source_map=_without_tail(clip) if is_ours and sways(body) else options.source_map)
    transfer = Transfer(clip.rig, skeleton, wanted, name=clip.name)
    moved, told = retarget_told(clip, skeleton, wanted, transfer=transfer)
    moved = moved.changed(rate=moved.rate * options.speed, name=f"{armature.name} {clip.name}")
    name = armature.name
    places = places_of(armature, _carriers(armature, transfer.target.roles.get("hips", -1), under))
    keys = (yield from bake_steps(context, armature, under, moved, base=base_of(armature, places),
                                  up=transfer.target.axes[2] if options.travel == "root" else None)) if under else {}
    yield WRITING, 1.0
    armature = bpy.data.objects[name]
    had, did = actions_of(armature), played_by(armature)
    with unless_it_fails(context, armature), at_home(armature):
        action = _written(context, armature, transfer, moved, keys, options, places)
    keep(armature, action, motion if isinstance(motion, str) else motion.name, clip.name, had, did, places, how)
    return Moved(armature, action, moved, len(transfer.bones_to), len(skeleton.names), told)


def _heard_steps(context, motion: str, options: MoveOptions, heard: dict[str, MotionClip]
                 ) -> Generator[tuple[str, float], None, MotionClip]:
    """The motion of a file, read unless it was heard before."""
    if motion not in heard:
        path, action = split_motion(motion)
        clip = as_loop(trimmed((yield from opened_motion(context, Path(path), options.source_map, action,
                                                           options.rest_frame)), *options.trim))
        heard[motion] = clip.changed(name=action or Path(path).stem)
    return heard[motion]


def _written(context, armature: bpy.types.Object, transfer: Transfer, clip: MotionClip, keys, options: MoveOptions,
             places: dict[str, Matrix]) -> bpy.types.Action:
    """The action of a clip that was moved over, on the armature.

    keys : of a control rig's controls, as baked;  places : where the bones were put that carry the character

    Raises BadMotion if the armature does not do it.
    """
    fps, start, tolerance = scene_rate(context), _start(context, options), np.deg2rad(options.reduce)
    if keys:
        action = _write_on_controls(armature, clip, fps, start, keys, tolerance, places)
    else:
        driven, rooted = driven_bones(transfer), options.travel == "root"
        action = write_action(armature, clip, fps, start=start, driven=driven,
                              up=transfer.target.axes[2] if rooted else None,
                              hips=transfer.target.roles.get("hips", -1), tolerance=tolerance,
                              begin=moved_places(places))
        if not rooted and not options.reduce:
            check_pose(context, armature, clip, action, _checked(transfer, driven), base_of(armature, places))
    note_places(armature, action, places)
    if sways(armature):
        sway_in(context, armature, [action])
    return action


def _write_on_controls(controls: bpy.types.Object, clip: MotionClip, fps: float, start: int, keys, tolerance: float,
                       places: dict[str, Matrix]) -> bpy.types.Action:
    """The action of keys that were baked on controls, which stand where they were put."""
    action = write_controls(controls, clip, fps, start, keys, tolerance)
    for bone, place in places.items():  # the action before may have taken it elsewhere
        controls.pose.bones[bone].matrix_basis = place
    return action


def _library_motion(context, armature: bpy.types.Object, motion: str, skeleton, options: MoveOptions,
                    wanted: RetargetOptions, shape: ShapeBody | None) -> MotionClip:
    """A motion of the library in its style and, if it is a gait, at its ground speed.  shape : the body, if its
    skeleton was made from one"""
    suited = suited_motion(motion, skeleton, options.target_map, shape)
    is_animal = suited.name in ANIMALS
    if suited.name not in GAITS or (is_animal and options.ground.is_plain):
        clip = with_the_arm_there(styled(suited, options.style), skeleton, options.target_map)
        return clip if options.ground.is_plain else clip.changed(warnings=(*clip.warnings, NO_PACE))
    leg = None if is_animal else next(iter(Transfer(suited.rig, skeleton, wanted, name=motion).target.legs), None)
    if options.ground.is_plain:
        return author(suited.name, options.style, leg)
    name = suited.name
    if is_animal and not name.endswith("gallop"):  # who gallops like a horse does so at any speed that is fast enough
        build = suited_motion("gallop", skeleton, options.target_map).name.partition("_")[0]
        name = f"{build}_{name.partition('_')[2]}"
    size = Transfer(suited.rig if is_animal else rig_like(leg), skeleton, wanted, name=motion)
    return gait(name, options.ground, size.scale * leg_length(size.source) * _metres(context, armature),
                _made_rate(context, options), options.style, leg)


def _metres(context, armature: bpy.types.Object) -> float:
    """How many metres one unit of an armature's space is."""
    return float(np.cbrt(abs(armature.matrix_world.determinant()))) * context.scene.unit_settings.scale_length


def _without_tail(clip: MotionClip) -> BoneMap:
    """Which of a library motion's bones is what, but for its tail: this one follows the motion of itself."""
    roles = find_roles(clip.rig)
    return BoneMap(clip.name, {role: (clip.rig.names[bone],) for role, bone in roles.items()
                               if not role.startswith("tail")})


def _made_rate(context, options: MoveOptions) -> float:
    """Frames a second of a motion that is made: one for each of the scene's, so that nothing is read between two and
    feet hold."""
    return options.fps or max(scene_rate(context) / options.speed, SLOWEST)


def scene_rate(context) -> float:
    """Frames a second of the scene."""
    return context.scene.render.fps / context.scene.render.fps_base


def _start(context, options: MoveOptions) -> int:
    return context.scene.frame_start if options.start is None else options.start


def is_made(armature: bpy.types.Object, motion) -> bool:
    """Whether a motion is made to measure for an armature: walk and its like, for a skeleton made from a shape, or from
    a template of such a one."""
    return motion in ("walk", "crawl", *made_names()) and _is_as_from_shape(armature)


def _is_as_from_shape(armature: bpy.types.Object) -> bool:
    return is_as_from_shape(armature.data.get(names.MADE_BY, "biped"), armature.data.bones.keys())


def _made_steps(context, armature: bpy.types.Object, under: Beneath | None, motion: str, options: MoveOptions, how: str
                ) -> Steps:
    """`move_steps` with a motion made for this very body.  under : the skeleton beneath a control rig"""
    body, skeleton = (under.body, under.rig) if under else (armature, read_skeleton(armature))
    turned = read_up(body)
    yield "Moving the character", 0.3
    fps, start = scene_rate(context), _start(context, options)
    clip = made_motion(motion, skeleton, turned, _made_rate(context, options), options.ground,
                       _metres(context, armature))
    clip = trimmed(clip, *options.trim)
    clip = in_place(clip) if options.travel == "none" else clip
    told = [] if options.style.is_plain else ["It has no style: it is made for this body's own lengths."]
    told += [] if options.ground.is_plain or clip.name == "walk" else [NO_PACE]
    title = clip.name
    clip = clip.changed(rate=clip.rate * options.speed, name=f"{armature.name} {title}",
                        warnings=(*clip.warnings, *told))
    moving = np.abs(clip.rotations[..., 1:]).max((0, 2)) > 1e-9
    root, name, up = ShapeBody(skeleton, turned).root, armature.name, turned if options.travel == "root" else None
    places = places_of(armature, _carriers(armature, root, under))
    keys = (yield from bake_steps(context, armature, under, clip, base=base_of(armature, places), up=up)
            ) if under else {}
    yield WRITING, 1.0
    armature = bpy.data.objects[name]
    had, did, tolerance = actions_of(armature), played_by(armature), np.deg2rad(options.reduce)
    with unless_it_fails(context, armature), at_home(armature):
        if keys:
            action = _write_on_controls(armature, clip, fps, start, keys, tolerance, places)
        else:
            action = write_action(armature, clip, fps, start=start, driven=np.flatnonzero(moving).tolist(), up=up,
                                  hips=root, tolerance=tolerance, begin=moved_places(places))
        note_places(armature, action, places)
        if sways(armature):
            sway_in(context, armature, [action])
    keep(armature, action, motion, title, had, did, places, how)
    return Moved(armature, action, clip, int(moving.sum()), len(skeleton.names), Fidelity())


def _check_speed(speed: float) -> None:
    if not 0.01 <= speed <= 100:
        raise BadMotion(f"A speed of {speed} makes no motion. Choose one between 0.01 and 100.")


def driven_bones(transfer: Transfer) -> list[int]:
    """The target's bones that a motion turns, and those between them and the root."""
    legs = {b for leg in transfer.target.legs for b in (*leg.chain, leg.foot, leg.toe) if b >= 0}
    own = legs | {int(b) for b in transfer.bones_to}
    return sorted(own | {a for b in own for a in ancestors(transfer.target.rig.parents, b)})


def _carriers(armature: bpy.types.Object, hips: int, under: Beneath | None) -> list[str]:
    """The bones by which a person puts a character to its place, the top one first: all above the hips, or the root
    control."""
    if under is not None:
        return [ROOT] if ROOT in armature.pose.bones else []
    return _above(armature, hips) if hips >= 0 else []


def _above(armature: bpy.types.Object, bone: int) -> list[str]:
    return [b.name for b in reversed(armature.data.bones[bone].parent_recursive)]


def _checked(transfer: Transfer, driven: list[int]) -> list[int]:
    """Those of the driven bones that must be where the clip has them: a root above the hips may stay behind."""
    hips = transfer.target.roles.get("hips", -1)
    above = ancestors(transfer.target.rig.parents, hips) if hips >= 0 else []
    return [bone for bone in driven if bone not in above]


def move(context, armature: bpy.types.Object, motion, options: MoveOptions = MoveOptions()) -> Moved:
    """`move_steps` run to their end."""
    return run(move_steps(context, armature, motion, options))


def armature_of(o) -> bpy.types.Object | None:
    """The armature an object is, or follows."""
    if o is None or o.type == "ARMATURE":
        return o
    follows = [m.object for m in o.modifiers if m.type == "ARMATURE" and m.object is not None and m.show_viewport]
    if follows:
        return follows[0]
    return o.parent if o.parent is not None and o.parent.type == "ARMATURE" else None


def show_range(scene, action: bpy.types.Action) -> None:
    """Let playback run over the action, the scene's own range untouched."""
    first, last = round(action.frame_start), round(action.frame_end)
    scene.use_preview_range = True
    scene.frame_preview_start, scene.frame_preview_end = first, max(first, last - 1 if action.use_cyclic else last)
    scene.frame_set(first)
