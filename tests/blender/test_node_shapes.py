"""Characters shaped by Geometry Nodes: bones move what is seen, or the artist is told what stays."""

from __future__ import annotations

import bpy
import numpy as np
import pytest
from mathutils import Matrix

from geppetto.addon.bridge.armature import read_warnings

from .scenes import add_character, add_cube, add_mesh, deformed_points, world_points
from .test_situations import choose

STAYS = "'body' is shaped by Geometry Nodes so that not all of it follows the bones"


def shaped(o, build):
    """A nodes modifier on an object.  build : function (new node of a kind, link, the mesh) -> what is shown"""
    tree = bpy.data.node_groups.new("Shape", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin, end = tree.nodes.new("NodeGroupInput"), tree.nodes.new("NodeGroupOutput")
    tree.links.new(build(tree.nodes.new, tree.links.new, begin.outputs[0]), end.inputs[0])
    modifier = o.modifiers.new("Shape", "NODES")
    modifier.node_group = tree
    return modifier


def moved_and_scaled(new, link, mesh):
    node = new("GeometryNodeTransform")
    node.inputs["Translation"].default_value, node.inputs["Scale"].default_value = (0, 0, 0.5), (1.5, 1.5, 1.5)
    link(mesh, node.inputs["Geometry"])
    return node.outputs[0]


def rough(new, link, mesh):
    """Bumps that lie where they are in space."""
    noise, move, shift = new("ShaderNodeTexNoise"), new("GeometryNodeSetPosition"), new("ShaderNodeVectorMath")
    shift.operation, shift.inputs["Scale"].default_value = "SCALE", 0.05
    link(noise.outputs["Color"], shift.inputs[0])
    link(mesh, move.inputs["Geometry"])
    link(shift.outputs[0], move.inputs["Offset"])
    return move.outputs[0]


def rougher(new, link, mesh):
    """The same on a finer mesh."""
    finer = new("GeometryNodeSubdivideMesh")
    link(mesh, finer.inputs[0])
    return rough(new, link, finer.outputs[0])


def finer(new, link, mesh):
    node = new("GeometryNodeSubdivisionSurface")
    link(mesh, node.inputs[0])
    return node.outputs[0]


def voxels(new, link, mesh):
    """A surface made anew, all vertices of which lie elsewhere when the mesh is moved."""
    volume, node = new("GeometryNodeMeshToVolume"), new("GeometryNodeVolumeToMesh")
    link(mesh, volume.inputs[0])
    link(volume.outputs[0], node.inputs[0])
    return node.outputs[0]


def together(new, link, *shapes):
    node = new("GeometryNodeJoinGeometry")
    for shape in shapes:
        link(shape, node.inputs[0])
    return node.outputs[0]


def studded(new, link, mesh):
    """Instances on the skin."""
    points, stud, node = (new(f"GeometryNode{kind}") for kind in (
        "DistributePointsOnFaces", "MeshCube", "InstanceOnPoints"))
    link(mesh, points.inputs["Mesh"])
    link(points.outputs["Points"], node.inputs["Points"])
    link(stud.outputs["Mesh"], node.inputs["Instance"])
    return together(new, link, node.outputs[0], mesh)


def hatted(new, link, mesh):
    """A ball that stands where it stands."""
    ball, place = new("GeometryNodeMeshUVSphere"), new("GeometryNodeTransform")
    ball.inputs["Radius"].default_value, place.inputs["Translation"].default_value = 0.15, (0, 0, 1.8)
    link(ball.outputs["Mesh"], place.inputs["Geometry"])
    return together(new, link, place.outputs[0], mesh)


def hung_beside(new, link, mesh):
    """An instance that stands where it stands."""
    ball, point, node = new("GeometryNodeMeshUVSphere"), new("GeometryNodePoints"), new("GeometryNodeInstanceOnPoints")
    ball.inputs["Radius"].default_value, point.inputs["Position"].default_value = 0.1, (0, 0, 1.8)
    link(point.outputs[0], node.inputs["Points"])
    link(ball.outputs["Mesh"], node.inputs["Instance"])
    return together(new, link, node.outputs[0], mesh)


def mirrored(new, link, mesh):
    """The other half, which has the same vertex groups."""
    node = new("GeometryNodeTransform")
    node.inputs["Scale"].default_value = (-1, 1, 1)
    link(mesh, node.inputs["Geometry"])
    return together(new, link, node.outputs[0], mesh)


def half(o) -> None:
    """Leave an object the half on the left."""
    points = np.array([v.co for v in o.data.vertices])
    kept = [p for p in o.data.polygons if points[list(p.vertices), 0].mean() > 0]
    mesh = bpy.data.meshes.new("half")
    mesh.from_pydata(points.tolist(), [], [list(p.vertices) for p in kept])
    o.data = mesh
    choose(o)
    bpy.ops.object.mode_set(mode="EDIT")
    bpy.ops.mesh.select_all(action="SELECT")
    bpy.ops.mesh.delete_loose()
    bpy.ops.object.mode_set(mode="OBJECT")


@pytest.mark.long
@pytest.mark.parametrize(("build", "stack", "stays"), [
    (moved_and_scaled, ["NODES", "ARMATURE"], False), (rough, ["NODES", "ARMATURE"], False),
    (rougher, ["NODES", "ARMATURE"], False), (finer, ["ARMATURE", "NODES"], False),
    (voxels, ["ARMATURE", "NODES"], False), (studded, ["ARMATURE", "NODES"], False),
    (hatted, ["ARMATURE", "NODES"], True), (hung_beside, ["ARMATURE", "NODES"], True),
    (mirrored, ["ARMATURE", "NODES"], True)])
def test_bones_move_what_nodes_make_or_it_is_told(extension, person, build, stack, stays):
    body, = add_character(person)
    if build is mirrored:
        half(body)
    shaped(body, build)
    rest = deformed_points(body)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert [m.type for m in body.modifiers] == stack and len(bpy.data.node_groups) == 1
    armature = next(m.object for m in body.modifiers if m.type == "ARMATURE")
    assert any(text.startswith(STAYS) for text in read_warnings(armature)) == stays
    if build is voxels or stays:
        return
    place = Matrix.Translation((1, 0, 0)) @ Matrix.Rotation(1.0, 4, "Z")
    for posed in (bone for bone in armature.pose.bones if bone.parent is None):
        posed.matrix = armature.matrix_world.inverted() @ place @ armature.matrix_world @ posed.bone.matrix_local
    np.testing.assert_allclose(deformed_points(body), rest @ np.array(place)[:3, :3].T + place.translation, atol=1e-4)


def test_nodes_that_look_at_other_objects_still_see_the_moved_mesh(extension, person):
    """As a collision does: it is to push back what the bones have moved."""
    body, = add_character(person)
    wall = add_cube("wall", 0.4)

    def pushed(new, link, mesh):
        info, near, move = new("GeometryNodeObjectInfo"), new("GeometryNodeProximity"), new("GeometryNodeSetPosition")
        info.inputs["Object"].default_value = wall
        link(info.outputs["Geometry"], near.inputs[0])
        link(near.outputs["Position"], move.inputs["Offset"])
        link(mesh, move.inputs["Geometry"])
        return move.outputs[0]

    shaped(body, pushed)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    assert [m.type for m in body.modifiers] == ["ARMATURE", "NODES"]


def test_who_shows_instances_alone_is_told_how_to_make_them_real(extension, person):
    body, = add_character(person)
    host = add_mesh("host", [(0, 0, 0)], [])

    def brought(new, _link, _mesh):
        info = new("GeometryNodeObjectInfo")
        info.inputs["Object"].default_value, info.inputs["As Instance"].default_value = body, True
        return info.outputs["Geometry"]

    shaped(host, brought)
    body.hide_set(True)
    choose(host)
    with pytest.raises(RuntimeError, match=r"'host' shows instances.*Realize Instances"):
        bpy.ops.object.geppetto_auto_rig(preset="biped")


@pytest.mark.long
@pytest.mark.parametrize(("build", "is_taken"), [(moved_and_scaled, False), (rough, False), (finer, True)])
def test_a_rest_pose_that_nodes_would_make_something_else_of_is_refused(extension, person, build, is_taken):
    """It moves the vertices that nodes begin with."""
    body, = add_character(person)
    shaped(body, build)
    choose(body)
    assert bpy.ops.object.geppetto_auto_rig(preset="biped") == {"FINISHED"}
    before = world_points(body)
    if is_taken:
        assert bpy.ops.geppetto.rest_pose(pose="T") == {"FINISHED"}
        return
    with pytest.raises(RuntimeError, match="Geometry Nodes that shape 'body' would make something else of it"):
        bpy.ops.geppetto.rest_pose(pose="T")
    np.testing.assert_array_equal(world_points(body), before)
