"""Tails, and where they end: the network has learned few of people's and none that curl, but flesh that no bone reaches
is easily found."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy import ndimage

from ..arrays import argwhere
from ..geometry.mesh import Mesh
from ..geometry.voxels import dilate
from ..seeing.evidence import look
from ..seeing.views import CELLS, Sight
from .flesh import along_bone, ways_from, width_of
from .joint_tree import JointTree, load_tree

ROOT, TIP, TAILED = "tail", "tail_tip", "biped_tail"
# Unit frame, on ways through the flesh: what lies behind a tail's root and so far from the trunk is a tail. Of 40
# generated people without one none has any beyond 0.2.
BEYOND = 0.22
# A tip that is less of the way there is not the tail's: of five real dinosaurs, whose tails are seen well, none is,
# as artists do not go to the very end either.
SHORT = 0.75
SURE = 0.7  # of a tail's end that the flesh alone tells
SWINGS = 0.05  # unit frame: a joint so far beside the mirror plane is not seen so by chance

# Unit frame: who has a tail has flesh so far behind the hips. It is looked at only then: four of five people have none.
BEHIND = 0.2
# A tail seems one if the flesh behind its root reaches so far, unit frame, on ways through it, and is no wider than
# NARROW times that: capes, packs and skirts are. So 83 of 100 grown tails of 0.3 to 1 times the height are told (those
# that are not hug the back or the ground), and nothing of 166 grown people in clothes and of 70 real ones.
LONG, NARROW = 0.28, 0.5
NEAR = 0.15  # unit frame: where its width begins to count
# Flesh so far beside the mirror plane, unit frame, that has an image there is a wing's; a sheet's image may lie so many
# voxels beside. Of grown tails a share of up to 0.23 has one, of four pairs of wings nearer to a tail's root than
# to other bones 0.82 and more.
ASIDE, PAIRED, BESIDE = 0.08, 0.5, 2
# What clings to other flesh, as a strip of a gown does, must be so much longer: times the share of its voxels that do.
CLINGS = 0.15


def has_tail(mesh: Mesh) -> bool:
    """Whether a body that seems a person has a long tail, whatever the network says of it. mesh : Z up, facing -Y"""
    person = look(mesh, "biped")
    hips = person.places[person.likeliest[person.names.index("hips")], 1]
    back = (np.flatnonzero(person.sight.solid.any((0, 2)))[-1] + 0.5) / CELLS
    if back - hips < BEHIND * person.sight.scale:
        return False
    seen, tree = look(mesh, TAILED), load_tree(TAILED)
    places = seen.places[seen.likeliest[[seen.names.index(name) for name in tree.names]]]
    flesh, scale = _flesh(tree, places, seen.sight), seen.sight.scale
    counts = flesh.is_tails & (flesh.reach > NEAR * scale)
    if not counts.any():
        return False
    long, centres = float(flesh.reach[counts].max()) / scale, flesh.centres[counts]
    return (long > LONG + CLINGS * _clinging(flesh, counts, seen.sight)
            and width_of(centres, flesh.reach[counts] / scale) / scale < NARROW * long
            and _paired(centres, float(places[0, 0]), seen.sight) < PAIRED)


def tail_end(tree: JointTree, places: np.ndarray, sight: Sight) -> np.ndarray | None:
    """(3,) in the cube, the end of the flesh of a tail whose bones do not reach it; None if they do.

    places : (tree's joints, 3) in the cube.  The furthest from the belly on ways through the flesh, of what is nearer
    to it than to all other bones. A rump that is far from the bones is no tail: it clings to other flesh.
    """
    flesh = _with_arch(_flesh(tree, places, sight), sight)
    counts = flesh.is_tails & (flesh.reach > NEAR * sight.scale)
    if not counts.any():
        return None
    reach, is_tails = flesh.reach, flesh.is_tails
    end = int(np.where(is_tails, reach, -1.0).argmax())
    tip = int(((flesh.centres - places[tree.names.index(TIP)]) ** 2).sum(1).argmin())
    known = reach[tip] if is_tails[tip] else 0.0
    if reach[end] <= BEYOND * sight.scale or known >= SHORT * reach[end]:
        return None
    least = BEYOND + CLINGS * _clinging(flesh, counts, sight)
    return flesh.centres[end] if reach[end] > least * sight.scale else None


@dataclass(frozen=True)
class _Flesh:
    """The voxels of a body.

    centres : (V, 3) in the cube;  reach : (V,) how far they are from the belly and the tail's root, on ways through it
    is_near : (V,) those that are nearer to it than to all other bones;  is_tails : (V,) those of them behind the root
    """

    centres: np.ndarray
    reach: np.ndarray
    is_near: np.ndarray
    is_tails: np.ndarray


def _flesh(tree: JointTree, places: np.ndarray, sight: Sight) -> _Flesh:
    voxels = argwhere(sight.solid)
    centres = (voxels + 0.5) / CELLS
    own, others = [], []
    for joint, name in enumerate(tree.names[1:], 1):
        above, place = places[tree.parents[joint]], places[joint]
        way = along_bone(above, place)
        half = len(way) // 2
        if name == ROOT:
            own.append(way)
        elif tree.parents[joint] == 0:  # limbs begin beside the hips
            own.append(way[:half])
            others.append(way[half:])
        elif name != TIP:
            others.append(way)
    reach, beside = (ways_from(voxels, np.concatenate(ways)) for ways in (own, others))
    behind = centres[:, 1] > places[tree.names.index(ROOT), 1]
    is_near = np.isfinite(reach) & (reach < beside)
    return _Flesh(centres, reach, is_near, is_near & behind)


def _with_arch(flesh: _Flesh, sight: Sight) -> _Flesh:
    """The same, where a tail that curls over the back goes on before its root."""
    voxels, away = argwhere(sight.solid), np.zeros_like(sight.solid)
    is_far = flesh.is_near & (flesh.reach > NEAR * sight.scale)
    away[tuple(voxels[is_far].T)] = True
    piece = ndimage.label(away, np.ones((3, 3, 3)))[0][tuple(voxels.T)]
    return replace(flesh, is_tails=flesh.is_tails | is_far & np.isin(piece, piece[is_far & flesh.is_tails]))


def _paired(centres: np.ndarray, middle: float, sight: Sight) -> float:
    """The share of voxels that lie beside the mirror plane and have an image there, as those of wings have."""
    beside = centres[np.abs(centres[:, 0] - middle) > ASIDE * sight.scale]
    image = ((beside * [-1, 1, 1] + [2 * middle, 0, 0]) * CELLS).astype(np.intp).clip(0, CELLS - 1)
    near = sight.solid
    for _ in range(BESIDE):
        near = dilate(near)
    return float(near[tuple(image.T)].sum()) / len(centres)


def _clinging(flesh: _Flesh, counts: np.ndarray, sight: Sight) -> float:
    """The share of a tail's voxels that have others beside them, of flesh that is not the tail's."""
    voxels, others = argwhere(sight.solid), sight.solid.copy()
    others[tuple(voxels[flesh.is_tails].T)] = False
    return float(dilate(others)[tuple(voxels[counts].T)].mean())
