"""The pieces of a solid, found by its runs: the voxels that follow each other without a gap along the last axis.

A solid has far fewer runs than voxels, so linking runs is quicker than visiting voxels.
"""

from __future__ import annotations

import numpy as np

from .links import linked_parts

# Rows in which a run meets others, in steps along the first two axes; the rows before are the same seen from there.
_BESIDE = ((0, 1), (1, 0))
_AROUND = (*_BESIDE, (1, -1), (1, 1))


def label_pieces(solid: np.ndarray, *, corners: bool, slices: bool = False) -> tuple[np.ndarray, int]:
    """(nx, ny, nz) int32 number of the piece each voxel belongs to, from 1 in the order of their first voxels, 0
    outside; and how many pieces there are. The same as `scipy.ndimage.label`.

    solid : (nx, ny, nz) bool;  corners : whether voxels touch at edges and corners, else only at faces
    slices : whether what lies in different slices along the first axis does not touch
    """
    nx, ny, nz = solid.shape
    padded = nx, ny + 1, nz + 1  # nothing beside the last voxel of a row, and an empty row beside the last one
    flat = np.zeros(int(np.prod(padded)) + 1, bool)
    flat[1:].reshape(padded)[:, :ny, :nz] = solid
    turns = np.flatnonzero(flat[1:] != flat[:-1])
    del flat  # at the finest grids it is large
    starts, ends = turns[::2], turns[1::2]
    rows = _BESIDE[:1] if slices else _AROUND if corners else _BESIDE
    steps = [(x * padded[1] + y) * padded[2] for x, y in rows]
    one, other = np.concatenate([_meeting(starts, ends, step, int(corners)) for step in steps], 1)
    piece = linked_parts(len(starts), one, other)
    value = np.zeros(len(turns) + 1, np.int32)
    value[1::2] = piece + 1
    labels = value.repeat(np.diff(turns, prepend=0, append=int(np.prod(padded))))
    return labels.reshape(padded)[:, :ny, :nz], int(piece.max(initial=-1)) + 1


def touching_runs(numbers: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The runs of voxels of one number along the last axis, in the order of their first voxels: (R,) the number and
    (R,) the length of each, and (K,), (K,) which of them touch at faces, edges or corners, each pair once.

    numbers : (nx, ny, nz) int32 of each voxel, -1 for those that are in no run
    """
    nx, ny, nz = numbers.shape
    padded = nx, ny + 1, nz + 1  # as for `label_pieces`
    flat = np.full(int(np.prod(padded)) + 1, -1, np.int32)
    flat[1:].reshape(padded)[:, :ny, :nz] = numbers
    turns = np.flatnonzero(flat[1:] != flat[:-1])
    number = flat.take(turns + 1)
    begin = np.flatnonzero(number >= 0)  # the last turn leads out of the last run
    starts, ends = turns.take(begin), turns.take(begin + 1)
    follows = np.flatnonzero(ends[:-1] == starts[1:])
    pairs = [_meeting(starts, ends, (x * padded[1] + y) * padded[2], 1) for x, y in _AROUND]
    one, other = np.concatenate([np.stack([follows, follows + 1]), *pairs], 1)
    return number.take(begin), ends - starts, one, other


def _meeting(starts: np.ndarray, ends: np.ndarray, step: int, reach: int) -> np.ndarray:
    """(2, K) pairs of runs that meet when the first is moved by `step` and reaches so many voxels beyond its ends."""
    first = np.searchsorted(ends, starts + (step - reach), "right")
    count = np.maximum(np.searchsorted(starts, ends + (step + reach), "left") - first, 0)
    one = np.repeat(np.arange(len(starts)), count)
    return np.stack([one, np.arange(len(one)) + np.repeat(first - np.cumsum(count) + count, count)])
