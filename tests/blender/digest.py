"""Everything in a .blend file as a dictionary that compares bit by bit: what a cancelled operation must leave."""

from __future__ import annotations

from hashlib import blake2b

import bpy
import numpy as np

# What the window shows, and what Blender counts for itself.
APART = {"all_ids", "window_managers", "workspaces", "screens", "brushes", "palettes", "paint_curves"}
BRUSHES = "essentials_brushes"  # libraries of Blender's own, linked when a mode first wants its brushes
COUNTED = {"rna_type", "session_uid", "is_evaluated", "original", "depsgraph", "is_updated", "is_updated_data",
           "execution_time", "preview", "asset_data", "id_type", "bl_rna", "tool_settings", "matrix_world_inverted"}
RAW = {"vertices", "edges", "loops", "polygons", "loop_triangles", "attributes", "color_attributes", "uv_layers",
       "corner_normals", "vertex_normals", "polygon_normals", "loop_triangle_polygons", "vertex_colors",
       "skin_vertices"}


def digest() -> dict[str, object]:
    """{path: value} of all data, with selection and mode.  Compare with `difference`."""
    bpy.context.view_layer.update()
    found: dict[str, object] = {}
    for kind in sorted(p.identifier for p in bpy.data.bl_rna.properties if p.type == "COLLECTION"):
        if kind in APART:
            continue
        for block in getattr(bpy.data, kind):
            if block.name.startswith(BRUSHES):
                continue
            _read(block, f"{kind}[{block.name_full}]", found, set())
            if kind == "meshes":
                found[f"{kind}[{block.name_full}].raw"] = _mesh(block)
    layer = bpy.context.view_layer
    found["selected"] = sorted(o.name for o in layer.objects if o.select_get())
    found["active"] = layer.objects.active and layer.objects.active.name
    found["mode"] = bpy.context.mode
    return found


def difference(before: dict, after: dict) -> list[str]:
    """The paths whose values differ, for an assertion's message."""
    return sorted(p for p in before.keys() | after.keys()
                  if p not in before or p not in after or repr(before[p]) != repr(after[p]))


def _read(block, path: str, found: dict, seen: set) -> None:
    key = (block.as_pointer(), type(block).__name__)
    if key in seen or len(path) > 300:
        return
    seen.add(key)
    for p in block.bl_rna.properties:
        name = p.identifier
        if name in COUNTED or (name in RAW and isinstance(block, bpy.types.Mesh)):
            continue
        value = getattr(block, name)
        if p.type == "POINTER":
            if isinstance(value, bpy.types.ID) and not getattr(value, "is_embedded_data", False):
                found[f"{path}.{name}"] = value.name_full
            elif value is not None:
                _read(value, f"{path}.{name}", found, seen)
        elif p.type == "COLLECTION":
            found[f"{path}.{name}"] = len(value)
            for number, item in enumerate(value):
                if isinstance(item, bpy.types.ID):
                    found[f"{path}.{name}[{number}]"] = item.name_full
                elif item is not None:
                    _read(item, f"{path}.{name}[{number}]", found, seen)
        else:
            plain = getattr(p, "is_array", False) or isinstance(value, set)
            found[f"{path}.{name}"] = _flat(value) if plain else value
    if isinstance(block, (bpy.types.ID, bpy.types.Bone, bpy.types.PoseBone)):
        found[f"{path}.own"] = sorted((k, repr(_plain(v))) for k, v in block.items())


def _plain(value):
    """A custom property without the addresses that its printed form may hold."""
    if isinstance(value, list):
        return [_plain(item) for item in value]
    return value.to_dict() if hasattr(value, "to_dict") else value.to_list() if hasattr(value, "to_list") else value


def _flat(value):
    return sorted(value) if isinstance(value, set) else np.array(value).tobytes()


def _mesh(mesh) -> str:
    """A mesh's arrays; what an attribute holds is read by its type."""
    told = blake2b(digest_size=16)
    for layer in sorted(mesh.attributes, key=lambda a: a.name):
        field, width, kind = {"FLOAT": ("value", 1, np.float32), "INT": ("value", 1, np.int32),
                              "INT8": ("value", 1, np.int32), "BOOLEAN": ("value", 1, bool),
                              "FLOAT_VECTOR": ("vector", 3, np.float32), "FLOAT2": ("vector", 2, np.float32),
                              "FLOAT_COLOR": ("color", 4, np.float32), "BYTE_COLOR": ("color", 4, np.float32),
                              "INT32_2D": ("value", 2, np.int32), "INT16_2D": ("value", 2, np.int32),
                              "QUATERNION": ("value", 4, np.float32)}[layer.data_type]
        values = np.empty(len(layer.data) * width, kind)
        layer.data.foreach_get(field, values)
        told.update(f"{layer.name} {layer.domain} {layer.data_type}".encode() + values.tobytes())
    for vertex in mesh.vertices:
        told.update(repr([(g.group, g.weight) for g in vertex.groups]).encode())
    return f"{told.hexdigest()} {mesh.attributes.active_index} {mesh.uv_layers.active_index}"
