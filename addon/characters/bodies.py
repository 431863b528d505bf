"""Which characters a selection holds: rigs of ours with what they move, and bodies that stand apart."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from ...core.geometry.apart import find_bodies
from ...core.geometry.mesh import Mesh
from ..bridge.mesh import is_helper, read_triangles
from .rigged import armature_of, followers, is_ours

UP = {"X": 0, "Y": 1, "Z": 2}


@dataclass(frozen=True, eq=False)
class Body:
    """One character of a selection.  objects : what is rigged together;  armatures : ours that it follows already"""

    objects: tuple
    armatures: tuple = ()


def bodies_of(objects: Iterable, up: str = "auto") -> tuple[list[Body], list]:
    """(bodies, ground): the characters among objects, and mesh objects that are only ground under them.

    up : which way they stand, as chosen.  A rig of ours and all that it moves are one body and need no measuring.
    """
    objects = list(objects)
    armatures = list(dict.fromkeys(o for o in map(armature_of, objects) if o is not None))
    rigged = {a: [o for o in followers(a) if o.visible_get()] for a in armatures}
    of = {o: a for a, meshes in rigged.items() for o in meshes}
    loose = dict.fromkeys(o for o in objects if o not in of and not is_ours(o))
    seen = [o for o in dict.fromkeys((*of, *loose)) if o.type == "MESH" and o.visible_get() and len(o.data.polygons)]
    seen = [o for o in seen if o in of or not is_helper(o)] or seen
    if len(armatures) + sum(o in loose for o in seen) < 2:
        return [Body((*of, *loose), tuple(armatures))], []
    found, ground = find_bodies([_mesh(o) for o in seen], UP.get(up.lstrip("-"), 2))
    ground = [seen[i] for i in ground if seen[i] in loose]
    parts = [[seen[i] for i in body] for body in found]
    bodies = [Body(tuple(meshes), (a,)) for a, meshes in rigged.items()]
    for part in parts:
        free, held = [o for o in part if o in loose], {of[o] for o in part if o in of}
        if free and len(held) == 1:  # something new near a rigged character joins it
            own = next(k for k, b in enumerate(bodies) if b.armatures == (*held,))
            bodies[own] = Body((*bodies[own].objects, *free), bodies[own].armatures)
        elif free:
            bodies.append(Body(tuple(free)))
    measured = set(seen)
    rest = [o for o in loose if o not in measured]  # hidden, helpers or without faces: told when the first is read
    bodies[0] = Body((*bodies[0].objects, *rest), bodies[0].armatures)
    return bodies, ground


def _mesh(o) -> Mesh:
    points, faces = read_triangles(o.data)
    matrix = np.array(o.matrix_world, float)
    return Mesh(np.nan_to_num(points.astype(float)) @ matrix[:3, :3].T + matrix[:3, 3], faces, o.name)
