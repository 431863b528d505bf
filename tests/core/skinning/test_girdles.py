"""Belts, which follow several bones of the trunk, keep to the number of bones that is asked for."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.from_shape import template_in
from core.pipeline import bind, fit, prepare
from core.seeing.stance import UPRIGHT
from core.skinning.bind import BindOptions
from tests import characters
from tests.characters import merge
from tests.characters.dressed import belt


@pytest.fixture(scope="module")
def girded():
    body = characters.person(vertices=2500)
    ring = belt(body, above=0.1)  # at the height of three bones
    mesh = merge([body.mesh, ring])
    shape = prepare(mesh, stance=UPRIGHT)
    return mesh, shape, fit(mesh, template_in(shape, "biped"), shape=shape)


@pytest.mark.parametrize("most", [1, 2, 4])
def test_a_belt_follows_no_more_bones_than_asked(girded, most):
    mesh, shape, rig = girded
    matrix = bind(mesh, rig, "heat", shape=shape, options=BindOptions(influences=most)).matrix.tocsr()
    assert np.diff(matrix.indptr).max() <= most
    np.testing.assert_allclose(matrix.sum(1), 1, atol=1e-9)
