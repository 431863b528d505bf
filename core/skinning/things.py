"""Weights of what hangs on a body or is held by it: a thing's bones take what the body leaves them of its skin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from ..geometry.shape import Shape
from ..hanging.find import find_things
from ..hanging.thing import Thing, may_be_thing
from ..skeleton.rig import Rig
from .weights import limit_influences, with_rows

_SAME = 1e-3  # unit frame: bones so far from where a thing's bones belong are others, or were moved by hand


def things_of(shape: Shape, rig: Rig) -> list[Thing]:
    """The things of a character whose bones a rig has where they belong; the others are bound as any bone is."""
    if not any(may_be_thing(name) for name in rig.names):
        return []
    number = {name: i for i, name in enumerate(rig.names)}
    heads, tails = shape.frame.to_unit(rig.heads), shape.frame.to_unit(rig.tails)
    found = []
    for thing in find_things(shape, rig):
        bones = [number.get(name, -1) for name in thing.bones]
        if min(bones) >= 0 and rig.deform[bones].all() and max(
                np.abs(heads[bones] - thing.heads).max(), np.abs(tails[bones] - thing.tails).max()) < _SAME:
            found.append(thing)
    return found


def without_things(rig: Rig, things: Sequence[Thing]) -> Rig:
    """The rig in which things' bones move no skin."""
    own = {bone for thing in things for bone in thing.bones}
    return replace(rig, deform=rig.deform & ~np.array([name in own for name in rig.names]))


def give_things(shape: Shape, rig: Rig, things: Sequence[Thing], weights: sparse.csr_matrix, influences: int,
                least: float) -> sparse.csr_matrix:
    """(V, B) weights of the original vertices in which each thing follows its bones as far as the body leaves it.

    Rows keep at most `influences` bones; vertices of no thing keep their bits.
    """
    for thing in things:
        place = np.full(len(shape.mesh.vertices), -1)
        place[thing.rows] = np.arange(len(thing.rows))
        place = place[shape.welded_of_vertex]
        rows = np.flatnonzero(place >= 0)
        share = thing.shares[place[rows]]
        held = weights[rows].toarray() * share[:, :1]
        held[:, [rig.names.index(bone) for bone in thing.bones]] += share[:, 1:]
        weights = with_rows(weights, rows, limit_influences(held, influences, least=least))
    return weights
