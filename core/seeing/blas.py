"""Products of matrices that come out the same on any number of cores: scipy's BLAS on one thread for a while."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np
from scipy.linalg import _fblas
from scipy.linalg.blas import sgemm

_NAMES = ("{}openblas_{}_num_threads", "{}openblas_{}_num_threads64_")  # as scipy's wheels and systems call them


def product(a: np.ndarray, b: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
    """(N, M) float32 product of (N, K) and (K, M) matrices, none empty, all C-contiguous, in `out` if given.

    scipy multiplies, not numpy: numpy 1.26, as in Blender 4, brings an OpenBLAS of 2023, which takes a newer processor
    (Emerald Rapids) for the oldest kind and needs four times as long there. scipy's is newer.
    """
    if out is None:
        out = np.empty((len(a), b.shape[1]), np.float32)
    sgemm(1.0, b.T, a.T, c=out.T, overwrite_c=1)  # BLAS keeps columns together: to it, every matrix is transposed
    return out


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside, `product` uses one thread; afterwards scipy's BLAS has as many as before.

    How OpenBLAS deals a product of single precision to threads changes its last bits. Nothing happens where scipy does
    not bring OpenBLAS along (Accelerate, MKL) or the system does not find it.
    """
    found = _openblas()
    if found is None:
        yield
        return
    ask, tell = found
    before = ask()
    tell(1)
    try:
        yield
    finally:
        tell(before)


@lru_cache(maxsize=1)
def _openblas() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Functions that ask for OpenBLAS's number of threads and set it."""
    try:
        library = ctypes.CDLL(_fblas.__file__)  # its symbols and those of what it was linked to
    except OSError:
        return None
    for prefix in ("scipy_", ""):
        for name in _NAMES:
            ask, tell = (getattr(library, name.format(prefix, word), None) for word in ("get", "set"))
            if ask is not None and tell is not None:
                ask.restype, tell.argtypes, tell.restype = ctypes.c_int, [ctypes.c_int], None
                return ask, tell
    return None
