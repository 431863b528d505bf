"""Feet that touch each other are parted, so that each leg of a body that stands is seen to its end."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import ndimage

from ..geometry.distance import DistanceField
from ..geometry.gaps import count_parts
from ..geometry.symmetry import MirrorPlane

GROUND = 0.04  # unit frame: what touches the mirror plane so low stands
LAYERS = 0.75  # voxels from the mirror plane: so near they are taken out, one layer or two
AROUND = np.ones((3, 3), int)


def with_feet_apart(field: DistanceField, plane: MirrorPlane) -> DistanceField:
    """A body's field without what of its flesh lies on the mirror plane and on the ground, and hangs together with the
    rest on the plane nowhere: feet, hooves or paws of both sides that are one surface there.

    field : unit frame, standing.  The same field if nothing is such, or if something would fall off.
    """
    grid, solid = field.grid, field.solid
    x = grid.origin[0] + grid.spacing * (np.arange(grid.shape[0]) + 0.5)
    layers = np.flatnonzero(np.abs(x - plane.x) < LAYERS * grid.spacing)
    if not len(layers):
        return field
    section = solid[layers].any(0)
    label, count = ndimage.label(section, AROUND)
    if count < 2:
        return field
    low = int(solid.any((0, 1)).argmax()) + round(GROUND / grid.spacing)
    stands = np.unique(label[:, :low + 1])
    touches = np.isin(label, [one for one in stands if one and one != 1 + np.bincount(label[label > 0])[1:].argmax()])
    values = np.array(field.values)
    values[layers] = np.where(touches & solid[layers], 0.5 * np.float32(grid.spacing), values[layers])
    parted = replace(field, values=values)
    return parted if touches.any() and count_parts(parted.solid) <= field.parts else field
