"""A person with hands, rigged once for all tests."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from tests.core.detail.people import rigged


@pytest.fixture(scope="session")
def five() -> SimpleNamespace:
    """A person with five fingers on each hand."""
    return rigged(5)
