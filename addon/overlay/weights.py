"""The weight check over the viewport: the worst places of the active character coloured, as it is posed now."""

from __future__ import annotations

import bpy
import gpu
import numpy as np
from gpu_extras.batch import batch_for_shader

from .. import names, session
from ..characters.checking import Marks, armature_moving
from ..current import active_in, evaluated_scene
from .heat import LIFT, bad_faces, colors, lifted

ROUNDING = {"SUBSURF", "MULTIRES"}  # leave the cage's corners first and draw its faces in
ROUNDED = 5.0  # times as far their faces are lifted


def draw() -> None:
    """Draw over the character's meshes in the viewport being drawn; called by Blender."""
    context = bpy.context
    if not session.has_weights() or context.region_data is None or not context.space_data.overlay.show_overlays:
        return
    armature = armature_moving(active_in(context))
    checked = session.weights_of(armature.session_uid) if armature is not None else None
    if checked is None or not getattr(context.scene, names.SETTINGS).show_weights:
        return
    for o, marks in checked.objects():
        if o.name in context.view_layer.objects and o.visible_get(view_layer=context.view_layer):
            found = faces_of(o, marks, evaluated_scene(context))
            if found is not None:
                _fill(context.region_data, *found)


def faces_of(o, marks: Marks, depsgraph) -> tuple[np.ndarray, np.ndarray, np.ndarray, float] | None:
    """((N, 3) corners in the world, (T, 3) faces, (N,) badness, how far to lift); None where nothing can be shown.

    The corners are those of the object's own mesh as its modifiers leave them, if they leave them first.
    """
    o.data.calc_loop_triangles()
    triangles = np.empty(3 * len(o.data.loop_triangles), np.int32)
    o.data.loop_triangles.foreach_get("vertices", triangles)
    faces = bad_faces(triangles.reshape(-1, 3), marks.badness)
    shape = o.evaluated_get(depsgraph).data
    if not len(faces) or len(shape.vertices) < marks.count:
        return None
    points = np.empty(3 * len(shape.vertices), np.float32)
    shape.vertices.foreach_get("co", points)
    used, corners = np.unique(faces, return_inverse=True)
    matrix = np.array(o.matrix_world, float)
    world = points.reshape(-1, 3)[used] @ matrix[:3, :3].T + matrix[:3, 3]
    is_rounded = any(m.type in ROUNDING and m.show_viewport for m in o.modifiers)
    lift = LIFT * max(o.dimensions) * (ROUNDED if is_rounded else 1.0)
    return world, corners.reshape(-1, 3).astype(np.int32), marks.badness[used], lift


def _fill(region_data, world: np.ndarray, faces: np.ndarray, badness: np.ndarray, lift: float) -> None:
    points = lifted(world, np.array(region_data.view_matrix, float), region_data.is_perspective, lift)
    shader = gpu.shader.from_builtin("SMOOTH_COLOR")
    batch = batch_for_shader(shader, "TRIS", {"pos": points.astype(np.float32),
                                              "color": colors(badness).astype(np.float32)}, indices=faces)
    gpu.state.blend_set("ALPHA")
    gpu.state.depth_test_set("LESS_EQUAL")
    batch.draw(shader)
    gpu.state.depth_test_set("NONE")
    gpu.state.blend_set("NONE")


CLASSES = ()
DRAWING = ((draw, "POST_VIEW"),)
