"""What a material looks like in the picture."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Euler, Matrix

from geppetto.addon.bridge import surface as bridge
from geppetto.addon.bridge.surface import Palette, read_surface
from geppetto.core.picture.surface import CLAY

from .scenes import add_cube, world_points


def material(o, name="paint"):
    made = bpy.data.materials.new(name)
    if made.node_tree is None:  # up to 4.5
        made.use_nodes = True
    o.data.materials.append(made)
    return made, made.node_tree.nodes["Principled BSDF"].inputs["Base Color"]


def colors_of(context, o):
    return read_surface(context, [o], Palette()).colors.reshape(-1, 3)


def test_without_material_it_is_clay_and_with_one_its_base_colour(context):
    cube = add_cube()
    np.testing.assert_allclose(colors_of(context, cube), [CLAY] * 36, rtol=1e-6)
    _, base = material(cube)
    base.default_value = (0.1, 0.2, 0.3, 1)
    np.testing.assert_allclose(colors_of(context, cube), [[0.1, 0.2, 0.3]] * 36, rtol=1e-6)


def test_each_face_has_its_own_slot(context):
    cube = add_cube()
    for shade in (0.2, 0.8):
        _, base = material(cube, f"shade {shade}")
        base.default_value = (shade, shade, shade, 1)
    cube.data.polygons[2].material_index = 1
    cube.data.polygons[4].material_index = 9  # there is none: the last counts
    np.testing.assert_allclose(np.sort(colors_of(context, cube)[::3, 0]), [0.2] * 8 + [0.8] * 4, rtol=1e-6)


def test_colours_of_vertices_show_where_the_material_asks_for_them(context):
    cube = add_cube()
    made, base = material(cube)
    wanted = np.linspace(0, 1, 32).reshape(8, 4).astype(np.float32)
    cube.data.color_attributes.new("Color", "FLOAT_COLOR", "POINT").data.foreach_set("color", wanted.ravel())
    node = made.node_tree.nodes.new("ShaderNodeVertexColor")
    made.node_tree.links.new(node.outputs["Color"], base)
    surface = read_surface(context, [cube], Palette())
    np.testing.assert_allclose(surface.colors, wanted[:, :3][surface.faces], atol=1e-6)


def test_an_image_is_followed_through_the_nodes_behind_the_base_colour(context):
    cube = add_cube()
    made, base = material(cube)
    uv = np.stack([np.arange(8), 8 - np.arange(8)], 1) / 8  # of each vertex
    corners = [loop.vertex_index for loop in cube.data.loops]
    cube.data.uv_layers.new(name="UVMap").data.foreach_set("uv", uv[corners].ravel())
    image = bpy.data.images.new("skin", 2, 2, float_buffer=True)
    image.colorspace_settings.name = "Non-Color"
    image.pixels = np.repeat([[0.25, 0.5, 0.75, 1.0]], 4, 0).ravel().tolist()
    texture, curve = made.node_tree.nodes.new("ShaderNodeTexImage"), made.node_tree.nodes.new("ShaderNodeGamma")
    texture.image = image
    made.node_tree.links.new(texture.outputs["Color"], curve.inputs["Color"])
    made.node_tree.links.new(curve.outputs["Color"], base)
    surface = read_surface(context, [cube], Palette())
    assert (surface.texture_of_face == 0).all()
    np.testing.assert_allclose(surface.uvs, uv[surface.faces], atol=1e-6)
    np.testing.assert_allclose(surface.textures[0], np.broadcast_to([0.25, 0.5, 0.75], (2, 2, 3)), atol=1e-6)
    while cube.data.uv_layers:
        cube.data.uv_layers.remove(cube.data.uv_layers[0])
    cube.data.update()
    surface = read_surface(context, [cube], Palette())
    assert (surface.texture_of_face == -1).all() and not surface.textures, "nothing says where it lies"


def test_a_mesh_with_uvs_and_no_image_has_its_colour(context):
    cube = add_cube()
    _, base = material(cube)
    base.default_value = (0.1, 0.2, 0.3, 1)
    cube.data.uv_layers.new(name="UVMap")
    np.testing.assert_allclose(colors_of(context, cube), [[0.1, 0.2, 0.3]] * 36, rtol=1e-6)


@pytest.mark.parametrize(("between", "is_found"), [(0, True), (7, True), (8, False)])
def test_an_image_behind_many_nodes_is_none_of_the_colour(context, between, is_found):
    cube = add_cube()
    made, base = material(cube)
    cube.data.uv_layers.new(name="UVMap")
    nodes = [made.node_tree.nodes.new("ShaderNodeGamma") for _ in range(between)]
    texture = made.node_tree.nodes.new("ShaderNodeTexImage")
    texture.image = bpy.data.images.new("skin", 2, 2, float_buffer=True)
    sockets = [base, *(node.inputs["Color"] for node in nodes)]
    for node, socket in zip([*nodes, texture], sockets, strict=True):
        made.node_tree.links.new(node.outputs["Color"], socket)
    assert bool(read_surface(context, [cube], Palette()).textures) == is_found


def test_an_image_whose_file_is_gone_leaves_clay(context):
    cube = add_cube()
    made, base = material(cube)
    cube.data.uv_layers.new(name="UVMap")
    texture = made.node_tree.nodes.new("ShaderNodeTexImage")
    texture.image = bpy.data.images.new("gone", 4, 4)
    texture.image.source, texture.image.filepath = "FILE", "//there is no such.png"
    made.node_tree.links.new(texture.outputs["Color"], base)
    surface = read_surface(context, [cube], Palette())
    assert (surface.texture_of_face == -1).all()
    np.testing.assert_allclose(surface.colors.reshape(-1, 3), [CLAY] * 36, rtol=1e-6)


@pytest.mark.parametrize(("most", "kept"), [(5, [0, 1, 2, 3, 4]), (4, [0, 2, 4]), (3, [0, 2, 4]), (2, [0, 3])])
def test_large_images_are_thinned_and_their_colours_are_linear(context, monkeypatch, most, kept):
    monkeypatch.setattr(bridge, "MOST_TEXELS", most)
    cube = add_cube()
    cube.data.uv_layers.new(name="UVMap")
    made, base = material(cube)
    image = bpy.data.images.new("skin", 5, 1, float_buffer=False)
    shades = np.array([0.0, 51, 102, 153, 5]) / 255
    image.pixels = np.repeat(shades, 4).tolist()
    texture = made.node_tree.nodes.new("ShaderNodeTexImage")
    texture.image = image
    made.node_tree.links.new(texture.outputs["Color"], base)
    linear = np.array([0, 0.0331, 0.1329, 0.3185, 0.001518])[kept]
    found, = read_surface(context, [cube], Palette()).textures
    np.testing.assert_allclose(found, np.broadcast_to(linear[:, None], (1, len(kept), 3)), rtol=2e-3, atol=1e-6)


def test_colours_of_corners_show_and_a_shader_that_is_not_principled_counts(context):
    cube = add_cube()
    made, _ = material(cube)
    nodes = made.node_tree.nodes
    nodes.remove(nodes["Principled BSDF"])
    np.testing.assert_allclose(colors_of(context, cube), [made.diffuse_color[:3]] * 36, rtol=1e-6)
    shader = nodes.new("ShaderNodeEmission")
    shader.inputs["Color"].default_value = (0.3, 0.2, 0.1, 1)
    np.testing.assert_allclose(colors_of(context, cube), [[0.3, 0.2, 0.1]] * 36, rtol=1e-6)
    made.node_tree.links.new(nodes.new("ShaderNodeVertexColor").outputs["Color"], shader.inputs["Color"])
    wanted = np.linspace(0, 1, 4 * len(cube.data.loops)).astype(np.float32)
    cube.data.color_attributes.new("Color", "FLOAT_COLOR", "CORNER").data.foreach_set("color", wanted)
    seen = read_surface(context, [cube], Palette()).colors
    cube.data.calc_loop_triangles()
    loops = [list(triangle.loops) for triangle in cube.data.loop_triangles]
    np.testing.assert_allclose(seen, wanted.reshape(-1, 4)[loops][..., :3], atol=1e-6)


@pytest.mark.parametrize("scale", [(1, 1, 1), (2, 0.5, 3), (-1, 1, 2)])
def test_normals_point_outwards_in_the_world(context, scale):
    cube = add_cube()
    cube.matrix_world = Matrix.LocRotScale((1, 2, 3), Euler((0.4, 0.5, 0.6)), scale)
    context.view_layer.update()
    surface = read_surface(context, [cube], Palette())
    np.testing.assert_allclose(surface.vertices, world_points(cube), atol=1e-5)
    a, b, c = surface.vertices[surface.faces].transpose(1, 0, 2)
    across = np.cross(b - a, c - a)
    outward = across * np.sign(np.einsum("fi,fi->f", across, (a + b + c) / 3 - [1, 2, 3]))[:, None]
    outward /= np.linalg.norm(outward, axis=1, keepdims=True)
    np.testing.assert_allclose(surface.normals, np.repeat(outward[:, None], 3, 1), atol=1e-4)
