"""What Blender's writer of .fbx takes amiss, put right while it writes."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryDirectory

import bpy
import numpy as np

ENDINGS = {"JPEG": ".jpg", "TARGA": ".tga", "TIFF": ".tif", "OPEN_EXR": ".exr", "HDR": ".hdr", "WEBP": ".webp",
           "BMP": ".bmp"}  # of pictures' kinds; all others are .png


@contextmanager
def fit_for_fbx() -> Iterator[None]:
    """Inside, pictures have file names of their own, armatures that are switched off move nothing, and shape keys that
    nothing moves are in no motion.

    The writer tells pictures apart by the names of their files alone: of those that came without one, as from a .glb,
    or that share one, it would write the first for all. What is painted and not saved yet it reads from the file of
    before, or not at all. It binds a mesh to every armature of its modifiers. And it writes a curve for every shape key
    into every motion: an engine that plays a walk then holds the face still, whatever moves it in the game.
    """
    with ExitStack() as undo:
        _name_pictures(undo)
        for o in bpy.data.objects:
            for modifier in o.modifiers:
                if (modifier.type == "ARMATURE" and modifier.use_vertex_groups
                        and not (modifier.show_viewport or modifier.show_render)):
                    modifier.use_vertex_groups = False
                    undo.callback(setattr, modifier, "use_vertex_groups", True)
        for keys in bpy.data.shape_keys:  # of absolute ones it writes the same shapes and no curves
            if keys.use_relative and keys.library is None and not _moves(keys):
                keys.use_relative = False
                undo.callback(setattr, keys, "use_relative", True)
        yield


def _moves(keys: bpy.types.Key) -> bool:
    data = keys.animation_data
    return data is not None and bool(data.action or data.drivers or data.nla_tracks)


def _name_pictures(undo: ExitStack) -> None:
    taken: set[str] = set()
    folder = undo.enter_context(TemporaryDirectory(prefix="geppetto-"))
    for image in list(bpy.data.images):
        is_packed = image.packed_file is not None
        is_unsaved = not is_packed and (image.source == "GENERATED" or (image.source == "FILE" and image.is_dirty))
        is_there = is_packed or is_unsaved or os.path.isfile(bpy.path.abspath(image.filepath))
        if image.library is not None or not is_there:
            continue
        own = bpy.path.basename(image.filepath)
        stem, ending = os.path.splitext(own or image.name)
        if not own:
            stem, ending = bpy.path.clean_name(stem), ENDINGS.get(image.file_format, ".png")
        name, number = stem + ending, 1
        while name.lower() in taken:
            number += 1
            name = f"{stem}-{number}{ending}"
        taken.add(name.lower())
        if name == own and not is_unsaved:
            continue
        if not (is_packed or is_unsaved):  # what is packed is written from memory, so that its name is free
            image.pack()
            undo.callback(image.unpack, method="REMOVE")
        undo.callback(setattr, image, "filepath_raw", image.filepath_raw)
        if is_unsaved:
            _write(image, os.path.join(folder, name))
        image.filepath_raw = os.path.join(folder, name) if is_unsaved else f"//{name}"


def _write(image: bpy.types.Image, path: str) -> None:
    """A picture's file, of another with the same pixels: Blender 4.2 takes what it saves for saved."""
    pixels = np.empty((image.size[0] * image.size[1], image.channels), np.float32)
    image.pixels.foreach_get(pixels.ravel())
    colours = np.ones((len(pixels), 4), np.float32)
    colours[:, :3] = pixels[:, :3]
    colours[:, 3:] = pixels[:, 3:4] if image.channels == 4 else 1.0
    copy = bpy.data.images.new(image.name, *image.size, alpha=True, float_buffer=image.is_float)
    try:
        copy.colorspace_settings.name = image.colorspace_settings.name
        copy.pixels.foreach_set(colours.ravel())
        copy.filepath_raw, copy.file_format = path, image.file_format
        copy.save()
    finally:
        bpy.data.images.remove(copy)
