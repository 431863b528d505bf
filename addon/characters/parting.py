"""Characters that share one mesh object, each made an object of its own."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.fitting.forewarning import several_bodies
from ...core.geometry.apart import bodies_in
from ...core.geometry.mesh import Mesh, weld
from .. import names
from ..bridge.mesh import own_points, read_triangles
from ..editing import pins
from ..modes import as_it_was
from .bodies import UP


def separate_characters(context, o, up: str = "auto") -> list[bpy.types.Object]:
    """Leave an object's largest character in it and give each other one an object; what hangs on it they have too.

    up : which way they stand, as chosen.  Returns the new objects, none if its mesh holds one character only.
    """
    points, faces = read_triangles(o.data)
    matrix = np.array(o.matrix_world, float)
    mesh = Mesh(points @ matrix[:3, :3].T + matrix[:3, 3], faces, o.name)
    body = bodies_in(mesh, UP.get(up.lstrip("-"), 2)) if len(faces) else np.zeros(len(points), int)
    made: list[bpy.types.Object] = []
    if not body.any():
        return made
    if o.data.users > 1:
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


def holds_several(o) -> bool:
    """Whether an object's mesh plainly holds two characters: both as tall as one, side by side."""
    points, faces = read_triangles(o.data)
    if not len(faces) or not np.isfinite(points[np.unique(faces)]).all():
        return False
    matrix = np.array(o.matrix_world, float)
    return several_bodies(weld(Mesh(points @ matrix[:3, :3].T + matrix[:3, 3], faces, o.name)).mesh)


def _separate(context, o, chosen: np.ndarray) -> None:
    """Move (V,) chosen vertices with their faces to a new object."""
    for other in context.view_layer.objects.selected:
        other.select_set(False)
    o.select_set(True)
    context.view_layer.objects.active = o
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.reveal(select=False)
    bpy.ops.mesh.select_all(action="DESELECT")
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh = o.data
    ends, corner, start = (np.empty(n, np.int32) for n in (2 * len(mesh.edges), len(mesh.loops), len(mesh.polygons)))
    mesh.edges.foreach_get("vertices", ends)
    mesh.loops.foreach_get("vertex_index", corner)
    mesh.polygons.foreach_get("loop_start", start)
    mesh.vertices.foreach_set("select", chosen)
    mesh.edges.foreach_set("select", chosen[ends.reshape(-1, 2)].all(1))
    mesh.polygons.foreach_set("select", chosen[corner[start]])
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.separate(type="SELECTED")
    bpy.ops.object.mode_set(mode="OBJECT")
