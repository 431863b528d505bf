"""Shapes that Geometry Nodes make: where among them bones have to move a mesh, and what of them stays behind.

Nodes may do anything with a mesh. Whether what they make goes along with a mesh that is moved before them is found out:
it is turned and shifted there as a whole, and then all must come out turned and shifted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import bpy
import numpy as np
from bpy.types import Object
from mathutils import Euler, Matrix, Vector
from scipy.spatial import cKDTree

from ...core.skinning.weights import SkinWeights
from ..current import evaluated_scene
from .mesh import Character, at_rest, named, read_triangles, read_weights

TURN, SHIFT = 0.25, 0.25  # radians about each axis, of the size: a move as small as those of a pose
EXACT = 1e-4  # of the size: what arithmetic in single precision leaves
SEEN = 0.01  # of the size: who stays behind by less is not told
LOOKS_AT_OTHERS = {"OBJECT_INFO", "COLLECTION_INFO"}  # as a collision does: what it makes of a moved mesh is its point


def carry_nodes(context, character: Character, armature, weights: SkinWeights, ends: frozenset[str]) -> list[str]:
    """Let bones move what nodes make, where they do not go along with a mesh that is moved before them but keep its
    vertex groups.  Returns a warning of what stays behind.

    weights : (V, B) of the character's mesh, written to vertex groups already
    ends : types of modifiers that keep no vertex groups: what comes after them cannot follow bones
    """
    last = {part.object: after[-1] for part in character.parts if (after := _nodes_after(part.object, armature, ends))}
    if not last:
        return []
    own = {o: o.modifiers.find(_moved_by(o, armature).name) for o in last}
    with at_rest(context, [part.object for part in character.parts]):
        shown = _shapes(context, own)
        error = {o: one for o, one in _left_behind(context, shown, own).items() if one > EXACT}
        may = {o: last[o] + 1 for o in error
               if not len(shown[o].instances) and not _looks_at_others(o)}  # Armature modifiers move no instances
        for o, one in _left_behind(context, shown, may).items():
            if one <= EXACT and _keeps_groups(context, o, character, weights):
                o.modifiers.move(own[o], last[o])
                del error[o]
    behind = [o for o, one in error.items() if one > SEEN]
    return [f"{named(behind)} is shaped by Geometry Nodes so that not all of it follows the bones. End the nodes with "
            "Realize Instances, apply them, then bind again."] if behind else []


def leaves_vertices(context, objects: Iterable[Object], armature) -> list[Object]:
    """The objects on which nodes before an armature's modifier make something else of vertices that are moved."""
    first: dict[Object, int] = {}
    for o in objects:
        end = o.modifiers.find(modifier.name) if (modifier := _moved_by(o, armature)) is not None else 0
        nodes = [i for i, m in enumerate(o.modifiers[:end]) if m.type == "NODES" and m.show_viewport and m.node_group]
        first |= {o: nodes[0]} if nodes else {}
    if not first:
        return []
    with at_rest(context, first):
        return [o for o, error in _left_behind(context, _shapes(context, first), first).items() if error > SEEN]


def _moved_by(o, armature) -> bpy.types.Modifier | None:
    return next((m for m in o.modifiers if m.type == "ARMATURE" and m.object == armature), None)


def _nodes_after(o, armature, ends: frozenset[str]) -> list[int]:
    """Where in an object's stack nodes work on what an armature has moved, before its vertex groups are lost."""
    modifier, found = _moved_by(o, armature), list[int]()
    for i, m in enumerate(o.modifiers if modifier is not None else ()):
        if m.type in ends:
            break
        if m.type == "NODES" and m.show_viewport and m.node_group is not None and not m.use_pin_to_last:
            found.append(i)
    own = o.modifiers.find(modifier.name) if modifier is not None else 0
    return [i for i in found if i > own]


@dataclass(frozen=True, eq=False)
class _Shape:
    """What an object shows, in its own coordinates.  points : (V, 3);  faces : (F, 3);  instances : (I, 3) places"""

    points: np.ndarray
    faces: np.ndarray
    instances: np.ndarray


def _left_behind(context, shown: Mapping[Object, _Shape], places: Mapping[Object, int]) -> dict[Object, float]:
    """{object: how far what it shows stays behind at most, of its size}, its mesh being moved at a place in its stack.

    All at once: Blender looks through the whole scene whenever a stack has changed.
    """
    moves = {o: _small_move(shown[o].points) for o in places if len(shown[o].points)}
    if not moves:
        return {}
    with _moved(moves, places):
        return {o: _distance(shape, shown[o], moves[o]) for o, shape in _shapes(context, moves).items()}


def _small_move(points: np.ndarray) -> Matrix:
    """A turn about the middle of (V, 3) points and a shift."""
    low, high = points.min(0), points.max(0)
    middle, shift = Vector((low + high) / 2), Vector((SHIFT * float((high - low).max()),) * 3)
    return Matrix.Translation(middle + shift) @ Euler((TURN,) * 3).to_matrix().to_4x4() @ Matrix.Translation(-middle)


def _distance(shape: _Shape, rest: _Shape, move: Matrix) -> float:
    """How far a shape is at most from where a move takes what it was at rest, of its size."""
    size, wanted, hung = float(np.ptp(rest.points, axis=0).max()) or 1.0, _by(move, rest.points), _by(
        move, rest.instances)
    if len(shape.points) == len(wanted):
        error = np.linalg.norm(shape.points - wanted, axis=1).max()
    elif not len(shape.faces):
        error = size
    else:  # made anew, as voxels are: all vertices may lie elsewhere on the same surface
        corners = shape.points[shape.faces]
        edge = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max()
        error = max(0.0, cKDTree(shape.points).query(wanted)[0].max() - edge)
    if len(shape.instances) == len(hung) > 0:
        error = max(error, np.linalg.norm(shape.instances - hung, axis=1).max())
    return float(error) / size


def _by(move: Matrix, points: np.ndarray) -> np.ndarray:
    """(V, 3) points moved."""
    matrix = np.array(move)
    return points @ matrix[:3, :3].T + matrix[:3, 3]


def _shapes(context, objects: Iterable[Object]) -> dict[Object, _Shape]:
    """{object: what it shows now}."""
    depsgraph = evaluated_scene(context)
    places: dict[Object, list] = {o: [] for o in objects}
    for one in depsgraph.object_instances:
        if one.is_instance and one.parent.original in places:
            space = one.parent.matrix_world.inverted_safe()
            places[one.parent.original].append(tuple(space @ one.matrix_world.translation))
    shapes = {}
    for o, hung in places.items():
        evaluated = o.evaluated_get(depsgraph)
        points, faces = read_triangles(evaluated.to_mesh())
        evaluated.to_mesh_clear()
        shapes[o] = _Shape(points.astype(float), faces, np.array(hung, float).reshape(-1, 3))
    return shapes


@contextmanager
def _moved(moves: Mapping[Object, Matrix], places: Mapping[Object, int]) -> Iterator[None]:
    """Inside, what the mesh of each object has become at a place in its stack is moved there."""
    made = []
    try:
        for o, move in moves.items():
            modifier, tree = o.modifiers.new("Geppetto", "NODES"), _moving(move)
            made.append((o, modifier, tree))
            modifier.node_group = tree
            o.modifiers.move(o.modifiers.find(modifier.name), places[o])
        yield
    finally:
        for o, modifier, tree in made:
            o.modifiers.remove(modifier)
            bpy.data.node_groups.remove(tree)


def _moving(move: Matrix) -> bpy.types.NodeTree:
    """Geometry Nodes that move a mesh."""
    tree = bpy.data.node_groups.new("Geppetto", "GeometryNodeTree")
    for way in ("INPUT", "OUTPUT"):
        tree.interface.new_socket("Geometry", in_out=way, socket_type="NodeSocketGeometry")
    begin, node, end = (tree.nodes.new(kind) for kind in ("NodeGroupInput", "GeometryNodeTransform", "NodeGroupOutput"))
    node.inputs["Translation"].default_value = move.translation
    node.inputs["Rotation"].default_value = move.to_euler()
    tree.links.new(begin.outputs[0], node.inputs["Geometry"])
    tree.links.new(node.outputs[0], end.inputs[0])
    return tree


def _looks_at_others(o) -> bool:
    """Whether nodes of an object read other objects."""
    trees = [m.node_group for m in o.modifiers if m.type == "NODES" and m.node_group is not None]
    for tree in trees:  # grows on the way
        trees += [node.node_tree for node in tree.nodes
                  if node.type == "GROUP" and node.node_tree is not None and node.node_tree not in trees]
    return any(node.type in LOOKS_AT_OTHERS for tree in trees for node in tree.nodes)


def _keeps_groups(context, o, character: Character, weights) -> bool:
    """Whether what nodes make of an object has in its vertex groups the weights that were found for that shape.

    Every vertex has some, and at least half of what it should have; but one in twenty may lie between two bones, where
    nodes make more vertices than there were. What they mirror is more than that.
    """
    evaluated = o.evaluated_get(evaluated_scene(context))
    mesh, column = evaluated.to_mesh(), {name: j for j, name in enumerate(weights.bones)}
    called = {g.index: column[g.name] for g in evaluated.vertex_groups if g.name in column}
    points, _ = read_triangles(mesh)
    has = read_weights(mesh.vertices, called, len(column))
    evaluated.to_mesh_clear()
    nearest = cKDTree(character.mesh.vertices).query(_by(o.matrix_world, points.astype(float)))[1]
    shared = np.asarray(has.minimum(weights.matrix[nearest].tocsr()).sum(1)).ravel()
    return bool(has.sum(1).min() > 0 and np.mean(shared < 0.5) <= 0.05)
