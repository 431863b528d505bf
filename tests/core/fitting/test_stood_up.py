"""What is stood up in doubt stays as its file says if it is as well known so."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from core.fitting.check import stand_steps
from core.geometry.mesh import Mesh
from core.pipeline import prepare_shape_steps
from core.seeing.proposals import rotation_to
from core.seeing.stance import REASONS, UP_SET, Stance, stance_facing
from core.steps import run
from tests import characters

ON_A_SIDE = stance_facing("X", "-Y").rotation


@cache
def dog() -> Mesh:
    return characters.quadruped(np.random.default_rng(7400000), species="dog").meshes[0]


def standing(mesh: Mesh, rotation: np.ndarray, confidence: float = 0.6, **said) -> Stance:
    return run(stand_steps(mesh, Stance(rotation, confidence, **{"reason": REASONS[2]} | said), prepare_shape_steps))[0]


@pytest.mark.long
def test_an_animal_that_stands_is_not_laid_on_its_side():
    found = standing(dog(), ON_A_SIDE)
    assert (found.up, found.front) == ("Z", "-Y")
    assert found.reason == REASONS[0]  # nobody has set up


@pytest.mark.long
@pytest.mark.parametrize("said", [{"confidence": 0.95}, {"reason": UP_SET}, {"may_lie": False}],
                         ids=["sure", "set", "front set"])
def test_what_is_sure_or_set_is_not_looked_at_again(said):
    assert standing(dog(), ON_A_SIDE, **said).up == "X"


@pytest.mark.long
def test_an_animal_that_lies_is_stood_up():
    turned = rotation_to(np.array([1.0, 0, 0]), np.array([0, -1.0, 0]))
    lying = Mesh(dog().vertices @ turned, dog().faces)  # its back is along X
    assert standing(lying, turned).up == "X"


@pytest.mark.long
def test_what_is_of_no_kind_either_way_stays():
    chair = characters.chair(np.random.default_rng(7400000)).meshes[0]
    assert standing(chair, ON_A_SIDE).up == "Z"
