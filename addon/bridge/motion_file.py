"""Motions from files: .bvh read by the core, .fbx, .glb and .gltf by Blender's importers, whose work is read
and removed again."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

import bpy

from ...core.errors import BadMotion
from ...core.motion.bvh_file import load_bvh
from ...core.motion.clip import MotionClip
from ...core.skeleton.bone_map import BoneMap
from ..current import chosen_in
from ..formats import MOTIONS, READERS, BadFile
from .action import read_action_steps
from .curves import curves_of
from .files import call_first, reason
from .gltf import fit_for_gltf

IMPORTED = ("objects", "armatures", "meshes", "actions", "materials", "images", "collections", "cameras", "lights")


@dataclass(frozen=True)
class FoundMotion:
    """An action of a file.  name : as the file calls it;  seconds : how long it takes"""

    name: str
    seconds: float


def motions_in(context, path: Path) -> list[FoundMotion]:
    """The actions of the first armature in a file that has any, as the file has them in order.  Raises BadFile,
    BadMotion."""
    _check(path)
    if path.suffix.lower() == ".bvh":
        return [FoundMotion(path.stem, load_bvh(path).seconds)]
    with _imported(context, path) as found:
        rate = context.scene.render.fps / context.scene.render.fps_base
        return [FoundMotion(_title(a), float(a.frame_range[1] - a.frame_range[0]) / rate) for a in found[1]]


def opened_motion(context, path: Path, bone_map: BoneMap | None = None, action: str = "",
                  rest_frame: int | None = None) -> Generator[tuple[str, float], None, MotionClip]:
    """The motion of the first armature in a file that has one, yielding (stage, fraction).

    action : the name of one of its actions; empty takes the one the file shows;  rest_frame : as in `read_motion`
    Raises BadFile, BadMotion.
    """
    _check(path)
    yield "Opening the motion", 0.0
    if path.suffix.lower() == ".bvh":
        return load_bvh(path, bone_map, rest_frame)
    with _imported(context, path) as (armature, actions):
        chosen = _chosen(path, armature, actions, action)
        if chosen is not None:
            _play(armature, chosen)
        return (yield from read_action_steps(context, armature, bone_map, rest_frame=rest_frame))


def _check(path: Path) -> None:
    """Raise BadFile for a file that holds no motion, or is not there."""
    if path.suffix.lower() not in MOTIONS:
        raise BadFile(f"'{path}' is of a kind that holds no motion. Use one of: {' '.join(sorted(MOTIONS))}.")
    if not path.is_file():
        raise BadFile(f"'{path}' does not exist. Check the name.")


def _chosen(path: Path, armature, actions: list, name: str):
    if not name:
        own = armature.animation_data.action if armature.animation_data else None
        return own or (actions[0] if actions else None)
    found = [a for a in actions if name in (a.name, _title(a))] or [
        a for a in actions if _title(a).lower() == name.lower()]
    if not found:
        raise BadMotion(f"'{path}' has no action '{name}'. It has: {', '.join(_title(a) for a in actions)}.")
    return found[0]


def _title(action) -> str:
    """An action's name as its file has it: importers put the armature's before it, or behind it before Blender 4.4."""
    parts = [p for p in action.name.split("|") if p not in {"BaseLayer", "Layer0"}]
    if len(parts) > 1:
        return parts[-1]
    behind = [f"_{o.name}" for o in bpy.data.objects if action.name.endswith(f"_{o.name}")]
    if bpy.app.version >= (4, 4, 0) or not behind:
        return action.name
    return action.name.removesuffix(max(behind, key=len))


def _play(armature, action) -> None:
    """Let an armature do an action, and what carries it do its part of the same take."""
    take = _title(action)
    o, mine = armature, action
    while o is not None:
        if mine is not None:
            data = o.animation_data_create()
            data.use_nla = False
            data.action = mine
            if hasattr(data, "action_suitable_slots") and data.action_slot is None and len(data.action_suitable_slots):
                data.action_slot = data.action_suitable_slots[0]
        o = o.parent
        if o is not None:
            own = o.animation_data.action if o.animation_data else None
            same = [a for a in bpy.data.actions if _title(a) == take and a != action and a.name.startswith(o.name)]
            mine = next(iter(same), own)


@contextmanager
def _imported(context, path: Path) -> Iterator[tuple[bpy.types.Object, list]]:
    """(armature, its actions) of a file that is imported meanwhile, the scene as before afterwards.

    Inside, the scene has the file's frame rate where the file has one.
    """
    before = {kind: set(getattr(bpy.data, kind)) for kind in IMPORTED}
    chosen, active = chosen_in(context), context.view_layer.objects.active
    scene = context.scene
    shown, rate = (scene.frame_start, scene.frame_end, scene.frame_current), (scene.render.fps, scene.render.fps_base)
    try:
        with fit_for_gltf() if path.suffix.lower() in {".glb", ".gltf"} else nullcontext():
            call_first(*READERS[path.suffix.lower()], path.resolve())
        made = [o for o in bpy.data.objects if o not in before["objects"] and o.type == "ARMATURE"]
        new = [a for a in bpy.data.actions if a not in before["actions"]]
        found = [(o, [a for a in new if _moves(a, o)]) for o in made]
        found = [(o, actions) for o, actions in found if actions or _is_moved(o)]
        if not found:
            raise BadMotion(f"'{path}' holds no armature that moves. Export it with its animation.")
        yield max(found, key=lambda one: (len(one[1]) > 0, len(one[0].data.bones)))
    except RuntimeError as error:
        raise BadFile(f"'{path}' cannot be read: {reason(error)} Export it again.") from error
    finally:
        for kind in IMPORTED:
            table = getattr(bpy.data, kind)
            for item in [x for x in table if x not in before[kind]]:
                table.remove(item)
        context.view_layer.update()  # what was deleted is no longer among its objects
        for o in chosen_in(context):
            o.select_set(False)
        for o in chosen:
            o.select_set(True)
        context.view_layer.objects.active = active
        scene.frame_start, scene.frame_end = shown[:2]
        scene.render.fps, scene.render.fps_base = rate
        scene.frame_set(shown[2])


def _is_moved(o) -> bool:
    """Whether an object, or one that carries it, has an action or strips."""
    while o is not None:
        data = o.animation_data
        if data is not None and (data.action is not None or any(len(t.strips) for t in data.nla_tracks)):
            return True
        o = o.parent
    return False


def _moves(action, armature) -> bool:
    """Whether an action has keys for an armature's bones, or is the armature's own."""
    data = armature.animation_data
    if data is not None and (data.action == action or any(s.action == action for t in data.nla_tracks
                                                          for s in t.strips)):
        return True
    bones = {f'pose.bones["{bpy.utils.escape_identifier(b.name)}"]' for b in armature.data.bones}
    return any(curve.data_path.rpartition(".")[0] in bones for curve in curves_of(action))
