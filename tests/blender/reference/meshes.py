"""Meshes of every kind read, followed and drawn, through the bridge's doors.

Cases are as in `tests.keeping.results`.
"""

from __future__ import annotations

from functools import cache

import bpy
import numpy as np
from mathutils import Euler, Matrix
from scipy import sparse

from geppetto.addon.bridge import mesh, surface, weights, whole_change
from geppetto.addon.bridge.action import read_skeleton
from geppetto.addon.bridge.armature import write_armature
from geppetto.addon.current import evaluated_scene
from geppetto.core.skeleton.preset import load_template
from geppetto.core.skeleton.rig import Rig
from geppetto.core.skeleton.template import rig_from_joints
from geppetto.core.skinning.weights import SkinWeights
from tests import characters
from tests.blender.reference.state import everything, listed, said
from tests.blender.scenes import add_cube, add_mesh
from tests.keeping.results import Shaken

TILTED = Matrix.LocRotScale((0.4, -1.2, 0.7), Euler((0.3, -0.5, 1.1)), (0.7, 1.3, 0.9))
MIRRORED = Matrix.LocRotScale((-2, 0.5, 1), Euler((0, 0.4, 0)), (-1, 1.2, 1.2))


@cache
def grown():
    """A small person, with hair and a skirt of its own."""
    return characters.person(np.random.default_rng(3), vertices=900, layers=True, hair="long", skirt="knee")


def on_person(shaken: Shaken, size: float = 1.0) -> Rig:
    """A person's bones on its true joints."""
    template = load_template("biped")
    return rig_from_joints(template, size * shaken(np.array([grown().joints[n] for n in template.names])))


def armature_of(rig: Rig, name: str = "rig", matrix=None, preset: str = "biped"):
    """An armature with a rig's bones."""
    scene = bpy.context.scene.collection
    return write_armature(bpy.context, rig, name, scene, matrix or Matrix.Identity(4), preset)


def objects_of(shaken: Shaken) -> list:
    """The person's meshes as objects."""
    return [add_mesh(one.name, shaken(one.vertices), one.faces) for one in grown().meshes]


def ball(name: str, shaken: Shaken, at=(0, 0, 0), size: float = 0.5):
    """A round mesh without two alike distances."""
    steps, turns = np.meshgrid(np.linspace(0.2, 2.9, 7), np.linspace(0, 2 * np.pi, 9)[:-1], indexing="ij")
    points = np.stack([np.sin(steps) * np.cos(turns), 0.9 * np.sin(steps) * np.sin(turns), 1.1 * np.cos(steps)], 2)
    faces = [(8 * i + j, 8 * i + (j + 1) % 8, 8 * i + 8 + (j + 1) % 8, 8 * i + 8 + j)
             for i in range(6) for j in range(8)]
    caps = [tuple(range(8))[::-1], tuple(range(48, 56))]
    return add_mesh(name, shaken(size * points.reshape(-1, 3) + at), [*faces, *caps])


def modified(name: str, kind: str, shaken: Shaken, at=(0, 0, 0), **settings):
    """A ball with a modifier."""
    o = ball(name, shaken, at)
    m = o.modifiers.new(kind.title(), kind)
    for key, value in settings.items():
        setattr(m, key, value)
    return o


def nearby(points: np.ndarray, rig: Rig) -> SkinWeights:
    """Weights that fall off with the distance to bones, three for each point; no two bones are equally far."""
    middle = (rig.heads + rig.tails) / 2 + 0.03 * np.sin(np.arange(3 * len(rig.names))).reshape(-1, 3)
    near = 1 / (0.02 + ((points[:, None] - middle)**2).sum(2))
    near *= near >= np.sort(near, 1)[:, [-3]]
    return SkinWeights(sparse.csr_matrix(near / near.sum(1, keepdims=True)), rig.names, "heat")


def of_every_kind(shaken: Shaken) -> list:
    """Objects with modifiers, shape keys, other places and parents, and those that count for nothing."""
    objects = [modified("fine", "SUBSURF", shaken, (0, 0, 3)), modified("half", "MIRROR", shaken, (0.6, 0, 0)),
               modified("thick", "SOLIDIFY", shaken, (0, 3, 0), thickness=0.1),
               modified("row", "ARRAY", shaken, (0, -3, 0), count=3), modified("welded", "WELD", shaken, (3, 0, 0)),
               modified("thin", "DECIMATE", shaken, (3, 3, 0), ratio=0.5),
               modified("off", "SOLIDIFY", shaken, (-3, 3, 0), show_viewport=False), ball("tilted", shaken),
               ball("mirrored", shaken), ball("keyed", shaken, (0, 0, -3)), ball("twin", shaken),
               ball("hidden", shaken), ball("linked twin", shaken), ball("wire", shaken), ball("empty mesh", shaken)]
    named = {o.name: o for o in objects}
    named["off"].modifiers["Solidify"].show_render = False
    named["tilted"].matrix_world = TILTED
    named["mirrored"].matrix_world = MIRRORED
    named["mirrored"].parent = named["tilted"]
    keyed = named["keyed"]
    keyed.shape_key_add(name="Basis")
    wide = keyed.shape_key_add(name="Wide")
    for k, point in enumerate(wide.data):
        point.co.x *= 1.2 + 0.01 * k
    wide.value = 0.6
    named["linked twin"].data = named["twin"].data
    named["linked twin"].location.x = -4
    named["hidden"].hide_set(True)
    named["wire"].data.clear_geometry()
    named["wire"].data.from_pydata([(0, 0, 0), (1, 0, 0)], [(0, 1)], [])
    named["empty mesh"].data.clear_geometry()
    curve = bpy.data.objects.new("curve", bpy.data.curves.new("curve", "CURVE"))
    instance = bpy.data.objects.new("instance", None)
    instance.instance_type, instance.instance_collection = "COLLECTION", bpy.data.collections.new("things")
    for o in (curve, instance):
        bpy.context.scene.collection.objects.link(o)
    bpy.context.view_layer.update()
    return [*objects, curve, instance]


def meshes_read(shaken: Shaken) -> None:
    """What of a scene is the character, what its vertices are, and what is said of the rest."""
    objects = of_every_kind(shaken)
    character = mesh.read_character(bpy.context, objects)
    character.warnings, mesh.look_up_again(character), said(mesh.read_character, bpy.context, objects, "Named")
    for few in ([], objects[11:12], objects[13:15], objects[15:], [objects[7], objects[8]], objects[10:13:2]):
        said(mesh.read_character, bpy.context, few)
    cube = add_cube("bare")
    screwed = add_mesh("screwed", shaken(np.array([[0.2, 0, 0], [0.3, 0, 1], [0.1, 0, 2]])), [])
    screwed.modifiers.new("Screw", "SCREW").steps = 8
    for k, kind in enumerate(("NODES", "REMESH", "BOOLEAN", "SKIN")):
        add_mesh(f"grows {kind}", shaken(np.eye(3) + k), []).modifiers.new(kind, kind)
    gone = add_cube("gone")
    mask = gone.modifiers.new("Mask", "MASK")
    mask.vertex_group = gone.vertex_groups.new(name="none").name
    bpy.context.view_layer.update()
    said(mesh.read_character, bpy.context, [o for o in bpy.data.objects if o.name not in ("hidden", "wire")])
    said(mesh.read_character, bpy.context, [gone])
    read = mesh.read_character(bpy.context, [cube])
    for spoil in (lambda: cube.data.vertices[0].co.__setitem__(0, 7.0), lambda: cube.location.__setitem__(1, 2.0),
                  lambda: setattr(cube, "name", "called otherwise"),
                  lambda: cube.data.vertices[2].co.__setitem__(0, float("nan"))):
        spoil()
        said(mesh.look_up_again, read)
        said(mesh.read_character, bpy.context, [cube])
    posed_and_at_rest(shaken)
    for o in bpy.data.objects:
        if o.type == "MESH":
            mesh.own_points(o)
    everything()


def posed_and_at_rest(shaken: Shaken) -> None:
    """A body that an armature has bent is read as it rests, and stays bent; modifiers are as they were."""
    armature = armature_of(on_person(shaken))
    body, *_ = objects_of(shaken)
    body.modifiers.new("fine", "SUBSURF").show_viewport = False
    follow(body, armature)
    armature.pose.bones["thigh.L"].rotation_mode = "XYZ"
    armature.pose.bones["thigh.L"].rotation_euler.x = 0.8
    resting = armature_of(on_person(shaken), "resting")
    resting.data.pose_position = "REST"
    bpy.context.view_layer.update()
    mesh.read_character(bpy.context, [body])
    with mesh.at_rest(bpy.context, [body]):
        depsgraph = evaluated_scene(bpy.context)
        said(armature_state, [armature, resting], [body], depsgraph)
    armature_state([armature, resting], [body], evaluated_scene(bpy.context))


def armature_state(armatures, objects, depsgraph) -> tuple:
    """Which armatures rest and which modifiers are on."""
    return listed([*(a.data.pose_position for a in armatures), *(m.show_viewport for o in objects for m in o.modifiers),
            *(np.array(a.evaluated_get(depsgraph).pose.bones["shin.L"].head) for a in armatures)])


def follow(o, armature, found: SkinWeights | None = None) -> None:
    """Let an object follow an armature by weights of its own."""
    points = mesh.own_points(o).astype(float) @ np.array(o.matrix_world)[:3, :3].T + np.array(o.matrix_world)[:3, 3]
    found = found or nearby(points, read_skeleton(armature))
    weights.write_groups([(o, found.matrix)], found.bones)
    o.modifiers.new("Armature", "ARMATURE").object = armature


def points_followed(shaken: Shaken) -> None:
    """Points noted, and followed as the whole mesh is moved, scaled, sheared, flattened, sculpted, cut."""
    turn = np.array(TILTED.to_3x3())
    changes = [lambda p: p, lambda p: 2 * p + [1, 2, 3], lambda p: p @ turn.T, lambda p: p * [1, 1, 0],
               lambda p: p + 1e-6 * np.sin(9 * p), lambda p: p + 0.3 * np.sin(9 * p), lambda p: p * [-1, 1, 1],
               lambda p: p * 1e-4, lambda p: p * 1e4]
    for k, change in enumerate(changes):
        for o in (ball(f"changed {k}", shaken), add_mesh(f"flat {k}", shaken(np.eye(4)[:, :3]), [(0, 1, 2, 3)])):
            noted = whole_change.note_points(o)
            points = change(mesh.own_points(o).astype(float))
            o.data.vertices.foreach_set("co", points.astype(np.float32).ravel())
            found = whole_change.change_since(o, noted)
            whole_change.moved_along((0.1, 0.2, 0.3), found)
    o.data.vertices.add(1)
    whole_change.change_since(o, noted), whole_change.change_since(o, ""), whole_change.note_points(o)


def pictures(shaken: Shaken) -> None:
    """What objects look like: materials, pictures, vertex colours, of some faces or all, turned and mirrored."""
    objects = [ball(f"painted {k}", shaken, (1.5 * k, 0, 0)) for k in range(6)]
    objects[1].matrix_world, objects[2].matrix_world = TILTED, MIRRORED
    image = bpy.data.images.new("picture", 6, 4)
    image.pixels.foreach_set(np.linspace(0, 1, 96).astype(np.float32))
    data = bpy.data.images.new("data", 1500, 2)
    data.colorspace_settings.name = "Non-Color"
    data.pixels.foreach_set(np.linspace(0, 1, 12000).astype(np.float32))
    for k, o in enumerate(objects[1:], 1):
        o.data.uv_layers.new(name="UV").uv.foreach_set(
            "vector", np.sin(np.arange(2 * len(o.data.loops))).astype(np.float32))
        domain = "CORNER" if k % 2 else "POINT"
        colours = o.data.color_attributes.new("Color", "FLOAT_COLOR", domain)
        colours.data.foreach_set("color", np.cos(np.arange(4 * len(colours.data))).astype(np.float32)**2)
        o.data.polygons.foreach_set("use_smooth", np.arange(len(o.data.polygons)) % 2 == 0)
        for kind in ("TEX_IMAGE", "VERTEX_COLOR", "plain", "none")[k % 4:] if k < 5 else ("mixed", "glow", "bare"):
            o.data.materials.append(painted(f"{kind} {k}", kind, (image, data)[k % 2]))
        o.data.polygons.foreach_set("material_index", np.arange(len(o.data.polygons)) % 5)
    bpy.context.view_layer.update()
    palette = surface.Palette()
    surface.read_surface(bpy.context, objects, palette)
    for o in objects:
        surface.read_surface(bpy.context, [o], palette)


def painted(name: str, kind: str, image):
    """A material of some kind, None for none."""
    if kind == "none":
        return None
    made = bpy.data.materials.new(name)
    made.diffuse_color = (0.3, 0.5, 0.7, 1.0)
    if kind == "bare":
        return made
    made.use_nodes = True
    nodes, links = made.node_tree.nodes, made.node_tree.links
    base = nodes["Principled BSDF"].inputs["Base Color"]
    base.default_value = (0.6, 0.2, 0.1, 1.0)
    if kind == "glow":
        nodes.remove(nodes["Principled BSDF"])
        nodes.new("ShaderNodeEmission").inputs["Color"].default_value = (0.1, 0.9, 0.2, 1.0)
    elif kind == "mixed":
        mix, source = nodes.new("ShaderNodeMixRGB"), nodes.new("ShaderNodeTexImage")
        source.image = image
        links.new(source.outputs["Color"], mix.inputs[2])
        links.new(mix.outputs["Color"], base)
    elif kind != "plain":
        source = nodes.new({"TEX_IMAGE": "ShaderNodeTexImage", "VERTEX_COLOR": "ShaderNodeVertexColor"}[kind])
        if kind == "TEX_IMAGE":
            source.image = image
        links.new(source.outputs["Color"], base)
    return made


CASES = {case.__name__: case for case in (meshes_read, points_followed, pictures)}
