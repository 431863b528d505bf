"""A short walk of the random user; `monkey.py SEED STEPS` takes long ones."""

from __future__ import annotations

import pytest

import geppetto

from . import monkey


@pytest.mark.slow
def test_whatever_is_pressed_in_whatever_order(context, person):
    geppetto.register()
    try:
        monkey.run(11, 40, person)
    finally:
        geppetto.unregister()
