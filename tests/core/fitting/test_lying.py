"""Creatures that lie on their sides are told of, with the way they would stand; what stands as it does is not."""

from __future__ import annotations

import numpy as np
import pytest

from core.fitting.check import check_character
from core.geometry.mesh import Mesh
from core.pipeline import prepare
from core.seeing.stance import detect_stance, stance_facing
from tests import characters

IMPORTED = np.array([[1.0, 0, 0], [0, 0, -1], [0, 1, 0]])  # a file whose Z is up, read as if its Y were


def looked_at(mesh: Mesh, stance=None):
    stance = detect_stance(mesh) if stance is None else stance
    return check_character(prepare(mesh, stance=stance), stance=stance)


def lies(found) -> bool:
    return any("lie on its side" in warning for warning in found.warnings)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("grow", "seed", "creature", "ups"), [
    (characters.snake, 1400000, "snake", {"Y", "-Y", "X", "-X"}), (characters.octopus, 1400001, "octopus", {"-Y"})],
    ids=["snake", "octopus"])
def test_a_creature_on_its_side_is_known_in_the_way_that_is_told(grow, seed, creature, ups):
    mesh = grow(np.random.default_rng(seed)).mesh
    lying = Mesh(mesh.vertices @ IMPORTED.T, mesh.faces)
    found = looked_at(lying)
    assert found.preset == "shape" and lies(found) and found.other_stance[0] in ups
    stood_up = looked_at(lying, stance_facing(*found.other_stance))
    assert stood_up.preset == creature and not lies(stood_up)


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("grow", "seed"), [(characters.octopus, 1400001), (characters.tree, 1410003),
                                            (characters.star, 1410000)], ids=["octopus", "tree", "star"])
def test_what_stands_is_not_said_to_lie(grow, seed):
    assert not lies(looked_at(grow(np.random.default_rng(seed)).mesh))
