"""Joints of a figure of blocks, where its blocks say that they are.

What is seen of a figure of blocks is where people and animals have their joints: a shoulder inside of the trunk's edge,
a hip up in the trunk. A block of an arm or a leg can only turn about a place in itself, and two blocks of one limb
about the place where they meet.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from ..geometry.blocks import Blocks
from ..geometry.segments import segment_distances
from ..skeleton.reduce import ReducedTemplate

ROOTS = ("upper_arm", "thigh", "front_upper", "hind_upper")
# Unit frame: no joint is moved farther; where two blocks meet, the joint is looked for so near. A block is of neither
# side if both are as near to it but for so much, and of the trunk if that runs so near to it.
FARTHEST, NEAR, EVEN, CLOSE = 0.2, 0.1, 0.02, 0.02
# A block of a limb has so much of the room of the largest; two that lie one in the other for more than so much of the
# shorter, as a sleeve around an arm, do not meet.
LARGE, INSIDE = 0.05, 0.5
_STEPS = np.linspace(0.0, 1.0, 9)  # along a bone of the trunk


def joints_in_blocks(blocks: Blocks, joints: np.ndarray, reduced: ReducedTemplate) -> dict[int, np.ndarray]:
    """{joint: (3,) place} of those joints of arms and legs that the blocks tell, unit frame.

    joints : (J, 3) where they were seen, unit frame
    A limb begins on the axis of its first block, at the place next to where it was seen to begin. A block is of the
    limb whose bones its middle is nearest to.  O(B J).
    """
    names, parents = reduced.template.names, np.asarray(reduced.template.parents)
    chains = {row: [int(j) for j in chain] for row, chain in enumerate(reduced.chains)
              if any(names[j].rpartition(".")[0] in ROOTS for j in chain)}
    limb = np.full(len(joints), -1)
    for row, chain in chains.items():
        limb[chain] = row
    bones = np.flatnonzero(parents >= 0)
    away = segment_distances(blocks.middles, joints[parents[bones]], joints[bones])
    nearest = away.argmin(1)
    of_limb = limb[bones[nearest]]
    middle = bones[limb[bones] < 0]
    middle = middle[[not names[j].endswith((".L", ".R")) for j in middle]]
    trunk = joints[parents[middle]] + _STEPS[:, None, None] * (joints[middle] - joints[parents[middle]])
    of_limb[_holds(blocks, trunk.reshape(-1, 3))] = -1
    found: dict[int, np.ndarray] = {}
    for row, chain in chains.items():
        other = away[:, (limb[bones] == reduced.mirror[row]) & (reduced.mirror[row] >= 0)].min(1, initial=np.inf)
        own = np.flatnonzero((of_limb == row) & (np.abs(away.min(1) - other) > EVEN))
        own = own[blocks.room[own] >= LARGE * blocks.room[own].max(initial=0.0)]
        begin = next(k for k, j in enumerate(chain) if names[j].rpartition(".")[0] in ROOTS)
        if len(own) and len(chain[begin:]) > 1:
            found |= _of_limb(blocks, own, joints, chain[begin:])
    return found


def _holds(blocks: Blocks, points: np.ndarray) -> np.ndarray:
    """(B,) bool: which blocks have one of points (N, 3) in them, or close."""
    at = np.einsum("nj,bij->bni", points, blocks.axes)
    return ((at > blocks.low[:, None] - CLOSE) & (at < blocks.high[:, None] + CLOSE)).all(2).any(1)


def _of_limb(blocks: Blocks, own: np.ndarray, joints: np.ndarray, chain: list[int]) -> dict[int, np.ndarray]:
    """`joints_in_blocks` of one limb. own : (N,) its blocks;  chain : its joints from where it begins to its tip"""
    root, tip = joints[chain[0]], joints[chain[-1]]
    places = _nearest_in(blocks, own, root)
    first = own[np.lexsort((-blocks.room[own], np.round(np.linalg.norm(places - root, axis=1), 6)))[0]]
    low, high, axes = blocks.low[first], blocks.high[first], blocks.axes[first]
    along = int((np.abs(axes @ (tip - root)) * (high - low)).argmax())
    at = (low + high) / 2
    at[along] = np.clip(axes[along] @ root, low[along], high[along])
    found = {chain[0]: at @ axes}
    way = np.cumsum(np.linalg.norm(np.diff(joints[chain], axis=0, prepend=joints[chain[:1]]), axis=1))
    middles = blocks.middles[own]
    reach = segment_distances(middles, joints[chain[:-1]], joints[chain[1:]]).argmin(1)
    start, step = joints[np.array(chain)[reach]], joints[np.array(chain)[reach + 1]] - joints[np.array(chain)[reach]]
    share = np.clip(((middles - start) * step).sum(1) / np.maximum((step**2).sum(1), 1e-12), 0, 1)
    order = own[np.argsort(way[reach] + share * (way[reach + 1] - way[reach]), kind="stable")]
    for one, other in pairwise(order if len(chain) > 2 else order[:1]):
        meet = _meeting(blocks, one, other)
        if meet is None:
            continue
        off = np.linalg.norm(joints[chain[1:-1]] - meet, axis=1)
        nearest = chain[1 + int(off.argmin())]
        if off.min() < NEAR and (nearest not in found
                                 or off.min() < np.linalg.norm(found[nearest] - joints[nearest])):
            found[nearest] = meet
    return {j: place for j, place in found.items() if np.linalg.norm(place - joints[j]) < FARTHEST}


def _nearest_in(blocks: Blocks, own: np.ndarray, point: np.ndarray) -> np.ndarray:
    """(N, 3) the place of each of some blocks (N,) that is nearest to a point."""
    at = np.clip(blocks.axes[own] @ point, blocks.low[own], blocks.high[own])
    return np.einsum("bi,bij->bj", at, blocks.axes[own])


def _meeting(blocks: Blocks, one: int, other: int) -> np.ndarray | None:
    """(3,) the middle of where two blocks touch, or of the slit between them; None if one lies in the other."""
    axes, centre = blocks.axes[one], blocks.middles[other] @ blocks.axes[one].T
    half = np.abs(axes @ blocks.axes[other].T) @ (blocks.high[other] - blocks.low[other]) / 2
    low, high = np.maximum(blocks.low[one], centre - half), np.minimum(blocks.high[one], centre + half)
    shorter = np.minimum(blocks.high[one] - blocks.low[one], 2 * half)
    if ((high - low) > INSIDE * shorter).all():
        return None
    return (low + high) / 2 @ axes
