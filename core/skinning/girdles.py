"""Belts and what is fastened to them move as one, with the trunk alone; skirts follow no hand that hangs by them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import sparse
from scipy.spatial import cKDTree

from ..geometry.shape import Shape
from ..hanging.find import plain_body
from ..hanging.girdle import TRUNK, girded
from ..hanging.loose import loose_parts
from ..hanging.skirt import skirt_parts
from ..skeleton.rig import Rig
from .weights import with_rows

ARM = ("shoulder", "upper_arm", "forearm", "hand")
LEAST = 0.25  # what the trunk keeps of a skirt's hem at most: artists leave it as much
HELD = 0.3  # what the rest of the body must have of a vertex to say how it moves


def gird(shape: Shape, rig: Rig, weights: sparse.csr_matrix) -> sparse.csr_matrix:
    """(V, B) weights of the original vertices in which what girds the trunk follows none of the limbs beside it.

    A girdle's vertices share what they follow of the trunk on average, as do those of what hangs on it. Skirts that end
    below the chest leave out the arms.
    """
    parts = loose_parts(shape) if {"thigh.L", *TRUNK} <= set(rig.names) else None
    if parts is None:
        return weights
    body = plain_body(rig)
    body = replace(body, heads=shape.frame.to_unit(body.heads), tails=shape.frame.to_unit(body.tails))
    of_vertex = parts.of_vertex[shape.welded_of_vertex]
    trunk = np.array([rig.names.index(name) for name in TRUNK if rig.deform[rig.names.index(name)]], int)
    for ring, group in girded(shape, body, parts):
        own = np.asarray(weights[of_vertex == ring][:, trunk].mean(0)).ravel()
        if own.sum() > 0:
            rows = np.flatnonzero(np.isin(of_vertex, group))
            shares = np.zeros((len(rows), weights.shape[1]))
            shares[:, trunk] = own / own.sum()
            weights = with_rows(weights, rows, shares)
    chest = body.heads[body.names.index("chest"), 2]
    arms = np.array([name.split(".")[0] in ARM for name in rig.names])
    for part in skirt_parts(body, parts):
        rows = np.flatnonzero(of_vertex == part)
        if parts.points[parts.of_point == part, 2].max() < chest:
            weights = _without(shape, weights, rows, arms)
        weights = _on_legs(shape, body, rig, weights, rows)
    return weights


def _on_legs(shape: Shape, body: Rig, rig: Rig, weights: sparse.csr_matrix, rows: np.ndarray) -> sparse.csr_matrix:
    """The weights in which the trunk lets go of a skirt (N,) from the hip joints to the middle of the thighs.

    What it has too much goes to the two thighs, below the knees to the shins, by how far left a vertex lies.
    """
    places = np.array([[body.heads[body.names.index(f"{stem}.{side}")] for side in "LR"] for stem in ("thigh", "shin")])
    (top, knee), points = places[..., 2].mean(1), shape.mesh.vertices[shape.welded_of_vertex[rows]]
    down = np.clip(2 * (top - points[:, 2]) / max(top - knee, 1e-9), 0, 1)
    trunk = np.array([rig.names.index(name) for name in TRUNK])
    own = weights[rows].toarray()
    much = own[:, trunk].sum(1)
    over = np.maximum(much - (1 - (1 - LEAST) * down), 0.0)
    if not over.any():
        return weights
    own[:, trunk] *= (1 - over / np.maximum(much, 1e-12))[:, None]
    left, right = places[0, :, 0]
    share = np.clip((points[:, 0] - right) / max(left - right, 1e-9), 0, 1)
    limb = np.where(points[:, 2] > knee, 0, 1)
    for side, part in (("L", share), ("R", 1 - share)):
        bones = np.array([rig.names.index(f"{stem}.{side}") for stem in ("thigh", "shin")])
        own[np.arange(len(rows)), bones[limb]] += over * part
    return with_rows(weights, rows, own)


def _without(shape: Shape, weights: sparse.csr_matrix, rows: np.ndarray, bones: np.ndarray) -> sparse.csr_matrix:
    """The weights in which some rows (N,) follow none of some bones (B,); those left bare are as the next one."""
    own = weights[rows].toarray()
    if not own[:, bones].any():
        return weights
    own[:, bones] = 0.0
    total = own.sum(1)
    held = np.flatnonzero(total > HELD)
    if not len(held):
        return weights
    points = shape.mesh.vertices[shape.welded_of_vertex[rows]]
    own = own[held] / total[held, None]
    return with_rows(weights, rows, own[cKDTree(points[held]).query(points)[1]])
