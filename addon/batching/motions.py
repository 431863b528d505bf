"""Motions put on characters by a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import bpy

from ...core.errors import RigError
from ...core.motion.authoring.pace import speed_of
from ...core.motion.authoring.style import style_of
from ...core.picture.png import encode_png
from ..bridge.files import Outputs
from ..bridge.motion_file import motions_in
from ..characters.rigging import Rigged
from ..formats import split_motion
from ..motion.movie import can_film, motion_film
from ..motion.moving import Moved, MoveOptions, move
from ..motion.preview import motion_strip
from .clock import MOVING, TooLong, own_time
from .motion_names import ALL, files_in, labels
from .options import RigOptions, ends_of


def motions_of(words: Iterable[str]) -> tuple[list[str], list[str]]:
    """What words for motions stand for: (each motion once, as `move` takes it; warnings of files that hold none)."""
    found: list[str] = []
    warnings: list[str] = []
    for text in [one for word in words for one in
                 ([f"{file}:{ALL}" for file in files_in(Path(word))] if Path(word).is_dir() else [word])]:
        path, action = split_motion(text)
        try:
            found += _all_of(Path(path)) if action == ALL else [text]
        except RigError as error:
            warnings.append(_left_out(text, error))
    return list(dict.fromkeys(found)), warnings


def _left_out(motion: str, error: RigError) -> str:
    return f"The motion '{motion}' was left out: {error}"


def _all_of(file: Path) -> list[str]:
    """All actions of a file."""
    if file.suffix.lower() in {".bvh", ".json"}:
        return [str(file)]
    found = [one.name for one in motions_in(bpy.context, file)]
    return [f"{file}:{name}" for name in found] if len(found) > 1 else [str(file)]


def animate(rigged: Rigged, target: Path, options: RigOptions, outputs: Outputs,
            tell: Callable[[str, float], None]) -> tuple[list[dict], list[str]]:
    """Put the motions on the character, their pictures among the outputs.

    tell : called with (stage, fraction) before each, whose time is its own
    Returns what the report says of them, and warnings.  A motion that the character cannot do, or that takes too long,
    is left out with one.
    """
    scene = bpy.context.scene
    if not bpy.data.actions:  # then nothing is at the scene's rate yet: whole frames make a loop without a seam
        scene.render.fps, scene.render.fps_base = 30, 1.0
    wanted, warnings = motions_of(options.motion)
    rest_frame = None if options.rest_frame < 0 else options.rest_frame
    wanted_options = MoveOptions(travel=options.travel, rest_frame=rest_frame, trim=ends_of(options.trim),
                                 fps=options.fps, reduce=options.reduce, no_drift=not options.drift,
                                 style=style_of(options.style), ground=speed_of(options.speed))
    done: list[dict] = []
    first, rigged_by = None, rigged.armature.name
    for number, (motion, called) in enumerate(zip(wanted, labels(wanted), strict=True)):
        of = f" {number + 1} of {len(wanted)}" if len(wanted) > 1 else ""
        tell(f"{MOVING}{of}: {called}", 0.975)
        try:
            with own_time():
                moved = move(bpy.context, bpy.data.objects[rigged_by], motion, wanted_options)
        except RigError as error:
            warnings.append(_left_out(motion, error))
            continue
        scene.frame_start, scene.frame_end = round(moved.action.frame_start), round(moved.action.frame_end)
        if options.picture:
            tell(f"{MOVING}{of}: drawing {called}", 0.975)
            try:
                with own_time():
                    pictures = _pictures(rigged, moved)
            except TooLong as error:
                warnings.append(f"The pictures of '{motion}' were left out: {error}")
                pictures = {}
            for suffix, picture in pictures.items():
                outputs.data(target.with_name(f"{target.name}-{called}{suffix}"), picture)
        said = "" if len(wanted) == 1 else f"'{moved.action.name}': "
        warnings += [f"{said}{text}" for text in moved.clip.warnings]
        done.append({"name": moved.action.name, "frames": len(moved.clip.root), "rate": moved.clip.rate,
                     "bones": moved.known, "kept": moved.fidelity.numbers()})
        first = first or moved
        if len(wanted) > 1:
            _stash(moved)
    if len(done) > 1:
        _show(first)
    return done, warnings


def _pictures(rigged: Rigged, moved: Moved) -> dict[str, bytes]:
    """{suffix: file} that show a motion."""
    strip = {".png": encode_png(motion_strip(bpy.context, rigged, moved))}
    return strip | ({".mp4": motion_film(bpy.context, rigged, moved)} if can_film() else {})


def _stash(moved: Moved) -> None:
    """Keep an action with the armature on a silent track, where exporters find it."""
    track = moved.armature.animation_data.nla_tracks.new()
    track.name = moved.action.name
    track.strips.new(moved.action.name, round(moved.action.frame_start), moved.action)
    track.mute = True


def _show(moved: Moved) -> None:
    """Make the first motion the one that plays."""
    data = moved.armature.animation_data
    data.action = moved.action
    if hasattr(data, "action_suitable_slots") and data.action_slot is None and len(data.action_suitable_slots):
        data.action_slot = data.action_suitable_slots[0]
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = round(moved.action.frame_start), round(moved.action.frame_end)
