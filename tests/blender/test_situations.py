"""Characters as they lie in artists' files: each is rigged as it stands and left as it was, or the way out is told."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from .digest import difference, digest
from .scenes import add_character, deformed_points, group_weights


def choose(*objects) -> None:
    """Select these alone, the last one active."""
    bpy.context.view_layer.update()
    for o in bpy.context.view_layer.objects:
        o.select_set(o in objects)
    bpy.context.view_layer.objects.active = objects[-1]
    bpy.context.view_layer.update()


def nodes(body, *, moves: bool):
    """A geometry nodes modifier: nothing but a passage, or a step aside."""
    group = bpy.data.node_groups.new("nodes", "GeometryNodeTree")
    for side in "INPUT", "OUTPUT":
        group.interface.new_socket("Geometry", in_out=side, socket_type="NodeSocketGeometry")
    first, last = group.nodes.new("NodeGroupInput"), group.nodes.new("NodeGroupOutput")
    if moves:
        step = group.nodes.new("GeometryNodeSetPosition")
        step.inputs["Offset"].default_value = (0.5, 0.0, 0.0)
        group.links.new(first.outputs[0], step.inputs[0])
        first = step
    group.links.new(first.outputs[0], last.inputs[0])
    body.modifiers.new("Nodes", "NODES").node_group = group


def keys(body, *, mute: bool = False, absolute: bool = False, driven: bool = False) -> None:
    """A shape key that lifts the left arm."""
    body.shape_key_add(name="Basis")
    lift = body.shape_key_add(name="Lift")
    points = np.empty(3 * len(body.data.vertices), np.float32)
    lift.data.foreach_get("co", points)
    points.reshape(-1, 3)[:, 2] += 0.3 * np.maximum(points.reshape(-1, 3)[:, 0] - 0.1, 0)
    lift.data.foreach_set("co", points)
    lift.value, lift.mute = 0.7, mute
    body.data.shape_keys.use_relative = not absolute
    if absolute:
        body.data.shape_keys.eval_time = 5.0
    if driven:
        curve = lift.driver_add("value")
        curve.driver.expression = "0.5"


def parented(body, matrix: Matrix, *, offset: bool = False) -> None:
    """Hung on an empty, with or without what Ctrl-P keeps."""
    empty = bpy.data.objects.new("empty", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.matrix_world = matrix
    bpy.context.view_layer.update()
    body.parent = empty
    if offset:
        body.matrix_parent_inverse = matrix.inverted()


def constrained(body) -> None:
    """Held by an empty."""
    empty = bpy.data.objects.new("empty", None)
    bpy.context.scene.collection.objects.link(empty)
    empty.location, empty.rotation_euler = (1.0, 2.0, 0.5), (0.0, 0.0, 0.4)
    body.constraints.new("COPY_LOCATION").target = empty
    body.constraints.new("COPY_ROTATION").target = empty


def delta(body) -> None:
    """Moved by its delta transforms."""
    body.delta_location, body.delta_rotation_euler = (1.0, 0.0, 0.5), (0.0, 0.0, 0.3)
    body.delta_scale = (1.2, 1.2, 1.2)


def other_armature(body) -> None:
    """Bound to the artist's own skeleton, which is posed."""
    data = bpy.data.armatures.new("own")
    own = bpy.data.objects.new("own", data)
    bpy.context.scene.collection.objects.link(own)
    choose(own)
    bpy.ops.object.mode_set(mode="EDIT")
    bone = data.edit_bones.new("hips")
    bone.tail = (0, 0, 1)
    bpy.ops.object.mode_set(mode="OBJECT")
    body.vertex_groups.new(name="hips").add(list(range(len(body.data.vertices))), 1.0, "REPLACE")
    body.modifiers.new("Own", "ARMATURE").object = own


def modifier(kind: str, **settings):
    """Adds a modifier."""
    def add(body) -> None:
        made = body.modifiers.new(kind.title(), kind)
        for key, value in settings.items():
            setattr(made, key, value)
    return add


def animated(body) -> None:
    """Walks through the scene."""
    body.location.x = 0.0
    body.keyframe_insert("location", frame=1)
    body.location.x = 3.0
    body.keyframe_insert("location", frame=20)
    bpy.context.scene.frame_set(10)


def placed(**settings):
    """Sets what an object or a scene has."""
    def place(body) -> None:
        for key, value in settings.items():
            setattr(body, key, value)
    return place


def units(body) -> None:
    """A scene in centimetres."""
    bpy.context.scene.unit_settings.scale_length = 0.01
    body.scale = (100.0, 100.0, 100.0)


ROUNDED = ("].matrix_parent_inverse", "].matrix_world", "].matrix_local", "].dimensions")  # products of matrices

SITUATIONS = {
    "plain": lambda body: None,
    "mirrored by its scale": placed(scale=(-1.0, 1.0, 1.0)), "uneven": placed(scale=(1.2, 0.8, 1.1)),
    "mirrored and turned": placed(scale=(-2.0, -2.0, 2.0), rotation_euler=(0.0, 0.0, 0.7)),
    "turned by quaternion": placed(rotation_mode="QUATERNION", rotation_quaternion=(0.9, 0.0, 0.0, 0.4359)),
    "delta transforms": delta, "constrained": constrained, "animated": animated, "in centimetres": units,
    "on a moved parent": lambda body: parented(body, Matrix.LocRotScale((1, 2, 0), None, (2, 2, 2))),
    "on an uneven parent": lambda body: parented(body, Matrix.LocRotScale((1, 2, 0), None, (1, 1.3, 0.8))),
    "kept in place on a parent": lambda body: parented(body, Matrix.Rotation(0.6, 4, "X"), offset=True),
    "Subdivision": modifier("SUBSURF", levels=1), "Decimate": modifier("DECIMATE", ratio=0.4),
    "Solidify": modifier("SOLIDIFY", thickness=0.01), "Mirror on a whole body": modifier("MIRROR"),
    "Weld": modifier("WELD"), "Triangulate": modifier("TRIANGULATE"), "an empty Armature": modifier("ARMATURE"),
    "Smooth, off": modifier("SMOOTH", show_viewport=False), "Array": modifier("ARRAY", count=1),
    "nodes that do nothing": lambda body: nodes(body, moves=False),
    "nodes that move it": lambda body: nodes(body, moves=True),
    "shape keys": keys, "muted shape keys": lambda body: keys(body, mute=True),
    "driven shape keys": lambda body: keys(body, driven=True),
    "absolute shape keys": lambda body: keys(body, absolute=True),
}


@pytest.mark.sweep(8, long=True)
@pytest.mark.parametrize("situation", SITUATIONS)
def test_it_is_rigged_where_it_stands_and_freed_as_it_was(extension, person, situation):
    body, = add_character(person)
    SITUATIONS[situation](body)
    choose(body)
    shape, before, place = deformed_points(body), digest(), np.array(body.matrix_world)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    np.testing.assert_allclose(sum(group_weights(body).values()), 1.0, atol=1e-5)
    size = np.ptp(shape, axis=0).max()
    np.testing.assert_allclose(deformed_points(body) / size, shape / size, atol=1e-4)
    armature = extension.object
    armature.pose.bones["upper_arm.L"].matrix_basis = Matrix.Rotation(0.6, 4, "X")
    moved = np.linalg.norm(deformed_points(body) - shape, axis=1) / size
    assert moved.max() > 0.02 and np.median(moved) < 0.01, "the arm moves, the rest does not"
    assert bpy.ops.geppetto.remove_rig() == {"FINISHED"}
    assert [p for p in difference(before, digest()) if not p.endswith(ROUNDED)] == []
    np.testing.assert_allclose(body.matrix_world, place, atol=1e-5)


def test_a_mesh_that_its_modifiers_bring_whole_is_told_and_left_out(extension, person):
    body, = add_character(person)
    empty = bpy.data.objects.new("Empty mesh", bpy.data.meshes.new("Empty mesh"))
    bpy.context.scene.collection.objects.link(empty)
    group = bpy.data.node_groups.new("Bring", "GeometryNodeTree")
    group.interface.new_socket("Geometry", in_out="OUTPUT", socket_type="NodeSocketGeometry")
    info, out = group.nodes.new("GeometryNodeObjectInfo"), group.nodes.new("NodeGroupOutput")
    info.inputs["Object"].default_value = body
    group.links.new(info.outputs["Geometry"], out.inputs[0])
    empty.modifiers.new("Nodes", "NODES").node_group = group
    body.hide_set(True)
    choose(empty)
    with pytest.raises(RuntimeError, match=r"'Empty mesh' is without vertices of its own.*Apply the modifiers"):
        bpy.ops.object.geppetto_auto_rig(preset="biped")
    assert not bpy.data.armatures
