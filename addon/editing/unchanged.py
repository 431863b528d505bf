"""Whether the objects of a character are still what they were when they were read."""

from __future__ import annotations

from hashlib import blake2b

import bpy
import numpy as np

from ..bridge.mesh import own_points


def seen_as(o, owner) -> tuple:
    """What an object of a character is: its faces, its points, where it is beside the object that holds the pins."""
    place = np.linalg.pinv(np.array(owner.matrix_world, float)) @ np.array(o.matrix_world, float)
    return len(o.data.polygons), blake2b(own_points(o).tobytes(), digest_size=16).digest(), place


def is_as(o, was: tuple, owner: str) -> bool:
    """Whether an object is still there and what it was."""
    holder = bpy.data.objects.get(owner)
    if o is None or o.type != "MESH" or holder is None or len(o.data.polygons) != was[0]:
        return False
    _, points, place = seen_as(o, holder)
    return points == was[1] and np.allclose(place, was[2], atol=1e-4 * max(1.0, float(np.abs(was[2]).max())))
