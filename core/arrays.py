"""Small tools for arrays: copy-then-freeze for frozen dataclasses, and what numpy itself does slowly."""

from __future__ import annotations

import numpy as np


def frozen(values, dtype, shape: tuple, name: str) -> np.ndarray:
    """Copy `values` into a read-only array and check its shape. What is one, of this type, is taken as it is.

    shape : expected lengths; None stands for any
    Raises ValueError naming `name` if the shape differs, or if a number does not fit an integer `dtype`: 2**32 would
    else become 0, and 1.7 become 1.
    """
    is_frozen = type(values) is np.ndarray and values.base is None and not values.flags.writeable
    given = np.asarray(values)
    with np.errstate(invalid="ignore"):
        array = (np.asarray if is_frozen else np.array)(given, dtype=dtype, order="C")
    if array.dtype.kind == "i" and given.dtype != array.dtype and not np.array_equal(array, given):
        raise ValueError(f"{name} must be whole numbers that fit {array.dtype}")
    if array.size == 0 and None in shape:
        array = array.reshape([0 if n is None else n for n in shape])
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{name} must have shape {tuple('n' if n is None else n for n in shape)}, not {array.shape}")
    array.setflags(write=False)
    return array


def argwhere(mask: np.ndarray) -> np.ndarray:
    """(N, d) `np.argwhere` of a mask (n1, ..., nd), several times as fast."""
    flat = np.flatnonzero(mask)
    index = np.empty((mask.ndim, len(flat)), np.int64)
    for axis in range(mask.ndim - 1, 0, -1):
        rest = flat // mask.shape[axis]  # by one number numpy divides quickly
        np.subtract(flat, rest * mask.shape[axis], out=index[axis])
        flat = rest
    index[0] = flat
    return index.T


def boxes(points: np.ndarray, group: np.ndarray, count: int) -> tuple[np.ndarray, np.ndarray]:
    """(count, d) low and (count, d) high corners of the boxes around groups of points; inverted where one is empty.

    points : (N, d);  group : (N,) of each point, or (N, k) for points (N, k, d)
    """
    points, group = points.reshape(-1, points.shape[-1]), group.ravel().astype(np.intp)
    low, high = np.full((points.shape[1], count), np.inf), np.full((points.shape[1], count), -np.inf)
    for axis, at in enumerate(points.T):  # one axis at a time: numpy is quick only so
        np.minimum.at(low[axis], group, at)
        np.maximum.at(high[axis], group, at)
    return low.T, high.T
