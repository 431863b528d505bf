"""All cases of the core, and where their results are kept."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path

import core
from tests.core.reference.bodies import CASES as BODIES
from tests.core.reference.drawn import CASES as DRAWN
from tests.core.reference.drawn_moves import CASES as DRAWN_MOVES
from tests.core.reference.motions import CASES as MOTIONS
from tests.core.reference.seldom import CASES as SELDOM
from tests.core.reference.small import CASES as SMALL
from tests.keeping.results import Results

APART = ("seeing/blas:", "steps:")  # what a machine has; what hands on the results of others


def forget() -> None:
    """Empty every cache of the core, so that the same work is done whatever ran before."""
    for found in pkgutil.walk_packages(core.__path__, "core."):
        module = importlib.import_module(found.name)
        for kept in vars(module).values():
            if hasattr(kept, "cache_clear"):
                kept.cache_clear()


EVERY = SMALL | BODIES | MOTIONS | SELDOM | DRAWN | DRAWN_MOVES
RESULTS = Results("tests.core.reference", Path(__file__).parent / "kept", EVERY,
                  {Path(core.__file__).parent: ""}, APART, forget)
