"""What every test runs under: strict arithmetic, and the extension's root importable as the package `geppetto`."""

from __future__ import annotations

import gc
import importlib.util
import os
import sys
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = Path(os.environ.get("GEPPETTO_INSTALLED", ROOT))  # `make test-installed` tests what a zip unpacked to


def load_as_package(name: str = "geppetto"):
    """Import the extension as Blender does: one package whose parts import each other relatively."""
    if name in sys.modules:
        return sys.modules[name]
    spec = importlib.util.spec_from_file_location(name, PACKAGE / "__init__.py",
                                                  submodule_search_locations=[str(PACKAGE)])
    package = importlib.util.module_from_spec(spec)
    sys.modules[name] = package
    spec.loader.exec_module(package)
    return package


load_as_package()


@pytest.hookimpl(wrapper=True)
def pytest_collection(session: pytest.Session):
    """What is collected stays till the end: the collector of garbage need not look at it again and again."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Of a test marked `sweep(n)`, n cases spread evenly stay quick, or become long with `long=True`; the others become
    slow. What is long is slow, too."""
    sweeps = defaultdict(list)
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.slow)
        if mark := item.get_closest_marker("sweep"):
            sweeps[item.nodeid.partition("[")[0], mark.args[0]].append(item)
    for (_, quick), cases in sweeps.items():
        kept = {case * len(cases) // quick for case in range(quick)}
        for number, item in enumerate(cases):
            is_long = item.get_closest_marker("sweep").kwargs.get("long", False)
            if number in kept and is_long:
                item.add_marker(pytest.mark.long)
            if number not in kept or is_long:
                item.add_marker(pytest.mark.slow)


_left_out: list[pytest.Item] = []


def pytest_deselected(items: list[pytest.Item]) -> None:
    """Keep the slow ones that were left out."""
    _left_out.extend(item for item in items if item.get_closest_marker("slow"))


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    """A file whose tests are all left out as slow is no failure."""
    if session.exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED and _left_out:
        session.exitstatus = pytest.ExitCode.OK


@pytest.fixture(autouse=True)
def strict_arithmetic():
    """A division by zero, an overflow or a NaN made by arithmetic fails the test that made it."""
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        yield


@pytest.fixture
def rng() -> np.random.Generator:
    """Random numbers, the same in every run."""
    return np.random.default_rng(20070805)
