"""Belts and what is fastened to them: they move as one, with the trunk alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse

from ..geometry.shape import Shape
from ..hanging.find import plain_body
from ..hanging.girdle import TRUNK, girded
from ..hanging.loose import loose_parts
from ..skeleton.rig import Rig
from .weights import with_rows


def gird(shape: Shape, rig: Rig, weights: sparse.csr_matrix) -> sparse.csr_matrix:
    """(V, B) weights of the original vertices in which what girds the trunk follows none of the limbs beside it.

    A girdle's vertices share what they follow of the trunk on average, as do those of what hangs on it.
    """
    parts = loose_parts(shape) if {"thigh.L", *TRUNK} <= set(rig.names) else None
    if parts is None:
        return weights
    body = plain_body(rig)
    body = replace(body, heads=shape.frame.to_unit(body.heads), tails=shape.frame.to_unit(body.tails))
    groups = girded(shape, body, parts)
    if not groups:
        return weights
    of_vertex = parts.of_vertex[shape.welded_of_vertex]
    trunk = np.array([rig.names.index(name) for name in TRUNK if rig.deform[rig.names.index(name)]], int)
    for ring, group in groups:
        own = np.asarray(weights[of_vertex == ring][:, trunk].mean(0)).ravel()
        if own.sum() > 0:
            rows = np.flatnonzero(np.isin(of_vertex, group))
            shares = np.zeros((len(rows), weights.shape[1]))
            shares[:, trunk] = own / own.sum()
            weights = with_rows(weights, rows, shares)
    return weights
