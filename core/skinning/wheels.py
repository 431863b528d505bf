"""Weights of wheels: each follows its own bone wholly, with all that turns with it, and nothing else does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from ..geometry.mesh import vertex_components
from ..geometry.shape import Shape
from ..geometry.wheels import find_wheels
from ..skeleton.rig import Rig

PREFIX = "wheel_"  # what fitting.from_shape calls their bones

WheelRows = tuple[int, np.ndarray]  # a bone, and the welded vertices that turn with it


def wheel_rows(shape: Shape, rig: Rig) -> list[WheelRows]:
    """The wheels of a character whose bones a rig has: those whose bone begins in them."""
    bones = [b for b, name in enumerate(rig.names) if name.startswith(PREFIX) and rig.deform[b]]
    if not bones:
        return []
    heads, part = shape.frame.to_unit(rig.heads[bones]), vertex_components(shape.mesh)
    out = []
    for wheel in find_wheels(shape.mesh):
        along, away = wheel.places(heads)
        near = int(away.argmin())
        if away[near] < wheel.radius and abs(along[near]) < max(wheel.width, wheel.radius):
            out.append((bones[near], wheel.rows(shape.mesh, part)))
    return out


def without_wheels(rig: Rig, wheels: Sequence[WheelRows]) -> Rig:
    """The rig in which the bones of wheels move no skin; as it is if no other bone does."""
    own = np.zeros(len(rig.names), bool)
    own[[bone for bone, _ in wheels]] = True
    return replace(rig, deform=rig.deform & ~own) if (rig.deform & ~own).any() else rig


def give_wheels(shape: Shape, wheels: Sequence[WheelRows], weights: sparse.csr_matrix) -> sparse.csr_matrix:
    """(V, B) weights of the original vertices in which each of a wheel follows its bone alone."""
    bone = np.full(len(shape.mesh.vertices), -1)
    for number, rows in wheels:
        bone[rows] = number
    bone = bone[shape.welded_of_vertex]
    own = np.flatnonzero(bone >= 0)
    stiff = sparse.csr_matrix((np.ones(len(own)), (own, bone[own])), shape=weights.shape)
    return sparse.csr_matrix(sparse.diags((bone < 0).astype(float)) @ weights + stiff)  # a sum keeps no zeros
