"""Sums that come out the same on any number of cores: numpy's OpenBLAS on one thread for a while."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache

import numpy as np

_NAMES = ("{}openblas_{}_num_threads64_", "{}openblas_{}_num_threads")  # as numpy's wheels and systems call them


@contextmanager
def one_thread() -> Iterator[None]:
    """Inside, numpy multiplies matrices on one thread; afterwards on as many as before.

    How OpenBLAS deals a product of single precision to threads changes its last bits. Nothing happens where numpy does
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
    core = np._core if hasattr(np, "_core") else np.core
    try:
        library = ctypes.CDLL(core._multiarray_umath.__file__)  # its symbols and those of what it was linked to
    except OSError:
        return None
    for prefix in ("", "scipy_"):
        for name in _NAMES:
            ask, tell = (getattr(library, name.format(prefix, word), None) for word in ("get", "set"))
            if ask is not None and tell is not None:
                ask.restype, tell.argtypes, tell.restype = ctypes.c_int, [ctypes.c_int], None
                return ask, tell
    return None
