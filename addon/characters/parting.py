"""Characters that share one mesh object, each made an object of its own."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.fitting.forewarning import several_bodies
from ...core.geometry.apart import bodies_across
from ...core.geometry.mesh import weld
from .. import names
from ..bridge.mesh import own_points
from ..current import set_mode
from ..editing import pins
from ..modes import as_it_was
from .bodies import UP, own_mesh


def separate_characters(context, objects, up: str = "auto") -> list[bpy.types.Object]:
    """Give each character that stands apart in some meshes objects of its own; the largest of a mesh stays in its own.

    up : which way they stand, as chosen.  What hangs on an object the new ones have too. Returns these, none if one
    character stands in each mesh; what stands apart in its own mesh alone, as the shoes of a pair do, stays together.
    Objects linked from another file, and overrides of such, stay whole: Blender does not let their meshes be edited.
    """
    objects = [o for o in objects if o.type == "MESH" and len(o.data.polygons)
               and o.library is None and o.override_library is None]
    made: list[bpy.types.Object] = []
    for o, body in zip(objects, bodies_across([own_mesh(o) for o in objects], UP.get(up.lstrip("-"), 2)), strict=True):
        if body.any():
            made += _parted(context, o, body)
    return made


def _parted(context, o, body: np.ndarray) -> list[bpy.types.Object]:
    """The new objects for the vertices of an object that are not of body 0 (V,)."""
    made: list[bpy.types.Object] = []
    if o.data.users > 1 or o.data.library is not None:
        o.data = o.data.copy()
    select_mode = tuple(context.tool_settings.mesh_select_mode)
    with as_it_was(context):
        context.tool_settings.mesh_select_mode = (True, False, False)
        for number in range(int(body.max()), 0, -1):
            before = set(bpy.data.objects)
            _separate(context, o, body == number)
            body = body[body != number]
            made += set(bpy.data.objects) - before
        context.tool_settings.mesh_select_mode = select_mode
    for other in made:
        other.select_set(o.select_get())
    if hasattr(bpy.types.Object, names.PINS):  # else nobody can have said anything
        _deal_pins([o, *made])
    return made[::-1]


def _deal_pins(objects) -> None:
    """Let each object keep the pins within it, of those that all have now; what was said of one body is over."""
    for o in objects:
        points = own_points(o)
        low, high = points.min(0), points.max(0)
        margin = 0.05 * float((high - low).max())
        for joint, place in pins.pins_of(o).items():
            if (place < low - margin).any() or (place > high + margin).any():
                pins.remove_pin(o, joint)
        setattr(o, names.LIMBS, "")
        pins.choose_reading(o, "", 0)


def holds_several(objects) -> bool:
    """Whether a mesh object plainly holds two characters: both as tall as any, of all objects, and side by side."""
    meshes = [(o, own_mesh(o)) for o in objects if o.type == "MESH" and len(o.data.polygons)]
    heights = [mesh.vertices[mesh.faces, 2] for _, mesh in meshes]
    tall = float(max(z.max() for z in heights) - min(z.min() for z in heights)) if heights else 0.0
    # instances of one mesh that only stand elsewhere are looked at once, however many there are
    unlike = {(o.data, np.array(o.matrix_world)[:3, :3].tobytes()): mesh for o, mesh in meshes}
    return any(several_bodies(weld(mesh).mesh, tall) for mesh in unlike.values()
               if np.ptp(mesh.vertices[:, 2]) > 0.5 * tall)


def _separate(context, o, chosen: np.ndarray) -> None:
    """Move (V,) chosen vertices with their faces to a new object."""
    for other in context.view_layer.objects.selected:
        other.select_set(False)
    o.select_set(True)
    context.view_layer.objects.active = o
    set_mode(context, "EDIT")
    bpy.ops.mesh.reveal(select=False)
    bpy.ops.mesh.select_all(action="DESELECT")
    set_mode(context, "OBJECT")
    mesh = o.data
    ends, corner, start = (np.empty(n, np.int32) for n in (2 * len(mesh.edges), len(mesh.loops), len(mesh.polygons)))
    mesh.edges.foreach_get("vertices", ends)
    mesh.loops.foreach_get("vertex_index", corner)
    mesh.polygons.foreach_get("loop_start", start)
    mesh.vertices.foreach_set("select", chosen)
    mesh.edges.foreach_set("select", chosen[ends.reshape(-1, 2)].all(1))
    mesh.polygons.foreach_set("select", chosen[corner[start]])
    set_mode(context, "EDIT")
    bpy.ops.mesh.separate(type="SELECTED")
    set_mode(context, "OBJECT")
