"""Limbs that an artist adds to a skeleton made from a shape, or takes from it, saved on the object that holds the pins.

Each is a click: on a tip, or on a limb. They are kept in the order in which they were made, in the object's own
coordinates, and count for every skeleton that is made from the shape.
"""

from __future__ import annotations

import json

import bpy
import numpy as np

from ..core.fitting.from_shape import ShapeTemplate
from ..core.fitting.limb_edits import LimbEdit, edited
from ..core.geometry.shape import Shape
from ..core.skeleton.template import SkeletonTemplate
from . import names, pins, props


def limbs_said(owner) -> str:
    """What has been said of a character's limbs, as it is saved; empty for nothing."""
    return getattr(owner, names.LIMBS, "") if owner is not None else ""


def say_limb(owner, place: np.ndarray, *, is_added: bool, is_both: bool) -> None:
    """Keep one more click.  place : (3,) in the object's own coordinates"""
    said = json.loads(limbs_said(owner) or "[]")
    said.append([is_added, *(round(float(x), 6) for x in place), is_both])
    setattr(owner, names.LIMBS, json.dumps(said))


def with_limbs(template: SkeletonTemplate, shape: Shape, owner, matrix: np.ndarray | None = None) -> SkeletonTemplate:
    """A template with what has been said of the limbs, if it was made from the shape.

    matrix : (4, 4) the owner's place in the world when the shape was read; None for now.  Raises BadTemplate.
    """
    said = limbs_said(owner)
    if not said or not isinstance(template, ShapeTemplate):
        return template
    matrix = np.array(owner.matrix_world, float) if matrix is None else matrix
    edits = []
    for is_added, x, y, z, is_both in json.loads(said):
        place = shape.frame.to_unit((matrix[:3, :3] @ [x, y, z] + matrix[:3, 3])[None])[0]
        edits.append(LimbEdit(is_added, (float(place[0]), float(place[1]), float(place[2])), is_both))
    return edited(template, shape, edits)


def with_limbs_of(template: SkeletonTemplate, shape: Shape, objects) -> SkeletonTemplate:
    """`with_limbs` by a character's mesh objects. In a batch nobody can have said anything: the extension is not on."""
    if not isinstance(template, ShapeTemplate) or not hasattr(bpy.types.Object, names.PINS):
        return template
    return with_limbs(template, shape, pins.owner_of(objects))


CLASSES = ()
PROPERTIES = ((bpy.types.Object, names.LIMBS, lambda: props.StringProperty(
    name="Limbs", description="Limbs added to the skeleton and taken from it", override={"LIBRARY_OVERRIDABLE"})),)
