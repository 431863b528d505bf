"""Copy-then-freeze for the arrays of frozen dataclasses."""

from __future__ import annotations

import numpy as np


def frozen(values, dtype, shape: tuple, name: str) -> np.ndarray:
    """Copy `values` into a read-only array and check its shape.

    shape : expected lengths; None stands for any.  Raises ValueError naming `name` if the shape differs.
    """
    array = np.array(values, dtype=dtype, order="C")
    if array.size == 0 and None in shape:
        array = array.reshape([0 if n is None else n for n in shape])
    if array.ndim != len(shape) or any(n is not None and n != m for n, m in zip(shape, array.shape, strict=True)):
        raise ValueError(f"{name} must have shape {tuple('n' if n is None else n for n in shape)}, not {array.shape}")
    array.setflags(write=False)
    return array
