"""The core's arithmetic is held to more than the rest's: fixtures and caches are built under strict numerics too."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(autouse=True, scope="session")
def strict_floating_point():
    """Division by zero, overflow and invalid numbers raise. A Gaussian's tail may underflow to zero, as it should."""
    before = np.seterr(divide="raise", over="raise", invalid="raise")
    yield
    np.seterr(**before)
