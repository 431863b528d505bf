"""What Blender's scripts for .glb and .gltf take amiss, put right while they read or write."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy


@contextmanager
def fit_for_gltf() -> Iterator[None]:
    """Inside, seconds are right in a scene whose frames a second are no whole number, as 29.97: the scripts multiply by
    the base that Blender divides by (4.2 to 5.2)."""
    render = bpy.context.scene.render
    base = render.fps_base
    render.fps_base = 1.0 / base
    try:
        yield
    finally:
        render.fps_base = base
