"""Mesh objects -> one core Mesh in world space, and the way back from its vertices to each object's own.

What is fitted is the shape as it stands in the scene, shape keys and modifiers included, except that
  * Armature modifiers and existing armatures are put to rest: a new skeleton belongs to the rest pose;
  * Subdivision and Multires only refine: leaving them out is as good and many times faster;
  * simulations depend on the frame.
A Mirror modifier makes half a mesh whole, a Solidify gives a sheet volume: they count. Weights go to the object's own
vertices, each of which takes those of the nearest vertex of the shape it grew into.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b

import bpy
import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from ...core.errors import BadMesh
from ...core.geometry.mesh import Mesh, told_of_broken
from ..current import evaluated_scene

NOT_SHAPE = {"ARMATURE", "SUBSURF", "MULTIRES", "CLOTH", "SOFT_BODY", "FLUID", "COLLISION", "DYNAMIC_PAINT",
             "EXPLODE", "OCEAN", "PARTICLE_SYSTEM", "PARTICLE_INSTANCE", "DECIMATE"}
# What moves vertices and makes none.
BENDS = {"CAST", "CORRECTIVE_SMOOTH", "CURVE", "DISPLACE", "HOOK", "LAPLACIANDEFORM", "LAPLACIANSMOOTH", "LATTICE",
         "MESH_CACHE", "MESH_DEFORM", "MESH_SEQUENCE_CACHE", "SHRINKWRAP", "SIMPLE_DEFORM", "SMOOTH", "SURFACE_DEFORM",
         "WARP", "WAVE"}
COULD_BE_MESH = {"CURVE", "SURFACE", "META", "FONT", "CURVES", "GREASEPENCIL", "GPENCIL"}
# How Unreal and Godot know a collision shape by its object's name.
COLLIDES, COLLIDES_ONLY = ("UBX_", "UCP_", "UCX_", "USP_"), ("-colonly", "-convcolonly")


@dataclass(frozen=True, eq=False)
class Part:
    """One mesh object of a character.

    source : (V,) for each vertex of the object's own mesh, the vertex of the character's mesh whose weights it takes
    name, stamp : of the object when it was read; see `look_up_again`
    """

    object: bpy.types.Object
    source: np.ndarray
    name: str = ""
    stamp: tuple = ()


@dataclass(frozen=True, eq=False)
class Character:
    """All mesh objects that are rigged together.

    mesh : world space, vertices of the parts one after another;  warnings : what was left out and why
    """

    mesh: Mesh
    parts: tuple[Part, ...]
    warnings: tuple[str, ...] = ()


def is_helper(o) -> bool:
    """Whether nobody sees an object's surface: it is drawn as wires or bounds and not rendered, as collision shapes,
    cages and cutters are, or a game engine takes it for a collision shape by its name."""
    name = o.name.rpartition(".")[0] if o.name[-4:-3] == "." and o.name[-3:].isdigit() else o.name
    return ((o.hide_render and o.display_type in {"WIRE", "BOUNDS"}) or name.startswith(COLLIDES)
            or name.endswith(COLLIDES_ONLY))


def pick_objects(objects) -> tuple[list, list[str]]:
    """Of the objects given, the visible meshes with faces; and a line for everything else worth a word.

    Helpers (`is_helper`) are picked only if there is nothing else, and cages without what they deform.

    Raises BadMesh, saying what to do, if none is left or one cannot be changed.
    """
    objects = list(objects)
    shapes = {bone.custom_shape for o in objects if o.type == "ARMATURE" for bone in o.pose.bones}
    meshes = [o for o in objects if o.type == "MESH" and o not in shapes]
    hidden = [o for o in meshes if not o.visible_get()]
    bare = [o for o in meshes if o.visible_get() and not o.data.polygons and not _may_grow_faces(o)]
    linked = [o for o in meshes if o.library is not None and o not in hidden]
    brought = [o for o in meshes if o not in hidden and o not in bare and o not in linked and not o.data.vertices]
    picked = [o for o in meshes if o not in hidden and o not in bare and o not in linked and o not in brought]
    helpers = [o for o in picked if is_helper(o)]
    helpers = helpers if len(helpers) < len(picked) else []
    picked = [o for o in picked if o not in helpers]
    cages = {m.object for o in picked for m in o.modifiers if m.type == "MESH_DEFORM"} & {*picked}  # else moved twice
    picked = [o for o in picked if o not in cages]
    warnings = []
    for left_out, remedy in (
            (hidden, "hidden and was left out. Show it if it belongs to the character"),
            (linked, "linked from another file and was left out. Make it local to rig it (Object > Relations)"),
            (bare, "without faces and was left out"),
            (brought, "without vertices of its own that could hold weights, and was left out. Apply the "
                      "modifiers that make its shape"),
            (helpers, "a collision shape or a helper that is not rendered and was left out. If it belongs to the "
                      "character, let it be rendered or rename it"),
            (sorted(cages, key=lambda o: o.name), "the cage of a Mesh Deform modifier and was left out, as what it "
                                                  "deforms follows the bones")):
        if left_out:
            warnings.append(f"{named(left_out)} is {remedy}.")
    warnings += told_of_others(objects)
    if not picked:
        raise BadMesh(" ".join(["There is no mesh to rig."] + (warnings or ["Select the character's mesh."])))
    return picked, warnings


def told_of_others(objects) -> list[str]:
    """A line for the objects that are no meshes but look like some; hair that grows on a mesh goes with it."""
    others = (([o for o in objects if o.type in COULD_BE_MESH and o.visible_get()
                and not (o.type == "CURVES" and o.data.surface is not None)],
               "not a mesh and was left out. Convert it to a mesh if it belongs to the character"),
              ([o for o in objects if o.instance_type == "COLLECTION" and o.visible_get()],
               "an instance and was left out. Make instances real to rig them (Object > Apply)"))
    return [f"{named(left_out)} is {remedy}." for left_out, remedy in others if left_out]


def told_of_ground(ground) -> list[str]:
    """A line for the objects that lie flat under a character and get no rig, none if there are none."""
    return [f"{named(ground)} is ground under the character and was left out. Join it to the character if it is part "
            "of it."] if ground else []


def read_character(context, objects, name: str = "") -> Character:
    """The shape of all objects together.  Raises BadMesh naming the object whose numbers cannot be used."""
    picked, warnings = pick_objects(objects)
    vertices, faces, parts, part_of = [], [], [], []
    start, masked = 0, dict[int, np.ndarray]()
    for o in picked:
        o.update_from_editmode()  # what is edited now counts
    with at_rest(context, picked):
        depsgraph = evaluated_scene(context)
        for o in picked:
            points, corners = _read_shape(o, depsgraph)
            if not len(corners):
                warnings.append(f"'{o.name}' shows instances and no faces of its own, and was left out. End its nodes "
                                "with Realize Instances, then apply them." if _shows_instances(o, depsgraph) else
                                f"'{o.name}' has no faces left after its modifiers and was left out.")
                continue
            own = own_points(o) if len(points) == len(o.data.vertices) else _bent(context, o)
            parts.append(Part(o, start + _source(own, points), o.name, _stamp(o)))
            if len(own) != len(points) and any(m.type == "MASK" and m.show_viewport for m in o.modifiers):
                masked[len(parts) - 1] = _to_world(own, o.matrix_world)
            vertices.append(_to_world(points, o.matrix_world))
            faces.append(start + corners)
            part_of.append(np.full(len(points), len(parts) - 1))
            start += len(points)
    if not parts:
        raise BadMesh(" ".join(["There is no mesh to rig.", *warnings]))
    name = name or _name_of([part.object for part in parts])
    mesh = Mesh(np.concatenate(vertices), np.concatenate(faces), name, np.concatenate(part_of))
    for k, own in masked.items():
        parts[k] = replace(parts[k], source=_beneath(own, parts[k].source, mesh))
    return Character(mesh, tuple(parts), tuple(warnings))


def _beneath(own: np.ndarray, source: np.ndarray, mesh: Mesh) -> np.ndarray:
    """(V,) the sources of an object's own vertices, those that a Mask hides being with what lies over them, as clothes.

    own : (V, 3) world space;  source : (V,) the nearest of the object itself
    """
    own, usable = np.nan_to_num(own), np.flatnonzero(np.isfinite(mesh.vertices).all(1))
    far = np.linalg.norm(own - mesh.vertices[source], axis=1)
    near, nearest = cKDTree(mesh.vertices[usable]).query(own)
    return np.where(near < far, usable[nearest], source)


def _name_of(objects) -> str:
    """What a character is called: as the object that all its parts hang on, or as its largest part."""
    lines = []
    for o in objects:
        line = [o]
        while line[-1].parent is not None:
            line.append(line[-1].parent)
        lines.append([above for above in line if above.type != "ARMATURE"])
    shared = (above for above in lines[0] if all(above in line for line in lines))
    return next(shared, max(objects, key=lambda o: o.dimensions.length)).name


def look_up_again(character: Character) -> Character:
    """The same character after a while in which Blender went on: what was read earlier must not be touched before this.

    Raises BadMesh if an object is gone, or is another one since an undo or a change of its mesh.
    """
    for part in character.parts:
        if bpy.data.objects.find(part.name) < 0 or _stamp(bpy.data.objects[part.name]) != part.stamp:
            raise BadMesh(f"'{part.name}' was changed while it was being rigged. Press the button again.")
    return replace(character, parts=tuple(replace(part, object=bpy.data.objects[part.name])
                                          for part in character.parts))


def found_again(name: str, number: int) -> bpy.types.Object:
    """The object that had a name and a `session_uid` before Blender went on: an object of this file and one that is
    linked may share a name.  Raises BadMesh if it is gone."""
    found = next((o for o in bpy.data.objects if o.session_uid == number), None)
    if found is None:
        raise BadMesh(f"'{name}' was changed while it was being rigged. Press the button again.")
    return found


def _stamp(o) -> tuple:
    place = np.array(o.matrix_basis, np.float32).tobytes()
    return (o.as_pointer(), o.data.as_pointer(), len(o.data.polygons), place,
            blake2b(own_points(o).tobytes(), digest_size=16).digest())


def own_points(o) -> np.ndarray:
    """(V, 3) the object's own vertices in its own coordinates."""
    points = np.empty(len(o.data.vertices) * 3, np.float32)
    o.data.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


@contextmanager
def at_rest(context, objects):
    """Inside, armatures rest and only modifiers that make the shape are on; afterwards everything is as it was."""
    switched = [m for o in objects for m in o.modifiers if m.show_viewport and m.type in NOT_SHAPE]
    posed = [a for a in bpy.data.armatures if a.pose_position == "POSE" and a.library is None]
    for modifier in switched:
        modifier.show_viewport = False
    for armature in posed:
        armature.pose_position = "REST"
    context.view_layer.update()
    try:
        yield
    finally:
        for modifier in switched:
            modifier.show_viewport = True
        for armature in posed:
            armature.pose_position = "POSE"
        context.view_layer.update()


def read_weights(vertices, column: dict[int, int], width: int) -> sparse.csr_matrix:
    """(V, width) weights of a mesh's vertices in the groups that have a column, by their index."""
    found = [(v.index, column[g.group], g.weight) for v in vertices for g in v.groups if g.group in column]
    row, at, weight = np.array(found, float).reshape(-1, 3).T
    return sparse.csr_matrix((weight, (row.astype(int), at.astype(int))), shape=(len(vertices), width))


def read_triangles(mesh) -> tuple[np.ndarray, np.ndarray]:
    """(V, 3) local positions and (F, 3) triangles of a bpy mesh; its quads and n-gons stay as they are.

    Raises BadMesh if a face has a corner at a vertex that is not there, as a damaged file's may.
    """
    points = np.empty(len(mesh.vertices) * 3, np.float32)
    mesh.vertices.foreach_get("co", points)
    mesh.calc_loop_triangles()
    corners = np.empty(len(mesh.loop_triangles) * 3, np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    if len(corners) and not 0 <= corners.min() <= corners.max() < len(mesh.vertices):
        raise BadMesh(f"The mesh '{mesh.name}' has faces with corners at vertices that are not there, as in a damaged "
                      "file. Export it again.")
    return points.reshape(-1, 3), corners.reshape(-1, 3)


def _shows_instances(o, depsgraph) -> bool:
    return any(one.is_instance and one.parent.original == o for one in depsgraph.object_instances)


def _may_grow_faces(o) -> bool:
    return any(m.type in {"SKIN", "SCREW", "NODES", "REMESH", "BOOLEAN"} and m.show_viewport for m in o.modifiers)


def named(objects) -> str:
    """The name of the first of some objects in quotes, and how many more there are."""
    first = f"'{objects[0].name}'"
    return first if len(objects) == 1 else f"{first} (and {len(objects) - 1} more)"


def _read_shape(o, depsgraph) -> tuple[np.ndarray, np.ndarray]:
    evaluated = o.evaluated_get(depsgraph)
    points, corners = read_triangles(evaluated.to_mesh())
    evaluated.to_mesh_clear()
    is_broken = ~np.isfinite(points).all(1)[corners]
    if is_broken.any():
        raise BadMesh(told_of_broken(o.name, len(np.unique(corners[is_broken]))))
    if not np.isfinite(np.array(o.matrix_world)).all():
        raise BadMesh(f"The place, rotation or scale of '{o.name}' is not a finite number. Set it under Item in the "
                      "sidebar, or export the file again.")
    if o.matrix_world.is_negative:
        corners = corners[:, ::-1]
    return points, corners


def _to_world(points, matrix) -> np.ndarray:
    matrix = np.array(matrix, float)
    return points.astype(float) @ matrix[:3, :3].T + matrix[:3, 3]


def _bent(context, o) -> np.ndarray:
    """(V, 3) where an object's own vertices stand with its shape keys and what bends it, without what makes more of
    them: there it lies on what that makes."""
    makes = [m for m in o.modifiers if m.show_viewport and m.type not in BENDS]
    if o.data.shape_keys is None and not any(m.show_viewport for m in o.modifiers if m not in makes):
        return own_points(o)
    for modifier in makes:
        modifier.show_viewport = False
    try:
        evaluated = o.evaluated_get(evaluated_scene(context))
        points, _ = read_triangles(evaluated.to_mesh())
        evaluated.to_mesh_clear()
        return points
    finally:
        for modifier in makes:
            modifier.show_viewport = True
        context.view_layer.update()


def _source(own: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(V,) the evaluated vertex each of an object's own vertices stands for.  own : (V, 3)"""
    if len(own) == len(points):
        return np.arange(len(own))
    usable = np.flatnonzero(np.isfinite(points).all(1))
    return usable[cKDTree(points[usable]).query(np.nan_to_num(own))[1]]
