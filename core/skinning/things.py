"""Weights of what hangs on a body or is held by it: a thing's bones take what the body leaves them of its skin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from scipy import sparse

from ..geometry.shape import Shape
from ..hanging.find import find_things
from ..hanging.held import held_in_hands
from ..hanging.thing import Thing, is_cape, is_wing, may_be_thing
from ..skeleton.rig import Rig
from .weights import limit_influences, with_rows

# Unit frame: skin that follows an arm or a leg and lies further than this from its bone may be hair beside it. Of 79
# people in view 35 have some.
_FAR = dict.fromkeys(("shoulder", "upper_arm", "forearm", "hand"), 0.08) | dict.fromkeys(
    ("thigh", "shin", "foot", "toe"), 0.12)
_LOOKED_AT = 2000  # of the skin's vertices
_SAME = 1e-3  # unit frame: bones so far from where a thing's bones belong are others, or were moved by hand


def things_of(shape: Shape, rig: Rig) -> list[Thing]:
    """The things of a character whose bones a rig has where they belong, each with those that were not deleted; the
    others are bound as any bone is, and a skirt that lacks one."""
    if not any(may_be_thing(name) for name in rig.names):
        return []
    number = {name: i for i, name in enumerate(rig.names)}
    heads, tails = shape.frame.to_unit(rig.heads), shape.frame.to_unit(rig.tails)
    found = []
    for thing in find_things(shape, rig):
        thing = thing if thing.on else thing.only(rig.names)
        bones = [number.get(name, -1) for name in thing.bones]
        if bones and min(bones) >= 0 and rig.deform[bones].all() and max(
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
        weights = _off_arms(shape, rig, weights, thing)
        held = _held(rig, thing, weights[rows].toarray(), thing.shares[place[rows]])
        weights = with_rows(weights, rows, limit_influences(held, influences, least=least))
    return weights


def hold(shape: Shape, rig: Rig, weights: sparse.csr_matrix, influences: int, least: float) -> sparse.csr_matrix:
    """(V, B) weights of the original vertices in which what a hand holds in one surface with it follows the hand, and
    what has no bones and hangs on one follows that one, whatever limbs lie beside it: hair the head, capes the chest.

    Rows keep at most `influences` bones; the others keep their bits.
    """
    if "head" in rig.names and _is_led_astray(shape, rig, weights):
        for thing in find_things(shape, rig):
            if not thing.on and not set(thing.bones) & set(rig.names):
                weights = _off_arms(shape, rig, weights, thing)
                weights = _given(shape, weights, thing.rows, 1 - thing.shares[:, 0], rig.names.index(thing.parent),
                                 influences, least)
    if not {"hand.L", "hand.R"} & set(rig.names):
        return weights
    moving = [name for name, deform in zip(rig.names, rig.deform, strict=True) if deform and not may_be_thing(name)]
    body = rig.only(moving)
    body = replace(body, heads=shape.frame.to_unit(body.heads), tails=shape.frame.to_unit(body.tails))
    for held in held_in_hands(shape, body):
        weights = _given(shape, weights, held.rows, held.own, rig.names.index(held.hand), influences, least)
    return weights


def _is_led_astray(shape: Shape, rig: Rig, weights: sparse.csr_matrix) -> bool:
    """Whether some skin follows a limb that it lies far from."""
    some = np.arange(0, len(shape.mesh.vertices), 1 + len(shape.mesh.vertices) // _LOOKED_AT)
    vertex = np.zeros(len(shape.mesh.vertices), np.int64)
    vertex[shape.welded_of_vertex] = np.arange(len(shape.welded_of_vertex))
    bone = weights[vertex[some]].toarray().argmax(1)
    limit = np.array([_FAR.get(name.split(".")[0], np.inf) for name in rig.names])[bone]
    is_limb = np.isfinite(limit)
    bone, at = bone[is_limb], shape.mesh.vertices[some[is_limb]]
    head, tail = (shape.frame.to_unit(ends)[bone] for ends in (rig.heads, rig.tails))
    along, off = tail - head, at - head
    share = np.clip((off * along).sum(1) / np.maximum((along * along).sum(1), 1e-18), 0.0, 1.0)
    return bool((np.linalg.norm(off - share[:, None] * along, axis=1) > limit[is_limb]).any())


def _given(shape: Shape, weights: sparse.csr_matrix, rows: np.ndarray, share: np.ndarray, bone: int, influences: int,
           least: float) -> sparse.csr_matrix:
    """The weights in which a bone has a share (M,) of rows (M,) of the welded mesh, besides what it had of the rest."""
    own = np.zeros(len(shape.mesh.vertices))
    own[rows] = share
    own = own[shape.welded_of_vertex]
    rows = np.flatnonzero(own)
    dense = weights[rows].toarray() * (1 - own[rows, None])
    dense[:, bone] += own[rows]
    return with_rows(weights, rows, limit_influences(dense, influences, least=least))


def _off_arms(shape: Shape, rig: Rig, weights: sparse.csr_matrix, thing: Thing) -> sparse.csr_matrix:
    """The weights in which a cape of one surface with the body gives what arms have of it to the bone it hangs on."""
    arms = [f"upper_arm.{side}" for side in "LR" if f"upper_arm.{side}" in rig.names]
    if not (thing.is_fused and is_cape(thing.name) and arms):
        return weights
    on_cape = np.zeros(len(shape.mesh.vertices), bool)
    on_cape[thing.rows] = True
    rows = np.flatnonzero(on_cape[shape.welded_of_vertex])
    bones = np.concatenate([_below(rig, rig.names.index(arm), set()) for arm in arms])
    dense = weights[rows].toarray()
    dense[:, rig.names.index(thing.parent)] += dense[:, bones].sum(1)
    dense[:, bones] = 0.0
    return with_rows(weights, rows, dense)


def _held(rig: Rig, thing: Thing, held: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(N, B) weights in which a thing's bones have their share (N, 1 + its own) of what the body held."""
    bones = np.array([rig.names.index(bone) for bone in thing.bones])
    if is_wing(thing.name):  # one that is one surface with the body begins as the skin about it
        begins = share[:, :1] if thing.is_fused else 0.0
        held = begins * held + (1 - begins) * np.eye(len(rig.names))[[rig.names.index(thing.parent)]]
    if not thing.on:
        held = held * share[:, :1]
        held[:, bones] += share[:, 1:]
        return held
    dealt = held.copy()
    for limb in dict.fromkeys(thing.on):
        below = _below(rig, rig.names.index(limb), {*thing.bones, *thing.on})
        own = np.flatnonzero([on == limb for on in thing.on])
        dealt[:, below] *= share[:, :1]
        dealt[:, bones[own]] += held[:, below].sum(1, keepdims=True) * share[:, 1 + own]
    return dealt


def _below(rig: Rig, top: int, but: set[str]) -> np.ndarray:
    """A bone and all that hang on it, but for some."""
    found = {top}
    for bone, parent in enumerate(rig.parents.tolist()):  # parents come first
        if parent in found and rig.names[bone] not in but:
            found.add(bone)
    return np.array(sorted(found))
