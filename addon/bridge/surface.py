"""Mesh objects as they look now -> core.picture's Surface: the deformed shape, its normals and its colours."""

from __future__ import annotations

import bpy
import numpy as np

from ...core.picture.surface import CLAY, Surface, join_surfaces
from ..current import evaluated_scene
from .mesh import read_triangles

MOST_TEXELS = 1024  # a picture of a character is not larger


class Palette:
    """Colours of materials, looked up once for each image."""

    def __init__(self):
        self._images: dict = {}

    def paint(self, mesh, corners: np.ndarray, loops: np.ndarray, of_face: np.ndarray) -> dict:
        """The colours, uvs and textures of a mesh's triangles, as Surface takes them.

        corners, loops : (F, 3) vertex and loop numbers;  of_face : (F,) material slot
        """
        colors = np.empty((*corners.shape, 3), np.float32)
        textures: list = []
        texture_of_face = np.full(len(corners), -1)
        materials = list(mesh.materials) or [None]
        for slot in np.unique(of_face):
            faces = of_face == slot
            color, image, wants_attribute = _look(materials[min(slot, len(materials) - 1)])
            colors[faces] = color
            texels = self._texels(image) if image is not None and mesh.uv_layers.active is not None else None
            if texels is not None:
                texture_of_face[faces] = len(textures)
                textures.append(texels)
            elif wants_attribute and mesh.color_attributes.active_color is not None:
                colors[faces] = _attribute(mesh.color_attributes.active_color, corners[faces], loops[faces])
        return {"colors": colors, "textures": tuple(textures), "texture_of_face": texture_of_face,
                "uvs": _uv(mesh)[loops] if textures else None}

    def _texels(self, image) -> np.ndarray | None:
        """(H, W, 3) linear texels, thinned to MOST_TEXELS; None for an image that is missing."""
        if image not in self._images:
            width, height = image.size
            texels = None
            if width and height and image.channels >= 3:
                flat = np.empty(width * height * image.channels, np.float32)
                image.pixels.foreach_get(flat)
                step = -(-max(width, height) // MOST_TEXELS)
                texels = flat.reshape(height, width, -1)[::step, ::step, :3]
                if image.colorspace_settings.name == "sRGB":
                    texels = np.where(texels < 0.04045, texels / 12.92, ((texels + 0.055) / 1.055) ** 2.4)
                texels = np.ascontiguousarray(texels, np.float32)
            self._images[image] = texels
        return self._images[image]


def read_surface(context, objects, palette: Palette) -> Surface:
    """What the objects show in the viewport now, all modifiers and poses applied, in world space."""
    depsgraph = evaluated_scene(context)
    return join_surfaces(_read(o, depsgraph, palette) for o in objects)


def _read(o, depsgraph, palette: Palette) -> Surface:
    evaluated = o.evaluated_get(depsgraph)
    mesh = evaluated.to_mesh()
    points, corners = read_triangles(mesh)
    count = len(corners)
    loops, of_face = np.empty(count * 3, np.int32), np.empty(count, np.int32)
    mesh.loop_triangles.foreach_get("loops", loops)
    mesh.loop_triangles.foreach_get("material_index", of_face)
    loops = loops.reshape(-1, 3)
    normals = np.empty(len(mesh.loops) * 3, np.float32)
    mesh.corner_normals.foreach_get("vector", normals)
    matrix = np.array(o.matrix_world, float)
    turn = np.linalg.pinv(matrix[:3, :3])
    normals = normals.reshape(-1, 3)[loops] @ turn.astype(np.float32)
    normals /= np.maximum(np.linalg.norm(normals, axis=-1, keepdims=True), 1e-20)
    surface = Surface(points @ matrix[:3, :3].T + matrix[:3, 3], corners, normals,
                      **palette.paint(mesh, corners, loops, of_face))
    evaluated.to_mesh_clear()
    return surface


def _look(material) -> tuple[tuple, bpy.types.Image | None, bool]:
    """(linear colour, base colour image or None, whether the mesh's own colours show) of a material."""
    if material is None:
        return CLAY, None, True
    if material.node_tree is None:
        return tuple(material.diffuse_color[:3]), None, False
    shaders = [n for n in material.node_tree.nodes if "Base Color" in n.inputs or "Color" in n.inputs]
    shaders = [n for n in shaders if n.type.startswith(("BSDF", "EMISSION"))]
    if not shaders:
        return tuple(material.diffuse_color[:3]), None, False
    best = next((n for n in shaders if n.type == "BSDF_PRINCIPLED"), shaders[0])
    socket = best.inputs.get("Base Color") or best.inputs["Color"]
    source = _upstream(socket)
    if source is None:
        return tuple(socket.default_value[:3]), None, False
    if source.type == "TEX_IMAGE":
        return CLAY, source.image, False
    return CLAY, None, source.type in {"VERTEX_COLOR", "ATTRIBUTE"}


def _upstream(socket, depth: int = 8):
    """The first image or colour attribute node that feeds a socket."""
    for link in socket.links if depth else ():
        node = link.from_node
        if node.type in {"TEX_IMAGE", "VERTEX_COLOR", "ATTRIBUTE"}:
            return node
        for behind in node.inputs:
            found = _upstream(behind, depth - 1)
            if found is not None:
                return found
    return None


def _uv(mesh) -> np.ndarray:
    uv = np.empty(len(mesh.loops) * 2, np.float32)
    mesh.uv_layers.active.data.foreach_get("uv", uv)
    return np.nan_to_num(uv.reshape(-1, 2))


def _attribute(attribute, corners: np.ndarray, loops: np.ndarray) -> np.ndarray:
    values = np.empty(len(attribute.data) * 4, np.float32)
    attribute.data.foreach_get("color", values)
    return values.reshape(-1, 4)[loops if attribute.domain == "CORNER" else corners][..., :3]
