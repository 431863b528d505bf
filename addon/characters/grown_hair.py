"""Hair that grows on a skin, as Blender's Curves do: it is no part of the mesh, and goes with the skin at its roots."""

from __future__ import annotations

import bpy
import numpy as np
from scipy.spatial import cKDTree

from ...core.posing.reshape import in_space, moved
from ..bridge.mesh import own_points

ROOT = "geppetto_rest_root"  # attribute of curves: the vertex that each went with, counted from 1
PLACES = ("position", "handle_left", "handle_right")  # the attributes that say where curves run


def hair_on(o) -> list[bpy.types.Object]:
    """The Curves objects of this file that grow on a mesh object."""
    return [hair for hair in bpy.data.objects if hair.type == "CURVES" and hair.data.surface == o
            and hair.library is None and hair.data.library is None]


def read_hair(hair) -> dict[str, np.ndarray]:
    """{attribute: (N, 3)} where the points of hair and their handles are, in its own coordinates."""
    out = {}
    for name in [name for name in PLACES if name in hair.data.attributes]:
        out[name] = np.empty((len(hair.data.points), 3), np.float32)
        hair.data.attributes[name].data.foreach_get("vector", out[name].reshape(-1))
    return out


def write_hair(hair, places: dict[str, np.ndarray]) -> None:
    """Put the points of hair where `read_hair` said, of hair with as many of them."""
    for name, points in places.items():
        hair.data.attributes[name].data.foreach_set("vector", np.ascontiguousarray(points, np.float32).ravel())
    hair.data.update_tag()


def move_hair(o, blended: np.ndarray) -> None:
    """Let hair go with the skin it grows on, before that is moved: each curve as the vertex next to its root, which is
    noted for the way back.

    blended : (V, 3, 4) what is about to be done to the vertices, in the object's coordinates
    """
    for hair in [hair for hair in hair_on(o) if len(hair.data.curves)]:
        if hair.data.users > 1:
            hair.data = hair.data.copy()
        starts = np.empty(len(hair.data.curves) + 1, np.int32)
        hair.data.curve_offset_data.foreach_get("value", starts)
        places, to_skin = read_hair(hair), np.array(o.matrix_world.inverted_safe() @ hair.matrix_world, float)
        vertex = _roots(o, hair, places["position"][starts[:-1]] @ to_skin[:3, :3].T + to_skin[:3, 3])
        own = in_space(blended[np.repeat(vertex, np.diff(starts))], to_skin)
        write_hair(hair, {name: moved(points.astype(float), own) for name, points in places.items()})


def _roots(o, hair, roots: np.ndarray) -> np.ndarray:
    """(C,) the vertex that each curve goes with: the noted one, else the next to its root (C, 3).  Notes them."""
    noted = np.zeros(len(roots), np.int32)
    kept = hair.data.attributes.get(ROOT)
    if kept is None:
        kept = hair.data.attributes.new(ROOT, "INT", "CURVE")
    kept.data.foreach_get("value", noted)
    points = own_points(o)
    vertex = np.where((noted > 0) & (noted <= len(points)), noted - 1, cKDTree(points).query(roots)[1])
    kept.data.foreach_set("value", (vertex + 1).astype(np.int32))
    return vertex


def forget_hair(o) -> None:
    """Take away what is noted on the hair of a mesh object."""
    for hair in hair_on(o):
        if ROOT in hair.data.attributes:
            hair.data.attributes.remove(hair.data.attributes[ROOT])
