"""The figures that the docs state are what is measured; those that take long are left to `make figures`."""

from __future__ import annotations

import pytest

from tests.figures import FIGURES


@pytest.mark.slow
@pytest.mark.parametrize("figure", [f for f in FIGURES if f.is_quick], ids=lambda f: f.measured.__name__)
def test_the_docs_say_what_is_measured(figure):
    assert figure.printed() == figure.measured("")


@pytest.mark.parametrize("figure", [f for f in FIGURES if not f.is_quick], ids=lambda f: f.said[:40])
def test_the_others_are_in_the_docs(figure):
    assert all(figure.printed())
