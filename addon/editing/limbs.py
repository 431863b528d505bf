"""Limbs that an artist adds to a skeleton made from a shape, or takes from it, saved on the object that holds the pins.

Each is a click: on a tip, or on a limb. They are kept in the order in which they were made, in the object's own
coordinates, and count for every skeleton that is made from the shape.
"""

from __future__ import annotations

import json
from dataclasses import replace

import bpy
import numpy as np

from ...core.errors import BadTemplate
from ...core.fitting.from_shape import ShapeTemplate
from ...core.fitting.limb_edits import LimbEdit, edited
from ...core.geometry.shape import Shape
from ...core.skeleton.template import SkeletonTemplate
from .. import names, props
from ..bridge.whole_change import change_since, moved_along, note_points
from . import pins


def limbs_said(owner) -> str:
    """What has been said of a character's limbs, as it is saved; empty for nothing."""
    return getattr(owner, names.LIMBS, "") if owner is not None else ""


def say_limb(owner, place: np.ndarray, *, is_added: bool, is_both: bool) -> None:
    """Keep one more click.  place : (3,) in the object's own coordinates"""
    said = [[added, *(round(float(x), 6) for x in at), both]
            for added, at, both in (*_clicks(owner), (is_added, place, is_both))]
    setattr(owner, names.LIMBS, json.dumps(said))
    setattr(owner, names.LIMBS_ON, note_points(owner))


def _clicks(owner) -> list[tuple[bool, np.ndarray, bool]]:
    """(is_added, place, is_both) of each click, the places in the object's own coordinates as they are now."""
    said = json.loads(limbs_said(owner) or "[]")
    change = change_since(owner, getattr(owner, names.LIMBS_ON)) if said else None
    return [(is_added, moved_along((x, y, z), change), is_both) for is_added, x, y, z, is_both in said]


def with_limb(template: ShapeTemplate, shape: Shape, place: np.ndarray, matrix: np.ndarray, *, is_added: bool,
              is_both: bool) -> ShapeTemplate:
    """A template with one more click.  place : (3,) as for `say_limb`;  matrix : (4, 4) its object's place in the world
    when the shape was read.  Raises BadTemplate."""
    x, y, z = shape.frame.to_unit((matrix[:3, :3] @ place + matrix[:3, 3])[None])[0]
    return edited(template, shape, [LimbEdit(is_added, (float(x), float(y), float(z)), is_both)])


def with_limbs(template: SkeletonTemplate, shape: Shape, owner, matrix: np.ndarray | None = None) -> SkeletonTemplate:
    """A template with what has been said of the limbs, if it was made from the shape.

    matrix : as for `with_limb`; None for the owner's place now. What does not suit the body any more, since its mesh or
    the choice of bones has changed, is left out, and the template's warnings say so.
    """
    if not limbs_said(owner) or not isinstance(template, ShapeTemplate):
        return template
    matrix = np.array(owner.matrix_world, float) if matrix is None else matrix
    out = 0
    for is_added, place, is_both in _clicks(owner):
        try:
            template = with_limb(template, shape, place, matrix, is_added=is_added, is_both=is_both)
        except BadTemplate:
            out += 1
    if not out:
        return template
    told = (f"Of the limbs added or taken away, {out} no longer suit the body and were left out. "
            "Limbs as Found forgets them.")
    return replace(template, warnings=(*template.warnings, told))


def with_limbs_of(template: SkeletonTemplate, shape: Shape, objects) -> SkeletonTemplate:
    """`with_limbs` by a character's mesh objects. In a batch nobody can have said anything: the extension is not on."""
    if not isinstance(template, ShapeTemplate) or not hasattr(bpy.types.Object, names.PINS):
        return template
    return with_limbs(template, shape, pins.owner_of(objects))


CLASSES = ()
PROPERTIES = ((bpy.types.Object, names.LIMBS, lambda: props.StringProperty(
    name="Limbs", description="Limbs added to the skeleton and taken from it", override={"LIBRARY_OVERRIDABLE"})),
              (bpy.types.Object, names.LIMBS_ON, lambda: props.StringProperty(
    name="Limbs On", description="Some points of the mesh as they were when a limb was added or taken away last",
    override={"LIBRARY_OVERRIDABLE"})))
