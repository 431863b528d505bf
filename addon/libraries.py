"""Whether the libraries the core needs are there. Nothing here may import the core, which cannot be without them."""

from __future__ import annotations

import importlib
import re

OLDEST_SCIPY = (1, 10)


def fault_of_scipy() -> str:
    """Why scipy cannot be used, empty if it can."""
    try:
        scipy = importlib.import_module("scipy")
        importlib.import_module("scipy.sparse.linalg")  # compiled: fails if it was built for another Python or numpy
    except ModuleNotFoundError as error:
        return "This Blender has no scipy." if error.name == "scipy" else f"scipy is incomplete: {error}."
    except (ImportError, ValueError) as error:  # ValueError is how a module compiled for another numpy complains
        return f"scipy does not load: {str(error).strip().splitlines()[0]}"
    version = tuple(int(n) for n in re.findall(r"\d+", scipy.__version__)[:2])
    return "" if version >= OLDEST_SCIPY else f"scipy {scipy.__version__} is too old, 1.10 or newer is needed."
