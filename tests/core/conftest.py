"""The core's arithmetic is held to more than the rest's: not even an underflow passes unseen."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.fixture(autouse=True, scope="session")
def strict_floating_point():
    """Every floating-point error raises, while fixtures are built too."""
    before = np.seterr(all="raise")
    yield
    np.seterr(**before)
