"""A short film of a motion, written by Blender's own FFmpeg."""

from __future__ import annotations

import os
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import bpy
import numpy as np

from ...core.picture.camera import fit_views, view_axes
from ...core.picture.png import encode_png
from ...core.picture.scene import render_character
from ..characters.rigging import Rigged
from .moving import Moved
from .preview import AZIMUTH, ELEVATION, HEIGHT, surfaces_at

RATE = 24  # pictures a second
SHORTEST, LONGEST = 2.0, 4.0  # seconds: a loop is repeated to the first; more than the second is not drawn


def can_film() -> bool:
    """Whether this Blender was built with FFmpeg."""
    return bool(bpy.app.build_options.codec_ffmpeg)


def motion_film(context, rigged: Rigged, moved: Moved) -> bytes:
    """An .mp4 of the motion in its own speed, from the character's right and a little ahead.

    Raises RuntimeError where Blender cannot write it; see `can_film`.
    """
    first, last = moved.action.frame_start, moved.action.frame_end
    render = context.scene.render
    seconds = min((last - first) * render.fps_base / render.fps, LONGEST)
    count = max(2, round(seconds * RATE))
    step = render.fps / render.fps_base / RATE
    if moved.clip.loop and seconds < LONGEST:  # whole rounds, however long one is
        step = (last - first) / count
    surfaces = surfaces_at(context, rigged, first + step * np.arange(count))
    axes = view_axes(AZIMUTH, ELEVATION, rigged.shape.frame.rotation)
    view, = fit_views([np.concatenate([s.seen_points for s in surfaces])], [axes], height=HEIGHT, most_width=2 * HEIGHT)
    pictures = [_even(render_character(surface, None, view)) for surface in surfaces]
    rounds = max(1, int(np.ceil(SHORTEST / seconds))) if moved.clip.loop and seconds < LONGEST else 1
    return encode_mp4(pictures * rounds)


def encode_mp4(pictures: list[np.ndarray]) -> bytes:
    """Pictures (H, W, 3) uint8 of one even size, RATE a second, as an H.264 film, by the sequencer of a scene made for
    it."""
    height, width = pictures[0].shape[:2]
    scene = bpy.data.scenes.new("film")
    try:
        with tempfile.TemporaryDirectory(prefix="geppetto-") as folder:
            names = [f"{i:05d}.png" for i in range(len(pictures))]
            for name, picture in zip(names, pictures, strict=True):
                (Path(folder) / name).write_bytes(encode_png(picture))
            _lay_out(scene, folder, names)
            _set_up(scene.render, width, height, str(Path(folder) / "film"))
            scene.view_settings.view_transform = "Standard"
            scene.frame_start, scene.frame_end = 1, len(names)
            with _silence():
                bpy.ops.render.render(animation=True, scene=scene.name)
            return next(Path(folder).glob("film*.mp4")).read_bytes()
    finally:
        bpy.data.scenes.remove(scene)


def _lay_out(scene, folder: str, names: list[str]) -> None:
    editor = scene.sequence_editor_create()
    strips = editor.strips if hasattr(editor, "strips") else editor.sequences  # before Blender 4.4
    strip = strips.new_image("film", str(Path(folder) / names[0]), 1, 1)
    for name in names[1:]:
        strip.elements.append(name)
    strip.frame_final_duration = len(names)


def _set_up(render, width: int, height: int, path: str) -> None:
    render.resolution_x, render.resolution_y, render.resolution_percentage = width, height, 100
    render.fps, render.fps_base = RATE, 1.0
    render.use_sequencer, render.use_compositing, render.use_file_extension = True, False, True
    if hasattr(render.image_settings, "media_type"):  # from Blender 5.0
        render.image_settings.media_type = "VIDEO"
    render.image_settings.file_format = "FFMPEG"
    render.ffmpeg.format, render.ffmpeg.codec, render.ffmpeg.constant_rate_factor = "MPEG4", "H264", "HIGH"
    render.ffmpeg.audio_codec = "NONE"
    render.filepath = path


@contextmanager
def _silence():
    """Blender tells of every picture on the standard output, past Python's own."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def _even(picture: np.ndarray) -> np.ndarray:
    """The picture with even sides: H.264 halves its colours."""
    height, width = picture.shape[:2]
    return np.pad(picture, ((0, height % 2), (0, width % 2), (0, 0)), mode="edge")
