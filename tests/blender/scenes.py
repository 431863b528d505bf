"""What the Blender tests build and compare: objects from arrays, and everything about an object that must survive."""

from __future__ import annotations

import bpy
import numpy as np


def add_mesh(name: str, vertices, faces, *, collection=None):
    """A mesh object from arrays; faces may have any number of corners."""
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(np.asarray(vertices, float).tolist(), [], [list(map(int, f)) for f in faces])
    o = bpy.data.objects.new(name, mesh)
    (collection or bpy.context.scene.collection).objects.link(o)
    return o


def bind_to_old(body, bone: str, vertices):
    """An armature called Old with one bone, upright, that moves some vertices of a body."""
    old = bpy.data.objects.new("Old", bpy.data.armatures.new("Old"))
    bpy.context.scene.collection.objects.link(old)
    bpy.context.view_layer.objects.active = old
    bpy.ops.object.mode_set(mode="EDIT")
    old.data.edit_bones.new(bone).tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    body.modifiers.new("Old", "ARMATURE").object = old
    body.vertex_groups.new(name=bone).add(list(vertices), 1.0, "REPLACE")
    return old


def add_character(character) -> list:
    """One smooth object for each mesh of a generated character, painted: plain, or by vertex where colours vary."""
    made = []
    for mesh, colors in zip(character.meshes, character.colors, strict=True):
        o = add_mesh(mesh.name, mesh.vertices, mesh.faces)
        o.data.shade_smooth()
        material = bpy.data.materials.new(mesh.name)
        if material.node_tree is None:  # up to 4.5
            material.use_nodes = True
        shader = material.node_tree.nodes["Principled BSDF"].inputs
        linear = np.where(colors < 0.04045, colors / 12.92, ((colors + 0.055) / 1.055) ** 2.4)
        shader["Base Color"].default_value = (*linear.mean(0), 1.0)
        shader["Roughness"].default_value = 0.7
        if np.ptp(linear, axis=0).max() > 0:
            attribute = o.data.color_attributes.new("Color", "FLOAT_COLOR", "POINT")
            attribute.data.foreach_set("color", np.c_[linear, np.ones(len(linear))].astype(np.float32).ravel())
            node = material.node_tree.nodes.new("ShaderNodeVertexColor")
            node.layer_name = "Color"
            material.node_tree.links.new(node.outputs["Color"], shader["Base Color"])
        o.data.materials.append(material)
        made.append(o)
    return made


def add_cube(name: str = "Cube", size: float = 1.0):
    """A cube of quads around the origin."""
    corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size / 2
    return add_mesh(name, corners, [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)])


def array_of(collection, key: str, width: int = 1, dtype=np.float32) -> np.ndarray:
    values = np.empty(len(collection) * width, dtype)
    collection.foreach_get(key, values)
    return values.reshape(-1, width)


def world_points(o) -> np.ndarray:
    """(V, 3) the object's own vertices in the world."""
    matrix = np.array(o.matrix_world, float)
    return array_of(o.data.vertices, "co", 3) @ matrix[:3, :3].T + matrix[:3, 3]


def deformed_points(o) -> np.ndarray:
    """(V, 3) the object's vertices as Blender shows them now, in the world."""
    bpy.context.view_layer.update()
    evaluated = o.evaluated_get(bpy.context.evaluated_depsgraph_get())
    mesh = evaluated.to_mesh()
    points = array_of(mesh.vertices, "co", 3).copy()
    evaluated.to_mesh_clear()
    matrix = np.array(o.matrix_world, float)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def group_weights(o) -> dict[str, np.ndarray]:
    """{vertex group: (V,) weight}."""
    table = {g.index: np.zeros(len(o.data.vertices)) for g in o.vertex_groups}
    for v in o.data.vertices:
        for g in v.groups:
            table[g.group][v.index] = g.weight
    return {g.name: table[g.index] for g in o.vertex_groups}


def fingerprint(o) -> dict:
    """Everything about an object that rigging must leave alone, in a form that compares bit by bit."""
    mesh = o.data
    return {
        "world": np.array(o.matrix_world).tobytes(),
        "own transform": (tuple(o.location), tuple(o.rotation_euler), tuple(o.scale)),
        "points": array_of(mesh.vertices, "co", 3).tobytes(),
        "edges": array_of(mesh.edges, "vertices", 2, np.int32).tobytes(),
        "corners": array_of(mesh.loops, "vertex_index", 1, np.int32).tobytes(),
        "polygons": array_of(mesh.polygons, "loop_total", 1, np.int32).tobytes(),
        "smooth": array_of(mesh.polygons, "use_smooth", 1, bool).tobytes(),
        "slots": array_of(mesh.polygons, "material_index", 1, np.int32).tobytes(),
        "materials": [m.name if m else None for m in mesh.materials],
        "uv": {layer.name: array_of(layer.data, "uv", 2).tobytes() for layer in mesh.uv_layers},
        "colors": {a.name: array_of(a.data, "color", 4).tobytes() for a in mesh.color_attributes},
        "attributes": sorted(a.name for a in mesh.attributes),
        "active": (mesh.uv_layers.active_index, mesh.color_attributes.active_color_index),
        "keys": {k.name: (k.value, array_of(k.data, "co", 3).tobytes())
                 for k in (mesh.shape_keys.key_blocks if mesh.shape_keys else ())},
        "modifiers": [(m.name, m.type, m.show_viewport) for m in o.modifiers if m.type != "ARMATURE"],
    }
