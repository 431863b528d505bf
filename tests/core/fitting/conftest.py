"""In fitting nothing is so small that it may vanish: every floating-point error raises."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(autouse=True)
def strictest_floating_point():
    """Underflow raises as well."""
    with np.errstate(all="raise"):
        yield
