"""A motion at a look: moments of it side by side."""

from __future__ import annotations

import numpy as np

from ...core.picture.camera import fit_views, view_axes
from ...core.picture.scene import render_character
from ...core.picture.sheet import join_panels
from ...core.picture.surface import Surface
from ..bridge.surface import Palette, read_surface
from ..characters.rigging import Rigged
from .moving import Moved

AZIMUTH, ELEVATION = np.deg2rad(-65.0), np.deg2rad(8.0)
MOMENTS, HEIGHT, WIDEST = 8, 360, 2400  # of a strip; pixels


def motion_strip(context, rigged: Rigged, moved: Moved) -> np.ndarray:
    """(H, W, 3) uint8: evenly spaced moments of a motion, from the character's right and a little ahead."""
    first, last = moved.action.frame_start, moved.action.frame_end
    times = first + (last - first) * np.arange(MOMENTS) / (MOMENTS if moved.clip.loop else MOMENTS - 1)
    surfaces = surfaces_at(context, rigged, times)
    axes = [view_axes(AZIMUTH, ELEVATION, rigged.shape.frame.rotation)] * MOMENTS
    views = fit_views([s.seen_points for s in surfaces], axes, height=HEIGHT, most_width=WIDEST)
    return join_panels([render_character(s, None, view) for s, view in zip(surfaces, views, strict=True)])


def surfaces_at(context, rigged: Rigged, times) -> list[Surface]:
    """What a character shows at some times, in frames of the scene."""
    scene = context.scene
    objects = [part.object for part in rigged.character.parts]
    before = scene.frame_current, scene.frame_subframe
    palette = Palette()
    surfaces = []
    try:
        for time in times:
            scene.frame_set(int(time), subframe=float(time) % 1.0)
            surfaces.append(read_surface(context, objects, palette))
    finally:
        scene.frame_set(before[0], subframe=before[1])
    return surfaces
