"""Weights of the base that a figure stands on: it is stiff, and no skin of the figure follows it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from ..geometry.segments import segment_distances
from ..geometry.shape import Shape
from ..skeleton.rig import Rig


def bones_within(shape: Shape, rig: Rig) -> np.ndarray:
    """(B,) bool: the deforming bones that lie wholly in the box of the base, an artist's own among them."""
    if not len(shape.base.rows):
        return np.zeros(len(rig.names), bool)
    ends = np.stack([shape.frame.to_unit(rig.heads), shape.frame.to_unit(rig.tails)], 1)
    low, high = shape.base.box
    margin = shape.field.grid.spacing
    within = rig.deform & ((ends > low - margin) & (ends < high + margin)).all((1, 2))
    within &= shape.field.sample(ends.mean(1)) > margin  # what runs through the figure is the figure's, and goes on so
    for bone in np.flatnonzero(within & rig.connected & (rig.parents >= 0)):  # parents come first
        within[bone] = within[rig.parents[bone]]
    return within if (rig.deform & ~within).any() else np.zeros(len(within), bool)


def without_base_bones(shape: Shape, rig: Rig) -> Rig:
    """The rig in which bones within the base move no skin."""
    return replace(rig, deform=rig.deform & ~bones_within(shape, rig))


def stand_on_base(shape: Shape, rig: Rig, weights: sparse.csr_matrix) -> sparse.csr_matrix:
    """(V, B) weights of the original vertices, in which each of the base follows the nearest bone within it alone;
    without such a bone the first that hangs on no other that moves skin."""
    rows = shape.base.rows
    if not len(rows):
        return weights
    bones = np.flatnonzero(bones_within(shape, rig))
    if len(bones):
        heads, tails = shape.frame.to_unit(rig.heads[bones]), shape.frame.to_unit(rig.tails[bones])
        bone = bones[segment_distances(shape.base.points, heads, tails).argmin(1)]
    else:
        bone = np.full(len(rows), _topmost(rig))
    stiff = sparse.csr_matrix((np.ones(len(rows)), (rows, bone)), shape=weights.shape)
    keeps = np.ones(weights.shape[0])
    keeps[rows] = 0.0
    return sparse.csr_matrix(sparse.diags(keeps) @ weights + stiff)  # a sum keeps no zeros


def _topmost(rig: Rig) -> int:
    """The first deforming bone; parents come first."""
    return int(np.flatnonzero(rig.deform)[0])
