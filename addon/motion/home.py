"""Where an armature stands that its motions take over the ground as an object."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import bpy
from mathutils import Vector

from .. import names
from ..bridge.curves import curves_of


@contextmanager
def at_home(armature: bpy.types.Object) -> Iterator[None]:
    """Inside, an armature that its action has taken away stands where it stood before the first such motion.

    It stays there if the action written inside does not take it along, and where it was if one cannot be written.
    """
    before, is_done = armature.location.copy(), False
    home = Vector(armature[names.HOME]) if names.HOME in armature and _goes(armature) else before
    armature.location = home
    try:
        yield
        is_done = True
    finally:
        if not is_done:
            armature.location = before
    if _goes(armature):
        armature[names.HOME] = list(home)
    elif names.HOME in armature:
        del armature[names.HOME]


def _goes(armature) -> bool:
    """Whether an armature's action moves the object itself."""
    action = armature.animation_data.action if armature.animation_data is not None else None
    return action is not None and any(curve.data_path == "location" for curve in curves_of(action))
