"""Which characters a selection holds: rigs of ours with what they move, and bodies that stand apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import bpy
import numpy as np
from mathutils import Vector

from ...core.geometry.apart import find_bodies
from ...core.geometry.mesh import Mesh
from .. import names
from ..bridge.mesh import is_helper, read_triangles
from .rigged import armature_of, followers, followers_of, is_ours, seen_of

UP = {"X": 0, "Y": 1, "Z": 2}


@dataclass(frozen=True, eq=False)
class Body:
    """One character of a selection.  objects : what is rigged together;  armatures : ours that it follows already"""

    objects: tuple
    armatures: tuple = ()


def bodies_of(objects: Iterable, up: str = "auto") -> tuple[list[Body], list]:
    """(bodies, ground): the characters among objects, and mesh objects that are only ground under them.

    up : which way they stand, as chosen.  A rig of ours and all that it moves are one body, unless that stands apart:
    a copy that was moved away, or what was parted since. Then it is the body in which the bones are, and of the
    bodies only those are told that hold some of the objects.
    """
    objects = list(objects)
    armatures = list(dict.fromkeys(o for o in map(armature_of, objects) if o is not None))
    rigged = {a: seen_of(moved) for a, moved in followers_of(armatures).items()}
    of = {o: a for a, meshes in rigged.items() for o in meshes}
    loose = dict.fromkeys(o for o in objects if o not in of and not is_ours(o))
    seen = [o for o in dict.fromkeys((*of, *loose)) if o.type == "MESH" and o.visible_get() and len(o.data.polygons)]
    seen = [o for o in seen if o in of or not is_helper(o)] or seen
    if not seen or sum(o in loose for o in seen) + (len(armatures) if len(of) == len(armatures) else 2) < 2:
        return [Body((*of, *loose), tuple(armatures))], []
    meshes = [own_mesh(o) for o in seen]
    found, ground = find_bodies(meshes, UP.get(up.lstrip("-"), 2))
    ground = [seen[i] for i in ground if seen[i] in loose]
    parts = [[seen[i] for i in body] for body in found]
    shapes = dict(zip(seen, meshes, strict=True))
    strays = dict.fromkeys(o for a in armatures for o in _strays(a, parts, of, shapes))
    of = {o: a for o, a in of.items() if o not in strays}
    loose |= dict.fromkeys(o for o in strays if o in objects)
    parts = [[o for o in part if o in of or o in loose] for part in parts]
    bodies = [Body(tuple(o for o in moved if o in of), (a,)) for a, moved in rigged.items()
              if a in objects or any(o in objects and o in of for o in moved)]
    for part in parts:
        free, held = [o for o in part if o in loose], {of[o] for o in part if o in of}
        held &= {a for body in bodies for a in body.armatures}
        if free and len(held) == 1:  # something new near a rigged character joins it
            own = next(k for k, b in enumerate(bodies) if b.armatures == (*held,))
            bodies[own] = Body((*bodies[own].objects, *free), bodies[own].armatures)
        elif free:
            bodies.append(Body(tuple(free)))
    measured = set(seen)
    rest = [o for o in loose if o not in measured]  # hidden, helpers or without faces: told when the first is read
    bodies[0] = Body((*bodies[0].objects, *rest), bodies[0].armatures)
    return bodies, ground


def rigged_below(objects: Iterable) -> tuple | None:
    """(armature of ours, the largest mesh it moves) of a character that mesh objects lie on, as hair lies on a head:
    in its bounding box lies the middle of theirs, which is smaller. None if there is no such character, or if it moves
    one of them."""
    meshes = [o for o in objects if o.type == "MESH"]
    low, high = _box(meshes)
    for armature, moved in followers_of([o for o in bpy.context.scene.objects if is_ours(o)]).items():
        seen = [o for o in moved if o.visible_get()]
        if not seen or set(seen) & set(meshes):
            continue
        bottom, top = _box(seen)
        is_smaller, middle = (high - low).max() < (top - bottom).max(), (low + high) / 2
        if is_smaller and (bottom <= middle).all() and (middle <= top).all():
            return armature, max(seen, key=lambda o: len(o.data.vertices))
    return None


def _box(objects: Iterable) -> tuple[np.ndarray, np.ndarray]:
    """(3,) the least and the greatest coordinates of objects in the world."""
    corners = np.array([o.matrix_world @ Vector(corner) for o in objects for corner in o.bound_box])
    return corners.min(0), corners.max(0)


def body_of(armature) -> list:
    """The mesh objects that an armature of ours moves, but those that came since it was fitted and stand apart."""
    moved = followers(armature)
    seen = [o for o in moved if o.visible_get() and len(o.data.polygons)]
    if len(seen) < 2:
        return moved
    shapes = [own_mesh(o) for o in seen]
    parts = [[seen[i] for i in body] for body in find_bodies(shapes)[0]]
    strays = _strays(armature, parts, dict.fromkeys(seen, armature), dict(zip(seen, shapes, strict=True)))
    return [o for o in moved if o not in strays or o.name in armature.data.get(names.FITTED_WITH, ())]


def _strays(armature, parts: list[list], of: dict, shapes: dict) -> list:
    """Of what an armature moves, the objects in parts where its bones are not."""
    own = [[o for o in part if of.get(o) == armature] for part in parts]
    own = [part for part in own if part]
    if len(own) < 2:
        return []
    bones = np.mean([armature.matrix_world @ bone.head_local for bone in armature.data.bones], axis=0)
    used = [np.concatenate([shapes[o].vertices for o in part]) for part in own]
    away = [np.linalg.norm((points.min(0) + points.max(0)) / 2 - bones) for points in used]
    return [o for k, part in enumerate(own) if k != int(np.argmin(away)) for o in part]


def own_mesh(o) -> Mesh:
    """An object's own mesh in the world, without modifiers; coordinates that are no numbers, which `read_character`
    refuses later, count as 0."""
    points, faces = read_triangles(o.data)
    matrix = np.array(o.matrix_world, float)
    return Mesh(np.nan_to_num(points.astype(float)) @ matrix[:3, :3].T + matrix[:3, 3], faces, o.name)
