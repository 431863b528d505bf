"""Motions from files, through Blender's importers: .bvh, .fbx, .glb, .gltf. What is imported is read and removed
again."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import bpy

from ...core.errors import BadMotion
from ...core.motion.clip import MotionClip
from ...core.skeleton.bone_map import BoneMap
from ..formats import READERS, BadFile
from .action import read_action_steps
from .files import call_first, reason

IMPORTERS = {".bvh": (("import_anim.bvh",), {"axis_forward": "-Z", "axis_up": "Y", "rotate_mode": "QUATERNION"}),
             **{suffix: READERS[suffix] for suffix in (".fbx", ".glb", ".gltf")}}
IMPORTED = ("objects", "armatures", "meshes", "actions", "materials", "images", "collections", "cameras", "lights")


def opened_motion(context, path: Path, bone_map: BoneMap | None = None
                  ) -> Generator[tuple[str, float], None, MotionClip]:
    """The motion of the first armature in a file that has one, yielding (stage, fraction).  Raises BadFile,
    BadMotion."""
    suffix = path.suffix.lower()
    if suffix not in IMPORTERS:
        raise BadFile(f"'{path}' is of a kind that holds no motion. Use one of: {' '.join(sorted(IMPORTERS))} .json.")
    if not path.is_file():
        raise BadFile(f"'{path}' does not exist. Check the name.")
    rate = bvh_rate(path) if suffix == ".bvh" else None
    yield "Opening the motion", 0.0
    before = {kind: set(getattr(bpy.data, kind)) for kind in IMPORTED}
    chosen, active = list(context.selected_objects), context.view_layer.objects.active
    try:
        call_first(*IMPORTERS[suffix], path.resolve())
        made = [o for o in bpy.data.objects if o not in before["objects"] and o.type == "ARMATURE"]
        moving = [o for o in made if o.animation_data and o.animation_data.action]
        if not moving:
            raise BadMotion(f"'{path}' holds no armature that moves. Export it with its animation.")
        clip = yield from read_action_steps(context, moving[0], bone_map, is_up_known=suffix != ".bvh")
        # its frames were read one by one, whatever the scene's
        return clip if rate is None else clip.changed(rate=rate)
    except RuntimeError as error:
        raise BadFile(f"'{path}' cannot be read: {reason(error)} Export it again.") from error
    finally:
        for kind in IMPORTED:
            table = getattr(bpy.data, kind)
            for item in [x for x in table if x not in before[kind]]:
                table.remove(item)
        for o in context.selected_objects:
            o.select_set(False)
        for o in chosen:
            o.select_set(True)
        context.view_layer.objects.active = active


def bvh_rate(path: Path) -> float:
    """Frames a second of a .bvh file.

    Raises BadFile or BadMotion for what Blender's importer reads wrongly without a word: braces left open, no frames,
    frames cut off, no frame time.
    """
    try:
        words = path.read_text(encoding="utf-8-sig", errors="replace").split()
    except OSError as error:
        raise BadFile(f"'{path}' cannot be read: {error.strerror}.") from error
    upper = [w.upper() for w in words]
    if "HIERARCHY" not in upper or "MOTION" not in upper:
        raise BadFile(f"'{path}' is no BVH motion: it has no HIERARCHY or no MOTION. Export it again.")
    motion = upper.index("MOTION")
    if upper[:motion].count("{") != upper[:motion].count("}"):
        raise BadFile(f"'{path}' is broken: its skeleton's braces do not match. Export it again.")
    channels = sum(
        int(words[i + 1]) for i, w in enumerate(upper[:motion]) if w == "CHANNELS" and words[i + 1].isdigit()
    )
    head = words[motion + 1:motion + 6]  # Frames: N Frame Time: t
    if len(head) < 5 or not head[1].isdigit() or int(head[1]) == 0:
        raise BadMotion(f"'{path}' has no frames. Export it with its animation.")
    given = len(words) - motion - 6
    if given < int(head[1]) * channels:
        raise BadFile(f"'{path}' is cut off: {int(head[1])} frames of {channels} channels are announced, "
                      f"{given // max(channels, 1)} are there. Download or export it again.")
    if not _is_number(head[4]) or not 0 < float(head[4]) < 10:
        raise BadMotion(
            f"'{path}' has a frame time of {head[4]} s. Set it to the time between two frames, like 0.0333."
        )
    return 1.0 / float(head[4])


def _is_number(text: str) -> bool:
    return text.replace(".", "", 1).replace("e-", "", 1).replace("E-", "", 1).isdigit()
