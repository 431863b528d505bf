"""Shape keys of a mesh whose modifiers are applied, as these leave them."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.errors import BadMesh
from ..bridge.mesh import own_points
from ..bridge.weights import read_groups
from ..current import evaluated_scene

# Modifiers that join, cut or smooth what is there, so that a vertex goes as those do of which it was made.
JOINING = {"DECIMATE", "TRIANGULATE", "SUBSURF", "MULTIRES", "EDGE_SPLIT", "SMOOTH", "WEIGHTED_NORMAL",
           "NORMAL_EDIT", "UV_PROJECT", "UV_WARP"}


def evaluated(context, guide) -> bpy.types.Mesh:
    """A new mesh of what an object's modifiers make of its own."""
    context.view_layer.update()
    depsgraph = evaluated_scene(context)
    return bpy.data.meshes.new_from_object(guide.evaluated_get(depsgraph), preserve_all_data_layers=True,
                                           depsgraph=depsgraph)


def copy_keys(context, guide, piece, values: list[float], name: str) -> None:
    """Give an object, whose mesh is what a guide's modifiers make, the guide's shape keys as the modifiers leave them.

    values : of the keys on the object; the guide's are all at 0;  name : what the artist calls the guide
    Where a key lets the modifiers make other faces, as Decimate does, its moves are carried over by what the vertices
    were made of.  Raises BadMesh if that cannot be told.
    """
    blocks = guide.data.shape_keys.key_blocks
    reference, made_of = guide.data.shape_keys.reference_key, None
    points, corners = own_points(piece).astype(float), _corners(piece.data)
    piece.shape_key_add(name=reference.name, from_mix=False)
    for number, (block, value) in enumerate(zip(blocks, values, strict=True)):
        if block == reference:
            continue
        block.value = 1.0
        shaped = evaluated(context, guide)
        block.value = 0.0
        if np.array_equal(_corners(shaped), corners) and len(shaped.vertices) == len(points):
            places = _vectors(shaped.vertices, "co")
        else:
            made_of = _carried(context, guide, corners, name) if made_of is None else made_of
            places = points + made_of[number]
        bpy.data.meshes.remove(shaped)
        own = piece.shape_key_add(name=block.name, from_mix=False)
        own.data.foreach_set("co", np.ascontiguousarray(places, np.float32).ravel())
        own.slider_min, own.slider_max, own.value = block.slider_min, block.slider_max, value


def _carried(context, guide, corners: np.ndarray, name: str) -> list[np.ndarray]:
    """(V, 3) for each shape key, its moves on the vertices that the modifiers make."""
    moves = _moves(guide)
    attributes = guide.data.attributes
    passing = [attributes.new(f"geppetto key {number}", "FLOAT_VECTOR", "POINT").name for number in range(len(moves))]
    for one, move in zip(passing, moves, strict=True):
        attributes[one].data.foreach_set("vector", np.ascontiguousarray(move, np.float32).ravel())
    mesh = evaluated(context, guide)
    try:
        built = [mesh.attributes.get(one) for one in passing]
        if (not all(m.type in JOINING for m in guide.modifiers if m.show_viewport)
                or not all(one is not None and one.domain == "POINT" for one in built)
                or not np.array_equal(_corners(mesh), corners)):
            raise BadMesh(f"Shape keys of '{name}' change which vertices its modifiers make. Apply the "
                          "modifiers, or take those away that do this.")
        return [_vectors(one.data, "vector") for one in built]
    finally:
        bpy.data.meshes.remove(mesh)
        for one in passing:
            attributes.remove(attributes[one])


def _moves(guide) -> list[np.ndarray]:
    """(V, 3) how each shape key at 1 moves the object's own vertices."""
    blocks = guide.data.shape_keys.key_blocks
    shapes = {block.name: _vectors(block.data, "co") for block in blocks}
    moves = [shapes[block.name] - shapes[block.relative_key.name] for block in blocks]
    groups, weights = read_groups(guide)
    return [move * weights[:, [groups.index(block.vertex_group)]].toarray() if block.vertex_group in groups else move
            for block, move in zip(blocks, moves, strict=True)]


def _corners(mesh) -> np.ndarray:
    """(L,) the vertices of a mesh's faces in a row."""
    out = np.empty(len(mesh.loops), np.int32)
    mesh.loops.foreach_get("vertex_index", out)
    return out


def _vectors(many, key: str) -> np.ndarray:
    """(N, 3) of a collection."""
    out = np.empty(3 * len(many), np.float32)
    many.foreach_get(key, out)
    return out.reshape(-1, 3).astype(float)
