"""Loose parts that follow one bone wholly: they go to one of the pieces into which a bone is cut, and are not wrung."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from ..geometry.mesh import Mesh

_WHOLE = 1 - 1e-4  # of a vertex's weight
_DIGITS = 9  # places along a bone are rounded to these, so that mirrored parts fall on the same side of a tie


@dataclass(frozen=True, eq=False)
class Wholes:
    """part : (V,) the loose part of each vertex;  area : (V,) of the skin about it
    bone : (V,) the one that all of its part follows wholly, else -1
    """

    part: np.ndarray
    area: np.ndarray
    bone: np.ndarray

    def pieces(self, bone: int, rows: np.ndarray, weights: np.ndarray, place: np.ndarray, starts: np.ndarray,
               own: int | None) -> np.ndarray:
        """(N,) the piece of a bone that each of its vertices, rows (N,), goes to as a whole, -1 for those that bend.

        weights, place : (N,) of each on the bone, and where along it from 0 to 1;  starts : (P,) where pieces begin
        own : the piece that does what the bone does and no other turn, None if each is as good
        If most of the skin is stiff, as a robot's, all of that moves as one, lest plates part from their screws.
        A bracelet or a greave on skin that bends goes with the piece at its middle.
        """
        stiff = self.bone[rows] == bone
        out = np.full(len(rows), -1)
        if not stiff.any():
            return out
        much = weights * self.area[rows]
        _, part = np.unique(self.part[rows[stiff]], return_inverse=True)
        if much[stiff].sum() > much[~stiff].sum():
            if own is not None:
                out[stiff] = own
                return out
            part = np.zeros(len(part), np.int64)
        middle = np.bincount(part, much[stiff] * place[stiff]) / np.maximum(np.bincount(part, much[stiff]), 1e-300)
        piece = np.searchsorted(starts, np.round(middle, _DIGITS), "right") - 1
        out[stiff] = np.clip(piece, 0, len(starts) - 1)[part]
        return out


def whole_parts(mesh: Mesh, part: np.ndarray, of_vertex: np.ndarray, weights: sparse.spmatrix) -> Wholes:
    """Which parts follow one bone wholly.

    mesh : welded, of W vertices;  part : (W,) the loose part of each;  of_vertex : (V,) the welded vertex of each
    weights : (V, B)
    """
    rows = sparse.csr_matrix(weights)
    bone = np.where(rows.max(1).toarray().ravel() >= _WHOLE, np.asarray(rows.argmax(1)).ravel(), -1)
    number = part[of_vertex]
    low, high = np.full(int(part.max(initial=0)) + 1, rows.shape[1]), np.full(int(part.max(initial=0)) + 1, -1)
    np.minimum.at(low, number, bone)
    np.maximum.at(high, number, bone)
    area = np.bincount(mesh.faces.ravel(), np.repeat(mesh.areas / 3, 3), len(part))
    return Wholes(number, area[of_vertex], np.where(low == high, low, -1)[number])
