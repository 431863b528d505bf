"""Meshes with shape keys and modifiers, made fit for writers that keep only one of the two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import bpy

from ...core.errors import BadMesh
from ..bridge.mesh import at_rest
from .staging import applied_copy, lent_names


@contextmanager
def whole_meshes(kind: str) -> Iterator[list[str]]:
    """Inside, meshes of the scene of which a writer would lose the shape keys or the modifiers are as their modifiers
    leave them, with their shape keys and what moves these.  Gives what is to be warned of.

    kind : "blend", which loses nothing, "glb", "fbx" or "usd". Blender's writers keep shape keys only where they apply
    no modifiers, and that of .usd applies none to what follows an armature.
    """
    told: list[str] = []
    losing = [o for o in bpy.context.scene.objects if _loses(o, kind)]
    if not losing:
        yield told
        return
    before = {kind: set(getattr(bpy.data, kind)) for kind in ("objects", "meshes")}
    try:
        with ExitStack() as undo:
            with at_rest(bpy.context, []):
                made = [(o, _applied(o, told)) for o in losing]
            names = [(mesh, o.data.name) for o, mesh in made]
            for o, mesh in made:
                undo.enter_context(_swapped(o, mesh))
            undo.enter_context(lent_names(names))
            yield told
    finally:
        for kind, own in before.items():
            bpy.data.batch_remove(set(getattr(bpy.data, kind)) - own)


def _loses(o, kind: str) -> bool:
    if kind == "blend" or o.type != "MESH":
        return False
    if not any(m.show_viewport or (kind == "fbx" and m.show_render) for m in _others(o)):
        return False
    return _has_keys(o.data) or (kind == "usd" and any(m.type == "ARMATURE" for m in o.modifiers))


def _has_keys(mesh) -> bool:
    return mesh.shape_keys is not None and len(mesh.shape_keys.key_blocks) > 1


def _others(o) -> list:
    return [m for m in o.modifiers if m.type != "ARMATURE"]


def _applied(o, told: list[str]) -> bpy.types.Mesh:
    """A mesh object's mesh as its modifiers leave it, with its shape keys unless these change what is built."""
    context, has_keys = bpy.context, _has_keys(o.data)
    try:
        piece = applied_copy(context, context.scene, o, o.matrix_world.copy(), has_keys)
    except BadMesh:
        told.append(f"'{o.name}' has shape keys that change how many vertices its modifiers make: only the .blend has "
                    "both, other files have the shape that they make now.")
        has_keys, piece = False, applied_copy(context, context.scene, o, o.matrix_world.copy(), False)
    mesh = piece.data
    bpy.data.objects.remove(piece)
    if has_keys:
        _carry_over(o.data.shape_keys, mesh.shape_keys)
    return mesh


def _carry_over(own: bpy.types.Key, copy: bpy.types.Key) -> None:
    """Let shape keys have the values of others, and what moves them."""
    copy.use_relative, copy.eval_time = own.use_relative, own.eval_time
    for block, of in zip(copy.key_blocks, own.key_blocks, strict=True):
        block.value, block.mute = of.value, of.mute
    moves = own.animation_data
    if moves is None:
        return
    moved = copy.animation_data_create()
    for curve in moves.drivers:
        moved.drivers.from_existing(src_driver=curve)
    moved.action = moves.action
    if getattr(moves, "action_slot", None) is not None:
        moved.action_slot = moves.action_slot


@contextmanager
def _swapped(o, mesh) -> Iterator[None]:
    """Inside, an object has another mesh, and only its armature moves it."""
    own, active = o.data, o.active_shape_key_index
    slots = [(slot.link, slot.material) for slot in o.material_slots]
    shown = [(m, m.show_viewport, m.show_render) for m in _others(o)]
    o.data = mesh
    for modifier, *_ in shown:
        modifier.show_viewport = modifier.show_render = False
    try:
        yield
    finally:
        for modifier, in_viewport, in_render in shown:
            modifier.show_viewport, modifier.show_render = in_viewport, in_render
        o.data, o.active_shape_key_index = own, active
        for slot, (link, material) in zip(o.material_slots, slots, strict=True):
            if (slot.link, slot.material) != (link, material):  # a linked mesh's own cannot be set
                slot.link, slot.material = link, material
